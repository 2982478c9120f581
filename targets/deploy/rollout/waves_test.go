package rollout_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/internal/boxtest"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/deploy/txn"
	"github.com/rocec/rocec/targets/target"
)

// inWaves returns an order of some boxes of a plan: "0 1|2" changes the first two together, then the third. A "!" before a box puts it
// last in its wave. Every wave watches the boxes in watch.
func (bs boxes) inWaves(p *deploy.Plan, waves string, watch ...int) *deploy.Order {
	o := &deploy.Order{}
	for text := range strings.SplitSeq(waves, "|") {
		w := &deploy.Wave{}
		for name := range strings.FieldsSeq(text) {
			var i int
			fmt.Sscan(strings.TrimPrefix(name, "!"), &i)
			w.Devices = append(w.Devices, p.Devices[i])
			if name[0] == '!' {
				w.Last = append(w.Last, p.Devices[i])
			}
		}
		for _, i := range watch {
			w.Watch = append(w.Watch, bs.all[i].Dev)
		}
		o.Waves = append(o.Waves, w)
	}
	return o
}

// sessions makes a box report a session while its own file contains one.
func (b box) sessions() {
	b.Write("/run/session", "up\n")
	b.Dev.Probes = []target.Probe{{
		Name: "neighbours", Query: target.Query{Cmd: "cat " + b.Root + "/run/session"},
		Samples: func(answer []byte) []target.Sample {
			return []target.Sample{target.Gauge("session", "", string(answer) == "up\n", b.Dev.Name+" has lost its session.")}
		},
	}}
}

// story collects the steps of devices, in order: a word for every successful step of a kind.
type story struct {
	mu    sync.Mutex
	words []string
}

func (s *story) tell(step string) func(rollout.Event) {
	return func(e rollout.Event) {
		if e.Step == step && e.State == rollout.Done {
			s.add(e.Device.Name)
		}
	}
}

func (s *story) add(word string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.words = append(s.words, word)
}

// A wave begins after the end of the wave before. Devices that carry logins come last in their wave. No device is confirmed before every
// device of its wave has its change.
func TestWavesOneAfterTheOther(t *testing.T) {
	t.Parallel()
	bs := newBoxes(t, 4)
	p := bs.plan(t)
	var s story
	rep, err := rollout.Apply(t.Context(), bs.dial, p, options(func(o *rollout.ApplyOptions) {
		o.Order = bs.inWaves(p, "!0 3|1 2")
		o.Event = func(e rollout.Event) {
			if e.State == rollout.Done && (e.Step == "activate" || e.Step == "confirm") {
				s.add(fmt.Sprintf("%d %s %s", e.Wave, e.Step, e.Device.Name))
			}
		}
	}))
	require.NoError(t, err)
	require.True(t, rep.Complete())
	require.Len(t, s.words, 8)
	assert.Equal(t, []string{"1 activate leaf04", "1 activate leaf01"}, s.words[:2])
	slices.Sort(s.words[2:4])
	slices.Sort(s.words[4:6])
	slices.Sort(s.words[6:])
	assert.Equal(t, []string{
		"1 confirm leaf01", "1 confirm leaf04", "2 activate leaf02", "2 activate leaf03", "2 confirm leaf02", "2 confirm leaf03",
	}, s.words[2:])
}

// If a device beside a wave loses a signal, the wave goes back, and no further wave begins.
func TestGateOfAWave(t *testing.T) {
	t.Parallel()
	machinetest.Long(t)
	for _, lasts := range []bool{true, false} {
		bs := newBoxes(t, 4)
		bs.all[3].sessions()
		bs.all[0].Daemon("echo down >" + bs.all[3].Root + "/run/session")
		p := bs.plan(t)
		looks := 0
		if !lasts { // the session comes back while the gate waits
			bs.all[3].Fault = func(int, string) *boxtest.Fault {
				if looks++; looks > 2 {
					bs.all[3].Write("/run/session", "up\n")
				}
				return nil
			}
			bs.all[0].Dev.Files[0].Activate.Away = time.Minute
		}
		rep, err := rollout.Apply(t.Context(), bs.dial, p, options(func(o *rollout.ApplyOptions) {
			o.Order = bs.inWaves(p, "0 1|2", 3)
		}))
		require.NoError(t, err)
		if lasts {
			assert.Equal(t, "restored restored not-started not-started", outcomes(rep))
			assert.Equal(t, deploy.GateFailed, rep.Stopped)
			assert.Equal(t, "leaf04 has lost its session.", rep.Why)
			assert.Equal(t, deploy.Undone, rep.Devices[1].Err.Kind)
		} else {
			assert.Equal(t, "applied applied applied not-started", outcomes(rep))
		}
		for _, b := range bs.all {
			assert.Empty(t, b.Left())
		}
	}
}

