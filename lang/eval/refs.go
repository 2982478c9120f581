package eval

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/rocec/rocec/lang/diag"
)

// checkRefs checks that every reference in e is declared, and reports the first that is not. If e needs a variable or local that has a
// reported mistake, it returns false without a report.
func (ev *Evaluator) checkRefs(en *Env, e hclsyntax.Expression, ds *diag.List) bool {
	if en.Scope.checked[e] { // checked for another instance
		return true
	}
	for _, t := range ev.refs.in(e, en.repeated()) {
		if !ev.checkRef(en, t, ds) {
			return false
		}
	}
	en.Scope.checked[e] = true
	return true
}

func (ev *Evaluator) checkRef(en *Env, t hcl.Traversal, ds *diag.List) bool {
	sc, root := en.Scope, t.RootName()
	at := t.SourceRange()
	report := func(format string, args ...any) bool {
		UnknownReference.Errorf(ds, at, format, args...)
		return false
	}
	var has func(name string) bool
	var known func() []string
	among := func(names ...string) {
		has, known = func(n string) bool { return slices.Contains(names, n) }, func() []string { return names }
	}
	switch root {
	case "self":
		if !en.Self {
			return report("self is the device that a block declares. It has a value only in switch and host blocks, except in names. Write the " +
				"value itself, or move the expression there.")
		}
		among("group", "index", "name")
	case "each":
		if !en.Each {
			return report("each has a value only in blocks with for_each. Write the value itself, or give the block a for_each.")
		}
		among("key", "value")
	case "var":
		has, known = in(sc.Vars)
	case "local":
		has, known = in(sc.Locals)
	case "module":
		has, known = in(sc.Modules)
	case "cos_group", "switch", "host":
		has, known = in(sc.Names.Labels[root])
	default:
		why, meant := ev.unknownRoot(sc, t)
		UnknownReference.Errorf(ds, at, "%s", why).Instead(t[0].SourceRange(), meant)
		return false
	}
	if len(t) == 1 {
		return report("%s alone is not a reference. Write %s.NAME.%s", root, root, diag.Listed(" Write one of these: ", ev.Like(known)))
	}
	name, ok := stepName(t[1])
	if !ok {
		return report("A name must follow %s: %s.NAME.%s", root, root, diag.Listed(" Write one of these: ", ev.Like(known)))
	}
	if !has(name) {
		if sc.Names.Meant[root+"."+name] {
			return false
		}
		if outside := sc.elsewhere(root, name); outside != "" {
			return report("There is no %s.%s in this module. %s", root, diag.Plain(name), outside)
		}
		names := ev.Like(known)
		d := UnknownReference.Errorf(ds, at, "There is no %s.%s.%s", root, diag.Plain(name), ev.instead(root, name, names))
		if !ev.isDevice(name) {
			insteadOfStep(d, t[1], diag.Nearest(name, names))
		}
		return false
	}
	switch root {
	case "var":
		return sc.Vars[name].OK
	case "local":
		return sc.Locals[name].OK
	case "module":
		return ev.checkModule(sc.Modules[name], t, ds)
	}
	return true
}

// in returns two functions for the names of a map: a look-up, and a list for messages, which costs more.
func in[V any](m map[string]V) (has func(string) bool, names func() []string) {
	return func(n string) bool { _, ok := m[n]; return ok }, func() []string { return keys(m) }
}

func stepName(step hcl.Traverser) (string, bool) {
	switch s := step.(type) {
	case hcl.TraverseAttr:
		return s.Name, true
	case hcl.TraverseIndex:
		if s.Key.Type() == cty.String && !s.Key.IsNull() {
			return s.Key.AsString(), true
		}
	}
	return "", false
}

