package picture

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/compilertest"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/validate"
	"github.com/rocec/rocec/validate/proof"
)

var update = flag.Bool("update", false, "rewrite testdata")

// loop builds the loop "R0>R1 R1>R2 R2>R0" from the first cables between the devices. down names failed cables "a-b c-d".
func loop(t testing.TB, f *ir.Fabric, hops, down string) validate.Loop {
	t.Helper()
	cable := func(a, b string) *ir.Port { // the port of b on the cable to a
		for _, l := range f.Links {
			switch {
			case l.A().Device().Name == a && l.B().Device().Name == b:
				return l.B()
			case l.B().Device().Name == a && l.A().Device().Name == b:
				return l.A()
			}
		}
		require.FailNow(t, "no cable", "%s-%s", a, b)
		return nil
	}
	var l validate.Loop
	steps := strings.Fields(hops)
	for i, s := range steps {
		a, b, _ := strings.Cut(s, ">")
		c, d, _ := strings.Cut(steps[(i+1)%len(steps)], ">")
		require.Equal(t, b, c)
		l.Circle = append(l.Circle, validate.Wait{In: cable(a, b), Out: cable(c, d).Peer(), Group: losslessGroup(f)})
	}
	for s := range strings.FieldsSeq(down) {
		a, b, _ := strings.Cut(s, "-")
		l.Down = append(l.Down, cable(a, b).Link())
	}
	first, last := l.Circle[0], l.Circle[len(l.Circle)-1]
	l.Flows = []*ir.Flow{{
		Ports:  []*ir.Port{last.In.Peer(), last.In, first.In.Peer(), first.In},
		Groups: []*ir.CosGroup{losslessGroup(f), losslessGroup(f)},
	}}
	return l
}

// prone returns a proof that one group is prone to the loops.
func prone(f *ir.Fabric, loops ...validate.Loop) []validate.GroupProof {
	return []validate.GroupProof{{Group: losslessGroup(f), Proof: &validate.Proof{
		Fabric: f, Verdict: validate.Prone,
		Reason: proof.InCircle{}, Loops: loops,
	}}}
}

func losslessGroup(f *ir.Fabric) *ir.CosGroup {
	return f.CosGroups[slices.IndexFunc(f.CosGroups, func(g *ir.CosGroup) bool { return g.Lossless })]
}

func free(f *ir.Fabric) []validate.GroupProof {
	return []validate.GroupProof{{Group: losslessGroup(f), Proof: &validate.Proof{
		Fabric: f, Verdict: validate.Free, Certificate: proof.ByUpDown, Any: true, Reason: proof.Certified{Top: 3},
	}}}
}

// example compiles a fabric of examples/. Places are relative to the root of the repository.
func example(t testing.TB, name string) *ir.Fabric {
	t.Helper()
	return compilertest.Folder(t, os.DirFS("../../.."), "examples/"+name)
}

// scene is a fabric to draw, with its proofs.
type scene struct {
	name   string
	fabric *ir.Fabric
	proofs []validate.GroupProof
}

// scenes are the fabrics on which the laws of layout are tested.
func scenes(t testing.TB) []scene {
	t.Helper()
	var out []scene
	add := func(name string, f *ir.Fabric, proofs []validate.GroupProof) {
		out = append(out, scene{name, f, proofs})
	}
	for _, name := range []string{"rack-v1-pfc", "clos-v2-ecn", "storage-and-training", "bad-routed-v1"} {
		f := example(t, name)
		add(name, f, free(f))
	}
	ring := example(t, "ring-pfc-loop")
	add("ring-pfc-loop", ring, prone(ring, loop(t, ring, "sw2>sw1 sw1>sw4 sw4>sw3 sw3>sw2", ""),
		loop(t, ring, "sw1>sw2 sw2>sw3 sw3>sw4 sw4>sw1", "")))
	valley := irtest.LeafSpine(ir.ShortestPath, 4, 2).Fabric()
	add("failed", valley, prone(valley, loop(t, valley, "S0>L2 L2>S1 S1>L3 L3>S0", "L0-S1 L1-S0")))
	wide := irtest.LeafSpine(ir.ShortestPath, 64, 4).Fabric()
	add("leaf-spine-64", wide, prone(wide,
		loop(t, wide, "S0>L2 L2>S1 S1>L3 L3>S0", "L0-S1 L0-S2 L0-S3 L1-S0"),
		loop(t, wide, "S2>L9 L9>S3 S3>L12 L12>S2", "L7-S3 L8-S0 L8-S1 L8-S2")))
	tree := irtest.FatTree(ir.UpDown, 8).Fabric()
	add("fat-tree-8", tree, free(tree))
	ring24 := irtest.Ring(ir.ShortestPath, 24).Fabric()
	add("ring-24", ring24, nil)
	crowd := irtest.Ring(ir.ShortestPath, 6)
	for i := range 96 {
		crowd.Link(fmt.Sprint("h", i), fmt.Sprint("R", i%6))
	}
	crowd.Device("h-uncabled")
	add("ring-crowd", crowd.Fabric(), nil)
	torus := irtest.Torus(ir.ShortestPath, 6).Fabric()
	add("torus-6", torus, prone(torus, loop(t, torus, "H0.0>H0.1 H0.1>H0.2 H0.2>H0.3 H0.3>H0.4 H0.4>H0.5 H0.5>H0.0", "")))
	mesh := irtest.FullMesh(ir.ShortestPath, 6).Fabric()
	add("mesh-6", mesh, nil)
	peers := irtest.LeafSpine(ir.UpDown, 4, 2).Links("L0-L1 L2-L3 L0-L3 S0-S1 L0-S0 L0-S0")
	pf := peers.Fabric()
	pf.Links[0].A().SetBuffers(nil) // one lossy link
	add("peers", pf, prone(pf, loop(t, pf, "S0>L2 L2>S1 S1>L3 L3>S0", "L0-S1")))
	two := clos(2000)
	add("2000-devices", two, free(two))
	return out
}

// clos returns a Clos of three tiers with about n devices. It has pods of 16 leaves and 4 aggs, 16 cores, and 10 hosts per leaf.
func clos(n int) *ir.Fabric {
	return irtest.Clos(ir.UpDown, max(n/180, 1), 16, 4, 4, 10).Fabric()
}

// golden compares a text with a file of testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o777))
		require.NoError(t, os.WriteFile(file, got, 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), fmt.Sprintf("%s: run make update and read the diff", file))
}
