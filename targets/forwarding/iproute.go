package forwarding

import (
	"encoding/json"
	"net/netip"
	"slices"
	"strings"
)

// ipRow is a row of `ip -j route` or of `ip -j addr`, as iproute2 prints it.
//
// Source: git.kernel.org, network/iproute2, ip/iproute.c (print_route) and ip/ipaddress.c (print_linkinfo, print_addrinfo).
type ipRow struct {
	To       *string `json:"dst,omitempty"`
	Type     string  `json:"type,omitempty"`
	Protocol string  `json:"protocol,omitempty"`
	Scope    string  `json:"scope,omitempty"`
	Source   string  `json:"prefsrc,omitempty"`
	Metric   uint32  `json:"metric,omitempty"`
	Group    uint32  `json:"nhid,omitempty"`
	Table    any     `json:"table,omitempty"` // main, or 254 (RT_TABLE_MAIN), if it is missing
	ipHop
	Hops []ipHop `json:"nexthops,omitempty"`

	Name   string    `json:"ifname,omitempty"`
	Master string    `json:"master,omitempty"`
	Under  string    `json:"link,omitempty"`
	Info   *linkInfo `json:"linkinfo,omitempty"`
	Have   []ipAddr  `json:"addr_info,omitempty"`
}

// ipHop is the next hop of a route.
type ipHop struct {
	Dev     string          `json:"dev,omitempty"`
	Gateway string          `json:"gateway,omitempty"`
	Via     json.RawMessage `json:"via,omitempty"` // a gateway of the other address family
	Encap   json.RawMessage `json:"encap,omitempty"`
	Flags   []string        `json:"flags,omitempty"`
}

// ipAddr is an address of an interface.
type ipAddr struct {
	Local string `json:"local,omitempty"`
	Scope string `json:"scope,omitempty"`
}

// lost reports whether the link of a next hop is down.
func (h *ipHop) lost() bool {
	return slices.Contains(h.Flags, "dead") || slices.Contains(h.Flags, "linkdown")
}

// ip reads a list of iproute2: of routes, or of interfaces.
func (r *reader) ip(n int) error {
	t, all := &table{}, Interfaces{}
	routes := 0
	for r.in.More() {
		var row ipRow
		if err := r.decode(&row); err != nil {
			return err
		}
		var err error
		switch {
		case row.To != nil && row.Name == "":
			routes++
			err = t.ip(&row, r.six || n == 1)
		case row.Name != "" && row.To == nil:
			all[row.Name] = row.iface()
		case row.Name == "" && row.Type == "": // ip prints an empty object for an interface that it leaves out
		default:
			err = errKnown
		}
		if err != nil {
			return err
		}
	}
	if err := r.end(); err != nil {
		return err
	}
	switch {
	case len(all) > 0 && routes > 0:
		return errKnown
	case len(all) > 0 || r.addr && routes == 0:
		r.out.Interfaces = all
		return nil
	}
	return r.put(t, n)
}

// dropTypes are the types of routes that drop.
var dropTypes = []string{"blackhole", "unreachable", "prohibit"}

// ip adds a route of the kernel, if its type forwards or drops. The kernel skips a route if no next hop works, and tries a shorter prefix.
//
// Source: Linux, net/ipv4/fib_trie.c, fib_table_lookup.
func (t *table) ip(row *ipRow, six bool) error {
	to, ok := netip.Prefix{}, true
	switch {
	case *row.To == "default" && (six || strings.Contains(row.Gateway, ":")):
		to = netip.PrefixFrom(netip.IPv6Unspecified(), 0)
	case *row.To == "default":
		to = netip.PrefixFrom(netip.IPv4Unspecified(), 0)
	default:
		to, ok = Prefix(*row.To)
	}
	drops := slices.Contains(dropTypes, row.Type)
	switch {
	case row.Table != nil && row.Table != "main" && row.Table != 254.0:
		return nil // a table of another VRF, or of a policy
	case !ok:
		return errKnown
	case !drops && row.Type != "" && row.Type != "unicast", !about(to):
		return nil
	}
	if a, err := netip.ParseAddr(row.Source); err == nil {
		t.Own = append(t.Own, a)
	}
	hops := row.Hops
	if len(hops) == 0 {
		hops = []ipHop{row.ipHop}
	}
	out, works := Route{To: to, Protocol: Plain(row.Protocol)}, drops
	for i := range hops {
		h := &hops[i]
		if h.lost() || drops {
			continue
		}
		works = true
		switch {
		case h.Dev == "":
			out.Odd = "a next hop without an interface"
		case len(h.Encap) > 0:
			out.Odd = "a next hop with labels"
		}
		if h.Dev != "" {
			out.Out = appendOnce(out.Out, h.Dev)
		}
		out.Connected = row.Protocol == "kernel" && h.Gateway == "" && len(h.Via) == 0
	}
	if !works {
		return nil
	}
	t.add(out, row.Metric)
	return nil
}

// iface returns the interface of a row.
func (row *ipRow) iface() *Interface {
	is := &Interface{Under: row.Under}
	is.set(row.Info, row.Master)
	for _, a := range row.Have {
		if at, err := netip.ParseAddr(a.Local); err == nil && (a.Scope == "global" || a.Scope == "") && about(netip.PrefixFrom(at, at.BitLen())) {
			is.Addresses = append(is.Addresses, at)
		}
	}
	return is
}
