package sonic

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
)

// both returns the state of a switch with the old and the new lossless classes, for the time between two changes. Classes that only the
// old configuration has mark no packets.
func both(d *ir.Device, content func(path string) []byte, _ bool) (map[string][]byte, string) {
	w, _ := For(d)
	was := Read(d, content(Path))
	if w == nil || was == nil {
		return nil, ""
	}
	joined, why := w.lower().joined(d, was)
	if why != "" {
		return nil, "CONFIG_DB cannot hold the old and the new lossless classes at the same time: " + why + "."
	}
	out, ds := (&Wish{device: d, lower: func() *settings { return joined }}).Edit(content(Path))
	if ds.HasErrors() {
		return nil, "CONFIG_DB cannot be changed to hold the old and the new lossless classes: " + ds[0].Detail
	}
	return map[string][]byte{Path: out}, ""
}

// joined returns the settings with the classes added that were lossless before on the fabric's ports. why names the obstacle, or is
// empty.
func (s *settings) joined(d *ir.Device, was *ir.Settings) (out *settings, why string) {
	j := *s
	j.ports = slices.Clone(s.ports)
	kept := map[string]*ir.PortSettings{}
	is, before := ir.LosslessCos(d.Fabric.CosGroups), uint8(0)
	for i := range j.ports {
		p := &j.ports[i]
		have := was.Port(p.Name)
		if have == nil || !have.PausesKnown || have.Lossless() == 0 {
			continue
		}
		switch {
		case !have.TrustKnown:
			return nil, "the header field that the switch trusts is unknown"
		case have.Trust.PCP && !p.byPCP || have.Trust.DSCP && p.byPCP:
			return nil, fmt.Sprintf("%s trusts another header field than the fabric needs, and a port trusts only one", p.Name)
		}
		if have.Lossless()&(1<<lossyGroup) != 0 {
			return nil, "class 0 is lossless, and lossy traffic shares its priority group"
		}
		kept[p.Name] = have
		before |= have.Lossless()
		p.lossless |= have.Lossless()
		if n := bits.OnesCount8(p.lossless); n > d.Switch.Can.Lossless {
			return nil, fmt.Sprintf("port %s would have %d lossless classes, and %s carries %d", p.Name, n, d.Switch.Model.ASIC.Title,
				d.Switch.Can.Lossless)
		}
	}
	if !ir.JoinMaps(&j.dscp, &j.pcp, is, kept) {
		return nil, "its ports put the same values into different classes"
	}
	for cos := range j.group {
		if before>>cos&1 == 1 {
			j.group[cos] = cos
		}
	}
	j.share = ir.Schedule(d.Fabric, before&^is)
	return &j, ""
}
