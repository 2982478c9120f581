package compiler

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/lock"
)

// This file applies the sizes that fabric.lock pins.
//
// fabric.lock contains derived numbers by the inputs of the derivation: the chip, the link, and the sizes that the person wrote. A row
// applies to all ports with equal inputs, so that a similar port needs no new row. If the memory of a switch limits its marking, the ports
// and their reserves are inputs, too; the limit itself is a result.
//
// Checks use the rules of this rocec: Need, Floor and the bound on marking are never pinned.

// pins contains the rows of fabric.lock and the results of applying them.
type pins struct {
	rows    map[string]*lock.Row // by kind and inputs
	limits  map[string]bool      // the memories of switches that rows depend on, as text of the inputs
	sizes   map[string]*ir.Sizing
	missing []missingPin
}

// missingPin is a derivation that fabric.lock does not contain, and the first block that needs it.
type missingPin struct {
	*lock.Row
	at diag.Range
}

const memoryInput = " ports="

func newPins(f *lock.File) *pins {
	p := &pins{rows: map[string]*lock.Row{}, limits: map[string]bool{}, sizes: map[string]*ir.Sizing{}}
	if f != nil {
		for _, r := range f.Rows {
			p.rows[r.Kind+" "+r.Inputs] = r
			if i := strings.Index(r.Inputs, memoryInput); i >= 0 {
				memory, _, _ := strings.Cut(r.Inputs[i:], " ecn.")
				p.limits[memory] = true
			}
		}
	}
	return p
}

// derived is a number that no block states.
type derived struct {
	name string
	num  *ir.Derived
}

// pin records a derivation, and replaces its numbers by those of fabric.lock: from the row for its inputs, or from the row other. It
// returns the place of the row if its numbers differ from those of this rocec.
func (c *compiler) pin(fresh *lock.Row, numbers []derived, at diag.Range, other *lock.Row) diag.Range {
	if len(numbers) == 0 {
		return diag.Range{}
	}
	key := fresh.Kind + " " + fresh.Inputs
	s := c.pins.sizes[key]
	if s == nil {
		for _, n := range numbers {
			fresh.Numbers = append(fresh.Numbers, lock.Number{Name: n.name, N: n.num.N})
		}
		s = &ir.Sizing{Fresh: fresh, Pinned: cmp.Or(c.pins.rows[key], other)}
		c.pins.sizes[key], c.f.Sizes = s, append(c.f.Sizes, s)
		if s.Pinned == nil {
			c.pins.missing = append(c.pins.missing, missingPin{fresh, at})
		}
	}
	if s.Pinned == nil {
		return diag.Range{}
	}
	var differs diag.Range
	for _, n := range numbers {
		pinned, ok := s.Pinned.Number(n.name)
		origin := because(ir.Origin{At: pinned.At, Why: "pinned in " + lock.Name})
		switch {
		case !ok:
		case pinned.N == n.num.N:
			n.num.From = append(slices.Clip(n.num.From), origin)
		default:
			*n.num = ir.Derived{N: pinned.N, From: []ir.Reason{origin}}
			differs = s.Pinned.At
		}
	}
	return differs
}

// pinBuffer pins the numbers of a buffer that no block states. l is the first link with a port that has the buffer.
func (c *compiler) pinBuffer(b *ir.Buffer, k bufferKey, l *ir.Link) {
	given := k.group.Sizes()
	plain := fmt.Sprintf("asic=%s speed=%s length=%sm mtu=%d", k.asic.Name, platform.SpeedText(k.mbps),
		strconv.FormatFloat(k.metres, 'f', -1, 64), k.mtu)
	written := writtenInputs(
		"pfc.buffer", given.Buffer, "pfc.xoff", given.Xoff, "pfc.xon_delta", given.XonDelta, "pfc.small_packets", given.SmallPackets)
	special := k.special(b)
	row := &lock.Row{Kind: lock.Buffer, Inputs: plain + special + written}
	var numbers []derived
	add := func(name string, written ir.Num, num *ir.Derived) {
		if !written.Set() {
			numbers = append(numbers, derived{name, num})
			row.By = append(row.By, ruleOf(name, *num))
		}
	}
	add("buffer", given.Buffer, &b.Size)
	add("xoff", given.Xoff, &b.Xoff)
	add("xon_delta", given.XonDelta, &b.XonDelta)
	if !given.Buffer.Set() {
		for _, t := range b.Terms {
			row.By = append(row.By, fmt.Sprintf("%s: %s, %s", t.Name, diag.Bytes(t.Bytes), t.Why))
		}
	}
	// A fabric.lock of an older rocec has only plain inputs, and its rows still apply. The exception is a long cable in a tight memory, which
	// such a row cannot express.
	var other *lock.Row
	if special != "" {
		other = c.pins.rows[lock.Buffer+" "+plain+written]
		if other != nil && k.tight {
			if xoff, ok := other.Number("xoff"); ok && xoff.N != b.Xoff.N {
				other = nil
			}
		}
	}
	b.Pinned = c.pin(row, numbers, l.At, other)
}

