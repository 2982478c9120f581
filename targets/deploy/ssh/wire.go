package ssh

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// handshake makes an SSH connection over a byte stream, to a server that proved its identity. It closes raw if it fails.
func (d *Dialer) handshake(ctx context.Context, l *login, raw net.Conn, check *hostCheck) (*ssh.Client, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	// Closing the stream ends a handshake in every state. It also works over a jump host, whose streams have no deadlines.
	defer context.AfterFunc(ctx, func() { raw.Close() })()
	defer context.AfterFunc(d.ctx, func() { cancel(errClosed) })()
	clock := newClock(d.cfg.HandshakeTimeout, func() {
		cancel(fmt.Errorf("no login within %v", d.cfg.HandshakeTimeout))
	})
	defer clock.stop()

	var held agent.ExtendedAgent
	var agentErr error
	if l.agent != "" {
		var sock net.Conn
		if sock, agentErr = new(net.Dialer).DialContext(ctx, "unix", l.agent); agentErr == nil {
			defer context.AfterFunc(ctx, func() { sock.Close() })()
			defer sock.Close()
			held = agent.NewClient(sock)
		}
	}
	check.begin()
	try := d.keys.prepare(l, held, agentErr)
	good := offered()
	conn, chans, reqs, err := ssh.NewClientConn(&buffered{raw, bufio.NewReaderSize(raw, 512)}, l.lookup, &ssh.ClientConfig{
		Config:            ssh.Config{KeyExchanges: good.KeyExchanges, Ciphers: good.Ciphers, MACs: good.MACs},
		User:              l.user,
		AuthCallback:      try.next(ctx, clock),
		HostKeyAlgorithms: check.algorithms(),
		HostKeyCallback:   check.check,
		ClientVersion:     "SSH-2.0-rocec",
	})
	if err == nil && ctx.Err() == nil {
		return ssh.NewClient(conn, chans, reqs), nil
	}
	raw.Close()
	var none *ssh.AlgorithmNegotiationError
	switch why := context.Cause(ctx); {
	case check.refuse != nil:
		return nil, err
	case errors.Is(why, context.Canceled), errors.Is(why, context.DeadlineExceeded):
		return nil, failure(ErrUnreachable, why, "logging in to %s was interrupted", l)
	case why != nil:
		return nil, failure(ErrUnreachable, why, "cannot log in to %s: %v", l, why)
	case errors.As(err, &none):
		return nil, failure(ErrUnreachable, err, "%s and rocec have no %s algorithm in common that %s; it offers %s",
			l, none.What, offeredAre(), said(strings.Join(none.RequestedAlgorithms, ", ")))
	case cut(err) && try.begun: // the server has received a login request, so another try would not help
		return nil, failure(ErrUnreachable, nil, "%s closed the connection during login: %s", l, cause(err))
	case cut(err) && check.passed:
		return nil, failure(ErrUnreachable, err, "%s closed the connection before the login: %s", l, cause(err))
	case cut(err):
		return nil, unreachable(l, err)
	case !try.begun:
		return nil, failure(ErrUnreachable, err, "the SSH handshake with %s failed: %s", l, cause(err))
	}
	return nil, try.refused(l, err)
}

// buffered is a stream with a read buffer, because x/crypto reads a server's greeting byte by byte, each with a system call. Later reads
// are larger than the buffer and bypass it.
type buffered struct {
	net.Conn
	in *bufio.Reader
}

// Read implements net.Conn.
func (b *buffered) Read(p []byte) (int, error) { return b.in.Read(p) }

// clock calls a function after it has run for a given time. A stopped clock keeps the time that is left.
type clock struct {
	mu    sync.Mutex
	left  time.Duration
	since time.Time
	timer *time.Timer
}

func newClock(d time.Duration, ring func()) *clock {
	return &clock{left: d, since: time.Now(), timer: time.AfterFunc(d, ring)}
}

func (c *clock) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer.Stop() {
		c.left -= time.Since(c.since)
	}
}

func (c *clock) start() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.since = time.Now()
	c.timer.Reset(max(c.left, time.Second)) // the server has at least this time to answer after a person has typed
}

// link is an open connection to one server.
type link struct {
	d      *Dialer
	login  *login
	key    string // fingerprint of the host key that the server proved; empty: the ssh program cannot tell
	client *ssh.Client
	raw    net.Conn
	via    *jump   // nil: directly
	master *master // the ssh program that carries the connection; nil: the native transport

	once  sync.Once
	dead  chan struct{} // closed when the connection is over
	cause error         // reason of the end; set before dead is closed
}

// start starts the monitoring of a new connection.
func (lk *link) start() (*link, error) {
	d := lk.d
	d.mu.Lock()
	if d.ctx.Err() != nil {
		d.mu.Unlock()
		lk.client.Close()
		return nil, failure(ErrUnreachable, errClosed, "%v", errClosed)
	}
	d.links[lk] = true
	d.wait.Add(2)
	d.mu.Unlock()
	go func() {
		defer d.wait.Done()
		lk.end(lk.client.Wait())
	}()
	go func() {
		defer d.wait.Done()
		if lk.master == nil { // the ssh program sends its own keepalives
			lk.keepAlive(d.cfg.KeepAlive)
		}
	}()
	return lk, nil
}

// end closes the connection for a reason; the first reason counts.
func (lk *link) end(why error) {
	lk.once.Do(func() {
		d := lk.d
		d.wait.Add(1)
		lk.cause = why
		close(lk.dead)
		d.mu.Lock()
		delete(d.links, lk)
		d.mu.Unlock()
		closing := func() {
			defer d.wait.Done()
			lk.raw.Close() // not client.Close, because a request that waits for its answer holds a lock
			if lk.via != nil {
				d.release(lk.via)
			}
			if lk.master != nil {
				lk.master.stop()
			}
		}
		if lk.via == nil && lk.master == nil {
			closing()
		} else {
			go closing() // Close sends a message to the jump host or the ssh program, which may not read it
		}
	})
}

// maxSilent is the allowed number of consecutive unanswered keepalives.
const maxSilent = 3

// keepAlive sends keepalives to the server and ends the connection if the answers stop.
func (lk *link) keepAlive(every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	answer := make(chan error, 1)
	asked, silent := false, 0
	for {
		select {
		case <-lk.dead:
			return
		case err := <-answer:
			if err != nil {
				lk.end(err)
				return
			}
			asked, silent = false, 0
		case <-tick.C:
			if asked {
				if silent++; silent == maxSilent {
					lk.end(fmt.Errorf("no sign of life for %v", every*maxSilent))
					return
				}
				continue
			}
			asked = true
			go func() { // the call blocks while the server is silent; end unblocks it
				_, _, err := lk.client.SendRequest("keepalive@openssh.com", true, nil)
				answer <- err
			}()
		}
	}
}

// lost returns the error for a connection that broke during a command.
func (lk *link) lost(during string) error {
	<-lk.dead
	return failure(ErrLost, lk.cause, "the connection to %s was lost %s: %s", lk.login, during, cause(lk.cause))
}
