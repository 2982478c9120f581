package rollout_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/internal/boxtest"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/target"
)

// boxes is a fleet of real boxes behind one dialer.
type boxes struct {
	all  []box
	tree *target.Tree
}

func newBoxes(t *testing.T, n int) *boxes {
	bs := &boxes{tree: &target.Tree{}}
	for i := range n {
		b := newBox(t, fmt.Sprintf("leaf%02d", i+1))
		bs.all = append(bs.all, b)
		bs.tree.Devices = append(bs.tree.Devices, b.Dev)
	}
	return bs
}

func (bs boxes) dial(ctx context.Context, d *target.Device) (target.Conn, error) {
	for _, b := range bs.all {
		if b.Dev == d {
			return b.Dial(ctx, d)
		}
	}
	return nil, errors.New("no such device")
}

func (bs boxes) plan(t *testing.T) *deploy.Plan {
	return deploy.Diff(bs.tree, rollout.Observe(t.Context(), bs.dial, bs.tree, rollout.ObserveOptions{Probes: rollout.Every}))
}

func outcomes(r *deploy.Results) string {
	var words []string
	for _, d := range r.Devices {
		words = append(words, string(d.Outcome))
	}
	return strings.Join(words, " ")
}

func TestMaxFailures(t *testing.T) {
	t.Parallel()
	machinetest.Long(t)
	for _, c := range []struct {
		max  int
		then rollout.OnFailure
		want string
	}{
		{0, rollout.Stop, "applied restored not-started not-started not-started"},
		{1, rollout.Stop, "applied restored applied restored not-started"},
		{0, "", "restored restored not-started not-started not-started"},
		{1, "", "applied restored restored restored not-started"},
		{1, rollout.UndoAll, "restored restored restored restored not-started"},
		{2, "", "applied restored applied restored applied"},
		{2, rollout.UndoAll, "applied restored applied restored applied"},
	} {
		if !*whole && (c.max == 0 || c.then == rollout.UndoAll) {
			continue // similar to the neighbouring cases and to TestUndoAllGoesBackInOrder
		}
		bs := newBoxes(t, 5)
		bs.all[1].Daemon("grep -q green etc/app/conf && exit 4")
		bs.all[3].Daemon("grep -q green etc/app/conf && exit 4")
		rep, err := rollout.Apply(t.Context(), bs.dial, bs.plan(t), rollout.ApplyOptions{
			Clock: realTime, Run: testRun, Soak: noSoak, Parallel: 2, OnFailure: c.then, MaxFailures: c.max,
		})
		require.NoError(t, err)
		require.Equal(t, c.want, outcomes(rep))
		require.Equal(t, c.max < 2, rep.Stopped == deploy.TooManyFailures)
		require.False(t, rep.Complete())
		require.True(t, rep.Touched())
	}
}

// Devices that the plan could not reach do not stop the others, and are in the report.
func TestUnreachableInPlan(t *testing.T) {
	t.Parallel()
	bs := newBoxes(t, 3)
	bs.all[0].Dead = true
	bs.all[1].Write("/etc/app/conf", "uneditable\n")
	p := bs.plan(t)
	rep, err := rollout.Apply(t.Context(), bs.dial, p, rollout.ApplyOptions{Clock: realTime, Run: testRun, Soak: noSoak})
	require.NoError(t, err)
	require.Equal(t, "refused refused applied", outcomes(rep))
	require.Equal(t, deploy.Unreachable, rep.Devices[0].Err.Kind)
	require.Equal(t, deploy.Unreadable, rep.Devices[1].Err.Kind)
	require.Empty(t, rep.Stopped)
	require.Equal(t, deploy.Summary{
		Change: 1, Unreachable: 1, Refused: 1, Files: 1, Live: 1, Disruptive: 1, Settings: deploy.Counts{Update: 2},
	}, p.Summary())
}

// TestInterrupt: the person interrupts while the first batch is under way. Devices that have changed nothing stop, the others finish, and
// no further device starts.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	machinetest.Long(t)
	for _, c := range []struct{ at, want string }{
		{"prepare", "not-started not-started"},
		{"activate", "applied not-started"},
		{"verify", "applied not-started"},
		{"release", "applied not-started"},
	} {
		bs := newBoxes(t, 2)
		ctx, cancel := context.WithCancel(t.Context())
		rep, err := rollout.Apply(ctx, bs.dial, bs.plan(t), rollout.ApplyOptions{
			Clock: realTime, Run: testRun, Soak: noSoak, Parallel: 1,
			Event: func(e rollout.Event) {
				if e.Step == c.at && e.State == rollout.Begin {
					cancel()
				}
			},
		})
		cancel()
		require.NoError(t, err)
		require.Equal(t, c.want, outcomes(rep), c.at)
		require.True(t, rep.Interrupted)
		for i, b := range bs.all {
			require.Empty(t, b.Left(), c.at)
			b.wholly(t, rep.Devices[i])
		}
	}
	bs := newBoxes(t, 1)
	p := bs.plan(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	rep, err := rollout.Apply(ctx, bs.dial, p, rollout.ApplyOptions{Clock: realTime, Run: testRun})
	require.NoError(t, err)
	require.Equal(t, "not-started", outcomes(rep))
	require.True(t, rep.Interrupted)
	require.Equal(t, 1, bs.all[0].Runs, "only the plan asked it")
}

