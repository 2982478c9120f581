package validate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/validate/proof"
)

// waysOut ranks what breaks every circle, cheapest first, each with its price: first what forbids the turn, then what
// makes it lossy, then fewer talkers, fewer cables, a smaller promise, and last none at all. What can be tried has been
// tried. Where the cheapest is an edit, it is the fix's.
func waysOut(l *proof.Proof) *diag.Fix {
	f := l.Fabric
	var ways []string
	var edits []diag.Edit
	const lost = "(price: pairs left without such a path by failures lose each other instead of detouring)"
	switch f.Routing {
	case ir.Flooding:
		if l.Bridged() {
			ways = append(ways, `routing = "spanning-tree", if the switches run it on every link (price: what it blocks carries nothing)`)
			if f.RoutingAt.Filename != "" {
				edits = []diag.Edit{{At: f.RoutingAt, New: `"spanning-tree"`}}
			}
		}
	case ir.TablePath:
		if at := valleys(l.Loops[0].Circle); l.Tiered() && at != nil {
			ways = append(ways, fmt.Sprintf("correct the next hops at %s, and wherever else traffic goes up again after it came down %s",
				nodeset.Text(at, nodeset.Devices, namesRoom), lost))
		}
	case ir.ShortestPath, ir.EBGP, ir.AnyPath:
		if plan := l.ASPlan(); f.Routing == ir.EBGP && plan != nil && noPathsLost(f) {
			ways = append(ways, planText(plan)+", so that the AS-loop check refuses every way down and up again "+lost)
		}
		level, orients := l.TieredBut()
		switch {
		case l.Tiered() && noPathsLost(f):
			if len(ways) == 0 && f.RoutingAt.Filename != "" {
				edits = []diag.Edit{{At: f.RoutingAt, New: `"up-down"`}}
			}
			ways = append(ways, `routing = "up-down", if the switches' routing never sends traffic up again after it came down `+lost)
		case orients && len(level) > 0 && spreadOverTiers(f) && noPathsLost(f):
			ways = append(ways, fmt.Sprintf(`routing = "up-down" with peer = true on %s, and routing on the switches that takes at most one `+
				`such step between up and down (price: longer ways over them are lost)`, someOf(blocksOf(level))))
		default:
			if tiers := spanTiers(f, l.LosslessLinks()); tiers != "" && !spreadOverTiers(f) {
				ways = append(ways, `routing = "up-down" with `+tiers+`, and routing on the switches that keeps to it (price: `+
					`traffic takes the way over the top even where the other way round is as short)`)
			}
		}
	}
	if l.MayBounce() {
		const may = "if the switches can move what goes up again after coming down"
		if lossy := slices.IndexFunc(f.CosGroups, func(g *ir.CosGroup) bool { return !g.Lossless && !g.Strict }); lossy >= 0 {
			name := f.CosGroups[lossy].Name
			ways = append(ways, fmt.Sprintf("bounce = cos_group.%s on %s, %s (price: such frames may be dropped)", name, groupsText(l.Groups), may))
			if oneMoreLossless(f) {
				ways = append(ways, fmt.Sprintf("a lossless cos group of its own for it, %s, with bounce = cos_group.%s (price: one of the few "+
					"lossless groups of the chips; only what goes up twice may be dropped)", may, name))
			}
		}
	}
	if len(l.Groups) > 1 && f.FlowControl != ir.Pause && slices.ContainsFunc(f.Devices, proof.SharesBuffer) {
		ways = append(ways, fmt.Sprintf("lossless = true on one of %s only, since the chips keep one buffer for all of them (price: the other may drop "+
			"frames; the proof says whether it is enough)", groupsText(l.Groups)))
	}
	if f.Routing != ir.AnyPath && f.Routing != ir.Flooding && len(l.Loops[0].Flows) > 1 {
		ways = append(ways, "let fewer members talk: split the roce block so that those whose paths meet in the circle are not "+
			"in one (price: they have no RoCE between them; the proof says whether it is enough)")
	}
	if cut := l.Cut; cut != nil {
		covers := ""
		if n := f.Failures; n > 0 {
			covers = fmt.Sprintf("; it has been tried, also with up to %s more down", diag.Count(n, "link"))
		}
		ways = append(ways, fmt.Sprintf("take out one cable of the circle, for example %s - %s (price: its bandwidth, and one "+
			"failure less to survive%s)", cut.A, cut.B, covers))
	}
	if n := len(l.Loops[0].Down); n > 0 && l.Fewest {
		if len(ways) == 0 && f.FailuresAt.Filename != "" {
			edits = []diag.Edit{{At: f.FailuresAt, New: fmt.Sprint(n - 1)}}
		}
		ways = append(ways, fmt.Sprintf("failures = %d (price: the proof no longer covers %s down)", n-1, diag.Count(n, "link")))
	}
	ways = append(ways, fmt.Sprintf("allow_deadlock = \"reason\" on %s (price: the risk stays, and plan and apply repeat it every time)",
		groupsText(l.Groups)))
	fix := waysText(ways)
	fix.Edits = edits
	return fix
}

// oneMoreLossless reports whether all switches have room for another lossless group with a buffer of its own.
func oneMoreLossless(f *ir.Fabric) bool {
	lossless := 0
	for _, g := range f.CosGroups {
		if g.Lossless {
			lossless++
		}
	}
	return f.FlowControl == ir.PFC && !slices.ContainsFunc(f.Devices, func(d *ir.Device) bool {
		return d.Switch != nil && (d.Switch.Can.Shared || d.Switch.Can.Lossless <= lossless)
	})
}

// valleys names the devices at which the circle goes up again after it came down.
func valleys(circle []Wait) []string {
	var out []string
	for _, h := range circle {
		if h.Valley() && !slices.Contains(out, h.In.Device.Name) {
			out = append(out, h.In.Device.Name)
		}
	}
	return out
}

func waysText(ways []string) *diag.Fix {
	var b strings.Builder
	b.WriteString("any one of these, cheapest first:")
	for i, w := range ways {
		fmt.Fprintf(&b, "\n%d. %s", i+1, w)
	}
	return &diag.Fix{Message: b.String()}
}

// planText says which switches are to share an AS number.
func planText(plan [][]*ir.Device) string {
	const most = 4
	var sets []string
	for i, set := range plan {
		if i == most {
			sets = append(sets, fmt.Sprintf("and so on for %s", diag.Count(len(plan)-most, "more set")))
			break
		}
		sets = append(sets, "one for "+deviceNames(set))
	}
	return "AS numbers (asn) shared between switches: " + strings.Join(sets, ", ")
}

// spreadOverTiers tells whether the switches stand on more than one tier.
func spreadOverTiers(f *ir.Fabric) bool {
	first := 0
	for _, d := range f.Devices {
		if d.Switch != nil {
			if first != 0 && d.Switch.Tier != first {
				return true
			}
			first = d.Switch.Tier
		}
	}
	return false
}

// blocksOf names the blocks that lay the links.
func blocksOf(links []*ir.Link) []string {
	var out []string
	for _, l := range links {
		name := l.Block
		if name == "" {
			name = fmt.Sprintf("%s - %s", l.A, l.B)
		}
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
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
		parts[i] = fmt.Sprintf("tier = %d on %s", bestMost-i+1, nodeset.Text(names, nodeset.Devices, namesRoom))
	}
	return strings.Join(parts, ", ")
}
