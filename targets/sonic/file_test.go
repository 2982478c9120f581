package sonic_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/sonic"
	"github.com/rocec/rocec/targets/sonic/grammar"
)

// TestFile: the live state, its forms and its data.
func TestFile(t *testing.T) {
	w := wish(t, device(t, rack, "tor1"))
	f := w.File()
	assert.Equal(t, sonic.Path, f.Path)
	old := []byte(usual("202505").state())
	out, ds := f.Edit(old)
	require.Empty(t, ds)

	require.Len(t, f.Forms, 1)
	form := string(f.Forms[0].Of(out))
	assert.NotContains(t, form, "@lookup")
	assert.NotContains(t, form, "@version")
	assert.Contains(t, form, `"ROCEC"`)
	assert.Nil(t, f.Forms[0].Of([]byte("x")))

	fresh, ds := f.Edit(nil)
	require.Empty(t, ds)
	assert.Equal(t, string(fresh), string(f.Forms[0].Of(fresh)))
	data, err := json.Marshal(f.Data(fresh)["config_db"])
	require.NoError(t, err)
	assert.True(t, read(t, string(data)).Equal(read(t, string(fresh))))
	assert.Empty(t, f.Data([]byte("x")))

	keys := map[string]string{}
	for _, k := range f.Keys(out) {
		assert.NotContains(t, k.Name, "@")
		if k.Ours {
			keys[k.Name] = k.Value
		}
	}
	assert.Equal(t, "3", keys["PORT_QOS_MAP.Ethernet10.pfc_enable"])
	assert.Equal(t, "40m", keys["CABLE_LENGTH.AZURE.Ethernet10"])
	assert.NotContains(t, keys, "PORT.Ethernet10.speed")
	assert.NotContains(t, keys, "PORT_QOS_MAP.Ethernet3.pfc_enable")

	lines := strings.Split(rack, "\n")
	why := func(key, want string) {
		t.Helper()
		from := f.Why(key)
		require.NotEmpty(t, from, key)
		assert.Contains(t, lines[from[0].At.Start.Line-1], want, key)
	}
	why("CABLE_LENGTH.AZURE.Ethernet10", `"32m"`)
	why("PORT_QOS_MAP.Ethernet10.pfc_enable", "lossless")
	why("WRED_PROFILE.AZURE_LOSSLESS.green_min_threshold", "ecn {")
	assert.Empty(t, f.Why("x"))
}

// TestLint: a state is judged, but for what the fabric means so; that of several chips is none of this switch.
func TestLint(t *testing.T) {
	w := wish(t, device(t, rack, "tor1"))
	f := w.File()
	found, foreign := f.Lint([]byte(usual("202505").state()))
	assert.Empty(t, foreign)
	require.Len(t, found, 1)
	assert.Equal(t, "conf-sonic-map", found[0].Code, "DSCP 26 is lossy in the map of the template")
	out, _ := f.Edit([]byte(usual("202505").state()))
	found, _ = f.Lint(out)
	require.Len(t, found, 1, "a port of others has that map still")
	fresh, _ := f.Edit(nil)
	found, _ = f.Lint(fresh)
	assert.Empty(t, found)
	_, foreign = f.Lint([]byte(change("202505", func(c *grammar.Config) { c.Put(grammar.VersionTable, "localhost", "asic_count", "2") })))
	assert.Contains(t, foreign, "2 chips")
	for _, text := range []string{"", "x", "{}"} {
		found, foreign = f.Lint([]byte(text))
		assert.Empty(t, found)
		assert.Empty(t, foreign)
	}
}
