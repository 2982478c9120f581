package lang

import (
	"errors"
	"io/fs"
	"path"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/eval"
	"github.com/rocec/rocec/lang/lock"
	"github.com/rocec/rocec/lang/nexthops"
	"github.com/rocec/rocec/lang/parse"
)

// This file loads the two files that accompany the HCL of a fabric: the table of next hops, and fabric.lock.

// loadTable reads the file of next hops. If the fabric has mistakes, one may be in the attributes routing or table, so a missing file
// is not reported.
func (l *loader) loadTable(mistakes bool, ds *diag.List) {
	f := &l.src.Fabric
	byTable := f.Routing.V == "table"
	switch {
	case byTable && f.Table.Set():
	case mistakes: // routing or table may be wrong
		return
	case byTable:
		eval.MissingAttribute.Errorf(ds, f.Routing.At, "Routing by a table needs the file of next hops. Write table = \"fib.json\" in "+
			"the fabric block.")
		return
	case f.Table.Set():
		tableUnused.Errorf(ds, f.Table.At, "The fabric names a table of next hops, but its routing is not \"table\". Write routing = "+
			"\"table\", or delete this attribute.")
		return
	default:
		return
	}
	full, src, ok := l.reader.Named(l.root.Folder, f.Table.V, f.Table.At, nexthops.MaxFile,
		"Leave out entries that lead to no member of the fabric.", ds)
	if !ok {
		return
	}
	if at, ok := parse.NotText(full, src); ok {
		parse.InvalidUTF8.Errorf(ds, at, "%q is not UTF-8 text at byte %d. Save it as UTF-8.", full, at.Start.Byte)
		return
	}
	l.src.NextHops = nexthops.Read(full, src, ds)
}

// loadLock reads fabric.lock, if the file exists.
func (l *loader) loadLock(ds *diag.List) {
	if l.options.Unlocked {
		return
	}
	full := path.Join(l.root.Name, lock.Name)
	if _, err := fs.Lstat(l.root.FS, full); errors.Is(err, fs.ErrNotExist) {
		return
	}
	full, src, ok := l.reader.Named(l.root.Folder, lock.Name, parse.Start(full), lock.MaxFile,
		"A lock is short: look at the content of the file.", ds)
	if !ok {
		return
	}
	if at, ok := parse.NotText(full, src); ok {
		parse.InvalidUTF8.Errorf(ds, at, "%q is not UTF-8 text at byte %d. Take it from version control, or write it anew with "+
			"`rocec build --lock --refresh`.", full, at.Start.Byte)
		return
	}
	f := lock.Read(full, src, ds)
	if name := l.src.Fabric.Name; f != nil && name != "" && f.Fabric != name {
		lock.Invalid.Errorf(ds, f.FabricAt, "This is the fabric.lock of %q, and the fabric is %q. Take the right file; or, when the "+
			"fabric was renamed, write it anew with `rocec build --lock --refresh`.", diag.Cut(f.Fabric), name).Note(l.src.Fabric.Decl, "the fabric")
		return
	}
	l.src.Lock = f
}
