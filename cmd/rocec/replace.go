package main

import (
	"context"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/policy"
)

// replaceOptions are the flags of apply --replace.
type replaceOptions struct {
	session.ChangeOptions
	orderOptions
	fingerprint string
}

// replace applies to a device that was replaced, and trusts its new host key.
func (a *app) replace(ctx context.Context, dir, name string, o replaceOptions) (err error) {
	f, devices, err := a.Open(dir, []string{name}, o.Lab)
	if err != nil {
		return err
	}
	defer devices.Close(&err)
	if len(devices.Tree.Devices) != 1 {
		return exit.Fail(exit.Usage, "%q is more than one device; replace them one by one", name)
	}
	if err := session.OnlyOthers(devices.Tree); err != nil {
		return err
	}
	if err := session.PermittedPart(a.Session, policy.GoBack, o.Lab != ""); err != nil { // a host key is taken over before the plan
		return err
	}
	if err := devices.Trust(ctx, o.fingerprint, &o.ChangeOptions); err != nil {
		return err
	}
	if devices.Lab == nil { // connect again, with the host keys that are known now
		devices.Dialer.Close() //nolint:errcheck // it has served
		if err := devices.Connect(); err != nil {
			return err
		}
	}
	devices.Look = true
	plan := devices.CompareForChange(ctx)
	if ctx.Err() != nil {
		return exit.Fail(exit.Interrupted, "interrupted; no setting was changed")
	}
	found := session.JudgePorts(f.Fabric, plan, o.TrustFabric)
	plan, seq, err := devices.InOrder(f.Fabric, f.Tree(), plan, o.rules(o.Parallel, o.SoakTime()))
	if err != nil {
		return err
	}
	devices.ReadLocks(ctx, plan, seq)
	if o.Format == "text" {
		v := a.planView(dir, o.Options)
		v.Fabric, v.Sequence, v.Seen, v.Rehearsal = f.Fabric, seq, found, devices.Lab != nil
		v.Print(plan)
	}
	if plan.Empty() {
		return a.NothingToDo(plan, o.Format)
	}
	if err := devices.Barred(f, dir, plan, seq, "", &o.ChangeOptions); err != nil {
		return err
	}
	if err := a.Refuse(f, plan, seq, o.TrustByHand); err != nil {
		return err
	}
	if err := devices.WantsAccepted(f, plan, o.Accept); err != nil {
		return err
	}
	if err := session.Permitted(a.Session, f, o.Message, o.Lab != ""); err != nil {
		return err
	}
	if !o.Approve {
		if err := a.Ask(ctx, question(f.Fabric, diag.Escape(name), plan, seq), "yes"); err != nil {
			return err
		}
	}
	results, err := a.Apply(ctx, session.Job{
		ChangeOptions: o.ChangeOptions, Order: seq.Order, Hooks: o.Programs(), Fabric: dir, Name: f.Fabric.Name, Report: f, Only: []string{name},
		Devices: devices, Plan: plan,
	})
	if err != nil {
		return err
	}
	if n := len(seq.Steps); n > 1 && results.Complete() {
		a.Say("This was the first of %s. To go on, run rocec replace again.", diag.Count(n, "step"))
		return exit.With(exit.Incomplete)
	}
	return session.Outcome(results)
}
