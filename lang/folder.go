package lang

import (
	"io/fs"
	"slices"
	"sync"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty/function"

	"github.com/rocec/rocec/lang/diag"
)

// folder is the *.hcl files of one folder as one body, read once, however many modules name it.
type folder struct {
	name      string // as places name it
	fsys      fs.FS
	files     int
	whole     bool // every file was read and parsed
	outside   bool // it is not below the fabric's folder, so other fabrics may use it, too
	fabric    bool // a fabric block is written, perhaps with a mistake in its header
	functions map[string]function.Function

	blocks  map[string][]*hclsyntax.Block    // of kinds of which there are few, in the order they are written
	devices []*decl                          // switch and host
	cables  []*decl                          // link, mesh and topology
	labels  map[string]map[string]diag.Range // kind -> name -> header
	meant   map[string]bool                  // references such as "var.mtu" to what is there with a mistake, and reported
	size    int                              // blocks of all kinds
}

// decl is a block of devices or cables, or what several in a row came to that were decoded as soon as they were read.
type decl struct {
	block *hclsyntax.Block // nil when made is filled
	made  batch
}

// batch is what blocks of devices and cables came to, in the order they are written.
type batch struct {
	switches []*Switch
	hosts    []*Host
	links    []*Link
}

func (l *loader) newFolder(name string, fsys fs.FS) *folder {
	f := &folder{name: name, fsys: fsys, blocks: map[string][]*hclsyntax.Block{}, labels: map[string]map[string]diag.Range{}, meant: map[string]bool{}}
	f.functions = newFunctions(l, f)
	return f
}

// read reads every file of f, one after the other. Only top, the scope of the fabric's own folder, has just one instance:
// with it, blocks that hold nothing but literals are decoded at once.
func (l *loader) read(f *folder, top *scope) {
	before := l.diags
	l.diags = nil
	broken := l.parse(f, func(body *hclsyntax.Body) {
		l.guard(body, false)
		l.index(f, body, top)
	})
	f.whole = !broken.HasErrors() || onlyDuplicates(broken)
	if !f.whole {
		l.diags = nil // what was found in the other files would only make noise
	}
	l.diags = append(append(before, broken...), l.diags...)
}

// index sorts the blocks of one file by kind and collects their labels.
func (l *loader) index(f *folder, body *hclsyntax.Body, top *scope) {
	for _, a := range sortedAttributes(body) {
		unknownAttribute.Errorf(&l.diags, a.NameRange, "Attributes stand in blocks, and %q stands outside of any. Move it into the block it belongs to.", a.Name)
	}
	for _, b := range body.Blocks {
		row, ok := topBlock(b.Type)
		f.fabric = f.fabric || b.Type == "fabric"
		if !ok {
			if where := l.standsIn(b.Type); where != "" {
				unknownBlock.Errorf(&l.diags, b.TypeRange, "A file holds no %s block at its top. %s", b.Type, where)
				continue
			}
			unknownBlock.Errorf(&l.diags, b.TypeRange, "There is no block %q at the top of a file.%s", b.Type, didYouMean(b.Type, topNames())).
				Instead(b.TypeRange, diag.Nearest(b.Type, topNames()))
			f.mean(diag.Nearest(b.Type, topNames()), b)
			continue
		}
		if row.single && f != l.root {
			misplacedBlock.Errorf(&l.diags, header(b), "A fabric has one %s block, and it stands in the fabric's own folder. Delete it here; what differs from module to module comes by variables.", b.Type)
			continue
		}
		if !l.checkLabels(b, row.label) {
			continue
		}
		if row.single {
			if first := f.blocks[b.Type]; len(first) > 0 {
				duplicateBlock.Errorf(&l.diags, header(b), "A fabric has one %s block. Merge the two.", b.Type).
					Note(header(first[0]), "the first one")
				continue
			}
		}
		if row.label != "" && !l.register(f, b, row.labels) {
			continue
		}
		f.size++
		switch b.Type {
		case "switch", "host":
			f.devices = l.declare(f.devices, b, top, l.decodeDevice)
		case "link", "mesh", "topology":
			f.cables = l.declare(f.cables, b, top, l.decodeCables)
		default:
			f.blocks[b.Type] = append(f.blocks[b.Type], b)
		}
	}
}

// declare decodes a plain block of the fabric's own folder; others are decoded when their scope is settled.
func (l *loader) declare(list []*decl, b *hclsyntax.Block, top *scope, decode func(*hclsyntax.Block, *env, *batch)) []*decl {
	if top == nil || !plain(b.Body) {
		return append(list, &decl{block: b})
	}
	if n := len(list); n == 0 || list[n-1].block != nil {
		list = append(list, &decl{})
	}
	decode(b, top.env(), &list[len(list)-1].made)
	return list
}

// plain tells whether a body holds nothing but literals: it can be decoded before variables are known.
func plain(body *hclsyntax.Body) bool {
	for name, a := range body.Attributes {
		if name == "for_each" || !plainValue(a.Expr) {
			return false
		}
	}
	for _, b := range body.Blocks {
		if !plain(b.Body) {
			return false
		}
	}
	return true
}

func plainValue(e hclsyntax.Expression) bool {
	if tuple, ok := e.(*hclsyntax.TupleConsExpr); ok {
		for _, x := range tuple.Exprs {
			if _, ok := literal(x); !ok {
				return false
			}
		}
		return true
	}
	_, ok := literal(e)
	return ok
}

// mean remembers what a block of a kind would have declared, so that nothing is said of references to it.
func (f *folder) mean(kind string, b *hclsyntax.Block) {
	switch {
	case kind == "locals":
		for name := range b.Body.Attributes {
			f.meant["local."+name] = true
		}
	case kind == "variable" && len(b.Labels) > 0:
		f.meant["var."+b.Labels[0]] = true
	case len(b.Labels) > 0:
		f.meant[kind+"."+b.Labels[0]] = true
	}
}

// register checks the label of b and remembers it under its kind.
func (l *loader) register(f *folder, b *hclsyntax.Block, kind labelKind) bool {
	name := b.Labels[0]
	if why := kind.check(name); why != "" {
		badName.Errorf(&l.diags, b.LabelRanges[0], "%s", why)
		f.mean(b.Type, b)
		return false
	}
	if b.Type == "variable" && (name == "source" || name == "for_each") {
		badName.Errorf(&l.diags, b.LabelRanges[0], "A variable cannot be called %q: in a module block the word has a meaning of its own. Give it another name.", name)
		return false
	}
	known := f.labels[b.Type]
	if known == nil {
		known = map[string]diag.Range{}
		f.labels[b.Type] = known
	}
	if first, ok := known[name]; ok {
		duplicateName.Errorf(&l.diags, b.LabelRanges[0], "There are two %s blocks named %q. Give one another name.", b.Type, name).
			Note(first, "the first one")
		return false
	}
	known[name] = header(b)
	return true
}

// topRows is the table of blocks by name.
var topRows = sync.OnceValue(func() map[string]top {
	rows := map[string]top{}
	for _, t := range tops() {
		rows[t.name] = t
	}
	return rows
})

func topBlock(name string) (top, bool) {
	t, ok := topRows()[name]
	return t, ok
}

// onlyDuplicates tells whether the files were parsed whole: a repeated attribute does not hide anything.
func onlyDuplicates(ds diag.List) bool {
	return !slices.ContainsFunc(ds, func(d *diag.Diagnostic) bool { return d.Code != duplicateAttribute.Code })
}
