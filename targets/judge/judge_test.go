package judge_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/judge"
	"github.com/rocec/rocec/validate"
)

func judged(t *testing.T, example string, o judge.Options) *judge.Judged {
	t.Helper()
	return judge.Judge(t.Context(), os.DirFS("../.."), "examples/"+example, o)
}

func codes(ds diag.List) []string {
	out := []string{}
	for _, d := range ds {
		out = append(out, d.Code)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// TestStages: Judge returns the findings of all stages, sorted, and keeps their results.
func TestStages(t *testing.T) {
	entries, err := os.ReadDir("../../examples")
	require.NoError(t, err)
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		t.Run(e.Name(), func(t *testing.T) {
			src, want := lang.Load(os.DirFS("../.."), "examples/"+e.Name(), lang.Options{})
			calls, ignores := src.Calls, len(src.Ignores)
			f, ds := compiler.Compile(src, targets.Known)
			want = append(want, ds...)
			report := validate.Run(f, nil)
			tree, ds := targets.Render(f)
			want = append(append(want, report.Diagnostics...), ds...)
			want.Sort()

			j := judged(t, e.Name(), judge.Options{})
			require.True(t, slices.IsSortedFunc(j.Diags, func(a, b *diag.Diagnostic) int { return diag.ComparePlace(a.At, b.At) }))
			require.Len(t, j.Diags, len(want)-len(j.Ignored))
			for _, d := range j.Diags {
				require.True(t, slices.ContainsFunc(want, func(w *diag.Diagnostic) bool {
					return w.Code == d.Code && w.At == d.At && w.Detail == d.Detail && w.Severity == d.Severity
				}), d.Detail)
			}
			require.Len(t, j.Proofs, len(report.Proofs))
			require.Len(t, j.Tree().Devices, len(tree.Devices))
			require.Same(t, j.Tree(), j.Tree(), "it is rendered once")
			require.Equal(t, f.Name, j.Fabric.Name)
			require.Equal(t, calls, j.Source.Calls)
			require.Len(t, j.Source.Ignores, ignores)
			require.NotEmpty(t, j.Source.Files)
		})
	}
}

// TestStops: an error stops the stages that depend on the result of the failed one.
func TestStops(t *testing.T) {
	const both = "cos_group \"g\" {\n  cos = 1\n  weight = 1\n  strict = true\n}\n"
	for _, tt := range []struct {
		name, text string
		codes      []string
		fabric     bool
	}{
		{"the language", "fabric \"f\" { mtu = \"x\" }\nswitch \"s\" { model = \"nope\" }\n", []string{"wrong-type"}, false},
		{"the compiler", "fabric \"f\" {}\nswitch \"s\" { model = \"nope\" }\n" + both, []string{"unknown-model"}, false},
		{"the checks", "fabric \"f\" {}\n" + both, []string{"weight-and-strict"}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			j := judge.Judge(t.Context(), fstest.MapFS{"fabric.hcl": {Data: []byte(tt.text)}}, ".", judge.Options{})
			require.Equal(t, tt.codes, codes(j.Diags))
			require.Contains(t, j.Source.Files, "fabric.hcl")
			require.Equal(t, tt.fabric, j.Fabric != nil)
			require.Equal(t, tt.fabric, j.Tree() != nil)
		})
	}
}

// TestSourceIsLetGo: the compiler drops the switches, hosts and links of the source, so that Judged does not keep them in addition to the
// fabric.
func TestSourceIsLetGo(t *testing.T) {
	for _, example := range []string{"clos-v2-ecn", "bad-unmapped-dscp"} {
		j := judged(t, example, judge.Options{})
		assert.Empty(t, j.Source.Switches)
		assert.Empty(t, j.Source.Hosts)
		assert.Empty(t, j.Source.Links)
	}
}

// TestDone: a cancelled context skips the remaining stages, and the proof gives up.
func TestDone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	j := judge.Judge(ctx, os.DirFS("../.."), "examples/clos-v2-ecn", judge.Options{})
	require.Nil(t, j.Fabric)
	require.Nil(t, j.Tree())
	require.Empty(t, j.Diags, "%+v", j.Diags)
	require.NotEmpty(t, j.Source.Files)
}

