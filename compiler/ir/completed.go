package ir

import (
	"maps"

	"github.com/rocec/rocec/compiler/platform"
)

// Completed returns settings that were read from a device, with missing values filled in from the fabric: the model, and for each port its
// speed, its MTU and the length of its cable. If both have a cable length, the longer counts, because the fabric knows the real cable.
func (d *Device) Completed(s *Settings) *Settings {
	if d == nil || d.Switch == nil {
		return s
	}
	out := &Settings{Rest: s.Rest, Pools: s.Pools, System: s.System, Moment: s.Moment, Ports: map[string]*PortSettings{}}
	maps.Copy(out.Ports, s.Ports)
	if _, ok := platform.FindSwitch(s.System.Model.Value); !ok && d.Switch.Model != nil {
		out.System.Model = ByDefault(d.Switch.Model.Name)
	}
	alike := map[PortSettings]*PortSettings{}
	for _, p := range d.Ports {
		was := s.Port(p.Name)
		if was == nil {
			continue
		}
		detail := was.Detail.Get()
		if !detail.Speed.Known() && p.Speed() > 0 {
			detail.Speed = Of(int64(p.Speed()) * 1e6)
		}
		if !detail.MTU.Known() && p.MTU() > 0 {
			detail.MTU = Of(p.MTU())
		}
		if l := p.Link(); l != nil && l.Length.Whole() > 0 && (detail.Cable.Is != Stated || detail.Cable.Value < l.Length.Whole()) {
			detail.Cable = Of(l.Length.Whole())
		}
		one := *was
		one.Detail = NewDetail(detail)
		if alike[one] == nil {
			alike[one] = &one
		}
		out.Ports[p.Name] = alike[one]
	}
	return out
}

// Arrives returns a function for a port of a switch and a cos. It returns the bytes that the fabric expects after a pause: at most, and
// likely; 0: the fabric expects none. Nil: the device is not a switch.
func (d *Device) Arrives() func(port string, cos int) (most, likely int) {
	if d == nil || d.Switch == nil {
		return nil
	}
	by := map[string]*Port{}
	for _, p := range d.Ports {
		by[p.Name] = p
	}
	return func(port string, cos int) (most, likely int) {
		if by[port] == nil {
			return 0, 0
		}
		for _, b := range by[port].Buffers() {
			if b.Group.Cos == cos {
				return b.Need, b.Floor
			}
		}
		return 0, 0
	}
}
