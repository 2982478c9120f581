package settings

import (
	"maps"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// Pools finds limits of another kind than their pool, and pools that are too small for one port.
var Pools = Rule{
	Topic: diag.Topic{Code: "conf-pools", Summary: "memory pools that cannot work"},
	whole: func(p *pass) { p.poolsTooSmall() },
	ports: func(p *pass) {
		for n := range p.kind.d.Groups {
			g := &p.kind.d.Groups[n]
			if is(g.Lossless, true) {
				p.pooled(p.at(ir.FieldGroupLimit, n), "priority group", n, g.Limit, g.Pool)
			}
			p.sharedHeadroom(n, g)
		}
		p.pfc(func(_, queue, _ int) {
			if queue >= 0 {
				q := &p.kind.d.Queues[queue]
				p.pooled(p.at(ir.FieldQueueLimit, queue), "queue", queue, q.Limit, q.Pool)
				lossyPool(p, queue, q.Pool)
			}
		})
	},
}

// pooled judges whether a limit has the kind of its pool.
func (p *pass) pooled(at place, what string, n int, limit ir.Setting[ir.Limit], pool ir.Setting[string]) {
	l, isLimit := known(limit)
	name, isPool := known(pool)
	mode, isMode := known(p.Settings.Pools[name].Mode)
	if !isLimit || !isPool || !isMode {
		return
	}
	switch {
	case l.Kind == ir.LimitAlpha && mode == ir.PoolStatic:
		p.errorf(at, "%s %d is limited to a part of the free memory of the pool %s, and that pool is static and has limits in bytes: the "+
			"limit does "+
			"not apply. State a limit in bytes, or make the pool dynamic.", what, n, name)
	case l.Kind == ir.LimitBytes && mode == ir.PoolDynamic:
		p.errorf(at, "%s %d is limited to %s, and its pool %s is dynamic and has limits in parts of its free memory: the limit does not "+
			"apply. State "+
			"a part, or make the pool static.", what, n, diag.Bytes(l.N), name)
	}
}

// lossyPool judges whether a lossless queue is in the pool of most lossy queues, on a switch with another egress pool. One lossy queue may
// use the lossless pool, as in templates.
func lossyPool(p *pass, queue int, pool ir.Setting[string]) {
	of, ok := known(pool)
	if !ok {
		return
	}
	var lossless uint8 // queues
	p.pfc(func(_, q, _ int) {
		if q >= 0 {
			lossless |= 1 << q
		}
	})
	with, without := 0, 0
	for other := range p.kind.d.Queues {
		used, ok := known(p.kind.d.Queues[other].Pool)
		switch {
		case !ok || lossless>>other&1 == 1:
		case used == of:
			with++
		default:
			without++
		}
	}
	if with <= without {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(p.Settings.Pools)) {
		if other := p.Settings.Pools[name]; name != of && other.Egress && !other.Ingress {
			tookOver(p, diag.Warning, p.at(ir.FieldQueuePool, queue), "queue %d, by which lossless traffic leaves, is in the pool %s of the "+
				"lossy queues, and not in %s: when lossy traffic has filled the pool, lossless packets are dropped on the way out. Give the queue "+
				"a profile of %[3]s.", queue, of, name)
			return
		}
	}
}

// sharedHeadroom compares the headroom that ports share with the need of one port.
func (p *pass) sharedHeadroom(n int, g *ir.GroupSettings) {
	need, isNeed := known(g.Headroom)
	name, isPool := known(g.Pool)
	shared, isShared := known(p.Settings.Pools[name].Shared)
	if !isNeed || !isPool || !isShared || !is(g.Lossless, true) || shared == 0 || shared >= need {
		return
	}
	p.errorf(p.pool(name), "priority group %d needs %s of headroom, and all ports together have %s in the pool %s. Packets after a pause "+
		"are dropped. Make the shared headroom larger.", n, diag.Bytes(need), diag.Bytes(shared), name)
}

// poolsTooSmall compares pools with the memory of the chip.
func (p *pass) poolsTooSmall() {
	chip := p.chip()
	if chip == nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(p.Settings.Pools)) {
		pool := p.Settings.Pools[name]
		if size, ok := known(pool.Size); ok && pool.Ingress && size > chip.Buffer {
			p.errorf(p.pool(name), "The pool %s has %s, and the chip, %s, has %s of memory.", name, diag.Bytes(size), chip.Title,
				diag.Bytes(chip.Buffer))
		}
	}
}
