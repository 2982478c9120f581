package confread

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/cumulus/grammar"
)

// read finds the settings of all ports. A feature without a list of port groups is off. A map that no row states is unknown, since the
// factory's map depends on the release. A port with link pause and PFC gets both: the manuals do not state which of them it obeys.
func (c *Conf) read() {
	c.rest = &node{PortSettings: ir.UnknownPort(), d: ir.UnknownDetail(), buffer: [8]int8{-1, -1, -1, -1, -1, -1, -1, -1}}
	c.rest.PausesKnown = true
	c.queues()
	c.partition()
	c.classify(c.rest, grammar.Switch, "")
	c.schedule(c.rest)
	for _, f := range grammar.DefaultMarking {
		if c.spelling.Key(f, grammar.GroupQueues) != nil {
			c.marks(c.rest, f, "")
		}
		if c.slipped(f, grammar.GroupQueues, -1, "") {
			c.spoiled[grammar.DefaultECN] = true
		}
	}
	c.everyGroup(grammar.Source, func(n *node, g string) { c.classify(n, grammar.Source, g) })
	c.everyGroup(grammar.EgressSched, func(n *node, g string) { c.share(n, grammar.EgressSched, g) })
	for _, f := range grammar.Pausing {
		c.everyGroup(f, func(n *node, g string) { c.pauses(n, f, g) })
	}
	for _, f := range grammar.Marking {
		c.everyGroup(f, func(n *node, g string) { c.marks(n, f, g) })
	}
	c.everyGroup(grammar.Shaping, c.shape)
	c.everyGroup(grammar.Watchdog, func(n *node, _ string) {
		// A queue of a lossless cos that stays paused loses its packets until an interval passes without a pause. Source: the quality-of-service
		// chapter of late 5.x. The watchdog's times are in switchd.conf, which is not read.
		n.d.Watchdog.Action = ir.Of(ir.WatchdogDrop)
	})
	c.rewrites()
}

// classify reads the trusted fields and the maps of the switch or of a port group. A port group has the values of the switch where it
// states none.
func (c *Conf) classify(n *node, f grammar.Feature, group string) {
	p := &n.PortSettings
	fields, ok := c.items(f, grammar.TrustSet, -1, group)
	if one, is := c.Value(f, grammar.TrustOne, -1, group); is && (!ok || c.spelling.Key(f, grammar.TrustOne) != nil) {
		fields, ok = []string{one}, true
	}
	if ok {
		p.Trust = ir.Trust{PCP: slices.Contains(fields, grammar.FieldPCP), DSCP: slices.Contains(fields, grammar.FieldDSCP)}
		p.TrustKnown = true
	}
	if !ok && (c.slipped(f, grammar.TrustSet, -1, group) || c.slipped(f, grammar.TrustOne, -1, group)) {
		p.Trust, p.TrustKnown = ir.Trust{}, false
	}
	one := p.DSCP[:]
	if p.Trust.PCP {
		one = p.PCP[:]
	}
	for _, m := range []struct {
		of grammar.Meaning
		to []int8
	}{{grammar.MapTrusted, one}, {grammar.MapPCP, p.PCP[:]}, {grammar.MapDSCP, p.DSCP[:]}} {
		if m.of != grammar.MapTrusted || p.TrustKnown || c.lenient {
			c.fill(m.to, f, m.of, group)
		}
	}
	v, stated := c.Value(f, grammar.DefaultCos, -1, group)
	switch cos, ok := grammar.Number(v, 7); {
	case ok:
		n.d.DefaultCos = ir.Of(int8(cos))
	case stated || c.slipped(f, grammar.DefaultCos, -1, group):
		n.d.DefaultCos = ir.Setting[int8]{}
	case group == "" && c.is(grammar.QoSFeatures):
		n.d.DefaultCos = ir.ByDefault[int8](0) // by the tables of 4.4 and 5.x; no manual up to 4.3 states it
	}
}

// fill reads one map. A value in the lists of two cos is unknown.
func (c *Conf) fill(to []int8, f grammar.Feature, m grammar.Meaning, group string) {
	var lists [8][]string
	stated := false
	for cos := range lists {
		var ok bool
		lists[cos], ok = c.items(f, m, cos, group)
		stated = stated || ok || c.slipped(f, m, cos, group)
	}
	if !stated {
		return
	}
	seen := make([]bool, len(to))
	for v := range to {
		to[v] = -1
	}
	for cos, list := range lists {
		for _, item := range list {
			v, ok := grammar.Number(item, len(to)-1)
			switch {
			case !ok:
			case seen[v] && to[v] != int8(cos):
				to[v] = -1
			default:
				to[v], seen[v] = int8(cos), true
			}
		}
	}
}

