package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Format is the version of the header: since 2 it holds no commands.
const Format = 2

// Header is the first line of a run.
type Header struct {
	Format   int       `json:"format,omitempty"` // set as it is written
	Run      string    `json:"run"`
	Key      string    `json:"key"`                 // that tells it from another run of the same name, on the devices too
	Owner    string    `json:"owner"`               // "alice@ws7, process 4711"
	Host     string    `json:"host"`                // the machine
	PID      int       `json:"pid"`                 // the process
	Began    time.Time `json:"began"`               // UTC
	Tool     string    `json:"tool"`                // version of rocec
	Prior    *Head     `json:"prior,omitempty"`     // of the run that was begun before on this machine
	Message  string    `json:"message,omitempty"`   // why, from -m
	Commit   string    `json:"commit,omitempty"`    // of the repository the fabric lies in; "+" at its end: with changes
	Fabric   string    `json:"fabric"`              // the fabric's folder, absolute
	Name     string    `json:"name"`                // of the fabric
	Vars     []string  `json:"vars,omitempty"`      // of --var
	VarFiles []string  `json:"var_files,omitempty"` // of --var-file, absolute
	Targets  []string  `json:"targets,omitempty"`   // of --target
	Lab      string    `json:"lab,omitempty"`       // the lab's folder, if it was a rehearsal
	Undoes   string    `json:"undoes,omitempty"`    // of a rollback: the run it goes back from
	Hold     string    `json:"hold,omitempty"`      // of --confirm: how long it waits to be confirmed
	Hooks    *Hooks    `json:"hook_sums,omitempty"` // of --drain and --undrain
	Devices  []Device  `json:"devices"`             // those that change
	Left     []Left    `json:"left,omitempty"`      // devices of the plan that stayed as they were
	Removes  []string  `json:"removes,omitempty"`   // of remove: the hosts that are to hold nothing any more
	Steps    []Made    `json:"steps"`               // that put files to use, each once
	Queries  []Made    `json:"queries,omitempty"`   // that read live states, each once
	Checks   []Made    `json:"checkers,omitempty"`  // the vendor's checkers of files, each once

	Adopted *Adoption `json:"adopted,omitempty"` // its devices told what is here: others started the run, or an earlier rocec
}

// Adoption is how a run that another machine or user started came into this journal.
type Adoption struct {
	By      string    `json:"by"`                // who took it up, "bob@ws2, process 12"
	At      time.Time `json:"at"`                // UTC
	Unasked []Left    `json:"unasked,omitempty"` // devices of which it is not known whether they hold the run
	Devices []string  `json:"devices,omitempty"` // all that the run is for; none: they do not tell
	Absent  []string  `json:"absent,omitempty"`  // devices of the run that hold nothing of it
	Hooks   bool      `json:"hooks,omitempty"`   // it had programs that take traffic off devices and put it back
}

// Device is one device a run changes, with all that is needed to reach it and to go on or back without its fabric.
type Device struct {
	Name    string `json:"name"`
	Role    string `json:"role"`
	About   string `json:"about"`
	At      Place  `json:"at"` // the line that declares it
	Login   Login  `json:"login"`
	Wave    int    `json:"wave,omitempty"`   // from 1
	Changes []File `json:"changes"`          // in the order they are written
	States  []File `json:"states,omitempty"` // live states that its steps may change

	Disrupts []string `json:"disrupts,omitempty"` // what its steps interrupt
	Effects  []string `json:"effects,omitempty"`  // on traffic

	// These are of a run that another machine started.
	Key    string `json:"key,omitempty"`    // of run and device; empty: it follows from the key of the run
	Tool   string `json:"tool,omitempty"`   // version of rocec that the run noted on the device
	Intent string `json:"intent,omitempty"` // what the device was meant to do, as a hash
	Holds  string `json:"holds,omitempty"`  // what it was to hold, as a hash
	Digest string `json:"digest,omitempty"` // what the run does there, as a hash that the device told
	Head   string `json:"head,omitempty"`   // of the journal of the machine that started the run, which the device keeps
	Told   bool   `json:"-"`                // it is as the device has just told it
}

// Left is a device that was to change and stayed as it was.
type Left struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

// Place is where a device is declared.
type Place struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

// Login is how a device is reached; empty members are left to ~/.ssh/config.
type Login struct {
	Address string `json:"address,omitempty"`
	Port    int    `json:"port,omitempty"`
	User    string `json:"user,omitempty"`
	Jump    string `json:"jump,omitempty"`
	HostKey string `json:"host_key,omitempty"`

	Transport string `json:"transport,omitempty"`
}

// File is one file or live state: its SHA-256 before and after, or "absent".
type File struct {
	Path   string `json:"path"`
	Query  *int   `json:"query,omitempty"` // of a live state: the number of the query that reads it
	Check  *int   `json:"check,omitempty"` // the number of the vendor's checker of it; absent: there is none
	Mode   uint32 `json:"mode,omitempty"`
	Base   string `json:"base,omitempty"`
	Target string `json:"target,omitempty"`
	Step   int    `json:"step"`           // the number of the step that puts it to use
	Lost   string `json:"lost,omitempty"` // why this machine cannot put back what was there before; empty: it can
}

// Made is a step, a query or a checker: its name, and the SHA-256 of its commands as the rocec that wrote the journal made them.
type Made struct {
	Name   string `json:"name"`
	Digest string `json:"digest"`
}

