package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/lang/diag"
)

func replaceCommand(a *app) *cobra.Command {
	var o replaceOptions
	cmd := &cobra.Command{
		Use:   "replace DEVICE",
		Short: "a new device in an old place: its host key, and all its settings",
		Long: "Replace shows the host key of a device that was replaced or installed again, beside the one on file, and takes it over\n" +
			"when a person has compared it with the device's console. Then it plans the device as any other, shows what would be\n" +
			"written, asks, and applies it. A key pinned in the fabric is changed in the fabric, by its owner.",
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.SoakSet, o.HoldSet = cmd.Flags().Changed("soak"), cmd.Flags().Changed("confirm")
			if err := errors.Join(o.ChangeOptions.Check(), o.orderOptions.check()); err != nil {
				return err
			}
			return a.replace(cmd.Context(), args[0], o)
		},
		ValidArgsFunction: func(_ *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
			return a.completeDevice(a.Here())
		},
	}
	cmd.Flags().StringVar(&o.fingerprint, "host-key", "", "the `fingerprint` read on the device's console: it is trusted without asking")
	leadFlags(cmd, &o.ChangeOptions)
	o.orderFlags(a, cmd)
	trustFlag(cmd, &o.TrustByHand)
	acceptFlag(cmd, &o.Accept)
	trustFabricFlag(cmd, &o.TrustFabric)
	sudoFlag(a, cmd)
	return cmd
}

type replaceOptions struct {
	session.ChangeOptions
	orderOptions
	fingerprint string
}

func (a *app) replace(ctx context.Context, name string, o replaceOptions) (err error) {
	dir := a.Here()
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
	if err := devices.Trust(ctx, o.fingerprint, &o.ChangeOptions); err != nil {
		return err
	}
	if devices.Lab == nil { // the way there is made anew, with the host keys that are on file now
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
	found := session.Judged(f.Fabric, plan, o.TrustFabric)
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
	if !o.Approve {
		if err := a.Ask(ctx, question(f.Fabric, diag.Escape(name), plan, seq), "yes"); err != nil {
			return err
		}
	}
	results, err := a.Apply(ctx, session.Job{
		ChangeOptions: o.ChangeOptions, Order: seq.Order, Hooks: o.Programs(), Fabric: dir, Name: f.Fabric.Name, Only: []string{name},
		Devices: devices, Plan: plan,
	})
	if err != nil {
		return err
	}
	return session.Outcome(results)
}
