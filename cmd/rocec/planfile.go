package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/wholefile"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/safefile"
)

// savePlan writes the plan for a later apply --plan. It holds hashes and names, no content and no value of a variable.
func (a *app) savePlan(dir string, f *report.Report, plan *deploy.Plan, o planOptions) error {
	if plan.Empty() && troubled(plan) {
		return exit.Fail(exit.Machines, "the plan was not saved: it changes nothing, for no device that was read differs")
	}
	m, err := a.planMeta(dir, f, o.only, o.onlyIntent)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := deploy.SavePlan(&b, plan, m); err != nil {
		return exit.Fail(exit.Usage, "%v", err)
	}
	if err := writePlan(o.out, b.Bytes()); err != nil {
		return exit.Fail(exit.Usage, "the plan could not be saved: %v", err)
	}
	if !a.quiet {
		fmt.Fprintf(a.stderr, "saved; do it with: %s\n", a.applyCommandLine(o.out, dir, m))
		if len(m.Environment) > 0 {
			fmt.Fprintf(a.stderr, "It wants the environment as it is now: %s.\n", diag.And(environmentNames(m.Environment)))
		}
	}
	return nil
}

// writePlan writes a plan file that apply takes: one that was there keeps its mode, but others may not write it. A link to a file is
// refused, as apply refuses it: another user could have put it into a shared folder, to have a file of this user replaced.
func writePlan(name string, data []byte) error {
	switch info, err := os.Lstat(name); {
	case err != nil:
	case info.Mode()&fs.ModeSymlink != 0:
		if to, err := os.Stat(name); err == nil && !to.Mode().IsRegular() { // such as /dev/stdout
			return wholefile.Replace(name, data, 0o600)
		}
		return fmt.Errorf("%s is a symbolic link, and apply takes no plan behind one: name the file itself", name)
	case info.Mode().IsRegular() && info.Mode().Perm()&0o022 != 0:
		if err := os.Chmod(name, info.Mode().Perm()&^0o022); err != nil {
			return err
		}
	}
	return wholefile.ReplaceLink(name, data, 0o600)
}

// planMeta is what a plan of this command is made of.
func (a *app) planMeta(dir string, f *report.Report, only []string, onlyIntent bool) (m deploy.Meta, err error) {
	m = deploy.Meta{Tool: buildVersion().Version, Targets: only, OnlyIntent: onlyIntent}
	if m.Fabric, err = filepath.Abs(dir); err != nil {
		return m, exit.Fail(exit.Usage, "%v", err)
	}
	for _, name := range a.varFiles {
		abs, err := filepath.Abs(name)
		if err != nil {
			return m, exit.Fail(exit.Usage, "%v", err)
		}
		m.VarFiles = append(m.VarFiles, abs)
	}
	vars, env := a.givenVars(), a.givenEnvironment(f)
	m.Variables, m.Environment = slices.Sorted(maps.Keys(vars)), slices.Sorted(maps.Keys(env))
	m.Inputs = a.inputs(f, vars, env)
	return m, nil
}

// givenVars are the values of --var by name; the last one wins.
func (a *app) givenVars() map[string]string {
	vars := map[string]string{}
	for _, kv := range a.vars {
		name, value, _ := strings.Cut(kv, "=")
		vars[name] = value
	}
	return vars
}

// envPrefix begins the variables of the environment that give the fabric's variables their values.
const envPrefix = "ROCEC_VAR_"

// givenEnvironment are the values of the environment, by the names of variables that the fabric declares.
func (a *app) givenEnvironment(f *report.Report) map[string]string {
	vars := map[string]string{}
	for _, kv := range a.environ {
		full, value, _ := strings.Cut(kv, "=")
		if name, ok := strings.CutPrefix(full, envPrefix); ok && f.Source.Files[full] != nil {
			vars[name] = value
		}
	}
	return vars
}

func environmentNames(names []string) []string {
	out := make([]string, 0, len(names))
	for _, name := range names {
		out = append(out, envPrefix+name)
	}
	return out
}

