package nvue

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/cumulus"
	"github.com/rocec/rocec/targets/nvue/grammar"
)

// editor changes one tree into the wanted one.
type editor struct {
	*settings
	w      *Wish
	set    *grammar.Tree
	longer bool              // the tree has the words enabled and disabled in place of enable and disable
	bonds  map[string]string // member -> bond
	fabric map[string]bool   // the ports of the fabric, and their bonds
	keeps  bool              // the preset stays
}

func (w *Wish) editor(set *grammar.Tree) *editor {
	e := &editor{settings: w.lower(), w: w, set: set, bonds: grammar.Bonds(set), fabric: map[string]bool{}}
	for _, p := range e.ports {
		e.fabric[p.name] = true
		e.fabric[e.holder(p.name)] = true
	}
	e.longer = spellsLonger(set)
	e.keeps = grammar.PresetIsOn(set) && w.preset != ReplacePreset
	return e
}

// holder returns the interface that has a port's settings of QoS: its bond, or the port. NVUE refuses such settings on members of bonds.
func (e *editor) holder(port string) string {
	if b := e.bonds[port]; b != "" {
		return b
	}
	return port
}

// spellsLonger reports whether a tree has enabled and disabled as values of switches in profiles. The manuals from 5.15 on print both
// forms.
func spellsLonger(set *grammar.Tree) bool {
	for _, table := range []string{"pfc", "link-pause", "congestion-control"} {
		longer := false
		if t := set.Get("qos", table); t.IsMap() {
			t.Leaves(func(l grammar.Leaf) { longer = longer || l.Value == "enabled" || l.Value == "disabled" })
		}
		if longer {
			return true
		}
	}
	for _, t := range set.Get("interface").MapOf() {
		if v := t.Get("qos", "pfc-watchdog", "state"); v != nil && (v.Value == "enabled" || v.Value == "disabled") {
			return true
		}
	}
	return false
}

// wish is one setting.
type wish struct {
	path  []string
	value *grammar.Tree
	why   []ir.Origin
}

func number(n int) *grammar.Tree { return grammar.Number(strconv.Itoa(n)) }

func (e *editor) onOff(m grammar.Meaning, on bool) *grammar.Tree {
	w := e.Word(m, on)
	if e.longer && strings.HasSuffix(w, "able") {
		w += "d"
	}
	return grammar.Text(w)
}

// wishes returns all settings of the tree that rocec wants; their order has no meaning. A setting whose path the release lacks is
// omitted.
func (e *editor) wishes() []wish {
	var out []wish
	put := func(value *grammar.Tree, why []ir.Origin, m grammar.Meaning, names ...string) {
		path := e.Path(m, names...)
		if path == nil {
			return
		}
		if e.Row(m).Kind == grammar.Set { // the last name is the member of the set
			path = append(path, names[len(names)-1])
		}
		out = append(out, wish{path, value, why})
	}
	if !e.keeps {
		e.wishMaps(put)
		e.wishQueues(put)
		e.wishProfiles(put)
	}
	bound := map[string]bool{}
	for _, p := range e.ports {
		holder := e.holder(p.name)
		if p.lossless >= 0 {
			put(e.onOff(grammar.PortWatchdog, true), e.profiles[p.lossless].why, grammar.PortWatchdog, p.name)
		}
		if e.keeps || bound[holder] {
			continue
		}
		bound[holder] = true
		if f := e.boundTo(holder, p); f >= 0 {
			m := grammar.PortPFC
			if e.profiles[f].pause {
				m = grammar.PortPause
			}
			put(grammar.Text(e.profiles[f].name), e.profiles[f].why, m, holder)
		}
		put(grammar.Text(egressProfile), nil, grammar.PortScheduler, holder)
		if p.ecn >= 0 {
			put(grammar.Text(e.ecn[p.ecn].name), e.ecn[p.ecn].why, grammar.PortECN, holder)
		}
		if p.byPCP {
			put(grammar.Text(pcpProfile), e.trustWhy, grammar.PortMapping, holder)
		}
	}
	return out
}

