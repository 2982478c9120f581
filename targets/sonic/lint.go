package sonic

import (
	"strconv"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/sonic/grammar"
	"github.com/rocec/rocec/targets/sonic/lint"
)

// Lint judges a state by itself, but for what holds of the state that rocec writes from nothing, too: that follows from the fabric, and
// validate has judged it. foreign says why it is not a configuration of this switch at all.
func (w *Wish) Lint(content []byte) (found diag.List, foreign string) {
	cfg, err := grammar.ReadRows(content)
	if err != nil {
		return nil, ""
	}
	if n := grammar.ASICs(cfg); n > 1 {
		return nil, "The switch has " + strconv.Itoa(n) + " chips, each with a configuration of its own, and rocec writes switches of one chip."
	}
	box, err := w.box(cfg)
	if err != nil {
		return nil, ""
	}
	meant := w.meant(box.Release)
	for _, d := range lint.CheckRows(Path, content, box.Release) {
		if !meant[d.Code+" "+d.Detail] {
			found = append(found, d)
		}
	}
	return found, ""
}

// meant is what is said of the state that rocec writes from nothing.
func (w *Wish) meant(r grammar.Release) map[string]bool {
	whole, _ := w.Edit(nil)
	m := map[string]bool{}
	for _, d := range lint.CheckRows(Path, whole, r) {
		m[d.Code+" "+d.Detail] = true
	}
	return m
}
