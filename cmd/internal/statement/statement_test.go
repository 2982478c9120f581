package statement

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/cmd/internal/sshsig"
	"github.com/rocec/rocec/cmd/internal/sshsig/sshsigtest"
)

var at = time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)

// ended is a statement of a site whose lines all have a value.
func ended() *Statement {
	return &Statement{
		Verb: Ended, Fabric: "prod", Run: "20261130-080000-alice-1", Digest: Sum([]byte("plan")), Site: "dc1", Wave: 2, Epoch: 17,
		Outcome: Complete, Devices: "leaf[01-02]", Head: Sum([]byte("head")), Why: "all is well", At: at, Nonce: strings.Repeat("A", 26),
	}
}

// TestText holds the bytes that keys sign.
func TestText(t *testing.T) {
	text, err := ended().Text()
	require.NoError(t, err)
	lines := strings.Split(string(text), "\n")
	assert.Equal(t, []string{
		"rocec statement 1", "verb ended", "fabric prod", "run 20261130-080000-alice-1", "digest " + Sum([]byte("plan")), "site dc1",
		"wave 2", "epoch 17", "outcome complete", "devices leaf[01-02]", "head " + Sum([]byte("head")), "why all is well",
		"at 2026-11-30T08:00:00Z", "nonce AAAAAAAAAAAAAAAAAAAAAAAAAA", "",
	}, lines)
}

// TestRefused lists statements that are not accepted, by the change that makes them of a good one.
func TestRefused(t *testing.T) {
	for says, change := range map[string]func(*Statement){
		"there is no statement":            func(s *Statement) { s.Verb = "reboot" },
		"names no fabric":                  func(s *Statement) { s.Fabric = "" },
		"no name has":                      func(s *Statement) { s.Site = "dc1.>" },
		"a run, site or outcome":           func(s *Statement) { s.Run = "*" },
		"no SHA-256":                       func(s *Statement) { s.Digest = "ABC" },
		"too long":                         func(s *Statement) { s.Why = strings.Repeat("a", maxWhy+1) },
		"no nonce":                         func(s *Statement) { s.Nonce = "short" },
		"has no time":                      func(s *Statement) { s.At = time.Time{} },
		`the line "why"`:                   func(s *Statement) { s.Why = "a\u0085b" },
		`the line "devices"`:               func(s *Statement) { s.Devices = " leaf01" },
		"where it belongs":                 func(s *Statement) { s.Fabric = "prod\nrun other" },
		`a statement "ended" needs a wave`: func(s *Statement) { s.Wave = 0 },
		"is no number":                     func(s *Statement) { s.Wave = -1 },
		"needs an outcome":                 func(s *Statement) { s.Outcome = "" },
	} {
		s := ended()
		change(s)
		_, err := s.Text()
		require.ErrorContains(t, err, says)
	}
	good, err := ended().Text()
	require.NoError(t, err)
	for says, text := range map[string]string{
		"larger than 64 KiB": string(good) + strings.Repeat(" ", maxText),
		"not UTF-8":          strings.Replace(string(good), "well", "\xff", 1),
		"of this format":     strings.Replace(string(good), "statement 1", "statement 2", 1),
		"more lines":         string(good) + "why not\n",
		"where it belongs":   strings.Replace(string(good), "wave 2", "wave ", 1),
	} {
		_, err := Parse([]byte(text))
		require.ErrorContains(t, err, says)
	}
	_, err = Parse([]byte(strings.Replace(string(good), "wave 2", "wave 02", 1)))
	require.ErrorContains(t, err, "is no number", "each statement has one text")
}

var verbs = []Verb{
	Ask, Submit, Approve, Confirm, Resume, Rollback, Withdraw, Share, Taken, Refused, Waits, Began, Ended, Over, Looked,
}

// TestEveryVerb: each verb has a role, and needs a site if sites make it.
func TestEveryVerb(t *testing.T) {
	for _, v := range verbs {
		s := ended()
		s.Verb = v
		_, err := s.Text()
		require.NoError(t, err, v)
		s.Site = ""
		_, err = s.Text()
		assert.Equal(t, v.OfSite() || v == Ask, err != nil, v)
	}
}

// TestOneText: whatever the words are, Parse returns the statement of a text, and each statement has one text.
func TestOneText(t *testing.T) {
	word := rapid.StringMatching(`[A-Za-z0-9][A-Za-z0-9_-]{0,20}`)
	line := rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(word, 0, 4).Draw(t, "words"), " ") })
	rapid.Check(t, func(t *rapid.T) {
		s := &Statement{
			Verb:   rapid.SampledFrom(verbs).Draw(t, "verb"),
			Fabric: word.Draw(t, "fabric"), Run: word.Draw(t, "run"), Digest: Sum([]byte(line.Draw(t, "body"))), Site: word.Draw(t, "site"),
			Wave: rapid.IntRange(1, 1<<20).Draw(t, "wave"), Epoch: rapid.Uint64Range(0, 1<<63).Draw(t, "epoch"),
			Outcome: word.Draw(t, "outcome"), Devices: line.Draw(t, "devices"), Why: "w" + line.Draw(t, "why"),
			At: at.Add(time.Duration(rapid.IntRange(0, 1<<30).Draw(t, "seconds")) * time.Second), Nonce: strings.Repeat("n", 20),
		}
		text, err := s.Text()
		require.NoError(t, err)
		back, err := Parse(text)
		require.NoError(t, err)
		require.Equal(t, s, back)
	})
}

