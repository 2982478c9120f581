package rollout

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device"
	"github.com/rocec/rocec/targets/deploy/gated"
	"github.com/rocec/rocec/targets/deploy/txn"
	"github.com/rocec/rocec/targets/target"
)

// ApplyOptions contains the options of [Apply].
type ApplyOptions struct {
	Run         deploy.Run     // the run that changes devices; see [deploy.NewRun]
	Order       *deploy.Order  // order of the waves; nil: [deploy.PlainOrder]
	Parallel    int            // devices changed at the same time; 0: 8
	MaxFailures int            // devices that may fail before no further wave begins
	OnFailure   OnFailure      // decides about the other devices when more fail; empty: UndoWave
	Hold        time.Duration  // time after which every change is undone unless [Confirm] runs; 0: changes are kept at once
	Soak        *time.Duration // how long a device must stay healthy before its change is kept; nil: by its steps
	DeadMan     time.Duration  // time until a device undoes a change by itself; 0: by its steps, at least two minutes
	Reconnect   time.Duration  // how long a device may take to answer again, beyond the time of its steps; 0: 30 s
	NotAfter    time.Time      // no wave begins that might end after this time; zero: no limit
	Clock       Clock          // the source of time
	Sudo        *device.Sudo   // how login users become root; nil: without a password
	Links       *Links         // connections to use; nil: none
	Orders      *gated.Orders  // signed, for devices with a gate; nil: there is no such device
	Alone       bool           // go on without switches that cannot be marked, because the person knows of no other run

	// Died reports whether the named run is known to have died. The marks of such a run are ignored. Nil: no run has died.
	Died func(run string) bool

	// OnAnomaly decides whether the run goes on after a wave in which counters rose far faster than before. Nil: the run stops. The wave
	// is kept unless OnAnomaly asks for its undo.
	OnAnomaly func(ctx context.Context, found []string) Anomaly

	// Hooks drain and undrain the devices of a wave; nil: no hooks.
	Hooks *Hooks

	// Await returns when wave n, counted from 0, may begin, or an error: then neither it nor a later wave begins. It is called before
	// devices of the wave are prepared. Nil: each wave may begin.
	Await func(ctx context.Context, n int, w *deploy.Wave) error

	// Ended receives the results of the devices of wave n when the wave is over. Changes that wait to be confirmed have not ended. Nil: no
	// receiver.
	Ended func(n int, results []*deploy.Result)

	// For Resume: the progress of the run on each device by the journal. Armed: a commit was sent. Undoing: an undo was sent.
	Marks map[string]txn.Mark

	// For Resume: keep all devices or none. All devices are asked first. If one cannot be kept, the others stay armed, as with Hold.
	Together bool

	// Event receives every step of every device, one call at a time.
	Event func(Event)

	// Record receives each intended step and its result. Calls for one device are sequential. Calls for different devices are concurrent,
	// because they may wait for a disk. If the intent for a device cannot be recorded, the device is not changed.
	// head is the head of the journal, which the device keeps.
	Record func(Entry) (head string, err error)
}

// OnFailure decides about the other devices when more devices fail than allowed. No further wave begins in any case.
type OnFailure string

// The ways.
const (
	UndoWave OnFailure = "undo-wave" // the devices of the same wave go back, too
	Stop     OnFailure = "stop"      // the other devices keep the change
	UndoAll  OnFailure = "undo-all"  // all devices of the run go back, the last wave first; no confirm before the end of the last wave
)

// Anomaly is the reaction to counters that rose far faster than before.
type Anomaly string

// The ways.
const (
	AnomalyStop   Anomaly = "stop"   // the wave is kept, and no further one begins
	AnomalyIgnore Anomaly = "ignore" // go on
	AnomalyUndo   Anomaly = "undo"   // the wave goes back
)

// Hooks are user-supplied programs that run before and after a wave.
type Hooks struct {
	Drain   func(ctx context.Context, w *deploy.Wave) error // before the wave; after an error the wave does not begin
	Undrain func(ctx context.Context, w *deploy.Wave) error // after the wave, with any result, if Drain was called
}

// Clock is the source of time: [time.Now] and [time.After], unless a test drives them.
type Clock device.Clock

// State is the progress of a step.
type State string

// The states.
const (
	Begin State = "begin"
	Done  State = "done"
	Fail  State = "failed"
)

// Event is one event on one device. The last event of a device has a Result and no Step.
type Event struct {
	Wave   int // from 1
	Device *target.Device
	Step   string // "connect", "prepare", "activate", "soak", "verify", "confirm", "restore", "release", "reconnect"
	State  State
	Detail string // for a failed step: the reason
	Result *deploy.Result
	At     deploy.UnderWay // for a step: the progress of the device
}

// Entry is a line of the journal: a verb that is about to run on a device, or has run.
type Entry struct {
	Device string
	Verb   txn.Verb // or [Drain] or [Undrain]
	Wave   int      // for a hook: from 1
	Done   bool
	Result txn.Result
	Mark   txn.Mark // progress of the run on the device, by its answer
	Detail string   // why not
}

// Apply changes the devices of a plan, wave by wave. Switches of a phase are prepared before the first switch is changed, so that
// harmless failures come first. Hosts are prepared directly before their change. The devices of a wave are kept together: they are
// confirmed when all of them have the change and the devices that the wave watches have lost nothing by it (the gate). Otherwise the wave
// goes back. The results contain every device of the plan. Devices that the plan could not reach or refused are refused. They do not
// count for MaxFailures, because the person saw them in the plan. When ctx ends, no further device starts. Devices under way are finished
// or undone, each step within its own time limit. Then Apply returns. If more than MaxFailures devices fail, no further wave begins, and
// OnFailure decides about the other devices. An error means invalid options.
func Apply(ctx context.Context, dial target.Dial, plan *deploy.Plan, o ApplyOptions) (*deploy.Results, error) {
	if err := o.valid(); err != nil {
		return nil, err
	}
	l := newLeader(&o, dial, plan)
	l.lead(ctx, plan)
	return l.results, nil
}

// valid refuses invalid options, and sets the defaults of missing ones.
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
