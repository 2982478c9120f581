// Package target is the contract ([Target]) between the packages for a vendor's spelling (cumulus, nic/mlx5), for the order of changes
// (deploy) and for connections (deploy/ssh, deploy/lab). Implementers import it; users import the table in package targets.
package target

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/commands"
	"github.com/rocec/rocec/targets/target/lint"
	"github.com/rocec/rocec/targets/target/sender"
)

// Target is a row of the table of targets: the facts about an operating system of switches or a driver of NICs, and the spelling of its
// settings. Exactly one of OS and Driver is set. A row without Render contains only facts: such devices are set by hand.
type Target struct {
	Name   string       // "cumulus"
	Doc    string       // one sentence: which files it writes, and for which devices
	Topics []diag.Topic // all codes that it reports

	OS     *ir.OS     // of the switches it writes
	Driver *ir.Driver // of the NICs it writes; a host has one target for each driver of its NICs

	// Files judges configuration files of the system without a fabric. Nil: no such file is known.
	Files *lint.Linter

	// Understand reads the configuration of one device of the system, in any common form, by path or name. It never fails.
	Understand func(id Identity, contents map[string][]byte) *Understood

	// Asks are the questions whose answers, as files, show the settings of a device of the system. Questions about neighbours are the same for
	// all systems.
	Asks []Question

	// Forwards adds values to the forwarding of a device that only a configuration of the system shows, such as tunnels. It never fails for
	// any bytes. Nil: the configuration shows none.
	Forwards func(name string, data []byte, into *ir.Forwarding)

	// ReleaseFile is the base name of the file in which a device states its release, and Stated reads that file. Stated returns an empty text
	// if the file states no release of the system. Nil: rocec knows no such file.
	ReleaseFile string
	Stated      func(data []byte) string

	// Keep removes rows that are not read from a configuration that Files knows, because they may contain secrets. Nil: no row of its files is
	// secret.
	Keep Keep

	// Beside are base names of further texts of a device that are read with its files: output about the running configuration, and pieces.
	// They only count in a folder with a file that Files knows.
	Beside []string

	// Stored returns a configuration in the form in which a device stores it, or the reason why it cannot, as part of a sentence. Nil:
	// Understand only reads this form.
	Stored func(data []byte) (stored []byte, why string)

	// Keys returns the names of the settings that the target writes, or only compares, on a NIC, sorted. Nil: it writes no NIC.
	Keys func() []string

	// Markings returns for each sender of a host how its packets get their mark, in the order of [sender.Kinds]. Nil: the target has no NICs.
	Markings func() []sender.Marking

	// Sent returns the answers about the senders of a host, for this row. state returns a live state by [File.Path]; nil: it was not read.
	// facts returns the facts that the host's probes read about an interface. Nil: no value of such devices is read.
	Sent func(t *Target, d *ir.Device, state func(path string) []byte, facts sender.Facts) []sender.Reach

	// Paths are the files that the target writes at fixed places, for rules that let a login read only these.
	Paths []string

	// Trees are the folders in which a device has its files. The path before one of them is the folder of one device.
	Trees []string

	// Generates is the target whose files the system writes when it applies a configuration. Next to a configuration, these files are the
	// running settings. Nil: none.
	Generates *Target

	// Serves reports whether the target writes a switch of its OS; of several rows with one OS the first that serves a switch writes it.
	// Nil: every switch of the OS.
	Serves func(*ir.Device) bool

	// Check returns only the diagnostics of Render, for callers who need no files.
	Check func(*ir.Device) diag.List

	// ByHand judges what a device that others set states by names of this vendor; nil: such a device states none.
	ByHand func(*ir.Device) diag.List

	// Render converts a device's settings to its wanted files. It is pure: the same device has the same files, in the same order. Diagnostics
	// name this vendor's keys and releases.
	Render func(*ir.Device) ([]File, diag.List)

	// Enable returns the symbolic links that the steps of a device's files make on its disk: an image with the files and these links needs no
	// command. Nil: the steps make no links.
	Enable func(*ir.Device) []Link

	// Read returns the settings of a device from its files and live states: the inverse of Render for the keys that affect lossless traffic.
	// content returns the content of a [File.Path]; nil: not found. Values that the content does not state are unknown, so the result may
	// be nil. It never fails for any bytes. Nil: nothing is known of such devices.
	Read func(d *ir.Device, content func(path string) []byte) *ir.Settings

	// Rounds are the fields whose values differ from the wanted ones after Edit and Read.
	Rounds []Rounding

	// Transition returns content, by [File.Path], that keeps the device lossless both for the old and for the wanted settings
	// ([ir.Settings.Transition]). It returns only files in which that content differs from the result of Edit. content returns the present
	// content. Packets that a NIC sends are marked as before or, if marked is set, as wanted. not states, in a sentence, why the device cannot
	// hold both; empty: it can. Nil: the target knows no such content.
	Transition func(d *ir.Device, content func(path string) []byte, marked bool) (files map[string][]byte, not string)

	// Cleanup returns queries for files of rocec on a host that the fabric no longer needs; a host without NICs has left the fabric. Nil: the
	// target leaves no such files.
	Cleanup func(d *ir.Device) []*Cleanup

	// About describes the device in a few words: "Cumulus Linux 3.4.3, Spectrum".
	About func(*ir.Device) string

	// Reported converts a host's own report into live states and answers. Nil: such devices do not report.
	Reported func(*ir.Device, *Report) Reported

	// Identity reads the device's identity; if it is wrong, the device is refused before anything is planned. It must not change anything. For
	// a switch the probe called [ReleaseProbe] reads the release.
	Identity func(*ir.Device) []Probe

	// Probes read counters and states that show whether the settings work; `rocec verify` runs them.
	Probes func(*ir.Device) []Probe

	// Counters read pauses, headroom and marks by port and priority. Nil: the device has no such counters.
	Counters func(*ir.Device) []CounterQuery

	// Noticed returns Disrupts and Outage of a step of the device in a plan, if they depend on the change. live returns a live state before
	// and after the change, and changes reports whether the plan changes it. Nil: the values of the step apply.
	Noticed func(d *ir.Device, s *Step, live Live) (disrupts string, outage ir.Outage)

	// Whose reports whether findings of a code are about another writer of the device instead of its settings. A device that rocec has never
	// written may be sound with such findings. Nil: no code does.
	Whose func(code string) bool

	// Watches are values of a device that every plan and verify reads and judges, and that are not in its files. Nil: nothing.
	Watches func(*ir.Device) []Watch

	// Inspect reads the values that the fabric assumes for the device and that are not in its files: ports, VLANs, bonds, neighbours. Nil:
	// they cannot be read.
	Inspect func(*ir.Device) *Inspection

	// Image returns a factory-new device, for rehearsals in the lab. Nil: none can be simulated.
	Image func(*ir.Device) Image

	// NeedsReport reports whether the settings of a device are known from documents alone, and no user has reported on such a device yet.
	// rocec then changes a real device only after the person has accepted that in writing. Nil: none.
	NeedsReport func(*ir.Device) bool

	// Claims returns statements of documents about such a device, or questions that they leave open, with the test on the device. Nil: there
	// are none.
	Claims func(*ir.Device) []Claim

	// Recall makes again the results of Render, Cleanup and Choose, from the words of their name after the name of the target. It is pure.
	// kept returns the contents that the name mentions. The error is a [*commands.Unknown], or names a missing or unfit content. Nil: the
	// target makes nothing that has a name.
	Recall func(words []string, kept commands.Kept) (*Made, error)

	// Parts are the targets that [Join] has joined; nil: it is a single target.
	Parts []*Target

	// User is the user that logs in to a factory-new device; empty: root.
	User string
}