func FuzzParse(f *testing.F) {
	good, _ := ended().Text()
	f.Add(good)
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Parse(data)
		if err != nil {
			return
		}
		text, err := s.Text()
		require.NoError(t, err)
		require.True(t, bytes.Equal(data, text), "two texts for one statement")
	})
}

// TestOpen signs statements and opens them with other signers, bodies and authors.
func TestOpen(t *testing.T) {
	alice, site := sshsigtest.NewToken(bytes.Repeat([]byte{1}, 32)), sshsigtest.NewToken(bytes.Repeat([]byte{2}, 32))
	signers, err := sshsig.ParseSigners([]byte("alice namespaces=\"rocec-apply,rocec-plan\" " + alice.Line() + "\n" +
		"site:dc1 namespaces=\"rocec-site\" " + site.Line() + "\n"))
	require.NoError(t, err)
	by := func(k *sshsigtest.Token) func(string, []byte) ([]byte, error) {
		return func(namespace string, message []byte) ([]byte, error) { return k.Sign(namespace, message, 1), nil }
	}
	open := func(s *Statement, body []byte, k *sshsigtest.Token, change func(*Signed)) (string, error) {
		m, err := Make(s, body, by(k))
		require.NoError(t, err)
		if change != nil {
			change(m)
		}
		_, who, err := m.Open(signers, at)
		return who, err
	}
	submit := func() *Statement {
		s := ended()
		s.Verb = Submit
		return s
	}
	who, err := open(submit(), []byte("plan"), alice, nil)
	require.NoError(t, err)
	assert.Equal(t, "alice", who)
	who, err = open(ended(), nil, site, nil)
	require.NoError(t, err)
	assert.Equal(t, "site:dc1", who)

	other := ended()
	other.Site = "dc2"
	_, err = open(other, nil, site, nil)
	require.ErrorContains(t, err, `of the site "dc2"`, "a site speaks for itself alone")
	_, err = open(ended(), nil, alice, nil)
	require.ErrorContains(t, err, `does not allow alice to sign for "rocec-site"`)
	approve := submit()
	approve.Verb = Approve
	_, err = open(approve, nil, alice, nil)
	require.ErrorContains(t, err, `does not allow alice to sign for "rocec-approve"`)
	_, err = open(submit(), []byte("plan"), alice, func(m *Signed) { m.Body = []byte("plan2") })
	require.ErrorContains(t, err, "another SHA-256")
	_, err = open(submit(), nil, alice, func(m *Signed) { m.Text = strings.Replace(m.Text, "wave 2", "wave 3", 1) })
	require.Error(t, err)
	_, err = open(submit(), nil, sshsigtest.NewToken(bytes.Repeat([]byte{3}, 32)), nil)
	require.ErrorContains(t, err, "no line has the key")
}

// TestSiteIsNoPerson: a site decides nothing that persons decide, whatever roles its line allows, and keeps its own role.
func TestSiteIsNoPerson(t *testing.T) {
	k := sshsigtest.NewToken(bytes.Repeat([]byte{2}, 32))
	for _, name := range []string{"site:dc1", "Site:dc1"} {
		signers, err := sshsig.ParseSigners([]byte(name + " " + k.Line() + "\n"))
		require.NoError(t, err)
		for _, v := range verbs {
			s := ended()
			s.Verb = v
			m, err := Make(s, nil, func(namespace string, message []byte) ([]byte, error) { return k.Sign(namespace, message, 1), nil })
			require.NoError(t, err)
			_, _, err = m.Open(signers, at)
			switch {
			case !v.OfSite():
				require.ErrorContains(t, err, "to "+name+", which is a site and no person", v)
			case name == "site:dc1":
				require.NoError(t, err, v)
			default:
				require.ErrorContains(t, err, "Site:dc1 signed it", v)
			}
		}
	}
}

// TestFits: a statement about something else, for another site or of another time does not fit.
func TestFits(t *testing.T) {
	s := ended()
	s.Verb, s.Site = Confirm, ""
	good := Want{Fabric: s.Fabric, Run: s.Run, Digest: s.Digest, Site: "dc1", Now: at.Add(4 * time.Minute)}
	require.NoError(t, s.Fits(good))
	require.NoError(t, s.Fits(Want{}))
	for says, change := range map[string]func(*Want){
		`the fabric "prod", not "lab"`: func(w *Want) { w.Fabric = "lab" },
		`the run`:                      func(w *Want) { w.Run = "other" },
		`the plan`:                     func(w *Want) { w.Digest = Sum(nil) },
		"good for 5 minutes":           func(w *Want) { w.Now = at.Add(6 * time.Minute) },
		"08:00:00Z":                    func(w *Want) { w.Now = at.Add(-6 * time.Minute) },
	} {
		w := good
		change(&w)
		require.ErrorContains(t, s.Fits(w), says)
	}
	s.Site = "dc2"
	require.ErrorContains(t, s.Fits(good), `for the site "dc2", not "dc1"`)
	require.ErrorContains(t, (&Statement{Verb: Over}).Fits(Want{Site: "dc1"}), "for the site")
}
