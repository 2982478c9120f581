// Package statement has the [Signed] statement of a person or a site about a run of a team: a short text that an SSH key signs.
//
// The hub of a team carries statements and is not trusted. So each receiver checks the signature by its own allowed signers, and compares
// fabric, run, plan, site and wave with the ones that it expects. A statement says nothing that a receiver could not have derived itself,
// except what its author decided or saw.
package statement

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/rocec/rocec/cmd/internal/sshsig"
)

// Verb is the purpose of a statement.
type Verb string

// The verbs of persons.
const (
	Ask      Verb = "ask"      // a site reads its devices and answers with its share of a plan
	Submit   Verb = "submit"   // the sites carry out a plan
	Approve  Verb = "approve"  // a wave that is held may begin
	Confirm  Verb = "confirm"  // the changes of a run are kept
	Resume   Verb = "resume"   // a site goes on with a run
	Rollback Verb = "rollback" // the sites undo a run
	Withdraw Verb = "withdraw" // no further wave begins
)

// The verbs of sites.
const (
	Share   Verb = "share"   // the answer to Ask
	Taken   Verb = "taken"   // the site has the run on its disk, and will do its share
	Refused Verb = "refused" // the site does nothing for the run
	Waits   Verb = "waits"   // the site waits, and says for what
	Began   Verb = "began"   // a wave
	Ended   Verb = "ended"   // a wave
	Over    Verb = "over"    // the share
	Looked  Verb = "looked"  // the site has verified its devices

	Recorded Verb = "recorded" // the body is a message of a person, as the site has kept it
)

// Complete is the outcome of a wave or a share whose devices all have the settings of the plan.
const Complete = "complete"

// Role returns the namespace in which a key signs statements of the verb; empty: there is no such verb.
func (v Verb) Role() string {
	switch v {
	case Ask:
		return sshsig.RolePlan
	case Approve:
		return sshsig.RoleApprove
	case Submit, Confirm, Resume, Rollback, Withdraw:
		return sshsig.RoleApply
	case Share, Taken, Refused, Waits, Began, Ended, Over, Looked, Recorded:
		return sshsig.RoleSite
	}
	return ""
}

// OfSite reports whether sites make statements of the verb, and not persons.
func (v Verb) OfSite() bool { return v.Role() == sshsig.RoleSite }

// Statement is the content of a statement. Empty fields do not apply to its verb.
type Statement struct {
	Verb    Verb
	Fabric  string // its name
	Run     string // of the team
	Digest  string // SHA-256 of the body that travels beside the statement: the plan, the question or the share
	Site    string // that makes the statement, or that it is for; empty: all sites of the run
	Wave    int    // from 1, in the order of the plan
	Epoch   uint64 // number of the message by which the site got the run
	Outcome string // [Complete], or why not in one word
	Devices string // a nodeset
	Head    string // of the journal of the site
	Why     string
	At      time.Time // UTC, in seconds
	Nonce   string    // that no other statement of the person has
}

// Bounds of a statement in bytes.
const (
	maxText  = 64 << 10
	maxName  = 128
	maxWhy   = 2 << 10
	maxNodes = 48 << 10
)

// heading is the first line. A later format has another number.
const heading = "rocec statement 1"

// field is a line of a statement: its first word, and the value after it.
type field struct {
	name string
	get  func(*Statement) string
	set  func(*Statement, string) error
}

// fields are the lines below the heading, in their order.
var fields = sync.OnceValue(func() []field {
	return []field{
		{"verb", func(s *Statement) string { return string(s.Verb) }, func(s *Statement, v string) error {
			s.Verb = Verb(v)
			return nil
		}},
		text("fabric", func(s *Statement) *string { return &s.Fabric }),
		text("run", func(s *Statement) *string { return &s.Run }),
		text("digest", func(s *Statement) *string { return &s.Digest }),
		text("site", func(s *Statement) *string { return &s.Site }),
		{"wave", func(s *Statement) string { return number(uint64(s.Wave)) }, func(s *Statement, v string) (err error) {
			n, err := parseNumber(v, 1<<20)
			s.Wave = int(n)
			return err
		}},
		{"epoch", func(s *Statement) string { return number(s.Epoch) }, func(s *Statement, v string) (err error) {
			s.Epoch, err = parseNumber(v, 1<<63)
			return err
		}},
		text("outcome", func(s *Statement) *string { return &s.Outcome }),
		text("devices", func(s *Statement) *string { return &s.Devices }),
		text("head", func(s *Statement) *string { return &s.Head }),
		text("why", func(s *Statement) *string { return &s.Why }),
		{"at", func(s *Statement) string { return s.At.UTC().Format(time.RFC3339) }, func(s *Statement, v string) (err error) {
			s.At, err = time.Parse("2006-01-02T15:04:05Z", v)
			return err
		}},
		text("nonce", func(s *Statement) *string { return &s.Nonce }),
	}
})

func text(name string, of func(*Statement) *string) field {
	return field{name, func(s *Statement) string { return *of(s) }, func(s *Statement, v string) error {
		*of(s) = v
		return nil
	}}
}

func number(n uint64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatUint(n, 10)
}

