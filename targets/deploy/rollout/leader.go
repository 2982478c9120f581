package rollout

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/txn"
	"github.com/rocec/rocec/targets/target"
)

// leader is an Apply or a Resume under way.
type leader struct {
	o       *ApplyOptions
	dial    target.Dial
	order   *deploy.Order
	results *deploy.Results
	result  map[*deploy.DevicePlan]*deploy.Result
	counted map[*deploy.DevicePlan]bool    // in failed
	onWay   map[*deploy.DevicePlan]*change // prepared, and not yet changed
	held    []*change                      // in use and not confirmed yet, in the order of waves
	seen    map[*target.Device][]reading   // the last three readings of watched and changed devices
	lingers []time.Duration                // by wave
	places  []time.Duration                // by wave
	watched *Links                         // connections to watched devices
	marks   []*marking                     // switches that carry or must carry the mark of the run, by name

	mu      sync.Mutex // guards failed, because devices of a stream end concurrently
	failed  int
	telling sync.Mutex
}

func (l *leader) lead(ctx context.Context, plan *deploy.Plan) {
	l.order = l.o.Order
	if l.order == nil {
		l.order = deploy.PlainOrder(plan, cmp.Or(max(l.o.Parallel, 0), applyAtOnce))
	}
	l.remember(plan)
	l.time()
	defer l.watched.Close()
	defer l.unmark(ctx)
	if !l.markAll(ctx, plan) {
		for _, p := range plan.Devices {
			if r := l.result[p]; r.Outcome == deploy.NotStarted {
				l.tell(Event{Device: p.Device, Result: r})
			}
		}
		return
	}
	phase := -1
	for n, wave := range l.order.Waves {
		if !await(ctx, l, n, wave) {
			break
		}
		if wave.Phase != phase {
			phase = wave.Phase
			l.onWay = map[*deploy.DevicePlan]*change{}
			l.prepare(ctx, n)
		}
		if !l.mayBegin(ctx, wave) {
			break
		}
		l.wave(ctx, n, wave)
		ended(l, n, wave)
	}
	l.drop(ctx)
	l.settle(ctx)
}

// await waits until a wave may begin, and reports whether it may.
func await(ctx context.Context, l *leader, n int, w *deploy.Wave) bool {
	if l.o.Await == nil || l.results.Stopped != "" || l.results.Interrupted || l.tooMany() {
		return true // mayBegin decides
	}
	err := l.o.Await(ctx, n, w)
	switch {
	case ctx.Err() != nil:
		l.results.Interrupted = true
	case err != nil:
		l.results.Stopped, l.results.Why = deploy.NotAdmitted, deploy.OneLine(err.Error())
	}
	return err == nil && ctx.Err() == nil
}

// ended reports the end of a wave.
func ended(l *leader, n int, w *deploy.Wave) {
	if l.o.Ended == nil {
		return
	}
	results := make([]*deploy.Result, len(w.Devices))
	for i, p := range w.Devices {
		results[i] = l.result[p]
	}
	l.o.Ended(n, results)
}

// mayBegin reports whether a wave may begin. If not, it records the reason.
func (l *leader) mayBegin(ctx context.Context, w *deploy.Wave) bool {
	switch {
	case l.results.Interrupted || ctx.Err() != nil:
		l.results.Interrupted = true
	case l.results.Stopped != "":
	case l.tooMany():
		l.results.Stopped = deploy.TooManyFailures
	case !l.o.NotAfter.IsZero() && l.o.Clock.Now().Add(w.Longest()).After(l.o.NotAfter):
		l.results.Stopped, l.results.Why = deploy.TooLate, "the next wave may not end by "+l.o.NotAfter.Format(time.RFC3339)
	default:
		return l.phaseMayBegin(w)
	}
	return false
}

// phaseMayBegin reports whether a wave may begin although devices of earlier phases keep their old settings.
func (l *leader) phaseMayBegin(w *deploy.Wave) bool {
	if l.order.Blocked == nil {
		return true
	}
	var stay []*deploy.DevicePlan
	for _, before := range l.order.Waves {
		for _, p := range before.Devices {
			if o := l.result[p].Outcome; before.Phase < w.Phase && o != deploy.Applied && o != deploy.Unconfirmed {
				stay = append(stay, p)
			}
		}
	}
	if len(stay) == 0 {
		return true
	}
	if why := l.order.Blocked(stay); why != "" {
		l.results.Stopped, l.results.Why = deploy.PhaseFailed, deploy.OneLine(why)
		return false
	}
	return true
}

