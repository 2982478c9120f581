package picture

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/lang/nodeset"
)

func TestLabel(t *testing.T) {
	for _, tc := range []struct{ names, want string }{
		{"leaf01", "leaf01"},
		{"leaf01 leaf02 leaf03", "leaf[01-03]"},
		{"leaf8 leaf9 leaf10", "leaf[8-10]"},
		{"leaf01 leaf02 leaf04", "leaf[01-02,04]"},
		{"p1-l1 p1-l2 p2-l1 p2-l2", "p[1-2]-l[1-2]"},
		{"1a 2a", "[1-2]a"},
		{"leaf1 spine1", "leaf1 … spine1"},
		{"leaf1 leaf02", "leaf[1,02]"},
		{"p1-l1 p2-l2", "p1-l1 … p2-l2"},
		{"a1 a1b", "a1 … a1b"},
		{"a b", "a … b"},
		{"n9999999999999999999999 n10000000000000000000000", "n9999999999999999999999 … n10000000000000000000000"},
	} {
		assert.Equal(t, tc.want, label(strings.Fields(tc.names)), tc.names)
	}
	assert.Equal(t, "abc…xyz", shorten("abcdefxyz", 7))
	assert.Equal(t, "abcdefg", shorten("abcdefg", 7))
}

// Each scene folds to the expected symbols.
func TestFold(t *testing.T) {
	labels := func(f *ir.Fabric, pinned ...string) string {
		pin := map[*ir.Device]bool{}
		for _, d := range f.Devices {
			pin[d] = slices.Contains(pinned, d.Name)
		}
		var out []string
		for _, s := range fold(f, pin, tiered(f)) {
			out = append(out, fmt.Sprintf("%s=%d", s.label, len(s.devices)))
		}
		slices.SortFunc(out, nodeset.Compare)
		return strings.Join(out, " ")
	}
	rename := func(c *irtest.Cabling) *ir.Fabric { // host hL3x17 becomes h17
		return c.Rename(func(s string) string {
			if _, n, found := strings.Cut(s, "x"); found && s[0] == 'h' {
				return "h" + n
			}
			return s
		}).Fabric()
	}
	assert.Equal(t, "leaf01=1 leaf02=1 leaf03=1 leaf04=1 gpu[001-016]=16 gpu[017-032]=16 gpu[033-048]=16 gpu[049-064]=16 spine1=1 spine2=1",
		func() string {
			s := strings.Fields(labels(example(t, "clos-v2-ecn")))
			slices.SortStableFunc(s, func(a, b string) int { return compareBool(a[0] != 'l', b[0] != 'l') })
			return strings.Join(s, " ")
		}(), "hosts of a leaf are one symbol, six switches need no folding")
	assert.Equal(t, "store1=1 store2=1 store3=1 store4=1 store5=1 tor1=1", labels(example(t, "rack-v1-pfc")))
	assert.Equal(t, "L[0-63]=64 S0=1 S1=1 S2=1 S3=1 h[256-319]=64", labels(rename(irtest.LeafSpine(ir.UpDown, 64, 4))))
	assert.Equal(t, "L3=1 L7=1 L[0-2,4-6,8-63]=62 S0=1 S1=1 S2=1 S3=1 h259=1 h263=1 h[256-258,260-262,264-319]=62",
		labels(rename(irtest.LeafSpine(ir.UpDown, 64, 4)), "L3", "L7", "S1"), "pinned devices and their hosts are separate symbols")
	blocks := irtest.LeafSpine(ir.UpDown, 64, 2).Fabric()
	for _, d := range blocks.Devices {
		d.Group = d.Name // a block for every device
	}
	assert.Len(t, fold(blocks, nil, true), 4, "groups of one device do not prevent folding")
	assert.Equal(t, "H[0-31].[0-31]=1024", strings.Join(slices.Compact(strings.Fields(
		labelsOfSwitches(irtest.Torus(ir.AnyPath, 32).Fabric()))), " "), "1,024 switches without tiers are all drawn")
}

// labelsOfSwitches folds the names of the switches that have their own symbol.
func labelsOfSwitches(f *ir.Fabric) string {
	var names []string
	for _, s := range fold(f, nil, tiered(f)) {
		if !s.host() && len(s.devices) == 1 {
			names = append(names, s.label)
		}
	}
	slices.SortFunc(names, nodeset.Compare)
	return fmt.Sprintf("%s=%d", label(names), len(names))
}

