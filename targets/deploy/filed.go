package deploy

import (
	"fmt"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// Filed is a device with the settings in files that people keep or that another program has rendered.
type Filed struct {
	Names   []string     // names of the files
	Is      *ir.Settings // settings in the files
	Meant   *ir.Settings // settings in the files after rocec would have written the fabric
	Values  []FiledValue // values that differ
	Missing []string     // settings that rocec writes and that the files do not state
	Rows    []string     // rows that are not understood, as sentences
	Cut     bool         // some kinds of ports were not compared
	Wrong   []string     // why the files are not of the device, as sentences
	Linted  diag.List    // errors and warnings of the rules for such files
}

// FiledValue is a value in files that differs from the wanted value. A is the value that was read, B the wanted one.
type FiledValue struct {
	*ir.Difference
	Name string     // the value and its ports
	At   diag.Range // place of the value; zero: the value has none
}

// Text names the value that differs: "headroom of priority group 3 at swp1 is 20000 bytes, and the fabric wants 40000 bytes".
func (v *FiledValue) Text() string {
	return fmt.Sprintf("%s is %s, and the fabric wants %s", v.Name, v.A, v.B)
}

// alike reports whether the files contain everything that rocec would write.
func (f *Filed) alike() bool {
	return len(f.Values)+len(f.Missing)+len(f.Rows)+len(f.Linted) == 0 && !f.Cut
}

// Rest returns the reasons, beside differing values, why the files are not as wanted. The result is a sentence without a full stop, or
// empty.
func (f *Filed) Rest() string {
	var parts []string
	if n := len(f.Missing); n > 0 {
		parts = append(parts, fmt.Sprintf("the files do not state %s", diag.Some(f.Missing, mostMissing)))
	}
	if n := len(f.Rows); n > 0 {
		parts = append(parts, fmt.Sprintf("%s %s not understood, such as %s", diag.Count(n, "row"), diag.Plural(n, "is", "are"), f.Rows[0]))
	}
	if f.Cut {
		parts = append(parts, "some kinds of ports were not compared")
	}
	return diag.And(parts)
}

// mostMissing is the largest number of missing settings that a text names.
const mostMissing = 4
