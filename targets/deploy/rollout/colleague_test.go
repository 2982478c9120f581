package rollout_test

import (
	"crypto/sha256"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/deploy/txn"
)

// held reads the run of the tests from the box.
func (b box) held(t testing.TB) *device.Held {
	t.Helper()
	d := device.New(b.Dev, b.Dial, nil, device.Clock(realTime))
	require.Nil(t, d.Connect(t.Context(), ""))
	defer d.Close()
	lock := d.Read(t.Context(), device.Want{}).Lock
	h, err := d.Held(t.Context(), testRun.Name, lock)
	require.Nil(t, err)
	return h
}

// A device reports everything that another machine needs: the key, the files, their old content, and the description of the run.
func TestHeldOnTheDevice(t *testing.T) {
	t.Parallel()
	b := newBox(t, "leaf01")
	b.Systemd()
	p := b.plan(t)
	before := b.Read("/etc/app/conf")
	b.applyWith(t, p, held, func(o *rollout.ApplyOptions) {
		o.Run.About = deploy.About{Fabric: "rack", Message: "ticket 4711", Hold: o.Hold, Devices: []string{"leaf01", "leaf02"}}
	})
	key := fmt.Sprintf("%x", sha256.Sum256([]byte(testRun.Key+" leaf01")))[:16]
	for _, over := range []bool{false, true} {
		h := b.held(t)
		require.Equal(t, "rack leaf01 alice@ws7 ticket 4711 1 2", fmt.Sprint(h.About.Fabric, " ", h.About.Device, " ", h.About.Owner, " ",
			h.About.Message, " ", h.About.Wave, " ", h.About.Count))
		require.False(t, h.Older)
		require.Len(t, h.Changes, len(p.Devices[0].Changes))
		for i, c := range p.Devices[0].Changes {
			require.Equal(t, c.FileState, h.Changes[i].FileState)
			require.True(t, h.Changes[i].Kept || c.Base == c.Target || c.Live(), c.Path) // a live state is kept for the undo of its step
			if c.Path == "/etc/app/conf" {
				require.Equal(t, before, string(h.Changes[i].Before))
			}
		}
		if over {
			require.Empty(t, h.Key, "the run is over")
			break
		}
		require.Equal(t, key, h.Key)
		require.Equal(t, deploy.Applied, b.goesOn(t, p, txn.Keep, "bob@ws2, process 12").Outcome)
	}
}

// goesOn makes another machine continue the run. That machine knows the run only by the key on the device.
func (b box) goesOn(t testing.TB, p *deploy.Plan, goal txn.Goal, who string) *deploy.Result {
	t.Helper()
	key := b.held(t).Key
	rep, err := rollout.Resume(t.Context(), b.Dial, p, goal, options(func(o *rollout.ApplyOptions) {
		o.Run = deploy.Run{Name: testRun.Name, Key: "another", Owner: testRun.Owner, By: who, Keys: map[string]string{"leaf01": key}}
	}))
	require.NoError(t, err)
	return rep.Devices[0]
}

// The device records who confirms or undoes a run, and the machine that started the run prints that, except for its own acts.
func TestWhoDidIt(t *testing.T) {
	t.Parallel()
	machinetest.Long(t)
	for goal, want := range map[txn.Goal]string{txn.Keep: "applied Confirmed", txn.Back: "restored Undone"} {
		b := newBox(t, "leaf01")
		b.Systemd()
		p := b.hold(t)
		require.Empty(t, b.goesOn(t, p, goal, "bob@ws2, process 12").Acted.Who, "it did that itself")
		r := b.resume(t, p, goal)
		require.Equal(t, "bob@ws2, process 12", r.Acted.Who)
		require.Regexp(t, `^`+want+` by bob@ws2, process 12, at 20.*Z by the clock of the device`, string(r.Outcome)+" "+r.Acted.String())
		require.Contains(t, r.Text(), "by bob@ws2, process 12")
	}

	// A name becomes one line, whatever it contains. A name that the device cannot store does not stop the run.
	b := newBox(t, "leaf01")
	b.Systemd()
	p := b.hold(t)
	require.Equal(t, deploy.Applied, b.goesOn(t, p, txn.Keep, "bob\n$(touch /tmp/evil)\033[31m'").Outcome)
	require.Equal(t, `bob $(touch /tmp/evil)\x1b[31m'`, b.resume(t, p, txn.Keep).Acted.Who)

	// The timer was faster, so no person is named.
	b = newBox(t, "leaf01")
	b.Systemd()
	p = b.hold(t)
	b.Fire()
	b.undone(t)
	require.Empty(t, b.goesOn(t, p, txn.Back, "bob@ws2, process 12").Acted.Who)
	r := b.resume(t, p, txn.Back)
	require.Equal(t, deploy.Reverted, r.Outcome)
	require.Empty(t, r.Acted.Who)
}