// A device beside a wave that no longer answers counts as a loss, too. A device that did not answer before the wave does not.
func TestGateMissesADevice(t *testing.T) {
	t.Parallel()
	for _, before := range []bool{true, false} {
		bs := newBoxes(t, 2)
		p := bs.plan(t)
		var dead atomic.Bool
		dead.Store(before)
		bs.all[1].Fault = func(int, string) *boxtest.Fault {
			if dead.Load() {
				return &boxtest.Fault{ForGood: true}
			}
			return nil
		}
		bs.all[0].Fault = func(_ int, cmd string) *boxtest.Fault {
			if strings.HasSuffix(cmd, " commit") {
				dead.Store(true)
			}
			return nil
		}
		rep, err := rollout.Apply(t.Context(), bs.dial, p, options(func(o *rollout.ApplyOptions) { o.Order = bs.inWaves(p, "0", 1) }))
		require.NoError(t, err)
		if before {
			assert.Equal(t, deploy.Applied, rep.Devices[0].Outcome)
		} else {
			assert.Equal(t, deploy.Restored, rep.Devices[0].Outcome)
			assert.Contains(t, rep.Why, "leaf02 does not answer any more")
		}
	}
}

// A wave does not begin if the fabric differs from the plan, or if the wave might not end in time.
func TestWavesThatMayNotBegin(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		set  func(*rollout.ApplyOptions)
		why  deploy.Stopped
		text string
	}{
		{"fabric", func(o *rollout.ApplyOptions) {
			n := 0
			o.Order.Recheck = func(_ *deploy.Wave, found []*deploy.Have) error {
				if n++; n == 2 && len(found) == 1 && found[0].Err == nil {
					return errors.New("spine1 is \x1b[31mdead")
				}
				return nil
			}
		}, deploy.FabricChanged, `spine1 is \x1b[31mdead`},
		{"window", func(o *rollout.ApplyOptions) {
			o.NotAfter = time.Now().Add(time.Hour)
			o.Order.Waves[1].Takes = 2 * time.Hour
		}, deploy.TooLate, "the next wave may not end by "},
		{"team", func(o *rollout.ApplyOptions) {
			var ended []int
			o.Ended = func(n int, results []*deploy.Result) {
				if results[0].Outcome == deploy.Applied {
					ended = append(ended, n)
				}
			}
			o.Await = func(_ context.Context, n int, w *deploy.Wave) error {
				if n == 1 && slices.Equal(ended, []int{0}) && w == o.Order.Waves[1] {
					return errors.New("alice \x1b[31mwithdrew it")
				}
				return nil
			}
		}, deploy.NotAdmitted, `alice \x1b[31mwithdrew it`},
	} {
		t.Run(c.name, func(t *testing.T) {
			bs := newBoxes(t, 3)
			p := bs.plan(t)
			rep, err := rollout.Apply(t.Context(), bs.dial, p, options(func(o *rollout.ApplyOptions) {
				o.Order = bs.inWaves(p, "0|1", 2)
				c.set(o)
			}))
			require.NoError(t, err)
			assert.Equal(t, "applied not-started not-started", outcomes(rep))
			assert.Equal(t, c.why, rep.Stopped)
			assert.Contains(t, rep.Why, c.text)
			assert.Empty(t, bs.all[1].Left(), "the prepared files are removed")
		})
	}
}

