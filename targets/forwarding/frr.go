package forwarding

import (
	"encoding/json"
	"net/netip"
	"slices"
)

// frrRoute is a route as FRRouting prints it.
//
// Source: github.com/FRRouting/frr, zebra/zebra_vty.c and lib/nexthop.c (nexthop_json_helper).
type frrRoute struct {
	Protocol string   `json:"protocol,omitempty"`
	Selected bool     `json:"selected,omitempty"`
	VRF      string   `json:"vrfName,omitempty"`
	Table    int      `json:"table,omitempty"` // 254 is the main one (RT_TABLE_MAIN)
	Hops     []frrHop `json:"nexthops"`
}

// frrHop is a next hop. A recursive hop is followed by its resolvers in the list; only the resolvers are in the forwarding table.
type frrHop struct {
	FIB       bool   `json:"fib,omitempty"`
	Interface string `json:"interfaceName,omitempty"`
	Drops     bool   `json:"unreachable,omitempty"`
	LinkDown  bool   `json:"linkDown,omitempty"`
	VRF       string `json:"vrf,omitempty"`
	Labels    []any  `json:"labels,omitempty"`
	SRv6      any    `json:"seg6,omitempty"`
}

// frr reads an object of FRRouting: its routes by their prefixes.
func (r *reader) frr(n int) error {
	t := &table{Routes: Routes{FRR: true}}
	known := map[string][]frrRoute{}
	for r.in.More() {
		key, err := r.in.Token()
		if err != nil {
			return errWhole
		}
		var text json.RawMessage
		if err := r.decode(&text); err != nil {
			return err
		}
		to, is := Prefix(key.(string))
		routes, are := frrRoutes(text, known)
		if !is || !are {
			return errKnown
		}
		for _, route := range routes {
			if err := t.frr(route, to); err != nil {
				return err
			}
		}
	}
	if err := r.end(); err != nil {
		return err
	}
	return r.put(t, n)
}

// mostKnown is the number of different texts of routes that are known at the same time.
const mostKnown = 1024

// frrRoutes reads the routes of a prefix. In a kept answer thousands of prefixes have the same text, so known has the routes by their text.
func frrRoutes(text []byte, known map[string][]frrRoute) (routes []frrRoute, ok bool) {
	if routes, is := known[string(text)]; is {
		return routes, true
	}
	if json.Unmarshal(text, &routes) != nil {
		return nil, false
	}
	if len(known) < mostKnown {
		known[string(text)] = routes
	}
	return routes, true
}

// frr adds a route, if it is selected and installed. If no next hop works, a shorter prefix counts.
func (t *table) frr(route frrRoute, to netip.Prefix) error {
	if route.VRF != "" && route.VRF != "default" || route.Table != 0 && route.Table != 254 {
		return errKnown
	}
	if !route.Selected || !about(to) {
		return nil
	}
	if route.Protocol == "local" {
		t.Own = append(t.Own, to.Addr())
		return nil
	}
	out, works := Route{To: to, Protocol: Plain(route.Protocol), Connected: route.Protocol == "connected"}, false
	for _, h := range route.Hops {
		if !h.FIB || h.LinkDown {
			continue
		}
		works = true
		h.Drops = h.Drops || h.Interface == "Null0" // releases before 3.0
		switch {
		case h.Drops:
		case h.Interface == "":
			out.Odd = "a next hop without an interface"
		case h.VRF != "":
			out.Odd = "a next hop in another VRF"
		case h.SRv6 != nil || slices.ContainsFunc(h.Labels, func(l any) bool { return l != float64(implicitNull) }):
			out.Odd = "a next hop with labels"
		}
		if h.Interface != "" && !h.Drops {
			out.Out = appendOnce(out.Out, h.Interface)
		}
	}
	if !works {
		return nil
	}
	t.add(out, 0)
	return nil
}

// implicitNull is the label that means that a packet is sent without a label (RFC 3032, section 2.1).
const implicitNull = 3
