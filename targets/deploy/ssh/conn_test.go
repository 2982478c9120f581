package ssh_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/deploy/internal/sshdtest"
	"github.com/rocec/rocec/targets/deploy/ssh"
	"github.com/rocec/rocec/targets/target"
)

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return data
}

func TestRun(t *testing.T) {
	s := sshdtest.Start(t, sshdtest.Options{Env: map[string]string{"ROCEC_TEST": "a b"}})
	conn := dial(t, newDialer(t, trusting(t, s)), device(s))

	t.Run("one connection, many commands", func(t *testing.T) {
		for range 15 { // more than MaxSessions
			assert.Equal(t, "a b\n", output(t, conn, `echo "$ROCEC_TEST"`))
		}
		assert.Equal(t, 1, s.Connections())
	})
	t.Run("stdin", func(t *testing.T) {
		data := make([]byte, 1<<20)
		rand.NewChaCha8([32]byte{1}).Read(data)
		out, err := conn.Run(t.Context(), "sha256sum", data)
		require.NoError(t, err)
		sum := sha256.Sum256(data)
		assert.Equal(t, hex.EncodeToString(sum[:])+"  -\n", string(out))
	})
	t.Run("stdin that is not read", func(t *testing.T) {
		out, err := conn.Run(t.Context(), "echo done", make([]byte, 8<<20))
		require.NoError(t, err)
		assert.Equal(t, "done\n", string(out))
	})
	t.Run("no stdin", func(t *testing.T) {
		assert.Equal(t, "0\n", output(t, conn, "wc -c"))
	})
	t.Run("exit status", func(t *testing.T) {
		out, err := conn.Run(t.Context(), "echo out; echo first >&2; echo 'no such port' >&2; exit 7", nil)
		var exit *target.ExitError
		require.ErrorAs(t, err, &exit)
		assert.Equal(t, "out\n", string(out))
		assert.Equal(t, target.ExitError{Status: 7, Stderr: "first\nno such port\n"}, *exit)
		assert.EqualError(t, err, "no such port (exit status 7)")
	})
	t.Run("signal", func(t *testing.T) {
		_, err := conn.Run(t.Context(), "kill -9 $$", nil)
		var exit *target.ExitError
		require.ErrorAs(t, err, &exit)
		assert.Equal(t, target.ExitError{Status: 137, Stderr: "killed by signal KILL"}, *exit)
	})
	t.Run("stderr is bounded", func(t *testing.T) {
		_, err := conn.Run(t.Context(), "head -c 3000000 /dev/zero >&2; echo the end >&2; exit 1", nil)
		var exit *target.ExitError
		require.ErrorAs(t, err, &exit)
		assert.Len(t, exit.Stderr, 64<<10)
		assert.True(t, strings.HasSuffix(exit.Stderr, "the end\n"))
	})
	t.Run("commands wait for each other", func(t *testing.T) {
		dir := t.TempDir()
		var wait sync.WaitGroup
		for range 8 {
			wait.Go(func() {
				_, err := conn.Run(t.Context(), "mkdir "+dir+"/busy && rmdir "+dir+"/busy", nil)
				assert.NoError(t, err)
			})
		}
		wait.Wait()
	})
}

func TestOutputOverflow(t *testing.T) {
	s := sshdtest.Start(t, sshdtest.Options{})
	cfg := trusting(t, s)
	cfg.MaxOutput = 100_000
	conn := dial(t, newDialer(t, cfg), device(s))

	out, err := conn.Run(t.Context(), "head -c 100000 /dev/zero", nil)
	require.NoError(t, err)
	assert.Len(t, out, 100_000)

	for _, cmd := range []string{"head -c 100001 /dev/zero", "head -c 3000000 /dev/zero; exit 1", "cat /dev/zero"} {
		out, err = conn.Run(t.Context(), cmd, nil)
		require.ErrorIs(t, err, ssh.ErrOutput, cmd)
		assert.Empty(t, out)
		assert.Contains(t, err.Error(), "more than 100000 bytes")
	}
	assert.Equal(t, "still here\n", output(t, conn, "echo still here"))
}

// TestContext: a command that hangs ends with its context, and the connection with it.
func TestContext(t *testing.T) {
	s := sshdtest.Start(t, sshdtest.Options{})
	conn := dial(t, newDialer(t, trusting(t, s)), device(s))

	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err := conn.Run(ctx, "sleep 60", nil)
	require.ErrorIs(t, err, ssh.ErrLost)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Contains(t, err.Error(), "is not known")
	assert.Less(t, time.Since(start), 10*time.Second)

	_, err = conn.Run(t.Context(), "true", nil)
	require.ErrorIs(t, err, ssh.ErrLost)
}

