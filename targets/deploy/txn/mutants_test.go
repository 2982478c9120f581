package txn

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// instead returns a machine that returns another verb in place of the given one.
func instead(of, do Verb) machine {
	m := sound
	m.next = func(s State) Verb {
		if v := s.Next(); v != of {
			return v
		}
		return do
	}
	return m
}

// forgets returns a machine whose state after an event is changed.
func forgets(change func(was State, e Event, s *State)) machine {
	m := sound
	m.after = func(was State, e Event) State {
		s := was.After(e)
		change(was, e, &s)
		return s
	}
	return m
}

// says returns a machine that reports another fate of a device.
func says(of func(State) bool, fate Fate) machine {
	m := sound
	m.fate = func(s State) Fate {
		if of(s) {
			return fate
		}
		return s.Fate()
	}
	return m
}

// Broken copies of the machine. The exploration must find an error in each of them.
func TestMutants(t *testing.T) {
	when := func(of, do Verb, where func(State) bool) machine {
		m := sound
		m.next = func(s State) Verb {
			if v := s.Next(); v != of || !where(s) {
				return v
			}
			return do
		}
		return m
	}
	at := func(mark Mark) func(State) bool { return func(s State) bool { return s.Mark == mark } }
	for name, m := range map[string]machine{
		"confirms without a check":                 instead(Check, Confirm),
		"holds without a check":                    when(Check, End, func(s State) bool { return s.Goal == Hold }),
		"confirms what is to be held":              when(End, Confirm, func(s State) bool { return s.Goal == Hold && s.Mark == Loaded }),
		"does not confirm":                         instead(Confirm, End),
		"ends without a release":                   instead(Release, End),
		"releases what is armed":                   when(Undo, Release, at(Armed)),
		"releases what is in use":                  when(Undo, Release, at(Loaded)),
		"releases what is being undone":            when(Undo, Release, at(Undoing)),
		"leaves what is armed":                     when(Undo, End, at(Armed)),
		"leaves what is being undone":              when(Undo, End, at(Undoing)),
		"undoes a conflict again":                  when(Release, Undo, at(Conflict)),
		"undoes what could not be undone for ever": when(Release, Undo, at(Failed)),
		"commits again what it takes away":         when(Release, Commit, at(Prepared)),
		"waits for ever":                           instead(Ask, Wait),
		"asks one who is gone": func() machine {
			m := sound
			m.next = func(s State) Verb {
				if s.Gone {
					s.Gone = false
				}
				return s.Next()
			}
			return m
		}(),
		"counts no undo that failed":    forgets(func(was State, _ Event, s *State) { s.undos = was.undos }),
		"counts no release that failed": forgets(func(was State, _ Event, s *State) { s.releases = was.releases }),
		"takes a lost answer for none needed": forgets(func(was State, e Event, s *State) {
			if e.Result == Lost {
				s.Known = was.Known
			}
		}),
		"takes a lost confirm for one": forgets(func(_ State, e Event, s *State) {
			if e.Verb == Confirm && e.Result == Lost {
				s.Known, s.Last = true, Confirmed
			}
		}),
		"takes a lost release for one": forgets(func(_ State, e Event, s *State) {
			if e.Verb == Release && e.Result == Lost {
				s.Known, s.released, s.Device = true, true, Device{}
			}
		}),
		"goes on after it was refused": forgets(func(was State, _ Event, s *State) { s.Goal = was.Goal }),
		"goes on after a release whose answer was lost": forgets(func(was State, e Event, s *State) {
			if e.Verb == Release && e.Result == Lost {
				s.Goal = was.Goal
			}
		}),
		"takes every check for a good one": forgets(func(_ State, e Event, s *State) {
			if e.Verb == Check && e.Result == Refused {
				s.Checked, s.Goal = true, Keep
			}
		}),
		"forgets what it saw last":                  forgets(func(_ State, _ Event, s *State) { s.Last = s.Mark }),
		"forgets that the device undid it":          forgets(func(_ State, _ Event, s *State) { s.Self = false }),
		"takes what it does not know for free":      forgets(func(_ State, _ Event, s *State) { s.Lock = Free }),
		"forgets that it sent a commit":             forgets(func(_ State, _ Event, s *State) { s.Began = false }),
		"reports a change in use as kept":           says(func(s State) bool { return s.Last == Loaded }, Kept),
		"reports an unchecked change as held":       says(func(s State) bool { return s.Last == Loaded && s.Goal == Hold }, Held),
		"reports a conflict as restored":            says(func(s State) bool { return s.Last == Conflict }, Restored),
		"reports a failed undo as restored":         says(func(s State) bool { return s.Last == Failed }, Restored),
		"reports an undo by the device as restored": says(func(s State) bool { return s.Last == Undone }, Restored),
		"reports an unfinished undo as restored":    says(func(s State) bool { return s.Last == Undoing }, Restored),
		"reports a begun change as untouched":       says(func(s State) bool { return s.Last == Prepared }, Untouched),
		"reports an armed change as untouched":      says(func(s State) bool { return s.Last == Armed }, Untouched),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for most := 1; most <= 4; most++ {
				x, wrong := explore(&m, most, starts()...)
				if wrong != "" {
					t.Logf("%d worlds, up to %d faults: %s", len(x.worlds), most, lastLines(wrong))
					return
				}
			}
			require.Fail(t, "not caught")
		})
	}
}

// lastLines returns the error without the path that leads to it.
func lastLines(wrong string) string {
	lines := strings.Split(wrong, "\n")
	return strings.Join(lines[max(0, len(lines)-3):len(lines)-1], ": ")
}