// If counters rise far faster after a wave than before, the run stops, unless the person decides otherwise.
func TestAnomaly(t *testing.T) {
	t.Parallel()
	machinetest.Long(t)
	for _, c := range []struct {
		answer rollout.Anomaly
		want   string
		why    deploy.Stopped
	}{
		{"", "applied not-started not-started", deploy.CountersRose},
		{rollout.AnomalyStop, "applied not-started not-started", deploy.CountersRose},
		{rollout.AnomalyIgnore, "applied applied not-started", ""},
		{rollout.AnomalyUndo, "restored not-started not-started", deploy.CountersRose},
	} {
		bs := newBoxes(t, 3)
		b := bs.all[2]
		b.Write("/run/drops", "5\n")
		b.Dev.Probes = []target.Probe{{
			Query: target.Query{Cmd: "cat " + b.Root + "/run/drops"},
			Samples: func(answer []byte) []target.Sample {
				var n uint64
				fmt.Sscan(string(answer), &n)
				says := func(n uint64) string { return target.Count(n, "packet") + " dropped." }
				return []target.Sample{{Name: "drops", Value: n, Unit: target.UnitPackets, Counter: true, Says: says}}
			},
		}}
		bs.all[0].Daemon("echo 1005 >" + b.Root + "/run/drops")
		p := bs.plan(t)
		rep, err := rollout.Apply(t.Context(), bs.dial, p, options(func(o *rollout.ApplyOptions) {
			o.Order = bs.inWaves(p, "0|1", 2)
			if c.answer != "" {
				o.OnAnomaly = func(_ context.Context, found []string) rollout.Anomaly {
					assert.Equal(t, []string{"1,000 packets dropped."}, found)
					return c.answer
				}
			}
		}))
		require.NoError(t, err)
		assert.Equal(t, c.want, outcomes(rep), c.answer)
		assert.Equal(t, c.why, rep.Stopped, c.answer)
	}
}

// Hooks run before and after a wave, and the journal records their intent first. A wave that cannot be drained is skipped.
func TestHooks(t *testing.T) {
	t.Parallel()
	machinetest.Long(t)
	for _, c := range []struct {
		name           string
		drain, undrain error
		want, notes    string
		stopped        deploy.Stopped
	}{
		{"good", nil, nil, "applied applied", "", ""},
		{"not drained", errors.New("job 4711"), nil, "not-started applied", "", ""},
		{"not put back", nil, errors.New("gone"), "applied not-started", "traffic was not put back on wave 1: gone", deploy.HookFailed},
	} {
		t.Run(c.name, func(t *testing.T) {
			bs := newBoxes(t, 2)
			p := bs.plan(t)
			var s story
			rep, err := rollout.Apply(t.Context(), bs.dial, p, options(func(o *rollout.ApplyOptions) {
				o.Order = bs.inWaves(p, "0|1")
				hook := func(name string, fails error) func(context.Context, *deploy.Wave) error {
					return func(_ context.Context, w *deploy.Wave) error {
						s.add(name + " " + w.Devices[0].Device.Name)
						if w == o.Order.Waves[0] {
							return fails
						}
						return nil
					}
				}
				o.Hooks = &rollout.Hooks{Drain: hook("drain", c.drain), Undrain: hook("undrain", c.undrain)}
				o.Record = func(e rollout.Entry) (string, error) {
					if e.Wave > 0 {
						s.add(fmt.Sprintf("%s %d %t%s", e.Verb, e.Wave, e.Done, e.Detail))
					} else if e.Verb == txn.Commit && !e.Done {
						s.add("commit " + e.Device)
					}
					return "", nil
				}
			}))
			require.NoError(t, err)
			assert.Equal(t, c.want, outcomes(rep))
			assert.Equal(t, c.notes, strings.Join(rep.Notes, " "))
			assert.Equal(t, c.stopped, rep.Stopped)
			first := strings.Join(s.words[:min(len(s.words), 7)], ", ")
			switch {
			case c.drain != nil:
				assert.Equal(t, "drain 1 false, drain leaf01, drain 1 truejob 4711, undrain 1 false, undrain leaf01, undrain 1 true, "+
					"drain 2 false", first)
				assert.Equal(t, deploy.NotDrained, rep.Devices[0].Err.Kind)
			case c.undrain != nil:
				assert.Equal(t, "drain 1 false, drain leaf01, drain 1 true, commit leaf01, undrain 1 false, undrain leaf01, "+
					"undrain 1 truegone", first)
			default:
				assert.Equal(t, "drain 1 false, drain leaf01, drain 1 true, commit leaf01, undrain 1 false, undrain leaf01, "+
					"undrain 1 true", first)
			}
		})
	}
}

