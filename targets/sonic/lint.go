package sonic

import (
	"strconv"
	"sync"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/sonic/grammar"
	"github.com/rocec/rocec/targets/sonic/lint"
)

// linter checks a state without the fabric. It omits findings that rocec's own state written from nothing also has: the fabric causes
// those, and validate has reported them. The result foreign explains why the text is not a configuration of this switch.
func (w *Wish) linter() func([]byte) (found diag.List, foreign string) {
	key := func(d *diag.Diagnostic) string { return d.Code + " " + d.Detail }
	meant := sync.OnceValue(func() map[string]bool {
		whole, _ := w.Edit(nil)
		m := map[string]bool{}
		for _, d := range lint.CheckRows(Path, whole, w.lower().release) {
			m[key(d)] = true
		}
		return m
	})
	return func(content []byte) (found diag.List, foreign string) {
		cfg, err := grammar.ReadRows(content)
		if err != nil {
			return nil, ""
		}
		if n := grammar.ASICs(cfg); n > 1 {
			return nil, "The switch has " + strconv.Itoa(n) + " chips, each with its own configuration. rocec writes switches of one chip."
		}
		box, err := w.box(cfg)
		if err != nil {
			return nil, ""
		}
		for _, d := range lint.CheckRows(Path, content, box.Release) {
			if !meant()[key(d)] {
				found = append(found, d)
			}
		}
		return found, ""
	}
}
