// Package exit has the exit statuses of rocec, each with one meaning for every verb, and the [Error] that ends the process with one.
package exit

import (
	"fmt"
	"slices"

	"github.com/rocec/rocec/lang/diag"
)

// The exit statuses.
const (
	Good        = 0
	Errors      = 1
	Changes     = 2
	Machines    = 3
	Incomplete  = 4
	Locked      = 5
	Usage       = 64
	Interrupted = 130
)

// Meanings states what each status means, in the order of the documentation.
var Meanings = []struct {
	Status  int
	Meaning string
}{
	{Good, "good; also if there are changes, without --detailed-exitcode"},
	{Errors, "the fabric has errors (or warnings with --warnings-as-errors); fmt --check found unformatted files; verify found drift; " +
		"trace found a hop that breaks losslessness; storm found or suspects one"},
	{Changes, "--detailed-exitcode: there are changes"},
	{Machines, "a machine failed: unreachable, login, host-key alarm, permission, disk; nothing was changed"},
	{Incomplete, "apply incomplete: some devices are changed, others were restored, refused, or undone by gate or dead-man; " +
		"the output lists them"},
	{Locked, "locked by another run or person"},
	{Usage, "wrong usage"},
	{Interrupted, "interrupted"},
}

// Error ends the process with a status. The message is empty if the verb has printed the reason already.
type Error struct {
	Status  int
	Message string
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// With returns an error that ends the process with a status and prints nothing.
func With(status int) *Error { return &Error{Status: status} }

// Fail returns an error with a message for the person. It escapes names and errors among the arguments, so that each stays on its line.
func Fail(status int, format string, args ...any) error {
	return &Error{status, Sentence(format, args)}
}

// Choice refuses a value of a flag that is not one of words.
func Choice(flag, value string, words ...string) error {
	if slices.Contains(words, value) {
		return nil
	}
	return Fail(Usage, "--%s is %s, not %q", flag, diag.Or(words), value)
}

// Sentence puts arguments into a message, as [Fail] does.
func Sentence(format string, args []any) string {
	for i, arg := range args {
		switch arg := arg.(type) {
		case string:
			args[i] = diag.Escape(arg)
		case error:
			args[i] = diag.Escape(arg.Error())
		}
	}
	return fmt.Sprintf(format, args...)
}
