package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/view/trace"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/judge"
	"github.com/rocec/rocec/validate"
	"github.com/rocec/rocec/validate/walk"
)

// mutation is a folder with a faulty fabric.
type mutation struct {
	name, dir, code string
	args            []string
}

// mutations writes every row of the fault table, and the bad fixture of every check.
func mutations(t *testing.T) []mutation {
	t.Helper()
	var out []mutation
	for _, f := range faults {
		dir := t.TempDir()
		plant(t, filepath.Join("../../examples", f.base), dir, f.edit)
		out = append(out, mutation{f.code + " at " + f.at, dir, f.code, slices.Concat(sound[f.base].args, f.args)})
	}
	for _, c := range validate.Checks {
		dir, _, _ := badFixture(t, c.Code)
		out = append(out, mutation{"fixture of " + c.Code, dir, c.Code, nil})
	}
	return out
}

// TestOneJudge: for every planted mistake, the pipeline, the JSON of validate and the language server report the same finding at the same
// place. If packets meet the mistake, the trace of some pair reports it, too. Every finding of any trace is also a finding of validate,
// in the same words.
func TestOneJudge(t *testing.T) {
	t.Parallel()
	onHop := map[string]bool{}
	for _, c := range validate.Checks {
		onHop[c.Code] = c.OnHop
	}
	all := mutations(t)
	heard := heardOf(t, all)
	for i, m := range all {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			f := m.load(t)
			want := wanted(f, m.dir)
			assert.True(t, slices.ContainsFunc(f.Diags, func(d *diag.Diagnostic) bool { return d.Code == m.code }), "the mistake is found")
			assert.Equal(t, want, m.printed(t, f), "validate --format json")
			assert.ElementsMatch(t, want, heard[i], "the language server")
			met := map[string]bool{}
			if f.Fabric != nil {
				met = m.traced(t, f)
			}
			if onHop[m.code] {
				assert.Equal(t, !slices.Contains(unmet, m.name), met[m.code], "a trace shows %s", m.code)
			}
			refused := slices.ContainsFunc(f.Diags, func(d *diag.Diagnostic) bool { return d.Code == m.code && d.Severity == diag.Error })
			if refused && slices.ContainsFunc(targets.Topics, func(t diag.Topic) bool { return t.Code == m.code }) {
				assert.Equal(t, !slices.Contains(unmet, m.name), met[m.code], "a trace shows %s", m.code)
			}
			for code := range met {
				hop, check := onHop[code]
				assert.Equal(t, check, hop, "a walk finds %s: its check has OnHop", code)
			}
		})
	}
}

// load runs the pipeline.
func (m *mutation) load(t *testing.T) *report.Report {
	t.Helper()
	a := testApp()
	for i := 0; i+1 < len(m.args); i += 2 {
		switch m.args[i] {
		case "--var":
			a.Vars = append(a.Vars, m.args[i+1])
		case "--budget":
			budget, err := time.ParseDuration(m.args[i+1])
			require.NoError(t, err)
			a.Budget = budget
		default:
			t.Fatalf("%s: the flag is not known here", m.args[i])
		}
	}
	f, err := a.Load(m.dir)
	require.NoError(t, err)
	return f
}

// traced compares the findings of the traces of all pairs with those of validate, and returns the codes of the traces.
func (m *mutation) traced(t *testing.T, f *report.Report) map[string]bool {
	t.Helper()
	met := map[string]bool{}
	says := trace.New(f)
	for _, tr := range everyTrace(f.Fabric) {
		says.Unset(tr)
		for _, w := range []*walk.Walk{tr.Data, tr.CNP} {
			if w == nil {
				continue
			}
			sized(t, w)
			for _, x := range w.Findings() {
				met[x.Code] = true
				all := says.Of([]*walk.Finding{x})
				if !assert.Len(t, all, 1, "no finding has words for %s at %s", x.Code, x.At) {
					continue
				}
				d := all[0]
				assert.Equal(t, trace.Fact{Code: x.Code, At: x.At}, trace.Fact{Code: d.Code, At: d.At})
				assert.True(t, slices.Contains(f.Diags, d.Diagnostic), "only traces find %s at %s: %s", x.Code, x.At, d.Detail)
				if w == tr.Data && w.Promised && d.Severity == diag.Error {
					assert.True(t, x.Breaks, "%s at %s is an error", x.Code, x.At)
				}
			}
		}
	}
	return met
}

