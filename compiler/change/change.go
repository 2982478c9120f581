// Package change puts the devices of a fabric into waves: the devices of a [Wave] change at the same time, waves one after another.
//
// The input is a compiled fabric, the parts of it that pass no traffic now ([Alive]), and for every device its work and the effect on
// traffic ([Task]). The output is [Wave]s, each with the hosts it leaves dark and the capacity it leaves to the others. Tasks that cannot
// be done within the [Rules] are returned with the reason.
//
// A device that passes no traffic is taken out of the living fabric, with all its links. Then, under the fabric's routing,
//
//   - every pair of members that can communicate now still can, except members attached only to devices of the wave;
//   - the paths between two places, and from every device on them, keep the wanted share of their described capacity;
//   - at most one switch of an MLAG pair is away, and at most one of the switches that a host is attached to (the legs of its bond, its
//     rails).
//
// Capacity counts the links that routing uses: out of the places of a pair, and out of every device between them. Links that several pairs
// share are counted in full for each pair.
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
	Phase  int    // all tasks of a phase are done before the next phase begins
	Kind   string // tasks of one kind are similar: if one succeeds, the others should
	Outage ir.Outage
	Takes  time.Duration // at most, from begin to end, without failures
}

// Alive has the parts of a fabric that the fabric describes and that pass no traffic now.
type Alive struct {
	Down []*ir.Link   // without a link, or without the session that routes over the link
	Lone []*ir.Device // switches that do not see their MLAG peer
}

// Rules are the limits that a person sets.
type Rules struct {
	MinCapacity int  // percent of the described capacity that every path keeps; 0: hosts may also be cut off from each other
	MaxDark     int  // hosts that may be dark at the same time, changed ones included; 0: the hosts of one switch, and all changed ones
	Parallel    int  // devices changed at the same time; 0: no limit
	Canary      bool // of every kind of disruptive task, one device goes first
}

// Wave is a set of devices that are changed at the same time. The next wave begins when all of them are done.
type Wave struct {
	Phase   int
	Tasks   []*Task
	Last    []*ir.Device // of these, the devices that carry the logins to others: they are changed last
	Carried []*ir.Device // the devices whose logins pass a device of Last
	Stream  bool         // the devices do not wait for each other: at most Parallel are changed at the same time, until all are done
	Canary  bool
	Outage  ir.Outage     // the longest outage of its devices
	Takes   time.Duration // at most, without failures

	// Partners are the forwarding devices, by ID, that must not fail during the wave. If a partner and the wave are away together, hosts may
	// be cut off or dark, although the loss of either alone leaves them connected.
	Partners []*ir.Device
	Effect
}

// Effect describes a fabric while a set of its devices passes no traffic.
type Effect struct {
	Dark     []*ir.Device // hosts without a link, by ID: those that are changed, and those attached only to devices of the set
	Reduced  []*ir.Device // hosts, by ID, of which one NIC is attached only to devices of the set and another is not
	Capacity int          // percent of its described capacity that the worst path keeps, among the paths that the set affects
	Narrow   *ir.Device   // the device where that path is narrowest; nil: no path is narrower
	Towards  *ir.Device   // the destination of that path
	Cut      []Cut        // hosts that cannot communicate, although they are attached to devices that are up

	transit []bool // by Device.ID: traffic passes the device, with or without the set
}

// Cut is a group of hosts that cannot communicate with others.
type Cut struct{ Hosts, From []*ir.Device }

// Reason is why a task cannot be done within the rules.
type Reason string

// The reasons.
const (
	CutsOff   Reason = "cuts-off"   // hosts could no longer communicate
	TooNarrow Reason = "too-narrow" // a path would keep less than the wanted capacity
	LastLeg   Reason = "last-leg"   // a host has already lost its other legs
	TooDark   Reason = "too-dark"   // more hosts would be dark than allowed
	LonePair  Reason = "lone-pair"  // the switches of its MLAG pair do not see each other
	Unrouted  Reason = "unrouted"   // the path of traffic is unknown
)

// Refusal is a task that cannot be done within the rules.
type Refusal struct {
	Task            *Task
	Why             Reason
	Hosts, From     []*ir.Device // CutsOff: Hosts are cut off from From; LastLeg, TooDark: the hosts concerned
	Reduced         bool         // TooDark: some of Hosts keep other links
	Capacity        int          // TooNarrow: percent
	Narrow, Towards *ir.Device   // TooNarrow: where
	Without         bool         // the rule is already broken without the task
	Err             error        // Unrouted: an [*ir.RoutingError]
}

// Order puts tasks into waves, phase by phase. Within a phase, one disruptive task of every kind comes first if the rules want a canary.
// Then come the other disruptive tasks of forwarding devices, tier by tier and batch by batch. All other tasks follow in one stream. Within
// a wave, tasks keep the order of the input. Refused tasks are in no wave.
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

// Follow computes the effect of given waves on the living fabric, and finds the waves that break the rules. For such a wave a refusal of
// its first task is returned, and the wave stays in the result. A wave of hosts is split if it exceeds MaxDark.
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

// orderer is the state of one call of Order.
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
	if len(canaries) == len(tasks) { // without other tasks, canaries are ordinary waves
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

// streams returns the waves of tasks that are independent of each other: a host in such a task darkens only itself. They form one wave,
// unless MaxDark limits the dark hosts. Then hitless tasks come first, and the other tasks follow in waves of MaxDark hosts.
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

// stream returns one of these waves.
func stream(tasks []*Task, r Rules) *Wave {
	w := &Wave{Phase: tasks[0].Phase, Tasks: tasks, Stream: true, Effect: Effect{Capacity: 100}}
	atOnce := len(tasks)
	if r.Parallel > 0 {
		atOnce = min(atOnce, r.Parallel)
	}
	ends := make([]time.Duration, atOnce) // when each of the tasks that run at the same time ends
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

// batches puts tasks into few waves, greedily: first come, first served.
func (o *orderer) batches(tasks []*Task) []*Wave {
	var out []*Wave
	for len(tasks) > 0 {
		batch, rest := o.candidates(tasks)
		judge := func() (Effect, *Refusal) {
			rules := o.rules
			if len(batch) > 1 { // a batch never cuts off hosts that stay connected if its devices go one after another
				rules.MinCapacity = max(rules.MinCapacity, 1)
			}
			return o.judge(batch, rules)
		}
		e, why := judge()
		for why != nil && len(batch) > 1 { // if the whole batch is refused, try half of it
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

// candidates splits off tasks that can probably be done together, by checks that are quick.
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
