// Package ending ends the program when a person interrupts it. An [Ending] listens to signals. If the verb touches no device, the first
// signal ends the program as soon as each file under way is complete. If it touches devices, the first signal asks for a clean end, and
// the second signal ends the program at once.
package ending

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"time"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/wholefile"
)

// Ending controls how one run of the program ends when it is interrupted. It is safe for concurrent use. A nil Ending ignores signals.
type Ending struct {
	mu      sync.Mutex
	say     func(nth int)
	devices bool // the verb touches devices, and first finishes their changes
	wait    func() (release func())
}

// Listen returns an Ending that receives the signals of the process. It calls cancel to ask a verb that touches devices to end.
func Listen(cancel func(), stderr io.Writer) *Ending {
	e := &Ending{wait: wholefile.Wait}
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, stopSignals...) // a closed terminal is an interruption, too
	go e.obey(signals, cancel, stderr, os.Exit)
	return e
}

// OnDevices records that the verb touches devices.
func (e *Ending) OnDevices() {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.devices = true
}

// OnSignal registers say, which is called at the first and at the second signal, until done is called.
func (e *Ending) OnSignal(say func(nth int)) (done func()) {
	if e == nil {
		return func() {}
	}
	e.set(say)
	return func() { e.set(nil) }
}

func (e *Ending) set(say func(int)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.say = say
}

// Tell calls the function of [Ending.OnSignal], as signal number n does.
func (e *Ending) Tell(nth int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.say != nil {
		e.say(nth)
	}
}

// graceful reports whether the first signal asks for a clean end.
func (e *Ending) graceful() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.devices
}

// together is the time after the first signal during which another signal counts as a copy of it. Shells and timeout forward a signal
// that the kernel has already sent to the whole process group.
const together = 500 * time.Millisecond

// obey waits for signals, and ends the program by quit.
func (e *Ending) obey(signals <-chan os.Signal, cancel func(), stderr io.Writer, quit func(status int)) {
	<-signals
	if !e.graceful() {
		whole(e.wait, patience)
		fmt.Fprintln(stderr, "rocec: interrupted")
		quit(exit.Interrupted)
		return
	}
	first := time.Now()
	cancel()
	e.Tell(1)
	for s := range signals {
		if !closes(s) && time.Since(first) > together {
			break
		}
	}
	e.Tell(2)
	quit(exit.Interrupted)
}

// patience is the time that the end of the program waits for a file that is being written.
const patience = 2 * time.Second

// whole waits until no file is half-written, for a limited time. From then on no file can be begun.
func whole(wait func() (release func()), most time.Duration) {
	done := make(chan struct{})
	go func() {
		wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(most):
	}
}
