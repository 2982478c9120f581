package deploy

import (
	"cmp"
	"maps"
	"slices"
	"sort"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/nodeset"
)

// Effects returns the effects on traffic when a device goes from one state to another. cabled contains the ports of the fabric. A value
// that is missing in one of the states has no effect. Effects is pure.
func Effects(old, next *ir.Settings, cabled []*ir.Port) []Effect {
	if old == nil || next == nil {
		return nil
	}
	fabric, names := map[string]bool{}, map[string]bool{}
	for _, p := range cabled {
		fabric[p.Name], names[p.Name] = true, true
	}
	for _, s := range []*ir.Settings{old, next} {
		for name := range s.Ports {
			names[name] = true
		}
	}
	at := map[shift]*Effect{} // effects on the fabric's ports; foreign contains the effects on other ports
	foreign := map[shift]*Effect{}
	note := func(of map[shift]*Effect, s shift) *Effect {
		if of[s] == nil {
			of[s] = &Effect{Shift: s.Shift}
		}
		return of[s]
	}
	type pair struct{ a, b *ir.PortSettings }
	memo := map[pair][]shift{} // ports with equal settings share one value of settings
	compare := func(a, b *ir.PortSettings) []shift {
		p := pair{a, b}
		if _, known := memo[p]; !known {
			memo[p] = shifts(a, b)
		}
		return memo[p]
	}
	for _, name := range slices.SortedFunc(maps.Keys(names), nodeset.Compare) {
		of := at
		if !fabric[name] {
			of = foreign
		}
		for _, s := range compare(old.Port(name), next.Port(name)) {
			e := note(of, s)
			e.Ports, e.Foreign = append(e.Ports, name), !fabric[name]
		}
	}
	for _, s := range compare(old.Rest, next.Rest) {
		named := 0
		for _, of := range []map[shift]*Effect{at, foreign} {
			if of[s] != nil {
				named += len(of[s].Ports)
			}
		}
		if named == len(names) {
			delete(foreign, s)
			e := note(at, s)
			e.All, e.Ports = true, nil
			continue
		}
		s.rest = true // counted separately from the named ports
		e := note(foreign, s)
		e.Others, e.Foreign = true, true
	}
	for _, s := range pooling(old.Pools, next.Pools) {
		note(at, s).All = true
	}
	return inOrder(at, foreign)
}

// inOrder returns effects in order: the effects that can lose packets come first.
func inOrder(all ...map[shift]*Effect) []Effect {
	type row struct {
		shift
		*Effect
	}
	var rows []row
	for _, of := range all {
		for s, e := range of {
			rows = append(rows, row{s, e})
		}
	}
	sort.Slice(rows, func(i, k int) bool {
		a, b := rows[i], rows[k]
		return cmp.Or(
			cmp.Compare(a.shift.Kind.Order(), b.shift.Kind.Order()),
			cmp.Compare(a.order, b.order), cmp.Compare(a.Effect.What(), b.Effect.What()), cmp.Compare(rank(a.Effect), rank(b.Effect)),
		) < 0
	})
	out := make([]Effect, len(rows))
	for i, r := range rows {
		out[i] = *r.Effect
	}
	return out
}

// rank sorts ports of the fabric before other named ports, and named ports before the rest.
func rank(e *Effect) int {
	switch {
	case e.Others:
		return 2
	case e.Foreign:
		return 1
	}
	return 0
}
