package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/rocec/rocec/cmd/internal/sshsig"
)

// Format is the version of the header. Since version 2 it contains no commands.
const Format = 2

// Header is the first line of a run.
type Header struct {
	Format    int        `json:"format,omitempty"` // set when the header is written
	Run       string     `json:"run"`
	Key       string     `json:"key"`                 // distinguishes runs with the same name, also on devices
	Owner     string     `json:"owner"`               // "alice@ws7, process 4711"
	Host      string     `json:"host"`                // the machine
	PID       int        `json:"pid"`                 // the process
	Began     time.Time  `json:"began"`               // UTC
	Tool      string     `json:"tool"`                // version of rocec
	Prior     *Head      `json:"prior,omitempty"`     // of the run that was begun before on this machine
	Message   string     `json:"message,omitempty"`   // reason, from -m
	Agreement *Agreement `json:"agreement,omitempty"` // to the plan of the run; absent: no approval was wanted
	Commit    string     `json:"commit,omitempty"`    // of the fabric's repository; "+" at the end: with uncommitted changes
	Fabric    string     `json:"fabric"`              // the fabric's folder, absolute
	Name      string     `json:"name"`                // of the fabric
	Vars      []string   `json:"vars,omitempty"`      // of --var
	VarFiles  []string   `json:"var_files,omitempty"` // of --var-file, absolute
	Targets   []string   `json:"targets,omitempty"`   // of --target
	Lab       string     `json:"lab,omitempty"`       // the lab's folder, if it was a rehearsal
	Undoes    string     `json:"undoes,omitempty"`    // of a rollback: the run that it undoes
	Hold      string     `json:"hold,omitempty"`      // of --confirm: how long devices wait to be confirmed
	Hooks     *Hooks     `json:"hook_sums,omitempty"` // of --drain and --undrain
	Devices   []Device   `json:"devices"`             // devices that change
	Left      []Left     `json:"left,omitempty"`      // devices of the plan that were not changed
	Removes   []string   `json:"removes,omitempty"`   // of --remove: the hosts that are set back
	Steps     []Made     `json:"steps"`               // that activate files, each once
	Queries   []Made     `json:"queries,omitempty"`   // that read live states, each once
	Checks    []Made     `json:"checkers,omitempty"`  // the vendor's checkers of files, each once

	Team *Team `json:"team,omitempty"` // the run of a team that this run is a part of; absent: it is no part of one

	Adopted *Adoption `json:"adopted,omitempty"` // the content is from its devices: the run is from another machine, user or rocec
}

// Team names the run of a team, of which a run of this journal does the share of one site. A site that was stopped goes on in another run
// of its journal, with the same Team.
type Team struct {
	Run    string `json:"run"`
	Digest string `json:"digest"` // SHA-256 of the envelope: the plan with its signatures
	Nonce  string `json:"nonce"`  // of the plan
	Epoch  uint64 `json:"epoch"`  // number of the message by which the site got the run
	Site   string `json:"site"`
	By     string `json:"by,omitempty"` // the person who submitted, resumed or rolled back the run with that message
}

// Adoption states how a run that another machine or user started came into this journal.
type Adoption struct {
	By      string    `json:"by"`                // who adopted it, "bob@ws2, process 12"
	At      time.Time `json:"at"`                // UTC
	Unasked []Left    `json:"unasked,omitempty"` // devices that may have the run, but could not be asked
	Devices []string  `json:"devices,omitempty"` // all devices of the run; empty: unknown
	Absent  []string  `json:"absent,omitempty"`  // devices of the run without a trace of it
	Hooks   bool      `json:"hooks,omitempty"`   // the run had --drain or --undrain
}

// Agreement is what persons agreed to when a run of an approved plan began.
type Agreement struct {
	Nonce     string      `json:"nonce"` // of the plan
	Plan      sshsig.Sums `json:"plan"`  // of the bytes of the plan file, which the approvals sign
	Wanted    int         `json:"wanted"`
	Approvals []Signature `json:"approvals"`
	Submitted Signature   `json:"submitted"` // of [Agreement.Submission]
}

// Signature is a signature and the person whose key made it.
type Signature struct {
	Person    string `json:"person"`
	Signature string `json:"signature"` // armored, as ssh-keygen writes it
}

// Same reports whether two signatures are of one person, by name, or of one key. A certificate counts as its key.
func (s Signature) Same(o Signature) bool {
	one, err := sshsig.Parse([]byte(s.Signature))
	other, err2 := sshsig.Parse([]byte(o.Signature))
	return strings.EqualFold(s.Person, o.Person) || err != nil || err2 != nil || one.Key.Subject() == other.Key.Subject()
}

