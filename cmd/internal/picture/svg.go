package picture

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate"
)

//go:embed svg.css
var svgStyle string

// SVG draws the fabric with the first PFC loop, for a document. It has no script and no external reference, and is light or dark as the
// reader's system is set.
func SVG(f *ir.Fabric, proofs []validate.GroupProof) []byte {
	d := draw(f, proofs)
	s := &sheet{drawing: d, bundleOf: d.bundleOf()}
	return []byte(s.draw())
}

// bundleOf returns, by Link.ID, the bundle with which a link is drawn.
func (d *drawing) bundleOf() []*bundle {
	out := make([]*bundle, len(d.fabric.Links))
	for _, b := range d.bundles {
		for _, l := range b.links {
			out[l.ID] = b
		}
	}
	return out
}

// sheet is an SVG being written, layer by layer.
type sheet struct {
	*drawing
	bundleOf []*bundle
	taken    []box // areas that are occupied
	lines    strings.Builder
	shapes   strings.Builder
	marks    strings.Builder
	seen     struct{ lossless, lossy, mixed, planned, several, failed bool }
}

const (
	headHeight = 44
	leastWidth = 760
)

func (s *sheet) draw() string {
	onLoop := map[*ir.Device]bool{}
	if len(s.circles) > 0 {
		for _, h := range s.circles[0].loop.Circle {
			onLoop[h.In.Device()] = true
		}
	}
	for _, r := range s.rows {
		fmt.Fprintf(&s.shapes, "<text class=\"tier\" x=\"16\" y=\"%d\">%s</text>\n", r.y+4, r.label)
	}
	for _, b := range s.symbols {
		s.symbol(b, onLoop[b.devices[0]])
	}
	for _, b := range s.bundles {
		s.line(b)
	}
	if len(s.circles) > 0 {
		s.circle(s.circles[0].loop)
	}
	s.counts()

	width := max(s.width, leastWidth)
	text, height := s.legend(headHeight+s.height, width)
	faded := ""
	if len(s.circles) > 0 {
		faded = " faded"
	}
	var out strings.Builder
	fmt.Fprintf(&out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" "+
		"aria-labelledby=\"title desc\">\n",
		width, height, width, height)
	fmt.Fprintf(&out, "<title id=\"title\">%s</title>\n<desc id=\"desc\">%s</desc>\n", escape("Fabric "+s.fabric.Name),
		escape(s.description()))
	fmt.Fprintf(&out, "<style>\n%s</style>\n<rect class=\"paper\" width=\"%d\" height=\"%d\"/>\n<g class=\"drawing%s\">\n", svgStyle, width,
		height, faded)
	fmt.Fprintf(&out, "<text class=\"head\" x=\"16\" y=\"30\">%s</text>\n", escape(headline(s.fabric)))
	fmt.Fprintf(&out, "<g transform=\"translate(%d %d)\">\n%s%s%s</g>\n%s</g>\n</svg>\n",
		(width-s.width)/2*boolInt(len(s.rows) == 0), headHeight, s.lines.String(), s.shapes.String(), s.marks.String(), text)
	return out.String()
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// headline returns a summary of the fabric in one line.
func headline(f *ir.Fabric) string {
	switches, hosts := 0, 0
	for _, d := range f.Devices {
		if d.Switch != nil {
			switches++
		} else {
			hosts++
		}
	}
	s := fmt.Sprintf("%s: %s, %s, %s", f.Name, diag.Count(switches, "switch"), diag.Count(hosts, "host"), diag.Count(len(f.Links), "link"))
	if f.Routing != "" {
		s += ", routing " + string(f.Routing)
	}
	return s
}

// description returns a text for readers who cannot see the picture.
func (s *sheet) description() string {
	out := []string{headline(s.fabric) + "."}
	for i := range s.proofs {
		out = append(out, verdictText(&s.proofs[i])+".")
	}
	if len(s.circles) > 0 {
		var hops []string
		for i, h := range s.circles[0].loop.Circle {
			hops = append(hops, fmt.Sprintf("%d. %s", i+1, waitText(h)))
		}
		out = append(out, "The loop: "+strings.Join(hops, "; ")+".")
	}
	return strings.Join(out, " ")
}

func (s *sheet) symbol(b *symbol, onLoop bool) {
	class, radius := "switch", 5
	if b.host() {
		class, radius = "host", 1
	}
	if onLoop {
		class += " onloop"
	}
	fmt.Fprintf(&s.shapes, "<g class=\"%s\"><title>%s</title>", class, escape(symbolTitle(b)))
	x, y := b.x-b.w/2, b.y-b.h/2
	if len(b.devices) > 1 { // a stack of rectangles
		fmt.Fprintf(&s.shapes, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"%d\"/>", x+4, y-4, b.w, b.h, radius)
	}
	fmt.Fprintf(&s.shapes, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"%d\"/>", x, y, b.w, b.h, radius)
	line := b.y + 4
	if len(b.devices) > 1 {
		line -= 7
		fmt.Fprintf(&s.shapes, "<text class=\"count\" x=\"%d\" y=\"%d\">%s</text>", b.x, line+15, countText(b))
	}
	fmt.Fprintf(&s.shapes, "<text class=\"label\" x=\"%d\" y=\"%d\">%s</text></g>\n", b.x, line, escape(shorten(b.label, mostLetters)))
	s.taken = append(s.taken, around(b.centre(), float64(b.w)+4, float64(b.h)+4))
}

func symbolTitle(b *symbol) string {
	if len(b.devices) > 1 {
		return b.label + ", " + countText(b)
	}
	return b.label
}

func (s *sheet) line(b *bundle) {
	c := b.curve()
	if b.failed {
		s.seen.failed = true
		m := c.at(0.5)
		fmt.Fprintf(&s.lines, "<path class=\"failed\" d=\"%s\" stroke-width=\"2\"><title>%s</title></path>\n", path(c),
			escape("failed: "+bundleTitle(b)))
		fmt.Fprintf(&s.marks, "<path class=\"cross\" d=\"M%s %sl12 12m0 -12l-12 12\"/>\n", px(m.x-6), px(m.y-6))
		s.taken = append(s.taken, around(m, 16, 16))
		return
	}
	class, carrying := "link", 0
	for _, l := range b.links {
		if len(lossless(l)) > 0 {
			carrying++
		}
	}
	planned := !slices.ContainsFunc(b.links, func(l *ir.Link) bool { return !l.Planned })
	switch {
	case planned:
		class, s.seen.planned = "link planned", true
	case carrying == len(b.links):
		s.seen.lossless = true
	case carrying == 0:
		class, s.seen.lossy = "link lossy", true
	default:
		class, s.seen.mixed = "link mixed", true
	}
	fmt.Fprintf(&s.lines, "<path class=\"%s\" d=\"%s\" stroke-width=\"%s\"><title>%s</title></path>\n",
		class, path(c), px(thickness(len(b.links))), escape(bundleTitle(b)))
}

// thickness returns the width of a line in px, which grows with the number of its links.
func thickness(links int) float64 { return min(1.3+0.55*math.Log2(float64(links)), 6) }

func bundleTitle(b *bundle) string {
	if len(b.links) == 1 {
		return linkText(b.links[0])
	}
	if !slices.ContainsFunc(b.links, func(l *ir.Link) bool { return !l.Bonded(b.links[0]) }) {
		return fmt.Sprintf("%s - %s, a bond of %s", b.a.label, b.b.label, diag.Count(len(b.links), "link"))
	}
	return fmt.Sprintf("%s - %s, %s", b.a.label, b.b.label, diag.Count(len(b.links), "link"))
}

// circle draws a loop: an arrow into every buffer, along the cable that fills it, numbered in the direction of waiting.
func (s *sheet) circle(l *validate.Loop) {
	uses := map[*bundle]int{}
	for _, h := range l.Circle {
		uses[s.bundleOf[h.In.Link().ID]]++
	}
	type way struct {
		b       *bundle
		forward bool
	}
	before := map[way]int{}
	for i, h := range l.Circle {
		b := s.bundleOf[h.In.Link().ID]
		c := b.curve()
		forward := s.of[h.In.Device().ID] == b.b
		if !forward {
			c = c.reversed()
		}
		if uses[b] > 1 { // the other direction, or a parallel link, is on the loop too
			c = c.shifted(float64(7 + 13*before[way{b, forward}]))
			before[way{b, forward}]++
		}
		end := c.control.towards(c.to)
		tip, back := c.to.minus(end.times(1)), c.to.minus(end.times(14))
		left, right := back.plus(end.right().times(6)), back.minus(end.right().times(6))
		fmt.Fprintf(&s.lines, "<path class=\"loop\" d=\"%s\"><title>%s</title></path>\n",
			path(curve{c.from, c.control, back}), escape(fmt.Sprintf("%d. %s", i+1, waitText(h))))
		fmt.Fprintf(&s.marks, "<path class=\"arrow\" d=\"M%s L%s L%s Z\"/>\n", pair(tip), pair(left), pair(right))
		m := s.free(c, 20, 20, true)
		fmt.Fprintf(&s.marks, "<circle class=\"disc\" cx=\"%s\" cy=\"%s\" r=\"9.5\"/><text class=\"number\" x=\"%s\" y=\"%s\">%d</text>\n",
			px(m.x), px(m.y), px(m.x), px(m.y+4), i+1)
	}
}

// free returns an empty place along the curve, starting at two thirds of it. If every place is occupied, it returns the place at two
// thirds.
func (s *sheet) free(c curve, w, h float64, force bool) point {
	for _, t := range []float64{0.66, 0.58, 0.74, 0.5, 0.42, 0.34, 0.26, 0.8} {
		b := around(c.at(t), w, h)
		if !slices.ContainsFunc(s.taken, b.meets) {
			s.taken = append(s.taken, b)
			return c.at(t)
		}
	}
	if force {
		return c.at(0.66)
	}
	return point{math.NaN(), math.NaN()}
}

// counts writes the number of links on a line if there is room.
func (s *sheet) counts() {
	const most = 60
	several := 0
	for _, b := range s.bundles {
		if len(b.links) > 1 {
			several++
		}
	}
	s.seen.several = several > 0
	if several > most {
		return
	}
	for _, b := range s.bundles {
		if len(b.links) == 1 {
			continue
		}
		text := fmt.Sprintf("%d×", len(b.links))
		w := 6.6*float64(len([]rune(text))) + 6
		m := s.free(b.curve(), w, 15, false)
		if math.IsNaN(m.x) {
			continue
		}
		fmt.Fprintf(&s.marks, "<rect class=\"tag\" x=\"%s\" y=\"%s\" width=\"%s\" height=\"15\"/><text class=\"count\" x=\"%s\" "+
			"y=\"%s\">%s</text>\n",
			px(m.x-w/2), px(m.y-7.5), px(w), px(m.x), px(m.y+4), text)
	}
}

// legend writes the meaning of the marks, the verdicts and the loop, below the drawing. It returns the total height.
func (s *sheet) legend(y, width int) (string, int) {
	var b strings.Builder
	x := 16
	y += 8
	mark := func(sample, text string) {
		w := 56 + int(7.2*float64(len([]rune(text))))
		if x+w > width && x > 16 {
			x, y = 16, y+24
		}
		fmt.Fprintf(&b, "<g transform=\"translate(%d %d)\">%s<text class=\"prose\" x=\"44\" y=\"5\">%s</text></g>\n", x, y, sample, text)
		x += w + 12
	}
	stroke := func(class string, w float64) string {
		return fmt.Sprintf("<path class=\"%s\" d=\"M2 0H36\" stroke-width=\"%s\"/>", class, px(w))
	}
	if s.seen.lossless {
		mark(stroke("link", 1.6), "lossless link")
	}
	if s.seen.lossy {
		mark(stroke("link lossy", 1.6), "lossy link")
	}
	if s.seen.mixed {
		mark(stroke("link mixed", 1.6), "some links lossless, some lossy")
	}
	if s.seen.planned {
		mark(stroke("link planned", 1.6), "planned link")
	}
	if s.seen.several {
		mark(stroke("link", 4), "several links")
	}
	if s.seen.failed {
		mark(stroke("failed", 2)+"<path class=\"cross\" d=\"M13 -6l12 12m0 -12l-12 12\"/>", "failed link")
	}
	if len(s.circles) > 0 {
		mark("<path class=\"loop\" d=\"M0 0H28\"/><path class=\"arrow\" d=\"M40 0L26 6L26 -6Z\"/><circle class=\"disc\" cx=\"14\" cy=\"0\" "+
			"r=\"8.5\"/>"+
			"<text class=\"number\" x=\"14\" y=\"4\">n</text>", "cable into buffer n of the PFC loop; n can only drain into n+1")
	}
	y += 16
	write := func(class string, indent int, text string, wide float64) {
		for _, line := range wrap(text, int(float64(width-32-indent)/wide)) {
			y += 18
			fmt.Fprintf(&b, "<text class=\"%s\" x=\"%d\" y=\"%d\">%s</text>\n", class, 16+indent, y, escape(line))
		}
	}
	for i := range s.proofs {
		p := &s.proofs[i]
		class := "prose"
		switch p.Verdict {
		case validate.Prone:
			class = "prose prone"
		case validate.Free:
			class = "prose free"
		}
		write(class, 0, verdictText(p), 7.6)
	}
	if len(s.circles) > 0 {
		y += 4
		s.loopText(write)
	}
	return b.String(), y + 20
}

// loopText lists the loop's buffers, the links that must have failed, and the flows.
func (s *sheet) loopText(write func(class string, indent int, text string, wide float64)) {
	const most = 16
	l := s.circles[0].loop
	for i, h := range l.Circle {
		if i == most && len(l.Circle) > most+1 {
			write("mono", 0, fmt.Sprintf("… %s more", diag.Count(len(l.Circle)-most, "buffer")), letter)
			break
		}
		write("mono", 0, fmt.Sprintf("%2d. %s, into %d", i+1, waitText(h), (i+1)%len(l.Circle)+1), letter)
	}
	if len(l.Down) > 0 {
		write("prose", 0, "only when these links have failed:", 7)
		for _, link := range l.Down {
			write("mono", 28, linkText(link), letter)
		}
	}
	if len(l.Flows) > 0 {
		write("prose", 0, "flows that fill it:", 7)
		for i, f := range l.Flows {
			if i == 8 && len(l.Flows) > 9 {
				write("mono", 28, fmt.Sprintf("… %s more", diag.Count(len(l.Flows)-8, "flow")), letter)
				break
			}
			write("mono", 28, flowText(f), letter)
		}
	}
	if n := len(s.circles); n > 1 {
		write("prose", 0, fmt.Sprintf("1 of %s is shown", diag.Count(n, "loop")), 7)
	}
}

// wrap breaks a text at spaces into lines of at most n letters if possible.
func wrap(text string, n int) []string {
	var out []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len([]rune(line))+1+len([]rune(word)) > n {
			out = append(out, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(out, line)
}

func path(c curve) string {
	return fmt.Sprintf("M%s Q%s %s", pair(c.from), pair(c.control), pair(c.to))
}

func pair(p point) string { return px(p.x) + " " + px(p.y) }

// px writes a length with at most one decimal.
func px(v float64) string {
	s := fmt.Sprintf("%.1f", v)
	if s = strings.TrimSuffix(s, ".0"); s == "-0" {
		return "0"
	}
	return s
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;")

// escape makes a text safe inside an element or attribute. Characters that are not allowed in XML become U+FFFD.
func escape(s string) string {
	return escaper.Replace(strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' || r == 0xFFFE || r == 0xFFFF {
			return 0xFFFD
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD")))
}
