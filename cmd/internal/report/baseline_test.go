package report

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/baseline"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/judge"
	"github.com/rocec/rocec/targets/target/lint"
)

// audited returns the report of an audit of two files, with findings of each severity.
func audited(source string) *Report {
	at := func(name string, line int) diag.Range {
		r := (&lint.File{Name: source + "/" + name}).Top()
		r.Start.Line, r.End.Line = line, line
		return r
	}
	r := &Report{
		Judged: &judge.Judged{Source: &lang.Source{Files: map[string][]byte{}}}, Dir: source, Sources: []string{source + "/"}, Made: "draft",
		Files: []DeviceFile{
			{Name: source + "/leaf1/f", Taken: lint.Taken{Device: source + "/leaf1"}},
			{Name: source + "/leaf2/f", Taken: lint.Taken{Device: source + "/leaf2"}},
		},
		DeviceOf: func(file string) (string, string) { return "leaf1", "leaf" },
	}
	r.Diags = diag.List{
		{Code: "conf-headroom", Severity: diag.Error, Summary: "s", Detail: "d", At: at("leaf1/f", 3)},
		{Code: "conf-pools", Severity: diag.Warning, Summary: "s", Detail: "d", At: at("leaf2/f", 3)},
		{Code: "conf-pools", Severity: diag.Notice, Summary: "s", Detail: "d", At: at("leaf2/f", 9)},
		{Code: "pfc-loop", Severity: diag.Error, Summary: "s", Detail: "d", At: diag.Range{Filename: "draft/fabric.hcl"}},
	}
	return r
}

// Fingerprints of an audit do not depend on the names of sources: a new collection in another folder has the same findings.
func TestFingerprintsOfSources(t *testing.T) {
	one, other := audited("monday"), audited("/elsewhere/friday")
	prints, again := Fingerprints(one), Fingerprints(other)
	for i := range one.Diags {
		assert.Equal(t, prints[one.Diags[i]], again[other.Diags[i]], "%d", i)
	}
	p := newPaths(&Report{Judged: one.Judged, Sources: []string{"a", "a/b", "c/file.json"}})
	for name, want := range map[string]string{
		"a/x/f": "x/f", "a/b/f": "f", "c/file.json": "file.json", "other/f": "other/f", "ab/f": "ab/f", "draft/fabric.hcl": "draft/fabric.hcl",
	} {
		assert.Equal(t, want, p.stable(diag.Range{Filename: name}), name)
	}
}

// With a baseline, each result of SARIF has a state and suppressions. Known findings do not cause exit status 1.
func TestHold(t *testing.T) {
	r := audited("monday")
	today := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	all, ds := r.Compare(&baseline.Baseline{}, today)
	require.Empty(t, ds)
	b, ds := baseline.Read("b.hcl", all.Edited())
	require.Empty(t, ds)
	compared, ds := r.Compare(b, today)
	require.Empty(t, ds)
	r.Hold(compared)
	require.Len(t, r.Baseline.Held, 3)
	require.Len(t, r.Diags, 1)
	r.Strict = true
	assert.False(t, r.Failed())

	more := &diag.Diagnostic{Code: "conf-pools", Severity: diag.Error, Summary: "s", Detail: "d"}
	more.At = (&lint.File{Name: "monday/leaf1/f"}).Top()
	r = audited("monday")
	r.Diags = append(r.Diags, more)
	compared, _ = r.Compare(b, today)
	r.Hold(compared)
	assert.True(t, r.Failed())
	var out bytes.Buffer
	require.NoError(t, SARIF(&out, r, Options{}))
	var log struct {
		Runs []struct {
			Results []struct {
				BaselineState string
				Suppressions  []any
				Level         string
			}
		}
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &log))
	states := map[string]int{}
	for _, result := range log.Runs[0].Results {
		require.NotNil(t, result.Suppressions)
		states[result.Level+" "+result.BaselineState]++
		assert.Len(t, result.Suppressions, map[string]int{"unchanged": 1}[result.BaselineState])
	}
	assert.Equal(t, map[string]int{"error new": 1, "error unchanged": 2, "warning unchanged": 1, "note new": 1}, states)

	r.Files[1].Why = "it is cut off"
	compared, _ = r.Compare(b, today)
	assert.Equal(t, []string{"leaf2"}, compared.Lacking)
}
