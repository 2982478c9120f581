package lang

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/rocec/rocec/lang/diag"
)

// call is what a module block came to.
type call struct {
	block  *hclsyntax.Block
	folder *folder         // nil when it cannot be read
	many   bool            // for_each: values are by key
	keys   map[string]bool // of for_each
	silent map[string]bool // outputs with a mistake, reported at their place
}

// modules makes a node of every module block of a scope.
func (l *loader) moduleNodes(sc *scope) []*node {
	sc.modules = map[string]*node{}
	var order []*node
	for _, b := range sc.folder.blocks["module"] {
		n := &node{kind: "module", name: b.Labels[0], at: header(b), call: &call{block: b, silent: map[string]bool{}}}
		for _, a := range sortedAttributes(b.Body) {
			n.exprs = append(n.exprs, a.Expr)
		}
		sc.modules[n.name] = n
		order = append(order, n)
	}
	return order
}

// callModule makes the instances of a module, whose arguments are evaluated in ctx.
func (l *loader) callModule(sc *scope, n *node, ctx *hcl.EvalContext) {
	c, b, before := n.call, n.call.block, len(l.diags)
	for _, inner := range b.Body.Blocks {
		unknownBlock.Errorf(&l.diags, inner.TypeRange, "A module block holds attributes only: source, for_each and values for the module's variables. Write %s = ... if it is one of them.", inner.Type)
	}
	if c.folder = l.openModule(sc, b); c.folder == nil {
		return
	}
	declared := c.folder.labels["variable"]
	for _, a := range sortedAttributes(b.Body) {
		if a.Name == "source" || a.Name == "for_each" {
			continue
		}
		if _, ok := declared[a.Name]; !ok {
			if a.Name == "count" {
				undeclaredVariable.Errorf(&l.diags, a.NameRange, "The module in %s declares no variable \"count\". A module is repeated by for_each. Write for_each = toset([\"a\", \"b\"]), with a key for each instance.", quoteDir(c.folder.name))
				continue
			}
			names := likeKeys(l, declared)
			undeclaredVariable.Errorf(&l.diags, a.NameRange, "The module in %s declares no variable %q.%s", quoteDir(c.folder.name), a.Name, didYouMean(a.Name, names)).
				Instead(a.NameRange, diag.Nearest(a.Name, names))
		}
	}
	_, c.many = b.Body.Attributes["for_each"]
	c.keys = map[string]bool{}
	values := map[string]cty.Value{}
	instances := 0
	l.forEach(b, &env{sc: sc, ctx: ctx}, func(en *env, key string) {
		if l.blocksUsed += c.folder.size + instanceBlocks; l.blocksUsed > maxModuleBlocks {
			if instances >= 0 {
				tooLarge.Errorf(&l.diags, header(b), "The modules of the fabric hold more than %s blocks all together, every instance counted. Name many things with nodesets instead.", diag.Number(maxModuleBlocks))
			}
			instances = -1
			return
		}
		if instances++; instances == 1 {
			if l.src.Calls == nil {
				l.src.Calls = map[string][]diag.Range{}
			}
			if calls := l.src.Calls[c.folder.name]; !slices.Contains(calls, header(b)) {
				l.src.Calls[c.folder.name] = append(calls, header(b))
			}
		}
		c.keys[key] = true
		prefix := instanceName(b, key, en) + "."
		child := l.newScope(c.folder, prefix)
		child.caller, child.parent = b, sc
		sc.children = append(sc.children, child)
		l.inside(child, func() { l.settleScope(child, func(child *scope) map[string]*given { return l.arguments(child, en) }) })
		values[key] = l.outputs(child, c)
	})
	if instances < 0 || !c.many && instances == 0 || mistakenIn(b, l.diags[before:]) {
		return // and nothing is said of what needs its outputs
	}
	n.ok = true
	if c.many {
		n.value = cty.ObjectVal(values)
	} else {
		n.value = values[""]
	}
}

