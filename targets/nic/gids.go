package nic

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/target"
)

// GID is one filled slot of the GID table of an RDMA device. A connection keeps the GID with which it begins. The GID determines the
// version of RoCE by its type, and the address of the sender. A GID on a VLAN interface gives packets a VLAN header.
type GID struct {
	Dev    string // the RDMA device, "rocep3s0f0"
	Port   int    // the port of the device, from 1
	Index  int    // the index of the slot
	Netdev string // the interface with the address; empty: the kernel does not show it
	Addr   netip.Addr
	Type   string // "RoCE v2" or "IB/RoCE v1"; old kernels may have other words
}

// Default reports whether the GID comes from the hardware address instead of an address of the interface. Such a GID is the same in every
// subnet, and packets with it cannot be routed.
func (g *GID) Default() bool { return g.Addr.IsLinkLocalUnicast() }

// IPv4 returns an IPv4 address as text, and an empty text for other addresses.
func (g *GID) IPv4() string {
	if a := g.Addr.Unmap(); a.Is4() {
		return a.String()
	}
	return ""
}

// GIDTable contains the GID tables of a host, which [GIDQuery] prints.
type GIDTable struct {
	GIDs  []GID               // in the order of devices, ports and slots
	devs  map[string][]string // by interface: the RDMA devices of its PCI function
	vlans map[string]vlan     // by interface
}

// vlan is a VLAN interface.
type vlan struct {
	id     int
	parent string
}

// GIDTypes contains the type of GIDs for each version of RoCE. Source: the kernel's gid_type_str, cache.c of ib_core.
var GIDTypes = [...]string{1: "IB/RoCE v1", 2: "RoCE v2"}

// GIDQuery asks for the GIDs of some NICs of a host, for every driver. The answer has a line "at IF DEV" for each RDMA device of an
// interface's PCI function. It has a line "gid DEV PORT INDEX NETDEV GID TYPE" for each filled slot of the devices of NICs and bonds. The
// last lines "vlan NAME ID PARENT" list the kernel's VLAN interfaces. A device that belongs to another port of the bond is found by the
// interface of its first slot.
func GIDQuery(nics []*ir.NIC) target.Query {
	return target.Query{Cmd: rdmaPorts(netdevs(nics), "", `printf 'at %s %s\n' "$i" "$dev"`, `
for g in "$p"/gids/*; do
n=${g##*/}
{ read -r gid <"$g"; } 2>/dev/null || continue
case $gid in *[!0:]*) ;; *) continue ;; esac
{ read -r type <"$p/gid_attrs/types/$n"; } 2>/dev/null || continue
{ read -r on <"$p/gid_attrs/ndevs/$n"; } 2>/dev/null || on=-
printf 'gid %s %s %s %s %s %s\n' "$dev" "${p##*/}" "$n" "$on" "$gid" "$type"
done`) + ` | head -n 10000
[ ! -e /proc/net/vlan/config ] || while read -r name bar id sep parent rest; do
[ "$bar$sep" != '||' ] || printf 'vlan %s %s %s\n' "$name" "$id" "$parent"
done </proc/net/vlan/config
true`}
}

// RDMAPorts runs commands of a shell for each port $p of the RDMA devices $dev of a NIC. The device of a RoCE LAG counts as the device of
// the bond's first port.
func RDMAPorts(n *ir.NIC, each string) string {
	names, not := []string{n.Name}, ""
	switch {
	case n.Bond == nil:
	case n.Bond.NICs[0] == n:
		names = append(names, n.Bond.Name)
	default:
		not = n.Bond.Name
	}
	return rdmaPorts(names, not, "", each) + "\ntrue"
}

// rdmaPorts runs commands for each port $p of the RDMA devices $dev of some interfaces. These are the devices of the interfaces' PCI
// functions, and devices whose first GID is on one of the interfaces. Devices whose first GID is on the interface named by not are
// excluded. rdmaPorts also runs function for each interface $i with a device.
func rdmaPorts(names []string, not, function, each string) string {
	if not != "" {
		each = `
[ "$first" != ` + Quote(not) + ` ] || continue` + each
	}
	return "names=" + Quote(strings.Join(names, " ")) + `
for d in /sys/class/infiniband/*; do
dev=${d##*/} mine=
for i in $names; do
[ ! -e "/sys/class/net/$i/device/infiniband/$dev" ] || {
mine=1
` + function + `
}
done
for p in "$d"/ports/*; do
first=-
{ read -r first <"$p/gid_attrs/ndevs/0"; } 2>/dev/null
case "$mine, $names " in
*" $first "*) ;;
1,*) [ "$first" = - ] || [ ! -e "$d/ports/2" ] || continue ;;
*) continue ;;
esac` + each + `
done
done`
}

