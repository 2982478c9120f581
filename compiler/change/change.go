// Package change puts the devices of a fabric into waves: the devices of a [Wave] change at the same time, waves one after another.
//
// The input is a compiled fabric, the parts of it that pass no traffic now ([Alive]), and for every device its work and the effect on
// traffic ([Task]). The output is [Wave]s, each with the hosts it leaves dark and the capacity it leaves to the others. Tasks that cannot
// be done within the [Rules] come with the reason.
//
// A device that passes no traffic is taken out of the living fabric, with all its links. Then, under the fabric's routing,
//
//   - every pair of members that can talk still can, save those that are attached to a device of the wave alone;
//   - the ways between two places, and of every device on the way, keep the wanted share of the capacity they are described with;
//   - no two switches of one MLAG pair are away, nor two to which one host is attached (the legs of its bond, its rails).
//
// Capacity is counted in the links that routing uses: those out of the places of a pair, and those out of every device on the way. What
// several pairs have to share is not weighed.
//
// [Mixtures] splits a change into phases so that every mixture of old and new settings on the way is lossless.
package change

import (
	"maps"
	"slices"
	"time"

	"github.com/rocec/rocec/compiler/ir"
)

// Task is the change of one device.
type Task struct {
	Device *ir.Device
	Phase  int    // all tasks of a phase are done before those of the next one begin
	Kind   string // tasks of one kind are alike: where one goes well, the others should
	Outage ir.Outage
	Takes  time.Duration // from its begin to its end, at most, but for failures
}

// Alive has the parts of a fabric that pass no traffic, although they are described.
type Alive struct {
	Down []*ir.Link   // without a link, or without the session that routes over it
	Lone []*ir.Device // switches that do not see the other one of their MLAG pair
}

// Rules are what a person allows.
type Rules struct {
	MinCapacity int  // percent of the described capacity that every way keeps; 0: hosts may also be cut off from each other
	MaxDark     int  // hosts that are dark at the same time, changed ones included; 0: the hosts of one switch, and all changed ones
	Parallel    int  // devices changed at the same time; 0: no limit
	Canary      bool // of every kind of disruptive task one goes first
}

// Wave is devices that are changed at the same time. The next one begins when all have ended.
type Wave struct {
	Phase   int
	Tasks   []*Task
	Last    []*ir.Device // of these, those that carry the logins of others: they come after the rest
	Carried []*ir.Device // whose logins those carry
	Stream  bool         // its devices do not wait for each other: no more than Parallel at the same time, from the first to the last
	Canary  bool
	Outage  ir.Outage     // the longest of its devices
	Takes   time.Duration // at most, but for failures

	// Partners are the devices that forward and must not be lost while the wave goes on. With them and the wave away, hosts could be cut
	// off or dark that each loss alone leaves connected. By ID.
	Partners []*ir.Device
	Effect
}

// Effect describes a fabric without a set of devices that pass no traffic.
type Effect struct {
	Dark     []*ir.Device // hosts without a link: those that are changed, and those attached to such devices alone, by ID
	Reduced  []*ir.Device // hosts with a NIC that is attached to such devices alone, and with other links, by ID
	Capacity int          // percent of its described capacity that the worst way keeps, among the ways that the devices have a part in
	Narrow   *ir.Device   // where that is; nil: nothing is narrower
	Towards  *ir.Device   // on the way to there
	Cut      []Cut        // hosts that cannot talk with each other, though they are attached to devices that are up

	transit []bool // by Device.ID: traffic passes there, with those devices or without them
}

// Cut is hosts that cannot talk to others.
type Cut struct{ Hosts, From []*ir.Device }

// Reason is why a task cannot be done within the rules.
type Reason string

// The reasons.
const (
	CutsOff   Reason = "cuts-off"   // hosts could not talk with each other any more
	TooNarrow Reason = "too-narrow" // a way would keep less than the wanted capacity
	LastLeg   Reason = "last-leg"   // a host has lost its other legs already
	TooDark   Reason = "too-dark"   // more hosts would be dark than may
	LonePair  Reason = "lone-pair"  // the switches of its MLAG pair do not see each other
	Unrouted  Reason = "unrouted"   // which way traffic goes is not known
)

