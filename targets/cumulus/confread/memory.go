package confread

import (
	"math/bits"
	"strconv"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/cumulus/grammar"
)

// newer reports whether qos_infra.conf states the memory. This package uses the defaults that the comments of the file state in 4.4. Quotas
// are shares of the free memory. Lossless traffic has pool 0 with alpha 1 on ingress, and no limit on egress.
func (c *Conf) newer() bool { return c.memoryOf != 0 && c.memoryOf&^grammar.QoSInfra == 0 }

// broadcom reports whether the memory file is for a chip without a pool for lossless traffic.
func (c *Conf) broadcom() bool {
	return c.chip.Known && !c.chip.Spectrum && c.memoryOf&grammar.Datapath != 0
}

// pools returns the memory pools, by their names in the file; nil: no file states them.
func (c *Conf) pools() map[string]ir.Pool {
	if c.memory == nil {
		return nil
	}
	out := map[string]ir.Pool{}
	for _, f := range []grammar.Feature{grammar.IngressPool, grammar.EgressPool} {
		for n := range 8 {
			percent, hasPercent := c.inMemory(f, grammar.PoolShare, n, "")
			_, hasMode := c.inMemory(f, grammar.PoolMode, n, "")
			infinite, hasInfinite := c.inMemory(f, grammar.PoolInfinite, n, "")
			if !hasPercent && !hasMode && !hasInfinite {
				continue
			}
			p := ir.Pool{Ingress: f == grammar.IngressPool, Egress: f == grammar.EgressPool, Mode: c.mode(f, n)}
			if share, ok := grammar.Percentage(percent); ok {
				p.Percent = ir.Of(int(share)) // whole percents, rounded down
			}
			if on, ok := grammar.Bool(infinite); ok {
				p.Infinite = ir.Of(on)
			} else if c.newer() && !c.slipped(f, grammar.PoolInfinite, n, "") {
				p.Infinite = ir.ByDefault(false)
			}
			out[poolName(f, n)] = p
		}
	}
	return out
}

// poolName returns the name of a pool: the words of its keys before the last one.
func poolName(f grammar.Feature, n int) string { return string(f) + "." + strconv.Itoa(n) }

// mode returns the mode of a pool: whether its limits are fixed or shares of the free memory.
func (c *Conf) mode(f grammar.Feature, pool int) ir.Setting[ir.PoolMode] {
	switch v, ok := c.inMemory(f, grammar.PoolMode, pool, ""); {
	case ok && v == "0":
		return ir.Of(ir.PoolStatic)
	case ok && v == "1":
		return ir.Of(ir.PoolDynamic)
	case !ok && c.newer() && !c.slipped(f, grammar.PoolMode, pool, ""):
		return ir.ByDefault(ir.PoolDynamic)
	}
	return ir.Setting[ir.PoolMode]{}
}

// pool returns the number of a pool that a key states. If no file states the key, it returns fallback as a default.
func (c *Conf) pool(f grammar.Feature, m grammar.Meaning, n int, group string, fallback bool) (pool int, is ir.Knowledge) {
	v, stated := c.inMemory(f, m, n, group)
	switch pool, ok := grammar.Number(v, 7); {
	case ok:
		return pool, ir.Stated
	case fallback && !stated && !c.slipped(f, m, n, group):
		return 0, ir.Default
	}
	return 0, ir.NotKnown
}

// named returns a pool by its name.
func named(f grammar.Feature, pool int, is ir.Knowledge) ir.Setting[string] {
	if is == ir.NotKnown {
		return ir.Setting[string]{}
	}
	return ir.Setting[string]{Value: poolName(f, pool), Is: is}
}

// quota returns the limit that a key states as a code. If no file states the key, it returns fallback.
func (c *Conf) quota(f grammar.Feature, m grammar.Meaning, n int, group string, fallback ir.Setting[ir.Limit]) ir.Setting[ir.Limit] {
	v, stated := c.inMemory(f, m, n, group)
	q, ok := grammar.ReadQuota(v)
	switch {
	case ok && q.Num == 0:
		return ir.Of(ir.Limit{Kind: ir.LimitZero})
	case ok && q.Den == 0:
		return ir.Of(ir.Limit{})
	case ok:
		return ir.Of(ir.Limit{Kind: ir.LimitAlpha, N: bits.Len(uint(q.Num)) - bits.Len(uint(q.Den))})
	case stated || c.slipped(f, m, n, group):
		return ir.Setting[ir.Limit]{}
	}
	return fallback
}

