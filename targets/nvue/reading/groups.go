package reading

import (
	"math/bits"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nvue/grammar"
)

// groups reads which priority group buffers each cos, and the sizes of lossless groups. The tree has names of groups, and no manual has
// their numbers. Here a group has the number of its lowest cos. Up to 5.16 a port has one lossless group (chapter of 5.17).
//
// It returns the names of the groups by number. The names of lossless groups begin with "lossless".
func (r *reading) groups(d *ir.PortDetail, k kind, pauses pausing) (names [8]string) {
	if !pauses.known {
		return names
	}
	advance := r.set.Get("qos", "advance-buffer-config", global)
	var of [8]string
	if r.whole {
		for cos := range of {
			of[cos] = "bulk"
		}
		for m := grammar.Digits(r.set.Get("qos", "traffic-pool", "mc-lossy", "switch-priority")); m != 0; m &= m - 1 {
			of[lowest(m)] = "service2" // chapter of 5.x, the table of traffic pools and buffers
		}
	}
	place := func(t *grammar.Tree, among uint8, prefix string) {
		lossy := t.Get("priority-group")
		for _, name := range lossy.Keys() {
			for m := grammar.Digits(lossy.Get(name, "switch-priority")) & among; m != 0; m &= m - 1 {
				of[lowest(m)] = prefix + name
			}
		}
	}
	place(advance.Get("ingress-lossy-buffer"), 0xff, "")
	for m := pauses.cos; m != 0; m &= m - 1 {
		of[lowest(m)] = "lossless"
	}
	place(advance.Get("ingress-lossless-buffer"), pauses.cos, "lossless ")
	joined := pauses.link || r.release != (grammar.Release{}) && r.release.Compare(manyGroups) < 0
	unsure := !joined && bits.OnesCount8(pauses.cos) > 1
	for cos, name := range of {
		if name == "" || unsure && name == "lossless" {
			continue // it is unknown whether there is one group or several
		}
		for n := range cos + 1 {
			if of[n] == name {
				d.Group[cos] = int8(n)
				names[n] = name
				break
			}
		}
	}
	for n, name := range names {
		if g := &d.Groups[n]; strings.HasPrefix(name, "lossless") {
			r.lossless(g, k, pauses)
		} else if name != "" {
			r.lossyGroup(g, advance.Get("ingress-lossy-buffer", "priority-group", name), name)
		}
	}
	d.Cable = r.cable(pauses)
	return names
}

// manyGroups is the first release in which a port has several lossless groups. Source: chapter of 5.17.
var manyGroups = grammar.Release{5, 17}

// lossless reads the sizes of a lossless group. The switch derives missing sizes, by a formula that is not public. From 5.17 on it is
// known that xon-threshold counts down from xoff-threshold.
func (r *reading) lossless(g *ir.GroupSettings, k kind, pauses pausing) {
	g.Lossless = ir.Of(true)
	if pauses.preset {
		g.Lossless = ir.ByDefault(true)
	}
	of := pauses.of
	g.Buffer, g.Xoff = wholeOf(of.Get("port-buffer"), 1, 1<<32), wholeOf(of.Get("xoff-threshold"), 1, 1<<32)
	xon := wholeOf(of.Get("xon-threshold"), 1, 1<<32)
	if xon.Known() && g.Xoff.Known() && r.release.Compare(manyGroups) >= 0 {
		g.Xon = ir.Of(max(g.Xoff.Value-xon.Value, 0))
	}
	if g.Buffer.Known() && g.Xoff.Known() && !k.shares {
		g.Headroom = ir.Of(max(g.Buffer.Value-g.Xoff.Value, 0))
	}
	t := r.set.Get("qos", "advance-buffer-config", global, "ingress-lossless-buffer")
	g.Limit = r.limit(t, ir.ByDefault(ir.Limit{Kind: ir.LimitAlpha}))
	g.Pool = r.poolOf(t, "ingress", r.losslessPool())
}

func (r *reading) lossyGroup(g *ir.GroupSettings, t *grammar.Tree, name string) {
	if r.whole {
		g.Lossless = ir.ByDefault(false)
	}
	g.Buffer, g.Headroom = wholeOf(t.Get("reserved"), 0, 1<<32), wholeOf(t.Get("headroom"), 0, 1<<32)
	g.Limit = r.limit(t, ir.Setting[ir.Limit]{})
	g.Pool = r.poolOf(t, "ingress", map[string]string{"bulk": poolLossy, "service2": multicastPool}[name])
}

