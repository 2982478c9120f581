package settings

import (
	"github.com/rocec/rocec/compiler/ir"
)

// memoryOf returns the largest possible length of a queue in a pool, and what bounds it; 0: not known.
func (p *pass) memoryOf(pool ir.Setting[string]) (bytes int, what string) {
	if size, ok := p.sizeOf(pool); ok {
		return size, "its pool"
	}
	if chip := p.chip(); chip != nil {
		return chip.Buffer, "the chip"
	}
	return 0, ""
}

// sizeOf returns the bytes of a pool.
func (p *pass) sizeOf(pool ir.Setting[string]) (bytes int, ok bool) {
	of, chip := p.Settings.Pools[pool.Value], p.chip()
	if !pool.Known() {
		return 0, false
	}
	if size, ok := known(of.Size); ok && size > 0 {
		return size, true
	}
	if percent, ok := known(of.Percent); ok && percent > 0 && percent <= 100 && chip != nil {
		return chip.Buffer / 100 * percent, true
	}
	return 0, false
}

// firstPause returns the most bytes that a priority group alone in its pool holds before its port sends a pause.
func (p *pass) firstPause(g *ir.GroupSettings) (bytes int, ok bool) {
	limit, ok := known(g.Limit)
	if !ok {
		return 0, false
	}
	own := 0 // what the group has before it uses the pool
	if buffer, ok := known(g.Buffer); ok {
		own = buffer
		if room, ok := known(g.Headroom); ok {
			own = max(0, buffer-room)
		}
	}
	switch limit.Kind {
	case ir.LimitBytes:
		return own + limit.N, true
	case ir.LimitZero:
		return own, true
	case ir.LimitAlpha: // of n free bytes the group gets n*alpha/(1+alpha)
		size, sized := p.sizeOf(g.Pool)
		if !sized {
			return 0, false
		}
		if limit.N >= 0 {
			return own + size - size/(1+1<<min(limit.N, 16)), true
		}
		return own + size/(1+1<<min(-limit.N, 16)), true
	}
	return 0, false
}
