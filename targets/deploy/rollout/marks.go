package rollout

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device"
	"github.com/rocec/rocec/targets/target"
)

// Two runs of one fabric may each take away a switch alone, but not both at the same time. Before a run changes anything, it marks its
// switches and their partners, whose loss together with them would break the promise of its waves. It renews the marks before each wave.
// Every run marks switches in the order of their names. So one of several runs that begin together wins the first switch that they share
// and goes on; the others drop their marks and end. A mark ends by the switch's own clock, so a run that died bars other runs for a short
// time only. The lock of a changed device bars them for longer.

// marking is a switch that the run marks.
type marking struct {
	dev  *device.Device
	must bool // the run does not go on without it
	held bool // it has the mark of the run
	runs int  // that had written there when the run marked it
	own  bool // the run changes it

	ends time.Time // of the mark, by the clock of the run
}

// markSlack is how much longer than its wave may take a mark holds.
const markSlack = 10 * time.Minute

// markAll marks the switches of the order, and reports whether the run may begin.
func (l *leader) markAll(ctx context.Context, plan *deploy.Plan) bool {
	l.marks = l.markings()
	if len(l.marks) == 0 {
		return true
	}
	failed := make([]*deploy.Error, len(l.marks))
	l.eachOf(len(l.marks), func(i int) { failed[i] = l.marks[i].dev.Connect(ctx, "mark") }) // a login takes longer than a mark
	// By name, as reading a device may replace its struct.
	planned := map[string]*deploy.DevicePlan{}
	for _, p := range slices.Concat(plan.Devices, plan.Beside) {
		planned[p.Device.Name] = p
	}
	lease := markSlack
	if len(l.order.Waves) > 0 {
		lease += 2 * l.order.Waves[0].Takes
	}
	for i, m := range l.marks {
		if ctx.Err() != nil {
			l.results.Interrupted = true
			return false
		}
		err := failed[i]
		if err == nil {
			m.runs, err = l.mark(context.WithoutCancel(ctx), m, lease)
			m.ends = l.o.Clock.Now().Add(lease)
		}
		if m.held = err == nil; err != nil && !l.without(m, err) {
			return false
		}
		p := planned[m.dev.Of.Name]
		if m.held && p != nil && p.Err == nil && p.Count >= 0 && p.Count != m.runs {
			l.changedSince(m)
			return false
		}
	}
	return true
}

// mark marks a switch. The mark of a run that is known to have died bars nothing.
func (l *leader) mark(ctx context.Context, m *marking, lease time.Duration) (int, *deploy.Error) {
	runs, err := m.dev.Mark(ctx, l.o.Run, lease, "")
	if err != nil && err.Holder != nil && err.Holder.Beside && l.o.Died != nil && l.o.Died(err.Holder.Txn) {
		return m.dev.Mark(ctx, l.o.Run, lease, err.Holder.Txn)
	}
	return runs, err
}

// markings are the switches of the order's waves, in the order in which every run marks them.
func (l *leader) markings() []*marking {
	must, own := map[*target.Device]bool{}, map[string]bool{}
	for _, w := range l.order.Waves {
		for _, p := range w.Devices {
			own[p.Device.Name] = true
		}
		for _, d := range w.Marks {
			must[d] = true
		}
		for _, d := range w.Near {
			if !must[d] {
				must[d] = false
			}
		}
	}
	var all []*marking
	for d, m := range must {
		dev := device.New(d, l.dial, l.o.Sudo, device.Clock(l.o.Clock))
		all = append(all, &marking{dev: dev, must: m, own: own[d.Name]})
	}
	slices.SortFunc(all, func(a, b *marking) int { return cmp.Compare(a.dev.Of.Name, b.dev.Of.Name) })
	return all
}

// without reports whether the run goes on although a switch is not marked, and keeps why not.
func (l *leader) without(m *marking, err *deploy.Error) bool {
	switch {
	case err.Kind == deploy.Locked:
		l.stopFor(deploy.OtherRun, err.Detail)
		return false
	case m.must && !l.o.Alone:
		l.stopFor(deploy.NotMarked, err.Error())
		l.results.Because = err.Kind
		return false
	}
	m.dev.Close()
	l.noteThat(fmt.Sprintf("%s does not carry the mark of this run: %s", err.Device.Name, err.Detail))
	return true
}

// changedSince stops the run, because a switch differs from the state by which the run was judged.
func (l *leader) changedSince(m *marking) {
	l.stopFor(deploy.FabricChanged, m.dev.Of.Name+" was changed by another run after this plan was made. Plan again.")
}

func (l *leader) stopFor(why deploy.Stopped, text string) {
	if l.results.Stopped == "" {
		l.results.Stopped, l.results.Why = why, deploy.Sentences(text)
	}
}

// renew renews the marks of the next wave, and others that end soon, and reports whether the wave may begin. Each renewal reads the locks
// of the switch. A mark that another run has taken stops the run, on whichever switch.
func (l *leader) renew(ctx context.Context, w *deploy.Wave) bool {
	steady := context.WithoutCancel(ctx)
	failed, runs := make([]*deploy.Error, len(l.marks)), make([]int, len(l.marks))
	lease := 2*w.Takes + markSlack
	soon := l.o.Clock.Now().Add(2*w.Takes + markSlack/2)
	l.eachOf(len(l.marks), func(i int) {
		m := l.marks[i]
		ofWave := slices.Contains(w.Marks, m.dev.Of) || slices.Contains(w.Near, m.dev.Of)
		if runs[i] = m.runs; !m.held || !ofWave && m.ends.After(soon) {
			return
		}
		if failed[i] = m.dev.Connect(steady, "mark"); failed[i] == nil {
			runs[i], failed[i] = l.mark(steady, m, lease)
			m.ends = l.o.Clock.Now().Add(lease)
		}
		if failed[i] != nil || len(l.marks) > mostLinks {
			m.dev.Close()
		}
	})
	for i, m := range l.marks {
		err := failed[i]
		if err == nil && !m.own && runs[i] != m.runs { // its mark had ended, and another run came and went
			l.changedSince(m)
			return false
		}
		if err == nil {
			continue
		}
		if err.Kind == deploy.Locked {
			m.held = false
		}
		if m.must = slices.Contains(w.Marks, m.dev.Of); !l.without(m, err) {
			return false
		}
	}
	return true
}

// unmark takes the marks away. A mark on a switch that does not answer ends by itself.
func (l *leader) unmark(ctx context.Context) {
	steady := context.WithoutCancel(ctx)
	l.eachOf(len(l.marks), func(i int) {
		m := l.marks[i]
		if m.held {
			err := m.dev.Connect(steady, "mark")
			if err == nil {
				err = m.dev.Unmark(steady, l.o.Run, "")
			}
			if err != nil {
				l.noteThat(fmt.Sprintf("%s keeps the mark of this run until its time is over: %s", err.Device.Name, err.Detail))
			}
		}
		m.dev.Close()
	})
}
