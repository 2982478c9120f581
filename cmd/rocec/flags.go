package main

import (
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/cmd/internal/sitefrom"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/compiler/change"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/deploy/sequence"
)

// labFlags adds --lab to a verb.
func labFlags(cmd *cobra.Command, to *session.LabFlag) {
	f := cmd.Flags().VarPF(to, "lab", "", "simulate every device in the process, kept in a folder (auto: below your cache; "+
		"new: not kept)")
	f.NoOptDefVal = session.LabKept
}

// fromFlag adds --from to a verb that shows a network.
func fromFlag(cmd *cobra.Command, to *[]string) {
	cmd.Flags().StringArrayVar(to, "from", nil, "use the network of collected files instead of a fabric: a `source` as for audit, or a "+
		"cabling file; repeatable")
}

// besideFrom refuses --from together with a fabric's folder or --device-config.
func besideFrom(from []string, named bool) error {
	if from != nil && named {
		return exit.Fail(exit.Usage, "--from replaces the fabric: leave out DIR and --device-config")
	}
	return nil
}

// printAssumed prints the assumptions about a network that was derived from files.
func printAssumed(a *app, n *sitefrom.Network) {
	for i, c := range n.Assumed() {
		if i == 0 {
			fmt.Fprintln(a.Stdout)
		}
		a.Screen().Prose("assumed: ", diag.Escape(c))
	}
}

// freshLab refuses "--lab new", unless a file or folder has the name new: the parser reads it as --lab and the argument new.
func freshLab(cmd *cobra.Command, args []string) error {
	flag := cmd.Flags().Lookup("lab")
	if flag == nil || flag.Value.String() != session.LabKept || !slices.Contains(args, session.LabFresh) {
		return nil
	}
	if _, err := os.Lstat(session.LabFresh); err == nil {
		return nil
	}
	return exit.Fail(exit.Usage, "--lab %[1]s means --lab with %[1]s as the next argument. For a lab that is not kept write --lab=%[1]s",
		session.LabFresh)
}

// readFlags adds the flags of verbs that read devices.
func readFlags(cmd *cobra.Command, o *session.ReadOptions) {
	cmd.Flags().IntVar(&o.Parallel, "parallel", rollout.ReadAtOnce, "devices read at the same time")
	cmd.Flags().DurationVar(&o.Timeout, "timeout", max(o.Timeout, time.Minute), "the time limit for reading one device, as a `duration`")
}

// sudoFlag adds --ask-sudo-password to a verb that reaches devices.
func sudoFlag(a *app, cmd *cobra.Command) {
	cmd.Flags().BoolVar(&a.AskSudo, "ask-sudo-password", false, "ask once for the password of sudo on the devices")
}

// targetFlag adds --target to a verb.
func targetFlag(a *app, cmd *cobra.Command, only *[]string) {
	cmd.Flags().StringArrayVar(only, "target", nil, "only these devices: `names`, nodesets, globs or groups (switch.leaf); !x leaves x "+
		"out; repeatable")
	complete := func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		return a.completeNamed(args)
	}
	cmd.RegisterFlagCompletionFunc("target", complete) //nolint:errcheck // the flag was added just now
}

func adoptFlag(cmd *cobra.Command, adopt *bool) {
	cmd.Flags().BoolVar(adopt, "adopt-derived", false, "also write devices that would change only because rocec has changed")
	cmd.Flags().Bool("only-intent", false, "")
	_ = cmd.Flags().MarkDeprecated("only-intent", "it is the default unless --adopt-derived is given") // the flag was added just now
}

// trustFlag adds --assume-peer-ready to a verb that plans.
func trustFlag(cmd *cobra.Command, trust *bool) {
	cmd.Flags().BoolVar(trust, "assume-peer-ready", false,
		"enable PFC even if the peer cannot be read; you have checked that PFC is on there")
}

// trustFabricFlag adds --skip-cabling-check to a verb that plans.
func trustFabricFlag(cmd *cobra.Command, trust *bool) {
	cmd.Flags().BoolVar(trust, "skip-cabling-check", false,
		"change devices even if their cables or ports differ from the fabric; you have checked that this is safe")
}

// acceptFlag adds --accept-unverified to a verb that changes devices.
func acceptFlag(cmd *cobra.Command, accept *bool) {
	cmd.Flags().BoolVar(accept, "accept-unverified", false,
		"change real devices even if no user has reported on their kind; rocec knows it only from public documents")
}

// approveFlag adds -y to a verb that asks.
func approveFlag(cmd *cobra.Command, approve *bool, means string) {
	cmd.Flags().BoolVarP(approve, "auto-approve", "y", false, means)
}

// viewFlags adds the flags of every verb that shows a plan.
func viewFlags(cmd *cobra.Command, o *view.Options) {
	cmd.Flags().BoolVar(&o.Diff, "diff", false, "show whole-text diffs instead of keys")
	cmd.Flags().BoolVar(&o.Expand, "expand", false, "show every device separately, also those with the same changes, and every key")
	cmd.Flags().BoolVar(&o.Notes, "notes", false, "show the notes about devices, and the evidence that their settings work")
}

