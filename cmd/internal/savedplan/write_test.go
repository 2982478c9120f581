//go:build unix

package savedplan

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/wholefile"
)

// A plan is not written through a link: another user can put a link into a shared folder, so that rocec replaces the file behind it. A
// device such as /dev/stdout is permitted.
func TestPlanBehindALink(t *testing.T) {
	dir := t.TempDir()
	mine, link, plan := filepath.Join(dir, "mine"), filepath.Join(dir, "link"), filepath.Join(dir, "plan")
	require.NoError(t, os.WriteFile(mine, []byte("mine"), 0o644))
	for _, to := range []string{mine, filepath.Join(dir, "nowhere")} {
		require.NoError(t, os.Symlink(to, link))
		require.ErrorContains(t, write(link, []byte("plan")), "is a symbolic link")
		require.NoError(t, os.Remove(link))
	}
	require.NoFileExists(t, filepath.Join(dir, "nowhere"))
	text, err := os.ReadFile(mine)
	require.NoError(t, err)
	require.Equal(t, "mine", string(text))

	require.NoError(t, os.Symlink(os.DevNull, link))
	require.NoError(t, write(link, []byte("plan")))
	require.NoError(t, os.Remove(link))

	require.NoError(t, os.Symlink(mine, link))
	require.NoError(t, wholefile.ReplaceLink(link, []byte("plan"), 0o600)) // a link that appears after the check is replaced
	info, err := os.Lstat(link)
	require.NoError(t, err)
	require.True(t, info.Mode().IsRegular())

	for _, mode := range []os.FileMode{0, 0o644, 0o666} {
		if mode != 0 {
			require.NoError(t, os.Chmod(plan, mode))
		}
		require.NoError(t, write(plan, []byte("plan")))
		info, err := os.Lstat(plan)
		require.NoError(t, err)
		require.Equal(t, map[os.FileMode]os.FileMode{0: 0o600, 0o644: 0o644, 0o666: 0o644}[mode], info.Mode())
	}
}
