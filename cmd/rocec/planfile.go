package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
)

// savePlan writes the plan for a later apply --plan. It holds hashes and names, no content and no secret, and is for
// its owner's eyes.
func (a *app) savePlan(dir string, f *report.Report, plan *deploy.Plan, o planOptions) error {
	if plan.Empty() && troubled(plan) {
		return fail(exitMachines, "the plan was not saved: it changes nothing, for no device that was read differs")
	}
	folder, err := filepath.Abs(dir)
	if err != nil {
		return fail(exitUsage, "%v", err)
	}
	m := deploy.Meta{Tool: buildVersion().Version, Fabric: folder, Inputs: inputs(f), Vars: a.vars, Targets: o.only, OnlyIntent: o.onlyIntent}
	for _, name := range a.varFiles {
		abs, err := filepath.Abs(name)
		if err != nil {
			return fail(exitUsage, "%v", err)
		}
		m.VarFiles = append(m.VarFiles, abs)
	}
	var b bytes.Buffer
	if err := deploy.SavePlan(&b, plan, m); err != nil {
		return fail(exitUsage, "%v", err)
	}
	if err := replaceFile(o.out, b.Bytes(), 0o600); err != nil {
		return fail(exitUsage, "the plan could not be saved: %v", err)
	}
	if !a.quiet {
		fmt.Fprintf(a.stderr, "saved; do it with: %s\n", diag.Rocec("apply", diag.Flag("--plan", diag.Path("FILE", o.out))))
	}
	return nil
}

// loadPlan reads a saved plan and takes over what it was made with. The plan names its fabric; one that lies outside of the folder
// rocec runs in has to be named by the person too, so that a plan of another place is not applied by mistake.
func (a *app) loadPlan(name string, args []string) (*deploy.Saved, error) {
	saved, err := readPlan(name)
	if err != nil {
		return nil, err
	}
	if v := buildVersion().Version; saved.Tool != v {
		return nil, fail(exitUsage, "%s was made by rocec %s, this is %s: make the plan again", name, saved.Tool, v)
	}
	if len(args) == 0 && a.dir != "" {
		args = []string{a.dir}
	}
	if err := namedOrHere(name, saved.Fabric, args); err != nil {
		return nil, err
	}
	a.vars, a.varFiles = saved.Vars, saved.VarFiles
	return saved, nil
}

// namedOrHere refuses a saved plan of a fabric that the person has not named, and is not here.
func namedOrHere(plan, fabric string, args []string) error {
	if len(args) > 0 {
		named, err := filepath.Abs(args[0])
		if err != nil {
			return fail(exitUsage, "%v", err)
		}
		if resolved(named) != resolved(fabric) {
			return fail(exitUsage, "%s is a plan for the fabric in %s, not for the one in %s", plan, fabric, args[0])
		}
		return nil
	}
	here, err := os.Getwd()
	if err != nil {
		return fail(exitUsage, "%v", err)
	}
	rel, err := filepath.Rel(resolved(here), resolved(fabric))
	if err != nil || !filepath.IsLocal(rel) {
		return fail(exitUsage, "%s is a plan for the fabric in %s, which is not below this folder. If that is the one you mean, name it: %s",
			plan, fabric, diag.Rocec("apply", diag.Flag("--plan", diag.Path("FILE", plan)), diag.Path("DIR", fabric)))
	}
	return nil
}

// resolved is a path without symbolic links, as far as it is there.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// holds reports whether the plan made just now is the saved one: the same inputs, the same devices, the same bytes.
func holds(saved *deploy.Saved, f *report.Report, plan *deploy.Plan) error {
	if saved.Inputs != inputs(f) {
		return fail(exitMachines, "the fabric in %s changed after the plan was made. Nothing was changed; make the plan again.", saved.Fabric)
	}
	if err := plan.Matches(saved); err != nil {
		return fail(exitMachines, "%v", err)
	}
	return nil
}

// inputs is one hash over every file the fabric was read from. Names count by their last part, so that a folder may be
// named in another way.
func inputs(f *report.Report) string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(f.Source.Files)) {
		fmt.Fprintf(h, "%q %x\n", filepath.Base(name), sha256.Sum256(f.Source.Files[name]))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// readPlan reads a plan file.
func readPlan(name string) (*deploy.Saved, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, fail(exitUsage, "%v", err)
	}
	defer file.Close()
	saved, err := deploy.LoadPlan(file)
	if err != nil {
		return nil, fail(exitUsage, "%s: %v", name, err)
	}
	return saved, nil
}

// showPlan prints a saved plan: what it is for, what it was made of, and what it would change. Content is not in it.
func (a *app) showPlan(name, format string) error {
	saved, err := readPlan(name)
	if err != nil {
		return err
	}
	if format == "json" {
		return a.writeJSON(saved)
	}
	line := func(name string, values ...string) {
		if text := strings.Join(values, " "); text != "" {
			fmt.Fprintf(a.stdout, "%-10s %s\n", name, diag.Escape(text))
		}
	}
	line("fabric", saved.Fabric)
	line("made by", "rocec", saved.Tool)
	line("inputs", "SHA-256", saved.Inputs)
	line("variables", saved.Vars...)
	line("var files", saved.VarFiles...)
	line("targets", saved.Targets...)
	same := 0
	for _, d := range saved.Devices {
		if d.Status == deploy.StatusOthers {
			continue
		}
		if d.Status == deploy.StatusSame || d.Status == deploy.StatusPending {
			same++
			continue
		}
		fmt.Fprintf(a.stdout, "\n%s  %s\n", diag.Paint(a.paints(a.stdout), diag.Bold, diag.Escape(d.Name)), diag.Escape(string(d.Status)))
		line("  host key", d.HostKey)
		for _, f := range d.Files {
			if f.Base != f.Target {
				fmt.Fprintf(a.stdout, "  %s  %s -> %s\n", diag.Escape(f.Path), shortHash(f.Base), shortHash(f.Target))
			}
		}
	}
	fmt.Fprintf(a.stdout, "\n%s, %d up to date. Whether they are still as the plan saw them, apply --plan finds out.\n",
		diag.Count(len(saved.Devices), "device"), same)
	return nil
}

// shortHash is the beginning of a SHA-256, enough to tell contents apart by eye.
func shortHash(sum string) string { return diag.Escape(sum[:min(len(sum), 12)]) }
