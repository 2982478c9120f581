// Package txn is the state machine ([State]) of the change of one device. From the state of a run on the device and the result of the
// last command it decides the next step. It is pure. Package device executes the steps, and package rollout controls the run. The state
// is always read from the device, and not remembered. A run keeps one mark on the device ([Mark]), which changes by rename, so a confirm
// and an undo can never both succeed. Apply, resume, rollback and unlock use the same machine with different goals ([Goal]) or initial
// states. The tests explore all paths to a fixed point: each path ends, with a complete content on the device.
//
//	absent ── prepare ─▶ prepared ── commit ─▶ armed ─▶ loaded ── check, confirm ─▶ confirmed ── release ─▶ absent
//	                        │                    └───┬────┘
//	                     release          undo, timer or reboot ─▶ undoing ─▶ undone | conflict | failed ── release ─▶ absent
package txn

// Mark is the progress of a run on a device, as reported by the device.
type Mark uint8

// The marks, in the order of a run.
const (
	Absent    Mark = iota // the device has nothing of the run, except possibly the lock
	Prepared              // the new files are on the device beside the old ones, and nothing is changed yet
	Armed                 // the undo is armed, and files may be new
	Loaded                // the new files are in use; the undo is armed
	Confirmed             // the change is kept; the device no longer undoes it
	Undoing               // an undo is running, or was interrupted
	Undone                // the old content is back and in use
	Conflict              // undone, except for files that another writer has changed
	Failed                // the undo failed: the old content may not be in use
	Unknown               // the device reports a mark that this rocec does not know
)

// names contains the words with which a device stores the marks. A device never stores Unknown.
var names = [...]string{"absent", "prepared", "armed", "loaded", "confirmed", "undoing", "undone", "conflict", "failed", "unknown"}

// String returns the mark as a device stores it.
func (m Mark) String() string { return names[m] }

// ParseMark is the inverse of String for the words of devices. For another word it returns Absent and false.
func ParseMark(s string) (Mark, bool) {
	for i, n := range names[:Unknown] {
		if n == s {
			return Mark(i), true
		}
	}
	return Absent, false
}

// MarkOf parses the word of a device. It returns Unknown for a word that this rocec does not know.
func MarkOf(word string) Mark {
	if m, ok := ParseMark(word); ok {
		return m
	}
	return Unknown
}

// Open reports whether a run with the mark may have changed its device and has neither kept nor undone the change.
func (m Mark) Open() bool { return m == Armed || m == Loaded || m == Undoing }

// Lock is the holder of a device's lock.
type Lock uint8

// The holders.
const (
	Free   Lock = iota
	Ours        // this run
	Theirs      // another run, or a run that died before it wrote its name
)

// Device is the state of a run that a device reports.
type Device struct {
	Mark Mark
	Lock Lock
	Busy bool // a command of the run is still running on the device
	Self bool // the device itself has undone the change, by its timer or at boot
}

// Goal is the final state of the device that the run wants.
type Goal uint8

// The goals.
const (
	Keep Goal = iota // the new content, confirmed
	Hold             // the new content, armed until it is confirmed or its time is over
	Back             // the content from before
)

// Verb is the next step.
type Verb string

// The verbs. Ask reads the state of the device, over a new connection if the last one broke. Wait waits until the running command on the
// device ends. Ask follows Wait.
const (
	Prepare Verb = "prepare"
	Commit  Verb = "commit"
	Check   Verb = "check"
	Confirm Verb = "confirm"
	Undo    Verb = "undo"
	Release Verb = "release"
	Ask     Verb = "ask"
	Wait    Verb = "wait"
	End     Verb = "end"
)

// State is the knowledge about the change of one device. An apply begins with the zero State.
type State struct {
	Device
	Goal Goal

	Known   bool // the field Device is current; false: the answer to a command was lost, or no command was sent
	Gone    bool // the device no longer answers
	Checked bool // the check over a new login found no error
	Began   bool // a commit was sent or may have been sent, so the device may have changed
	Last    Mark // the last seen mark other than Absent

	tried    bool  // prepare was sent; it is sent only once
	unsure   bool  // the mark is confirmed, but the device did not report that it survives a power cut
	released bool  // a release succeeded
	losses   uint8 // answers lost
	undos    uint8 // number of failed undos
	releases uint8 // number of failed releases
}

// Begun returns the initial state for a run that another process began. The first verb is Ask, and Prepare never follows. The other
// process may have sent a commit.
func Begun(goal Goal) State { return State{Goal: goal, Began: true, tried: true} }

// Result is the result of a verb.
type Result uint8

// The results.
const (
	OK      Result = iota // it succeeded
	Refused               // the device answered that the verb failed
	Lost                  // the answer was lost
	Dead                  // the answer was lost, and the device does not answer repeated questions
)

