package nvue

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
)

// both returns the tree of a switch with the old and the new lossless classes, for the time between two changes. Classes that only the
// old configuration has mark no packets.
func both(d *ir.Device, content func(path string) []byte, _ bool) (map[string][]byte, string) {
	w, _ := For(d, d.Switch.Preset)
	was := Read(d, content(Path))
	if w == nil || was == nil {
		return nil, ""
	}
	joined, why := w.lower().joined(d, was)
	if why != "" {
		return nil, "The tree of NVUE cannot hold the old and the new lossless classes at the same time: " + why + "."
	}
	out, ds := (&Wish{device: d, preset: w.preset, lower: func() *settings { return joined }}).Edit(content(Path))
	if ds.HasErrors() {
		return nil, "The tree of NVUE cannot be edited: " + ds[0].Detail
	}
	return map[string][]byte{Path: out}, ""
}

// joined returns the settings with the classes added that were lossless before on the fabric's ports. why names the obstacle, or is
// empty.
func (s *settings) joined(d *ir.Device, was *ir.Settings) (out *settings, why string) {
	j := *s
	kept := map[string]*ir.PortSettings{}
	before := uint8(0)
	for _, p := range j.ports {
		have := was.Port(p.name)
		if have == nil || !have.PausesKnown || have.Lossless() == 0 {
			continue
		}
		pauses := p.lossless >= 0 && j.profiles[p.lossless].pause
		switch {
		case have.LinkPause && pauses:
			continue // all classes of this port are lossless
		case have.LinkPause || pauses:
			return nil, "a port uses PFC or link pause"
		case !have.TrustKnown:
			return nil, "the header fields that the switch trusts are unknown"
		}
		kept[p.name] = have
		before |= have.Lossless()
	}
	if why := j.joinMaps(kept); why != "" {
		return nil, why
	}
	j.share = ir.Schedule(d.Fabric, before&^j.lossless())
	return &j, j.joinProfiles(d, kept)
}

// joinMaps adds the header fields and values that identified the old lossless classes.
func (s *settings) joinMaps(kept map[string]*ir.PortSettings) (why string) {
	dscp, pcp := s.dscp, s.pcp
	trust := ir.Trust{PCP: s.trust != "l3", DSCP: s.trust != "l2"}
	for _, have := range kept {
		trust = ir.Trust{PCP: trust.PCP || have.Trust.PCP, DSCP: trust.DSCP || have.Trust.DSCP}
	}
	if !ir.JoinMaps(&dscp, &pcp, s.lossless(), kept) {
		return "its ports put the same values into different classes"
	}
	s.dscp, s.pcp = dscp, pcp
	switch {
	case trust.PCP && trust.DSCP:
		s.trust = "both"
	case trust.DSCP:
		s.trust = "l3"
	}
	return ""
}

// joinProfiles binds ports to profiles with the old and the new lossless priorities.
func (s *settings) joinProfiles(d *ir.Device, kept map[string]*ir.PortSettings) (why string) {
	all := s.lossless()
	var profiles []profile
	ports := slices.Clone(s.ports)
	for i, p := range sorted(d.Ports) {
		var f profile
		if n := ports[i].lossless; n >= 0 {
			f = s.profiles[n]
		}
		if have := kept[p.Name]; have != nil && have.Lossless()&^f.cos != 0 {
			if have.Headroom > 0 && f.sizes == nil {
				return fmt.Sprintf("port %s has a buffer of stated size, and the fabric leaves the size to the switch", p.Name)
			}
			f.cos |= have.Lossless()
			f.metres = max(f.metres, lengthClass(p.Link().Length))
			f.name = f.named(all)
			if n := bits.OnesCount8(f.cos); n > d.Switch.Can.Lossless {
				return fmt.Sprintf("port %s would have %d lossless classes, and %s carries %d", p.Name, n, d.Switch.Model.ASIC.Title,
					d.Switch.Can.Lossless)
			}
		}
		if f.name == "" {
			continue
		}
		ports[i].lossless = slices.IndexFunc(profiles, func(have profile) bool { return have.name == f.name })
		if ports[i].lossless < 0 {
			ports[i].lossless = len(profiles)
			profiles = append(profiles, f)
		}
	}
	s.profiles, s.ports = profiles, ports
	return ""
}
