package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/lang/diag"
)

func (a *app) replaceCommand() *cobra.Command {
	var o replaceOptions
	cmd := &cobra.Command{
		Use:   "replace DEVICE",
		Short: "a new device in an old place: its host key, and all its settings",
		Long: "Replace shows the host key of a device that was replaced or installed again, beside the one on file, and takes it over\n" +
			"when a person has compared it with the device's console. Then it plans the device as any other, shows what would be\n" +
			"written, asks, and applies it. A key pinned in the fabric is changed in the fabric, by its owner.",
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.soakSet, o.holdSet = cmd.Flags().Changed("soak"), cmd.Flags().Changed("confirm")
			if err := errors.Join(o.leadOptions.check(a, args), o.orderOptions.check()); err != nil {
				return err
			}
			return a.replace(cmd.Context(), args[0], o)
		},
		ValidArgsFunction: func(_ *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
			return a.completeDevice(a.here())
		},
	}
	cmd.Flags().StringVar(&o.fingerprint, "host-key", "", "the `fingerprint` read on the device's console: it is trusted without asking")
	o.leadFlags(a, cmd)
	o.orderFlags(cmd)
	trustFlag(cmd, &o.trustByHand)
	acceptFlag(cmd, &o.accept)
	trustFabricFlag(cmd, &o.trustFabric)
	a.sudoFlag(cmd)
	return cmd
}

type replaceOptions struct {
	leadOptions
	orderOptions
	fingerprint string
}

func (a *app) replace(ctx context.Context, name string, o replaceOptions) (err error) {
	dir := a.here()
	f, devices, err := a.open(dir, []string{name}, o.lab)
	if err != nil {
		return err
	}
	defer devices.close(&err)
	if len(devices.tree.Devices) != 1 {
		return exit.Fail(exit.Usage, "%q is more than one device; replace them one by one", name)
	}
	if err := onlyOthers(devices.tree); err != nil {
		return err
	}
	if err := a.trust(ctx, devices, o); err != nil {
		return err
	}
	if devices.lab == nil { // the way there is made anew, with the host keys that are on file now
		devices.dialer.Close() //nolint:errcheck // it has served
		if err := a.connect(devices); err != nil {
			return err
		}
	}
	devices.look = true
	plan := a.compareForChange(ctx, devices)
	if ctx.Err() != nil {
		return exit.Fail(exit.Interrupted, "interrupted; no setting was changed")
	}
	found := judged(f.Fabric, plan, o.trustFabric)
	plan, seq, err := devices.inOrder(f.Fabric, f.Tree(), plan, o.rules(o.parallel, o.soakTime()))
	if err != nil {
		return err
	}
	a.readLocks(ctx, devices, plan, seq)
	if o.format == "text" {
		v := a.planView(dir, o.Options)
		v.Fabric, v.Sequence, v.Seen, v.Rehearsal = f.Fabric, seq, found, devices.lab != nil
		v.Print(plan)
	}
	if plan.Empty() {
		return a.nothingToDo(plan, o.format)
	}
	if err := a.barred(f, dir, devices, plan, seq, "", &o.leadOptions); err != nil {
		return err
	}
	if err := a.refuse(f, plan, seq, o.trustByHand); err != nil {
		return err
	}
	if err := a.wantsAccepted(f, devices, plan, o.accept); err != nil {
		return err
	}
	if !o.approve {
		if err := a.ask(ctx, question(f.Fabric, diag.Escape(name)), "yes"); err != nil {
			return err
		}
	}
	results, err := a.lead(ctx, lead{
		leadOptions: o.leadOptions, order: seq.Order, hooks: o.programs(), fabric: dir, name: f.Fabric.Name, only: []string{name},
		devices: devices, plan: plan,
	})
	if err != nil {
		return err
	}
	return outcome(results)
}

// trust takes over the host key of the only device, when a person vouches for it.
func (a *app) trust(ctx context.Context, f *fleet, o replaceOptions) error {
	if f.lab != nil {
		return nil // the lab's keys are its own
	}
	d := f.tree.Devices[0]
	id, err := f.dialer.Identify(ctx, d)
	if err != nil {
		return exit.Fail(exit.Machines, "%v", err)
	}
	out := a.stdout
	if o.format == "json" {
		out = a.stderr
	}
	fmt.Fprintf(out, "%s.\n", diag.Escape(id.String()))
	switch {
	case id.Known:
		return nil
	case id.Pin != "":
		return exit.Fail(exit.Errors, "the key of %s is pinned in the fabric. When you have compared the fingerprint with the device's "+
			"console, write host_key = %q into its ssh block, and run this again.", d.Name, id.Fingerprint())
	case o.fingerprint != "" && o.fingerprint != id.Fingerprint():
		return exit.Fail(exit.Machines, "the device does not show the key of --host-key. Nothing was changed.")
	case o.fingerprint == "" && o.approve:
		return exit.Fail(exit.Usage, "--auto-approve does not take over a host key; give the one read on the device's console with --host-key")
	case o.fingerprint == "":
		if err := a.ask(ctx, "Is this the fingerprint on the device's console (ssh-keygen -lf /etc/ssh/ssh_host_*_key.pub)?", "yes"); err != nil {
			return err
		}
	}
	if err := id.Trust(); err != nil {
		return exit.Fail(exit.Machines, "the new key could not be kept: %v", err)
	}
	return nil
}
