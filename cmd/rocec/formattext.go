package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate"
)

func (a *app) validateText(f *fabric) error {
	if f.devices != nil {
		a.deviceText(f)
		return nil
	}
	a.printDiagnostics(a.stdout, f)
	if len(f.Diags) == 0 && len(f.Ignored) > 0 && !a.quiet {
		fmt.Fprintf(a.stdout, "%s ignored by comments", diag.Count(len(f.Ignored), "finding"))
		if !a.verbose {
			fmt.Fprint(a.stdout, "; -v lists them")
		}
		fmt.Fprintln(a.stdout)
	}
	if f.Fabric == nil || f.Diags.HasErrors() || a.quiet {
		return nil
	}
	green := func(s string) string { return diag.Paint(a.paints(a.stdout), diag.Green, s) }
	switches, hosts := 0, 0
	for _, d := range f.Fabric.Devices {
		if d.Switch != nil {
			switches++
		} else {
			hosts++
		}
	}
	fmt.Fprintf(a.stdout, "fabric %q is %s: %s, %s, %s, %s\n", f.Fabric.Name, green("good"),
		diag.Count(switches, "switch"), diag.Count(hosts, "host"), diag.Count(len(f.Fabric.Links), "link"), diag.Count(len(f.Fabric.Intents), "intent"))
	prose := &diag.Printer{Width: a.width(a.stdout)}
	var assumed []string // once for all groups
	for _, p := range f.Proofs {
		fmt.Fprintf(a.stdout, "  %s: %s\n", p.Group.Name, verdict(p))
		prose.Prose(a.stdout, "    ", p.Why()) //nolint:errcheck // a closed terminal has nobody to tell
		for _, n := range p.NoteTexts() {
			prose.Prose(a.stdout, "    note: ", n) //nolint:errcheck // as above
		}
		for _, as := range p.AssumptionTexts() {
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
func verdict(p validate.GroupProof) string {
	switch p.Verdict {
	case validate.Free:
		return "free of PFC loops" + p.Scope()
	case validate.Prone:
		return "prone to PFC loops"
	}
	return "not known to be free of PFC loops"
}
