// Package whatif answers a question about a fabric by simulations of package sim, and prints the answer, a [Study]. It asks what the flows
// of a PFC loop do, or what an incast does. It contacts no device.
package whatif

import (
	"slices"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate"
	"github.com/rocec/rocec/validate/proof"
	"github.com/rocec/rocec/validate/sim"
)

const (
	maxRuns = 100        // of the search for rates that lock the buffers of a circle
	allWork = 15_000_000 // events of all runs of a search, some seconds of processor time
)

// Study is a question with the results of its simulations: Loop or Incast is set.
type Study struct {
	Loop   *Loop
	Incast *Incast
	Found  sim.Found // the flows, their rates, and what happened
	Way    *Way      // of a loop
}

// Loop is a circle of the PFC-loop proof.
type Loop struct {
	*validate.Loop
	Number, Of int
	Proof      *validate.Proof
}

// Way is the first way out of a loop, and the same flows in the fabric with it.
type Way struct {
	validate.Way
	Untried string // why it is not simulated; empty: it is
	Lost    int    // flows that have no path any more
	sim.Scenario
	sim.Observed
}

// Loops returns the circles of all proofs in the order of `validate --format json`. A circle of several groups counts once.
func Loops(proofs []validate.GroupProof) (out []Loop) {
	var seen []*validate.Proof
	for _, p := range proofs {
		if slices.Contains(seen, p.Proof) {
			continue
		}
		seen = append(seen, p.Proof)
		for i := range p.Loops {
			out = append(out, Loop{Loop: &p.Loops[i], Number: len(out) + 1, Proof: p.Proof})
		}
	}
	for i := range out {
		out[i].Of = len(out)
	}
	return out
}

// OfLoop simulates the flows of a circle by its number, from 1, and the same flows with the first way out. steps is the budget of the
// proofs.
func OfLoop(proofs []validate.GroupProof, number int, steps int64) (*Study, error) {
	all := Loops(proofs)
	switch {
	case len(all) == 0 && slices.ContainsFunc(proofs, func(p validate.GroupProof) bool { return p.Verdict == validate.Unknown }):
		return nil, exit.Fail(exit.Errors, "the PFC-loop proof shows no circle, and has no verdict for every cos group; see: %s",
			diag.Rocec("validate"))
	case len(all) == 0:
		return nil, exit.Fail(exit.Usage, "the fabric has no PFC loop: its buffers cannot wait for each other in a circle")
	case number < 1 || number > len(all):
		return nil, exit.Fail(exit.Usage, "--loop %d: the proof shows %s; see: %s", number, diag.Count(len(all), "circle"),
			diag.Rocec("validate --format json"))
	}
	l := all[number-1]
	turns := make([]ir.GroupTurn, len(l.Circle))
	for i, h := range l.Circle {
		turns[i] = ir.GroupTurn{Turn: ir.Turn{In: h.In, Out: h.Out}, From: h.Group}
	}
	more, err := sim.Witness(l.Proof.Fabric, turns, ir.State{Down: l.Down})
	if err != nil {
		return nil, exit.Fail(exit.Errors, "the flows of the circle are unknown: %s", validate.RoutingText(err))
	}
	flows := l.Flows
	if flows == nil { // the proof finds flows for the first circles only
		flows = more
	}
	if flows == nil {
		return nil, exit.Fail(exit.Errors, "no flow between members takes the turns of circle %d, so no simulation can fill it", number)
	}
	s := &Study{Loop: &l, Found: sim.Search{Flows: flows, More: more, Runs: maxRuns, Work: allWork}.Run()}
	s.Way, err = s.way(proofs, steps)
	return s, err
}

// way simulates the flows with the first way out.
func (s *Study) way(proofs []validate.GroupProof, steps int64) (*Way, error) {
	var all []*proof.Proof
	for _, p := range proofs {
		if !slices.Contains(all, p.Proof) {
			all = append(all, p.Proof)
		}
	}
	w := &Way{Way: validate.FirstWay(s.Loop.Proof, all, steps)}
	switch {
	case w.Fabric == nil:
		w.Untried = "it changes nothing in the fabric"
		return w, nil
	case w.Change.Fewer > 0:
		w.Untried = "it tolerates fewer failures, and changes no path"
		return w, nil
	}
	found := s.Found
	w.Scenario = sim.Scenario{Receivers: map[*ir.Port]int{}, Seed: found.Seed, Jitter: found.Jitter, Work: allWork}
	for i, l := range found.Loads {
		ways, err := w.Ways(l.Flow, s.Loop.Down)
		if err != nil {
			return nil, exit.Fail(exit.Errors, "the paths with the first way out are unknown: %s", validate.RoutingText(err))
		}
		var flow *ir.Flow
		if ways != nil {
			flow = sim.Follow(ways, uint64(i))
		}
		if flow == nil {
			w.Lost++
			continue
		}
		w.Loads = append(w.Loads, sim.Load{Flow: flow, Percent: l.Percent})
		if slow := found.Receivers[end(l.Flow)]; slow > 0 {
			w.Receivers[end(flow)] = slow
		}
	}
	if w.Loads == nil {
		w.Untried = "none of the flows has a path with it"
		return w, nil
	}
	w.Observed = w.Run()
	return w, nil
}

// end returns the port of the receiver.
func end(f *ir.Flow) *ir.Port { return f.Ports[len(f.Ports)-1] }
