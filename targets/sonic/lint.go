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
	return lint.CheckRows(Path, content, box.Release), ""
}
