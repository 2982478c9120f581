// Package team has the [Client] of a person in a team: it asks sites for their parts of a plan, submits a plan, sends statements about a
// run, and follows it.
//
// The hub carries statements and is not trusted: what a person says is signed by his key, and what sites say is verified by the allowed
// signers of this machine. Before a statement leaves, the queue judges it as each site will do.
package team

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io/fs"
	"time"

	"github.com/rocec/rocec/cmd/internal/broker"
	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/ledger"
	"github.com/rocec/rocec/cmd/internal/rights"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/cmd/internal/sshsig"
	"github.com/rocec/rocec/cmd/internal/statement"
	"github.com/rocec/rocec/cmd/internal/teamqueue"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy/device"
)

// Hub is a connection to the hub, on which a person publishes.
type Hub interface {
	ledger.Hub
	Publish(ctx context.Context, s broker.Subject, id string, data []byte) (number uint64, err error)
}

// Client is a person at the hub of a team.
type Client struct {
	*session.Session
	Hub     Hub
	Clock   device.Clock
	Signers *sshsig.Signers
	Reread  func() (*sshsig.Signers, error) // reads them again; nil: they stay
	// Sign signs a message in a namespace with the key of the person.
	Sign   func(ctx context.Context, namespace string, message []byte) ([]byte, error)
	Rights *rights.Rights
	Format string // text or json
}

// Where names the hub.
type Where struct{ URL, Creds, CA string }

// The variables that name the hub, where flags do not.
const (
	URLVariable   = "ROCEC_TEAM"
	CredsVariable = "ROCEC_CREDS"
	CAVariable    = "ROCEC_TEAM_CA"
)

// Open connects to the hub, and reads the signers of this machine. The caller calls end after use.
func Open(s *session.Session, w Where, format string, clock device.Clock) (t *Client, end func(), err error) {
	for _, one := range []struct {
		to   *string
		name string
	}{{&w.URL, URLVariable}, {&w.Creds, CredsVariable}, {&w.CA, CAVariable}} {
		if *one.to == "" {
			*one.to = s.Getenv(one.name)
		}
	}
	if w.URL == "" {
		return nil, nil, exit.Fail(exit.Usage, "--team needs the address of the hub: --team=tls://HOST:PORT, or $%s", URLVariable)
	}
	r, err := session.Rights(s, false)
	if err != nil {
		return nil, nil, err
	}
	signers, from, err := r.Signers()
	if err != nil {
		return nil, nil, exit.Fail(exit.Machines, "%v. rocec verifies what the sites of a team say by the lines of that file, such as: "+
			"site:dc1 namespaces=\"rocec-site,rocec-run\" ssh-ed25519 … (%s)", err, from)
	}
	b, err := broker.Open(broker.Where{URL: w.URL, Creds: w.Creds, CA: w.CA, Name: s.Owner()}, nil)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil, exit.Fail(exit.Usage, "%v. rocecd keys person makes the files of a person", err)
		}
		return nil, nil, hubError(err)
	}
	s.Ending.OnDevices() // the first signal ends what this machine waits for, and not the work of the sites
	t = &Client{Session: s, Hub: b, Clock: clock, Signers: signers, Sign: r.Sign, Rights: r, Format: format}
	t.Reread = func() (*sshsig.Signers, error) {
		signers, _, err := r.Signers()
		return signers, err
	}
	return t, b.Close, nil
}

// hubError returns the error of a verb that needs the hub.
func hubError(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return exit.Fail(exit.Machines, "%v. This verb changed nothing. The sites go on with the runs that they have taken, as far as they need "+
		"no statement of another site.", err)
}

// Ledger returns the record of a fabric; empty: of all fabrics.
func (t *Client) Ledger(fabric string) *ledger.Stream {
	return &ledger.Stream{Hub: t.Hub, Signers: t.Signers, Reread: t.Reread, Clock: t.Clock, Fabric: fabric}
}

// read reads the queue of all fabrics.
func (t *Client) read(ctx context.Context) (*ledger.Stream, *ledger.Reading, error) {
	l := t.Ledger("")
	r, err := l.Read(ctx)
	if err != nil {
		return nil, nil, hubError(err)
	}
	return l, r, nil
}

// find returns a run by the name that a person wrote.
func (t *Client) find(ctx context.Context, name string) (r *ledger.Reading, run *ledger.RunSummary, of *teamqueue.TeamRun, err error) {
	l, r, err := t.read(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	run, err = l.List(r).Find(name)
	if err != nil {
		return nil, nil, nil, noRun(name, true, err)
	}
	return r, run, r.Queue.Run(run.Run), nil
}

// noRun returns the error for the name of a run that a ledger does not have.
func noRun(name string, team bool, err error) error {
	list := diag.Rocec("runs")
	if team {
		list = diag.Rocec("runs", diag.Flag("--team"))
	}
	return exit.Fail(exit.Usage, "%q: %v. List the runs: %s", name, err, list)
}

// make makes a signed statement of the person.
func (t *Client) make(ctx context.Context, st *statement.Statement, body []byte) ([]byte, error) {
	st.At, st.Nonce = t.Clock.Now().UTC().Truncate(time.Second), rand.Text()
	signed, err := statement.Make(st, body, func(namespace string, message []byte) ([]byte, error) {
		return t.Sign(ctx, namespace, message)
	})
	if err != nil {
		return nil, exit.Fail(exit.Usage, "the statement was not signed, so nothing was sent: %v", err)
	}
	return json.Marshal(signed)
}

// publish sends a statement about a run, if the queue accepts it as the sites will do. It returns the number of the message.
func (t *Client) publish(ctx context.Context, r *ledger.Reading, to broker.Subject, st *statement.Statement, body []byte) (uint64, error) {
	data, err := t.make(ctx, st, body)
	if err != nil {
		return 0, err
	}
	number := max(r.Newest, r.Queue.Last()) + 1
	if err := r.Queue.Take(&broker.Message{Subject: to, Number: number, At: t.Clock.Now(), Data: data}); err != nil {
		return 0, exit.Fail(exit.Errors, "the sites would not obey: %v. Nothing was sent.", err)
	}
	number, err = t.Hub.Publish(ctx, to, st.Nonce, data)
	switch {
	case err == nil:
		return number, nil
	case errors.Is(err, broker.ErrFull), errors.Is(err, broker.ErrRole):
		return 0, hubError(err)
	}
	return 0, exit.Fail(exit.Machines, "%v, so it is not known whether it has your statement about the run %s. See: %s", err, st.Run,
		diag.Rocec("runs", diag.Flag("--team")))
}

// arrived reads a statement back by its number, and refuses one that the sites do not obey: the hub has another time than this machine.
func (t *Client) arrived(ctx context.Context, number uint64) (*ledger.List, error) {
	l, r, err := t.read(ctx)
	if err != nil {
		return nil, exit.Fail(exit.Machines, "the hub has your statement as message %d, and cannot be read: %v", number, err)
	}
	list := l.List(r)
	for _, one := range list.Rejected {
		if one.Number == number {
			return nil, exit.Fail(exit.Errors, "the hub has your statement as message %d, and the sites do not obey it: %s", number, one.Why)
		}
	}
	return list, nil
}
