package change

import (
	"cmp"
	"net/netip"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/destination"
)

// logins lists the devices of the fabric that logins to other devices pass.
type logins struct {
	carried map[*ir.Device][]*ir.Device // by the device that carries logins: the devices reached through it, by ID
}

// loginsOf finds the devices that carry logins: jump hosts that are devices of the fabric, and switches on the way to a device that is
// reached at the address of one of the fabric's own NICs. Settings of ssh outside of the fabric are not considered.
func loginsOf(f *ir.Fabric) logins {
	l := logins{carried: map[*ir.Device][]*ir.Device{}}
	named := map[string]*ir.Device{}
	nics := map[netip.Addr]*ir.NIC{}
	for _, d := range f.Devices {
		named[d.Name] = d
		if d.SSH.Address != "" {
			named[d.SSH.Address] = d
		}
		if d.Host == nil {
			continue
		}
		for _, n := range d.Host.NICs {
			if n.IP.IsValid() {
				nics[n.IP.Addr()] = n
			}
		}
	}
	carry := func(by, whose *ir.Device) {
		if all := l.carried[by]; by != nil && by != whose && (len(all) == 0 || all[len(all)-1] != whose) {
			l.carried[by] = append(all, whose)
		}
	}
	inBand := func(d *ir.Device, whose *ir.Device) {
		addr, err := netip.ParseAddr(d.SSH.Address)
		n := nics[addr]
		if err != nil || n == nil || n.Port == nil || n.Bond != nil {
			return
		}
		carry(placeOf(n.Port), whose)
	}
	for _, d := range f.Devices {
		inBand(d, d)
		hops, _ := destination.Jump(d.SSH.Jump) // package lang has checked it; an empty or wrong list has no hops
		for _, hop := range hops {
			if by := named[hop.Host]; by != nil {
				carry(by, d)
				inBand(by, d)
			}
		}
	}
	return l
}

// last names the devices of a wave that carry the logins of others. They are changed last, so that the others can be reached until then.
func (l logins) last(w *Wave) {
	for _, t := range w.Tasks {
		whose := l.carried[t.Device]
		if len(whose) == 0 || t.Outage.Hitless() {
			continue
		}
		w.Last = append(w.Last, t.Device)
		w.Carried = append(w.Carried, whose...)
	}
	slices.SortFunc(w.Carried, func(a, b *ir.Device) int { return cmp.Compare(a.ID, b.ID) })
	w.Carried = slices.Compact(w.Carried)
}
