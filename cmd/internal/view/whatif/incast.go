package whatif

import (
	"slices"
	"strings"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/view/facts"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/validate"
	"github.com/rocec/rocec/validate/sim"
	"github.com/rocec/rocec/validate/walk"
)

// Incast is several senders that send to one receiver at line rate.
type Incast struct {
	Intent *ir.Intent
	To     *ir.Port
}

// Wish is the incast that a person asks for.
type Wish struct {
	Names   string // hosts or interfaces, as nodesets; the last one receives if To is empty
	To      string
	Intent  string // empty: the first one that has them all as members
	Percent int    // of its line rate at which the receiver takes frames
}

// maxSenders bounds the senders of an incast: each has its own flow.
const maxSenders = 1024

// OfIncast simulates an incast.
func OfIncast(f *ir.Fabric, w Wish) (*Study, error) {
	if w.Percent < 1 || w.Percent > 100 {
		return nil, exit.Fail(exit.Usage, "--receive takes a percentage from 1 to 100, not %d", w.Percent)
	}
	names, err := namesOf(w.Names)
	if err != nil {
		return nil, err
	}
	to := w.To
	if to == "" {
		to, names = names[len(names)-1], names[:len(names)-1]
	}
	if len(names) == 0 {
		return nil, exit.Fail(exit.Usage, "--incast %s names the receiver only: name senders before it, or name the receiver by --to",
			diag.Escape(w.Names))
	}
	trips := make([][]walk.Question, len(names))
	for i, name := range names {
		if trips[i], err = facts.FindTrips(f, name, to, w.Intent); err != nil {
			return nil, err
		}
	}
	chosen := common(trips)
	if chosen == nil {
		return nil, exit.Fail(exit.Usage, "no interface of %s receives from all of %s in one intent; name an interface, such as HOST:NIC, or an "+
			"intent by --intent", to, diag.And(names))
	}
	s := &Study{Incast: &Incast{Intent: chosen[0].Intent, To: chosen[0].To[0]}}
	var flows []*ir.Flow
	domains := walk.DomainsOf(f)
	for i, q := range chosen {
		ways, err := f.Routes.Ways(ir.Trip{
			Group: q.Intent.Group, Bridged: walk.Bridged(f, q.Intent, q.From[0].NIC, q.To[0].NIC, domains), From: q.From, To: q.To,
		}, ir.State{})
		if err != nil {
			return nil, exit.Fail(exit.Errors, "the path of the packets of %q is unknown: %s", q.Intent.Name, validate.RoutingText(err))
		}
		flow := sim.Follow(ways, uint64(i))
		if flow == nil {
			return nil, exit.Fail(exit.Errors, "no path leads from %s to %s", q.From[0], q.To[0])
		}
		flows = append(flows, flow)
	}
	one := sim.Scenario{Loads: sim.Full(flows), Work: allWork, Receivers: map[*ir.Port]int{}}
	if w.Percent < 100 {
		one.Receivers[end(flows[0])] = w.Percent
	}
	o := one.Run()
	s.Found = sim.Found{Scenario: one, Observed: o, Plain: o, Runs: 1, Ended: o.Ended}
	return s, nil
}

// namesOf returns the single names of a list of nodesets.
func namesOf(list string) (names []string, err error) {
	depth := 0
	parts := strings.FieldsFunc(list, func(r rune) bool { // commas inside brackets belong to the nodeset
		switch r {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		}
		return r == ',' && depth == 0
	})
	for _, part := range parts {
		kind := nodeset.Devices
		if strings.Contains(part, ":") {
			kind = nodeset.Endpoints
		}
		set, bad := nodeset.Parse(part, kind)
		if len(bad) > 0 {
			return nil, exit.Fail(exit.Usage, "--incast %s: %s", diag.Escape(part), bad[0].Message)
		}
		if len(names)+set.Len() > maxSenders+1 {
			return nil, exit.Fail(exit.Usage, "--incast names more than %s senders", diag.Number(maxSenders))
		}
		for n := range set.All() {
			name := n.Device
			if n.Interface != "" {
				name += ":" + n.Interface
			}
			if slices.Contains(names, name) {
				return nil, exit.Fail(exit.Usage, "--incast names %s twice", name)
			}
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, exit.Fail(exit.Usage, "--incast names no host")
	}
	return names, nil
}

// common returns one trip of each sender, all in one intent to one port. It prefers interfaces of the same name at both ends, which are on
// one rail. It returns nil if no such trips exist.
func common(trips [][]walk.Question) []walk.Question {
	for _, first := range trips[0] {
		out := make([]walk.Question, 0, len(trips))
		for _, of := range trips {
			best := -1
			for i, q := range of {
				if q.Intent != first.Intent || q.To[0] != first.To[0] {
					continue
				}
				if best < 0 || q.From[0].Name == q.To[0].Name && of[best].From[0].Name != q.To[0].Name {
					best = i
				}
			}
			if best < 0 {
				break
			}
			out = append(out, of[best])
		}
		if len(out) == len(trips) {
			return out
		}
	}
	return nil
}