// ReleaseProbe is the name of the probe of a switch's identity that reads its release and compares it with the fabric's. This probe alone
// decides whether the switch's answers to claims count for that release.
const ReleaseProbe = "release"

// File is one setting of a device that is read and written as a whole: a function from the present content to the wanted content.
//
// Laws (held by targets' conformance suite): Edit(Edit(x)) == Edit(x); lines that are not ours keep every byte; the
// result ends in a newline; Edit is pure.
type File struct {
	Path string // absolute, clean; for a live state a name such as "nic/ens1f0"
	Mode fs.FileMode

	// Places are further possible paths, which are tried in order after Path: the first existing path is used. A device that was read has only
	// the path that was found.
	Places []string

	// Sketch is set for a file that is only ever edited and never made: Edit(nil) is an error. It shows the settings of an edit to people who
	// cannot read the device, and is not content of the file.
	Sketch []byte

	// Edit returns the wanted content of the file for its present content; nil means that there is no file, and Edit(nil) returns the whole
	// file. A diagnostic states why the present content cannot be edited; then the device is refused.
	Edit func(old []byte) ([]byte, diag.List)

	// Forms are further spellings of the file that `rocec build` writes, for people who bring its settings to the device themselves. For a
	// live state, `rocec build` writes only these. Nil: there are no other spellings.
	Forms []Form

	// Data returns the content of Edit as an object of maps, numbers, truth values and strings, for people who keep settings as data. Encoded
	// by encoding/json or YAML, the object reads back unchanged. Nil: content is text.
	Data func(content []byte) map[string]any

	// Keys lists the settings inside content, in file order; nil: the file is compared as a whole.
	Keys func(content []byte) []Key

	// Why returns the origins of the value of one of rocec's keys; nil or empty: unknown.
	Why func(key string) []ir.Origin

	// InUse states whether the device uses the settings, if the device itself does not report it: [NotReadable]. Empty: the device reports it.
	InUse string

	// Live is set for a state that is not a file: Live reads it, in the form Edit returns; it is never written; Activate changes it.
	Live *Query

	// Canonical converts content that Live has read into the form that Edit returns; nil: Live reads that form.
	Canonical func(content []byte) []byte

	// Precheck is the vendor's check of new content before it replaces the file; empty: the vendor has no check. It runs as root by sh with
	// the path of the new content as $1. A status other than zero refuses the content, and the output is the reason. It changes nothing.
	//
	// Content that an undo or a later run restores is checked after all files are in place, so that files that belong together are checked
	// together. A refusal is then only reported, because the other content must not stay.
	Precheck string

	// PrecheckName is the name of Precheck, see [Target.Recall].
	PrecheckName string

	// WasThere reports that the content existed before the run that is being undone.
	WasThere bool

	// Lint judges content by the vendor's rules before and after a change, for any writer. Findings are at lines of Path. foreign is a
	// sentence that states why the content is no configuration of this device, which refuses the device. Nil: nothing is judged. For content
	// of Edit(nil) there are neither findings nor foreign.
	Lint func(content []byte) (found diag.List, foreign string)

	// Activate makes the device use the file, for any change in it; equal steps of one device run once.
	Activate Step

	// Choose returns the step for one change of content, for changes that need less than Activate. says are sentences about how the change is
	// checked and takes effect. have contains the device's earlier measurements by its probes, and may be empty. Choose is pure. Nil:
	// Activate.
	Choose func(before, after []byte, have []Sample) (step Step, says []string)
}

