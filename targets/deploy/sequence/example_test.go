package sequence_test

import (
	"context"
	"fmt"
	"testing/fstest"

	"github.com/rocec/rocec/compiler/change"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/sequence"
	"github.com/rocec/rocec/targets/judge"
)

// A program that embeds rocec compiles a fabric, compares it with the devices, and puts the plan in order. Here each device is
// factory-new. rollout.Observe reads real devices, and rollout.Apply runs the plan with the Order of the sequence.
func Example() {
	j := judge.Judge(context.Background(), fstest.MapFS{"fabric.hcl": {Data: []byte(clos)}}, ".", judge.Options{})
	if j.Diags.HasErrors() {
		fmt.Println("the fabric has errors")
		return
	}
	tree := j.Tree()
	found := &deploy.Observed{}
	for _, d := range tree.Devices {
		have := &deploy.Have{Device: d, Files: make([]deploy.Content, len(d.Files))}
		for i, f := range d.Files {
			if text, ok := d.Target.Image(d.Source).Files[f.Path]; ok {
				have.Files[i].Data = []byte(text)
			}
		}
		found.Devices = append(found.Devices, have)
	}
	plan := deploy.Diff(tree, found)

	seq, refused := sequence.New(j.Fabric, tree, plan, sequence.Rules{Rules: change.Rules{MinCapacity: 50, Parallel: 8, Canary: true}})
	if seq != nil {
		plan, seq, refused = seq.Next(found) // the first step, if the change has several steps
	}
	for _, d := range refused {
		fmt.Println(d.Code, d.Detail)
	}
	if seq == nil {
		return
	}
	for i, w := range seq.Waves {
		fmt.Printf("%d:", i+1)
		for _, t := range w.Tasks {
			fmt.Print(" ", t.Device.Name)
		}
		fmt.Println()
	}
	fmt.Println(plan.Summary().Change, "devices change")
	// Output:
	// 1: leaf1
	// 2: leaf2
	// 3: spine1
	// 4: spine2
	// 5: store1
	// 6: store2 store3 store4
	// 8 devices change
}
