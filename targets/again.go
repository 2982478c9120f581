package targets

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/lint"
)

// again reads the files of a device a second time, when a caller first asks for the place of a value.
type again struct {
	row   *target.Target
	id    target.Identity
	files []lint.File
	of    []int
	read  *target.Understood // nil: no place was requested yet
}

// where finds the place of a value.
func (a *again) where(port string, f ir.Field, index int) (diag.Range, bool) {
	if a.read == nil {
		a.read = a.row.Understand(a.id, contents(a.files, a.of))
	}
	return a.read.Where(port, f, index)
}

// contents returns files by name.
func contents(files []lint.File, of []int) map[string][]byte {
	out := make(map[string][]byte, len(of))
	for _, i := range of {
		out[files[i].Name] = files[i].Data
	}
	return out
}
