package confread

import (
	"slices"
	"strconv"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/cumulus/grammar"
)

// Where returns the place of the row that sets a field of a port: a row of the port's group, else a row of the switch. The index is a cos,
// a priority group or a queue, depending on the field; below 0 any row will do. Not ok: no row sets the field.
func (c *Conf) Where(port string, f ir.Field, index int) (at diag.Range, ok bool) {
	trust, _ := c.have.Get(grammar.Switch, grammar.TrustOne, -1, "")
	best := 0
	for i := range c.rows {
		r := &c.rows[i]
		if r.k == nil || r.idle || !r.last || r.why != "" {
			continue
		}
		rank := c.sets(r, f, trust == grammar.FieldDSCP)
		if rank <= best || !c.covers(r, f, index) || !c.of(r, port) {
			continue
		}
		best, at, ok = rank, r.valueAt(f, index), true
	}
	return at, ok
}

// valueAt returns the place of a row's value. In a list of values of a header field it is the place of the element.
func (r *setting) valueAt(f ir.Field, index int) diag.Range {
	from, to := r.valueEnd-len(r.value), r.valueEnd
	text, cut := grammar.Unquote(r.value)
	if body, ok := grammar.Body(text); ok && (f == ir.FieldDSCP || f == ir.FieldPCP) {
		for _, e := range grammar.Elements(body) {
			if e.Text == strconv.Itoa(index) {
				from += cut + 1 + e.At
				return r.Span(r.line, r.start, from, from+len(e.Text))
			}
		}
	}
	if from == to {
		from = r.from
	}
	return r.Span(r.line, r.start, from, to)
}

// sets ranks the rows that set a field. Rows of groups rank above those of the switch, and values above lists of ports. 0: the row does
// not set the field.
func (c *Conf) sets(r *setting, f ir.Field, dscp bool) (rank int) {
	switch field, _ := r.k.Meant(dscp); {
	case field == f:
		rank = 2
	case f == ir.FieldHeadroom && field == ir.FieldBuffer, f == ir.FieldMinRate && field == ir.FieldMaxRate,
		f == ir.FieldStrict && field == ir.FieldShare, f == ir.FieldUnmarkable && field == ir.FieldDrop:
		rank = 2
	default:
		return 0
	}
	switch r.k.Means {
	case grammar.Groups, grammar.PriorityGroups, grammar.Algorithm: // lists of groups state no value of a port
		return 0
	case grammar.GroupPorts:
		rank--
	}
	if r.group != "" && r.k.Feature() != grammar.PriorityGroup {
		rank += 2
	}
	return rank
}

// covers reports whether a row is about a value of a header field, a cos, a priority group or a queue.
func (c *Conf) covers(r *setting, f ir.Field, index int) bool {
	switch {
	case index < 0:
		return true
	case f == ir.FieldDSCP, f == ir.FieldPCP:
		text, _ := grammar.Unquote(r.value)
		return slices.Contains(grammar.Items(text), strconv.Itoa(index))
	}
	switch r.k.Feature() {
	case grammar.IngressPool, grammar.EgressPool, grammar.PortPool:
		return true
	case grammar.PriorityGroup:
		return index < 8 && c.groupOf[index] == r.group
	}
	if r.n >= 0 {
		return r.n == index
	}
	if r.group == "" && !slices.Contains(grammar.DefaultMarking, r.k.Feature()) {
		return true
	}
	feature := r.k.Feature()
	of := c.mask(feature, grammar.GroupCos, r.group)
	queues := c.mask(feature, grammar.GroupQueues, r.group)
	for cos, q := range c.queue {
		if of>>cos&1 == 1 && q >= 0 && slices.Contains(grammar.Marking, feature) {
			queues |= 1 << q
		}
	}
	if slices.Contains(grammar.Marking, feature) || slices.Contains(grammar.DefaultMarking, feature) {
		return queues>>index&1 == 1
	}
	return feature != grammar.PFC || of>>index&1 == 1
}

// of reports whether a row applies to a port.
func (c *Conf) of(r *setting, port string) bool {
	f := r.k.Feature()
	if r.group == "" || f == grammar.PriorityGroup {
		return true
	}
	if !slices.Contains(c.Listed(f), r.group) {
		return false
	}
	set, _ := c.Value(f, grammar.GroupPorts, -1, r.group)
	p, ok := grammar.ParsePort(port)
	return slices.ContainsFunc(grammar.Items(set), func(item string) bool {
		s, isSpan := grammar.ParseSpan(item)
		return item == port || item == grammar.AllPorts && c.spelling.Of(grammar.QoSFeatures) || ok && isSpan && s.Has(p)
	})
}
