package teamqueue

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/broker"
	"github.com/rocec/rocec/cmd/internal/sshsig"
	"github.com/rocec/rocec/cmd/internal/statement"
)

// signersWith returns the signers with another line for alice; empty: without one.
func (w *team) signersWith(alice string) *sshsig.Signers {
	var lines strings.Builder
	lines.WriteString("bob namespaces=\"rocec-approve\" " + w.keys["bob"].Line() + "\n")
	for _, one := range []string{"carol rocec-apply", "site:dc1 rocec-site", "site:dc2 rocec-site"} {
		name, roles, _ := strings.Cut(one, " ")
		lines.WriteString(name + " namespaces=\"" + roles + "\" " + w.keys[name].Line() + "\n")
	}
	if alice != "" {
		lines.WriteString("alice " + alice + w.keys["alice"].Line() + "\n")
	}
	signers, err := sshsig.ParseSigners([]byte(lines.String()))
	require.NoError(w.t, err)
	return signers
}

// reader returns the queue of a site, with the signers.
func (w *team) reader(signers *sshsig.Signers) *Queue {
	q := New(signers)
	q.Now = func() time.Time { return w.now }
	return q
}

// TestSignersChange: what a reader has accepted stays when the line of its author goes, also after the reader has started again. What comes
// then changes nothing, until a line has the key again.
func TestSignersChange(t *testing.T) {
	w := newTeam(t)
	q := w.reader(w.signers)
	m, digest := w.submit("r1")
	kept, err := q.Accept(m)
	require.NoError(t, err)
	require.Equal(t, []Accepted{{Message: m, By: "alice"}}, kept)

	gone := w.signersWith("")
	require.False(t, q.Trusts(gone))
	require.True(t, q.Trusts(w.signers))
	require.Empty(t, q.Trust(gone))
	require.NotNil(t, q.Run("r1"))
	withdraw := w.message(broker.Say, "alice", statement.Statement{Verb: statement.Withdraw, Run: "r1", Digest: digest}, nil)
	require.ErrorContains(t, q.Take(withdraw), "no line has the key")
	second, _ := w.submit("r2")
	require.ErrorContains(t, q.Take(second), "no line has the key")

	line, err := json.Marshal(kept[0])
	require.NoError(t, err)
	var read Accepted
	require.NoError(t, json.Unmarshal(line, &read))
	later := w.reader(gone)
	require.NoError(t, later.Again(&read))
	require.Equal(t, "alice", later.Run("r1").By)
	require.Equal(t, m.Number, later.Last())

	w.now = start.Add(statement.Skew + time.Second)
	now := q.Trust(w.signers)
	require.Equal(t, []Accepted{{Message: second, By: "alice"}}, now)
	require.NotNil(t, q.Run("r2"))
	require.Empty(t, q.Run("r1").Withdrawn, "a site does not obey a statement of the past")
	require.Empty(t, q.held)

	of := New(gone) // a reader that obeys nothing shows it
	require.NoError(t, of.Again(&read))
	require.Error(t, of.Take(withdraw))
	require.Len(t, of.Trust(w.signers), 1)
	require.Equal(t, "alice", of.Run("r1").Withdrawn)
}

// TestVouched: a run whose key no line has is there for a reader that begins later, if a site has taken it. A site refuses it, and the word
// of a site stands for no other envelope.
func TestVouched(t *testing.T) {
	for _, site := range []bool{false, true} {
		t.Run(fmt.Sprint("site ", site), func(t *testing.T) {
			w := newTeam(t)
			q := New(w.signersWith(""))
			if site {
				q = w.reader(w.signersWith(""))
			}
			m, digest := w.submit("r1")
			require.ErrorContains(t, q.Take(m), "no line has the key")
			require.Error(t, q.Take(w.site("dc1", statement.Sum(nil), statement.Taken, 0, "")))
			require.Error(t, q.Take(w.site("dc1", digest, statement.Refused, 0, "")))
			require.Nil(t, q.Run("r1"))
			taken := w.site("dc1", digest, statement.Taken, 0, "")
			now, err := q.Accept(taken)
			require.NoError(t, err)
			key := q.Run("r1").By
			require.Contains(t, key, "SHA256:")
			require.Equal(t, []Accepted{{m, key, "dc1"}, {taken, "site:dc1", ""}}, now)
			require.Equal(t, "dc1", q.Run("r1").Vouched)

			back := w.message(broker.Say, "alice", statement.Statement{Verb: statement.Rollback, Run: "r1", Digest: digest}, nil)
			require.ErrorContains(t, q.Take(back), "no line has the key")
			s := statement.Statement{Verb: statement.Taken, Run: "r1", Digest: digest, Site: "dc1", Epoch: back.Number}
			require.NoError(t, q.Take(w.message(broker.Wave, "site:dc1", s, nil)))
			if site {
				require.Nil(t, q.Run("r1").Back, "the number of the rollback is the word of the hub")
			} else {
				require.Equal(t, key, q.Run("r1").Back.By)
			}

			again := w.reader(w.signersWith(""))
			for i := range now {
				require.NoError(t, again.Again(&now[i]))
			}
			require.Equal(t, "dc1", again.Run("r1").Vouched)
			w.number++
			m.Number = w.number
			require.Error(t, again.Take(m))
			require.Len(t, again.Trust(w.signers), 1)
			require.Equal(t, "alice", again.Run("r1").By)
			require.Empty(t, again.Run("r1").Vouched)
		})
	}
}

