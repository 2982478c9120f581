package teamqueue

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/cmd/internal/broker"
	"github.com/rocec/rocec/cmd/internal/sshsig"
	"github.com/rocec/rocec/cmd/internal/sshsig/sshsigtest"
	"github.com/rocec/rocec/cmd/internal/statement"
	"github.com/rocec/rocec/targets/deploy"
)

var start = time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)

// team makes the messages of two sites, of persons with roles, and of a hub that numbers them.
type team struct {
	t       require.TestingT
	keys    map[string]*sshsigtest.Token
	signers *sshsig.Signers
	now     time.Time
	number  uint64
	nonce   int
}

func newTeam(t require.TestingT) *team {
	w := &team{t: t, keys: map[string]*sshsigtest.Token{}, now: start}
	var lines strings.Builder
	for i, who := range []string{"alice", "bob", "carol", "site:dc1", "site:dc2", "mallory"} {
		w.keys[who] = sshsigtest.NewToken(bytes.Repeat([]byte{byte(i + 1)}, 32))
		roles := map[string]string{
			"alice": "rocec-plan,rocec-apply", "bob": "rocec-approve", "carol": "rocec-approve,rocec-apply", "site:dc1": "rocec-site",
			"site:dc2": "rocec-site",
		}[who]
		if roles != "" {
			fmt.Fprintf(&lines, "%s namespaces=\"%s\" %s\n", who, roles, w.keys[who].Line())
		}
	}
	var err error
	w.signers, err = sshsig.ParseSigners([]byte(lines.String()))
	require.NoError(t, err)
	return w
}

// plan returns a plan with two waves of dc1 and one of dc2, which is held.
func (w *team) plan(nonce string) []byte {
	var b bytes.Buffer
	require.NoError(w.t, deploy.SavePlan(&b, &deploy.Plan{}, deploy.Meta{Tool: "dev", Fabric: "prod", Terms: &deploy.Terms{
		Name: "prod", Commit: "abc", Made: start, Expires: start.Add(8 * time.Hour), Nonce: nonce, Waves: []string{"leaf1", "leaf2", "leaf3"},
		Disrupts: []string{}, Shares: []deploy.TermShare{{Site: "dc1", Waves: 2}, {Site: "dc2", Waves: 1}},
		Holds: []deploy.TermHold{{Wave: 3, Approvals: 1, WithinSeconds: 3600}},
	}}))
	return b.Bytes()
}

// message signs a statement, and gives it the next number.
func (w *team) message(kind broker.Kind, who string, s statement.Statement, body []byte) *broker.Message {
	w.nonce++
	s.Fabric, s.At, s.Nonce = "prod", w.now, fmt.Sprintf("%020d", w.nonce)
	m, err := statement.Make(&s, body, func(namespace string, message []byte) ([]byte, error) {
		return w.keys[who].Sign(namespace, message, 1), nil
	})
	require.NoError(w.t, err)
	data, err := json.Marshal(m)
	require.NoError(w.t, err)
	w.number++
	of := broker.Subject{Kind: kind, Fabric: s.Fabric}
	if kind != broker.Submit {
		of.Run = s.Run
	}
	if kind == broker.Wave {
		of.Site = s.Site
	}
	return &broker.Message{Subject: of, Number: w.number, At: w.now, Data: data}
}

// submit returns a submission of alice, and the digest of its envelope.
func (w *team) submit(run string) (*broker.Message, string) {
	body, err := json.Marshal(Envelope{Plan: w.plan("nonce-" + run)})
	require.NoError(w.t, err)
	return w.message(broker.Submit, "alice", statement.Statement{Verb: statement.Submit, Run: run}, body), statement.Sum(body)
}

// site returns a statement of a site about run r1.
func (w *team) site(site, digest string, verb statement.Verb, wave int, outcome string) *broker.Message {
	s := statement.Statement{Verb: verb, Run: "r1", Digest: digest, Site: site, Wave: wave, Outcome: outcome, Epoch: 1}
	if verb == statement.Refused || outcome != "" {
		s.Why = "no reason"
	}
	return w.message(broker.Wave, "site:"+site, s, nil)
}