// TestUndoAllGoesBackInOrder: if all held devices go back, the last wave goes back first.
func TestUndoAllGoesBackInOrder(t *testing.T) {
	t.Parallel()
	machinetest.Long(t)
	bs := newBoxes(t, 5)
	bs.all[4].Daemon("grep -q green etc/app/conf && exit 4")
	p := bs.plan(t)
	var s story
	rep, err := rollout.Apply(t.Context(), bs.dial, p, options(func(o *rollout.ApplyOptions) {
		o.Order, o.OnFailure = bs.inWaves(p, "0|1|2|3 4"), rollout.UndoAll
		o.Event = s.tell("restore")
	}))
	require.NoError(t, err)
	assert.Equal(t, "restored restored restored restored restored", outcomes(rep))
	require.Len(t, s.words, 4, "the one that failed has put itself back")
	assert.Equal(t, []string{"leaf04", "leaf03", "leaf02", "leaf01"}, s.words)
	for _, b := range bs.all {
		assert.Empty(t, b.Left())
	}
}

// Held devices have one deadline, counted from the end of the last wave. Each wave waits beyond the deadline until the later waves have
// gone back.
func TestHeldWavesDoNotGoBackTogether(t *testing.T) {
	t.Parallel()
	bs := newBoxes(t, 3)
	for _, b := range bs.all {
		b.Systemd()
		b.Dev.Files[0].Activate.Away = 20 * time.Second
		b.Dev.Files[1].Activate = b.Dev.Files[0].Activate
	}
	p := bs.plan(t)
	rep, err := rollout.Apply(t.Context(), bs.dial, p, options(holdFor(time.Hour), func(o *rollout.ApplyOptions) {
		o.Order = bs.inWaves(p, "0|1|2")
		for _, w := range o.Order.Waves {
			w.Takes = time.Minute
		}
	}))
	require.NoError(t, err)
	require.Equal(t, "unconfirmed unconfirmed unconfirmed", outcomes(rep))
	require.Empty(t, rep.Notes)
	for i, want := range []time.Duration{time.Hour + 40*time.Second, time.Hour + 20*time.Second, time.Hour} {
		assert.InDelta(t, want.Seconds(), rep.Devices[i].Until.Seconds(), 5, "%d", i)
	}
	back, err := rollout.Resume(t.Context(), bs.dial, p, txn.Back, options(func(o *rollout.ApplyOptions) { o.Order = bs.inWaves(p, "2|1|0") }))
	require.NoError(t, err)
	require.Equal(t, "restored restored restored", outcomes(back))
	for _, b := range bs.all {
		assert.Empty(t, b.Left())
	}
}

// A phase does not begin if it relies on a device that an earlier phase did not change.
func TestPhaseReliesOnTheOneBefore(t *testing.T) {
	t.Parallel()
	for _, relies := range []bool{true, false} {
		bs := newBoxes(t, 3)
		p := bs.plan(t)
		rep, err := rollout.Apply(t.Context(), bs.dial, p, options(func(o *rollout.ApplyOptions) {
			o.Order = bs.inWaves(p, "0|1|2")
			o.Order.Waves[2].Phase = 1
			o.Order.Blocked = func(stay []*deploy.DevicePlan) string {
				if assert.Equal(t, p.Devices[:1], stay); relies {
					return "leaf01 does not pause"
				}
				return ""
			}
			o.Hooks = &rollout.Hooks{Drain: func(_ context.Context, w *deploy.Wave) error {
				if w == o.Order.Waves[0] {
					return errors.New("job 4711")
				}
				return nil
			}}
		}))
		require.NoError(t, err)
		if relies {
			assert.Equal(t, "not-started applied not-started", outcomes(rep))
			assert.Equal(t, deploy.PhaseFailed, rep.Stopped)
			assert.Equal(t, "leaf01 does not pause", rep.Why)
		} else {
			assert.Equal(t, "not-started applied applied", outcomes(rep))
		}
	}
}
