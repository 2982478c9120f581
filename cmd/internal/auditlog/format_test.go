package auditlog

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/journal"
)

// parsed is a message of RFC 5424.
type parsed struct {
	facility, severity        int
	at                        time.Time
	host, app, process, event string
	id                        string
	data                      map[string]string
	text                      string
}

// sdName is the SD-NAME of RFC 5424, 6: printable ASCII without a space, "=", "]" and a quotation mark.
const sdName = `([!#-<>-\\^-~]{1,32})`

// parse5424 reads a message by the grammar of RFC 5424, 6. It knows nothing of what rocec writes.
func parse5424(t *testing.T, text string) (p parsed) {
	t.Helper()
	m := regexp.MustCompile(`^<(\d{1,3})>1 (\S+) ([!-~]{1,255}) ([!-~]{1,48}) ([!-~]{1,128}) ([!-~]{1,32}) ` +
		`\[` + sdName).FindStringSubmatch(text)
	require.NotNil(t, m, text)
	priority, err := strconv.Atoi(m[1])
	require.NoError(t, err)
	require.LessOrEqual(t, priority, 191)
	require.Regexp(t, `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)$`, m[2])
	p = parsed{
		facility: priority / 8, severity: priority % 8, host: m[3], app: m[4], process: m[5], event: m[6], id: m[7], data: map[string]string{},
	}
	p.at, err = time.Parse(time.RFC3339Nano, m[2])
	require.NoError(t, err)
	rest := text[len(m[0]):]
	for !strings.HasPrefix(rest, "]") {
		m := regexp.MustCompile(`^ ` + sdName + `="((?:[^"\\\]]|\\.)*)"`).FindStringSubmatch(rest)
		require.NotNil(t, m, rest)
		p.data[m[1]] = regexp.MustCompile(`\\(["\\\]])`).ReplaceAllString(m[2], "$1")
		rest = rest[len(m[0]):]
	}
	require.True(t, rest == "]" || strings.HasPrefix(rest, "] "), rest)
	p.text = strings.TrimPrefix(rest[1:], " ")
	return p
}

var (
	sender = Sender{Host: "ws7", PID: 4711, Owner: "alice@ws7, process 4711"}
	at     = time.Date(2026, 11, 29, 22, 40, 15, 123456789, time.UTC)
)

// TestSyslog has the parts of an event in the parts of a message that RFC 5424 gives them.
func TestSyslog(t *testing.T) {
	e := event{Notice: journal.Notice{
		Event: "verb", Time: at, Run: "run-1", Device: "leaf01", Verb: "commit", Done: true, Result: "lost", Head: "aa", After: "bb", Warns: true,
	}}
	p := parse5424(t, string(syslogAlone(&e, sender)))
	require.JSONEq(t, `{"event":"verb","time":"2026-11-29T22:40:15.123456789Z","run":"run-1","device":"leaf01","verb":"commit","done":true,
		"result":"lost","head":"aa","after":"bb","by":"alice@ws7, process 4711"}`, p.text)
	p.text = ""
	require.Equal(t, parsed{
		facility: 13, severity: 4, at: at.Truncate(time.Microsecond), host: "ws7", app: "rocec", process: "4711", event: "verb",
		id: "rocec@32473", data: map[string]string{"run": "run-1", "device": "leaf01", "verb": "commit", "head": "aa"},
	}, p)
	e.Warns = false
	require.Equal(t, 5, parse5424(t, string(syslogAlone(&e, sender))).severity)
	counted := string(syslogCounted(&e, sender))
	length, text, _ := strings.Cut(counted, " ")
	require.Equal(t, strconv.Itoa(len(text)), length)
	require.Equal(t, string(syslogAlone(&e, sender)), text)
}

// TestBounds holds a message whose parts are all too long below 2048 bytes. A signature that is too long is left out.
func TestBounds(t *testing.T) {
	for _, unit := range []string{"a", `"`, "]", "ü", "\x1b", "\U0001f600", "\xff"} {
		long := strings.Repeat(unit, 3000)
		e := event{Dropped: 1 << 60, Notice: journal.Notice{
			Event: "verb", Time: at, Run: long, Owner: long, Tool: long, Fabric: long, Commit: long, Message: long, Undoes: long, Hold: long,
			Device: long, Verb: long, Result: long, Mark: long, Outcome: long, Signature: long, Head: strings.Repeat("a", 64),
			After: strings.Repeat("b", 64), Lab: true, Done: true, Devices: 1 << 60, Wave: 1 << 60,
		}}
		for name, part := range map[string]func(*event){
			"begin": func(e *event) { e.Device, e.Verb, e.Mark, e.Result, e.Outcome, e.Wave = "", "", "", "", "", 0 },
			"verb": func(e *event) {
				e.Owner, e.Tool, e.Fabric, e.Commit, e.Message, e.Undoes, e.Hold, e.Devices = "", "", "", "", "", "", "", 0
			},
		} {
			e := e
			part(&e)
			text := syslogAlone(&e, Sender{Host: long, PID: 1 << 30, Owner: long})
			require.Less(t, len(text), 2048, "%s %q", name, unit)
			require.NotContains(t, string(text), "signature")
			parse5424(t, string(text))
		}
	}
	e := event{Notice: journal.Notice{Event: "signed", Time: at, Run: "run-1", Signature: strings.Repeat("a\n", 350)}}
	require.Contains(t, string(syslogAlone(&e, sender)), `"signature":"a\na\n`)
}

// FuzzSyslog writes any texts as one message of printable ASCII, from which a reader gets the texts again.
func FuzzSyslog(f *testing.F) {
	f.Add("leaf01", `a]b"c\d`, "CHG1\nüber", "ws 7")
	f.Add("=", `="`, "=", "=")
	f.Fuzz(func(t *testing.T, device, verb, message, host string) {
		e := event{Notice: journal.Notice{Event: "verb", Time: at, Run: "run-1", Device: device, Verb: verb, Message: message}}
		text := string(syslogAlone(&e, Sender{Host: host, PID: 1}))
		require.Regexp(t, `^[ -~]+$`, text)
		p := parse5424(t, text)
		var got event
		require.NoError(t, json.Unmarshal([]byte(p.text), &got))
		if short := func(s string) bool { return len(s) < mostWord/6 }; short(device) && short(verb) && short(message) {
			valid := func(s string) string { return strings.ToValidUTF8(s, "\ufffd") }
			require.Len(t, []rune(got.Device), len([]rune(device)))
			require.Equal(t, len([]rune(valid(message))) > 0, got.Message != "")
			if device == valid(device) && message == valid(message) {
				require.Equal(t, []string{device, message}, []string{got.Device, got.Message})
			}
		}
		line := jsonLine(&e, sender)
		require.Equal(t, len(line)-1, strings.IndexByte(string(line), '\n'))
	})
}
