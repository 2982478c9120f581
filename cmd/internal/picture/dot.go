package picture

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/validate"
)

// Dot writes the fabric for graphviz: every device, every link, switches of one tier on one rank. The first PFC loop is
// red and numbered, its failed links are dashed.
func Dot(f *ir.Fabric, proofs []validate.GroupProof) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "graph %s {\n", quote(f.Name))
	b.WriteString("  graph [rankdir=TB, ranksep=1, fontname=\"Helvetica\"];\n")
	b.WriteString("  node [shape=box, fontname=\"Helvetica\", fontsize=11];\n")
	b.WriteString("  edge [color=gray60, fontname=\"Helvetica\", fontsize=10];\n")
	ranks := map[int][]*ir.Device{}
	for _, d := range f.Devices {
		tier := -1
		if d.Switch != nil {
			tier = d.Switch.Tier
		}
		ranks[tier] = append(ranks[tier], d)
	}
	for tier := range descending(ranks) {
		if tier >= 0 {
			fmt.Fprintf(&b, "  { rank=same; // tier %d\n", tier)
		} else {
			b.WriteString("  { rank=same; // hosts\n")
		}
		for _, d := range ranks[tier] {
			style := "style=filled, fillcolor=\"#e3edf9\""
			if d.Host != nil {
				style = "style=filled, fillcolor=\"#f5f5f2\""
			}
			fmt.Fprintf(&b, "    %s [%s];\n", quote(d.Name), style)
		}
		b.WriteString("  }\n")
	}
	type onLoop struct {
		number int
		in     *ir.Port
	}
	loop, failed := map[*ir.Link][]onLoop{}, map[*ir.Link]bool{}
	if all := circles(proofs); len(all) > 0 {
		for i, h := range all[0].loop.Circle {
			loop[h.In.Link()] = append(loop[h.In.Link()], onLoop{i + 1, h.In})
		}
		for _, l := range all[0].loop.Down {
			failed[l] = true
		}
	}
	for _, l := range f.Links {
		upper, lower := l.A(), l.B()
		if height(l.B().Device()) > height(l.A().Device()) {
			upper, lower = lower, upper
		}
		attributes := []string{"tooltip=" + quote(linkText(l))}
		switch hops := loop[l]; {
		case len(hops) > 0:
			var numbers []string
			dir := ""
			for _, h := range hops {
				way := "forward"
				if h.in == upper {
					way = "back"
				}
				if dir != "" && dir != way {
					way = "both"
				}
				dir = way
				numbers = append(numbers, fmt.Sprint(h.number))
			}
			attributes = append(attributes, "color=red", "fontcolor=red", "penwidth=2.5", "dir="+dir, "label="+quote(strings.Join(numbers, ", ")))
		case failed[l]:
			attributes = append(attributes, "style=dashed", "label=\"failed\"")
		case l.Planned:
			attributes = append(attributes, "style=dashed", "label=\"planned\"")
		case len(lossless(l)) == 0:
			attributes = append(attributes, "style=dotted")
		}
		if l.Bond != 0 {
			attributes = append(attributes, "tooltip=bond")
		}
		fmt.Fprintf(&b, "  %s -- %s [%s];\n", quote(upper.Device().Name), quote(lower.Device().Name), strings.Join(attributes, ", "))
	}
	b.WriteString("}\n")
	return []byte(b.String())
}

// PTM writes the cabling for the Prescriptive Topology Manager of Cumulus Linux: its topology.dot.
func PTM(f *ir.Fabric, _ []validate.GroupProof) []byte {
	links := slices.SortedFunc(slices.Values(f.Links), compareLinks)
	var b strings.Builder
	fmt.Fprintf(&b, "graph %s {\n", quote(f.Name))
	for _, l := range links {
		a, z := ends(l)
		fmt.Fprintf(&b, "  %s:%s -- %s:%s;\n", quote(a.Device().Name), quote(a.Name), quote(z.Device().Name), quote(z.Name))
	}
	b.WriteString("}\n")
	return []byte(b.String())
}

// ends returns the ends of a link in natural order.
func ends(l *ir.Link) (a, z *ir.Port) {
	if comparePorts(l.A(), l.B()) > 0 {
		return l.B(), l.A()
	}
	return l.A(), l.B()
}

func comparePorts(a, b *ir.Port) int {
	return cmp.Or(nodeset.Compare(a.Device().Name, b.Device().Name), nodeset.Compare(a.Name, b.Name))
}

func compareLinks(k, l *ir.Link) int {
	a, z := ends(k)
	b, y := ends(l)
	return cmp.Or(comparePorts(a, b), comparePorts(z, y))
}

// height returns the tier of a device. The value for hosts is below every switch.
func height(d *ir.Device) int {
	if d.Switch != nil {
		return d.Switch.Tier
	}
	return -1
}

// descending yields the keys of ranks, the highest first.
func descending(ranks map[int][]*ir.Device) func(func(int) bool) {
	return func(yield func(int) bool) {
		keys := make([]int, 0, len(ranks))
		for k := range ranks {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range slices.Backward(keys) {
			if !yield(k) {
				return
			}
		}
	}
}

// quote returns a name as a quoted ID of the dot language, in which only quotes are escaped, by a backslash.
func quote(s string) string {
	return `"` + quoter.Replace(s) + `"`
}

var quoter = strings.NewReplacer("\\", "/", `"`, `\"`, "\n", " ", "\r", " ", "\x00", " ")
