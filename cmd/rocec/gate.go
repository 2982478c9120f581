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
	folder               string
	only                 []string
}

func gateCommand(a *app) *cobra.Command {
	var o gateOptions
	cmd := &cobra.Command{
		Use:   "gate [DIR]",
		Short: "list, install or remove the gate of devices, which takes only signed runs",
		Long: "Gate asks the devices of a fabric whether they have a gate (/usr/libexec/rocec-txn), and whether the login becomes root\n" +
			"without it. A gate is the only program that sudo lets the login run. It prepares a run only if a key of the device's\n" +
			"allowed_signers has signed it.\n\n" +
			"With --install it puts the gate, the allowed_signers of this machine and a line of sudoers on the devices. That needs root there.\n" +
			"With --remove it takes the three away: as root, or by an order that the key of --sign-key signs.",
		Example: "  rocec gate --install --target leaf01\n" +
			"  rocec gate --remove --sign-key ~/.ssh/id_ed25519",
		Args: takes(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.install && o.remove {
				return exit.Fail(exit.Usage, "--install and --remove exclude each other")
			}
			dir, err := fabricFolder(a, cmd, args)
			if err != nil {
				return err
			}
			return gate(cmd.Context(), a, dir, o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.install, "install", false, "put the gate on the devices, in place of an older one")
	f.BoolVar(&o.remove, "remove", false, "take the gate away from the devices")
	gatesFlag(cmd, &o.folder)
	approveFlag(cmd, &o.yes, "install or remove without asking")
	sudoFlag(a, cmd)
	targetFlag(a, cmd, &o.only)
	return cmd
}

// gatesFlag adds the flag that names the folder of the gates.
func gatesFlag(cmd *cobra.Command, folder *string) {
	cmd.Flags().StringVar(folder, "gates", "", "`folder` with rocec-txn-amd64, rocec-txn-arm64 and rocec-txn-armhf; by default that of rocec")
}

// gate lists the gates of devices, and changes them.
func gate(ctx context.Context, a *app, dir string, o gateOptions) (err error) {
	_, devices, err := a.Open(dir, o.only, "")
	if err != nil {
		return err
	}
	defer devices.Close(&err)
	plan := devices.Compare(ctx)
	if ctx.Err() != nil {
		return exit.Fail(exit.Interrupted, "interrupted; nothing was changed")
	}
	var wanted []*deploy.DevicePlan
	unread := 0
	for _, p := range plan.Devices {
		if p.Err != nil && p.Status == deploy.StatusUnreachable {
			unread++
			printGate(a, p, string(p.Status)+": "+p.Err.Detail)
			continue
		}
		printGate(a, p, view.GateText(p))
		if o.install || p.Gate != nil {
			wanted = append(wanted, p)
		}
	}
	change, done := func(p *deploy.DevicePlan) *deploy.Error { return devices.PutGate(ctx, p, session.GateFiles(o.folder)) }, "gate installed"
	switch {
	case !o.install && !o.remove || len(wanted) == 0:
		return unreadable(unread)
	case o.remove:
		done = "gate removed"
	}
	if !o.yes {
		verb := "Install the gate on"
		if o.remove {
			verb = "Remove the gate from"
		}
		if err := a.Ask(ctx, fmt.Sprintf("%s %s?", verb, diag.Count(len(wanted), "device")), "yes"); err != nil {
			return err
		}
	}
	if o.remove {
		if change, err = devices.TakeGates(ctx, wanted); err != nil {
			return err
		}
	}
	failed := false
	for i, err := range session.EachGate(wanted, change) {
		text := done
		if err != nil {
			failed, text = true, err.Detail
		}
		printGate(a, wanted[i], text)
	}
	if failed {
		return exit.With(exit.Incomplete)
	}
	return unreadable(unread)
}

func printGate(a *app, p *deploy.DevicePlan, text string) {
	fmt.Fprintf(a.Stdout, "%s  %s\n", diag.Paint(a.Paints(a.Stdout), diag.Bold, p.Device.Name), text)
}

// unreadable returns the error for devices that do not answer, if there are any.
func unreadable(devices int) error {
	if devices > 0 {
		return exit.With(exit.Machines)
	}
	return nil
}