// TestRun goes through a run of two sites: each wave waits for what the reason names.
func TestRun(t *testing.T) {
	w := newTeam(t)
	q := New(w.signers)
	m, digest := w.submit("r1")
	require.NoError(t, q.Take(m))
	r := q.Run("r1")
	require.Equal(t, []int{1, 2, 3, 3}, []int{r.Shares[0].First, r.Shares[0].Last, r.Shares[1].First, r.Shares[1].Last})
	may := func(wave int) string {
		v, why := q.May(r, wave, w.now, func(site string) bool { return site == "dc2" })
		return fmt.Sprint(v, " ", why)
	}
	take := func(m *broker.Message) {
		t.Helper()
		require.NoError(t, q.Take(m))
	}
	assert.Equal(t, "1 the site dc1 has not taken the run", may(1))
	take(w.site("dc1", digest, statement.Taken, 0, ""))
	assert.Equal(t, "1 the site dc2 has not taken the run; the site dc2 is away", may(1))
	take(w.site("dc2", digest, statement.Taken, 0, ""))
	assert.Equal(t, "0 ", may(1))
	assert.Equal(t, "1 wave dc1/1 is not over", may(2))
	take(w.site("dc1", digest, statement.Began, 1, ""))
	take(w.site("dc1", digest, statement.Ended, 1, statement.Complete))
	assert.Equal(t, "0 ", may(2))
	take(w.site("dc1", digest, statement.Ended, 2, statement.Complete))
	take(w.site("dc1", digest, statement.Over, 0, statement.Complete))
	assert.Equal(t, "1 wave dc2/1 is held for 1 approval and has 0, until 2026-11-30T09:00:00Z", may(3))
	w.now = start.Add(time.Hour)
	assert.Equal(t, "2 wave dc2/1 was held for 1 approval, and had 0 by 2026-11-30T09:00:00Z", may(3))
	w.now = start.Add(59 * time.Minute)
	require.ErrorContains(t, q.Take(w.message(broker.Say, "alice", statement.Statement{
		Verb: statement.Approve, Run: "r1", Digest: digest,
		Wave: 3,
	}, nil)), "does not allow alice to sign for \"rocec-approve\"")
	take(w.message(broker.Say, "bob", statement.Statement{Verb: statement.Approve, Run: "r1", Digest: digest, Wave: 3}, nil))
	assert.Equal(t, "0 ", may(3))

	second, _ := w.submit("r2")
	require.NoError(t, q.Take(second))
	v, why := q.May(q.Run("r2"), 1, w.now, nil)
	assert.Equal(t, Wait, v)
	assert.Equal(t, "the run r1 of alice is before it", why)
	take(w.site("dc2", digest, statement.Over, 0, statement.Complete))
	require.True(t, r.Over(w.now))
	_, why = q.May(q.Run("r2"), 1, w.now, nil)
	assert.Equal(t, "the site dc1 has not taken the run", why)
	assert.Len(t, q.Runs("prod"), 2)
	assert.Len(t, q.Runs(""), 2)
}

// TestNever lists what ends a run before a wave.
func TestNever(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(w *team, q *Queue, digest string) *broker.Message
		says string
	}{
		"a failed wave": {func(w *team, _ *Queue, digest string) *broker.Message {
			return w.site("dc1", digest, statement.Ended, 1, "stopped")
		}, "wave dc1/1 ended as stopped: no reason"},
		"a failed share": {func(w *team, _ *Queue, digest string) *broker.Message {
			return w.site("dc1", digest, statement.Over, 0, "stopped")
		}, "the share of the site dc1 ended as stopped: no reason"},
		"a refusal": {func(w *team, _ *Queue, digest string) *broker.Message {
			return w.site("dc2", digest, statement.Refused, 0, "")
		}, "the site dc2 refuses the run: no reason"},
		"withdrawn": {func(w *team, _ *Queue, digest string) *broker.Message {
			return w.message(broker.Say, "carol", statement.Statement{Verb: statement.Withdraw, Run: "r1", Digest: digest}, nil)
		}, "carol withdrew the run"},
		"expired": {func(w *team, _ *Queue, digest string) *broker.Message {
			w.now = start.Add(9 * time.Hour)
			return w.site("dc1", digest, statement.Taken, 0, "")
		}, "the plan was valid until 2026-11-30T16:00:00Z"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newTeam(t)
			q := New(w.signers)
			m, digest := w.submit("r1")
			require.NoError(t, q.Take(m))
			require.NoError(t, q.Take(c.do(w, q, digest)))
			v, why := q.May(q.Run("r1"), 2, w.now, nil)
			assert.Equal(t, Never, v)
			assert.Equal(t, c.says, why)
		})
	}
}

