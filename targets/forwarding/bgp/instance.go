// Package bgp reads BGP of the default VRF from FRRouting: its configuration ([Instance]) and the state of its sessions.
package bgp

import (
	"cmp"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/targets/forwarding"
)

// Instance is BGP of the default VRF as the configuration of FRRouting states it.
type Instance struct {
	AS         uint32
	Paths      int                   // the most equal paths of eBGP; 0: not stated
	Relaxed    bool                  // bestpath as-path multipath-relax
	Ignored    string                // a setting of the whole instance that changes how AS paths are compared or written; empty: none
	Peers      map[string]*Peer      // by port or address
	Ranges     map[netip.Prefix]Peer // of dynamic neighbours
	Networks   []netip.Prefix        // network
	Aggregates []netip.Prefix        // aggregate-address
	Sources    []Source              // other protocols whose routes it announces (redistribute), without connected
	Static     []netip.Prefix        // static routes of the default VRF
	Default    bool                  // it announces a default route to a neighbour that it need not have (default-originate)
	Cut        bool                  // it has more neighbours, ranges or sources than are read
	Checks     bool                  // network announces only prefixes that the routing table has (network import-check)
}

// Peer is the configuration of one neighbour, with that of its peer group.
type Peer struct {
	Remote   string   // the AS number, "external" or "internal"; empty: not stated
	AllowsAS int      // allowas-in
	Maps     []MapUse // route maps, at most one for each family and direction
	Prepends bool
	Policy   string // the first policy with an effect that is not known; empty: none
	Down     bool   // shutdown
	Default  bool   // default-originate
	port     bool   // it is named by a port
	group    string
	isGroup  bool
}

// Source is a protocol whose routes BGP announces in a family.
type Source struct {
	Family   int
	Protocol string
}

// Limits of a configuration.
const (
	mostPeers   = 4096
	mostSources = 32
	mostRanges  = 256
	mostUses    = 16 // route maps of one neighbour
)

// MapUse is a route map at a neighbour.
type MapUse struct{ Family, Direction, Name string }

// allowDefault is the number of allowas-in without a number.
//
// Source: github.com/FRRouting/frr, bgpd/bgpd.c, peer_allowas_in_set, called with 3 by bgpd/bgp_vty.c.
const allowDefault = 3

// routeMap is a route map.
type routeMap struct {
	denies   bool // an entry drops routes
	open     bool // an entry without a match accepts all other routes
	prepends bool
	strange  bool // it changes something that can change the choice of paths
	matched  bool // the entry has a match
	permits  bool
}

// harmlessSets are the settings of a route map that do not change which path a router prefers.
//
// Source: RFC 4271, section 9.1.2: the decision process reads none of them.
var harmlessSets = []string{"community", "extcommunity", "large-community", "comm-list", "large-comm-list", "tag", "src"}

// ReadConfig reads the configuration of FRRouting, as frr.conf and vtysh have it; nil: it has no BGP of the default VRF.
//
// Source: docs.frrouting.org, BGP and Route Maps.
func ReadConfig(data []byte) *Instance {
	r := &configReader{maps: map[string]*routeMap{}, peers: map[string]*Peer{}, ranges: map[netip.Prefix]string{}}
	var lines Lines
	for line := range strings.Lines(string(data)) {
		words := strings.Fields(line)
		if !lines.Keeps(line) || words[0] == "!" {
			continue
		}
		if line[0] != ' ' && line[0] != '\t' {
			r.top(words)
		} else {
			r.inner(words)
		}
	}
	r.closeEntry()
	if r.out == nil {
		return nil
	}
	r.out.Static = r.static
	if !r.imports {
		r.out.Checks = r.checksByDefault()
	}
	r.finish()
	return r.out
}

// configReader reads the lines of a configuration.
type configReader struct {
	out      *Instance
	at       string // the block: "bgp", "map" or another; empty: none
	family   string // the family of unicast that the lines are about: "ipv4", "ipv6"; empty: another
	peers    map[string]*Peer
	ranges   map[netip.Prefix]string // the peer groups of dynamic neighbours
	maps     map[string]*routeMap
	now      *routeMap
	static   []netip.Prefix
	imports  bool // import-check is stated
	defaults string
	version  string
}

