package validate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// maxTries bounds how many single links are tried as the one to take out.
const maxTries = 32

// waysOut ranks what breaks every circle, cheapest first, each with its price. Where the cheapest is an edit, it is the fix's.
func (p *loopProof) waysOut() *diag.Fix {
	f := p.fabric
	fix := &diag.Fix{}
	var ways []string
	if f.Routing != ir.UpDown {
		switch links := p.losslessLinks(); {
		case tiered(links):
			ways = append(ways, `routing = "up-down", if the switches' routing never sends traffic up again after it came down `+
				`(price: pairs left without such a path by failures lose each other instead of detouring)`)
			if f.RoutingAt.Filename != "" {
				fix.Edits = []diag.Edit{{At: f.RoutingAt, New: `"up-down"`}}
			}
		default:
			if tiers := spanTiers(f, links); tiers != "" {
				ways = append(ways, `routing = "up-down" with `+tiers+`, and routing on the switches that keeps to it (price: `+
					`traffic takes the way over the top even where the other way round is as short)`)
			}
		}
	}
	if f.Routing != ir.AnyPath {
		ways = append(ways, "let fewer members talk: split the roce block so that those whose paths meet in the circle are not "+
			"in one (price: they have no RoCE between them)")
	}
	if l := p.cut(); l != nil {
		covers := ""
		if f.Failures > 0 {
			covers = "; failures are judged anew"
		}
		ways = append(ways, fmt.Sprintf("take out one cable of the circle, for example %s - %s (price: its bandwidth, and one "+
			"failure less to survive%s)", l.A, l.B, covers))
	}
	if len(p.down) > 0 {
		ways = append(ways, fmt.Sprintf("failures = %d (price: the proof no longer covers %s down)", len(p.down)-1, plural(len(p.down), "link")))
	}
	ways = append(ways, fmt.Sprintf("allow_deadlock = \"reason\" on %s (price: the risk stays, and plan and apply repeat it every time)",
		groupsText(p.groups)))
	var b strings.Builder
	b.WriteString("any one of these, cheapest first:")
	for i, w := range ways {
		fmt.Fprintf(&b, "\n%d. %s", i+1, w)
	}
	fix.Message = b.String()
	return fix
}

// cut returns a link of the circle without which the healthy fabric has no circle at all; nil if there is no such link,
// or if the circle comes with failures, of which other sets may make others.
func (p *loopProof) cut() *ir.Link {
	if len(p.down) > 0 {
		return nil
	}
	for i, h := range p.loops.circle {
		if i == maxTries || (i+1)*p.work() > maxFailureWork {
			break
		}
		if g, err := newGraph(p.fabric, p.groups, []*ir.Link{h.In.Link}); err == nil && len(g.components()) == 0 {
			return h.In.Link
		}
	}
	return nil
}

// spanTiers proposes tiers for a small fabric that has none worth the name: its most central switch on top, everybody else
// lower by the distance from it. Returns "" where that would not do.
func spanTiers(f *ir.Fabric, links []*ir.Link) string {
	next := map[*ir.Device][]*ir.Device{}
	for _, l := range links {
		if l.A.Device.Switch == nil || l.B.Device.Switch == nil {
			return ""
		}
		next[l.A.Device] = append(next[l.A.Device], l.B.Device)
		next[l.B.Device] = append(next[l.B.Device], l.A.Device)
	}
	if len(next) > 8 {
		return "" // nobody wants a list of tiers that long
	}
	var best map[*ir.Device]int
	bestMost := 0
	for _, top := range f.Devices {
		if next[top] == nil {
			continue
		}
		dist := map[*ir.Device]int{top: 0}
		queue := []*ir.Device{top}
		most := 0
		for i := 0; i < len(queue); i++ {
			for _, d := range next[queue[i]] {
				if _, known := dist[d]; !known {
					dist[d] = dist[queue[i]] + 1
					most = max(most, dist[d])
					queue = append(queue, d)
				}
			}
		}
		level := slices.ContainsFunc(links, func(l *ir.Link) bool { return dist[l.A.Device] == dist[l.B.Device] })
		if len(dist) == len(next) && !level && (best == nil || most < bestMost) {
			best, bestMost = dist, most
		}
	}
	if best == nil {
		return ""
	}
	byTier := make([][]string, bestMost+1)
	for _, d := range f.Devices {
		if dist, in := best[d]; in {
			byTier[dist] = append(byTier[dist], d.Name)
		}
	}
	parts := make([]string, len(byTier))
	for i, names := range byTier {
		parts[i] = fmt.Sprintf("tier = %d on %s", bestMost-i+1, strings.Join(names, " and "))
	}
	return strings.Join(parts, ", ")
}