// insteadOfStep adds a fix that replaces a name in a reference.
func insteadOfStep(d *diag.Diagnostic, step hcl.Traverser, name string) {
	switch s := step.(type) {
	case hcl.TraverseAttr:
		if at := s.SrcRange; hclsyntax.ValidIdentifier(name) && at.End.Byte-at.Start.Byte > len(s.Name) { // including the dot
			at.Start.Byte, at.Start.Column = at.End.Byte-len(s.Name), at.Start.Column+at.End.Byte-at.Start.Byte-len(s.Name)
			d.Instead(at, name)
		}
	case hcl.TraverseIndex:
		if name != "" {
			d.Instead(s.SrcRange, fmt.Sprintf("[%q]", name))
		}
	}
}

// elsewhere returns the advice for a name that only an outer folder declares.
func (sc *Scope) elsewhere(kind, name string) string {
	for up := sc.Parent; up != nil; up = up.Parent {
		if _, ok := up.Names.Labels[kind][name]; ok && RefTypes[kind] != cty.NilType {
			return fmt.Sprintf("It is declared outside of the module. Give it to the module by a variable, such as %s = %s.%s in the module "+
				"block.", name, kind, name)
		}
	}
	return ""
}

// instead returns a proposal for a name that is not declared.
func (ev *Evaluator) instead(root, name string, known []string) string {
	switch {
	case ev.isDevice(name) && (root == "host" || root == "switch"):
		return fmt.Sprintf(" It is the name of a device, not of a group. Write %q in quotes.", diag.Cut(name))
	case len(known) > 0:
		return diag.Suggest(name, known)
	case root == "local":
		return fmt.Sprintf(" Write %s = ... in a locals block, or correct the name.", diag.Plain(name))
	case root == "var":
		return fmt.Sprintf(" Write a block variable %q { ... }, or correct the name.", diag.Cut(name))
	}
	return fmt.Sprintf(" Write a block %s %q { ... }, or correct the name.", root, diag.Cut(name))
}

// foreign has words of other languages, and what to write instead. %s is the text after the first dot.
var foreign = map[string]string{
	"yes": "Write true.", "on": "Write true.", "True": "Write true.", "TRUE": "Write true.",
	"no": "Write false.", "off": "Write false.", "False": "Write false.", "FALSE": "Write false.",
	"none": "Write null, or leave the attribute out.", "nil": "Write null, or leave the attribute out.",
	"variable": "Write var.%s.", "vars": "Write var.%s.", "locals": "Write local.%s.", "modules": "Write module.%s.",
	"count": "Write self.index for the number of a device, from 0.",
	"path":  "Paths are relative to the folder of the file. Write them without this word.",
	"env":   "Only variables read the environment: ROCEC_VAR_name. Write var.name.",
	"data":  "There are no data sources: a fabric has the same values whenever it is read. Give the value by a variable.",
}

// unknownRoot returns the message about a reference that begins with an unknown word, with a proposal. meant is the word that the
// author meant, if that is certain.
func (ev *Evaluator) unknownRoot(sc *Scope, t hcl.Traversal) (why, meant string) {
	word, after := t.RootName(), "NAME"
	if len(t) > 1 {
		if name, ok := stepName(t[1]); ok {
			after = diag.Cut(name)
		}
	}
	for _, kind := range []string{"cos_group", "switch", "host"} {
		if _, ok := sc.Names.Labels[kind][word]; ok {
			return fmt.Sprintf("%q means nothing here. Write %s.%s for the block, or %q in quotes for the text.", word, kind, word, word), kind +
				"." + word
		}
	}
	if _, ok := sc.Vars[word]; ok {
		return fmt.Sprintf("%q means nothing here. Write var.%s.", word, word), "var." + word
	}
	if _, ok := sc.Locals[word]; ok {
		return fmt.Sprintf("%q means nothing here. Write local.%s.", word, word), "local." + word
	}
	if _, ok := sc.Modules[word]; ok {
		return fmt.Sprintf("%q means nothing here. Write module.%s and the name of an output.", word, word), ""
	}
	if says, ok := foreign[word]; ok {
		return fmt.Sprintf("%q means nothing here. %s", word, strings.ReplaceAll(says, "%s", after)), ""
	}
	if ev.isBlock(word) && len(t) > 1 {
		return fmt.Sprintf("There are no references to %s blocks. Write %q in quotes, the name itself.", word, after), ""
	}
	if near := diag.Nearest(word, []string{"true", "false", "null"}); near != "" && len(t) == 1 {
		return fmt.Sprintf("%q means nothing here. Did you mean %s?", diag.Cut(word), near), near
	}
	if near := diag.Nearest(word, roots); near != "" && len(t) > 1 {
		return fmt.Sprintf("%q means nothing here. Did you mean %s.%s?", diag.Cut(word), near, after), near
	}
	if len(t) > 1 {
		return fmt.Sprintf("%q means nothing here. Put text in quotes; references start with %s.", diag.Cut(word), strings.Join(roots, ", ")), ""
	}
	return fmt.Sprintf("%q means nothing here. Write %q in quotes if it is text; references start with %s.", diag.Cut(word), diag.Cut(word),
		strings.Join(roots, ", ")), ""
}

