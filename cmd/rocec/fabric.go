package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/validate"
)

// fabric is everything the pipeline made of one folder. After an error, what the later stages make is nil.
type fabric struct {
	src    *lang.Source // files, comments and shown values only
	ir     *ir.Fabric
	report validate.Report
	diags  diag.List // of all stages, sorted

	ignored []lang.Ignored // silenced by comments; not in diags

	dir    string // the folder, as the person named it
	strict bool   // warnings end in exit status 1

	devices []deviceFile // only of files of devices: then there is no fabric

	files *target.Tree // see tree
}

// tree gives the files of every device, rendered when first asked for: most verbs only want to know what there is to say
// of them, and they take more memory than the fabric. Nil when there is no fabric.
func (f *fabric) tree() *target.Tree {
	if f.files == nil && f.ir != nil {
		f.files, _ = targets.Render(f.ir) // its diagnostics are among those of the fabric
	}
	return f.files
}

// load runs the pipeline on a folder: load, compile, judge, and ask the targets. The first two stop it when they report
// errors; validate and targets both run, so that a person sees everything at once.
func (a *app) load(dir string) (*fabric, error) { return a.loadOver(context.Background(), dir, nil) }

// loadOver is load with texts that win over the files on disk, by their names in places. When ctx is done it ends
// before the next stage, with what it has; the proof, which takes longest, gives up.
func (a *app) loadOver(ctx context.Context, dir string, unsaved map[string][]byte) (*fabric, error) {
	o := lang.Options{Vars: a.vars, Env: a.environ, MaxObjects: a.maxObjects}
	for _, name := range a.varFiles {
		data, err := readBounded(name)
		if err != nil {
			return nil, fail(exitUsage, "--var-file: %v", err)
		}
		o.VarFiles = append(o.VarFiles, lang.VarFile{Name: name, Data: data})
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fail(exitErrors, "cannot open the fabric's folder: %v", err)
	}
	defer root.Close()

	var outside []*os.Root // folders of modules
	defer func() {
		for _, r := range outside {
			r.Close() //nolint:errcheck // nothing was written
		}
	}()
	o.Folder = func(name string) (fs.FS, error) {
		r, err := os.OpenRoot(filepath.FromSlash(name))
		if err != nil {
			return nil, err
		}
		outside = append(outside, r)
		return over(&rootedFS{name, r.FS()}, unsaved), nil
	}

	name := path.Clean(filepath.ToSlash(dir))
	f := &fabric{dir: dir}
	f.src, f.diags = lang.Load(over(&rootedFS{name, root.FS()}, unsaved), name, o)
	if !f.diags.HasErrors() && ctx.Err() == nil {
		src := f.src
		f.src = &lang.Source{Files: src.Files, Ignores: src.Ignores, Calls: src.Calls, Values: src.Values} // the rest is the compiler's to let go of
		var ds diag.List
		f.ir, ds = compiler.Compile(src)
		f.diags = append(f.diags, ds...)
	}
	if !f.diags.HasErrors() && ctx.Err() == nil {
		budget := a.steps()
		stop := context.AfterFunc(ctx, func() { budget.Spend(math.MaxInt / 2) })
		f.report = validate.Run(f.ir, budget)
		stop()
		f.diags = append(append(f.diags, f.report.Diagnostics...), targets.Check(f.ir)...)
	}
	f.diags.Sort()
	f.noteCalls()
	f.suppress(f.ir != nil)
	return f, nil
}

// fails tells whether a finding ends validate in exit status 1.
func (f *fabric) fails(d *diag.Diagnostic) bool {
	return d.Severity == diag.Error || f.strict && d.Severity == diag.Warning
}

// noteCalls adds to what is found in a module which module blocks call it. What lang found there says so already.
func (f *fabric) noteCalls() {
	const most = 3
	for _, d := range f.diags {
		if d.At.Filename == "" {
			continue
		}
		for i, call := range f.src.Calls[path.Dir(d.At.Filename)] {
			if i < most && !slices.ContainsFunc(d.Notes, func(n diag.Note) bool { return n.At == call }) {
				d.Note(call, "in the module called here")
			}
		}
	}
}

// loadGood is load for verbs whose result is not the diagnostics: those go to stderr, and errors end the verb.
func (a *app) loadGood(dir string) (*fabric, error) {
	f, err := a.load(dir)
	if err != nil {
		return nil, err
	}
	if a.quiet && !f.diags.HasErrors() { // an accepted PFC loop is repeated every time
		f.diags = slices.DeleteFunc(f.diags, func(d *diag.Diagnostic) bool { return d.Code != validate.PFCLoop.Code })
	}
	a.printDiagnostics(a.stderr, f)
	if f.diags.HasErrors() {
		return nil, &exit{exitErrors, ""}
	}
	return f, nil
}

// printDiagnostics writes the diagnostics and, if there are any, the line that counts them.
func (a *app) printDiagnostics(w io.Writer, f *fabric) {
	p := &diag.Printer{Files: f.src.Files, Color: a.paints(w), Width: a.width(w), Most: 20}
	var mend, know diag.List
	for _, d := range f.diags {
		if d.Severity == diag.Notice {
			know = append(know, d)
		} else {
			mend = append(mend, d)
		}
	}
	p.Print(w, append(mend, know...)) //nolint:errcheck // a closed terminal has nobody to tell
	if a.verbose {
		for _, i := range f.ignored {
			p.Prose(w, fmt.Sprintf("ignored[%s]: ", i.Code), place(i.At)+": "+i.Detail)                    //nolint:errcheck // as above
			p.Prose(w, "  reason: ", fmt.Sprintf("%s (line %d)", i.By.Reason, max(i.By.At.Start.Line, 1))) //nolint:errcheck // as above
		}
	}
	if len(f.diags) == 0 {
		return
	}
	fmt.Fprintf(w, "%s in %s; rocec explain %s tells the story\n", severityCounts(f), diag.Count(fileCount(f), "file"), worst(f.diags).Code)
}

// counts is "1 error, 2 warnings", with notes where there are some.
func counts(l diag.List) string {
	s := diag.Count(l.Count(diag.Error), "error") + ", " + diag.Count(l.Count(diag.Warning), "warning")
	if notes := l.Count(diag.Notice); notes > 0 {
		s += ", " + diag.Count(notes, "note")
	}
	return s
}

// fileCount is the number of fabric files read, or of files of devices; values of variables count as files of their own
// in a Source.
func fileCount(f *fabric) int {
	n := len(f.devices)
	for name := range f.src.Files {
		if strings.HasSuffix(name, ".hcl") {
			n++
		}
	}
	return n
}

// worst is the first error, or else the first warning, or else the first note.
func worst(l diag.List) *diag.Diagnostic {
	return slices.MinFunc(l, func(x, y *diag.Diagnostic) int { return cmp.Compare(x.Severity, y.Severity) })
}

// readBounded reads a file the person named on the command line, at most 1 MiB of it.
func readBounded(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	const most = 1 << 20
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return nil, err
	}
	if len(data) > most {
		return nil, fmt.Errorf("%s is larger than 1 MiB", name)
	}
	return data, nil
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
