package lang

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/eval"
	"github.com/rocec/rocec/lang/parse"
)

// Bounds of modules.
const (
	maxModuleDepth  = 16      // nesting of modules
	maxModuleBlocks = 200_000 // blocks of all instances of all modules
	instanceBlocks  = 4       // the cost of an instance, in blocks
)

// moduleDoc describes module blocks, which [loader.call] reads.
var moduleDoc = BlockDoc{
	Path: "module", Label: "NAME", ForEach: true, Doc: "Includes the blocks of another folder. All other attributes are values for its " +
		"variables.",
	Attrs: []AttrDoc{
		{Name: "source", Type: "path", Doc: "The folder of the module, relative to the folder of this file: \"./pod\" or \"../shared/pod\", " +
			"as a literal in quotes.", More: "See [module](language.md#module-name) for the folders that are allowed.", Required: true},
		{Name: "for_each", Type: "set or map", Default: "one instance", Doc: "One instance of the module for each element."},
	},
}

// modules makes a node of every module block of an instance.
func (in *instance) modules() []*eval.Node {
	in.Modules = map[string]*eval.Node{}
	var order []*eval.Node
	for _, b := range in.folder.blocks["module"] {
		n := &eval.Node{Kind: "module", Name: b.Labels[0], At: parse.Header(b), Module: &eval.Module{Block: b, Silent: map[string]bool{}}}
		for _, a := range parse.Attributes(b.Body) {
			n.Exprs = append(n.Exprs, a.Expr)
		}
		in.Modules[n.Name] = n
		order = append(order, n)
	}
	return order
}

// call makes the instances of a module, whose arguments it evaluates in an environment, and returns their outputs. If ok is false, a
// mistake was reported, and expressions that need the module must not be reported.
func (l *loader) call(in *instance, n *eval.Node, en *eval.Env, ds *diag.List) (outputs cty.Value, ok bool) {
	var found diag.List
	defer func() { *ds = append(*ds, found...) }()
	m, b := n.Module, n.Module.Block
	f := l.opened(in, b, &found)
	if f == nil {
		return cty.NilVal, false
	}
	m.Names, m.Keys = f.names, map[string]bool{}
	_, m.Many = b.Body.Attributes["for_each"]
	values := map[string]cty.Value{}
	instances := 0
	l.decoder.forEach(b, en, func(en *eval.Env, key string) {
		if l.blocksUsed += f.size + instanceBlocks; l.blocksUsed > maxModuleBlocks {
			if instances >= 0 {
				parse.TooLarge.Errorf(&found, parse.Header(b),
					"All instances of modules in the fabric have more than %s blocks together. Name many things with nodesets instead.",
					diag.Number(maxModuleBlocks))
			}
			instances = -1
			return
		}
		if instances >= 0 && !l.decoder.Charge(f.bytes, parse.Header(b), &found) {
			instances = -1
			return
		}
		if instances++; instances == 1 {
			l.noteCall(f, b)
		}
		m.Keys[key] = true
		child := newInstance(f, instanceName(b, key, en)+".", b, in)
		in.children = append(in.children, child)
		child.inside(func(ds *diag.List) {
			l.settle(child, func(_ *eval.Scope, ds *diag.List) map[string]*eval.Given { return l.arguments(child, en, ds) }, ds)
		}, &found)
		values[key] = l.outputs(child, m, &found)
	}, &found)
	switch {
	case instances < 0 || !m.Many && instances == 0 || mistakenIn(b, found):
		return cty.NilVal, false
	case m.Many:
		return cty.ObjectVal(values), true
	}
	return values[""], true
}

