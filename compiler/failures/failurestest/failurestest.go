// Package failurestest draws fabrics and failures for the tests of packages that follow traffic when links fail.
package failurestest

import (
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
)

// Fabric draws a fabric for failures: up to 7 switches and 10 cables, some lossy, bridged or parallel. Hosts are on one switch or bonded to
// several, and one of them may forward. The result contains the groups of up to 2 intents, of either version. Symmetric shapes are as
// likely as random ones.
func Fabric(t *rapid.T, r ir.Routing) (f *ir.Fabric, groups []*ir.CosGroup) {
	chance := func(of int, what string) bool { return rapid.IntRange(0, of-1).Draw(t, what) == of-1 }
	number := func(from, to int, what string) int { return rapid.IntRange(from, to).Draw(t, what) }
	c := irtest.New(r)
	var names []string
	name := func(prefix string, n int) []string {
		var out []string
		for i := range n {
			out = append(out, fmt.Sprint(prefix, i))
		}
		names = append(names, out...)
		return out
	}
	bridged := chance(3, "bridged")
	lay := func(a, b string) {
		l := c.Link(a, b)
		l.Routed = !bridged
	}
	switch number(0, 3, "shape") {
	case 0:
		n := number(2, 7, "switches")
		name("s", n)
		for range number(1, 10, "cables") {
			if a, b := number(0, n-1, "a"), number(0, n-1, "b"); a != b {
				lay(names[a], names[b])
			}
		}
	case 1:
		leaves := name("s", number(2, 4, "leaves"))
		for _, s := range name("t", number(1, 3, "spines")) {
			for _, l := range leaves {
				lay(l, s)
			}
		}
	case 2:
		for i, s := range name("s", number(3, 7, "ring")) {
			lay(s, fmt.Sprint("s", (i+1)%len(names)))
		}
	case 3:
		all := name("s", number(3, 4, "mesh"))
		for i, a := range all {
			for _, b := range all[:i] {
				lay(a, b)
			}
		}
	}
	for range number(0, 2, "more cables") {
		if a, b := number(0, len(names)-1, "a"), number(0, len(names)-1, "b"); a != b {
			lay(names[a], names[b])
		}
	}
	for _, s := range names {
		c.Device(s).Switch.Tier = 1
		if chance(10, "shares its groups") {
			c.Device(s).Switch.Can.Shared = true
		}
		if !chance(4, "no host") {
			c.Hosts(s)
		}
	}
	var bonded []string
	for i := range number(0, 2, "bonds") {
		h := fmt.Sprint("hb", i)
		bonded = append(bonded, h)
		for range number(1, 3, "legs") {
			c.Link(h, names[number(0, len(names)-1, "leg")])
		}
	}
	f = c.Fabric()
	for _, l := range f.Links {
		if chance(12, "lossy") {
			l.A().SetBuffers(nil)
		}
	}
	for i, h := range bonded {
		host := c.Device(h).Host
		b := &ir.Bond{Mode: rapid.SampledFrom([]string{"802.3ad", "balance-xor", "active-backup"}).Draw(t, "mode"), NICs: host.NICs}
		if i == 1 && chance(2, "no bond") {
			host.Forwards = chance(2, "forwards")
			continue
		}
		host.Bonds = []*ir.Bond{b}
		for _, n := range host.NICs {
			n.Bond = b
		}
	}
	groups = []*ir.CosGroup{c.Group}
	if chance(3, "second group") {
		g := &ir.CosGroup{Name: "second", Cos: 4, Lossless: true}
		groups = append(groups, g)
		f.CosGroups = append(f.CosGroups, g)
		for _, p := range f.Ports {
			if !chance(10, "lossy in the second group") {
				p.SetBuffers(append(slices.Clone(p.Buffers()), &ir.Buffer{Group: g}))
			}
		}
	}
	if len(groups) > 1 || chance(3, "second intent") {
		members := f.Intents[0].Members
		f.Intents = nil
		for i := range 2 {
			in := &ir.Intent{Version: 2, Group: groups[i%len(groups)]}
			if chance(4, "RoCEv1") {
				in.Version = 1
			}
			for _, m := range members {
				if !chance(3, "stays out") {
					in.Members = append(in.Members, m)
				}
			}
			f.Intents = append(f.Intents, in)
		}
	}
	return f, groups
}

// Down draws up to n failed links.
func Down(t *rapid.T, f *ir.Fabric, n int) []*ir.Link {
	var down []*ir.Link
	for range rapid.IntRange(0, min(n, len(f.Links))).Draw(t, "down") {
		l := f.Links[rapid.IntRange(0, len(f.Links)-1).Draw(t, "link")]
		if !slices.Contains(down, l) {
			down = append(down, l)
		}
	}
	return down
}

// Subsets calls each with every subset of at most most links.
func Subsets(links []*ir.Link, most int, each func(set []*ir.Link)) {
	var choose func(set []*ir.Link, from int)
	choose = func(set []*ir.Link, from int) {
		if len(set) > 0 {
			each(slices.Clone(set))
		}
		if len(set) == most {
			return
		}
		for i := from; i < len(links); i++ {
			choose(append(slices.Clip(set), links[i]), i+1)
		}
	}
	choose(nil, 0)
}

// Others returns the links that are not in down.
func Others(f *ir.Fabric, down []*ir.Link) []*ir.Link {
	var out []*ir.Link
	for _, l := range f.Links {
		if !slices.Contains(down, l) {
			out = append(out, l)
		}
	}
	return out
}

// IDs returns the Link.IDs, ascending.
func IDs(links []*ir.Link) []int32 {
	var out []int32
	for _, l := range links {
		out = append(out, int32(l.ID))
	}
	slices.Sort(out)
	return out
}

// Names spells links for messages.
func Names(links []*ir.Link) []string {
	var out []string
	for _, l := range links {
		out = append(out, fmt.Sprint(l.A(), "-", l.B()))
	}
	return out
}
