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

// Devices with an unconfirmed change undo it by themselves after a deadline. Two waves must not do so at the same time. So each wave
// waits some time beyond the deadline, and the last wave goes back first.

// time computes two times for every wave. The place is the time that the wave waits beyond the deadline of the run, so that later waves
// have gone back by then. The linger is extra time until a device undoes its change by itself. It covers the changes of the other devices
// of the wave, and the gate. For a held device it also covers the later waves, and their undo.
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

// linger returns the longest time that a device waits for the other devices of its wave.
func linger(w *deploy.Wave) time.Duration {
	if w.Stream {
		return 0
	}
	var total time.Duration
	if len(w.Devices) > 1 { // for the slowest device of the wave
		total += w.Takes
	}
	if len(w.Last) > 0 { // and for the slowest device of those that begin last
		total += w.Takes
	}
	if len(w.Watch) > 0 { // for two reads of the watched devices
		total += deadManSlack
	}
	return total
}

// settle ends a run with held devices. If too many devices failed, all go back. Otherwise all are confirmed, or stay armed with one
// common deadline.
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

// eachHeld calls do for every held device.
func (l *leader) eachHeld(do func(*change)) {
	held := l.held
	l.held = nil
	slices.SortFunc(held, func(a, b *change) int {
		return cmp.Or(cmp.Compare(a.wave, b.wave), cmp.Compare(a.p.Device.Name, b.p.Device.Name))
	})
	l.each(held, do)
}

// undoHeld undoes the change on every held device, the last wave first.
func (l *leader) undoHeld(ctx context.Context) {
	held := l.held
	l.held = nil
	for n := range slices.Backward(l.order.Waves) {
		of := slices.DeleteFunc(slices.Clone(held), func(c *change) bool { return c.wave != n })
		l.each(of, func(c *change) {
			l.takeBack(c, "the run goes back as a whole, because too many devices failed")
			l.end(ctx, c, n)
		})
	}
}

// rearm sets one deadline for all held devices, counted from now. The device adds the place of its wave to the deadline.
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
		if err != nil { // the device keeps its later deadline
			l.noteThat(c.p.Device.Name + " keeps its earlier deadline: " + err.Detail)
		}
		c.dev.Close()
		*l.result[c.p] = *c.result() // its event was sent when its wave ended
	})
}
