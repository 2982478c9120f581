// Package reading reads the configuration of a switch that NVUE configures, in every form that people keep.
//
// The input is texts, as package grammar reads them ([grammar.Loose]). The output is their meaning ([ir.Settings]), how much of them is
// understood, and the place of each value.
package reading

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nvue/grammar"
)

// Read returns the settings of a switch of a release with some front ports, from its applied tree. A missing key has NVUE's default, or
// the preset's if the preset is on. An invalid value counts as missing. The tree has headroom only in bytes; otherwise the switch derives
// headroom from the cable length. An undeclared profile is unknown. PFC is unknown if default-global has priorities in addition to the
// preset: the manuals leave open whether one replaces the other. The result is nil if the text is empty or cannot be read. Read never
// fails, whatever the bytes.
func Read(ports []string, release string, content []byte) *ir.Settings {
	if len(content) == 0 {
		return nil
	}
	cfg, err := grammar.Read(content)
	if err != nil {
		return nil
	}
	r := newReading(cfg.Set)
	r.whole = true
	r.release, _ = grammar.ParseRelease(release)
	s := r.settings(ports)
	s.Moment = ir.Running
	return s
}

// ports returns the front ports of the fabric and of the tree. It replaces a bond by its members and a split port by its parts, and omits
// interfaces that do not send traffic by classes.
func (r *reading) ports(known []string) map[string]bool {
	ports := map[string]bool{}
	for name, i := range r.set.Get("interface").MapOf() {
		kind := i.Get("type")
		ports[name] = !kind.IsScalar() || kind.Value != "eth" && kind.Value != "loopback" && !(r.strict && notPorts()[kind.Value])
	}
	for member := range r.bonds {
		ports[member] = true
	}
	for _, bond := range r.bonds {
		ports[bond] = false
	}
	for _, name := range slices.Concat(slices.Collect(maps.Keys(ports)), known) {
		if whole, part, ok := strings.Cut(strings.TrimPrefix(name, "swp"), "s"); ok && part != "" {
			ports["swp"+whole] = false
		}
	}
	for _, name := range known {
		ports[name] = true
	}
	maps.DeleteFunc(ports, func(_ string, is bool) bool { return !is })
	return ports
}

// notPorts are the types of interfaces that are not front ports.
var notPorts = sync.OnceValue(func() map[string]bool {
	return map[string]bool{"svi": true, "sub": true, "vrr": true, "bond": true, "peerlink": true}
})

// reading is a tree that is being read.
type reading struct {
	set           *grammar.Tree
	bonds         map[string]string
	preset, lossy bool
	mode          string          // mode of the preset; empty: the preset is off, or its mode is unknown
	release       grammar.Release // zero: unknown
	whole         bool            // missing keys have the system's default
	strict        bool            // invalid values are unknown; otherwise they count as missing
	queue         [8]int          // -1: unknown
	alike         map[kind]*ir.PortSettings
	same          map[ir.PortSettings]*ir.PortSettings
}

// kind has the profiles and own values of a port. Ports of one kind have equal settings.
type kind struct {
	bound
	speed  ir.Setting[int64]
	mtu    ir.Setting[int]
	dog    ir.Setting[ir.WatchdogAction]
	shares bool // the port shares headroom with other ports
}

// The names in a factory's tree.
const (
	global       = grammar.DefaultGlobal
	poolLossless = "default-lossless"
	poolLossy    = "default-lossy"
)

// presetMarking is the marking of the preset.
var presetMarking = ir.Marking{Min: grammar.PresetMin, Max: grammar.PresetMax, Probability: grammar.PresetProbability}

// bound has the profiles of a port; empty: default-global.
type bound struct{ mapping, pfc, pause, ecn, scheduler, remark, shaper string }

func newReading(set *grammar.Tree) *reading {
	r := &reading{
		set: set, bonds: grammar.Bonds(set), alike: map[kind]*ir.PortSettings{}, same: map[ir.PortSettings]*ir.PortSettings{},
		preset: grammar.PresetIsOn(set), lossy: grammar.PresetIsLossy(set),
	}
	if r.preset {
		r.mode = "lossless"
		if mode := set.Get("qos", "roce", "mode"); mode != nil {
			r.mode = mode.Value
		}
	}
	return r
}

