package site

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/cmd/internal/statement"
	"github.com/rocec/rocec/cmd/internal/teamplan"
	"github.com/rocec/rocec/cmd/internal/teamqueue"
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
	at, prefix := filepath.Join(w.o.State, "fabric"), statement.Sum([]byte(fabric))[:16]+"-"
	copies, err := safefile.MakeFolder(at, ownFolders-1)
	if err != nil {
		return "", onDisk(err)
	}
	defer copies.Close()
	name := prefix + commit
	dir := filepath.Join(at, name, filepath.FromSlash(of.Folder))
	if mark := path.Join(name, wholeFile); isThere(copies, mark) {
		_ = copies.WriteFile(mark, nil) // the folder gets the time of its last use
		return dir, nil
	}
	if !mirror.Has(ctx, of.Mirror, commit) {
		if err := mirror.Fetch(ctx, of.Mirror); err != nil {
			return "", fmt.Errorf("the mirror of the fabric does not have the commit %s, and cannot be brought up to date: %w", commit, err)
		}
	}
	if err := take(ctx, of.Mirror, commit, copies, name); err != nil {
		return "", errors.Join(err, onDisk(copies.RemoveAll(name)))
	}
	w.mu.Lock()
	now := w.o.Clock.Now()
	runs := slices.DeleteFunc(slices.Clone(w.queue.Runs(fabric)), func(r *teamqueue.TeamRun) bool { return r.Over(now) })
	w.mu.Unlock()
	if err := tidy(copies, prefix, w.o.Session(nil), runs); err != nil {
		w.o.Log.Warn("copies of old commits are not removed", "error", err)
	}
	return dir, nil
}

func isThere(folder *safefile.Folder, name string) bool {
	_, err := folder.ReadFile(name, 1)
	return err == nil
}

// take writes the files of a commit into a new folder. An earlier one was cut off.
func take(ctx context.Context, git, commit string, copies *safefile.Folder, name string) error {
	if err := copies.RemoveAll(name); err != nil {
		return onDisk(err)
	}
	if err := copies.MakeFolder(name); err != nil {
		return onDisk(err)
	}
	err := mirror.Copy(ctx, git, commit, func(file string) error { return onDisk(copies.MakeFolder(path.Join(name, file))) },
		func(file string, data []byte) error { return onDisk(copies.WriteFile(path.Join(name, file), data)) })
	if err != nil {
		return err
	}
	return onDisk(copies.WriteFile(path.Join(name, wholeFile), nil))
}

// mostCopies is how many copies a site keeps that no run needs.
const mostCopies = 20

// tidy removes the copies of a fabric that were used least lately. It keeps those of runs that are not over, and those of journals,
// because a later rollback reads them.
func tidy(copies *safefile.Folder, prefix string, s *session.Session, runs []*teamqueue.TeamRun) error {
	all, err := copies.ReadDir()
	if err != nil || len(all) <= mostCopies {
		return err
	}
	_, logs, unreadable, err := s.ReadRuns()
	switch {
	case err != nil:
		return err
	case len(unreadable) > 0:
		return errors.New("a journal cannot be read, and may need any of them")
	}
	needed := map[string]bool{}
	for _, l := range logs {
		for dir := l.Fabric; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			needed[filepath.Base(dir)] = true
		}
	}
	for _, r := range runs {
		needed[prefix+r.Plan.Terms.Commit] = true
	}
	var old []fs.FileInfo
	for _, e := range all {
		if info, err := e.Info(); err == nil && strings.HasPrefix(e.Name(), prefix) && !needed[e.Name()] {
			old = append(old, info)
		}
	}
	slices.SortFunc(old, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	for _, info := range old[min(mostCopies, len(old)):] {
		_ = copies.Remove(path.Join(info.Name(), wholeFile)) // first: a removal may be cut off
		err = errors.Join(err, copies.RemoveAll(info.Name()))
	}
	return err
}

// wholeFile is in a folder that has all files of a commit. No commit has a file of that name. By the name, the modules of a fabric
// may be anywhere in the folder.
const wholeFile = ".git"
