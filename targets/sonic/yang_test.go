package sonic_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/sonic"
	"github.com/rocec/rocec/targets/sonic/grammar"
)

// yanglint asks libyang whether a configuration is one by the module of a release.
func yanglint(t *testing.T, r grammar.Release, c *grammar.Config) (good bool, says string) {
	t.Helper()
	program, err := exec.LookPath("yanglint")
	if err != nil {
		t.Skip("yanglint of libyang2-tools is not installed")
	}
	dir := t.TempDir()
	module, data := filepath.Join(dir, grammar.Module+".yang"), filepath.Join(dir, "data.json")
	require.NoError(t, os.WriteFile(module, grammar.YANG(r), 0o600))
	require.NoError(t, os.WriteFile(data, c.Instance(), 0o600))
	out, err := exec.CommandContext(t.Context(), program, "-t", "config", "-f", "json", module, data).CombinedOutput()
	if err != nil {
		return false, string(out)
	}
	return true, ""
}

// withPorts adds the ports that a document names, which it does not hold itself.
func withPorts(c *grammar.Config) *grammar.Config {
	out := c.Clone()
	for _, key := range c.Keys("PORT_QOS_MAP") {
		out.Put("PORT", key, "lanes", "0")
	}
	return out
}

// TestYANG: every document that is written, and every state that is to be, is one by the models of its release.
func TestYANG(t *testing.T) {
	for i, release := range []string{"202205", "202405", "202505", "202511", "202605"} {
		v, err := grammar.ParseVersion(release)
		require.NoError(t, err)
		done := 0
		for n, d := range everything(t, release) {
			speed, same := speeds(d)
			if n%5 != i || !same || done == 4 {
				continue
			}
			done++
			w, _ := sonic.For(d)
			fresh, ds := w.Edit(nil)
			require.False(t, ds.HasErrors())
			good, says := yanglint(t, v.Release, withPorts(read(t, string(fresh))))
			require.True(t, good, says)
			b := boxes(d)["template"]
			b.speed = speed
			out, ds := w.Edit([]byte(b.state()))
			require.False(t, ds.HasErrors())
			good, says = yanglint(t, v.Release, withMade(read(t, string(out))))
			require.True(t, good, says)
		}
		require.NotZero(t, done)
	}
}

// withMade adds the profiles that the buffer manager makes, which are no part of a state.
func withMade(c *grammar.Config) *grammar.Config {
	for _, key := range c.Keys("BUFFER_PG") {
		if profile := c.Get("BUFFER_PG", key, "profile"); grammar.IsMade(profile) {
			for field, text := range map[string]string{"pool": grammar.Pool, "size": "49152", "xon": "19456", "xoff": "29696", "dynamic_th": "0"} {
				c.Put("BUFFER_PROFILE", profile, field, text)
			}
		}
	}
	return c
}

// TestYANGRefuses: what SONiC's models refuse, the module does.
func TestYANGRefuses(t *testing.T) {
	base := func() *grammar.Config {
		return withMade(read(t, usual("202505").state()))
	}
	good, says := yanglint(t, 202505, base())
	require.True(t, good, says)
	for name, change := range map[string]func(c *grammar.Config){
		"weight 0":           func(c *grammar.Config) { c.Put("SCHEDULER", "scheduler.0", "weight", "0") },
		"no such map":        func(c *grammar.Config) { c.Put("PORT_QOS_MAP", "Ethernet0", "dscp_to_tc_map", "X") },
		"no such profile":    func(c *grammar.Config) { c.Put("BUFFER_PG", "Ethernet0|3-4", "profile", "X") },
		"no such port":       func(c *grammar.Config) { c.Put("QUEUE", "Ethernet5|3", "scheduler", "scheduler.0") },
		"DSCP 64":            func(c *grammar.Config) { c.Put("DSCP_TO_TC_MAP", "AZURE", "64", "1") },
		"class 16":           func(c *grammar.Config) { c.Put("DSCP_TO_TC_MAP", "AZURE", "6", "16") },
		"half a metre":       func(c *grammar.Config) { c.Put("CABLE_LENGTH", "AZURE", "Ethernet0", "5.5m") },
		"max below min":      func(c *grammar.Config) { c.Put("WRED_PROFILE", "AZURE_LOSSLESS", "green_max_threshold", "1") },
		"max without min":    func(c *grammar.Config) { c.Delete("WRED_PROFILE", "AZURE_LOSSLESS", "green_min_threshold") },
		"an unknown field":   func(c *grammar.Config) { c.Put("PORT_QOS_MAP", "Ethernet0", "pfc_enabled", "3") },
		"a name with a dot":  func(c *grammar.Config) { c.Put("TC_TO_QUEUE_MAP", "a.b", "1", "1") },
		"priorities 3-4":     func(c *grammar.Config) { c.Put("PORT_QOS_MAP", "Ethernet0", "pfc_enable", "3-4") },
		"too short to look":  func(c *grammar.Config) { c.Put("PFC_WD", "Ethernet0", "detection_time", "100") },
		"a later field":      func(c *grammar.Config) { c.Put("PFC_WD", "Ethernet0", "pfc_stat_history", "enable") },
		"another word":       func(c *grammar.Config) { c.Put("PFC_WD", "Ethernet0", "action", "stop") },
		"action of all":      func(c *grammar.Config) { c.Put("PFC_WD", "GLOBAL", "action", "drop") },
		"a truth value, yes": func(c *grammar.Config) { c.Put("WRED_PROFILE", "AZURE_LOSSLESS", "wred_green_enable", "yes") },
	} {
		c := base()
		change(c)
		good, _ := yanglint(t, 202505, c)
		assert.False(t, good, name)
	}
	c := base()
	c.Put("PORT_QOS_MAP", "Ethernet0", "pfc_enable", "")
	good, says = yanglint(t, 202505, c)
	assert.True(t, good, says)
	good, _ = yanglint(t, 202411, c)
	assert.False(t, good, "no priority came with 202505")
}