// leadFlags adds the flags of every verb that changes devices.
func leadFlags(cmd *cobra.Command, o *session.ChangeOptions) {
	f := cmd.Flags()
	approveFlag(cmd, &o.Approve, "do not ask")
	f.IntVar(&o.Parallel, "parallel", session.DefaultParallel, "devices changed at the same time")
	f.IntVar(&o.MaxFailures, "max-failures", 0, "number of devices that may fail; after more failures no further device starts")
	f.DurationVar(&o.Hold, "confirm", 0, "after its change, a device waits for this `duration`, and then undoes the change by itself "+
		"unless rocec confirm keeps it")
	f.DurationVar(&o.Soak, "soak", 0, "how long a device must work before its change is kept (default: depends on the change, "+
		"30s where ports reset, 5s elsewhere, 1s in the lab)")
	f.StringVar(&o.OnFailure, "on-failure", string(rollout.UndoWave), "what to do with the other devices when too many fail: undo-wave "+
		"(those of the same wave go back), stop (all keep the change), or undo-all (all go back, the last wave first)")
	f.StringVar(&o.Anomaly, "on-anomaly", string(rollout.AnomalyStop), "what to do if counters rise far faster after a wave than before it: "+
		"stop (ask on a terminal), ignore, or undo (the wave goes back)")
	f.StringArrayVar(&o.Drain, "drain", nil, "a `program` that drains the devices of a wave before the wave begins, with their names in "+
		"$ROCEC_DEVICES; repeat the flag for each of its arguments")
	f.StringArrayVar(&o.Undrain, "undrain", nil, "a `program` that puts traffic back after the wave, even if the wave failed; "+
		"repeat the flag for each of its arguments")
	f.DurationVar(&o.HookTime, "hook-timeout", session.HookTime, "time limit of --drain, and of --undrain")
	f.StringVarP(&o.Message, "message", "m", "", "the reason for the change, for rocec runs")
	f.BoolVar(&o.Alone, "alone", false, "go on even if a switch cannot carry the mark of this run; you know that no other run is "+
		"under way, "+
		"and -m states how")
	viewFlags(cmd, &o.Options)
	labFlags(cmd, &o.Lab)
	f.StringVar(&o.Format, "format", "text", "text, or json: one object a line")
	offer(cmd, "on-failure", string(rollout.UndoWave), string(rollout.Stop), string(rollout.UndoAll))
	offer(cmd, "on-anomaly", string(rollout.AnomalyStop), string(rollout.AnomalyIgnore), string(rollout.AnomalyUndo))
}

// orderOptions are the flags that limit which devices may be away together.
type orderOptions struct {
	minCapacity, maxDark int
	noCanary             bool
	darkSet              func() bool
	given                func() bool         // --max-dark or --min-capacity was given
	budget               func() *ir.Budget   // step limit of a proof; nil: the default
	away                 map[*ir.Device]bool // left out by --max-failures: the limits do not protect them
}

// defaultCapacity is the percentage of capacity that paths keep.
const defaultCapacity = 50

// ruleFlags adds the flags that bound an order.
func (o *orderOptions) ruleFlags(a *app, cmd *cobra.Command) {
	f := cmd.Flags()
	o.darkSet = func() bool { return f.Changed("max-dark") }
	o.given = func() bool { return f.Changed("max-dark") || f.Changed("min-capacity") }
	o.budget = a.Steps
	f.IntVar(&o.minCapacity, "min-capacity", defaultCapacity, "percent of its capacity in the fabric that every path between hosts keeps "+
		"while "+
		"devices restart; with 0, hosts may also be cut off from each other")
	f.IntVar(&o.maxDark, "max-dark", 0, "`hosts` that may be without a link at the same time, at least 1; hosts that are changed "+
		"count "+
		"(default: the hosts of one switch, and every host that is changed)")
}

// orderFlags adds the flags of an order of changes.
func (o *orderOptions) orderFlags(a *app, cmd *cobra.Command) {
	o.ruleFlags(a, cmd)
	cmd.Flags().BoolVar(&o.noCanary, "no-canary", false,
		"do not change one device of every kind alone first if the change disrupts traffic")
}

func (o *orderOptions) check() error {
	if o.minCapacity < 0 || o.minCapacity > 100 || o.maxDark < 0 || o.maxDark == 0 && o.darkSet() {
		return exit.Fail(exit.Usage, "--min-capacity is a percentage from 0 to 100, and --max-dark at least 1 host")
	}
	return nil
}

// rules returns the rules that the flags state. parallel is the number of devices changed at once. soak is how long each device must
// work; nil: the time depends on its steps.
func (o *orderOptions) rules(parallel int, soak *time.Duration) sequence.Rules {
	return sequence.Rules{
		Rules: change.Rules{MinCapacity: o.minCapacity, MaxDark: o.maxDark, Parallel: parallel, Canary: !o.noCanary},
		Soak:  soak, Away: o.away, Budget: o.budget,
	}
}

// runFlags adds the flags of the verbs that go on with a run.
func runFlags(a *app, cmd *cobra.Command, o *session.RunOptions) {
	cmd.Flags().StringVar(&o.Format, "format", "text", "text, or json: one object a line")
	cmd.Flags().IntVar(&o.Parallel, "parallel", 8, "devices changed at the same time")
	cmd.Flags().StringArrayVar(&o.Hooks.Undrain, "undrain", nil, "the `program` that the run had as --undrain, to put traffic back on "+
		"devices that it "+
		"drained; repeat the flag for each of its arguments")
	cmd.Flags().DurationVar(&o.Hooks.Timeout, "hook-timeout", session.HookTime, "the time limit of --undrain")
	labFlags(cmd, &o.Lab)
	sudoFlag(a, cmd)
	targetFlag(a, cmd, &o.Only)
}
