package site

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/rights"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/cmd/internal/statement"
	"github.com/rocec/rocec/lang/langtest/machinetest"
)

// TestFiles: a worker signs by ssh-keygen with the key of its machine, and verifies by the allowed signers there. Two workers cannot use
// one folder.
func TestFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	key := filepath.Join(dir, "key")
	out, err := exec.Command(machinetest.Need(t, "ssh-keygen"), "-q", "-t", "ed25519", "-N", "", "-f", key).CombinedOutput()
	require.NoError(t, err, "%s", out)
	public, err := os.ReadFile(key + ".pub")
	require.NoError(t, err)
	signers := filepath.Join(dir, "allowed_signers")
	require.NoError(t, os.WriteFile(signers, append([]byte(`site:dc1 namespaces="rocec-site" `), public...), 0o600))
	p := place{Site: "dc1", State: filepath.Join(dir, "state")}
	o := p.options(testLog{t, "dc1"}, nil)
	o.Signers, o.Sign = nil, nil
	of := o.Session
	o.Session = func(listen func(journal.Notice)) *session.Session {
		s := of(listen)
		s.Site = rights.Named{Folder: dir, Key: key}
		return s
	}
	w, err := New(o)
	require.NoError(t, err)
	defer w.book.close()
	st := &statement.Statement{Verb: statement.Taken, Fabric: "prod", Run: run1, Digest: statement.Sum(nil)}
	signed, err := w.signed(t.Context(), st, nil)
	require.NoError(t, err)
	all, err := w.o.Signers()
	require.NoError(t, err)
	_, who, err := signed.Open(all, time.Now())
	require.NoError(t, err)
	require.Equal(t, "site:dc1", who)

	_, err = New(o)
	require.ErrorContains(t, err, "another rocecd works for this site")
	require.NoError(t, os.Chmod(signers, 0o666))
	_, err = New(o)
	require.ErrorContains(t, err, "the allowed signers cannot be read")
}
