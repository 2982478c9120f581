package site

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/rocec/rocec/cmd/internal/revision"
	"github.com/rocec/rocec/cmd/internal/teamplan"
)

// fetchTime is how long git may take to bring a mirror up to date.
const fetchTime = 2 * time.Minute

// fetching lets one git at a time bring a mirror up to date.
var fetching sync.Mutex

// folder returns the folder of a fabric at a commit. It writes the files of the commit below the state of the site, once. If the mirror does
// not have the commit, it is brought up to date first.
func (w *Worker) folder(ctx context.Context, fabric, commit string) (string, error) {
	of, ok := w.o.Fabrics[fabric]
	switch {
	case !ok:
		return "", fmt.Errorf("this site has no mirror of the fabric %q", fabric)
	case !teamplan.Commit(commit):
		return "", errors.New("the plan names no commit by its whole hash: a fabric with changes that are not committed has none")
	}
	dir := filepath.Join(w.o.State, "fabric", fabric+"-"+commit)
	if _, err := os.Stat(dir); err == nil {
		return filepath.Join(dir, filepath.FromSlash(of.Folder)), nil
	}
	fetching.Lock()
	defer fetching.Unlock()
	if _, err := revision.Resolve(ctx, of.Mirror, commit); err != nil {
		if err := fetch(ctx, of.Mirror); err != nil {
			return "", fmt.Errorf("the mirror of the fabric does not have the commit %s, and cannot be brought up to date: %w", commit, err)
		}
	}
	r, err := revision.Open(ctx, of.Mirror, commit, commit)
	if err != nil {
		return "", fmt.Errorf("the mirror of the fabric does not have the commit %s: %w", commit, err)
	}
	defer r.Close()
	if err := writeFiles(r.FS(), dir); err != nil {
		return "", err
	}
	return filepath.Join(dir, filepath.FromSlash(of.Folder)), nil
}

// fetch brings a mirror up to date.
func fetch(ctx context.Context, mirror string) error {
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", "-C", mirror, "fetch", "--quiet", "--all")
	cmd.Env = append(os.Environ(), "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
	out, err := cmd.CombinedOutput()
	if err != nil {
		first, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
		return fmt.Errorf("git fetch: %w: %s", err, first)
	}
	return nil
}

// writeFiles writes the files of a commit to a folder that does not exist. Links become the files that they name; other links are left out.
func writeFiles(files fs.FS, dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return onDisk(err)
	}
	part, err := os.MkdirTemp(filepath.Dir(dir), ".part-")
	if err != nil {
		return onDisk(err)
	}
	err = fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		to := filepath.Join(part, filepath.FromSlash(name))
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return onDisk(os.MkdirAll(to, 0o700))
		}
		data, err := fs.ReadFile(files, name)
		if err != nil {
			if d.Type()&fs.ModeSymlink != 0 {
				return nil
			}
			return err
		}
		return onDisk(os.WriteFile(to, data, 0o600))
	})
	if err == nil { // modules of the fabric may be anywhere below
		err = onDisk(os.WriteFile(filepath.Join(part, ".git"), nil, 0o600))
	}
	if err == nil {
		err = onDisk(os.Rename(part, dir))
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(part))
	}
	return nil
}
