package txn

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// machine contains the three deciding functions of the package, one of which may be replaced by a broken copy.
type machine struct {
	next  func(State) Verb
	after func(State, Event) State
	fate  func(State) Fate
}

var sound = machine{State.Next, State.After, State.Fate}

// explorer visits every reachable world.
type explorer struct {
	m      *machine
	at     map[world]int32
	worlds []world
	from   []int32  // by world: the previous world on the path
	how    []string // by world: the step from the previous world
	faults []uint8  // by world: the smallest number of faults, acts of others and timers on a path to it
	done   []bool
	span   [][2]int32     // by world: the successors by ours
	ours   []int32        // the worlds that device and controller reach by themselves, without repeated Waits
	clean  map[world]bool // worlds from which a person can undo the change
}

// reach adds a world, or records a path to it with fewer faults. It returns false if nothing changed.
func (x *explorer) reach(w world, from int32, how string, faults uint8) (int32, bool) {
	i, ok := x.at[w]
	if !ok {
		i = int32(len(x.worlds))
		x.at[w] = i
		x.worlds, x.from, x.how = append(x.worlds, w), append(x.from, from), append(x.how, how)
		x.faults, x.done, x.span = append(x.faults, faults), append(x.done, false), append(x.span, [2]int32{})
		return i, true
	}
	if x.done[i] || x.faults[i] <= faults {
		return i, false
	}
	x.from[i], x.how[i], x.faults[i] = from, how, faults
	return i, true
}

// explore visits all worlds on paths with at most the given number of faults, in the order of the number of faults, until no world is
// new. It returns the first error with its path, or an empty string.
func explore(m *machine, most int, starts ...world) (x *explorer, wrong string) {
	x = &explorer{m: m, at: map[world]int32{}, clean: map[world]bool{}}
	var now, next []int32
	for _, w := range starts {
		i, _ := x.reach(w, -1, "begin", 0)
		now = append(now, i)
	}
	for faults := 0; len(now) > 0; faults++ {
		for len(now) > 0 {
			i := now[len(now)-1]
			now = now[:len(now)-1]
			if x.done[i] || int(x.faults[i]) != faults {
				continue
			}
			x.done[i] = true
			w := x.worlds[i]
			ours := w.ours(m)
			if w.leads && len(ours) == 0 {
				return x, x.way(i, "it waits for ever")
			}
			x.span[i][0] = int32(len(x.ours))
			for _, e := range ours {
				if why := broken(&w, &e.to); why != "" {
					return x, x.way(i, e.what, why)
				}
				j, nearer := x.reach(e.to, i, e.what, uint8(faults))
				if nearer {
					now = append(now, j)
				}
				if !e.waits {
					x.ours = append(x.ours, j)
				}
			}
			x.span[i][1] = int32(len(x.ours))
			if why := x.unclean(w); why != "" {
				return x, x.way(i, why)
			}
			if faults == most {
				continue
			}
			for _, e := range w.others(m) {
				if why := broken(&w, &e.to); why != "" {
					return x, x.way(i, e.what, why)
				}
				if j, nearer := x.reach(e.to, i, e.what, uint8(faults+1)); nearer {
					next = append(next, j)
				}
			}
		}
		now, next = next, now
	}
	if i := x.cycle(); i >= 0 {
		return x, x.way(i, "it goes round in circles")
	}
	return x, ""
}

// way returns the path to a world and the error in that world.
func (x *explorer) way(i int32, last ...string) string {
	var steps []string
	for j := i; j >= 0; j = x.from[j] {
		steps = append(steps, x.how[j])
	}
	slices.Reverse(steps)
	return fmt.Sprintf("%s\n%+v", strings.Join(append(steps, last...), "\n"), x.worlds[i])
}

// broken is the oracle. It returns the error in a step from one world to the next, or an empty string.
func broken(was, w *world) string {
	switch {
	case w.kept && w.undone:
		return "confirm and undo have both won"
	case w.kept && !was.kept && !was.seen && was.at[orphan].program != confirm:
		return "confirmed by a controller that has not seen the new content in use"
	case w.file == other && !w.edited, w.loaded == other && !w.edited:
		return "a file holds content that no writer wrote"
	}
	if was.leads && !w.leads && w.said > 0 {
		if why := untrue(was, w, Fate(w.said-1)); why != "" {
			return why
		}
	}
	if w.leads || w.booting || w.timer || w.at != [places]process{} {
		return ""
	}
	// No process runs, and every timer has fired.
	switch {
	case w.loaded != w.file && !w.edited && !w.bad && !w.stuck:
		return "the device uses something else than the file"
	case (w.mark == Armed || w.mark == Loaded) && !w.unit:
		return "nothing will ever undo it"
	case w.said == 1+uint8(Kept) && w.file != after && !w.edited:
		return "what was kept is not there"
	case (w.said == 1+uint8(Restored) || w.said == 1+uint8(Reverted)) && w.file != before && !w.edited:
		return "what was restored is not there"
	case w.said == 1+uint8(Untouched) && w.file != before && !w.edited && !w.resumed:
		return "what was not touched is new"
	}
	return ""
}

