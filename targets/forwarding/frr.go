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

// frrRow is the part of a route that does not depend on its prefix.
type frrRow struct {
	Route
	own bool // the prefix is an address of the device
}

// frr reads an object of FRRouting: its routes by their prefixes.
func (r *reader) frr(n int) error {
	t := &table{Routes: Routes{FRR: true}}
	known := map[string][]frrRow{}
	for r.in.more() {
		key, err := r.in.key()
		if err != nil {
			return errWhole
		}
		text, err := r.in.value()
		if err != nil {
			return errWhole
		}
		to, is := Prefix(key)
		rows, are := r.frrRows(text, known)
		if !is || !are {
			return errKnown
		}
		t.frr(rows, to)
	}
	if r.in.end() != nil {
		return errWhole
	}
	return r.put(t, n)
}

// frrRows reads the routes of a prefix. In a kept answer thousands of prefixes have the same text, so known has the routes by their text.
func (r *reader) frrRows(text []byte, known map[string][]frrRow) (rows []frrRow, ok bool) {
	if rows, is := known[string(text)]; is {
		return rows, true
	}
	var routes []frrRoute
	if json.Unmarshal(text, &routes) != nil {
		return nil, false
	}
	for i := range routes {
		route := &routes[i]
		if route.VRF != "" && route.VRF != "default" || route.Table != 0 && route.Table != 254 {
			return nil, false
		}
		if row, counts := route.row(); counts {
			rows = append(rows, row)
		}
	}
	if r.remember && len(known) < mostKnown {
		known[string(text)] = rows
	}
	return rows, true
}

// row returns the row of a route, if it is selected and installed. If no next hop works, a shorter prefix counts.
func (route *frrRoute) row() (row frrRow, counts bool) {
	if !route.Selected {
		return frrRow{}, false
	}
	if route.Protocol == "local" {
		return frrRow{own: true}, true
	}
	row.Protocol, row.Connected = Plain(route.Protocol), route.Protocol == "connected"
	for _, h := range route.Hops {
		if !h.FIB || h.LinkDown {
			continue
		}
		counts = true
		h.Drops = h.Drops || h.Interface == "Null0" // releases before 3.0
		switch {
		case h.Drops:
		case h.Interface == "":
			row.Odd = "a next hop without an interface"
		case h.VRF != "":
			row.Odd = "a next hop in another VRF"
		case h.SRv6 != nil || slices.ContainsFunc(h.Labels, func(l any) bool { return l != float64(implicitNull) }):
			row.Odd = "a next hop with labels"
		}
		if h.Interface != "" && !h.Drops {
			row.Out = appendOnce(row.Out, h.Interface)
		}
	}
	row.Out = slices.Clip(row.Out) // other prefixes share it
	return row, counts
}

// frr adds the rows of a prefix.
func (t *table) frr(rows []frrRow, to netip.Prefix) {
	if !about(to) {
		return
	}
	for i := range rows {
		if rows[i].own {
			t.Own = append(t.Own, to.Addr())
			continue
		}
		route := rows[i].Route
		route.To = to
		t.add(route, 0)
	}
}

// implicitNull is the label that means that a packet is sent without a label (RFC 3032, section 2.1).
const implicitNull = 3
