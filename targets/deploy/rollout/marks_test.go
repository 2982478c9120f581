package rollout_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device"
	"github.com/rocec/rocec/targets/deploy/internal/boxtest"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/target"
)

// otherRun is the run of a second operator.
var otherRun = deploy.Run{Name: "txn-2", Key: "ef01", Owner: "bob@ws9"}

// mark marks the device for a run.
func (b box) markFor(t testing.TB, run deploy.Run, lease time.Duration) (int, *deploy.Error) {
	t.Helper()
	d := device.New(b.Dev, b.Dial, nil, device.Clock(realTime))
	defer d.Close()
	require.Nil(t, d.Connect(t.Context(), "mark"))
	return d.Mark(t.Context(), run, lease, "")
}

func (b box) unmarkFor(t testing.TB, run deploy.Run) {
	t.Helper()
	d := device.New(b.Dev, b.Dial, nil, device.Clock(realTime))
	defer d.Close()
	require.Nil(t, d.Connect(t.Context(), "mark"))
	require.Nil(t, d.Unmark(t.Context(), run, ""))
}

const markFile = "/run/rocec/mark"

// markCase is a state of other runs on a switch, with the expected result of marking the switch in this state.
type markCase struct {
	name   string
	holds  func(t testing.TB, b box)
	refuse string // the message; empty: the switch accepts the mark
}

// markCases contains all cases.
func markCases() []markCase {
	folder := func(mark string) func(t testing.TB, b box) {
		return func(t testing.TB, b box) {
			dir := b.Root + boxtest.State + "/txn-txn-2"
			require.NoError(t, os.MkdirAll(dir, 0o755))
			b.Write(boxtest.State+"/txn-txn-2/state."+mark, "")
			text, err := os.ReadFile("/proc/uptime")
			require.NoError(t, err)
			up, _, _ := strings.Cut(string(text), ".")
			seconds, err := strconv.Atoi(up)
			require.NoError(t, err)
			b.Write(boxtest.State+"/txn-txn-2/boot", "boot-1\n")
			b.Write(boxtest.State+"/txn-txn-2/deadline", fmt.Sprintln(seconds+300))
		}
	}
	lock := func(mark string) func(t testing.TB, b box) {
		return func(t testing.TB, b box) {
			b.lock(t, "txn txn-2\nkey ffff\nowner bob@ws9, process 7\nsince 2026-11-21T06:00:00Z\n")
			if mark != "" {
				folder(mark)(t, b)
			}
		}
	}
	marked := func(lease time.Duration) func(t testing.TB, b box) {
		return func(t testing.TB, b box) {
			_, err := b.markFor(t, otherRun, lease)
			require.Nil(t, err)
		}
	}
	return []markCase{
		{"nothing", func(testing.TB, box) {}, ""},
		{"its own mark", func(t testing.TB, b box) {
			_, err := b.markFor(t, testRun, time.Minute)
			require.Nil(t, err)
		}, ""},
		{"a mark", marked(time.Minute), "leaf01 has the mark of bob@ws9, run txn-2, since 20"},
		{"a mark that was taken away", func(t testing.TB, b box) {
			marked(time.Minute)(t, b)
			b.unmarkFor(t, testRun) // the mark of another run stays
			require.NotEmpty(t, b.Read(markFile))
			b.unmarkFor(t, otherRun)
			require.Empty(t, b.Read(markFile))
		}, ""},
		{"a mark whose time is over", func(t testing.TB, b box) {
			marked(time.Minute)(t, b)
			text := b.Read(markFile)
			at := strings.Index(text, "ends ")
			b.Write(markFile, text[:at]+"ends 1"+text[at+strings.IndexByte(text[at:], '\n'):])
		}, ""},
		{"a mark of another boot", func(t testing.TB, b box) {
			marked(time.Minute)(t, b)
			b.Write("/run/boot_id", "boot-2\n")
		}, ""},
		{"half a mark", func(t testing.TB, b box) {
			require.NoError(t, os.MkdirAll(b.Root+"/run/rocec", 0o755))
			b.Write(markFile, "txn txn-2\nkey ffff\nends 99999999999999999999\n")
		}, ""},
		{"a lock", lock(""), "leaf01 is locked by bob@ws9, process 7, run txn-2, since 2026-11-21T06:00:00Z. If that run is over"},
		{"a lock, prepared", lock("prepared"), "leaf01 is locked by bob@ws9"},
		{
			"a lock, armed", lock("armed"),
			"leaf01 is being changed by bob@ws9, process 7, run txn-2, since 2026-11-21T06:00:00Z. It goes back by itself in ",
		},
		{"a lock, loaded", lock("loaded"), "leaf01 was changed by bob@ws9, process 7, run txn-2, since 2026-11-21T06:00:00Z, which is not " +
			"confirmed. " +
			"It goes back by itself in "},
		{"a lock, undoing", lock("undoing"), "leaf01 is going back from a change by bob@ws9"},
		{"a lock, failed", lock("failed"), "leaf01 is locked by bob@ws9"},
		{"a lock, confirmed", lock("confirmed"), ""},
		{"a lock, undone", lock("undone"), ""},
		{"loaded without a lock", folder("loaded"), "leaf01 was changed by run txn-2, which is not confirmed."},
		{"undone without a lock", folder("undone"), ""},
	}
}

