package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"

	"golang.org/x/crypto/ssh"
)

// Session logs in to a device over SSH, as its login user, and runs a command, or a shell if cmd is empty. The shell has a prompt if
// terminal is set. Session returns the exit status of the command, or an error if it has no status.
func (l *Lab) Session(ctx context.Context, name, cmd string, terminal bool, stdin io.Reader, stdout, stderr io.Writer) (int, error) {
	if l.byName[name] == nil {
		return 0, fmt.Errorf("the lab has no device %q", name)
	}
	login := l.Login(name)
	addr := net.JoinHostPort(login.Address, fmt.Sprint(login.Port))
	conn, err := l.Dial(ctx, "tcp", addr)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	signer, err := ssh.NewSignerFromSigner(l.derive("login"))
	if err != nil {
		return 0, err
	}
	c, chans, reqs, err := ssh.NewClientConn(conn, addr, &ssh.ClientConfig{
		User: login.User, Auth: []ssh.AuthMethod{ssh.PublicKeys(signer)},
		HostKeyCallback: ssh.FixedHostKey(l.hostKey(name).PublicKey()),
	})
	if err != nil {
		return 0, err
	}
	client := ssh.NewClient(c, chans, reqs)
	defer client.Close()
	s, err := client.NewSession()
	if err != nil {
		return 0, err
	}
	in, err := s.StdinPipe()
	if err != nil {
		return 0, err
	}
	s.Stdout, s.Stderr = stdout, stderr
	if terminal {
		if err := s.RequestPty("dumb", 24, 80, ssh.TerminalModes{}); err != nil {
			return 0, err
		}
	}
	if cmd == "" {
		err = s.Shell()
	} else {
		err = s.Start(cmd)
	}
	if err != nil {
		return 0, err
	}
	go func() { // in a goroutine, because a command may end without reading all input
		_, _ = io.Copy(in, stdin)
		_ = in.Close()
	}()
	err = s.Wait()
	var exit *ssh.ExitError
	switch {
	case errors.As(err, &exit):
		return exit.ExitStatus(), nil
	case ctx.Err() != nil:
		return 0, ctx.Err()
	case err != nil:
		return 0, fmt.Errorf("the connection to %s was lost: %w", name, err)
	}
	return 0, nil
}
