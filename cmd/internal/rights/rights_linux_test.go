package rights

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAnotherUser: a policy that this user cannot read, or that a third one owns, stops the command.
func TestAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		require.Empty(t, os.Getenv("CI"), "only root can become another user, and CI runs as root")
		t.Skip("only root can become another user: run the tests as root")
	}
	const nobody, other = 65534, 65533
	roots, closed, theirs, hidden := site(t, "approvals = 1"), site(t, ""), site(t, ""), site(t, "")
	require.NoError(t, os.Chmod(filepath.Join(closed, policyFile), 0o600))
	require.NoError(t, os.Chown(filepath.Join(theirs, policyFile), other, other))
	require.NoError(t, os.Chmod(hidden, 0o700))
	_, _, err := readRights(Named{Folder: theirs})
	require.ErrorContains(t, err, "the user 65533 owns it, who is neither you (0) nor root")

	require.NoError(t, syscall.Setresuid(-1, nobody, -1)) // of every thread, so this test runs alone
	defer func() { require.NoError(t, syscall.Setresuid(-1, 0, -1)) }()
	r, _, err := readRights(Named{Folder: roots})
	require.NoError(t, err)
	assert.Equal(t, 1, r.Approvals(0))
	for dir, says := range map[string]string{
		closed: "permission denied", hidden: "permission denied", theirs: "the user 65533 owns it, who is neither you (65534) nor root",
	} {
		_, _, err := readRights(Named{Folder: dir})
		require.ErrorContains(t, err, says)
	}
}