// marks checks for each case whether the switch accepts or refuses the mark of a run.
func marks(t testing.TB, b box) {
	for _, c := range markCases() {
		t.Log(c.name)
		one := newBox(t, "leaf01")
		one.Edits = b.Edits
		c.check(t, one)
	}
}

func (c markCase) check(t testing.TB, b box) {
	require.NoError(t, os.MkdirAll(b.Root+boxtest.State, 0o755))
	b.Write(boxtest.State+"/counter", "7\n")
	c.holds(t, b)
	before := b.Read(markFile)
	runs, err := b.markFor(t, testRun, time.Minute)
	if c.refuse != "" {
		require.NotNil(t, err)
		require.Equal(t, deploy.Locked, err.Kind, err.Detail)
		require.Contains(t, err.Detail, c.refuse)
		onWay := strings.Contains(c.name, "armed") || strings.Contains(c.name, "loaded") ||
			strings.Contains(c.name, "undoing") || strings.Contains(c.name, "prepared")
		require.Equal(t, onWay, strings.Contains(err.Detail, "rocec rollback txn-2") || strings.Contains(err.Detail, "rocec resume txn-2"))
		require.False(t, onWay && strings.Contains(err.Detail, "unlock"), "a run that can be gone on with: %s", err.Detail)
		require.Equal(t, before, b.Read(markFile))
		return
	}
	require.Nil(t, err)
	require.Equal(t, 7, runs)
	text := b.Read(markFile)
	require.Contains(t, text, "txn txn-1\n")
	require.Contains(t, text, "owner alice@ws7\n")
	info, serr := os.Stat(b.Root + markFile)
	require.NoError(t, serr)
	require.Equal(t, os.FileMode(0o644), info.Mode().Perm(), "all may read who is at work")
	h := rollout.Observe(t.Context(), b.Dial, b.tree(), rollout.ObserveOptions{}).Devices[0]
	require.NotNil(t, h.Marked)
	require.Equal(t, "txn-1", h.Marked.Txn)
	require.InDelta(t, time.Minute, h.Marked.Until, float64(time.Minute))
	require.True(t, h.Marked.Bars())
}

// pair returns two switches. A run that changes one of them marks the other one, too.
func pair(t *testing.T) (bs *boxes, order func(p *deploy.Plan, changes int) *deploy.Order) {
	bs = newBoxes(t, 2)
	return bs, func(p *deploy.Plan, changes int) *deploy.Order {
		w := &deploy.Wave{Devices: []*deploy.DevicePlan{p.Devices[changes]}, Marks: []*target.Device{bs.all[1].Dev, bs.all[0].Dev}}
		return &deploy.Order{Waves: []*deploy.Wave{w}}
	}
}

func (bs boxes) unmarked(t *testing.T) {
	t.Helper()
	for _, b := range bs.all {
		require.Empty(t, b.Read(markFile), b.Dev.Name)
	}
}

