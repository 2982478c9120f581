package ending

import (
	"bytes"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
)

// obeys runs an Ending on signals of a test. It returns a function that lists the events so far, in order.
func obeys(e *Ending, signals chan os.Signal) (happened func() []string, stderr *bytes.Buffer) {
	var events []string
	stderr = &bytes.Buffer{}
	e.set(func(nth int) { events = append(events, []string{"", "first", "second"}[nth]) })
	go e.obey(signals, func() { events = append(events, "cancel") }, stderr, func(status int) {
		events = append(events, map[int]string{exit.Interrupted: "quit"}[status])
	})
	return func() []string {
		synctest.Wait()
		return events
	}, stderr
}

// none is the wait where no file is being written.
func none() (release func()) { return func() {} }

// A verb that touches no device ends at the first signal.
func TestFirstSignal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		signals := make(chan os.Signal, 2)
		happened, stderr := obeys(&Ending{wait: none}, signals)
		require.Empty(t, happened())
		signals <- os.Interrupt
		require.Equal(t, []string{"quit"}, happened())
		require.Equal(t, "rocec: interrupted\n", stderr.String())
	})
}

// The first signal asks a verb that touches devices to end. The second signal ends it at once. A signal at the same time as the first, or
// a closing terminal, does not count as the second.
func TestSecondSignal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		signals := make(chan os.Signal, 2)
		e := &Ending{}
		e.OnDevices()
		happened, stderr := obeys(e, signals)
		signals <- os.Interrupt
		require.Equal(t, []string{"cancel", "first"}, happened())
		time.Sleep(together)
		signals <- syscall.SIGTERM // passed on by a shell
		require.Equal(t, []string{"cancel", "first"}, happened())
		time.Sleep(time.Hour)
		signals <- syscall.SIGHUP
		require.Equal(t, []string{"cancel", "first"}, happened())
		signals <- os.Interrupt
		require.Equal(t, []string{"cancel", "first", "second", "quit"}, happened())
		require.Empty(t, stderr.String())
	})
}

// The end waits for a file that is being written, at most as long as its patience.
func TestWaitsForWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := make(chan struct{})
		wait := func() func() {
			<-begun
			return func() {}
		}
		signals := make(chan os.Signal, 2)
		happened, _ := obeys(&Ending{wait: wait}, signals)
		signals <- os.Interrupt
		require.Empty(t, happened())
		time.Sleep(time.Second)
		close(begun)
		require.Equal(t, []string{"quit"}, happened())
	})
	synctest.Test(t, func(t *testing.T) {
		begun := make(chan struct{})
		signals := make(chan os.Signal, 2)
		happened, _ := obeys(&Ending{wait: func() func() { <-begun; return nil }}, signals)
		signals <- os.Interrupt
		time.Sleep(patience - time.Millisecond)
		require.Empty(t, happened())
		time.Sleep(time.Millisecond)
		require.Equal(t, []string{"quit"}, happened())
		close(begun)
	})
}

// A program without signals, such as a test, has no Ending.
func TestNoEnding(t *testing.T) {
	var e *Ending
	e.OnDevices()
	e.OnSignal(func(int) { t.Error("no signal comes") })()
}
