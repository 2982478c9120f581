// Package operands resolves the two sides of a comparison: each is a revision of the fabric's repository, a folder with a fabric, or
// files of devices. It makes a [meaning.Side] from an [Operand].
package operands

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/rocec/rocec/cmd/internal/devicefiles"
	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/globals"
	"github.com/rocec/rocec/cmd/internal/meaning"
	"github.com/rocec/rocec/cmd/internal/revision"
	"github.com/rocec/rocec/cmd/internal/site"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/judge"
)

// Operand is one side of a comparison, before it is read.
type Operand struct {
	Name   string // for printing
	Folder string // the folder of a fabric; empty: a revision, or files of devices
	Files  string // of devices
	Commit string // of a revision: its hash
	Path   string // of a revision: the folder of the fabric, from the root of the repository
	dir    string // in the repository
	given  bool   // the person names the path
}

// WorkingTree is the name of the current files in the fabric's folder.
const WorkingTree = "working tree"

// Resolve returns the two sides of a comparison, with the arguments of git diff. Without names they are HEAD and the fabric's folder,
// with one name A they are A and the folder. A..B names two revisions, A...B the merge base of both and B.
func Resolve(ctx context.Context, dir string, names []string) (a, b *Operand, err error) {
	here := &Operand{Name: WorkingTree, Folder: dir}
	switch len(names) {
	case 0:
		a, err = named(ctx, dir, "HEAD")
		return a, here, err
	case 1:
		if from, to, ok := cutRange(names[0]); ok && !exists(names[0]) {
			return between(ctx, dir, from, to, strings.Contains(names[0], "..."))
		}
		a, err = named(ctx, dir, names[0])
		return a, here, err
	}
	if a, err = named(ctx, dir, names[0]); err != nil {
		return nil, nil, err
	}
	b, err = named(ctx, dir, names[1])
	return a, b, err
}

// cutRange splits A..B and A...B.
func cutRange(name string) (from, to string, ok bool) {
	from, to, ok = strings.Cut(name, "..")
	return from, strings.TrimPrefix(to, "."), ok
}

