package nic

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/compiler/ir"
)

// KeptGID is the slot that an intent had to use on a NIC when the host was last read.
type KeptGID struct {
	Host   string     `json:"host"`
	NIC    string     `json:"nic"`
	Intent string     `json:"intent"`
	When   time.Time  `json:"at"`
	Dev    string     `json:"dev"`
	Port   int        `json:"port"`
	Index  int        `json:"index"`
	Addr   netip.Addr `json:"gid"`
}

// KeepGID returns the record of a chosen slot.
func KeepGID(n *ir.NIC, in *ir.Intent, g *GID, when time.Time) KeptGID {
	return KeptGID{n.Device.Name, n.Name, in.Name, when.UTC(), g.Dev, g.Port, g.Index, g.Addr}
}

// KeepGIDs returns the records after a read: its own, and the older ones of intents on NICs for which the read found no slot. A record of
// an intent that the fabric no longer has on that NIC is left out.
func KeepGIDs(f *ir.Fabric, read, old []KeptGID) (out []KeptGID) {
	type key struct{ host, nic, intent string }
	by := map[key]*KeptGID{}
	for _, all := range [][]KeptGID{old, read} { // the later ones count
		for i := range all {
			by[key{all[i].Host, all[i].NIC, all[i].Intent}] = &all[i]
		}
	}
	for _, d := range f.Devices {
		if d.Host == nil {
			continue
		}
		for _, n := range d.Host.NICs {
			for _, in := range n.Carries() {
				if k := by[key{d.Name, n.Name, in.Name}]; k != nil {
					out = append(out, *k)
				}
			}
		}
	}
	return out
}

// Moved returns sentences about an intent whose slot is no longer the recorded one, and about the present meaning of the old index. g is
// the slot that the intent must use now; nil: no slot fits. clock spells a time. Moved returns nothing if a program with the old settings
// still finds the right slot.
func (t *GIDTable) Moved(n *ir.NIC, in *ir.Intent, k *KeptGID, g *GID, clock func(time.Time) string) (out []string) {
	at, when := n.Device.Name+":"+n.Name, clock(k.When)
	switch {
	case g == nil:
		return []string{fmt.Sprintf("%s: the GID index of %s was %d (%s) at %s, and no GID fits now: %s.", at, in.Name, k.Index,
			addressText(k.Addr), when, t.means(n, in, k, k.Dev))}
	case g.Index != k.Index:
		out = append(out, fmt.Sprintf("%s: the GID index of %s was %d at %s and is %d now. NCCL_IB_GID_INDEX=%d in a job is wrong: %s.", at,
			in.Name, k.Index, when, g.Index, k.Index, t.means(n, in, k, g.Dev)))
	}
	if g.Dev != k.Dev {
		out = append(out, fmt.Sprintf("%s: the RDMA device of %s was %s at %s and is %s now. %s.", at, in.Name, k.Dev, when, g.Dev,
			t.named(k.Dev)))
	} else if g.Port != k.Port {
		out = append(out, fmt.Sprintf("%s: the port of %s on %s was %d at %s and is %d now.", at, in.Name, g.Dev, k.Port, when, g.Port))
	}
	return out
}

// means describes the slot that the recorded index has on a device now, without a full stop.
func (t *GIDTable) means(n *ir.NIC, in *ir.Intent, k *KeptGID, dev string) string {
	slot := fmt.Sprintf("slot %d of %s", k.Index, dev)
	i := slices.IndexFunc(t.GIDs, func(g GID) bool { return g.Dev == dev && g.Port == k.Port && g.Index == k.Index })
	if i < 0 {
		return slot + " is empty now"
	}
	g := &t.GIDs[i]
	on := cmp.Or(g.Netdev, "an unknown interface")
	text := fmt.Sprintf("%s has %s of type %s on %s now", slot, addressText(g.Addr), g.Type, on)
	switch {
	case g.Default():
		text += ", a link-local address"
	case g.Type != GIDTypes[in.Version]:
		text += fmt.Sprintf(", and %s needs %s", in.Name, GIDTypes[in.Version])
	case t.fits(n, in, g) == unfit:
		text += fmt.Sprintf(", and %s does not travel there", in.Name)
	default:
		text += ", an address that also fits"
	}
	return text
}

// named describes which interfaces have the RDMA device of a name now, without a full stop.
func (t *GIDTable) named(dev string) string {
	var on []string
	for name, devs := range t.devs {
		if slices.Contains(devs, dev) {
			on = append(on, name)
		}
	}
	slices.Sort(on)
	switch {
	case len(on) > 0:
		return fmt.Sprintf("The name %s now belongs to the device of %s, so NCCL_IB_HCA and perftest -d with it use that device",
			dev, strings.Join(on, ", "))
	case slices.ContainsFunc(t.GIDs, func(g GID) bool { return g.Dev == dev }):
		return fmt.Sprintf("The name %s now belongs to another device, so NCCL_IB_HCA and perftest -d with it use that device", dev)
	}
	return fmt.Sprintf("No NIC of the fabric on this host has a device named %s now, so NCCL_IB_HCA and perftest -d need the new name", dev)
}

// addressText returns an address, an IPv4 address without its IPv6 form.
func addressText(a netip.Addr) string { return a.Unmap().String() }
