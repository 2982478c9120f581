package main

import (
	"cmp"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/devicefiles"
	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/site"
	"github.com/rocec/rocec/lang/diag"
)

func auditCommand(a *app) *cobra.Command {
	var o auditOptions
	cmd := &cobra.Command{
		Use:   "audit SOURCE... | --demo",
		Short: "judge a network that runs, by the files that people keep of its devices",
		Long: "Audit judges a network without a description: by the configurations of its switches and hosts, and by the cables that\n" +
			"LLDP shows. It logs in nowhere, and writes nothing but a baseline that you ask for.\n" +
			"\n" +
			"SOURCE is a file or a folder, as for validate --device-config: a folder has one folder a device, or files named after\n" +
			"their device. Cables come from `lldpctl -f json`, as DEVICE/lldp.json or DEVICE-lldp.json, and from the table\n" +
			"DEVICE_NEIGHBOR of SONiC. A cable needs one end that names the other. --cabling adds the cables of a cabling file:\n" +
			"where LLDP shows another cable at a port, LLDP counts, and the line of the file is a finding. Lengths are those of the\n" +
			"file.\n" +
			"\n" +
			"Audit makes a fabric of these files, as init --from FOLDER would write it, and judges it and each file beside it.\n" +
			"Classes are those of at least a quarter of the ports with PFC. The length of a cable that no file states is the longest for which\n" +
			"the headroom of its ports is. Devices that neighbours name, and of which no file is there, are taken to be set as the\n" +
			"others are: verdicts name them.\n" +
			"\n" +
			"--write-baseline writes the findings of today to a file: fill in owner, reason and the last day. With --baseline,\n" +
			"these findings are listed apart; the exit status is 1 for new, worse and expired ones alone.\n" +
			"\n" +
			"--format md is a page for a ticket or a pull request; with --by owner it has a section for each owner: that of the row\n" +
			"of the baseline, else the group that the device is in.\n" +
			"\n" +
			"--demo audits a small network that is built in, with faults.",
		Example: "  rocec audit --demo\n" +
			"  rocec audit collected\n" +
			"  rocec audit --write-baseline known.hcl collected\n" +
			"  rocec audit --cabling cables.csv collected\n" +
			"  rocec audit --baseline known.hcl --format md --by owner collected\n" +
			"  rocec audit --format json collected > audit.json",
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case o.demo && len(args) > 0:
				return exit.Fail(exit.Usage, "--demo audits a network that is built in: leave out %s", diag.Escape(args[0]))
			case o.demo:
				return nil
			}
			return takes(1, 1000)(cmd, args)
		},
		RunE: func(_ *cobra.Command, args []string) error { return audit(a, args, o) },
	}
	cmd.Flags().StringVar(&o.format, "format", "text", "text, json, sarif, junit, github, gitlab or md")
	offer(cmd, "format", report.FormatNames()...)
	cmd.Flags().StringArrayVar(&o.cabling, "cabling", nil, "`file` with the cables: of PTM, containerlab or Air, or a sheet; repeatable "+
		"for sheets of an inventory")
	cmd.Flags().StringVar(&o.by, "by", "", "with --format md: owner, a section for each `owner`")
	offer(cmd, "by", "owner")
	baselineFlags(cmd, &o.known)
	cmd.Flags().BoolVar(&o.demo, "demo", false, "audit a small network with faults that is built in")
	cmd.Flags().BoolVar(&o.strict, "warnings-as-errors", false, "exit 1 also when there are only warnings, or a file was not judged")
	cmd.Flags().BoolVar(&o.why, "why", false, "show the proof of every lossless group, what it assumes, and every note by itself")
	return cmd
}

type auditOptions struct {
	format, by        string
	strict, why, demo bool
	known             devicefiles.Baselines
	cabling           []string
}

// audit prints the page of a network.
func audit(a *app, sources []string, o auditOptions) error {
	names := report.FormatNames()
	if err := cmp.Or(exit.Choice("format", o.format, names...), exit.Choice("by", cmp.Or(o.by, "owner"), "owner")); err != nil {
		return err
	}
	if o.by != "" && o.format != "md" {
		return exit.Fail(exit.Usage, "--by goes with --format md")
	}
	f, err := sites(a).Audit(a.Ctx, sources, o.cabling)
	if err != nil {
		return err
	}
	f.Strict = o.strict
	if err := o.known.Hold(a.Person, f.Report, time.Now()); err != nil {
		return err
	}
	page := a.Options(a.Stdout)
	page.Why, page.ByOwner = o.why, o.by != ""
	if o.format == "text" {
		site.Page(a.Stdout, f.Part, f.Report, page)
	} else if err := report.Formats[slices.Index(names, o.format)].Write(a.Stdout, f.Report, page); err != nil {
		return err
	}
	if f.Failed() {
		return exit.With(exit.Errors)
	}
	return nil
}