// Form is another spelling of a file's settings.
type Form struct {
	Path string                      // absolute and clean; below the device's folder in the built files, and not on the device
	Of   func(content []byte) []byte // converts content from Edit to the form
}

// Cleanup is a query, with a function from its answer to files and live states that remove leavings of rocec on a device.
type Cleanup struct {
	Query
	Files func(answer []byte) []File // none: there are no leavings. It never fails for any bytes
}

// Link is a symbolic link; both paths are absolute and clean.
type Link struct{ Path, To string }

// Key is one setting inside a file.
type Key struct {
	Name, Value string
	Ours        bool // rocec sets it
}

// Step is a command that makes a device use the written files. The zero Step does nothing. $ROCEC_STEP is a separate folder for the step,
// and $ROCEC_LIVE is a folder with the live states before the change, as files by their names. When a run is undone, $ROCEC_WHY states the
// reason: "asked" by a person, by the "timer", at "boot", or by the change itself ("body"). It is "kept" if the change was confirmed, and a
// later run undoes it.
type Step struct {
	Name     string    // see [Target.Recall]; empty: no target makes the step
	Cmd      string    // run as root by sh
	Disrupts string    // effect on traffic, in a few words: "every port resets"; empty: none
	Outage   ir.Outage // time during which no traffic passes, of the device or of the NICs in Disrupts

	// Undo reverts effects that remain after the old content is in place again; nil: Cmd does it. It also runs at boot.
	Undo *Query

	// Keep makes the effect of Cmd permanent, for devices that would revert it by themselves. It runs like Cmd, when the change is confirmed
	// and its undo is still armed; if Keep fails, the undo runs. It may run again after it worked. Empty: nothing.
	Keep string

	// Back checks whether Cmd can still be reverted after Keep, before anything is undone. It changes nothing, and its errors state why not.
	// $ROCEC_WAS contains the SHA-256 of the former live state; the step has no folder. Nil: only the undo itself shows it.
	Back *Query

	Stdin string // of Cmd

	// Loaded reports whether the device uses the content: it runs until it exits 0, until it exits 65 because waiting does not help, or until
	// Timeout. After 0 its last line is [Loaded], or the reason why this release cannot show it. After [Adjusted] it lists content that the
	// device uses in another form than written. Nil: there is no such query.
	Loaded *Query

	Units   string        // systemd units that read the files at boot, separated by spaces: an undo at boot runs before them
	Timeout time.Duration // for each of Cmd and Loaded; 0: one minute
	Takes   time.Duration // upper bound of the duration of a successful Cmd, without the outage, for times in a plan; 0: seconds
	Alone   bool          // nothing else may change meanwhile, on any device: a plan with the step has no other step
	Soak    time.Duration // time for which the device must keep working before the change is kept; 0: [SoakTime]
	Away    time.Duration // time for which the device may not answer, or its links may be down, after Cmd
}