// Refusal is a task that cannot be done within the rules.
type Refusal struct {
	Task            *Task
	Why             Reason
	Hosts, From     []*ir.Device // CutsOff: these from those; LastLeg, TooDark: these
	Reduced         bool         // TooDark: some of these keep other links
	Capacity        int          // TooNarrow: percent
	Narrow, Towards *ir.Device   // TooNarrow: where
	Without         bool         // it is so already, without the task
	Err             error        // Unrouted: an [*ir.RoutingError]
}

// Order puts tasks into waves, phase by phase. Within a phase a canary of every kind comes first, if that is wanted and a task disrupts.
// Then come the disruptive tasks of devices that forward, tier by tier and batch by batch, and then the others in one stream. Tasks of one
// wave stay in the order they come in. Refused tasks are in no wave.
func (l *Living) Order(tasks []*Task, r Rules) ([]*Wave, []*Refusal) {
	o := &orderer{Living: l, rules: r, logins: loginsOf(l.fabric)}
	below := l.below(r)
	phases := map[int][]*Task{}
	var numbers []int
	for _, t := range tasks {
		if below != nil && t.Device.Forwards() && !t.Outage.Hitless() {
			why := *below
			why.Task = t
			o.refused = append(o.refused, &why)
			continue
		}
		if phases[t.Phase] == nil {
			numbers = append(numbers, t.Phase)
		}
		phases[t.Phase] = append(phases[t.Phase], t)
	}
	slices.Sort(numbers)
	for _, n := range numbers {
		o.phase(phases[n])
	}
	return o.waves, o.refused
}

// Follow computes the effect on the living fabric of tasks in waves that are given, and which of those waves are against the rules. The
// first tasks of such waves are refused, and stay where they are. A wave of hosts is split where MaxDark asks for it.
func (l *Living) Follow(waves [][]*Task, r Rules) ([]*Wave, []*Refusal) {
	var out []*Wave
	var refused []*Refusal
	logins := loginsOf(l.fabric)
	for _, tasks := range waves {
		if !slices.ContainsFunc(tasks, func(t *Task) bool { return t.Device.Forwards() }) {
			for _, w := range streams(tasks, r) {
				logins.last(w)
				out = append(out, w)
			}
			continue
		}
		w := &Wave{Phase: tasks[0].Phase, Tasks: tasks}
		for _, t := range tasks {
			w.Outage, w.Takes = w.Outage.Longer(t.Outage), max(w.Takes, t.Takes)
		}
		e, why := l.judge(tasks, r)
		if why != nil {
			why.Task = tasks[0]
			refused = append(refused, why)
		}
		w.Effect = e
		w.Partners = l.partners(w)
		logins.last(w)
		out = append(out, w)
	}
	return out, refused
}

// orderer is an Order under way.
type orderer struct {
	*Living
	rules   Rules
	logins  logins
	waves   []*Wave
	refused []*Refusal
}

func (o *orderer) phase(tasks []*Task) {
	var canaries, batched, streamed []*Task
	seen := map[string]bool{}
	for _, t := range tasks {
		switch {
		case o.rules.Canary && !t.Outage.Hitless() && !seen[t.Kind]:
			seen[t.Kind] = true
			canaries = append(canaries, t)
		case t.Device.Forwards() && !t.Outage.Hitless():
			batched = append(batched, t)
		default:
			streamed = append(streamed, t)
		}
	}
	if len(canaries) == len(tasks) { // they go first and alone in any case
		canaries, batched = nil, nil
		for _, t := range tasks {
			if t.Device.Forwards() {
				batched = append(batched, t)
			} else {
				streamed = append(streamed, t)
			}
		}
	}
	for _, w := range o.batches(canaries) {
		w.Canary = true
		o.add(w)
	}
	byTier := map[int][]*Task{}
	for _, t := range batched {
		byTier[t.Device.Height()] = append(byTier[t.Device.Height()], t)
	}
	for _, tier := range slices.Sorted(maps.Keys(byTier)) {
		for _, w := range o.batches(byTier[tier]) {
			o.add(w)
		}
	}
	for _, w := range streams(streamed, o.rules) {
		o.add(w)
	}
}

