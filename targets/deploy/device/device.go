// Package device speaks the verbs of a change to one [Device]: read, prepare, commit, check, confirm, undo, release and state.
//
// A verb is one command over SSH: a POSIX sh script that runs as root. Prepare sends all inputs: the new content, the steps, and the
// script of the run ([runScript]). The later verbs, the timer and the boot unit call that script. So no part of rocec stays on a device
// outside of [deploy.StateDir]. Every verb answers with the state of the run after the verb ([Report]). Package txn decides the next verb
// from this state.
package device

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/order"
	"github.com/rocec/rocec/targets/target"
)

// Bounds.
const (
	verbTime       = 2 * time.Minute // one verb, without the time of its steps; an old sync(1) may take half of the time
	stepTime       = time.Minute     // a step that states no timeout
	checkTime      = time.Minute     // the vendor's checker, for one file; run.sh enforces the limit
	reconnectEvery = 2 * time.Second
)

// Clock is the source of time: [time.Now] and [time.After], unless a test drives them.
type Clock struct {
	Now  func() time.Time
	Wait func(time.Duration) <-chan time.Time
}

// Device is a connection to one device, with the verbs. It is not safe for concurrent use.
type Device struct {
	Of   *target.Device
	Head string // of the journal of the run: the SHA-256 of its last line. The device keeps it with verbs that decide its fate

	Order *order.Envelope // of the run, signed, for a device with a gate; nil: rocec sends no order

	dial  target.Dial
	clock Clock
	sudo  *Sudo
	conn  target.Conn
	key   string // fingerprint of the required host key; empty: the key of the first connection
}

// New returns a device that is not connected yet. sudo may be nil.
func New(of *target.Device, dial target.Dial, sudo *Sudo, clock Clock) *Device {
	return &Device{Of: of, dial: dial, sudo: sudo, clock: clock}
}

// Tell replaces the clock of the device.
func (d *Device) Tell(clock Clock) { d.clock = clock }

// Expect makes the device refuse every connection with another host key than this one. Empty: the key of the first connection.
func (d *Device) Expect(key string) {
	if key != "" {
		d.key = key
	}
}

// Connect logs in if there is no connection. The error names the step.
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
				cmp.Or(key, "a key that ssh does not report"), d.key),
		}
	} else if d.key == "" {
		d.key = key
	}
	d.conn = conn
	return nil
}

// Reconnect logs in again, and retries until patience has passed, because the change itself may have taken the link down for a moment.
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

// Close ends the connection. It ignores errors, because no more data is expected over the connection.
func (d *Device) Close() {
	if d.conn != nil {
		_ = d.conn.Close()
		d.conn = nil
	}
}
