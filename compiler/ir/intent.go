package ir

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
)

// Intent returns a hash of all values that determine a device's settings, without the sizes that rocec derives. While the hash stays the
// same, the settings change only with another version of rocec or with other pins in fabric.lock.
func (d *Device) Intent() string {
	h := sha256.New()
	f := d.Fabric
	fmt.Fprintln(h, "fabric", f.FlowControl, f.MTU, f.Routing)
	for _, g := range f.CosGroups {
		fmt.Fprintln(h, "group", g.Name, g.Cos, values(g.DSCP), values(g.PCP), g.Lossless, g.Weight, g.Strict)
		if g.Bounce != nil {
			fmt.Fprintln(h, "bounce", g.Bounce.Name)
		}
		if e := g.ECN; e != nil {
			fmt.Fprintln(h, "ecn", said(e.Min), said(e.Max), said(e.Probability))
		}
		s := g.Sizes()
		fmt.Fprintln(h, "pfc", said(s.Buffer), said(s.Xoff), said(s.XonDelta), said(s.SmallPackets))
	}
	writeIntents(h, f.Intents)
	fmt.Fprintln(h, "device", d.Name)
	if s := d.Switch; s != nil {
		for _, g := range f.CosGroups {
			if g.Lossless && g.RDMAMTU != LargestRDMA {
				fmt.Fprintln(h, "rdma", g.Name, g.RDMAMTU)
			}
		}
		fmt.Fprintln(h, "switch", s.Model.Name, s.OS, s.Version, said(s.HeadroomPool))
		if s.ConfigAt.Filename != "" {
			fmt.Fprintln(h, "config", s.Config)
		}
		if s.MemoryWritten {
			fmt.Fprintln(h, "memory written")
		}
		writeIntents(h, s.Intents)
	} else {
		for _, n := range d.Host.NICs {
			n.writeIntent(h)
		}
	}
	for _, p := range d.Ports {
		fmt.Fprintln(h, "port", p.Name, p.Speed(), p.Link().Length.Metres, p.MTU(), p.Link().Routed)
		if f.FlowControl != Pause && p.ByPause() {
			fmt.Fprintln(h, "link pause")
		}
		for _, b := range p.Buffers() {
			fmt.Fprintln(h, "lossless", b.Group.Name)
		}
		for _, m := range p.Marks() {
			fmt.Fprintln(h, "marks", m.Group.Name)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

func (n *NIC) writeIntent(w io.Writer) {
	ttl := fmt.Sprint(max(n.TTL, 0)) // 0 if none is stated, as in older versions
	if n.TTL == 0 {
		ttl = "off"
	}
	fmt.Fprintln(w, "nic", n.Name, n.Model.Name, n.MTU, n.IP, ttl, n.TOS, n.RoCE, n.VFRoCE)
	if n.CreateVLAN {
		fmt.Fprintln(w, "vlan", n.VLANIP)
	}
	for _, t := range n.TrafficClasses {
		fmt.Fprintln(w, "class", t.TOS, t.Src, t.Dst)
	}
	n.Parameters.writeIntent(w)
	if n.Bond != nil {
		fmt.Fprintln(w, "bond", n.Bond.Name, n.Bond.Mode)
	}
	writeIntents(w, n.Intents)
}

func writeIntents(w io.Writer, intents []*Intent) {
	for _, in := range intents {
		cnp := ""
		if in.CNP != nil {
			cnp = in.CNP.Name
		}
		fmt.Fprintln(w, "roce", in.Name, in.Version, in.Group.Name, cnp, in.VLAN)
	}
}

// said returns a number that the person wrote, or "derived" for a missing one.
func said(n Num) any {
	if !n.Set() {
		return "derived"
	}
	return n.N
}

// values returns the values of claims, in order.
func values(claims []Claim) []int {
	var out []int
	for _, c := range claims {
		out = append(out, c.Value)
	}
	return out
}