// Older reports whether an earlier rocec wrote the header: that one kept commands, which rocec does not run.
func (h *Header) Older() bool { return h.Format < Format }

// Newer reports whether a later rocec wrote the header: what it means may be another thing than this one reads.
func (h *Header) Newer() bool { return h.Format > Format }

// Line is a verb that is about to be done to a device, or was.
type Line struct {
	Time   time.Time `json:"time"`
	Device string    `json:"device"`
	Verb   string    `json:"verb"`
	Done   bool      `json:"done,omitempty"`
	Result string    `json:"result,omitempty"` // ok, refused, lost, dead
	Mark   string    `json:"mark,omitempty"`   // how far the run came there
	Detail string    `json:"detail,omitempty"`
}

// Hooks are the programs that take traffic off the devices of a wave and put it back, each as a SHA-256 of its arguments ([HookSum]). To
// run one again the person names it again.
type Hooks struct {
	Drain   string `json:"drain,omitempty"` // empty: there is none
	Undrain string `json:"undrain,omitempty"`
}

// HookSum returns the SHA-256 of a program and its arguments; empty without a program.
func HookSum(argv []string) string {
	if len(argv) == 0 {
		return ""
	}
	return sum([]byte(strings.Join(argv, "\x00")))
}

// Hook is a hook that is about to run for a wave, or did.
type Hook struct {
	Time   time.Time `json:"time"`
	Hook   string    `json:"hook"` // drain, undrain
	Wave   int       `json:"wave"` // from 1
	Done   bool      `json:"done,omitempty"`
	Detail string    `json:"detail,omitempty"` // why it failed
}

// Outcome is what became of a device.
type Outcome struct {
	Time    time.Time       `json:"time"`
	Device  string          `json:"device"`
	Outcome string          `json:"outcome"`
	Detail  string          `json:"detail,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
}

// entry is a line of the file: exactly one of its members is set.
type entry struct {
	Begin   *Header    `json:"begin,omitempty"`
	Adopt   *Header    `json:"adopt,omitempty"` // what devices told later, in the place of the first line
	Line    *Line      `json:"line,omitempty"`
	Hook    *Hook      `json:"hook,omitempty"`
	Outcome *Outcome   `json:"outcome,omitempty"`
	End     *time.Time `json:"end,omitempty"`
	Signed  *Signed    `json:"signed,omitempty"`
}

// Head is how far a journal has come: the SHA-256 of its last line.
type Head struct {
	Run  string `json:"run"`
	Head string `json:"head"`
}

// Statement returns the text that a person signs at the end of a run.
func (h Head) Statement() []byte { return fmt.Appendf(nil, "rocec run %s\nhead %s\n", h.Run, h.Head) }

// Namespace is that of the signature at the end of a run (ssh-keygen -Y).
const Namespace = "rocec-run"

// Signed is the signature of a [Head.Statement] about the line before.
type Signed struct {
	Signature string `json:"signature"` // armored, as ssh-keygen writes it
	Head      string `json:"-"`         // SHA-256 of the line before
}

// Notice is what a central record may know of a line of a journal. It has no path, login, address, value of a variable, hash of a content
// or text of a device: those stay in the journal, where the line has the hash Head.
type Notice struct {
	Event string    `json:"event"` // begin, adopt, verb, hook, outcome, end, signed; a word of the listener
	Time  time.Time `json:"time"`
	Run   string    `json:"run,omitempty"`

	Owner   string `json:"owner,omitempty"` // of begin and adopt: who started the run
	Tool    string `json:"tool,omitempty"`
	Fabric  string `json:"fabric,omitempty"` // its name
	Commit  string `json:"commit,omitempty"`
	Message string `json:"message,omitempty"`
	Undoes  string `json:"undoes,omitempty"`
	Hold    string `json:"hold,omitempty"`
	Lab     bool   `json:"lab,omitempty"` // the devices are simulated
	Devices int    `json:"devices,omitempty"`

	Device  string `json:"device,omitempty"`
	Verb    string `json:"verb,omitempty"` // of verb and hook
	Wave    int    `json:"wave,omitempty"` // of hook
	Done    bool   `json:"done,omitempty"` // without it, the verb or the hook is about to start
	Result  string `json:"result,omitempty"`
	Mark    string `json:"mark,omitempty"`
	Outcome string `json:"outcome,omitempty"`

	Signature string `json:"signature,omitempty"` // of the [Head.Statement] of After

	Head  string `json:"head,omitempty"`  // SHA-256 of the line
	After string `json:"after,omitempty"` // of the line before
	Warns bool   `json:"-"`               // a person should look at it
}

// Dir is the folder of all runs.
type Dir struct {
	Listen func(Notice) // gets each line that is written, in the order of the journal; it returns at once. nil: nothing listens
	path   string
}

// ownFolders is how many of the last elements of the folder's path are rocec's own: the state folder, and the one of runs.
const ownFolders = 2

// Open names the folder, which need not be there yet. The folder above it is rocec's own, too.
func Open(path string) *Dir { return &Dir{path: path} }

// Path is the folder.
func (d *Dir) Path() string { return d.path }

// fileOf is the file of a run in the folder of all runs.
func fileOf(run string) string { return run + ".jsonl" }

func sum(content []byte) string {
	h := sha256.Sum256(content)
	return hex.EncodeToString(h[:])
}
