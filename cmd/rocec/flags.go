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
	cmd.Flags().StringArrayVar(to, "from", nil, "the network of collected files in the place of a fabric: a `source` as for audit, or a "+
		"cabling file; repeatable")
}

// besideFrom refuses the folder of a fabric, or files beside it, with --from.
func besideFrom(from []string, named bool) error {
	if from != nil && named {
		return exit.Fail(exit.Usage, "--from is a network without a fabric: leave out DIR and --device-config")
	}
	return nil
}

// printAssumed prints the conditions under which a network by its files is as shown.
func printAssumed(a *app, n *sitefrom.Network) {
	for i, c := range n.Assumed() {
		if i == 0 {
			fmt.Fprintln(a.Stdout)
		}
		a.Screen().Prose("assumed: ", diag.Escape(c))
	}
}

// freshLab refuses "--lab new", which the parser reads as --lab and the argument new, unless a file or folder has that name.
func freshLab(cmd *cobra.Command, args []string) error {
	flag := cmd.Flags().Lookup("lab")
	if flag == nil || flag.Value.String() != session.LabKept || !slices.Contains(args, session.LabFresh) {
		return nil
	}
	if _, err := os.Lstat(session.LabFresh); err == nil {
		return nil
	}
	return exit.Fail(exit.Usage, "--lab %[1]s is --lab, and then the name %[1]s. For a lab that is not kept write --lab=%[1]s",
		session.LabFresh)
}

// readFlags adds the flags of verbs that read devices.
func readFlags(cmd *cobra.Command, o *session.ReadOptions) {
	cmd.Flags().IntVar(&o.Parallel, "parallel", rollout.ReadAtOnce, "devices read at the same time")
	cmd.Flags().DurationVar(&o.Timeout, "timeout", max(o.Timeout, time.Minute), "how long one device may take to be read, as a `duration`")
}

// sudoFlag adds --ask-sudo-password to a verb that reaches devices.
func sudoFlag(a *app, cmd *cobra.Command) {
	cmd.Flags().BoolVar(&a.AskSudo, "ask-sudo-password", false, "ask once for the password that sudo wants on the devices")
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
	_ = cmd.Flags().MarkDeprecated("only-intent", "as it is the default until --adopt-derived is given") // it was added just now
}

// trustFlag adds --assume-peer-ready to a verb that plans.
func trustFlag(cmd *cobra.Command, trust *bool) {
	cmd.Flags().BoolVar(trust, "assume-peer-ready", false,
		"switch PFC on also opposite devices that rocec does not read: a person has seen that it is on there")
}

// trustFabricFlag adds --skip-cabling-check to a verb that plans.
func trustFabricFlag(cmd *cobra.Command, trust *bool) {
	cmd.Flags().BoolVar(trust, "skip-cabling-check", false,
		"change devices also where their cables and ports are not those of the fabric: a person has seen that it is safe")
}

// acceptFlag adds --accept-unverified to a verb that changes devices.
func acceptFlag(cmd *cobra.Command, accept *bool) {
	cmd.Flags().BoolVar(accept, "accept-unverified", false,
		"change also real devices of a kind without a report of a user: their settings are known from public documents alone")
}

// approveFlag adds -y to a verb that asks.
func approveFlag(cmd *cobra.Command, approve *bool, means string) {
	cmd.Flags().BoolVarP(approve, "auto-approve", "y", false, means)
}

// viewFlags adds the flags of every verb that shows a plan.
func viewFlags(cmd *cobra.Command, o *view.Options) {
	cmd.Flags().BoolVar(&o.Diff, "diff", false, "show whole-text diffs instead of keys")
	cmd.Flags().BoolVar(&o.Expand, "expand", false, "show every device on its own, also those with the same changes, and every key")
	cmd.Flags().BoolVar(&o.Notes, "notes", false, "show the notes about devices, and how it is known that what is written works")
}