// boundTo returns the profile for an interface: the profile of its port, or for a bond the member profile with the most headroom. Where
// the switch derives headroom, this is the profile for the longest cable.
func (e *editor) boundTo(holder string, p port) int {
	best := p.lossless
	if holder == p.name {
		return best
	}
	for _, q := range e.ports {
		if e.holder(q.name) == holder && q.lossless >= 0 && (best < 0 || e.profiles[q.lossless].roomier(&e.profiles[best])) {
			best = q.lossless
		}
	}
	return best
}

// roomier reports whether a profile keeps more headroom than another one. If both have stated sizes, the sizes decide.
func (f *profile) roomier(than *profile) bool {
	if f.sizes != nil && than.sizes != nil {
		if c := cmp.Compare(f.sizes.buffer-f.sizes.xoff, than.sizes.buffer-than.sizes.xoff); c != 0 {
			return c > 0
		}
	}
	return f.metres > than.metres
}

// egressProfile divides the links of the fabric's ports. It is separate from default-global, whose classes have shares from the factory
// if no share is set. In default-global, classes that rocec omits would keep these in addition to rocec's shares.
const egressProfile = Prefix + "egress"

// pcpProfile is the map of ports that trust only PCP on a switch that otherwise trusts both fields.
const pcpProfile = Prefix + "pcp"

type putter func(value *grammar.Tree, why []ir.Origin, m grammar.Meaning, names ...string)

func (e *editor) wishMaps(put putter) {
	trust := e.trust
	if have := e.set.Get("qos", "mapping", global, "trust"); e.spare && (have.IsScalar() && have.Value == "both") {
		trust = "both"
	}
	put(grammar.Text(trust), e.trustWhy, grammar.Trust, global)
	profiles := []string{global}
	if slices.ContainsFunc(e.ports, func(p port) bool { return p.byPCP }) {
		put(grammar.Text("l2"), e.trustWhy, grammar.Trust, pcpProfile)
		profiles = append(profiles, pcpProfile)
	}
	for _, profile := range profiles {
		for v, cos := range e.pcp {
			put(number(cos), e.mapWhy[cos], grammar.MapPCP, profile, strconv.Itoa(v))
		}
		for v, cos := range e.dscp {
			put(number(cos), e.mapWhy[cos], grammar.MapDSCP, profile, strconv.Itoa(v))
		}
		put(number(e.plain), nil, grammar.PortDefault, profile)
	}
}

func (e *editor) wishQueues(put putter) {
	for cos, q := range e.queue {
		put(number(q), e.share[q].Why, grammar.QueueOf, strconv.Itoa(cos))
	}
	for q, x := range e.share {
		if x.Strict {
			put(grammar.Text("strict"), x.Why, grammar.QueueMode, egressProfile, strconv.Itoa(q))
			continue
		}
		put(grammar.Text("dwrr"), x.Why, grammar.QueueMode, egressProfile, strconv.Itoa(q))
		put(number(x.Percent), x.Why, grammar.QueuePercent, egressProfile, strconv.Itoa(q))
	}
}