// untrue returns an error if the fate that a controller reports at its end contradicts the world.
func untrue(was, w *world, fate Fate) string {
	s := was.state
	switch fate {
	case Untouched:
		if w.touched && !(w.resumed && s.Last == Absent) {
			return "untouched, it says, and it was touched"
		}
	case Kept:
		if !w.kept {
			return "kept, it says, and nothing was confirmed"
		}
	case Held:
		if !was.seen || s.Goal != Hold {
			return "held, it says, without a look"
		}
	case Restored, Reverted:
		if !w.undone || w.bad {
			return "restored, it says, and it was not"
		}
		if fate == Restored && (w.by == timer || w.by == boot) {
			return "restored, it says, and the device did it by itself"
		}
	case Contested:
		if !w.bad {
			return "contested, it says, and no other writer came between"
		}
	}
	if s.Known && s.Mark == Absent && s.Lock != Ours && (w.folder || w.lock == Ours) {
		return "nothing is left, it says, and something is"
	}
	if w.touched && !w.disturbed && fate != Kept && fate != Held {
		return "nothing but connections broke, and the change was not kept"
	}
	return ""
}

// unclean undoes the change from a world without a controller, like a person, on a device without further faults. It returns an error if
// anything remains or the undo never ends.
func (x *explorer) unclean(w world) string {
	if w.leads {
		return ""
	}
	w.broken = false
	for late := w.at[orphan]; late.program != idle && late.step == 0; late = w.at[orphan] {
		if !w.step(x.m, orphan, false) {
			break
		}
	}
	w.resume(Back)
	var path []world
	for len(path) < 200 {
		if x.clean[w] {
			break
		}
		path = append(path, w)
		ours := w.ours(x.m)
		if len(ours) == 0 {
			if w.mark != Absent || w.folder || w.lock == Ours || w.timer || w.unit {
				return fmt.Sprintf("a person undoes it, and something remains: %+v", w)
			}
			break
		}
		w = ours[0].to
	}
	if len(path) == 200 {
		return "a person undoes it, and it never ends"
	}
	for _, p := range path {
		x.clean[p] = true
	}
	return ""
}

// cycle returns a world to which device and controller return by themselves; -1: there is no cycle.
func (x *explorer) cycle() int32 {
	in := make([]int32, len(x.worlds))
	for _, j := range x.ours {
		in[j]++
	}
	var free []int32
	for i, n := range in {
		if n == 0 {
			free = append(free, int32(i))
		}
	}
	for len(free) > 0 {
		i := free[len(free)-1]
		free = free[:len(free)-1]
		for _, j := range x.ours[x.span[i][0]:x.span[i][1]] {
			if in[j]--; in[j] == 0 {
				free = append(free, j)
			}
		}
	}
	return int32(slices.IndexFunc(in, func(n int32) bool { return n > 0 }))
}

func starts() []world {
	return []world{begins(Keep, Free), begins(Hold, Free), begins(Keep, Theirs)}
}

var whole = flag.Bool("whole", false, "any number of faults, rather than a few")

// TestFixedPoint explores every reachable world of a device and its controllers, with faults at any time. A path may have up to three
// faults, acts of others and timers. With -whole the number is unlimited, up to the fixed point.
func TestFixedPoint(t *testing.T) {
	most := 3
	switch {
	case *whole:
		most = 255
	case testing.Short():
		most = 2
	}
	x, wrong := explore(&sound, most, starts()...)
	require.Empty(t, wrong)
	counts := make([]int, slices.Max(x.faults)+1)
	for _, n := range x.faults {
		counts[n]++
	}
	t.Logf("%d worlds, %d steps of device and controller; by faults on the way there: %d", len(x.worlds), len(x.ours), counts)
}

// TestPatience: the machine ends after more than patience lost answers.
func TestPatience(t *testing.T) {
	s := State{Goal: Keep}
	for i := range patience {
		s = s.After(Event{Verb: Ask, Result: Lost})
		require.False(t, s.Gone, i)
	}
	s = s.After(Event{Verb: Ask, Result: Lost})
	require.Equal(t, End, s.Next())
	require.Equal(t, Untouched, s.Fate(), "no commit was sent")
}

func TestMarks(t *testing.T) {
	for m := Absent; m <= Failed; m++ {
		parsed, ok := ParseMark(m.String())
		require.True(t, ok)
		require.Equal(t, m, parsed)
	}
	_, ok := ParseMark("halfway")
	require.False(t, ok)
}

// TestLiar: the machine ends for any answers of a device. No sequence of answers returns to an earlier state, except while the machine
// waits.
func TestLiar(t *testing.T) {
	next := map[State][]State{}
	var answers []Device
	for mark := Absent; mark <= Failed; mark++ {
		for lock := Free; lock <= Theirs; lock++ {
			answers = append(answers, Device{Mark: mark, Lock: lock}, Device{Mark: mark, Lock: lock, Self: true},
				Device{Mark: mark, Lock: lock, Busy: true})
		}
	}
	todo := []State{{Goal: Keep}, {Goal: Hold}, Begun(Keep), Begun(Hold), Begun(Back)}
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if _, ok := next[s]; ok {
			continue
		}
		next[s] = nil
		verb := s.Next()
		if verb == End {
			continue
		}
		for _, d := range answers {
			for _, r := range []Result{OK, Refused} {
				to := s.After(Event{Verb: verb, Result: r, Device: d})
				if verb != Wait { // a Wait repeats while another process runs, which has its own time limit
					next[s] = append(next[s], to)
				}
				todo = append(todo, to)
			}
		}
	}
	depth := map[State]int{}
	var walk func(State) int
	walk = func(s State) int {
		switch n := depth[s]; {
		case n == -1:
			t.Fatalf("round in circles: %+v", s)
		case n > 0:
			return n
		}
		depth[s] = -1
		most := 0
		for _, to := range next[s] {
			most = max(most, walk(to))
		}
		depth[s] = most + 1
		return most + 1
	}
	most := 0
	for s := range next {
		most = max(most, walk(s))
	}
	t.Logf("%d states, at most %d verbs", len(next), most-1)
}
