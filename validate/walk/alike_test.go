package walk_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/validate/walk"
)

// Traces between different hosts of a fat tree are alike if they go up to the same tier, and their union has every device and port.
func TestUnion(t *testing.T) {
	f := laid(irtest.FatTree(ir.UpDown, 4))
	all := hosts(f)
	same := func(a, b []*walk.Finding) bool { return len(a) == len(b) }
	first := all[0]
	var alike []*walk.Trace
	far := between(t, f, first, all[len(all)-1], ir.State{}, false)
	for _, to := range all[1:] {
		tr := between(t, f, first, to, ir.State{}, false)
		assert.Equal(t, tr.Data.Cables == far.Data.Cables, far.Like(tr, same), to.Name)
		if far.Like(tr, same) {
			alike = append(alike, tr)
		}
	}
	require.Len(t, alike, 12, "those of the other three pods")
	u := walk.Union(alike)
	require.True(t, slices.EqualFunc(u.Data.Hops, far.Data.Hops, func(a, b *walk.Hop) bool { return a.Far == b.Far }))
	for _, tr := range alike {
		for i, h := range tr.Data.Hops {
			assert.Subset(t, u.Data.Hops[i].Devices, h.Devices)
			for j, l := range h.In {
				assert.Subset(t, u.Data.Hops[i].In[j].Ports, l.Ports)
			}
			for j, l := range h.Out {
				assert.Subset(t, u.Data.Hops[i].Out[j].Ports, l.Ports)
			}
		}
	}
	assert.Len(t, u.Data.Hops[len(u.Data.Hops)-1].Devices, 12)
	assert.Len(t, u.Data.Hops[0].Devices, 1)
	assert.Len(t, alike[0].Data.Hops[len(far.Data.Hops)-1].Devices, 1, "the traces stay as they are")
	assert.False(t, far.Like(far, func(_, _ []*walk.Finding) bool { return false }), "findings count")
}
