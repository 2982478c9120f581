package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/sequence"
	"github.com/rocec/rocec/targets/deploy/traffic"
	"github.com/rocec/rocec/targets/deploy/txn"
	"github.com/rocec/rocec/targets/target"
)

// deadMan is the time after which a device raises a low threshold by itself, unless rocec has done so.
const deadMan = 2 * time.Minute

// marks is a running proof of marking.
type marks struct {
	*traffic.Marking
	f       *report.Report
	whole   *target.Tree
	devices *session.Fleet
	dir     string
	until   time.Time
	o       selftestOptions
}

// proveMarks lowers an ECN threshold of one queue while an exchange passes it, and restores it.
func proveMarks(ctx context.Context, a *app, dir string, o selftestOptions) (err error) {
	until, err := moment(o.notAfter, time.Now())
	if err != nil {
		return err
	}
	f, devices, err := a.Open(dir, o.only, o.lab)
	if err != nil {
		return err
	}
	defer devices.Close(&err)
	m := &marks{f: f, whole: f.Tree(), devices: devices, dir: dir, until: until, o: o}
	sends, docs, err := a.exchanges(ctx, f.Fabric, m.whole, devices, o.traffic)
	if err != nil {
		return err
	}
	var whys []string
	for i, x := range sends {
		why := docs[i].Reason
		if why == "" {
			m.Marking, why = traffic.NewMarking(x)
		}
		if m.Marking != nil {
			break
		}
		whys = append(whys, docs[i].Intent+": "+why)
	}
	if m.Marking == nil {
		return exit.Fail(exit.Errors, "no intent can prove marking: %s. Nothing was changed.", strings.Join(whys, "; "))
	}
	return m.lowerAndRaise(ctx, a)
}

// lowerAndRaise lowers and restores the threshold. Before and after, it checks that the device has the fabric's settings.
func (m *marks) lowerAndRaise(ctx context.Context, a *app) error {
	switchName := m.Queue.Device().Name
	m.devices.Narrow(m.whole, switchName)
	if err := m.asWritten(ctx, "before"); err != nil {
		return err
	}
	low := m.Fabric()
	tree, _ := targets.Render(low)
	m.devices.Narrow(tree, switchName)
	plan := m.devices.CompareForChange(ctx)
	if err := steady(plan.Devices[0]); err != nil {
		return err
	}
	rules := orderOptions{minCapacity: defaultCapacity, darkSet: func() bool { return false }, budget: a.Steps}
	hold := session.ChangeOptions{
		Format: "text", Approve: true, Lab: m.o.lab, Parallel: 1, Hold: deadMan, HoldSet: true, SoakSet: true, OnFailure: "undo-wave",
		Anomaly: "ignore", Message: "selftest --level 2: an ECN threshold is low for a moment",
	}
	plan, seq, err := m.devices.InOrder(low, tree, plan, rules.rules(1, hold.SoakTime()))
	if err != nil {
		return err
	}
	m.devices.ReadLocks(ctx, plan, seq)
	v := a.planView(m.dir, view.Options{})
	v.Fabric, v.Sequence, v.Tool = low, seq, a.Rocec.Tool
	v.Print(plan)
	if err := m.mayLower(a, plan, seq, &hold); err != nil {
		return err
	}
	if err := m.consents(ctx, a); err != nil {
		return err
	}
	if why := m.quiet(ctx); why != "" {
		return exit.Fail(exit.Errors, "%s. Nothing was changed.", why)
	}
	results, err := a.Apply(ctx, session.Job{
		ChangeOptions: hold, Order: seq.Order, NotAfter: m.until, Fabric: m.dir, Name: m.f.Fabric.Name, Devices: m.devices, Plan: plan,
		Passing: true,
	})
	if err != nil {
		return err
	}
	found := traffic.Marked{Says: "The exchange was not sent."}
	if results.Count(deploy.Unconfirmed) == 1 && ctx.Err() == nil {
		found = m.send(ctx)
	}
	back, cancel := context.WithTimeout(context.WithoutCancel(ctx), deadMan)
	defer cancel()
	if err := m.raise(back, a, results.Run.Name); err != nil {
		return err
	}
	m.devices.Narrow(m.whole, switchName)
	if err := m.asWritten(back, "after"); err != nil {
		return err
	}
	a.Screen().Marking(m.Marking, found)
	if !found.Good {
		return exit.With(exit.Errors)
	}
	return nil
}

// asWritten refuses a device whose settings differ from the fabric, and a device with the lock of a run.
func (m *marks) asWritten(ctx context.Context, when string) error {
	p := m.devices.Compare(ctx).Devices[0]
	switch {
	case p.Status == deploy.StatusSame && p.Lock == nil:
		return nil
	case p.Err != nil:
		return exit.Fail(exit.Machines, "%v", p.Err)
	case p.Status == deploy.StatusSame:
		return exit.Fail(exit.Locked, "%s %s", p.Lock.Holds(p.Device.Name), p.Lock.GoOn(p.Device.Name))
	}
	return exit.Fail(exit.Errors, "%s differs from the fabric %s the proof: rocec plan shows the difference", p.Device.Name, when)
}

