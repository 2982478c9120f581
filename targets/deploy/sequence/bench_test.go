package sequence_test

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"testing"
	"time"

	"github.com/rocec/rocec/compiler/change"
	"github.com/rocec/rocec/compiler/compilertest"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/langtest"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/sequence"
)

// factoryPlan returns the plan for a fabric with factory-new devices. NICs report nothing about themselves.
func factoryPlan(tb testing.TB, f *ir.Fabric) *deploy.Plan {
	tree, ds := targets.Render(f)
	if ds.HasErrors() {
		tb.Fatal(ds[0].Detail)
	}
	found := &deploy.Observed{}
	for _, d := range tree.Devices {
		h := &deploy.Have{Device: d}
		image := d.Target.Image(d.Source)
		for i := range d.Files {
			var c deploy.Content
			if text, there := image.Files[d.Files[i].Path]; there {
				c.Data = []byte(text)
			}
			h.Files = append(h.Files, c)
		}
		found.Devices = append(found.Devices, h)
	}
	plan := deploy.Diff(tree, found)
	tree.Devices = nil
	return plan
}

// BenchmarkSequence puts the plan of 1,408 switches and 40,960 hosts in order, and checks the states in between. peak-MiB is its peak
// memory in addition to the plan, without garbage.
func BenchmarkSequence(b *testing.B) {
	f := compilertest.Compile(b, langtest.Scale(16))
	plan := factoryPlan(b, f)
	tree, _ := targets.Render(f)
	var seq *sequence.Sequence
	rules := sequence.Rules{Rules: change.Rules{MinCapacity: 50, Parallel: 32, Canary: true}}
	order := func() {
		var ds diag.List
		if seq, ds = sequence.New(f, tree, plan, rules); len(ds) > 0 {
			b.Fatal(ds[0].Detail)
		}
	}
	peak := livePeak(order)
	for b.Loop() {
		order()
	}
	b.ReportMetric(float64(len(seq.Waves)), "waves")
	b.ReportMetric(float64(peak)/(1<<20), "peak-MiB")
}

// livePeak returns the peak of the live heap while do ran, in bytes, above its size before. The garbage collector measures it, and runs
// often.
func livePeak(do func()) uint64 {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	read := func() uint64 {
		metrics.Read(live)
		return live[0].Value.Uint64()
	}
	defer debug.SetGCPercent(debug.SetGCPercent(2))
	runtime.GC()
	before, peak := read(), uint64(0)
	done := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(time.Millisecond):
				peak = max(peak, read())
			}
		}
	})
	do()
	close(done)
	watch.Wait()
	return max(peak, before) - before
}
