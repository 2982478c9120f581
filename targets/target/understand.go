package target

import (
	"cmp"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// Identity has the known facts about a device whose configuration is read. Each part may be empty; values that depend on it are unknown
// then.
type Identity struct {
	OS, Release string
	Model       string   // of the switch or the NIC, as [platform] names it
	Ports       []string // its front ports
}

// Understood is a configuration that was read: its meaning, how much of the text has a meaning, and the line of each value.
type Understood struct {
	Settings *ir.Settings
	Coverage Coverage
	Where    func(port string, f ir.Field, index int) (diag.Range, bool) // the place of a value; index is a cos, a group or a queue
	Host     string                                                      // of the device, as the configuration names it; empty: not at all
	Pair     string                                                      // what both switches of an MLAG state; empty: none

	// Aliases are the names by which others know the ports of the device, such as those that its agent of LLDP sends; nil: it states none.
	Aliases map[string]string

	// Neighbours are the devices at the other ends of cables, by port, as the configuration states them; nil: it states none.
	Neighbours map[string]StatedNeighbour

	Card   bool     // the device is a card of a chassis, over whose inside traffic reaches other cards
	Inside []string // ports inside of a chassis, in any order: no cable is behind them; nil: the configuration states none

	BGP *BGP // nil: the configuration states no AS number

	Notes []string // sentences about the configuration as a whole, each once
}

// StatedNeighbour is the device at the other end of a cable, as a configuration states it.
type StatedNeighbour struct {
	Device, Port    string
	Function, Model string // its function and its hardware; empty: the configuration does not state them
}

// BGP is the part of a configuration about BGP in the default VRF that a description of routing needs.
type BGP struct {
	AS uint32

	// Sessions are the neighbours, by the port to them or by their name, each with its AS number; 0: any other than the own one.
	Sessions map[string]uint32

	// Unlike is why routes do not follow the rules of eBGP alone, as a part of a sentence; empty: the configuration has no such part.
	Unlike string
}

// Coverage counts the rows of a configuration by their class in the grammar's table. A configuration is good only where Not is empty and
// each row of Aside has its reason in the table.
type Coverage struct {
	Rows  int              // all of them
	Means map[ir.Field]int // by the field that they set
	Aside map[string]int   // by the reason why they set none
	Not   []NotRead        // that no row of the table describes, or whose value makes no sense
	Part  string           // why it is a part of a device's configuration, as a part of a sentence; empty: it is whole
}

// NotRead is a row that is not understood.
type NotRead struct {
	Row string // as the configuration spells it
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

// Miss notes a row that is not understood.
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

// RoCE reports whether any row sets what lossless traffic needs: PFC, a lossless buffer, or marking.
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
