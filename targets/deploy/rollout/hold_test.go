package rollout_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/internal/boxtest"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/target"
)

func holdFor(hold time.Duration) func(*rollout.ApplyOptions) {
	return func(o *rollout.ApplyOptions) { o.Hold = hold }
}

// Only a change in use waits for a person. A commit that dies half way is undone as early as without --confirm.
func TestHoldStretchesTheSecondTimerAlone(t *testing.T) {
	t.Parallel()
	timers := func(hold time.Duration) []string {
		b := newBox(t, "leaf01")
		b.Systemd()
		p := b.plan(t)
		var first, later string
		b.applyWith(t, p, holdFor(hold), at("activate", func() {
			first = strings.TrimSpace(b.Read(boxtest.State + "/txn-txn-1/first"))
			later = strings.TrimSpace(b.Read(boxtest.State + "/txn-txn-1/later"))
		}))
		return []string{first, later}
	}
	require.Equal(t, []string{"240", "120"}, timers(0))
	require.Equal(t, []string{"240", "86400"}, timers(24*time.Hour))
}

// The device no longer answers, so the longer of its two timers may be running.
func TestHoldOfADeviceThatIsGone(t *testing.T) {
	t.Parallel()
	b := newBox(t, "leaf01")
	b.Systemd()
	p := b.plan(t)
	b.leaves(" commit", true)
	r := b.applyWith(t, p, holdFor(time.Hour))
	b.is(t, r, deploy.Unknown, deploy.Unreachable, "")
	require.Equal(t, time.Hour, r.Until)
}

func TestHoldIsBounded(t *testing.T) {
	t.Parallel()
	b := newBox(t, "leaf01")
	long := 2562047*time.Hour + 47*time.Minute
	for _, o := range []func(*rollout.ApplyOptions){
		holdFor(long), holdFor(rollout.MaxHold + time.Second), holdFor(-time.Second),
		func(o *rollout.ApplyOptions) { o.Soak = &long },
	} {
		_, err := rollout.Apply(t.Context(), b.Dial, b.plan(t), options(o))
		require.ErrorContains(t, err, "at most 30 days")
	}
	require.Empty(t, b.Left())
}

// A switch that is refused during prepare counts as a failure only once, and not again at the end of its wave.
func TestFailuresAreCountedOnce(t *testing.T) {
	t.Parallel()
	bs := newBoxes(t, 4)
	for _, b := range bs.all[2:] {
		b.Dev.Role = target.Host
	}
	p := bs.plan(t)
	bs.all[0].Write("/etc/app/conf", handConf)
	rep, err := rollout.Apply(t.Context(), bs.dial, p, options(func(o *rollout.ApplyOptions) { o.MaxFailures = 1 }))
	require.NoError(t, err)
	require.Empty(t, rep.Stopped)
	require.Equal(t, "refused applied applied applied", outcomes(rep))
}
