// Package forwarding reads what a device prints of its forwarding: the [Routes] of its table, and its interfaces with their addresses.
//
// The input is the JSON of `vtysh -c 'show ip route json'` (FRRouting) and of ip (iproute2). An answer counts only if every row is
// understood: an answer that is cut off has no routes.
package forwarding

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/netip"
	"path"
	"slices"
	"strings"
)

// MaxFile is the largest answer that is read, in bytes: some 10,000 routes of FRRouting, or 40,000 of the kernel.
const MaxFile = 8 << 20

// Names are the base names of answers. The answer itself shows the program and the family. An empty answer is of IPv6 if its name contains
// a 6.
var Names = []string{"route.json", "route6.json", "ip-route.json", "ip-route6.json", "addr.json"}

// addrName is the base name of an answer with interfaces. An empty list with another name is a table without routes.
const addrName = "addr.json"

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

// Answer is the content of a file.
type Answer struct {
	Routes     [families]*Routes // by family; nil: the file has no such table
	Interfaces Interfaces        // nil: the file states no interface
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

// Read reads the answer in a file. The error is a part of a sentence.
func Read(name string, data []byte) (*Answer, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if len(data) > MaxFile {
		return nil, errWhole
	}
	r := &reader{
		in: json.NewDecoder(bytes.NewReader(data)), out: &Answer{}, six: strings.Contains(path.Base(name), "6.json"),
		addr: strings.HasSuffix(name, addrName),
	}
	for n := 0; ; n++ {
		token, err := r.in.Token()
		switch {
		case errors.Is(err, io.EOF) && n > 0 && r.out.Interfaces != nil && len(r.out.Interfaces) == 0:
			return nil, errNone
		case errors.Is(err, io.EOF) && n > 0:
			return r.out, nil
		case err != nil:
			return nil, errWhole
		}
		switch token {
		case json.Delim('{'):
			err = r.frr(n)
		case json.Delim('['):
			err = r.ip(n)
		default:
			err = errKnown
		}
		if err != nil {
			return nil, err
		}
	}
}

// reader reads the documents of one answer.
type reader struct {
	in   *json.Decoder
	out  *Answer
	six  bool // the file name is one of an IPv6 answer
	addr bool // the file name is one of an answer with interfaces
}

// end reads the bracket at the end of a document.
func (r *reader) end() error {
	if _, err := r.in.Token(); err != nil {
		return errWhole
	}
	return nil
}

// decode reads the next value.
func (r *reader) decode(into any) error {
	err := r.in.Decode(into)
	var is *json.UnmarshalTypeError
	switch {
	case errors.As(err, &is):
		return errKnown
	case err != nil:
		return errWhole
	}
	return nil
}

// table is a partially read table.
type table struct {
	Routes
	at     map[netip.Prefix]int
	metric []uint32
}

// add adds a route. If two routes have one prefix, the lower metric counts. Two with the same metric are both used.
func (t *table) add(route Route, metric uint32) {
	i, twice := t.at[route.To]
	switch {
	case !twice:
		if t.at == nil {
			t.at = map[netip.Prefix]int{}
		}
		t.at[route.To] = len(t.List)
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

// put adds a table to the answer. A document without prefixes is of IPv6 if it is the second in its file.
func (r *reader) put(t *table, n int) error {
	family := IPv4
	if r.six || n == 1 {
		family = IPv6
	}
	for i, route := range t.List {
		if i == 0 {
			family = FamilyOf(route.To.Addr())
		}
		if FamilyOf(route.To.Addr()) != family {
			return errKnown
		}
	}
	if r.out.Routes[family] != nil {
		return errKnown
	}
	r.out.Routes[family] = &t.Routes
	return nil
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
