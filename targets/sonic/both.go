package sonic

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// Both gives the state of a switch that is lossless as it was and as it is to be, by its path; not says, in a sentence, why it cannot hold
// both. Classes that are on their way out mark no packets any more.
func Both(d *ir.Device, content func(path string) []byte, _ bool) (files map[string][]byte, not string) {
	w, _ := For(d)
	was := Read(d, content(Path))
	if w == nil || was == nil {
		return nil, ""
	}
	joined, why := w.lower().joined(d, was)
	if why != "" {
		return nil, "The tables of SONiC cannot hold what is lossless and what becomes so at the same time: " + why + "."
	}
	out, ds := (&Wish{device: d, lower: func() *settings { return joined }}).Edit(content(Path))
	if ds.HasErrors() {
		i := slices.IndexFunc(ds, func(d *diag.Diagnostic) bool { return d.Severity == diag.Error })
		return nil, "The configuration cannot be edited: " + ds[i].Detail
	}
	return map[string][]byte{Path: out}, ""
}

// joined is the settings with what was lossless on the fabric's ports added; why says what is in the way.
func (s *settings) joined(d *ir.Device, was *ir.Settings) (out *settings, why string) {
	j := *s
	j.ports = slices.Clone(s.ports)
	is, before := uint8(0), uint8(0)
	for _, g := range d.Fabric.CosGroups {
		if g.Lossless {
			is |= 1 << g.Cos
		}
	}
	for i := range j.ports {
		p := &j.ports[i]
		have := was.Port(p.Name)
		if have == nil || !have.PausesKnown || have.Lossless() == 0 {
			continue
		}
		switch {
		case !have.TrustKnown:
			return nil, "it is not known which header field port " + p.Name + " goes by"
		case have.Trust.DSCP && p.byPCP, have.Trust.PCP && !p.byPCP:
			return nil, "port " + p.Name + " goes by one header field and is to go by another"
		case have.Lossless()&(1<<lossyGroup) != 0:
			return nil, "class 0 is lossless, and lossy traffic shares its priority group"
		}
		if why := j.joinMaps(s, have, is); why != "" {
			return nil, why
		}
		before |= have.Lossless()
		p.lossless |= have.Lossless()
		if n := bits.OnesCount8(p.lossless); n > d.Switch.Can.Lossless {
			return nil, fmt.Sprintf("port %s would have %d lossless classes, and %s carries %d", p.Name, n, d.Switch.Model.ASIC.Title,
				d.Switch.Can.Lossless)
		}
	}
	for cos := range j.group {
		if before>>cos&1 == 1 {
			j.group[cos] = cos
		}
	}
	j.schedule(d.Fabric, before&^is)
	return &j, ""
}

// joinMaps keeps the values that told what was lossless, unless they tell what becomes so. Ports have one map of each field.
func (s *settings) joinMaps(next *settings, have *ir.PortSettings, is uint8) (why string) {
	join := func(to, after []int, before []int8) bool {
		for v, cos := range before {
			if cos < 0 || have.Lossless()>>cos&1 == 0 || is>>after[v]&1 == 1 {
				continue
			}
			if to[v] != after[v] && to[v] != int(cos) {
				return false
			}
			to[v] = int(cos)
		}
		return true
	}
	if !join(s.dscp[:], next.dscp[:], have.DSCP[:]) || !join(s.pcp[:], next.pcp[:], have.PCP[:]) {
		return "its ports put the same values into different classes"
	}
	return ""
}
