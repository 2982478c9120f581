package main

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/fromfiles"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/rollout"
)

func verifyCommand(a *app) *cobra.Command {
	var o verifyOptions
	cmd := &cobra.Command{
		Use:   "verify [DIR]",
		Short: "read settings, states and counters back, and compare them with the fabric",
		Long: "Verify reads the devices and changes nothing. It prints the settings that are not as written, the links and daemons that\n" +
			"are down, and the counters of lost or misdirected traffic that have risen since the last verify. It keeps its samples\n" +
			"below $XDG_STATE_HOME/rocec/samples. A device that was never verified is read twice, 5 seconds apart. A device that has\n" +
			"restarted is judged by its counters since then. rocec explain WORD has the meaning of a word such as unsound.\n\n" +
			"With --from SOURCE it logs in nowhere, and compares files with the fabric: configurations of devices, as\n" +
			"validate --device-config reads them, which people keep or another program renders. Each value that differs is reported at\n" +
			"its place, with the wanted one, and with the verdict on its device. A folder may also have HOST.json, the output\n" +
			"of `rocec-host check --json` on a host. A device without a file is unknown, and not good.\n\n" +
			"With --traffic, hosts send packets to each other, after asking: 1000 messages for each intent, 20 seconds at most.\n" +
			"It prints the priority in which the counters of the way moved.\n\n" +
			"With --gids it reads the GID tables of the hosts' RDMA devices, and nothing else. For every intent of a NIC it prints the\n" +
			"index that connections must use: the one of the intent's version, on the interface of its VLAN, with the address that the\n" +
			"fabric states. It prints the settings for NCCL, UCX and perftest. A link-local GID never fits.",
		Example: "  rocec verify\n" +
			"  rocec verify --traffic\n" +
			"  rocec verify --gids --target gpu017",
		Args: takes(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.checkFormat(); err != nil {
				return err
			}
			if err := exit.Choice("since", o.since, string(deploy.SinceLast), string(deploy.SinceBoot)); err != nil {
				return err
			}
			if err := o.ReadOptions.Check(); err != nil {
				return err
			}
			dir, err := fabricFolder(a, cmd, args)
			if err != nil {
				return err
			}
			switch {
			case o.gids:
				if err := without(cmd, "gids", "reads GID tables alone", "from", "since", "traffic", "auto-approve"); err != nil {
					return err
				}
				return a.gids(cmd.Context(), dir, gidsOptions{o.ReadOptions, o.format, o.lab, o.only})
			case len(o.from) == 0:
				return a.verify(cmd.Context(), dir, o)
			}
			err = without(cmd, "from", "reads files and no device", "lab", "since", "traffic", "parallel", "timeout", "ask-sudo-password")
			if err != nil {
				return err
			}
			return a.verifyFrom(cmd.Context(), dir, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.since, "since", string(deploy.SinceLast),
		"what counters are compared with: last (the last verify) or boot (the start of the device)")
	f.StringArrayVar(&o.from, "from", nil, "judge devices by files: a file or `folder` of configurations, or of reports of hosts; repeatable")
	f.StringVar(&o.format, "format", "text", "text or json; with --from also sarif, junit, github or gitlab")
	offer(cmd, "format", report.FormatNames()...)
	offer(cmd, "since", string(deploy.SinceLast), string(deploy.SinceBoot))
	f.StringVar(&o.traffic, "traffic", "", "send a short exchange between two members of each intent, or between hosts `A,B`, and say which "+
		"counters moved")
	f.Lookup("traffic").NoOptDefVal = trafficAny
	approveFlag(cmd, &o.approve, "send the exchange of --traffic without asking")
	f.BoolVar(&o.strict, "strict", false, "exit 1 also for devices that are other and sound")
	f.BoolVar(&o.gids, "gids", false, "print the GID tables of hosts instead, and the index each intent must use")
	labFlags(cmd, &o.lab)
	readFlags(cmd, &o.ReadOptions)
	sudoFlag(a, cmd)
	targetFlag(a, cmd, &o.only)
	return cmd
}

type verifyOptions struct {
	session.ReadOptions
	traffic       string // empty: none is sent
	approve       bool
	since, format string
	from          []string // files and folders; nil: devices are read
	lab           session.LabFlag
	only          []string
	gids, strict  bool // GID tables alone; devices that are other and sound are not good
}

func (a *app) verify(ctx context.Context, dir string, o verifyOptions) (err error) {
	f, devices, err := a.Open(dir, o.only, o.lab)
	if err != nil {
		return err
	}
	defer devices.Close(&err)
	var sent []view.VerifyTraffic
	if o.traffic != "" {
		if sent, err = a.traffic(ctx, f.Fabric, f.Tree(), devices, o); err != nil {
			return err
		}
	}
	kept := devices.KeptSamples(dir)
	read, end := a.Reading()
	o.Limit(&read)
	v := rollout.VerifyOptions{
		ObserveOptions: read, Clock: rollout.Clock{Now: time.Now, Wait: time.After}, Tool: a.Rocec.Tool,
		Kept: kept.Samples, SinceBoot: o.since == string(deploy.SinceBoot),
	}
	if devices.Lab != nil {
		v.Interval = time.Second
	}
	found := rollout.Verify(ctx, devices.Dial, session.WithSlow(devices.Tree), v)
	end()
	if ctx.Err() != nil {
		return exit.Fail(exit.Interrupted, "interrupted")
	}
	kept.Keep(f.Tree(), found.Kept)
	return a.verified(dir, f, verifyFound{found, a.Debts(dir, devices.LabDir), nil, sent, nil}, o)
}

// checkFormat refuses a format that this kind of verify lacks.
func (o *verifyOptions) checkFormat() error {
	if len(o.from) > 0 && !o.gids {
		return exit.Choice("format", o.format, report.FormatNames()...)
	}
	return exit.Choice("format", o.format, "text", "json")
}

// verifyFrom is verify by files, for the devices that --target names.
func (a *app) verifyFrom(ctx context.Context, dir string, o verifyOptions) error {
	f, err := a.LoadGood(dir)
	if err != nil {
		return err
	}
	tree, err := session.SelectDevices(f.Tree(), o.only)
	if err != nil {
		return err
	}
	sources, err := fromfiles.Read(o.from)
	if err != nil {
		return err
	}
	found, judged, err := sources.Verify(ctx, f, tree)
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return exit.Fail(exit.Interrupted, "interrupted")
	case len(found.Devices)+len(sources.Reports.Missing) == 0:
		return exit.Fail(exit.Usage, "--from found no file of a device, and there is no host among these devices")
	case judged != nil:
		judged.Strict = o.strict
	}
	return a.verified(dir, f, verifyFound{found, nil, &sources.Reports, nil, judged}, o)
}

// verifyFound is what verify judges.
type verifyFound struct {
	*rollout.Verification
	debts map[string]view.Debt
	from  *view.Reports        // what the devices told of themselves; nil: they were read
	sent  []view.VerifyTraffic // what --traffic saw
	files *report.Report       // of configurations; nil: --from has no configuration
}

// verified prints what was found, and reports by its error whether all is good.
func (a *app) verified(dir string, f *report.Report, found verifyFound, o verifyOptions) error {
	unlike := session.JudgeHealth(f.Fabric, found.Verification)
	doc := view.VerifyJSON(f.Fabric, found.Verification, unlike, o.since, found.from, found.sent, o.strict)
	found.Plan.Pending()
	switch at := slices.Index(report.FormatNames(), o.format); {
	case o.format == "json":
		if err := a.WriteJSON(doc); err != nil {
			return err
		}
	case o.format != "text":
		if found.files == nil {
			return exit.Fail(exit.Usage, "--format %s is for configurations of devices, and --from has reports of hosts alone", o.format)
		}
		if err := report.Formats[at].Write(a.Stdout, found.files, a.Options(a.Stdout)); err != nil {
			return err
		}
	default:
		if found.files != nil {
			a.PrintDiagnostics(a.Stdout, found.files)
		}
		v := a.planView(dir, view.Options{})
		v.Seen, v.Debts = unlike, found.debts
		v.Verify(f.Fabric, found.Plan, doc, found.from)
	}
	switch {
	case doc.Summary[string(deploy.StatusUnreachable)]+doc.Summary[string(deploy.StatusRefused)]+doc.Summary[view.VerifyUnknown] > 0:
		return exit.With(exit.Machines)
	case !doc.Good, found.files != nil && found.files.Failed():
		return exit.With(exit.Errors)
	}
	return nil
}