// opened checks a module block and returns the folder of the module, or nil.
func (l *loader) opened(in *instance, b *hclsyntax.Block, ds *diag.List) *folder {
	for _, inner := range b.Body.Blocks {
		eval.UnknownBlock.Errorf(ds, inner.TypeRange, "A module block contains only attributes: source, for_each and values for the "+
			"module's variables. Write %s = ... if it is a variable.", inner.Type)
	}
	f := l.openModule(in, b, ds)
	if f == nil {
		return nil
	}
	declared := f.names.Labels["variable"]
	for _, a := range parse.Attributes(b.Body) {
		if a.Name == "source" || a.Name == "for_each" {
			continue
		}
		if _, ok := declared[a.Name]; !ok {
			if a.Name == "count" {
				eval.UndeclaredVariable.Errorf(ds, a.NameRange,
					"The module in %s declares no variable \"count\". A module is repeated by for_each. Write for_each = toset([\"a\", \"b\"]), with a "+
						"key for each instance.", diag.Folder(f.Name))
				continue
			}
			names := eval.LikeKeys(l.decoder.Evaluator, declared)
			eval.UndeclaredVariable.Errorf(ds, a.NameRange, "The module in %s declares no variable %q.%s", diag.Folder(f.Name), a.Name,
				diag.Suggest(a.Name, names)).
				Instead(a.NameRange, diag.Nearest(a.Name, names))
		}
	}
	return f
}

// noteCall remembers the block that names the folder of a module.
func (l *loader) noteCall(f *folder, b *hclsyntax.Block) {
	if l.src.Calls == nil {
		l.src.Calls = map[string][]diag.Range{}
	}
	if calls := l.src.Calls[f.Name]; !slices.Contains(calls, parse.Header(b)) {
		l.src.Calls[f.Name] = append(calls, parse.Header(b))
	}
}

// mistakenIn reports whether an error was found in a block itself.
func mistakenIn(b *hclsyntax.Block, found diag.List) bool {
	at := b.Range()
	return slices.ContainsFunc(found, func(d *diag.Diagnostic) bool {
		return d.Severity == diag.Error && d.At.Filename == at.Filename && at.Start.Byte <= d.At.Start.Byte && d.At.Start.Byte < at.End.Byte
	})
}

// openModule reads the folder that a module block names. It reads a folder once, even if several blocks name it.
func (l *loader) openModule(in *instance, b *hclsyntax.Block, ds *diag.List) *folder {
	a, ok := b.Body.Attributes["source"]
	if !ok {
		eval.MissingAttribute.Errorf(ds, parse.Header(b),
			"This module block needs source, the folder of the module. Write source = \"./pod\" or another path.")
		return nil
	}
	v, literally := parse.Literal(a.Expr)
	switch {
	case l.decoder.HasFailed(a.Expr):
		return nil
	case !literally || v.Type() != cty.String:
		eval.WrongType.Errorf(ds, a.Expr.Range(), "The source of a module is the path of its folder, as a literal in quotes. Write a "+
			"path such as "+
			"\"./pod\" or \"../shared/pod\".")
		return nil
	}
	source := v.AsString()
	clean := path.Clean(source)
	if !strings.HasPrefix(source, "./") && !strings.HasPrefix(source, "../") || strings.ContainsAny(source, "\x00\\") || clean == "." {
		hint := ""
		if fs.ValidPath(clean) && clean != "." && !strings.Contains(source, ":") {
			hint = diag.Meant("./" + diag.Cut(clean))
		}
		eval.BadValue.Errorf(ds, a.Expr.Range(), "%q is not a folder of a module. Write a path that begins with \"./\" or \"../\", from the "+
			"folder of this file. Modules are not fetched from other places.%s", diag.Cut(source), hint)
		return nil
	}
	name := path.Join(in.folder.Name, source)
	depth := 0
	for up := in.Scope; up != nil; up = up.Parent {
		if up.Names.Folder.Name == name {
			reportModuleCycle(in.Scope, up, a.Expr.Range(), name, ds)
			return nil
		}
		depth++
	}
	if depth > maxModuleDepth {
		parse.TooDeep.Errorf(ds, a.Expr.Range(), "More than %d modules are nested. Reduce the nesting.", maxModuleDepth)
		return nil
	}
	f := l.folders[name]
	if f == nil {
		fsys, err := l.moduleFS(in.folder, name)
		if err == nil {
			_, err = fs.ReadDir(fsys, name)
		}
		if out, ok := errors.AsType[*OutsideError](err); ok {
			why := ""
			if out.Why != "" {
				why = out.Why + " "
			}
			parse.Unreadable.Errorf(ds, a.Expr.Range(), "The folder %q of the module is outside of %q, but a fabric reads modules "+
				"only inside that folder. %s"+
				"Move the module there; or, if you trust its content, name its folder with --allow-outside.", diag.Cut(name), diag.Cut(out.Root), why)
			return nil
		}
		if err != nil {
			parse.Unreadable.Errorf(ds, a.Expr.Range(), "The folder %q of the module cannot be read: %s. Correct source.", name, parse.Reason(err))
			return nil
		}
		f = l.newFolder(parse.Folder{Name: name, FS: fsys})
		l.folders[name] = f
		f.outside = !l.below(name)
		var found diag.List
		l.read(f, nil, &found)
		for _, d := range found {
			if d.At.Filename == "" {
				d.At = a.Expr.Range()
			} else {
				d.Note(parse.Header(b), "in the module called here")
			}
		}
		*ds = append(*ds, found...)
	}
	if !f.whole {
		return nil
	}
	return f
}