// netdevs returns the interfaces of NICs and of their bonds.
func netdevs(nics []*ir.NIC) []string {
	var names []string
	for _, n := range nics {
		names = append(names, n.Name)
		if n.Bond != nil && !slices.Contains(names, n.Bond.Name) {
			names = append(names, n.Bond.Name)
		}
	}
	return names
}

// ReadGIDs reads the output of [GIDQuery]. It leaves out meaningless lines.
func ReadGIDs(answer []byte) *GIDTable {
	t := &GIDTable{devs: map[string][]string{}, vlans: map[string]vlan{}}
	for line := range strings.Lines(string(answer)) {
		f := strings.Fields(line)
		switch {
		case len(f) == 3 && f[0] == "at":
			t.devs[f[1]] = append(t.devs[f[1]], f[2])
		case len(f) == 4 && f[0] == "vlan":
			if id, err := strconv.Atoi(f[2]); err == nil {
				t.vlans[f[1]] = vlan{id, f[3]}
			}
		case len(f) >= 7 && f[0] == "gid":
			port, err1 := strconv.ParseUint(f[2], 10, 8)
			index, err2 := strconv.ParseUint(f[3], 10, 16)
			addr, err3 := netip.ParseAddr(f[5])
			if err1 != nil || err2 != nil || err3 != nil || addr.Zone() != "" { // a GID has 128 bits, and a zone may be any text
				continue
			}
			g := GID{Dev: f[1], Port: int(port), Index: int(index), Netdev: f[4], Addr: addr, Type: strings.Join(f[6:], " ")}
			if g.Netdev == "-" {
				g.Netdev = ""
			}
			t.GIDs = append(t.GIDs, g)
		}
	}
	slices.SortStableFunc(t.GIDs, func(a, b GID) int { // a shell sorts 10 before 2
		return cmp.Or(strings.Compare(a.Dev, b.Dev), a.Port-b.Port, a.Index-b.Index)
	})
	return t
}

// lower returns the interface with the addresses of a NIC: for a RoCE LAG its bond.
func lower(n *ir.NIC) string {
	if n.Bond != nil {
		return n.Bond.Name
	}
	return n.Name
}

// Of returns the GIDs of a NIC: those on its interface or bond, and on VLANs above it. It includes GIDs without a known interface on the
// NIC's PCI function.
func (t *GIDTable) Of(n *ir.NIC) []GID {
	var out []GID
	for _, g := range t.GIDs {
		_, ok := t.tag(n, &g)
		if ok || g.Netdev == "" && slices.Contains(t.devs[n.Name], g.Dev) {
			out = append(out, g)
		}
	}
	return out
}

// tag returns the VLAN of packets that a NIC sends with a GID, 0 for none. Not ok: the GID's interface is unknown or does not belong to
// the NIC.
func (t *GIDTable) tag(n *ir.NIC, g *GID) (id int, ok bool) {
	if g.Netdev == "" {
		return 0, false
	}
	low := lower(n)
	if v, is := t.vlans[g.Netdev]; is {
		return v.id, v.parent == low
	}
	if rest, is := strings.CutPrefix(g.Netdev, low+"."); is { // only root can read the list of VLANs
		id, err := strconv.Atoi(rest)
		return id, err == nil
	}
	return 0, g.Netdev == low || g.Netdev == n.Name
}

// Choose returns the GID that connections of an intent must use on a NIC. The GID has the intent's version, and is on the interface of the
// intent's VLAN, or without VLAN on an interface without VLAN. Among these it prefers the address that the fabric states for the NIC, then
// the first IPv4 address, then the first GID. A default GID never fits. If no GID fits, wrong is a sentence about this.
func (t *GIDTable) Choose(n *ir.NIC, in *ir.Intent) (g GID, wrong string) {
	want := GIDTypes[in.Version]
	at := n.Name + " on " + n.Device.Name
	all := t.Of(n)
	if len(all) == 0 {
		return GID{}, fmt.Sprintf("%s has no GID at all: no RDMA device belongs to it. Is RoCE enabled in its firmware, and the RDMA module "+
			"of its driver loaded?", at)
	}
	stated := n.IP.Addr().Unmap()
	var best *GID
	typed, anywhere, rank := false, false, unfit
	for i := range all {
		g := &all[i]
		if g.Type != want || g.Default() {
			continue
		}
		typed, anywhere = true, anywhere || n.IP.IsValid() && g.Addr.Unmap() == stated
		if r := t.fits(n, in, g); r > rank {
			best, rank = g, r
		}
	}
	switch {
	case !typed:
		return GID{}, fmt.Sprintf("%s has no GID of type %s, apart from link-local ones; the intent %s needs one. Does the interface have an "+
			"address?", at, want, in.Name)
	case n.IP.IsValid() && !anywhere:
		return GID{}, fmt.Sprintf("%s has no GID of type %s for %s, the address in the fabric.", at, want, stated)
	case best == nil && in.VLAN > 0:
		return GID{}, fmt.Sprintf("%s has no GID of type %s on an interface of VLAN %d, in which the intent %s travels. Does that interface "+
			"have an address?", at, want, in.VLAN, in.Name)
	case best == nil || in.VLAN == 0 && n.IP.IsValid() && rank < statedFit:
		return GID{}, fmt.Sprintf("%s has its address only on a VLAN interface, so every GID of type %s gives packets a VLAN header; the "+
			"intent %s travels without VLAN header.", at, want, in.Name)
	}
	return *best, ""
}

