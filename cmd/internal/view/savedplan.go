package view

import (
	"fmt"
	"strings"
	"time"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
)

// SavedPlan prints a saved plan: its fabric and inputs, and the files that it would change. A saved plan contains no contents of files.
func (s *Screen) SavedPlan(saved *deploy.Saved) {
	line := func(name string, values ...string) {
		if text := strings.Join(values, " "); text != "" {
			fmt.Fprintf(s.Raw, "%-11s %s\n", name, diag.Escape(text))
		}
	}
	line("fabric", saved.Fabric)
	line("made by", "rocec", saved.Tool)
	line("inputs", "SHA-256", saved.Inputs)
	line("variables", saved.Variables...)
	line("environment", saved.EnvironmentNames()...)
	line("var files", saved.VarFiles...)
	line("targets", saved.Targets...)
	if saved.AdoptDerived {
		line("derived", "adopted")
	}
	if t := saved.Terms; t != nil {
		line("name", t.Name)
		line("commit", t.Commit)
		line("why", t.Message)
		line("valid until", t.Expires.Format(time.RFC3339))
		line("nonce", t.Nonce)
		if t.Approvals > 0 {
			line("wants", diag.Count(t.Approvals, "approval"))
		}
		for i, w := range t.Waves {
			line("wave "+t.WaveName(i+1), w)
		}
		for _, h := range t.Holds {
			line("held", fmt.Sprintf("%s for %s, at most %s after the wave before it", t.WaveName(h.Wave), diag.Count(h.Approvals, "approval"),
				ShortTime(time.Duration(h.WithinSeconds)*time.Second)))
		}
		for _, text := range t.Disrupts {
			line("disrupts", text)
		}
		line("takes", "at most "+ShortTime(time.Duration(t.Takes)*time.Second))
	}
	same := 0
	for _, d := range saved.Devices {
		if d.Status == deploy.StatusOthers {
			continue
		}
		if d.Status == deploy.StatusSame || d.Status == deploy.StatusPending {
			same++
			continue
		}
		fmt.Fprintf(s.Raw, "\n%s  %s\n", s.Paint(diag.Bold, diag.Escape(d.Name)), diag.Escape(string(d.Status)))
		line("  host key", d.HostKey)
		for _, f := range d.Files {
			if f.Base != f.Target {
				fmt.Fprintf(s.Raw, "  %s  %s -> %s\n", diag.Escape(f.Path), shortHash(f.Base), shortHash(f.Target))
			}
		}
	}
	fmt.Fprintf(s.Raw, "\n%s, %d up to date. apply --plan checks whether they have changed since the plan.\n",
		diag.Count(len(saved.Devices), "device"), same)
	fmt.Fprintln(s.Raw, "The checksum of the file fits. It is not a signature: anyone who can write the file can also write its checksum.")
}

// shortHash returns the beginning of a SHA-256, which suffices to distinguish contents by eye.
func shortHash(sum string) string { return diag.Escape(sum[:min(len(sum), 12)]) }
