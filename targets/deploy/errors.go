package deploy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target"
)

// Kind says what stood in the way at a device. Its text is the code `rocec explain` knows.
type Kind string

// The kinds. The first five are machines, and end a command with status 3 when nothing was changed.
const (
	Unreachable Kind = "device-unreachable" // no connection, no answer, or none that makes sense
	Login       Kind = "device-login"       // unknown host key, or authentication
	HostKey     Kind = "device-host-key"    // a known device showed another host key, or a revoked one
	Permission  Kind = "device-permission"  // not allowed to become root, or to write
	Disk        Kind = "device-disk"        // full or read-only
	Locked      Kind = "device-locked"      // somebody else is changing the device
	Stale       Kind = "device-stale"       // a file is not what the plan saw
	Identity    Kind = "device-identity"    // the device is not what the fabric says
	Unlike      Kind = "device-unlike"      // a cable or a port is not where the fabric says
	Unreadable  Kind = "device-unreadable"  // what lies there cannot be read or edited
	Unmet       Kind = "host-setting"       // it has no way to a setting of the fabric, or its own configuration says otherwise
	Rejected    Kind = "device-rejected"    // the vendor's checker refuses the new content
	Activation  Kind = "device-activation"  // the device did not take the new content, or does not hold it
	Unhealthy   Kind = "device-unhealthy"   // a link, a daemon or a neighbour was lost by the change
	Undone      Kind = "device-undone"      // its wave or run went back, and it with them
	NotDrained  Kind = "device-not-drained" // the drain hook failed, so it was left alone
)

// Machine reports whether the kind is a failure of a machine rather than a refusal: exit status 3 when nothing changed.
func (k Kind) Machine() bool {
	return slices.Contains([]Kind{Unreachable, Login, HostKey, Permission, Disk}, k)
}

// Error is what stood in the way at one device. Its text has no position; [Error.Diagnostic] does.
type Error struct {
	Kind   Kind
	Device *target.Device
	Step   string // "lock", "upload", …; empty while reading
	Detail string // what happened and what to do, escaped for a terminal
	Holder *Owner // of Locked: who holds the lock
	Err    error  // the cause, if there is one
	Lost   bool   // the connection broke: what happened on the device is not known from this
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
	Txn   string // the run
	Key   string // that tells it from another run of the same name
	Mark  string // how far it came on the device; empty: not asked
	Who   string // "alice@ws7, process 4711"
	Since string // the device's clock, RFC 3339
}

// Held reports whether the run has put its change to use, and waits for it to be confirmed.
func (o *Owner) Held() bool { return o != nil && o.Mark == markLoaded }

// markLoaded is the mark of a run whose change is in use and not confirmed.
const markLoaded = "loaded"

// String describes the holder in a few words.
func (o *Owner) String() string {
	if o.Txn == "" && o.Who == "" {
		return "somebody whose name is not in the lock"
	}
	if o.Who == "" {
		return "run " + o.Txn
	}
	return fmt.Sprintf("%s since %s (run %s)", o.Who, o.Since, o.Txn)
}

// NotConfirmed says of a run that has changed a device, and neither keeps nor has undone that, what can be done about it. mark is how
// far it came there.
func NotConfirmed(run, mark string) string {
	if mark == "loaded" {
		return fmt.Sprintf("%s has changed this device and is not confirmed yet. From any machine with the fabric, keep the change: "+
			"rocec confirm %[1]s. Go back: rocec rollback %[1]s.", run)
	}
	return fmt.Sprintf("%s is changing this device, or died over it. If it died, bring it to its end from any machine with the fabric: "+
		"rocec resume %[1]s. Go back: rocec rollback %[1]s.", run)
}

// ParseOwner reads a lock's owner file; what is missing stays empty.
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
			o.Mark = value
		case "owner":
			o.Who = value
		case "since":
			o.Since = value
		}
	}
	return o
}

// OneLine makes text of a device fit for the middle of a sentence.
func OneLine(s string) string { return oneLine(s, 400) }

// Sentences is OneLine for what rocec itself says, with what to do at its end.
func Sentences(s string) string { return oneLine(s, 1500) }

func oneLine(s string, most int) string {
	s = target.Escape(strings.Join(strings.Fields(s), " "))
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}