// leadFlags adds the flags of every verb that changes devices.
func leadFlags(cmd *cobra.Command, o *session.ChangeOptions) {
	f := cmd.Flags()
	approveFlag(cmd, &o.Approve, "do not ask")
	f.IntVar(&o.Parallel, "parallel", session.DefaultParallel, "devices changed at the same time")
	f.IntVar(&o.MaxFailures, "max-failures", 0, "devices that may fail before no further one starts")
	f.DurationVar(&o.Hold, "confirm", 0, "keep every device armed for a `duration` after its change: it undoes it by itself "+
		"unless rocec confirm comes before")
	f.DurationVar(&o.Soak, "soak", 0, "how long a device must hold before its change is kept (default: what its change needs, "+
		"30s where ports reset, 5s elsewhere, 1s in the lab)")
	f.StringVar(&o.OnFailure, "on-failure", string(rollout.UndoWave), "what becomes of the others when more devices fail than may: undo-wave "+
		"(those of the same wave go back), stop (they keep the change), or undo-all (all go back, the last wave first)")
	f.StringVar(&o.Anomaly, "on-anomaly", string(rollout.AnomalyStop), "what to do when counters rise far faster after a wave than before: "+
		"stop (ask on a terminal), ignore, or undo (the wave goes back)")
	f.StringArrayVar(&o.Drain, "drain", nil, "a `program` that takes traffic off the devices of a wave before it begins, with the devices in "+
		"$ROCEC_DEVICES; again for each of its arguments")
	f.StringArrayVar(&o.Undrain, "undrain", nil, "a `program` that puts traffic back after the wave, also after one that failed; "+
		"again for each of its arguments")
	f.DurationVar(&o.HookTime, "hook-timeout", session.HookTime, "how long --drain and --undrain may take, each")
	f.StringVarP(&o.Message, "message", "m", "", "why, for rocec runs")
	f.BoolVar(&o.Alone, "alone", false, "go on though a switch cannot carry the mark by which other runs see this one: no other run goes on, "+
		"as -m says why")
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
	given                func() bool         // the person gave one of the two bounds
	budget               func() *ir.Budget   // of a proof; nil: the default
	away                 map[*ir.Device]bool // that the person goes on without, whatever that costs them
}

// defaultCapacity is the percentage of capacity that paths keep.
const defaultCapacity = 50

// ruleFlags declares what bounds an order.
func (o *orderOptions) ruleFlags(a *app, cmd *cobra.Command) {
	f := cmd.Flags()
	o.darkSet = func() bool { return f.Changed("max-dark") }
	o.given = func() bool { return f.Changed("max-dark") || f.Changed("min-capacity") }
	o.budget = a.Steps
	f.IntVar(&o.minCapacity, "min-capacity", defaultCapacity, "percent of its described capacity that every way between hosts keeps while "+
		"devices restart; 0 also allows to cut hosts off from each other")
	f.IntVar(&o.maxDark, "max-dark", 0, "`hosts` that may be without a link at the same time, at least 1; those that are changed themselves "+
		"count "+
		"(default: those of one switch, and every host that is changed)")
}

// orderFlags adds the flags of an order of changes.
func (o *orderOptions) orderFlags(a *app, cmd *cobra.Command) {
	o.ruleFlags(a, cmd)
	cmd.Flags().BoolVar(&o.noCanary, "no-canary", false,
		"do not change one device of every kind first, alone, where the change disrupts traffic")
}

func (o *orderOptions) check() error {
	if o.minCapacity < 0 || o.minCapacity > 100 || o.maxDark < 0 || o.maxDark == 0 && o.darkSet() {
		return exit.Fail(exit.Usage, "--min-capacity is a percentage from 0 to 100, and --max-dark at least 1 host")
	}
	return nil
}

// rules returns the rules of the flags for parallel devices. soak is how long each device must hold; nil: as long as its steps need.
func (o *orderOptions) rules(parallel int, soak *time.Duration) sequence.Rules {
	return sequence.Rules{
		Rules: change.Rules{MinCapacity: o.minCapacity, MaxDark: o.maxDark, Parallel: parallel, Canary: !o.noCanary},
		Soak:  soak, Away: o.away, Budget: o.budget,
	}
}

// runFlags adds the flags of the verbs that go on with a run.
func runFlags(a *app, cmd *cobra.Command, o *session.RunOptions) {
	cmd.Flags().StringVar(&o.Format, "format", "text", "text, or json: one object a line")
	cmd.Flags().IntVar(&o.Parallel, "parallel", 8, "devices at the same time")
	cmd.Flags().StringArrayVar(&o.Hooks.Undrain, "undrain", nil, "the `program` that the run had as --undrain, to put back traffic that it "+
		"left off; again for each of its arguments")
	cmd.Flags().DurationVar(&o.Hooks.Timeout, "hook-timeout", session.HookTime, "how long --undrain may take")
	labFlags(cmd, &o.Lab)
	sudoFlag(a, cmd)
	targetFlag(a, cmd, &o.Only)
}
