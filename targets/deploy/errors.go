package deploy

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy/txn"
	"github.com/rocec/rocec/targets/target"
)

// Kind is the kind of an error at a device. Its text is the code that `rocec explain` accepts.
type Kind string

// The kinds. The first five are failures of a machine. They end a command with status 3 if nothing was changed.
const (
	Unreachable Kind = "device-unreachable" // no connection, or no valid answer
	Login       Kind = "device-login"       // unknown host key, or failed authentication
	HostKey     Kind = "device-host-key"    // the host key of a known device has changed or is revoked
	Permission  Kind = "device-permission"  // the login user may not become root, or may not write
	Disk        Kind = "device-disk"        // the disk is full or read-only
	Locked      Kind = "device-locked"      // another run is changing the device
	Journal     Kind = "device-journal"     // the journal of a run differs from the one that the device received, or is of a newer rocec
	Stale       Kind = "device-stale"       // a file differs from what the plan read
	Identity    Kind = "device-identity"    // the device is another one than the fabric declares
	Unlike      Kind = "device-unlike"      // a cable or a port differs from the fabric
	Unreadable  Kind = "device-unreadable"  // a file of the device cannot be read or edited
	Unmet       Kind = "host-setting"       // the host cannot reach a setting of the fabric, or its own configuration sets another
	Rejected    Kind = "device-rejected"    // the vendor's checker refuses the new content
	Activation  Kind = "device-activation"  // the device did not load the new content, or does not keep it
	Unhealthy   Kind = "device-unhealthy"   // the change made the device lose a link, a daemon or a neighbour
	Undone      Kind = "device-undone"      // the device went back together with its wave or run
	NotDrained  Kind = "device-not-drained" // the drain hook failed, so the device was not changed
)

// Machine reports whether the kind is a failure of a machine rather than a refusal: exit status 3 when nothing changed.
func (k Kind) Machine() bool {
	return slices.Contains([]Kind{Unreachable, Login, HostKey, Permission, Disk}, k)
}

