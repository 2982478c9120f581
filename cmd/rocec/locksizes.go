package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/wholefile"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/lock"
)

// lockSizes pins the sizes that rocec has derived for a fabric. With refresh it derives pinned sizes again, too.
func (a *app) lockSizes(dir string, refresh bool) error {
	name := filepath.Join(dir, lock.Name)
	was, err := os.Lstat(name)
	switch {
	case err == nil && !was.Mode().IsRegular():
		return exit.Fail(exit.Errors, "%s is not a regular file", name)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return exit.Fail(exit.Machines, "%v", err)
	}
	a.Unlocked = refresh
	f, err := a.Load(dir)
	if err != nil {
		return err
	}
	if f.Fabric == nil { // later errors do not matter: the sizes exist
		a.PrintDiagnostics(a.Stderr, f)
		return exit.With(exit.Errors)
	}
	rows := sizesOf(f.Fabric)
	text := lock.Format(&lock.File{Fabric: f.Fabric.Name, Rocec: a.Rocec.Version, Rows: rows})
	said := fmt.Sprintf("%s pinned", diag.Count(len(rows), "row"))
	if old := f.Source.Lock; old != nil {
		added, kept := 0, 0
		for _, s := range f.Fabric.Sizes {
			if s.Pinned == nil {
				added++
			}
		}
		kept = len(rows) - added
		if said = fmt.Sprintf("%d added, %d removed, %d kept", added, len(old.Rows)-kept, kept); added == 0 && kept == len(old.Rows) {
			text = nil
		}
	} else if was != nil {
		if now, err := readRegular(name); err == nil && bytes.Equal(now, text) {
			text = nil
		}
	}
	if text == nil {
		_, err := fmt.Fprintf(a.Stdout, "%s is up to date: %s\n", diag.Escape(name), diag.Count(len(rows), "row"))
		return err
	}
	if err := wholefile.Replace(name, text, 0o644); err != nil {
		return exit.Fail(exit.Machines, "%v", err)
	}
	_, err = fmt.Fprintf(a.Stdout, "%s: %s\n", diag.Escape(name), said)
	return err
}

// sizesOf returns the rows of a fabric's lock: pinned rows, and rows to pin.
func sizesOf(f *ir.Fabric) []*lock.Row {
	var rows []*lock.Row
	known := map[*lock.Row]bool{}
	for _, s := range f.Sizes {
		row := s.Pinned
		if row == nil {
			row = s.Fresh
		}
		if !known[row] {
			known[row] = true
			rows = append(rows, row)
		}
	}
	return rows
}
