package rollout

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device"
	"github.com/rocec/rocec/targets/deploy/txn"
	"github.com/rocec/rocec/targets/target"
)

// change is the state of one device in a run.
type change struct {
	o     *ApplyOptions
	p     *deploy.DevicePlan
	dev   *device.Device
	what  *device.Change
	state txn.State
	emit  func(step string, s State, detail string)
	stop  func() bool // reports whether the person interrupted the run

	report  *device.Report  // the latest report
	resumed bool            // another process began the run, so only hashes of its content are known
	asked   bool            // a verb was sent, so the lock may have been taken
	found   []string        // for a run that has ended on the device: the SHA-256 of its files
	settled *deploy.Have    // the state read directly after the commit
	wave    int             // its index
	holds   bool            // the change waits for a person
	linger  time.Duration   // extra time until the device undoes the change by itself, because of other devices
	checked []target.Sample // samples read after the soak
	began   time.Time       // start of the soak
	waited  time.Duration   // time spent waiting for running commands on the device
	sent    txn.Verb        // the running verb, or the verb whose answer was lost
	err     *deploy.Error   // the first error
	undo    *deploy.Error   // the error of the undo
	cleanup *deploy.Error   // the error of the release
}

// newChange returns the change of a device. goal is its wanted result.
func newChange(dial target.Dial, p *deploy.DevicePlan, o *ApplyOptions, goal txn.Goal) *change {
	dev := o.Links.take(p.Device)
	if dev == nil {
		dev = device.New(p.Device, dial, o.Sudo, device.Clock{})
	}
	dev.Expect(p.HostKey)
	dev.Tell(device.Clock(o.Clock))
	dev.Order = o.Orders.Of(p.Device.Name)
	return &change{
		o: o, p: p, dev: dev, what: device.NewChange(p),
		state: txn.State{Goal: goal}, holds: goal == txn.Hold || o.Hold > 0,
		emit: func(string, State, string) {},
		stop: func() bool { return false },
	}
}

// soak returns how long the device must keep its settings after the commit, and how long it may be unreachable (away).
func (c *change) soak() (soak, away time.Duration) {
	return c.o.soak(c.what)
}

// soak returns both times for any change of a device.
func (o *ApplyOptions) soak(what *device.Change) (soak, away time.Duration) {
	if soak, away = what.Soak(); o.Soak != nil {
		soak = *o.Soak
	}
	return soak, away
}

// timers returns how long the device waits before it undoes the change by itself. Hold only applies to a change in use, which waits for a
// person. A commit that dies half way is undone without this time.
func (c *change) timers() device.Timers {
	soak, away := c.soak()
	own := cmp.Or(c.o.DeadMan, max(away+soak+deadManSlack, deadManFloor))
	linger := c.linger
	if c.o.DeadMan > 0 {
		linger = 0
	}
	later := own + linger
	if c.holds {
		later = max(later, c.o.Hold+linger+soak)
	}
	return device.Timers{First: c.what.Work() + own, Later: later}
}

// run follows the state machine until it ends, or until pause returns true.
func (c *change) run(ctx context.Context, pause func(txn.State) bool) {
	for {
		if c.stop() {
			c.state = c.state.Stop()
		}
		verb := c.state.Next()
		if verb == txn.End || pause != nil && pause(c.state) {
			return
		}
		if err := c.record(verb); err != nil {
			c.fail(err)
			c.state = c.state.Stop()
			if verb == txn.Prepare {
				return
			}
			continue
		}
		if verb != txn.Ask && verb != txn.Wait {
			c.sent = verb
		}
		e := c.do(ctx, verb)
		if e.Result == txn.OK || e.Result == txn.Refused {
			c.sent = ""
		}
		if c.o.Record != nil {
			_, _ = c.o.Record(c.entry(e.Verb, &e)) // the step is already done, and the record of the next step will report the disk error
		}
		c.state = c.state.After(e)
	}
}