func (l *leader) tooMany() bool { return l.failed > max(l.o.MaxFailures, 0) }

// wave changes the devices of wave n, and keeps or undoes all of their changes.
func (l *leader) wave(ctx context.Context, n int, w *deploy.Wave) {
	if w.Stream {
		l.stream(ctx, n, w)
		return
	}
	if !l.renew(ctx, w) {
		return
	}
	before, ok := l.lookBefore(ctx, w)
	if !ok || !l.drain(ctx, n, w) {
		return
	}
	defer l.undrain(ctx, n, w)
	if l.drains() { // a drain takes time and may end sessions, which must not count as losses by the change
		if !l.renew(ctx, w) {
			return
		}
		if before, ok = l.lookBefore(ctx, w); !ok {
			return
		}
	}
	var all []*change
	for _, group := range [][]*deploy.DevicePlan{w.First(), w.Last} {
		if l.results.Stopped == "" && !l.tooMany() {
			all = append(all, l.begin(ctx, n, group)...)
		}
	}
	if len(all) == 0 {
		return
	}
	lost, odd := l.gate(ctx, w, all, before)
	back := ""
	switch {
	case lost != "":
		back = lost
		l.results.Stopped, l.results.Why = deploy.GateFailed, lost
	case l.tooMany() && l.o.OnFailure != Stop:
		back = "another device of its wave failed"
	case len(odd) > 0:
		back = l.anomaly(ctx, odd)
	}
	l.each(all, func(c *change) {
		if back != "" {
			l.takeBack(c, back)
		}
		l.end(ctx, c, n)
	})
}

// takeBack sets the goal of a changed device to the undo.
func (l *leader) takeBack(c *change, why string) {
	c.fail(&deploy.Error{Kind: deploy.Undone, Device: c.p.Device, Step: "verify", Detail: why})
	c.state.Goal = txn.Back
}

// anomaly asks the person about risen counters. If the wave must go back, it returns the reason.
func (l *leader) anomaly(ctx context.Context, odd []string) string {
	answer := AnomalyStop
	if l.o.OnAnomaly != nil {
		answer = l.o.OnAnomaly(ctx, odd)
	}
	text := join(odd)
	switch answer {
	case AnomalyIgnore:
		return ""
	case AnomalyUndo:
		l.results.Stopped, l.results.Why = deploy.CountersRose, text
		return text
	}
	l.results.Stopped, l.results.Why = deploy.CountersRose, text
	return ""
}

// begin changes devices up to the decision whether to keep the change. It returns the devices that reached this point; the others have
// ended.
func (l *leader) begin(ctx context.Context, n int, ps []*deploy.DevicePlan) []*change {
	reached := make([]*change, len(ps))
	l.eachOf(len(ps), func(i int) {
		p := ps[i]
		if l.result[p].Outcome != deploy.NotStarted {
			return
		}
		c := l.onWay[p]
		if c == nil {
			if ctx.Err() != nil {
				return
			}
			c = l.newChange(ctx, p, n)
		}
		c.run(context.WithoutCancel(ctx), txn.State.Keepable)
		if c.state.Keepable() {
			reached[i] = c
			return
		}
		l.end(ctx, c, n)
	})
	for i, p := range ps {
		if reached[i] == nil && l.result[p].Outcome == deploy.NotStarted && ctx.Err() != nil {
			l.results.Interrupted = true
		}
	}
	return slices.DeleteFunc(reached, func(c *change) bool { return c == nil })
}

// stream changes devices that do not wait for each other.
func (l *leader) stream(ctx context.Context, n int, w *deploy.Wave) {
	if !l.renew(ctx, w) || !l.drain(ctx, n, w) {
		return
	}
	defer l.undrain(ctx, n, w)
	if l.drains() && !l.renew(ctx, w) { // a drain takes time
		return
	}
	l.eachOf(len(w.Devices), func(i int) {
		p := w.Devices[i]
		l.mu.Lock()
		stop := l.tooMany() || ctx.Err() != nil
		l.mu.Unlock()
		if stop && l.onWay[p] == nil || l.result[p].Outcome != deploy.NotStarted {
			return
		}
		c := l.onWay[p]
		if c == nil {
			c = l.newChange(ctx, p, n)
		}
		l.end(ctx, c, n)
	})
	for _, p := range w.Devices {
		if l.result[p].Outcome != deploy.NotStarted {
			continue
		}
		if ctx.Err() != nil {
			l.results.Interrupted = true
		} else if l.results.Stopped == "" {
			l.results.Stopped = deploy.TooManyFailures
		}
	}
}

