package ssh_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/langtest/machinetest"
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

// way is one way to a device: a transport, and a machine with a suitable configuration.
type way struct {
	name      string
	transport string
	config    string // lines of ssh_config; HOST and PORT stand for the first server
}

var ways = []way{
	{"native", "", ""},
	{"openssh", "openssh", ""},
	{"ProxyCommand", "", "ProxyCommand env TEST_RELAY=%h:%p SELF\n"},
}

// trusting returns a configuration with the host keys of the servers and their client keys.
func (w way) trusting(t *testing.T, servers ...*sshdtest.Server) ssh.Config {
	t.Helper()
	cfg := trusting(t, servers...)
	if w.name == "native" {
		return cfg
	}
	cfg.Keys = nil
	self, err := os.Executable()
	require.NoError(t, err)
	var config strings.Builder
	config.WriteString(strings.ReplaceAll(w.config, "SELF", self) + "IdentityAgent none\nIdentitiesOnly yes\nGlobalKnownHostsFile none\n")
	for _, s := range servers {
		config.WriteString("IdentityFile " + s.ClientKey.Path + "\n")
	}
	put(t, cfg.Home, "config", config.String())
	cfg.OpenSSH, cfg.Environ = machinetest.Need(t, "ssh"), os.Environ()
	return cfg
}

func (w way) device(s *sshdtest.Server) *target.Device {
	dev := device(s)
	dev.Login.Transport = w.transport
	return dev
}

// overAll runs a test with every way.
func overAll(t *testing.T, test func(*testing.T, way)) {
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			test(t, w)
		})
	}
}

// TestMain also implements a ProxyCommand, which relays its input to the address in TEST_RELAY.
func TestMain(m *testing.M) {
	if to := os.Getenv("TEST_RELAY"); to != "" {
		c, err := net.Dial("tcp", to)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		go func() { _, _ = io.Copy(c, os.Stdin); _ = c.(*net.TCPConn).CloseWrite() }()
		_, _ = io.Copy(os.Stdout, c)
		os.Exit(0)
	}
	machinetest.Parallel(4) // most tests wait for servers
	os.Exit(m.Run())
}

func TestRun(t *testing.T) {
	t.Parallel()
	overAll(t, func(t *testing.T, w way) {
		s := sshdtest.Start(t, sshdtest.Options{Env: map[string]string{"ROCEC_TEST": "a b"}})
		conn := dial(t, newDialer(t, w.trusting(t, s)), w.device(s))

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
			assert.True(t, strings.HasPrefix(exit.Stderr, "(of 3000008 bytes on stderr, these are the last)\n"), "%.80q", exit.Stderr)
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
	})
}

func TestOutputOverflow(t *testing.T) {
	t.Parallel()
	overAll(t, func(t *testing.T, w way) {
		s := sshdtest.Start(t, sshdtest.Options{})
		cfg := w.trusting(t, s)
		cfg.MaxOutput = 100_000
		conn := dial(t, newDialer(t, cfg), w.device(s))

		out, err := conn.Run(t.Context(), "head -c 100000 /dev/zero", nil)
		require.NoError(t, err)
		assert.Len(t, out, 100_000)

		for _, cmd := range []string{
			"head -c 100001 /dev/zero", "head -c 3000000 /dev/zero; exit 1", "cat /dev/zero",
			"head -c 100001 /dev/zero >&2", "head -c 3000000 /dev/zero >&2; exit 1", "cat /dev/zero >&2",
		} {
			out, err = conn.Run(t.Context(), cmd, nil)
			require.ErrorIs(t, err, ssh.ErrOutput, cmd)
			assert.Empty(t, out)
			assert.Contains(t, err.Error(), "more than 100000 bytes")
		}
		assert.Equal(t, "still here\n", output(t, conn, "echo still here"))
	})
}

// expiring returns a context whose deadline the test triggers.
type expiring struct {
	context.Context
	over chan struct{}
}

func (e expiring) Done() <-chan struct{} { return e.over }

func (e expiring) Err() error {
	select {
	case <-e.over:
		return context.DeadlineExceeded
	default:
		return e.Context.Err()
	}
}

// TestContext: a hanging command and its connection end with the context.
func TestContext(t *testing.T) {
	t.Parallel()
	overAll(t, func(t *testing.T, w way) {
		s := sshdtest.Start(t, sshdtest.Options{})
		conn := dial(t, newDialer(t, w.trusting(t, s)), w.device(s))

		over := expiring{t.Context(), make(chan struct{})}
		done := runningWith(t, over, conn)
		close(over.over)
		err := <-done
		require.ErrorIs(t, err, ssh.ErrLost)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Contains(t, err.Error(), "is not known")

		_, err = conn.Run(t.Context(), "true", nil)
		require.ErrorIs(t, err, ssh.ErrLost)
	})
}

// TestContextWhileWaiting: the error of a command that was never started states that, and the connection stays open.
func TestContextWhileWaiting(t *testing.T) {
	overAll(t, func(t *testing.T, w way) {
		s := sshdtest.Start(t, sshdtest.Options{})
		conn := dial(t, newDialer(t, w.trusting(t, s)), w.device(s))
		go1, release := t.TempDir()+"/go", make(chan error, 1)
		ran := t.TempDir() + "/ran"
		go func() {
			_, err := conn.Run(context.Background(), "touch "+ran+"; until test -e "+go1+"; do sleep 0.02; done", nil)
			release <- err
		}()
		require.Eventually(t, func() bool { _, err := os.Stat(ran); return err == nil }, 10*time.Minute, 5*time.Millisecond)
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
	})
}

