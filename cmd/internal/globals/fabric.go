package globals

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/policy"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/seen"
	"github.com/rocec/rocec/targets/judge"
	"github.com/rocec/rocec/validate"
)

// Load runs the pipeline on a folder.
func (g *Globals) Load(dir string) (*report.Report, error) {
	ctx := g.Ctx
	if ctx == nil { // no command is run
		ctx = context.Background()
	}
	f, err := g.LoadOver(ctx, dir, nil, nil)
	if ctx.Err() != nil { // it ended early, and the result is incomplete
		return nil, ctx.Err()
	}
	return f, err
}

// LoadOver loads a folder. The texts of unsaved replace the files with these names. kept contains parts of an earlier load. LoadOver ends
// early when ctx is done.
func (g *Globals) LoadOver(ctx context.Context, dir string, unsaved map[string][]byte, kept *lang.Kept) (*report.Report, error) {
	o, hidden, err := judging(g, kept)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if info, _ := os.Stat(dir); err != nil && info != nil && info.Mode().IsRegular() {
		return nil, exit.Fail(exit.Errors, "%s is a file, and a fabric is a folder. Name the folder of the file: %s", dir, filepath.Dir(dir))
	}
	if err != nil {
		return nil, exit.Fail(exit.Errors, "cannot open the fabric's folder: %v", err)
	}
	defer root.Close()

	in, err := g.InsideOf(dir)
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
	end := g.Progress("Judging the fabric", false).Watch(func() string { return budgetText(o.Budget, g.Budget) })
	defer end()
	f := &report.Report{Judged: judge.Judge(ctx, over(&rootedFS{name, root.FS()}, unsaved), name, o), Dir: dir, Hidden: hidden}
	for name := range hidden {
		delete(f.Source.Files, name)
	}
	report.Hide(f.Diags, hidden)
	return f, nil
}

// LoadIn runs the pipeline on a folder of a repository that is given as a file system. Modules may be anywhere in the repository.
func LoadIn(ctx context.Context, g *Globals, repository fs.FS, dir string) (*report.Report, error) {
	o, hidden, err := judging(g, nil)
	if err != nil {
		return nil, err
	}
	o.Lang.Folder = func(name string) (fs.FS, error) {
		if !fs.ValidPath(name) {
			return nil, &lang.OutsideError{Root: "the repository"}
		}
		return repository, nil
	}
	end := g.Progress("Judging the fabric", false).Watch(func() string { return budgetText(o.Budget, g.Budget) })
	defer end()
	f := &report.Report{Judged: judge.Judge(ctx, repository, dir, o), Dir: dir, Hidden: hidden}
	for name := range hidden {
		delete(f.Source.Files, name)
	}
	report.Hide(f.Diags, hidden)
	return f, ctx.Err()
}

// judging returns the options of the pipeline, with the files that --var-file names. hidden has the files whose text no message may show.
func judging(g *Globals, kept *lang.Kept) (o judge.Options, hidden map[string][]byte, err error) {
	o = judge.Options{
		Lang: lang.Options{
			Vars: g.Vars, Env: g.Environ, MaxObjects: g.MaxObjects, Version: g.Rocec.Release, Unlocked: g.Unlocked,
			Kept: kept,
		},
		Budget: g.Steps(),
		Others: slices.Concat(targets.FileTopics(), deploy.Topics, seen.Topics, policy.Topics()),
		Change: g.Change,
	}
	hidden = map[string][]byte{}
	for _, name := range g.VarFiles {
		data, out, err := ReadNamed(name)
		if err != nil {
			return o, nil, exit.Fail(exit.Usage, "--var-file: %v", err)
		}
		if out {
			hidden[name] = data
		}
		o.Lang.VarFiles = append(o.Lang.VarFiles, lang.VarFile{Name: name, Data: data})
	}
	return o, hidden, nil
}

