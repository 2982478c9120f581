package start

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The workflow of a fabric in a subfolder is written to the repository's root under a free name. It names the subfolder.
func TestPlaceWorkflow(t *testing.T) {
	t.Parallel()
	files := Small(nil)
	at := slices.IndexFunc(files, func(f File) bool { return f.Name == workflowFile })
	require.GreaterOrEqual(t, at, 0)
	whole := string(files[at].Data)
	require.Contains(t, whole, "rocec fmt --check\n")
	for _, c := range []struct {
		below string
		taken []string
		name  string // of the workflow in the root
		names string // the folder in the commands
		why   string
	}{
		{below: ""},
		{below: "pods/pod1", name: workflowFile, names: "pods/pod1"},
		{below: "-x", name: workflowFile, names: "./-x"},
		{below: "pod1", taken: []string{workflowFile}, name: ".github/workflows/rocec-pod1.yml", names: "pod1"},
		{below: "Pod1", taken: []string{workflowFile}, why: "the repository has .github/workflows/rocec.yml already. Add `"},
		{below: "pod1", taken: []string{workflowFile, ".github/workflows/rocec-pod1.yml"}, why: "has .github/workflows/rocec-pod1.yml already"},
		{below: "a pod", why: "move a pod/.github/workflows/rocec.yml there"},
	} {
		rest, w := PlaceWorkflow(files, c.below, func(name string) bool { return slices.Contains(c.taken, name) })
		require.Equal(t, c.name, w.File.Name, c)
		require.Contains(t, w.Why, c.why, c)
		require.Equal(t, c.why == "", w.Why == "", c)
		stays := c.below == "" || c.below == "a pod"
		require.Equal(t, stays, slices.ContainsFunc(rest, func(f File) bool { return f.Name == workflowFile }), c)
		if c.name != "" {
			want := strings.NewReplacer("rocec fmt --check\n", "rocec fmt --check "+c.names+"\n",
				"rocec validate --format github\n", "rocec validate --format github "+c.names+"\n").Replace(whole)
			require.Equal(t, want, string(w.File.Data), c)
			require.Len(t, rest, len(files)-1)
		}
	}
	require.Equal(t, whole, string(files[at].Data), "the files are not changed")
	rest, w := PlaceWorkflow(nil, "pod1", nil)
	require.Empty(t, rest)
	require.Empty(t, w)
}

// A build from a commit without a tag pins the commit by the hash that a module proxy knows. A build from a changed tree pins no commit.
func TestPinCommit(t *testing.T) {
	for version, want := range map[string]string{
		"0.1.0+20260102150405.g0123456789ab":       "rocec/cmd/rocec@0123456789ab # the version that you apply with",
		"0.1.0+20260102150405.g0123456789ab.dirty": "rocec/cmd/rocec@VERSION # write",
		"0.1.0+devel": "rocec/cmd/rocec@VERSION # write",
	} {
		files := Small(nil)
		Pin(files, version)
		i := slices.IndexFunc(files, func(f File) bool { return f.Name == workflowFile })
		require.Contains(t, string(files[i].Data), want, version)
	}
}
