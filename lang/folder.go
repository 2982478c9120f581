package lang

import (
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/eval"
	"github.com/rocec/rocec/lang/parse"
)

// folder contains the blocks of all *.hcl files of a folder. It is read once, even if several modules name it.
type folder struct {
	parse.Folder
	files   int
	whole   bool // every file was read and parsed
	outside bool // not below the fabric's folder, so other fabrics may use it, too
	fabric  bool // has a fabric block, perhaps with a mistake in its header

	names   *eval.Names
	blocks  map[string][]*hclsyntax.Block // blocks of rare kinds, in the order of the files
	devices []*decl                       // switch and host blocks
	cables  []*decl                       // link, mesh and topology blocks
	size    int                           // number of blocks of all kinds
	bytes   int                           // bytes of these blocks
}

// decl is a block of devices or cables, or the result of several successive blocks that were decoded as soon as they were read.
type decl struct {
	block *hclsyntax.Block // nil when made is filled
	made  batch
}

// decodeFunc decodes a block of devices or cables.
type decodeFunc func(b *hclsyntax.Block, en *eval.Env, into *batch, ds *diag.List)

// batch is the result of blocks of devices and cables, in the order of the blocks.
type batch struct {
	switches []*Switch
	hosts    []*Host
	links    []*Link
}

func (l *loader) newFolder(f parse.Folder) *folder {
	return &folder{Folder: f, names: l.decoder.NewNames(f), blocks: map[string][]*hclsyntax.Block{}}
}

// read reads every file of f, one after the other. The folder of the fabric has only one instance, top. With top, read decodes blocks
// at once that contain only literals.
func (l *loader) read(f *folder, top *instance, ds *diag.List) {
	var found diag.List // diagnostics of the blocks
	var cache parse.Cache
	if l.options.Kept != nil && f == l.root {
		cache = &keeper{l: l, f: f, found: &found, next: map[string]*keptFile{}}
	}
	read := l.reader.Folder(f.Folder, func(file parse.File) {
		if l.decoder.Stopped() {
			return
		}
		if file.Silences { // a file with such comments is read in one piece
			for _, g := range parse.Ignores(file, &found) {
				g.Shared = f.outside
				l.src.Ignores = append(l.src.Ignores, g)
			}
		}
		l.decoder.Guard(file.Body, &found)
		l.index(f, file.Body, top, &found)
		if keeps, ok := cache.(*keeper); ok {
			keeps.see(file.Body)
		}
	}, cache, ds)
	if keeps, ok := cache.(*keeper); ok {
		l.options.Kept.files = keeps.next
	}
	f.files, f.whole = read.Files, read.Whole
	if read.Names == 0 && read.Whole {
		f.whole = false
		if f != l.root {
			parse.Unreadable.Errorf(ds, diag.Range{}, "There is no *.hcl file in the folder %q of the module. Write one, or correct source.", f.Name)
		} else {
			noFabric.Errorf(ds, diag.Range{}, "There is no *.hcl file in %s. Name the folder of a fabric, or start one: rocec init writes a "+
				"small one that works.", diag.Folder(f.Name))
		}
	}
	if f.whole { // otherwise further messages would not help
		*ds = append(*ds, found...)
	}
}

