package cumulus

import (
	"fmt"
	"maps"
	"math/bits"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/cumulus/grammar"
)

// both returns the content of a switch's classification file that keeps the present lossless classes beside the wanted ones. It returns no
// content for a switch whose present settings are unknown: such a switch gets the wanted settings at once. Former lossless classes no
// longer mark packets.
func both(d *ir.Device, content func(path string) []byte, _ bool) (map[string][]byte, string) {
	rel, doc, _ := documented(d.Switch.Version)
	path := confPath(rel)
	was := read(d, content)
	if was == nil {
		return nil, ""
	}
	r := newReading(d, content)
	j := &joining{settings: lower(d, doc), device: d, was: was, old: buffersOf(r)}
	j.byPort = len(j.byPCP) > 0 || slices.Contains(r.Listed(grammar.Source), groupNames[grammar.Source])
	if why := j.join(doc); why != "" {
		return nil, fmt.Sprintf("%s cannot hold the old and the new lossless classes at the same time: %s.", path, why)
	}
	out, err := edit(content(path), doc, j.settings)
	if err != nil {
		return nil, fmt.Sprintf("%s cannot be edited: %s.", path, err)
	}
	return map[string][]byte{path: out}, ""
}

// joining contains the wanted settings of a switch, to which join adds the former lossless classes.
type joining struct {
	*settings
	device *ir.Device
	was    *ir.Settings
	old    map[string]lossless // by port, as the present file states it
	byPort bool                // some ports have their own trusted fields, in the present file or in the wanted one
}

// join adds the former lossless classes of the fabric's ports; why states the obstacle.
func (j *joining) join(doc grammar.Spelling) (why string) {
	var is, was uint8
	for _, g := range j.pfc {
		is |= uint8(mask(g.cos))
	}
	kept := map[string]*ir.PortSettings{} // by the name of the port
	for _, p := range sorted(j.device.Ports) {
		s := j.was.Port(p.ir.Name)
		switch {
		case s == nil || !s.PausesKnown || s.Lossless() == 0:
			continue
		case s.LinkPause && holds(j.pfc, p.port), !s.LinkPause && holds(j.pause, p.port):
			return "a port uses PFC or link pause"
		case s.LinkPause && len(j.pfc) == 0 && len(j.pause) > 0:
			return "" // under link pause all classes are lossless
		case s.LinkPause && !holds(j.pause, p.port):
			return "it cannot keep link pause where the fabric pauses nothing"
		case s.LinkPause:
			continue // all classes of this port are lossless
		case !s.TrustKnown:
			return "it is not known which header fields the switch trusts"
		case j.byPort && (p.ir.ByPCPAlone() && s.Trust.DSCP || s.Trust == ir.Trust{PCP: true} && p.ir.Trust().DSCP):
			return fmt.Sprintf("port %s trusts %s, and must trust %s", p.ir.Name, s.Trust, p.ir.Trust())
		}
		kept[p.ir.Name] = s
		was |= s.Lossless()
	}
	if why := j.classifyBoth(kept, is, doc); why != "" {
		return why
	}
	j.keepClasses(was &^ is)
	j.share(j.device.Fabric, was&^is)
	return j.groups(kept)
}

// holds reports whether one of the port groups contains a port.
func holds(groups []lossless, port grammar.Port) bool {
	return slices.ContainsFunc(groups, func(g lossless) bool { return slices.Contains(g.ports, port) })
}

// classifyBoth adds the fields and values that identified the former lossless classes.
func (j *joining) classifyBoth(kept map[string]*ir.PortSettings, is uint8, doc grammar.Spelling) (why string) {
	trust := ir.Trust{PCP: j.trustPCP, DSCP: j.trustDSCP}
	if len(j.device.Switch.Intents) == 0 && len(j.pfc) == 0 {
		trust = ir.Trust{} // the fabric needs no field
	}
	seen := map[*ir.PortSettings]bool{}
	dscp, pcp := j.dscp, j.pcp
	for _, name := range slices.Sorted(maps.Keys(kept)) {
		s := kept[name]
		if seen[s] {
			continue
		}
		seen[s] = true
		trust = ir.Trust{PCP: trust.PCP || s.Trust.PCP, DSCP: trust.DSCP || s.Trust.DSCP}
		join := func(to []int, next []int, before []int8) bool {
			for v, cos := range before {
				if cos < 0 || s.Lossless()>>cos&1 == 0 || is>>next[v]&1 == 1 {
					continue
				}
				if to[v] != next[v] && to[v] != int(cos) {
					return false
				}
				to[v] = int(cos)
			}
			return true
		}
		if !join(dscp[:], j.dscp[:], s.DSCP[:]) || !join(pcp[:], j.pcp[:], s.PCP[:]) {
			return "its ports put the same values into different classes"
		}
	}
	if trust.PCP && trust.DSCP && doc.Key(grammar.Switch, grammar.TrustOne) != nil {
		return "a release up to 3.4 trusts one header field"
	}
	if trust != (ir.Trust{}) {
		j.trustPCP, j.trustDSCP = trust.PCP, trust.DSCP
	}
	j.dscp, j.pcp = dscp, pcp
	return ""
}