// steady refuses a plan that interrupts traffic, because a daemon restarts or ports go down.
func steady(p *deploy.DevicePlan) error {
	if p.Status != deploy.StatusChange {
		return exit.Fail(exit.Errors, "%s cannot be changed: %s", p.Device.Name, p.Status)
	}
	for _, c := range p.Changes {
		if what, outage := p.Noticed(&c.File.Activate); outage.Least > 0 {
			return exit.Fail(exit.Errors, "a new threshold of %s would interrupt traffic: %s. Nothing was changed.",
				p.Device.Name, what)
		}
	}
	return nil
}

// mayLower checks the rules that apply to every change.
func (m *marks) mayLower(a *app, plan *deploy.Plan, seq *sequence.Sequence, o *session.ChangeOptions) error {
	if err := m.devices.Barred(m.f, m.dir, plan, seq, "", o); err != nil {
		return err
	}
	if err := a.Refuse(m.f, plan, seq, false); err != nil {
		return err
	}
	return m.devices.WantsAccepted(m.f, plan, false)
}

// quiet reads the receiver twice, some seconds apart. why states which traffic passed the queue meanwhile.
func (m *marks) quiet(ctx context.Context) (why string) {
	to := m.Exchange.To.Device
	ask := func(q target.Query) map[*ir.Device]traffic.Counts {
		answer := m.devices.AskDevices(ctx, m.whole, map[*ir.Device]target.Query{to: q})
		return map[*ir.Device]traffic.Counts{to: traffic.ReadCounts(answer[to].Text)}
	}
	count := traffic.CountQuery([]*ir.Port{m.Exchange.To.Port})
	from := ask(count)
	ask(traffic.IdleQuery())
	return m.Quiet(from, ask(count))
}

// consents states the disruption and asks for the name of the switch, or only for a yes if the fabric is a bench or a lab.
func (m *marks) consents(ctx context.Context, a *app) error {
	price := view.MarkingPrice(m.Marking, deadMan)
	bench := m.f.Fabric.Bench || m.devices.Lab != nil
	switch {
	case m.o.approve && !bench:
		return exit.Fail(exit.Usage, "--auto-approve is for a fabric with bench = true: in others a person must type the name of the switch. "+
			"Nothing was changed.")
	case m.o.approve:
		fmt.Fprintln(a.Fitted(a.Stdout), price)
		return nil
	}
	word := m.Queue.Device().Name
	if bench {
		word = "yes"
	}
	return a.AskTo(ctx, price+"\nLower the threshold?", word, "lower it", "nothing was changed")
}

// send sends the exchange, and judges the counters of both hosts.
func (m *marks) send(ctx context.Context) traffic.Marked {
	from, to := m.Exchange.From, m.Exchange.To
	read := func() (a, b traffic.Notices) {
		got := m.devices.AskDevices(ctx, m.whole, map[*ir.Device]target.Query{
			from.Device: traffic.NoticeQuery(from), to.Device: traffic.NoticeQuery(to),
		})
		return traffic.ReadNotices(got[from.Device].Text), traffic.ReadNotices(got[to.Device].Text)
	}
	fromBefore, toBefore := read()
	low, cancel := context.WithTimeout(ctx, traffic.LowTime)
	defer cancel()
	got := m.devices.AskDevices(low, m.whole, map[*ir.Device]target.Query{from.Device: m.Exchange.Client(), to.Device: m.Exchange.Server()})
	for _, d := range []*ir.Device{from.Device, to.Device} {
		if failed := got[d].Err + traffic.Failed(got[d].Text); failed != "" {
			end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
			defer cancel()
			m.devices.AskDevices(end, m.whole, map[*ir.Device]target.Query{to.Device: m.Exchange.Kill()})
			return traffic.Marked{Says: fmt.Sprintf("%s on %s: %s", m.Exchange.Tool.Name, d.Name, target.Escape(failed))}
		}
	}
	fromAfter, toAfter := read()
	return m.Judge(fromBefore, fromAfter, toBefore, toAfter)
}

// raise undoes the run, which restores the threshold.
func (m *marks) raise(ctx context.Context, a *app, run string) error {
	r, err := a.OpenRun(ctx, run, nil, m.o.lab)
	if err != nil {
		return err
	}
	g := session.GoingOn{Verb: "rollback", Goal: txn.Back, Quiet: true, Options: session.RunOptions{Format: "text", Parallel: 1}}
	results, err := r.GoOn(ctx, m.devices, r.Open, &g)
	if err != nil {
		return err
	}
	return session.Undone(results)
}