// TestRejects lists messages that change nothing, by the reason.
func TestRejects(t *testing.T) {
	w := newTeam(t)
	q := New(w.signers)
	m, digest := w.submit("r1")
	require.NoError(t, q.Take(m))
	say := func(who string, s statement.Statement) *broker.Message {
		s.Run = "r1"
		if s.Digest == "" {
			s.Digest = digest
		}
		return w.message(broker.Say, who, s, nil)
	}
	again := *m
	old := say("carol", statement.Statement{Verb: statement.Withdraw})
	old.At = start.Add(time.Hour)
	for says, of := range map[string]*broker.Message{
		"is not above 1": m,
		"there is a run r1 already": func() *broker.Message {
			m, _ := w.submit("r1")
			return m
		}(),
		"no line has the key": say("mallory", statement.Statement{Verb: statement.Withdraw}),
		`for "rocec-apply"`:   say("bob", statement.Statement{Verb: statement.Withdraw}),
		`has no site "dc9"`:   say("carol", statement.Statement{Verb: statement.Resume, Site: "dc9"}),
		"about the plan":      say("carol", statement.Statement{Verb: statement.Confirm, Digest: statement.Sum(nil)}),
		"wave 2 is not held":  say("bob", statement.Statement{Verb: statement.Approve, Wave: 2}),
		"good for 5 minutes":  old,
		"wave 3 belongs to":   w.site("dc1", digest, statement.Began, 3, ""),
		"it is no signed":     {Subject: broker.Subject{Kind: broker.Say, Fabric: "prod", Run: "r1"}, Data: []byte("{")},
		"does not belong into say": w.message(broker.Say, "site:dc1", statement.Statement{
			Verb: statement.Taken, Run: "r1", Digest: digest, Site: "dc1",
		}, nil),
		"there is no run r9": w.message(broker.Say, "carol", statement.Statement{Verb: statement.Withdraw, Run: "r9", Digest: digest}, nil),
		"its subject about another one": func() *broker.Message {
			m := w.site("dc1", digest, statement.Taken, 0, "")
			m.Site = "dc2"
			return m
		}(),
	} {
		w.number++
		if of.Number = w.number; says == "is not above 1" {
			again.Number = 1
			of = &again
		}
		before := fmt.Sprintf("%+v", *q.Run("r1"))
		q.last = 1
		require.ErrorContains(t, q.Take(of), says)
		require.Equal(t, before, fmt.Sprintf("%+v", *q.Run("r1")), says)
	}
	require.Len(t, q.Rejected, 13)
	resume := say("carol", statement.Statement{Verb: statement.Resume})
	require.NoError(t, q.Take(resume))
	twice := *resume
	w.number++
	twice.Number = w.number
	require.ErrorContains(t, q.Take(&twice), "came before")
	require.ErrorContains(t, q.Take(w.site("dc1", digest, statement.Taken, 0, "")), "has gone on in epoch")
}

