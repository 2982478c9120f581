package broker

import (
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/rocec/rocec/cmd/internal/statement"
)

// Kind is the kind of a message.
type Kind string

// The kinds, with the tokens of their subjects.
const (
	Ask    Kind = "ask"    // FABRIC SITE: a question for a share
	Share  Kind = "share"  // FABRIC SITE: the answer
	Submit Kind = "submit" // FABRIC: a signed plan
	Say    Kind = "say"    // FABRIC RUN: a statement of a person about a run
	Wave   Kind = "wave"   // FABRIC RUN SITE: a statement of a site about a run
	Event  Kind = "event"  // FABRIC RUN SITE: a line of the journal of a site
	Look   Kind = "look"   // FABRIC SITE: the result of a scheduled verify
	Record Kind = "record" // FABRIC SITE: a message of a person that a site has kept, for a hub that has lost it
)

// Kinds are all kinds.
var Kinds = []Kind{Ask, Share, Submit, Say, Wave, Event, Look, Record}

// root is the first token of every subject.
const root = "rocec"

// Subject is the address of a message. In a filter an empty field matches every value.
type Subject struct {
	Kind              Kind
	Fabric, Run, Site string
}

// tokens returns the fields that a kind has.
func (s *Subject) tokens() []*string {
	switch s.Kind {
	case Ask, Share, Look, Record:
		return []*string{&s.Fabric, &s.Site}
	case Submit:
		return []*string{&s.Fabric}
	case Say:
		return []*string{&s.Fabric, &s.Run}
	case Wave, Event:
		return []*string{&s.Fabric, &s.Run, &s.Site}
	}
	return nil
}

// Name returns the subject of a message. It panics if a field is empty: the caller has named fabric, run and site before.
func (s Subject) Name() string {
	name := s.Filter()
	if strings.Contains(name, "*") {
		panic("broker: the subject " + name + " is incomplete")
	}
	return name
}

// Filter returns the subjects that have the fields which are set.
func (s Subject) Filter() string {
	out := []string{root, string(s.Kind)}
	for _, field := range s.tokens() {
		if *field == "" {
			out = append(out, "*")
		} else {
			out = append(out, encode(*field))
		}
	}
	return strings.Join(out, ".")
}

// ParseSubject reads the subject of a message.
func ParseSubject(name string) (Subject, error) {
	parts := strings.Split(name, ".")
	if len(parts) < 3 || parts[0] != root {
		return Subject{}, fmt.Errorf("%q is no subject of rocec", cut(name))
	}
	s := Subject{Kind: Kind(parts[1])}
	fields := s.tokens()
	if len(fields) == 0 || len(fields) != len(parts)-2 {
		return Subject{}, fmt.Errorf("%q is no subject of rocec", cut(name))
	}
	for i, field := range fields {
		value, ok := decode(parts[i+2])
		if !ok {
			return Subject{}, fmt.Errorf("%q is no subject of rocec", cut(name))
		}
		*field = value
	}
	return s, nil
}

// hexed begins the token of a name with other characters. No token of a statement begins with it.
const hexed = "_"

// encode returns a name as one token: a server takes dots, "*" and ">" for parts of a pattern.
func encode(name string) string {
	if statement.Token(name) {
		return name
	}
	return hexed + hex.EncodeToString([]byte(name))
}

// decode is the reverse of encode.
func decode(token string) (string, bool) {
	text, is := strings.CutPrefix(token, hexed)
	if !is {
		return token, statement.Token(token)
	}
	name, err := hex.DecodeString(text)
	return string(name), err == nil && len(name) > 0 && encode(string(name)) == token
}

// cut shortens a text of a server for a message.
func cut(text string) string {
	if len(text) > 80 {
		text = text[:80] + "…"
	}
	return text
}
