package main

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device"
	"github.com/rocec/rocec/targets/deploy/lab"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/target"
)

// labBox is the first device of a tree, in a lab.
type labBox struct {
	*lab.Device
	tree *target.Tree
	dial target.Dial
	cut  int          // the command before which a connection breaks; 0: none
	ran  atomic.Int32 // commands, each a round trip
}

func newLabBox(t *testing.T, tree *target.Tree) *labBox {
	t.Helper()
	devices, dial := inLab(t, tree)
	b := &labBox{Device: devices.Device(tree.Devices[0].Name), tree: tree}
	b.dial = func(ctx context.Context, d *target.Device) (target.Conn, error) {
		c, err := dial(ctx, d)
		return cutConn{c, b}, err
	}
	return b
}

// root runs a command, which has to work.
func (b *labBox) root(t *testing.T, cmd string) string {
	t.Helper()
	out, stderr, status := b.Run(t.Context(), "root", cmd, "")
	require.Zero(t, status, "%s: %s%s", cmd, out, stderr)
	return string(out)
}

func (b *labBox) plan(t *testing.T) *deploy.DevicePlan {
	t.Helper()
	return deploy.Diff(b.tree, rollout.Observe(t.Context(), b.dial, b.tree, rollout.ObserveOptions{Probes: rollout.Every})).Devices[0]
}

// cutConn counts commands, and breaks once, before the command its box names by number.
type cutConn struct {
	target.Conn
	b *labBox
}

func (c cutConn) Run(ctx context.Context, cmd string, stdin []byte) ([]byte, error) {
	c.b.ran.Add(1)
	if c.b.cut > 0 {
		if c.b.cut--; c.b.cut == 0 {
			_ = c.Conn.Close()
			return nil, errors.New("the connection broke")
		}
	}
	return c.Conn.Run(ctx, cmd, stdin)
}

// back goes back to what a device held before a change, as `rocec rollback` does after the run was kept.
func (b *labBox) back(t *testing.T, was *deploy.Change, more ...func(*rollout.ApplyOptions)) *deploy.Result {
	t.Helper()
	d, f, before := *b.tree.Devices[0], *was.File, was.Before
	f.Activate = device.GoBack(f.Activate, map[string][]byte{f.Path: before}, map[string]*target.Query{f.Path: f.Live})
	f.Edit, f.Choose = func([]byte) ([]byte, diag.List) { return before, nil }, nil
	d.Files = []target.File{f}
	return applied(t, &target.Tree{Devices: []*target.Device{&d}}, b.dial, more...).Devices[0]
}
