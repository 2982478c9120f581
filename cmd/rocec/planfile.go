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

	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/targets/deploy"
)

// savePlan writes the plan for a later apply --plan. It holds hashes and names, no content and no secret, and is for
// its owner's eyes.
func (a *app) savePlan(dir string, f *report.Report, plan *deploy.Plan, o planOptions) error {
	folder, err := filepath.Abs(dir)
	if err != nil {
		return fail(exitUsage, "%v", err)
	}
	m := deploy.Meta{Tool: buildVersion().Version, Fabric: folder, Inputs: inputs(f), Vars: a.vars, Targets: o.only}
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
		fmt.Fprintf(a.stderr, "saved; do it with: rocec apply --plan %s\n", o.out)
	}
	return nil
}

// loadPlan reads a saved plan and takes over what it was made with.
func (a *app) loadPlan(name string) (*deploy.Saved, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, fail(exitUsage, "%v", err)
	}
	defer file.Close()
	saved, err := deploy.LoadPlan(file)
	if err != nil {
		return nil, fail(exitUsage, "%s: %v", name, err)
	}
	if v := buildVersion().Version; saved.Tool != v {
		return nil, fail(exitUsage, "%s was made by rocec %s, this is %s: make the plan again", name, saved.Tool, v)
	}
	a.vars, a.varFiles = saved.Vars, saved.VarFiles
	return saved, nil
}

// holds tells whether the plan made just now is the saved one: the same inputs, the same devices, the same bytes.
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
