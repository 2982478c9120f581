package confread

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/cumulus/grammar"
)

// The limits of the reader. No real configuration exceeds them.
const (
	mostVisits = 1 << 17 // changes of a port's settings by groups
	mostLooked = 1 << 22 // comparisons of port sets with ports of the switch
	mostKinds  = 1 << 14 // different settings of ports, also temporary ones
)

// node contains the settings of all ports that are in the same groups so far.
type node struct {
	ir.PortSettings
	d       ir.PortDetail
	touched [3]uint64 // values that a row has set: a second row with another value makes them unknown
	buffer  [8]int8   // by cos: the group that pauses it, as the lowest cos of the group; -1: none
	buffers int       // the number of groups that pause the port
	several bool      // one of these groups pauses several cos
	vague   bool      // the paused priorities are unknown
	weighs  bool      // priority groups have weights
}

// The bits of [node.touched]: one for each value, eight for a value of queues or groups.
const (
	bitShare = 8 * iota
	bitStrict
	bitECN
	bitDrop
	bitUnmarkable
	bitMarkMin
	bitMarkMax
	bitProbability
	bitDropMin
	bitDropMax
	bitMinRate
	bitMaxRate
	bitBuffer
	bitXoff
	bitXon
	bitHeadroom
	bitLossless
	bitPort // cable, shaper
)

// put sets a value. If two rows state different values, the value is unknown, since the manuals do not state which row counts.
func put[T comparable](n *node, bit int, at *ir.Setting[T], v ir.Setting[T]) {
	word, mask := bit/64, uint64(1)<<(bit%64)
	if n.touched[word]&mask != 0 && *at != v {
		v = ir.Setting[T]{}
	}
	n.touched[word] |= mask
	*at = v
}

// has reports whether a row has set a value.
func (n *node) has(bit int) bool { return n.touched[bit/64]&(1<<(bit%64)) != 0 }

// everyGroup calls do for every port group of a feature that is in force. It calls do once for all ports of the group that have the same
// settings so far.
func (c *Conf) everyGroup(f grammar.Feature, do func(n *node, group string)) {
	if c.slipped(f, grammar.Groups, -1, "") {
		c.spoiled[f] = true
	}
	seen := map[string]bool{}
	for _, g := range c.Listed(f) {
		if seen[g] || c.visits > mostVisits {
			continue
		}
		seen[g] = true
		if c.slipped(f, grammar.GroupPorts, -1, g) {
			c.spoiled[f] = true
		}
		after := map[*node]*node{}
		step := func(n *node) *node {
			if after[n] == nil {
				if c.kinds++; c.kinds > mostKinds {
					c.visits = mostVisits + 1
				}
				next := *n
				do(&next, g)
				after[n] = &next
			}
			return after[n]
		}
		set, _ := c.Value(f, grammar.GroupPorts, -1, g)
		if c.spelling.Of(grammar.QoSFeatures) && slices.Contains(grammar.Items(set), grammar.AllPorts) {
			if c.visits += 1 + len(c.ports); c.visits > mostVisits {
				return
			}
			for name, n := range c.ports {
				c.ports[name] = step(n)
			}
			c.rest = step(c.rest)
			continue
		}
		for _, name := range c.Named(set) {
			if c.visits++; c.visits > mostVisits {
				return
			}
			n := c.ports[name]
			if n == nil {
				n = c.rest
			}
			c.ports[name] = step(n)
		}
	}
}

// Named returns the ports of a port_set. For a range that mixes whole and split ports it returns the range itself and the known ports in
// it. If no ports are known, a strict reader returns every possible name in the range. A range of whole ports includes the known parts of
// split ports between its ends.
func (c *Conf) Named(set string) []string {
	out := grammar.Expand(set)
	if len(out) > grammar.MostExpanded {
		c.visits = mostVisits + 1
	}
	items := grammar.Items(set)
	var more []string
	looked, known := 0, c.known()
	for _, item := range items {
		s, ok := grammar.ParseSpan(item)
		if !ok {
			continue
		}
		if looked += len(known); looked > mostLooked || len(more) > grammar.MostExpanded {
			c.visits = mostVisits + 1
			break
		}
		plain := s.A.Sub < 0 == (s.B.Sub < 0) && (s.A.Sub < 0 || s.A.N == s.B.N)
		switch {
		case plain && (c.lenient || s.A == s.B):
		case len(c.id.Ports) > 0:
			for _, p := range known {
				if s.Has(p) {
					more = append(more, p.String())
				}
			}
		case !plain && !c.lenient:
			more = append(more, everyName(s)...)
		}
	}
	if len(more) == 0 {
		return out
	}
	have := make(map[string]bool, len(out))
	for _, name := range out {
		have[name] = true
	}
	for _, name := range more {
		if !have[name] {
			have[name] = true
			out = append(out, name)
		}
	}
	return out
}

// known returns the ports of the switch, in order.
func (c *Conf) known() (out []grammar.Port) {
	for _, name := range c.id.Ports {
		if p, ok := grammar.ParsePort(name); ok {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, grammar.Port.Compare)
	return out
}

// everyName returns all possible names of ports in a span, whole ports and parts.
func everyName(s grammar.Span) (out []string) {
	for n := s.A.N; n <= s.B.N; n++ {
		for sub := -1; sub < grammar.MostParts; sub++ {
			if p := (grammar.Port{N: n, Sub: sub}); s.Has(p) {
				out = append(out, p.String())
			}
		}
	}
	return out
}

// settle stores the settings of all ports in s. Ports with equal settings share one struct.
func (c *Conf) settle(s *ir.Settings) {
	alike := map[ir.PortSettings]*ir.PortSettings{}
	finished := map[*node]*ir.PortSettings{}
	finish := func(n *node) *ir.PortSettings {
		if finished[n] == nil {
			p := c.finish(*n)
			if alike[p] == nil {
				alike[p] = &p
			}
			finished[n] = alike[p]
		}
		return finished[n]
	}
	s.Rest = finish(c.rest)
	if len(c.ports) > 0 {
		s.Ports = make(map[string]*ir.PortSettings, len(c.ports))
	}
	for name, n := range c.ports {
		s.Ports[name] = finish(n)
	}
}
