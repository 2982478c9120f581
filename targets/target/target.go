// Package target is the contract ([Target]) between what knows a vendor's spelling (cumulus, nic/mlx5), what knows order (deploy)
// and what knows the wire (deploy/ssh, deploy/lab). Implementers import it; users import the table in package targets.
package target

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target/lint"
)

// Target is a row of the table of targets: the facts about an operating system of switches or a driver of NICs, and the spelling of
// settings there. Exactly one of OS and Driver is set. A row without Render is facts alone: such devices are set by hand.
type Target struct {
	Name   string       // "cumulus"
	Doc    string       // one sentence: what it writes, for which devices
	Topics []diag.Topic // every code it reports

	OS     *ir.OS     // of the switches it writes
	Driver *ir.Driver // of the NICs it writes; a host is written by as many targets as its NICs have drivers

	// Files judges configuration files of the system by themselves, without a fabric. Nil: no such file is known.
	Files *lint.Linter

	// Understand reads the configuration of one device of the system, in any form in which people have it, by path or name. It never fails.
	Understand func(id Identity, contents map[string][]byte) *Understood

	// Asks are the questions whose answers, as files, show how a device of the system is set. All systems are asked the same of
	// neighbours.
	Asks []Question

	// ReleaseFile is the base name of the file in which a device states its release, and Stated reads that file. Stated returns an empty text
	// if the file states no release of the system. Nil: rocec knows no such file.
	ReleaseFile string
	Stated      func(data []byte) string

	// Keep takes the rows that are not read out of a configuration that Files knows: they may hold secrets. Nil: no row of its files is one.
	Keep Keep

	// Beside are base names of further texts of a device, which are read with its files: captures of the running configuration, and
	// pieces. A folder has them beside a file that Files knows.
	Beside []string

	// Stored returns a configuration in the form in which a device stores it, or why it cannot, as a part of a sentence. Nil: what Understand
	// reads has this form.
	Stored func(data []byte) (stored []byte, why string)

	// Trees are the folders in which a device has its files. What is before one of them in a path is the folder of one device.
	Trees []string

	// Generates is the target whose files the system writes when it applies a configuration. Beside a configuration these files are what
	// runs. Nil: none.
	Generates *Target

	// Serves reports whether the target writes a switch of its OS; of several rows with one OS the first that serves a switch writes it.
	// Nil: every switch of the OS.
	Serves func(*ir.Device) bool

	// Check gives the diagnostics of Render alone, for those who want no files.
	Check func(*ir.Device) diag.List

	// Render lowers a device's settings into the files it should hold. It is pure: the same device gives the same
	// files, in the same order. Diagnostics name this vendor's keys and releases.
	Render func(*ir.Device) ([]File, diag.List)

	// Enable returns the symbolic links that the steps of a device's files make on its disk: an image with the files and these links needs no
	// command. Nil: the steps make no links.
	Enable func(*ir.Device) []Link

	// Read returns the settings of a device from its files and live states: the inverse of Render for the keys that lossless traffic notices.
	// content returns the content of a [File.Path]; nil: there is none. Values that the content does not state are unknown, so the result may
	// be nil. It never fails, whatever the bytes. Nil: nothing is known of such devices.
	Read func(d *ir.Device, content func(path string) []byte) *ir.Settings

	// Rounds are the fields whose values differ from the wanted ones after Edit and Read.
	Rounds []Rounding

	// Transition returns content, by [File.Path], that makes the device lossless both as before and as wanted ([ir.Settings.Transition]). It
	// returns only files in which that content differs from the result of Edit. content returns the present content. Packets that a NIC sends
	// are marked as before or, if marked is set, as wanted. not states, in a sentence, why the device cannot hold both; empty: it can. Nil:
	// the target knows no such content.
	Transition func(d *ir.Device, content func(path string) []byte, marked bool) (files map[string][]byte, not string)

	// Cleanup ask a host for files of rocec that the fabric no longer needs; a host without NICs has left the fabric. Nil: the target leaves
	// nothing that has to be removed.
	Cleanup func(d *ir.Device) []*Cleanup

	// About describes the device in a few words: "Cumulus Linux 3.4.3, Spectrum".
	About func(*ir.Device) string

	// Reported converts a host's own report into live states and answers. Nil: such devices do not report.
	Reported func(*ir.Device, *Report) Reported

	// Identity reads the device's identity; a judgement against it refuses the device before anything is planned. It must not change
	// anything. For a switch the probe called [ReleaseProbe] reads the release.
	Identity func(*ir.Device) []Probe

	// Probes read counters and states that show whether the settings work; `rocec verify` runs them.
	Probes func(*ir.Device) []Probe

	// Noticed returns Disrupts and Outage of a step of the device in a plan, where they depend on the change. live returns a live state
	// before and after the change, and changes reports whether the plan changes it. Nil: the values of the step apply.
	Noticed func(d *ir.Device, s *Step, live Live) (disrupts string, outage ir.Outage)

	// Whose reports whether findings of a code name another writer of the device, and do not judge its settings. A device that rocec has
	// never written may be sound with such findings. Nil: no code does.
	Whose func(code string) bool

	// Watches are values of a device that every plan and verify reads and judges, and that are not in its files. Nil: nothing.
	Watches func(*ir.Device) []Watch

	// Inspect reads the values that the fabric assumes of the device and that are not in its files: ports, VLANs, bonds, neighbours. Nil: they
	// cannot be read.
	Inspect func(*ir.Device) *Inspection

	// Image is a device as it comes from the factory, for rehearsals in the lab. Nil: none can be simulated.
	Image func(*ir.Device) Image

	// NeedsReport reports whether the settings of a device are known from documents alone, and no user has reported on such a device yet.
	// rocec then changes a real device only after the person has accepted that in writing. Nil: none.
	NeedsReport func(*ir.Device) bool

	// Claims are what documents say of such a device, or leave open, and what on the device shows whether it is so. Nil: nothing is open.
	Claims func(*ir.Device) []Claim

	// Recall makes again the results of Render, Cleanup and Choose, from the words of their name behind the name of the target. It is pure.
	// kept returns the contents that the name mentions. The error is an [*Unknown], or names the content that is missing or unfit. Nil: the
	// target makes nothing that has a name.
	Recall func(words []string, kept Kept) (*Made, error)

	// Parts are the targets that [Join] has joined; nil: it is one by itself.
	Parts []*Target

	// User is who logs in on a device of the factory; empty: root.
	User string
}

