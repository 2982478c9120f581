package main

import (
	"cmp"
	"context"
	"slices"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/target"
)

// remove sets hosts back that a fabric no longer has.
func (a *app) remove(ctx context.Context, dir string, hosts []string, o session.ChangeOptions) (err error) {
	f, err := a.LoadGood(dir)
	if err != nil {
		return err
	}
	names, err := goneNames(f.Fabric, hosts)
	if err != nil {
		return err
	}
	devices := a.NewFleet(targets.All.Gone(f.Fabric, names))
	if o.Lab != "" {
		if devices.LabDir, err = o.Lab.Folder(dir); err != nil {
			return err
		}
		devices.LabDir = cmp.Or(devices.LabDir, session.LabFresh)
		all := &target.Tree{Devices: slices.Concat(f.Tree().Devices, devices.Tree.Devices)}
		if devices.Lab, err = a.StartLab(dir, all, o.Lab); err != nil {
			return err
		}
	}
	seen := devices.LastLogins(dir)
	if err := devices.Connect(); err != nil {
		return err
	}
	defer devices.Close(&err)
	plan := devices.CompareForChange(ctx)
	if ctx.Err() != nil {
		return exit.Fail(exit.Interrupted, "interrupted; nothing was changed")
	}
	if strange := strangers(plan, seen, o.Lab != ""); len(strange) > 0 {
		return exit.Fail(exit.Machines, "%s cannot be reached, and no run of this fabric has changed %s. Check the name. Nothing was changed.",
			nodeset.Text(strange, nodeset.Devices, 200), diag.Plural(len(strange), "it", "them"))
	}
	debts := a.Debts(dir, devices.LabDir)
	if o.Format == "text" {
		v := a.planView(dir, o.Options)
		v.Debts = debts
		v.Print(plan)
	}
	l := session.Job{
		ChangeOptions: o, Hooks: o.Programs(), Fabric: dir, Name: f.Fabric.Name, Report: f, Only: names, Removes: names,
		Devices: devices, Plan: plan, Order: inOneWave(plan, f), Known: a.ChangedHosts(dir, devices.LabDir),
	}
	if plan.Empty() {
		return a.nothingRemoved(l, debts)
	}
	if err := devices.Barred(f, dir, plan, nil, "", &o); err != nil {
		return err
	}
	if s := plan.Summary(); s.Refused > o.MaxFailures {
		return exit.Fail(exit.Machines, "%s cannot be changed. Nothing was changed. Fix them, leave them out, or go on without them with "+
			"--max-failures %d.", diag.Count(s.Refused, "host"), s.Refused)
	}
	if err := session.Permitted(a.Session, f, o.Message, o.Lab != ""); err != nil {
		return err
	}
	if !o.Approve {
		changes := diag.Count(plan.Summary().Change, "host")
		if err := a.Ask(ctx, "Set "+changes+" back to what was there before rocec?", "yes"); err != nil {
			return err
		}
	}
	results, err := a.Apply(ctx, l)
	if err != nil {
		return err
	}
	if err := session.Outcome(results); err != nil {
		return err
	}
	if plan.Summary().Pending > 0 {
		return exit.With(exit.Incomplete)
	}
	return nil
}

// inOneWave returns an order with a single wave, for hosts that carry no traffic of the fabric.
func inOneWave(plan *deploy.Plan, f *report.Report) *deploy.Order {
	w := &deploy.Wave{Phase: 1, Stream: true}
	gone := map[string]bool{}
	for _, d := range plan.Devices {
		if d.Status == deploy.StatusChange {
			w.Devices = append(w.Devices, d)
			gone[d.Device.Name] = true
		}
	}
	for _, d := range f.Tree().Devices { // a host that is set by hand is still in the fabric, and cabled to its switches
		if d.Role == target.Switch && slices.ContainsFunc(d.Source.Ports, func(p *ir.Port) bool { return gone[p.Peer().Device().Name] }) {
			w.Near = append(w.Near, d)
		}
	}
	return &deploy.Order{Waves: []*deploy.Wave{w}}
}

// nothingRemoved ends a remove without changes. It records in the journal which debts are left and which are settled.
func (a *app) nothingRemoved(l session.Job, debts map[string]view.Debt) error {
	left := l.Plan.Summary().Pending
	if left > 0 || slices.ContainsFunc(l.Removes, func(name string) bool { _, owed := debts[name]; return owed || l.Known[name] }) {
		log, err := a.BeginJournal(a.NewRun(), &l)
		if err == nil {
			err = log.Finish(nil)
		}
		if err != nil {
			return exit.Fail(exit.Machines, "the pending hosts could not be written into the journal of runs: %v", err)
		}
	}
	if err := a.NothingToDo(l.Plan, l.Format); err != nil {
		return err
	}
	if left > 0 {
		return exit.With(exit.Machines)
	}
	return nil
}

// goneNames returns the hosts that arguments name. It refuses a device of the fabric, unless it is a host set by hand.
func goneNames(f *ir.Fabric, args []string) ([]string, error) {
	has := map[string]*ir.Device{}
	for _, d := range f.Devices {
		has[d.Name] = d
	}
	var names []string
	for _, arg := range args {
		set, bad := nodeset.Parse(arg, nodeset.Devices)
		if len(bad) > 0 {
			return nil, exit.Fail(exit.Usage, "%s: %s", diag.Escape(arg), bad[0].Message)
		}
		const most = 10_000
		if set.Len() > most {
			return nil, exit.Fail(exit.Usage, "%s: that is more than %d hosts", diag.Escape(arg), most)
		}
		for n := range set.All() {
			switch d := has[n.Device]; {
			case d == nil || d.ByHand != nil && d.Host != nil:
			case d.Switch != nil:
				return nil, exit.Fail(exit.Usage, "%s is a switch of the fabric (%s); --remove is for hosts", d.Name, report.Place(d.At))
			default:
				return nil, exit.Fail(exit.Usage, "%s is in the fabric (%s). Take it out of the fabric first; or take it out of its intents, "+
					"and apply sets it back.", d.Name, report.Place(d.At))
			}
			if !slices.Contains(names, n.Device) {
				names = append(names, n.Device)
			}
		}
	}
	return names, nil
}

// strangers returns hosts that no run has changed, and that cannot be reached or are in no lab. So a mistyped name never becomes a debt.
func strangers(plan *deploy.Plan, seen map[string]bool, lab bool) []string {
	var names []string
	for _, d := range plan.Devices {
		if (d.Status == deploy.StatusPending || lab) && d.Status != deploy.StatusChange && !seen[d.Device.Name] {
			names = append(names, d.Device.Name)
		}
	}
	return names
}