// TestOneGoesFirst: two runs begin together, and each of them changes one switch. The joint loss of both switches would cut hosts off.
// One run goes first, and the other one changes nothing and keeps no marks.
func TestOneGoesFirst(t *testing.T) {
	t.Parallel()
	rounds := 5
	if *whole {
		rounds = 100
	}
	bs, order := pair(t)
	first := map[string]int{}
	for round := range rounds {
		p := bs.plan(t)
		for _, d := range p.Devices {
			d.Status = deploy.StatusSame // the test is only about the run that begins
		}
		var mu sync.Mutex
		var began []string
		ended := make(chan string, 2)
		var both sync.WaitGroup
		results := map[string]*deploy.Results{}
		for i, run := range []deploy.Run{testRun, otherRun} {
			both.Go(func() {
				r, err := rollout.Apply(t.Context(), bs.dial, p, rollout.ApplyOptions{
					Clock: realTime, Run: run, Soak: noSoak, Order: order(p, i),
					Hooks: &rollout.Hooks{Drain: func(context.Context, *deploy.Wave) error { // until the other run has ended
						mu.Lock()
						began = append(began, run.Name)
						alone := len(began) == 1
						mu.Unlock()
						if alone {
							<-ended
						}
						return nil
					}},
				})
				require.NoError(t, err)
				mu.Lock()
				results[run.Name] = r
				mu.Unlock()
				ended <- run.Name
			})
		}
		both.Wait()
		require.Len(t, began, 1, "round %d: %s; %s", round, results["txn-1"].Why, results["txn-2"].Why)
		first[began[0]]++
		for name, r := range results {
			if name == began[0] {
				require.Empty(t, r.Stopped)
				continue
			}
			require.Equal(t, deploy.OtherRun, r.Stopped)
			require.Contains(t, r.Why, began[0])
			require.False(t, r.Touched())
		}
		bs.unmarked(t)
	}
	t.Logf("%v", first)
}