// settings reads the known ports and the ports of the tree.
func (r *reading) settings(known []string) *ir.Settings {
	r.queues()
	s := &ir.Settings{Rest: r.port(kind{dog: r.watchdog("")}), Ports: map[string]*ir.PortSettings{}}
	for name := range r.ports(known) {
		s.Ports[name] = r.port(r.kindOf(name))
	}
	s.Pools, s.System.Preset = r.pools(), r.presetName()
	return s
}

func (r *reading) boundOf(name string) bound {
	if b := r.bonds[name]; b != "" {
		name = b
	}
	qos := r.set.Get("interface", name, "qos")
	of := func(table string) string {
		t := qos.Get(table, "profile")
		switch {
		case r.strict && t != nil && (!t.IsScalar() || t.Bad || !grammar.IsProfile(t.Value)):
			return undeclared
		case !t.IsScalar() || t.Value == global:
			return ""
		}
		return t.Value
	}
	return bound{
		of("mapping"), of("pfc"), of("link-pause"), of("congestion-control"), of("egress-scheduler"), of("remark"), of("egress-shaper"),
	}
}

// undeclared is the name of any undeclared profile.
const undeclared = "?"

// usual reports whether the missing values of a profile have their default. In a part of a tree, they may be set elsewhere.
func (r *reading) usual(name string) bool { return r.whole || name != "" || r.preset }

// profile returns a profile of a table. declared is false if a port has a profile that the tree does not declare.
func (r *reading) profile(table, name string) (t *grammar.Tree, declared bool) {
	t = r.set.Get("qos", table, cmp.Or(name, global))
	if t != nil && r.strict && !t.IsMap() {
		return nil, false
	}
	return t, t != nil || name == "" && r.usual(name)
}

// queues reads the traffic class of every priority.
func (r *reading) queues() {
	for cos := range r.queue {
		r.queue[cos] = grammar.Queue(r.set, cos)
		if x := r.queueAt(cos); r.strict {
			if n, ok := grammar.Whole(x); x != nil && (!ok || n > 7) || x == nil && !r.usual("") {
				r.queue[cos] = -1
			}
		}
	}
}

func (r *reading) queueAt(cos int) *grammar.Tree {
	return r.set.Get("qos", "egress-queue-mapping", global, "switch-priority", strconv.Itoa(cos), "traffic-class")
}

