package team

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/rocec/rocec/cmd/internal/broker"
	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/statement"
	"github.com/rocec/rocec/cmd/internal/teamplan"
	"github.com/rocec/rocec/lang/diag"
)

// How long a person waits for a site.
const (
	awayAfter  = 40 * time.Second // a site that is away may be starting: it sends a sign of life within 10 s
	mostAnswer = 15 * time.Minute // it reads its devices meanwhile
	lookTime   = time.Second
)

// asking are the questions of one plan.
type asking struct {
	t        *Client
	fabric   string
	began    time.Time
	nonces   map[string]string // of the questions, by site
	parts    map[string]*teamplan.SitePart
	refused  map[string]string // why a site made no part
	rejected []string          // answers that do not count, with the reasons
}

// ask asks sites for their parts of a plan. settled has the settled devices of each question. Sites that make no part are in refused, with
// the reasons.
func (t *Client) ask(
	ctx context.Context, fabric string, q *teamplan.Question, settled map[string]string, sites []string,
) (*asking, error) {
	a := &asking{
		t: t, fabric: fabric, began: t.Clock.Now(), nonces: map[string]string{}, parts: map[string]*teamplan.SitePart{},
		refused: map[string]string{},
	}
	from, err := t.Hub.Last(ctx)
	if err != nil {
		return nil, hubError(err)
	}
	for _, site := range sites {
		own := *q
		own.Settled = settled[site]
		body, err := json.Marshal(own)
		if err != nil {
			return nil, err
		}
		st := &statement.Statement{Verb: statement.Ask, Fabric: fabric, Site: site}
		data, err := t.make(ctx, st, body)
		if err != nil {
			return nil, err
		}
		// A site does not answer a question that does not verify.
		var signed statement.Signed
		if err := json.Unmarshal(data, &signed); err != nil {
			return nil, err
		}
		if _, _, err := signed.Open(t.Signers, t.Clock.Now()); err != nil {
			return nil, exit.Fail(exit.Errors, "the sites would not answer: %v. Nothing was sent.", err)
		}
		if _, err := t.Hub.Publish(ctx, broker.Subject{Kind: broker.Ask, Fabric: fabric, Site: site}, st.Nonce, data); err != nil {
			return nil, hubError(err)
		}
		a.nonces[site] = st.Nonce
	}
	return a, a.listen(ctx, from+1, sites)
}

// listen waits until each site has answered.
func (a *asking) listen(ctx context.Context, from uint64, sites []string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	messages, ended := make(chan *broker.Message), make(chan error, 1)
	go func() {
		ended <- a.t.Hub.Follow(ctx, from, []broker.Subject{{Kind: broker.Share, Fabric: a.fabric}}, func(m *broker.Message) error {
			select {
			case messages <- m:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}, nil)
	}()
	said := map[string]bool{}
	for {
		left := slices.DeleteFunc(slices.Clone(sites), func(s string) bool { return a.parts[s] != nil || a.refused[s] != "" })
		if len(left) == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-ended:
			return hubError(err)
		case m := <-messages:
			a.take(m)
		case <-a.t.Clock.Wait(lookTime):
			if err := a.late(ctx, left, said); err != nil {
				return err
			}
		}
	}
}

// late ends the wait for sites that do not answer.
func (a *asking) late(ctx context.Context, left []string, said map[string]bool) error {
	waited := a.t.Clock.Now().Sub(a.began)
	if waited >= mostAnswer {
		return exit.Fail(exit.Machines, "%s did not answer within %s%s. Nothing was changed.", siteNames(left), mostAnswer, a.whyNot())
	}
	is, err := a.t.Hub.Away(ctx)
	if err != nil { // it is not known
		return nil //nolint:nilerr // the wait is bounded
	}
	away := slices.DeleteFunc(left, func(s string) bool { return !is(s) })
	switch {
	case len(away) == 0:
	case waited >= awayAfter:
		return exit.Fail(exit.Machines, "%s away: the hub has not heard %s for 30 s or longer. Nothing was changed. Start rocecd there, or "+
			"leave the devices of the site out with --target.", siteNames(away)+diag.Plural(len(away), " is", " are"),
			diag.Plural(len(away), "it", "them"))
	default:
		for _, s := range away {
			if !said[s] && !a.t.Quiet {
				a.t.Say("The site %s is away. rocec waits %s for it.", diag.Escape(s), awayAfter)
			}
			said[s] = true
		}
	}
	return nil
}

// whyNot names answers that do not count.
func (a *asking) whyNot() string {
	if len(a.rejected) == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s not count: %s)", diag.Count(len(a.rejected), "answer")+diag.Plural(len(a.rejected), " does", " do"),
		a.rejected[len(a.rejected)-1])
}

// mostRejected bounds the answers that are kept.
const mostRejected = 20

// take takes an answer, if it is one to a question of this plan.
func (a *asking) take(m *broker.Message) {
	err := a.answer(m)
	if err != nil && len(a.rejected) < mostRejected {
		a.rejected = append(a.rejected, fmt.Sprintf("message %d: %v", m.Number, err))
	}
}

func (a *asking) answer(m *broker.Message) error {
	var signed statement.Signed
	if err := json.Unmarshal(m.Data, &signed); err != nil {
		return errors.New("it is no signed statement")
	}
	st, _, err := signed.Open(a.t.Signers, a.t.Clock.Now())
	if err != nil {
		return err
	}
	nonce := a.nonces[st.Site]
	switch {
	case st.Verb != statement.Share:
		return fmt.Errorf("a statement %q is no answer", st.Verb)
	case nonce == "" || st.Head != statement.Sum([]byte(nonce)): // it answers another question
		return nil
	case a.parts[st.Site] != nil || a.refused[st.Site] != "": // a double
		return nil
	}
	if err := st.Fits(statement.Want{Fabric: a.fabric, Site: m.Site}); err != nil {
		return err
	}
	if st.Outcome != statement.Complete {
		a.refused[st.Site] = st.Why
		if st.Why == "" {
			a.refused[st.Site] = "it says no reason"
		}
		return nil
	}
	if signed.Body == nil {
		return errors.New("it has no part of a plan")
	}
	part, err := teamplan.ParsePart(signed.Body)
	if err != nil {
		return err
	}
	if part.Site != st.Site {
		return fmt.Errorf("the site %s signed the part of the site %q", st.Site, diag.Cut(part.Site))
	}
	a.parts[st.Site] = part
	return nil
}

// siteNames names sites in a sentence.
func siteNames(sites []string) string {
	return diag.Plural(len(sites), "the site ", "the sites ") + diag.And(sites)
}
