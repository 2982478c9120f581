package main

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/claimed"
	"github.com/rocec/rocec/cmd/internal/collect"
	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/fromfiles"
	"github.com/rocec/rocec/cmd/internal/metrics"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/validate/claims"
)

func verifyCommand(a *app) *cobra.Command {
	var o verifyOptions
	cmd := &cobra.Command{
		Use:   "verify [DIR]",
		Short: "read settings, states and counters of devices, and compare them with the fabric",
		Long: "Verify reads the devices and changes nothing. It prints settings that differ from the fabric, links and daemons that are\n" +
			"down, and counters of lost or misdirected traffic that rose since the last verify. It keeps its samples below\n" +
			"$XDG_STATE_HOME/rocec/samples. A device that was never verified is read twice, 5 seconds apart. For a device that has restarted\n" +
			"since, counters count from its start. rocec explain WORD prints the meaning of a word such as unsound.\n\n" +
			"With --from SOURCE it logs in to no device, and compares files with the fabric: configurations of devices, as for validate\n" +
			"--device-config, that people keep or another program renders. It prints each value that differs with its place, the wanted value,\n" +
			"and the verdict on its device. A folder may also contain HOST.json, the output of `rocec-host check --json` on a host. A device\n" +
			"without a file is unknown, and not good.\n\n" +
			"With --traffic, hosts send packets to each other, after asking: 1000 messages for each intent, 20 seconds at most. It prints the\n" +
			"priority in which the counters on the path rose.\n\n" +
			"With --format openmetrics it prints states, findings, and the counters of pauses, headroom and marks as metrics. rocec\n" +
			"help metrics describes them.\n\n" +
			"With --gids it reads only the GID tables of the hosts' RDMA devices. For every intent of a NIC it prints the index that\n" +
			"connections must use: the entry with the intent's version, the interface of its VLAN, and the address that the fabric states. It\n" +
			"prints the settings for NCCL, UCX, NVSHMEM and perftest. A link-local GID never fits. It keeps the indexes. An index or an RDMA\n" +
			"device that differs from the last verify --gids is a finding, once.",
		Example: "  rocec verify\n" +
			"  rocec verify --traffic\n" +
			"  rocec verify --gids --target gpu017",
		Args: takes(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.checkFormat(cmd); err != nil {
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
				if err := without(cmd, "gids", "reads only GID tables", "from", "since", "traffic", "auto-approve"); err != nil {
					return err
				}
				return a.gids(cmd.Context(), dir, gidsOptions{o.ReadOptions, o.format, o.lab, o.only})
			case len(o.from) == 0:
				return a.verify(cmd.Context(), dir, o)
			}
			err = without(cmd, "from", "reads files instead of devices", "lab", "since", "traffic", "parallel", "timeout", "ask-sudo-password")
			if err != nil {
				return err
			}
			return a.verifyFrom(cmd.Context(), dir, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.since, "since", string(deploy.SinceLast),
		"the start of counting: last (the last verify) or boot (the start of the device)")
	f.StringArrayVar(&o.from, "from", nil, "compare files with the fabric: a file or `folder` of configurations, or of reports of hosts; "+
		"repeatable")
	f.StringVar(&o.format, "format", "text", "text, json or openmetrics; with --from also sarif, junit, github or gitlab")
	offer(cmd, "format", append(report.FormatNames(), metrics.Format)...)
	offer(cmd, "since", string(deploy.SinceLast), string(deploy.SinceBoot))
	f.StringVar(&o.traffic, "traffic", "", "send a short exchange between two members of each intent, or between hosts `A,B`, and print "+
		"which counters moved")
	f.Lookup("traffic").NoOptDefVal = trafficAny
	approveFlag(cmd, &o.approve, "send the exchange of --traffic without asking")
	f.BoolVar(&o.strict, "strict", false, "exit 1 also for devices that are other and sound")
	f.BoolVar(&o.gids, "gids", false, "print only the GID tables of hosts, and the index that each intent must use")
	labFlags(cmd, &o.lab)
	readFlags(cmd, &o.ReadOptions)
	sudoFlag(a, cmd)
	targetFlag(a, cmd, &o.only)
	return cmd
}

type verifyOptions struct {
	session.ReadOptions
	traffic       string // empty: no traffic is sent
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
	asked, queries := collect.NewForwards(time.Now()), &session.Queries{}
	asked.AddTo(queries, devices.Tree)
	found := devices.Verify(ctx, dir, f.Tree(), session.VerifyOptions{
		ReadOptions: o.ReadOptions, SinceBoot: o.since == string(deploy.SinceBoot), Counters: o.format == metrics.Format, Queries: queries,
	})
	if ctx.Err() != nil {
		return exit.Fail(exit.Interrupted, "interrupted")
	}
	seen := asked.Seen(session.Configured(found.Verification, asked.When), found.Counted.Watchdogs(asked.When))
	is := claimed.Compare(f.Fabric, f.Proofs, seen, a.Steps())
	session.KeepClaims(devices, dir, f, is, asked.When)
	return a.verified(dir, f, verifyFound{found, a.Debts(dir, devices.LabDir), nil, sent, nil, is}, o)
}

// checkFormat refuses a format that this kind of verify lacks.
func (o *verifyOptions) checkFormat(cmd *cobra.Command) error {
	switch {
	case o.gids:
		return exit.Choice("format", o.format, "text", "json")
	case o.format == metrics.Format:
		return without(cmd, "format", "openmetrics has no results of an exchange", "traffic")
	case len(o.from) > 0:
		return exit.Choice("format", o.format, append(report.FormatNames(), metrics.Format)...)
	}
	return exit.Choice("format", o.format, "text", "json", metrics.Format)
}

// verifyFrom compares files with the fabric, for the devices that --target names.
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
	found, judged, err := sources.Verify(ctx, f, tree, a.Steps())
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return exit.Fail(exit.Interrupted, "interrupted")
	case len(found.Devices)+len(sources.Reports.Missing) == 0:
		return exit.Fail(exit.Usage, "--from found no file of these devices, and none of the devices is a host")
	case judged != nil:
		judged.Strict = o.strict
	}
	return a.verified(dir, f, verifyFound{session.Verified{Verification: found}, nil, &sources.Reports, nil, judged, sources.Claims}, o)
}

