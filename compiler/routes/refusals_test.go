package routes

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
)

// onlyWay returns the links that are on every shortest path.
func onlyWay(w *ir.Ways) map[*ir.Link]bool {
	levels := map[int]map[*ir.Link]bool{}
	for _, s := range w.Stops {
		for _, l := range s.Next {
			if s.Left == w.Stops[l.Stop].Left+1 {
				if levels[s.Left] == nil {
					levels[s.Left] = map[*ir.Link]bool{}
				}
				levels[s.Left][l.Out.Link()] = true
			}
		}
	}
	out := map[*ir.Link]bool{}
	for _, links := range levels {
		if len(links) == 1 {
			maps.Copy(out, links)
		}
	}
	return out
}

// For a pair that is not Remote, only failures of links on all its shortest paths matter.
func TestOnlyFailuresOfThePathsMatter(t *testing.T) {
	near, remote := 0, 0
	law := func(t *rapid.T) {
		c := randomCabling(t, ir.EBGP)
		most := rapid.SampledFrom([]int{2, 4, 12}).Draw(t, "AS numbers")
		for _, l := range c.F.Links {
			l.Routed = true
		}
		for _, d := range c.F.Devices {
			if d.Switch != nil {
				d.Switch.ASN = rapid.IntRange(1, most).Draw(t, "asn")
			}
		}
		f := c.Fabric()
		router := New(f)
		for _, p := range (&oracle{f: f}).pairs() {
			w, err := router.Ways(trip(p), ir.State{})
			require.NoError(t, err)
			require.False(t, w.Sure && w.Stops[0].Left < 0)
			if w.Remote {
				remote++
				continue
			}
			require.Equal(t, w.Sure, w.Stops[0].Left >= 0)
			only := onlyWay(w)
			for _, l := range f.Links {
				if !w.Sure || only[l] || !l.A().Device().Forwards() || !l.B().Device().Forwards() {
					continue
				}
				near++
				without, err := router.Ways(trip(p), ir.State{Down: []*ir.Link{l}})
				require.NoError(t, err)
				require.True(t, without.Sure, "%s to %s without %s", p.src, p.dst, l.A())
				if len(p.src) > 1 { // the paths of a bond's ports may have different lengths
					continue
				}
				require.Equal(t, w.Stops[0].Left, without.Stops[0].Left, "%s to %s without %s", p.src, p.dst, l.A())
			}
		}
	}
	for round := 0; round < 1 || round < 50 && (near == 0 || remote == 0); round++ { // -short draws only a few
		rapid.Check(t, law)
	}
	t.Log(near, remote)
	assert.NotZero(t, near)
	assert.NotZero(t, remote)
}

func TestRemoteFailures(t *testing.T) {
	for _, tt := range []struct {
		name, links  string
		asns         map[string]int // the other switches have different AS numbers
		from, to     string
		fails        string
		remote       bool
		sure, reachs bool // after the failure
	}{
		{
			name: "spines of one AS", links: "A-S A-T B-S B-T C-S C-T", asns: map[string]int{"S": 1, "T": 1},
			from: "A", to: "B", fails: "A-S", sure: true, reachs: true,
		},
		{
			name: "spines of one AS, without a common spine", links: "A-S A-T B-S C-S C-T", asns: map[string]int{"S": 1, "T": 1},
			from: "A", to: "B", fails: "A-S",
		},
		{
			name:  "each pod is one AS, and so is the top",
			links: "A-K A-L B-K B-L C-M C-N D-M D-N K-X K-Y L-X L-Y M-X M-Y N-X N-Y",
			asns:  map[string]int{"K": 1, "L": 1, "M": 2, "N": 2, "X": 3, "Y": 3},
			from:  "A", to: "C", fails: "M-X", sure: true, reachs: true,
		},
		{ // V refuses the path by U and Y. When U uses Z, V has two paths, and may pass on the one that W refuses
			name: "a link off the path", links: "W-V V-P P-Q Q-R R-D V-U U-Y Y-D U-Z Z-O O-D",
			asns: map[string]int{"Y": 1, "V": 1, "Z": 2, "W": 2},
			from: "W", to: "D", fails: "U-Y", remote: true, reachs: true,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := irtest.New(ir.EBGP).Links(tt.links).UniqueASNs()
			for name, asn := range tt.asns {
				c.Device(name).Switch.ASN = asn
			}
			c.Hosts(tt.from, tt.to)
			f := routed(c)
			healthy := waysOf(t, f, c, tt.from, tt.to, ir.State{})
			assert.True(t, healthy.Sure)
			assert.Equal(t, tt.remote, healthy.Remote)
			fails := c.Cables(tt.fails)[0]
			if tt.remote {
				assert.False(t, cables(healthy)[fails.A()] || cables(healthy)[fails.B()], "the link is off the path")
			}
			w := waysOf(t, f, c, tt.from, tt.to, ir.State{Down: []*ir.Link{fails}})
			assert.Equal(t, tt.sure, w.Sure)
			assert.Equal(t, tt.reachs, w.Stops[0].Left >= 0)
		})
	}
}
