package forwarding

import (
	"net/netip"
	"slices"
)

// Families of addresses, as indexes.
const (
	IPv4 = iota
	IPv6
	families
)

// FamilyOf returns the family of an address.
func FamilyOf(a netip.Addr) int {
	if a.Is4() {
		return IPv4
	}
	return IPv6
}

// Routes are the routes of the main table of one family, in the order of the answer. Each prefix occurs once.
type Routes struct {
	List []Route
	FRR  bool         // from FRRouting; otherwise from the kernel
	Own  []netip.Addr // addresses of the device itself, if its routes show them
}

// Route is a selected and installed route.
type Route struct {
	To        netip.Prefix
	Protocol  string   // that made the route, in the word of the program
	Connected bool     // the prefix belongs to an interface of the device
	Out       []string // interfaces of the next hops, each once; empty: the route drops
	Odd       string   // the reason, as part of a sentence, why the interfaces do not show the path of traffic; empty: they do
}

// Unread is the reason why an answer is not read, as part of a sentence.
type Unread string

// Error returns the reason.
func (e Unread) Error() string { return string(e) }

const (
	errWhole Unread = "it is empty or cut off, or larger than 8 MiB"
	errKnown Unread = "it has rows that are no routes of one table"
	errNone  Unread = "it states no interface, and each device has one"
)

// mostKnown is the number of different texts of rows that are known at the same time.
const mostKnown = 1024

// table is a partially read table.
type table struct {
	Routes
	at     map[netip.Prefix]int // nil: the prefixes ascend until now, as programs print them
	metric []uint32
}

// find returns the index of the route to a prefix.
func (t *table) find(to netip.Prefix) (i int, found bool) {
	if t.at == nil {
		if len(t.List) == 0 || t.List[len(t.List)-1].To.Compare(to) < 0 {
			return 0, false
		}
		t.at = map[netip.Prefix]int{}
		for i := range t.List {
			t.at[t.List[i].To] = i
		}
	}
	i, found = t.at[to]
	return i, found
}

// add adds a route. If two routes have one prefix, the lower metric counts. Two with the same metric are both used.
func (t *table) add(route Route, metric uint32) {
	i, twice := t.find(route.To)
	switch {
	case !twice:
		if t.at != nil {
			t.at[route.To] = len(t.List)
		}
		t.List, t.metric = append(t.List, route), append(t.metric, metric)
	case metric < t.metric[i]:
		t.List[i], t.metric[i] = route, metric
	case metric == t.metric[i]:
		is := &t.List[i]
		is.Connected = is.Connected || route.Connected
		if is.Odd == "" {
			is.Odd = route.Odd
		}
		for _, out := range route.Out {
			is.Out = appendOnce(is.Out, out)
		}
	}
}

func appendOnce(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// Prefix parses a prefix or a single address. Bits after the prefix length are cleared.
func Prefix(text string) (netip.Prefix, bool) {
	if p, err := netip.ParsePrefix(text); err == nil {
		return p.Masked(), true
	}
	a, err := netip.ParseAddr(text)
	if err != nil || a.Zone() != "" {
		return netip.Prefix{}, false
	}
	return netip.PrefixFrom(a, a.BitLen()), true
}

// about reports whether hosts of a fabric can be in a prefix: prefixes of a link, of the device itself, and of multicast contain no host.
func about(p netip.Prefix) bool {
	a := p.Addr()
	return p.Bits() == 0 || !a.IsLinkLocalUnicast() && !a.IsLoopback() && !a.IsMulticast()
}
