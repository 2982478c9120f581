package forwarding

import (
	"bytes"
	"encoding/json"
	"net/netip"
	"slices"
	"strings"
	"unicode/utf8"
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
	known := map[string]*ipWay{}
	for r.in.more() {
		text, err := r.in.value()
		if err != nil {
			return errWhole
		}
		to, rest := r.destination(text)
		way := known[string(rest)]
		if way == nil {
			var row ipRow
			if json.Unmarshal(text, &row) != nil {
				return errKnown
			}
			switch {
			case row.To != nil && row.Name == "":
				to, way = *row.To, row.way()
			case row.Name != "" && row.To == nil:
				all[row.Name] = row.iface()
				continue
			case row.Name == "" && row.Type == "": // ip prints an empty object for an interface that it leaves out
				continue
			default:
				return errKnown
			}
			if rest != nil && len(known) < mostKnown && !mentions(rest, "dst") {
				known[string(rest)] = way
			}
		}
		routes++
		if err := t.ip(to, way, r.six || n == 1); err != nil {
			return err
		}
	}
	if r.in.end() != nil {
		return errWhole
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

// destination splits the text of a route that begins with its destination, as in a kept answer; nil: it has another form.
func (r *reader) destination(text []byte) (to string, rest []byte) {
	after, is := bytes.CutPrefix(text, []byte(`{"dst":"`))
	if !is || !r.remember {
		return "", nil
	}
	i := bytes.IndexByte(after, '"')
	if i < 0 {
		return "", nil
	}
	to = string(after[:i])
	if _, ok := Prefix(to); !ok && to != "default" {
		return "", nil
	}
	return to, after[i:]
}

// mentions reports whether a text may have a member with a name in any case. A text with other characters than ASCII may.
func mentions(text []byte, name string) bool {
	return bytes.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) ||
		bytes.Contains(bytes.ToLower(text), []byte(`"`+name+`"`))
}

// dropTypes are the types of routes that drop.
var dropTypes = []string{"blackhole", "unreachable", "prohibit"}

// ipWay is the part of a route of the kernel that does not depend on its destination.
type ipWay struct {
	Route
	metric uint32
	other  bool       // it is in a table of another VRF, or of a policy
	passes bool       // its type forwards or drops
	works  bool       // a next hop works, or it drops
	six    bool       // its gateway is of IPv6
	source netip.Addr // an address of the device; zero: none is stated
}

// way returns the way of a route. The kernel skips a route if no next hop works, and tries a shorter prefix.
//
// Source: Linux, net/ipv4/fib_trie.c, fib_table_lookup.
func (row *ipRow) way() *ipWay {
	drops := slices.Contains(dropTypes, row.Type)
	way := &ipWay{
		Route: Route{Protocol: Plain(row.Protocol)}, metric: row.Metric, works: drops, six: strings.Contains(row.Gateway, ":"),
		other:  row.Table != nil && row.Table != "main" && row.Table != 254.0,
		passes: drops || row.Type == "" || row.Type == "unicast",
	}
	if a, err := netip.ParseAddr(row.Source); err == nil {
		way.source = a
	}
	hops := row.Hops
	if len(hops) == 0 {
		hops = []ipHop{row.ipHop}
	}
	for i := range hops {
		h := &hops[i]
		if h.lost() || drops {
			continue
		}
		way.works = true
		switch {
		case h.Dev == "":
			way.Odd = "a next hop without an interface"
		case len(h.Encap) > 0:
			way.Odd = "a next hop with labels"
		}
		if h.Dev != "" {
			way.Out = appendOnce(way.Out, h.Dev)
		}
		way.Connected = row.Protocol == "kernel" && h.Gateway == "" && len(h.Via) == 0
	}
	way.Out = slices.Clip(way.Out) // other destinations share it
	return way
}

// ip adds a route of the kernel, if its type forwards or drops.
func (t *table) ip(text string, way *ipWay, six bool) error {
	to, ok := netip.Prefix{}, true
	switch {
	case text == "default" && (six || way.six):
		to = netip.PrefixFrom(netip.IPv6Unspecified(), 0)
	case text == "default":
		to = netip.PrefixFrom(netip.IPv4Unspecified(), 0)
	default:
		to, ok = Prefix(text)
	}
	switch {
	case way.other:
		return nil
	case !ok:
		return errKnown
	case !way.passes, !about(to):
		return nil
	}
	if way.source.IsValid() {
		t.Own = append(t.Own, way.source)
	}
	if way.works {
		route := way.Route
		route.To = to
		t.add(route, way.metric)
	}
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