// eachOf calls do n times, with a bounded number of concurrent calls.
func (l *leader) eachOf(n int, do func(i int)) {
	var wg sync.WaitGroup
	turn := make(chan struct{}, cmp.Or(max(l.o.Parallel, 0), applyAtOnce))
	for i := range n {
		turn <- struct{}{}
		wg.Go(func() {
			defer func() { <-turn }()
			do(i)
		})
	}
	wg.Wait()
}

func (l *leader) each(cs []*change, do func(*change)) { l.eachOf(len(cs), func(i int) { do(cs[i]) }) }

// count counts the failure of a device once, because a switch may already have failed during prepare.
func (l *leader) count(p *deploy.DevicePlan) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.result[p].Failed() && !l.counted[p] {
		l.counted[p] = true
		l.failed++
	}
}

// prepare prepares every switch of the phase that begins with wave n.
func (l *leader) prepare(ctx context.Context, n int) {
	var all []*deploy.DevicePlan
	var wave []int
	for i := n; i < len(l.order.Waves) && l.order.Waves[i].Phase == l.order.Waves[n].Phase; i++ {
		for _, p := range l.order.Waves[i].Devices {
			if p.Device.Role == target.Switch {
				all, wave = append(all, p), append(wave, i)
			}
		}
	}
	l.eachOf(len(all), func(i int) {
		if ctx.Err() != nil {
			return
		}
		c := l.newChange(ctx, all[i], wave[i])
		c.run(context.WithoutCancel(ctx), func(s txn.State) bool { return s.Known && s.Mark == txn.Prepared && s.Goal != txn.Back })
		if c.state.Mark == txn.Prepared && c.state.Goal != txn.Back {
			l.mu.Lock()
			defer l.mu.Unlock()
			if len(l.onWay) >= mostLinks {
				c.dev.Close()
			}
			l.onWay[all[i]] = c
			return
		}
		l.end(ctx, c, wave[i])
	})
}

func (l *leader) newChange(ctx context.Context, p *deploy.DevicePlan, wave int) *change {
	goal := txn.Keep
	if l.holds() {
		goal = txn.Hold
	}
	c := newChange(l.dial, p, l.o, goal)
	c.wave = wave
	if l.lingers != nil {
		c.linger = l.lingers[wave]
	}
	c.stop = func() bool { return ctx.Err() != nil }
	c.emit = func(step string, s State, detail string) {
		l.tell(Event{Wave: wave + 1, Device: p.Device, Step: step, State: s, Detail: detail, At: c.at()})
	}
	return c
}

// holds reports whether devices stay unconfirmed at the end of their wave.
func (l *leader) holds() bool { return l.o.Hold > 0 || l.o.OnFailure == UndoAll }

// end finishes a device, even if ctx has ended. It stores and reports the result. If the device is to be held, end adds it to the held
// devices.
func (l *leader) end(ctx context.Context, c *change, wave int) {
	c.run(context.WithoutCancel(ctx), nil)
	if c.state.Goal == txn.Hold && c.state.Keepable() {
		l.mu.Lock()
		l.held = append(l.held, c)
		l.mu.Unlock()
	}
	l.close(c, wave)
}

func (l *leader) close(c *change, wave int) {
	c.dev.Close()
	*l.result[c.p] = *c.result()
	l.count(c.p)
	l.tell(Event{Wave: wave + 1, Device: c.p.Device, Result: l.result[c.p]})
}

// drop removes the prepared files from devices that are not changed after all.
func (l *leader) drop(ctx context.Context) {
	var left []*change
	for _, c := range l.onWay {
		if !c.state.Began && c.state.Mark == txn.Prepared {
			left = append(left, c)
		}
	}
	slices.SortFunc(left, func(a, b *change) int { return cmp.Compare(a.p.Device.Name, b.p.Device.Name) })
	l.each(left, func(c *change) {
		c.state = c.state.Stop()
		l.end(ctx, c, c.wave)
	})
}

// noteThat records an error outside of the devices.
func (l *leader) noteThat(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.results.Notes = append(l.results.Notes, text)
}

func (l *leader) tell(e Event) {
	if l.o.Event == nil {
		return
	}
	l.telling.Lock()
	defer l.telling.Unlock()
	l.o.Event(e)
}
