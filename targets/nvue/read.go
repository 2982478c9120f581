package nvue

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nvue/grammar"
)

// Read gives how a switch is set, as its tree says it, with the defaults of NVUE where a key is not set, and those of the preset where
// that is on. Of headroom the tree tells no more than what it states in bytes: what the switch derives from a cable's length is read
// elsewhere. What is not known of a port: where it has a profile that the tree does not declare, and what a set of priorities of
// default-global comes to beside the preset, since no manual says whether the one replaces the other. Nil: the text cannot be read, or
// there is none. It never fails, whatever the bytes.
func Read(d *ir.Device, content []byte) *ir.Settings {
	if len(content) == 0 {
		return nil
	}
	cfg, err := grammar.Read(content)
	if err != nil {
		return nil
	}
	r := &reading{
		set: cfg.Set, bonds: grammar.Bonds(cfg.Set), alike: map[bound]ir.PortSettings{},
		preset: grammar.PresetIsOn(cfg.Set), lossy: grammar.PresetIsLossy(cfg.Set),
	}
	r.queues()
	rest := r.port(bound{})
	s := &ir.Settings{Rest: &rest}
	for name := range r.ports(d) {
		s.Set(name, r.port(r.boundOf(name)))
	}
	return s
}

// ports names the front ports: those of the fabric, and those of the tree. A bond is its members, a port that is split is its parts, and
// what sends no traffic by classes is none.
func (r *reading) ports(d *ir.Device) map[string]bool {
	ports := map[string]bool{}
	for name, i := range r.set.Get("interface").MapOf() {
		kind := i.Get("type")
		ports[name] = !kind.IsScalar() || kind.Value != "eth" && kind.Value != "loopback"
	}
	for member := range r.bonds {
		ports[member] = true
	}
	for _, bond := range r.bonds {
		ports[bond] = false
	}
	for _, name := range slices.Concat(slices.Collect(maps.Keys(ports)), names(d.Ports)) {
		if whole, part, ok := strings.Cut(strings.TrimPrefix(name, "swp"), "s"); ok && part != "" {
			ports["swp"+whole] = false
		}
	}
	for _, p := range d.Ports {
		ports[p.Name] = true
	}
	maps.DeleteFunc(ports, func(_ string, is bool) bool { return !is })
	return ports
}

func names(ports []*ir.Port) (out []string) {
	for _, p := range ports {
		out = append(out, p.Name)
	}
	return out
}

// Adaptive names the interfaces that choose among equal ways by their load, in the spelling of any release, in natural order; none where
// the switch as a whole does not. rocec reads that, and never writes it: a change of it restarts switchd up to 5.12.
func Adaptive(content []byte) []string {
	cfg, err := grammar.Read(content)
	if err != nil {
		return nil
	}
	on := func(t *grammar.Tree) bool {
		t = t.Get("router", "adaptive-routing")
		a, _ := grammar.On(t.Get("enable"))
		b, _ := grammar.On(t.Get("state"))
		return a || b
	}
	if !on(cfg.Set) {
		return nil
	}
	var out []string
	interfaces := cfg.Set.Get("interface")
	for _, i := range interfaces.Keys() {
		if on(interfaces.Get(i)) {
			out = append(out, i)
		}
	}
	return out
}

// reading is a tree that is being read.
type reading struct {
	set           *grammar.Tree
	bonds         map[string]string
	preset, lossy bool
	queue         [8]int
	alike         map[bound]ir.PortSettings
}

// bound is the profiles of a port; empty: default-global.
type bound struct{ mapping, pfc, pause, ecn, scheduler string }

func (r *reading) boundOf(name string) bound {
	if b := r.bonds[name]; b != "" {
		name = b
	}
	qos := r.set.Get("interface", name, "qos")
	of := func(table string) string {
		t := qos.Get(table, "profile")
		if !t.IsScalar() || t.Value == global {
			return ""
		}
		return t.Value
	}
	return bound{of("mapping"), of("pfc"), of("link-pause"), of("congestion-control"), of("egress-scheduler")}
}

// profile gives a profile of a table: declared is false where a port has one that the tree does not declare.
func (r *reading) profile(table, name string) (t *grammar.Tree, declared bool) {
	if name == "" {
		return r.set.Get("qos", table, global), true
	}
	t = r.set.Get("qos", table, name)
	return t, t != nil
}

// queues notes the traffic class of every priority.
func (r *reading) queues() {
	for cos := range r.queue {
		r.queue[cos] = grammar.Queue(r.set, cos)
	}
}

func (r *reading) port(b bound) ir.PortSettings {
	if p, ok := r.alike[b]; ok {
		return p
	}
	p := ir.UnknownPort()
	r.maps(&p, b.mapping)
	r.pauses(&p, b)
	r.marks(&p, b.ecn)
	r.schedule(&p, b.scheduler)
	r.alike[b] = p
	return p
}

