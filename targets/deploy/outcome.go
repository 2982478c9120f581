package deploy

import (
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/targets/commands"
	"github.com/rocec/rocec/targets/deploy/txn"
	"github.com/rocec/rocec/targets/target"
)

// StateDir is the only folder of rocec on a device, apart from the written files.
const StateDir = "/var/lib/rocec"

// Run identifies one apply or one rollback.
type Run struct {
	Name  string // unique, and sorted by time; see [NewRun]
	Key   string // random, so that runs of the same name differ
	Owner string // shown to other runs that find the lock: "alice@ws7, process 4711"
	Tool  string // version of rocec, one word; empty: the device does not record it
	About About  // the description of the run on its devices

	By   string            // who continues the run now; empty: Owner
	Keys map[string]string // by device: the key of run and device, for a run that another machine started; otherwise derived from Key
}

// Actor returns who acts on devices for the run now.
func (r *Run) Actor() string {
	if r.By != "" {
		return OneLine(r.By)
	}
	return OneLine(r.Owner)
}

// NewRun returns a run with a new name: NewRun(now, "3f9a62b1", …) is "20261121t065136z-3f9a" with the key "62b1". unique has at least 8
// digits.
func NewRun(now time.Time, unique, owner string) Run {
	return Run{Name: strings.ToLower(now.UTC().Format("20060102T150405Z")) + "-" + unique[:4], Key: unique[4:], Owner: OneLine(owner)}
}

// Valid reports whether name and key have the form of [NewRun]. They become paths and words of commands.
func (r Run) Valid() bool { return ValidRun(r.Name) && commands.ValidKey(r.Key) }

// ValidRun reports whether a text can be the name of a run.
func ValidRun(name string) bool { return commands.ValidRun(name) }

// Outcome is the outcome of a run for a device.
type Outcome string

// The outcomes.
const (
	Unchanged   Outcome = "unchanged"   // there was nothing to do
	Applied     Outcome = "applied"     // the device keeps and uses the planned content
	Unconfirmed Outcome = "unconfirmed" // the device uses the planned content, and undoes it by itself unless it is confirmed
	Restored    Outcome = "restored"    // the change failed, and rocec has restored the earlier content
	Reverted    Outcome = "reverted"    // the change was not confirmed, and the device itself has restored the earlier content
	Refused     Outcome = "refused"     // nothing was changed: Err says why
	Conflict    Outcome = "conflict"    // undone, except for files that another writer changed meanwhile
	Unknown     Outcome = "unknown"     // Files and Left contain the possible contents and leftovers
	NotStarted  Outcome = "not-started" // nothing was tried: too many failures, or interrupted
)

// Outcomes contains all outcomes, in the order in which texts list them.
var Outcomes = []Outcome{Applied, Unconfirmed, Unchanged, Restored, Reverted, Refused, Conflict, Unknown, NotStarted}

// Tally returns a map from the text of each outcome to 0.
func Tally() map[string]int {
	of := map[string]int{}
	for _, o := range Outcomes {
		of[string(o)] = 0
	}
	return of
}

// Closed reports whether an outcome is final: no later answer of the device changes it. For other outcomes the device is asked again.
func (o Outcome) Closed() bool { return o != "" && o != Unconfirmed && o != Unknown }

// The mechanisms by which a device can undo a run by itself.
const (
	ByTimer = "timer" // the time for the confirm was over
	ByBoot  = "boot"  // the device went down before the confirm
)

// The last known content of a file on a device after a run.
const (
	HoldsOld     = "old"
	HoldsNew     = "new"
	HoldsOther   = "other"
	HoldsUnknown = "unknown"
)

// The values that state whether a device uses the content of its files.
const (
	UseYes     = "yes"
	UseNo      = "no"
	UseUnknown = "unknown"
)

// FileResult is the result of a run for one file.
type FileResult struct {
	Path  string `json:"path"`
	Holds string `json:"holds"`
	InUse string `json:"in_use"`

	Adjusted string `json:"adjusted,omitempty"` // values that the device uses in another form than written, in its words; empty: none known
	Refused  string `json:"refused,omitempty"`  // why the vendor's checker refused the restored content; empty: it did not
}