// moduleFS returns the file system from which a module's folder is read.
func (l *loader) moduleFS(from *folder, name string) (fs.FS, error) {
	// A folder inside of an outside module is read through that module's file system, so that no symbolic link can leave it.
	inside := from != l.root && strings.HasPrefix(name, from.Name+"/") && !strings.HasPrefix(name, from.Name+"/../")
	if inside || l.below(name) || l.options.Folder == nil {
		return from.FS, nil
	}
	return l.options.Folder(name)
}

// below reports whether a folder is the fabric's folder or inside of it.
func (l *loader) below(name string) bool {
	rest, ok := strings.CutPrefix(name, l.root.Name+"/")
	if l.root.Name == "." {
		rest, ok = name, true
	}
	return name == l.root.Name || ok && rest != ".." && !strings.HasPrefix(rest, "../") // ../../pod is not below ..
}

// reportModuleCycle reports a folder that is a module of itself, directly or through other modules.
func reportModuleCycle(from, to *eval.Scope, at diag.Range, name string, ds *diag.List) {
	names := []string{diag.Folder(name)}
	for sc := from; sc != to; sc = sc.Parent {
		names = append(names, diag.Folder(sc.Names.Folder.Name))
	}
	names = append(names, diag.Folder(name))
	for i, j := 0, len(names)-1; i < j; i, j = i+1, j-1 {
		names[i], names[j] = names[j], names[i]
	}
	moduleCycle.Errorf(ds, at, "The folder contains itself as a module: %s. Delete one of these module blocks.",
		strings.Join(names, " -> "))
}

// arguments returns the values of a module block for the variables of an instance, evaluated in the scope around the module.
func (l *loader) arguments(child *instance, en *eval.Env, ds *diag.List) map[string]*eval.Given {
	values := map[string]*eval.Given{}
	for name := range child.Names.Labels["variable"] {
		if a, ok := child.Caller.Body.Attributes[name]; ok {
			values[name] = l.decoder.Argument(en, a.Expr, ds)
		}
	}
	return values
}

// output is an output block.
type output struct {
	expr        hclsyntax.Expression
	description Value[string]
}

var outputSchema = schema[output]{
	block: "output", label: "NAME", doc: "A value of a module that can be read outside of it, as module.MODULE.NAME.",
	attrs: []attr[output]{
		must(attr[output]{
			name: "value", kind: "any", doc: "The value. It can refer to names that the module declares.",
			set: func(_ *decoder, _ *eval.Env, o *output, e hclsyntax.Expression, _ *diag.List) eval.Outcome {
				o.expr = e
				return eval.Good
			},
		}),
		one("description", eval.Description, "none", "A description of the output.", func(o *output) *Value[string] { return &o.description }),
	},
}

// outputs evaluates the outputs of an instance and returns them as an object.
func (l *loader) outputs(in *instance, m *eval.Module, ds *diag.List) cty.Value {
	values := map[string]cty.Value{}
	in.inside(func(ds *diag.List) {
		for _, b := range in.folder.blocks["output"] {
			t := compile(l.decoder, &outputSchema, b, in.Env(), &output{}, ds)
			v, o := cty.NilVal, eval.Failed
			if t.proto.expr != nil && t.ok {
				v, o = l.decoder.Value(in.Env(), t.proto.expr, ds)
			}
			if o == eval.Failed {
				m.Silent[b.Labels[0]] = true
				l.decoder.Unknowns = true
				v = cty.DynamicVal // expressions that need the output are not reported
			}
			values[b.Labels[0]] = v
		}
	}, ds)
	return cty.ObjectVal(values)
}
