package trace

import (
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/validate/walk"
)

// Hosts with several NICs have a trace for each pair of NICs, which is 64 traces between two hosts with eight NICs. Traces that differ
// only in names are printed once, so a pair of hosts fits a page; --all and JSON show each.

// Alike contains traces that differ only in names, and the trace that is shown for them.
type Alike struct {
	*walk.Trace
	of   []*walk.Trace
	each map[*walk.Hop]int // number of devices that each of the traces has at a hop
}

// Fold groups traces that differ only in names. Groups are in the order of their first traces.
func (s *Sayings) Fold(traces []*walk.Trace, all bool) []*Alike {
	var out []*Alike
	for _, t := range traces {
		i := slices.IndexFunc(out, func(o *Alike) bool { return !all && endsAlike(t, o.Trace) && o.of[0].Like(t, s.sameFindings) })
		if i < 0 {
			i = len(out)
			out = append(out, &Alike{Trace: t})
		}
		out[i].of = append(out[i].of, t)
	}
	for _, g := range out {
		g.each = map[*walk.Hop]int{}
		if len(g.of) > 1 {
			g.Trace = walk.Union(g.of)
		}
		g.count(g.Data, g.of[0].Data)
		g.count(g.CNP, g.of[0].CNP)
	}
	return out
}

func (g *Alike) count(shown, first *walk.Walk) {
	if shown == nil {
		return
	}
	for i, h := range shown.Hops {
		g.each[h] = len(first.Hops[i].Devices)
	}
}

// endsAlike reports whether the ends of two traces are interfaces of the same hosts.
func endsAlike(a, b *walk.Trace) bool {
	same := func(x, y []*ir.Port) bool { return x[0].Device() == y[0].Device() && (len(x) > 1) == (len(y) > 1) }
	return same(a.From, b.From) && same(a.To, b.To)
}

// sameFindings reports whether two lists of findings have the same codes and severities, and are equally silenced.
func (s *Sayings) sameFindings(a, b []*walk.Finding) bool {
	return slices.EqualFunc(s.Of(a), s.Of(b), func(x, y Said) bool {
		return x.Code == y.Code && x.Severity == y.Severity && x.Breaks() == y.Breaks() && (x.ignored == nil) == (y.ignored == nil)
	})
}

// ends names the interfaces at one end of grouped traces: gpu01:rail[1-8].
func ends(traces []*walk.Trace, of func(*walk.Trace) []*ir.Port) string {
	var names []string
	for _, t := range traces {
		names = append(names, endText(of(t)))
	}
	return nodeset.Text(names, nodeset.Endpoints, traceNames)
}

// pairsText states which interface of one host talks to which interface of the other.
func pairsText(traces []*walk.Trace) []string {
	var from []string // the interfaces of the sender, in order
	to := map[string][]string{}
	var all []string
	for _, t := range traces {
		x, y := endName(t.From), endName(t.To)
		if to[x] == nil {
			from = append(from, x)
		}
		to[x], all = append(to[x], y), append(all, y)
	}
	slices.SortFunc(all, nodeset.Compare)
	all = slices.Compact(all)
	each, own, others := true, true, true
	for _, x := range from {
		peers := slices.SortedFunc(slices.Values(to[x]), nodeset.Compare)
		rest := slices.DeleteFunc(slices.Clone(all), func(y string) bool { return y == x })
		each = each && slices.Equal(peers, all)
		own = own && slices.Equal(peers, []string{x})
		others = others && slices.Equal(peers, rest)
	}
	out := []string{diag.Count(len(traces), "pair") + " of interfaces alike"}
	switch {
	case each:
		return append(out, "each with each")
	case own:
		return append(out, "each with the interface of the same name")
	case others:
		return append(out, "each with the interfaces of other names")
	}
	for _, x := range from {
		out = append(out, x+" with "+nodeset.Text(to[x], nodeset.Interfaces, traceNames))
	}
	return out
}

// endName returns the name of the interface at one end.
func endName(ports []*ir.Port) string {
	_, name, _ := strings.Cut(endText(ports), ":")
	return name
}