func (r *reading) port(k kind) *ir.PortSettings {
	if p := r.alike[k]; p != nil {
		return p
	}
	p := ir.UnknownPort()
	r.maps(&p, k.mapping)
	pauses := r.pauses(&p, k.bound)
	r.marks(&p, k.ecn)
	r.schedule(&p, k.scheduler)
	p.Detail = r.detail(k, pauses)
	if r.same[p] == nil {
		r.same[p] = &p
	}
	r.alike[k] = r.same[p]
	return r.same[p]
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
	if v := t.Get("trust"); v.IsScalar() || r.strict && v != nil {
		trust = v.Value
	} else if !r.usual(name) {
		trust = ""
	}
	switch trust {
	case "l2", "l3", "both", "port":
		p.TrustKnown = true
		p.Trust = ir.Trust{PCP: trust == "l2" || trust == "both", DSCP: trust == "l3" || trust == "both"}
	}
	fill := func(to []int8, field string, usual func(v int) int) {
		for v := range to {
			if to[v] = -1; r.usual(name) {
				to[v] = int8(usual(v))
			}
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

// pausing is the profile by which a port pauses.
type pausing struct {
	cos    uint8         // the priorities that are lossless by the profile
	of     *grammar.Tree // nil: only the preset pauses
	link   bool
	preset bool // the preset pauses, and no profile does
	known  bool
}

// pauses reads PFC and link pause. Settings that a profile leaves open are on.
func (r *reading) pauses(p *ir.PortSettings, b bound) (x pausing) {
	pfc, okPFC := r.profile("pfc", b.pfc)
	pause, okPause := r.profile("link-pause", b.pause)
	if r.strict && b.pfc != "" && b.pause == "" && pause == nil && !r.whole { // a part about PFC has no information about link pause
		okPause = true
	}
	if !okPFC || !okPause {
		return x
	}
	priorities := pfc.Get("switch-priority")
	p.PausesKnown = !r.strict || priorities == nil || priorities.IsMap()
	x.cos, x.of = grammar.Digits(priorities), pfc
	if r.preset && b.pfc == "" && r.strict && r.modeOpen() {
		p.PausesKnown = false
	} else if r.preset && !r.lossy && b.pfc == "" {
		p.PausesKnown = p.PausesKnown && (x.cos == 0 || x.cos == 1<<grammar.PresetCos)
		x.preset = x.cos == 0
		x.cos |= 1 << grammar.PresetCos
	}
	if x.cos == 0 && pause != nil {
		x.cos, x.of, x.link, p.LinkPause = 0xff, pause, true, true
	}
	x.known = p.PausesKnown
	if x.cos == 0 {
		return x
	}
	if on, ok := r.on(p, x.of.Get("tx")); on || !ok {
		p.Sends = x.cos
	}
	if on, ok := r.on(p, x.of.Get("rx")); on || !ok {
		p.Obeys = x.cos
	}
	buffer, ok := grammar.Whole(x.of.Get("port-buffer"))
	xoff, is := grammar.Whole(x.of.Get("xoff-threshold"))
	if ok && is {
		p.Headroom = max(buffer-xoff, 0)
	}
	return x
}

// on reads a switch of pauses. An invalid value is unknown.
func (r *reading) on(p *ir.PortSettings, t *grammar.Tree) (on, ok bool) {
	if on, ok = grammar.On(t); t != nil && !ok && r.strict {
		p.PausesKnown = false
	}
	return on, ok
}

// marks reads which priorities are marked. Thresholds are those of the lowest marked priority. The marks of the factory apply if
// default-global has no class at all (OpenAPI document of 5.3, defaults of congestion-control).
func (r *reading) marks(p *ir.PortSettings, name string) {
	t, declared := r.profile("congestion-control", name)
	if !declared {
		return
	}
	if r.strict && t.Get("traffic-class") != nil && !t.Get("traffic-class").IsMap() {
		return
	}
	for cos, q := range r.queue {
		if q < 0 {
			continue
		}
		usual := r.usual(name) && name == "" && len(t.Get("traffic-class").MapOf()) == 0 && (q == 0 || r.preset && q == grammar.PresetCos)
		x := t.Get("traffic-class", strconv.Itoa(q))
		on, stated := grammar.On(x.Get("ecn"))
		if !stated {
			on = usual || r.strict && x.IsMap() && x.Get("ecn") == nil // chapter of 5.x: a listed class marks
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
			if mode := x.Get("mode"); mode.IsScalar() && mode.Value == "relative" { // relative to the free memory, so not in bytes
				p.Marking = ir.Marking{}
			}
		}
		p.Marks |= 1 << cos
	}
}

// schedule reads shares. A class that is missing in a profile has share 0. The factory's shares alternate between 12 and 13 %.
func (r *reading) schedule(p *ir.PortSettings, name string) {
	t, declared := r.profile("egress-scheduler", name)
	if !declared {
		return
	}
	classes := t.Get("traffic-class")
	if r.strict && classes != nil && !classes.IsMap() {
		return
	}
	for cos, q := range r.queue {
		if q < 0 {
			continue
		}
		x := classes.Get(strconv.Itoa(q))
		mode, percent := x.Get("mode"), 0
		strict := mode.IsScalar() && mode.Value == "strict"
		switch {
		case x != nil:
			percent, _ = grammar.Whole(x.Get("bw-percent"))
		case len(classes.MapOf()) > 0 || name != "" || !r.usual(name):
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
