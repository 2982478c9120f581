package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
)

// gateOptions are the flags of gate.
type gateOptions struct {
	install, remove, yes bool
	folder, format       string
	lab                  session.LabFlag
	only                 []string
}

func gateCommand(a *app) *cobra.Command {
	var o gateOptions
	cmd := &cobra.Command{
		Use:   "gate [DIR]",
		Short: "list, install or remove the gate of devices, which takes only signed runs",
		Long: "Gate asks the devices of a fabric whether they have a gate (/usr/libexec/rocec-txn), and whether the login becomes root\n" +
			"without it. A gate is the only program that a login needs to run as root. It prepares a run only if a key of the device's\n" +
			"allowed_signers has signed it.\n\n" +
			"With --install it puts the gate, the allowed_signers of this machine and a line of sudoers on the devices. That needs root\n" +
			"there. With --remove it takes the three away, by an order that the key of --sign-key signs.",
		Example: "  rocec gate --lab\n" +
			"  rocec gate --install --target leaf01\n" +
			"  rocec gate --remove --sign-key ~/.ssh/id_ed25519",
		Args: takes(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.install && o.remove {
				return exit.Fail(exit.Usage, "--install and --remove exclude each other")
			}
			if err := exit.Choice("format", o.format, "text", "json"); err != nil {
				return err
			}
			if o.lab != "" && (o.install || o.remove) {
				return exit.Fail(exit.Usage, "simulated devices run no gate: leave out --lab")
			}
			dir, err := fabricFolder(a, cmd, args)
			if err != nil {
				return err
			}
			return listGates(cmd.Context(), a, dir, o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.install, "install", false, "put the gate on the devices, in place of an older one")
	f.BoolVar(&o.remove, "remove", false, "take the gate away from the devices")
	gatesFlag(cmd, &o.folder)
	f.StringVar(&o.format, "format", "text", "text or json")
	approveFlag(cmd, &o.yes, "install or remove without asking")
	labFlags(cmd, &o.lab)
	sudoFlag(a, cmd)
	targetFlag(a, cmd, &o.only)
	return cmd
}

// gatesFlag adds the flag that names the folder of the gates.
func gatesFlag(cmd *cobra.Command, folder *string) {
	cmd.Flags().StringVar(folder, "gates", "", "`folder` with rocec-txn-amd64, rocec-txn-arm64 and rocec-txn-armhf; by default that of rocec")
}

// listGates lists the gates of devices, and changes them.
func listGates(ctx context.Context, a *app, dir string, o gateOptions) (err error) {
	_, devices, err := a.Open(dir, o.only, o.lab)
	if err != nil {
		return err
	}
	defer devices.Close(&err)
	plan := devices.Compare(ctx)
	if ctx.Err() != nil {
		return exit.Fail(exit.Interrupted, "interrupted; nothing was changed")
	}
	doc := view.GatesJSON(plan)
	show := func(devices []view.GateDevice) {
		if o.format == "text" {
			a.Screen().Gates(devices)
		}
	}
	show(doc.Devices)
	var wanted []int // devices whose gates change
	unread := false
	for i, d := range doc.Devices {
		if d.Status == view.GateUnread {
			unread = true
		} else if o.install || o.remove && d.Gate != nil {
			wanted = append(wanted, i)
		}
	}
	failed := false
	if len(wanted) > 0 {
		if err := askGate(ctx, a, len(wanted), o); err != nil {
			return err
		}
		if failed, err = changeGates(ctx, devices, plan, &doc, wanted, o); err != nil {
			return err
		}
		var changed []view.GateDevice
		for _, i := range wanted {
			changed = append(changed, doc.Devices[i])
		}
		show(changed)
	}
	if o.format == "json" {
		if err := a.WriteJSON(doc); err != nil {
			return err
		}
	}
	switch {
	case failed:
		return exit.With(exit.Incomplete)
	case unread:
		return exit.With(exit.Machines)
	}
	return nil
}

// askGate asks before gates change.
func askGate(ctx context.Context, a *app, devices int, o gateOptions) error {
	if o.yes {
		return nil
	}
	verb := "Install the gate on"
	if o.remove {
		verb = "Remove the gate from"
	}
	return a.Ask(ctx, fmt.Sprintf("%s %s?", verb, diag.Count(devices, "device")), "yes")
}

// changeGates changes the gates of devices, and notes the outcomes in the document.
func changeGates(ctx context.Context, devices *session.Fleet, plan *deploy.Plan, doc *view.GateDocument, wanted []int, o gateOptions) (
	failed bool, err error,
) {
	program := session.GateFiles(o.folder)
	change, done := func(p *deploy.DevicePlan) *deploy.Error { return devices.PutGate(ctx, p, program) }, view.GateInstalled
	var plans []*deploy.DevicePlan
	for _, i := range wanted {
		plans = append(plans, plan.Devices[i])
	}
	if o.remove {
		if change, err = devices.TakeGates(ctx, plans); err != nil {
			return false, err
		}
		done = view.GateRemoved
	}
	for n, no := range session.EachGate(plans, change) {
		doc.Devices[wanted[n]].Done(plans[n], done, no)
		failed = failed || no != nil
	}
	return failed, nil
}
