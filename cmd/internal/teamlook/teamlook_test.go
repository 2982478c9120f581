package teamlook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/broker"
	"github.com/rocec/rocec/cmd/internal/sshsig"
	"github.com/rocec/rocec/cmd/internal/sshsig/sshsigtest"
	"github.com/rocec/rocec/cmd/internal/statement"
)

var start = time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)

// site makes looks of the site dc1. Its number is the one of the next message.
type site struct {
	t      *testing.T
	token  *sshsigtest.Token
	number uint64
}

func newSite(t *testing.T) (*site, *Board) {
	s := &site{t: t, token: sshsigtest.NewToken(bytes.Repeat([]byte{1}, 32))}
	signers, err := sshsig.ParseSigners(fmt.Appendf(nil, "site:dc1 namespaces=\"rocec-site\" %s\n", s.token.Line()))
	require.NoError(t, err)
	return s, NewBoard(signers)
}

func look() *Look {
	return &Look{
		Commit: strings.Repeat("a", 40), Every: 900, Began: start, Devices: map[string]int{"good": 2, "drift": 1},
		Unlike:   []Set{{"drift", "leaf1"}},
		Findings: []Found{{"port-mtu", "error", 1, "leaf1"}},
	}
}

// message returns a look as the hub has it.
func (s *site) message(l any, change func(*statement.Statement), key *sshsigtest.Token) *broker.Message {
	body, err := json.Marshal(l)
	require.NoError(s.t, err)
	s.number++
	st := &statement.Statement{
		Verb: statement.Looked, Fabric: "prod", Site: "dc1", Outcome: statement.Complete, At: start, Nonce: fmt.Sprintf("%020d", s.number),
	}
	if change != nil {
		change(st)
	}
	signed, err := statement.Make(st, body, func(namespace string, message []byte) ([]byte, error) {
		return key.Sign(namespace, message, 1), nil
	})
	require.NoError(s.t, err)
	data, err := json.Marshal(signed)
	require.NoError(s.t, err)
	return &broker.Message{Subject: broker.Subject{Kind: broker.Look, Fabric: "prod", Site: "dc1"}, Number: s.number, At: start, Data: data}
}

// TestBoard: the newest look counts. One that could not be made does not hide the one before.
func TestBoard(t *testing.T) {
	s, b := newSite(t)
	require.Empty(t, b.Entries())
	require.NoError(t, b.Take(s.message(look(), nil, s.token)))
	later := start.Add(time.Minute)
	failed := func(st *statement.Statement) {
		st.At, st.Outcome, st.Why = later, Failed, "the run r is under way at this site"
	}
	require.NoError(t, b.Take(s.message(&Look{Every: 60}, failed, s.token)))
	require.Equal(t, []SiteLook{{
		Fabric: "prod", Site: "dc1", At: later, Failed: "the run r is under way at this site", Every: 60, Last: look(), Made: start,
	}}, b.Entries())
	require.NoError(t, b.Take(s.message(look(), func(st *statement.Statement) { st.At = later.Add(time.Second) }, s.token)))
	require.Empty(t, b.Entries()[0].Failed)
}

// TestRefused lists messages that change nothing.
func TestRefused(t *testing.T) {
	s, b := newSite(t)
	require.NoError(t, b.Take(s.message(look(), func(st *statement.Statement) { st.At = start.Add(time.Second) }, s.token)))
	had := b.Entries()
	other := sshsigtest.NewToken(bytes.Repeat([]byte{9}, 32))
	changed := func(change func(*Look)) *Look {
		l := look()
		change(l)
		return l
	}
	altered := s.message(look(), nil, s.token)
	altered.Data = bytes.Replace(altered.Data, []byte(`"body":"`), []byte(`"body":"AAAA`), 1)
	redirected := s.message(look(), nil, s.token)
	redirected.Site = "dc2"
	good := func(st *statement.Statement) { st.At = start.Add(time.Minute) }
	for says, m := range map[string]*broker.Message{
		"it is no signed statement": {Data: []byte("[]")},
		"no line has the key":       s.message(look(), good, other),
		"another SHA-256":           altered,
		"is for the site":           redirected,
		"a later one is known":      s.message(look(), nil, s.token), // replayed
		"and the hub got it at":     s.message(look(), func(st *statement.Statement) { st.At = start.Add(time.Hour) }, s.token),
		"is no look": s.message(look(), func(st *statement.Statement) {
			st.Verb, st.Run, st.At = statement.Taken, "r", start.Add(time.Minute)
		}, s.token),
		"it is no look of a site": s.message(map[string]string{"address": "192.0.2.1"}, good, s.token),
		"whether it could be made": s.message(look(), func(st *statement.Statement) {
			st.At, st.Outcome = start.Add(time.Minute), Failed
		}, s.token),
		"more kinds": s.message(changed(func(l *Look) { l.Findings = make([]Found, maxKinds+1) }), good, s.token),
		"has a form that": s.message(changed(func(l *Look) {
			l.Findings[0].Code = "<script>"
		}), good, s.token),
	} {
		assert.ErrorContains(t, b.Take(m), says)
	}
	for name, change := range map[string]func(*Look){
		"status":    func(l *Look) { l.Devices["a b"] = 1 },
		"count":     func(l *Look) { l.Devices["good"] = -1 },
		"set":       func(l *Look) { l.Unlike[0].Status = "" },
		"devices":   func(l *Look) { l.Unlike[0].Devices = "leaf\x1b[1m" },
		"long":      func(l *Look) { l.Findings[0].Devices = strings.Repeat("a", 2*mostNames+1) },
		"severity":  func(l *Look) { l.Findings[0].Severity = "ERROR" },
		"found":     func(l *Look) { l.Findings[0].Count = maxCount + 1 },
		"commit":    func(l *Look) { l.Commit = "../x" },
		"twice":     func(l *Look) { l.Findings = append(l.Findings, l.Findings[0]) },
		"intervals": func(l *Look) { l.Every = -1 },
	} {
		require.Error(t, b.Take(s.message(changed(change), good, s.token)), name)
	}
	require.Equal(t, had, b.Entries())
}

// TestNames: names of many devices are cut, and the rest is counted.
func TestNames(t *testing.T) {
	var names []string
	for i := range 3000 {
		names = append(names, fmt.Sprintf("%c%dx%d", 'a'+i%26, i*i%9973, i))
	}
	text := Names(names)
	require.Less(t, len(text), 2*mostNames)
	require.Regexp(t, ` and \d+ more$`, text)
}

// FuzzParse: whatever a site sends, a look has only words and bounded texts, and is equal when it is written and read again.
func FuzzParse(f *testing.F) {
	good, err := json.Marshal(look())
	require.NoError(f, err)
	f.Add(good)
	f.Add([]byte(`{}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := Parse(data)
		if err != nil {
			return
		}
		text, err := json.Marshal(l)
		require.NoError(t, err)
		again, err := Parse(text)
		require.NoError(t, err)
		second, err := json.Marshal(again)
		require.NoError(t, err)
		require.Equal(t, string(text), string(second))
	})
}
