package policy

import (
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/lang/diag"
)

// Part is what a command does of a change. Not every limit holds for each part.
type Part int

// The parts.
const (
	Begin  Part = iota // it begins a run: every limit holds
	Plan               // it begins none yet: the time and the signature are those of the apply, and so is the message, unless a plan has it
	End                // it goes on with a run, to keep it: the run began with its message, at its time
	GoBack             // it undoes a run that was not confirmed, or takes a lock away: only flags are forbidden
)

// Wish is a change that a command is about to make.
type Wish struct {
	Part    Part
	Flags   []string                // with their dashes
	Allows  map[string][]diag.Range // places in the fabric, by the words of forbid
	Message string
	At      time.Time // when it begins
	Signs   bool      // the run will end with a signature
}

// Judge returns a finding for each part of a wish that the policy forbids, at its line of the policy.
func (p *Policy) Judge(w *Wish) (ds diag.List) {
	for _, flag := range w.Flags {
		if at, forbidden := p.forbid[flag]; forbidden {
			Forbids.Errorf(&ds, at, "The policy forbids %s. Leave the flag out.", flag)
		}
	}
	for _, word := range []string{AllowDeadlock, AllowUnproven} {
		places := w.Allows[word]
		at, forbidden := p.forbid[word]
		if !forbidden || len(places) == 0 {
			continue
		}
		d := Forbids.Errorf(&ds, at, "The policy forbids %s, and the fabric has it. Take it out of the fabric.", word)
		for _, place := range places[:min(len(places), 10)] {
			d.Note(place, "%s", word)
		}
	}
	if (w.Part == Begin || w.Part == Plan && w.Message != "") && p.message != nil && !p.message.MatchString(w.Message) {
		Forbids.Errorf(&ds, p.places["message"], "The policy wants a message that has %s: write it with -m.", p.message)
	}
	if w.Part == Begin && len(p.windows) > 0 && !slices.ContainsFunc(p.windows, func(one window) bool { return one.has(w.At) }) {
		names := make([]string, 0, len(p.windows))
		for _, one := range p.windows {
			names = append(names, one.text)
		}
		Forbids.Errorf(&ds, p.places["window"], "The policy lets runs begin in its windows (%s), and it is %s. Wait for a window.",
			diag.Cut(strings.Join(names, ", ")), w.At.Format("Mon 15:04 MST"))
	}
	if (w.Part == Begin || w.Part == End) && p.SignRuns && !w.Signs {
		Forbids.Errorf(&ds, p.places["sign_runs"], "The policy wants each run to end with a signature. Name a key with --sign-key.")
	}
	return ds
}

// ForbidsKeysOnDisk reports whether private keys in files are not used.
func (p *Policy) ForbidsKeysOnDisk() bool { _, forbidden := p.forbid[KeysOnDisk]; return forbidden }

// Allows reports whether rocec may log in to an address.
func (p *Policy) Allows(address netip.Addr) bool {
	return p.places["prefixes"] == (diag.Range{}) || slices.ContainsFunc(p.prefixes, func(prefix netip.Prefix) bool {
		return prefix.Contains(address.Unmap().WithZone(""))
	})
}

// Place returns the place of an attribute of the policy, or of a word that it forbids; else the zero Range.
func (p *Policy) Place(word string) diag.Range {
	if at, forbidden := p.forbid[word]; forbidden {
		return at
	}
	return p.places[word]
}
