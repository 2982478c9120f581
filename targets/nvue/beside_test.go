package nvue_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nvue"
)

// TestPresetOverridden: a switch whose preset fits the fabric is refused if settings of others override the preset. rocec does not
// replace such settings, since they do not belong to the preset.
func TestPresetOverridden(t *testing.T) {
	fits := device(t, rack, "tor1")
	for text, say := range map[string]string{
		"roce: {cable-length: 20}": "headroom for 20 m, and cables " +
			"are up to 40 m",
		"roce: {cable-length: 40}":                                                     "",
		"traffic-pool: {roce-lossless: {memory-percent: 10}}":                          "roce-lossless 10 %",
		"traffic-pool: {roce-lossless: {memory-percent: 60}}":                          "",
		"congestion-control: {default-global: {traffic-class: {'3': {ecn: disable}}}}": "traffic-class.3 does not mark.",
		"congestion-control: {default-global: {traffic-class: {'3': {max-threshold: 90000000}}}}": "max-threshold 90000000, but " +
			"the fabric and the preset have 1500000",
		"congestion-control: {default-global: {traffic-class: {'3': {mode: relative}}}}":                     "not by bytes",
		"congestion-control: {default-global: {traffic-class: {'3': {ecn: enable, min-threshold: 150000}}}}": "",
		"congestion-control: {default-global: {traffic-class: {'1': {ecn: disable}}}}":                       "",
		"egress-scheduler: {default-global: {traffic-class: {'3': {mode: dwrr, bw-percent: 1}}}}":            "serves traffic class 3 unlike",
		"egress-scheduler: {default-global: {traffic-class: {'6': {mode: dwrr, bw-percent: 50}}}}":           "serves traffic class 6 unlike",
		"egress-scheduler: {default-global: {traffic-class: {'3': {mode: strict}}}}":                         "serves traffic class 3 unlike",
		"egress-scheduler: {default-global: {traffic-class: {'6': {mode: strict}, '1': {mode: strict}}}}":    "",
	} {
		text = "qos: {" + strings.Replace(text, "roce: {c", "roce: {enable: 'on', c", 1)
		if !strings.Contains(text, "roce: {enable") {
			text += ", roce: {}"
		}
		for _, p := range []nvue.Preset{nvue.AskPreset, nvue.KeepPreset} {
			out, ds := wish(t, fits, p).Edit([]byte(text + "}"))
			if say == "" {
				assert.Empty(t, ds, text)
				assert.NotNil(t, out)
				continue
			}
			require.Len(t, ds, 1, text)
			assert.Equal(t, "nvue-preset", ds[0].Code)
			assert.Contains(t, ds[0].Detail, "other settings override it. ")
			assert.Contains(t, ds[0].Detail, say)
			assert.Nil(t, out)
		}
		_, ds := wish(t, fits, nvue.ReplacePreset).Edit([]byte(text + "}"))
		assert.Empty(t, ds, text)
	}
}

// TestBeside: a switch is refused if default-global drops lossless traffic early on its ports. Limited buffers give a warning.
func TestBeside(t *testing.T) {
	marked, plain := device(t, rack, "tor1"), device(t, strings.Replace(rack, "  ecn {\n    min         = 150000\n    max         = 1500000\n"+
		"    probability = 100\n  }\n", "", 1), "tor1")
	const red = "congestion-control: {default-global: {traffic-class: {'3': {red: enable}}}}"
	for _, c := range []struct {
		name     string
		w        *nvue.Wish
		qos, say string
		severity diag.Severity
	}{
		{"a port without marking", wish(t, plain, nvue.AskPreset), red, "drops early (red) in traffic class 3", diag.Error},
		{"a port with its own profile", wish(t, marked, nvue.AskPreset), red, "", 0},
		{"a port with the preset", wish(t, marked, nvue.AskPreset), red + ", roce: {}", "drops early (red) in traffic class 3", diag.Error},
		{"another class", wish(t, plain, nvue.AskPreset), strings.Replace(red, "'3'", "'1'", 1), "", 0},
		{
			"a share on the way out", wish(t, marked, nvue.AskPreset),
			"advance-buffer-config: {default-global: {egress-lossless-buffer: {shared-alpha: alpha_1_128}}}", "alpha_1_128 of their pool",
			diag.Warning,
		},
		{
			"bytes on the way out", wish(t, marked, nvue.AskPreset),
			"advance-buffer-config: {default-global: {egress-lossless-buffer: {shared-bytes: 5000}}}", "to 5000 bytes", diag.Warning,
		},
		{
			"no share on the way in", wish(t, marked, nvue.AskPreset),
			"advance-buffer-config: {default-global: {ingress-lossless-buffer: {shared-alpha: alpha_0}}}", "no share of its pool", diag.Warning,
		},
		{
			"the factory setting", wish(t, marked, nvue.AskPreset),
			"advance-buffer-config: {default-global: {egress-lossless-buffer: {shared-alpha: alpha_infinity}}}", "", 0,
		},
	} {
		out, ds := c.w.Edit([]byte("qos: {" + c.qos + "}"))
		if c.say == "" {
			assert.Empty(t, ds, c.name)
			continue
		}
		require.Len(t, ds, 1, c.name)
		assert.Equal(t, "nvue-beside", ds[0].Code, c.name)
		assert.Equal(t, c.severity, ds[0].Severity, c.name)
		assert.Contains(t, ds[0].Detail, c.say, c.name)
		assert.Equal(t, c.severity == diag.Warning, out != nil, c.name)
	}
}

// TestSaysDeviations: deviations from the preset, about which the vendor's support asks, are reported only for a switch with other
// settings.
func TestSaysDeviations(t *testing.T) {
	f := wish(t, device(t, rack, "tor1"), nvue.AskPreset).File()
	for text, want := range map[string]bool{"qos: {roce: {}}\n": false, "qos: {}\n": true} {
		after, ds := f.Edit([]byte(text))
		require.Empty(t, ds)
		_, says := f.Choose([]byte(text), after, nil)
		assert.Equal(t, want, len(says) > 0, text)
	}
}