// fit ranks how well a GID fits an intent on a NIC.
type fit uint8

const (
	unfit     fit = iota // another version or VLAN, or a default GID
	otherFit             // an IPv6 address
	fourFit              // an IPv4 address
	statedFit            // the address that the fabric states
)

func (t *GIDTable) fits(n *ir.NIC, in *ir.Intent, g *GID) fit {
	switch id, _ := t.tag(n, g); {
	case g.Type != GIDTypes[in.Version] || g.Default() || id != in.VLAN:
		return unfit
	case n.IP.IsValid() && g.Addr.Unmap() == n.IP.Addr().Unmap():
		return statedFit
	case g.IPv4() != "":
		return fourFit
	}
	return otherFit
}

// Why describes the address of a chosen GID.
func (g *GID) Why(n *ir.NIC) string {
	switch {
	case n.IP.IsValid() && g.Addr.Unmap() == n.IP.Addr().Unmap():
		return "the address that the fabric states"
	case g.IPv4() != "":
		return "the first of IPv4"
	}
	return "the first of IPv6"
}

// Others returns the other GIDs that fit an intent on a NIC: those with further addresses.
func (t *GIDTable) Others(n *ir.NIC, in *ir.Intent, chosen *GID) (out []GID) {
	for _, g := range t.Of(n) {
		if g != *chosen && t.fits(n, in, &g) > unfit {
			out = append(out, g)
		}
	}
	return out
}

// ByAddress returns the settings with which NCCL 2.21 and later choose the GID of an intent by its address, in any slot. It returns nil if
// NCCL would choose another GID. NCCL chooses the first GID of a version, an address family and a subnet. Source: connect.cc of net_ib in
// NCCL.
func (t *GIDTable) ByAddress(n *ir.NIC, in *ir.Intent, chosen *GID) []string {
	first := func(subnet netip.Prefix) bool {
		for _, g := range t.GIDs {
			switch {
			case g == *chosen:
				return true
			case g.Dev != chosen.Dev || g.Port != chosen.Port || g.Type != chosen.Type || g.Default():
			case (g.IPv4() != "") == (chosen.IPv4() != "") && (!subnet.IsValid() || subnet.Contains(g.Addr.Unmap())):
				return false
			}
		}
		return true
	}
	out := []string{fmt.Sprintf("NCCL_IB_ROCE_VERSION_NUM=%d", in.Version), "NCCL_IB_ADDR_FAMILY=AF_INET6"}
	if chosen.IPv4() != "" {
		out[1] = "NCCL_IB_ADDR_FAMILY=AF_INET"
	}
	switch {
	case first(netip.Prefix{}):
		return out
	case n.IP.Contains(chosen.Addr.Unmap()) && first(n.IP):
		return append(out, "NCCL_IB_ADDR_RANGE="+n.IP.Masked().String())
	}
	return nil
}

// GIDProbe asks whether each intent has a GID on a NIC: without a GID, connections fail, or use the wrong version or VLAN.
func GIDProbe(s *Settings) target.Probe {
	return target.Probe{
		Name:  "GIDs of " + s.NIC.Name,
		Query: GIDQuery([]*ir.NIC{s.NIC}),
		Judge: func(answer []byte) []string {
			t := ReadGIDs(answer)
			var wrong []string
			for _, in := range s.Intents {
				if _, w := t.Choose(s.NIC, in); w != "" && !slices.Contains(wrong, w) {
					wrong = append(wrong, w)
				}
			}
			return wrong
		},
	}
}
