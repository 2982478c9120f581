package main

import (
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/view/facts"
	"github.com/rocec/rocec/cmd/internal/view/trace"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/validate"
	"github.com/rocec/rocec/validate/walk"
)

// traceOptions are the flags of trace.
type traceOptions struct {
	intent, format string
	down, from     []string
	all            bool
}

func traceCommand(a *app) *cobra.Command {
	var o traceOptions
	cmd := &cobra.Command{
		Use:   "trace [DIR] A B | trace --from SOURCE A B",
		Short: "follow a packet from one host to another, hop by hop",
		Long: "Trace follows the packets of an intent from host A to host B, and the congestion notifications back. For every hop of every\n" +
			"path it prints the field that decides, the cos group, the pauses, the headroom, the queue and the marking. Equal hops, and equal\n" +
			"pairs of interfaces of the two hosts, are printed once; --all shows each. A and B are hosts (gpu001) or interfaces of hosts\n" +
			"(gpu001:ens1f0).\n\n" +
			"A hop has the findings of validate about it, with the same code, text and place. If one breaks losslessness, trace names the\n" +
			"first, and exits with 1. Findings that a comment silences (rocec:ignore) are counted, listed with -v, and do not change the exit\n" +
			"status.\n\n" +
			"--from follows the packets through the network of collected files, with the settings in these files, and the cables and routing\n" +
			"that rocec audit finds. The exit status is also 1 if the files do not suffice for a verdict.",
		Example: "  rocec trace gpu001 gpu002\n" +
			"  rocec trace --from site.tar.gz gpu001 gpu002",
		Args: takes(2, 3),
		ValidArgsFunction: func(_ *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				if info, err := os.Stat(args[0]); err == nil && info.IsDir() {
					return a.completePorts(args[0], word)
				}
			}
			return a.completePorts(a.Here(), word)
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if err := exit.Choice("format", o.format, "text", "json"); err != nil {
				return err
			}
			dir, err := a.Folder(args[:len(args)-2])
			if err == nil {
				err = besideFrom(o.from, len(args) > 2 || a.Dir != "")
			}
			if err != nil {
				return err
			}
			return a.trace(dir, args[len(args)-2], args[len(args)-1], o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.intent, "intent", "", "only the packets of the roce block with this `name`")
	f.StringArrayVar(&o.down, "down", nil, "trace with the links at these `ports` down, such as leaf1:swp3; repeatable")
	f.BoolVar(&o.all, "all", false, "show every device and every pair of interfaces, also equal ones")
	f.StringVar(&o.format, "format", "text", "text or json")
	fromFlag(cmd, &o.from)
	return cmd
}

func (a *app) trace(dir, from, to string, o traceOptions) error {
	f, err := sites(a).Load(a.Ctx, dir, o.from)
	if err != nil {
		return err
	}
	q := walk.Question{Fabric: f.Fabric, Unfold: o.all, State: ir.State{Budget: a.Steps()}, Settings: &f.Set}
	if q.State.Down, err = facts.FindLinks(f.Fabric, o.down); err != nil {
		return err
	}
	questions, err := facts.FindTrips(f.Fabric, from, to, o.intent)
	if err != nil {
		return err
	}
	says := trace.New(f.Report)
	var traces []*walk.Trace
	for _, trip := range questions {
		q.Intent, q.From, q.To = trip.Intent, trip.From, trip.To
		t, err := walk.Run(q)
		if err != nil {
			return exit.Fail(exit.Errors, "the path of the packets of %q is unknown: %s", q.Intent.Name, validate.RoutingText(err))
		}
		if says.Unset(t); f.Part != nil {
			trace.JudgeFiles(says, t, f)
		}
		traces = append(traces, t)
	}
	if o.format == "json" {
		err = a.WriteJSON(says.JSON(from, to, q.State.Down, traces, f.Assumed()))
	} else {
		says.Text(a.Screen(), a.Verbose, q.State.Down, says.Fold(traces, o.all))
		printAssumed(a, f)
	}
	open := func(t *walk.Trace) bool { return says.Breaks(t) || trace.Unproven(says, t) }
	if err == nil && slices.ContainsFunc(traces, open) {
		return exit.With(exit.Errors)
	}
	return err
}
