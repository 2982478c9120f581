// Package teamlook has the [Look] of a site: what its last verify found, as it travels to the hub of a team. [Board] has the newest look of
// each site.
//
// A look has counts, codes and names of devices. It has no address, content or command of a device.
package teamlook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/rocec/rocec/cmd/internal/broker"
	"github.com/rocec/rocec/cmd/internal/sshsig"
	"github.com/rocec/rocec/cmd/internal/statement"
	"github.com/rocec/rocec/lang/nodeset"
)

// Failed is the outcome of a look that could not be made. The statement has the reason.
const Failed = "failed"

// Look is the result of one verify of the devices of a site.
type Look struct {
	Commit   string         `json:"commit,omitempty"` // of the fabric; empty: it is not known
	Every    int            `json:"every_seconds"`    // between the looks of the site
	Began    time.Time      `json:"began"`
	Stale    bool           `json:"stale_mirror"` // the mirror could not be brought up to date before
	Good     bool           `json:"good"`
	Devices  map[string]int `json:"devices"`  // their number, by the status in verify
	Unlike   []Set          `json:"unlike"`   // the devices of each status that is not good
	Findings []Found        `json:"findings"` // by code and severity
}

// Set has the devices of a status.
type Set struct {
	Status  string `json:"status"`
	Devices string `json:"devices"` // a nodeset, or its beginning and the number of the others
}

// Found is a code with the devices that have it.
type Found struct {
	Code     string `json:"code"`
	Severity string `json:"severity"`
	Count    int    `json:"count"`
	Devices  string `json:"devices,omitempty"` // as in Set
}

// Bounds of a look. A fabric has fewer codes and statuses.
const (
	maxLook   = 256 << 10 // bytes
	maxKinds  = 500
	maxCount  = 1 << 20
	maxEvery  = 1 << 30 // seconds
	mostNames = 2000    // characters of a nodeset
	mostSites = 1000
)

// skew is how far the clock of a site may be ahead: a look of the future would hide those that follow.
const skew = 5 * time.Minute

// Names returns the names of devices as a look has them.
func Names(names []string) string { return nodeset.Text(names, nodeset.Devices, mostNames) }

// word matches a status, a code and a severity.
var word = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

// Parse reads a look.
func Parse(data []byte) (*Look, error) {
	var l Look
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if len(data) > maxLook || d.Decode(&l) != nil || d.More() {
		return nil, errors.New("it is no look of a site")
	}
	if len(l.Devices) > maxKinds || len(l.Unlike) > maxKinds || len(l.Findings) > maxKinds || l.Every < 0 || l.Every > maxEvery {
		return nil, errors.New("the look has more kinds of findings than a look has")
	}
	good := func(words ...string) bool {
		return !slices.ContainsFunc(words, func(w string) bool { return !word.MatchString(w) })
	}
	text := func(s string) bool { return len(s) <= 2*mostNames && !strings.ContainsFunc(s, unicode.IsControl) }
	whole := l.Commit == "" || len(l.Commit) <= 64 && good(l.Commit)
	for status, n := range l.Devices {
		whole = whole && good(status) && n >= 0 && n <= maxCount
	}
	once := map[[2]string]bool{}
	first := func(a, b string) bool {
		had := once[[2]string{a, b}]
		once[[2]string{a, b}] = true
		return !had
	}
	for _, s := range l.Unlike {
		whole = whole && good(s.Status) && text(s.Devices) && first(s.Status, "")
	}
	for _, f := range l.Findings {
		whole = whole && good(f.Code, f.Severity) && first(f.Code, f.Severity) && f.Count >= 0 && f.Count <= maxCount && text(f.Devices)
	}
	if !whole {
		return nil, errors.New("a word or a number of the look has a form that no look has")
	}
	return &l, nil
}

// SiteLook has the newest looks of a site at a fabric.
type SiteLook struct {
	Fabric, Site string
	At           time.Time // of the newest look, by the clock of the site
	Failed       string    // why the newest look could not be made; empty: it was made
	Every        int       // seconds between looks
	Last         *Look     // the newest look that was made; nil: no look was made
	Made         time.Time // when it ended
}

// Board has the newest look of each site.
type Board struct {
	signers *sshsig.Signers
	entries map[[2]string]*SiteLook
}

// NewBoard returns an empty board, whose looks the signers must have signed.
func NewBoard(signers *sshsig.Signers) *Board {
	return &Board{signers: signers, entries: map[[2]string]*SiteLook{}}
}

// Trust makes signers judge the looks that come from now on.
func (b *Board) Trust(signers *sshsig.Signers) { b.signers = signers }

// Take adds a look. The error states why it changes nothing, as part of a sentence.
func (b *Board) Take(m *broker.Message) error {
	var signed statement.Signed
	if err := json.Unmarshal(m.Data, &signed); err != nil {
		return errors.New("it is no signed statement")
	}
	st, _, err := signed.Open(b.signers, m.At)
	if err != nil {
		return err
	}
	if err := st.Fits(statement.Want{Fabric: m.Fabric, Site: m.Site}); err != nil {
		return err
	}
	if st.Verb != statement.Looked || signed.Body == nil {
		return fmt.Errorf("a statement %q is no look", st.Verb)
	}
	l, err := Parse(signed.Body)
	switch {
	case err != nil:
		return err
	case st.Outcome != statement.Complete && (st.Outcome != Failed || st.Why == ""):
		return errors.New("the look does not state whether it could be made")
	case st.At.Sub(m.At) > skew:
		return fmt.Errorf("the look is of %s, and the hub got it at %s", st.At.Format(time.RFC3339), m.At.UTC().Format(time.RFC3339))
	}
	key := [2]string{st.Fabric, st.Site}
	e := b.entries[key]
	switch {
	case e == nil && len(b.entries) >= mostSites:
		return fmt.Errorf("there are looks of %d sites already", mostSites)
	case e != nil && !st.At.After(e.At): // a hub that shows an old look again
		return fmt.Errorf("the look is of %s, and a later one is known", st.At.Format(time.RFC3339))
	case e == nil:
		e = &SiteLook{Fabric: st.Fabric, Site: st.Site}
		b.entries[key] = e
	}
	e.At, e.Every, e.Failed = st.At, l.Every, ""
	if st.Outcome == Failed {
		e.Failed = st.Why
		return nil
	}
	e.Last, e.Made = l, st.At
	return nil
}

// Entries returns the looks of all sites, by fabric and site.
func (b *Board) Entries() []SiteLook {
	out := make([]SiteLook, 0, len(b.entries))
	for _, e := range b.entries {
		out = append(out, *e)
	}
	slices.SortFunc(out, func(a, b SiteLook) int { return strings.Compare(a.Fabric+"\x00"+a.Site, b.Fabric+"\x00"+b.Site) })
	return out
}
