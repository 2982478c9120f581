package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/samples"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/target"
)

func (a *app) verifyCommand() *cobra.Command {
	var o verifyOptions
	cmd := &cobra.Command{
		Use:   "verify [DIR]",
		Short: "read settings, states and counters back and say what is not as written",
		Long: "Verify reads the devices and changes nothing. It says which settings are not as written, which links and daemons are\n" +
			"down, and which counters of lost or misdirected traffic have risen since the last verify. It keeps what it measured\n" +
			"below $XDG_STATE_HOME/rocec/samples. A device that was never verified is read twice, 5 seconds apart; one that has\n" +
			"restarted since is judged by what its counters came to since then.\n\n" +
			"With --from DIR it logs in nowhere, and judges each host by DIR/HOST.json: what `rocec-host check --json` printed there.\n" +
			"A host without such a file is unknown, and not good.\n\n" +
			"With --traffic, hosts send packets to each other, after asking: 1000 messages for each intent, 20 seconds at most.\n" +
			"It says in which priority the counters of the way moved.",
		Args: takes(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := choice("format", o.format, "text", "json"); err != nil {
				return err
			}
			if err := choice("since", o.since, string(deploy.SinceLast), string(deploy.SinceBoot)); err != nil {
				return err
			}
			if err := o.readOptions.check(); err != nil {
				return err
			}
			dir, err := a.folder(args)
			if err != nil {
				return err
			}
			if o.from == "" {
				return a.verify(cmd.Context(), dir, o)
			}
			for _, other := range []string{"lab", "since", "traffic", "parallel", "timeout", "ask-sudo-password"} {
				if cmd.Flags().Changed(other) {
					return exit.Fail(exit.Usage, "--from reads files and no device, so that --%s says nothing. Leave out one of the two", other)
				}
			}
			return a.verifyFrom(cmd.Context(), dir, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.since, "since", string(deploy.SinceLast),
		"what counters are compared with: last (the last verify) or boot (the start of the device)")
	f.StringVar(&o.from, "from", "", "judge hosts by their own reports in this `folder`, without a login")
	f.StringVar(&o.format, "format", "text", "text or json")
	offer(cmd, "since", string(deploy.SinceLast), string(deploy.SinceBoot))
	f.StringVar(&o.traffic, "traffic", "", "send a short exchange between two members of each intent, or between hosts `A,B`, and say which "+
		"counters moved")
	f.Lookup("traffic").NoOptDefVal = trafficAny
	f.BoolVar(&o.approve, "auto-approve", false, "send the exchange of --traffic without asking")
	labFlags(cmd, &o.lab)
	o.readFlags(cmd)
	a.sudoFlag(cmd)
	a.targetFlag(cmd, &o.only)
	return cmd
}

type verifyOptions struct {
	readOptions
	traffic       string // empty: none is sent
	approve       bool
	since, format string
	from          string // a folder of reports; empty: devices are read
	lab           labFlag
	only          []string
}

func (a *app) verify(ctx context.Context, dir string, o verifyOptions) (err error) {
	f, devices, err := a.open(dir, o.only, o.lab)
	if err != nil {
		return err
	}
	defer devices.close(&err)
	var sent []view.VerifyTraffic
	if o.traffic != "" {
		if sent, err = a.traffic(ctx, f.Fabric, f.Tree(), devices, o); err != nil {
			return err
		}
	}
	kept := a.keptSamples(dir, devices)
	read, end := a.reading()
	o.limit(&read)
	v := rollout.VerifyOptions{
		ObserveOptions: read, Clock: rollout.Clock{Now: time.Now, Wait: time.After},
		Kept: kept.samples, SinceBoot: o.since == string(deploy.SinceBoot),
	}
	if devices.lab != nil {
		v.Interval = time.Second
	}
	found := rollout.Verify(ctx, devices.dial, withSlow(devices.tree), v)
	end()
	if ctx.Err() != nil {
		return exit.Fail(exit.Interrupted, "interrupted")
	}
	kept.keep(f.Tree(), found.Kept)
	return a.verified(dir, f, verifyFound{found, a.debts(dir, devices.labDir), nil, sent}, o)
}

// verifyFound is what verify judges.
type verifyFound struct {
	*rollout.Verification
	debts map[string]view.Debt
	from  *view.Reports        // what the devices told of themselves; nil: they were read
	sent  []view.VerifyTraffic // what --traffic saw
}

// verified prints what was found, and reports by its error whether all is good.
func (a *app) verified(dir string, f *report.Report, found verifyFound, o verifyOptions) error {
	unlike := judgedHealth(f.Fabric, found.Verification)
	doc := view.VerifyJSON(f.Fabric, found.Verification, unlike, o.since, found.from, found.sent)
	found.Plan.Pending()
	if o.format == "json" {
		if err := a.writeJSON(doc); err != nil {
			return err
		}
	} else {
		v := a.planView(dir, view.Options{})
		v.Seen, v.Debts = unlike, found.debts
		v.Verify(f.Fabric, found.Plan, doc, found.from)
	}
	switch {
	case doc.Summary[string(deploy.StatusUnreachable)]+doc.Summary[string(deploy.StatusRefused)]+doc.Summary[view.VerifyUnknown] > 0:
		return exit.With(exit.Machines)
	case !doc.Good:
		return exit.With(exit.Errors)
	}
	return nil
}

// withSlow gives the tree with the probes that only verify runs.
func withSlow(tree *target.Tree) *target.Tree {
	out := &target.Tree{}
	for _, d := range tree.Devices {
		asked := *d
		asked.Probes = slices.Concat(d.Probes, d.Slow)
		out.Devices = append(out.Devices, &asked)
	}
	return out
}

// keptSamples are the samples of a fabric, kept from one verify to the next.
type keptSamples struct {
	a       *app
	file    *samples.File // nil: there is no place for it
	samples map[string]*deploy.Kept
}

// keptSamples reads the samples of the last verify. What cannot be read is said, and treated as if there were none.
func (a *app) keptSamples(dir string, devices *fleet) *keptSamples {
	k := &keptSamples{a: a}
	if devices.labDir == labFresh { // they are gone when it ends
		return k
	}
	state, err := a.stateDir("samples")
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err == nil {
		if devices.lab != nil { // simulated devices are others
			dir = "lab " + devices.labDir + " of " + dir
		}
		k.file = samples.Open(state, dir)
		k.samples, err = k.file.Load()
	}
	if err != nil {
		fmt.Fprintf(a.stderr, "rocec: the samples of the last verify cannot be used, so that every device is read twice: %s\n",
			diag.Escape(err.Error()))
	}
	return k
}

// keep replaces the samples of the devices that were read. Those of devices that the fabric does not have any more are dropped.
func (k *keptSamples) keep(fabric *target.Tree, read map[string]*deploy.Kept) {
	if k.file == nil {
		return
	}
	all := map[string]*deploy.Kept{}
	for _, d := range fabric.Devices {
		if s := cmp.Or(read[d.Name], k.samples[d.Name]); s != nil {
			all[d.Name] = s
		}
	}
	if err := k.file.Save(all); err != nil {
		fmt.Fprintf(k.a.stderr, "rocec: the samples cannot be kept for the next verify: %s\n", diag.Escape(err.Error()))
	}
}
