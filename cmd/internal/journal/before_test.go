package journal

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// What was there before is kept once, and given back as it was or not at all.
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
