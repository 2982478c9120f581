package rights

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/person"
)

// site makes a folder of a site with a policy, which every user may read.
func site(t *testing.T, text string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "site") // t.TempDir is closed to other users
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, policyFile), []byte(text), 0o600))
	require.NoError(t, os.Chmod(filepath.Join(dir, policyFile), 0o644))
	return dir
}

func readRights(o Named) (*Rights, string, error) {
	var stderr bytes.Buffer
	r, err := Read(&person.Person{Getenv: func(string) string { return "" }, Stderr: &stderr}, o)
	return r, stderr.String(), err
}

// TestRead reads the policy of the site and those that a command names, and refuses each file that others could have written.
func TestRead(t *testing.T) {
	t.Parallel()
	dir := site(t, "approvals = 1")
	name, more := filepath.Join(dir, policyFile), filepath.Join(site(t, "approvals = 2"), policyFile)
	r, _, err := readRights(Named{Folder: dir, Policies: []string{more}})
	require.NoError(t, err)
	require.Len(t, r.Policies, 2)
	assert.Equal(t, 2, r.Approvals(0))
	assert.Equal(t, 3, r.Approvals(3))

	r, _, err = readRights(Named{Folder: filepath.Join(t.TempDir(), "rocec")})
	require.NoError(t, err)
	assert.Empty(t, r.Policies, "a machine without the folder has no policy")
	r, _, err = readRights(Named{Folder: t.TempDir()})
	require.NoError(t, err)
	assert.Empty(t, r.Policies)

	for _, one := range []struct {
		says string
		do   func(t *testing.T, dir, name string)
	}{
		{"its mode 0664 lets its group write it", func(t *testing.T, _, name string) { require.NoError(t, os.Chmod(name, 0o664)) }},
		{"its mode 0646 lets every user write it", func(t *testing.T, _, name string) { require.NoError(t, os.Chmod(name, 0o646)) }},
		{"its mode 0775 lets its group write it", func(t *testing.T, dir, _ string) { require.NoError(t, os.Chmod(dir, 0o775)) }},
		{"it is a symbolic link", func(t *testing.T, _, name string) {
			require.NoError(t, os.Rename(name, name+".old"))
			require.NoError(t, os.Symlink(name+".old", name))
		}},
		{"it is a symbolic link", func(t *testing.T, dir, _ string) {
			require.NoError(t, os.Rename(dir, dir+".old"))
			require.NoError(t, os.Symlink(dir+".old", dir))
			t.Cleanup(func() { os.RemoveAll(dir + ".old") })
		}},
		{"is not a file", func(t *testing.T, _, name string) {
			require.NoError(t, os.Remove(name))
			require.NoError(t, os.Mkdir(name, 0o700))
		}},
		{"is not a folder", func(t *testing.T, dir, _ string) {
			require.NoError(t, os.RemoveAll(dir))
			require.NoError(t, os.WriteFile(dir, nil, 0o600))
		}},
	} {
		dir := site(t, "")
		one.do(t, dir, filepath.Join(dir, policyFile))
		_, _, err := readRights(Named{Folder: dir})
		require.ErrorContains(t, err, one.says)
		require.ErrorContains(t, err, dir)
	}
	require.NoError(t, os.Chmod(more, 0o666))
	_, _, err = readRights(Named{Folder: dir, Policies: []string{more}})
	require.ErrorContains(t, err, "lets its group and every user write it")
	_, _, err = readRights(Named{Policies: []string{name + ".none"}})
	require.ErrorContains(t, err, "the policy cannot be read")

	_, stderr, err := readRights(Named{Folder: site(t, "forbids = []")})
	require.ErrorContains(t, err, "cannot be used, and nothing is done without it")
	assert.Contains(t, stderr, "policy.hcl:1:1")
	assert.Contains(t, stderr, `There is no "forbids" in a policy.`)
}

// TestRehearsal reads no policy of the site, and none of the working folder.
func TestRehearsal(t *testing.T) {
	t.Chdir(site(t, "approvals = 1"))
	r, _, err := readRights(Named{})
	require.NoError(t, err)
	assert.Empty(t, r.Policies)
}