func (e *editor) wishProfiles(put putter) {
	if len(e.profiles) > 0 {
		put(number(cumulus.PoolPercent), nil, grammar.PoolPercent, poolLossless)
		put(number(cumulus.PoolPercent), nil, grammar.PoolPercent, poolLossy)
	}
	for _, f := range e.profiles {
		sends, obeys, cable := grammar.PFCSends, grammar.PFCObeys, grammar.PFCCable
		buffer, xoff, xon := grammar.PFCBuffer, grammar.PFCXoff, grammar.PFCXonDelta
		if f.pause {
			sends, obeys, cable = grammar.PauseSends, grammar.PauseObeys, grammar.PauseCable
			buffer, xoff, xon = grammar.PauseBuffer, grammar.PauseXoff, grammar.PauseXonDelta
		} else {
			for m := f.cos; m != 0; m &= m - 1 {
				put(grammar.Map(), f.why, grammar.PFCPriority, f.name, strconv.Itoa(bits.TrailingZeros8(m)))
			}
		}
		put(e.onOff(sends, true), f.why, sends, f.name)
		put(e.onOff(obeys, true), f.why, obeys, f.name)
		put(number(f.metres), f.why, cable, f.name)
		if f.sizes != nil {
			put(number(f.sizes.buffer), f.why, buffer, f.name)
			put(number(f.sizes.xoff), f.why, xoff, f.name)
			put(number(f.sizes.xonDelta), f.why, xon, f.name)
		}
	}
	for _, m := range e.ecn {
		for q, at := range m.at {
			if at == (ir.Marking{}) {
				continue
			}
			tc := strconv.Itoa(q)
			put(e.onOff(grammar.ECNOn, true), m.why, grammar.ECNOn, m.name, tc)
			put(e.onOff(grammar.REDOn, false), m.why, grammar.REDOn, m.name, tc) // by the OpenAPI of 5.3, red is on by default and drops early
			put(number(at.Min), m.why, grammar.ECNMin, m.name, tc)
			put(number(at.Max), m.why, grammar.ECNMax, m.name, tc)
			put(number(at.Probability), m.why, grammar.ECNProbability, m.name, tc)
		}
	}
}

// The memory pools without the preset.
const (
	poolLossless = cumulus.PoolLossless
	poolLossy    = cumulus.PoolLossy
)

// owns reports whether rocec removes a setting when it is not wanted.
func (e *editor) owns(path []string) bool {
	at := func(i int) string {
		if i < len(path) {
			return path[i]
		}
		return ""
	}
	switch at(0) {
	case "qos":
		switch name := at(2); at(1) {
		case "mapping", "remark", "pfc", "link-pause":
			return name == global || mine(name)
		case "egress-queue-mapping":
			return name == global
		case "congestion-control", "egress-scheduler":
			return mine(name)
		case "traffic-pool":
			half := (name == poolLossless || name == poolLossy) && at(3) == "memory-percent"
			return !e.keeps && len(e.profiles) > 0 && (half || name == "roce-lossless" || name == "roce-lossy")
		case "roce":
			return !e.keeps
		}
	case "interface":
		if at(2) != "qos" {
			return false
		}
		switch at(3) {
		case "mapping", "remark", "pfc", "link-pause", "congestion-control", "egress-scheduler":
			if e.fabric[at(1)] {
				return true
			}
			v := e.set.Get(path...)
			return v.IsScalar() && mine(v.Value)
		case "pfc-watchdog":
			return e.fabric[at(1)] || e.pausesByMine(at(1)) // NVUE refuses a watchdog on a port that does not pause
		}
	}
	return false
}

// pausesByMine reports whether an interface, or its bond, has a profile of rocec's for PFC or link pause. The interface may no longer be
// a port of the fabric.
func (e *editor) pausesByMine(name string) bool {
	for _, table := range []string{"pfc", "link-pause"} {
		if v := e.set.Get("interface", e.holder(name), "qos", table, "profile"); v.IsScalar() && mine(v.Value) {
			return true
		}
	}
	return false
}

// edit changes a configuration into the wanted one. If an edit could do harm, edit returns errors that say why, and the configuration may
// be half changed.
func (w *Wish) edit(cfg *grammar.Config) diag.List {
	e := w.editor(cfg.Set)
	ds := e.refuses(cfg.Unset)
	if ds.HasErrors() {
		return ds
	}
	wishes := e.wishes()
	wanted := make(map[string]bool, len(wishes))
	for _, x := range wishes {
		wanted[grammar.Spell(x.path)] = true
	}
	var gone [][]string
	for _, top := range []string{"qos", "interface"} {
		t := cfg.Set.Get(top)
		if !t.IsMap() {
			continue
		}
		t.Leaves(func(l grammar.Leaf) {
			path := append([]string{top}, l.Path...)
			if e.owns(path) && !wanted[grammar.Spell(path)] {
				gone = append(gone, path)
			}
		})
	}
	for _, path := range gone {
		keep := 0
		if path[0] == "interface" {
			keep = 2 // an interface is a setting even without further settings
		}
		cfg.Set.Delete(path, keep)
	}
	for _, x := range wishes {
		have := cfg.Set.Get(x.path...)
		if same(have, x.value) {
			continue
		}
		if !cfg.Set.Put(x.path, x.value) {
			topicTree.Errorf(&ds, w.device.At, "The configuration of %s cannot be edited: something above %s is a value, where NVUE has "+
				"a mapping.", w.device.Name, grammar.Spell(x.path))
			return ds
		}
	}
	return ds
}

