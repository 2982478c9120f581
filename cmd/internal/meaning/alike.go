package meaning

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
)

// alike distinguishes devices of one fabric by their wanted settings. Devices with the same text have the same settings.
type alike struct{ kinds map[ir.PortSettings]int }

// of returns the text of a device with its wanted settings; empty: no other device has the same settings.
func (a *alike) of(d *ir.Device, wanted *ir.Settings) string {
	if a.kinds == nil {
		a.kinds = map[ir.PortSettings]int{}
	}
	var b strings.Builder
	intents := func(all []*ir.Intent) {
		for _, in := range all {
			fmt.Fprintf(&b, " %q", in.Name)
		}
	}
	fmt.Fprintf(&b, "%t %t", d.ByHand != nil, d.ByOthers)
	if s := d.Switch; s != nil {
		fmt.Fprintf(&b, " %q %q %q %q %v %t %v", s.OS, s.Version, s.Model.Name, s.Config, s.Preset, s.MemoryWritten, s.HeadroomPool)
		intents(s.Intents)
	} else {
		for _, n := range d.Host.NICs {
			if len(n.TrafficClasses)+len(n.VFRoCE) > 0 || n.Bond != nil || n.Parameters != nil {
				return ""
			}
			fmt.Fprintf(&b, " %q %q %d %d %d %t %t", n.Name, n.Model.Name, n.MTU, n.TTL, n.TOS, n.RoCE, n.CreateVLAN)
			intents(n.Intents)
		}
	}
	names := make([]string, 0, len(wanted.Ports))
	for name := range wanted.Ports {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range append(names, "") {
		p := wanted.Port(name)
		if p == nil {
			continue
		}
		kind, known := a.kinds[*p]
		if !known {
			kind = len(a.kinds)
			a.kinds[*p] = kind
		}
		fmt.Fprintf(&b, " %s=%d", name, kind)
	}
	return b.String()
}
