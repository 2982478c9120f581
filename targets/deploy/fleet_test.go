package deploy

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
	"pgregory.net/rapid"

	"github.com/rocec/rocec/targets/target"
)

// fleet is a plan of n devices that all change; set adjusts each.
func fleet(n int, set func(i int, d *DevicePlan)) *Plan {
	p := &Plan{}
	for i := range n {
		d := &DevicePlan{Status: StatusChange, Device: &target.Device{Name: fmt.Sprintf("d%02d", i+1), Role: target.Switch}}
		if set != nil {
			set(i, d)
		}
		p.Devices = append(p.Devices, d)
	}
	return p
}

func show(waves [][]*DevicePlan) string {
	var lines []string
	for _, w := range waves {
		var names []string
		for _, d := range w {
			names = append(names, d.Device.Name)
		}
		lines = append(lines, strings.Join(names, " "))
	}
	return strings.Join(lines, " | ")
}

func TestWaves(t *testing.T) {
	hostsFrom := func(n int) func(int, *DevicePlan) {
		return func(i int, d *DevicePlan) {
			if i >= n {
				d.Device.Role = target.Host
			}
		}
	}
	for _, c := range []struct {
		name string
		plan *Plan
		o    WaveOptions
		want string
	}{
		{"nothing", fleet(0, nil), WaveOptions{}, ""},
		{"batches", fleet(5, nil), WaveOptions{Parallel: 2}, "d01 d02 | d03 d04 | d05"},
		{"eight by default", fleet(9, nil), WaveOptions{}, "d01 d02 d03 d04 d05 d06 d07 d08 | d09"},
		{
			"switches before hosts", fleet(4, func(i int, d *DevicePlan) {
				hostsFrom(0)(i%2, d)
				d.Device.Role = []target.Role{target.Host, target.Switch}[i%2]
			}),
			WaveOptions{},
			"d02 d04 | d01 d03",
		},
		{
			"what takes away comes last", fleet(4, func(i int, d *DevicePlan) { hostsFrom(2)(i, d); d.Removing = i == 0 || i == 3 }),
			WaveOptions{},
			"d02 | d03 d04 | d01",
		},
		{
			"never two of a pair", fleet(6, func(i int, d *DevicePlan) { d.Device.Redundancy = fmt.Sprint(i / 2) }),
			WaveOptions{},
			"d01 d03 d05 | d02 d04 d06",
		},
		{"a pair and room", fleet(5, func(i int, d *DevicePlan) {
			if i < 3 {
				d.Device.Redundancy = "x"
			}
		}), WaveOptions{Parallel: 2}, "d01 d04 | d02 d05 | d03"},
		{
			"canary", fleet(6, func(i int, d *DevicePlan) { hostsFrom(4)(i, d); d.Device.About = fmt.Sprint(i % 2) }),
			WaveOptions{Canary: true},
			"d01 d02 | d03 d04 | d05 d06",
		},
		{
			"only what changes", fleet(3, func(i int, d *DevicePlan) { d.Status = []Status{StatusSame, StatusChange, StatusUnreachable}[i] }),
			WaveOptions{},
			"d02",
		},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, show(Waves(c.plan, c.o))) })
	}
}

// Laws of every order: each device that changes exactly once, no batch too large, no two of a redundancy group.
func TestWavesLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := fleet(rapid.IntRange(0, 60).Draw(t, "n"), func(_ int, d *DevicePlan) {
			d.Status = rapid.SampledFrom([]Status{StatusChange, StatusChange, StatusSame}).Draw(t, "status")
			d.Device.Role = rapid.SampledFrom([]target.Role{target.Switch, target.Host}).Draw(t, "role")
			d.Device.Redundancy = rapid.SampledFrom([]string{"", "", "a", "b"}).Draw(t, "group")
			d.Device.About = rapid.SampledFrom([]string{"x", "y"}).Draw(t, "about")
			d.Removing = rapid.Bool().Draw(t, "removing")
		})
		o := WaveOptions{Parallel: rapid.IntRange(1, 9).Draw(t, "parallel"), Canary: rapid.Bool().Draw(t, "canary")}
		seen := map[*DevicePlan]bool{}
		last := 0
		for _, w := range Waves(p, o) {
			if len(w) == 0 || len(w) > o.Parallel {
				t.Fatalf("a batch of %d", len(w))
			}
			groups := map[string]bool{}
			for _, d := range w {
				if seen[d] || d.Status != StatusChange || phase(d) < last || groups[d.Device.Redundancy] {
					t.Fatalf("%s stands wrong", d.Device.Name)
				}
				last, seen[d] = phase(d), true
				groups[d.Device.Redundancy] = d.Device.Redundancy != ""
			}
		}
		for _, d := range p.Devices {
			if seen[d] != (d.Status == StatusChange) {
				t.Fatalf("%s: %s, seen %v", d.Device.Name, d.Status, seen[d])
			}
		}
	})
}