func TestOptions(t *testing.T) {
	spent := ir.NewBudget(1)
	j := judged(t, "failover-pfc-loop", judge.Options{Budget: spent})
	require.Equal(t, []validate.Verdict{validate.Unknown}, []validate.Verdict{j.Proofs[0].Verdict}, "the budget is passed to the proof")

	j = judged(t, "storage-and-training", judge.Options{Lang: lang.Options{Vars: []string{"tor_version=4.3.0"}}})
	require.False(t, j.Diags.HasErrors(), "variables are passed to the language")

	var opened []string
	outside := fstest.MapFS{"f/fabric.hcl": {Data: []byte("fabric \"f\" {}\nmodule \"m\" { source = \"../../m\" }\n")}}
	j = judge.Judge(t.Context(), outside, "f", judge.Options{
		Lang: lang.Options{Folder: func(name string) (fs.FS, error) {
			opened = append(opened, name)
			return nil, errors.New("closed")
		}},
	})
	require.Equal(t, []string{"../m"}, opened)
	require.True(t, j.Diags.HasErrors())
}

// TestIgnore: a comment silences findings of checks after all stages. rocec reports a comment that cannot silence a finding, and a comment
// that is not needed.
func TestIgnore(t *testing.T) {
	run := func(comment string, others ...diag.Topic) *judge.Judged {
		return judge.Judge(t.Context(), fstest.MapFS{"fabric.hcl": {Data: []byte(
			"fabric \"f\" {}\ncos_group \"g\" {\n  cos = 1\n  # rocec:ignore " + comment + "\n  weight = 1\n  strict = true\n}\n",
		)}}, ".", judge.Options{Others: others})
	}
	j := run("weight-and-strict a test")
	require.Empty(t, j.Diags, "%+v", j.Diags)
	require.Len(t, j.Ignored, 1)
	require.Equal(t, "weight-and-strict", j.Ignored[0].Diagnostic.Code)

	require.Equal(t, []string{"ignore-unused", "weight-and-strict"}, codes(run("incast a test").Diags))
	require.Equal(t, []string{"ignore-unknown", "weight-and-strict"}, codes(run("conf-syntax a test").Diags))
	require.Equal(t, []string{"ignore-refused", "weight-and-strict"}, codes(run("conf-syntax a test", diag.Topic{Code: "conf-syntax"}).Diags))

	for code, want := range map[string]lang.Ignorable{
		"weight-and-strict": lang.Always, "pfc-loop": lang.Never, "ignore-unused": lang.Never, "wrong-type": lang.UnlessError,
		"unknown-model": lang.UnlessError, "cumulus-weights": lang.UnlessError, "conf-syntax": lang.NoCode,
	} {
		assert.Equal(t, want, judge.Ignorable(code), code)
	}
}

// TestCallsAreNoted: a finding in a module has notes at the blocks that call the module: three at most, each once.
func TestCallsAreNoted(t *testing.T) {
	var main strings.Builder
	main.WriteString("fabric \"f\" {}\n")
	for _, name := range []string{"a", "b", "c", "d"} {
		main.WriteString("module \"" + name + "\" {\n  source = \"./m\"\n  name = \"" + name + "\"\n}\n")
	}
	j := judge.Judge(t.Context(), fstest.MapFS{
		"fabric.hcl": {Data: []byte(main.String())},
		"m/m.hcl":    {Data: []byte("variable \"name\" { type = string }\nswitch \"s\" {\n  names = var.name\n  model = \"nope\"\n}\n")},
	}, ".", judge.Options{})
	require.Equal(t, []string{"unknown-model"}, codes(j.Diags))
	for _, d := range j.Diags {
		var lines []int
		for _, n := range d.Notes {
			if n.At.Filename == "fabric.hcl" {
				lines = append(lines, n.At.Start.Line)
			}
		}
		require.Equal(t, []int{2, 6, 10}, lines)
	}
}
