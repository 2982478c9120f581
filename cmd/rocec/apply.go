package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy"
)

func (a *app) applyCommand() *cobra.Command {
	var o applyOptions
	cmd := &cobra.Command{
		Use:   "apply [DIR] | apply --plan FILE",
		Short: "do what plan shows, in waves, verified",
		Long: "Apply reads the devices, shows the plan, asks, and does it: switches before hosts, never two members of a\n" +
			"redundancy group together, each device by compare-and-swap under a lock, read back, and restored when it fails.\n" +
			"The first Ctrl-C lets the devices under way come to an end and starts no other; the second one ends rocec.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := choice("format", o.format, "text", "json"); err != nil {
				return err
			}
			if o.saved != "" && (len(args) > 0 || o.lab || len(o.only) > 0 || len(a.vars)+len(a.varFiles) > 0) {
				return fail(exitUsage, "--plan FILE says itself which fabric, variables and devices it is for")
			}
			if o.parallel < 1 || o.maxFailures < 0 {
				return fail(exitUsage, "--parallel is at least 1 and --max-failures at least 0")
			}
			return a.apply(cmd.Context(), folder(args), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.saved, "plan", "", "apply the plan saved in a `file`, if nothing has changed since")
	f.BoolVar(&o.approve, "auto-approve", false, "do not ask")
	f.IntVar(&o.parallel, "parallel", 8, "devices changed at the same time")
	f.IntVar(&o.maxFailures, "max-failures", 0, "devices that may fail before no further one starts")
	f.BoolVar(&o.canary, "canary", false, "one device of every kind goes first, alone")
	f.BoolVar(&o.lab, "lab", false, "rehearse on every device simulated inside the process")
	f.StringVar(&o.format, "format", "text", "text, or json: one object a line")
	a.targetFlag(cmd, &o.only)
	return cmd
}

type applyOptions struct {
	saved, format         string
	approve, canary, lab  bool
	parallel, maxFailures int
	only                  []string
}

func (o applyOptions) waves() deploy.WaveOptions {
	return deploy.WaveOptions{Parallel: o.parallel, Canary: o.canary}
}

func (a *app) apply(ctx context.Context, dir string, o applyOptions) error {
	var saved *deploy.Saved
	if o.saved != "" {
		var err error
		if saved, err = a.loadPlan(o.saved); err != nil {
			return err
		}
		dir, o.only = saved.Fabric, saved.Targets
	}
	f, devices, err := a.open(dir, o.only, o.lab)
	if err != nil {
		return err
	}
	defer devices.Close()
	plan := a.compare(ctx, devices)
	if ctx.Err() != nil {
		return fail(exitInterrupted, "interrupted; nothing was changed")
	}
	if saved != nil {
		if err := holds(saved, f, plan); err != nil {
			return err
		}
	}
	if o.format == "text" {
		(&planView{w: a.stdout, color: a.paints(a.stdout), dir: path.Clean(dir)}).print(plan, o.waves())
	}
	if plan.Empty() {
		return a.nothingToDo(plan, o)
	}
	if s := plan.Summary(o.waves()); s.Unreachable+s.Refused > o.maxFailures {
		return fail(exitMachines, "%s cannot be changed, and a link with PFC at one end only loses frames. Nothing was changed. "+
			"Mend them, leave them out with --target, or go on without them with --max-failures %d.",
			diag.Count(s.Unreachable+s.Refused, "device"), s.Unreachable+s.Refused)
	}
	if !o.approve && saved == nil {
		word, changes := "yes", plan.Summary(o.waves()).Change
		if changes > 20 {
			word = f.Fabric.Name
		}
		if err := a.ask(fmt.Sprintf("Apply this to %s?", diag.Count(changes, "device")), word); err != nil {
			return err
		}
	}
	report, err := a.change(ctx, devices, plan, o)
	if err != nil {
		return err
	}
	a.reportText(report, o)
	if o.lab && report.Complete() && o.format == "text" {
		fmt.Fprintln(a.stdout, "\nThe same plan again, on the devices as they are now:")
		again := a.compare(ctx, devices)
		(&planView{w: a.stdout, color: a.paints(a.stdout), dir: path.Clean(dir)}).print(again, o.waves())
		if !again.Empty() {
			return &exit{exitIncomplete, ""}
		}
	}
	return outcome(report)
}

// nothingToDo ends an apply without changes; devices that could not be read are still worth an exit status.
func (a *app) nothingToDo(plan *deploy.Plan, o applyOptions) error {
	if o.format == "json" {
		a.writeEvent(applyEvent{Event: "summary", Summary: map[string]int{string(deploy.Unchanged): len(plan.Devices)}})
	}
	if troubled(plan) {
		return &exit{exitMachines, ""}
	}
	return nil
}