// Error is an error at one device. Its text contains no position; [Error.Diagnostic] has one.
type Error struct {
	Kind   Kind
	Device *target.Device
	Code   string // for Unmet: the code of the finding; otherwise empty
	Step   string // "lock", "upload", …; empty while reading
	Detail string // the error and its remedy, escaped for a terminal
	Holder *Owner // for Locked: the holder of the lock
	Err    error  // the cause, if there is one
	Lost   bool   // the connection broke: the result on the device is unknown
	None   bool   // for Journal: the device has no trace of the journal it received

	NoAddress bool // for Unreachable: the name of the device has no address
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

// Diagnostic returns the error at the line that declares the device.
func (e *Error) Diagnostic() *diag.Diagnostic {
	i := slices.IndexFunc(Topics, func(t diag.Topic) bool { return t.Code == string(e.Kind) })
	var l diag.List
	return Topics[i].Errorf(&l, e.Device.At, "%s", e.Error())
}

// Owner is a run that holds the lock of a device.
type Owner struct {
	Txn   string   // the run
	Key   string   // distinguishes runs with the same name
	Mark  txn.Mark // progress of the run on the device; Absent: not asked, or the run changes nothing there
	Who   string   // "alice@ws7, process 4711"
	Since string   // the device's clock, RFC 3339

	Until  time.Duration // time until the device goes back by itself or the run's mark ends, by the device's own timer; 0: not known
	Beside bool          // the run has marked the device and does not change it
}

// Held reports whether the run has put its change to use and waits for the confirmation.
func (o *Owner) Held() bool { return o != nil && o.Mark == txn.Loaded }

// Bars reports whether the run forbids other runs to change the device or to rely on it. The run does so while its change is not
// confirmed on the device, and while its mark is there.
func (o *Owner) Bars() bool {
	return o != nil && (o.Beside || o.Mark == txn.Prepared || o.Mark.Open())
}

// String describes the holder in a few words.
func (o *Owner) String() string {
	if o.Txn == "" && o.Who == "" {
		return "a run whose name is not in the lock"
	}
	if o.Who == "" {
		return "run " + o.Txn
	}
	return fmt.Sprintf("%s, run %s, since %s", o.Who, o.Txn, o.Since)
}

// Holds returns sentences that describe how the run uses devices, and for how long.
func (o *Owner) Holds(names ...string) string {
	const room = 200 // bytes, for names
	on, n := nodeset.Text(names, nodeset.Devices, room), len(names)
	is, was := diag.Plural(n, "is", "are"), diag.Plural(n, "was", "were")
	left := o.Until.Round(time.Second).String()
	goes := "It goes back by itself in " + left
	if n > 1 {
		goes = "They go back by themselves, the first in " + left
	}
	switch {
	case o.Beside:
		return fmt.Sprintf("%s %s the mark of %s, which changes devices beside %s. The mark ends in %s unless the run renews it.", on,
			diag.Plural(n, "has", "have"), o, diag.Plural(n, "it", "them"), left)
	case o.Mark == txn.Loaded && o.Until > 0:
		return fmt.Sprintf("%s %s changed by %s, which is not confirmed. %s.", on, was, o, goes)
	case o.Mark == txn.Loaded:
		return fmt.Sprintf("%s %s changed by %s, which is not confirmed. The time until %s back is not known.", on, was, o,
			diag.Plural(n, "it goes", "they go"))
	case o.Mark == txn.Undoing:
		return fmt.Sprintf("%s %s going back from a change by %s.", on, is, o)
	case o.Mark.Open() && o.Until > 0:
		return fmt.Sprintf("%s %s being changed by %s. %s if that run has died.", on, is, o, goes)
	case o.Mark.Open():
		return fmt.Sprintf("%s %s being changed by %s.", on, is, o)
	}
	if o.Mark == txn.Prepared {
		return fmt.Sprintf("%s %s locked by %s, which has changed nothing there yet.", on, is, o)
	}
	return fmt.Sprintf("%s %s locked by %s.", on, is, o)
}

// badRunName replaces a command where a device reports an invalid name of a run.
const badRunName = "Its name is invalid: see " + StateDir + " on the device."

// GoOn returns the commands that resume or undo the run. It names unlock only if the run has changed nothing.
func (o *Owner) GoOn(names ...string) string {
	known := ValidRun(o.Txn)
	if o.Txn != "" && !known && !o.Beside {
		return badRunName
	}
	unlock, resume, rollback := UnlockCommand(o.Txn, names...), RunCommand("resume", o.Txn), RunCommand("rollback", o.Txn)
	switch {
	case o.Beside:
		if !known {
			return "Wait until it ends."
		}
		return "Wait until it ends. If that run died: " + unlock
	case o.Mark.Open() && !known:
		return badRunName
	case o.Mark == txn.Loaded:
		return fmt.Sprintf("Keep the change: %s; go back: %s", RunCommand("confirm", o.Txn), rollback)
	case o.Mark == txn.Undoing:
		return fmt.Sprintf("If that run died, finish it: %s", resume)
	case (o.Mark.Open() || o.Mark == txn.Prepared) && known:
		return fmt.Sprintf("If that run died, finish it: %s; go back: %s", resume, rollback)
	}
	return "If that run is over, remove its lock: " + unlock
}

// ParseOwner parses the owner file of a lock; missing fields stay empty.
func ParseOwner(text string) *Owner {
	o := &Owner{}
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		value = OneLine(value)
		switch key {
		case "txn":
			o.Txn = value
		case "key":
			o.Key = value
		case "mark":
			o.Mark = txn.MarkOf(value)
		case "owner":
			o.Who = value
		case "since":
			o.Since = value
		case "until":
			o.Until = seconds(value)
		}
	}
	return o
}

// seconds parses a number of seconds from a device; 0: invalid. For a time that is over it returns the smallest positive duration,
// because the timer may be about to fire.
func seconds(text string) time.Duration {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n > int64(mostSeconds) {
		return 0
	}
	return time.Duration(max(n, 1)) * time.Second
}

// mostSeconds is the upper limit of the timers that a device reports: a hundred years.
const mostSeconds = 100 * 365 * 24 * 3600

// OneLine makes text of a device suitable for use in the middle of a sentence.
func OneLine(s string) string { return oneLine(s, 400) }

// Sentences is OneLine for texts of rocec itself, which end with a remedy.
func Sentences(s string) string { return oneLine(s, 1500) }

// traceback matches the frames of Python's tracebacks, and the sentences between two of them. Format:
// https://docs.python.org/3/library/traceback.html.
var traceback = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)Traceback \(most recent call last\):\r?\n?(?:(?:[ \t].*)?(?:\n|$))*|` +
		`^(?:During handling of the above exception|The above exception was the direct cause).*(?:\n|$)`)
})

func oneLine(s string, most int) string {
	s = traceback().ReplaceAllString(s, "")
	s = target.Escape(strings.Join(strings.Fields(s), " "))
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}