// StepOf returns the step with these commands, and without the effects of a step on traffic.
func StepOf(c *commands.Step) Step {
	return Step{
		Name: c.Name, Cmd: c.Cmd, Stdin: c.Stdin, Undo: c.Undo, Back: c.Back, Loaded: c.Loaded, Keep: c.Keep, Units: c.Units, Timeout: c.Timeout,
	}
}

// Commands returns the commands of the step, without its effects on traffic.
func (s *Step) Commands() *commands.Step {
	return &commands.Step{
		Name: s.Name, Cmd: s.Cmd, Stdin: s.Stdin, Undo: s.Undo, Back: s.Back, Loaded: s.Loaded, Keep: s.Keep, Units: s.Units, Timeout: s.Timeout,
	}
}

// Live returns a live state of a plan by [File.Path].
type Live func(path string) (before, after []byte, changes bool)

// Loaded is the answer of a device that uses the content of its files.
const Loaded = commands.Loaded

// NotReadable is the answer of a device that has no file that shows the content in use.
const NotReadable = commands.NotReadable

// Adjusted precedes, in a device's answer about the content in use, the settings that it has replaced.
const Adjusted = commands.Adjusted

// SoakTime is the soak of a step that states none.
const SoakTime = 5 * time.Second

// Query is a command that reads and changes nothing, run as root by sh.
type Query = commands.Query

// Role is the kind of a device, for the order of changes.
type Role string

// The roles.
const (
	Switch Role = "switch"
	Host   Role = "host"
)

// Device is one device of a rendered tree.
type Device struct {
	Name       string
	Group      string     // the block's label, for --target switch.leaf
	At         diag.Range // the line that declares it
	Role       Role
	Target     *Target
	Source     *ir.Device
	About      string
	Login      Login
	Files      []File
	Cleanups   []*Cleanup
	Identity   []Probe
	Probes     []Probe
	Slow       []Probe // probes that only verify runs
	Watches    []Watch
	Inspection *Inspection // nil: there is no such query

	Given *Given   // nil: questions to the device do not come from a journal
	Past  [][]byte // live states from before a run that is undone: names of steps that go back have their hashes
}

