package targets

import (
	"bytes"
	"slices"

	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/lint"
)

// lldpNames are base names of files with the output of `lldpctl -f json`. It is read for the cables of a device, in addition to its
// configuration.
var lldpNames = []string{"lldp.json", "lldpctl.json"}

// notLLDP is the reason why a file with the name of lldpctl's output is not read.
const notLLDP = "it is no whole answer of `lldpctl -f json` of up to 4 MiB"

// IsLLDP reports whether a file has the name of lldpctl's output.
func IsLLDP(name string) bool {
	return slices.ContainsFunc(lldpNames, func(base string) bool { return lint.Named(name, base) })
}

// lldpOf reads the neighbours of a device from a file; nil: it is no answer of lldpctl.
func lldpOf(f lint.File) map[string][]target.Neighbour {
	if f.Why != "" || !bytes.Contains(f.Head(1<<10), []byte(`"lldp"`)) {
		return nil
	}
	of, ok := target.Neighbours(f.Data)
	if !ok {
		return nil
	}
	return of
}
