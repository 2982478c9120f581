package main

import (
	"context"
	"fmt"
	"path"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/target"
)

func (a *app) verifyCommand() *cobra.Command {
	var format string
	var useLab bool
	var only []string
	cmd := &cobra.Command{
		Use:   "verify [DIR]",
		Short: "read settings and counters back and say what is not as written",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := choice("format", format, "text", "json"); err != nil {
				return err
			}
			return a.verify(cmd.Context(), folder(args), format, useLab, only)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	cmd.Flags().BoolVar(&useLab, "lab", false, "run against every device simulated inside the process")
	a.targetFlag(cmd, &only)
	return cmd
}

// The statuses of a device in verify.
const (
	verifyGood  = "good"
	verifyDrift = "drift"
)

type verifyDocument struct {
	FormatVersion string         `json:"format_version"`
	Good          bool           `json:"good"`
	Devices       []verifyDevice `json:"devices"`
	Summary       map[string]int `json:"summary"`
}

type verifyDevice struct {
	Name     string          `json:"name"`
	Status   string          `json:"status"`
	Reason   string          `json:"reason,omitempty"`
	Changes  []planChange    `json:"changes"`
	Findings []verifyFinding `json:"findings"`
}

type verifyFinding struct {
	Probe   string `json:"probe"`
	Message string `json:"message"`
}

func (a *app) verify(ctx context.Context, dir, format string, useLab bool, only []string) error {
	_, devices, err := a.open(dir, only, useLab)
	if err != nil {
		return err
	}
	defer devices.Close()
	o, end := a.reading()
	found := deploy.Verify(ctx, devices.dial, devices.tree, o)
	end()
	if ctx.Err() != nil {
		return fail(exitInterrupted, "interrupted")
	}
	doc := verifyDocument{
		FormatVersion: report.FormatVersion, Good: found.Sound(), Devices: []verifyDevice{},
		Summary: map[string]int{verifyGood: 0, verifyDrift: 0, string(deploy.StatusUnreachable): 0, string(deploy.StatusRefused): 0},
	}
	for _, h := range found.Devices {
		d := h.Drift
		v := verifyDevice{Name: d.Device.Name, Changes: changesJSON(d), Findings: []verifyFinding{}}
		for _, p := range h.Probes {
			for _, w := range p.Wrong {
				v.Findings = append(v.Findings, verifyFinding{p.Name, w})
			}
		}
		switch {
		case d.Err != nil:
			v.Status, v.Reason = string(d.Status), d.Err.Detail
		case h.Sound():
			v.Status = verifyGood
		default:
			v.Status = verifyDrift
		}
		doc.Summary[v.Status]++
		doc.Devices = append(doc.Devices, v)
	}
	if format == "json" {
		if err := a.writeJSON(doc); err != nil {
			return err
		}
	} else {
		a.verifyText(dir, found.Plan, doc)
	}
	switch {
	case doc.Summary[string(deploy.StatusUnreachable)]+doc.Summary[string(deploy.StatusRefused)] > 0:
		return &exit{exitMachines, ""}
	case !doc.Good:
		return &exit{exitErrors, ""}
	}
	return nil
}

func (a *app) verifyText(dir string, plan *deploy.Plan, doc verifyDocument) {
	v := &planView{w: a.stdout, color: a.paints(a.stdout), dir: path.Clean(dir)}
	for _, g := range deploy.Fold(plan) {
		switch g.First().Status {
		case deploy.StatusChange:
			v.change(g)
		case deploy.StatusUnreachable, deploy.StatusRefused:
			v.trouble(g.First())
		}
	}
	for _, d := range doc.Devices {
		for _, f := range d.Findings {
			fmt.Fprintf(a.stdout, "%s  %s: %s\n", v.paint(diag.Bold, d.Name), v.paint(diag.Yellow, f.Probe), target.Escape(f.Message))
		}
	}
	word := v.paint(diag.Green, "good")
	if !doc.Good {
		word = v.paint(diag.Red, "not as written")
	}
	fmt.Fprintf(a.stdout, "Verify: %s. %s as written, %d drifted, %d unreachable, %d refused.\n", word, diag.Count(doc.Summary[verifyGood], "device"),
		doc.Summary[verifyDrift], doc.Summary[string(deploy.StatusUnreachable)], doc.Summary[string(deploy.StatusRefused)])
}