// top reads a line outside of blocks, which may begin one.
func (r *configReader) top(words []string) {
	r.closeEntry()
	r.at = ""
	switch {
	case words[0] == "frr" && len(words) == 3 && words[1] == "version":
		r.version = words[2]
	case words[0] == "frr" && len(words) == 3 && words[1] == "defaults":
		r.defaults = words[2]
	case len(words) >= 3 && words[0] == "router" && words[1] == "bgp":
		r.at = "other"
		as, ok := asNumber(words[2])
		if ok && r.out == nil && !slices.Contains(words, "vrf") && !slices.Contains(words, "view") {
			r.out, r.at, r.family = &Instance{AS: as, Peers: map[string]*Peer{}, Ranges: map[netip.Prefix]Peer{}}, "bgp", "ipv4"
		}
	case words[0] == "route-map" && len(words) >= 4:
		r.at = "map"
		r.now = r.maps[words[1]]
		if r.now == nil {
			r.now = &routeMap{}
			r.maps[words[1]] = r.now
		}
		r.now.matched, r.now.permits = false, words[2] == "permit"
	case len(words) >= 4 && (words[0] == "ip" || words[0] == "ipv6") && words[1] == "route" && !slices.Contains(words, "vrf"):
		if to, ok := forwarding.Prefix(words[2]); ok {
			r.static = append(r.static, to)
		}
	}
}

// closeEntry ends the entry of a route map.
func (r *configReader) closeEntry() {
	if r.at != "map" || r.now == nil {
		return
	}
	m := r.now
	m.denies = m.denies || !m.permits && !m.open
	m.open = m.open || m.permits && !m.matched
	r.now = nil
}

// inner reads a line of a block.
func (r *configReader) inner(words []string) {
	switch {
	case r.at == "map" && r.now != nil:
		r.now.line(words)
	case r.at != "bgp":
	case words[0] == "address-family":
		r.family = ""
		if len(words) >= 2 && (words[1] == "ipv4" || words[1] == "ipv6") && (len(words) == 2 || words[2] == "unicast") {
			r.family = words[1]
		}
	case words[0] == "exit-address-family":
		r.family = "ipv4"
	case r.family != "":
		r.bgp(words)
	}
}

// line reads a line of an entry.
func (m *routeMap) line(words []string) {
	if m.open { // an earlier entry accepts every route
		return
	}
	switch words[0] {
	case "match":
		m.matched = true
	case "set":
		switch {
		case len(words) > 2 && words[1] == "as-path" && words[2] == "prepend":
			m.prepends = true
		case len(words) > 1 && slices.Contains(harmlessSets, words[1]):
		default:
			m.strange = true
		}
	case "call", "continue", "on-match", "no":
		m.strange = true
	}
}

// bgp reads a line of the instance.
func (r *configReader) bgp(words []string) {
	c := r.out
	no := words[0] == "no"
	if no {
		words = words[1:]
	}
	arg := func(i int) string {
		if i < len(words) {
			return words[i]
		}
		return ""
	}
	to, isPrefix := forwarding.Prefix(arg(1))
	switch what := arg(0); {
	case what == "bgp" && arg(1) == "network" && arg(2) == "import-check":
		c.Checks, r.imports = !no, true
	case no:
	case c.Cut: // it is not judged
	case what == "bgp" && arg(1) == "bestpath" && arg(2) == "as-path" && arg(3) == "multipath-relax":
		c.Relaxed = true
	case what == "bgp" && arg(1) == "bestpath" && arg(2) == "as-path" && arg(3) == "ignore":
		c.Ignored = "bestpath as-path ignore"
	case what == "bgp" && arg(1) == "confederation":
		c.Ignored = "confederation"
	case what == "bgp" && arg(1) == "listen" && arg(2) == "range" && arg(4) == "peer-group":
		if p, ok := forwarding.Prefix(arg(3)); ok {
			c.Cut = c.Cut || len(r.ranges) == mostRanges
			r.ranges[p] = arg(5)
		}
	case what == "maximum-paths" && arg(1) != "ibgp":
		if n, err := strconv.Atoi(arg(1)); err == nil && n > 0 {
			c.Paths = max(c.Paths, n)
		}
	case what == "redistribute" && arg(1) != "" && arg(1) != "connected":
		from := Source{forwarding.IPv4, forwarding.Plain(arg(1))}
		if r.family == "ipv6" {
			from.Family = forwarding.IPv6
		}
		if !slices.Contains(c.Sources, from) {
			c.Cut = c.Cut || len(c.Sources) == mostSources
			c.Sources = append(c.Sources, from)
		}
	case what == "network" && isPrefix:
		c.Networks = append(c.Networks, to)
	case what == "aggregate-address" && isPrefix:
		c.Aggregates = append(c.Aggregates, to)
	case what == "neighbor" && len(words) >= 3:
		r.neighbour(words[1], words[2:])
	}
}

// filterWords are the commands of a neighbour with the name of a list.
var filterWords = []string{"prefix-list", "filter-list", "distribute-list", "advertise-map", "unsuppress-map"}

// changeWords are the commands of a neighbour that change AS paths or their use.
var changeWords = []string{"local-as", "as-override", "remove-private-AS", "remove-private-as", "weight"}