// ReleaseProbe is the name of the probe of a switch's identity that asks which release it runs, and judges that by the fabric's. By itself
// it decides whether what the switch answers to claims is an answer of that release.
const ReleaseProbe = "release"

// File is one setting of a device that is read and written as a whole: a function from what is there to what should
// be there.
//
// Laws (held by targets' conformance suite): Edit(Edit(x)) == Edit(x); lines that are not ours keep every byte; the
// result ends in a newline; Edit is pure.
type File struct {
	Path string // absolute, clean; for a live state a name such as "nic/ens1f0"
	Mode fs.FileMode

	// Places are further paths it may have, behind Path in the order they are looked at: it lies where the first of them is there. What
	// was read of a device holds the one path that was found.
	Places []string

	// Sketch is set for a file that is only ever edited and never made: Edit(nil) is an error. It shows what an edit sets to those who cannot
	// read the device, and is not content of the file.
	Sketch []byte

	// Edit returns what the file should hold, given what it holds; nil means there is no file, and Edit(nil) is the
	// whole file. A diagnostic says why what is there cannot be edited; then the device is refused.
	Edit func(old []byte) ([]byte, diag.List)

	// Forms are the spellings of the file that `rocec build` writes in addition, for people who bring its settings to the device themselves.
	// For a live state it writes nothing else. Nil: the file is its own form.
	Forms []Form

	// Data returns the content of Edit as an object of maps, numbers, truth values and strings, for people who keep settings as data. Encoded
	// by encoding/json or YAML, the object reads back unchanged. Nil: content is text.
	Data func(content []byte) map[string]any

	// Keys lists the settings inside content, in file order; nil: the file is compared as a whole.
	Keys func(content []byte) []Key

	// Why returns the origins of the value of one of our keys; nil or empty: unknown.
	Why func(key string) []ir.Origin

	// InUse states whether the device uses the settings, where the device itself does not report it: [NotReadable]. Empty: the device reports
	// it.
	InUse string

	// Live is set for a state that is not a file: Live reads it, in the form Edit returns; it is never written, but
	// brought about by Activate.
	Live *Query

	// Canonical converts content that Live has read into the form that Edit returns; nil: Live reads that form.
	Canonical func(content []byte) []byte

	// Precheck is the vendor's own judgement of new content before it replaces the file; empty: there is none. Run as root by sh with the
	// path of the new content as $1; a status other than zero refuses it, and the output is the reason. It must not change anything.
	//
	// Content that an undo or a later run restores is judged when all files are in place, so that files that belong together are judged
	// together. A refusal is then only reported: the other content must not stay.
	Precheck string

	// PrecheckName is the name of Precheck, see [Target.Recall].
	PrecheckName string

	// WasThere reports that the content was there before the run that this one goes back from.
	WasThere bool

	// Lint judges content by the vendor's rules before and after a change, for any writer. Findings are at lines of Path. foreign is a
	// sentence that states why the content is no configuration of this device, which refuses the device. Nil: nothing is judged. Content of
	// Edit(nil) gives neither.
	Lint func(content []byte) (found diag.List, foreign string)

	// Activate makes the device use the file, whatever changes in it; equal steps of one device run once.
	Activate Step

	// Choose returns the step for one change of content, where a lesser step than Activate may do. says are sentences about how the change is
	// checked and put to use. have is the device's earlier measurements by its probes, and may be empty. Choose is pure. Nil: Activate.
	Choose func(before, after []byte, have []Sample) (step Step, says []string)
}