// TestHubAddsNothing: whatever a hub without keys drops, repeats, delays, reorders and forges, a wave may begin only if the sites of all
// earlier waves have signed that these are complete.
func TestHubAddsNothing(t *testing.T) {
	met := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		w := newTeam(t)
		m, digest := w.submit("r1")
		all := []*broker.Message{m, w.site("dc1", digest, statement.Taken, 0, ""), w.site("dc2", digest, statement.Taken, 0, "")}
		signed := map[int]bool{}
		for wave, site := range map[int]string{1: "dc1", 2: "dc1", 3: "dc2"} {
			if rapid.Bool().Draw(t, fmt.Sprint("wave ", wave)) {
				signed[wave] = true
				all = append(all, w.site(site, digest, statement.Ended, wave, statement.Complete))
			}
		}
		all = append(all, w.message(broker.Say, "bob", statement.Statement{Verb: statement.Approve, Run: "r1", Digest: digest, Wave: 3}, nil))
		for range rapid.IntRange(0, 12).Draw(t, "attacks") {
			of := *rapid.SampledFrom(all).Draw(t, "message")
			of.Number = rapid.Uint64Range(0, 30).Draw(t, "number")
			of.At = of.At.Add(time.Duration(rapid.IntRange(-600, 600).Draw(t, "seconds")) * time.Second)
			switch rapid.SampledFrom([]string{"replay", "other wave", "forged", "other site"}).Draw(t, "attack") {
			case "other wave":
				of.Data = bytes.Replace(of.Data, []byte(`\nwave 1\n`), []byte(`\nwave 2\n`), 1)
			case "forged":
				forged := w.message(of.Kind, "mallory", statement.Statement{
					Verb: statement.Ended, Run: "r1", Digest: digest, Site: "dc1", Wave: 2, Outcome: statement.Complete, Epoch: 1,
				}, nil)
				of.Data = forged.Data
			case "other site":
				of.Site = "dc2"
			}
			all = append(all, &of)
		}
		order := all
		if rapid.IntRange(0, 2).Draw(t, "reorder") == 0 {
			order = rapid.Permutation(all).Draw(t, "order")
		}
		q := New(w.signers)
		for i, of := range order {
			if rapid.IntRange(0, 19).Draw(t, "drop") == 0 && i > 0 {
				continue
			}
			one := *of
			if rapid.IntRange(0, 3).Draw(t, "renumber") > 0 {
				one.Number = uint64(i + 1)
			}
			_ = q.Take(&one)
		}
		r := q.Run("r1")
		if r == nil {
			met["no run"]++
			return
		}
		for wave := 1; wave <= 3; wave++ {
			v, _ := q.May(r, wave, w.now, nil)
			for before := 1; before < wave; before++ {
				if v == Begin && !signed[before] {
					t.Fatalf("wave %d may begin, and wave %d has no end that its site signed", wave, before)
				}
			}
			if v == Begin {
				met[fmt.Sprint("begin ", wave)]++
			}
		}
	})
	for _, kind := range []string{"begin 1", "begin 2"} {
		require.NotZero(t, met[kind], kind)
	}
}

