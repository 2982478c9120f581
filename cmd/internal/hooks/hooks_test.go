//go:build unix

package hooks

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/target"
)

// quiet runs programs and keeps the notes.
func quiet(notes *[]string) Runner {
	return Runner{Log: slog.New(slog.DiscardHandler), Say: func(format string, args ...any) {
		*notes = append(*notes, fmt.Sprintf(format, args...))
	}}
}

// A program gets the run, the number of the wave and its devices. An error contains the program and the last line that it printed.
func TestAround(t *testing.T) {
	t.Parallel()
	wave := func(names ...string) *deploy.Wave {
		w := &deploy.Wave{}
		for _, name := range names {
			w.Devices = append(w.Devices, &deploy.DevicePlan{Device: &target.Device{Name: name}})
		}
		return w
	}
	order := &deploy.Order{Waves: []*deploy.Wave{wave("a"), wave("b", "c")}}
	trace := filepath.Join(t.TempDir(), "trace")
	p := &Programs{
		Drain:   []string{"sh", "-c", `echo "$ROCEC_RUN $ROCEC_WAVE $ROCEC_DEVICES" >>` + trace},
		Timeout: time.Minute,
	}
	var notes []string
	h := quiet(&notes).Around("run-1", p, order)
	require.Nil(t, h.Undrain, "none was named")
	for _, w := range order.Waves {
		require.NoError(t, h.Drain(t.Context(), w))
	}
	text, err := os.ReadFile(trace)
	require.NoError(t, err)
	require.Equal(t, "run-1 1 a\nrun-1 2 b c\n", string(text))

	for script, want := range map[string]string{
		"echo first; echo 'no way' >&2; exit 3": "sh: no way (exit status 3)",
		"exit 4":                                "sh: exit status 4",
		"sleep 10 & exit 0":                     "", // its child keeps the output open
	} {
		h = quiet(&notes).Around("run-1", &Programs{Undrain: []string{"sh", "-c", script}, Timeout: time.Minute}, order)
		err := h.Undrain(t.Context(), order.Waves[0])
		if want == "" {
			require.NoError(t, err)
			continue
		}
		require.EqualError(t, err, want)
	}
	h = quiet(&notes).Around("run-1", &Programs{Drain: []string{"/no/such/program"}, Timeout: time.Minute}, order)
	require.ErrorContains(t, h.Drain(t.Context(), order.Waves[0]), "/no/such/program: ")
	require.Nil(t, quiet(&notes).Around("run-1", nil, order))
	require.Empty(t, notes)
}

// If the command ends while a program runs, the program and its children are killed.
func TestKilledWithItsChildren(t *testing.T) {
	t.Parallel()
	child := filepath.Join(t.TempDir(), "child")
	order := &deploy.Order{Waves: []*deploy.Wave{{}}}
	var notes []string
	h := quiet(&notes).Around("run-1", &Programs{
		Drain:   []string{"sh", "-c", "sleep 300 & echo $! >" + child + ".new; mv " + child + ".new " + child + "; wait"},
		Timeout: time.Hour,
	}, order)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- h.Drain(ctx, order.Waves[0]) }()
	require.Eventually(t, func() bool { _, err := os.Stat(child); return err == nil }, time.Minute, 10*time.Millisecond)
	cancel()
	require.EqualError(t, <-ended, "sh: signal: killed")
	text, err := os.ReadFile(child)
	require.NoError(t, err)
	var pid int
	_, err = fmt.Sscan(string(text), &pid)
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return syscall.Kill(pid, 0) != nil
		}
		return strings.Contains(string(stat), ") Z ") // a zombie: its new parent has not waited for it yet
	}, time.Minute, 10*time.Millisecond)
}

// A program is killed when its time is over.
func TestTimeout(t *testing.T) {
	t.Parallel()
	order := &deploy.Order{Waves: []*deploy.Wave{{}}}
	var notes []string
	h := quiet(&notes).Around("run-1", &Programs{Drain: []string{"sleep", "300"}, Timeout: 10 * time.Millisecond}, order)
	require.EqualError(t, h.Drain(t.Context(), order.Waves[0]), "sleep did not end within 10ms")
}

// rocec keeps only the end of the output.
func TestTail(t *testing.T) {
	t.Parallel()
	out := &tail{most: 4}
	for _, s := range []string{"ab", "cdef", "", "g"} {
		n, err := out.Write([]byte(s))
		require.NoError(t, err)
		require.Len(t, s, n)
	}
	require.Equal(t, "defg", string(out.text))
	require.Equal(t, "last", lastLine([]byte("first\nlast\n\n")))
	require.Empty(t, lastLine(nil))
}

// Only the same program may put back the traffic of a run that died. The journal has each call.
func TestPutBack(t *testing.T) {
	t.Parallel()
	trace := filepath.Join(t.TempDir(), "trace")
	good := []string{"sh", "-c", `echo "$ROCEC_WAVE $ROCEC_DEVICES" >>` + trace}
	bad := []string{"sh", "-c", "echo no; exit 1"}
	for name, undrain := range map[string][]string{"good": good, "bad": bad} {
		dir := journal.Open(t.TempDir())
		p := &Programs{Drain: []string{"true"}, Undrain: undrain, Timeout: time.Minute}
		h := journal.Header{Run: "run-1", Key: "abcd", Hooks: p.Sums(), Began: time.Unix(1, 0).UTC(), Fabric: "/f"}
		for i, device := range []string{"a", "b", "c"} {
			h.Devices = append(h.Devices, journal.Device{Name: device, Wave: (i + 2) / 2})
		}
		run, err := dir.Begin(h, time.Now)
		require.NoError(t, err)
		for _, wave := range []int{1, 2} {
			require.NoError(t, run.Hook(journal.Hook{Hook: "drain", Wave: wave, Done: true}))
		}
		require.NoError(t, run.Finish(nil))
		l, err := dir.Read("run-1")
		require.NoError(t, err)
		require.Equal(t, []int{1, 2}, Owed(l))
		require.NoError(t, Same(l, nil))
		require.NoError(t, Same(l, undrain))
		for _, other := range [][]string{{""}, {"other"}, append(undrain, "more")} {
			var refused *exit.Error
			require.ErrorAs(t, Same(l, other), &refused)
			require.Equal(t, exit.Usage, refused.Status)
		}

		var notes []string
		run, err = dir.Reopen("run-1", time.Now)
		require.NoError(t, err)
		require.False(t, quiet(&notes).PutBack(t.Context(), l, run, nil))
		require.Len(t, notes, 1)
		require.Contains(t, notes[0], "Run run-1 drained waves 1 and 2, and the traffic was not put back")

		require.Equal(t, name == "good", quiet(&notes).PutBack(t.Context(), l, run, p))
		require.NoError(t, run.Finish(nil))
		l, err = dir.Read("run-1")
		require.NoError(t, err)
		if name == "bad" {
			require.Equal(t, []int{1, 2}, Owed(l))
			require.Contains(t, notes[1], "Traffic was not put back on wave 1: sh: no (exit status 1). After you have corrected this: ")
			continue
		}
		require.Empty(t, Owed(l))
		require.True(t, quiet(&notes).PutBack(t.Context(), l, nil, nil), "nothing is owed")
		text, err := os.ReadFile(trace)
		require.NoError(t, err)
		require.Equal(t, "1 a b\n2 c\n", string(text))
	}
}
