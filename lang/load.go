// Package lang is the fabric as written: it knows HCL, so that nobody else has to.
//
// In comes a folder of *.hcl files and values for variables; out comes a [Source], in which every expression is
// evaluated and every nodeset expanded, and every value keeps its place, or the list of all mistakes found, under the
// codes of [Topics]. No type of hcl or cty leaves through this door.
//
// Promises: the same files and variables give the same Source and the same diagnostics; nothing outside the folder is
// read; bad or hostile input never panics, and is refused within bounded time and memory (budget.go names the bounds).
//
// How it goes: files are read within their limits and lexed; the tokens are checked for nesting the parser would not
// survive; the parsed bodies are walked once, to find unknown functions and to wrap the places where work multiplies
// (guard.go). Then labels are collected, variables and locals evaluated, and each block decoded by the table of its
// kind (blocks.go, by way of schema.go). What does not depend on self is evaluated once for a whole group of devices.
// At last nodesets become devices and links (expand.go).
package lang

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"

	"github.com/rocec/rocec/lang/diag"
)

// VarFile is one file of values for variables.
type VarFile struct {
	Name string
	Data []byte
}

// Options is what [Load] needs beside the folder.
type Options struct {
	Vars       []string  // "k=v" of --var, in order; the last one wins
	VarFiles   []VarFile // of --var-file, in order; the last one wins
	Env        []string  // as os.Environ gives it; only ROCEC_VAR_k=v is looked at
	MaxObjects int       // most names of all nodesets together; 0: 1,000,000
}

// DefaultMaxObjects bounds the names of a fabric unless [Options] say otherwise.
const DefaultMaxObjects = 1_000_000

// Load reads the fabric in folder dir of fsys. The source is never nil and its Files are filled even when there are
// errors; it is complete when the list has none. The list is sorted.
func Load(fsys fs.FS, dir string, o Options) (*Source, diag.List) {
	l := newLoader(fsys, dir, o)
	l.load()
	l.diags.Sort()
	return l.src, l.diags
}

func newLoader(fsys fs.FS, dir string, o Options) *loader {
	l := &loader{
		fsys: fsys, dir: dir, options: o,
		src:    &Source{Files: map[string][]byte{}},
		budget: budget{left: maxWork},
		failed: map[hclsyntax.Expression]bool{}, checked: map[hclsyntax.Expression]bool{},
		labels: map[string]map[string]diag.Range{}, indexes: map[*hclsyntax.Block]int{},
	}
	l.objectsLeft = cmp.Or(o.MaxObjects, DefaultMaxObjects)
	l.functions = newFunctions(l)
	return l
}

// loader is one call of [Load].
type loader struct {
	fsys    fs.FS
	dir     string
	options Options

	src         *Source
	diags       diag.List
	budget      budget
	objectsLeft int

	functions map[string]function.Function
	vars      map[string]*variable
	locals    map[string]*local
	labels    map[string]map[string]diag.Range // kind -> name -> header
	indexes   map[*hclsyntax.Block]int         // devices so far of a block with for_each
	root      *hcl.EvalContext

	failed  map[hclsyntax.Expression]bool // a mistake was reported; say no more
	checked map[hclsyntax.Expression]bool // its references lead somewhere
}

func (l *loader) load() {
	bodies := l.parse()
	if l.diags.HasErrors() && !onlyDuplicates(l.diags) {
		return // half a file would only make noise
	}
	for _, b := range bodies {
		l.guard(b, false)
	}
	blocks := l.index(bodies)
	l.loadVariables(blocks["variable"])
	l.loadLocals(blocks["locals"])
	l.root = l.context()
	top := &env{ctx: l.root}

	for _, b := range blocks["fabric"] {
		l.decodeFabric(b, top)
	}
	for _, b := range blocks["cos_group"] {
		l.decodeCosGroup(b, top)
	}
	for _, b := range blocks["switch_model"] {
		l.decodeSwitchModel(b, top)
	}
	for _, b := range blocks["nic_model"] {
		l.decodeNICModel(b, top)
	}
	for _, b := range blocks["ssh"] {
		l.decodeSSH(b, top)
	}
	devices := map[string]diag.Range{}
	for _, b := range blocks["switch"] {
		l.forEach(b, top, func(en *env, key string) { l.decodeSwitch(b, en, devices) })
	}
	for _, b := range blocks["host"] {
		l.forEach(b, top, func(en *env, key string) { l.decodeHost(b, en, devices) })
	}
	for _, b := range blocks["roce"] {
		l.forEach(b, top, func(en *env, key string) { l.decodeRoce(b, en, key) })
	}
	for _, b := range merged(blocks["link"], blocks["mesh"]) {
		l.forEach(b, top, func(en *env, key string) { l.decodeLink(b, en, key) })
	}
	l.resolveRoot()
	l.loadTable()
}

// onlyDuplicates tells whether the files were parsed whole: a repeated attribute does not hide anything.
func onlyDuplicates(ds diag.List) bool {
	return !slices.ContainsFunc(ds, func(d *diag.Diagnostic) bool { return d.Code != duplicateAttribute.Code })
}

// merged puts blocks of two kinds in the order they are written.
func merged(a, b []*hclsyntax.Block) []*hclsyntax.Block {
	out := slices.Concat(a, b)
	slices.SortStableFunc(out, func(a, b *hclsyntax.Block) int { return diag.ComparePlace(a.TypeRange, b.TypeRange) })
	return out
}