// LoadGood loads a folder for verbs whose result is not the diagnostics. It prints the diagnostics on stderr, and fails if one is an
// error.
func (g *Globals) LoadGood(dir string) (*report.Report, error) {
	f, err := g.Load(dir)
	if err != nil {
		return nil, err
	}
	if g.Quiet && !f.Diags.HasErrors() {
		f.Diags = slices.DeleteFunc(f.Diags, func(d *diag.Diagnostic) bool { return !aboutLoops(d) })
	}
	all, notes := f.Diags, map[string]bool{}
	if !g.Verbose { // only validate prints notes
		f.Diags = slices.DeleteFunc(slices.Clone(all), func(d *diag.Diagnostic) bool {
			fold := d.Severity == diag.Notice && !aboutLoops(d)
			if fold {
				notes[d.Code] = true
			}
			return fold
		})
	}
	g.PrintDiagnostics(g.Stderr, f)
	if n := len(all) - len(f.Diags); n > 0 {
		g.Say("validate has %s on this fabric (%s)", diag.Count(n, "note"), strings.Join(slices.Sorted(maps.Keys(notes)), ", "))
	}
	f.Diags = all
	if f.Diags.HasErrors() {
		return nil, exit.With(exit.Errors)
	}
	return f, nil
}

// budgetText returns the unused budget of the PFC-loop proof, as the longest time that the proof can still take.
func budgetText(b *ir.Budget, whole time.Duration) string {
	left := time.Duration(b.Left()) * (time.Second / validate.StepsPerSecond)
	return fmt.Sprintf("%d%% of the proof's budget is used, at most %s left", 100-100*left/max(whole, 1), left.Round(time.Second))
}

// aboutLoops reports whether a diagnostic is about a PFC loop. Every verb repeats such a diagnostic, even if the person has accepted the
// loop.
func aboutLoops(d *diag.Diagnostic) bool {
	return d.Code == validate.PFCLoop.Code || d.Code == validate.PFCLoopUnknown.Code
}

// LoadQuiet loads a folder for verbs that a person uses many times in a row: it prints nothing for a fabric without errors.
func (g *Globals) LoadQuiet(dir string) (*report.Report, error) {
	f, err := g.Load(dir)
	if err == nil && f.Diags.HasErrors() {
		g.PrintDiagnostics(g.Stderr, f)
		err = exit.With(exit.Errors)
	}
	return f, err
}

// PrintDiagnostics writes the diagnostics and, if there are any, the line that counts them.
func (g *Globals) PrintDiagnostics(w io.Writer, f *report.Report) {
	report.Diagnostics(w, f, g.Options(w))
}

// Options returns the options for writing a report to a stream.
func (g *Globals) Options(w io.Writer) report.Options {
	return report.Options{
		Version: g.Rocec.Version, Color: g.Paints(w), Width: g.Width(w), Quiet: g.Quiet, Verbose: g.Verbose,
	}
}

// rootedFS serves the files below dir, with names that begin with dir as the person wrote it (also "../x" and "/x"). So every place is a
// path from the person's working directory. Files outside dir cannot be opened.
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

// Lstat returns the type of a file. It follows no links and opens nothing, as opening a pipe could block.
func (r *rootedFS) Lstat(name string) (fs.FileInfo, error) {
	rel, err := r.below("lstat", name)
	if err != nil {
		return nil, err
	}
	return fs.Lstat(r.fs, rel)
}

// ReadLink makes rootedFS an [fs.ReadLinkFS], which [fs.Lstat] needs.
func (r *rootedFS) ReadLink(name string) (string, error) {
	rel, err := r.below("readlink", name)
	if err != nil {
		return "", err
	}
	return fs.ReadLink(r.fs, rel)
}

// below returns a name relative to the root.
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

// LoadNamed loads the folder that DIR or -C names.
func (g *Globals) LoadNamed(args []string) (*report.Report, error) {
	dir, err := g.Folder(args)
	if err != nil {
		return nil, err
	}
	return g.Load(dir)
}
