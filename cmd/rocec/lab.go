package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/collect"
	"github.com/rocec/rocec/cmd/internal/devicefiles"
	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy/lab"
)

// labOptions names the lab on which a verb of rocec lab acts.
type labOptions struct {
	which session.LabFlag
}

func labCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lab",
		Short: "act on the kept devices of a lab by hand, as people and accidents do on real ones",
		Long: "The devices of --lab are kept between commands. These verbs act on them as people and accidents do on real devices, to\n" +
			"rehearse drift, a failed change and a rollback. Between commands the clocks of the devices stop; `rocec lab exec DEVICE sleep 600`\n" +
			"lets ten minutes pass on a device.",
		Example: "  rocec apply --lab\n" +
			"  rocec lab exec leaf01 hostname\n" +
			"  rocec lab unplug leaf01 swp1",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		labOn(a, "exec DEVICE COMMAND...", "run a command on a device, as its login user over SSH", "rocec lab exec leaf01 hostname",
			func(ctx context.Context, l *lab.Lab, _ *ir.Fabric, args []string) error {
				return labSession(ctx, a.Person, l, args[0], strings.Join(args[1:], " "))
			}),
		labOn(a, "ssh DEVICE", "log in to a device; without a terminal, commands come from stdin", "rocec lab ssh leaf01",
			func(ctx context.Context, l *lab.Lab, _ *ir.Fabric, args []string) error {
				return labSession(ctx, a.Person, l, args[0], "")
			}),
		labOn(a, "reboot DEVICE", "restart a device", "rocec lab reboot leaf01",
			labRestart(a.Person, (*lab.Device).Reboot)),
		labOn(a, "cut DEVICE", "cut the power of a device, and restore it", "rocec lab cut leaf01",
			labRestart(a.Person, (*lab.Device).PowerCut)),
		labOn(a, "unplug DEVICE PORT", "pull the cable out of a port; both ends lose their link", "rocec lab unplug leaf01 swp1",
			func(_ context.Context, l *lab.Lab, f *ir.Fabric, args []string) error {
				return labCable(l, f, args[0], args[1], false)
			}),
		labOn(a, "plug DEVICE PORT", "plug the cable of a port in again", "rocec lab plug leaf01 swp1",
			func(_ context.Context, l *lab.Lab, f *ir.Fabric, args []string) error {
				return labCable(l, f, args[0], args[1], true)
			}),
		labLoadCommand(a),
		labResetCommand(a),
	)
	return cmd
}

// labOn returns a verb that needs a device, and more arguments if its usage has some.
func labOn(a *app, use, short, example string, run func(context.Context, *lab.Lab, *ir.Fabric, []string) error) *cobra.Command {
	var o labOptions
	words := len(strings.Fields(use)) - 1
	cmd := &cobra.Command{
		Use: use, Short: short, Example: "  " + example, Args: takes(words, words),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			dir := a.Here()
			f, err := a.LoadQuiet(dir)
			if err != nil {
				return err
			}
			l, err := a.StartLab(dir, f.Tree(), o.which)
			if err != nil {
				return err
			}
			defer func() {
				if end := l.Close(); end != nil && err == nil {
					err = exit.Fail(exit.Machines, "the lab could not be kept: %v", end)
				}
			}()
			return run(cmd.Context(), l, f.Fabric, args)
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return a.completeDevice(a.Here())
		},
	}
	if words > 1 {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			verb := cmd.CommandPath()
			switch {
			case len(args) == 1 && cmd.Name() == "exec":
				return exit.Fail(exit.Usage, "%s %s: the command is missing: %s; to log in: %s", verb, args[0],
					diag.Command(verb, diag.Arg("DEVICE", args[0]), diag.Kind("COMMAND")), diag.Rocec("lab ssh", diag.Arg("DEVICE", args[0])))
			case len(args) == 1:
				return exit.Fail(exit.Usage, "%s %s: the port is missing: %s", verb, args[0],
					diag.Command(verb, diag.Arg("DEVICE", args[0]), diag.Kind("PORT")))
			}
			return takes(words, math.MaxInt)(cmd, args)
		}
		cmd.Flags().SetInterspersed(false) // flags after the device belong to the command
	}
	labWhich(a, cmd, &o)
	return cmd
}

func labWhich(a *app, cmd *cobra.Command, o *labOptions) {
	o.which = session.LabKept
	labFlags(cmd, &o.which)
}