// same reports whether two values have the same meaning: a switch that is on in any spelling, or a number with or without quotes.
func same(have, want *grammar.Tree) bool {
	if have == nil || have.Equal(want) {
		return have != nil
	}
	if a, ok := grammar.On(have); ok {
		b, is := grammar.On(want)
		return is && a == b
	}
	a, ok := grammar.Whole(have)
	b, is := grammar.Whole(want)
	return ok && is && a == b || have.IsScalar() && want.IsScalar() && have.Value == want.Value
}

// refuses reports why a tree must not be edited.
func (e *editor) refuses(unset *grammar.Tree) (ds diag.List) {
	d := e.w.device
	if paths := grammar.QoSOf(unset); len(paths) > 0 {
		topicTree.Errorf(&ds, d.At, "The configuration of %s cannot be edited: it unsets %s, so it is a patch and not an applied tree.",
			d.Name, diag.Escape(paths[0]))
		return ds
	}
	if e.keeps {
		e.judgePreset(&ds)
	} else if len(e.profiles) > 0 {
		e.judgePools(&ds)
	}
	e.judgeBeside(&ds)
	of := map[string]port{}
	for _, p := range e.ports {
		holder := e.holder(p.name)
		if holder == p.name {
			continue
		}
		first, ok := of[holder]
		if !ok {
			of[holder] = p
			continue
		}
		alike := first.ecn == p.ecn && first.byPCP == p.byPCP && (first.lossless < 0) == (p.lossless < 0)
		if alike && p.lossless >= 0 {
			a, b := e.profiles[first.lossless], e.profiles[p.lossless]
			alike = a.cos == b.cos && a.pause == b.pause && (a.sizes == nil) == (b.sizes == nil)
		}
		if !alike {
			topicBond.Errorf(&ds, d.At, "On %s, %s and %s are in the bond %s, and the fabric wants different settings for them. NVUE has "+
				"settings of QoS only for the whole bond. Give all its cables the same settings.",
				d.Name, first.name, p.name, diag.Escape(holder))
			return ds
		}
	}
	return ds
}

// judgePools refuses a tree in which other pools leave less memory than rocec's two halves need.
func (e *editor) judgePools(ds *diag.List) {
	sum := 0
	var others []string
	for name, t := range e.set.Get("qos", "traffic-pool").MapOf() {
		if name == poolLossless || name == poolLossy || name == "roce-lossless" || name == "roce-lossy" {
			continue
		}
		if n, ok := grammar.Whole(t.Get("memory-percent")); ok && n > 0 {
			sum += n
			others = append(others, fmt.Sprintf("%s with %d %%", diag.Escape(name), n))
		}
	}
	if sum == 0 {
		return
	}
	slices.Sort(others)
	topicPools.Errorf(ds, e.w.device.At, "On %s, qos.traffic-pool has %s. Lossless traffic needs half of the memory in %s, and %s takes the "+
		"other half, so the pools would add up to more than 100 %%. Remove memory-percent of the other pool, or set the switch by hand.",
		e.w.device.Name, diag.And(others), poolLossless, poolLossy)
}

// origins returns the reasons for every setting of a tree that is written from nothing.
func (s *settings) origins() map[string][]ir.Origin {
	e := &editor{settings: s, set: grammar.Map(), fabric: map[string]bool{}}
	out := map[string][]ir.Origin{}
	for _, x := range e.wishes() {
		out[grammar.Spell(x.path)] = x.why
	}
	return out
}
