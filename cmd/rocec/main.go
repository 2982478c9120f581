package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/rocec/rocec/cmd/internal/ending"
	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/lang/diag"
)

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	end := ending.Listen(cancel, os.Stderr)
	ending.IgnoreBrokenPipes()
	boundMemory(os.Getenv)
	out := &output{file: os.Stdout}
	p := &person.Person{Stdin: os.Stdin, Stdout: out, Stderr: os.Stderr, Environ: os.Environ(), Getenv: os.Getenv, Ending: end}
	person.ShareTerminal(p)
	code := run(ctx, p, os.Args[1:])
	if out.err != nil && !errors.Is(out.err, syscall.EPIPE) {
		fmt.Fprintf(os.Stderr, "rocec: %s\n", diag.Escape(out.err.Error()))
		if code == exit.Good {
			code = exit.Machines
		}
	}
	os.Exit(code)
}

// output writes to stdout. It keeps the first error and returns none: an error must not stop a change under way.
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
func run(ctx context.Context, p *person.Person, args []string) int {
	a := newApp(p)
	defer session.EndAuditLog(a.Session)
	root := newRoot(a)
	root.SetArgs(args)
	root.SetIn(p.Stdin)
	root.SetOut(p.Stdout)
	root.SetErr(p.Stderr)
	err := root.ExecuteContext(ctx)
	var e *exit.Error
	switch {
	case err == nil:
		return exit.Good
	case errors.As(err, &e):
	case ctx.Err() != nil:
		e = &exit.Error{Status: exit.Interrupted, Message: "interrupted"}
	default: // an error of cobra about arguments or verbs
		e = &exit.Error{Status: exit.Usage, Message: err.Error() + "\nsee: rocec --help"}
	}
	if e.Message != "" {
		fmt.Fprintf(p.Fitted(p.Stderr), "rocec: %s\n", diag.EscapeLines(e.Message))
	}
	return e.Status
}
