package start

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/topology"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/judge"
)

var update = flag.Bool("update", false, "rewrite testdata/drafts.txt and the drafts beside it")

// formats has the format of the topology block by the prefix of a file name in the corpus.
var formats = map[string]string{"ptm": "ptm", "clab": "containerlab", "csv": "csv"}

// draftOf drafts a fabric from a file of the corpus, as init does.
func draftOf(t *testing.T, format, name string, src []byte, on System) (Drafted, diag.List) {
	t.Helper()
	c, ds := topology.ReadAll(format, name, src, topology.Options{Most: 100_000})
	if ds.HasErrors() {
		return Drafted{}, Causes(ds)
	}
	made, ds := Draft(Cabling{Format: format, Name: name, Cabling: c}, targets.Known, on)
	if !ds.HasErrors() {
		made.Files = append(made.Files, File{Name: name, Data: src})
	}
	return made, ds
}

// judged judges the files of a fabric.
func judged(t *testing.T, files []File) *judge.Judged {
	t.Helper()
	fsys := fstest.MapFS{}
	for _, f := range files {
		fsys[f.Name] = &fstest.MapFile{Data: f.Data}
	}
	return judge.Judge(t.Context(), fsys, ".", judge.Options{Lang: lang.Options{Version: "0.13.1"}})
}

// verdict returns the answer to whether a fabric has PFC loops, or "" and the obstacle. Errors about the loops themselves count as
// answers.
func verdict(j *judge.Judged) (string, string) {
	for _, d := range j.Diags {
		if d.Severity == diag.Error && d.Code != "pfc-loop" && d.Code != "pfc-loop-unknown" {
			return "", fmt.Sprintf("%s: %s %s", d.At, d.Code, d.Detail)
		}
	}
	var out []string
	for _, p := range j.Proofs {
		out = append(out, string(p.Proof.Verdict))
	}
	return strings.Join(out, ", "), "no proof"
}

// Files in the shapes that public labs, testbeds and sheets have. 34 of the 40 end in a verdict. Each of the others causes one message
// with the remedy.
func TestGoldenDrafts(t *testing.T) {
	files, err := filepath.Glob("testdata/drafts/*")
	require.NoError(t, err)
	require.Len(t, files, 40)
	var got strings.Builder
	verdicts := map[string]int{}
	want := map[string]string{}
	for _, file := range files {
		src, err := os.ReadFile(file)
		require.NoError(t, err)
		name := filepath.Base(file)
		kind, _, _ := strings.Cut(name, "-")
		made, ds := draftOf(t, formats[kind], name, src, System{})
		if ds.HasErrors() {
			require.Len(t, ds, 1, name)
			fmt.Fprintf(&got, "%s: %s, line %d: %s", name, ds[0].Code, ds[0].At.Start.Line, ds[0].Detail)
			for _, n := range ds[0].Notes {
				fmt.Fprintf(&got, " (%s)", n.Message)
			}
			got.WriteByte('\n')
			verdicts["message"]++
			continue
		}
		j := judged(t, made.Files)
		v, why := verdict(j)
		if assert.NotEmpty(t, v, "%s: %s", name, why) {
			verdicts[v]++
			switches, hosts := 0, 0
			for _, d := range j.Fabric.Devices {
				if d.Switch != nil {
					switches++
				} else {
					hosts++
				}
			}
			fmt.Fprintf(&got, "%s: %s, routing %s, %s, %s, %s\n", name, v, j.Fabric.Routing,
				diag.Count(switches, "switch"), diag.Count(hosts, "host"), diag.Count(len(j.Fabric.Links), "link"))
			for _, note := range made.Notes {
				fmt.Fprintf(&got, "  without %s\n", note)
			}
		}
		for _, f := range made.Files {
			if strings.HasSuffix(f.Name, ".hcl") {
				out, ds := lang.Format(f.Name, f.Data)
				require.Empty(t, ds)
				require.Equal(t, string(out), string(f.Data), "%s: %s", name, f.Name)
			}
		}
		if slices.Contains([]string{"ptm-reference.dot", "clab-provider.clab.yml", "csv-dual-plane.csv"}, name) {
			var text strings.Builder
			for _, f := range made.Files[:3] {
				text.WriteString("-- " + f.Name + " --\n" + string(f.Data))
			}
			want[name+".txt"] = text.String()
		}
	}
	assert.GreaterOrEqual(t, 40-verdicts["message"], 34, "that end in a verdict")
	for _, v := range []string{"free", "prone"} {
		assert.Positive(t, verdicts[v], v)
	}
	want["drafts.txt"] = got.String()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		path := filepath.Join("testdata", name)
		if *update {
			require.NoError(t, os.WriteFile(path, []byte(want[name]), 0o644))
		}
		have, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, string(have), want[name], "run go test ./cmd/internal/start -update, and read the diff")
	}
}
