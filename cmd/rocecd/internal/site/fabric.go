package site

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/rocec/rocec/cmd/internal/statement"
	"github.com/rocec/rocec/cmd/internal/teamplan"
	"github.com/rocec/rocec/cmd/rocecd/internal/mirror"
	"github.com/rocec/rocec/targets/deploy/safefile"
)

// taking lets one git at a time take the files of a commit.
var taking sync.Mutex

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
	taking.Lock()
	defer taking.Unlock()
	dir := filepath.Join(w.o.State, "fabric", statement.Sum([]byte(fabric))[:16]+"-"+commit)
	folder, err := safefile.MakeFolder(dir, ownFolders)
	if err != nil {
		return "", onDisk(err)
	}
	defer folder.Close()
	if _, err := folder.ReadFile(wholeFile, 1); err == nil {
		return filepath.Join(dir, filepath.FromSlash(of.Folder)), nil
	}
	if !mirror.Has(ctx, of.Mirror, commit) {
		if err := mirror.Fetch(ctx, of.Mirror); err != nil {
			return "", fmt.Errorf("the mirror of the fabric does not have the commit %s, and cannot be brought up to date: %w", commit, err)
		}
	}
	err = mirror.Copy(ctx, of.Mirror, commit, func(name string) error { return onDisk(folder.MakeFolder(name)) },
		func(name string, data []byte) error { return onDisk(folder.WriteFile(name, data)) })
	if err != nil {
		return "", err
	}
	if err := onDisk(folder.WriteFile(wholeFile, nil)); err != nil {
		return "", err
	}
	return filepath.Join(dir, filepath.FromSlash(of.Folder)), nil
}

// wholeFile is in a folder that has all files of a commit. By its name, the modules of a fabric may be anywhere in the folder.
const wholeFile = ".git"
