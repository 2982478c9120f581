package site

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/deploy"
)

// hostile commits the fabric with one more entry, which git itself does not make.
func (w *team) hostile(mode, name, hash string) string {
	w.t.Helper()
	var data []byte
	for _, e := range [][3]string{{mode, name, hash}, {"100644", "fabric.hcl", w.git("rev-parse", "HEAD:fabric.hcl")}} {
		raw, err := hex.DecodeString(e[2])
		require.NoError(w.t, err)
		data = append(append(append(data, e[0]+" "+e[1]...), 0), raw...)
	}
	file := filepath.Join(w.dir, "tree")
	require.NoError(w.t, os.WriteFile(file, data, 0o600))
	return w.git("commit-tree", w.git("hash-object", "-t", "tree", "-w", "--literally", file), "-m", "x")
}

// copies returns the commits of which a site has copies.
func (w *team) copies(site string) (commits []string) {
	w.t.Helper()
	all, err := os.ReadDir(filepath.Join(w.sites[site].state, "fabric"))
	require.NoError(w.t, err)
	for _, e := range all {
		_, commit, _ := strings.Cut(e.Name(), "-")
		commits = append(commits, commit)
	}
	return commits
}

// TestHostileCommit: a site refuses a commit that it cannot copy, in a plan and in a run. It keeps nothing of it, and goes on.
func TestHostileCommit(t *testing.T) {
	t.Parallel()
	w := newTeam(t)
	saved, good := w.plan(nil, "dc1"), w.commit
	blob, folder := w.git("rev-parse", "HEAD:fabric.hcl"), w.git("rev-parse", "HEAD^{tree}")
	n := 0
	for says, commit := range map[string]string{
		`has an entry with the name "."`:        w.hostile("40000", ".", folder),
		`has an entry with the name ".Git"`:     w.hostile("40000", ".Git", folder),
		`has an entry with the name ".git"`:     w.hostile("100644", ".git", blob),
		`has an entry with a name of 300 bytes`: w.hostile("100644", strings.Repeat("a", 300), blob),
		"it is a tree":                          w.hostile("100644", "file", folder), // found when the copy has begun
	} {
		w.commit = commit
		_, refused := w.ask("dc1")
		require.Len(t, refused, 1)
		assert.Contains(t, refused[0], says)
		terms := *saved.Terms
		meta := saved.Meta
		meta.Terms, terms.Commit = &terms, commit
		n++
		run := fmt.Sprintf("20261130t1000%02dz-cccc", n)
		w.submit(run, w.envelope(deploy.NewSaved(saved.Devices, meta), nil))
		story := w.story(run)
		assert.Contains(t, story, "dc1 over stopped")
		assert.Contains(t, story, says)
		assert.NotContains(t, story, "cannot be written")
	}
	require.Equal(t, []string{good}, w.copies("dc1"))
	w.commit = good
	w.submit(run1, w.envelope(w.plan(nil, "dc1"), nil))
	require.Contains(t, w.story(run1), "dc1 over complete")
}

// TestCopies: a site keeps the copies of commits that runs need, and the newest other ones. A copy that was cut off is made anew.
func TestCopies(t *testing.T) {
	t.Parallel()
	w := newTeam(t)
	s := w.sites["dc1"]
	next := func() string {
		w.write(fabric + "# " + time.Now().String() + "\n")
		return w.commit
	}
	done := w.commit
	w.submit(run1, w.envelope(w.plan(nil, "dc1"), nil))
	require.Contains(t, w.story(run1), "dc1 over complete")
	waits := next()
	saved := w.plan(nil, "dc1", "dc2")
	w.stop("dc2")
	w.submit(run2, w.envelope(saved, nil))
	require.Eventually(t, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.queue.Run(run2) != nil
	}, time.Minute, 50*time.Millisecond)

	take := func(commit string) {
		t.Helper()
		_, err := s.folder(t.Context(), "prod", commit)
		require.NoError(t, err)
	}
	used, unused := next(), next()
	dir, err := s.folder(t.Context(), "prod", used)
	require.NoError(t, err)
	take(unused)
	stale := filepath.Join(dir, "stale.hcl")
	require.NoError(t, os.WriteFile(stale, nil, 0o600))
	take(used)
	require.FileExists(t, stale)
	require.NoError(t, os.Remove(filepath.Join(dir, wholeFile)))
	take(used)
	require.NoFileExists(t, stale)

	want := []string{done, waits, used}
	for range mostCopies - 1 {
		commit := next()
		take(commit)
		want = append(want, commit)
	}
	require.ElementsMatch(t, want, w.copies("dc1"))
	first := want[3]
	take(used)
	take(next())
	require.Contains(t, w.copies("dc1"), used)
	require.NotContains(t, w.copies("dc1"), first)
}