// TestMarksStop: an obstacle to marks stops a run before it has changed anything, or before its next wave.
func TestMarksStop(t *testing.T) {
	t.Parallel()
	machinetest.Long(t)
	dead := func(_ *testing.T, bs *boxes, _ *rollout.ApplyOptions) { bs.all[1].Dead = true }
	for _, c := range []struct {
		name    string
		breaks  func(t *testing.T, bs *boxes, o *rollout.ApplyOptions)
		stopped deploy.Stopped
		want    string
		why     string
	}{
		{"undisturbed", func(*testing.T, *boxes, *rollout.ApplyOptions) {}, "", "applied not-started", ""},
		{"a partner that does not answer", dead, deploy.NotMarked, "not-started not-started", "connection refused"},
		{"the same, alone", func(t *testing.T, bs *boxes, o *rollout.ApplyOptions) {
			dead(t, bs, o)
			o.Alone = true
		}, "", "applied not-started", ""},
		{"a neighbour that does not answer", func(t *testing.T, bs *boxes, o *rollout.ApplyOptions) {
			dead(t, bs, o)
			w := o.Order.Waves[0]
			w.Marks, w.Near = w.Marks[1:], w.Marks[:1]
		}, "", "applied not-started", ""},
		{"a partner that is held", func(t *testing.T, bs *boxes, _ *rollout.ApplyOptions) {
			_, err := bs.all[1].markFor(t, otherRun, time.Hour)
			require.Nil(t, err)
		}, deploy.OtherRun, "not-started not-started", "leaf02 has the mark of bob@ws9, run txn-2"},
		{"a neighbour that is held", func(t *testing.T, bs *boxes, o *rollout.ApplyOptions) {
			w := o.Order.Waves[0]
			w.Marks, w.Near = w.Marks[1:], w.Marks[:1]
			_, err := bs.all[1].markFor(t, otherRun, time.Hour)
			require.Nil(t, err)
		}, deploy.OtherRun, "not-started not-started", "leaf02 has the mark of bob@ws9, run txn-2"},
		{"the mark of a run that died", func(t *testing.T, bs *boxes, o *rollout.ApplyOptions) {
			_, err := bs.all[1].markFor(t, otherRun, time.Hour)
			require.Nil(t, err)
			o.Died = func(run string) bool { return run == otherRun.Name }
		}, "", "applied not-started", ""},
		{"a partner that was changed since the plan", func(_ *testing.T, bs *boxes, _ *rollout.ApplyOptions) {
			bs.all[1].Write(boxtest.State+"/counter", "1\n")
		}, deploy.FabricChanged, "not-started not-started", "leaf02 was changed by another run after this plan was made"},
		{"a mark that was lost before the wave", func(t *testing.T, bs *boxes, o *rollout.ApplyOptions) {
			o.Hooks = &rollout.Hooks{Drain: func(context.Context, *deploy.Wave) error {
				require.NoError(t, os.Remove(bs.all[1].Root+markFile)) // the mark had ended
				_, err := bs.all[1].markFor(t, otherRun, time.Hour)
				require.Nil(t, err)
				return nil
			}}
		}, deploy.OtherRun, "not-started not-started", "leaf02 has the mark of bob@ws9, run txn-2"},
		{"a run that came and went before the wave", func(_ *testing.T, bs *boxes, o *rollout.ApplyOptions) {
			o.Hooks = &rollout.Hooks{Drain: func(context.Context, *deploy.Wave) error {
				bs.all[1].Write(boxtest.State+"/counter", "1\n")
				return nil
			}}
		}, deploy.FabricChanged, "not-started not-started", "leaf02 was changed by another run after this plan was made"},
		{"a partner that goes before the wave", func(t *testing.T, bs *boxes, o *rollout.ApplyOptions) {
			o.Hooks = &rollout.Hooks{Drain: func(context.Context, *deploy.Wave) error {
				bs.all[1].Fault = func(int, string) *boxtest.Fault { return &boxtest.Fault{ForGood: true} }
				return nil
			}}
		}, deploy.NotMarked, "not-started not-started", "connection lost"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			bs, order := pair(t)
			for _, b := range bs.all {
				require.NoError(t, os.MkdirAll(b.Root+boxtest.State, 0o755))
			}
			p := bs.plan(t)
			o := rollout.ApplyOptions{Clock: realTime, Run: testRun, Soak: noSoak, Order: order(p, 0)}
			c.breaks(t, bs, &o)
			r, err := rollout.Apply(t.Context(), bs.dial, p, o)
			require.NoError(t, err)
			require.Equal(t, c.want, outcomes(r))
			require.Equal(t, c.stopped, r.Stopped, r.Why)
			require.Contains(t, r.Why, c.why)
			for _, b := range bs.all {
				if b.Dead {
					continue // the mark ends by itself
				}
				require.NotContains(t, b.Read(markFile), testRun.Name, "%s keeps the mark", b.Dev.Name)
				require.Empty(t, b.Left())
			}
		})
	}
}

// Every login user can read which run holds a device, the progress of the run, and when the device goes back.
func TestLocksWithoutRoot(t *testing.T) {
	t.Parallel()
	b := newBox(t, "leaf01")
	p := b.plan(t)
	r := b.applyWith(t, p, func(o *rollout.ApplyOptions) { o.Hold = 5 * time.Minute })
	require.Equal(t, deploy.Unconfirmed, r.Outcome)
	_, err := b.markFor(t, testRun, time.Minute)
	require.Nil(t, err)
	b.Stub("id", "echo 1000")
	b.Dev.Login.User = "monitor"
	b.AsNobody()
	root(t, b.Root+boxtest.State, b.Root+"/run/rocec")
	h := rollout.Observe(t.Context(), b.Dial, b.tree(), rollout.ObserveOptions{}).Devices[0]
	require.Nil(t, h.Err)
	require.False(t, h.Unseen)
	require.True(t, h.Lock.Held())
	require.Equal(t, "txn-1", h.Lock.Txn)
	require.Greater(t, h.Lock.Until, time.Minute)
	require.Equal(t, "txn-1", h.Marked.Txn)
}

// root makes root the owner of folders and of all their content.
func root(t *testing.T, folders ...string) {
	for _, folder := range folders {
		require.NoError(t, filepath.WalkDir(folder, func(p string, _ fs.DirEntry, err error) error {
			return errors.Join(err, os.Chown(p, 0, 0))
		}))
	}
}
