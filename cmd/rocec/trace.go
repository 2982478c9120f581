package main

import (
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/view/facts"
	"github.com/rocec/rocec/cmd/internal/view/trace"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/validate"
	"github.com/rocec/rocec/validate/walk"
)

// traceOptions are the flags of trace.
type traceOptions struct {
	intent, format string
	down           []string
	all            bool
}

func traceCommand(a *app) *cobra.Command {
	var o traceOptions
	cmd := &cobra.Command{
		Use:   "trace [DIR] A B",
		Short: "what happens to a packet from one host to another, hop by hop",
		Long: "Trace follows the packets of an intent from host A to host B, and the congestion notifications\n" +
			"back: at every hop of every way the field that decides, the cos group, the pauses, the headroom,\n" +
			"the queue and the marking. Hops that are alike are one, and so are pairs of interfaces of the two\n" +
			"hosts; --all shows each. A and B are hosts (gpu001) or interfaces of hosts (gpu001:ens1f0).\n\n" +
			"What is wrong at a hop is what validate finds there: the same code, words and place. The first hop\n" +
			"that breaks losslessness is named, and makes the exit status 1. Findings that a comment silences\n" +
			"(rocec:ignore) are counted, listed with -v, and do not make it 1.",
		Example: "  rocec trace gpu001 gpu002",
		Args:    takes(2, 3),
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
	return cmd
}

func (a *app) trace(dir, from, to string, o traceOptions) error {
	f, err := a.Load(dir)
	if err != nil {
		return err
	}
	if f.Fabric == nil {
		a.PrintDiagnostics(a.Stderr, f)
		return exit.With(exit.Errors)
	}
	a.MentionErrors(f)
	q := walk.Question{Fabric: f.Fabric, Unfold: o.all, State: ir.State{Budget: a.Steps()}, Settings: &walk.Settings{}}
	if q.State.Down, err = findLinks(f.Fabric, o.down); err != nil {
		return err
	}
	questions, err := findTrips(f.Fabric, from, to, o.intent)
	if err != nil {
		return err
	}
	says := trace.New(f)
	var traces []*walk.Trace
	for _, trip := range questions {
		q.Intent, q.From, q.To = trip.Intent, trip.From, trip.To
		t, err := walk.Run(q)
		if err != nil {
			return exit.Fail(exit.Errors, "where the packets of %q go is not known: %s", q.Intent.Name, validate.RoutingText(err))
		}
		says.Unset(t)
		traces = append(traces, t)
	}
	if o.format == "json" {
		err = a.WriteJSON(says.JSON(from, to, q.State.Down, traces))
	} else {
		says.Text(a.Screen(), a.Verbose, q.State.Down, says.Fold(traces, o.all))
	}
	if err == nil && slices.ContainsFunc(traces, says.Breaks) {
		return exit.With(exit.Errors)
	}
	return err
}

// findLinks returns the links that ports name, each once.
func findLinks(f *ir.Fabric, exprs []string) ([]*ir.Link, error) {
	var out []*ir.Link
	for _, expr := range exprs {
		set, bad := nodeset.Parse(expr, nodeset.Endpoints)
		if len(bad) > 0 {
			return nil, exit.Fail(exit.Usage, "--down %s: %s", expr, bad[0].Message)
		}
		if set.Len() > len(f.Ports) {
			return nil, exit.Fail(exit.Usage, "--down %s: those are more ports than the fabric has", expr)
		}
		for n := range set.All() {
			d, err := facts.FindDevice(f, n.Device)
			if err != nil {
				return nil, err
			}
			p, err := facts.FindPort(d, n.Interface)
			if err != nil {
				return nil, err
			}
			if !slices.Contains(out, p.Link()) {
				out = append(out, p.Link())
			}
		}
	}
	return out, nil
}

// findTrips returns what is to be traced from one host, or interface, to another: every intent both are members of,
// from each NIC of the one to each of the other.
func findTrips(f *ir.Fabric, from, to, intent string) ([]walk.Question, error) {
	a, aNIC, err := findEnd(f, from)
	if err != nil {
		return nil, err
	}
	b, bNIC, err := findEnd(f, to)
	if err != nil {
		return nil, err
	}
	if intent != "" {
		var names []string
		for _, in := range f.Intents {
			names = append(names, in.Name)
		}
		if !slices.Contains(names, intent) {
			return nil, exit.Fail(exit.Usage, "the fabric has no roce block %q.%s", intent, diag.DidYouMean(intent, names))
		}
	}
	var out []walk.Question
	for _, in := range f.Intents {
		if intent != "" && in.Name != intent {
			continue
		}
		for _, x := range walk.Ends(in, a, aNIC) {
			for _, y := range walk.Ends(in, b, bNIC) {
				if x[0] != y[0] {
					out = append(out, walk.Question{Intent: in, From: x, To: y})
				}
			}
		}
	}
	if len(out) > 0 {
		return out, nil
	}
	common := "an intent"
	if intent != "" {
		common = "the intent \"" + intent + "\""
	}
	if from == to {
		return nil, exit.Fail(exit.Usage, "%s is both ends; name two hosts, or two interfaces that are members of %s", from, common)
	}
	return nil, exit.Fail(exit.Usage, "%s and %s are not cabled members of %s together, so no RoCE packet goes from the one to the "+
		"other: %s; %s", from, to, common, memberships(f, a, aNIC), memberships(f, b, bNIC))
}

// findEnd returns the host that an end names, and the name of the interface if there is one.
func findEnd(f *ir.Fabric, end string) (*ir.Device, string, error) {
	name, nic, named := strings.Cut(end, ":")
	d, err := facts.FindDevice(f, name)
	if err != nil {
		return nil, "", err
	}
	if d.Host == nil {
		return nil, "", exit.Fail(exit.Usage, "%s is a switch; packets are traced from host to host", d.Name)
	}
	if !named {
		return d, "", nil
	}
	var names []string
	for _, n := range d.Host.NICs {
		names = append(names, n.Name)
	}
	for _, b := range d.Host.Bonds {
		names = append(names, b.Name)
	}
	if !slices.Contains(names, nic) {
		return nil, "", exit.Fail(exit.Usage, "%s has no interface %q.%s", d.Name, nic, diag.DidYouMean(nic, names))
	}
	return d, nic, nil
}

// memberships says which intents a host, or one interface of it, is a member of.
func memberships(f *ir.Fabric, d *ir.Device, nic string) string {
	var of []string
	cabled := false
	for _, in := range f.Intents {
		is := false
		for _, m := range in.Members {
			if n := m.NIC; n.Device == d && (nic == "" || n.Name == nic || n.Bond != nil && n.Bond.Name == nic) {
				is = true
				cabled = cabled || n.Port != nil
			}
		}
		if is {
			of = append(of, in.Name)
		}
	}
	name := d.Name
	if nic != "" {
		name += ":" + nic
	}
	switch {
	case len(of) == 0:
		return name + " is a member of none"
	case !cabled:
		return name + " is a member of " + strings.Join(of, ", ") + ", and not cabled"
	}
	return name + " is a member of " + strings.Join(of, ", ")
}