// special returns the inputs of a buffer that differ from their usual values.
func (k bufferKey) special(b *ir.Buffer) string {
	s := ""
	switch {
	case k.tables.own != "":
		s += " model=" + k.tables.own
	case slices.ContainsFunc(b.Terms, func(t ir.Term) bool { return t.Name == ir.ByRow }):
		s += " model=" + k.tables.rows.Model
	}
	if k.rdma != ir.LargestRDMA {
		s += " rdma_mtu=" + rdmaText(k.rdma)
	}
	if k.tight {
		s += " memory=tight"
	}
	return s
}

// pinMark pins the numbers of a mark that no block states. memory is the input for the switch's memory in a row of an older rocec, and
// loose is the bound by its rules.
func (c *compiler) pinMark(m *ir.Mark, k markKey, l *ir.Link, memory string, loose int) {
	given := k.group.ECN
	row := &lock.Row{Kind: lock.Mark, Inputs: markInputs(k)}
	var numbers []derived
	for _, n := range []struct {
		name    string
		written ir.Num
		num     *ir.Derived
	}{{"min", given.Min, &m.Min}, {"max", given.Max, &m.Max}, {"probability", given.Probability, &m.Probability}} {
		if !n.written.Set() {
			numbers = append(numbers, derived{n.name, n.num})
			row.By = append(row.By, ruleOf(n.name, *n.num))
		}
	}
	// When the sizes were pinned, the switch may have had no bound or another bound. Such sizes still apply if the rules at that time allowed
	// them.
	var other *lock.Row
	limits := []string{k.limit}
	if k.bound >= 0 {
		limits = []string{memory, ""}
	}
	for _, k.gently = range []int{k.gently, 0} { // rows of an older rocec, which had one slope for all switches, lack this input
		for _, k.limit = range limits {
			earlier := c.pins.rows[lock.Mark+" "+markInputs(k)]
			if earlier == nil {
				continue
			}
			if least, ok := earlier.Number("min"); ok && least.N < loose {
				other = cmp.Or(other, earlier)
			}
		}
	}
	m.Pinned = c.pin(row, numbers, l.At, other)
}

// limitOf returns the inputs of a bound that does not apply now, if a row of fabric.lock depends on them; empty: no row does.
func (p *pins) limitOf(k markKey, m ir.Memory) string {
	if len(p.limits) == 0 {
		return ""
	}
	for _, k.gently = range []int{k.gently, 0} {
		for _, k.limit = range []string{memoryInputs(m), memoryOnly(m)} {
			if p.limits[k.limit] && p.rows[lock.Mark+" "+markInputs(k)] != nil {
				return k.limit
			}
		}
	}
	return ""
}

// markInputs returns the inputs of a mark.
func markInputs(k markKey) string {
	given := k.group.ECN
	gently := ""
	if k.gently > 0 && !(given.Max.Set() && given.Probability.Set()) {
		gently = fmt.Sprintf(" queue=%d", k.gently)
	}
	return fmt.Sprintf("asic=%s speed=%s mtu=%d%s%s%s", k.asic.Name, platform.SpeedText(k.mbps), k.mtu, k.limit, gently,
		writtenInputs("ecn.min", given.Min, "ecn.max", given.Max, "ecn.probability", given.Probability))
}

