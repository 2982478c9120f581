package forms

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/judge"
)

// layoutOf lays out the fabric of a folder in a form.
func layoutOf(t *testing.T, name, dir string) Layout {
	t.Helper()
	f := judge.Judge(t.Context(), os.DirFS(dir), ".", judge.Options{})
	require.False(t, f.Diags.HasErrors(), "%v", f.Diags)
	form := Find(name)
	require.NotNil(t, form, name)
	return form.Layout(f.Fabric, form.Tree(f.Fabric), Supplied{})
}

// Each form contains the devices that it applies to, and its files have stable names. A second layout has the same bytes.
func TestLayout(t *testing.T) {
	const mine, others, pod = "../../../examples/bonded-pair", "../../rocec/testdata/otherswitches", "../../../examples/gpu-pod"
	seen := map[string]bool{}
	for _, tc := range []struct {
		name, dir       string
		hosts, switches int
		files           string
	}{
		{"overlay", mine, 4, 0, "store[1-4].tar manifest.json"},
		{"ansible", mine, 4, 0, "group_vars/rocec.yml group_vars/rocec_store_1_4.yml inventory.yml"},
		{
			"ansible", others, 5, 5, "group_vars/rocec.yml group_vars/rocec_gpu_1_5.yml group_vars/rocec_switches_leaf_1_2.yml " +
				"host_vars/leaf3.yml host_vars/leaf4.yml host_vars/leaf5.yml inventory.yml",
		},
		{"netbox", mine, 0, 0, ""},
		{"netbox", others, 0, 5, "leaf1.json leaf2.json leaf3.json leaf4.json leaf5.json"},
		{"handover", mine, 4, 0, "client[1-4].md"},
		{"nic-template", mine, 0, 0, ""},
		{"nic-template", pod, 16, 0, "gpu[01-16].yaml"},
		{"prometheus", mine, 4, 4, "rocec.rules.yml rocec.test.yml rocec.dashboard.json"},
	} {
		seen[tc.name] = true
		l, again := layoutOf(t, tc.name, tc.dir), layoutOf(t, tc.name, tc.dir)
		assert.Equal(t, []int{tc.hosts, tc.switches}, []int{l.Hosts, l.Switches}, "%s of %s", tc.name, tc.dir)
		var names []string
		for i, f := range l.Files {
			names = append(names, f.Name)
			assert.EqualValues(t, 0o644, f.Mode, f.Name)
			assert.Equal(t, f.Content(), again.Files[i].Content(), f.Name)
		}
		assert.Equal(t, tc.files, strings.Join(names, " "), "%s of %s", tc.name, tc.dir)
	}
	for _, name := range Names() {
		assert.True(t, seen[name], name)
	}
	assert.Nil(t, Find(""))
	assert.Nil(t, Find("tape"))
}

// Leftover returns only files that a reader would mistake for a part of the form.
func TestLeftoverOfAForm(t *testing.T) {
	const mine, others, pod = "../../../examples/bonded-pair", "../../rocec/testdata/otherswitches", "../../../examples/gpu-pod"
	for _, tc := range []struct {
		name, dir string
		harmless  string
		left      string
	}{
		{"overlay", mine, "store1.txt", "store9.tar"},
		{"ansible", mine, "group_vars/all.yml", "group_vars/rocec_gpu.yml"},
		{"ansible", mine, "host_vars.md", "host_vars/leaf9.yml"},
		{"netbox", others, "leaf9/leaf9.json", "leaf9.json"},
		{"handover", mine, "client1.txt", "store1.md"},
		{"nic-template", pod, "gpu01.txt", "gpu99.yaml"},
	} {
		l := layoutOf(t, tc.name, tc.dir)
		folder := fstest.MapFS{tc.harmless: {}}
		for _, f := range l.Files {
			folder[f.Name] = &fstest.MapFile{}
		}
		left, err := l.Leftover(folder)
		require.NoError(t, err)
		assert.Empty(t, left, tc.name)
		folder[tc.left] = &fstest.MapFile{}
		left, err = l.Leftover(folder)
		require.NoError(t, err)
		assert.Equal(t, tc.left, left, tc.name)
	}
}
