package sonic_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/sonic"
)

// TestCheck: settings that a release or CONFIG_DB cannot hold are reported at the line in the fabric's files.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name, from, to string
		code, at       string // its line
		errors         bool
	}{
		{"fine", "", "", "", "", false},
		{"a release that rocec does not write", `"202505"`, `"201911"`, "sonic-release", `version = "201911"`, true},
		{"link pause", `routing = "up-down"`, "routing = \"up-down\"\n  flow_control = \"pause\"", "sonic-pause", `flow_control = "pause"`, true},
		{"lossless cos 0", "cos      = 3", "cos      = 0", "sonic-cos", "cos      = 0", true},
		{
			"stated sizes", "  weight   = 50", "  weight   = 50\n  pfc {\n    buffer = 200000\n    xoff = 100000\n  }",
			"sonic-sizes", "pfc {", false,
		},
		{
			"both fields", `roce "nvme" {`, `cos_group "old" {
  cos  = 5
  lossless = true
  ecn {
    min         = 150000
    max         = 1500000
    probability = 100
  }
}

roce "old" {
  version   = 1
  vlan      = 100
  cos_group = cos_group.old
  members   = [host.store]
}

roce "nvme" {`, "sonic-trust", "version   = 1", true,
		},
	} {
		text := rack
		if c.from != "" {
			text = strings.Replace(rack, c.from, c.to, 1)
			require.NotEqual(t, rack, text)
		}
		d := device(t, text, "tor1")
		ds := sonic.Check(d)
		if c.code == "" {
			assert.Empty(t, ds, c.name)
			continue
		}
		require.NotEmpty(t, ds, c.name)
		assert.Equal(t, c.code, ds[0].Code, "%s: %s", c.name, ds[0].Detail)
		assert.Equal(t, c.errors, ds.HasErrors(), c.name)
		line := strings.Split(text, "\n")[ds[0].At.Start.Line-1]
		assert.Contains(t, line, c.at, c.name)
	}
}

// TestTopics: every code names its target.
func TestTopics(t *testing.T) {
	for _, topic := range sonic.Topics {
		assert.True(t, strings.HasPrefix(topic.Code, "sonic-"), topic.Code)
	}
}
