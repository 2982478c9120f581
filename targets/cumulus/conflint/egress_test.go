package conflint_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/cumulus/conflint"
	"github.com/rocec/rocec/targets/target/lint"
)

// beside returns the files of the good case of conf-egress-limited, with other lines of datapath.conf.
func beside(t *testing.T, edits ...string) []lint.File {
	files := read(t, filepath.Join("testdata", "conf-egress-limited", "good"))
	require.Len(t, files, 2)
	text := string(files[0].Data)
	for i := 0; i < len(edits); i += 2 {
		require.Contains(t, text, edits[i])
		text = strings.Replace(text, edits[i], edits[i+1], 1)
	}
	files[0].Data = []byte(text)
	return files
}

// TestMemoryBesideTraffic: a datapath.conf is judged together with the lossless cos of its traffic.conf. Alone, each of these files is
// correct.
func TestMemoryBesideTraffic(t *testing.T) {
	const spectrum = "priority_group.service.id = 0\npriority_group.bulk.id = 0\nflow_control.service_pool = 1\n" +
		"ingress_service_pool.0.percent = 50.0\ningress_service_pool.1.percent = 50.0\negress_service_pool.1.percent = 100.0\n"
	whole, err := os.ReadFile(filepath.Join("testdata", "conf-egress-limited", "good", "datapath.conf"))
	require.NoError(t, err)
	for _, c := range []struct {
		name  string
		edits []string
		want  string
	}{
		{
			"the queues of service",
			[]string{"service.unlimited_egress_buffer = true", "service.unlimited_egress_buffer = false"},
			"warning conf-egress-limited",
		},
		{
			"no part of the pool",
			[]string{"service.ingress_buffer.shared_percent = 4.0", "service.ingress_buffer.shared_percent = 0"},
			"error conf-pools",
		},
		{
			"an empty ingress pool",
			[]string{"ingress_service_pool.2.percent = 2.0", "ingress_service_pool.2.percent = 0"},
			"error conf-pools",
		},
		{"an empty egress pool", []string{"egress_service_pool.2.percent = 90.0", "egress_service_pool.2.percent = 0"}, "error conf-pools"},
		{"another empty pool", []string{"egress_service_pool.1.percent = 90.0", "egress_service_pool.1.percent = 0"}, ""},
		{"pool 0, which bulk uses", []string{"service.service_pool = 2", "service.service_pool = 0"}, ""},
		{"Spectrum", []string{string(whole), spectrum}, ""},
		{
			"a pool that is not set",
			[]string{string(whole), strings.Replace(spectrum, "egress_service_pool.1.percent = 100.0\n", "", 1)},
			"error conf-pools",
		},
		{"a pool of nothing", []string{string(whole), strings.Replace(spectrum, "egress_service_pool.1.percent = 100.0",
			"egress_service_pool.1.percent = 0", 1)}, "error conf-pools"},
		{
			"a quota on egress",
			[]string{string(whole), spectrum + "flow_control.egress_buffer.dynamic_quota = 2\n"},
			"warning conf-egress-limited",
		},
		{"no quota on egress", []string{string(whole), spectrum + "flow_control.egress_buffer.dynamic_quota = 15\n"}, ""},
	} {
		files := beside(t, c.edits...)
		found := func(files []lint.File) string {
			var got []string
			for _, d := range conflint.Check(files).Diagnostics {
				if d.Code != "conf-foreign-key" { // no file up to 4.3 was seen with a quota on egress
					got = append(got, d.Severity.String()+" "+d.Code)
				}
			}
			return strings.Join(got, ", ")
		}
		assert.Equal(t, c.want, found(files), c.name)
		assert.Empty(t, found(files[:1]), "%s: alone", c.name)
	}
}

// Keys of a Broadcom's datapath.conf show the chip, in any folder.
func TestChipByItsMemory(t *testing.T) {
	files := beside(t)
	files[1].Data = []byte(strings.NewReplacer("cos_4.", "cos_3.", "cos_3.", "cos_4.", "[4]", "[3]", "[0,1,2,3,5]",
		"[0,1,2,4,5]").Replace(string(files[1].Data)))
	severity := func(l diag.List) string {
		for _, d := range l {
			if d.Code == "conf-cos-3" {
				return d.Severity.String()
			}
		}
		return ""
	}
	assert.Equal(t, "note", severity(conflint.Check(files[1:]).Diagnostics))
	assert.Equal(t, "warning", severity(conflint.Check(files).Diagnostics))
}
