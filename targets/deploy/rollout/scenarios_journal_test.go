package rollout_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device"
	"github.com/rocec/rocec/targets/deploy/internal/boxtest"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/deploy/txn"
	"github.com/rocec/rocec/targets/target"
)

// whatItDoes is the hash for devices in the plans of tests.
var whatItDoes = sha("what the run does")

// evil returns a device whose query leaves a trace when it runs.
func (b box) evil() *target.Device {
	d := *b.Dev
	d.Files = append([]target.File{}, b.Dev.Files...)
	d.Files[1].Live = &target.Query{Cmd: "touch " + b.Root + "/run/evil; cat " + b.Root + "/run/loaded"}
	d.Identity = []target.Probe{{Name: "evil", Query: *d.Files[1].Live, Judge: func([]byte) []string { return nil }}}
	return &d
}

// A resume with another journal than the one that the device received does nothing on the device, for every verb. A resume with the right
// journal goes on.
func anotherJournal(t testing.TB, b box) {
	b.Systemd()
	p := b.hold(t)
	hostile := func(digest string) *deploy.Plan {
		one := *p.Devices[0]
		one.Device, one.Digest = b.evil(), digest
		return &deploy.Plan{Devices: []*deploy.DevicePlan{&one}}
	}
	digest := b.Root + boxtest.State + "/txn-txn-1/digest"
	for _, given := range []string{sha("something else"), "", "$(touch " + b.Root + "/run/evil)"} {
		for _, goal := range []txn.Goal{txn.Keep, txn.Hold, txn.Back} {
			r := b.resume(t, hostile(given), goal)
			b.is(t, r, deploy.Unknown, deploy.Journal, "is not the one that the device received")
			b.holds(t, boxtest.NewConf, boxtest.NewConf)
			require.FileExists(t, b.Root+boxtest.State+"/txn-txn-1/state.loaded")
			require.NoFileExists(t, b.Root+"/run/evil")
		}
	}
	is, err := os.ReadFile(digest)
	require.NoError(t, err)
	require.Equal(t, whatItDoes+"\n", string(is))
	require.NoError(t, os.Remove(digest))
	b.is(t, b.resume(t, p, txn.Back), deploy.Unknown, deploy.Journal, "has no hash of run txn-1")
	require.NoError(t, os.WriteFile(digest, is, 0o600))
	b.is(t, b.resume(t, p, txn.Keep), deploy.Applied, "", "")

	// The same rule applies to a read for the rollback of a kept run.
	read := func(given string) *deploy.Have {
		d := device.New(b.evil(), b.Dial, nil, device.Clock(realTime))
		d.Of.Given = &target.Given{Run: "txn-1", Sum: given}
		require.Nil(t, d.Connect(t.Context(), ""))
		defer d.Close()
		return d.Read(t.Context(), device.Want{Probes: true})
	}
	refused := func(given string, none bool) {
		t.Helper()
		h := read(given)
		require.NotNil(t, h.Err)
		require.Equal(t, deploy.Journal, h.Err.Kind)
		require.Equal(t, none, h.Err.None, h.Err.Detail)
		require.Empty(t, h.Files)
		require.NoFileExists(t, b.Root+"/run/evil")
	}
	refused(sha("something else"), false)
	refused("", false)
	state := b.Root + boxtest.State
	require.NoError(t, os.Rename(state+"/backup/txn-1/digest", state+"/aside"))
	refused(whatItDoes, true)
	b.Write(boxtest.State+"/digests", "txn-10 "+sha("x")+"\ntxn-1 "+sha("y")+"\n")
	refused(whatItDoes, false)
	b.Write(boxtest.State+"/digests", "txn-10 "+sha("x")+"\ntxn-1 "+whatItDoes+"\ntxn-11 "+sha("x")+"\n")
	require.Nil(t, read(whatItDoes).Err, "the run was removed, except its hash")
	require.FileExists(t, b.Root+"/run/evil")
	require.NoError(t, os.Remove(b.Root+"/run/evil"))
	require.NoError(t, os.Rename(state+"/aside", state+"/backup/txn-1/digest"))
	require.Nil(t, read(whatItDoes).Err)
	require.FileExists(t, b.Root+"/run/evil")
}

