package main

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/seen"
	"github.com/rocec/rocec/targets/judge"
	"github.com/rocec/rocec/validate"
)

// load runs the pipeline on a folder.
func (a *app) load(dir string) (*report.Report, error) {
	ctx := a.ctx
	if ctx == nil { // no command is run
		ctx = context.Background()
	}
	f, err := a.loadOver(ctx, dir, nil, nil)
	if ctx.Err() != nil { // it ended early, and what it has is not all
		return nil, ctx.Err()
	}
	return f, err
}

// loadOver is load with texts that win over the files on disk, by their names in places, and with what an earlier one has kept. When ctx
// is done it ends early.
func (a *app) loadOver(ctx context.Context, dir string, unsaved map[string][]byte, kept *lang.Kept) (*report.Report, error) {
	o := judge.Options{
		Lang: lang.Options{
			Vars: a.vars, Env: a.environ, MaxObjects: a.maxObjects, Version: release(buildVersion().Version), Unlocked: a.unlocked,
			Kept: kept,
		},
		Budget: a.steps(),
		Others: slices.Concat(targets.Linters().Topics(), deploy.Topics, seen.Topics),
	}
	hidden := map[string][]byte{}
	for _, name := range a.varFiles {
		data, out, err := readNamed(name)
		if err != nil {
			return nil, exit.Fail(exit.Usage, "--var-file: %v", err)
		}
		if out {
			hidden[name] = data
		}
		o.Lang.VarFiles = append(o.Lang.VarFiles, lang.VarFile{Name: name, Data: data})
	}
	root, err := os.OpenRoot(dir)
	if info, _ := os.Stat(dir); err != nil && info != nil && info.Mode().IsRegular() {
		return nil, exit.Fail(exit.Errors, "%s is a file, and a fabric is a folder. Name the folder it is in: %s", dir, filepath.Dir(dir))
	}
	if err != nil {
		return nil, exit.Fail(exit.Errors, "cannot open the fabric's folder: %v", err)
	}
	defer root.Close()

	in, err := a.insideOf(dir)
	if err != nil {
		return nil, err
	}
	defer in.close()
	o.Lang.Folder = func(name string) (fs.FS, error) {
		f, err := in.open(name)
		if err != nil {
			return nil, err
		}
		return over(&rootedFS{name, f}, unsaved), nil
	}

	name := path.Clean(filepath.ToSlash(dir))
	f := &report.Report{Judged: judge.Judge(ctx, over(&rootedFS{name, root.FS()}, unsaved), name, o), Dir: dir, Hidden: hidden}
	for name := range hidden {
		delete(f.Source.Files, name)
	}
	hide(f.Diags, hidden)
	return f, nil
}

// loadGood is load for verbs whose result is not the diagnostics: those go to stderr, and errors end the verb.
func (a *app) loadGood(dir string) (*report.Report, error) {
	f, err := a.load(dir)
	if err != nil {
		return nil, err
	}
	if a.quiet && !f.Diags.HasErrors() { // an accepted PFC loop is repeated every time
		f.Diags = slices.DeleteFunc(f.Diags, func(d *diag.Diagnostic) bool {
			return d.Code != validate.PFCLoop.Code && d.Code != validate.PFCLoopUnknown.Code
		})
	}
	a.printDiagnostics(a.stderr, f)
	if f.Diags.HasErrors() {
		return nil, exit.With(exit.Errors)
	}
	return f, nil
}

// loadQuiet is loadGood for verbs that a person uses many times in a row: nothing is said of a fabric without errors.
func (a *app) loadQuiet(dir string) (*report.Report, error) {
	f, err := a.load(dir)
	if err == nil && f.Diags.HasErrors() {
		a.printDiagnostics(a.stderr, f)
		err = exit.With(exit.Errors)
	}
	return f, err
}

// printDiagnostics writes the diagnostics and, if there are any, the line that counts them.
func (a *app) printDiagnostics(w io.Writer, f *report.Report) { report.Diagnostics(w, f, a.options(w)) }

// options is how a report is written to a stream.
func (a *app) options(w io.Writer) report.Options {
	return report.Options{
		Version: buildVersion().Version, Color: a.paints(w), Width: a.width(w), Quiet: a.quiet, Verbose: a.verbose,
	}
}

// rootedFS serves the files below dir under names that begin with dir as the person wrote it (also "../x" and
// "/x"), so that every place reads as a path from where the person stands. Nothing outside dir can be opened.
type rootedFS struct {
	dir string
	fs  fs.FS
}

// Open opens a file or folder below the root.
func (r *rootedFS) Open(name string) (fs.File, error) {
	rel, err := r.below("open", name)
	if err != nil {
		return nil, err
	}
	return r.fs.Open(rel)
}

// Lstat tells what a name is without following links or opening anything: a pipe would wait for its other end.
func (r *rootedFS) Lstat(name string) (fs.FileInfo, error) {
	rel, err := r.below("lstat", name)
	if err != nil {
		return nil, err
	}
	return fs.Lstat(r.fs, rel)
}

// ReadLink makes rootedFS an [fs.ReadLinkFS], which is what [fs.Lstat] asks for.
func (r *rootedFS) ReadLink(name string) (string, error) {
	rel, err := r.below("readlink", name)
	if err != nil {
		return "", err
	}
	return fs.ReadLink(r.fs, rel)
}

// below returns a name as it reads from the root.
func (r *rootedFS) below(op, name string) (string, error) {
	if r.dir == "." {
		return name, nil
	}
	rel, ok := strings.CutPrefix(name, r.dir)
	if !ok {
		return "", &fs.PathError{Op: op, Path: name, Err: fs.ErrPermission}
	}
	if rel = strings.TrimPrefix(rel, "/"); rel == "" {
		rel = "."
	}
	return rel, nil
}
