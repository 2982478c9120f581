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

// A fabric reads modules in its repository, and nowhere else. Its files may come from a stranger, and a message about a file shows its
// lines. The person who runs rocec may name further folders.

// inside is the folders that the modules of a fabric may be in. All are absolute, and without links.
type inside struct {
	roots  []string // the first is the repository, or the fabric's own folder
	why    string   // a sentence: why it is not the repository, where there is one
	opened []*os.Root
}

// InsideOf returns the folders that modules of the fabric in dir may be in.
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

// rootOf returns the nearest folder, upward from one, that has a .git of its own; without one, the folder itself. A worktree and a
// submodule have a file .git. A .git of another user, or one that every user may write, ends the search as if no folder had one. Its
// owner could have put it into a shared folder such as /tmp, and git, too, refuses a repository of another user. why is a sentence
// about that.
func rootOf(dir string) (root, why string) {
	for up := dir; ; up = filepath.Dir(up) {
		git := filepath.Join(up, ".git")
		if info, err := os.Lstat(git); err == nil && (info.IsDir() || info.Mode().IsRegular()) {
			if not := safefile.OfOthers(info); not != "" {
				return dir, fmt.Sprintf("The .git in %q makes no repository: %s.", diag.Cut(up), not)
			}
			return up, ""
		}
		if up == filepath.Dir(up) {
			return dir, ""
		}
	}
}

// within returns a path as it reads from a folder, if it is in it.
func within(root, name string) (rel string, ok bool) {
	rel, err := filepath.Rel(root, name)
	return rel, err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// Find returns the root that a folder is in, and the path from there.
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

// open opens the folder of a module. What becomes a link meanwhile cannot lead out: the folder is opened below its root.
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

// close closes what was opened.
func (in *inside) close() {
	for _, r := range in.opened {
		r.Close() //nolint:errcheck // nothing was written
	}
}
