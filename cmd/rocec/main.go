package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/lang/diag"
)

// person is everything a verb sees of the outside: streams, arguments, environment.
type person struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	environ        []string
	getenv         func(string) string
	interrupts     *interrupts
}

// interrupts is who wants to say something when the person interrupts.
type interrupts struct {
	mu      sync.Mutex
	say     func(nth int)
	devices bool // the verb touches devices, which it brings to an end before it goes
}

// onDevices notes that the verb touches devices.
func (i *interrupts) onDevices() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.devices = true
}

// graceful reports whether the first signal only asks for an end.
func (i *interrupts) graceful() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.devices
}

// onInterrupt has say called at the first and at the second signal, until done is called.
func (p *person) onInterrupt(say func(nth int)) (done func()) {
	if p.interrupts == nil {
		return func() {}
	}
	p.interrupts.set(say)
	return func() { p.interrupts.set(nil) }
}

func (i *interrupts) set(say func(int)) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.say = say
}

func (i *interrupts) tell(nth int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.say != nil {
		i.say(nth)
	}
}

// together is how soon after the first signal another one means the same: shells and timeout pass on what the kernel has sent
// to the whole process group.
const together = 500 * time.Millisecond

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	said := &interrupts{}
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, stopSignals...) // a closed terminal is an interruption too
	go func() {                            // with devices, the first signal asks for a clean end; the second one ends at once
		<-signals
		if !said.graceful() {
			endWhole(os.Stderr)
		}
		first := time.Now()
		cancel()
		said.tell(1)
		for s := range signals {
			if !closes(s) && time.Since(first) > together {
				break
			}
		}
		said.tell(2)
		os.Exit(exit.Interrupted)
	}()
	ignoreBrokenPipes()
	boundMemory(os.Getenv)
	out := &output{file: os.Stdout}
	p := &person{stdin: os.Stdin, stdout: out, stderr: os.Stderr, environ: os.Environ(), getenv: os.Getenv, interrupts: said}
	code := run(ctx, p, os.Args[1:])
	if out.err != nil && !errors.Is(out.err, syscall.EPIPE) {
		fmt.Fprintf(os.Stderr, "rocec: %s\n", diag.Escape(out.err.Error()))
		if code == exit.Good {
			code = exit.Machines
		}
	}
	os.Exit(code)
}

// output is stdout. What cannot be written is remembered and is not a reason to stop what is being done.
type output struct {
	file *os.File
	err  error
}

func (o *output) Fd() uintptr { return o.file.Fd() }

func (o *output) Write(b []byte) (int, error) {
	if o.err == nil {
		_, o.err = o.file.Write(b)
	}
	return len(b), nil
}

// run is the whole program: it runs one verb and returns its exit code.
func run(ctx context.Context, p *person, args []string) int {
	root := newRoot(p)
	root.SetArgs(args)
	root.SetIn(p.stdin)
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	err := root.ExecuteContext(ctx)
	var e *exit.Error
	switch {
	case err == nil:
		return exit.Good
	case errors.As(err, &e):
	case ctx.Err() != nil:
		e = &exit.Error{Status: exit.Interrupted, Message: "interrupted"}
	default: // what cobra says about arguments and verbs
		e = &exit.Error{Status: exit.Usage, Message: err.Error() + "\nsee: rocec --help"}
	}
	if e.Message != "" {
		a := &app{person: p}
		fmt.Fprintf(a.fitted(p.stderr), "rocec: %s\n", diag.EscapeLines(e.Message))
	}
	return e.Status
}
