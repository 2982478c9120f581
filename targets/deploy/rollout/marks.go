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

// Each of two runs of one fabric may take down one switch, but not both runs at the same time. Before a run changes anything, it marks
// its switches and their partners. A partner is a switch whose simultaneous loss would break the promise of a wave. It renews the marks
// before each wave. Every run marks switches in the order of their names. So if several runs begin together, one of them gets the first
// shared switch and goes on; the others drop their marks and end. A mark ends by the switch's own clock, so a dead run blocks other runs
// only for a short time. The lock of a changed device blocks them longer.

// marking is a switch that the run marks.
type marking struct {
	dev  *device.Device
	must bool // the run does not go on without it
	held bool // the switch has the mark of the run
	runs int  // number of runs that had written to the switch when it was marked
	own  bool // the run changes the switch

	ends time.Time // end of the mark, by the clock of the run
}

// markSlack is the lifetime of a mark beyond the longest duration of its wave.
const markSlack = 10 * time.Minute

// markAll marks the switches of the order, and reports whether the run may begin.
func (l *leader) markAll(ctx context.Context, plan *deploy.Plan) bool {
	l.marks = l.markings()
	if len(l.marks) == 0 {
		return true
	}
	failed := make([]*deploy.Error, len(l.marks))
	l.eachOf(len(l.marks), func(i int) { failed[i] = l.marks[i].dev.Connect(ctx, "mark") }) // a login takes longer than a mark
	// By name, because reading a device may replace its struct.
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

// mark marks a switch. It ignores the mark of a run that is known to have died.
func (l *leader) mark(ctx context.Context, m *marking, lease time.Duration) (int, *deploy.Error) {
	runs, err := m.dev.Mark(ctx, l.o.Run, lease, "")
	if err != nil && err.Holder != nil && err.Holder.Beside && l.o.Died != nil && l.o.Died(err.Holder.Txn) {
		return m.dev.Mark(ctx, l.o.Run, lease, err.Holder.Txn)
	}
	return runs, err
}

// markings returns the switches of all waves, in the order in which every run marks them.
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

// without reports whether the run goes on although a switch is not marked. If not, it records the reason.
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

// changedSince stops the run, because a switch differs from its state in the plan.
func (l *leader) changedSince(m *marking) {
	l.stopFor(deploy.FabricChanged, m.dev.Of.Name+" was changed by another run after this plan was made. Plan again.")
}

func (l *leader) stopFor(why deploy.Stopped, text string) {
	if l.results.Stopped == "" {
		l.results.Stopped, l.results.Why = why, deploy.Sentences(text)
	}
}

// renew renews the marks of the next wave and other marks that end soon, and reports whether the wave may begin. Each renewal reads the
// locks of the switch. If another run has marked any of the switches, the run stops.
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
		if err == nil && !m.own && runs[i] != m.runs { // the mark had ended, and another run has changed the switch meanwhile
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

// unmark removes the marks. A mark on a switch that does not answer ends by itself.
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
				l.noteThat(fmt.Sprintf("%s keeps the mark of this run until the mark ends by itself: %s", err.Device.Name, err.Detail))
			}
		}
		m.dev.Close()
	})
}