// inputs is one hash over every file the fabric was read from and every value given for a variable. Names of files count by their
// last part, so that a folder may be named in another way; files are sorted by what they are called from the fabric's folder.
func (a *app) inputs(f *report.Report, vars, env map[string]string) string {
	files := map[string]string{} // what each is called
	texts := maps.Clone(f.Source.Files)
	maps.Copy(texts, f.Hidden)
	for name := range texts {
		if lang.Given(name) {
			continue
		}
		called, err := filepath.Rel(f.Dir, filepath.FromSlash(name))
		if i := slices.Index(a.varFiles, name); i >= 0 || err != nil {
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

// loadPlan reads a saved plan for an apply. Nothing is taken over from it: what it was made of is compared with what the person names,
// so that a plan of another place, or a forged one, can only forbid.
func (a *app) loadPlan(name string) (*deploy.Saved, error) {
	saved, err := readPlan(name)
	if err != nil {
		return nil, err
	}
	if v := buildVersion().Version; saved.Tool != v {
		return nil, exit.Fail(exit.Usage, "%s was made by rocec %q, this is %q: make the plan again", diag.Escape(name),
			diag.Cut(saved.Tool), v)
	}
	return saved, nil
}

// named refuses a saved plan that was made with other things than this command names, before any device is asked. It prints the
// command that names them.
func (a *app) named(plan string, saved *deploy.Saved, dir string, f *report.Report, o *applyOptions) error {
	now, err := a.planMeta(dir, f, o.only, o.onlyIntent)
	if err != nil {
		return err
	}
	if differ := differences(&saved.Meta, &now); len(differ) > 0 {
		folder := dir
		if resolved(now.Fabric) != resolved(saved.Fabric) {
			folder = saved.Fabric
		}
		text := fmt.Sprintf("%s was not made with what this command names: %s. Nothing was changed.", diag.Escape(plan),
			strings.Join(differ, "; "))
		if command := a.applyCommandLine(plan, folder, saved.Meta); len(command) <= mostCommand {
			text += "\nIf you mean to apply it as it was made: " + command
			if slices.ContainsFunc(saved.Variables, func(name string) bool { _, ok := a.givenVars()[name]; return !ok }) {
				text += "\nVALUE is the value that the plan was made with; the file holds only a hash."
			}
		} else {
			text += "\nTo see with what it was made: " + diag.Rocec("show", diag.Flag("--plan", diag.Path("FILE", plan)))
		}
		return &exit.Error{Status: exit.Usage, Message: text} // what is from outside is escaped, and the lines stay
	}
	if saved.Inputs != now.Inputs {
		what := []string{"a file of the fabric in " + diag.Escape(dir)}
		if len(now.VarFiles) > 0 {
			what = append(what, "a file of --var-file")
		}
		if names := slices.Concat(now.Variables, environmentNames(now.Environment)); len(names) > 0 {
			what = append(what, "a value of "+cutList(names))
		}
		return exit.Fail(exit.Machines, "%s changed after the plan was made: its hash is another one. Nothing was changed; make the plan again.",
			strings.Join(what, " or "))
	}
	return nil
}

// mostCommand is the longest command that is printed to be pasted, in bytes.
const mostCommand = 4096

// differences says in what a saved plan was made with other things than a command names.
func differences(saved, now *deploy.Meta) (out []string) {
	if resolved(saved.Fabric) != resolved(now.Fabric) {
		out = append(out, otherFabric(saved, now.Fabric))
	}
	lists := func(what string, was, is []string, same func(a, b string) bool) {
		if slices.EqualFunc(was, is, same) {
			return
		}
		out = append(out, fmt.Sprintf("%s: the plan has %s, this command has %s", what, cutList(was), cutList(is)))
	}
	equal := func(a, b string) bool { return a == b }
	lists("--var", saved.Variables, now.Variables, equal)
	lists("environment", environmentNames(saved.Environment), environmentNames(now.Environment), equal)
	lists("--var-file", saved.VarFiles, now.VarFiles, func(a, b string) bool { return resolved(a) == resolved(b) })
	lists("--target", saved.Targets, now.Targets, equal)
	if saved.OnlyIntent != now.OnlyIntent {
		has := map[bool]string{true: "with", false: "without"}
		out = append(out, fmt.Sprintf("the plan was made %s --only-intent, this command is %s it", has[saved.OnlyIntent], has[now.OnlyIntent]))
	}
	return out
}

func otherFabric(saved *deploy.Meta, now string) string {
	return fmt.Sprintf("the plan is for the fabric in %q, not for the one in %q", diag.Cut(saved.Fabric), now)
}

// noFabricHere refuses a saved plan of another folder where this one has no fabric, in whose terms the rest could be compared.
func (a *app) noFabricHere(plan string, saved *deploy.Saved, dir string) error {
	here, err := filepath.Abs(dir)
	if err != nil || hasFabric(dir) || resolved(here) == resolved(saved.Fabric) {
		return nil //nolint:nilerr // the load of the fabric says it
	}
	return exit.Fail(exit.Usage, "%s: %s, which has none. Nothing was changed.\nIf you mean to apply it as it was made: %s", diag.Escape(plan),
		otherFabric(&saved.Meta, here), a.applyCommandLine(plan, saved.Fabric, saved.Meta))
}

// cutList names the first of some texts.
func cutList(texts []string) string {
	const most = 5
	var out []string
	for _, text := range texts[:min(len(texts), most)] {
		out = append(out, strconv.Quote(diag.Cut(text)))
	}
	if n := len(texts) - len(out); n > 0 {
		out = append(out, fmt.Sprintf("%d more", n))
	}
	return cmp.Or(diag.And(out), "none")
}

// applyCommandLine is the command that applies a saved plan with what it was made with. Of a variable that this command does not name
// the value is not known.
func (a *app) applyCommandLine(plan, dir string, m deploy.Meta) string {
	words := []diag.Word{diag.Flag("--plan", diag.Path("FILE", plan))}
	for _, name := range m.VarFiles {
		words = append(words, diag.Flag("--var-file", diag.Path("FILE", name)))
	}
	for _, name := range a.allowed {
		words = append(words, diag.Flag("--allow-outside", diag.Path("FOLDER", name)))
	}
	given := a.givenVars()
	for _, name := range m.Variables {
		value, ok := given[name]
		if !ok {
			value = "VALUE"
		}
		words = append(words, diag.Flag("--var", diag.Arg(name+"=VALUE", name+"="+value)))
	}
	for _, name := range m.Targets {
		words = append(words, diag.Flag("--target", diag.Arg("DEVICE", name)))
	}
	if m.OnlyIntent {
		words = append(words, diag.Flag("--only-intent"))
	}
	if here, err := os.Getwd(); err != nil || resolved(here) != resolved(m.Fabric) {
		words = append(words, diag.Path("DIR", dir))
	}
	return diag.Rocec("apply", words...)
}

// resolved is a path without symbolic links, as far as it is there.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// readPlan reads a plan file. It refuses one that another user could have written; others may read it, as an artifact of CI.
func readPlan(name string) (*deploy.Saved, error) {
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
			fmt.Fprintf(a.stdout, "%-11s %s\n", name, diag.Escape(text))
		}
	}
	line("fabric", saved.Fabric)
	line("made by", "rocec", saved.Tool)
	line("inputs", "SHA-256", saved.Inputs)
	line("variables", saved.Variables...)
	line("environment", environmentNames(saved.Environment)...)
	line("var files", saved.VarFiles...)
	line("targets", saved.Targets...)
	if saved.OnlyIntent {
		line("only intent", "yes")
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
	fmt.Fprintln(a.stdout, "The checksum of the file fits. It is no signature: whoever can write the file can write one that fits.")
	return nil
}

// shortHash is the beginning of a SHA-256, enough to tell contents apart by eye.
func shortHash(sum string) string { return diag.Escape(sum[:min(len(sum), 12)]) }
