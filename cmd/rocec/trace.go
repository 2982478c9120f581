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
		Short: "what happens to a packet from one host to another, hop by hop",
		Long: "Trace follows the packets of an intent from host A to host B, and the congestion notifications\n" +
			"back: at every hop of every way the field that decides, the cos group, the pauses, the headroom,\n" +
			"the queue and the marking. Hops that are alike are one, and so are pairs of interfaces of the two\n" +
			"hosts; --all shows each. A and B are hosts (gpu001) or interfaces of hosts (gpu001:ens1f0).\n\n" +
			"What is wrong at a hop is what validate finds there: the same code, words and place. The first hop\n" +
			"that breaks losslessness is named, and makes the exit status 1. Findings that a comment silences\n" +
			"(rocec:ignore) are counted, listed with -v, and do not make it 1.\n\n" +
			"--from follows the packets through the network of collected files: devices are set as their files state, and cables\n" +
			"and routing are those that rocec audit finds. Files that leave a verdict open make the exit status 1, too.",
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
	f.StringVar(&o.intent, "intent", "", "only the packets of this roce block, by `name`")
	f.StringArrayVar(&o.down, "down", nil, "trace with the links at these `ports` down, such as leaf1:swp3; repeatable")
	f.BoolVar(&o.all, "all", false, "show every device and every pair of interfaces, also those that are alike")
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
			return exit.Fail(exit.Errors, "where the packets of %q go is not known: %s", q.Intent.Name, validate.RoutingText(err))
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
