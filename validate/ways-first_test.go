package validate

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/validate/proof"
)

// The first way is number 1 of the ways that the diagnostic lists, and its fabric has a path for every flow of the circle.
func TestFirstWayIsTheOneThatIsListed(t *testing.T) {
	unlaid := irtest.LeafSpine(ir.ShortestPath, 4, 2)
	for _, l := range unlaid.Cables("L0-S1 L1-S0") {
		l.Planned = true
	}
	for name, c := range map[string]*irtest.Cabling{
		"not laid":  unlaid,
		"ring":      irtest.Ring(ir.ShortestPath, 5),
		"two down":  irtest.LeafSpine(ir.ShortestPath, 4, 2).Failures(2),
		"any":       irtest.Ring(ir.AnyPath, 4),
		"full mesh": irtest.FullMesh(ir.ShortestPath, 5).Failures(2),
		"torus":     irtest.Torus(ir.ShortestPath, 3),
	} {
		f := fabric(c)
		r := Run(f, nil)
		var proofs []*proof.Proof
		for _, p := range r.Proofs {
			proofs = append(proofs, p.Proof)
		}
		require.Equal(t, Prone, proofs[0].Verdict, name)
		first := FirstWay(proofs[0], proofs, DefaultBudget)
		listed := ""
		for _, d := range r.Diagnostics {
			if d.Code == PFCLoop.Code {
				listed = d.Fix.Message
			}
		}
		_, listed, _ = strings.Cut(listed, "\n1. ")
		listed, _, _ = strings.Cut(listed, "\n2. ")
		assert.Equal(t, listed, first.Text, name)
		require.NotNil(t, first.Fabric, name)
		assert.Equal(t, name == "not laid", first.Change.Laid, name)
		paths := 0
		for _, flow := range proofs[0].Loops[0].Flows {
			ways, err := first.Ways(flow, proofs[0].Loops[0].Down)
			require.NoError(t, err, name)
			if ways != nil && ways.Stops[0].Left > 0 {
				paths++
			}
		}
		assert.Positive(t, paths, name)
	}
}

// A way without a trial changes no fabric.
func TestFirstWayMayChangeNothing(t *testing.T) {
	f := fabric(irtest.Ring(ir.ShortestPath, 4))
	proofs := proof.All(f, ir.NewBudget(DefaultBudget))
	a := newAdviser(&Pass{Fabric: f, all: Checks, loops: func() []*proof.Proof { return proofs }}, proofs[0])
	a.accept()
	assert.Nil(t, a.trials[0])
}
