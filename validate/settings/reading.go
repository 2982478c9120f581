package settings

import (
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
)

// Reading is a switch as it was read.
type Reading struct {
	Name     string // of the device, or its path; for rules that compare devices
	Pair     string // the MLAG of which it is one of two switches: both have this text; empty: it is not known
	Settings *ir.Settings
	Where    func(port string, f ir.Field, index int) (diag.Range, bool) // the place of a value; for a pool, port is its name
	At       diag.Range                                                  // of a value without a place

	// Arrives returns the bytes that arrive at a port after a pause for a cos, by the fabric: at most, and those without which loss is
	// likely. Nil, or 0: no fabric has them.
	Arrives func(port string, cos int) (most, likely int)

	Unread bool // the configuration has rows that are not understood, or that state a value twice: what seems to be missing may be there

	// Only reports whether findings about a value count: of a field, and a cos, queue or priority group. Nil: all do.
	Only func(f ir.Field, index int) bool

	// Before returns the code under which a linter of the system had findings that a rule has taken over; empty: its own. Nil: no baseline
	// is asked.
	Before func(code string) string

	// Judged reports whether the linter of the system has the finding of a code, in a line of a file, or in any line. line is 0 where a
	// value is missing, or where the linter judges the whole theme. Nil: no linter was asked.
	Judged func(code string, sev diag.Severity, file string, line int) bool
}

// short returns the last part of the name of a device.
func (d *Reading) short() string { return d.Name[strings.LastIndexByte(d.Name, '/')+1:] }

// place is a value of a kind of ports.
type place struct {
	port  string
	field ir.Field
	index int
}

// chip returns the chip of the device; nil: it is not known.
func (d *Reading) chip() *platform.ASIC {
	if m := d.model(); m != nil {
		return m.ASIC
	}
	a, _ := platform.FindASIC(d.Settings.System.Chip.Value)
	return a
}

// model returns the model of the device; nil: it is not known.
func (d *Reading) model() *platform.Switch {
	m, ok := platform.FindSwitch(d.Settings.System.Model.Value)
	if !ok {
		return nil
	}
	return m
}
