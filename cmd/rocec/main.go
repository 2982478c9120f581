package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/rocec/rocec/lang/diag"
)

// Exit codes: one meaning each, for every verb (see the package documentation).
const (
	exitGood        = 0
	exitErrors      = 1
	exitChanges     = 2
	exitMachines    = 3
	exitIncomplete  = 4
	exitLocked      = 5
	exitUsage       = 64
	exitInterrupted = 130
)

// exit is an error that ends the process with a code. An empty message prints nothing: the verb has said it already.
type exit struct {
	code    int
	message string
}

func (e *exit) Error() string { return e.message }

// fail returns an exit with a message for the person.
func fail(code int, format string, args ...any) error {
	return &exit{code, fmt.Sprintf(format, args...)}
}

// person is everything a verb sees of the outside: streams, arguments, environment.
type person struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	environ        []string
	getenv         func(string) string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	go func() { // the first signal asks for a clean end; the second one gets the default: an end at once
		<-ctx.Done()
		stop()
	}()
	ignoreBrokenPipes()
	boundMemory(os.Getenv)
	out := &output{file: os.Stdout}
	p := &person{stdin: os.Stdin, stdout: out, stderr: os.Stderr, environ: os.Environ(), getenv: os.Getenv}
	code := run(ctx, p, os.Args[1:])
	if out.err != nil && !errors.Is(out.err, syscall.EPIPE) {
		fmt.Fprintf(os.Stderr, "rocec: %s\n", diag.Escape(out.err.Error()))
		if code == exitGood {
			code = exitMachines
		}
	}
	os.Exit(code)
}

// output is stdout. What cannot be written is remembered and is no reason to stop what is being done.
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
	var e *exit
	switch {
	case err == nil:
		return exitGood
	case errors.As(err, &e):
	case ctx.Err() != nil:
		e = &exit{exitInterrupted, "interrupted"}
	default: // what cobra says about flags, arguments and verbs
		e = &exit{exitUsage, err.Error() + "\nsee: rocec --help"}
	}
	if e.message != "" {
		fmt.Fprintf(p.stderr, "rocec: %s\n", diag.Escape(e.message))
	}
	return e.code
}
