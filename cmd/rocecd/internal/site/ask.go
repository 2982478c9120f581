package site

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/rocec/rocec/cmd/internal/broker"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/cmd/internal/statement"
	"github.com/rocec/rocec/cmd/internal/teamplan"
)

// refused is the outcome of a question that a site does not answer with a part.
const refused = "refused"

// answer answers questions for parts of plans, one after the other.
func (w *Worker) answer(ctx context.Context) error {
	answered := map[string]bool{} // questions, by the SHA-256 of their nonces
	w.mu.Lock()
	for i := range w.book.said {
		if st, err := statement.Parse([]byte(w.book.said[i].Text)); err == nil && st.Verb == statement.Share {
			answered[st.Head] = true
		}
	}
	w.mu.Unlock()
	for ctx.Err() == nil {
		w.mu.Lock()
		var m *broker.Message
		if len(w.asks) > 0 {
			m, w.asks = w.asks[0], w.asks[1:]
		}
		wake := w.wake
		w.mu.Unlock()
		if m == nil {
			_ = w.sleep(ctx, wake, retryTime)
			continue
		}
		st, who, body, err := w.asked(m)
		switch {
		case err != nil:
			w.o.Log.Warn("a question is not answered", "number", m.Number, "why", err)
			continue
		case answered[statement.Sum([]byte(st.Nonce))]:
			continue
		}
		answered[statement.Sum([]byte(st.Nonce))] = true
		out := statement.Statement{Verb: statement.Share, Fabric: st.Fabric, Run: st.Run, Outcome: statement.Complete}
		part, err := w.part(ctx, st, body)
		if ctx.Err() != nil {
			return nil
		}
		data, broken := json.Marshal(part)
		if err != nil {
			w.o.Log.Warn("the site makes no part of a plan", "for", who, "why", err)
			data, out.Outcome, out.Why = []byte(st.Digest), refused, plain(err)
		}
		if broken != nil {
			return broken
		}
		if err := w.publish(ctx, &out, st, data); err != nil {
			return err
		}
	}
	return nil
}

// asked verifies a question. A question is good for five minutes, by the clock of this site.
func (w *Worker) asked(m *broker.Message) (st *statement.Statement, who string, body []byte, err error) {
	var signed statement.Signed
	if err := json.Unmarshal(m.Data, &signed); err != nil {
		return nil, "", nil, errors.New("it is no signed statement")
	}
	signers, err := w.o.Signers()
	if err != nil {
		return nil, "", nil, err
	}
	if st, who, err = signed.Open(signers, w.o.Clock.Now()); err != nil {
		return nil, "", nil, err
	}
	if st.Verb != statement.Ask {
		return nil, "", nil, fmt.Errorf("a statement %q is no question", st.Verb)
	}
	return st, who, signed.Body, st.Fits(statement.Want{Fabric: m.Fabric, Site: w.o.Site, Now: w.o.Clock.Now()})
}

// part makes the part of a plan that a person asks for.
func (w *Worker) part(ctx context.Context, st *statement.Statement, body []byte) (_ *teamplan.SitePart, err error) {
	q, err := teamplan.ParseQuestion(body)
	if err != nil {
		return nil, err
	}
	s := w.o.Session(nil)
	if q.Tool != s.Rocec.Version {
		return nil, fmt.Errorf("rocec %q asks, and this site has rocec %q: all of a team use one version", q.Tool, s.Rocec.Version)
	}
	dir, err := w.folder(ctx, st.Fabric, q.Commit)
	if err != nil {
		return nil, err
	}
	defer w.useLab()()
	sh, err := session.OpenShare(ctx, s, &session.ShareOptions{
		ChangeOptions: w.o.Change, Dir: dir, Fabric: st.Fabric, Commit: q.Commit, Inputs: q.Inputs, Site: w.o.Site, Only: q.Targets,
		Rules: w.o.Rules, Settled: q.Settled,
	})
	if err != nil {
		return nil, err
	}
	defer sh.Close(&err)
	return sh.Part()
}

// publish keeps the answer to a question for the hub. Its reason names the nonce of the question: the person finds it by that.
func (w *Worker) publish(ctx context.Context, out, question *statement.Statement, data []byte) error {
	out.Head = statement.Sum([]byte(question.Nonce))
	signed, err := w.signed(ctx, out, data)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.changed()
	return w.book.speak(broker.Subject{Kind: broker.Share, Fabric: out.Fabric, Site: w.o.Site}, out, signed)
}
