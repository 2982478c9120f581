// Package ledger has the runs as verbs show them: a [Ledger] lists runs, follows one, and finds the runs of a device. [Files] reads the
// journals of this machine, and [Stream] the messages of a team.
//
// The texts of a ledger come from other machines. They are bounded here, and escaped where they are printed.
package ledger

import (
	"context"
	"errors"
	"strings"
	"time"
)

// Ledger is the record of runs.
type Ledger interface {
	// Runs returns the runs, the newest first.
	Runs(ctx context.Context) (*List, error)
	// Device returns the runs that change a device, the newest first. Each has the outcome of the device.
	Device(ctx context.Context, device string) (*List, error)
	// Follow calls use for each event of a run from its beginning, with the run as it is then, until the run is over. It also calls use
	// without an event, when all events that were there are used, and when the state of the run has changed otherwise. It ends early with
	// the error of use, or when ctx ends.
	Follow(ctx context.Context, run string, use func(*RunSummary, *Event) error) error
}

// State is how far a run is.
type State string

// The states.
const (
	Waits       State = "waits"       // for a run, a site or a wave before it
	Held        State = "held"        // for approvals of a wave
	Running     State = "running"     // its devices are being changed
	Unconfirmed State = "unconfirmed" // its devices undo it unless a person confirms it
	GoingBack   State = "going-back"  // its devices are being restored
	Complete    State = "complete"    // all devices have the settings of the plan
	RolledBack  State = "rolled-back" // a person rolled it back, and all devices are restored
	Stopped     State = "stopped"     // a wave or a site has failed, and no further wave begins
	Refused     State = "refused"     // by a site
	Withdrawn   State = "withdrawn"   // by a person
	Expired     State = "expired"     // the plan was valid for too short a time
	Died        State = "died"        // its process has ended too early
)

// List is a list of runs, and what of the record could not be used.
type List struct {
	Runs     []RunSummary `json:"runs"`
	Rejected []Message    `json:"rejected,omitempty"` // messages that change nothing: the newest ones
	Ignored  int          `json:"ignored,omitempty"`  // their number
	Unsigned int          `json:"unsigned,omitempty"` // of them, those that no allowed signer signed
	After    uint64       `json:"after,omitempty"`    // the last message that was not read, as there are too many; 0: all were read
}

// Message is a message that changes nothing.
type Message struct {
	Number  uint64 `json:"number"`
	Subject string `json:"subject"`
	Why     string `json:"why"`
}

// RunSummary is a run of the record.
type RunSummary struct {
	Run     string    `json:"run"`
	Fabric  string    `json:"fabric"`
	By      string    `json:"by"`
	Began   time.Time `json:"began"` // or was submitted
	Message string    `json:"message,omitempty"`
	Commit  string    `json:"commit,omitempty"`
	State   State     `json:"state"`
	Why     string    `json:"why,omitempty"` // it waits, has stopped or was refused
	Over    bool      `json:"over"`          // nothing happens any more by itself
	Lab     bool      `json:"lab,omitempty"`
	Sites   []Share   `json:"sites"`
	Outcome string    `json:"outcome,omitempty"` // of the device that a person asked for
}

// Share is the part of a run that one site does.
type Share struct {
	Site    string    `json:"site,omitempty"` // empty: the run is of this machine, and of no site
	State   State     `json:"state"`
	Why     string    `json:"why,omitempty"`
	Away    bool      `json:"away,omitempty"` // the hub does not hear the site
	Waves   []RunWave `json:"waves"`
	Journal string    `json:"journal,omitempty"` // SHA-256 of the last line of the journal of the site
}

// RunWave is a wave of a share.
type RunWave struct {
	Wave     int        `json:"wave"` // from 1 in the share
	Devices  string     `json:"devices"`
	State    State      `json:"state"`
	Why      string     `json:"why,omitempty"`
	Began    *time.Time `json:"began,omitempty"`
	Ended    *time.Time `json:"ended,omitempty"`
	Approved []string   `json:"approved,omitempty"` // persons
	Wanted   int        `json:"wanted,omitempty"`   // approvals before the wave
}

// Event is a step of a run.
type Event struct {
	At      time.Time `json:"at"`
	Event   string    `json:"event"` // a verb of a statement, an event of a journal, or hub-away and hub-back
	By      string    `json:"by,omitempty"`
	Site    string    `json:"site,omitempty"`
	Wave    int       `json:"wave,omitempty"`
	Device  string    `json:"device,omitempty"`
	Devices string    `json:"devices,omitempty"`
	Verb    string    `json:"verb,omitempty"`
	Done    bool      `json:"done,omitempty"`
	Outcome string    `json:"outcome,omitempty"`
	Why     string    `json:"why,omitempty"`
	Past    bool      `json:"past,omitempty"` // it was there when the follower began
	Signed  bool      `json:"signed"`         // a signature was verified here; no line of a journal of another machine has one
}

// The events of a follower.
const (
	HubAway = "hub-away"
	HubBack = "hub-back"
)

// Errors of a name that a person wrote.
var (
	ErrNoRun  = errors.New("there is no such run")
	ErrManyOf = errors.New("several runs begin so")
)

// least is how many characters of a name a person writes.
const least = 4

// Find returns a run by its name, by a unique beginning or end of the name, or the newest one by "last".
func (l *List) Find(name string) (*RunSummary, error) {
	var found *RunSummary
	for i := range l.Runs {
		r := &l.Runs[i]
		switch {
		case name == "last" || r.Run == name:
			return r, nil
		case len(name) < least || !strings.HasPrefix(r.Run, name) && !strings.HasSuffix(r.Run, "-"+name):
		case found != nil:
			return nil, ErrManyOf
		default:
			found = r
		}
	}
	if found == nil {
		return nil, ErrNoRun
	}
	return found, nil
}

// maxText bounds a text of another machine.
const maxText = 2000

// bound returns the beginning of a text that is too long.
func bound(text string) string {
	if len(text) <= maxText {
		return text
	}
	return strings.ToValidUTF8(text[:maxText], "") + "…"
}
