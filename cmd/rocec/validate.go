package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate"
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
			"copies named after their switch (leaf01-traffic.conf); the files of one folder are those of one switch.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			write, ok := validateFormats[format]
			if !ok {
				return choice("format", format, "text", "json", "sarif", "junit", "github", "gitlab")
			}
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
			if err := write(a, f); err != nil {
				return err
			}
			if f.diags.HasErrors() || strict && f.diags.Count(diag.Warning) > 0 {
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
	if f.devices != nil {
		a.deviceText(f)
		return nil
	}
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
		diag.Count(switches, "switch"), diag.Count(hosts, "host"), diag.Count(len(f.ir.Links), "link"), diag.Count(len(f.ir.Intents), "intent"))
	prose := &diag.Printer{Width: a.width(a.stdout)}
	var assumed []string // once for all groups
	for _, p := range f.report.Proofs {
		fmt.Fprintf(a.stdout, "  %s: %s\n", p.Group.Name, verdict(p))
		prose.Prose(a.stdout, "    ", p.Why) //nolint:errcheck // a closed terminal has nobody to tell
		for _, n := range p.Notes {
			prose.Prose(a.stdout, "    note: ", n) //nolint:errcheck // as above
		}
		for _, as := range p.Assumptions {
			if !slices.Contains(assumed, as) {
				assumed = append(assumed, as)
			}
		}
	}
	if assumed != nil {
		prose.Prose(a.stdout, "  assuming: ", strings.Join(assumed, "; ")) //nolint:errcheck // as above
	}
	return nil
}

// verdict says in one line what holds and by what.
func verdict(p validate.Proof) string {
	switch p.Verdict {
	case validate.Free:
		return "free of PFC loops" + p.Scope()
	case validate.Prone:
		return "prone to PFC loops"
	}
	return "not known to be free of PFC loops"
}

type jsonProof struct {
	CosGroup    string     `json:"cos_group"`
	Verdict     string     `json:"verdict"`
	Certificate string     `json:"certificate,omitempty"`
	Routing     ir.Routing `json:"routing"`
	Failures    int        `json:"failures"`
	Fewest      *bool      `json:"fewest,omitempty"` // of a prone verdict only
	AnyFailures bool       `json:"any_failures,omitempty"`
	Why         string     `json:"why,omitempty"`
	Assumptions []string   `json:"assumptions,omitempty"`
	Notes       []string   `json:"notes,omitempty"`
	Buffers     int        `json:"buffers,omitempty"`
	Turns       int        `json:"turns,omitempty"`
	Loops       []jsonLoop `json:"loops,omitempty"`
}

type jsonLoop struct {
	Circle []jsonHop  `json:"circle"`
	Down   []jsonLink `json:"down"`
	Flows  []jsonFlow `json:"flows,omitempty"`
}

type jsonHop struct {
	Device   string `json:"device"`
	In       string `json:"in"`
	Out      string `json:"out"`
	CosGroup string `json:"cos_group"`
}

type jsonLink struct {
	A string `json:"a"`
	B string `json:"b"`
}

type jsonFlow struct {
	From string   `json:"from"`
	To   string   `json:"to"`
	By   []string `json:"by"`
}

func jsonLoops(loops []validate.Loop) []jsonLoop {
	var out []jsonLoop
	for _, l := range loops {
		j := jsonLoop{Circle: []jsonHop{}, Down: []jsonLink{}}
		for _, h := range l.Circle {
			j.Circle = append(j.Circle, jsonHop{h.In.Device.Name, h.In.Name, h.Out.Name, h.Group.Name})
		}
		for _, d := range l.Down {
			j.Down = append(j.Down, jsonLink{d.A.String(), d.B.String()})
		}
		for _, f := range l.Flows {
			by := []string{}
			for i := 1; i+1 < len(f.Ports); i += 2 {
				by = append(by, f.Ports[i].Device.Name)
			}
			j.Flows = append(j.Flows, jsonFlow{f.Ports[0].String(), f.Ports[len(f.Ports)-1].String(), by})
		}
		out = append(out, j)
	}
	return out
}

type validateDocument struct {
	FormatVersion string      `json:"format_version"`
	Valid         bool        `json:"valid"`
	ErrorCount    int         `json:"error_count"`
	WarningCount  int         `json:"warning_count"`
	NoteCount     int         `json:"note_count"`
	PFCLoops      []jsonProof `json:"pfc_loops"`
	Diagnostics   diag.List   `json:"diagnostics"`
}

func (a *app) validateJSON(f *fabric) error {
	doc := validateDocument{
		FormatVersion: formatVersion, Valid: !f.diags.HasErrors(),
		ErrorCount: f.diags.Count(diag.Error), WarningCount: f.diags.Count(diag.Warning), NoteCount: f.diags.Count(diag.Notice),
		PFCLoops: []jsonProof{}, Diagnostics: diag.List{},
	}
	for _, p := range f.report.Proofs {
		var fewest *bool
		if p.Verdict == validate.Prone {
			fewest = &p.Fewest
		}
		doc.PFCLoops = append(doc.PFCLoops, jsonProof{
			CosGroup: p.Group.Name, Verdict: string(p.Verdict), Certificate: p.Certificate, Routing: p.Routing, Failures: p.Failures,
			Fewest: fewest, AnyFailures: p.Any, Why: p.Why, Assumptions: p.Assumptions, Notes: p.Notes, Buffers: p.Buffers, Turns: p.Turns,
			Loops: jsonLoops(p.Loops),
		})
	}
	doc.Diagnostics = append(doc.Diagnostics, f.diags...)
	return a.writeJSON(doc)
}
