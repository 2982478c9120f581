// Package labtest provides devices of a lab for tests of changes that do not start a verb.
package labtest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device"
	"github.com/rocec/rocec/targets/deploy/lab"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/deploy/ssh"
	"github.com/rocec/rocec/targets/target"
)

// Start starts the devices of a tree in a lab, and returns a function that connects to them.
func Start(t *testing.T, tree *target.Tree) (*lab.Lab, target.Dial) {
	devices, err := lab.Start(tree)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, devices.Close()) })
	dialer, err := ssh.New(ssh.Config{Keys: [][]byte{devices.Key()}, Net: devices.Dial})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, dialer.Close()) })
	return devices, func(ctx context.Context, d *target.Device) (target.Conn, error) {
		there := *d
		there.Login = devices.Login(d.Name)
		return dialer.Dial(ctx, &there)
	}
}

// Uptime returns the uptime of a device, in seconds of the device's clock.
func Uptime(t *testing.T, d *lab.Device) (seconds float64) {
	t.Helper()
	out, errs, status := d.Run(t.Context(), "root", "cat /proc/uptime", "")
	require.Zero(t, status, errs)
	_, err := fmt.Sscan(out, &seconds)
	require.NoError(t, err)
	return seconds
}

// Hurried is a clock on which a minute of waiting takes a second. Only a wait advances the clock, so no timeout ends early on a busy
// machine.
func Hurried() rollout.Clock {
	const speed = 60
	var mu sync.Mutex
	now := time.Now()
	return rollout.Clock{
		Now: func() time.Time {
			mu.Lock()
			defer mu.Unlock()
			return now
		},
		Wait: func(d time.Duration) <-chan time.Time {
			c := make(chan time.Time, 1)
			time.AfterFunc(d/speed, func() {
				mu.Lock()
				defer mu.Unlock()
				now = now.Add(d)
				c <- now
			})
			return c
		},
	}
}

// Apply plans and applies a tree, on a Hurried clock.
func Apply(t *testing.T, tree *target.Tree, dial target.Dial, more ...func(*rollout.ApplyOptions)) *deploy.Results {
	t.Helper()
	plan := deploy.Diff(tree, rollout.Observe(t.Context(), dial, tree, rollout.ObserveOptions{Probes: rollout.Every}))
	require.Equal(t, deploy.StatusChange, plan.Devices[0].Status, "%v", plan.Devices[0].Err)
	o := rollout.ApplyOptions{Run: deploy.Run{Name: "txn-1", Key: "abcd"}, Clock: Hurried()}
	for _, m := range more {
		m(&o)
	}
	rep, err := rollout.Apply(t.Context(), dial, plan, o)
	require.NoError(t, err)
	return rep
}

// Box is the first device of a tree, in a lab.
type Box struct {
	*lab.Device
	Tree *target.Tree
	Dial target.Dial
	Cut  int          // number of the command before which the connection breaks; 0: none
	Ran  atomic.Int32 // number of commands, each a round trip
}

// New starts the first device of a tree.
func New(t *testing.T, tree *target.Tree) *Box {
	t.Helper()
	devices, dial := Start(t, tree)
	b := &Box{Device: devices.Device(tree.Devices[0].Name), Tree: tree}
	b.Dial = func(ctx context.Context, d *target.Device) (target.Conn, error) {
		c, err := dial(ctx, d)
		return cutConn{c, b}, err
	}
	return b
}

// Root runs a command as root, and fails the test if the command fails.
func (b *Box) Root(t *testing.T, cmd string) string {
	t.Helper()
	out, stderr, status := b.Run(t.Context(), "root", cmd, "")
	require.Zero(t, status, "%s: %s%s", cmd, out, stderr)
	return string(out)
}

// Plan observes the device and compares it with the tree.
func (b *Box) Plan(t *testing.T) *deploy.DevicePlan {
	t.Helper()
	return deploy.Diff(b.Tree, rollout.Observe(t.Context(), b.Dial, b.Tree, rollout.ObserveOptions{Probes: rollout.Every})).Devices[0]
}

// cutConn counts commands. It breaks once, before the command whose number the box contains.
type cutConn struct {
	target.Conn
	b *Box
}

func (c cutConn) Run(ctx context.Context, cmd string, stdin []byte) ([]byte, error) {
	c.b.Ran.Add(1)
	if c.b.Cut > 0 {
		if c.b.Cut--; c.b.Cut == 0 {
			_ = c.Conn.Close()
			return nil, errors.New("the connection broke")
		}
	}
	return c.Conn.Run(ctx, cmd, stdin)
}

// Back restores the content from before a kept change, like `rocec rollback`.
func (b *Box) Back(t *testing.T, was *deploy.Change, more ...func(*rollout.ApplyOptions)) *deploy.Result {
	t.Helper()
	d, f, before := *b.Tree.Devices[0], *was.File, was.Before
	f.Activate = device.GoBack(f.Activate, map[string][]byte{f.Path: before}, map[string]*target.Query{f.Path: f.Live})
	f.Edit, f.Choose = func([]byte) ([]byte, diag.List) { return before, nil }, nil
	d.Files = []target.File{f}
	return Apply(t, &target.Tree{Devices: []*target.Device{&d}}, b.Dial, more...).Devices[0]
}
