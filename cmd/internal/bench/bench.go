// Package bench changes one device of a fabric only to undo the change ([Bench]), and reads the device before, meanwhile and after. The
// levels of `rocec selftest` use it.
package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/sequence"
	"github.com/rocec/rocec/targets/deploy/txn"
	"github.com/rocec/rocec/targets/target"
)

// Bench is a fabric with its devices, and the flags of its verb.
type Bench struct {
	*session.Session
	Report   *report.Report
	Whole    *target.Tree // of the fabric
	Devices  *session.Fleet
	Dir      string // of the fabric
	NotAfter time.Time
	Lab      session.LabFlag
	Approve  bool                                                          // --auto-approve
	Rules    sequence.Rules                                                // of the order of changes
	Show     func(of *ir.Fabric, p *deploy.Plan, order *sequence.Sequence) // prints a plan
}

// change is a change of one device that is undone at once.
type change struct {
	fabric  *ir.Fabric
	tree    *target.Tree // nil: as the fabric is rendered
	device  string
	hold    time.Duration // the device undoes the change by itself after this time
	message string
	check   func(*deploy.DevicePlan) error                        // refuses a plan
	consent func(ctx context.Context, p *deploy.DevicePlan) error // asks the person; nil: the person has agreed
	held    func(ctx context.Context, r *deploy.Result)           // is called while the device has the change
}

// done contains the results of a change: of the write and of the undo. A nil result was not made.
type done struct{ did, undid *deploy.Result }

// hold makes a change, calls its function, and undoes the change. The error is the verb's: nothing was changed, or the undo failed.
func (b *Bench) hold(ctx context.Context, c *change) (r done, err error) {
	tree := c.tree
	if tree == nil {
		tree, _ = targets.Render(c.fabric)
	}
	b.Devices.Narrow(tree, c.device)
	plan := b.Devices.CompareForChange(ctx)
	if err := c.check(plan.Devices[0]); err != nil {
		return r, err
	}
	hold := session.ChangeOptions{
		Format: "text", Approve: true, Lab: b.Lab, Parallel: 1, Hold: c.hold, HoldSet: true, SoakSet: true, OnFailure: "undo-wave",
		Anomaly: "ignore", Message: c.message,
	}
	plan, order, err := b.Devices.InOrder(c.fabric, tree, plan, b.Rules)
	if err != nil {
		return r, err
	}
	b.Devices.ReadLocks(ctx, plan, order)
	b.Show(c.fabric, plan, order)
	if err := b.allowed(plan, order, &hold); err != nil {
		return r, err
	}
	if c.consent != nil {
		if err := c.consent(ctx, plan.Devices[0]); err != nil {
			return r, err
		}
	}
	results, err := b.Apply(ctx, session.Job{
		ChangeOptions: hold, Order: order.Order, NotAfter: b.NotAfter, Fabric: b.Dir, Name: b.Report.Fabric.Name, Devices: b.Devices, Plan: plan,
		Passing: true,
	})
	if err != nil {
		return r, err
	}
	r.did = results.Devices[0]
	if r.did.Outcome == deploy.Unconfirmed && ctx.Err() == nil {
		c.held(ctx, r.did)
	}
	back, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.hold)
	defer cancel()
	r.undid, err = b.undo(back, results.Run.Name)
	return r, err
}

// allowed checks the rules that apply to every change.
func (b *Bench) allowed(plan *deploy.Plan, order *sequence.Sequence, o *session.ChangeOptions) error {
	if err := b.Devices.Barred(b.Report, b.Dir, plan, order, "", o); err != nil {
		return err
	}
	if err := b.Refuse(b.Report, plan, order, false); err != nil {
		return err
	}
	return b.Devices.WantsAccepted(b.Report, plan, false)
}

// undo undoes a run. The result is nil if the run has ended without a change.
func (b *Bench) undo(ctx context.Context, run string) (*deploy.Result, error) {
	r, err := b.OpenRun(ctx, run, nil, b.Lab)
	if err != nil {
		return nil, err
	}
	g := session.GoingOn{Verb: "rollback", Goal: txn.Back, Quiet: true, Options: session.RunOptions{Format: "text", Parallel: 1}}
	results, err := r.GoOn(ctx, b.Devices, r.Open, &g)
	if err != nil {
		return nil, err
	}
	if len(results.Devices) == 0 {
		return nil, session.Undone(results)
	}
	return results.Devices[0], session.Undone(results)
}

// consent states the price of a change and asks for the name of its device, or only for a yes if the fabric is a bench or a lab. do is the
// answer to the question, as an infinitive.
func (b *Bench) consent(ctx context.Context, price, question, device, do string) error {
	bench := b.OnBench()
	switch {
	case b.Approve && !bench:
		return exit.Fail(exit.Usage, "--auto-approve is for a fabric with bench = true: in others a person must type the name of the %s. "+
			"Nothing was changed.", roleOf(b.Whole, device))
	case b.Approve:
		fmt.Fprintln(b.Fitted(b.Stdout), price)
		return nil
	}
	word := device
	if bench {
		word = "yes"
	}
	return b.AskTo(ctx, price+"\n"+question, word, do, "nothing was changed")
}

// OnBench reports whether no person depends on the traffic: the devices are simulated, or the fabric is a bench.
func (b *Bench) OnBench() bool { return b.Report.Fabric.Bench || b.Devices.Lab != nil }

func roleOf(tree *target.Tree, name string) target.Role {
	for _, d := range tree.Devices {
		if d.Name == name {
			return d.Role
		}
	}
	return "device"
}

// asWritten refuses a device whose settings differ from the fabric, and a device with the lock of a run.
func (b *Bench) asWritten(ctx context.Context, device, when string) error {
	b.Devices.Narrow(b.Whole, device)
	p := b.Devices.Compare(ctx).Devices[0]
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
