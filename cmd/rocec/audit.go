package main

import (
	"cmp"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/devicefiles"
	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/intake"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/site"
	"github.com/rocec/rocec/lang/diag"
)

func auditCommand(a *app) *cobra.Command {
	var format, by string
	var strict, why, demo bool
	var known devicefiles.Baselines
	var cabling []string
	names := report.FormatNames()
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
			if demo && len(args) > 0 {
				return exit.Fail(exit.Usage, "--demo audits a network that is built in: leave out %s", diag.Escape(args[0]))
			}
			if demo {
				return nil
			}
			return takes(1, 1000)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cmp.Or(exit.Choice("format", format, names...), exit.Choice("by", cmp.Or(by, "owner"), "owner")); err != nil {
				return err
			}
			if by != "" && format != "md" {
				return exit.Fail(exit.Usage, "--by goes with --format md")
			}
			f, network, err := audit(a, args, cabling)
			if err != nil {
				return err
			}
			f.Strict = strict
			if err := known.Hold(a.Person, f, time.Now()); err != nil {
				return err
			}
			o := a.Options(a.Stdout)
			o.Why, o.ByOwner = why, by != ""
			if format == "text" {
				site.Page(a.Stdout, network, f, o)
			} else if err := report.Formats[slices.Index(names, format)].Write(a.Stdout, f, o); err != nil {
				return err
			}
			if f.Failed() {
				return exit.With(exit.Errors)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text, json, sarif, junit, github, gitlab or md")
	offer(cmd, "format", names...)
	cmd.Flags().StringArrayVar(&cabling, "cabling", nil, "`file` with the cables: of PTM, containerlab or Air, or a sheet; repeatable "+
		"for sheets of an inventory")
	cmd.Flags().StringVar(&by, "by", "", "with --format md: owner, a section for each `owner`")
	offer(cmd, "by", "owner")
	baselineFlags(cmd, &known)
	cmd.Flags().BoolVar(&demo, "demo", false, "audit a small network with faults that is built in")
	cmd.Flags().BoolVar(&strict, "warnings-as-errors", false, "exit 1 also when there are only warnings, or a file was not judged")
	cmd.Flags().BoolVar(&why, "why", false, "show the proof of every lossless group, what it assumes, and every note by itself")
	return cmd
}

// audit judges the files of a network as one fabric; without sources those of the network that is built in.
func audit(a *app, sources, cabling []string) (*report.Report, *site.Network, error) {
	read := &devicefiles.Found{Files: site.Demo(), Dir: site.DemoFolder}
	if len(sources) > 0 {
		var err error
		if read, err = devicefiles.Read(sources); err != nil {
			return nil, nil, err
		}
	}
	var source *intake.Origin
	if len(cabling) > 0 {
		found, err := intake.Look(cabling, nil, nil)
		if err != nil {
			return nil, nil, exit.Fail(exit.Usage, "--cabling: %v", err)
		}
		if source = found.Cables; source == nil || len(found.Devices) > 0 || found.Inventory != "" {
			return nil, nil, exit.Fail(exit.Usage, "--cabling is a cabling file, with sheets of the same inventory, and %s is another "+
				"kind of source",
				diag.And(cabling))
		}
	}
	beside, err := cablesOf(a, source, nil)
	if err != nil {
		return nil, nil, err
	}
	s, err := siteOf(a, read, site.Options{Given: beside})
	if err != nil {
		return nil, nil, err
	}
	f, network := s.Judge(read)
	if f.Sources = sources; len(sources) == 0 {
		f.Sources = []string{site.DemoFolder}
	}
	if source != nil {
		maps.Copy(f.Source.Files, source.Texts(f.Judged.Diags))
	}
	return f, network, nil
}
