// Package savedplan keeps a plan in a file for a later apply, and compares the inputs of the plan with the inputs of the apply, its
// [Given]. An apply uses no content of the file, so a forged plan can only make it refuse.
package savedplan

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/wholefile"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/safefile"
)

// Given contains the inputs of a plan that a command names, except the folder of the fabric.
type Given struct {
	Tool         string   // version of rocec
	Vars         []string // "k=v" of --var, in order; the last one wins
	VarFiles     []string // of --var-file, in order
	Environ      []string // from os.Environ
	Allowed      []string // of --allow-outside
	Targets      []string // of --target
	AdoptDerived bool     // of --adopt-derived

	More []diag.Word // flags for the apply that a plan file does not contain
}

// Save writes a plan to a file, and returns its inputs. The file contains hashes and names, but no contents and no values of variables.
func (g *Given) Save(name, dir string, f *report.Report, plan *deploy.Plan, terms *deploy.Terms) (deploy.Meta, error) {
	m, err := g.Meta(dir, f)
	if err != nil {
		return m, err
	}
	m.Terms = terms
	var b bytes.Buffer
	if err := deploy.SavePlan(&b, plan, m); err != nil {
		return m, exit.Fail(exit.Usage, "%v", err)
	}
	return m, Write(name, b.Bytes())
}

// Write writes the bytes of a plan to a file.
func Write(name string, data []byte) error {
	if err := write(name, data); err != nil {
		return exit.Fail(exit.Usage, "the plan could not be saved: %v", err)
	}
	return nil
}

// write writes a plan file that apply accepts. An existing file keeps its mode, except for write permission of others. It refuses a link
// to a file, as apply does: another user could have put the link into a shared folder to overwrite a file of this user.
func write(name string, data []byte) error {
	switch info, err := os.Lstat(name); {
	case err != nil:
	case info.Mode()&fs.ModeSymlink != 0:
		if to, err := os.Stat(name); err == nil && !to.Mode().IsRegular() { // such as /dev/stdout
			return wholefile.Replace(name, data, 0o600)
		}
		return fmt.Errorf("%s is a symbolic link, and apply accepts no link to a plan: name the file itself", name)
	case info.Mode().IsRegular() && info.Mode().Perm()&0o022 != 0:
		if err := os.Chmod(name, info.Mode().Perm()&^0o022); err != nil {
			return err
		}
	}
	return wholefile.ReplaceLink(name, data, 0o600)
}

// Read reads a plan file. It refuses a file that another user could have written. Others may read the file, as in CI.
func Read(name string) (*deploy.Saved, error) {
	file, err := safefile.Open(name)
	if err != nil {
		return nil, exit.Fail(exit.Usage, "%v", err)
	}
	defer file.Close()
	saved, err := deploy.LoadPlan(file)
	if err != nil {
		return nil, exit.Fail(exit.Usage, "%s: %v", diag.Escape(name), err)
	}
	return saved, nil
}

// Load reads a plan file for an apply. It refuses a plan of another version of rocec.
func (g *Given) Load(name string) (*deploy.Saved, error) {
	saved, err := Read(name)
	if err != nil {
		return nil, err
	}
	if saved.Tool != g.Tool {
		return nil, exit.Fail(exit.Usage, "%s was made by rocec %q, this is %q: make the plan again", diag.Escape(name),
			diag.Cut(saved.Tool), g.Tool)
	}
	return saved, nil
}

// Meta returns the inputs of a plan that this command makes.
func (g *Given) Meta(dir string, f *report.Report) (m deploy.Meta, err error) {
	m = deploy.Meta{Tool: g.Tool, Targets: g.Targets, AdoptDerived: g.AdoptDerived}
	if m.Fabric, err = filepath.Abs(dir); err != nil {
		return m, exit.Fail(exit.Usage, "%v", err)
	}
	for _, name := range g.VarFiles {
		abs, err := filepath.Abs(name)
		if err != nil {
			return m, exit.Fail(exit.Usage, "%v", err)
		}
		m.VarFiles = append(m.VarFiles, abs)
	}
	vars, env := g.vars(), g.environment(f)
	m.Variables, m.Environment = slices.Sorted(maps.Keys(vars)), slices.Sorted(maps.Keys(env))
	m.Inputs = g.inputs(f, vars, env)
	return m, nil
}

// Inputs returns one hash of every file of the fabric and every given value of a variable.
func Inputs(g *Given, f *report.Report) string { return g.inputs(f, g.vars(), g.environment(f)) }

// vars returns the values of --var by name.
func (g *Given) vars() map[string]string {
	vars := map[string]string{}
	for _, kv := range g.Vars {
		name, value, _ := strings.Cut(kv, "=")
		vars[name] = value
	}
	return vars
}

// environment returns the values of the environment, by the names of variables that the fabric declares.
func (g *Given) environment(f *report.Report) map[string]string {
	vars := map[string]string{}
	for _, kv := range g.Environ {
		full, value, _ := strings.Cut(kv, "=")
		if name, ok := strings.CutPrefix(full, deploy.EnvPrefix); ok && f.Source.Files[full] != nil {
			vars[name] = value
		}
	}
	return vars
}

// inputs returns one hash of every file of the fabric and every given value of a variable. Only the last part of a file name counts, so
// the folder may have another name. Files are sorted by their paths relative to the fabric's folder.
func (g *Given) inputs(f *report.Report, vars, env map[string]string) string {
	files := map[string]string{} // by path and name
	texts := maps.Clone(f.Source.Files)
	maps.Copy(texts, f.Hidden)
	for name := range texts {
		if lang.Given(name) {
			continue
		}
		called, err := filepath.Rel(f.Dir, filepath.FromSlash(name))
		if i := slices.Index(g.VarFiles, name); i >= 0 || err != nil {
			called = fmt.Sprintf("--var-file %d", i)
		}
		files[called+"\x00"+name] = name
	}
	h := sha256.New()
	for _, key := range slices.Sorted(maps.Keys(files)) {
		name := files[key]
		fmt.Fprintf(h, "%q %x\n", filepath.Base(name), sha256.Sum256(texts[name]))
	}
	for i, values := range []map[string]string{vars, env} {
		for _, name := range slices.Sorted(maps.Keys(values)) {
			fmt.Fprintf(h, "%d %q %q\n", i, name, values[name])
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}