func (r *reading) maps(p *ir.PortSettings, name string) {
	t, declared := r.profile("mapping", name)
	if !declared {
		return
	}
	trust := "l2" // the factory's
	if r.preset && name == "" {
		trust = "both"
	}
	if v := t.Get("trust"); v.IsScalar() {
		trust = v.Value
	}
	switch trust {
	case "l2", "l3", "both", "port":
		p.TrustKnown = true
		p.Trust = ir.Trust{PCP: trust == "l2" || trust == "both", DSCP: trust == "l3" || trust == "both"}
	}
	fill := func(to []int8, field string, usual func(v int) int) {
		for v := range to {
			to[v] = int8(usual(v))
			if x := t.Get(field, strconv.Itoa(v), "switch-priority"); x != nil {
				to[v] = -1
				if cos, ok := grammar.Whole(x); ok && cos < 8 {
					to[v] = int8(cos)
				}
			}
		}
	}
	fill(p.PCP[:], "pcp", func(v int) int { return v })
	fill(p.DSCP[:], "dscp", func(v int) int { return v / 8 })
}

// pauses notes PFC and link pause; what a profile leaves open is on.
func (r *reading) pauses(p *ir.PortSettings, b bound) {
	pfc, okPFC := r.profile("pfc", b.pfc)
	pause, okPause := r.profile("link-pause", b.pause)
	if !okPFC || !okPause {
		return
	}
	p.PausesKnown = true
	cos := grammar.Digits(pfc.Get("switch-priority"))
	if r.preset && !r.lossy && b.pfc == "" {
		p.PausesKnown = cos == 0 || cos == 1<<grammar.PresetCos
		cos |= 1 << grammar.PresetCos
	}
	of := pfc
	if cos == 0 && pause != nil {
		cos, of, p.LinkPause = 0xff, pause, true
	}
	if cos == 0 {
		return
	}
	if on, ok := grammar.On(of.Get("tx")); on || !ok {
		p.Sends = cos
	}
	if on, ok := grammar.On(of.Get("rx")); on || !ok {
		p.Obeys = cos
	}
	buffer, ok := grammar.Whole(of.Get("port-buffer"))
	xoff, is := grammar.Whole(of.Get("xoff-threshold"))
	if ok && is {
		p.Headroom = max(buffer-xoff, 0)
	}
}

// marks notes which priorities are marked. Thresholds are those of the lowest of them. What the factory marks counts where default-global
// states no class at all (OpenAPI document of 5.3, defaults of congestion-control).
func (r *reading) marks(p *ir.PortSettings, name string) {
	t, declared := r.profile("congestion-control", name)
	if !declared {
		return
	}
	for cos, q := range r.queue {
		usual := name == "" && len(t.Get("traffic-class").MapOf()) == 0 && (q == 0 || r.preset && q == grammar.PresetCos)
		x := t.Get("traffic-class", strconv.Itoa(q))
		on, stated := grammar.On(x.Get("ecn"))
		if !stated {
			on = usual
		}
		if !on {
			continue
		}
		if p.Marks == 0 {
			p.Marking = presetMarking
			for _, f := range []struct {
				key string
				to  *int
			}{{"min-threshold", &p.Marking.Min}, {"max-threshold", &p.Marking.Max}, {"probability", &p.Marking.Probability}} {
				if n, ok := grammar.Whole(x.Get(f.key)); ok {
					*f.to = n
				}
			}
			if mode := x.Get("mode"); mode.IsScalar() && mode.Value == "relative" { // of what is free, so not in bytes
				p.Marking = ir.Marking{}
			}
		}
		p.Marks |= 1 << cos
	}
}

// schedule notes shares. A class that a profile does not list has none; the factory's are 12 and 13 % in turn.
func (r *reading) schedule(p *ir.PortSettings, name string) {
	t, declared := r.profile("egress-scheduler", name)
	if !declared {
		return
	}
	classes := t.Get("traffic-class")
	for cos, q := range r.queue {
		x := classes.Get(strconv.Itoa(q))
		mode, percent := x.Get("mode"), 0
		strict := mode.IsScalar() && mode.Value == "strict"
		switch {
		case x != nil:
			percent, _ = grammar.Whole(x.Get("bw-percent"))
		case len(classes.MapOf()) > 0 || name != "":
		case r.preset:
			strict, percent = q == grammar.PresetCNP, grammar.PresetPercent
		default:
			percent = 12 + q%2
		}
		switch {
		case strict:
			p.Strict |= 1 << cos
		case percent <= 100:
			p.Share[cos] = uint8(percent)
		}
	}
}