// TestTwoOperators: if two operators apply at the same time, exactly one wins. The message of the other one names the winner, or reports
// that the device changed.
func TestTwoOperators(t *testing.T) {
	t.Parallel()
	for range 2 {
		b := newBox(t, "leaf01")
		p := b.plan(t)
		var (
			wg   sync.WaitGroup
			reps [2]*deploy.Results
		)
		for i, who := range []string{"alice@ws7", "bob@ws9"} {
			wg.Go(func() {
				var err error
				run := deploy.Run{Name: "txn-" + who[:3], Key: "abcd", Owner: who}
				reps[i], err = rollout.Apply(t.Context(), b.Dial, p, rollout.ApplyOptions{Clock: realTime, Run: run, Soak: noSoak})
				require.NoError(t, err)
			})
		}
		wg.Wait()
		a, c := reps[0].Devices[0], reps[1].Devices[0]
		if a.Outcome != deploy.Applied {
			a, c = c, a
		}
		require.Equal(t, deploy.Applied, a.Outcome)
		require.Equal(t, deploy.Refused, c.Outcome)
		require.Contains(t, []deploy.Kind{deploy.Locked, deploy.Stale}, c.Err.Kind)
		require.Equal(t, boxtest.NewConf, b.Read("/etc/app/conf"))
		require.Equal(t, "reload\n", b.Read("/run/reloads"))
		require.Empty(t, b.Left())
	}
}

// Events come one at a time. The events of a device are in order, and its result is last. Each step is recorded before it begins.
func TestEvents(t *testing.T) {
	t.Parallel()
	bs := newBoxes(t, 3)
	var inside atomic.Int32
	var recording sync.Mutex
	got, entries := map[string][]string{}, map[string][]string{}
	_, err := rollout.Apply(t.Context(), bs.dial, bs.plan(t), rollout.ApplyOptions{
		Clock: realTime, Run: testRun, Soak: noSoak, Parallel: 2,
		Event: func(e rollout.Event) {
			require.EqualValues(t, 1, inside.Add(1))
			defer inside.Add(-1)
			if e.Result != nil {
				got[e.Device.Name] = append(got[e.Device.Name], fmt.Sprint(e.Wave, " ", e.Result.Outcome))
			} else if e.State == rollout.Done {
				got[e.Device.Name] = append(got[e.Device.Name], fmt.Sprint(e.Wave, " ", e.Step))
			}
		},
		Record: func(e rollout.Entry) (string, error) {
			recording.Lock()
			defer recording.Unlock()
			entries[e.Device] = append(entries[e.Device], fmt.Sprint(e.Verb, " ", e.Done))
			return "", nil
		},
	})
	require.NoError(t, err)
	want := strings.Fields("connect prepare activate verify confirm release applied")
	for i, name := range []string{"leaf01", "leaf02", "leaf03"} {
		var w []string
		for _, step := range want {
			w = append(w, fmt.Sprint(i/2+1, " ", step))
		}
		require.Equal(t, w, got[name])
		w = nil
		for verb := range strings.FieldsSeq("prepare commit check confirm release") {
			w = append(w, verb+" false", verb+" true")
		}
		require.Equal(t, w, entries[name])
	}
}

// TestRecordFails: a change that cannot be recorded does not begin. A change that has begun is finished.
func TestRecordFails(t *testing.T) {
	t.Parallel()
	for at, want := range []string{"refused", "refused", "refused", "applied", "applied"} {
		bs := newBoxes(t, 1)
		n := 0
		rep, err := rollout.Apply(t.Context(), bs.dial, bs.plan(t), rollout.ApplyOptions{
			Clock: realTime, Run: testRun, Soak: noSoak,
			Record: func(rollout.Entry) (string, error) {
				if n++; n > at {
					return "", errors.New("no space left on device")
				}
				return "", nil
			},
		})
		require.NoError(t, err)
		require.Equal(t, want, outcomes(rep), at)
		require.Empty(t, bs.all[0].Left(), at)
		bs.all[0].wholly(t, rep.Devices[0])
		if want == "refused" {
			require.Contains(t, rep.Devices[0].Err.Detail, "the journal of the run cannot be written on this machine: no space left on device")
		}
	}
}