// change runs the plan and shows every device's end as it comes.
func (a *app) change(ctx context.Context, devices *fleet, plan *deploy.Plan, o applyOptions) (*deploy.Results, error) {
	bar := a.progress("Applying", o.format == "text")
	defer bar.end()
	total, done := plan.Summary(o.waves()).Change, 0
	owner := loginName(a.getenv)
	if host, err := os.Hostname(); err == nil {
		owner += "@" + host
	}
	unique := make([]byte, 2)
	rand.Read(unique) //nolint:errcheck // it never fails
	bar.step(0, total, "")
	return deploy.Apply(ctx, devices.dial, plan, deploy.ApplyOptions{
		Parallel: o.parallel, MaxFailures: o.maxFailures, Canary: o.canary,
		Owner: fmt.Sprintf("%s, process %d", owner, os.Getpid()),
		Txn:   deploy.NewTxn(time.Now(), hex.EncodeToString(unique)),
		Clock: deploy.Clock{Now: time.Now, Wait: time.After},
		Event: func(e deploy.Event) {
			a.log.Info("apply", "device", e.Device.Name, "step", e.Step, "state", string(e.State), "outcome", string(e.Outcome))
			if o.format == "json" {
				a.writeStep(e)
			}
			if e.Step != "" {
				return
			}
			done++
			line := fmt.Sprintf("%s  %s", bar.mark(e.Outcome == deploy.Applied, fmt.Sprintf("%-10s", e.Outcome)), e.Device.Name)
			if e.Outcome != deploy.Applied && e.Detail != "" {
				line += ": " + e.Detail
			}
			bar.step(done, total, line)
		},
	})
}

// applyEvent is one line of apply --format json.
type applyEvent struct {
	FormatVersion string         `json:"format_version"`
	Event         string         `json:"event"` // step, device or summary
	Device        string         `json:"device,omitempty"`
	Step          string         `json:"step,omitempty"`
	State         string         `json:"state,omitempty"`
	Outcome       string         `json:"outcome,omitempty"`
	Detail        string         `json:"detail,omitempty"`
	Summary       map[string]int `json:"summary,omitempty"`
}

func (a *app) writeStep(e deploy.Event) {
	line := applyEvent{Event: "step", Device: e.Device.Name, Step: e.Step, State: string(e.State), Outcome: string(e.Outcome), Detail: e.Detail}
	if e.Step == "" {
		line.Event = "device"
	}
	a.writeEvent(line)
}

func (a *app) writeEvent(e applyEvent) {
	e.FormatVersion = report.FormatVersion
	enc := json.NewEncoder(a.stdout)
	enc.SetEscapeHTML(false)
	enc.Encode(e) //nolint:errcheck // a closed pipe must not stop an apply half way
}

// reportText says of every device that is not as planned what it holds, and counts the others.
func (a *app) reportText(r *deploy.Results, o applyOptions) {
	outcomes := []deploy.Outcome{deploy.Applied, deploy.Unchanged, deploy.Restored, deploy.Refused, deploy.Unknown, deploy.NotStarted}
	if o.format == "json" {
		sum := map[string]int{}
		for _, k := range outcomes {
			sum[string(k)] = r.Count(k)
		}
		a.writeEvent(applyEvent{Event: "summary", Summary: sum})
		return
	}
	paint := a.paints(a.stdout)
	fmt.Fprintln(a.stdout)
	p := &diag.Printer{Width: a.width(a.stdout)}
	var waiting []string
	for _, d := range r.Devices {
		switch d.Outcome {
		case deploy.Applied, deploy.Unchanged:
			continue
		case deploy.NotStarted:
			waiting = append(waiting, d.Device.Name)
			continue
		}
		fmt.Fprintf(a.stdout, "%s  %s\n", diag.Paint(paint, diag.Bold, d.Device.Name), diag.Paint(paint, diag.Red, string(d.Outcome)))
		if d.Err != nil {
			p.Prose(a.stdout, "  ", d.Err.Error()) //nolint:errcheck // a closed terminal has nobody to tell
		}
		if d.Detail != "" {
			p.Prose(a.stdout, "  ", d.Detail) //nolint:errcheck // as above
		}
		fmt.Fprintf(a.stdout, "  declared at %s\n", diag.Paint(paint, diag.Cyan, report.Place(d.Device.At)))
	}
	if len(waiting) > 0 {
		p.Prose(a.stdout, diag.Paint(paint, diag.Bold, "not started, nothing changed there:")+" ", nodeset.Text(waiting, nodeset.Devices, math.MaxInt)) //nolint:errcheck // as above
	}
	var parts []string
	for _, k := range outcomes {
		if n := r.Count(k); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, k))
		}
	}
	head := diag.Paint(paint, diag.Green, "Applied.")
	switch {
	case r.Interrupted:
		head = diag.Paint(paint, diag.Red, "Interrupted.")
	case !r.Complete():
		head = diag.Paint(paint, diag.Red, "Incomplete.")
	}
	fmt.Fprintf(a.stdout, "%s %s: %s. Backups: /var/lib/rocec/backup/%s on each device.\n", head, diag.Count(len(r.Devices), "device"), strings.Join(parts, ", "), r.Txn)
}

// outcome maps a report to an exit status.
func outcome(r *deploy.Results) error {
	if r.Complete() {
		return nil
	}
	locked, machine := false, false
	for _, d := range r.Devices {
		if d.Err != nil {
			locked = locked || d.Err.Kind == deploy.Locked
			machine = machine || d.Err.Kind.Machine()
		}
	}
	switch {
	case r.Interrupted:
		return &exit{exitInterrupted, ""}
	case !r.Touched() && locked:
		return &exit{exitLocked, ""}
	case !r.Touched() && machine:
		return &exit{exitMachines, ""}
	}
	return &exit{exitIncomplete, ""}
}

// place is "file:line", or "-" for none.
