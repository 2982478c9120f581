package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/sshsig"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device"
	"github.com/rocec/rocec/targets/deploy/gated"
	"github.com/rocec/rocec/targets/judge/judgetest"
	"github.com/rocec/rocec/targets/target"
)

// wire is a connection that notes what a device gets on stdin.
type wire struct{ stdin []byte }

func (w *wire) Run(_ context.Context, _ string, stdin []byte) ([]byte, error) {
	w.stdin = stdin
	return []byte("OK\n"), nil
}
func (w *wire) HostKey() string { return "SHA256:" + strings.Repeat("A", 43) }
func (w *wire) Close() error    { return nil }

// TestSameFiles: for each device of racks of every system, the gate makes from an order the very files that rocec sends to a device without
// a gate.
func TestSameFiles(t *testing.T) {
	t.Parallel()
	for name, hcl := range map[string]string{
		"restart": judgetest.Rack(`version = "4.2.1"`), "reload": judgetest.Rack(`version = "5.3.1"`),
		"NVUE":  judgetest.Rack(`version = "5.14.0"`),
		"SONiC": judgetest.SONiCRack("202505"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := judgetest.Tree(t, hcl)
			for _, role := range []target.Role{target.Switch, target.Host} {
				for _, d := range judgetest.First(t, all, role).Devices {
					b := newBench(t)
					p := planOf(t, d)
					run := deploy.Run{Name: "20261130t115900z-3f9a", Key: "62b1", Owner: "alice@ws7, process 1", Tool: "0.2.0"}
					timers := device.Timers{First: time.Minute, Later: time.Hour}
					sent := func(orders *gated.Orders) []byte {
						w := &wire{}
						dev := device.New(d, func(context.Context, *target.Device) (target.Conn, error) { return w, nil }, nil,
							device.Clock{Now: time.Now, Wait: time.After})
						dev.Order = orders.Of(d.Name)
						require.Nil(t, dev.Connect(t.Context(), ""))
						require.Nil(t, dev.Prepare(t.Context(), run, device.NewChange(p), timers))
						return w.stdin
					}
					plain := sent(nil)
					p.Gate = &deploy.Gate{Release: "1", Machines: []string{b.machine}}
					orders := gated.New(run, noon.Add(time.Hour), []*deploy.DevicePlan{p})
					orders.Sign(sign(t, b.key(), sshsig.RoleDevice, orders.Statement()))
					status, said := b.call(sent(orders), "prepare")
					require.Zero(t, status, "%s: %s", d.Name, said)
					require.Equal(t, string(plain), string(b.ran[1].stdin), d.Name)
				}
			}
		})
	}
}

// planOf returns a plan that changes all files of a device.
func planOf(t *testing.T, d *target.Device) *deploy.DevicePlan {
	t.Helper()
	p := &deploy.DevicePlan{Device: d, Status: deploy.StatusChange, Digest: strings.Repeat("cd", 32)}
	for i := range d.Files {
		f := d.Files[i]
		var before []byte
		if text, there := d.Target.Image(d.Source).Files[f.Path]; there {
			before = []byte(text)
		}
		after, ds := f.Edit(before)
		require.False(t, ds.HasErrors())
		if f.Choose != nil {
			f.Activate, _ = f.Choose(before, after, nil)
		}
		p.Changes = append(p.Changes, &deploy.Change{
			FileState: deploy.FileState{Path: f.Path, Base: deploy.Sum(before), Target: deploy.Sum(after)}, File: &f, Before: before, After: after,
		})
	}
	assert.NotEmpty(t, p.Changes)
	return p
}
