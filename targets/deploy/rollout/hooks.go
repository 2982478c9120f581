package rollout

import (
	"context"
	"fmt"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/txn"
)

// The verbs for hooks in the journal. The journal names a wave by its first device.
const (
	Drain   txn.Verb = "drain"
	Undrain txn.Verb = "undrain"
)

// drains reports whether waves are drained.
func (l *leader) drains() bool { return l.o.Hooks != nil && l.o.Hooks.Drain != nil }

// drain runs the drain hook for the devices of a wave, and reports whether they may be changed. If the hook fails, the devices are
// skipped.
func (l *leader) drain(ctx context.Context, n int, w *deploy.Wave) bool {
	if !l.drains() {
		return true
	}
	err := l.hook(ctx, n, w, Drain, l.o.Hooks.Drain)
	if err == nil {
		return true
	}
	for _, p := range w.Devices {
		if c := l.onWay[p]; c != nil { // the device is prepared
			delete(l.onWay, p)
			c.state = c.state.Stop()
			c.run(context.WithoutCancel(ctx), nil)
			c.dev.Close()
			*l.result[p] = *c.result()
		}
		if r := l.result[p]; r.Outcome == deploy.NotStarted {
			r.Err = &deploy.Error{Kind: deploy.NotDrained, Device: p.Device, Step: string(Drain), Err: err, Detail: deploy.OneLine(err.Error())}
			l.tell(Event{Wave: n + 1, Device: p.Device, Result: r})
		}
	}
	l.undrain(ctx, n, w)
	return false
}

// undrain runs the undrain hook for the devices of a wave.
func (l *leader) undrain(ctx context.Context, n int, w *deploy.Wave) {
	if l.o.Hooks == nil || l.o.Hooks.Undrain == nil {
		return
	}
	if err := l.hook(context.WithoutCancel(ctx), n, w, Undrain, l.o.Hooks.Undrain); err != nil {
		l.noteThat(fmt.Sprintf("traffic was not put back on wave %d: %s", n+1, deploy.OneLine(err.Error())))
		if l.results.Stopped == "" {
			l.results.Stopped, l.results.Why = deploy.HookFailed, deploy.OneLine(err.Error())
		}
	}
}

// hook runs a hook, and records its begin and its end in the journal.
func (l *leader) hook(ctx context.Context, n int, w *deploy.Wave, verb txn.Verb, run func(context.Context, *deploy.Wave) error) error {
	entry := Entry{Device: w.Devices[0].Device.Name, Verb: verb, Wave: n + 1}
	if l.o.Record != nil {
		if _, err := l.o.Record(entry); err != nil && verb == Drain {
			return err
		}
	}
	err := run(ctx, w)
	if l.o.Record != nil {
		entry.Done = true
		if err != nil {
			entry.Result, entry.Detail = txn.Refused, deploy.OneLine(err.Error())
		}
		_, _ = l.o.Record(entry) // the change is already done
	}
	return err
}