// between returns the revisions of a range; a side without a name is HEAD.
func between(ctx context.Context, dir, from, to string, base bool) (a, b *Operand, err error) {
	name := func(rev string) string {
		if rev == "" {
			return "HEAD"
		}
		return rev
	}
	if a, err = ofRevision(ctx, dir, name(from)); err != nil {
		return nil, nil, err
	}
	if b, err = ofRevision(ctx, dir, name(to)); err != nil {
		return nil, nil, err
	}
	if base {
		if a.Commit, err = revision.MergeBase(ctx, dir, a.Commit, b.Commit); err != nil {
			return nil, nil, exit.Fail(exit.Usage, "%s...%s: %v", name(from), name(to), err)
		}
		a.Name = "where " + b.Name + " leaves " + a.Name
	}
	return a, b, nil
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// named resolves one name: a path, or a revision. It refuses a name that is both.
func named(ctx context.Context, dir, name string) (*Operand, error) {
	rev, err := ofRevision(ctx, dir, name)
	switch info, stat := os.Stat(name); {
	case stat != nil && err != nil:
		if errors.Is(err, revision.ErrNoRepository) {
			return nil, exit.Fail(exit.Usage, "%s is neither a file, nor a folder, nor a revision: git finds no repository. "+
				"rocec diff A B compares two folders without one", name)
		}
		if unknown := (*revision.UnknownError)(nil); errors.As(err, &unknown) {
			return nil, exit.Fail(exit.Usage, "%s is neither a file, nor a folder, nor a revision: %v", name, err)
		}
		return nil, exit.Fail(exit.Machines, "%v", err)
	case stat != nil:
		return rev, nil
	case err == nil && !strings.ContainsAny(name, `/\`) && name != ".":
		return nil, exit.Fail(exit.Usage, "%s is a revision and a path. Write ./%s for the path, or refs/heads/%s for the branch", name, name,
			name)
	case info.IsDir() && holdsFabric(name):
		return &Operand{Name: path.Clean(filepath.ToSlash(name)), Folder: name}, nil
	}
	return &Operand{Name: path.Clean(filepath.ToSlash(name)), Files: name}, nil
}

// holdsFabric reports whether a folder has files of a fabric.
func holdsFabric(dir string) bool {
	files, err := filepath.Glob(filepath.Join(escapeGlob(dir), "*.hcl"))
	return err == nil && len(files) > 0
}

// escapeGlob escapes the characters of a path that are special in a pattern.
func escapeGlob(name string) string {
	return strings.NewReplacer(`*`, `[*]`, `?`, `[?]`, `[`, `[[]`).Replace(name)
}

// ofRevision resolves REV or REV:PATH. Without a path it uses the fabric's folder.
func ofRevision(ctx context.Context, dir, name string) (*Operand, error) {
	rev, in, has := strings.Cut(name, ":")
	top, err := revision.Top(ctx, dir)
	if err != nil {
		return nil, err
	}
	o := &Operand{Name: name, dir: dir, given: has}
	if o.Commit, err = revision.Resolve(ctx, dir, rev); err != nil {
		return nil, err
	}
	o.Path = path.Clean(filepath.ToSlash(in))
	if !has || strings.HasPrefix(in, "./") || strings.HasPrefix(in, "../") { // from the fabric's folder, as in git
		real, err := realFolder(dir)
		if err != nil {
			return nil, exit.Fail(exit.Usage, "%v", err)
		}
		rel, err := filepath.Rel(top, filepath.Join(real, filepath.FromSlash(in)))
		if err != nil {
			return nil, exit.Fail(exit.Usage, "%v", err)
		}
		o.Path = filepath.ToSlash(rel)
	}
	if in == "" && has {
		o.Path = "."
	}
	if !fs.ValidPath(o.Path) {
		return nil, exit.Fail(exit.Usage, "%s is not a folder of the repository", name)
	}
	return o, nil
}

// realFolder returns an absolute path without links. The name of a folder that only the revision has stays.
func realFolder(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// State reads an operand.
func (o *Operand) State(ctx context.Context, g *globals.Globals) (*meaning.Side, error) {
	s := &meaning.Side{Name: diag.Escape(o.Name), Commit: o.Commit}
	switch {
	case o.Files != "":
		found, err := devicefiles.Read([]string{o.Files})
		if err != nil {
			return nil, err
		}
		s.Files, s.Hidden, s.Dir = found.Files, found.Hidden, found.Dir
		s.Audit = func() *meaning.Audited { return audited(ctx, g, found) }
		return s, nil
	case o.Folder != "":
		f, err := g.Load(o.Folder)
		if err != nil {
			return nil, err
		}
		s.Report, s.Dir = f, path.Clean(filepath.ToSlash(o.Folder))
		return s, nil
	}
	r, err := revision.Open(ctx, o.dir, o.Name, o.Commit)
	if err != nil {
		return nil, exit.Fail(exit.Machines, "%s: %v", o.Name, err)
	}
	defer r.Close()
	if _, err := fs.ReadDir(r.FS(), o.Path); errors.Is(err, fs.ErrNotExist) {
		if o.given {
			return nil, exit.Fail(exit.Usage, "%s: the revision has no such folder", o.Name)
		}
		s.Absent = true // every device and cable is new
		return s, nil
	}
	if s.Report, err = globals.LoadIn(ctx, g, r.FS(), o.Path); err != nil {
		return nil, err
	}
	s.Dir = o.Path
	return s, nil
}

// audited judges files as a network; nil: no network can be derived.
func audited(ctx context.Context, g *globals.Globals, found *devicefiles.Found) *meaning.Audited {
	s, ds := site.Of(ctx, found.Files, site.Options{Most: g.MaxObjects, Judge: judge.Options{Budget: g.Steps()}})
	if ds.HasErrors() || s.Judged == nil || s.Judged.Fabric == nil {
		return nil
	}
	r, _ := s.Judge(found)
	return &meaning.Audited{Report: r, Guessed: s.Guessed}
}

// Compiled returns a fabric that is compiled for another system or release of its switches.
func Compiled(o *Operand, system, release string) *Operand {
	out := *o
	out.Name = strings.TrimSpace(o.Name + " for " + strings.TrimSpace(system+" "+release))
	return &out
}

// Recompile sets another system or release for the switches of a fabric. With only a release, it changes the switches whose system has
// that release. Devices set by hand stay.
func Recompile(src *lang.Source, system, release string) {
	for _, s := range src.Switches {
		if s.ByHand != nil {
			continue
		}
		if system != "" {
			s.OS = lang.Value[string]{V: system, At: diag.FirstPlace(s.OS.At, s.Decl)}
		}
		if release != "" && (system != "" || hasRelease(s.OS.Or(targets.Known.OS[0].Name), release)) {
			s.Version = lang.Value[string]{V: release, At: diag.FirstPlace(s.Version.At, s.Decl)}
		}
	}
}

// hasRelease reports whether a system has a release, or is unknown.
func hasRelease(system, release string) bool {
	for _, os := range targets.Known.OS {
		if os.Name == system {
			return os.Release(release) == ""
		}
	}
	return true
}
