package rollout

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device"
	"github.com/rocec/rocec/targets/deploy/txn"
	"github.com/rocec/rocec/targets/target"
)

// ApplyOptions are the choices of [Apply].
type ApplyOptions struct {
	Run         deploy.Run     // who changes devices; see [deploy.NewRun]
	Order       *deploy.Order  // wave after wave; nil: that of [deploy.PlainOrder]
	Parallel    int            // devices changed at the same time; 0: 8
	MaxFailures int            // devices that may fail before no further wave begins
	OnFailure   OnFailure      // decides about the other devices when more fail; empty: UndoWave
	Hold        time.Duration  // every change is undone after this long, unless [Confirm] comes; 0: it is kept at once
	Soak        *time.Duration // how long a device must hold before its change is kept; nil: by its steps
	DeadMan     time.Duration  // until a device undoes a change by itself; 0: by its steps, at least two minutes
	Reconnect   time.Duration  // how long a device may take to answer again, beyond the time of its steps; 0: 30 s
	NotAfter    time.Time      // no wave begins that may not end by then; zero: any may
	Clock       Clock          // the source of time
	Sudo        *device.Sudo   // how login users become root; nil: without a password
	Links       *Links         // connections to use; nil: none
	Alone       bool           // go on without switches that cannot be marked: the person knows of no other run

	// Died reports whether a run, by its name, is known to go on no more: its marks bar nothing. Nil: no run is.
	Died func(run string) bool

	// OnAnomaly is asked whether to go on after a wave in which counters rose far faster than before; nil: the run stops. The wave is
	// kept, unless it is to be undone.
	OnAnomaly func(ctx context.Context, found []string) Anomaly

	// Hooks take traffic off the devices of a wave and put it back; nil: no hooks.
	Hooks *Hooks

	// Of Resume: how far the journal saw the run come on each device. Armed: a commit was sent. Undoing: an undo was.
	Marks map[string]txn.Mark

	// Of Resume: keep all devices or none. All are asked first, and where one cannot be kept the others stay armed, as with Hold.
	Together bool

	// Event receives every step of every device, one call at a time.
	Event func(Event)

	// Record receives each intended step and its result. Calls for one device are sequential; those for several are concurrent, because
	// they may wait for a disk. A device whose intent cannot be recorded is not changed.
	Record func(Entry) (head string, err error)
}

// OnFailure decides about the other devices when more devices fail than allowed. No further wave begins in any case.
type OnFailure string

// The ways.
const (
	UndoWave OnFailure = "undo-wave" // those of the same wave go back too
	Stop     OnFailure = "stop"      // they keep the change
	UndoAll  OnFailure = "undo-all"  // all devices of the run go back, the last wave first; none is confirmed before the last wave has ended
)

// Anomaly is the reaction to counters that rose far faster than before.
type Anomaly string

// The ways.
const (
	AnomalyStop   Anomaly = "stop"   // the wave is kept, and no further one begins
	AnomalyIgnore Anomaly = "ignore" // go on
	AnomalyUndo   Anomaly = "undo"   // the wave goes back
)

// Hooks are programs of the person that run around a wave.
type Hooks struct {
	Drain   func(ctx context.Context, w *deploy.Wave) error // before it; an error keeps the wave from beginning
	Undrain func(ctx context.Context, w *deploy.Wave) error // after it, whatever its result, once Drain was called
}

// Clock is the source of time: [time.Now] and [time.After], unless a test drives them.
type Clock device.Clock

// State is how a step stands.
type State string

// The states.
const (
	Begin State = "begin"
	Done  State = "done"
	Fail  State = "failed"
)

// Event is one thing that happened to one device. The last event of a device has a Result and no Step.
type Event struct {
	Wave   int // from 1
	Device *target.Device
	Step   string // "connect", "prepare", "activate", "soak", "verify", "confirm", "restore", "release", "reconnect"
	State  State
	Detail string // of a failed step: why
	Result *deploy.Result
	At     deploy.UnderWay // how far the device came, of a step
}

// Entry is a line of the journal: a verb that is about to be done to a device, or was.
type Entry struct {
	Device string
	Verb   txn.Verb // also [Drain] and [Undrain]
	Wave   int      // of a hook: from 1
	Done   bool
	Result txn.Result
	Mark   txn.Mark // how far the run came there, by an answer
	Detail string   // why not
}

// Apply changes the devices of a plan, wave by wave. Switches of a phase are prepared before the first of them is changed, so that cheap
// failures come first; hosts are prepared as their turn comes. The devices of a wave are kept together. Each is confirmed when all of
// them hold the change and the devices that the wave watches have lost nothing by it (the gate); else the wave goes back. The results
// have every device of the plan. Devices that the plan could not reach or refused are refused. They do not count against MaxFailures,
// since the person saw them in the plan.
//
// When ctx ends, no further device starts. Devices under way end or are undone, each step within its own time, and then Apply returns.
// When more than MaxFailures devices failed, no further wave begins, and OnFailure decides about the others. The error is for invalid
// options.
func Apply(ctx context.Context, dial target.Dial, plan *deploy.Plan, o ApplyOptions) (*deploy.Results, error) {
	if err := o.valid(); err != nil {
		return nil, err
	}
	l := newLeader(&o, dial, plan)
	l.lead(ctx, plan)
	return l.results, nil
}

// valid refuses invalid options, and sets the defaults of the others.
func (o *ApplyOptions) valid() error {
	if !o.Run.Valid() {
		return fmt.Errorf("rollout: run %q with key %q", o.Run.Name, o.Run.Key)
	}
	if o.Clock.Now == nil || o.Clock.Wait == nil {
		return errors.New("rollout: the options hold no clock")
	}
	if o.Hold < 0 || o.Hold > MaxHold {
		return fmt.Errorf("a change waits to be confirmed for at most %d days, not %s", MaxHold/(24*time.Hour), o.Hold)
	}
	if o.Soak != nil && *o.Soak > MaxHold {
		return fmt.Errorf("a device soaks for at most %d days, not %s", MaxHold/(24*time.Hour), *o.Soak)
	}
	o.OnFailure = cmp.Or(o.OnFailure, UndoWave)
	o.Run.Owner = cmp.Or(deploy.OneLine(o.Run.Owner), "unknown")
	return nil
}

// newLeader prepares to lead a plan.
func newLeader(o *ApplyOptions, dial target.Dial, plan *deploy.Plan) *leader {
	l := &leader{
		o: o, dial: dial, results: &deploy.Results{Run: o.Run}, result: map[*deploy.DevicePlan]*deploy.Result{},
		counted: map[*deploy.DevicePlan]bool{}, seen: map[*target.Device][]reading{}, watched: &Links{},
	}
	for _, p := range plan.Devices {
		r := &deploy.Result{Device: p.Device, Run: o.Run.Name, Outcome: deploy.Unchanged}
		switch p.Status {
		case deploy.StatusUnreachable, deploy.StatusRefused:
			r.Outcome, r.Err = deploy.Refused, p.Err
		case deploy.StatusChange:
			r.Outcome = deploy.NotStarted
		}
		l.result[p] = r
		l.results.Devices = append(l.results.Devices, r)
	}
	return l
}
