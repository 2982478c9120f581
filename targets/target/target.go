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

// Target is a row of the table of targets: what is known of an operating system of switches or of a driver of NICs, and how
// settings are spelled there. Exactly one of OS and Driver is set. A row without Render is facts alone: such devices are set by
// hand.
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

	// ReleaseFile is the base name of the file in which a device states its release, and Stated reads it; an empty text: it states no release
	// of the system. Nil: rocec knows no such file.
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

	// Enable gives the symbolic links that the steps of a device's files make on its disk: an image that holds the files and these needs
	// no command. Nil: the steps make none.
	Enable func(*ir.Device) []Link

	// Read gives how a device is set, as the content of its files and live states says it: the inverse of Render for the keys
	// lossless traffic notices. content gives what stands at a [File.Path]; nil: nothing. What the content does not say is not
	// known, so the answer may be nil. It never fails, whatever the bytes. Nil: of such devices nothing is known.
	Read func(d *ir.Device, content func(path string) []byte) *ir.Settings

	// Rounds are the fields whose values differ from the wanted ones after Edit and Read.
	Rounds []Rounding

	// Both gives the content, by [File.Path], of the files that must differ from what Edit makes of them so that the device is lossless as
	// it was and as it is to be ([ir.Settings.Transition]); content gives what stands there. What a NIC sends is marked as before, or, if
	// marked, as it is to be. not says, in a sentence, why the device cannot hold both; empty: it can. Nil: the target knows no such content.
	Both func(d *ir.Device, content func(path string) []byte, marked bool) (files map[string][]byte, not string)

	// Leavings ask the host what it still holds of rocec that the fabric asks for no more; one without NICs is one that has left the
	// fabric. Nil: the target leaves nothing behind that anybody would have to take away.
	Leavings func(d *ir.Device) []*Leavings

	// About describes the device in a few words: "Cumulus Linux 3.4.3, Spectrum".
	About func(*ir.Device) string

	// Reported puts what a host's own report says in the place of live states and of answers. Nil: such devices report nothing.
	Reported func(*ir.Device, *Report) Reported

	// Identity reads what the device says it is; a judgement against it refuses the device before anything is
	// planned. It must not change anything. Of a switch the probe called [ReleaseProbe] says which release it runs.
	Identity func(*ir.Device) []Probe

	// Probes read counters and states that show whether the settings work; `rocec verify` runs them.
	Probes func(*ir.Device) []Probe

	// Noticed returns Disrupts and Outage of a step of the device in a plan, where they depend on what changes. live gives a live state
	// before and after; changes: the plan changes it. Nil: they are those of the step.
	Noticed func(d *ir.Device, s *Step, live Live) (disrupts string, outage ir.Outage)

	// Whose reports whether findings of a code name who else sets a device, and do not judge how it is set: a device that rocec has never
	// written may be sound with them. Nil: no code does.
	Whose func(code string) bool

	// Watches are what is read of a device and judged in every plan and verify, besides its files. Nil: nothing.
	Watches func(*ir.Device) []Watch

	// Look asks for what the fabric assumes of the device beside its files: ports, VLANs, bonds, neighbours. Nil: nothing can be asked.
	Look func(*ir.Device) *Look

	// Image is a device as it comes from the factory, for rehearsals in the lab. Nil: none can be simulated.
	Image func(*ir.Device) Image

	// NeedsReport reports whether a real device is changed only when the person has accepted in writing that what is written there is known
	// from documents alone, as long as no user has reported on such a device. Nil: none.
	NeedsReport func(*ir.Device) bool

	// Claims are what documents say of such a device, or leave open, and what on the device shows whether it is so. Nil: nothing is open.
	Claims func(*ir.Device) []Claim

	// Recall makes again what Render, Leavings and Choose have made, from the words of its name behind the name of the target. It is pure.
	// kept gives the contents that the name speaks of. The error is an [*Unknown], or says which content is missing or unfit. Nil: the target
	// makes nothing that has a name.
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

	// Sketch is set for a file that is only ever edited and never made: Edit(nil) is an error. It says what an edit sets, for those who
	// have no device to read, and is not content of the file.
	Sketch []byte

	// Edit returns what the file should hold, given what it holds; nil means there is no file, and Edit(nil) is the
	// whole file. A diagnostic says why what is there cannot be edited; then the device is refused.
	Edit func(old []byte) ([]byte, diag.List)

	// Forms are what `rocec build` writes of the file besides, for those who bring its settings to the device in a way of their own; of a
	// live state it writes nothing else. Nil: the file is its own form.
	Forms []Form

	// Data gives content that Edit has given as an object, of maps, numbers, truth values and strings, for those who keep settings as data:
	// what encoding/json and YAML write of it is read back the same. Nil: content is text.
	Data func(content []byte) map[string]any

	// Keys lists the settings inside content, in file order; nil: the file is compared as a whole.
	Keys func(content []byte) []Key

	// Why tells where the value of one of our keys came from; nil or empty: not known.
	Why func(key string) []ir.Origin

	// InUse is what can be told of whether the device uses the settings, where it does not say so itself: [NotReadable]. Empty: it says so.
	InUse string

	// Live is set for a state that is not a file: Live reads it, in the form Edit returns; it is never written, but
	// brought about by Activate.
	Live *Query

	// Canonical gives content that Live has read in the one form that Edit gives of what it changes; nil: Live reads that form.
	Canonical func(content []byte) []byte

	// Precheck is the vendor's own judgement of new content before it replaces the file; empty: there is none. Run as
	// root by sh with the path of the new content as $1; a status other than zero refuses it, and what was printed
	// says why. It must not change anything.
	//
	// Content that goes back, in an undo or by a later run, is judged once all files are in place, so that files that are read together are
	// judged together. A refusal is reported then, and stops nothing: the other content must not stay.
	Precheck string

	// PrecheckName is the name of Precheck, see [Target.Recall].
	PrecheckName string

	// WasThere reports that the content was there before the run that this one goes back from.
	WasThere bool

	// Lint judges content by the vendor's rules, before and after a change, whoever wrote it: what is found stands at lines of Path.
	// foreign says, in a sentence, why it is not a configuration of this device at all: then the device is refused. Nil: nothing is
	// judged. What Edit makes of nothing gives neither.
	Lint func(content []byte) (found diag.List, foreign string)

	// Activate makes the device use the file, whatever changes in it; equal steps of one device run once.
	Activate Step

	// Choose gives the step for one change of content, where a lesser one than Activate may do; says is what is worth knowing of how the
	// change is checked and put to use, as sentences. have is what the device's probes measured before, and may be empty. It is pure.
	// Nil: Activate.
	Choose func(before, after []byte, have []Sample) (step Step, says []string)
}

