// Package device speaks the verbs of a change to one [Device]: read, prepare, commit, check, confirm, undo, release and state.
//
// A verb is one command over SSH, a script of POSIX sh that runs as root. Prepare brings all inputs: the new content, the steps, and the
// script of the run ([runScript]), which the later verbs, the timer and the boot unit call. So no part of rocec stays on a device outside
// of [deploy.StateDir]. Every verb answers with the state of the run after it ([Report]), from which package txn decides the next verb.
package device

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/target"
)

// Bounds.
const (
	verbTime       = 2 * time.Minute // one verb, beyond the time of the steps it runs; an old sync(1) may take half of that
	stepTime       = time.Minute     // a step that states no timeout
	checkTime      = time.Minute     // the vendor's checker, of one file; run.sh holds it to that
	reconnectEvery = 2 * time.Second
)

// Clock is the source of time: [time.Now] and [time.After], unless a test drives them.
type Clock struct {
	Now  func() time.Time
	Wait func(time.Duration) <-chan time.Time
}

// Device is the way to one device. It is not safe for concurrent use.
type Device struct {
	Of   *target.Device
	Head string // of the journal of the run: the SHA-256 of its last line. The device keeps it with verbs that decide its fate

	dial  target.Dial
	clock Clock
	sudo  *Sudo
	conn  target.Conn
	key   string // fingerprint of the host key that a connection must have; empty: the first one's
}

// New makes a device that is not connected yet. sudo may be nil.
func New(of *target.Device, dial target.Dial, sudo *Sudo, clock Clock) *Device {
	return &Device{Of: of, dial: dial, sudo: sudo, clock: clock}
}

// Tell gives the device another clock.
func (d *Device) Tell(clock Clock) { d.clock = clock }

// Expect refuses every connection that is not to the holder of a host key; empty: the key of the first connection.
func (d *Device) Expect(key string) {
	if key != "" {
		d.key = key
	}
}

// Connect logs in, unless a connection is there. step is named in the error.
func (d *Device) Connect(ctx context.Context, step string) *deploy.Error {
	if d.conn != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, verbTime)
	defer cancel()
	conn, err := d.dial(ctx, d.Of)
	if err != nil {
		return dialError(d.Of, step, err)
	}
	if key := conn.HostKey(); d.key != "" && key != d.key {
		_ = conn.Close()
		return &deploy.Error{
			Kind: deploy.HostKey, Device: d.Of, Step: step, Lost: true,
			Detail: fmt.Sprintf("it answers with another host key than before (%s, then %s): another machine may answer in its place",
				cmp.Or(key, "one that ssh does not tell"), d.key),
		}
	} else if d.key == "" {
		d.key = key
	}
	d.conn = conn
	return nil
}

// Reconnect logs in again, and retries until patience has passed: the change itself may have taken the link down for a moment.
func (d *Device) Reconnect(ctx context.Context, patience time.Duration) *deploy.Error {
	start := d.clock.Now()
	for {
		d.Close()
		err := d.Connect(ctx, "reconnect")
		if err == nil || err.Kind != deploy.Unreachable || d.clock.Now().Sub(start) >= patience {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-d.clock.Wait(reconnectEvery):
		}
	}
}

// Close ends the connection; whatever was to be known over it is known.
func (d *Device) Close() {
	if d.conn != nil {
		_ = d.conn.Close()
		d.conn = nil
	}
}
