// Package lang loads a fabric from its HCL files.
//
// The input is a folder of *.hcl files and values for variables. The output is a [Source], in which every expression is evaluated,
// every nodeset expanded, and every value has its place; or it is the list of all mistakes, with the codes of [Topics]. No type of hcl
// or cty is part of the results.
//
// The same files and variables give the same Source and the same diagnostics. Files outside the folder are not read. Bad or hostile
// input never panics, and is refused within bounded time and memory (limits.go of parse and of eval have the bounds).
//
// Package parse parses files to bodies; package eval evaluates expressions in scopes; package lang decodes blocks. A load groups blocks
// by kind (folder.go). It decodes blocks of devices and cables at once if they contain only literals, so that their syntax trees are
// freed before the next file is read. The folder of the fabric is a scope (instances.go), and each instance of a module is another
// scope (module.go). In each scope the load computes variables, locals and modules, and then decodes each block by the table of its
// kind (blocks.go and schema.go). Values that do not depend on self are evaluated once for a whole group of devices. At the end
// nodesets become devices (devices.go) and links (cables.go).
package lang

import (
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/eval"
	"github.com/rocec/rocec/lang/parse"
)

// VarFile is one file of values for variables.
type VarFile struct {
	Name string
	Data []byte
}

// Given reports whether a name is the pseudo file of a value from the command line or the environment. Such a value has text in
// [Source.Files], but no file.
func Given(name string) bool { return eval.IsGiven(name) }

// Options are the options of [Load].
type Options struct {
	Vars       []string        // "k=v" of --var, in order; the last value counts
	VarFiles   []VarFile       // of --var-file, in order; the last value counts
	Env        []string        // in the form of os.Environ; only ROCEC_VAR_k=v is read
	MaxObjects int             // most names of all nodesets together; 0: DefaultMaxObjects
	Version    string          // the release of this rocec, such as "0.13.0", for required_version; empty: not a release
	Unlocked   bool            // fabric.lock is not read
	Done       <-chan struct{} // closed to cancel the load, which then ends early without diagnostics; nil: never
	Kept       *Kept           // results of an earlier load of the same folder, updated for the next; nil: every file is read anew

	// Folder opens the folder of a module outside of the fabric's folder. The returned file system has the files under the given name,
	// such as "../pod/leafs.hcl". The error is an [OutsideError] for a folder that the fabric may not read. If Folder is nil, such folders
	// are opened in the fabric's file system.
	Folder func(name string) (fs.FS, error)
}

// OutsideError is the error of a folder that is not opened because it is outside of the folders that the fabric may read.
type OutsideError struct {
	Root string
	Why  string // a sentence: why Root is not a larger folder; may be empty
}

func (e *OutsideError) Error() string { return "it is outside of " + strconv.Quote(e.Root) }

// DefaultMaxObjects bounds the names of a fabric unless [Options] say otherwise: one and a half times as many as a Clos of 10,240
// switches, 131,072 hosts and 524,288 links has. Hosts need the most memory, some 1.5 KB each after compilation.
const DefaultMaxObjects = 2_000_000

// Load reads the fabric in folder dir of fsys. The source is never nil and its Files are filled even when there are errors; it is complete
// if the list has no error. The list is sorted.
func Load(fsys fs.FS, dir string, o Options) (*Source, diag.List) {
	l := newLoader(fsys, dir, o)
	top, ds := l.load()
	if l.decoder.Stopped() { // the results are incomplete
		return l.src, nil
	}
	l.src.Values = top.shown()
	l.decoder.sayOverflow(ds)
	ds.Sort()
	return l.src, ds
}

// loader is the state of one call of [Load].
type loader struct {
	options Options
	reader  *parse.Reader
	decoder *decoder

	src  *Source
	root *folder

	folders    map[string]*folder               // of modules, by name
	shared     map[string]map[string]diag.Range // kind -> name -> header, for kinds whose names are unique in the whole fabric
	blocksUsed int                              // of all instances of modules
	batches    []*batch                         // of all blocks of devices and cables, in order
}

func newLoader(fsys fs.FS, dir string, o Options) *loader {
	l := &loader{
		options: o, reader: parse.NewReader(),
		folders: map[string]*folder{}, shared: map[string]map[string]diag.Range{},
	}
	l.src = &Source{Files: l.reader.Files}
	l.decoder = newDecoder(l.reader, o)
	l.root = l.newFolder(parse.Folder{Name: dir, FS: fsys})
	return l
}

// load fills the source. It returns the instance of the fabric's folder, and every mistake.
func (l *loader) load() (*instance, diag.List) {
	var ds diag.List
	top := newInstance(l.root, "", nil, nil)
	l.read(l.root, top, &ds)
	if !l.root.whole {
		return top, ds // after a broken file, further messages would not help
	}
	var refusal diag.List
	if l.refused(&refusal) {
		return top, refusal
	}
	if l.root.files > 0 && !l.root.fabric {
		noFabric.Errorf(&ds, diag.Range{}, "There is no fabric block in the %s of %s. Write one, such as fabric \"pod1\" { routing = "+
			"\"up-down\" }, or give the folder that has it.",
			diag.Count(l.root.files, "file"), diag.Folder(l.root.Name))
	}
	l.settle(top, l.decoder.GivenOutside, &ds)
	l.decodeSingles(top, &ds)
	l.countInstances(top, &ds)
	l.decode(top, &ds)
	l.makeNames(&ds)
	if l.decoder.Stopped() {
		return top, ds
	}
	l.resolveRoot(&ds)
	l.resolveAccepts(&ds)
	l.loadTable(ds.HasErrors(), &ds)
	l.loadLock(&ds)
	return top, ds
}

// decodeSingles decodes the blocks that only the fabric's folder may have, and blocks whose values are unused.
func (l *loader) decodeSingles(top *instance, ds *diag.List) {
	for _, b := range l.root.blocks["fabric"] {
		l.src.Fabric = compile(l.decoder, &fabricSchema, b, top.Env(), &Fabric{Name: b.Labels[0], Decl: parse.Header(b)}, ds).proto
		l.checkVersion(l.src.Fabric.RequiredVersion, ds)
	}
	for _, b := range l.root.blocks["ssh"] {
		l.src.SSH = compile(l.decoder, &topSSHSchema, b, top.Env(), &SSH{Decl: parse.Header(b)}, ds).proto
	}
	for _, b := range l.root.blocks["output"] { // their values are unused, but checked
		if out := compile(l.decoder, &outputSchema, b, top.Env(), &output{}, ds).proto; out.expr != nil {
			l.decoder.Value(top.Env(), out.expr, ds)
		}
	}
}

// resolveRoot replaces a reference to a group of one switch by the name of the switch.
func (l *loader) resolveRoot(ds *diag.List) {
	root := &l.src.Fabric.Root
	group, ok := strings.CutPrefix(root.V, eval.RefPrefix)
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
	case 0: // its block has a reported mistake
	case 1:
		root.V = names[0]
	default:
		eval.WrongType.Errorf(ds, root.At, "The root of a spanning tree is one switch, and switch.%s is %d of them. Write the name of one, "+
			"such as %q.", group, len(names), names[0])
	}
}

// keys returns the keys of m in order.
func keys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
