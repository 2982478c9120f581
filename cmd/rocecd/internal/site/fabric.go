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
	"github.com/rocec/rocec/cmd/internal/statement"
	"github.com/rocec/rocec/cmd/internal/teamplan"
	"github.com/rocec/rocec/targets/deploy/safefile"
)

// fetchTime is how long git may take to bring a mirror up to date.
const fetchTime = 2 * time.Minute

// fetching lets one git at a time bring a mirror up to date.
var fetching sync.Mutex

// folder returns the folder of a fabric at a commit. It writes the files of the commit below the state of the site, once. It brings the
// mirror up to date if the mirror does not have the commit.
func (w *Worker) folder(ctx context.Context, fabric, commit string) (string, error) {
	of, ok := w.o.Fabrics[fabric]
	switch {
	case !ok:
		return "", fmt.Errorf("this site has no mirror of the fabric %q", fabric)
	case !teamplan.Commit(commit):
		return "", errors.New("the plan names no commit by its whole hash: commit all changes of the fabric first")
	}
	fetching.Lock()
	defer fetching.Unlock()
	dir := filepath.Join(w.o.State, "fabric", statement.Sum([]byte(fabric))[:16]+"-"+commit)
	folder, err := safefile.MakeFolder(dir, ownFolders)
	if err != nil {
		return "", onDisk(err)
	}
	defer folder.Close()
	if _, err := folder.ReadFile(wholeFile, 1); err == nil {
		return filepath.Join(dir, filepath.FromSlash(of.Folder)), nil
	}
	if _, err := revision.Resolve(ctx, of.Mirror, commit); err != nil {
		if err := fetch(ctx, of.Mirror); err != nil {
			return "", fmt.Errorf("the mirror of the fabric does not have the commit %s, and cannot be brought up to date: %w", commit, err)
		}
	}
	if err := writeCommit(ctx, of.Mirror, commit, folder); err != nil {
		return "", err
	}
	return filepath.Join(dir, filepath.FromSlash(of.Folder)), nil
}

// writeCommit writes the files of a commit of a mirror to a folder.
func writeCommit(ctx context.Context, mirror, commit string, folder *safefile.Folder) error {
	r, err := revision.Open(ctx, mirror, commit, commit)
	if err != nil {
		return fmt.Errorf("the mirror of the fabric does not have the commit %s: %w", commit, err)
	}
	defer r.Close()
	return writeFiles(r.FS(), folder)
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

// wholeFile is in a folder that has all files of a commit. By its name, the modules of a fabric may be anywhere in the folder.
const wholeFile = ".git"

// writeFiles writes the files of a commit to a folder. Links become the files that they name; other links are left out.
func writeFiles(files fs.FS, to *safefile.Folder) error {
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || name == ".":
			return err
		case d.IsDir():
			return onDisk(to.MakeFolder(name))
		}
		data, err := fs.ReadFile(files, name)
		switch {
		case err != nil && d.Type()&fs.ModeSymlink != 0:
			return nil
		case err != nil:
			return err
		}
		return onDisk(to.WriteFile(name, data))
	})
	if err != nil {
		return err
	}
	return onDisk(to.WriteFile(wholeFile, nil))
}