// An invalid journal is not tried on a device.
func TestUnusableJournal(t *testing.T) {
	t.Parallel()
	b := newBox(t, "leaf01")
	b.Systemd()
	p := b.hold(t)
	p.Devices[0].Device.Given = &target.Given{Run: "txn-1", Sum: whatItDoes, Not: "it names no path of rocec"}
	b.Runs = 0
	for _, goal := range []txn.Goal{txn.Keep, txn.Hold, txn.Back} {
		b.is(t, b.resume(t, p, goal), deploy.Unknown, deploy.Journal, "Cause: it names no path")
	}
	d := device.New(p.Devices[0].Device, b.Dial, nil, device.Clock(realTime))
	require.Equal(t, deploy.Journal, d.Read(t.Context(), device.Want{}).Err.Kind)
	require.Zero(t, b.Runs, "nothing is asked of it")
}

// A user who cannot become root cannot compare the journals, and is refused.
func TestJournalUnseen(t *testing.T) {
	t.Parallel()
	b := newBox(t, "leaf01")
	b.Systemd()
	b.is(t, b.resume(t, b.hold(t), txn.Keep), deploy.Applied, "", "")
	state := b.Root + boxtest.State
	b.Stub("id", "echo 1000")
	b.Stub("sudo", "exit 1")
	require.NoError(t, os.Chmod(b.Root, 0o755))
	b.AsNobody()
	require.NoError(t, os.Chown(state+"/backup", 0, 0))
	require.NoError(t, os.Chmod(state+"/backup", 0o700))
	d := device.New(b.evil(), b.Dial, nil, device.Clock(realTime))
	d.Of.Given = &target.Given{Run: "txn-1", Sum: whatItDoes}
	require.Nil(t, d.Connect(t.Context(), ""))
	h := d.Read(t.Context(), device.Want{})
	require.NotNil(t, h.Err)
	require.Contains(t, h.Err.Detail, "cannot be compared with the one that the device received: that needs root there")
	require.False(t, h.Err.None)
	require.NoFileExists(t, b.Root+"/run/evil")
}

// A journal that differs from the one that the device received runs nothing over a real OpenSSH server, either.
func TestOpenSSHJournal(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.Systemd()
	links := &rollout.Links{}
	p := m.plan(t, links)
	p.Devices[0].Digest = whatItDoes
	rep, err := rollout.Apply(t.Context(), m.dial, p, options(held, func(o *rollout.ApplyOptions) { o.Links = links }))
	links.Close()
	require.NoError(t, err)
	require.Equal(t, deploy.Unconfirmed, rep.Devices[0].Outcome, m.said(rep.Devices[0]))
	evil, other := m.evil(), *p.Devices[0]
	other.Device, other.Digest = evil, sha("something else")
	for _, goal := range []txn.Goal{txn.Keep, txn.Back} {
		rep, err = rollout.Resume(t.Context(), m.dial, &deploy.Plan{Devices: []*deploy.DevicePlan{&other}}, goal, options())
		require.NoError(t, err)
		m.is(t, rep.Devices[0], deploy.Unknown, deploy.Journal, "is not the one that the device received")
	}
	evil.Given = &target.Given{Run: testRun.Name, Sum: sha("something else")}
	h := rollout.Observe(t.Context(), m.dial, &target.Tree{Devices: []*target.Device{evil}}, rollout.ObserveOptions{}).Devices[0]
	require.NotNil(t, h.Err)
	require.Equal(t, deploy.Journal, h.Err.Kind)
	require.NoFileExists(t, m.Root+"/run/evil")
	rep, err = rollout.Resume(t.Context(), m.dial, p, txn.Back, options())
	require.NoError(t, err)
	require.Equal(t, deploy.Restored, rep.Devices[0].Outcome, m.said(rep.Devices[0]))
}