// TestContextWhileWaiting: a command that was never started says so, and leaves the connection alone.
func TestContextWhileWaiting(t *testing.T) {
	s := sshdtest.Start(t, sshdtest.Options{})
	conn := dial(t, newDialer(t, trusting(t, s)), device(s))
	go1, release := t.TempDir()+"/go", make(chan error, 1)
	ran := t.TempDir() + "/ran"
	go func() {
		_, err := conn.Run(context.Background(), "touch "+ran+"; until test -e "+go1+"; do sleep 0.02; done", nil)
		release <- err
	}()
	require.Eventually(t, func() bool { _, err := os.Stat(ran); return err == nil }, 10*time.Second, 5*time.Millisecond)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := conn.Run(ctx, "touch "+ran+"2", nil)
	require.ErrorIs(t, err, context.Canceled)
	require.NotErrorIs(t, err, ssh.ErrLost)
	assert.Contains(t, err.Error(), "not started")
	require.NoError(t, os.WriteFile(go1, nil, 0o600))
	require.NoError(t, <-release)
	assert.NoFileExists(t, ran+"2")
	assert.Equal(t, "fine\n", output(t, conn, "echo fine"))
}

// running starts a command that hangs, waits until it runs, and returns the channel its error will come through.
func running(t *testing.T, conn target.Conn) <-chan error {
	t.Helper()
	sign := t.TempDir() + "/started"
	done := make(chan error, 1)
	go func() {
		_, err := conn.Run(context.Background(), "touch "+sign+"; sleep 60", nil)
		done <- err
	}()
	require.Eventually(t, func() bool { _, err := os.Stat(sign); return err == nil }, 10*time.Second, 5*time.Millisecond)
	return done
}

func TestServerKilled(t *testing.T) {
	s := sshdtest.Start(t, sshdtest.Options{})
	conn := dial(t, newDialer(t, trusting(t, s)), device(s))
	done := running(t, conn)
	s.Kill()
	err := <-done
	require.ErrorIs(t, err, ssh.ErrLost)
	assert.Contains(t, err.Error(), "whether it ran to its end is not known")
	_, err = conn.Run(t.Context(), "true", nil)
	require.ErrorIs(t, err, ssh.ErrLost)
}

// TestKeepAlive: a server that is there and silent is given up after three keepalives without answer.
func TestKeepAlive(t *testing.T) {
	s := sshdtest.Start(t, sshdtest.Options{})
	cfg := trusting(t, s)
	cfg.KeepAlive = 50 * time.Millisecond
	conn := dial(t, newDialer(t, cfg), device(s))
	_, err := conn.Run(t.Context(), "sleep 0.5", nil) // ten keepalives that are answered
	require.NoError(t, err)

	done := running(t, conn)
	s.Freeze()
	defer s.Thaw()
	start := time.Now()
	err = <-done
	require.ErrorIs(t, err, ssh.ErrLost)
	assert.Contains(t, err.Error(), "no sign of life for 150ms")
	assert.Less(t, time.Since(start), 10*time.Second)
}

// TestForcedCommand: a server that runs something else than what it was asked to.
func TestForcedCommand(t *testing.T) {
	s := sshdtest.Start(t, sshdtest.Options{Command: `echo "not $SSH_ORIGINAL_COMMAND"`})
	conn := dial(t, newDialer(t, trusting(t, s)), device(s))
	assert.Equal(t, "not id\n", output(t, conn, "id"))
}

// TestNoSessions: a server that lets one in and runs nothing.
func TestNoSessions(t *testing.T) {
	s := sshdtest.Start(t, sshdtest.Options{Config: []string{"MaxSessions 0"}})
	conn := dial(t, newDialer(t, trusting(t, s)), device(s))
	_, err := conn.Run(t.Context(), "true", nil)
	require.ErrorContains(t, err, "refuses to run a command")
	require.NotErrorIs(t, err, ssh.ErrLost)
}

func BenchmarkRun(b *testing.B) {
	s := sshdtest.Start(b, sshdtest.Options{})
	d, err := ssh.New(ssh.Config{User: s.User, Keys: [][]byte{s.ClientKey.PEM}})
	require.NoError(b, err)
	defer d.Close()
	dev := device(s)
	dev.Login.HostKey = s.HostKeyPin()
	data := bytes.Repeat([]byte("traffic.cos_0.priority_source.8021p = [0]\n"), 250)
	for b.Loop() {
		conn, err := d.Dial(b.Context(), dev)
		require.NoError(b, err)
		_, err = conn.Run(b.Context(), "cat >/dev/null", data)
		require.NoError(b, err)
		require.NoError(b, conn.Close())
	}
}
