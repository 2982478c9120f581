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
		Short: "judge a running network by the files of its devices",
		Long: "Audit judges a network that has no fabric files. It reads the configurations of switches and hosts, and the cables that LLDP\n" +
			"shows. It logs in to no device, and writes no file except a baseline that you ask for.\n" +
			"\n" +
			"SOURCE is a file or a folder, as for validate --device-config: a folder contains one folder per device, or files named after their\n" +
			"device. Cables come from `lldpctl -f json`, as DEVICE/lldp.json or DEVICE-lldp.json, and from the table DEVICE_NEIGHBOR of SONiC.\n" +
			"One end of a cable must name the other end. --cabling adds the cables of a cabling file: where LLDP shows another cable at a port,\n" +
			"LLDP counts, and the line of the file is a finding. Lengths are those of the file.\n" +
			"\n" +
			"Audit derives a fabric from these files, as init --from FOLDER does. It judges this fabric, and compares each file with it. A\n" +
			"class is lossless if a quarter of the ports with PFC have it. If no file states the length of a cable, audit assumes the longest\n" +
			"that the headroom of its ports allows. A neighbour without a file is assumed to be set as the other devices are; verdicts name it.\n" +
			"\n" +
			"--write-baseline writes the findings of today to a file: fill in owner, reason and the last day. With --baseline, these findings\n" +
			"are listed apart; the exit status is 1 only for new, worse and expired findings.\n" +
			"\n" +
			"--format md writes a page for a ticket or a pull request. With --by owner it has a section for each owner: the owner in the row of\n" +
			"the baseline, or else the group of the device.\n" +
			"\n" +
			"--demo audits a small built-in network with faults.",
		Example: "  rocec audit --demo\n" +
			"  rocec audit collected\n" +
			"  rocec audit --write-baseline known.hcl collected\n" +
			"  rocec audit --cabling cables.csv collected\n" +
			"  rocec audit --baseline known.hcl --format md --by owner collected\n" +
			"  rocec audit --format json collected > audit.json",
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case o.demo && len(args) > 0:
				return exit.Fail(exit.Usage, "--demo audits a built-in network: leave out %s", diag.Escape(args[0]))
			case o.demo:
				return nil
			}
			return takes(1, 1000)(cmd, args)
		},
		RunE: func(_ *cobra.Command, args []string) error { return audit(a, args, o) },
	}
	cmd.Flags().StringVar(&o.format, "format", "text", "text, json, sarif, junit, github, gitlab or md")
	offer(cmd, "format", report.FormatNames()...)
	cmd.Flags().StringArrayVar(&o.cabling, "cabling", nil, "`file` with the cables, from PTM, containerlab or Air, or a sheet; repeatable "+
		"for sheets of an inventory")
	cmd.Flags().StringVar(&o.by, "by", "", "with --format md: `owner` writes a section for each owner")
	offer(cmd, "by", "owner")
	baselineFlags(cmd, &o.known)
	cmd.Flags().BoolVar(&o.demo, "demo", false, "audit a small built-in network with faults")
	cmd.Flags().BoolVar(&o.strict, "warnings-as-errors", false, "exit 1 also when there are only warnings, or a file was not judged")
	cmd.Flags().BoolVar(&o.why, "why", false, "show the proofs, their assumptions, and every note separately")
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
		return exit.Fail(exit.Usage, "--by needs --format md")
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
