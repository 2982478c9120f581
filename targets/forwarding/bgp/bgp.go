package bgp

import (
	"cmp"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/forwarding"
)

// Tables are the routes of a device by family; nil: they were not read.
type Tables [2]*forwarding.Routes

// index finds routes of one table.
type index struct {
	routes    map[netip.Prefix]*forwarding.Route
	own       map[netip.Addr]bool
	connected []*forwarding.Route
}

// indexes are the indexes by family; nil: the table was not read.
type indexes [2]*index

// indexed returns the indexes of the tables.
func (t *Tables) indexed() (out indexes) {
	for family, table := range t {
		if table == nil {
			continue
		}
		x := &index{routes: make(map[netip.Prefix]*forwarding.Route, len(table.List)), own: make(map[netip.Addr]bool, len(table.Own))}
		for i := range table.List {
			r := &table.List[i]
			if x.routes[r.To] = r; r.Connected {
				x.connected = append(x.connected, r)
			}
		}
		for _, a := range table.Own {
			x.own[a] = true
		}
		out[family] = x
	}
	return out
}

// of returns the index of the family of an address; nil: its table was not read.
func (x *indexes) of(a netip.Addr) *index { return x[forwarding.FamilyOf(a)] }

// portTo returns the interface of the connected prefix with an address; empty: none, or several.
func (x *indexes) portTo(a netip.Addr) (port string) {
	best := -1
	if in := x.of(a); in != nil {
		for _, r := range in.connected {
			if r.To.Contains(a) && r.To.Bits() > best && len(r.Out) == 1 {
				best, port = r.To.Bits(), r.Out[0]
			}
		}
	}
	return port
}

// Join joins the configuration of FRRouting, the state of its sessions and the tables of the device. Without a configuration, only the AS
// number and the sessions are known. unread is the reason, as part of a sentence, why a part is missing; empty: BGP was read. The result is
// nil if neither was read.
func Join(c *Instance, s *Summary, t *Tables) (out *ir.ForwardingBGP, unread string) {
	switch {
	case c == nil && s == nil:
		return nil, ""
	case c == nil && s.AS == 0: // FRRouting prints an empty object if it has no instance
		return &ir.ForwardingBGP{}, ""
	}
	out = &ir.ForwardingBGP{}
	if s != nil {
		out.AS = uint32(s.AS)
	}
	if c == nil {
		unread = "its policies are not known, because the configuration of FRRouting was not read"
		c = &Instance{AS: out.AS, Peers: map[string]*Peer{}}
	} else if s != nil && s.AS != 0 && out.AS != c.AS {
		unread = "the configuration of FRRouting states another AS number than its sessions"
	}
	if c.Cut || s != nil && len(s.Sessions) > mostPeers {
		return nil, "it has more neighbours, ranges of neighbours or announced protocols than rocec reads"
	}
	out.AS, out.Paths, out.Relaxed = c.AS, c.Paths, c.Relaxed || s.Relaxed()
	x := t.indexed()
	out.Peers = c.peers(s, &x)
	if why := c.announced(out, &x); unread == "" {
		unread = why
	}
	return out, unread
}

// peers returns the neighbours by port and address.
func (c *Instance) peers(s *Summary, x *indexes) []ir.ForwardingPeer {
	all := map[string]*Peer{}
	maps.Copy(all, c.Peers)
	if s != nil {
		for name, session := range s.Sessions {
			if all[name] == nil {
				all[name] = c.dynamic(name, session)
			}
		}
	}
	var out []ir.ForwardingPeer
	for name, p := range all {
		peer := ir.ForwardingPeer{AS: c.remote(p), AllowsAS: p.AllowsAS, Prepends: p.Prepends, Policy: p.Policy}
		if a, is := address(name); is && !p.port {
			peer.Address, peer.Port = a, x.portTo(a)
		} else {
			peer.Port = forwarding.Plain(name)
		}
		if s != nil && s.Sessions[name] != nil {
			session := s.Sessions[name]
			peer.Up = session.Up() && !p.Down
			if session.AS != 0 {
				peer.AS = uint32(session.AS)
			}
		}
		out = append(out, peer)
	}
	slices.SortFunc(out, func(a, b ir.ForwardingPeer) int {
		return cmp.Or(strings.Compare(a.Port, b.Port), a.Address.Compare(b.Address))
	})
	return out
}

// dynamic returns the configuration of a neighbour that has no line of its own.
func (c *Instance) dynamic(name string, s *Session) *Peer {
	a, is := address(name)
	best := Peer{port: s.ID == "interface"}
	bits := -1
	for prefix, of := range c.Ranges {
		if is && prefix.Contains(a) && prefix.Bits() > bits {
			bits, best = prefix.Bits(), of
		}
	}
	return &best
}

// remote returns the AS number of a neighbour; 0: not known.
func (c *Instance) remote(p *Peer) uint32 {
	if p.Remote == "internal" {
		return c.AS
	}
	as, _ := asNumber(p.Remote)
	return as
}

// announced sets the prefixes that a device announces and that belong neither to its interfaces nor to BGP. A prefix that network announces
// without a route in the table is an aggregate. unread is the reason why some are missing.
func (c *Instance) announced(out *ir.ForwardingBGP, x *indexes) (unread string) {
	static, aggregates := map[netip.Prefix]bool{}, map[netip.Prefix]bool{}
	for _, from := range c.Sources {
		in := x[from.Family]
		switch {
		case in == nil && from.Protocol == "static":
			for _, to := range c.Static {
				if forwarding.FamilyOf(to.Addr()) == from.Family {
					static[to] = true
				}
			}
		case in == nil, strings.HasPrefix(from.Protocol, "table"):
			unread = "the routes of " + from.Protocol + " that it announces are not known"
		default:
			for to, r := range in.routes {
				if r.Protocol == from.Protocol || from.Protocol == "kernel" && r.Protocol == "boot" {
					static[to] = true
				}
			}
		}
	}
	if c.Default {
		static[netip.PrefixFrom(netip.IPv4Unspecified(), 0)] = true
	}
	for _, to := range c.Networks {
		in := x.of(to.Addr())
		if in == nil {
			unread = "the table that shows where its network " + to.String() + " leads was not read"
			continue
		}
		switch r := in.routes[to]; {
		case r == nil && to.IsSingleIP() && in.own[to.Addr()], r != nil && r.Connected:
		case r != nil:
			static[to] = true
		case !c.Checks:
			aggregates[to] = false
		}
	}
	for _, to := range c.Aggregates {
		in := x.of(to.Addr())
		if in == nil {
			unread = "the table that shows whether its aggregate " + to.String() + " drops was not read"
			continue
		}
		r := in.routes[to]
		aggregates[to] = r != nil && len(r.Out) == 0 && r.Odd == ""
	}
	out.Static = slices.SortedFunc(maps.Keys(static), comparePrefixes)
	for _, to := range slices.SortedFunc(maps.Keys(aggregates), comparePrefixes) {
		out.Aggregates = append(out.Aggregates, ir.ForwardingAggregate{Prefix: to, Discard: aggregates[to]})
	}
	return unread
}

// comparePrefixes orders prefixes by their addresses, IPv4 first, and then by their lengths.
func comparePrefixes(a, b netip.Prefix) int {
	return cmp.Or(a.Addr().Compare(b.Addr()), a.Bits()-b.Bits())
}
