package deploy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target"
)

// Kind says what stood in the way at a device. Its text is the code `rocec explain` knows.
type Kind string

// The kinds. The first four are machines, and end a command with status 3 when nothing was changed.
const (
	Unreachable Kind = "device-unreachable" // no connection, no answer, or none that makes sense
	Login       Kind = "device-login"       // host key or authentication
	Permission  Kind = "device-permission"  // not allowed to become root, or to write
	Disk        Kind = "device-disk"        // full or read-only
	Locked      Kind = "device-locked"      // somebody else is changing the device
	Stale       Kind = "device-stale"       // a file is not what the plan saw
	Identity    Kind = "device-identity"    // the device is not what the fabric says
	Unreadable  Kind = "device-unreadable"  // what lies there cannot be read or edited
	Rejected    Kind = "device-rejected"    // the vendor's checker refuses the new content
	Activation  Kind = "device-activation"  // the device did not take the new content, or does not hold it
)

// Machine tells whether the kind is a failure of a machine rather than a refusal: exit status 3 when nothing changed.
func (k Kind) Machine() bool {
	return slices.Contains([]Kind{Unreachable, Login, Permission, Disk}, k)
}

// Error is what stood in the way at one device. Its text has no position; [Error.Diagnostic] does.
type Error struct {
	Kind   Kind
	Device *target.Device
	Step   string // "lock", "upload", …; empty while reading
	Detail string // what happened and what to do, escaped for a terminal
	Holder *Owner // of Locked: who holds the lock
	Err    error  // the cause, if there is one

	lost bool // the connection broke: what happened on the device is not known from this
}

// Error returns "leaf01: upload: no space …".
func (e *Error) Error() string {
	if e.Step == "" {
		return e.Device.Name + ": " + e.Detail
	}
	return e.Device.Name + ": " + e.Step + ": " + e.Detail
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Diagnostic is the error at the line that declares the device.
func (e *Error) Diagnostic() *diag.Diagnostic {
	i := slices.IndexFunc(Topics, func(t diag.Topic) bool { return t.Code == string(e.Kind) })
	var l diag.List
	return Topics[i].Errorf(&l, e.Device.At, "%s", e.Error())
}

// Owner is who holds the lock of a device.
type Owner struct {
	Txn   string // the transaction
	Who   string // "alice@ws7, process 4711"
	Since string // the device's clock, RFC 3339
}

// String describes the holder in a few words.
func (o *Owner) String() string {
	if *o == (Owner{}) {
		return "somebody whose name is not in the lock"
	}
	return fmt.Sprintf("%s since %s (transaction %s)", o.Who, o.Since, o.Txn)
}

// parseOwner reads a lock's owner file; what is missing stays empty.
func parseOwner(text string) *Owner {
	o := &Owner{}
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		value = oneLine(value)
		switch key {
		case "txn":
			o.Txn = value
		case "owner":
			o.Who = value
		case "since":
			o.Since = value
		}
	}
	return o
}

// oneLine makes text of a device fit for the middle of a sentence.
func oneLine(s string) string {
	const most = 400
	s = target.Escape(strings.Join(strings.Fields(s), " "))
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

// dialError is a failure to open a connection.
func dialError(d *target.Device, step string, err error) *Error {
	e := &Error{Kind: Unreachable, Device: d, Step: step, Detail: oneLine(err.Error()), Err: err}
	if _, ok := errors.AsType[*target.LoginError](err); ok {
		e.Kind = Login
	} else if errors.Is(err, context.DeadlineExceeded) {
		e.Detail = "no answer in time: " + e.Detail
	}
	return e
}

// runError is a command that could not be run, or a connection that broke under it.
func runError(d *target.Device, step string, err error) *Error {
	exit, ok := errors.AsType[*target.ExitError](err)
	if !ok {
		e := dialError(d, step, err)
		e.lost = true
		return e
	}
	e := &Error{Kind: Unreachable, Device: d, Step: step, Err: err}
	said := oneLine(lastLine(exit.Stderr))
	switch {
	case strings.HasPrefix(said, "sudo:"), strings.HasPrefix(said, "Sorry, user"), strings.Contains(said, "sudo: not found"):
		e.Kind = Permission
		e.Detail = fmt.Sprintf("the login user may not become root without a password (%s). Log in as root, or let the "+
			"user run everything with a line in /etc/sudoers.d on the device: USER ALL=(root) NOPASSWD: ALL.", said)
	default:
		e.Detail = "the device could not run rocec's command: " + oneLine(exit.Error())
	}
	return e
}

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}