// mistakenIn tells whether an error was found in a block itself.
func mistakenIn(b *hclsyntax.Block, found diag.List) bool {
	at := b.Range()
	return slices.ContainsFunc(found, func(d *diag.Diagnostic) bool {
		return d.Severity == diag.Error && d.At.Filename == at.Filename && at.Start.Byte <= d.At.Start.Byte && d.At.Start.Byte < at.End.Byte
	})
}

// openModule reads the folder a module block names, once for all that name it.
func (l *loader) openModule(sc *scope, b *hclsyntax.Block) *folder {
	a, ok := b.Body.Attributes["source"]
	if !ok {
		missingAttribute.Errorf(&l.diags, header(b), "This module block needs source, the folder of the module. Write source = \"./pod\" or the like.")
		return nil
	}
	v, literally := literal(a.Expr)
	switch {
	case l.failed[a.Expr]:
		return nil
	case !literally || v.Type() != cty.String:
		wrongType.Errorf(&l.diags, a.Expr.Range(), "The source of a module is the path of its folder, written out in quotes. Write one such as \"./pod\" or \"../shared/pod\".")
		return nil
	}
	source := v.AsString()
	clean := path.Clean(source)
	if !strings.HasPrefix(source, "./") && !strings.HasPrefix(source, "../") || strings.ContainsAny(source, "\x00\\") || clean == "." {
		hint := ""
		if fs.ValidPath(clean) && clean != "." && !strings.Contains(source, ":") {
			hint = diag.Meant("./" + diag.Cut(clean))
		}
		badValue.Errorf(&l.diags, a.Expr.Range(), "%q is no folder of a module. Write a path that begins with \"./\" or \"../\", from the "+
			"folder of this file. Nothing is fetched from elsewhere.%s", diag.Cut(source), hint)
		return nil
	}
	name := path.Join(sc.folder.name, source)
	depth := 0
	for up := sc; up != nil; up = up.parent {
		if up.folder.name == name {
			l.reportModuleCycle(sc, up, a.Expr.Range(), name)
			return nil
		}
		depth++
	}
	if depth > maxModuleDepth {
		tooDeep.Errorf(&l.diags, a.Expr.Range(), "More than %d modules are inside each other. Take some of them apart.", maxModuleDepth)
		return nil
	}
	f := l.folders[name]
	if f == nil {
		fsys, err := l.moduleFS(sc.folder, name)
		if err == nil {
			_, err = fs.ReadDir(fsys, name)
		}
		if err != nil {
			unreadable.Errorf(&l.diags, a.Expr.Range(), "The folder %q of the module cannot be read: %s. Correct source.", name, reason(err))
			return nil
		}
		f = l.newFolder(name, fsys)
		l.folders[name] = f
		f.outside = !l.below(name)
		before := len(l.diags)
		l.read(f, nil)
		for _, d := range l.diags[before:] {
			if d.At.Filename == "" {
				d.At = a.Expr.Range()
			} else {
				d.Note(header(b), "in the module called here")
			}
		}
	}
	if !f.whole {
		return nil
	}
	return f
}

// moduleFS returns the file system a module's folder is read through.
func (l *loader) moduleFS(from *folder, name string) (fs.FS, error) {
	// What lies in a module that lies beside the fabric is read through that module's folder: no link leads out of it.
	inside := from != l.root && strings.HasPrefix(name, from.name+"/") && !strings.HasPrefix(name, from.name+"/../")
	if inside || l.below(name) || l.options.Folder == nil {
		return from.fsys, nil
	}
	return l.options.Folder(name)
}

// below tells whether a folder is the fabric's own or lies in it.
func (l *loader) below(name string) bool {
	rest, ok := strings.CutPrefix(name, l.root.name+"/")
	if l.root.name == "." {
		rest, ok = name, true
	}
	return name == l.root.name || ok && rest != ".." && !strings.HasPrefix(rest, "../") // ../../pod is not below ..
}