// The traffic pools in the table of the 5.x chapter, by service pool. egressPool is the egress pool for lossless traffic of the preset
// (`nv show qos roce`).
const (
	multicastPool = "mc-lossy"
	rocePool      = "roce-lossless"
	egressPool    = "roce-reserved-egress"
)

// losslessPool returns the name of the pool for arriving lossless traffic.
func (r *reading) losslessPool() string {
	switch {
	case r.mode == singlePool:
		return poolLossy
	case r.preset:
		return rocePool
	}
	return poolLossless
}

// limits reads the limits and pools of queues.
func (r *reading) limits(d *ir.PortDetail, groups [8]string, pauses pausing) {
	if !pauses.known {
		return
	}
	advance := r.set.Get("qos", "advance-buffer-config", global)
	var lossless uint8
	for m := pauses.cos; m != 0; m &= m - 1 {
		if q := r.queue[lowest(m)]; q >= 0 {
			lossless |= 1 << q
		}
	}
	for n := range d.Queues {
		q := &d.Queues[n]
		if lossless>>n&1 == 0 {
			t := advance.Get("egress-lossy-buffer", "traffic-class", strconv.Itoa(n))
			q.Limit, q.Pool = r.limit(t, ir.Setting[ir.Limit]{}), r.poolOf(t, "egress", poolLossy)
			continue
		}
		t := advance.Get("egress-lossless-buffer")
		q.Limit = r.limit(t, ir.ByDefault(ir.Limit{Kind: ir.LimitNone}))
		pool := poolLossless
		if r.preset {
			pool = egressPool
		}
		q.Pool = r.poolOf(t, "egress", pool)
	}
}

// limit reads the share of a buffer.
func (r *reading) limit(t *grammar.Tree, usual ir.Setting[ir.Limit]) (l ir.Setting[ir.Limit]) {
	alpha, bytes := t.Get("shared-alpha"), t.Get("shared-bytes")
	switch {
	case t != nil && !t.IsMap() || alpha != nil && bytes != nil: // the mode of the pool decides which of the two counts
	case alpha != nil:
		return alphaOf(alpha)
	case bytes != nil:
		if n := wholeOf(bytes, 0, 1<<32); n.Known() {
			return ir.Of(ir.Limit{Kind: ir.LimitBytes, N: n.Value})
		}
	case r.whole || r.preset:
		return usual
	}
	return l
}

// alphaOf reads alpha_1_128, alpha_2, alpha_0, alpha_infinity.
func alphaOf(t *grammar.Tree) (l ir.Setting[ir.Limit]) {
	if !t.IsScalar() {
		return l
	}
	rest, ok := strings.CutPrefix(t.Value, "alpha_")
	part, below := strings.CutPrefix(rest, "1_")
	n, err := strconv.Atoi(map[bool]string{true: part, false: rest}[below])
	switch {
	case !ok:
	case rest == "infinity":
		return ir.Of(ir.Limit{Kind: ir.LimitNone})
	case rest == "0":
		return ir.Of(ir.Limit{Kind: ir.LimitZero})
	case err != nil || n < 1 || n > 128 || n&(n-1) != 0:
	case below:
		return ir.Of(ir.Limit{Kind: ir.LimitAlpha, N: -bits.TrailingZeros(uint(n))})
	default:
		return ir.Of(ir.Limit{Kind: ir.LimitAlpha, N: bits.TrailingZeros(uint(n))})
	}
	return l
}

// poolOf returns the name of a buffer's pool.
func (r *reading) poolOf(t *grammar.Tree, side, usual string) (name ir.Setting[string]) {
	switch x := t.Get("service-pool"); {
	case t != nil && !t.IsMap():
	case x != nil:
		if n := wholeOf(x, 0, 255); n.Known() {
			return ir.Of(r.servicePool(side, n.Value))
		}
	case usual != "" && (r.whole || r.preset):
		return ir.ByDefault(r.service(side, usual))
	}
	return name
}

// poolNumber returns the number of a traffic pool as a service pool. Source: chapter of 5.x, the table of traffic pools and buffers.
func (r *reading) poolNumber(name string) int {
	switch name {
	case poolLossy:
		return 0
	case rocePool, poolLossless:
		return 1
	case multicastPool:
		return 2
	}
	return -1
}

// service returns the name of a traffic pool on one side: its own name, or the service pool that replaces it.
func (r *reading) service(side, name string) string {
	if n := r.poolNumber(name); n >= 0 && r.serviceAt(side, n) != nil {
		return r.servicePool(side, n)
	}
	return name
}

func (r *reading) serviceAt(side string, n int) *grammar.Tree {
	advance := r.set.Get("qos", "advance-buffer-config", global)
	if t := advance.Get(side+"-service-pool", strconv.Itoa(n)); t != nil {
		return t
	}
	return advance.Get(side+"-pool", strconv.Itoa(n))
}