// Form is another spelling of a file's settings.
type Form struct {
	Path string                      // absolute and clean; below the device's folder in what is built, and not on the device
	Of   func(content []byte) []byte // gives the form of content that Edit has given
}

// Cleanup is a query, and what its answer calls for: the files and live states that take away what rocec has left on a device.
type Cleanup struct {
	Query
	Files func(answer []byte) []File // none: there is nothing. It never fails, whatever the bytes
}

// Link is a symbolic link; both paths are absolute and clean.
type Link struct{ Path, To string }

// Key is one setting inside a file.
type Key struct {
	Name, Value string
	Ours        bool // rocec sets it
}

// Step is a command that makes a device use the written files. The zero Step does nothing. $ROCEC_STEP is a folder of the step's own, and
// $ROCEC_LIVE one with the live states before the change, as files by their names. When a run goes back, $ROCEC_WHY states why: "asked" by
// a person, by the "timer", at "boot", or by the change itself ("body"). It is "kept" where the change was confirmed, and a later run goes
// back.
type Step struct {
	Name     string    // see [Target.Recall]; empty: no target makes the step
	Cmd      string    // run as root by sh
	Disrupts string    // what traffic notices, in a few words: "every port resets"; empty: nothing
	Outage   ir.Outage // how long traffic does not pass, the device's or that of the NICs Disrupts names

	// Undo reverts what the content from before does not revert when it is in place again; nil: Cmd does it. It runs at boot too.
	Undo *Query

	// Keep makes the effect of Cmd permanent, for devices that would go back by themselves. It runs as Cmd does, when the change is confirmed
	// and its undo is still armed; if Keep fails, the undo runs. It may run again after it worked. Empty: nothing.
	Keep string

	// Back asks whether Cmd can still be reverted after Keep, before anything goes back. It changes nothing, and its errors state why not. It
	// finds the SHA-256 of the former live state in $ROCEC_WAS, and no folder. Nil: going back finds out.
	Back *Query

	Stdin string // of Cmd

	// Loaded reports whether the device uses the content: it runs until it exits 0, until it exits 65 because waiting does not help, or until
	// Timeout. After 0 its last line is [Loaded], or why this release cannot show it. Behind [Adjusted] it lists content that the device uses
	// in another form than written. Nil: nothing can be asked.
	Loaded *Query

	Units   string        // systemd units that read the files at boot, parted by spaces: an undo at boot comes before them
	Timeout time.Duration // for Cmd and Loaded, each; 0: one minute
	Takes   time.Duration // upper bound for a Cmd that succeeds, without the outage, for the times in a plan; 0: seconds
	Soak    time.Duration // how long the device must hold before the change is kept; 0: [SoakTime]
	Away    time.Duration // how long the device may not answer, or its links be down, after Cmd
}