// index sorts the top-level blocks by kind, in order of file and position, and collects their labels.
func (l *loader) index(bodies []*hclsyntax.Body) map[string][]*hclsyntax.Block {
	byKind := map[string][]*hclsyntax.Block{}
	for _, body := range bodies {
		for _, a := range sortedAttributes(body) {
			unknownAttribute.Errorf(&l.diags, a.NameRange, "Attributes stand in blocks, and %q stands outside of any. Move it into the block it belongs to.", a.Name)
		}
		for _, b := range body.Blocks {
			top, ok := topBlock(b.Type)
			if !ok {
				unknownBlock.Errorf(&l.diags, b.TypeRange, "There is no block %q at the top of a file.%s", b.Type, didYouMean(b.Type, topNames()))
				continue
			}
			if !l.checkLabels(b, top.label) {
				continue
			}
			if top.single {
				if first := byKind[b.Type]; len(first) > 0 {
					duplicateBlock.Errorf(&l.diags, header(b), "A fabric has one %s block. Merge the two.", b.Type).
						Note(header(first[0]), "the first one")
					continue
				}
			}
			if top.label != "" && !l.register(b, top.labels) {
				continue
			}
			byKind[b.Type] = append(byKind[b.Type], b)
		}
	}
	if len(byKind["fabric"]) == 0 && len(bodies) > 0 && len(l.src.Files) > 0 {
		noFabric.Errorf(&l.diags, diag.Range{}, "None of the %s in %s holds a fabric block. Write one, such as fabric \"pod1\" { routing = \"up-down\" }, or name the folder that does.",
			diag.Count(len(bodies), "file"), quoteDir(l.dir))
	}
	return byKind
}

// checkLabels holds a block to its number of labels: one if name is not empty, else none.
func (l *loader) checkLabels(b *hclsyntax.Block, name string) bool {
	switch {
	case name == "" && len(b.Labels) > 0:
		badLabel.Errorf(&l.diags, b.LabelRanges[0], "A %s block has no label. Take %q away.", b.Type, cut(b.Labels[0]))
		return false
	case name != "" && len(b.Labels) == 0:
		badLabel.Errorf(&l.diags, b.TypeRange, "A %s block has a label: %s \"%s\" { ... }.", b.Type, b.Type, name)
		return false
	case name != "" && len(b.Labels) > 1:
		badLabel.Errorf(&l.diags, b.LabelRanges[1], "A %s block has one label, %q. Take the others away.", b.Type, cut(b.Labels[0]))
		return false
	}
	return true
}

// register checks the label of b and remembers it under its kind.
func (l *loader) register(b *hclsyntax.Block, kind labelKind) bool {
	name := b.Labels[0]
	if why := kind.check(name); why != "" {
		badName.Errorf(&l.diags, b.LabelRanges[0], "%s", why)
		return false
	}
	known := l.labels[b.Type]
	if known == nil {
		known = map[string]diag.Range{}
		l.labels[b.Type] = known
	}
	if first, ok := known[name]; ok {
		duplicateName.Errorf(&l.diags, b.LabelRanges[0], "There are two %s blocks named %q. Give one another name.", b.Type, name).
			Note(first, "the first one")
		return false
	}
	known[name] = header(b)
	return true
}

// header is the place of a block's kind and labels.
func header(b *hclsyntax.Block) diag.Range {
	if n := len(b.LabelRanges); n > 0 {
		return hcl.RangeBetween(b.TypeRange, b.LabelRanges[n-1])
	}
	return b.TypeRange
}

// context makes the scope every block shares: var, local and the names of blocks.
func (l *loader) context() *hcl.EvalContext {
	ctx := &hcl.EvalContext{Functions: l.functions, Variables: map[string]cty.Value{}}
	ctx.Variables["var"] = l.varObject()
	locals := map[string]cty.Value{}
	for name, loc := range l.locals {
		if loc.ok {
			locals[name] = loc.value
		}
	}
	ctx.Variables["local"] = cty.ObjectVal(locals)
	for kind, ty := range refTypes {
		refs := map[string]cty.Value{}
		for name := range l.labels[kind] {
			refs[name] = cty.CapsuleVal(ty, &blockRef{kind, name})
		}
		ctx.Variables[kind] = cty.ObjectVal(refs)
	}
	return ctx
}

func (l *loader) resolveRoot() {
	root := &l.src.Fabric.Root
	group, ok := strings.CutPrefix(root.V, refPrefix)
	if !root.Set() || !ok {
		return
	}
	var names []string
	for _, s := range l.src.Switches {
		if s.Group == group {
			names = append(names, s.Name)
		}
	}
	switch len(names) {
	case 0: // its block has a mistake, which has been reported
	case 1:
		root.V = names[0]
	default:
		wrongType.Errorf(&l.diags, root.At, "The root of a spanning tree is one switch, and switch.%s is %d of them. Write the name of one, such as %q.", group, len(names), names[0])
	}
}

func quoteDir(dir string) string {
	if dir == "." {
		return "this folder"
	}
	return fmt.Sprintf("%q", dir)
}

// sortedKeys returns the keys of m in order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
