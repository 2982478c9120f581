package auditlog

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/rocec/rocec/cmd/internal/journal"
)

// form writes an event as the bytes for one write to the socket.
type form func(*event, Sender) []byte

// event is what a central record gets of a line of a journal.
type event struct {
	journal.Notice
	By      string `json:"by"`
	Dropped int    `json:"dropped,omitempty"` // events before this one that were dropped
}

// Sender is the process that sends events.
type Sender struct {
	Host  string // name of the machine
	PID   int
	Owner string // person, machine and process
}

// The most bytes of a part of an event. Together they keep a message below 2048 bytes, which every receiver of syslog should take
// (RFC 5424, 6.1).
const (
	mostWord      = 64   // a word such as a verb
	mostName      = 128  // of a person, a device or a fabric
	mostText      = 320  // -m
	mostSignature = 1000 // the event does not have a longer one, since a part of a signature proves nothing
	mostHost      = 255  // RFC 5424, 6.2.4
)

// bound cuts the parts of an event that are too long.
func bound(e event, s Sender) *event {
	for _, word := range []*string{&e.Event, &e.Run, &e.Verb, &e.Result, &e.Mark, &e.Outcome, &e.Hold, &e.Undoes, &e.Commit, &e.Tool} {
		*word = cut(*word, mostWord)
	}
	for _, name := range []*string{&e.Device, &e.Fabric, &e.Owner} {
		*name = cut(*name, mostName)
	}
	e.By, e.Message = cut(s.Owner, mostName), cut(e.Message, mostText)
	if len(e.Signature) > mostSignature {
		e.Signature = ""
	}
	return &e
}

// cut returns the beginning of a text, which has at most a number of bytes as a part of JSON.
func cut(text string, most int) string {
	size := 0
	for i, r := range text {
		if size += sizeOf(r); size > most {
			return text[:i] + "..."
		}
	}
	return text
}

// sizeOf returns the most bytes of a character in JSON.
func sizeOf(r rune) int {
	switch {
	case r > 0xffff:
		return len(`\u0000\u0000`)
	case r < ' ' || r >= 0x7f || strings.ContainsRune("<>&", r):
		return len(`\u0000`)
	case r == '"' || r == '\\':
		return len(`\"`)
	}
	return 1
}

// ascii escapes the characters of JSON that are no printable ASCII, so that no terminal takes a part of a message for a command.
func ascii(text []byte) []byte {
	var out []byte
	for _, r := range string(text) {
		switch {
		case r < 0x7f:
			out = append(out, byte(r))
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}

// object returns an event as a JSON object.
func (e *event) object() []byte {
	out, err := json.Marshal(e)
	if err != nil {
		panic("rocec: " + err.Error()) // strings, numbers and times
	}
	return ascii(out)
}

// jsonLine is the event as a line.
func jsonLine(e *event, s Sender) []byte { return append(bound(*e, s).object(), '\n') }

// facility is that of audit logs (RFC 5424, 6.2.1), and the severities are those of what is normal and of what a person should look at.
const (
	facility = 13
	notice   = 5
	warning  = 4
)

// app is the APP-NAME.
const app = "rocec"

// dataID names the structured data. 32473 is the enterprise number for names of this kind without a number of their own (RFC 5612).
const dataID = "rocec@32473"

// syslogAlone is the event as a message of RFC 5424.
func syslogAlone(e *event, s Sender) []byte {
	e = bound(*e, s)
	severity := notice
	if e.Warns || e.Dropped > 0 {
		severity = warning
	}
	out := fmt.Appendf(nil, "<%d>1 %s %s %s %d %s [%s", facility*8+severity, e.Time.UTC().Format("2006-01-02T15:04:05.999999Z"),
		header(s.Host, mostHost), app, s.PID, header(e.Event, mostID), dataID)
	for _, p := range [][2]string{{"run", e.Run}, {"device", e.Device}, {"verb", e.Verb}, {"head", e.Head}} {
		if p[1] != "" {
			out = fmt.Appendf(out, ` %s="%s"`, p[0], value(p[1]))
		}
	}
	return append(append(out, "] "...), e.object()...)
}

// mostID is the longest MSGID (RFC 5424, 6.2.7).
const mostID = 32

// syslogCounted is the message after its length (RFC 6587, 3.4.1).
func syslogCounted(e *event, s Sender) []byte {
	text := syslogAlone(e, s)
	return append(fmt.Appendf(nil, "%d ", len(text)), text...)
}

// header returns a text as a part of the header, which has printable ASCII without a space; a dash is no text.
func header(text string, most int) string {
	out := printable(text, func(r rune) bool { return r > ' ' && r < 0x7f })
	if out == "" {
		return "-"
	}
	return out[:min(len(out), most)]
}

// value returns a text as the value of structured data.
func value(text string) string {
	out := printable(text, func(r rune) bool { return r >= ' ' && r < 0x7f })
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, `]`, `\]`).Replace(out)
}

// printable has a question mark in the place of each character that is not right.
func printable(text string, right func(rune) bool) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !right(r) {
			return '?'
		}
		return r
	}, text)
}