// TestAgain: a run that is resumed or rolled back is a new one in the queue: it waits for the runs before, each site takes it again, and
// what sites said before does not count. A rollback goes from the last site to the first.
func TestAgain(t *testing.T) {
	w := newTeam(t)
	q := New(w.signers)
	m, digest := w.submit("r1")
	require.NoError(t, q.Take(m))
	take := func(m *broker.Message) {
		t.Helper()
		require.NoError(t, q.Take(m))
	}
	at := func(site string, epoch uint64, verb statement.Verb, wave int, outcome string) *broker.Message {
		s := statement.Statement{Verb: verb, Run: "r1", Digest: digest, Site: site, Wave: wave, Outcome: outcome, Epoch: epoch, Why: "a reason"}
		return w.message(broker.Wave, "site:"+site, s, nil)
	}
	say := func(verb statement.Verb) uint64 {
		t.Helper()
		take(w.message(broker.Say, "carol", statement.Statement{Verb: verb, Run: "r1", Digest: digest}, nil))
		return w.number
	}
	take(at("dc1", 1, statement.Taken, 0, ""))
	take(at("dc2", 1, statement.Taken, 0, ""))
	take(at("dc1", 1, statement.Ended, 1, statement.Complete))
	take(at("dc1", 1, statement.Ended, 2, "stopped"))
	take(at("dc1", 1, statement.Over, 0, "stopped"))
	take(at("dc2", 1, statement.Over, 0, "stopped"))
	r := q.Run("r1")
	require.True(t, r.Over(w.now))
	second, _ := w.submit("r2")
	take(second)

	resume := say(statement.Resume)
	require.False(t, r.Over(w.now))
	require.ErrorContains(t, q.Take(at("dc1", 1, statement.Ended, 2, statement.Complete)), "gone on in epoch")
	v, why := q.MayTake(r, w.now, nil)
	assert.Equal(t, Wait, v)
	assert.Equal(t, "the run r2 of alice is before it", why)
	_, why = q.May(q.Run("r2"), 1, w.now, nil)
	assert.Equal(t, "the site dc1 has not taken the run", why)
	take(w.message(broker.Say, "carol", statement.Statement{Verb: statement.Withdraw, Run: "r2", Digest: q.Run("r2").Digest}, nil))
	v, _ = q.MayTake(r, w.now, nil)
	assert.Equal(t, Begin, v)
	take(at("dc1", resume, statement.Taken, 0, ""))
	_, why = q.May(r, 2, w.now, nil)
	assert.Equal(t, "the site dc2 has not taken the run", why)
	take(at("dc2", resume, statement.Taken, 0, ""))
	v, _ = q.May(r, 2, w.now, nil)
	assert.Equal(t, Begin, v, "wave 1 is complete since before")
	take(at("dc1", resume, statement.Ended, 2, statement.Complete))
	take(at("dc1", resume, statement.Over, 0, statement.Complete))

	back := say(statement.Rollback)
	v, why = q.May(r, 3, w.now, nil)
	assert.Equal(t, Never, v)
	assert.Equal(t, "carol rolled the run back", why)
	take(at("dc1", back, statement.Taken, 0, ""))
	_, why = q.MayGoBack(r, "dc1", w.now, nil)
	assert.Equal(t, "the site dc2 has not taken the run", why)
	take(at("dc2", back, statement.Taken, 0, ""))
	_, why = q.MayGoBack(r, "dc1", w.now, nil)
	assert.Equal(t, "the site dc2 has not undone its share", why)
	v, _ = q.MayGoBack(r, "dc2", w.now, nil)
	assert.Equal(t, Begin, v)
	take(at("dc2", back, statement.Over, 0, statement.Complete))
	v, _ = q.MayGoBack(r, "dc1", w.now, nil)
	assert.Equal(t, Begin, v)
	require.False(t, r.Over(w.now))
	take(at("dc1", back, statement.Over, 0, statement.Complete))
	require.True(t, r.Over(w.now))
	confirm := w.message(broker.Say, "carol", statement.Statement{Verb: statement.Confirm, Run: "r1", Digest: digest}, nil)
	require.ErrorContains(t, q.Take(confirm), "carol rolled the run back")
}

// TestOtherOrders: where a hub shows two runs to two sites in different orders, neither begins at any site.
func TestOtherOrders(t *testing.T) {
	w := newTeam(t)
	first, digest1 := w.submit("r1")
	second, digest2 := w.submit("r2")
	one, two := New(w.signers), New(w.signers)
	number := func(m *broker.Message, n uint64) *broker.Message {
		of := *m
		of.Number = n
		return &of
	}
	require.NoError(t, one.Take(number(first, 1)))
	require.NoError(t, one.Take(number(second, 2)))
	require.NoError(t, two.Take(number(second, 1)))
	require.NoError(t, two.Take(number(first, 2)))
	taken := map[string]bool{}
	for site, q := range map[string]*Queue{"dc1": one, "dc2": two} {
		for run, digest := range map[string]string{"r1": digest1, "r2": digest2} {
			if v, _ := q.MayTake(q.Run(run), w.now, nil); v == Begin {
				taken[site+" "+run] = true
				s := statement.Statement{Verb: statement.Taken, Run: run, Digest: digest, Site: site, Epoch: 2}
				m := w.message(broker.Wave, "site:"+site, s, nil)
				require.NoError(t, one.Take(m))
				require.NoError(t, two.Take(m))
			}
		}
	}
	require.Equal(t, map[string]bool{"dc1 r1": true, "dc2 r2": true}, taken)
	for _, q := range []*Queue{one, two} {
		for _, run := range []string{"r1", "r2"} {
			v, _ := q.May(q.Run(run), 1, w.now, nil)
			require.Equal(t, Wait, v)
		}
	}
}
