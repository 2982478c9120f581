package rollout

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device"
	"github.com/rocec/rocec/targets/deploy/txn"
	"github.com/rocec/rocec/targets/target"
)

// ApplyOptions are the choices of [Apply].
type ApplyOptions struct {
	Run         deploy.Run     // who changes devices; see [deploy.NewRun]
	Parallel    int            // devices changed at the same time; 0: 8
	MaxFailures int            // devices that may fail before no further one starts
	Canary      bool           // one device of every kind first
	Hold        time.Duration  // every change is undone after this long, unless [Confirm] comes; 0: it is kept at once
	Soak        *time.Duration // how long a device must hold before its change is kept; nil: what its steps say
	DeadMan     time.Duration  // until a device undoes a change by itself; 0: what its steps need, at least two minutes
	Reconnect   time.Duration  // how long a device may take to answer again, beyond what its steps say; 0: 30 s
	Clock       Clock          // the time it goes by
	Sudo        *device.Sudo   // how login users become root; nil: without a password
	Links       *Links         // connections to use; nil: none

	// Of Resume: how far the journal saw the run come on each device. Armed: a commit was sent.
	Marks map[string]txn.Mark

	// Of Resume: keep all devices or none. All are asked first, and where one cannot be kept the others stay armed, as with Hold.
	Together bool

	// Event is told of every step of every device, one call at a time.
	Event func(Event)

	// Record is told what is about to be done and what came of it: of one device one call at a time, of several at the same
	// time, as it may wait for a disk. A device whose intent cannot be recorded is not changed.
	Record func(Entry) error
}

// Clock is what tells the time: [time.Now] and [time.After], unless a test drives them.
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
}

// Entry is a line of the journal: a verb that is about to be done to a device, or was.
type Entry struct {
	Device string
	Verb   txn.Verb
	Done   bool
	Result txn.Result
	Mark   txn.Mark // how far the run came there, by an answer
	Detail string   // why not
}

// Apply changes the devices of a plan, batch by batch in the order of [Waves]. Switches of a phase are prepared before the
// first of them is changed, so that what can fail cheaply fails then; hosts are prepared batch by batch. The results have every
// device of the plan; those the plan could not reach or refused are refused, and do not count against MaxFailures, for the
// person saw them in the plan.
//
// When ctx ends, no further device starts; those under way come to their end or are undone, each step within its own
// time, and Apply returns then. When more than MaxFailures devices failed, the batch under way finishes and no new one
// starts. The error is for options that make no sense.
func Apply(ctx context.Context, dial target.Dial, plan *deploy.Plan, o ApplyOptions) (*deploy.Results, error) {
	if err := o.valid(); err != nil {
		return nil, err
	}
	l := newLeader(&o, dial, plan)
	l.lead(ctx, plan)
	return l.results, nil
}

// valid refuses options that make no sense, and fills in what is left open.
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
	o.Run.Owner = cmp.Or(deploy.OneLine(o.Run.Owner), "unknown")
	return nil
}

