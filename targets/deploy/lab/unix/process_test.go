package unix

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestDetached: only a process with a separate session outlives the login that started it.
func TestDetached(t *testing.T) {
	d := host()
	root(t, d, "setsid sh -c 'sleep 300; echo fired >/fired' >/dev/null 2>&1 & echo $! >/pid; exit 0")
	root(t, d, "kill -0 $(cat /pid)")
	procs := func() int {
		d.procs.mu.Lock()
		defer d.procs.mu.Unlock()
		return len(d.procs.byPid)
	}
	require.Eventually(t, func() bool { return procs() == 2 }, 10*time.Minute, time.Millisecond, "the detached shell and its sleep")
	_, err := d.FS.ReadFile("/fired")
	require.Error(t, err)

	// The dead-man's switch counts the sleep of a command that a client waits for.
	require.Equal(t, "\n", root(t, d, "sleep 200; cat /fired 2>/dev/null; echo"))
	require.Equal(t, "fired\n", root(t, d, "sleep 101; cat /fired"))
	require.Equal(t, 1, sh(t, d, "root", "kill -0 $(cat /pid)").status)

	root(t, d, "setsid sh -c 'sleep 120; echo again >/fired' >/dev/null 2>&1 & echo $! >/pid; "+
		"until kill -0 -$!; do sleep 0.1; done 2>/dev/null")
	d.Clock.Pass(110 * time.Second)
	require.Equal(t, "fired\n", root(t, d, "cat /fired"))
	root(t, d, "kill -TERM -$(cat /pid)")
	d.Clock.Pass(time.Hour)
	require.Equal(t, "fired\n", root(t, d, "cat /fired"), "it was killed with its group")
}

// TestWaitingForDetached: if a process waits for a second process, the sleeps of the second one take no real time.
func TestWaitingForDetached(t *testing.T) {
	d := host()
	before := time.Now()
	require.Equal(t, "done 4\n2026-01-01T01:00:00Z\n",
		root(t, d, "setsid sh -c 'sleep 3600; exit 4' & wait $!; echo done $?; date -u +%Y-%m-%dT%H:%M:%SZ"))
	require.Less(t, time.Since(before), time.Hour)
}

// TestLostConnection: a process that a client waited for gets SIGHUP. Processes that ignore it and those in the background go on.
func TestLostConnection(t *testing.T) {
	for script, left := range map[string]int{
		"trap 'echo hup >/hup; exit 3' HUP; while :; do sleep 1000; done": 0,
		"sleep 1001 | cat": 0, "nohup sleep 1002": 1, "trap '' HUP; sleep 1003": 2, "sleep 1004 & wait": 1, "setsid -w sleep 1005": 1,
	} {
		var mu sync.Mutex
		var programs []string
		d := host(Hooks{Ran: func(args []string) *Fault {
			mu.Lock()
			defer mu.Unlock()
			programs = append(programs, strings.Join(args, " "))
			return nil
		}})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan int)
		go func() {
			_, _, status := d.Run(ctx, "root", script, "")
			done <- status
		}()
		running := func() int {
			d.procs.mu.Lock()
			defer d.procs.mu.Unlock()
			return len(d.procs.byPid)
		}
		began := func() bool {
			mu.Lock()
			defer mu.Unlock()
			return slices.ContainsFunc(programs, func(s string) bool { return strings.Contains(s, "sleep 100") })
		}
		require.Eventually(t, began, 10*time.Minute, time.Millisecond)
		cancel()
		require.Equal(t, 143, <-done)
		require.Eventually(t, func() bool { return running() == left }, 10*time.Minute, time.Millisecond, script)
		if strings.Contains(script, ">/hup") {
			require.Equal(t, "hup\n", root(t, d, "cat /hup"))
		}
		d.Finish()
		d.EndAll()
	}
}