// roots are the words with which references start.
var roots = []string{"var", "local", "cos_group", "switch", "host", "module", "self", "each"}

// checkModule checks the text after module.NAME against the keys and outputs of the module.
func (ev *Evaluator) checkModule(n *Node, t hcl.Traversal, ds *diag.List) bool {
	c := n.Module
	if !n.OK {
		return false
	}
	report := func(format string, args ...any) *diag.Diagnostic {
		return UnknownReference.Errorf(ds, t.SourceRange(), format, args...)
	}
	rest, name := t[2:], "module."+n.Name
	if c.Many && len(rest) > 0 {
		key, ok := stepName(rest[0])
		if _, dot := rest[0].(hcl.TraverseAttr); ok && dot && !c.Keys[key] {
			report("module.%s has for_each, so its instances have keys. Write module.%s[\"KEY\"].%s.%s", n.Name, n.Name, diag.Plain(key),
				diag.Listed(" The keys are ", LikeKeys(ev, c.Keys)))
			return false
		}
		if ok && !c.Keys[key] {
			keys := LikeKeys(ev, c.Keys)
			d := report("There is no module.%s[%q].%s", n.Name, diag.Cut(key), diag.Suggest(key, keys))
			insteadOfStep(d, rest[0], diag.Nearest(key, keys))
			return false
		}
		rest, name = rest[1:], fmt.Sprintf("module.%s[%q]", n.Name, key)
	}
	if len(rest) == 0 {
		return true
	}
	out, ok := stepName(rest[0])
	if !ok {
		return true // the evaluation reports the mistake
	}
	outputs := c.Names.Labels["output"]
	if _, ok := outputs[out]; !ok {
		if c.Names.Meant["output."+out] {
			return false
		}
		if _, ok := c.Names.Labels["variable"][out]; ok {
			report("%s has no output %q. %q is a variable of the module. Write an output block in the module for values that are read "+
				"outside.", name,
				diag.Cut(out), diag.Cut(out))
			return false
		}
		names := LikeKeys(ev, outputs)
		d := report("%s has no output %q.%s", name, diag.Cut(out), diag.Suggest(out, names))
		insteadOfStep(d, rest[0], diag.Nearest(out, names))
		return false
	}
	return !c.Silent[out]
}

// Like returns the names that a person may have meant by an unknown name. Each call compares the name with all others. In a large
// fabric with many wrong names this would take too long, so after a limit Like returns nothing.
func (ev *Evaluator) Like(known func() []string) []string {
	if ev.namesSeen > maxSeen {
		return nil
	}
	names := known()
	ev.namesSeen += len(names)
	return names
}

// LikeKeys is [Evaluator.Like] for the keys of a map.
func LikeKeys[V any](ev *Evaluator, m map[string]V) []string {
	return ev.Like(func() []string { return keys(m) })
}
