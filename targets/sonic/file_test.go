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

// TestFile: the path of the live state, its forms and its data.
func TestFile(t *testing.T) {
	w := wish(t, device(t, rack, "tor1"))
	f := w.File()
	assert.Equal(t, sonic.Path, f.Path)
	old := []byte(usual("202505").state())
	out, ds := f.Edit(old)
	require.Empty(t, ds)

	require.Len(t, f.Forms, 2)
	form := string(f.Forms[0].Of(out))
	assert.NotContains(t, form, "@lookup")
	assert.NotContains(t, form, "@version")
	assert.Contains(t, form, `"ROCEC"`)
	assert.Nil(t, f.Forms[0].Of([]byte("x")))

	fresh, ds := f.Edit(nil)
	require.Empty(t, ds)
	document, err := grammar.Read(f.Forms[0].Of(fresh))
	require.NoError(t, err)
	assert.True(t, document.Equal(read(t, string(fresh))))
	data, err := json.Marshal(f.Data(fresh)["config_db"])
	require.NoError(t, err)
	document, err = grammar.Read(data)
	require.NoError(t, err)
	assert.True(t, document.Equal(read(t, string(fresh))))
	assert.Empty(t, f.Data([]byte("x")))

	keys := map[string]string{}
	for _, k := range f.Keys(out) {
		assert.NotContains(t, k.Name, "@")
		if k.Ours {
			keys[k.Name] = k.Value
		}
	}
	assert.Equal(t, "3", keys["PORT_QOS_MAP.Ethernet72.pfc_enable"])
	assert.Equal(t, "40m", keys["CABLE_LENGTH.AZURE.Ethernet72"])
	assert.NotContains(t, keys, "PORT.Ethernet72.speed")
	assert.NotContains(t, keys, "PORT_QOS_MAP.Ethernet16.pfc_enable")

	lines := strings.Split(rack, "\n")
	why := func(key, want string) {
		t.Helper()
		from := f.Why(key)
		require.NotEmpty(t, from, key)
		assert.Contains(t, lines[from[0].At.Start.Line-1], want, key)
	}
	why("CABLE_LENGTH.AZURE.Ethernet72", `"32m"`)
	why("PORT_QOS_MAP.Ethernet72.pfc_enable", "lossless")
	why("WRED_PROFILE.AZURE_LOSSLESS.green_min_threshold", "ecn {")
	assert.Empty(t, f.Why("x"))
}
