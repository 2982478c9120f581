package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate"
)

func (a *app) validateCommand() *cobra.Command {
	var format string
	var strict bool
	cmd := &cobra.Command{
		Use:     "validate [DIR]",
		Aliases: []string{"lint"},
		Short:   "say everything that can be known without a device",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			write, ok := validateFormats[format]
			if !ok {
				return choice("format", format, "text", "json", "sarif", "junit", "github", "gitlab")
			}
			f, err := a.load(folder(args))
			if err != nil {
				return err
			}
			if err := write(a, f); err != nil {
				return err
			}
			if f.diags.HasErrors() || strict && len(f.diags) > 0 {
				return &exit{exitErrors, ""}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text, json, sarif, junit, github or gitlab")
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

// validateFormats is the table of output formats of validate.
var validateFormats = map[string]func(*app, *fabric) error{
	"text":   (*app).validateText,
	"json":   (*app).validateJSON,
	"sarif":  (*app).validateSARIF,
	"junit":  (*app).validateJUnit,
	"github": (*app).validateGitHub,
	"gitlab": (*app).validateGitLab,
}

func (a *app) validateText(f *fabric) error {
	a.printDiagnostics(a.stdout, f)
	if f.ir == nil || f.diags.HasErrors() || a.quiet {
		return nil
	}
	green := func(s string) string { return diag.Paint(a.paints(a.stdout), diag.Green, s) }
	switches, hosts := 0, 0
	for _, d := range f.ir.Devices {
		if d.Switch != nil {
			switches++
		} else {
			hosts++
		}
	}
	fmt.Fprintf(a.stdout, "fabric %q is %s: %s, %s, %s, %s\n", f.ir.Name, green("good"),
		count(switches, "switch"), count(hosts, "host"), count(len(f.ir.Links), "link"), count(len(f.ir.Intents), "intent"))
	for _, p := range f.report.Proofs {
		fmt.Fprintf(a.stdout, "  %s: %s of PFC loops%s\n", p.Group.Name, p.Verdict, proofBy(p))
		if p.Why != "" {
			(&diag.Printer{Width: a.width(a.stdout)}).Prose(a.stdout, "    ", p.Why)
		}
	}
	return nil
}

// proofBy says in a few words by what a verdict holds.
func proofBy(p validate.Proof) string {
	s := ""
	if p.Certificate != "" {
		s += ", by the certificate " + p.Certificate
	}
	switch {
	case p.Any:
		s += ", with any links down"
	case p.Failures > 0:
		s += fmt.Sprintf(", with up to %s down", count(p.Failures, "link"))
	case p.Verdict == validate.Free:
		s += ", with no link down"
	}
	return s
}

type jsonProof struct {
	CosGroup    string     `json:"cos_group"`
	Verdict     string     `json:"verdict"`
	Certificate string     `json:"certificate,omitempty"`
	Routing     ir.Routing `json:"routing"`
	Failures    int        `json:"failures"`
	AnyFailures bool       `json:"any_failures,omitempty"`
	Why         string     `json:"why,omitempty"`
	Assumptions []string   `json:"assumptions,omitempty"`
}

type validateDocument struct {
	FormatVersion string      `json:"format_version"`
	Valid         bool        `json:"valid"`
	ErrorCount    int         `json:"error_count"`
	WarningCount  int         `json:"warning_count"`
	PFCLoops      []jsonProof `json:"pfc_loops"`
	Diagnostics   diag.List   `json:"diagnostics"`
}

func (a *app) validateJSON(f *fabric) error {
	doc := validateDocument{
		FormatVersion: formatVersion, Valid: !f.diags.HasErrors(),
		ErrorCount: f.diags.Count(diag.Error), WarningCount: f.diags.Count(diag.Warning),
		PFCLoops: []jsonProof{}, Diagnostics: diag.List{},
	}
	for _, p := range f.report.Proofs {
		doc.PFCLoops = append(doc.PFCLoops, jsonProof{
			p.Group.Name, string(p.Verdict), p.Certificate, p.Routing, p.Failures, p.Any, p.Why, p.Assumptions,
		})
	}
	doc.Diagnostics = append(doc.Diagnostics, f.diags...)
	return a.writeJSON(doc)
}
