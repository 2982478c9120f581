package main

import (
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/devicefiles"
	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/wholefile"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
)

func validateCommand(a *app) *cobra.Command {
	var format string
	var devices []string
	var strict, why bool
	var known devicefiles.Baselines
	names := report.FormatNames()
	files := targets.Linters().Searched()
	cmd := &cobra.Command{
		Use:   "validate [DIR] [--device-config PATH]...",
		Short: "judge a fabric, or files of devices, without a login",
		Long: "Validate judges a fabric, or with --device-config files of devices. It logs in to no device. A folder is searched for " +
			diag.And(files) + ", and for copies named after their switch (leaf01-" + files[0] + "). Files of one folder and one such\n" +
			"name belong to one switch. With DIR or -C, files are compared with the fabric there: the folder or the name of a file names its\n" +
			"device. The fabric adds speeds, lengths of cables, models and releases, the lossless classes, and the cables between ports.\n" +
			"Without DIR, files are judged by themselves. A file that no rule could judge is not good: the last line counts such files, with\n" +
			"the reason. The exit status is then 1 with --warnings-as-errors, and always if no file was judged.\n\n" +
			"For a fabric without errors it prints a line per lossless cos group: whether it is free of PFC loops, up to how many failed links,\n" +
			"and under which routing. Notes that differ only in a name are printed once. --why shows the proofs, their assumptions, and every\n" +
			"note separately.\n\n" +
			"The formats text and json name files as you would type them. The formats of CI systems (sarif, junit, github, gitlab) name them\n" +
			"from the root of the repository, the folder with .git above the fabric's. With github, tables are appended to the file that\n" +
			"GITHUB_STEP_SUMMARY names.",
		Example: "  rocec validate\n" +
			"  rocec validate --why\n" +
			"  rocec validate --device-config startup.yaml\n" +
			"  rocec validate . --device-config collected",
		Args: takes(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := exit.Choice("format", format, names...); err != nil {
				return err
			}
			if known != (devicefiles.Baselines{}) && !cmd.Flags().Changed("device-config") {
				return exit.Fail(exit.Usage, "a baseline needs --device-config; in a fabric, write # rocec:ignore CODE reason above the line")
			}
			write := report.Formats[slices.Index(names, format)].Write
			var f *report.Report
			var err error
			if dir, wrong := a.Folder(args); wrong != nil || !cmd.Flags().Changed("device-config") {
				f, err = a.LoadNamed(args)
			} else {
				f, err = a.loadDeviceFiles(devices, dir, len(args) > 0 || a.Dir != "")
			}
			if err != nil {
				return err
			}
			f.Strict = strict
			if err := known.Hold(a.Person, f, time.Now()); err != nil {
				return err
			}
			o := a.Options(a.Stdout)
			o.Why = why
			if err := write(a.Stdout, f, o); err != nil {
				return err
			}
			if format == "github" {
				a.stepSummary(f)
			}
			if f.Failed() {
				return exit.With(exit.Errors)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text, json, sarif, junit, github, gitlab or md")
	offer(cmd, "format", names...)
	baselineFlags(cmd, &known)
	cmd.Flags().StringArrayVar(&devices, "device-config", nil, "judge files of devices: a file or a `folder`; repeatable")
	cmd.Flags().BoolVar(&strict, "warnings-as-errors", false, "exit 1 also when there are only warnings, or a file of a switch was not judged")
	cmd.Flags().BoolVar(&why, "why", false, "show the proofs, their assumptions, and every note separately")
	return cmd
}

// stepSummary appends verdicts and findings to the file that a step of a GitHub workflow names, if one does.
func (a *app) stepSummary(f *report.Report) {
	name := a.Getenv("GITHUB_STEP_SUMMARY")
	if name == "" {
		return
	}
	if err := appendFile(name, report.GitHubSummary(f)); err != nil {
		fmt.Fprintf(a.Stderr, "rocec: cannot write the step summary: %s\n", diag.Escape(err.Error()))
	}
}

func appendFile(name, text string) error {
	defer wholefile.Begin()()
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}