// Port returns the port of the device with a name; nil: no port has the name.
func (d *Device) Port(name string) *ir.Port {
	i := slices.IndexFunc(d.Source.Ports, func(p *ir.Port) bool { return p.Name == name })
	if i < 0 {
		return nil
	}
	return d.Source.Ports[i]
}

// Given is the part of a run that a device must have received before rocec asks it anything else.
type Given struct {
	Run string // its name
	Sum string // a hash of the run's changes on the device; empty: an older rocec stored none
	Not string // why the run's journal cannot be used for this device, as part of a sentence: rocec does not ask it; empty: it can be used
}

// Intent is the hash of the wanted settings, see [ir.Device.Intent]; empty: the device comes from no fabric.
func (d *Device) Intent() string {
	if d.Source == nil {
		return ""
	}
	return d.Source.Intent()
}

// Login contains the connection settings of a device; for empty fields, ~/.ssh/config and the defaults of ssh apply.
type Login = ir.SSH

// Origin is one reason for a value: a line of the person, or a fact of the tables.
type Origin = ir.Origin

// Tree contains every device of a fabric that has files to write, in natural order of names.
type Tree struct{ Devices []*Device }

// Conn is an open connection to one device.
type Conn interface {
	// Run runs cmd by the login user's shell, with stdin as its input, and returns what it printed. If the command ends with a status other
	// than zero, the error is an *ExitError.
	Run(ctx context.Context, cmd string, stdin []byte) (stdout []byte, err error)

	// HostKey returns the fingerprint of the host key whose possession the device has proved, "SHA256:" and 43 characters as ssh-keygen -l
	// prints it. For a host certificate it is the key of the certificate, not of the authority: another device with a certificate of the same
	// authority is another device. It is empty only where the ssh program of the connection is too old to report it. Code that depends on a
	// host key must not treat an empty fingerprint as a match.
	HostKey() string

	Close() error
}

// Dial opens a connection to a device. The dialer fills in empty login fields.
type Dial func(ctx context.Context, d *Device) (Conn, error)

// LoginError is the error for a device that answered but refused the login, because of its host key or the authentication. A Dial wraps
// such failures in it; every other failure of a Dial counts as an unreachable device.
type LoginError struct{ Err error }

// Error returns the text of the failure.
func (e *LoginError) Error() string { return e.Err.Error() }

// Unwrap returns the failure.
func (e *LoginError) Unwrap() error { return e.Err }

// ErrNoAddress is wrapped in the error of a Dial to a device whose name has no address.
var ErrNoAddress = errors.New("no address")

// HostKeyError is the error for a device, or a jump host, that did not prove its identity. It is wrapped in a [LoginError].
type HostKeyError struct {
	Err   error
	Alarm bool // another key is known or pinned, or the key is revoked; otherwise the host is unknown
}

// Error returns the text of the failure.
func (e *HostKeyError) Error() string { return e.Err.Error() }

// Unwrap returns the failure.
func (e *HostKeyError) Unwrap() error { return e.Err }

// ExitError is the error for a command that ran and failed.
type ExitError struct {
	Status int
	Stderr string // limited in size; unescaped output of the device, so escape it before showing
}

// Error returns the last line of the command's errors, quoted if it is not plain text.
func (e *ExitError) Error() string {
	lines := strings.Split(strings.TrimSpace(e.Stderr), "\n")
	if last := strings.TrimSpace(lines[len(lines)-1]); last != "" {
		const most = 400
		if len(last) > most {
			last = strings.ToValidUTF8(last[:most], "") + "…"
		}
		return fmt.Sprintf("%s (exit status %d)", Escape(last), e.Status)
	}
	return fmt.Sprintf("exit status %d", e.Status)
}

// Escape makes text that came from a device safe to print on a terminal.
func Escape(s string) string { return diag.Escape(s) }