// TestVouchedByOwn: a site vouches for a run by a statement about its own share. Another statement changes nothing.
func TestVouchedByOwn(t *testing.T) {
	w := newTeam(t)
	q := New(w.signersWith(""))
	m, digest := w.submit("r1")
	require.Error(t, q.Take(m))
	require.ErrorContains(t, q.Take(w.site("dc1", digest, statement.Began, 99, "")), "there is no run r1")
	require.Nil(t, q.Run("r1"))
	require.NoError(t, q.Take(w.site("dc1", digest, statement.Taken, 0, "")))
	require.Equal(t, "dc1", q.Run("r1").Vouched)
}

// TestKeyEnds: a line with valid-before ends a key, and not what the key has signed before. A hub that states an earlier time does not make
// the key count again: a site reads a message by its own clock, and another reader knows that the statements before are newer.
func TestKeyEnds(t *testing.T) {
	w := newTeam(t)
	signers := w.signersWith(`valid-before="202611300900Z",namespaces="rocec-plan,rocec-apply" `)
	m, digest := w.submit("r1")
	viewer, site := New(signers), w.reader(signers)
	require.NoError(t, site.Take(m), "before the end")
	w.now = start.Add(time.Hour)
	require.NoError(t, viewer.Take(m), "after the end")
	away := w.reader(signers)
	require.ErrorContains(t, away.Take(m), "does not allow the key of alice at this time")

	taken := w.site("dc1", digest, statement.Taken, 0, "")
	w.now = start // the clock of the thief
	late, _ := w.submit("r2")
	w.now = start.Add(time.Hour)
	require.NoError(t, site.Take(taken))
	require.NoError(t, viewer.Take(taken))
	require.NoError(t, away.Take(taken))
	require.Equal(t, "dc1", away.Run("r1").Vouched)
	w.now = start.Add(time.Hour + statement.Skew)
	newer := w.message(broker.Say, "carol", statement.Statement{Verb: statement.Confirm, Run: "r1", Digest: digest}, nil)
	newer.Number, late.Number = late.Number, newer.Number
	require.NoError(t, viewer.Take(newer))
	require.ErrorContains(t, site.Take(late), "does not allow the key of alice at this time")
	require.ErrorContains(t, viewer.Take(late), "does not allow the key of alice at this time")
}

// TestHeldBounds: messages without a line do not fill the memory.
func TestHeldBounds(t *testing.T) {
	w := newTeam(t)
	q := New(w.signersWith(""))
	m, _ := w.submit("r1")
	m.Data = append(m.Data, make([]byte, 1<<20)...)
	for i := range m.Data[len(m.Data)-1<<20:] {
		m.Data[len(m.Data)-1-i] = ' '
	}
	for range 70 {
		w.number++
		of := *m
		of.Number = w.number
		require.Error(t, q.Take(&of))
	}
	require.Less(t, len(q.held), 64)
	require.Less(t, q.bytes, mostHeldBytes)
	require.Greater(t, q.bytes, mostHeldBytes/2)
}

// TestPassesOver: a run that goes on passes over a wave that is complete: it began before it ended.
func TestPassesOver(t *testing.T) {
	w := newTeam(t)
	q := New(w.signers)
	m, digest := w.submit("r1")
	require.NoError(t, q.Take(m))
	for _, one := range []*broker.Message{
		w.site("dc1", digest, statement.Began, 1, ""), w.site("dc1", digest, statement.Ended, 1, statement.Complete),
		w.site("dc1", digest, statement.Began, 2, ""), w.site("dc1", digest, statement.Ended, 2, "stopped"),
	} {
		require.NoError(t, q.Take(one))
	}
	waves := q.Run("r1").Shares[0].Waves
	w.now = start.Add(time.Hour)
	require.NoError(t, q.Take(w.site("dc1", digest, statement.Began, 1, "")))
	require.Equal(t, Wave{Began: start, Ended: start, Outcome: statement.Complete, Why: "no reason"}, *waves[1])
	require.NoError(t, q.Take(w.site("dc1", digest, statement.Began, 2, "")))
	require.Equal(t, Wave{Began: w.now}, *waves[2])
}

// TestLate: a run that counts late stops no run that is under way, and begins after it.
func TestLate(t *testing.T) {
	w := newTeam(t)
	q := w.reader(w.signersWith(""))
	m, _ := w.submit("r0")
	require.Error(t, q.Take(m))
	body, err := json.Marshal(Envelope{Plan: w.plan("nonce-r1")})
	require.NoError(t, err)
	require.NoError(t, q.Take(w.message(broker.Submit, "carol", statement.Statement{Verb: statement.Submit, Run: "r1"}, body)))
	digest := q.Run("r1").Digest
	say := func(site string, verb statement.Verb, wave int, outcome string) {
		t.Helper()
		s := statement.Statement{Verb: verb, Run: "r1", Digest: digest, Site: site, Wave: wave, Outcome: outcome, Epoch: 2}
		require.NoError(t, q.Take(w.message(broker.Wave, "site:"+site, s, nil)))
	}
	say("dc1", statement.Taken, 0, "")
	say("dc2", statement.Taken, 0, "")
	say("dc1", statement.Began, 1, "")
	say("dc1", statement.Ended, 1, statement.Complete)
	require.Len(t, q.Trust(w.signers), 1)
	v, why := q.May(q.Run("r1"), 2, w.now, nil)
	require.Equal(t, Begin, v, why)
	v, why = q.MayTake(q.Run("r0"), w.now, nil)
	require.Equal(t, Wait, v)
	require.Equal(t, "the run r1 of carol is before it", why)
	say("dc1", statement.Over, 0, statement.Complete)
	say("dc2", statement.Over, 0, statement.Complete)
	v, why = q.MayTake(q.Run("r0"), w.now, nil)
	require.Equal(t, Begin, v, why)
}
