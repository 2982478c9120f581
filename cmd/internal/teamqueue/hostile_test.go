package teamqueue

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/broker"
	"github.com/rocec/rocec/cmd/internal/sshsig"
	"github.com/rocec/rocec/cmd/internal/statement"
	"github.com/rocec/rocec/targets/deploy"
)

// TestImpossibleShares: no signature makes a run of a plan whose sites do not split its waves. Readers count the waves of each share.
func TestImpossibleShares(t *testing.T) {
	shares := func(of ...deploy.TermShare) func(*deploy.Terms) {
		return func(terms *deploy.Terms) { terms.Shares = of }
	}
	hold := func(h deploy.TermHold) func(*deploy.Terms) {
		return func(terms *deploy.Terms) { terms.Holds = []deploy.TermHold{h} }
	}
	for says, change := range map[string]func(*deploy.Terms){
		"share of the site dc1 has 26 waves, and the plan has 6": shares(deploy.TermShare{Site: "dc1", Waves: 26},
			deploy.TermShare{Site: "dc2", Waves: -20}),
		"share of the site dc1 has -5 waves": shares(deploy.TermShare{Site: "dc1", Waves: -5}, deploy.TermShare{Site: "dc2", Waves: 11}),
		"share of the site dc1 has 1000000000 waves": shares(deploy.TermShare{Site: "dc1", Waves: 1_000_000_000},
			deploy.TermShare{Site: "dc2", Waves: -999_999_994}),
		"share of the site dc2 has 0 waves": shares(deploy.TermShare{Site: "dc1", Waves: 6}, deploy.TermShare{Site: "dc2"}),
		"two shares of the site dc1": shares(deploy.TermShare{Site: "dc1", Waves: 3}, deploy.TermShare{Site: "dc2", Waves: 2},
			deploy.TermShare{Site: "dc1", Waves: 1}),
		`names the site "dc1.>"`:             shares(deploy.TermShare{Site: "dc1.>", Waves: 6}),
		`names the site ""`:                  shares(deploy.TermShare{Waves: 6}),
		"has 6 waves, and its sites have 12": shares(deploy.TermShare{Site: "dc1", Waves: 6}, deploy.TermShare{Site: "dc2", Waves: 6}),
		"has 6 waves, and its sites have 5":  shares(deploy.TermShare{Site: "dc1", Waves: 5}),
		"has 10001 waves, and a plan of a team has at most": func(terms *deploy.Terms) {
			terms.Waves = make([]string, 10_001)
			terms.Shares = []deploy.TermShare{{Site: "dc1", Waves: 10_001}}
		},
		`names the site "../dc1", and no site has such a name`: func(terms *deploy.Terms) { terms.Shares[0].Site = "../dc1" },
		"holds wave 7, and has 6":                              hold(deploy.TermHold{Wave: 7, Approvals: 1, WithinSeconds: 60}),
		"holds wave 0, and has 6":                              hold(deploy.TermHold{Approvals: 1, WithinSeconds: 60}),
		"holds wave dc2/1 for 0 approvals":                     hold(deploy.TermHold{Wave: 5, WithinSeconds: 60}),
		"holds wave dc2/1 for 1 approvals within 7776001 seconds": hold(deploy.TermHold{
			Wave: 5, Approvals: 1, WithinSeconds: 7_776_001,
		}),
		"holds wave dc2/1 twice": func(terms *deploy.Terms) {
			terms.Holds = []deploy.TermHold{{Wave: 5, Approvals: 1, WithinSeconds: 60}, {Wave: 5, Approvals: 2, WithinSeconds: 60}}
		},
	} {
		w := newTeam(t)
		q := New(w.signers)
		terms := &deploy.Terms{
			Name: "prod", Expires: start.Add(time.Hour), Waves: []string{"l1", "l2", "l3", "l4", "l5", "l6"},
			Shares: []deploy.TermShare{{Site: "dc1", Waves: 4}, {Site: "dc2", Waves: 2}},
		}
		change(terms)
		body, err := json.Marshal(Envelope{Plan: deploy.NewSaved(nil, deploy.Meta{Terms: terms}).Bytes()})
		require.NoError(t, err)
		m := w.message(broker.Submit, "alice", statement.Statement{Verb: statement.Submit, Run: "r1"}, body)
		require.ErrorContains(t, q.Take(m), says)
		require.Empty(t, q.Runs(""))
	}
}

