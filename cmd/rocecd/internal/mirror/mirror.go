// Package mirror takes the files of a fabric from a mirror: a git repository of a site, which follows the repository of the team.
package mirror

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/rocec/rocec/cmd/internal/revision"
)

// fetchTime is how long git may take to bring a mirror up to date.
const fetchTime = 2 * time.Minute

// fetching lets one git at a time bring a mirror up to date.
var fetching sync.Mutex

// Has reports whether a mirror has a commit.
func Has(ctx context.Context, git, commit string) bool {
	_, err := revision.Resolve(ctx, git, commit)
	return err == nil
}

// Fetch brings a mirror up to date.
func Fetch(ctx context.Context, git string) error {
	fetching.Lock()
	defer fetching.Unlock()
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", "-C", git, "fetch", "--quiet", "--all")
	cmd.Env = append(os.Environ(), "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
	out, err := cmd.CombinedOutput()
	if err != nil {
		first, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
		return fmt.Errorf("git fetch: %w: %s", err, first)
	}
	return nil
}

// Newest returns the newest commit of a mirror: the one of the first branch of its origin, or of its own branch if it has no origin.
func Newest(ctx context.Context, git string) (string, error) {
	if commit, err := revision.Resolve(ctx, git, "refs/remotes/origin/HEAD"); err == nil {
		return commit, nil
	}
	return revision.Resolve(ctx, git, "HEAD")
}

// Copy calls folder and file for the content of a commit, a folder before what is in it. Links become the files that they name; other links
// and submodules are left out.
func Copy(ctx context.Context, git, commit string, folder func(name string) error, file func(name string, data []byte) error) error {
	r, err := revision.Open(ctx, git, commit, commit)
	if err != nil {
		return fmt.Errorf("the mirror of the fabric does not have the commit %s: %w", commit, err)
	}
	defer r.Close()
	files := r.FS()
	return r.Walk(ctx, func(name string, d fs.DirEntry) error {
		switch {
		case d.IsDir():
			return folder(name)
		case d.Type()&fs.ModeIrregular != 0:
			return nil
		}
		data, err := fs.ReadFile(files, name)
		switch {
		case err != nil && d.Type()&fs.ModeSymlink != 0:
			return ctx.Err()
		case err != nil:
			return err
		}
		return file(name, data)
	})
}
