package confread

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/cumulus/grammar"
)

// queues finds the egress queue of each cos. By default it is the queue of the same number: by the manuals up to 4.3, and by the factory's
// qos_infra.conf from 4.4 on. Where that file is missing, the map is unknown.
func (c *Conf) queues() {
	for cos := range c.queue {
		c.queue[cos] = int8(cos)
		v, stated := c.inMemory(grammar.QueueOfCos, grammar.EgressQueue, cos, "")
		switch q, ok := grammar.Number(v, 7); {
		case ok:
			c.queue[cos] = int8(q)
		case c.lenient:
		case stated, c.slipped(grammar.QueueOfCos, grammar.EgressQueue, cos, ""), c.is(grammar.QoSFeatures) && c.memory == nil:
			c.queue[cos] = -1
		}
	}
}

// priorityGroups returns the names of the priority groups. Up to 4.3 traffic.conf lists them, from 4.4 on qos_infra.conf.
func (c *Conf) priorityGroups() (names []string, stated bool) {
	v, stated := c.grouped(grammar.Switch, grammar.PriorityGroups, "")
	return grammar.Items(v), stated
}

// grouped returns the settings of priority groups.
func (c *Conf) grouped(f grammar.Feature, m grammar.Meaning, group string) (string, bool) {
	if c.memoryOf&grammar.QoSInfra != 0 {
		return c.inMemory(f, m, -1, group)
	}
	return c.Value(f, m, -1, group)
}

// partition finds the priority group of each cos. Groups with the same number on the chip are one group. Its lowest cos is used as its
// number, so that the number does not depend on names.
func (c *Conf) partition() {
	for cos := range c.lossy {
		c.lossy[cos] = -1
	}
	names, _ := c.priorityGroups()
	var twice uint8
	byID := map[string]uint8{}
	var seen uint8
	ids := map[string]string{}
	for i, g := range names {
		if slices.Contains(names[:i], g) {
			continue
		}
		v, _ := c.grouped(grammar.PriorityGroup, grammar.GroupCos, g)
		of := mask(v)
		id := g
		if n, ok := c.inMemory(grammar.PriorityGroup, grammar.GroupID, -1, g); ok {
			id = "id " + n
		}
		twice |= seen & of
		seen |= of
		byID[id] |= of
		ids[g] = id
		for cos := range c.groupOf {
			if of>>cos&1 == 1 {
				c.groupOf[cos] = g
			}
		}
	}
	for _, id := range ids {
		lowest := int8(-1)
		for cos := range c.lossy {
			switch {
			case byID[id]>>cos&1 == 0:
			case twice>>cos&1 == 1:
				c.lossy[cos], c.groupOf[cos] = -1, ""
			default:
				if lowest < 0 {
					lowest = int8(cos)
				}
				c.lossy[cos] = lowest
			}
		}
	}
}

// schedule reads the shares of the egress queues, or those of the priority groups where no row states shares of queues.
func (c *Conf) schedule(n *node) {
	groups, _ := c.items(grammar.Switch, grammar.PriorityGroups, -1, "")
	for _, g := range groups {
		v, stated := c.Value(grammar.PriorityGroup, grammar.Weight, -1, g)
		of := c.mask(grammar.PriorityGroup, grammar.GroupCos, g)
		n.weighs = n.weighs || stated
		for cos := range 8 {
			if of>>cos&1 == 1 {
				shared(&n.PortSettings, cos, v, grammar.DWRRWeight)
				if q := c.queue[cos]; stated && q >= 0 {
					n.share(int(q), v, grammar.DWRRWeight)
				}
			}
		}
	}
	c.share(n, grammar.DefaultSched, "")
}

// share reads the shares of egress queues. By the templates of 4.3 and 5.x, a queue without a share in the profile of the switch is served
// when all others are empty. For a queue without a share in a group of ports, the share is unknown. It is also unknown where a file has
// both shares of queues and weights of priority groups, or two groups: the manuals do not state which counts.
func (c *Conf) share(n *node, f grammar.Feature, group string) {
	some, slip := false, false
	for queue := range 8 {
		_, ok := c.Value(f, grammar.QueueShare, queue, group)
		some, slip = some || ok, slip || c.slipped(f, grammar.QueueShare, queue, group)
	}
	for queue := range 8 {
		v, ok := c.Value(f, grammar.QueueShare, queue, group)
		for cos, by := range c.queue {
			switch {
			case int(by) != queue:
			case ok:
				shared(&n.PortSettings, cos, v, grammar.Percent)
			case c.slipped(f, grammar.QueueShare, queue, group):
				n.Share[cos] = 0
				n.Strict &^= 1 << cos
			}
		}
		at := &n.d.Queues[queue]
		switch {
		case !some && !slip:
		case n.weighs || f != grammar.DefaultSched:
			n.share(queue, v, grammar.Percent)
		case ok:
			before := n.touched
			n.share(queue, v, grammar.Percent)
			n.touched = before
		case !slip:
			at.Share, at.Strict = ir.ByDefault(0), ir.ByDefault(false)
		}
	}
}

// share sets the share of a queue. 0 is strict priority; a value that is not a number makes the share unknown.
func (n *node) share(queue int, value string, of grammar.Type) {
	at := &n.d.Queues[queue]
	top, _ := of.Highest()
	share, ok := grammar.Number(value, top)
	put(n, bitStrict+queue, &at.Strict, stated(share == 0, ok))
	put(n, bitShare+queue, &at.Share, stated(share, ok && share > 0))
}

// shared sets the share of a cos; 0 is strict priority.
func shared(p *ir.PortSettings, cos int, value string, of grammar.Type) {
	top, _ := of.Highest()
	n, ok := grammar.Number(value, top)
	if !ok {
		return
	}
	p.Share[cos] = uint8(n)
	p.Strict &^= 1 << cos
	if n == 0 {
		p.Strict |= 1 << cos
	}
}

// kilobit is the unit of rates.
const kilobit = 1000

// shape reads the rates of a group of ports. The highest number means no limit: it is the default in the tables of 4.3 and 5.x.
func (c *Conf) shape(n *node, group string) {
	top, _ := grammar.RatePair.Highest()
	rate := func(text string) ir.Setting[int64] {
		kb, ok := grammar.Number(text, top)
		if kb == top {
			kb = 0
		}
		return stated(int64(kb)*kilobit, ok)
	}
	for queue := range n.d.Queues {
		at := &n.d.Queues[queue]
		pair, ok := c.items(grammar.Shaping, grammar.QueueRate, queue, group)
		switch {
		case ok && len(pair) == 2:
			put(n, bitMinRate+queue, &at.MinRate, rate(pair[0]))
			put(n, bitMaxRate+queue, &at.MaxRate, rate(pair[1]))
		case ok || c.slipped(grammar.Shaping, grammar.QueueRate, queue, group):
			put(n, bitMinRate+queue, &at.MinRate, ir.Setting[int64]{})
			put(n, bitMaxRate+queue, &at.MaxRate, ir.Setting[int64]{})
		}
	}
	v, ok := c.Value(grammar.Shaping, grammar.PortRate, -1, group)
	if ok || c.slipped(grammar.Shaping, grammar.PortRate, -1, group) {
		put(n, bitPort+1, &n.d.Shaper, rate(v))
	}
}
