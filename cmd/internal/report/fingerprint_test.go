package report

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/judge"
)

// A fingerprint depends on some parts of a finding, and not on others.
func TestFingerprintSubjects(t *testing.T) {
	p := &paths{files: map[string][]byte{}, repo: true, root: "/r", names: map[string]string{}}
	of := func(ds ...*diag.Diagnostic) []string {
		f := &Report{Judged: &judge.Judged{Diags: ds}}
		prints := fingerprints(p, f)
		var out []string
		for _, d := range ds {
			out = append(out, prints[d])
		}
		return out
	}
	at := diag.Range{Filename: "/r/f"}
	hops := []diag.Wait{{Device: "a", In: "p1", CosGroup: "g"}, {Device: "b", In: "p2", CosGroup: "g"}}
	turned := []diag.Wait{hops[1], hops[0]}
	other := slices.Clone(hops)
	other[0].CosGroup = "h"
	loop := func(hops []diag.Wait) *diag.Diagnostic { return &diag.Diagnostic{Code: "pfc-loop", At: at, Loop: hops} }
	assert.Equal(t, of(loop(hops)), of(loop(turned)), "for any beginning of the circle")
	assert.NotEqual(t, of(loop(hops)), of(loop(other)))
	three := of(loop(other), loop(hops), loop(nil))
	assert.Equal(t, of(loop(hops))[0], three[1], "whatever other circles exist")

	plain := &diag.Diagnostic{Code: "c", At: at}
	same := *plain
	assert.NotEqual(t, of(plain, &same)[0], of(plain, &same)[1])
	assert.NotEqual(t, of(plain), of(&diag.Diagnostic{Code: "d", At: at}))
	assert.NotEqual(t, of(plain), of(&diag.Diagnostic{Code: "c", At: diag.Range{Filename: "/r/g"}}))
	assert.NotEqual(t, of(plain), of(&diag.Diagnostic{Code: "c"}), "of no place")
	p.names["../f"] = "f"
	assert.Equal(t, of(plain), of(&diag.Diagnostic{Code: "c", At: diag.Range{Filename: "../f"}}), "however the file was named")
	given := &diag.Diagnostic{Code: "c", At: diag.Range{Filename: "--var 1"}, Notes: []diag.Note{{At: at}}}
	assert.Equal(t, of(plain), of(given), "the place of a value from outside is the declaration of its variable")
	worse := &diag.Diagnostic{Code: "c", At: at, Severity: diag.Error}
	assert.Equal(t, of(plain), of(worse), "an allowed error is the same finding")

	f := &Report{Judged: &judge.Judged{Diags: diag.List{plain}, Ignored: []lang.Ignored{{Diagnostic: &same}}}}
	both := fingerprints(p, f)
	f.Diags, f.Ignored = diag.List{plain, &same}, nil
	assert.Equal(t, both, fingerprints(p, f), "silenced or not")
}