// index groups the blocks of one file by kind, and collects their labels.
func (l *loader) index(f *folder, body *hclsyntax.Body, top *instance, ds *diag.List) {
	for _, a := range parse.Attributes(body) {
		unknownAttribute.Errorf(ds, a.NameRange, "Attributes belong in blocks, but %q is outside of all blocks. Move it into the "+
			"block it belongs "+
			"to.", a.Name)
	}
	for _, b := range body.Blocks {
		row, ok := topBlock(b.Type)
		f.fabric = f.fabric || b.Type == "fabric"
		if !ok {
			if where := l.decoder.standsIn(b.Type); where != "" {
				eval.UnknownBlock.Errorf(ds, b.TypeRange, "A file cannot have a %s block outside of other blocks. %s", b.Type, where)
				continue
			}
			eval.UnknownBlock.Errorf(ds, b.TypeRange, "There is no block %q at the top of a file.%s", b.Type, diag.Suggest(b.Type, topNames())).
				Instead(b.TypeRange, diag.Nearest(b.Type, topNames()))
			f.mean(diag.Nearest(b.Type, topNames()), b)
			continue
		}
		if row.single && f != l.root {
			misplacedBlock.Errorf(ds, parse.Header(b), "A fabric has one %s block, in the fabric's own folder. Delete it here; "+
				"use variables for values that differ between modules.", b.Type)
			continue
		}
		if !checkLabels(b, row.label, ds) {
			continue
		}
		if row.single {
			if first := f.blocks[b.Type]; len(first) > 0 {
				duplicateBlock.Errorf(ds, parse.Header(b), "A fabric has one %s block. Merge the two.", b.Type).
					Note(parse.Header(first[0]), "the first one")
				continue
			}
		}
		if row.labels != (labelKind{}) && !f.register(b, row.labels, ds) {
			continue
		}
		f.size++
		f.bytes += length(b)
		switch b.Type {
		case "switch", "host":
			f.devices = declare(f.devices, b, top, l.decoder.decodeDevice, ds)
		case "link", "mesh", "topology":
			f.cables = declare(f.cables, b, top, l.decoder.decodeCables, ds)
		default:
			f.blocks[b.Type] = append(f.blocks[b.Type], b)
		}
	}
}

// declare decodes a plain block of the fabric's folder. All other blocks are decoded after the variables of their scope have values.
func declare(list []*decl, b *hclsyntax.Block, top *instance, decode decodeFunc, ds *diag.List) []*decl {
	if top == nil || !plain(b.Body) {
		return append(list, &decl{block: b})
	}
	if n := len(list); n == 0 || list[n-1].block != nil {
		list = append(list, &decl{})
	}
	decode(b, top.Env(), &list[len(list)-1].made, ds)
	return list
}

// plain reports whether a body contains only literals, so that it can be decoded before variables are known.
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
			if _, ok := parse.Literal(x); !ok {
				return false
			}
		}
		return true
	}
	_, ok := parse.Literal(e)
	return ok
}

// mean remembers the names that a wrong block would have declared, so that references to these names are not reported.
func (f *folder) mean(kind string, b *hclsyntax.Block) {
	switch {
	case kind == "locals":
		for name := range b.Body.Attributes {
			f.names.Meant["local."+name] = true
		}
	case kind == "variable" && len(b.Labels) > 0:
		f.names.Meant["var."+b.Labels[0]] = true
	case len(b.Labels) > 0:
		f.names.Meant[kind+"."+b.Labels[0]] = true
	}
}

// register checks the label of b and remembers it under its kind.
func (f *folder) register(b *hclsyntax.Block, kind labelKind, ds *diag.List) bool {
	name := b.Labels[0]
	if why := kind.check(name); why != "" {
		eval.BadName.Errorf(ds, b.LabelRanges[0], "%s", why)
		f.mean(b.Type, b)
		return false
	}
	if b.Type == "variable" && (name == "source" || name == "for_each") {
		eval.BadName.Errorf(ds, b.LabelRanges[0], "A variable cannot be called %q, because a module block has an attribute of this name. Give "+
			"it another name.", name)
		return false
	}
	known := f.names.Labels[b.Type]
	if known == nil {
		known = map[string]diag.Range{}
		f.names.Labels[b.Type] = known
	}
	if first, ok := known[name]; ok {
		duplicateName.Errorf(ds, b.LabelRanges[0], "There are two %s blocks named %q. Give one another name.", b.Type, name).
			Note(first, "the first one")
		return false
	}
	known[name] = parse.Header(b)
	return true
}