// Submission returns the text that the person signs who applies the plan.
func (a *Agreement) Submission() []byte {
	return fmt.Appendf(nil, "rocec apply\nplan %x\n", a.Plan.SHA256)
}

// Device is one device that a run changes, with all data to reach it and to resume or undo the run without the fabric.
type Device struct {
	Name    string `json:"name"`
	Role    string `json:"role"`
	About   string `json:"about"`
	At      Place  `json:"at"` // the line that declares it
	Login   Login  `json:"login"`
	Wave    int    `json:"wave,omitempty"`   // from 1
	Changes []File `json:"changes"`          // in the order of writing
	States  []File `json:"states,omitempty"` // live states that its steps may change

	Disrupts []string `json:"disrupts,omitempty"` // what its steps interrupt
	Effects  []string `json:"effects,omitempty"`  // on traffic

	// These are set for a run that another machine started.
	Key    string `json:"key,omitempty"`    // of run and device; empty: derived from the key of the run
	Tool   string `json:"tool,omitempty"`   // version of rocec that the run recorded on the device
	Intent string `json:"intent,omitempty"` // hash of the intent of the device
	Holds  string `json:"holds,omitempty"`  // hash of the wanted content
	Digest string `json:"digest,omitempty"` // hash of the steps there, as the device reports it
	Head   string `json:"head,omitempty"`   // of the journal of the machine that started the run, which the device keeps
	Told   bool   `json:"-"`                // the device has just reported this
}

// Left is a device that should change but was not changed.
type Left struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

// Place is the place where a device is declared.
type Place struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

// Login contains the SSH parameters of a device; ~/.ssh/config decides about empty members.
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
	Query  *int   `json:"query,omitempty"` // the number of the query that reads a live state
	Check  *int   `json:"check,omitempty"` // the number of the vendor's checker; absent: none
	Mode   uint32 `json:"mode,omitempty"`
	Base   string `json:"base,omitempty"`
	Target string `json:"target,omitempty"`
	Step   int    `json:"step"`           // the number of the step that activates it
	Lost   string `json:"lost,omitempty"` // why this machine cannot restore it; empty: it can
}

// Made is a step, a query or a checker: its name, and the SHA-256 of its commands in the rocec that wrote the journal.
type Made struct {
	Name   string `json:"name"`
	Digest string `json:"digest"`
}

// Older reports whether an earlier rocec wrote the header. It kept commands, which rocec does not run.
func (h *Header) Older() bool { return h.Format < Format }

// Newer reports whether a later rocec wrote the header, whose meaning may have changed.
func (h *Header) Newer() bool { return h.Format > Format }

// Line records a verb on a device: before it starts, or with Done after it has ended.
type Line struct {
	Time   time.Time `json:"time"`
	Device string    `json:"device"`
	Verb   string    `json:"verb"`
	Done   bool      `json:"done,omitempty"`
	Result string    `json:"result,omitempty"` // ok, refused, lost, dead
	Mark   string    `json:"mark,omitempty"`   // how far the run came on the device
	Detail string    `json:"detail,omitempty"`
}

// Hooks contains the SHA-256 of the --drain and --undrain programs with their arguments ([HookSum]). To run a program again, the person
// must name it again.
type Hooks struct {
	Drain   string `json:"drain,omitempty"` // empty: none
	Undrain string `json:"undrain,omitempty"`
}

// HookSum returns the SHA-256 of a program and its arguments; empty without a program.
func HookSum(argv []string) string {
	if len(argv) == 0 {
		return ""
	}
	return sum([]byte(strings.Join(argv, "\x00")))
}

// Hook records a hook for a wave: before it runs, or with Done after it has run.
type Hook struct {
	Time   time.Time `json:"time"`
	Hook   string    `json:"hook"` // drain, undrain
	Wave   int       `json:"wave"` // from 1
	Done   bool      `json:"done,omitempty"`
	Detail string    `json:"detail,omitempty"` // error; empty: success
}

// Outcome is the outcome of a run on a device.
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
	Adopt   *Header    `json:"adopt,omitempty"` // replaces the first line by reports of devices
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

// ownFolders is the number of last elements in the folder's path that rocec creates: the state folder, and the folder of runs.
const ownFolders = 2

// Open returns the folder of runs, which need not exist. Rocec also creates the folder above it.
func Open(path string) *Dir { return &Dir{path: path} }

// Path returns the path of the folder.
func (d *Dir) Path() string { return d.path }

// fileOf returns the name of the file of a run.
func fileOf(run string) string { return run + ".jsonl" }

func sum(content []byte) string {
	h := sha256.Sum256(content)
	return hex.EncodeToString(h[:])
}