func parseNumber(text string, most uint64) (uint64, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n == 0 || n > most || number(n) != text {
		return 0, fmt.Errorf("%q is no number of a statement", cut(text))
	}
	return n, nil
}

// Text returns the bytes that are signed: equal statements have equal bytes. It refuses a statement that Parse would refuse.
func (s *Statement) Text() ([]byte, error) {
	var b strings.Builder
	b.WriteString(heading + "\n")
	for _, f := range fields() {
		b.WriteString(f.name)
		if v := f.get(s); v != "" {
			b.WriteString(" " + v)
		}
		b.WriteByte('\n')
	}
	if _, err := Parse([]byte(b.String())); err != nil {
		return nil, err
	}
	return []byte(b.String()), nil
}

// Parse reads a statement. It accepts only the bytes that Text returns.
func Parse(data []byte) (*Statement, error) {
	if len(data) > maxText {
		return nil, errors.New("the statement is larger than 64 KiB")
	}
	if !utf8.Valid(data) {
		return nil, errors.New("the statement is not UTF-8")
	}
	first, rest, ok := strings.Cut(string(data), "\n")
	if !ok || first != heading {
		return nil, errors.New("it is no statement of this format")
	}
	s := &Statement{}
	for _, f := range fields() {
		line, after, found := strings.Cut(rest, "\n")
		value, is := strings.CutPrefix(line, f.name)
		if !found || !is || value != "" && (value[0] != ' ' || len(value) == 1) {
			return nil, fmt.Errorf("the statement has no line %q where it belongs", f.name)
		}
		if value != "" {
			value = value[1:]
		}
		if err := f.set(s, value); err != nil {
			return nil, err
		}
		rest = after
	}
	if rest != "" {
		return nil, errors.New("the statement has more lines than a statement has")
	}
	return s, s.check()
}

// The characters of words in a statement.
const (
	digits  = "0123456789abcdef"
	letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
)

// made reports whether a word has a length, and the given characters alone.
func made(word, of string, least, most int) bool {
	return len(word) >= least && len(word) <= most && strings.Trim(word, of) == ""
}

// Token reports whether a name may be a token of a subject: a word that no server takes for a wildcard or for two tokens.
func Token(name string) bool {
	return made(name, letters+"_-", 1, 63) && strings.Contains(letters, name[:1])
}

// digest reports whether a word is a SHA-256.
func digest(word string) bool { return made(word, digits, 64, 64) }

// check refuses words that have the wrong form, and a statement that lacks a word of its verb.
func (s *Statement) check() error {
	switch {
	case s.Verb.Role() == "":
		return fmt.Errorf("there is no statement %q", cut(string(s.Verb)))
	case s.Fabric == "" || len(s.Fabric) > maxName:
		return errors.New("the statement names no fabric")
	case s.Run != "" && !Token(s.Run), s.Site != "" && !Token(s.Site), s.Outcome != "" && !Token(s.Outcome):
		return errors.New("a run, site or outcome of the statement has characters that no name has")
	case s.Digest != "" && !digest(s.Digest), s.Head != "" && !digest(s.Head):
		return errors.New("a hash of the statement is no SHA-256")
	case len(s.Why) > maxWhy || len(s.Devices) > maxNodes:
		return errors.New("a text of the statement is too long")
	case !made(s.Nonce, letters, 16, 64):
		return errors.New("the statement has no nonce")
	case s.At.Year() < 2020:
		return errors.New("the statement has no time")
	}
	for _, f := range fields() {
		if v := f.get(s); strings.ContainsFunc(v, unicode.IsControl) || strings.TrimSpace(v) != v {
			return fmt.Errorf("the line %q of the statement has characters that no line has", f.name)
		}
	}
	return s.complete()
}

// complete refuses a statement without a word that its verb needs.
func (s *Statement) complete() error {
	for _, need := range []struct {
		word  string
		there bool
		verbs []Verb
	}{
		{"a site", s.Site != "", []Verb{Ask, Share, Taken, Refused, Waits, Began, Ended, Over, Looked, Recorded}},
		{"a run", s.Run != "", []Verb{
			Submit, Approve, Confirm, Resume, Rollback, Withdraw, Taken, Refused, Waits, Began, Ended, Over,
		}},
		{"a digest", s.Digest != "", []Verb{
			Ask, Share, Submit, Approve, Confirm, Resume, Rollback, Withdraw, Taken, Refused, Waits, Began, Ended, Over, Looked,
			Recorded,
		}},
		{"a wave", s.Wave > 0, []Verb{Approve, Began, Ended}},
		{"an outcome", s.Outcome != "", []Verb{Ended, Over}},
		{"a reason", s.Why != "", []Verb{Refused, Waits}},
	} {
		for _, v := range need.verbs {
			if v == s.Verb && !need.there {
				return fmt.Errorf("a statement %q needs %s", s.Verb, need.word)
			}
		}
	}
	return nil
}

// Sum returns the digest of a body.
func Sum(body []byte) string {
	h := sha256.Sum256(body)
	return hex.EncodeToString(h[:])
}

// cut shortens a text of another machine for a message.
func cut(text string) string {
	if len(text) > 60 {
		text = text[:60] + "…"
	}
	return text
}
