package main

import (
	"runtime"
	"testing"

	"github.com/rocec/rocec/compiler/compilertest"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/deploy"
)

// factoryPlan is the plan for a fabric whose devices are as they come from the factory; NICs tell nothing of themselves.
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

// BenchmarkSequence puts the plan of 1,408 switches and 40,960 hosts in order, and judges what stands in between. peak-MiB is what it holds
// on top of the plan.
func BenchmarkSequence(b *testing.B) {
	f := compilertest.Compile(b, scaleFabric(16))
	plan := factoryPlan(b, f)
	tree, _ := targets.Render(f)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var seq *sequence
	for b.Loop() {
		var err error
		if seq, err = newSequence(f, tree, plan, orderOptions{minCapacity: defaultCapacity}, defaultParallel, nil); err != nil {
			b.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	if len(seq.refused) > 0 || len(seq.mixed.gaps) > 0 {
		b.Fatal(len(seq.refused), len(seq.mixed.gaps), seq.mixed.gaps[0])
	}
	b.ReportMetric(float64(len(seq.waves)), "waves")
	b.ReportMetric(float64(after.HeapInuse-before.HeapInuse)/(1<<20), "peak-MiB")
	runtime.KeepAlive(seq)
}