func (o *orderer) add(w *Wave) {
	w.Partners = o.partners(w)
	o.logins.last(w)
	o.waves = append(o.waves, w)
}

// streams are the waves of tasks that are independent of each other: each host that passes no traffic is dark by itself alone. They are
// one wave, unless a person bounds how many hosts are dark: then those that pass no traffic come after the others, so many in a wave.
func streams(tasks []*Task, r Rules) []*Wave {
	var out []*Wave
	add := func(tasks []*Task) {
		if len(tasks) > 0 {
			out = append(out, stream(tasks, r))
		}
	}
	if r.MaxDark == 0 {
		add(tasks)
		return out
	}
	hitless := func(t *Task) bool { return t.Outage.Hitless() }
	add(slices.DeleteFunc(slices.Clone(tasks), func(t *Task) bool { return !hitless(t) }))
	for dark := range slices.Chunk(slices.DeleteFunc(slices.Clone(tasks), hitless), r.MaxDark) {
		add(dark)
	}
	return out
}

// stream is one of these waves.
func stream(tasks []*Task, r Rules) *Wave {
	w := &Wave{Phase: tasks[0].Phase, Tasks: tasks, Stream: true, Effect: Effect{Capacity: 100}}
	atOnce := len(tasks)
	if r.Parallel > 0 {
		atOnce = min(atOnce, r.Parallel)
	}
	ends := make([]time.Duration, atOnce) // of those that are under way at the same time: when each ends
	for _, t := range tasks {
		w.Outage = w.Outage.Longer(t.Outage)
		next := slices.Index(ends, slices.Min(ends))
		ends[next] += t.Takes
		if !t.Outage.Hitless() {
			w.Dark = append(w.Dark, t.Device)
		}
	}
	w.Takes = slices.Max(ends)
	return w
}

// batches puts tasks into as few waves as the rules make easy: first come, first served.
func (o *orderer) batches(tasks []*Task) []*Wave {
	var out []*Wave
	for len(tasks) > 0 {
		batch, rest := o.candidates(tasks)
		judge := func() (Effect, *Refusal) {
			rules := o.rules
			if len(batch) > 1 { // together they never cut off what one after the other need not
				rules.MinCapacity = max(rules.MinCapacity, 1)
			}
			return o.judge(batch, rules)
		}
		e, why := judge()
		for why != nil && len(batch) > 1 { // what all together may not, fewer of them may
			batch = batch[:len(batch)/2]
			rest = slices.DeleteFunc(slices.Clone(tasks), func(t *Task) bool { return slices.Contains(batch, t) })
			e, why = judge()
		}
		tasks = rest
		if why != nil {
			why.Task = batch[0]
			o.refused = append(o.refused, why)
			continue
		}
		w := &Wave{Phase: batch[0].Phase, Tasks: batch, Effect: e}
		for _, t := range batch {
			w.Outage, w.Takes = w.Outage.Longer(t.Outage), max(w.Takes, t.Takes)
		}
		out = append(out, w)
	}
	return out
}

// candidates splits off tasks that can probably be done together: what is quick to see about them.
func (o *orderer) candidates(tasks []*Task) (batch, rest []*Task) {
	taken := newTaken(o.Living, o.rules)
	for i, t := range tasks {
		if o.rules.Parallel > 0 && len(batch) == o.rules.Parallel {
			return batch, append(rest, tasks[i:]...)
		}
		if taken.fits(t.Device) || len(batch) == 0 {
			taken.add(t.Device)
			batch = append(batch, t)
		} else {
			rest = append(rest, t)
		}
	}
	return batch, rest
}
