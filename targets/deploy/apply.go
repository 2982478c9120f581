package deploy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/rocec/rocec/targets/target"
)

// ApplyOptions are the choices of [Apply].
type ApplyOptions struct {
	Parallel    int           // devices changed at the same time; 0: 8
	MaxFailures int           // devices that may fail before no further one starts
	Canary      bool          // one device of every kind first
	Owner       string        // who applies, for whoever meets the lock: "alice@ws7, process 4711"
	Txn         string        // the name of this run, see [NewTxn]
	Reconnect   time.Duration // how long a device whose connection broke may take to answer again; 0: 30 s
	Clock       Clock         // the time it goes by

	// Event is told of every step of every device, one call at a time.
	Event func(Event)
}

// Clock is what tells the time: [time.Now] and [time.After], unless a test drives them.
type Clock struct {
	Now  func() time.Time
	Wait func(time.Duration) <-chan time.Time
}

// State is how a step stands.
type State string

// The states.
const (
	Begin State = "begin"
	Done  State = "done"
	Fail  State = "failed"
)

// Event is one thing that happened to one device. The last event of a device has an Outcome and no Step.
type Event struct {
	Wave    int // from 1
	Device  *target.Device
	Step    string // "lock", "check", "upload", "precheck", "backup", "commit", "activate", "settle", "verify", "release", "restore", "connect", "reconnect"
	State   State
	Detail  string // of a failed step: why
	Outcome Outcome
}

// Outcome is what became of a device.
type Outcome string

// The outcomes.
const (
	Unchanged  Outcome = "unchanged"   // there was nothing to do
	Applied    Outcome = "applied"     // it holds and uses what the plan says
	Restored   Outcome = "restored"    // it failed, and holds and uses what it did before
	Refused    Outcome = "refused"     // nothing was changed: Err says why
	Unknown    Outcome = "unknown"     // Detail says what may be where
	NotStarted Outcome = "not-started" // nothing was tried: too many failures, or interrupted
)

// Result is what became of one device.
type Result struct {
	Device  *target.Device
	Outcome Outcome
	Err     *Error // what stood in the way; nil: nothing
	Detail  string // what the device holds now, and what stays to be done by hand, in full sentences
}

// Failed tells whether the device is not as planned and something was tried.
func (r *Result) Failed() bool {
	return r.Outcome == Restored || r.Outcome == Refused || r.Outcome == Unknown
}

// Results is what became of every device of a plan, in the plan's order.
type Results struct {
	Txn         string
	Devices     []*Result
	Interrupted bool // the context ended before all devices had been started
	Stopped     bool // more devices failed than may
}

// Count returns the number of devices with an outcome.
func (r *Results) Count(o Outcome) int {
	n := 0
	for _, d := range r.Devices {
		if d.Outcome == o {
			n++
		}
	}
	return n
}

// Complete tells whether every device is as planned.
func (r *Results) Complete() bool {
	return r.Count(Applied)+r.Count(Unchanged) == len(r.Devices)
}

// Touched tells whether any device was changed, or may have been, even if it was restored.
func (r *Results) Touched() bool {
	return r.Count(Applied)+r.Count(Restored)+r.Count(Unknown) > 0
}

// NewTxn names a run so that names sort by time: NewTxn(now, "3f9a") is "20261121t065136z-3f9a".
func NewTxn(now time.Time, unique string) string {
	return strings.ToLower(now.UTC().Format("20060102T150405Z")) + "-" + unique
}

var txnForm = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{3,62}$`)

// Apply changes the devices of a plan, batch by batch in the order of [Waves], each by the protocol of a transaction:
// lock, compare with the plan, upload beside the files, check, back up, rename, put to use, read back; and back again
// when that fails. The report has every device of the plan; those the plan could not reach or refused are refused, and
// do not count against MaxFailures, for the person saw them in the plan.
//
// When ctx ends, no further device starts; those under way come to their end or are undone, each step within its own
// time, and Apply returns then. When more than MaxFailures devices failed, the batch under way finishes and no new one
// starts. The error is for options that make no sense.
func Apply(ctx context.Context, dial target.Dial, plan *Plan, o ApplyOptions) (*Results, error) {
	if !txnForm.MatchString(o.Txn) {
		return nil, fmt.Errorf("deploy: transaction name %q", o.Txn)
	}
	if o.Clock.Now == nil || o.Clock.Wait == nil {
		return nil, errors.New("deploy: the options hold no clock")
	}
	o.Owner = cmp.Or(oneLine(o.Owner), "unknown")
	rep := &Results{Txn: o.Txn}
	result := make(map[*DevicePlan]*Result, len(plan.Devices))
	for _, p := range plan.Devices {
		r := &Result{Device: p.Device, Outcome: Unchanged}
		switch p.Status {
		case StatusUnreachable, StatusRefused:
			r.Outcome, r.Err, r.Detail = Refused, p.Err, "Nothing was changed."
		case StatusChange:
			r.Outcome = NotStarted
		}
		result[p] = r
		rep.Devices = append(rep.Devices, r)
	}

	var mu sync.Mutex // of events
	emit := func(e Event) {
		if o.Event != nil {
			mu.Lock()
			defer mu.Unlock()
			o.Event(e)
		}
	}
	failed := 0
	for n, wave := range Waves(plan, WaveOptions{Parallel: o.Parallel, Canary: o.Canary}) {
		if rep.Interrupted = ctx.Err() != nil; rep.Interrupted {
			break
		}
		if rep.Stopped = failed > max(o.MaxFailures, 0); rep.Stopped {
			break
		}
		var wg sync.WaitGroup
		for _, p := range wave {
			wg.Go(func() { change1(ctx, dial, p, o, result[p], func(e Event) { e.Wave = n + 1; emit(e) }) })
		}
		wg.Wait()
		for _, p := range wave {
			if result[p].Failed() {
				failed++
			}
			if result[p].Outcome == NotStarted {
				rep.Interrupted = true
			}
		}
	}
	return rep, nil
}

// change1 changes one device. What it has begun it brings to its end, whatever becomes of ctx.
func change1(ctx context.Context, dial target.Dial, p *DevicePlan, o ApplyOptions, r *Result, emit func(Event)) {
	t := &transaction{
		session: session{dev: p.Device, dial: dial, txn: o.Txn, owner: o.Owner, wait: cmp.Or(o.Reconnect, reconnectTime), clock: o.Clock},
		plan:    p,
		steps:   newSteps(p.Changes),
		pending: len(p.pending) > 0,
		emit: func(step string, s State, detail string) {
			emit(Event{Device: p.Device, Step: step, State: s, Detail: detail})
		},
		stop: func() bool { return ctx.Err() != nil },
	}
	for _, c := range p.Changes {
		if !c.Live() {
			t.files = append(t.files, c)
		}
	}
	*r = *t.run(context.WithoutCancel(ctx))
	emit(Event{Device: p.Device, Outcome: r.Outcome, Detail: r.Detail})
}