// Result is the result of a run for one device.
type Result struct {
	Device     *target.Device
	Run        string
	Outcome    Outcome
	Err        *Error        // nil: no error
	Undo       *Error        // error of the undo
	Cleanup    *Error        // error of removing the files of the run
	Mark       txn.Mark      // the last mark that the device reported; Absent: none
	Files      []FileResult  // files of the change; empty: nothing was tried, or the change has only live states
	InUse      string        // whether the device uses its content; [UseYes] only if the device reported that
	Unread     string        // why InUse could not be read, in the words of the target; empty: not known
	Backup     bool          // the device reported that it has all of the earlier content below [StateDir]
	Back       bool          // the run can only be undone: a failure, or the wish of the person, rules out keeping it
	Over       bool          // the run had already ended on the device: Files was read now, and a later run may have written the files
	Bare       bool          // the device has no trace of a run that had changed it: the device was replaced, or the traces were removed
	Notes      []string      // output of a successful undo: the values that could not be restored
	Left       []string      // rocec's files that remain on the device: lock, temporary files
	LeftUnseen bool          // Left may remain: the device did not answer any more
	Until      time.Duration // until the device undoes the change by itself; 0: it does not
	By         string        // for Reverted: [ByTimer] or [ByBoot]; empty: not known, or rocec
	Used       bool          // the device may have used the new content
	Acted      Act           // the verb of another process that ended the run on the device, if any
}

// Failed reports whether a change was tried and the device is not as planned.
func (r *Result) Failed() bool {
	switch r.Outcome {
	case Unchanged, Applied, Unconfirmed, NotStarted:
		return r.Cleanup != nil
	}
	return true
}

// Results contains the results for all devices of a plan, in its order.
type Results struct {
	Run         Run
	Devices     []*Result
	Interrupted bool     // the person ended the run before all devices had been started
	Stopped     Stopped  // why no further wave began; empty: all waves began, or the run was interrupted
	Why         string   // the reason in full, if Stopped does not state it
	Because     Kind     // for NotMarked: the kind of its error
	Notes       []string // errors outside of the devices, such as errors of a hook
}

// Stopped is the reason why a run began no further wave.
type Stopped string

// The reasons.
const (
	TooManyFailures Stopped = "failures" // more devices failed than allowed
	GateFailed      Stopped = "gate"     // the wave made devices beside it lose a signal, and was undone
	CountersRose    Stopped = "counters" // counters rose far faster than before
	FabricChanged   Stopped = "fabric"   // links or sessions have changed since the plan, and the next wave may not begin in this state
	TooLate         Stopped = "window"   // the next wave might not end in time
	NotAdmitted     Stopped = "team"     // the team did not let the next wave begin
	HookFailed      Stopped = "hook"     // a wave could not be undrained
	PhaseFailed     Stopped = "phase"    // the next phase relies on devices that keep their old settings
	OtherRun        Stopped = "run"      // another run changes the devices or devices beside them, or may still be undone there
	NotMarked       Stopped = "mark"     // a switch that has to carry the mark of the run cannot be marked
)

// Count returns the number of devices with an outcome.
func (r *Results) Count(o Outcome) int {
	n := 0
	for _, d := range r.Devices {
		if d.Outcome == o {
			n++
		}
	}
	return n
}

// Tally returns the number of devices with each outcome.
func (r *Results) Tally() map[string]int {
	of := Tally()
	for _, d := range r.Devices {
		of[string(d.Outcome)]++
	}
	return of
}

// Complete reports whether every device is as planned and undrained, and no file of the run is left on any device.
func (r *Results) Complete() bool {
	return r.Stopped != HookFailed && !slices.ContainsFunc(r.Devices, func(d *Result) bool {
		return d.Outcome != Applied && d.Outcome != Unchanged && d.Outcome != Unconfirmed || d.Cleanup != nil
	})
}

// Touched reports whether any device was changed or may have been changed, even if the change was undone.
func (r *Results) Touched() bool {
	return slices.ContainsFunc(r.Devices, func(d *Result) bool {
		return d.Outcome != Refused && d.Outcome != NotStarted && d.Outcome != Unchanged
	})
}