// neighbour reads the words after the neighbour.
func (r *configReader) neighbour(name string, words []string) {
	p := r.peers[name]
	if p == nil && len(r.peers) < mostPeers {
		p = &Peer{}
		r.peers[name] = p
	}
	if p == nil {
		r.out.Cut = true
		return
	}
	next := ""
	if len(words) > 1 {
		next = words[1]
	}
	switch what := words[0]; {
	case what == "interface":
		p.port = true
		for i, w := range words[:len(words)-1] {
			switch w {
			case "remote-as":
				p.Remote = words[i+1]
			case "peer-group":
				p.group = words[i+1]
			}
		}
	case what == "remote-as" && next != "":
		p.Remote = next
	case what == "peer-group" && next == "":
		p.isGroup = true
	case what == "peer-group":
		p.group = next
	case what == "allowas-in":
		n, err := strconv.Atoi(next)
		switch {
		case next == "origin":
			n = 1
		case err != nil || n < 1:
			n = allowDefault
		}
		p.AllowsAS = max(p.AllowsAS, n)
	case what == "route-map" && next != "":
		if len(p.Maps) == mostUses { // the effect of so many policies is not known
			p.Policy = forwarding.Plain(next)
			return
		}
		p.Maps = append(p.Maps, MapUse{r.family, strings.Join(words[2:], " "), next})
	case what == "default-originate":
		p.Default = true
	case what == "shutdown":
		p.Down = true
	case slices.Contains(filterWords, what) && next != "" && p.Policy == "":
		p.Policy = forwarding.Plain(next)
	case slices.Contains(changeWords, what) && p.Policy == "":
		p.Policy = what
	}
}

// checksByDefault returns the value of network import-check if no line states it.
//
// Source: github.com/FRRouting/frr, bgpd/bgp_vty.c: the default is false only for the profile "traditional" before 7.4.
func (r *configReader) checksByDefault() bool {
	if r.defaults == "datacenter" {
		return true
	}
	major, rest, _ := strings.Cut(r.version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	a, err := strconv.Atoi(major)
	b, _ := strconv.Atoi(minor)
	return err == nil && (a > 7 || a == 7 && b >= 4)
}

// finish gives each neighbour the settings of its group, and the effects of its policies.
func (r *configReader) finish() {
	for name, p := range r.peers {
		if p.isGroup {
			continue
		}
		of := *p
		if g := r.peers[p.group]; p.group != "" && g != nil {
			of = p.with(g)
		}
		r.judge(&of)
		r.out.Default = r.out.Default || of.Default
		r.out.Peers[name] = &of
	}
	for prefix, name := range r.ranges {
		if g := r.peers[name]; g != nil {
			of := *g
			r.judge(&of)
			r.out.Ranges[prefix] = of
			r.out.Default = r.out.Default || of.Default
		}
	}
}

// with returns the settings of a neighbour over those of its group.
func (p *Peer) with(g *Peer) Peer {
	out := *p
	if out.Remote == "" {
		out.Remote = g.Remote
	}
	if out.AllowsAS == 0 {
		out.AllowsAS = g.AllowsAS
	}
	out.Maps, out.Policy = slices.Clone(p.Maps), cmp.Or(p.Policy, g.Policy)
	for _, use := range g.Maps {
		if !slices.ContainsFunc(p.Maps, func(own MapUse) bool { return own.Family == use.Family && own.Direction == use.Direction }) {
			out.Maps = append(out.Maps, use)
		}
	}
	out.Down, out.Default = p.Down || g.Down, p.Default || g.Default
	return out
}

// judge sets the effects of the policies of a neighbour. A route map is known if it accepts every route, and changes at most the length of
// the AS path and values that no router compares.
func (r *configReader) judge(p *Peer) {
	for _, use := range p.Maps {
		m := r.maps[use.Name]
		if m != nil && m.prepends {
			p.Prepends = true
		}
		if (m == nil || m.denies || m.strange || !m.open) && p.Policy == "" {
			p.Policy = forwarding.Plain(use.Name)
		}
	}
	if p.Policy == "" {
		p.Policy = r.out.Ignored
	}
}

// asNumber parses an AS number, as a number or in the form 1.10.
//
// Source: RFC 5396.
func asNumber(text string) (uint32, bool) {
	high, low, dotted := strings.Cut(text, ".")
	if !dotted {
		n, err := strconv.ParseUint(text, 10, 32)
		return uint32(n), err == nil && n > 0
	}
	a, errA := strconv.ParseUint(high, 10, 16)
	b, errB := strconv.ParseUint(low, 10, 16)
	n := uint32(a)<<16 | uint32(b)
	return n, errA == nil && errB == nil && n > 0
}