// Live gives a live state by [File.Path] as a plan changes it.
type Live func(path string) (before, after []byte, changes bool)

// Loaded is the answer of a device that uses the content of its files.
const Loaded = "loaded"

// NotReadable is the answer of a device that has no node which shows the content in use.
const NotReadable = "not readable on this release"

// Adjusted separates, in a device's answer about the content in use, the settings that it has replaced.
const Adjusted = "; adjusted: "

// SoakTime is the soak of a step that states none.
const SoakTime = 5 * time.Second

// Query is a command that reads and changes nothing, run as root by sh.
type Query struct {
	Name  string // of one that reads a live state, see [Target.Recall]
	Cmd   string
	Stdin []byte
}

// Role is the kind of a device, as far as order matters.
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
	Slow       []Probe // those that only verify runs
	Watches    []Watch
	Inspection *Inspection // nil: nothing is asked

	Given *Given // nil: what is asked of the device comes from no journal
}

// Given is the part of a run that a device must have received before rocec asks it anything else.
type Given struct {
	Run string // its name
	Sum string // what the run does there, as a hash; empty: an earlier rocec gave it none
	Not string // why the run's journal is useless for this device, as a part of a sentence: rocec does not ask it; empty: it is of use
}

// Intent names what the device is meant to do, see [ir.Device.Intent]; empty: the device comes from no fabric.
func (d *Device) Intent() string {
	if d.Source == nil {
		return ""
	}
	return d.Source.Intent()
}

// Login is how a device is reached; empty fields are left to ~/.ssh/config and the defaults of ssh.
type Login = ir.SSH

// Origin is one reason for a value: a line of the person, or a fact of the tables.
type Origin = ir.Origin

// Tree is every device of a fabric that has files to write, in natural order of names.
type Tree struct{ Devices []*Device }

// Conn is an open connection to one device.
type Conn interface {
	// Run runs cmd by the login user's shell, with stdin as its input, and returns what it printed. A command that
	// ends with a status other than zero gives an *ExitError.
	Run(ctx context.Context, cmd string, stdin []byte) (stdout []byte, err error)

	// HostKey returns the fingerprint of the host key that the device has proved to hold, "SHA256:" and 43 characters as ssh-keygen -l prints
	// it. For a host certificate it is the key of the certificate, not of the authority: another device with a certificate of the same
	// authority is another device. It is empty only where the ssh program of the connection is too old to report it. Code that depends on a
	// host key must not take that for a match.
	HostKey() string

	Close() error
}

// Dial opens a connection to a device. The login fields left empty are the dialer's to fill in.
type Dial func(ctx context.Context, d *Device) (Conn, error)

// LoginError is a device that answered and did not let us in: its host key, or our authentication. A Dial wraps such
// failures in it; every other failure of a Dial counts as an unreachable device.
type LoginError struct{ Err error }

// Error returns the text of the failure.
func (e *LoginError) Error() string { return e.Err.Error() }

// Unwrap returns the failure.
func (e *LoginError) Unwrap() error { return e.Err }

// ErrNoAddress is inside the error of a Dial to a device whose name has no address.
var ErrNoAddress = errors.New("no address")

// HostKeyError is a device, or a jump host on the way, that did not prove who it is. It lies inside a [LoginError].
type HostKeyError struct {
	Err   error
	Alarm bool // a key is on file or pinned and another one was shown, or it is revoked; else the host is unknown
}

// Error returns the text of the failure.
func (e *HostKeyError) Error() string { return e.Err.Error() }

// Unwrap returns the failure.
func (e *HostKeyError) Unwrap() error { return e.Err }

// ExitError is a command that ran and failed.
type ExitError struct {
	Status int
	Stderr string // bounded; as the device sent it, so escape before showing
}

// Error returns the last line of the command's errors, quoted where it is not plain text.
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
