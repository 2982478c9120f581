// Package txn is the state machine ([State]) of the change of one device. From the state of a run on the device and the result of the
// last command it decides the next step. It is pure; package device executes the steps, and package rollout leads.
//
// The state is read from the device, not remembered. A run keeps one mark there ([Mark]), which moves by rename, so confirming and
// undoing can never both win. Apply, resume, rollback and unlock are this one machine, started with another [Goal] or from another state.
// The tests explore all paths to a fixed point: each path ends, and ends in a whole state.
//
//	absent ── prepare ─▶ prepared ── commit ─▶ armed ─▶ loaded ── check, confirm ─▶ confirmed ── release ─▶ absent
//	                        │                    └───┬────┘
//	                     release          undo, timer or reboot ─▶ undoing ─▶ undone | conflict | failed ── release ─▶ absent
package txn

// Mark is how far a run got on a device, as the device reports it.
type Mark uint8

// The marks, in the order of a run.
const (
	Absent    Mark = iota // the device holds nothing of the run except, perhaps, the lock
	Prepared              // the new files are on the device, beside the old ones; nothing is changed
	Armed                 // the undo is armed, and files may be new
	Loaded                // the files are new and put to use; the undo is armed
	Confirmed             // kept; nothing undoes it any more
	Undoing               // it is being undone, or was when that was cut off
	Undone                // the old content is back and in use
	Conflict              // undone, except for files that another writer has changed
	Failed                // the undo failed: the old content may not be in use
	Unknown               // the device reports a mark that this rocec does not know
)

// names are the marks as a device stores them. A device never stores Unknown.
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

// MarkOf reads the word of a device. It returns Unknown for a word that this rocec does not know.
func MarkOf(word string) Mark {
	if m, ok := ParseMark(word); ok {
		return m
	}
	return Unknown
}

// Open reports whether a run with the mark may have changed its device, and has neither kept nor undone that.
func (m Mark) Open() bool { return m == Armed || m == Loaded || m == Undoing }

// Lock is who holds the lock of a device.
type Lock uint8

// The holders.
const (
	Free   Lock = iota
	Ours        // this run
	Theirs      // another run, or a beginner who died before writing a name
)

// Device is the state of a run that a device reports.
type Device struct {
	Mark Mark
	Lock Lock
	Busy bool // a command of the run is still at work there
	Self bool // it was undone by the device itself, by its timer or at boot
}

// Goal is the state in which the run should leave the device.
type Goal uint8

// The goals.
const (
	Keep Goal = iota // the new content, confirmed
	Hold             // the new content, armed until it is confirmed or its time is over
	Back             // the content from before
)

// Verb is the next step.
type Verb string

// The verbs. Ask reads the state of the device, over a new connection if the last one broke. Wait waits until the command at work there
// ends, and is followed by Ask.
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

// State is the knowledge about the change of one device. The zero State begins an apply.
type State struct {
	Device
	Goal Goal

	Known   bool // Device is current; false: the answer to a command was lost, or no command was sent
	Gone    bool // the device does not answer any more
	Checked bool // the check over a new login found everything as it should be
	Began   bool // a commit was sent, or may have been, so the device may have changed
	Last    Mark // the last mark seen, except Absent

	tried    bool  // prepare was sent: it is sent once
	unsure   bool  // the mark is confirmed, but the device did not report that it survives a power cut
	released bool  // a release worked
	losses   uint8 // answers lost
	undos    uint8 // undos that failed
	releases uint8 // releases that failed
}

// Begun is the state of a run that another process began: it is asked first, and never prepares. The other may have sent a commit.
func Begun(goal Goal) State { return State{Goal: goal, Began: true, tried: true} }

// Result is the result of a verb.
type Result uint8

// The results.
const (
	OK      Result = iota // it succeeded
	Refused               // it answered that it failed
	Lost                  // its answer was lost
	Dead                  // and the device no longer answers, however often it was asked
)

// Event is the end of a verb: its result, and the state that the device reports since. Lost and Dead have no Device.
type Event struct {
	Verb   Verb
	Result Result
	Device Device
}

// tries limits the attempts at an undo or a release: after a full disk or a hanging service, the second may work. More than patience lost
// answers mean that a device is gone.
const (
	tries    = 2
	patience = 8
)

// Keepable reports whether the device holds its change and lost nothing by it, so that it can be confirmed, or held.
func (s State) Keepable() bool { return s.Known && s.Mark == Loaded && s.Checked && s.Goal != Back }

// After is the state after an event.
func (s State) After(e Event) State {
	switch e.Verb {
	case Prepare:
		s.tried = true
	case Commit:
		s.Began = true
	case Release: // even if its answer was lost: it may still be at work
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
	self := s.Self && e.Device.Mark == Absent // a release forgets who undid it
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

// reached reports whether a device is where a verb that worked leaves it. A device that reports success without being there is not asked
// forever.
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

// Stop returns the state after the person stopped the run: a change that has not begun does not begin.
func (s State) Stop() State {
	if !s.Began {
		s.Goal = Back
	}
	return s
}

// Next returns the next verb in a state. At [End], [State.Fate] returns the fate of the device.
func (s State) Next() Verb {
	switch {
	case s.Gone:
		return End
	case !s.Known && (s.tried || s.Goal == Back):
		return Ask
	case !s.Known: // an apply begins, and the plan has read the device
		return Prepare
	case s.Busy:
		return Wait
	}
	switch s.Mark {
	case Absent:
		switch {
		case s.Goal != Back && !s.tried && s.Lock != Theirs && !s.released:
			return Prepare // also under a lock of ours: it is adopted
		case s.Lock == Ours:
			return s.release()
		}
		return End
	case Prepared:
		if s.Goal != Back && s.Lock == Ours {
			return Commit
		}
		return s.release()
	case Armed: // and nothing at work: the commit died
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
	Kept                  // it holds and uses the new content, which stays
	Held                  // it holds and uses it, and undoes it unless it is confirmed
	Restored              // the run has put back the old content
	Reverted              // the device has put it back by itself
	Contested             // another writer changed a file meanwhile, and the run left that file alone
	Uncertain             // only a look at the device can tell
)

// Fate returns the fate of the device, at [End].
func (s State) Fate() Fate {
	switch s.Last {
	case Confirmed:
		if !s.unsure || s.released { // a release is on the disk, with all before it
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
