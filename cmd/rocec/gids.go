package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/target"
)

func gidsCommand(a *app) *cobra.Command {
	var o gidsOptions
	cmd := &cobra.Command{
		Use:   "gids [HOST…]",
		Short: "print the GID tables of hosts, and the index each intent must use",
		Long: "Gids reads the GID tables of the hosts' RDMA devices (all hosts of the fabric, where none is named) and changes nothing. For\n" +
			"every intent of a NIC it says which index connections must be made with: the one of the intent's version, on the interface\n" +
			"of its VLAN, with the address that the fabric states. It prints the settings for NCCL, UCX and perftest. A link-local GID\n" +
			"never fits.",
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return a.completeDevices(a.Here())
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := exit.Choice("format", o.format, "text", "json"); err != nil {
				return err
			}
			if err := o.ReadOptions.Check(); err != nil {
				return err
			}
			return a.gids(cmd.Context(), args, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "text", "text or json")
	labFlags(cmd, &o.lab)
	readFlags(cmd, &o.ReadOptions)
	sudoFlag(a, cmd)
	targetFlag(a, cmd, &o.only)
	return cmd
}

type gidsOptions struct {
	session.ReadOptions
	format string
	lab    session.LabFlag
	only   []string
}

func (a *app) gids(ctx context.Context, names []string, o gidsOptions) (err error) {
	f, devices, err := a.Open(a.Here(), slices.Concat(o.only, names), o.lab)
	if err != nil {
		return err
	}
	defer devices.Close(&err)
	ask := &target.Tree{}
	var answers []*nic.GIDTable // by device; nil: it did not answer
	for _, d := range devices.Tree.Devices {
		if d.Role != target.Host {
			continue
		}
		at := len(answers)
		answers = append(answers, nil)
		asked := *d
		asked.Files = nil
		asked.Probes = []target.Probe{{Name: "GIDs", Query: nic.GIDQuery(d.Source.Host.NICs), Judge: func(answer []byte) []string {
			answers[at] = nic.ReadGIDs(answer)
			return nil
		}}}
		ask.Devices = append(ask.Devices, &asked)
	}
	if len(ask.Devices) == 0 {
		return exit.Fail(exit.Usage, "no host is left to read: switches have no GIDs")
	}
	read, end := a.Reading()
	o.Limit(&read)
	read.Probes = rollout.Every
	have := rollout.Observe(ctx, devices.Dial, ask, read)
	end()
	if ctx.Err() != nil {
		return exit.Fail(exit.Interrupted, "interrupted")
	}
	doc := view.GIDsJSON(f.Fabric, deploy.Diff(ask, have), have.Devices, answers)
	if o.format == "json" {
		if err := a.WriteJSON(doc); err != nil {
			return err
		}
	} else {
		a.Screen().GIDs(doc)
		if text := deploy.ByHand(f.Fabric); text != "" {
			fmt.Fprintf(a.Stdout, "%s.\n", text)
		}
	}
	switch {
	case doc.Unread():
		return exit.With(exit.Machines)
	case !doc.Good:
		return exit.With(exit.Errors)
	}
	return nil
}
