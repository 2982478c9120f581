package device

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/target"
)

// dialError is a failure to open a connection.
func dialError(d *target.Device, step string, err error) *deploy.Error {
	e := &deploy.Error{Kind: deploy.Unreachable, Device: d, Step: step, Detail: deploy.Sentences(err.Error()), Err: err}
	key, alarm := errors.AsType[*target.HostKeyError](err)
	if _, ok := errors.AsType[*target.LoginError](err); ok {
		e.Kind = deploy.Login
		if alarm && key.Alarm {
			e.Kind = deploy.HostKey
		}
	} else if errors.Is(err, context.DeadlineExceeded) {
		e.Detail = "no answer in time: " + e.Detail
	}
	e.NoAddress = errors.Is(err, target.ErrNoAddress)
	return e
}

// runError returns the error for a command that could not be run, or whose connection broke while it ran.
func runError(d *target.Device, step string, err error) *deploy.Error {
	exit, ok := errors.AsType[*target.ExitError](err)
	if errors.Is(err, errPassword) || errors.Is(err, errElsewhere) {
		return &deploy.Error{Kind: deploy.Permission, Device: d, Step: step, Detail: deploy.OneLine(err.Error()), Err: err}
	}
	if !ok {
		e := dialError(d, step, err)
		e.Lost = true
		return e
	}
	e := &deploy.Error{Kind: deploy.Unreachable, Device: d, Step: step, Err: err}
	said := deploy.OneLine(lastLine(exit.Stderr))
	switch {
	case strings.HasPrefix(said, "sudo:"), strings.HasPrefix(said, "Sorry, user"), strings.Contains(said, "sudo: not found"):
		e.Kind = deploy.Permission
		e.Detail = fmt.Sprintf("the login user may not become root without a password (%s). Log in as root, or let the "+
			"user run everything with a line in /etc/sudoers.d on the device: USER ALL=(root) NOPASSWD: ALL. Where sudo wants a "+
			"password: --ask-sudo-password.", said)
	default:
		e.Detail = "the device could not run rocec's command: " + deploy.OneLine(exit.Error())
	}
	return e
}

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}
