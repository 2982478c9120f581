package compiler

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/targets"
)

// scattered puts every link of a source into a separate block, with values that pick sets.
func scattered(src *lang.Source, pick func(b *lang.LinkBlock)) *lang.Source {
	a := &author{line: 20_000}
	for i, l := range src.Links {
		l.Block = &lang.LinkBlock{Kind: "link", Name: fmt.Sprint(i), Decl: a.at(), Length: val(a, 30.0)}
		pick(l.Block)
	}
	return src
}

// Equal ports share their sizes even if they are in different blocks, and each still names its own lines.
func TestAlikePortsShareTheirSizes(t *testing.T) {
	f := compiled(t, scattered(clos(2, 2, 3), func(*lang.LinkBlock) {}))
	x, y := port(f, "leaf1:swp4"), port(f, "leaf2:swp5") // to spines
	require.NotEqual(t, x.Link().At, y.Link().At)
	require.Len(t, x.Buffers(), 1)
	require.Len(t, x.Marks(), 1)
	assert.Same(t, &x.Buffers()[0], &y.Buffers()[0])
	assert.Same(t, &x.Marks()[0], &y.Marks()[0])
	b := x.Buffers()[0]
	for _, p := range []*ir.Port{x, y} {
		from := b.Size.On(p.Link()).From
		assert.Equal(t, p.Link().Length.From, from[0])
		assert.Equal(t, p.Link().Speed.From[0], from[1])
		assert.Equal(t, p.Link().MTU.From[0], from[2])
		assert.Equal(t, p.Link().Speed.From[0], x.Marks()[0].Min.On(p.Link()).From[0])
		assert.Equal(t, p.Link().Speed.From[0], x.Marks()[0].Max.On(p.Link()).From[0])
	}
	assert.NotEqual(t, b.Size.On(x.Link()), b.Size.On(y.Link()))
	h := port(f, "gpu1:ens1f0")
	assert.NotSame(t, b, h.Buffers()[0], "a NIC is not a switch")
}

// A port has the sizes of its own link, independent of other links.
func TestSharedSizesAreThoseOfThePort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := &author{line: 50_000}
		src := scattered(clos(2, 2, 3), func(b *lang.LinkBlock) {
			b.Length = val(a, rapid.SampledFrom([]float64{3, 30, 300}).Draw(t, "length"))
			if rapid.Bool().Draw(t, "with speed") {
				b.Speed = val(a, rapid.SampledFrom([]int{25_000, 100_000}).Draw(t, "speed"))
			}
			if rapid.Bool().Draw(t, "with mtu") {
				b.MTU = val(a, rapid.SampledFrom([]int{1500, 9216}).Draw(t, "mtu"))
			}
		})
		if rapid.Bool().Draw(t, "by hand") {
			src.Switches[0].ByHand = &lang.ByHand{Decl: a.at()}
		}
		f := compiled(t, src)
		for _, p := range f.Ports {
			l := p.Link()
			for _, b := range p.Buffers() {
				if p.Device().Switch == nil {
					need, _ := targets.Known.FindDriver("mlx5").Buffer(l.Speed.N, l.Length.Metres, p.MTU())
					require.Equal(t, need, b.Need, "%s", p)
					continue
				}
				need, floor, terms := chipHeadroom(p.Device().Switch.Model.ASIC, wire{l.Speed.N, l.Length.Metres, l.MTU.N, allSmall, 4096})
				require.Equal(t, need, b.Need, "%s", p)
				require.Equal(t, floor, b.Floor, "%s", p)
				require.Equal(t, terms, b.Terms, "%s", p)
				from := b.Size.On(l).From
				require.Equal(t, []ir.Origin{l.Length.From, l.Speed.From[0], l.MTU.From[0]}, from[:3], "%s", p)
			}
			for _, m := range p.Marks() {
				require.Equal(t, l.Speed.From[0], m.Min.On(l).From[0], "%s", p)
				require.Contains(t, fmt.Sprint(m.Min.On(l).From), fmt.Sprintf("so %d B at", markAt100G*l.Speed.N/markAtSpeed), "%s", p)
			}
		}
	})
}
