package deploy_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/lab"
	"github.com/rocec/rocec/targets/deploy/ssh"
	"github.com/rocec/rocec/targets/target"
)

const (
	red   = "colour = red\n"
	green = "colour = green\n"
)

// realTime is the clock of tests that do not drive one.
var realTime = deploy.Clock{Now: time.Now, Wait: time.After}

// app is a target of two files and one service.
var app = &target.Target{
	Name: "app",
	User: "admin",
	Image: func(*ir.Device) target.Image {
		return target.Image{Files: map[string]string{"/etc/app/conf": red}, Services: []string{"app.service"}}
	},
}

// rehearsal is a lab, and the way to it over real SSH, as a login user who is not root.
type rehearsal struct {
	*lab.Lab
	t    *testing.T
	tree *target.Tree
	dial target.Dial
}

func rehearse(t *testing.T, n int) *rehearsal {
	tree := &target.Tree{}
	file := func(path string) target.File {
		return target.File{
			Path: path, Mode: 0o644,
			Edit:     func([]byte) ([]byte, diag.List) { return []byte(green), nil },
			Precheck: `grep -q green "$1"`,
			Activate: target.Step{Cmd: "systemctl restart app.service", Check: "systemctl is-active --quiet app.service", Timeout: 2 * time.Second},
		}
	}
	for i := range n {
		name := fmt.Sprintf("leaf%02d", i+1)
		tree.Devices = append(tree.Devices, &target.Device{
			Name: name, Role: target.Switch, Target: app, Source: &ir.Device{Name: name},
			Files: []target.File{file("/etc/app/conf"), file("/etc/app.d/more/extra")},
		})
	}
	l, err := lab.Start(tree)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	dialer, err := ssh.New(ssh.Config{Keys: [][]byte{l.Key()}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, dialer.Close()) })
	dial := func(ctx context.Context, d *target.Device) (target.Conn, error) {
		there := *d
		there.Login = l.Login(d.Name)
		return dialer.Dial(ctx, &there)
	}
	return &rehearsal{Lab: l, t: t, tree: tree, dial: dial}
}

func (r *rehearsal) plan() *deploy.Plan {
	return deploy.Diff(r.tree, deploy.Observe(r.t.Context(), r.dial, r.tree, deploy.ObserveOptions{}))
}

func (r *rehearsal) file(device, path string) string {
	data, err := r.Device(device).ReadFile(path)
	if err != nil {
		return ""
	}
	return string(data)
}

// The whole road over real SSH, in the lab's shell: plan, apply, and a plan that is empty. Planning writes nothing.
func TestLab(t *testing.T) {
	r := rehearse(t, 3)
	for _, d := range r.tree.Devices {
		r.Device(d.Name).FailWrites()
	}
	p := r.plan()
	for _, d := range p.Devices {
		require.Equal(t, deploy.StatusChange, d.Status, "%+v", d.Err)
		require.Empty(t, r.Device(d.Device.Name).Writes())
		r.Device(d.Device.Name).AllowWrites()
	}
	rep, err := deploy.Apply(t.Context(), r.dial, p, deploy.ApplyOptions{Clock: realTime, Txn: "txn-1", Owner: "alice@ws7"})
	require.NoError(t, err)
	for _, d := range rep.Devices {
		require.Equal(t, deploy.Applied, d.Outcome, "%v %s", d.Err, d.Detail)
		require.Empty(t, d.Detail)
		require.Equal(t, red, r.file(d.Device.Name, "/var/lib/rocec/backup/txn-1/0"))
	}
	require.True(t, r.plan().Empty())
}

// Something happens to the device while a step begins, or just after it: what it holds in the end is old or new in
// full, and what the report says is true.
func TestLabFaults(t *testing.T) {
	steps := strings.Fields("lock check upload precheck backup commit activate settle verify release")
	for name, c := range map[string]struct {
		fault                      func(d *lab.Device, l *lab.Lab)
		applied, refused, restored int // the rest is unknown
	}{
		"cut link":    {func(d *lab.Device, l *lab.Lab) { l.Disconnect(d.Name) }, 9, 11, 0},
		"read-only":   {func(d *lab.Device, _ *lab.Lab) { d.FailWrites() }, 7, 11, 0},
		"disk full":   {func(d *lab.Device, _ *lab.Lab) { d.FillDisk(0) }, 9, 11, 0},
		"no sudo":     {func(d *lab.Device, _ *lab.Lab) { d.RevokeSudo() }, 3, 11, 0},
		"no restart":  {func(d *lab.Device, _ *lab.Lab) { d.Break("systemctl restart", 1, "Job for app.service failed.") }, 7, 0, 0},
		"human edits": {func(d *lab.Device, _ *lab.Lab) { d.WriteFile("/etc/app/conf", []byte("colour = blue\n"), 0o644) }, 3, 11, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seen := map[deploy.Outcome]int{}
			for _, at := range steps {
				for _, state := range []deploy.State{deploy.Begin, deploy.Done} {
					r := rehearse(t, 1)
					dev, fired := r.Device("leaf01"), false
					rep, err := deploy.Apply(t.Context(), r.dial, r.plan(), deploy.ApplyOptions{Clock: realTime, Txn: "txn-1", Owner: "alice@ws7", Event: func(e deploy.Event) {
						if e.Step == at && e.State == state && !fired {
							fired = true
							c.fault(dev, r.Lab)
						}
					}})
					require.NoError(t, err)
					require.True(t, fired, "the fault must have happened")
					got := rep.Devices[0]
					seen[got.Outcome]++
					where := fmt.Sprintf("%s %s: %s: %v %s", at, state, got.Outcome, got.Err, got.Detail)
					t.Log(where)
					conf, extra := r.file("leaf01", "/etc/app/conf"), r.file("leaf01", "/etc/app.d/more/extra")
					old, blue := red, name == "human edits"
					if blue {
						old = "colour = blue\n"
					}
					require.Contains(t, []string{red, green, "colour = blue\n"}, conf, where)
					require.Contains(t, []string{"", green}, extra, where)
					switch got.Outcome {
					case deploy.Applied:
						require.Equal(t, green, extra, where)
						if !blue {
							require.Equal(t, green, conf, where)
						}
					case deploy.Restored, deploy.Refused:
						require.Equal(t, old, conf, where)
						require.Empty(t, extra, where)
					default:
						require.Equal(t, deploy.Unknown, got.Outcome, where)
						require.NotEmpty(t, got.Detail)
					}
					if r.file("leaf01", "/var/lib/rocec/lock/owner") != "" {
						require.Contains(t, got.Detail, "sudo rm -r /var/lib/rocec/lock", where)
					}
					if name == "cut link" {
						require.NotEqual(t, deploy.Unknown, got.Outcome, where)
						require.Empty(t, r.file("leaf01", "/var/lib/rocec/lock/owner"), where)
					}
				}
			}
			require.Equal(t, []int{c.applied, c.refused, c.restored}, []int{seen[deploy.Applied], seen[deploy.Refused], seen[deploy.Restored]}, seen)
		})
	}
}