// running starts a hanging command, waits until it runs, and returns the channel for its error.
func running(t *testing.T, conn target.Conn) <-chan error {
	t.Helper()
	return runningWith(t, context.Background(), conn)
}

func runningWith(t *testing.T, ctx context.Context, conn target.Conn) <-chan error { //nolint:revive // as testify has it
	t.Helper()
	sign := t.TempDir() + "/started"
	done := make(chan error, 1)
	go func() {
		_, err := conn.Run(ctx, "touch "+sign+"; while test -e "+sign+"; do sleep 1; done", nil)
		done <- err
	}()
	require.Eventually(t, func() bool { _, err := os.Stat(sign); return err == nil }, 10*time.Minute, 5*time.Millisecond)
	return done
}

func TestServerKilled(t *testing.T) {
	t.Parallel()
	overAll(t, func(t *testing.T, w way) {
		s := sshdtest.Start(t, sshdtest.Options{})
		conn := dial(t, newDialer(t, w.trusting(t, s)), w.device(s))
		done := running(t, conn)
		s.Kill()
		err := <-done
		require.ErrorIs(t, err, ssh.ErrLost)
		assert.Contains(t, err.Error(), "whether it ran to its end is not known")
		_, err = conn.Run(t.Context(), "true", nil)
		require.ErrorIs(t, err, ssh.ErrLost)
	})
}

// keepAlive returns the time between keepalives. A living server answers within this time even on a busy machine.
func keepAlive(t *testing.T, conn target.Conn) time.Duration {
	t.Helper()
	begin := time.Now()
	output(t, conn, "true")
	every := max(50*time.Millisecond, (5 * time.Since(begin)).Truncate(50*time.Millisecond))
	if every > 50*time.Millisecond {
		t.Logf("a keepalive every %s: a command takes %s", every, time.Since(begin))
	}
	return every
}

// TestKeepAlive: the connection to a silent server ends after three unanswered keepalives.
func TestKeepAlive(t *testing.T) {
	overAll(t, func(t *testing.T, w way) {
		s := sshdtest.Start(t, sshdtest.Options{})
		cfg := w.trusting(t, s)
		cfg.KeepAlive = keepAlive(t, dial(t, newDialer(t, cfg), w.device(s)))
		conn := dial(t, newDialer(t, cfg), w.device(s))
		_, err := conn.Run(t.Context(), fmt.Sprintf("sleep %f", (10*cfg.KeepAlive).Seconds()), nil) // time for ten answered keepalives
		require.NoError(t, err)

		done := running(t, conn)
		s.Freeze()
		defer s.Thaw()
		err = <-done
		require.ErrorIs(t, err, ssh.ErrLost)
		if w.name == "native" { // ssh counts in whole seconds, and does not report the reason
			assert.Contains(t, err.Error(), "no sign of life for "+(3*cfg.KeepAlive).String())
		}
	})
}

// TestForcedCommand: a server that runs another command than the requested one.
func TestForcedCommand(t *testing.T) {
	t.Parallel()
	overAll(t, func(t *testing.T, w way) {
		s := sshdtest.Start(t, sshdtest.Options{Command: `echo "not $SSH_ORIGINAL_COMMAND"`})
		conn := dial(t, newDialer(t, w.trusting(t, s)), w.device(s))
		assert.Equal(t, "not id\n", output(t, conn, "id"))
	})
}

// TestNoSessions: a server that accepts the login and runs no command.
func TestNoSessions(t *testing.T) {
	t.Parallel()
	overAll(t, func(t *testing.T, w way) {
		s := sshdtest.Start(t, sshdtest.Options{Config: []string{"MaxSessions 0"}})
		conn := dial(t, newDialer(t, w.trusting(t, s)), w.device(s))
		_, err := conn.Run(t.Context(), "true", nil)
		require.ErrorContains(t, err, "refuses to run a command")
		require.NotErrorIs(t, err, ssh.ErrLost)
	})
}

// BenchmarkLogin logs in and closes the connection. It measures the time of both sides, and the memory of the client.
func BenchmarkLogin(b *testing.B) {
	s := sshdtest.Start(b, sshdtest.Options{})
	d, err := ssh.New(ssh.Config{User: s.User, Keys: [][]byte{s.ClientKey.PEM}})
	require.NoError(b, err)
	defer d.Close()
	dev := device(s)
	dev.Login.HostKey = s.HostKeyPin()
	b.ReportAllocs()
	start := processorTime(b)
	for b.Loop() {
		conn, err := d.Dial(b.Context(), dev)
		require.NoError(b, err)
		require.NoError(b, conn.Close())
	}
	b.ReportMetric(float64((processorTime(b)-start).Microseconds())/1000/float64(b.N), "client-cpu-ms/op")
}

// processorTime returns the CPU time of this process so far. The servers are separate processes.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestMemory: after a command, an open connection uses at most 128 kB, including stacks and garbage.
func TestMemory(t *testing.T) {
	const connections, most = 60, 128 << 10
	s := sshdtest.Start(t, sshdtest.Options{})
	d := newDialer(t, trusting(t, s))
	dial(t, d, device(s)) // the limit for all of them together
	memory := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapInuse + m.StackInuse
	}
	before := memory()
	for range connections {
		assert.Equal(t, "hello\n", output(t, dial(t, d, device(s)), "echo hello"))
	}
	each := (memory() - before) / connections
	t.Logf("%d kB a connection", each>>10)
	assert.Less(t, each, uint64(most))
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