// memoryInputs returns the inputs of the bound on marking at a switch.
func memoryInputs(m ir.Memory) string {
	joined := ""
	if m.Joined && m.Groups > 1 {
		joined = " joined"
	}
	return fmt.Sprintf("%s pool=%d%% alpha=%s%s", memoryOnly(m), m.Model.Percent, strings.ReplaceAll(m.Model.Alpha.String(), " ", "-"), joined)
}

// memoryOnly returns the same for rows of an older rocec with a single memory model.
func memoryOnly(m ir.Memory) string {
	return fmt.Sprintf("%s%d groups=%d reserved=%d", memoryInput, m.Ports, m.Groups, m.Lossless)
}

// writtenInputs returns, from pairs of names and numbers, those that the person wrote.
func writtenInputs(pairs ...any) string {
	var b strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		if n := pairs[i+1].(ir.Num); n.Set() {
			fmt.Fprintf(&b, " %s=%d", pairs[i], n.N)
		}
	}
	return b.String()
}

// ruleOf returns the reasons for a number that do not come from a link, in one line.
func ruleOf(name string, d ir.Derived) string {
	var why []string
	for _, r := range d.From {
		if r.Origin.Why != "" {
			why = append(why, r.Origin.Why)
		}
	}
	return name + ": " + strings.Join(why, "; ")
}

// reportPins reports pinned numbers that this rocec derives differently, and numbers that fabric.lock does not pin.
func (c *compiler) reportPins(ds *diag.List) {
	if c.src.Lock == nil {
		return
	}
	for _, s := range c.f.Sizes {
		if s.Pinned == nil || s.Pinned.Same(s.Fresh) {
			continue
		}
		var pinned []string
		for _, n := range s.Pinned.Numbers {
			if now, ok := s.Fresh.Number(n.Name); ok && now.N != n.N {
				pinned = append(pinned, fmt.Sprintf("%s = %s, but the rules of this rocec give %s", n.Name, diag.Number(n.N), diag.Number(now.N)))
			}
		}
		d := topicLockChanged.Noticef(ds, s.Pinned.At, "%s pins %s. Pinned sizes are used. Write the new sizes with `rocec build --lock "+
			"--refresh`, and see the changes in the plan.", lock.Name, diag.And(pinned))
		noteRules(d, "pinned by", s.Pinned.By, s.Fresh.By)
		noteRules(d, "now", s.Fresh.By, s.Pinned.By)
	}
	if n := len(c.pins.missing); n > 0 {
		first := c.pins.missing[0]
		d := topicLockIncomplete.Noticef(ds, first.at, "%s does not pin %s of this fabric, the first for %s. This rocec derives them. Add "+
			"them with `rocec build --lock`.", lock.Name, diag.Plural(n, "one row of sizes", diag.Number(n)+" rows of sizes"), first.Inputs)
		for i, m := range c.pins.missing[1:] {
			if i == mostRules {
				d.Note(diag.Range{}, "and %s more", diag.Count(n-1-i, "row"))
				break
			}
			d.Note(m.at, "for %s", m.Inputs)
		}
	}
}

var (
	topicLockChanged = &diag.Topic{Code: "lock-changed", Summary: "other sizes are pinned than this rocec derives"}

	topicLockIncomplete = &diag.Topic{Code: "lock-incomplete", Summary: "a derived size is not pinned"}
)

// mostRules limits the rules, or rows, that a message names.
const mostRules = 4

// noteRules adds the rules of the first of two rows that the other row lacks.
func noteRules(d *diag.Diagnostic, word string, by, other []string) {
	shown := 0
	for _, rule := range by {
		if slices.Contains(other, rule) {
			continue
		}
		if shown++; shown <= mostRules {
			d.Note(diag.Range{}, "%s %s", word, diag.Escape(rule))
		}
	}
	if shown > mostRules {
		d.Note(diag.Range{}, "and %s", diag.Count(shown-mostRules, "more rule"))
	}
}

// rdmaText returns the largest payload of RDMA packets as the text of an input.
func rdmaText(size int) string {
	if size == 0 {
		return "any"
	}
	return strconv.Itoa(size)
}