// unmet lists the mutations whose mistake no packet meets: intents without members, interfaces without cables or with unknown addresses,
// and a spine above leaves that peer.
var unmet = []string{
	`roce-members at roce "nvme"`, "fixture of roce-members", "traffic-class-not-in-group at 16", `cumulus-no-ecn at "s6000"`,
}

// sized checks the lanes of a walk against a promise of the compiler: between members, every port has its buffer and its marks.
func sized(t *testing.T, w *walk.Walk) {
	t.Helper()
	if !w.Promised {
		return
	}
	for _, h := range w.Hops {
		if h.Sort.Group != h.Group {
			continue // shown as it is sorted
		}
		for _, l := range h.In {
			assert.True(t, l.Buffered, "%s has no buffer", l.Ports[0])
		}
		for _, l := range h.Out {
			byHand := l.Ports[0].Device().ByHand != nil
			assert.True(t, l.Marks || byHand || l.Group.ECN == nil || l.Ports[0].NIC != nil || !w.Packet.IP, "%s does not mark", l.Ports[0])
		}
	}
}

// everyTrace traces every pair of members. Of many members it uses only the first ones and the last one.
func everyTrace(f *ir.Fabric) []*walk.Trace {
	const most = 7
	var out []*walk.Trace
	for _, in := range f.Intents {
		var ends [][]*ir.Port
		done := map[*ir.Device]bool{}
		for _, m := range in.Members {
			if d := m.NIC.Device; !done[d] {
				done[d] = true
				ends = append(ends, walk.Ends(in, d, "")...)
			}
		}
		if len(ends) > most {
			ends = append(ends[:most-1:most-1], ends[len(ends)-1])
		}
		for _, from := range ends {
			for _, to := range ends {
				if from[0] == to[0] {
					continue
				}
				tr, err := walk.Run(walk.Question{Fabric: f, Intent: in, From: from, To: to, Unfold: true})
				if err == nil { // for some routings the paths of packets are unknown
					out = append(out, tr)
				}
			}
		}
	}
	return out
}

// printed returns the findings in the output of the JSON writer, in the form of [wanted].
func (m *mutation) printed(t *testing.T, f *report.Report) []string {
	t.Helper()
	_, stdout, _ := rocec(t, append([]string{"validate", "--format", "json", m.dir}, m.args...)...)
	var doc struct {
		Diagnostics []struct {
			Code, Severity, Summary, Detail string
			Range                           struct {
				Filename   string
				Start, End struct{ Line, Column, Byte int }
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &doc))
	told := &report.Report{Judged: &judge.Judged{Source: f.Source}}
	for _, d := range doc.Diagnostics {
		told.Diags.Add(&diag.Diagnostic{
			Severity: map[string]diag.Severity{"error": diag.Error, "warning": diag.Warning, "note": diag.Notice}[d.Severity],
			Code:     d.Code, Summary: d.Summary, Detail: d.Detail,
			At: diag.Range{
				Filename: d.Range.Filename,
				Start:    hcl.Pos{Line: d.Range.Start.Line, Byte: d.Range.Start.Byte}, End: hcl.Pos{Line: d.Range.End.Line, Byte: d.Range.End.Byte},
			},
		})
	}
	return wanted(told, m.dir)
}

// heardOf returns the findings that an editor gets for each of the fabrics. One program serves all fabrics with the same arguments, and
// judges them while the editor opens them.
func heardOf(t *testing.T, all []mutation) [][]string {
	t.Helper()
	editors := map[string]*editing{}
	files := make([][]string, len(all))
	editor := func(m mutation) *editing { return editors[strings.Join(m.args, " ")] }
	for i, m := range all {
		if editor(m) == nil {
			editors[strings.Join(m.args, " ")] = edit(t, m.args...)
		}
		names, err := filepath.Glob(filepath.Join(m.dir, "*.hcl"))
		require.NoError(t, err)
		for _, name := range names {
			src, err := os.ReadFile(name)
			require.NoError(t, err)
			editor(m).open(name, src)
		}
		files[i] = names
	}
	out := make([][]string, len(all))
	for i, m := range all {
		for _, name := range files[i] {
			editor(m).settle(name)
		}
		out[i] = slices.DeleteFunc(editor(m).lines(m.dir), filepath.IsAbs) // of other folders
	}
	for _, s := range editors {
		s.end()
	}
	return out
}
