package deploy

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/rocec/rocec/targets/target"
)

// session speaks the verbs of the protocol to one device, for one transaction.
type session struct {
	dev   *target.Device
	dial  target.Dial
	txn   string
	owner string        // who applies, for the lock
	wait  time.Duration // until a lost device must answer again
	clock Clock
	conn  target.Conn
}

// failures maps the words of the scripts to kinds.
var failures = map[string]Kind{
	"read-only":  Disk,
	"no-space":   Disk,
	"failed":     Disk,
	"permission": Permission,
	"locked":     Locked,
	"lost-lock":  Locked,
	"stale":      Stale,
	"conflict":   Stale,
	"truncated":  Unreachable,
	"rejected":   Rejected,
	"activation": Activation,
	"unsettled":  Activation,
}

// connect opens the connection.
func (s *session) connect(ctx context.Context) *Error {
	ctx, cancel := context.WithTimeout(ctx, verbTime)
	defer cancel()
	conn, err := s.dial(ctx, s.dev)
	if err != nil {
		return dialError(s.dev, "connect", err)
	}
	s.conn = conn
	return nil
}

// reconnect opens a new connection after one was lost and asks how far the transaction came. It is patient: the link
// may still be coming back from the very change.
func (s *session) reconnect(ctx context.Context, steps int, cs []*Change) (*progress, *Error) {
	ctx, cancel := context.WithTimeout(ctx, s.wait)
	defer cancel()
	for {
		s.close()
		err := s.connect(ctx)
		if err == nil {
			var p *progress
			if p, err = s.state(ctx, steps, cs); err == nil {
				return p, nil
			}
		}
		if err.Kind != Unreachable {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-s.clock.Wait(reconnectEvery):
		}
	}
}

func (s *session) close() {
	if s.conn != nil {
		_ = s.conn.Close() // whatever was to be known of it is known
		s.conn = nil
	}
}

// verb runs one script. more is the time it may take beyond that of any verb.
func (s *session) verb(ctx context.Context, step, script string, stdin []byte, more time.Duration, args ...string) ([]string, *Error) {
	if s.conn == nil {
		return nil, &Error{Kind: Unreachable, Device: s.dev, Step: step, lost: true, Detail: "there is no connection"}
	}
	ctx, cancel := context.WithTimeout(ctx, verbTime+more)
	defer cancel()
	out, err := s.conn.Run(ctx, asRoot(script, append([]string{s.txn}, args...)...), stdin)
	if err != nil {
		return nil, s.failure(step, err)
	}
	lines := strings.Split(string(out), "\n")
	if n := len(lines); n < 2 || lines[n-1] != "" || lines[n-2] != "OK" {
		return nil, &Error{Kind: Unreachable, Device: s.dev, Step: step, lost: true, Detail: "the device's answer breaks off"}
	}
	return lines[:len(lines)-2], nil
}

// failure reads why a verb failed: a word of the scripts, or a command that never got that far.
func (s *session) failure(step string, err error) *Error {
	exit, ok := errors.AsType[*target.ExitError](err)
	if !ok {
		return runError(s.dev, step, err)
	}
	_, said, ok := cutLast(exit.Stderr, "rocec-fail ")
	word, text, _ := strings.Cut(said, "\n")
	kind, known := failures[strings.TrimSpace(word)]
	if !ok || !known { // killed, or never started: only the device knows
		e := runError(s.dev, step, err)
		e.lost = e.Kind == Unreachable
		return e
	}
	e := &Error{Kind: kind, Device: s.dev, Step: step, Detail: oneLine(text), Err: err}
	switch strings.TrimSpace(word) {
	case "locked":
		e.Holder = parseOwner(text)
		e.Detail = fmt.Sprintf("locked by %s. If that run is gone, remove its lock on the device: sudo rm -r %s/lock", e.Holder, stateDir)
	case "stale":
		e.Detail = "changed after the plan was made: " + e.Detail + ". Plan again to see what changed."
	case "conflict":
		e.Detail = "somebody else changed it meanwhile, so it was left alone: " + e.Detail
	case "read-only":
		e.Detail = "the file system is read-only: " + e.Detail
	case "no-space":
		e.Detail = "no space left: " + e.Detail
	}
	return e
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// fileArgs spells the changes of files for a verb: N PATH BASE TARGET each.
func fileArgs(cs []*Change) []string {
	args := make([]string, 0, 4*len(cs))
	for i, c := range cs {
		args = append(args, strconv.Itoa(i), c.Path, c.Base, c.Target)
	}
	return args
}

// progress is how far a transaction came, as the device tells it.
type progress struct {
	lock  string   // the transaction that holds the lock; empty: nobody
	steps []string // of every step: "none", "begun", or its exit status
	files []string // of every file of the change: its SHA-256
}

// ownerless is the lock of a beginner that died between taking it and writing its name: perhaps this one.
const ownerless = "?"

// state asks how far the transaction came.
func (s *session) state(ctx context.Context, steps int, cs []*Change) (*progress, *Error) {
	lines, err := s.verb(ctx, "state", stateVerb, nil, 0, append([]string{strconv.Itoa(steps)}, fileArgs(cs)...)...)
	if err != nil {
		return nil, err
	}
	p := &progress{}
	for _, l := range lines {
		switch key, value, _ := strings.Cut(l, " "); key {
		case "lock":
			p.lock = value
		case "step":
			p.steps = append(p.steps, value)
		case "file":
			p.files = append(p.files, value)
		}
	}
	if len(p.steps) != steps || len(p.files) != len(cs) {
		return nil, &Error{Kind: Unreachable, Device: s.dev, Step: "state", lost: true, Detail: "the device's answer makes no sense"}
	}
	return p, nil
}

// holds tells whether every file has the content that side picks of its change.
func (p *progress) holds(cs []*Change, side func(*Change) string) bool {
	for i, c := range cs {
		if p.files[i] != side(c) {
			return false
		}
	}
	return true
}

func base(c *Change) string  { return c.Base }
func wants(c *Change) string { return c.Target }
