package policy

import (
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/lang/diag"
)

// Wish is a change that a command is about to make.
type Wish struct {
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
	if p.message != nil && !p.message.MatchString(w.Message) {
		Forbids.Errorf(&ds, p.places["message"], "The policy wants a message that has %s: write it with -m.", p.message)
	}
	if len(p.windows) > 0 && !slices.ContainsFunc(p.windows, func(one window) bool { return one.has(w.At) }) {
		names := make([]string, 0, len(p.windows))
		for _, one := range p.windows {
			names = append(names, one.text)
		}
		Forbids.Errorf(&ds, p.places["window"], "The policy lets runs begin in its windows (%s), and it is %s. Wait for a window.",
			diag.Cut(strings.Join(names, ", ")), w.At.Format("Mon 15:04 MST"))
	}
	if p.SignRuns && !w.Signs {
		Forbids.Errorf(&ds, p.places["sign_runs"], "The policy wants each run to end with a signature. Name a key with --sign-key.")
	}
	return ds
}

// ForbidsKeysOnDisk reports whether private keys in files are not used.
func (p *Policy) ForbidsKeysOnDisk() bool { _, forbidden := p.forbid[KeysOnDisk]; return forbidden }

// Allows reports whether rocec may log in to an address.
func (p *Policy) Allows(address netip.Addr) bool {
	return p.places["prefixes"] == (diag.Range{}) || slices.ContainsFunc(p.prefixes, func(prefix netip.Prefix) bool {
		return prefix.Contains(address.Unmap())
	})
}

// Place returns the place of an attribute of the policy.
func (p *Policy) Place(attribute string) diag.Range { return p.places[attribute] }
