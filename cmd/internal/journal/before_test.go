package journal

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The journal keeps each earlier content once, and returns it unchanged or not at all.
func TestBefore(t *testing.T) {
	dir := Open(t.TempDir())
	log, err := dir.Begin(Header{Run: "run-1"}, time.Now)
	require.NoError(t, err)
	defer log.Close()
	one, two := []byte("one\n"), []byte{}
	require.NoError(t, log.KeepBefore([][]byte{one, two, one}))
	for _, content := range [][]byte{one, two} {
		got, err := dir.Before("run-1", sum(content))
		require.NoError(t, err)
		require.Equal(t, content, got)
	}
	kept := filepath.Join(dir.Path(), "run-1", "before")
	names, err := os.ReadDir(kept)
	require.NoError(t, err)
	require.Len(t, names, 2)

	for _, spoil := range []func(string) error{ // cut, then gone
		func(p string) error { return os.Truncate(p, 2) },
		os.Remove,
	} {
		require.NoError(t, spoil(filepath.Join(kept, sum(one))))
		_, err = dir.Before("run-1", sum(one))
		require.Error(t, err)
	}
	for _, hash := range []string{"", "../run-1.jsonl", "absent", "nic/../../x"} {
		_, err = dir.Before("run-1", hash)
		require.Error(t, err, hash)
	}
}

// A journal that was copied without its folder lacks the contents. The message reports that with the remedy.
func TestJournalCopiedAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs")
	dir := Open(path)
	run, err := dir.Begin(Header{Run: "run-1"}, time.Now)
	require.NoError(t, err)
	require.NoError(t, run.KeepBefore([][]byte{[]byte("x"), []byte("y")}))
	require.NoError(t, run.Finish(nil))
	hash := sum([]byte("x"))
	want := filepath.Join("run-1", "before", hash) + " is missing. It belongs to the journal, which names it: copy the folder run-1 " +
		"from the machine that has the whole run into " + path
	for _, gone := range []string{filepath.Join("run-1", "before", hash), filepath.Join("run-1", "before"), "run-1"} {
		require.NoError(t, os.RemoveAll(filepath.Join(path, gone)))
		_, err = dir.Before("run-1", hash)
		require.EqualError(t, err, want, gone)
	}
}

// A kept content must be a plain file. A link or pipe in its place is refused, and the read does not block.
func TestBeforeOfAnything(t *testing.T) {
	path := t.TempDir()
	dir := Open(path)
	run, err := dir.Begin(Header{Run: "run-1", Key: "abcd"}, time.Now)
	require.NoError(t, err)
	require.NoError(t, run.KeepBefore([][]byte{[]byte("x")}))
	require.NoError(t, run.Finish(nil))
	hash := strings.Repeat("0", 64)
	for _, elsewhere := range []string{"/dev/zero", "/etc/passwd", "../../../etc/passwd"} {
		require.NoError(t, os.Symlink(elsewhere, filepath.Join(path, "run-1", "before", hash)))
		_, err = dir.Before("run-1", hash)
		require.Error(t, err, elsewhere)
		require.NoError(t, os.Remove(filepath.Join(path, "run-1", "before", hash)))
	}
	require.NoError(t, syscall.Mkfifo(filepath.Join(path, "run-1", "before", hash), 0o600))
	_, err = dir.Before("run-1", hash)
	require.Error(t, err, "a pipe without a writer")
	for _, name := range []string{"", ".", "..", "../../run-1.jsonl", "/etc/passwd"} {
		_, err = dir.Before("run-1", name)
		require.Error(t, err, "%q", name)
	}
}