// Event is the end of a verb: its result, and the state that the device reports afterwards. Lost and Dead have no Device.
type Event struct {
	Verb   Verb
	Result Result
	Device Device
}

// tries limits the attempts of an undo or a release, because a second attempt may succeed after a full disk or a hanging service. After
// more than patience lost answers, the device counts as dead.
const (
	tries    = 2
	patience = 8
)

// Keepable reports whether the device uses its change and lost nothing by it, so that the change can be confirmed or held.
func (s State) Keepable() bool { return s.Known && s.Mark == Loaded && s.Checked && s.Goal != Back }

// After returns the state after an event.
func (s State) After(e Event) State {
	switch e.Verb {
	case Prepare:
		s.tried = true
	case Commit:
		s.Began = true
	case Release: // even if the answer was lost, because the verb may still be running
		s.Goal = Back
	}
	switch e.Result {
	case Lost:
		s.losses++
		s.Known, s.Gone = false, s.losses > patience
		return s
	case Dead:
		s.Known, s.Gone = false, true
		return s
	}
	self := s.Self && e.Device.Mark == Absent // after a release the device no longer knows who undid the change
	s.Known, s.Device = true, e.Device
	s.Self = s.Self || self
	if s.Mark != Absent {
		s.Last = s.Mark
	}
	refused := e.Result == Refused || !e.Verb.reached(e.Device)
	switch e.Verb {
	case Check:
		s.Checked = !refused
	case Confirm:
		s.unsure = refused && s.Mark == Confirmed
	case Undo:
		if refused {
			s.undos++
		}
	case Release:
		s.released = !refused
		if refused {
			s.releases++
		}
	}
	if refused && e.Verb != Ask {
		s.Goal = Back
	}
	return s
}

// reached reports whether a device is in the expected state after a successful verb. Without this check, rocec would ask a device forever
// that reports success in another state.
func (v Verb) reached(d Device) bool {
	switch v {
	case Prepare:
		return d.Mark == Prepared
	case Commit, Check:
		return d.Mark == Loaded
	case Confirm:
		return d.Mark == Confirmed
	case Undo:
		return d.Mark != Armed && d.Mark != Loaded && d.Mark != Undoing
	case Release:
		return d.Mark == Absent && d.Lock != Ours
	}
	return true
}

// Stop returns the state after the person stopped the run. A change that has not begun does not begin.
func (s State) Stop() State {
	if !s.Began {
		s.Goal = Back
	}
	return s
}

// Next returns the next verb in a state. At [End], [State.Fate] returns the result for the device.
func (s State) Next() Verb {
	switch {
	case s.Gone:
		return End
	case !s.Known && (s.tried || s.Goal == Back):
		return Ask
	case !s.Known: // an apply begins; the plan has already read the device
		return Prepare
	case s.Busy:
		return Wait
	}
	switch s.Mark {
	case Absent:
		switch {
		case s.Goal != Back && !s.tried && s.Lock != Theirs && !s.released:
			return Prepare // also under an own lock, which prepare adopts
		case s.Lock == Ours:
			return s.release()
		}
		return End
	case Prepared:
		if s.Goal != Back && s.Lock == Ours {
			return Commit
		}
		return s.release()
	case Armed: // and no command is running, so the commit has died
		return s.undo()
	case Loaded:
		switch {
		case s.Goal == Back:
			return s.undo()
		case !s.Checked:
			return Check
		case s.Goal == Hold:
			return End
		}
		return Confirm
	case Undoing:
		return s.undo()
	}
	return s.release()
}

func (s State) undo() Verb {
	if s.undos == tries {
		return End
	}
	return Undo
}

func (s State) release() Verb {
	if s.releases == tries {
		return End
	}
	return Release
}

// Fate is the result of a run for a device.
type Fate uint8

// The fates.
const (
	Untouched Fate = iota // nothing was changed
	Kept                  // the device uses the new content and keeps it
	Held                  // the device uses the new content, and undoes it unless it is confirmed
	Restored              // the run has restored the old content
	Reverted              // the device itself has restored the old content
	Contested             // another writer changed a file meanwhile, and the run did not restore that file
	Uncertain             // only an inspection of the device can show the result
)

// Fate returns the result of the run for the device, at [End].
func (s State) Fate() Fate {
	switch s.Last {
	case Confirmed:
		if !s.unsure || s.released { // a release is on the disk, together with all earlier writes
			return Kept
		}
	case Undone:
		if s.Self {
			return Reverted
		}
		return Restored
	case Conflict:
		return Contested
	case Loaded:
		if s.Known && s.Mark == Loaded && s.Checked && s.Goal == Hold {
			return Held
		}
	case Absent, Prepared:
		if !s.Began || s.Known && (s.Mark == Prepared || s.released) {
			return Untouched
		}
	}
	return Uncertain
}
