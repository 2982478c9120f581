package settings

import (
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
)

// Reading is a switch whose configuration was read.
type Reading struct {
	Name     string // name of the device, or its path; for rules that compare devices
	Pair     string // identifies the MLAG of two switches, equal for both; empty: not known
	Settings *ir.Settings
	Where    func(port string, f ir.Field, index int) (diag.Range, bool) // the place of a value; for a pool, port is its name
	At       diag.Range                                                  // the place for values without one

	// Arrives returns the bytes that arrive at a port after a pause for a cos, as the fabric calculates them: the most, and the headroom
	// below which loss is likely. nil or 0: no fabric states them.
	Arrives func(port string, cos int) (most, likely int)

	Unread bool // the configuration has rows that are not understood, or that state a value twice: a missing value may be in them

	// Only reports whether findings about a field and a cos, queue or priority group count. nil: all count.
	Only func(f ir.Field, index int) bool

	// Before returns the code under which a linter of the system reported the findings of a rule before; empty: under the same code. nil:
	// there is no baseline.
	Before func(code string) string

	// Judged reports whether the linter of the system has a finding with the code in a line of a file. line is 0, for any line, if a value is
	// missing or the linter judges the whole subject. nil: there is no linter.
	Judged func(code string, sev diag.Severity, file string, line int) bool
}

// short returns the last part of the name of a device.
func (d *Reading) short() string { return d.Name[strings.LastIndexByte(d.Name, '/')+1:] }

// place identifies a value of a kind of ports.
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
