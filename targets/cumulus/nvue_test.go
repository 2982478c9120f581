package cumulus

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Exactly the switches that NVUE configures are refused.
func TestJudgeNVUE(t *testing.T) {
	const startup = "- header:\n    model: SN3700\n- set:\n    system:\n      hostname: leaf1\n"
	const ignores = "    system:\n      config:\n        apply:\n          ignore:\n            " + featuresPath + ": {}\n            " +
		infraPath + ": {}\n"
	for name, tt := range map[string]struct {
		active         bool
		saved, applied string
		says           string
	}{
		"no nvued":      {false, startup + "    qos:\n      roce: {}\n", "", ""},
		"factory":       {true, startup, startup, ""},
		"nothing saved": {true, "", "", ""},
		"preset":        {true, startup + "    qos:\n      roce: {}\n", "", nvueStartup + " contains qos"},
		"of an interface": {
			true, startup + "    interface:\n      swp1:\n        qos:\n          pfc:\n            profile: x\n", "",
			"contains qos",
		},
		"in one line":           {true, startup + "    interface: {swp1: {qos: {pfc: {profile: x}}}}\n", "", "contains qos"},
		"quoted":                {true, startup + "    'qos': {roce: {}}\n", "", "contains qos"},
		"an empty map":          {true, startup + "    qos: {}\n", "", ""},
		"a comment":             {true, startup + "    # qos: {roce: {}}\n", "", ""},
		"another word":          {true, startup + "    lossy-qos: {x: 1}\n    qosx: 1\n", "", ""},
		"applied and not saved": {true, startup, "- set:\n    qos:\n      roce: {}\n", "its applied configuration contains qos"},
		"the files are ignored": {true, startup + ignores + "    qos:\n      roce: {}\n", "", ""},
		"ignored so far": {
			true, startup + ignores + "    qos:\n      roce: {}\n", nvueAnswers + "\n- set:\n    qos:\n      roce: {}\n",
			"its applied configuration contains qos",
		},
		"ignored until a reboot":  {true, startup + "    qos:\n      roce: {}\n", nvueAnswers + "\n" + ignores, nvueStartup + " contains qos"},
		"not readable":            {true, nvueUnread + "\n", "", "its configuration was not read"},
		"unreadable, but printed": {true, nvueUnread + "\n", nvueAnswers + "\n", ""},
		"told, held":              {true, nvueUnread + "\n", nvueAnswers + "\n    qos: {roce: {}}\n", "its applied configuration contains qos"},
		"hostile":                 {true, strings.Repeat("{qos:", 1000) + "\x00\xff", "", "contains qos"},
	} {
		answer := tt.saved + "\n" + nvueShown + "\n" + tt.applied
		if tt.active {
			answer = nvueActive + "\n" + answer
		}
		d := canonicalSample(t, "sn3700", "5.1.0", 1).sw
		found := judgeNVUE(d, answer)
		if tt.says == "" {
			assert.Empty(t, found, name)
			continue
		}
		require.Len(t, found, 1, name)
		assert.Contains(t, found[0], tt.says, name)
		if strings.Contains(tt.says, "not read") {
			continue
		}
		assert.Contains(t, found[0], "the default for release 5.1.0", name)
		d.Switch.Config, d.Switch.ConfigAt = byFiles, at(5)
		assert.Contains(t, judgeNVUE(d, answer)[0], `the switch block says config = "files" (fabric.hcl:5)`, name)
	}
	asked := false
	for version, want := range map[string]bool{"4.3.0": false, "4.4.0": true, "5.3.0": true} {
		for _, p := range identity(canonicalSample(t, "sn3700", version, 1).sw) {
			if p.Name == "NVUE" {
				asked = true
				assert.True(t, want, version)
			}
		}
	}
	assert.True(t, asked)
}