// newLeader prepares to lead a plan.
func newLeader(o *ApplyOptions, dial target.Dial, plan *deploy.Plan) *leader {
	l := &leader{o: o, dial: dial, results: &deploy.Results{Run: o.Run}, result: map[*deploy.DevicePlan]*deploy.Result{}}
	l.counted = map[*deploy.DevicePlan]bool{}
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

// leader is an Apply or a Resume under way.
type leader struct {
	o       *ApplyOptions
	dial    target.Dial
	results *deploy.Results
	result  map[*deploy.DevicePlan]*deploy.Result
	failed  int
	counted map[*deploy.DevicePlan]bool    // in failed
	onWay   map[*deploy.DevicePlan]*change // prepared, and not yet changed

	telling sync.Mutex
}

func (l *leader) lead(ctx context.Context, plan *deploy.Plan) {
	waves := Waves(plan, WaveOptions{Parallel: l.o.Parallel, Canary: l.o.Canary})
	phase := -1
	for n, wave := range waves {
		if p := PhaseOf(wave[0]); p != phase {
			phase = p
			l.onWay = map[*deploy.DevicePlan]*change{}
			if wave[0].Device.Role == target.Switch {
				l.prepare(ctx, waves, n)
			}
		}
		if l.results.Interrupted = ctx.Err() != nil; l.results.Interrupted {
			break
		}
		if l.results.Stopped = l.failed > max(l.o.MaxFailures, 0); l.results.Stopped {
			break
		}
		l.each(wave, func(p *deploy.DevicePlan) {
			if l.result[p].Outcome == deploy.NotStarted {
				l.finish(ctx, p, n+1)
			}
		})
		for _, p := range wave {
			if l.result[p].Outcome == deploy.NotStarted {
				l.results.Interrupted = true
			}
		}
		l.count(wave)
	}
	l.drop(ctx)
}

// each does something for many devices, a bounded number at a time.
func (l *leader) each(ps []*deploy.DevicePlan, do func(*deploy.DevicePlan)) {
	var wg sync.WaitGroup
	turn := make(chan struct{}, cmp.Or(max(l.o.Parallel, 0), applyAtOnce))
	for _, p := range ps {
		turn <- struct{}{}
		wg.Go(func() {
			defer func() { <-turn }()
			do(p)
		})
	}
	wg.Wait()
}

// count adds the failures among some devices, each device once: a switch is looked at after its prepare and after its wave.
func (l *leader) count(ps []*deploy.DevicePlan) {
	for _, p := range ps {
		if l.result[p].Failed() && !l.counted[p] {
			l.counted[p] = true
			l.failed++
		}
	}
}

// prepare prepares every device of the phase that begins with wave n.
func (l *leader) prepare(ctx context.Context, waves [][]*deploy.DevicePlan, n int) {
	var all []*deploy.DevicePlan
	wave := map[*deploy.DevicePlan]int{}
	for i := n; i < len(waves) && PhaseOf(waves[i][0]) == PhaseOf(waves[n][0]); i++ {
		for _, p := range waves[i] {
			wave[p] = i + 1
		}
		all = append(all, waves[i]...)
	}
	var mu sync.Mutex
	l.each(all, func(p *deploy.DevicePlan) {
		if ctx.Err() != nil {
			return
		}
		c := l.newChange(ctx, p, wave[p])
		c.run(context.WithoutCancel(ctx), func(s txn.State) bool { return s.Known && s.Mark == txn.Prepared && s.Goal != txn.Back })
		if c.state.Mark == txn.Prepared && c.state.Goal != txn.Back {
			mu.Lock()
			defer mu.Unlock()
			if len(l.onWay) >= mostLinks {
				c.dev.Close()
			}
			l.onWay[p] = c
			return
		}
		l.end(c, wave[p])
	})
	l.count(all)
}

func (l *leader) newChange(ctx context.Context, p *deploy.DevicePlan, wave int) *change {
	goal := txn.Keep
	if l.o.Hold > 0 {
		goal = txn.Hold
	}
	c := newChange(l.dial, p, l.o, goal)
	c.stop = func() bool { return ctx.Err() != nil }
	c.emit = func(step string, s State, detail string) {
		l.tell(Event{Wave: wave, Device: p.Device, Step: step, State: s, Detail: detail})
	}
	return c
}

// finish brings a device to its end. What it has begun it ends, whatever becomes of ctx.
func (l *leader) finish(ctx context.Context, p *deploy.DevicePlan, wave int) {
	c := l.onWay[p]
	if c == nil {
		if ctx.Err() != nil {
			return
		}
		c = l.newChange(ctx, p, wave)
	}
	c.run(context.WithoutCancel(ctx), nil)
	l.end(c, wave)
}

// end keeps and tells the result of a device.
func (l *leader) end(c *change, wave int) {
	c.dev.Close()
	*l.result[c.p] = *c.result()
	l.tell(Event{Wave: wave, Device: c.p.Device, Result: l.result[c.p]})
}

// drop takes away what is prepared on devices that are not changed after all.
func (l *leader) drop(ctx context.Context) {
	var left []*deploy.DevicePlan
	for p, c := range l.onWay {
		if !c.state.Began && c.state.Mark == txn.Prepared {
			left = append(left, p)
		}
	}
	l.each(left, func(p *deploy.DevicePlan) {
		c := l.onWay[p]
		c.state = c.state.Stop()
		c.run(context.WithoutCancel(ctx), nil)
		l.end(c, 0)
	})
}

func (l *leader) tell(e Event) {
	if l.o.Event == nil {
		return
	}
	l.telling.Lock()
	defer l.telling.Unlock()
	l.o.Event(e)
}
