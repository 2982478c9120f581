package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
)

const (
	uglyFile = "fabric \"rack\" {\nmtu=9216\n}\n"
	niceFile = "fabric \"rack\" {\n  mtu = 9216\n}\n"
)

// If the process is killed in the middle of many files, each file is either unchanged or completely formatted.
func TestFmtKilled(t *testing.T) {
	tool, err := exec.LookPath("rocec")
	require.NoError(t, err, "testscript puts it there")
	filler := strings.Repeat("# a comment that makes the file longer\n", 200)
	const files = 150
	for _, lines := range []int{1, 7, 40} {
		// The names of finished files go through a pipe that holds few of them, so that rocec cannot finish all files before the first name is
		// read.
		dir := filepath.Join(t.TempDir(), strings.Repeat("long", 50))
		require.NoError(t, os.Mkdir(dir, 0o755))
		name := func(i int) string { return filepath.Join(dir, fmt.Sprintf("f%03d.hcl", i)) }
		for i := range files {
			require.NoError(t, os.WriteFile(name(i), []byte(uglyFile+filler), 0o644))
		}
		from, to, err := os.Pipe()
		require.NoError(t, err)
		const setPipeSize = 1031 // F_SETPIPE_SZ
		_, _, errno := syscall.Syscall(syscall.SYS_FCNTL, to.Fd(), setPipeSize, 4096)
		require.Zero(t, errno)
		cmd := exec.Command(tool, "fmt", dir)
		cmd.Stdout = to
		require.NoError(t, cmd.Start())
		require.NoError(t, to.Close())
		read := bufio.NewScanner(from)
		for range lines { // so many files are done, and the next one is being written
			require.True(t, read.Scan())
		}
		require.NoError(t, cmd.Process.Kill())
		require.ErrorContains(t, cmd.Wait(), "killed")
		require.NoError(t, from.Close())
		done := 0
		for i := range files {
			got, err := os.ReadFile(name(i))
			require.NoError(t, err)
			switch string(got) {
			case niceFile + filler:
				done++
			case uglyFile + filler:
			default:
				t.Fatalf("file %d is neither unchanged nor formatted: %d bytes", i, len(got))
			}
		}
		assert.GreaterOrEqual(t, done, lines)
		assert.Less(t, done, files, "the process was not killed in the middle")
	}
}

// On a full disk fmt keeps the old bytes, leaves no temporary file, and reports the error. It still formats the other files.
func TestFmtDiskFull(t *testing.T) {
	dir := t.TempDir()
	large, small := filepath.Join(dir, "a.hcl"), filepath.Join(dir, "b.hcl")
	long := uglyFile + strings.Repeat("# a comment that makes the file longer\n", 2000)
	require.NoError(t, os.WriteFile(large, []byte(long), 0o644))
	require.NoError(t, os.WriteFile(small, []byte(uglyFile), 0o644))

	tool, err := exec.LookPath("rocec")
	require.NoError(t, err, "testscript puts it there")
	// A limit on the file size simulates a full disk.
	cmd := exec.Command("sh", "-c", `trap "" XFSZ; ulimit -f 8; exec "$0" fmt "$1"`, tool, dir)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	require.Error(t, cmd.Run())
	code := cmd.ProcessState.ExitCode()

	assert.Equal(t, exit.Machines, code)
	assert.Contains(t, errs.String(), "file too large; the file was not changed")
	assert.Equal(t, small+"\n", out.String())
	got, err := os.ReadFile(large)
	require.NoError(t, err)
	assert.Equal(t, long, string(got))
	got, err = os.ReadFile(small)
	require.NoError(t, err)
	assert.Equal(t, niceFile, string(got))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 2, "no temporary file is left")
}

// A read-only folder or file keeps its old bytes, and fmt reports the error. Root may write everywhere, so the process runs as another
// user.
func TestFmtReadOnly(t *testing.T) {
	tool, err := exec.LookPath("rocec")
	require.NoError(t, err, "testscript puts it there")
	dir, err := os.MkdirTemp("", "rocec")
	require.NoError(t, err)
	defer os.RemoveAll(dir)
	data, err := os.ReadFile(tool)
	require.NoError(t, err)
	own := filepath.Join(dir, "rocec")
	require.NoError(t, os.WriteFile(own, data, 0o755))
	closed := filepath.Join(dir, "closed")
	require.NoError(t, os.Mkdir(closed, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(closed, "folder.hcl"), []byte(uglyFile), 0o666))
	open := filepath.Join(dir, "open")
	require.NoError(t, os.Mkdir(open, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(open, "file.hcl"), []byte(uglyFile), 0o444))
	require.NoError(t, os.Chmod(filepath.Join(closed, "folder.hcl"), 0o666))
	require.NoError(t, os.Chmod(open, 0o777))
	require.NoError(t, os.Chmod(closed, 0o555))
	require.NoError(t, os.Chmod(dir, 0o755))
	defer os.Chmod(closed, 0o755) //nolint:errcheck // so that it can be taken away

	cmd := exec.Command(own, "fmt", closed, open)
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	cmd.Dir = dir
	text, err := cmd.CombinedOutput()
	require.ErrorContains(t, err, "exit status 3", string(text))
	assert.Equal(t, 2, strings.Count(string(text), "permission denied; the file was not changed\n"), string(text))
	for _, name := range []string{filepath.Join(closed, "folder.hcl"), filepath.Join(open, "file.hcl")} {
		got, err := os.ReadFile(name)
		require.NoError(t, err)
		assert.Equal(t, uglyFile, string(got))
	}
}
