package main

import (
	"slices"

	"github.com/spf13/cobra"
)

func (a *app) validateCommand() *cobra.Command {
	var format, devices string
	var strict bool
	cmd := &cobra.Command{
		Use:     "validate [DIR]",
		Aliases: []string{"lint"},
		Short:   "say everything that can be known without a device",
		Long: "Validate says everything that can be known of a fabric without a device; or, with --device-config, of files that lie on\n" +
			"switches already. A folder is searched for traffic.conf, qos_features.conf, qos_infra.conf and datapath.conf, and for\n" +
			"copies named after their switch (leaf01-traffic.conf); the files of one folder are those of one switch.\n\n" +
			"The formats text and json name files as you would type them. The formats of CI systems (sarif, junit, github, gitlab)\n" +
			"name them from the root of the repository, the folder with .git above the fabric's, wherever rocec is started. With\n" +
			"github, tables are appended to the file that GITHUB_STEP_SUMMARY names.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			names := make([]string, len(validateFormats))
			for i, f := range validateFormats {
				names[i] = f.name
			}
			if err := choice("format", format, names...); err != nil {
				return err
			}
			write := validateFormats[slices.Index(names, format)].write
			var f *fabric
			var err error
			switch {
			case !cmd.Flags().Changed("device-config"):
				f, err = a.load(folder(args))
			case len(args) > 0:
				return fail(exitUsage, "either the fabric in %s, or --device-config %s: one of them", args[0], devices)
			default:
				f, err = a.loadDeviceFiles(devices)
			}
			if err != nil {
				return err
			}
			f.strict = strict
			if err := write(a, f); err != nil {
				return err
			}
			if slices.ContainsFunc(f.Diags, f.fails) {
				return &exit{exitErrors, ""}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text, json, sarif, junit, github or gitlab")
	cmd.Flags().StringVar(&devices, "device-config", "", "judge files that lie on switches, a file or a folder, instead of a fabric")
	cmd.Flags().BoolVar(&strict, "warnings-as-errors", false, "exit 1 also when there are only warnings")
	return cmd
}

// folder returns the DIR argument, by default the current folder.
func folder(args []string) string {
	if len(args) == 0 {
		return "."
	}
	return args[0]
}
