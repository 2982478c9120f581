package rollout_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/internal/boxtest"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/target"
)

// measured adds a probe to a box. The probe reads the drops from the file /run/drops.
func (b box) measured(drops int) {
	b.count(drops)
	b.Dev.Probes = []target.Probe{{
		Name: "drops", Query: target.Query{Cmd: "cat " + b.Root + "/run/drops"},
		Samples: func(answer []byte) []target.Sample {
			var n uint64
			if _, err := fmt.Sscan(string(answer), &n); err != nil {
				return nil
			}
			return []target.Sample{{
				Name: "drops", On: "swp1", Value: n, Unit: target.UnitPackets, Counter: true,
				Says: func(n uint64) string { return fmt.Sprintf("%s dropped %d.", b.Dev.Name, n) },
			}}
		},
	}}
}

func (b box) count(drops int) { b.Write("/run/drops", fmt.Sprintln(drops)) }

// TestVerifySamples: Verify checks the rise of counters since kept samples, since a restart, or since another read.
func TestVerifySamples(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	kept := func(boot string, drops uint64) *deploy.Kept {
		return &deploy.Kept{At: noon.Add(-time.Hour), Boot: boot, Samples: []target.Sample{{Name: "drops", On: "swp1", Value: drops}}}
	}
	b := newBox(t, "leaf01")
	b.measured(17)
	boot := rollout.Observe(t.Context(), b.Dial, b.tree(), rollout.ObserveOptions{}).Devices[0].Boot
	for _, c := range []struct {
		name  string
		kept  *deploy.Kept
		boot  bool // --since boot
		later int  // the counter at a second read
		since deploy.Since
		ago   time.Duration
		reads int
		found string
	}{
		{"nothing rose", kept(boot, 17), false, 0, deploy.SinceLast, time.Hour, 1, ""},
		{"it rose", kept(boot, 15), false, 0, deploy.SinceLast, time.Hour, 1, "leaf01 dropped 2."},
		{"the device restarted", kept("another", 15), false, 0, deploy.SinceBoot, 0, 1, "leaf01 dropped 17."},
		{"totals", kept(boot, 17), true, 0, deploy.SinceBoot, 0, 1, "leaf01 dropped 17."},
		{"nothing was kept", nil, false, 17, deploy.SinceRead, 5 * time.Second, 2, ""},
		{"nothing was kept, and it rises now", nil, false, 18, deploy.SinceRead, 5 * time.Second, 2, "leaf01 dropped 1."},
	} {
		b.count(17)
		now, logins := noon, 0
		b.Runs = 0
		v := rollout.Verify(t.Context(), func(ctx context.Context, d *target.Device) (target.Conn, error) {
			logins++
			return b.Dial(ctx, d)
		}, b.tree(), rollout.VerifyOptions{
			SinceBoot: c.boot, Kept: map[string]*deploy.Kept{"leaf01": c.kept},
			Clock: rollout.Clock{Now: func() time.Time { return now }, Wait: func(d time.Duration) <-chan time.Time {
				now = now.Add(d)
				b.count(c.later)
				done := make(chan time.Time)
				close(done)
				return done
			}},
		})
		h := v.Devices[0]
		require.Equal(t, c.found, strings.Join(h.Probes[0].Wrong, " "), c.name)
		require.Equal(t, c.since, h.Base.Since, c.name)
		if c.ago > 0 {
			require.Equal(t, c.ago, h.Base.Ago, c.name)
		}
		require.Equal(t, c.reads, b.Runs, c.name)
		require.Equal(t, 1, logins, "%s: one login does for two reads", c.name)
		require.Equal(t, max(17, c.later), int(v.Kept["leaf01"].Samples[0].Value), c.name)
		require.Equal(t, now, v.Kept["leaf01"].At, c.name)
		require.Equal(t, boot, v.Kept["leaf01"].Boot, c.name)
	}
}

// A device that cannot be read, or that is another device, is not read again, and no samples are kept for it. A device that is lost
// between two reads is unreachable.
func TestVerifyUnread(t *testing.T) {
	t.Parallel()
	bs := newBoxes(t, 4)
	for _, b := range bs.all {
		b.measured(3)
	}
	bs.all[0].Dead = true
	bs.all[1].Dev.Identity = []target.Probe{{
		Name: "release", Query: target.Query{Cmd: "true"}, Judge: func([]byte) []string { return []string{"It is another."} },
	}}
	v := rollout.Verify(t.Context(), bs.dial, bs.tree, rollout.VerifyOptions{Clock: rollout.Clock{
		Now: time.Now, Wait: func(d time.Duration) <-chan time.Time {
			require.Equal(t, 5*time.Second, d)
			bs.all[2].Fault = func(int, string) *boxtest.Fault { return &boxtest.Fault{ForGood: true} }
			return time.After(0)
		},
	}})
	var status []string
	for _, h := range v.Devices {
		status = append(status, string(h.Drift.Status)+" "+string(h.Base.Since))
	}
	require.Equal(t, "unreachable , refused , unreachable , change read", strings.Join(status, ", "))
	require.Len(t, v.Kept, 1)
	require.Contains(t, v.Kept, "leaf04")
	require.False(t, v.Sound())
}