// at returns the progress of the device, for a person who interrupts rocec now.
func (c *change) at() deploy.UnderWay {
	return deploy.UnderWay{Mark: c.state.Last, Sent: c.sent, Asked: c.asked, Resumed: c.resumed}
}

// record records the next step. A step that cannot be recorded does not begin; a change that has begun is finished.
func (c *change) record(verb txn.Verb) *deploy.Error {
	if c.o.Record == nil || verb == txn.Ask || verb == txn.Wait {
		return nil
	}
	head, err := c.o.Record(c.entry(verb, nil))
	if head != "" {
		c.dev.Head = head
	}
	if err == nil || c.state.Began || verb == txn.Release {
		return nil
	}
	return &deploy.Error{
		Kind: deploy.Disk, Device: c.p.Device, Step: string(verb), Err: err,
		Detail: "the journal of the run cannot be written on this machine: " + deploy.OneLine(err.Error()),
	}
}

func (c *change) entry(verb txn.Verb, e *txn.Event) Entry {
	r := Entry{Device: c.p.Device.Name, Verb: verb}
	if e != nil {
		r.Done, r.Result, r.Mark = true, e.Result, e.Device.Mark
		if e.Result != txn.OK && c.err != nil {
			r.Detail = c.err.Detail
		}
	}
	return r
}

// fail keeps the first error.
func (c *change) fail(err *deploy.Error) {
	if c.err == nil {
		c.err = err
	}
}

// do runs one verb.
func (c *change) do(ctx context.Context, verb txn.Verb) txn.Event {
	switch verb {
	case txn.Prepare:
		return c.prepare(ctx)
	case txn.Commit:
		return c.commit(ctx)
	case txn.Check:
		return c.check(ctx)
	case txn.Ask:
		return c.ask(ctx)
	case txn.Wait:
		return c.wait(ctx)
	}
	return c.call(ctx, verb)
}

// step runs a step, and reports its begin and its end.
func (c *change) step(name string, do func() *deploy.Error) *deploy.Error {
	c.emit(name, Begin, "")
	err := do()
	if err != nil {
		c.emit(name, Fail, err.Detail)
		return err
	}
	c.emit(name, Done, "")
	return nil
}

// event returns the result of a verb: the state that the device reported, or the loss of its answer.
func (c *change) event(verb txn.Verb, r *device.Report, err *deploy.Error) txn.Event {
	if r == nil {
		return txn.Event{Verb: verb, Result: txn.Lost}
	}
	c.keep(r)
	e := txn.Event{Verb: verb, Device: r.Device}
	if err != nil {
		e.Result = txn.Refused
	}
	return e
}

// keep stores the latest report. A release removes the run's folder, so keep copies the folder's data from the report before.
func (c *change) keep(r *device.Report) {
	if last := c.report; last != nil && r.Mark == txn.Absent {
		r.Files, r.Began, r.InUse, r.Why, r.Unwhy = last.Files, last.Began, last.InUse, last.Why, last.Unwhy
		if len(last.Notes) > 0 {
			r.Notes = last.Notes
		}
		if last.By != "" {
			r.By = last.By
		}
	}
	c.report = r
}

func (c *change) prepare(ctx context.Context) txn.Event {
	if err := c.step("connect", func() *deploy.Error { return c.dev.Connect(ctx, "connect") }); err != nil {
		c.fail(err)
		return txn.Event{Verb: txn.Prepare, Result: txn.Dead}
	}
	c.asked = true
	run := c.o.Run
	run.About.Wave = c.wave + 1
	err := c.step("prepare", func() *deploy.Error { return c.dev.Prepare(ctx, run, c.what, c.timers()) })
	switch {
	case err == nil:
		return txn.Event{Verb: txn.Prepare, Device: txn.Device{Mark: txn.Prepared, Lock: txn.Ours}}
	case err.Lost:
		c.fail(err)
		return txn.Event{Verb: txn.Prepare, Result: txn.Lost}
	}
	c.fail(err)
	r, e := c.dev.State(ctx, c.o.Run, c.what) // the files that a failed prepare could not remove
	if e != nil && r == nil && !e.Lost {
		return txn.Event{Verb: txn.Prepare, Result: txn.Refused} // rocec may not even run the verb State on the device
	}
	return c.event(txn.Prepare, r, err)
}

