package savedplan

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
)

// Same refuses a saved plan whose inputs differ from those of this command, before any device is asked. The error contains the command
// with the inputs of the plan. plan is the name of the file, and dir the fabric's folder in this command.
func (g *Given) Same(plan string, saved *deploy.Saved, dir string, f *report.Report) error {
	now, err := g.Meta(dir, f)
	if err != nil {
		return err
	}
	if differ := differences(&saved.Meta, &now); len(differ) > 0 {
		folder := dir
		if !SamePath(now.Fabric, saved.Fabric) {
			folder = saved.Fabric
		}
		text := fmt.Sprintf("the inputs of %s differ from this command: %s. Nothing was changed.", diag.Escape(plan),
			strings.Join(differ, "; "))
		if command := g.ApplyCommand(plan, folder, saved.Meta); len(command) <= mostCommand {
			text += "\nTo apply it with its own inputs: " + command
			if slices.ContainsFunc(saved.Variables, func(name string) bool { _, ok := g.vars()[name]; return !ok }) {
				text += "\nVALUE is the value with which the plan was made; the file contains only a hash."
			}
		} else {
			text += "\nTo see the inputs of the plan: " + diag.Rocec("show", diag.Flag("--plan", diag.Path("FILE", plan)))
		}
		return &exit.Error{Status: exit.Usage, Message: text} // the parts are already escaped, and the line breaks must stay
	}
	if saved.Inputs != now.Inputs {
		what := []string{"a file of the fabric in " + diag.Escape(dir)}
		if len(now.VarFiles) > 0 {
			what = append(what, "a file of --var-file")
		}
		if names := slices.Concat(now.Variables, now.EnvironmentNames()); len(names) > 0 {
			what = append(what, "a value of "+cutList(names))
		}
		return exit.Fail(exit.Machines, "%s changed after the plan was made: its hash differs. Nothing was changed; make the plan again.",
			strings.Join(what, " or "))
	}
	return nil
}

// mostCommand is the maximum of bytes in a command that is printed for pasting.
const mostCommand = 4096

// differences returns the inputs of a saved plan that differ from those of a command.
func differences(saved, now *deploy.Meta) (out []string) {
	if !SamePath(saved.Fabric, now.Fabric) {
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
	lists("environment", saved.EnvironmentNames(), now.EnvironmentNames(), equal)
	lists("--var-file", saved.VarFiles, now.VarFiles, SamePath)
	lists("--target", saved.Targets, now.Targets, equal)
	if saved.AdoptDerived != now.AdoptDerived {
		has := map[bool]string{true: "with", false: "without"}
		out = append(out, fmt.Sprintf("the plan was made %s --adopt-derived, this command is %s it",
			has[saved.AdoptDerived], has[now.AdoptDerived]))
	}
	return out
}

func otherFabric(saved *deploy.Meta, now string) string {
	return fmt.Sprintf("the plan is for the fabric in %q, not for the one in %q", diag.Cut(saved.Fabric), now)
}

// NoFabric refuses a saved plan of another folder than dir, if dir has no fabric with which the other inputs could be compared.
func (g *Given) NoFabric(plan string, saved *deploy.Saved, dir string) error {
	here, err := filepath.Abs(dir)
	if err != nil || SamePath(here, saved.Fabric) {
		return nil //nolint:nilerr // the load of the fabric reports it
	}
	return exit.Fail(exit.Usage, "%s: %s, which contains no fabric. Nothing was changed.\nTo apply it with its own inputs: %s",
		diag.Escape(plan), otherFabric(&saved.Meta, here), g.ApplyCommand(plan, saved.Fabric, saved.Meta))
}

// cutList returns the first of some texts, and the number of the others.
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

// ApplyCommand returns the command that applies a saved plan with the inputs of the plan. It writes VALUE for a variable that this
// command does not name.
func (g *Given) ApplyCommand(plan, dir string, m deploy.Meta) string {
	words := []diag.Word{diag.Flag("--plan", diag.Path("FILE", plan))}
	for _, name := range m.VarFiles {
		words = append(words, diag.Flag("--var-file", diag.Path("FILE", name)))
	}
	for _, name := range g.Allowed {
		words = append(words, diag.Flag("--allow-outside", diag.Path("FOLDER", name)))
	}
	given := g.vars()
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
	if m.AdoptDerived {
		words = append(words, diag.Flag("--adopt-derived"))
	}
	words = append(words, g.More...)
	if here, err := os.Getwd(); err != nil || !SamePath(here, m.Fabric) {
		words = append(words, diag.Path("DIR", dir))
	}
	return diag.Rocec("apply", words...)
}

// Command returns a command with a verb and the inputs of this command: variables, targets, the lab (empty: none) and the folder.
func (g *Given) Command(verb, lab, dir string) string {
	var words []diag.Word
	switch lab {
	case "":
	case "auto":
		words = append(words, diag.Flag("--lab"))
	default:
		words = append(words, diag.Flag("--lab=", diag.Path("FOLDER", lab)))
	}
	for _, name := range g.VarFiles {
		words = append(words, diag.Flag("--var-file", diag.Path("FILE", name)))
	}
	for _, name := range g.Allowed {
		words = append(words, diag.Flag("--allow-outside", diag.Path("FOLDER", name)))
	}
	for _, text := range g.Vars {
		name, _, _ := strings.Cut(text, "=")
		words = append(words, diag.Flag("--var", diag.Arg(name+"=VALUE", text)))
	}
	for _, name := range g.Targets {
		words = append(words, diag.Flag("--target", diag.Arg("DEVICE", name)))
	}
	if g.AdoptDerived {
		words = append(words, diag.Flag("--adopt-derived"))
	}
	words = append(words, g.More...)
	if dir != "." {
		words = append(words, diag.Path("DIR", dir))
	}
	return diag.Rocec(verb, words...)
}

// SamePath reports whether two absolute paths name the same place. It resolves symbolic links in the existing part of each path.
func SamePath(a, b string) bool { return resolved(a) == resolved(b) }

func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}
