package target

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// Identity contains the known facts about a device whose configuration is read. Each part may be empty; then values that depend on it are
// unknown.
type Identity struct {
	OS, Release string
	Model       string   // of the switch or the NIC, by its name in [platform]
	Ports       []string // its front ports

	Cards map[string]string // the models of a host's NICs, by port; nil: not known
}

// Understood is a configuration that was read: its meaning, which part of the text was understood, and the line of each value.
type Understood struct {
	Settings *ir.Settings
	Coverage Coverage
	Where    func(port string, f ir.Field, index int) (diag.Range, bool) // the place of a value; index is a cos, a group or a queue
	Host     string                                                      // the device name in the configuration; empty: none
	Pair     string                                                      // the value that both switches of an MLAG pair state; empty: none

	// Aliases are the names of the device's ports for other devices, such as those that its LLDP agent sends; nil: the configuration states
	// none.
	Aliases map[string]string

	// Neighbours are the devices at the other ends of cables, by port, as the configuration states them; nil: it states none.
	Neighbours map[string]StatedNeighbour

	Card   bool     // the device is a card of a chassis, whose inside traffic reaches other cards
	Inside []string // internal ports of a chassis without cables, in any order; nil: the configuration states none

	BGP *BGP // nil: the configuration states no AS number

	Notes []string // sentences about the whole configuration, each once
}

// StatedNeighbour is the device at the other end of a cable, as a configuration states it.
type StatedNeighbour struct {
	Device, Port    string
	Function, Model string // its function and its hardware; empty: not stated
}

// BGP is the part of a configuration about BGP in the default VRF that a description of routing needs.
type BGP struct {
	AS uint32

	// Sessions are the neighbours, by the port to them or by their name, each with its AS number; 0: any number other than the device's own.
	Sessions map[string]uint32

	// Unlike is the reason why routes do not follow only the rules of eBGP, as part of a sentence; empty: they do.
	Unlike string
}

// Coverage counts the rows of a configuration by their class in the grammar's table. A configuration is good only if Not is empty and each
// row of Aside has its reason in the table.
type Coverage struct {
	Rows  int              // number of all rows
	Means map[ir.Field]int // by the field that they set
	Aside map[string]int   // rows that set no field, by the reason
	Not   []NotRead        // rows that no row of the table describes, or whose value is invalid
	Part  string           // why it is only a part of a device's configuration, as part of a sentence; empty: it is complete
}

// NotRead is a row that is not understood.
type NotRead struct {
	Row string // in the spelling of the configuration
	Why string
	At  diag.Range
}

// Mean counts a row that sets a field.
func (c *Coverage) Mean(f ir.Field) {
	if c.Means == nil {
		c.Means = map[ir.Field]int{}
	}
	c.Rows++
	c.Means[f]++
}

// Leave counts a row that sets no field, for a reason of the table.
func (c *Coverage) Leave(why string) {
	if c.Aside == nil {
		c.Aside = map[string]int{}
	}
	c.Rows++
	c.Aside[why]++
}

// Miss records a row that is not understood.
func (c *Coverage) Miss(row, why string, at diag.Range) {
	c.Rows++
	c.Not = append(c.Not, NotRead{row, why, at})
}

// Add adds the rows of another configuration of the same device.
func (c *Coverage) Add(other Coverage) {
	for f, n := range other.Means {
		if c.Means == nil {
			c.Means = map[ir.Field]int{}
		}
		c.Means[f] += n
	}
	for why, n := range other.Aside {
		if c.Aside == nil {
			c.Aside = map[string]int{}
		}
		c.Aside[why] += n
	}
	c.Rows += other.Rows
	c.Part = cmp.Or(c.Part, other.Part)
	c.Not = append(c.Not, other.Not...)
}

// Whole reports whether every row was understood, or is out of scope for a reason of the table.
func (c *Coverage) Whole() bool { return len(c.Not) == 0 }

// Doubt returns why a missing or other value may be in force, as part of a sentence; empty: the configuration shows all values.
func (c *Coverage) Doubt() string {
	if n := len(c.Not); n > 0 && c.Part == "" {
		return fmt.Sprintf("%s of its files %s not understood", diag.Count(n, "row"), diag.Plural(n, "is", "are"))
	}
	return c.Part
}

// RoCE reports whether any row sets PFC, a lossless buffer, or marking, which lossless traffic needs.
func (c *Coverage) RoCE() bool {
	for _, f := range []ir.Field{
		ir.FieldPauses, ir.FieldPreset, ir.FieldMarking, ir.FieldXoff, ir.FieldHeadroom, ir.FieldLinkPause,
	} {
		if c.Means[f] > 0 {
			return true
		}
	}
	return false
}

// Reasons lists the rows that are not understood by their reason, the most frequent first.
func (c *Coverage) Reasons() (whys []string, rows map[string]int) {
	rows = map[string]int{}
	for _, n := range c.Not {
		if rows[n.Why] == 0 {
			whys = append(whys, n.Why)
		}
		rows[n.Why]++
	}
	slices.SortStableFunc(whys, func(a, b string) int { return cmp.Compare(rows[b], rows[a]) })
	return whys, rows
}
