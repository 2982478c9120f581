package change_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/change"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/compiler/routes"
	"github.com/rocec/rocec/validate/proof"
)

// TestJoined: a ring that is to be lossless on all cables but one was lossless on all: while the change goes over it, it is a loop.
func TestJoined(t *testing.T) {
	for _, routing := range []ir.Routing{ir.ShortestPath, ir.AnyPath} {
		c := irtest.Ring(routing, 5)
		f := c.Fabric()
		var old, next []*ir.Settings
		wanted := func() (out []*ir.Settings) {
			for _, d := range f.Devices {
				out = append(out, d.Wanted())
			}
			return out
		}
		held := func() (out []change.Held) {
			for i := range f.Devices {
				out = append(out, change.Held{Old: old[i], New: next[i]})
			}
			return out
		}
		verdict := func(f *ir.Fabric) proof.Verdict { return proof.All(f, ir.NewBudget(1e9))[0].Verdict }
		old = wanted()
		open := c.Between("R0", "R1")
		open.A().SetBuffers(nil)
		open.B().SetBuffers(nil)
		f.Routes = routes.New(f)
		next = wanted()
		require.Equal(t, proof.Free, verdict(f))

		joined := change.NewMixtures(f).Joined(held())
		require.NotNil(t, joined)
		assert.Equal(t, proof.Prone, verdict(joined))
		assert.Nil(t, open.A().Buffers(), "the fabric stays as it was")
		for i, p := range joined.Ports {
			require.Same(t, p, p.Peer().Peer())
			require.Same(t, joined, p.Device().Fabric)
			require.Equal(t, f.Ports[i].String(), p.String())
		}

		old = next
		assert.Nil(t, change.NewMixtures(f).Joined(held()), "nothing beyond the fabric's own")
	}
}

// TestJoinedTalkers: who was lossless before still sends, though no intent names it any more.
func TestJoinedTalkers(t *testing.T) {
	c := irtest.LeafSpine(ir.ShortestPath, 3, 2)
	f := c.Fabric()
	held := make([]change.Held, len(f.Devices))
	for i, d := range f.Devices {
		held[i] = change.Held{Old: d.Wanted(), New: d.Wanted()}
	}
	in := f.Intents[0]
	gone := in.Members[2].NIC
	in.Members, gone.Intents = in.Members[:2], nil
	joined := change.NewMixtures(f).Joined(held)
	require.NotNil(t, joined)
	require.Len(t, joined.Intents[0].Members, 3)
	assert.Equal(t, gone.Device.Name, joined.Intents[0].Members[2].NIC.Device.Name)
	assert.Len(t, in.Members, 2)
}
