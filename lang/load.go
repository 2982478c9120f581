// Package lang is the fabric as written: it knows HCL, so that nobody else has to.
//
// In comes a folder of *.hcl files and values for variables; out comes a [Source], in which every expression is
// evaluated and every nodeset expanded, and every value keeps its place, or the list of all mistakes found, under the
// codes of [Topics]. No type of hcl or cty leaves through this door.
//
// Promises: the same files and variables give the same Source and the same diagnostics; nothing outside the folder is
// read; bad or hostile input never panics, and is refused within bounded time and memory (budget.go names the bounds).
//
// How it goes: files are read within their limits and checked for nesting the parser would not survive (files.go,
// guard.go); the parsed bodies are walked once, to find unknown functions and to wrap the places where work multiplies.
// Blocks are sorted by kind (folder.go); those of devices and cables that hold nothing but literals are decoded at once,
// so that their syntax trees are gone before the next file is read. Then come the scopes (scope.go): the fabric's own
// folder is one, every instance of a module another (module.go). In a scope variables, locals and modules are settled, and
// each block is decoded by the table of its kind (blocks.go, by way of schema.go). What does not depend on self is
// evaluated once for a whole group of devices. At last nodesets become devices and links (expand.go).
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
	MaxObjects int       // most names of all nodesets together; 0: DefaultMaxObjects
	Version    string    // the release this rocec is, "0.13.0", for required_version; empty: none
	Unlocked   bool      // fabric.lock is not read
	Kept       *Kept     // of an earlier load of the same folder, and for the next one; nil: every file is read anew

	// Folder opens the folder of a module that lies outside of the fabric's own. The file system serves it under the name
	// given, such as "../pod/leafs.hcl". With nil such folders are looked for in the fabric's file system.
	Folder func(name string) (fs.FS, error)
}

// DefaultMaxObjects bounds the names of a fabric unless [Options] say otherwise: half as much again as a Clos of 10,240 switches,
// 131,072 hosts and 524,288 links has. Hosts take most, some 1.5 KB each when compiled.
const DefaultMaxObjects = 2_000_000

// Load reads the fabric in folder dir of fsys. The source is never nil and its Files are filled even when there are
// errors; it is complete when the list has none. The list is sorted.
func Load(fsys fs.FS, dir string, o Options) (*Source, diag.List) {
	l := newLoader(fsys, dir, o)
	l.src.Values = l.load().shown()
	l.sayOverflow()
	l.diags.Sort()
	return l.src, l.diags
}

func newLoader(fsys fs.FS, dir string, o Options) *loader {
	l := &loader{
		options: o,
		src:     &Source{Files: map[string][]byte{}},
		budget:  budget{left: maxWork},
		failed:  map[hclsyntax.Expression]bool{},
		folders: map[string]*folder{}, devices: map[string]diag.Range{}, shared: map[string]map[string]diag.Range{},
	}
	l.objectsLeft = cmp.Or(o.MaxObjects, DefaultMaxObjects)
	l.blocks = Blocks
	l.root = l.newFolder(dir, fsys)
	return l
}

// loader is one call of [Load].
type loader struct {
	options Options

	src         *Source
	diags       diag.List
	budget      budget
	objectsLeft int
	objects     int              // names, also those that are over the bound
	overflow    *diag.Diagnostic // the bound is passed; worded at the end
	overflowBy  int              // names at its place
	uncounted   bool             // instances over the bound, whose names nobody counted
	blocksUsed  int              // of all instances of modules
	namesSeen   int              // in search of what somebody may have meant

	root      *folder
	folders   map[string]*folder // of modules, by name
	fileCount int
	fileBytes int

	devices map[string]diag.Range            // names taken, in the whole fabric
	shared  map[string]map[string]diag.Range // kind -> name -> header, of kinds whose names hold for the whole fabric

	unknown bool // some output has a mistake, and so no value

	failed map[hclsyntax.Expression]bool // a mistake was reported; say no more
	blocks func() []BlockDoc             // the tables of the language; calling them by name would be circular
}

func (l *loader) load() *scope {
	top := l.newScope(l.root, "")
	l.read(l.root, top)
	if !l.root.whole {
		return top // half a file would only make noise
	}
	if l.refused() {
		return top
	}
	if l.root.files > 0 && !l.root.fabric {
		noFabric.Errorf(&l.diags, diag.Range{}, "There is no fabric block in the %s of %s. Write one, such as fabric \"pod1\" { routing = \"up-down\" }, or name the folder that has it.",
			diag.Count(l.root.files, "file"), quoteDir(l.root.name))
	}
	l.settleScope(top, l.givenValues)
	for _, b := range l.root.blocks["fabric"] {
		l.decodeFabric(b, top.env())
	}
	for _, b := range l.root.blocks["ssh"] {
		l.decodeSSH(b, top.env())
	}
	for _, b := range l.root.blocks["output"] { // read by nobody, and still held to what they may say
		if out := compile(l, &outputSchema, b, top.env(), &output{}).proto; out.expr != nil {
			l.value(top.env(), out.expr)
		}
	}
	l.decode(top)
	l.resolveRoot()
	l.loadTable()
	l.loadLock()
	return top
}

// checkLabels holds a block to its number of labels: one if name is not empty, else none.
func (l *loader) checkLabels(b *hclsyntax.Block, name string) bool {
	switch {
	case name == "" && len(b.Labels) > 0:
		badLabel.Errorf(&l.diags, b.LabelRanges[0], "%s block has no label. Take %q away.", beginning(b.Type), diag.Cut(b.Labels[0]))
		return false
	case name != "" && len(b.Labels) == 0:
		badLabel.Errorf(&l.diags, b.TypeRange, "%s block has a label. Write %s \"%s\" { ... }.", beginning(b.Type), b.Type, name)
		return false
	case name != "" && len(b.Labels) > 1:
		badLabel.Errorf(&l.diags, b.LabelRanges[1], "%s block has one label, %q. Take the others away.", beginning(b.Type), diag.Cut(b.Labels[0]))
		return false
	}
	return true
}

// header is the place of a block's kind and labels.
func header(b *hclsyntax.Block) diag.Range {
	if n := len(b.LabelRanges); n > 0 {
		return hcl.RangeBetween(b.TypeRange, b.LabelRanges[n-1])
	}
	return b.TypeRange
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
