package device

import (
	"context"
	"time"

	"github.com/rocec/rocec/targets/deploy"
)

// Script is a script of rocec that runs as root, and is no verb of a run.
type Script struct {
	Step  string // see [deploy.Error]
	Text  string
	Args  []string
	Stdin []byte
	Time  time.Duration // more than that of a verb
	Gate  []string      // the verb of the gate that does the same, and its arguments; nil: the gate has no such verb
}

// Do connects to the device and runs a script.
func Do(ctx context.Context, d *Device, s *Script) *deploy.Error {
	gate := ""
	if s.Gate != nil {
		gate = byGate(s.Gate...)
	}
	if err := d.Connect(ctx, s.Step); err != nil {
		return err
	}
	_, err := d.verb(ctx, s.Step, gate, s.Text, s.Stdin, s.Time, nil, s.Args...)
	return err
}

// Ask connects to the device, runs a command as the login user, and returns the output.
func Ask(ctx context.Context, d *Device, step, cmd string) (string, *deploy.Error) {
	if err := d.Connect(ctx, step); err != nil {
		return "", err
	}
	out, err := d.conn.Run(ctx, cmd, nil)
	if err != nil {
		return "", runError(d.Of, step, err)
	}
	return string(out), nil
}