// labSession runs a command or a shell on a device, and returns its exit status.
func labSession(ctx context.Context, p *person.Person, l *lab.Lab, device, cmd string) error {
	_, in := person.Terminal(p.Stdin)
	_, out := person.Terminal(p.Stdout)
	status, err := l.Session(ctx, device, cmd, cmd == "" && in && out, p.Stdin, p.Stdout, p.Stderr)
	switch {
	case errors.Is(err, context.Canceled):
		return exit.Fail(exit.Interrupted, "interrupted")
	case err != nil:
		return exit.Fail(exit.Machines, "%v", err)
	case status != 0:
		return exit.With(status)
	}
	return nil
}

// labCable plugs in or pulls out the cable of a port. It changes both ends, if the lab has their devices.
func labCable(l *lab.Lab, f *ir.Fabric, device, port string, up bool) error {
	for _, link := range f.Links {
		for _, end := range []*ir.Port{link.A(), link.B()} {
			if end.Device().Name != device || end.Name != port {
				continue
			}
			for _, p := range []*ir.Port{end, end.Peer()} {
				if d, err := l.Find(p.Device().Name); err == nil { // the lab has no devices that are set by hand
					d.SetLink(p.Name, up)
				}
			}
			return nil
		}
	}
	return exit.Fail(exit.Usage, "the fabric has no cable at %s:%s", diag.Escape(device), diag.Escape(port))
}

func labRestart(p *person.Person, restart func(*lab.Device)) func(context.Context, *lab.Lab, *ir.Fabric, []string) error {
	return func(_ context.Context, l *lab.Lab, _ *ir.Fabric, args []string) error {
		d, err := l.Find(args[0])
		if err != nil {
			return exit.Fail(exit.Machines, "%v", err)
		}
		restart(d)
		if !p.Quiet {
			fmt.Fprintf(p.Stderr, "%s has started again\n", args[0])
		}
		return nil
	}
}

func labLoadCommand(a *app) *cobra.Command {
	cmd := labOn(a, "load SOURCE", "load collected configurations of switches into the switches of the lab", "rocec lab load site.tar.gz",
		func(_ context.Context, l *lab.Lab, f *ir.Fabric, args []string) error {
			read, err := devicefiles.Read(args)
			if err != nil {
				return err
			}
			on, lines := collect.LoadLab(l, f, read.Files)
			if !a.Quiet {
				lines = append(on, lines...)
			}
			for _, line := range lines {
				fmt.Fprintln(a.Stderr, line)
			}
			if len(on) == 0 {
				return exit.Fail(exit.Errors, "the source has no configuration of a switch of this fabric")
			}
			return nil
		})
	cmd.ValidArgsFunction = nil
	return cmd
}

func labResetCommand(a *app) *cobra.Command {
	var o labOptions
	var devices []string
	cmd := &cobra.Command{
		Use:   "reset [DIR]",
		Short: "reset all devices of a lab, or some of them, to new devices",
		Long: "Reset replaces every device of a lab with a new device. With --device it replaces one device, as if its system was installed\n" +
			"again: at its next use the device has the release that the fabric states.",
		Example: "  rocec lab reset\n" +
			"  rocec lab reset --device leaf01",
		Args: takes(0, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			fabric, err := a.Folder(args)
			if err != nil {
				return err
			}
			dir, err := o.which.Folder(fabric)
			if err != nil {
				return err
			}
			if dir == "" {
				return exit.Fail(exit.Usage, "--lab=new keeps nothing, so there is nothing to reset")
			}
			for _, name := range devices {
				if !filepath.IsLocal(name) || filepath.Base(name) != name {
					return exit.Fail(exit.Usage, "%q is not the name of a device", diag.Escape(name))
				}
			}
			if err := session.CheckLabs(dir); err != nil {
				return err
			}
			if err := lab.Reset(dir, a.Owner(), devices...); err != nil {
				return session.LabError(err)
			}
			if !a.Quiet {
				if len(devices) > 0 {
					fmt.Fprintf(a.Stderr, "new in the lab in %s: %s\n", dir, diag.And(devices))
					return nil
				}
				fmt.Fprintf(a.Stderr, "the devices of the lab in %s are new\n", dir)
			}
			return nil
		},
	}
	labWhich(a, cmd, &o)
	cmd.Flags().StringArrayVar(&devices, "device", nil, "reset only this `device`; repeatable")
	return cmd
}
