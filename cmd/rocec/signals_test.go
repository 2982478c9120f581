//go:build linux

package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/forms/folder"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/cmd/internal/wholefile"
	"github.com/rocec/rocec/lang/langtest/machinetest"
)

// offlineVerbs are the verbs that touch no device, each with arguments for which it prints something.
var offlineVerbs = map[string][]string{
	"approve":    {"approve", "--help"}, // a plan to show needs devices
	"audit":      {"audit", "SITE"},
	"build":      {"build", "-o", "OUT", "FABRIC"},
	"completion": {"completion", "bash"},
	"diff":       {"diff", "FABRIC", "FABRIC"},
	"docs":       {"docs", "language"},
	"explain":    {"explain", "pfc-loop"},
	"fmt":        {"fmt", "--check", "UGLY"},
	"graph":      {"graph", "FABRIC"},
	"help":       {"help", "language"},
	"init":       {"init", "OUT"},
	"lint":       {"lint", "FABRIC"},
	"lock-sizes": {"lock-sizes", "FABRIC"},
	"lsp":        {"lsp"},
	"runs":       {"runs"},
	"show":       {"show", "FABRIC", "leaf01"},
	"trace":      {"trace", "FABRIC", "gpu01", "gpu08"},
	"whatif":     {"whatif", "FABRIC", "--incast", "gpu01,gpu08"},
	"validate":   {"validate", "FABRIC"},
	"version":    {"version"},
}

// TestFirstSignalEnds interrupts every verb that touches no device while it is blocked: by an unread output, or by an endless file of
// variables. The first signal ends it with status 130, and it leaves no half-written file.
func TestFirstSignalEnds(t *testing.T) {
	t.Parallel()
	machinetest.Long(t)
	tool, err := exec.LookPath("rocec")
	require.NoError(t, err, "testscript puts it there")
	dir := t.TempDir()
	fabric, ugly := filepath.Join(dir, "fabric"), filepath.Join(dir, "ugly.hcl")
	_, code := offline(t, "init", fabric)
	require.Equal(t, exit.Good, code)
	require.NoError(t, os.WriteFile(ugly, []byte("fabric   \"f\"   {\n}\n"), 0o666))
	site := smallSite(t)
	fifo := filepath.Join(dir, "fifo")
	require.NoError(t, syscall.Mkfifo(fifo, 0o600))

	tested := 0
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		for _, verb := range cmd.Commands() {
			if touchesDevices(verb) {
				assert.NotContains(t, offlineVerbs, verb.Name())
				continue
			}
			walk(verb)
			if !verb.Runnable() {
				continue
			}
			args, ok := offlineVerbs[verb.Name()]
			if !assert.True(t, ok, "%s has no row in offlineVerbs, and none in deviceVerbs of interrupt.go", verb.CommandPath()) {
				continue
			}
			tested++
			command := func(t *testing.T, flags ...string) *exec.Cmd {
				for _, arg := range args {
					switch arg {
					case "FABRIC":
						arg = fabric
					case "SITE":
						arg = site
					case "UGLY":
						arg = ugly
					case "OUT":
						arg = filepath.Join(t.TempDir(), "out")
					}
					flags = append(flags, arg)
				}
				return exec.Command(tool, flags...)
			}
			for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
				t.Run(verb.Name()+" "+s.String(), func(t *testing.T) { interrupt(t, s, command(t)) })
			}
			if slices.Contains(args, "FABRIC") {
				t.Run(verb.Name()+" reads", func(t *testing.T) { interrupt(t, syscall.SIGTERM, command(t, "--var-file", fifo)) })
			}
		}
	}
	root := newRoot(newApp(&person.Person{Getenv: func(string) string { return "" }}))
	root.InitDefaultHelpCmd()
	walk(root)
	require.Len(t, offlineVerbs, tested)
}

// After a signal, the program completes the file that it is writing, and begins no other file.
func TestSignalWaitsForWrites(t *testing.T) {
	out, err := folder.Open(t.TempDir(), wholefile.Begin)
	require.NoError(t, err)
	defer out.Close()
	done := wholefile.Begin()
	ends := make(chan func())
	go func() { ends <- wholefile.Wait() }()
	select {
	case <-ends:
		require.Fail(t, "a file is half-written")
	default:
	}
	done()
	release := <-ends
	begun := make(chan error)
	go func() {
		_, err := out.WriteNext("a", 0o644, []byte("a"))
		begun <- err
	}()
	_, err = fs.Stat(out.FS(), "a")
	require.ErrorIs(t, err, fs.ErrNotExist)
	release()
	require.NoError(t, <-begun)
}

// interrupt runs a command, and signals it when it blocks.
func interrupt(t *testing.T, s os.Signal, cmd *exec.Cmd) {
	from, to, err := os.Pipe() // a full pipe: the first byte of output blocks the command
	require.NoError(t, err)
	defer from.Close()
	fd := int(to.Fd())
	require.NoError(t, syscall.SetNonblock(fd, true))
	for n := 1; n > 0; {
		n, _ = syscall.Write(fd, []byte("x"))
	}
	require.NoError(t, syscall.SetNonblock(fd, false))
	in, keep, err := os.Pipe() // a language server waits for its editor
	require.NoError(t, err)
	defer keep.Close()
	var errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, to, &errs
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+t.TempDir())
	require.NoError(t, cmd.Start())
	require.NoError(t, in.Close())
	require.NoError(t, to.Close())
	blocked(t, cmd.Process.Pid)
	require.NoError(t, cmd.Process.Signal(s))
	_ = cmd.Wait()
	require.Equal(t, exit.Interrupted, cmd.ProcessState.ExitCode(), "%s", errs.String())
}

// blocked waits until a thread of a process is in a call that only the test ends. Such a call writes the output, reads the input or opens
// a pipe.
func blocked(t *testing.T, pid int) {
	t.Helper()
	calls := []string{fmt.Sprintf("%d 0x1 ", syscall.SYS_WRITE), fmt.Sprintf("%d 0x0 ", syscall.SYS_READ), fmt.Sprintf("%d ", syscall.SYS_OPENAT)}
	last := ""
	require.Eventually(t, func() bool {
		files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/syscall", pid))
		require.NoError(t, err)
		for _, file := range files {
			call, err := os.ReadFile(file)
			for _, begin := range calls {
				if err == nil && strings.HasPrefix(string(call), begin) {
					was := last
					last = string(call)
					return was == last
				}
			}
		}
		last = ""
		return false
	}, 10*time.Minute, 50*time.Millisecond, "the command does not block")
}

// smallSite makes a folder with the file of a switch with a host.
func smallSite(t *testing.T) string {
	t.Helper()
	site := filepath.Join(t.TempDir(), "site")
	require.NoError(t, os.Mkdir(site, 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(site, "config_db.json"), []byte(`{"PORT": {"Ethernet0": {"lanes": "0"}},
		"DEVICE_METADATA": {"localhost": {"hostname": "tor"}}, "DEVICE_NEIGHBOR": {"Ethernet0": {"name": "gpu", "port": "eth0"}}}`), 0o666))
	return site
}
