package validate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/walk"
)

// HeadroomTooSmall reports buffers that overflow before their pause takes effect.
var HeadroomTooSmall = &Check{
	Code:    "headroom-too-small",
	Summary: "PFC headroom too small",
	Answers: []string{"3", "K11", "C11"},
	OnHop:   true,
	Run: func(p *Pass) {
		type key struct {
			group *ir.CosGroup
			at    diag.Range
		}
		var found folds[key, *ir.Port]
		for _, port := range p.Fabric.Ports {
			for _, b := range port.Buffers() {
				if short, _ := walk.HeadroomShort(port, b); short {
					found.add(key{b.Group, walk.HeadroomAt(b)}, port)
				}
			}
		}
		found.each(func(k key, ports []*ir.Port) { p.headroom(k.group, ports) })
	},
}

// headroom reports the ports of a group with too small buffers that one line sets. It names the worst port and counts the others. Ports
// that are likely to lose frames come before ports that lose frames only if many are small.
func (p *Pass) headroom(g *ir.CosGroup, ports []*ir.Port) {
	chance := func(port *ir.Port) int { // 0: loss is likely
		if _, likely := walk.HeadroomShort(port, port.Carries(g)); likely {
			return 0
		}
		return 1
	}
	worst := slices.MinFunc(ports, func(a, b *ir.Port) int {
		x, y := a.Carries(g), b.Carries(g)
		return cmp.Or(cmp.Compare(chance(a), chance(b)), cmp.Compare(x.Headroom()-x.Need, y.Headroom()-y.Need),
			cmp.Compare(a.Device().ID, b.Device().ID), cmp.Compare(a.Index, b.Index))
	})
	b, l := worst.Carries(g), worst.Link()
	given := g.Sizes()
	report, how := p.Warnf, "can lose frames when many of them are small"
	if chance(worst) == 0 {
		report, how = p.Errorf, "is likely to lose frames"
	}
	var blocks folds[diag.Range, *ir.Port]
	for _, port := range ports {
		blocks.add(port.Link().At, port)
	}
	where := worst.String() + andMore(len(ports), "port")
	if len(blocks.order) > 1 {
		where = fmt.Sprintf("%s, the worst of %s", worst, diag.Count(len(ports), "port"))
	}
	fix := "Leave buffer out, so that it is derived, or make it at least " + diag.Bytes(b.Xoff.N+b.Need) + "."
	if b.Pinned.Filename != "" && walk.HeadroomAt(b) == b.Pinned {
		fix = fmt.Sprintf("Take the sizes of this rocec with `rocec build --lock --refresh`, or write a buffer of at least %s.",
			diag.Bytes(b.Xoff.N+b.Need))
	}
	text := fmt.Sprintf("where %s can arrive after the pause was sent: the group %s.", diag.Bytes(b.Need), how)
	if b.Headroom() >= b.Sum() {
		text = fmt.Sprintf("where %s is published: %s. A chip can take longer than the sum counts, and then frames are lost.",
			diag.Bytes(b.Need), publishedFor(b).Why)
	}
	d := report(walk.HeadroomAt(b), "Cos group %q keeps %s of headroom (buffer %s less xoff %s) at %s, %s %s",
		g.Name, diag.Bytes(b.Headroom()), diag.Bytes(b.Size.N), diag.Bytes(b.Xoff.N), where, text, fix)
	if b.Headroom() >= b.Floor && b.Headroom() < min(b.Row.Bytes, b.Sum()) {
		d.Note(diag.Range{}, "the published row of the model: %s", b.Row.Why)
	}
	const most = 6
	for i, at := range blocks.order {
		if i == most {
			d.Note(diag.Range{}, "and in %s more", diag.Count(len(blocks.order)-most, "block"))
			break
		}
		d.Note(at, "%s here", diag.Count(len(blocks.of[at]), "port"))
	}
	if at := l.Length.From.At; at.Filename != "" && at != l.At {
		d.Note(at, "the cable's length, %g m", l.Length.Metres)
	}
	d.Text = headroomText(worst, b)
	if at := given.Buffer.At(); at.Filename != "" {
		largest := 0
		for _, port := range p.Fabric.Ports {
			if b := port.Carries(g); b != nil && port.Device().Switch != nil {
				largest = max(largest, b.Xoff.N+b.Need)
			}
		}
		d.Fix = &diag.Fix{
			Message: fmt.Sprintf("a buffer that suits every port of cos group %q", g.Name),
			Edits:   []diag.Edit{{At: at, New: fmt.Sprintf("%q", fmt.Sprintf("%dB", largest))}},
		}
	}
}

// publishedFor returns the larger published figure, which is equal to Need.
func publishedFor(b *ir.Buffer) ir.Term {
	if b.Row.Bytes > b.Published.Bytes {
		return b.Row
	}
	return b.Published
}

// headroomText returns the sum of the headroom, term by term.
func headroomText(port *ir.Port, b *ir.Buffer) string {
	type row struct{ name, bytes, why string }
	rows := make([]row, 0, len(b.Terms)+3)
	for _, t := range b.Terms {
		rows = append(rows, row{t.Name, diag.Bytes(t.Bytes), t.Why})
	}
	sums := len(rows)
	rows = append(rows,
		row{"can arrive after the pause", diag.Bytes(b.Need), ""},
		row{"headroom", diag.Bytes(b.Headroom()), fmt.Sprintf("buffer %s - xoff %s", diag.Bytes(b.Size.N), diag.Bytes(b.Xoff.N))},
		row{"missing", diag.Bytes(b.Need - b.Headroom()), ""})
	names, numbers := 0, 0
	for _, r := range rows {
		names, numbers = max(names, len(r.name)), max(numbers, len(r.bytes))
	}
	var s strings.Builder
	fmt.Fprintf(&s, "at %s (%s, %g m):\n\n", port, platform.SpeedText(port.Link().Speed.N), port.Link().Length.Metres)
	for i, r := range rows {
		if i == sums || i == sums+2 {
			fmt.Fprintf(&s, "    %s\n", strings.Repeat("-", names+2+numbers))
		}
		fmt.Fprintf(&s, "    %-*s  %*s   %s\n", names, r.name, numbers, r.bytes, r.why)
	}
	return s.String()
}