// rewrites reads whether packets leave with another DSCP or PCP. On Spectrum the group of the ingress port decides, so a group that
// differs from the switch makes the setting unknown for every port. Source: the chapters of 3.5 and later.
func (c *Conf) rewrites() {
	of := func(f grammar.Feature, group string) (dscp, pcp, known bool) {
		fields, ok := c.items(f, grammar.RewriteSet, -1, group)
		if one, is := c.Value(f, grammar.RewriteOne, -1, group); is && !ok {
			fields, ok = []string{one}, true
		}
		return slices.Contains(fields, grammar.FieldDSCP), slices.Contains(fields, grammar.FieldPCP), ok
	}
	dscp, pcp, stated := of(grammar.Switch, "")
	switch {
	case c.slipped(grammar.Switch, grammar.RewriteSet, -1, "") || c.slipped(grammar.Switch, grammar.RewriteOne, -1, ""):
		return
	case stated:
		c.rewriteDSCP, c.rewritePCP = ir.Of(dscp), ir.Of(pcp)
	case c.is(grammar.T1 | grammar.T2 | grammar.T4 | grammar.QoSFeatures): // the tables of 3.5 to 3.7 name no default
		c.rewriteDSCP, c.rewritePCP = ir.ByDefault(false), ir.ByDefault(false)
	}
	if c.slipped(grammar.Remark, grammar.Groups, -1, "") {
		c.rewriteDSCP, c.rewritePCP = ir.Setting[bool]{}, ir.Setting[bool]{}
	}
	for _, g := range c.Listed(grammar.Remark) {
		d, p, stated := of(grammar.Remark, g)
		slip := c.slipped(grammar.Remark, grammar.RewriteSet, -1, g)
		if slip || stated && d != c.rewriteDSCP.Value {
			c.rewriteDSCP = ir.Setting[bool]{}
		}
		if slip || stated && p != c.rewritePCP.Value {
			c.rewritePCP = ir.Setting[bool]{}
		}
	}
}

// finish completes the settings of a port with those that depend on all of its groups.
func (c *Conf) finish(n node) ir.PortSettings {
	c.buffers(&n)
	c.memoryOfGroups(&n)
	c.memoryOfQueues(&n)
	c.defaults(&n)
	c.forget(&n)
	n.d.RewriteDSCP, n.d.RewritePCP = c.rewriteDSCP, c.rewritePCP
	copy(n.d.Queue[:], c.queue[:])
	p := n.PortSettings
	p.Detail = ir.NewDetail(n.d)
	return p
}

// defaults sets the system's default for each value that no row states. Marking, shapers and the watchdog work only on listed ports and
// queues. In a release without such a feature they are off.
func (c *Conf) defaults(n *node) {
	classifies := c.is(grammar.T1 | grammar.T2 | grammar.T3 | grammar.T4 | grammar.QoSFeatures)
	for q := range n.d.Queues {
		at := &n.d.Queues[q]
		if off := classifies && (q > 0 || !c.defaultMarks()); off && !n.has(bitECN+q) {
			at.ECN, at.Drop = ir.ByDefault(false), ir.ByDefault(false)
		}
		if classifies && !n.has(bitMaxRate+q) {
			at.MinRate, at.MaxRate = ir.ByDefault[int64](0), ir.ByDefault[int64](0)
		}
	}
	if classifies && !n.has(bitPort+1) {
		n.d.Shaper = ir.ByDefault[int64](0)
	}
	if w := &n.d.Watchdog; w.Action.Known() {
		w.Watches = ir.Of(n.Lossless())
	} else if classifies {
		w.Action = ir.ByDefault(ir.WatchdogOff)
	}
}

// defaultMarks reports whether the release marks on queue 0 where no row states otherwise. Sources: the chapters of 4.4 and 5.x.
func (c *Conf) defaultMarks() bool {
	f := c.spelling.DefaultMarking()
	_, stated := c.Value(f, grammar.GroupQueues, -1, "")
	return c.spelling.Of(grammar.QoSFeatures) && !stated
}

// forget clears values that are unknown because a row that decides them has a meaningless value.
func (c *Conf) forget(n *node) {
	if c.spoiled[grammar.PFC] || c.spoiled[grammar.LinkPause] || n.vague {
		n.PausesKnown = false
		n.Headroom, n.d.Watchdog.Watches = 0, ir.Setting[uint8]{}
		n.d.Groups = [8]ir.GroupSettings{}
		for cos := range n.d.Group {
			n.d.Group[cos] = -1
		}
	}
	if c.spoiled[grammar.ECN] || c.spoiled[grammar.ECNRED] || c.spoiled[grammar.DefaultECN] {
		n.Marks, n.Marking = 0, ir.Marking{}
		for q := range n.d.Queues {
			at := &n.d.Queues[q]
			*at = ir.QueueSettings{
				Strict: at.Strict, Share: at.Share, MinRate: at.MinRate, MaxRate: at.MaxRate, Limit: at.Limit, Pool: at.Pool,
			}
		}
	}
	if c.spoiled[grammar.Source] {
		unknown := ir.UnknownPort()
		n.Trust, n.TrustKnown, n.DSCP, n.PCP, n.d.DefaultCos = ir.Trust{}, false, unknown.DSCP, unknown.PCP, ir.Setting[int8]{}
	}
	if c.spoiled[grammar.EgressSched] {
		n.Share, n.Strict = [8]uint8{}, 0
	}
	for q := range n.d.Queues {
		at := &n.d.Queues[q]
		if c.spoiled[grammar.EgressSched] {
			at.Share, at.Strict = ir.Setting[int]{}, ir.Setting[bool]{}
		}
		if c.spoiled[grammar.Shaping] {
			at.MinRate, at.MaxRate = ir.Setting[int64]{}, ir.Setting[int64]{}
		}
	}
	if c.spoiled[grammar.Shaping] {
		n.d.Shaper = ir.Setting[int64]{}
	}
	if c.spoiled[grammar.Watchdog] {
		n.d.Watchdog = ir.WatchdogSettings{}
	}
}