// Form is a spelling of what a file sets.
type Form struct {
	Path string                      // absolute and clean; below the device's folder in what is built, and not on the device
	Of   func(content []byte) []byte // gives the form of content that Edit has given
}

// Leavings is a query, and what its answer calls for: the files and live states that take away what rocec has left on a device.
type Leavings struct {
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

// Step is a command that makes a device use what was written. The zero Step does nothing. Its commands find a folder of the
// step's own in $ROCEC_STEP, the live states as they were before the change in $ROCEC_LIVE, as files by their names, and
// going back in $ROCEC_WHY whether it was "asked" for, or is done by the "timer", at "boot", or by the change itself ("body"); "kept" where
// the change was confirmed, and a later run goes back.
type Step struct {
	Name     string    // see [Target.Recall]; empty: it is none that a target makes
	Cmd      string    // run as root by sh
	Disrupts string    // what traffic notices, in a few words: "every port resets"; empty: nothing
	Outage   ir.Outage // how long traffic does not pass, the device's or that of the NICs Disrupts names

	// Undo reverts what the content from before does not revert when it is in place again; nil: Cmd does it. It runs at boot too.
	Undo *Query

	// Keep has the device hold for good what Cmd did, where it would go back by itself: run as Cmd is, when the change is confirmed and
	// while its undo is still armed, which comes if it fails. It may run again after it worked. Empty: nothing.
	Keep string

	// Back asks whether the way back from what Cmd did is still open once it was kept, before anything goes back: it changes nothing, and its
	// errors say why not. It finds the SHA-256 of the live state as it was before in $ROCEC_WAS, and no folder. Nil: going back finds out.
	Back *Query

	Stdin string // of Cmd

	// Loaded reports whether the device uses the content: it is asked until it exits 0, or 65 where waiting does not help, or Timeout passes.
	// After 0 its last line says what the device can tell: [Loaded], or why that cannot be read on this release; behind [Adjusted], what of
	// the content it uses in another form than written. Nil: nothing can be asked.
	Loaded *Query

	Units   string        // systemd units that read the files at boot, parted by spaces: an undo at boot comes before them
	Timeout time.Duration // for Cmd and Loaded, each; 0: one minute
	Takes   time.Duration // Cmd, where nothing goes wrong, at most and besides the outage, for the times a plan names; 0: seconds
	Soak    time.Duration // how long the device must hold before the change is kept; 0: [SoakTime]
	Away    time.Duration // how long the device may not answer, or its links be down, after Cmd
}

// Live gives a live state by [File.Path] as a plan changes it.
type Live func(path string) (before, after []byte, changes bool)

// Loaded is the answer of a device that says it uses the content of its files.
const Loaded = "loaded"

// NotReadable is what a device can tell of what no node of it shows.
const NotReadable = "not readable on this release"

// Adjusted parts what a device says of the content in use from the settings it has put others in the place of.
const Adjusted = "; adjusted: "

// SoakTime is the soak of a step that states none.
const SoakTime = 5 * time.Second

// Query is a command that reads and changes nothing, run as root by sh.
type Query struct {
	Name  string // of one that reads a live state, see [Target.Recall]
	Cmd   string
	Stdin []byte
}

// Role is what a device is, as far as order matters.
type Role string

// The roles.
const (
	Switch Role = "switch"
	Host   Role = "host"
)

// Device is one device of a rendered tree.
type Device struct {
	Name     string
	Group    string     // the block's label, for --target switch.leaf
	At       diag.Range // the line that declares it
	Role     Role
	Target   *Target
	Source   *ir.Device
	About    string
	Login    Login
	Files    []File
	Leavings []*Leavings
	Identity []Probe
	Probes   []Probe
	Slow     []Probe // those that only verify runs
	Watches  []Watch
	Look     *Look // nil: nothing is asked

	Given *Given // nil: what is asked of the device comes from no journal
}

// Given is what a device must have been given of a run before anything else is asked of it.
type Given struct {
	Run string // its name
	Sum string // what the run does there, as a hash; empty: an earlier rocec gave it none
	Not string // why the journal of the run is of no use for this device, as a part of a sentence: it is not asked then; empty: it is of use
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

	// HostKey returns the fingerprint of the host key that the device has proved to hold, "SHA256:" and 43 characters as ssh-keygen -l
	// prints it. Where it showed a host certificate, that is the key the certificate is for, and not the authority's: another device with a
	// certificate of the same authority is another device. It is empty only where the ssh program that carries the connection is too old
	// to tell; nothing that depends on a host key may take that for a match.
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
	Alarm bool // a key is on file or pinned and another one was shown, or it is revoked; else nobody knows the host
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

// Error returns the last line of what the command said, quoted where it is not plain text.
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