// boxes is a fleet of real boxes behind one dialer.
type boxes struct {
	all  []*box
	tree *target.Tree
}

func newBoxes(t *testing.T, n int) *boxes {
	bs := &boxes{tree: &target.Tree{}}
	for i := range n {
		b := newBox(t, fmt.Sprintf("leaf%02d", i+1))
		bs.all = append(bs.all, b)
		bs.tree.Devices = append(bs.tree.Devices, b.dev)
	}
	return bs
}

func (bs *boxes) dial(ctx context.Context, d *target.Device) (target.Conn, error) {
	for _, b := range bs.all {
		if b.dev == d {
			return b.dial(ctx, d)
		}
	}
	return nil, errors.New("no such device")
}

func (bs *boxes) plan(t *testing.T) *Plan {
	return Diff(bs.tree, Observe(t.Context(), bs.dial, bs.tree, ObserveOptions{}))
}

func outcomes(r *Results) string {
	var words []string
	for _, d := range r.Devices {
		words = append(words, string(d.Outcome))
	}
	return strings.Join(words, " ")
}

func TestMaxFailures(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		max  int
		want string
	}{
		{0, "applied restored not-started not-started not-started"},
		{1, "applied restored applied restored not-started"},
		{2, "applied restored applied restored applied"},
	} {
		bs := newBoxes(t, 5)
		bs.all[1].daemon("grep -q green etc/app/conf && exit 4")
		bs.all[3].daemon("grep -q green etc/app/conf && exit 4")
		rep, err := Apply(t.Context(), bs.dial, bs.plan(t), ApplyOptions{Clock: realTime, Txn: "txn-1", Parallel: 2, MaxFailures: c.max})
		require.NoError(t, err)
		require.Equal(t, c.want, outcomes(rep))
		require.Equal(t, c.max < 2, rep.Stopped)
		require.False(t, rep.Complete())
		require.True(t, rep.Touched())
	}
}

// What the plan could not reach does not stop the others, and is in the report.
func TestUnreachableInPlan(t *testing.T) {
	t.Parallel()
	bs := newBoxes(t, 3)
	bs.all[0].dead = true
	bs.all[1].write("/etc/app/conf", "uneditable\n")
	p := bs.plan(t)
	rep, err := Apply(t.Context(), bs.dial, p, ApplyOptions{Clock: realTime, Txn: "txn-1"})
	require.NoError(t, err)
	require.Equal(t, "refused refused applied", outcomes(rep))
	require.Equal(t, Unreachable, rep.Devices[0].Err.Kind)
	require.Equal(t, Unreadable, rep.Devices[1].Err.Kind)
	require.False(t, rep.Stopped)
	require.Equal(t, Summary{Change: 1, Unreachable: 1, Refused: 1, Files: 1, Live: 1, Disruptive: 1, Waves: 1}, p.Summary(WaveOptions{}))
}

