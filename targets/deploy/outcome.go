package deploy

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rocec/rocec/targets/deploy/txn"
	"github.com/rocec/rocec/targets/target"
)

// StateDir is the only folder of rocec on a device, apart from the files themselves.
const StateDir = "/var/lib/rocec"

// Run is one apply, or one rollback: who changes devices now.
type Run struct {
	Name  string // unique, and sorted by time; see [NewRun]
	Key   string // random, so that runs of the same name differ
	Owner string // for those who meet the lock: "alice@ws7, process 4711"
	Tool  string // version of rocec, one word; empty: it is not noted on the device
	About About  // the description of the run on its devices

	By   string            // who goes on with the run now; empty: Owner
	Keys map[string]string // by device: the key of run and device there, of a run that this machine did not start; else it follows from Key
}

// Actor is who acts on devices for the run now.
func (r *Run) Actor() string {
	if r.By != "" {
		return OneLine(r.By)
	}
	return OneLine(r.Owner)
}

// NewRun names a run: NewRun(now, "3f9a62b1", …) is "20261121t065136z-3f9a", key "62b1". unique is at least 8 digits.
func NewRun(now time.Time, unique, owner string) Run {
	return Run{Name: strings.ToLower(now.UTC().Format("20060102T150405Z")) + "-" + unique[:4], Key: unique[4:], Owner: OneLine(owner)}
}

var runForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9][a-z0-9-]{3,62}$`) })

// Valid reports whether name and key are such as [NewRun] gives: they become paths and words of commands.
func (r Run) Valid() bool { return ValidRun(r.Name) && runForm().MatchString("key-"+r.Key) }

// ValidRun reports whether a name can be the one of a run.
func ValidRun(name string) bool { return runForm().MatchString(name) }

// Outcome is the outcome of a run for a device.
type Outcome string

// The outcomes.
const (
	Unchanged   Outcome = "unchanged"   // there was nothing to do
	Applied     Outcome = "applied"     // it holds and uses what the plan says, for good
	Unconfirmed Outcome = "unconfirmed" // it does, and undoes it by itself unless somebody confirms
	Restored    Outcome = "restored"    // it failed; rocec has put back what was there before
	Reverted    Outcome = "reverted"    // it was not confirmed (in time, or before a restart), and has put back what was there by itself
	Refused     Outcome = "refused"     // nothing was changed: Err says why
	Conflict    Outcome = "conflict"    // undone, except for files that another writer changed meanwhile
	Unknown     Outcome = "unknown"     // Files and Left say what may be where
	NotStarted  Outcome = "not-started" // nothing was tried: too many failures, or interrupted
)

// Outcomes are all of them, in the order they are counted in.
var Outcomes = []Outcome{Applied, Unconfirmed, Unchanged, Restored, Reverted, Refused, Conflict, Unknown, NotStarted}

// Tally returns a count of 0 for each outcome, by its text.
func Tally() map[string]int {
	of := map[string]int{}
	for _, o := range Outcomes {
		of[string(o)] = 0
	}
	return of
}

// Closed reports whether an outcome is the last word on a device: nothing that is asked later changes it. The others are asked for again.
func (o Outcome) Closed() bool { return o != "" && o != Unconfirmed && o != Unknown }

// The parts of a device that can undo a run by themselves.
const (
	ByTimer = "timer" // the time to confirm was over
	ByBoot  = "boot"  // it went down before anybody confirmed
)

// Content of a file after a run, as a device was last seen to hold it.
const (
	HoldsOld     = "old"
	HoldsNew     = "new"
	HoldsOther   = "other"
	HoldsUnknown = "unknown"
)

// Use is whether a device uses the content of its files.
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

	Adjusted string `json:"adjusted,omitempty"` // what the device uses in another form than written, in its words; empty: nothing known
	Refused  string `json:"refused,omitempty"`  // why the vendor's checker refused the content that was put back; empty: it did not
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
	Files      []FileResult  // of the change; empty: nothing was tried, or it has only live states
	InUse      string        // whether the device uses its content, as it reported: [UseYes] only where that was read
	Unread     string        // why InUse could not be read, in the words of the target; empty: not known
	Backup     bool          // the device reported the whole content from before below [StateDir]
	Back       bool          // the run can only go back: keeping the change was given up, or never wanted
	Over       bool          // the run had ended there before it was asked: Files are as read now, and a later run may have written them
	Bare       bool          // the device has no trace of a run that had changed it: it was replaced, or its traces are gone
	Notes      []string      // output of an undo that worked: the values that could not be put back
	Left       []string      // rocec's files that remain on the device: lock, temporary files
	LeftUnseen bool          // Left may remain: the device did not answer any more
	Until      time.Duration // until the device undoes the change by itself; 0: it does not
	By         string        // of Reverted: [ByTimer] or [ByBoot]; empty: not known, or rocec
	Used       bool          // the device may have used the new content
	Acted      Act           // who decided the fate of the run here, if another process did
}

// Failed reports whether the device is not as planned and something was tried.
func (r *Result) Failed() bool {
	switch r.Outcome {
	case Unchanged, Applied, Unconfirmed, NotStarted:
		return r.Cleanup != nil
	}
	return true
}

// Results are the results for all devices of a plan, in its order.
type Results struct {
	Run         Run
	Devices     []*Result
	Interrupted bool     // the person ended it before all devices had been started
	Stopped     Stopped  // why no further wave began; empty: all did, or it was interrupted
	Why         string   // in full, where Stopped does not say it
	Because     Kind     // of NotMarked: the kind of its error
	Notes       []string // errors outside of the devices: of a hook
}

// Stopped is why a run began no further wave.
type Stopped string

// The reasons.
const (
	TooManyFailures Stopped = "failures" // more devices failed than may
	GateFailed      Stopped = "gate"     // the devices beside a wave lost something by it, and it was undone
	CountersRose    Stopped = "counters" // counters rose far faster than before
	FabricChanged   Stopped = "fabric"   // the living fabric is not what the plan saw, and the next wave may not begin in it
	TooLate         Stopped = "window"   // the next wave may not end in time
	HookFailed      Stopped = "hook"     // traffic could not be put back on a wave
	PhaseFailed     Stopped = "phase"    // what comes next relies on devices that stay as they are
	OtherRun        Stopped = "run"      // another run is at work on the devices or beside them, or they may go back from one
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

// Complete reports whether every device is as planned, traffic is back on all of them, and no file of the run is left on any.
func (r *Results) Complete() bool {
	return r.Stopped != HookFailed && !slices.ContainsFunc(r.Devices, func(d *Result) bool {
		return d.Outcome != Applied && d.Outcome != Unchanged && d.Outcome != Unconfirmed || d.Cleanup != nil
	})
}

// Touched reports whether any device was changed, or may have been, even if that was undone.
func (r *Results) Touched() bool {
	return slices.ContainsFunc(r.Devices, func(d *Result) bool {
		return d.Outcome != Refused && d.Outcome != NotStarted && d.Outcome != Unchanged
	})
}
