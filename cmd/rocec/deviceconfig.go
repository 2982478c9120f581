package main

import (
	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/devicefiles"
	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/judge"
)

// loadDeviceFiles judges files of devices: the named files, and every known file below named folders. With a fabric it compares them with
// that fabric.
func (a *app) loadDeviceFiles(names []string, dir string, fabric bool) (*report.Report, error) {
	read, err := devicefiles.Read(names)
	switch {
	case err != nil:
		return nil, exit.Fail(exit.Usage, "--device-config: %v", err)
	case !fabric:
		return read.Judge(&report.Report{Judged: &judge.Judged{Source: &lang.Source{}}}), nil
	}
	f, err := a.Load(dir)
	if err != nil || f.Fabric == nil {
		return f, err
	}
	a.MentionErrors(f, diag.Rocec("validate"))
	return read.Judge(f), nil
}

// baselineFlags adds the flags of a baseline.
func baselineFlags(cmd *cobra.Command, o *devicefiles.Baselines) {
	cmd.Flags().StringVar(&o.Read, "baseline", "", "`file` of known findings: the exit status is 1 only for new, worse and expired findings")
	cmd.Flags().StringVar(&o.Write, "write-baseline", "", "write the findings to a `file`, for --baseline; existing rows stay as they are")
}