// The person interrupts while the first batch is under way: what had not changed anything stops, what had comes to its
// end, nothing else starts.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ at, want string }{
		{"upload", "not-started not-started not-started"},
		{"commit", "applied not-started not-started"},
		{"verify", "applied not-started not-started"},
	} {
		bs := newBoxes(t, 3)
		ctx, cancel := context.WithCancel(t.Context())
		rep, err := Apply(ctx, bs.dial, bs.plan(t), ApplyOptions{Clock: realTime, Txn: "txn-1", Parallel: 1, Event: func(e Event) {
			if e.Step == c.at && e.State == Begin {
				cancel()
			}
		}})
		cancel()
		require.NoError(t, err)
		require.Equal(t, c.want, outcomes(rep))
		require.True(t, rep.Interrupted)
		for i, b := range bs.all {
			require.Empty(t, b.left())
			b.wholly(rep.Devices[i])
		}
	}
	bs := newBoxes(t, 1)
	p := bs.plan(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	rep, err := Apply(ctx, bs.dial, p, ApplyOptions{Clock: realTime, Txn: "txn-1"})
	require.NoError(t, err)
	require.Equal(t, "not-started", outcomes(rep))
	require.True(t, rep.Interrupted)
	require.Equal(t, 1, bs.all[0].runs, "only the plan asked it")
}

// Two operators at the same time: exactly one wins, the other is told who, or that the device changed.
func TestTwoOperators(t *testing.T) {
	t.Parallel()
	for range 5 {
		b := newBox(t, "leaf01")
		p := b.plan()
		var (
			wg   sync.WaitGroup
			reps [2]*Results
		)
		for i, who := range []string{"alice@ws7", "bob@ws9"} {
			wg.Go(func() {
				var err error
				reps[i], err = Apply(t.Context(), b.dial, p, ApplyOptions{Clock: realTime, Txn: "txn-" + who[:3], Owner: who})
				require.NoError(t, err)
			})
		}
		wg.Wait()
		a, c := reps[0].Devices[0], reps[1].Devices[0]
		if a.Outcome != Applied {
			a, c = c, a
		}
		require.Equal(t, Applied, a.Outcome)
		require.Equal(t, Refused, c.Outcome)
		require.Contains(t, []Kind{Locked, Stale}, c.Err.Kind)
		require.Equal(t, newConf, b.read("/etc/app/conf"))
		require.Equal(t, "reload\n", b.read("/run/reloads"))
		require.Empty(t, b.left())
	}
}

// Events come one at a time, a device's in order, its outcome last.
func TestEvents(t *testing.T) {
	t.Parallel()
	bs := newBoxes(t, 3)
	var inside atomic.Int32
	got := map[string][]string{}
	_, err := Apply(t.Context(), bs.dial, bs.plan(t), ApplyOptions{Clock: realTime, Txn: "txn-1", Parallel: 2, Event: func(e Event) {
		require.EqualValues(t, 1, inside.Add(1))
		defer inside.Add(-1)
		if e.State == Done || e.Step == "" {
			got[e.Device.Name] = append(got[e.Device.Name], fmt.Sprint(e.Wave, " ", e.Step, e.Outcome))
		}
	}})
	require.NoError(t, err)
	want := strings.Fields("connect lock check upload precheck backup commit activate settle verify release applied")
	for i, name := range []string{"leaf01", "leaf02", "leaf03"} {
		var w []string
		for _, step := range want {
			w = append(w, fmt.Sprint(i/2+1, " ", step))
		}
		require.Equal(t, w, got[name])
	}
}

// A device that never answers costs its own time only, and every command has an end.
func TestHangingDevice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBox(t, "leaf01")
		p := b.plan()
		hang := func(ctx context.Context, d *target.Device) (target.Conn, error) { return hanging{}, nil }
		start := time.Now()
		rep, err := Apply(t.Context(), hang, p, ApplyOptions{Clock: realTime, Txn: "txn-1"})
		require.NoError(t, err)
		require.Equal(t, Refused, rep.Devices[0].Outcome)
		require.Equal(t, Unreachable, rep.Devices[0].Err.Kind)
		require.Contains(t, rep.Devices[0].Detail, "may remain")
		require.Equal(t, verbTime+reconnectTime, time.Since(start), "the lock, and the question how far it came")

		start = time.Now()
		obs := Observe(t.Context(), hang, b.tree(), ObserveOptions{Timeout: 5 * time.Second})
		require.Equal(t, Unreachable, obs.Devices[0].Err.Kind)
		require.Contains(t, obs.Devices[0].Err.Detail, "no answer in time")
		require.Equal(t, 5*time.Second, time.Since(start))
	})
}

type hanging struct{}

func (hanging) Run(ctx context.Context, _ string, _ []byte) ([]byte, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}
func (hanging) Close() error { return nil }