// randomFabric draws a fabric of any shape: tiers, peers, rings, hosts on one or two switches, parallel and no links.
func randomFabric(t *rapid.T) *ir.Fabric {
	c := irtest.New(ir.ShortestPath)
	tiers := rapid.IntRange(1, 4).Draw(t, "tiers")
	var names []string
	for tier := range tiers {
		for i := range rapid.IntRange(1, 12).Draw(t, "switches") {
			name := fmt.Sprintf("T%d-%02d", tier, i)
			c.Device(name).Switch.Tier = tier + 1
			names = append(names, name)
		}
	}
	for range rapid.IntRange(0, 80).Draw(t, "links") {
		a, b := rapid.SampledFrom(names).Draw(t, "a"), rapid.SampledFrom(names).Draw(t, "b")
		if a != b {
			c.Link(a, b)
		}
	}
	for i := range rapid.IntRange(0, 60).Draw(t, "hosts") {
		host := fmt.Sprintf("h%d", i)
		c.Device(host)
		for range rapid.IntRange(0, 2).Draw(t, "cables") {
			c.Link(host, rapid.SampledFrom(names).Draw(t, "on"))
		}
	}
	return c.Fabric()
}

// Laws of every drawing: each device is in one symbol, a pinned device has its own symbol, and every link is in one line. No parts
// overlap, and all are on the sheet. Unfolding ends at single devices.
func TestDrawingLaws(t *testing.T) {
	check := func(t require.TestingT, d *drawing) {
		seen := map[*ir.Device]bool{}
		for i, s := range d.symbols {
			for _, device := range s.devices {
				require.False(t, seen[device], device.Name)
				seen[device] = true
			}
			require.GreaterOrEqual(t, s.x-s.w/2, 0, s.label)
			require.GreaterOrEqual(t, s.y-s.h/2, 0, s.label)
			require.LessOrEqual(t, s.x+s.w/2, d.width, s.label)
			require.LessOrEqual(t, s.y+s.h/2, d.height, s.label)
			for _, other := range d.symbols[:i] {
				require.False(t, around(s.centre(), float64(s.w), float64(s.h)).meets(around(other.centre(), float64(other.w), float64(other.h))),
					"%s lies on %s", s.label, other.label)
			}
			checkParts(t, s)
		}
		require.Len(t, seen, len(d.fabric.Devices))
		for device := range d.pinned() {
			require.Len(t, d.of[device.ID].devices, 1, device.Name)
		}
		links := 0
		for _, b := range d.bundles {
			links += len(b.links)
		}
		require.Equal(t, len(d.fabric.Links), links)
	}
	for _, s := range scenes(t) {
		d := draw(s.fabric, s.proofs)
		check(t, d)
		if d.tiered {
			assert.LessOrEqual(t, len(d.symbols), mostSymbols, s.name)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		f := randomFabric(t)
		proofs := free(f)
		check(t, draw(f, proofs))
		require.Equal(t, SVG(f, proofs), slices.Clone(SVG(f, proofs)), "two pictures of one fabric")
	})
}

func checkParts(t require.TestingT, s *symbol) {
	if s.parts == nil {
		require.Len(t, s.devices, 1)
		return
	}
	n := 0
	for _, p := range s.parts {
		n += len(p.devices)
		checkParts(t, p)
	}
	require.Equal(t, len(s.devices), n)
}

// Few lines cross. In a tree no lines cross, whatever the order of its names.
func TestNoNeedlessCrossings(t *testing.T) {
	f := irtest.New(ir.UpDown).Links("S0-L3 S0-L1 S1-L0 S1-L2 X-S0 X-S1").Tier("S", 2).Tier("X", 3).Hosts("L0", "L1", "L2", "L3").Fabric()
	d := draw(f, nil)
	for i, b := range d.bundles {
		for _, c := range d.bundles[:i] {
			if b.a.y == c.a.y && b.b.y == c.b.y {
				assert.GreaterOrEqual(t, (b.a.x-c.a.x)*(b.b.x-c.b.x), 0, "%s crosses %s", bundleTitle(b), bundleTitle(c))
			}
		}
	}
}