// servicePool returns the name of a service pool: ingress-service-pool.3, in whatever spelling of the release, or the traffic pool with
// this number.
func (r *reading) servicePool(side string, n int) string {
	if r.serviceAt(side, n) == nil {
		switch n {
		case 0:
			return poolLossy
		case 1:
			if r.preset {
				return rocePool
			}
			return poolLossless
		case 2:
			return multicastPool
		}
	}
	return side + "-service-pool." + strconv.Itoa(n)
}

// pools reads the pools: traffic pools by their names, and service pools in the tree. The preset has half of the memory in each of its
// two pools, and an unlimited egress pool for lossless traffic (`nv show qos roce`).
func (r *reading) pools() map[string]ir.Pool {
	out := map[string]ir.Pool{}
	traffic := r.set.Get("qos", "traffic-pool")
	for _, name := range traffic.Keys() {
		out[name] = ir.Pool{Ingress: true, Egress: true, Percent: wholeOf(traffic.Get(name, "memory-percent"), 0, 100)}
	}
	if r.preset && r.mode == "lossless" {
		r.halves(out, poolLossy, rocePool)
	}
	if r.preset && r.mode == singlePool {
		p := out[poolLossy]
		p.Ingress, p.Egress = true, true
		if traffic.Get(poolLossy, "memory-percent") == nil {
			p.Percent = ir.ByDefault(100)
		}
		out[poolLossy] = p
	}
	if r.preset && !r.modeOpen() && !r.lossy {
		out[egressPool] = ir.Pool{Egress: true, Mode: ir.ByDefault(ir.PoolDynamic), Infinite: ir.ByDefault(true)}
		if p, ok := out[rocePool]; ok {
			p.Egress = false
			out[rocePool] = p
		}
	}
	advance := r.set.Get("qos", "advance-buffer-config", global)
	for _, side := range []string{"ingress", "egress"} {
		for _, key := range []string{side + "-pool", side + "-service-pool"} {
			for _, n := range advance.Get(key).Keys() {
				if t := advance.Get(key, n); t.IsMap() {
					out[side+"-service-pool."+n] = r.poolAt(t, side)
				}
			}
		}
		for name, p := range out { // a service pool in the tree replaces the traffic pool
			if n := r.poolNumber(name); n >= 0 && r.serviceAt(side, n) != nil {
				p.Ingress, p.Egress = p.Ingress && side != "ingress", p.Egress && side != "egress"
				out[name] = p
			}
		}
	}
	return out
}

// halves sets both pools of the preset to half of the memory, unless the tree states another size.
func (r *reading) halves(out map[string]ir.Pool, names ...string) {
	for _, name := range names {
		p := out[name]
		p.Ingress, p.Egress, p.Mode = true, true, ir.ByDefault(ir.PoolDynamic)
		if r.set.Get("qos", "traffic-pool", name, "memory-percent") == nil {
			p.Percent = ir.ByDefault(grammar.PresetPool)
		}
		out[name] = p
	}
}

func (r *reading) poolAt(t *grammar.Tree, side string) ir.Pool {
	p := ir.Pool{Ingress: side == "ingress", Egress: side == "egress", Percent: wholeOf(t.Get("memory-percent"), 0, 100)}
	if mode := t.Get("mode"); mode != nil && mode.Value == "static" {
		p.Mode = ir.Of(ir.PoolStatic)
	} else if mode != nil && mode.Value == "dynamic" {
		p.Mode = ir.Of(ir.PoolDynamic)
	}
	var usual ir.Setting[bool]
	if r.whole {
		usual = ir.ByDefault(false)
	}
	p.Infinite = onOr(t.Get("infinite"), usual)
	return p
}

// cable returns the length from which the switch derives headroom. The default of a profile is 10 m, and of the preset 100 m.
func (r *reading) cable(pauses pausing) (metres ir.Setting[int]) {
	if pauses.cos == 0 {
		return metres
	}
	if x := pauses.of.Get("cable-length"); x != nil {
		return wholeOf(x, 1, 100_000)
	}
	if pauses.preset || r.preset && pauses.cos == 1<<grammar.PresetCos && pauses.of == r.set.Get("qos", "pfc", global) {
		if x := r.set.Get("qos", "roce", "cable-length"); x != nil {
			return wholeOf(x, 1, 100_000)
		}
		return ir.ByDefault(grammar.PresetMetres)
	}
	return ir.ByDefault(usualMetres)
}

// usualMetres is the default length of a profile. Source: chapter of 5.x, PFC.
const usualMetres = 10
