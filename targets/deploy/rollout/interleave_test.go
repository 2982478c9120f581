package rollout_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file is a model of two runs that change one fabric at the same time. The reads and writes of one command on a switch are one step,
// as in the scripts. Between two steps, a step of the other run, a timer, a death of a run or a restart of a switch may happen. The law
// is: two switches whose joint loss would cut hosts off are never down at the same time.

// phase is the progress of a run on a switch of the model.
type phase int

const (
	untouched phase = iota
	prepared        // locked, and nothing is changed
	changing        // its ports are down
	loaded          // in use, and not confirmed
	goingBack       // its ports are down
	finished        // confirmed or undone, so the lock is no longer valid
)

// node is a switch of the model, with its own clock.
type node struct {
	rate   int // speed of its clock, per mille
	now    int // by its clock
	markBy int // the run that has marked it; -1: none
	ends   int // end of the mark, by its clock
	lockBy int // the run that holds its lock; -1: none
	at     phase
	busy   int // time at which it is up again, by its clock
	due    int // time at which it goes back by itself, by its clock
}

func (n *node) away() bool { return n.at == changing || n.at == goingBack }

// operator is a run of the model: a program that runs one command at a time.
type operator struct {
	id    int
	waves [][]int
	marks []int // switches that it changes, in order
	hold  bool  // the run ends with unconfirmed changes
	timer int   // until a switch goes back by itself
	waits int   // number of moves until it begins
	step  int
	wave  int
	does  string
	dead  bool
	ended bool
	won   bool // the run has changed a switch
}

// fabric2 is a fabric of the model. For mutants it also contains the mistake of the runs.
type fabric2 struct {
	nodes    []*node
	partners [][2]int // pairs that must not be down at the same time
	runs     [2]*operator
	without  string // the rule that a mutant leaves out
}

func (f *fabric2) partnersOf(n int) (out []int) {
	for _, p := range f.partners {
		if p[0] == n {
			out = append(out, p[1])
		} else if p[1] == n {
			out = append(out, p[0])
		}
	}
	return out
}

const lease = 50

// mark models mark.sh: it sets or renews the mark of a run.
func (f *fabric2) mark(o *operator, i int) bool {
	n := f.nodes[i]
	if n.markBy >= 0 && n.markBy != o.id && n.ends > n.now && f.without != "marks" {
		return false
	}
	if n.lockBy >= 0 && n.lockBy != o.id && n.at != finished && n.at != untouched && f.without != "locks" {
		return false
	}
	n.markBy, n.ends = o.id, n.now+lease
	return true
}

// move runs the next command of a run.
func (f *fabric2) move(o *operator) {
	stop := func() {
		for _, i := range o.marks {
			if f.nodes[i].markBy == o.id {
				f.nodes[i].markBy = -1
			}
		}
		for _, n := range f.nodes { // a prepared change is dropped
			if n.lockBy == o.id && n.at == prepared {
				n.lockBy, n.at = -1, untouched
			}
		}
		o.ended = true
	}
	if o.waits > 0 {
		o.waits--
		return
	}
	all := slices.Concat(o.waves...)
	switch o.does {
	case "mark":
		if o.step == len(o.marks) {
			o.does, o.step = "prepare", 0
			return
		}
		if !f.mark(o, o.marks[o.step]) {
			stop()
			return
		}
		o.step++
	case "prepare": // begin.sh
		if o.step == len(all) {
			o.does, o.step, o.wave = "renew", 0, 0
			return
		}
		n := f.nodes[all[o.step]]
		if n.lockBy >= 0 && n.lockBy != o.id && n.at != finished && n.at != untouched {
			stop()
			return
		}
		n.lockBy, n.at = o.id, prepared
		o.step++
	case "renew":
		if o.wave == len(o.waves) {
			stop()
			return
		}
		if o.step == len(o.marks) || f.without == "renew" {
			o.does, o.step = "commit", 0
			return
		}
		if !f.mark(o, o.marks[o.step]) {
			stop()
			return
		}
		o.step++
	case "commit":
		if o.step == len(o.waves[o.wave]) {
			o.does, o.step = "confirm", 0
			return
		}
		if n := f.nodes[o.waves[o.wave][o.step]]; n.lockBy == o.id && n.at == prepared {
			n.at, n.busy, n.due, o.won = changing, n.now+10, n.now+o.timer, true
		}
		o.step++
	case "confirm": // the run waits until the devices of the wave are up
		for _, i := range o.waves[o.wave] {
			if n := f.nodes[i]; n.lockBy == o.id && n.away() {
				return
			}
		}
		for _, i := range o.waves[o.wave] {
			if n := f.nodes[i]; n.lockBy == o.id && n.at == loaded && !o.hold {
				n.at = finished
			}
		}
		o.does, o.step, o.wave = "renew", 0, o.wave+1
	}
}

