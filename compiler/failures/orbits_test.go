package failures

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/failures/failurestest"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
)

// TestFormsAreOrbits applies swaps of twins and of parallel links to every link set until no new set appears, and compares the result with
// the forms.
func TestFormsAreOrbits(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f, groups := failurestest.Fabric(rt, ir.ShortestPath)
		down := failurestest.Down(rt, f, 2)
		w := stateOf(f, groups, down)
		orbits := NewOrbits(w, rapid.Bool().Draw(rt, "asn"))
		var links []*ir.Link
		for _, l := range f.Links {
			if w.Ends[l.ID][0] >= 0 {
				links = append(links, l)
			}
		}
		swaps := allSwaps(w, orbits)
		formOf := map[string]string{} // by the spelling of a set
		orbitOf := map[string]string{}
		sizeOf := map[string]int{}
		var sets [][]int32
		failurestest.Subsets(links, 3, func(set []*ir.Link) { sets = append(sets, failurestest.IDs(set)) })
		for _, set := range sets {
			formOf[fmt.Sprint(set)] = orbits.Form(set)
			if orbitOf[fmt.Sprint(set)] != "" {
				continue
			}
			first := fmt.Sprint(set)
			orbitOf[first] = first
			for queue := [][]int32{set}; len(queue) > 0; queue = queue[1:] {
				sizeOf[first]++
				for _, swap := range swaps {
					image := make([]int32, 0, len(set))
					for _, id := range queue[0] {
						image = append(image, swap[id])
					}
					slices.Sort(image)
					if name := fmt.Sprint(image); orbitOf[name] == "" {
						orbitOf[name] = first
						queue = append(queue, image)
					}
				}
			}
		}
		orbitOfForm := map[string]string{}
		for _, set := range sets {
			name := fmt.Sprint(set)
			orbit, form := orbitOf[name], formOf[name]
			if form != formOf[orbit] {
				rt.Fatalf("%s and %s are in one orbit, but differ in form", name, orbit)
			}
			if o, known := orbitOfForm[form]; known && o != orbit {
				rt.Fatalf("%s and %s have the same form, but are not in one orbit", orbit, o)
			}
			orbitOfForm[form] = orbit
			if n := orbits.Size(set); n != sizeOf[orbit] {
				rt.Fatalf("the orbit of %s has %d sets, not %d", name, sizeOf[orbit], n)
			}
		}
	})
}

// allSwaps returns, as maps from Link.ID to Link.ID, the swaps of two parallel links, and of two orbits.
func allSwaps(w *State, orbits *Orbits) [][]int32 {
	var out [][]int32
	same := func() []int32 {
		m := make([]int32, len(w.Ends))
		for i := range m {
			m[i] = int32(i)
		}
		return m
	}
	joins := func(id, a, b int32) bool { return w.Ends[id] == [2]int32{a, b} || w.Ends[id] == [2]int32{b, a} }
	for i := range w.Ends {
		for j := range i {
			if a, b := w.Ends[i][0], w.Ends[i][1]; a >= 0 && joins(int32(j), a, b) && w.kind[i] == w.kind[j] {
				m := same()
				m[i], m[j] = int32(j), int32(i)
				out = append(out, m)
			}
		}
	}
	for u := range int32(w.size()) {
		for v := range u {
			if orbits.lowest[u] != orbits.lowest[v] {
				continue
			}
			swapped := func(x int32) int32 {
				switch x {
				case u:
					return v
				case v:
					return u
				}
				return x
			}
			m := same()
			taken := map[int32]bool{}
			for id, e := range w.Ends {
				if e[0] < 0 {
					continue
				}
				a, b := swapped(e[0]), swapped(e[1])
				to := slices.IndexFunc(same(), func(o int32) bool { return joins(o, a, b) && w.kind[o] == w.kind[id] && !taken[o] })
				if to < 0 {
					panic("no orbit")
				}
				taken[int32(to)] = true
				m[id] = int32(to)
			}
			out = append(out, m)
		}
	}
	return out
}