func (c *change) commit(ctx context.Context) txn.Event {
	var r *device.Report
	var h *deploy.Have
	err := c.step("activate", func() (e *deploy.Error) {
		if e := c.dev.Connect(ctx, "activate"); e != nil {
			return e
		}
		r, h, e = c.dev.Commit(ctx, c.o.Run, c.what, c.timers())
		return e
	})
	c.began = c.o.Clock.Now()
	if err != nil {
		c.fail(err)
		return c.event(txn.Commit, r, err)
	}
	c.settled = h
	if err := c.readBack(h); err != nil {
		c.fail(err)
		c.keep(r)
		return txn.Event{Verb: txn.Check, Result: txn.Refused, Device: r.Device} // the soak is not needed, because the content is already wrong
	}
	return c.event(txn.Commit, r, nil)
}

// check waits until the soak is over and logs in again. It checks that the device has and uses the wanted content, and that no link,
// daemon or neighbour was lost.
func (c *change) check(ctx context.Context) txn.Event {
	soak, away := c.soak()
	if c.began.IsZero() {
		c.began = c.o.Clock.Now()
	}
	if left := soak - c.o.Clock.Now().Sub(c.began); left > 0 {
		_ = c.step("soak", func() *deploy.Error {
			<-c.o.Clock.Wait(left)
			return nil
		})
	}
	var r *device.Report
	err := c.step("verify", func() *deploy.Error {
		if err := c.dev.Reconnect(ctx, away+cmp.Or(c.o.Reconnect, reconnectTime)); err != nil {
			return err
		}
		for {
			var h *deploy.Have
			var err *deploy.Error
			patient := false // a lost link may come back
			if r, h, err = c.dev.Check(ctx, c.o.Run, c.what); err != nil {
				return err
			}
			if r.Mark != txn.Loaded {
				return &deploy.Error{
					Kind: deploy.Activation, Device: c.p.Device, Step: "verify",
					Detail: "the run is " + r.Mark.String() + " on the device",
				}
			}
			if c.resumed {
				err = c.hashes(r)
			} else if err = c.readBack(h); err == nil {
				c.checked = h.Samples()
				err, patient = c.gate(h)
			}
			if err == nil || !patient || c.o.Clock.Now().Sub(c.began) >= soak+away {
				return err
			}
			<-c.o.Clock.Wait(settleEvery)
		}
	})
	switch {
	case err == nil:
		return c.event(txn.Check, r, nil)
	case r == nil && !err.Lost && err.Kind != deploy.Unreachable:
		c.fail(err)
		return txn.Event{Verb: txn.Check, Result: txn.Dead}
	}
	c.fail(err)
	if err.Lost {
		r = nil
	}
	return c.event(txn.Check, r, err)
}

// call runs a confirm, an undo or a release.
func (c *change) call(ctx context.Context, verb txn.Verb) txn.Event {
	name, do := "release", c.dev.Release
	switch verb {
	case txn.Confirm:
		name, do = "confirm", c.dev.Confirm
	case txn.Undo:
		name, do = "restore", c.dev.Undo
	}
	var r *device.Report
	err := c.step(name, func() (e *deploy.Error) {
		if e := c.dev.Connect(ctx, name); e != nil {
			return e
		}
		r, e = do(ctx, c.o.Run, c.what)
		return e
	})
	switch {
	case err == nil && verb == txn.Release:
		c.cleanup = nil
	case err == nil && verb == txn.Undo:
		c.undo = nil
	case err != nil && verb == txn.Release:
		c.cleanup = err
	case err != nil && verb == txn.Undo:
		c.undo = err
	case err != nil:
		c.fail(err)
	}
	return c.event(verb, r, err)
}