// If one switch cannot be prepared, no switch is changed.
func TestPreparedBeforeTheFirstCommit(t *testing.T) {
	t.Parallel()
	bs := newBoxes(t, 3)
	bs.all[2].Stub("df", `echo "Filesystem 1024-blocks Used Available Capacity Mounted on"; echo "/dev/sda1 100 99 1 99% /"`)
	rep, err := rollout.Apply(t.Context(), bs.dial, bs.plan(t), rollout.ApplyOptions{Clock: realTime, Run: testRun, Soak: noSoak, Parallel: 1})
	require.NoError(t, err)
	require.Equal(t, "not-started not-started refused", outcomes(rep))
	require.NotEmpty(t, rep.Stopped)
	for _, b := range bs.all {
		require.Equal(t, boxtest.OldConf, b.Read("/etc/app/conf"))
		require.Empty(t, b.Left())
	}
}

// A change is undone if a link is lost or a daemon starts again. A link that was already down does not count as lost.
func TestGate(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		daemon string
		want   deploy.Outcome
		says   string
	}{
		"nothing is lost": {"", deploy.Applied, ""},
		"a link is lost":  {"echo 'link 0 starts 1' >run/health", deploy.Restored, "swp1 lost its link"},
		"a daemon dies once it was looked at, and starts again": {
			"rm -f run/read; (while [ -d run ] && [ ! -e run/read ]; do sleep 0.1; done; echo 'link 1 starts 2' >run/new; mv run/new run/health) " +
				">/dev/null 2>&1 &",
			deploy.Restored, "the daemon started again 1 times",
		},
		"a link comes back in time": {
			"(echo 'link 0 starts 1' >run/health; sleep 1; echo 'link 1 starts 1' >run/health) >/dev/null 2>&1 &", deploy.Applied, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBox(t, "leaf01")
			b.Write("/run/health", "link 1 starts 1\n")
			b.Dev.Probes = []target.Probe{{
				Name: "health", Query: target.Query{Cmd: "cat " + b.Root + "/run/health; touch " + b.Root + "/run/read"},
				Samples: func(answer []byte) []target.Sample {
					var link, starts uint64
					_, err := fmt.Sscanf(string(answer), "link %d starts %d", &link, &starts)
					require.NoError(t, err)
					return []target.Sample{
						{Name: "link", On: "swp1", Value: link, Unit: "state", Hard: true, Says: func(uint64) string { return "swp1 lost its link" }},
						{Name: "link", On: "swp2", Value: 0, Unit: "state", Hard: true, Says: func(uint64) string { return "swp2 lost its link" }},
						{Name: "starts", Value: starts, Unit: "starts", Counter: true, Hard: true, Says: func(n uint64) string {
							return fmt.Sprintf("the daemon started again %d times", n)
						}},
					}
				},
			}}
			away := b.Slowed(4 * time.Second) // events after a second happen within the soak time
			b.step(func(s *target.Step) { s.Away = away })
			p := b.plan(t)
			b.Daemon("grep -q green etc/app/conf && { " + c.daemon + "\n:\n}")
			soak := b.Slowed(3 * time.Second)
			rep, err := rollout.Apply(t.Context(), b.Dial, p, rollout.ApplyOptions{Clock: realTime, Run: testRun, Soak: &soak})
			require.NoError(t, err)
			r := rep.Devices[0]
			require.Equal(t, c.want, r.Outcome, b.said(r))
			require.Contains(t, b.said(r), c.says)
			if c.want == deploy.Restored {
				require.Equal(t, deploy.Unhealthy, r.Err.Kind)
			}
			b.wholly(t, r)
			require.Empty(t, b.Left())
		})
	}
}

// A device that never answers does not delay others, and every command has a time limit.
func TestHangingDevice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBox(t, "leaf01")
		p := b.plan(t)
		hang := func(ctx context.Context, d *target.Device) (target.Conn, error) { return hanging{}, nil }
		start := time.Now()
		rep, err := rollout.Apply(t.Context(), hang, p, rollout.ApplyOptions{Clock: realTime, Run: testRun})
		require.NoError(t, err)
		require.Equal(t, deploy.Refused, rep.Devices[0].Outcome)
		require.Equal(t, deploy.Unreachable, rep.Devices[0].Err.Kind)
		require.Contains(t, rep.Devices[0].Text(), "may remain")
		require.Less(t, time.Since(start), 30*time.Minute)

		start = time.Now()
		obs := rollout.Observe(t.Context(), hang, b.tree(), rollout.ObserveOptions{Timeout: 5 * time.Second})
		require.Equal(t, deploy.Unreachable, obs.Devices[0].Err.Kind)
		require.Contains(t, obs.Devices[0].Err.Detail, "no answer in time")
		require.Equal(t, 5*time.Second, time.Since(start))
	})
}

type hanging struct{}

func (hanging) Run(ctx context.Context, _ string, _ []byte) ([]byte, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}
func (hanging) HostKey() string { return "SHA256:leaf01" }
func (hanging) Close() error    { return nil }