// keepClasses moves former lossless classes from bulk into service, so that they share the link with RoCE.
func (j *joining) keepClasses(was uint8) {
	var moved []int
	for i := range j.classes {
		if c := &j.classes[i]; c.name == bulk {
			c.cos = slices.DeleteFunc(c.cos, func(cos int) bool {
				keep := was>>cos&1 == 1
				if keep {
					moved = append(moved, cos)
				}
				return keep
			})
		}
	}
	for i := range j.classes {
		if c := &j.classes[i]; c.name == service {
			c.cos = append(c.cos, moved...)
			slices.Sort(c.cos)
		}
	}
}

// groups forms the port groups again. A port with former and new classes gets the sum of both sizes and the smaller xoff, as any port with
// several classes does ([losslessGroups]).
func (j *joining) groups(kept map[string]*ir.PortSettings) (why string) {
	type key struct{ cos, size, xoff, xonDelta int }
	index := map[key]int{}
	var out []lossless
	memory := j.device.Memory()
	most := j.device.Switch.Can.Lossless
	for _, p := range sorted(j.device.Ports) {
		var g lossless
		next := slices.IndexFunc(j.pfc, func(g lossless) bool { return slices.Contains(g.ports, p.port) })
		if next >= 0 {
			g = j.pfc[next]
		}
		before := uint8(0)
		if s := kept[p.ir.Name]; s != nil {
			before = s.Lossless()
		}
		if more := before &^ uint8(mask(g.cos)); more != 0 {
			old := j.old[p.ir.Name]
			size := g.size.N
			holds := uint8(mask(g.cos))&^before == 0 && old.size.N-old.xoff.N >= g.size.N-g.xoff.N // the present buffer has room for all classes
			if old.size.N == 0 && next >= 0 {
				return fmt.Sprintf("port %s leaves the buffer of its lossless classes to the switch, so the buffer that more classes need is unknown",
					p.ir.Name)
			}
			if next < 0 || holds {
				g.size, g.xoff, g.xonDelta = old.size, old.xoff, old.xonDelta
			} else {
				g.size, g.xoff, g.xonDelta = ir.Num{N: g.size.N + old.size.N}, smaller(g.xoff, old.xoff), smaller(g.xonDelta, old.xonDelta)
			}
			memory.Buffers += bits.OnesCount8(more)
			memory.Least += bits.OnesCount8(more) * 2 * p.ir.MTU()
			memory.Lossless += g.size.N - size
			g.cos = cosIn(uint8(mask(g.cos)) | before)
			if n := len(g.cos); n > most { // several classes in one shared buffer lose no packets
				return fmt.Sprintf("port %s would have %d lossless classes, and %s carries %d", p.ir.Name, n,
					j.device.Switch.Model.ASIC.Title, most)
			}
		}
		if len(g.cos) == 0 {
			continue
		}
		k := key{mask(g.cos), g.size.N, g.xoff.N, g.xonDelta.N}
		i, known := index[k]
		if !known {
			i = len(out)
			index[k] = i
			g.name, g.ports = numbered(grammar.PFC, i), nil
			out = append(out, g)
		}
		out[i].ports = append(out[i].ports, p.port)
		j.ports = append(j.ports, p.port)
	}
	if memory.Chip > 0 && !memory.Fits() {
		return fmt.Sprintf("the buffers of the old and the new classes need %d B more than the packet buffer of %s "+
			"has", memory.Least-memory.Shared(),
			j.device.Switch.Model.ASIC.Title)
	}
	j.pfc = out
	slices.SortFunc(j.ports, grammar.Port.Compare)
	j.ports = slices.Compact(j.ports)
	return ""
}
