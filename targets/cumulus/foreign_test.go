package cumulus

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/cumulus/conflint"
	"github.com/rocec/rocec/targets/cumulus/grammar"
	"github.com/rocec/rocec/targets/target/lint"
)

// TestForeignFiles edits files of other tools and people for every release. Each line that is not rocec's keeps every byte and its place,
// and the linter finds nothing in the result.
func TestForeignFiles(t *testing.T) {
	entries, err := os.ReadDir("testdata/foreign")
	require.NoError(t, err)
	require.NotEmpty(t, entries)
	wrong := map[string][]string{ // a spelling that 4.3 no longer has: the writer of the group must write it in the new spelling
		"by-hand-4.1.conf 4.3.0": {"conf-foreign-key", "conf-group-unlisted"},
	}
	for _, e := range entries {
		old, err := os.ReadFile(filepath.Join("testdata", "foreign", e.Name()))
		require.NoError(t, err)
		for _, version := range []string{"3.1.1", "3.2.1", "3.3.2", "3.4.3", "3.5.0", "3.7.16", "4.0.0", "4.1.1", "4.2.1", "4.3.0"} {
			for roce := 1; roce <= 2; roce++ {
				name := e.Name() + " " + version
				files, ds := Target.Render(canonicalSample(t, "sn2700", version, roce).sw)
				require.False(t, ds.HasErrors(), "%v", text(ds))
				f := files[0]
				edited, ds := f.Edit(old)
				require.Empty(t, text(ds), name)
				again, _ := f.Edit(edited)
				require.Equal(t, string(edited), string(again), name)

				ours := map[string]bool{}
				for _, content := range [][]byte{old, edited} {
					for _, k := range f.Keys(content) {
						ours[k.Name] = ours[k.Name] || k.Ours
					}
				}
				rest := string(edited)
				lines, _ := grammar.Parse(old)
				for i := range lines {
					l := lines[i].Text()
					if lines[i].Active() && (ours[lines[i].Key] || strings.HasSuffix(lines[i].Key, ".port_set") ||
						strings.HasSuffix(lines[i].Key, ".port_group_list")) {
						continue
					}
					at := strings.Index(rest, l+lines[i].End)
					require.GreaterOrEqual(t, at, 0, "%s: line %d is gone: %q", name, i+1, l)
					rest = rest[at+len(l):]
				}
				found, foreign := f.Lint(edited)
				assert.Empty(t, foreign, name)
				var codes []string
				for _, d := range found {
					if d.Severity != diag.Notice {
						codes = append(codes, d.Code)
						t.Logf("%s, RoCEv%d: line %d: %s: %s", name, roce, d.At.Start.Line, d.Code, d.Detail)
					}
				}
				assert.Equal(t, wrong[name], codes, name)
				assert.NotEmpty(t, conflint.Check([]lint.File{{Name: Path, Data: edited}}).Files[0].Dialect, name)
			}
		}
	}
}

// TestSwitchedOff: rocec takes a group of others out of the list when all its ports are the fabric's, and does not warn about it. It warns
// about a group with other ports, and about a group of a feature whose list rocec does not write.
func TestSwitchedOff(t *testing.T) {
	files, _ := Target.Render(canonicalSample(t, "sn2700", "3.7.16", 2).sw)
	group := func(feature, name, ports string) string {
		g := feature + "." + name + "."
		return g + "cos_list = [3]\n" + g + "port_set = " + ports + "\n"
	}
	unlisted := func(lines string) (at []string) {
		edited, ds := files[0].Edit([]byte(lines))
		require.Empty(t, ds)
		found, _ := files[0].Lint(edited)
		for _, d := range found {
			if d.Code == conflint.Unlisted {
				at = append(at, string(edited[d.At.Start.Byte:d.At.End.Byte]))
			}
		}
		return at
	}
	assert.Empty(t, unlisted("pfc.port_group_list = [ROCE_PFC]\n"+group("pfc", "ROCE_PFC", "swp1-swp4,swp31-swp32")))
	assert.Empty(t, unlisted("pfc.port_group_list = [a]\n"+group("pfc", "a", "swp2")+"ecn_red.port_group_list = [b]\n"+
		group("ecn_red", "b", "swp1-swp4")))
	assert.Equal(t, []string{"pfc.old.cos_list"}, unlisted(group("pfc", "old", "swp9")))
	assert.Equal(t, []string{"pfc.old.cos_list"}, unlisted("pfc.port_group_list = []\n"+group("pfc", "old", "swp1-swp9")))
	assert.Equal(t, []string{"egress_sched.a.port_set"}, unlisted("egress_sched.a.port_set = swp1\nhash_config.enable = true\n"))
}