// TestOnePerson: lines with one key, and names that differ in case, are one person, who neither approves an own run nor approves twice.
func TestOnePerson(t *testing.T) {
	w := newTeam(t)
	w.keys["alice2"], w.keys["Alice"] = w.keys["alice"], w.keys["mallory"]
	w.keys["bob2"] = w.keys["bob"]
	var lines []byte
	for _, one := range [][2]string{
		{"alice", "rocec-plan,rocec-apply"},
		{"alice2", "rocec-approve"},
		{"Alice", "rocec-approve"},
		{"bob", "rocec-approve"},
		{"carol", "rocec-approve"},
	} {
		lines = fmt.Appendf(lines, "%s namespaces=\"%s\" %s\n", one[0], one[1], w.keys[one[0]].Line())
	}
	signers, err := sshsig.ParseSigners(lines)
	require.NoError(t, err)
	q := New(signers)
	m, digest := w.submit("r1")
	require.NoError(t, q.Take(m))
	approve := func(who string) error {
		return q.Take(w.message(broker.Say, who, statement.Statement{Verb: statement.Approve, Run: "r1", Digest: digest, Wave: 3}, nil))
	}
	const own = "alice submitted the run, and so approves none of its waves"
	require.ErrorContains(t, approve("alice2"), own+" (alice2 and alice have one key or name)")
	require.ErrorContains(t, approve("Alice"), own+" (Alice and alice have one key or name)")
	require.Empty(t, q.Run("r1").Approved[3])
	require.NoError(t, approve("bob"))
	q.signers, err = sshsig.ParseSigners(fmt.Appendf(nil, "Bob namespaces=\"rocec-approve\" %s\n", w.keys["carol"].Line()))
	require.NoError(t, err)
	require.ErrorContains(t, approve("carol"), "bob has approved it already (Bob and bob have one key or name)")
	q.signers, err = sshsig.ParseSigners(fmt.Appendf(nil, "robert namespaces=\"rocec-approve\" %s\n", w.keys["bob"].Line()))
	require.NoError(t, err)
	require.ErrorContains(t, approve("bob2"), "bob has approved it already (robert and bob have one key or name)")
	q.signers = signers
	require.NoError(t, approve("carol"))
	require.Len(t, q.Run("r1").Approved[3], 2)
}

// TestDoubles: a double of a statement that counts is no message that changes nothing, whichever of both came first, as after a rebuild.
func TestDoubles(t *testing.T) {
	w := newTeam(t)
	q := New(w.signers)
	m, digest := w.submit("r1")
	again := func(m *broker.Message) error {
		one := *m
		w.number++
		one.Number = w.number
		return q.Take(&one)
	}
	early := w.site("dc1", digest, statement.Taken, 0, "") // the hub has it before its run
	require.ErrorContains(t, again(early), "there is no run r1")
	require.Equal(t, Dropped{Unfit: 1}, q.Dropped)
	require.NoError(t, again(m))
	require.NoError(t, q.Take(w.message(broker.Wave, "site:dc1", statement.Statement{
		Verb: statement.Taken, Run: "r1", Digest: digest, Site: "dc1", Epoch: w.number,
	}, nil)))
	require.Len(t, q.Rejected, 1)
	late := w.message(broker.Wave, "site:dc1", statement.Statement{
		Verb: statement.Began, Run: "r1", Digest: digest, Site: "dc1", Wave: 1, Epoch: w.number,
	}, nil)
	require.NoError(t, again(late))
	resume := w.message(broker.Say, "carol", statement.Statement{Verb: statement.Resume, Run: "r1", Digest: digest}, nil)
	require.NoError(t, again(resume))
	require.ErrorContains(t, again(m), "came before")
	require.ErrorContains(t, again(resume), "came before")
	require.ErrorContains(t, again(late), "has gone on in epoch")
	require.Equal(t, Dropped{Unfit: 1}, q.Dropped, "doubles change nothing, and are not counted")
	require.ErrorContains(t, again(&broker.Message{Subject: m.Subject, Data: []byte("x")}), "no signed statement")
	require.Equal(t, Dropped{Unsigned: 1, Unfit: 1}, q.Dropped)
	require.Len(t, q.Rejected, 2)
}

// TestEarlyStatement: a statement that came before its run counts when it comes again, and its first message is no message that changes
// nothing any more.
func TestEarlyStatement(t *testing.T) {
	w := newTeam(t)
	q := New(w.signers)
	m, digest := w.submit("r1")
	early := *w.site("dc1", digest, statement.Taken, 0, "")
	early.Number = 1
	require.ErrorContains(t, q.Take(&early), "there is no run r1")
	of := statement.Statement{Verb: statement.Recorded}
	m.Number = 1
	body, err := Record(m)
	require.NoError(t, err)
	of.Site = "dc1"
	record := w.message(broker.Record, "site:dc1", of, body)
	record.Site = "dc1"
	require.NoError(t, q.Take(record))
	again := early
	again.Number = w.number + 1
	require.NoError(t, q.Take(&again))
	require.Equal(t, Dropped{}, q.Dropped)
	require.Empty(t, q.Rejected)
}
