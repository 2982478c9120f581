package routes

import (
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/failures/failurestest"
	"github.com/rocec/rocec/compiler/ir"
)

// randomFabric draws a fabric for failures, and sets its router.
func randomFabric(t *rapid.T, r ir.Routing) (f *ir.Fabric, groups []*ir.CosGroup) {
	f, groups = failurestest.Fabric(t, r)
	f.Routes = New(f)
	return f, groups
}

// plainTurns returns the turns that the engine for single destinations finds.
func plainTurns(f *ir.Fabric, g *ir.CosGroup, down []*ir.Link) map[ir.Turn]bool {
	w := newWalk(f.Routes.(*Router).views[g](), down)
	for _, c := range w.classes {
		w.distances(c)
		w.shortest(c)
	}
	return turnsOf(f, w.turns)
}
