package main

import (
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/devicefiles"
	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/intake"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/site"
	"github.com/rocec/rocec/lang/diag"
)

func auditCommand(a *app) *cobra.Command {
	var format string
	var strict, why bool
	var cabling []string
	names := report.FormatNames()
	cmd := &cobra.Command{
		Use:   "audit SOURCE...",
		Short: "judge a network that runs, by the files that people keep of its devices",
		Long: "Audit judges a network without a description: by the configurations of its switches and hosts, and by the cables that\n" +
			"LLDP shows. It writes nothing, and logs in nowhere.\n" +
			"\n" +
			"SOURCE is a file or a folder, as for validate --device-config: a folder has one folder a device, or files named after\n" +
			"their device. Cables come from `lldpctl -f json`, as DEVICE/lldp.json or DEVICE-lldp.json, and from the table\n" +
			"DEVICE_NEIGHBOR of SONiC. A cable needs one end that names the other. --cabling adds the cables of a cabling file:\n" +
			"where LLDP shows another cable at a port, LLDP counts, and the line of the file is a finding. Lengths are those of the\n" +
			"file.\n" +
			"\n" +
			"Audit makes a fabric of these files, as init --from FOLDER would write it, and judges it and each file beside it.\n" +
			"Classes are those of at least a quarter of the ports with PFC. The length of a cable that no file states is the\n" +
			"longest for which the headroom of its ports is. Devices that neighbours name, and of which no file is there, are taken\n" +
			"to be set as the others are: verdicts name them.",
		Example: "  rocec audit collected\n" +
			"  rocec audit --cabling cables.csv collected\n" +
			"  rocec audit --format json collected > audit.json",
		Args: takes(1, 1000),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := exit.Choice("format", format, names...); err != nil {
				return err
			}
			f, network, err := audit(a, args, cabling)
			if err != nil {
				return err
			}
			f.Strict = strict
			o := a.Options(a.Stdout)
			o.Why = why
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
	cmd.Flags().StringVar(&format, "format", "text", "text, json, sarif, junit, github or gitlab")
	offer(cmd, "format", names...)
	cmd.Flags().StringArrayVar(&cabling, "cabling", nil, "`file` with the cables: of PTM, containerlab or Air, or a sheet; repeatable "+
		"for sheets of an inventory")
	cmd.Flags().BoolVar(&strict, "warnings-as-errors", false, "exit 1 also when there are only warnings, or a file was not judged")
	cmd.Flags().BoolVar(&why, "why", false, "show the proof of every lossless group, what it assumes, and every note by itself")
	return cmd
}

// audit judges the files of a network as one fabric.
func audit(a *app, sources []string, cabling []string) (*report.Report, *site.Network, error) {
	read, err := devicefiles.Read(sources)
	if err != nil {
		return nil, nil, err
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
	fabric := &report.Report{Judged: s.Judged}
	if s.Judged.Fabric == nil {
		fabric.Source = s.Judged.Source
	}
	f := read.Judge(fabric)
	f.Judged.Diags = append(append(f.Judged.Diags, s.Judged.Diags...), s.Cables.Against...)
	f.Judged.Diags.Sort()
	f.Judged.Proofs, f.Judged.Fabric = s.Judged.Proofs, s.Judged.Fabric
	network := s.Network()
	for _, m := range read.Snapshots {
		network.Snapshots = append(network.Snapshots, m.Says()...)
	}
	f.Network = network
	maps.Copy(f.Source.Files, s.Judged.Source.Files)
	if source != nil {
		maps.Copy(f.Source.Files, source.Texts(f.Judged.Diags))
	}
	return f, network, nil
}
