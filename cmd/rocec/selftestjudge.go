package main

import (
	"fmt"
	"io"
	"os"

	"github.com/rocec/rocec/cmd/internal/bundle"
	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/docs/evidence"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy/safefile"
)

// judgeBundle derives the verdicts of a saved bundle again, and compares them with the written ones. It needs no fabric and no device.
func judgeBundle(a *app, name string) error {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return exit.Fail(exit.Usage, "%v", err)
	case !info.Mode().IsRegular() && !safefile.OfSystem(name): // opening a pipe without a writer waits for ever
		return exit.Fail(exit.Usage, "%s is not a regular file", diag.Escape(name))
	}
	f, err := os.Open(name)
	if err != nil {
		return exit.Fail(exit.Usage, "%v", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, evidence.MaxBundle+1))
	if err != nil {
		return exit.Fail(exit.Usage, "%v", err)
	}
	b, err := evidence.Parse(string(text))
	if err != nil {
		return exit.Fail(exit.Errors, "%s cannot be judged: %v", diag.Escape(name), err)
	}
	sum := bundle.Sum(b)
	for _, line := range sum.Lines {
		fmt.Fprintln(a.Fitted(a.Stdout), line)
	}
	who := "The devices are simulated: this is no evidence about real ones."
	if b.Real {
		who = "The devices are real, according to the bundle."
	}
	fmt.Fprintln(a.Stdout, who)
	switch {
	case !b.Whole:
		return exit.Fail(exit.Errors, "the end of %s is missing: its last line is not %q", diag.Escape(name), evidence.End)
	case sum.Differ > 0:
		return exit.Fail(exit.Errors, "%s of %s %s from its answers", diag.Count(sum.Differ, "verdict"), diag.Escape(name),
			diag.Plural(sum.Differ, "differs", "differ"))
	case sum.Decided == 0:
		return exit.Fail(exit.Errors, "no claim of %s was decided", diag.Escape(name))
	}
	fmt.Fprintln(a.Stdout, "Every written verdict is the one of its answers.")
	return nil
}