// verifyFound contains the observations that verify judges.
type verifyFound struct {
	session.Verified
	debts map[string]view.Debt
	from  *view.Reports        // from files; nil: the devices were read
	sent  []view.VerifyTraffic // the results of --traffic
	files *report.Report       // about configurations; nil: not with --from
	is    *claims.Result       // the states of the assumptions of the verdicts; nil: no device was asked
}

// verified prints the observations. Its error is nil if all are good.
func (a *app) verified(dir string, f *report.Report, found verifyFound, o verifyOptions) error {
	unlike := session.JudgeHealth(f.Fabric, found.Verification)
	doc := view.VerifyJSON(f, found.Verification, unlike, found.is, o.since, found.from, found.sent, o.strict)
	found.Plan.Pending()
	switch at := slices.Index(report.FormatNames(), o.format); {
	case o.format == "json":
		if err := a.WriteJSON(doc); err != nil {
			return err
		}
	case o.format == metrics.Format:
		look := &metrics.Look{Fabric: f.Fabric, Version: a.Rocec.Version, When: found.Start, Pauses: metrics.NewPauses(f.Fabric, a.Steps())}
		if err := view.FillLook(look, doc, found.Verification, found.from, found.files, found.Counted.Of).Write(a.Stdout); err != nil {
			return err
		}
	case o.format != "text":
		if found.files == nil {
			return exit.Fail(exit.Usage, "--format %s is for configurations of devices, and --from has only reports of hosts", o.format)
		}
		if err := report.Formats[at].Write(a.Stdout, found.files, a.Options(a.Stdout)); err != nil {
			return err
		}
	default:
		if found.files != nil {
			a.PrintDiagnostics(a.Stdout, found.files)
		}
		v := a.planView(dir, view.Options{})
		v.Seen, v.Debts, v.Listed = unlike, found.debts, found.files != nil
		v.Verify(f, found.Plan, doc, found.from, found.is)
	}
	switch {
	case doc.Summary[string(deploy.StatusUnreachable)]+doc.Summary[string(deploy.StatusRefused)]+doc.Summary[view.VerifyUnknown] > 0:
		return exit.With(exit.Machines)
	case !doc.Good, found.files != nil && found.files.Failed():
		return exit.With(exit.Errors)
	}
	return nil
}
