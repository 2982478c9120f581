package change

import (
	"testing"
	"time"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
)

// BenchmarkOrder puts every device of a Clos fabric of 1,408 switches and 40,960 hosts into waves.
func BenchmarkOrder(b *testing.B) {
	for _, routing := range []ir.Routing{ir.UpDown, ir.EBGP} {
		b.Run(string(routing), func(b *testing.B) {
			f := irtest.Clos(routing, 32, 32, 8, 16, 40).Fabric()
			var tasks []*Task
			for _, d := range f.Devices {
				t := &Task{Device: d, Outage: ir.Outage{Least: 30 * time.Second, Most: 2 * time.Minute}, Takes: 3 * time.Minute}
				if d.Host != nil {
					t.Phase = 1
				}
				tasks = append(tasks, t)
			}
			b.ReportAllocs()
			for b.Loop() {
				l, err := NewGraph(f).Living(Alive{})
				if err != nil {
					b.Fatal(err)
				}
				waves, refused := l.Order(tasks, Rules{MinCapacity: 50, Parallel: 8, Canary: true})
				if len(refused) > 0 || len(waves) < 1024 {
					b.Fatal(len(waves), refused)
				}
				b.ReportMetric(float64(len(waves)), "waves")
			}
		})
	}
}

// BenchmarkPhases checks the mixtures of the same fabric while a class moves. That tries all three ways to split a change.
func BenchmarkPhases(b *testing.B) {
	for _, routing := range []ir.Routing{ir.UpDown, ir.ShortestPath} {
		b.Run(string(routing), func(b *testing.B) {
			f := irtest.Clos(routing, 32, 32, 8, 16, 40).Fabric()
			set := func(d *ir.Device, cos, dscp int) *ir.Settings {
				p := ir.UnknownPort()
				p.TrustKnown, p.Trust, p.PausesKnown = true, ir.Trust{DSCP: true}, true
				p.DSCP[dscp], p.Sends, p.Obeys = int8(cos), 1<<cos, 1<<cos
				s := &ir.Settings{Rest: &p}
				if d.Host != nil {
					p.Stamps = 1 << dscp
					d.Host.NICs[0].TOS = -1
				}
				for _, port := range d.Ports {
					s.Set(port.Name, p)
				}
				return s
			}
			held := make([]Held, len(f.Devices))
			for i, d := range f.Devices {
				held[i] = Held{Old: set(d, 4, 34), New: set(d, 3, 26)}
			}
			b.ReportAllocs()
			for b.Loop() {
				phases, gaps := NewMixtures(f).Phases(held)
				if len(gaps) > 0 || len(phases) != 3 {
					b.Fatal(len(phases), gaps[0])
				}
			}
		})
	}
}
