package validate

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/validate/proof"
)

// This file proposes tiers for fabrics without useful ones. One switch of every island is on top, and every other switch is lower by its
// distance from the top (BFS). Of two neighbours at the same distance, that with the later name is lower. So every link goes up or down,
// and every switch has a path over the top: up*/down* as in Autonet (Schroeder et al. 1991).

// tiers proposes routing that goes up and then down, with the tiers that make the fewest paths longer.
func (a *adviser) tiers() {
	var best *tiering
	for _, roots := range a.rootsToTry() {
		t := a.tieringFrom(roots)
		if t == nil {
			break
		}
		c := a.estimate(newRuler(a.Fabric, t.tiers))
		if best == nil || c.worse(best.cost) < 0 {
			t.cost, best = c, t
		}
	}
	if best == nil {
		return // there is no switch, or no budget
	}
	if t := a.try(upDownRouting, proof.Change{Routing: ir.UpDown, Tiers: best.tiers}); t != nil {
		a.add("%s; %s (price: %s)", best.text(a.Fabric), routersText, t.price)
	}
}

// tiering has a tier for every switch.
type tiering struct {
	roots []*ir.Device
	tiers map[*ir.Device]int
	cost  cost
}

// rootsToTry returns sets of switches for the top, one per island. The first set has those with the most neighbours, and each further set
// has one of them replaced.
func (a *adviser) rootsToTry() [][]*ir.Device {
	const most = 24
	seen := map[*ir.Device]bool{}
	var islands [][]*ir.Device
	for _, d := range a.Fabric.Devices {
		if d.Switch == nil || seen[d] {
			continue
		}
		island := []*ir.Device{d}
		seen[d] = true
		for i := 0; i < len(island); i++ {
			for _, n := range a.beside(island[i]) {
				if !seen[n] {
					seen[n] = true
					island = append(island, n)
				}
			}
		}
		slices.SortFunc(island, func(d, e *ir.Device) int { return d.ID - e.ID })
		slices.SortStableFunc(island, func(d, e *ir.Device) int { return len(a.beside(e)) - len(a.beside(d)) })
		islands = append(islands, island)
	}
	if islands == nil {
		return nil
	}
	first := make([]*ir.Device, len(islands))
	for i, island := range islands {
		first[i] = island[0]
	}
	tries := most
	if size := len(a.Fabric.Ports); size > 0 { // each trial is a measurement
		tries = min(most, max(1, 100_000/size))
	}
	out := [][]*ir.Device{first}
	for i, island := range islands {
		for _, d := range island[1:] {
			if len(out) < tries {
				other := slices.Clone(first)
				other[i] = d
				out = append(out, other)
			}
		}
	}
	return out
}

// beside returns the switches cabled to a switch, each once, by ID.
func (a *adviser) beside(d *ir.Device) []*ir.Device {
	if a.neighbours == nil {
		a.neighbours = make([][]*ir.Device, len(a.Fabric.Devices))
	}
	if known := a.neighbours[d.ID]; known != nil {
		return known
	}
	out := []*ir.Device{}
	for _, p := range d.Ports {
		if n := p.Peer().Device(); n != d && n.Switch != nil {
			out = append(out, n)
		}
	}
	slices.SortFunc(out, func(d, e *ir.Device) int { return d.ID - e.ID })
	a.neighbours[d.ID] = slices.Compact(out)
	return a.neighbours[d.ID]
}

// tieringFrom returns the tiers with some switches on top; nil if the budget ran out.
func (a *adviser) tieringFrom(roots []*ir.Device) *tiering {
	if !a.budget.Spend(8 * len(a.Fabric.Links)) {
		return nil
	}
	dist := map[*ir.Device]int{}
	order := slices.Clone(roots)
	for _, d := range roots {
		dist[d] = 0
	}
	for i := 0; i < len(order); i++ {
		for _, n := range a.beside(order[i]) {
			if _, known := dist[n]; !known {
				dist[n] = dist[order[i]] + 1
				order = append(order, n)
			}
		}
	}
	above := func(d, e *ir.Device) bool { return dist[d] < dist[e] || dist[d] == dist[e] && d.ID < e.ID }
	slices.SortFunc(order, func(d, e *ir.Device) int {
		if above(d, e) {
			return 1
		}
		return -1
	})
	t := &tiering{roots: roots, tiers: map[*ir.Device]int{}}
	for _, d := range order { // the lowest first
		t.tiers[d] = 1
		for _, n := range a.beside(d) {
			if above(d, n) {
				t.tiers[d] = max(t.tiers[d], t.tiers[n]+1)
			}
		}
	}
	return t
}

// text returns the tiers as text, by switch if there are few.
func (t *tiering) text(f *ir.Fabric) string {
	const most = 64
	if len(t.tiers) > most {
		return fmt.Sprintf("tiers that fall with the distance from %s, and between neighbours at one distance in the order of their names",
			deviceNames(t.roots))
	}
	byTier := map[int][]string{}
	top := 0
	for _, d := range f.Devices {
		if tier, in := t.tiers[d]; in {
			byTier[tier] = append(byTier[tier], d.Name)
			top = max(top, tier)
		}
	}
	var parts []string
	for tier := top; tier > 0; tier-- {
		if names := byTier[tier]; names != nil {
			parts = append(parts, fmt.Sprintf("tier = %d on %s", tier, nodeset.Text(names, nodeset.Devices, math.MaxInt)))
		}
	}
	return strings.Join(parts, ", ")
}