// tighter returns the smaller of two limits of one pool. The second may be missing.
func tighter(a, b ir.Setting[ir.Limit]) ir.Setting[ir.Limit] {
	if !a.Known() || !b.Known() {
		return a
	}
	rank := func(l ir.Limit) int {
		switch l.Kind {
		case ir.LimitZero:
			return -1 << 16
		case ir.LimitAlpha:
			return l.N
		}
		return 1 << 16
	}
	if rank(b.Value) < rank(a.Value) || rank(b.Value) == rank(a.Value) && a.Is == ir.Default {
		return b
	}
	return a
}

// memoryOfGroups adds the pools and limits that the memory file states for the priority groups of a port.
func (c *Conf) memoryOfGroups(n *node) {
	if c.memory == nil {
		return
	}
	var lossless, seen uint8
	for cos, own := range n.buffer {
		if own >= 0 {
			lossless |= 1 << own
			continue
		}
		g := n.d.Group[cos]
		if g < 0 || c.groupOf[cos] == "" {
			continue
		}
		at := &n.d.Groups[g]
		next := c.lossyMemory(c.groupOf[cos])
		if seen>>g&1 == 1 { // groups with one number on the chip
			if at.Buffer != next.Buffer {
				at.Buffer = ir.Setting[int]{}
			}
			if at.Limit != next.Limit {
				at.Limit = ir.Setting[ir.Limit]{}
			}
			if at.Pool != next.Pool {
				at.Pool = ir.Setting[string]{}
			}
			continue
		}
		seen |= 1 << g
		at.Buffer, at.Limit, at.Pool = next.Buffer, next.Limit, next.Pool
	}
	for own := range n.d.Groups {
		if lossless>>own&1 == 1 {
			at := &n.d.Groups[own]
			at.Limit, at.Pool = c.losslessMemory(own)
		}
	}
}

// lossyMemory returns the pool and the limit of a lossy priority group.
func (c *Conf) lossyMemory(group string) (g ir.GroupSettings) {
	pool, is := c.pool(grammar.PriorityGroup, grammar.GroupPool, -1, group, false)
	g.Pool = named(grammar.IngressPool, pool, is)
	size := func(m grammar.Meaning) (int, bool) {
		v, _ := c.inMemory(grammar.PriorityGroup, m, -1, group)
		top, _ := grammar.Size.Highest()
		return grammar.Number(v, top)
	}
	if own, ok := size(grammar.GroupOwn); ok {
		g.Buffer = ir.Of(own)
	}
	if is == ir.NotKnown {
		return g
	}
	switch mode := c.mode(grammar.IngressPool, pool); {
	case mode.Known() && mode.Value == ir.PoolDynamic:
		g.Limit = c.quota(grammar.PriorityGroup, grammar.GroupQuota, -1, group, ir.Setting[ir.Limit]{})
	case mode.Known():
		if most, ok := size(grammar.GroupSharedSize); ok {
			g.Limit = ir.Of(ir.Limit{Kind: ir.LimitBytes, N: most})
		}
	}
	return g
}

// losslessMemory returns the pool and the limit of lossless traffic on ingress. The limit of the whole port in the pool also bounds its
// one lossless group. Broadcom's chips have no pool for lossless traffic: it uses the memory of its priority group.
func (c *Conf) losslessMemory(cos int) (limit ir.Setting[ir.Limit], pool ir.Setting[string]) {
	n, is := 0, ir.NotKnown
	switch {
	case c.broadcom():
		n, is = c.pool(grammar.PriorityGroup, grammar.GroupPool, -1, c.groupOf[cos], false)
		return limit, named(grammar.IngressPool, n, is)
	case c.newer():
		n, is = c.pool(grammar.FlowControl, grammar.LosslessIngressPool, -1, "", true)
	default:
		n, is = c.pool(grammar.FlowControl, grammar.LosslessPool, -1, "", false)
	}
	if is == ir.NotKnown {
		return limit, pool
	}
	if mode := c.mode(grammar.IngressPool, n); mode.Known() && mode.Value == ir.PoolDynamic {
		var alpha ir.Setting[ir.Limit]
		if c.newer() {
			alpha = ir.ByDefault(ir.Limit{Kind: ir.LimitAlpha})
		}
		limit = c.quota(grammar.FlowControl, grammar.LosslessQuota, -1, "", alpha)
		limit = tighter(limit, c.quota(grammar.PortPool, grammar.PortIngressQuota, n, "", ir.Setting[ir.Limit]{}))
	}
	return limit, named(grammar.IngressPool, n, is)
}

