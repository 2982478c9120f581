package rollout_test

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/internal/boxtest"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/deploy/texttest"
	"github.com/rocec/rocec/targets/deploy/txn"
)

func held(o *rollout.ApplyOptions) { o.Hold = 10 * time.Minute }

// The timer undid a run, and another run has written the same content since. The first run does not count as kept.
func overtaken(t testing.TB, b box) {
	b.Systemd()
	p := b.hold(t)
	b.Fire()
	b.undone(t)
	b.again(t)
	for _, goal := range []txn.Goal{txn.Keep, txn.Hold, txn.Back} {
		b.is(t, b.resume(t, p, goal), deploy.Reverted, "", "because the change was not confirmed in time")
	}
	b.holds(t, boxtest.NewConf, boxtest.NewConf)
	b.bare(t)
}

func overtakenAfterBoot(t testing.TB, b box) {
	b.Systemd()
	p := b.hold(t)
	b.PowerCut()
	b.again(t)
	b.is(t, b.resume(t, p, txn.Keep), deploy.Reverted, "", "restarted (reboot or power cut)")
}

// A run was kept, and another run has changed the file since. The first run still counts as kept.
func keptThenChanged(t testing.TB, b box) {
	b.Systemd()
	p := b.hold(t)
	b.is(t, b.resume(t, p, txn.Keep), deploy.Applied, "", "")
	b.Write("/etc/app/conf", handConf)
	b.is(t, b.resume(t, p, txn.Keep), deploy.Applied, "", "")
	r := b.resume(t, p, txn.Back)
	b.is(t, r, deploy.Applied, "", "")
	require.Equal(t, deploy.HoldsOther, r.Files[0].Holds)
}

// The device has no record of a run's result. The journal has the progress of the run, and the files only prove that the run is undone.
func overWithoutRecord(t testing.TB, b box) {
	b.Systemd()
	p := b.hold(t)
	b.Fire()
	b.undone(t)
	resumed := func(mark txn.Mark) deploy.Outcome {
		rep, err := rollout.Resume(t.Context(), b.Dial, p, txn.Keep, options(func(o *rollout.ApplyOptions) {
			o.Marks = map[string]txn.Mark{"leaf01": mark}
		}))
		require.NoError(t, err)
		return rep.Devices[0].Outcome
	}
	require.Equal(t, deploy.Reverted, resumed(txn.Loaded))
	record := b.Root + boxtest.State + "/backup/txn-1/ended"
	require.NoError(t, os.Remove(record))
	for mark, want := range map[txn.Mark]deploy.Outcome{
		txn.Absent: deploy.NotStarted, txn.Prepared: deploy.NotStarted, txn.Armed: deploy.Reverted, txn.Loaded: deploy.Reverted,
		txn.Undoing: deploy.Reverted, txn.Undone: deploy.Restored, txn.Confirmed: deploy.Applied,
	} {
		require.Equal(t, want, resumed(mark), mark)
	}
	b.again(t)
	require.NoFileExists(t, record)
	require.Equal(t, deploy.Unknown, resumed(txn.Loaded), "who wrote it is not known")
	require.Equal(t, deploy.Applied, resumed(txn.Confirmed))
}

// Devices are confirmed together. If one device has gone back, no device is confirmed, and the others stay armed.
func TestConfirmedTogether(t *testing.T) {
	machinetest.Long(t)
	for _, c := range []struct {
		name   string
		breaks func(b box)
		want   string
		left   bool // armed
	}{
		{"all wait", func(box) {}, "applied applied", false},
		{"timer", func(b box) { b.Fire() }, "unconfirmed reverted", true},
		{"power cut", func(b box) { b.PowerCut() }, "unconfirmed reverted", true},
		{"unreachable", func(b box) { b.Dead = true }, "unconfirmed unknown", true},
		{"edited", func(b box) { b.Write("/etc/app/conf", handConf) }, "unconfirmed unknown", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			both := newBoxes(t, 2)
			one, two := both.all[0], both.all[1]
			one.Systemd()
			two.Systemd()
			p := both.plan(t)
			rep, err := rollout.Apply(t.Context(), both.dial, p, options(held))
			require.NoError(t, err)
			require.Equal(t, "unconfirmed unconfirmed", outcomes(rep))
			c.breaks(two)
			rep, err = rollout.Resume(t.Context(), both.dial, p, txn.Keep, options(func(o *rollout.ApplyOptions) { o.Together = true }))
			require.NoError(t, err)
			require.Equal(t, c.want, outcomes(rep))
			one.holds(t, boxtest.NewConf, boxtest.NewConf)
			for _, r := range rep.Devices {
				require.Empty(t, texttest.Untrue(r))
				require.False(t, r.Until > 0 && r.Outcome == deploy.Unknown && c.name == "unreachable", "when it goes back is not known from here")
			}
			if !c.left {
				one.bare(t)
				return
			}
			require.Len(t, one.Timers(), 1)
			require.Positive(t, rep.Devices[0].Until)
			if c.name != "timer" && !*whole {
				return // the device goes back, whatever the other device did
			}
			one.Fire()
			one.undone(t)
		})
	}
}
