package globals

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy/safefile"
)

// A fabric may only use modules in its repository: its files may be from a stranger, and messages show lines of files. The person who
// runs rocec may allow further folders.

// inside contains the folders that may contain modules of a fabric. All are absolute paths without links.
type inside struct {
	roots  []string // the first is the repository, or the fabric's own folder
	why    string   // a sentence: why a repository is not used; empty if none was refused
	opened []*os.Root
}

// InsideOf returns the folders that may contain modules of the fabric in dir.
func (g *Globals) InsideOf(dir string) (*inside, error) {
	own, err := realPath(dir)
	if err != nil {
		return nil, err
	}
	root, why := rootOf(own)
	in := &inside{roots: []string{root}, why: why}
	for _, name := range g.Allowed {
		real, err := realPath(name)
		if err != nil {
			return nil, exit.Fail(exit.Usage, "--allow-outside: %v", err)
		}
		in.roots = append(in.roots, real)
	}
	return in, nil
}

// realPath returns an absolute path without links.
func realPath(name string) (string, error) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// rootOf returns the nearest folder at or above dir that contains .git; without one, dir. In a worktree or submodule .git is a file. If
// the .git belongs to another user, or every user may write it, rootOf returns dir, and why is a sentence with the reason. Such a .git
// could be planted in a shared folder such as /tmp; git, too, refuses a repository of another user.
func rootOf(dir string) (root, why string) {
	for up := dir; ; up = filepath.Dir(up) {
		git := filepath.Join(up, ".git")
		if info, err := os.Lstat(git); err == nil && (info.IsDir() || info.Mode().IsRegular()) {
			if not := safefile.OfOthers(info); not != "" {
				return dir, fmt.Sprintf("The .git in %q is ignored: %s.", diag.Cut(up), not)
			}
			return up, ""
		}
		if up == filepath.Dir(up) {
			return dir, ""
		}
	}
}

// within returns a path relative to a folder, if the path is inside the folder.
func within(root, name string) (rel string, ok bool) {
	rel, err := filepath.Rel(root, name)
	return rel, err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// Find returns the root that contains a folder, and the path from that root.
func (in *inside) Find(name string) (root, rel string, err error) {
	real, err := realPath(name)
	if err != nil { // a message must not reveal whether a file outside exists
		if real, err = filepath.Abs(name); err != nil {
			return "", "", err
		}
	}
	for _, root := range in.roots {
		if rel, ok := within(root, real); ok {
			return root, rel, nil
		}
	}
	return "", "", &lang.OutsideError{Root: in.roots[0], Why: in.why}
}

// open opens the folder of a module below its root. So a folder that is replaced by a link meanwhile cannot lead out.
func (in *inside) open(name string) (fs.FS, error) {
	root, rel, err := in.Find(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	r, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	in.opened = append(in.opened, r)
	if rel != "." {
		if r, err = r.OpenRoot(rel); err != nil {
			return nil, err
		}
		in.opened = append(in.opened, r)
	}
	return r.FS(), nil
}

// close closes the opened folders.
func (in *inside) close() {
	for _, r := range in.opened {
		r.Close() //nolint:errcheck // nothing was written
	}
}
