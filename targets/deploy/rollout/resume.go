package rollout

import (
	"context"
	"slices"
	"sync"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device"
	"github.com/rocec/rocec/targets/deploy/txn"
	"github.com/rocec/rocec/targets/target"
)

// Resume ends a run that another process began. o.Run is that run, with its key, and the plan has the hashes of its contents. Resume asks
// each device for its state. A device that uses the new content is checked by hashes only. Then the goal decides: Keep confirms the
// change, Hold leaves the device armed, and Back undoes the change. A device that is only prepared is cleaned up in every case. If the
// run has ended on a device, the result has the outcome that the device or the journal (o.Marks) kept. With o.Together and Keep, no
// device is confirmed unless all can be confirmed. With Hold, waiting devices are not changed.
func Resume(ctx context.Context, dial target.Dial, plan *deploy.Plan, goal txn.Goal, o ApplyOptions) (*deploy.Results, error) {
	if err := o.valid(); err != nil {
		return nil, err
	}
	l := newLeader(&o, dial, plan)
	steady := context.WithoutCancel(ctx)
	if o.Together && goal != txn.Back {
		l.together(ctx, plan.Devices, goal)
	} else {
		l.inOrder(plan, func(p *deploy.DevicePlan) {
			if ctx.Err() != nil {
				return
			}
			c := l.asked(ctx, p, goal)
			c.run(steady, nil)
			l.close(c, c.wave)
		})
	}
	l.results.Interrupted = ctx.Err() != nil
	return l.results, nil
}

// asked returns a change that another process began, after it has asked the device for its state.
func (l *leader) asked(ctx context.Context, p *deploy.DevicePlan, goal txn.Goal) *change {
	c := l.newChange(ctx, p, 0)
	c.resumed, c.stop = true, func() bool { return false }
	c.state = txn.Begun(goal)
	if err := device.Refused(p.Device, "resume"); err != nil {
		c.fail(err)
		c.state = c.state.After(txn.Event{Verb: txn.Ask, Result: txn.Dead})
		return c
	}
	steady := context.WithoutCancel(ctx)
	e := c.ask(steady)
	c.state = c.state.After(e)
	if undo := l.o.Marks[p.Device.Name] == txn.Undoing; c.state.Mark == txn.Prepared || undo && !l.o.Together {
		c.state.Goal = txn.Back // an undo that has begun goes on, unless a person confirms the change
	}
	c.find(steady)
	return c
}

// together asks every device before it confirms the first one. A fabric in which some devices have gone back and others keep the change
// is worse than a fabric that goes back as a whole.
func (l *leader) together(ctx context.Context, plans []*deploy.DevicePlan, goal txn.Goal) {
	var mu sync.Mutex
	all := map[*deploy.DevicePlan]*change{}
	steady := context.WithoutCancel(ctx)
	l.eachOf(len(plans), func(i int) {
		if ctx.Err() != nil {
			return
		}
		p := plans[i]
		c := l.asked(ctx, p, goal)
		mu.Lock()
		defer mu.Unlock()
		if len(all) >= mostLinks {
			c.dev.Close()
		}
		all[p] = c
	})
	keep := goal == txn.Keep && len(all) == len(plans)
	for _, c := range all {
		keep = keep && c.keepable()
	}
	l.eachOf(len(plans), func(i int) {
		c := all[plans[i]]
		switch {
		case c == nil: // interrupted before any question, so nothing is new
			return
		case keep || c.ended():
			c.run(steady, nil)
		case c.keepable():
			c.state.Goal, c.state.Checked = txn.Hold, true
		case c.state.Known && c.state.Mark == txn.Loaded:
			c.fail(c.hashes(c.report))
		}
		l.close(c, 0)
	})
}

// inOrder calls do for every device, wave by wave. Devices without a wave come last.
func (l *leader) inOrder(plan *deploy.Plan, do func(*deploy.DevicePlan)) {
	left := slices.Clone(plan.Devices)
	var groups [][]*deploy.DevicePlan
	if l.o.Order != nil {
		in := map[*deploy.DevicePlan]bool{}
		for _, w := range l.o.Order.Waves {
			groups = append(groups, w.Devices)
			for _, p := range w.Devices {
				in[p] = true
			}
		}
		left = slices.DeleteFunc(left, func(p *deploy.DevicePlan) bool { return in[p] })
	}
	for _, group := range append(groups, left) {
		l.eachOf(len(group), func(i int) { do(group[i]) })
	}
}

// keepable reports whether a device that was asked is confirmed or can be confirmed.
func (c *change) keepable() bool {
	switch c.state.Mark {
	case txn.Loaded:
		return c.state.Known && c.hashes(c.report) == nil
	case txn.Confirmed:
		return c.state.Known
	case txn.Absent:
		if !c.state.Known {
			return false
		}
		fate, _ := c.over(c.report)
		return fate == txn.Kept
	}
	return false
}

// ended reports whether the run has already ended on a device that was asked, so that only its files have to be removed.
func (c *change) ended() bool {
	switch c.state.Mark {
	case txn.Armed, txn.Loaded, txn.Undoing:
		return false
	}
	return c.state.Known
}
