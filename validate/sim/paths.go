package sim

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/rocec/rocec/compiler/ir"
)

// Follow returns a flow on one of the shortest ways; the hash chooses among equal ones, as ECMP does. Nil: no way reaches the receiver.
func Follow(ways *ir.Ways, hash uint64) *ir.Flow {
	random := rand.New(rand.NewPCG(hash, 0xec3b))
	f := &ir.Flow{}
	at := ways.Stops[0]
	if at.Left < 0 {
		return nil
	}
	for at.Left > 0 {
		var nearer []ir.Leg
		for _, l := range at.Next {
			if ways.Stops[l.Stop].Left == at.Left-1 {
				nearer = append(nearer, l)
			}
		}
		l := nearer[random.IntN(len(nearer))]
		f.Ports, f.Groups = append(f.Ports, l.Out, l.Out.Peer()), append(f.Groups, l.Group)
		at = ways.Stops[l.Stop]
	}
	return f
}

// Witness returns the flows of a circle of turns, one for each turn and without duplicates, in a state of the fabric.
func Witness(f *ir.Fabric, circle []ir.GroupTurn, s ir.State) ([]*ir.Flow, error) {
	var out []*ir.Flow
	for _, h := range circle {
		turns, err := f.Routes.Turns(h.From, s)
		if err != nil {
			return nil, err
		}
		if turns.Witness == nil {
			continue
		}
		for _, flow := range turns.Witness([]ir.Turn{h.Turn}) {
			if flow != nil && !slices.ContainsFunc(out, func(o *ir.Flow) bool { return slices.Equal(o.Ports, flow.Ports) }) {
				out = append(out, flow)
			}
		}
	}
	return out, nil
}

// Search looks for rates at which flows lock buffers. Whether flows that fill a circle lock it depends on rates and on receivers, and more
// traffic can also prevent it (Hu et al., HotNets 2016).
type Search struct {
	Flows []*ir.Flow
	More  []*ir.Flow    // further flows, which every second run adds
	Sends time.Duration // of each run
	Runs  int           // at most so many
	Work  int           // at most so many events in all runs
}

// Found is the result of a search.
type Found struct {
	Scenario
	Observed Observed // of the first run that locks, or else of the run at line rate
	Plain    Observed // of the run at line rate
	Runs     int      // runs that were made
	Ended    bool     // the work ended the search before the last run
}

// Run makes runs until one locks. The first has every sender and every receiver at line rate, and the next three have slow receivers. The
// others draw the rates of senders, from a tenth of line rate on, and slow receivers, down to a tenth.
func (s Search) Run() Found {
	var out Found
	left := cmp.Or(s.Work, 2*DefaultWork)
	for i := range max(s.Runs, 1) {
		one := s.draw(uint64(i))
		one.Work = min(left, DefaultWork)
		o := one.Run()
		left -= o.Events
		out.Runs++
		if i == 0 {
			out.Scenario, out.Observed, out.Plain = one, o, o
		}
		if len(o.Locked) > 0 {
			out.Scenario, out.Observed = one, o
			return out
		}
		if out.Ended = left <= 0 || o.Ended; left <= 0 {
			return out
		}
	}
	return out
}

func (s Search) draw(run uint64) Scenario {
	out := Scenario{Loads: Full(s.Flows), Sends: s.Sends, Seed: run, Receivers: map[*ir.Port]int{}}
	if run == 0 {
		return out
	}
	if run%2 == 0 {
		for _, f := range s.More {
			if !slices.ContainsFunc(s.Flows, func(o *ir.Flow) bool { return slices.Equal(o.Ports, f.Ports) }) {
				out.Loads = append(out.Loads, Load{f, 100})
			}
		}
	}
	if steps := []int{50, 25, 10}; run <= uint64(len(steps)) {
		for _, l := range out.Loads {
			slow(out.Receivers, l.Flow, steps[run-1])
		}
		return out
	}
	out.Jitter = true
	random := rand.New(rand.NewPCG(run, 0xd4a3))
	for i := range out.Loads {
		out.Loads[i].Percent = 10 * (1 + random.IntN(10))
		if random.IntN(2) == 0 {
			slow(out.Receivers, out.Loads[i].Flow, 100/(1+random.IntN(10)))
		}
	}
	return out
}

// slow makes the receiver of a flow slow, unless it forwards.
func slow(receivers map[*ir.Port]int, f *ir.Flow, percent int) {
	if end := f.Ports[len(f.Ports)-1]; !end.Device().Forwards() {
		receivers[end] = percent
	}
}