func TestTwins(t *testing.T) {
	const sp = ir.ShortestPath
	bonded := irtest.LeafSpine(sp, 4, 2)
	bonded.Link("hb", "L0")
	bonded.Link("hb", "L1")
	uneven := irtest.LeafSpine(sp, 4, 2).Hosts("S0")
	lossy := irtest.LeafSpine(sp, 4, 2)
	lossy.Between("L0", "S1").A().SetBuffers(nil)
	tiers := irtest.LeafSpine(sp, 4, 2).Tier("S1", 3)
	chips := irtest.LeafSpine(sp, 4, 2)
	chips.Device("L3").Switch.Can.Shared = true
	passing := irtest.New(sp).Links("A-hx B-hx A-S B-S").Hosts("A", "B")
	passing.Device("hx").Host.Forwards = true
	parallel := irtest.New(sp).Links("A-S A-S B-S B-S").Hosts("A", "B")
	parallel.F.Links[0].A().SetBuffers(nil)
	parallel.F.Links[3].A().SetBuffers(nil)
	oneEnd := irtest.Ring(sp, 4).Bounce() // the shared buffer is at R0 for one cable, at R3 for the other
	for _, end := range []*ir.Port{oneEnd.Between("R0", "R1").B(), oneEnd.Between("R3", "R0").B()} {
		end.SetBuffers(end.Buffers()[:1])
	}
	for _, d := range oneEnd.F.Devices {
		if d.Switch != nil {
			d.Switch.Can.Shared = true
		}
	}
	tests := []struct {
		name string
		c    *irtest.Cabling
		bond bool
		want [][]string
	}{
		{"LS4x2", irtest.LeafSpine(sp, 4, 2), false, [][]string{{"L0", "L1", "L2", "L3"}, {"S0", "S1"}}},
		{"ring of 3: neighbours may be twins", irtest.Ring(sp, 3), false, [][]string{{"R0", "R1", "R2"}}},
		{"ring of 4: opposite switches may be twins", irtest.Ring(sp, 4), false, [][]string{{"R0", "R2"}, {"R1", "R3"}}},
		{"ring of 5", irtest.Ring(sp, 5), false, nil},
		{"hosts on one spine only", uneven, false, [][]string{{"L0", "L1", "L2", "L3"}}},
		{"a lossy cable", lossy, false, [][]string{{"L1", "L2", "L3"}}},
		{"another tier", tiers, false, [][]string{{"L0", "L1", "L2", "L3"}}},
		{"cables whose ends disagree", oneEnd, false, nil},
		{"a chip whose groups share a buffer", chips, false, [][]string{{"L0", "L1", "L2"}, {"S0", "S1"}}},
		{"a host that forwards is not a switch", passing.Tier("S", 0), false, [][]string{{"A", "B"}}},
		{"parallel cables in another order", parallel, false, [][]string{{"A", "B"}}},
		{"a bond", bonded, true, [][]string{{"L0", "L1"}, {"L2", "L3"}, {"S0", "S1"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := tt.c.Fabric()
			if tt.bond {
				h := tt.c.Device("hb").Host
				h.Bonds = []*ir.Bond{{Mode: "802.3ad", NICs: h.NICs}}
				for _, n := range h.NICs {
					n.Bond = h.Bonds[0]
				}
			}
			w := stateOf(f, f.CosGroups, nil)
			orbits := NewOrbits(w, false)
			var got [][]string
			for v := range int32(w.devices) {
				if orbits.lowest[v] != v || orbits.next[v] < 0 {
					continue
				}
				var class []string
				for u := v; u >= 0; u = orbits.next[u] {
					class = append(class, w.Vertices[u].Name)
				}
				got = append(got, class)
			}
			assert.Equal(t, tt.want, got)
		})
	}
}
