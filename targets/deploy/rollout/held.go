package rollout

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device"
	"github.com/rocec/rocec/targets/deploy/txn"
)

// Devices that hold a change undo it by themselves if it is not confirmed in time. Two waves must not do so together: each waits beyond
// the deadline for its turn, the last wave first.

// time computes two times for every wave. The place is how long it waits beyond the deadline of the run, so that the waves after it have
// gone back by then. The linger is how much longer than necessary for itself a device waits until it undoes its change: for the other
// devices of the wave and the gate. A held device also waits for the waves to come and for those that go back before it.
func (l *leader) time() {
	waves := l.order.Waves
	l.places, l.lingers = make([]time.Duration, len(waves)), make([]time.Duration, len(waves))
	var beyond, rest time.Duration
	for n, w := range slices.Backward(waves) {
		l.places[n] = beyond
		l.lingers[n] = linger(w)
		if l.holds() {
			l.lingers[n] += rest + beyond
		}
		var gap time.Duration
		for _, p := range w.Devices {
			soak, away := l.o.soak(device.NewChange(p))
			gap = max(gap, soak+away)
		}
		beyond += gap
		rest += deadManSlack + 2*w.Takes
	}
}

// linger returns how long a device may have to wait for the other devices of its wave.
func linger(w *deploy.Wave) time.Duration {
	if w.Stream {
		return 0
	}
	var total time.Duration
	if len(w.Devices) > 1 { // the slowest of the wave
		total += w.Takes
	}
	if len(w.Last) > 0 { // and of those that begin when it has ended
		total += w.Takes
	}
	if len(w.Watch) > 0 { // to look at them twice
		total += deadManSlack
	}
	return total
}

// settle ends a run whose devices were held. If too many failed, all go back. Otherwise all stay armed to one deadline, or are confirmed.
func (l *leader) settle(ctx context.Context) {
	if len(l.held) == 0 {
		return
	}
	failed := l.tooMany() || l.results.Stopped == deploy.GateFailed
	switch {
	case failed && l.o.OnFailure == UndoAll:
		l.undoHeld(ctx)
	case l.o.Hold > 0:
		l.rearm(ctx)
	default:
		l.eachHeld(func(c *change) {
			c.state.Goal = txn.Keep
			l.end(ctx, c, c.wave)
		})
	}
}

// eachHeld does something with every device that is held.
func (l *leader) eachHeld(do func(*change)) {
	held := l.held
	l.held = nil
	slices.SortFunc(held, func(a, b *change) int {
		return cmp.Or(cmp.Compare(a.wave, b.wave), cmp.Compare(a.p.Device.Name, b.p.Device.Name))
	})
	l.each(held, do)
}

// undoHeld takes every held device back, the last wave first.
func (l *leader) undoHeld(ctx context.Context) {
	held := l.held
	l.held = nil
	for n := range slices.Backward(l.order.Waves) {
		of := slices.DeleteFunc(slices.Clone(held), func(c *change) bool { return c.wave != n })
		l.each(of, func(c *change) {
			l.takeBack(c, "the run goes back as a whole, as too many devices failed")
			l.end(ctx, c, n)
		})
	}
}

// rearm gives all held devices one deadline, counted from now, with the places of their waves beyond it.
func (l *leader) rearm(ctx context.Context) {
	steady := context.WithoutCancel(ctx)
	l.eachHeld(func(c *change) {
		err := c.dev.Connect(steady, "confirm")
		if err == nil {
			var r *device.Report
			if r, err = c.dev.Extend(steady, c.o.Run, c.what, l.o.Hold+l.places[c.wave]); r != nil {
				c.keep(r)
			}
		}
		if err != nil { // it keeps the later deadline it has
			l.noteThat(c.p.Device.Name + " keeps a deadline of its own: " + err.Detail)
		}
		c.dev.Close()
		*l.result[c.p] = *c.result() // its event was sent when its wave ended
	})
}
