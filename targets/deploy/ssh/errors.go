package ssh

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"

	"golang.org/x/crypto/ssh"

	"github.com/rocec/rocec/targets/target"
)

// The kinds of failures, for errors.Is.
var (
	ErrConfig      = errors.New("ssh configuration")  // a mistake in ssh_config, known_hosts or the ssh block
	ErrUnreachable = errors.New("device unreachable") // no SSH server answers
	ErrHostKey     = errors.New("host key")           // the server did not prove that it is the device
	ErrLogin       = errors.New("login refused")      // the server refused the login
	ErrForbidden   = errors.New("login forbidden")    // by Config.Permit or Config.AgentOnly
	ErrLost        = errors.New("connection lost")    // the connection broke, and it is unknown whether the command ran
	ErrOutput      = errors.New("too much output")    // a command printed more than Config.MaxOutput and was cut off
)

// ErrHostKeyAlarm is an [ErrHostKey] of a server with a key in known_hosts or a pin. The server showed another key, a revoked key or an
// invalid certificate, so another machine may answer in its place. The error of an unknown server is only ErrHostKey.
var ErrHostKeyAlarm = fmt.Errorf("%w: not the one on file", ErrHostKey)

var errClosed = errors.New("the connection was closed")

// failed is an error of one kind, with a text for a person.
type failed struct {
	kind error
	text string
	err  error // the cause, or nil
}

func (f *failed) Error() string   { return f.text }
func (f *failed) Unwrap() []error { return []error{f.kind, f.err} }

// failure returns an error of a kind. It escapes text that comes from a device or a file.
func failure(kind, err error, format string, args ...any) error {
	if err == nil {
		err = kind
	}
	return &failed{kind: kind, text: target.Escape(fmt.Sprintf(format, args...)), err: err}
}

// unreachable returns the error that no SSH server answers at l.
func unreachable(l *login, err error) error {
	var dns *net.DNSError
	var refused *ssh.OpenChannelError
	switch {
	case l.via != nil && errors.As(err, &refused):
		return failure(ErrUnreachable, err, "%s cannot reach %s: %s", l.via, l, said(refused.Message))
	case l.via == nil && errors.As(err, &dns) && dns.IsNotFound:
		return failure(ErrUnreachable, errors.Join(target.ErrNoAddress, err),
			"the name %q has no address; give one as address in the ssh block, or as HostName in ~/.ssh/config", l.host)
	}
	return failure(ErrUnreachable, err, "cannot reach %s: %s", l, cause(err))
}

// throughJump adds to err that the error happened on the way to l.
func throughJump(l *login, err error) error {
	kind := ErrUnreachable
	for _, k := range []error{ErrConfig, ErrHostKey, ErrHostKeyAlarm, ErrLogin, ErrForbidden} {
		if errors.Is(err, k) {
			kind = k
		}
	}
	return failure(kind, err, "on the way to %s: %v", l, err)
}

// cause returns the part of an error that a person needs, in one line, without addresses and names of calls.
func cause(err error) string {
	var op *net.OpError
	var no syscall.Errno
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "no answer in time"
	case errors.As(err, &no):
		return no.Error()
	case errors.Is(err, context.Canceled):
		return "interrupted"
	case errors.Is(err, io.EOF), err.Error() == channelOpenNil:
		return "the connection was closed by the other side"
	case errors.As(err, &op):
		return op.Err.Error()
	}
	return said(strings.TrimPrefix(strings.TrimPrefix(err.Error(), "ssh: "), "handshake failed: ssh: "))
}

// said shortens the text of a server to one line.
func said(text string) string {
	const most = 300
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > most {
		text = text[:most] + " …"
	}
	return target.Escape(text)
}

// cut reports whether an error is a broken connection, and not a refusal by the server.
func cut(err error) bool {
	var op *net.OpError
	return errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) || errors.As(err, &op)
}

// channelOpenNil is the error text of x/crypto when the connection ends while a channel is being opened.
const channelOpenNil = "ssh: unexpected packet in response to channel open: <nil>"
