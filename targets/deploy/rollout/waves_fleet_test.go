package rollout_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/internal/boxtest"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/target"
)

// fleetSize returns the number of devices in TestFleetInWaves: a thousand with -whole.
func fleetSize() int {
	if *whole {
		return 1000
	}
	return 6
}

// campus puts some boxes into waves of one to three switches, in which the other switches are watched. The remaining boxes follow in
// streams of hosts.
func (bs boxes) campus(p *deploy.Plan, r *rand.Rand) *deploy.Order {
	o := &deploy.Order{}
	switches := max(5, len(bs.all)/50)
	for at := 0; at < len(p.Devices); {
		w := &deploy.Wave{Phase: 1, Stream: at >= switches}
		n := 1 + r.IntN(3)
		if w.Stream {
			w.Phase, n = 2, max(8, len(p.Devices)/5)
		}
		for range n {
			if at < len(p.Devices) && at < switches != w.Stream {
				if p.Devices[at].Status == deploy.StatusChange {
					w.Devices = append(w.Devices, p.Devices[at])
				}
				at++
			}
		}
		for _, beside := range p.Devices[:switches] {
			if !w.Stream && beside.Err == nil && !slices.Contains(w.Devices, beside) {
				w.Watch = append(w.Watch, beside.Device)
			}
		}
		if len(w.Devices) > 0 {
			o.Waves = append(o.Waves, w)
		}
	}
	return o
}

// TestFleetInWaves changes a fleet in waves. Meanwhile some devices are unreachable, a change makes another device lose its session,
// daemons fail, and the person interrupts. No wave begins before the previous one has ended, and nothing begins after the stop. Every
// device is old or new, and its report is true. A later run, in which all devices are reachable again, brings all of them to the new
// settings.
func TestFleetInWaves(t *testing.T) {
	t.Parallel()
	machinetest.Long(t)
	for seed, c := range []string{"undisturbed", "gate", "failure", "signal", "undo-all"} {
		if !*whole && c != "failure" && c != "signal" {
			continue // TestGateOfAWave, TestUndoAllGoesBackInOrder, and the second run of each
		}
		t.Run(c, func(t *testing.T) {
			if !*whole { // the machine runs only one fleet of a thousand devices at a time
				t.Parallel()
			}
			r := rand.New(rand.NewPCG(uint64(seed), 13))
			bs := newBoxes(t, fleetSize())
			away := map[*target.Device]bool{}
			var mu sync.Mutex
			dial := func(ctx context.Context, d *target.Device) (target.Conn, error) {
				mu.Lock()
				gone := away[d]
				mu.Unlock()
				if gone {
					return nil, fmt.Errorf("%s does not answer", d.Name)
				}
				return bs.dial(ctx, d)
			}
			for range max(1, len(bs.all)/20) {
				away[bs.all[r.IntN(len(bs.all))].Dev] = true
			}
			for _, b := range bs.all {
				b.sessions()
			}
			plan := func() *deploy.Plan {
				o := rollout.ObserveOptions{Probes: rollout.Every, Parallel: 16} // each runs shells of this machine
				return deploy.Diff(bs.tree, rollout.Observe(t.Context(), dial, bs.tree, o))
			}
			p := plan()
			for _, d := range p.Devices {
				require.Equal(t, away[d.Device], d.Err != nil, "%s: %v", d.Device.Name, d.Err)
			}
			order := bs.campus(p, r)
			at := r.IntN(len(order.Waves)) // the wave with the event
			if c == "gate" {
				for order.Waves[at].Stream {
					at = r.IntN(len(order.Waves))
				}
			}
			striking := order.Waves[at].Devices[0].Device
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			box := map[*target.Device]box{}
			for _, b := range bs.all {
				box[b.Dev] = b
			}
			heal := func() {}
			switch c {
			case "gate":
				victim := box[order.Waves[at].Watch[0]]
				box[striking].Daemon("echo down >" + victim.Root + "/run/session")
				heal = func() {
					box[striking].Daemon("")
					victim.Write("/run/session", "up\n")
				}
			case "failure", "undo-all":
				box[striking].Daemon("grep -q green etc/app/conf && exit 4")
				heal = func() { box[striking].Daemon("") }
			}
			wave := map[*target.Device]int{}
			for n, w := range order.Waves {
				for _, d := range w.Devices {
					wave[d.Device] = n
				}
			}
			o := options(func(o *rollout.ApplyOptions) {
				o.Order, o.Parallel = order, 8
				if c == "undo-all" {
					o.OnFailure = rollout.UndoAll
				}
				open, ended := make([]int, len(order.Waves)), make([]int, len(order.Waves))
				seen := map[*target.Device]bool{}
				o.Event = func(e rollout.Event) {
					mu.Lock()
					defer mu.Unlock()
					n := wave[e.Device]
					switch {
					case e.Result != nil && e.Result.Outcome != deploy.NotStarted && e.Result.Outcome != deploy.Refused && !seen[e.Device]:
						seen[e.Device] = true
						ended[n]++
					case e.Step == "activate" && e.State == rollout.Begin:
						open[n]++
						for before := range n {
							if ended[before] < open[before] {
								t.Errorf("%s of wave %d begins before wave %d has ended", e.Device.Name, n+1, before+1)
							}
						}
						if c == "signal" && e.Device == striking {
							cancel()
						}
					}
				}
			})
			rep, err := rollout.Apply(ctx, dial, p, o)
			require.NoError(t, err)
			for i, d := range rep.Devices {
				bs.all[i].wholly(t, d)
				n, moves := wave[d.Device]
				want := []deploy.Outcome{deploy.Applied}
				switch {
				case !moves:
					want = []deploy.Outcome{deploy.Refused}
				case c == "undisturbed" || n < at && c != "undo-all":
				case n > at:
					want = []deploy.Outcome{deploy.NotStarted}
				case c == "signal":
					want = append(want, deploy.NotStarted)
				default:
					want = []deploy.Outcome{deploy.Restored}
					if c != "gate" {
						want = append(want, deploy.NotStarted) // after a failure, the other devices of the wave do not begin
					}
					if order.Waves[at].Stream && c == "failure" {
						want = append(want, deploy.Applied) // the devices of a stream do not wait for each other
					}
				}
				require.Contains(t, want, d.Outcome, "%s of wave %d, struck in wave %d: %s", d.Device.Name, n+1, at+1, bs.all[i].said(d))
			}
			stopped := map[string]deploy.Stopped{"gate": deploy.GateFailed, "failure": deploy.TooManyFailures, "undo-all": deploy.TooManyFailures}
			if c != "gate" && !slices.ContainsFunc(rep.Devices, func(d *deploy.Result) bool { return d.Outcome == deploy.NotStarted }) {
				stopped[c] = "" // all devices of the last wave had begun before the failure, so there was nothing to stop
			}
			require.Equal(t, stopped[c], rep.Stopped)
			require.Equal(t, c == "signal", rep.Interrupted)

			heal()
			mu.Lock()
			clear(away)
			mu.Unlock()
			p = plan()
			for _, d := range p.Devices {
				require.Nil(t, d.Err, "%s: %v", d.Device.Name, d.Err)
			}
			rep, err = rollout.Apply(t.Context(), dial, p, options(func(o *rollout.ApplyOptions) {
				o.Run.Name, o.Order, o.Parallel = "txn-2", bs.campus(p, r), 8
			}))
			require.NoError(t, err)
			require.True(t, rep.Complete())
			for _, b := range bs.all {
				require.Equal(t, boxtest.NewConf, b.Read("/etc/app/conf"))
				require.Empty(t, b.Left())
			}
		})
	}
}