// reportModuleCycle reports a folder that is a module of itself, by way of others.
func (l *loader) reportModuleCycle(from, to *scope, at diag.Range, name string) {
	names := []string{quoteDir(name)}
	for sc := from; sc != to; sc = sc.parent {
		names = append(names, quoteDir(sc.folder.name))
	}
	names = append(names, quoteDir(name))
	for i, j := 0, len(names)-1; i < j; i, j = i+1, j-1 {
		names[i], names[j] = names[j], names[i]
	}
	moduleCycle.Errorf(&l.diags, at, "The folder is a module inside itself, without end: %s. Take one of these module blocks away.", strings.Join(names, " -> "))
}

// arguments gives the values of a module block to the variables of an instance, evaluated outside.
func (l *loader) arguments(child *scope, en *env) map[string]*given {
	values := map[string]*given{}
	for name := range child.folder.labels["variable"] {
		a, ok := child.caller.Body.Attributes[name]
		if !ok {
			continue
		}
		v, o := l.value(en, a.Expr)
		values[name] = &given{name: name, value: v, failed: o == failed, at: a.Expr.Range(), from: "the module block", expr: a.Expr, en: en}
	}
	return values
}

// outputs evaluates the outputs of an instance, as an object.
func (l *loader) outputs(sc *scope, c *call) cty.Value {
	values := map[string]cty.Value{}
	l.inside(sc, func() {
		for _, b := range sc.folder.blocks["output"] {
			before := len(l.diags)
			out := compile(l, &outputSchema, b, sc.env(), &output{}).proto
			v, o := cty.NilVal, failed
			if out.expr != nil && len(l.diags) == before {
				v, o = l.value(sc.env(), out.expr)
			}
			if o == failed {
				c.silent[b.Labels[0]] = true
				l.unknown = true
				v = cty.DynamicVal // nothing more is said of what needs it
			}
			values[b.Labels[0]] = v
		}
	})
	return cty.ObjectVal(values)
}

// output is an output block.
type output struct {
	expr        hclsyntax.Expression
	description Value[string]
}

// checkModule holds what follows module.NAME to the outputs of the module.
func (l *loader) checkModule(n *node, t hcl.Traversal, report func(format string, args ...any) bool) bool {
	c := n.call
	if !n.ok {
		return false
	}
	rest, name := t[2:], "module."+n.name
	if c.many && len(rest) > 0 {
		key, ok := stepName(rest[0])
		if _, dot := rest[0].(hcl.TraverseAttr); ok && dot && !c.keys[key] {
			return report("module.%s has for_each, so its instances have keys. Write module.%s[\"KEY\"].%s.%s", n.name, n.name, shown(key), list(" The keys are ", likeKeys(l, c.keys)))
		}
		if ok && !c.keys[key] {
			keys := likeKeys(l, c.keys)
			report("There is no module.%s[%q].%s", n.name, diag.Cut(key), didYouMean(key, keys))
			l.insteadOfStep(rest[0], diag.Nearest(key, keys))
			return false
		}
		rest, name = rest[1:], fmt.Sprintf("module.%s[%q]", n.name, key)
	}
	if len(rest) == 0 {
		return true
	}
	out, ok := stepName(rest[0])
	if !ok {
		return true // the evaluation will say what is wrong
	}
	outputs := c.folder.labels["output"]
	if _, ok := outputs[out]; !ok {
		if c.folder.meant["output."+out] {
			return false
		}
		if _, ok := c.folder.labels["variable"][out]; ok {
			return report("%s has no output %q. %q is a variable of the module. Write an output block there for what is to be read outside.", name,
				diag.Cut(out), diag.Cut(out))
		}
		names := likeKeys(l, outputs)
		report("%s has no output %q.%s", name, diag.Cut(out), didYouMean(out, names))
		l.insteadOfStep(rest[0], diag.Nearest(out, names))
		return false
	}
	return !c.silent[out]
}