// memoryOfQueues adds the pools and limits that the memory file states for the queues of a port. They are unknown for a queue with
// lossless and lossy cos.
func (c *Conf) memoryOfQueues(n *node) {
	if c.memory == nil {
		return
	}
	var lossless, lossy [8]int // by queue: its lowest cos plus 1; 0: none
	for cos, q := range c.queue {
		if q < 0 {
			continue
		}
		of := &lossy
		if n.buffer[cos] >= 0 {
			of = &lossless
		}
		if of[q] == 0 {
			of[q] = cos + 1
		}
	}
	for q := range n.d.Queues {
		at := &n.d.Queues[q]
		switch {
		case lossless[q] > 0 && lossy[q] == 0:
			at.Limit, at.Pool = c.losslessQueue(q, lossless[q]-1)
		case lossy[q] > 0 && lossless[q] == 0:
			at.Limit, at.Pool = c.lossyQueue(q, lossy[q]-1)
		}
	}
}

// losslessQueue returns the pool and the limit of lossless traffic on egress.
func (c *Conf) losslessQueue(queue, cos int) (limit ir.Setting[ir.Limit], pool ir.Setting[string]) {
	n, is := 0, ir.NotKnown
	var fallback ir.Setting[ir.Limit]
	switch {
	case c.broadcom():
		return c.groupQueue(cos)
	case c.newer():
		n, is = c.pool(grammar.FlowControl, grammar.LosslessEgressPool, -1, "", true)
		fallback = ir.ByDefault(ir.Limit{})
		for _, m := range []grammar.Meaning{grammar.QueuePool, grammar.QueueQuota, grammar.QueueShared} {
			if _, stated := c.inMemory(grammar.EgressBuffer, m, queue, ""); stated { // no manual states which of the two counts
				return limit, pool
			}
		}
	default:
		n, is = c.pool(grammar.FlowControl, grammar.LosslessPool, -1, "", false)
	}
	if is == ir.NotKnown {
		return limit, pool
	}
	if mode := c.mode(grammar.EgressPool, n); mode.Known() && mode.Value == ir.PoolDynamic {
		limit = c.quota(grammar.FlowControl, grammar.LosslessEgressQuota, -1, "", fallback)
		limit = tighter(limit, c.quota(grammar.PortPool, grammar.PortEgressQuota, n, "", ir.Setting[ir.Limit]{}))
	}
	return limit, named(grammar.EgressPool, n, is)
}

// lossyQueue returns the pool and the limit of a queue without lossless traffic.
func (c *Conf) lossyQueue(queue, cos int) (limit ir.Setting[ir.Limit], pool ir.Setting[string]) {
	if !c.newer() {
		return c.groupQueue(cos)
	}
	n, is := c.pool(grammar.EgressBuffer, grammar.QueuePool, queue, "", false)
	mode := c.mode(grammar.EgressPool, n)
	switch {
	case is == ir.NotKnown || !mode.Known():
	case mode.Value == ir.PoolDynamic:
		limit = c.quota(grammar.EgressBuffer, grammar.QueueQuota, queue, "", ir.Setting[ir.Limit]{})
	default:
		v, _ := c.inMemory(grammar.EgressBuffer, grammar.QueueShared, queue, "")
		top, _ := grammar.Size.Highest()
		if most, ok := grammar.Number(v, top); ok {
			limit = ir.Of(ir.Limit{Kind: ir.LimitBytes, N: most})
		}
	}
	return limit, named(grammar.EgressPool, n, is)
}

// groupQueue returns the pool and the limit that datapath.conf states for the queues of a priority group.
func (c *Conf) groupQueue(cos int) (limit ir.Setting[ir.Limit], pool ir.Setting[string]) {
	group := c.groupOf[cos]
	if group == "" {
		return limit, pool
	}
	n, is := c.pool(grammar.PriorityGroup, grammar.GroupPool, -1, group, false)
	pool = named(grammar.EgressPool, n, is)
	if v, ok := c.inMemory(grammar.PriorityGroup, grammar.GroupUnlimited, -1, group); ok {
		if on, is := grammar.Bool(v); is && on {
			limit = ir.Of(ir.Limit{})
		}
		return limit, pool
	}
	if mode := c.mode(grammar.EgressPool, n); is != ir.NotKnown && mode.Known() && mode.Value == ir.PoolDynamic {
		limit = c.quota(grammar.PriorityGroup, grammar.GroupUnicastQuota, -1, group, limit)
	}
	return limit, pool
}
