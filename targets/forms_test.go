package targets_test

import (
	"encoding/json"
	"path"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/target"
)

// TestForms: a form that is built from a live state has a separate path, is pure, ends in a newline, and is unchanged after a round trip
// through JSON.
func TestForms(t *testing.T) {
	forms := 0
	for _, c := range []clos{
		{leaves: 2, spines: 2, hosts: 2, model: "sn4700", version: "5.9.1", v1: true, v2: true},
		{leaves: 2, spines: 2, hosts: 2, model: "sn4700", version: "202505", v2: true},
	} {
		tree, ds := targets.Render(c.compile(t))
		require.False(t, ds.HasErrors(), textOf(ds))
		forms += formsOf(t, tree)
	}
	assert.Equal(t, 16, forms, "two of each switch")
}

func formsOf(t *testing.T, tree *target.Tree) (forms int) {
	for _, d := range tree.Devices {
		paths := map[string]bool{}
		for _, file := range d.Files {
			require.False(t, paths[file.Path])
			paths[file.Path] = true
			if len(file.Forms) == 0 {
				continue
			}
			whole, ds := file.Edit(nil)
			require.Empty(t, ds, "some file has a form")
			for _, form := range file.Forms {
				forms++
				require.False(t, paths[form.Path], "%s twice", form.Path)
				paths[form.Path] = true
				assert.Equal(t, path.Clean(form.Path), form.Path)
				assert.True(t, path.IsAbs(form.Path))
				text := string(form.Of(whole))
				assert.Regexp(t, `\n$`, text)
				assert.Equal(t, text, string(form.Of(whole)))
			}
			require.NotNil(t, file.Data)
			data, err := json.Marshal(file.Data(whole))
			require.NoError(t, err)
			var back map[string]any
			require.NoError(t, json.Unmarshal(data, &back))
			again, err := json.Marshal(back)
			require.NoError(t, err)
			assert.JSONEq(t, string(data), string(again))
			assert.Greater(t, len(data), 1000)
		}
	}
	return forms
}