// ask reads the state of the run on the device, over a new connection.
func (c *change) ask(ctx context.Context) txn.Event {
	_, away := c.soak()
	patience := cmp.Or(c.o.Reconnect, reconnectTime)
	if !c.o.Together { // with Together, the devices only wait, and their time to confirm runs out
		patience += away
	}
	var r *device.Report
	err := c.step("reconnect", func() (e *deploy.Error) {
		if e := c.dev.Reconnect(ctx, patience); e != nil {
			return e
		}
		if r, e = c.dev.State(ctx, c.o.Run, c.what); e == nil && r.Mark == txn.Absent && r.Device.Lock == txn.Free && !c.state.Began {
			<-c.o.Clock.Wait(settleEvery) // the command may acquire the lock only now
			r, e = c.dev.State(ctx, c.o.Run, c.what)
		}
		return e
	})
	if r == nil {
		c.fail(err)
		if err.Lost && err.Step != "reconnect" {
			return txn.Event{Verb: txn.Ask, Result: txn.Lost}
		}
		return txn.Event{Verb: txn.Ask, Result: txn.Dead}
	}
	return c.event(txn.Ask, r, nil)
}

// wait waits until the running command on the device ends. The wait is bounded: every command has a time-out, and the device's own timer
// ends a hanging command.
func (c *change) wait(ctx context.Context) txn.Event {
	<-c.o.Clock.Wait(settleEvery)
	c.waited += settleEvery
	if c.waited > c.timers().First+c.what.Work() {
		return txn.Event{Verb: txn.Wait, Result: txn.Dead}
	}
	r, err := c.dev.State(ctx, c.o.Run, c.what)
	if r == nil {
		c.fail(err)
		return txn.Event{Verb: txn.Ask, Result: txn.Lost}
	}
	return c.event(txn.Ask, r, nil)
}

// readBack compares the device with the tree, by the same reader as the plan.
func (c *change) readBack(h *deploy.Have) *deploy.Error {
	var wrong []string
	for i := range c.p.Device.Files {
		f, content := &c.p.Device.Files[i], h.Files[i]
		at := slices.IndexFunc(c.p.Changes, func(ch *deploy.Change) bool { return ch.Path == f.Path })
		planned := at >= 0 && (c.p.Changes[at].File == f || c.p.Changes[at].OnlyRights())
		if at >= 0 && c.p.Changes[at].Replaces() && content.Rights != nil && *content.Rights != content.Rights.OfFile() {
			wrong = append(wrong, fmt.Sprintf("%s has owner %s and mode %s", f.Path, content.Rights.Owner(), content.Rights.Perm()))
		}
		if !planned && f.Live == nil {
			continue
		}
		if content.Reason != "" {
			wrong = append(wrong, f.Path+": "+content.Reason)
			continue
		}
		if why := deploy.Differs(f, content.Data); why != "" {
			wrong = append(wrong, why)
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	return &deploy.Error{Kind: deploy.Activation, Device: c.p.Device, Step: "verify", Detail: deploy.OneLine(strings.Join(wrong, "; "))}
}

// hashes compares the files of the device with the content that the run had to write.
func (c *change) hashes(r *device.Report) *deploy.Error {
	for i, f := range c.what.Files {
		if r.Files[i] != f.Target {
			return &deploy.Error{
				Kind: deploy.Activation, Device: c.p.Device, Step: "verify", Detail: f.Path + " is not as the run wrote it",
			}
		}
	}
	return nil
}

// gate returns an error if the device has lost a signal since the run began, or restarted a daemon since the commit. It also reports
// whether waiting may help: a lost link may come back, but a restart is final.
func (c *change) gate(h *deploy.Have) (*deploy.Error, bool) {
	now := h.Samples()
	lost := deploy.Lost(c.p.Baseline, now)
	var moved []string
	if c.settled != nil {
		moved = deploy.Moved(c.settled.Samples(), now)
	}
	wrong := append(moved, lost...)
	if len(wrong) == 0 {
		return nil, false
	}
	err := &deploy.Error{Kind: deploy.Unhealthy, Device: c.p.Device, Step: "verify", Detail: deploy.OneLine(strings.Join(wrong, " "))}
	return err, len(moved) == 0
}