// pass advances the clock of every switch.
func (f *fabric2) pass(r *rand.Rand) {
	by := 1 + r.IntN(12)
	for _, n := range f.nodes {
		n.now += max(1, by*n.rate/1000)
		switch {
		case n.at == changing && n.now >= n.busy:
			n.at = loaded
		case n.at == goingBack && n.now >= n.busy:
			n.at = finished
		case n.at == loaded && n.now >= n.due:
			n.at, n.busy = goingBack, n.now+10
		}
	}
}

// interleaved chooses a random fabric, two runs and their interleaving, and returns the error; empty: no error.
func interleaved(seed uint64, without string) (wrong string, both bool) {
	r := rand.New(rand.NewPCG(seed, 30))
	f := &fabric2{without: without}
	size := 2 + r.IntN(4)
	for range size {
		f.nodes = append(f.nodes, &node{rate: 500 + r.IntN(1000), now: r.IntN(1000), markBy: -1, lockBy: -1})
	}
	for i := range size {
		for j := range i {
			if r.IntN(3) > 0 {
				f.partners = append(f.partners, [2]int{j, i})
			}
		}
	}
	for id := range f.runs {
		o := &operator{id: id, does: "mark", waits: r.IntN(80), hold: r.IntN(3) == 0, timer: 40 + r.IntN(120)}
		for _, i := range r.Perm(size)[:1+r.IntN(size)] {
			last := len(o.waves) - 1
			if last >= 0 && r.IntN(2) == 0 && !slices.ContainsFunc(o.waves[last], func(j int) bool { return slices.Contains(f.partnersOf(i), j) }) {
				o.waves[last] = append(o.waves[last], i)
			} else {
				o.waves = append(o.waves, []int{i})
			}
		}
		in := map[int]bool{}
		for _, i := range slices.Concat(o.waves...) {
			in[i] = true
			for _, j := range f.partnersOf(i) {
				in[j] = true
			}
		}
		for i := range size {
			if in[i] {
				o.marks = append(o.marks, i)
			}
		}
		f.runs[id] = o
	}
	for range 400 {
		what := ""
		switch n := r.IntN(100); {
		case n < 70: // a living run goes on or waits
			o := f.runs[r.IntN(2)]
			if what = fmt.Sprintf("run %d: %s", o.id, o.does); !o.dead && !o.ended {
				f.move(o)
			}
		case n < 96:
			what = "time"
			f.pass(r)
		case n < 97: // the operator's machine sleeps: time passes, and its run goes on afterwards
			what = "sleep"
			for range 20 {
				f.pass(r)
			}
		case n < 98:
			o := f.runs[r.IntN(2)]
			o.dead = o.dead || r.IntN(4) == 0
		default: // a switch restarts: it loses its mark, and undoes an unconfirmed change before its ports come up
			d := f.nodes[r.IntN(size)]
			d.markBy = -1
			if d.away() || d.at == loaded {
				d.at = finished
			}
		}
		for _, p := range f.partners {
			if a, b := f.nodes[p[0]], f.nodes[p[1]]; a.away() && b.away() && a.lockBy != b.lockBy {
				return fmt.Sprintf("seed %d: switches %d and %d are away together after %q", seed, p[0], p[1], what), false
			}
		}
	}
	return "", f.runs[0].won && f.runs[1].won
}

// TestTwoRunsInterleaved: for any interleaving of the commands, two runs never take down switches whose joint loss cuts hosts off. They
// do not block each other forever: in many draws both change something.
func TestTwoRunsInterleaved(t *testing.T) {
	t.Parallel()
	draws := uint64(2_000)
	if *whole {
		draws *= 5
	}
	changed := 0
	for seed := range draws {
		wrong, both := interleaved(seed, "")
		require.Empty(t, wrong)
		if both {
			changed++
		}
	}
	require.Greater(t, changed, 100, "draws in which both runs changed something")

	for _, rule := range []string{"locks", "renew"} { // rules without which the law is broken
		caught := false
		for seed := uint64(0); seed < 10_000 && !caught; seed++ {
			wrong, _ := interleaved(seed, rule)
			caught = wrong != ""
		}
		require.True(t, caught, "the model does not see that %s are not looked at", rule)
	}
}
