package picture

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/validate"
)

// bundle contains the links between two symbols, drawn as one line. Failed links are a separate bundle.
type bundle struct {
	a, b   *symbol // a is before b in drawing.symbols; equal for links inside a folded symbol
	links  []*ir.Link
	failed bool
	tiered bool // of a drawing in rows by tier
	beside bool // a failed bundle beside one that has not failed
	bow    int  // how far the line bends around the symbols between its ends
}

// row is a row of symbols, with the label in its margin.
type row struct {
	label string
	y     int
}

// drawing is a fabric laid out. Coordinates are px, x to the right and y down, the origin top left.
type drawing struct {
	fabric        *ir.Fabric
	proofs        []validate.GroupProof
	circles       []circle
	tiered        bool
	symbols       []*symbol
	of            []*symbol // by Device.ID
	bundles       []*bundle
	rows          []row
	width, height int
}

const (
	margin      = 40
	rowMargin   = 84 // px left of the rows, for their labels
	minGap      = 16 // px between symbols of a row
	maxGap      = 110
	mostCircle  = 24 // most switches on a circle; more are drawn in rows
	mostPinned  = 48
	sweeps      = 8
	gridSpacing = 56
)

// draw lays the fabric out. The first loop's failed links are drawn as failed.
func draw(f *ir.Fabric, proofs []validate.GroupProof) *drawing {
	d := &drawing{fabric: f, proofs: proofs, circles: circles(proofs)}
	d.tiered = tiered(f)
	d.symbols = fold(f, d.pinned(), d.tiered)
	d.of = make([]*symbol, len(f.Devices))
	for _, s := range d.symbols {
		for _, device := range s.devices {
			d.of[device.ID] = s
		}
	}
	switches := 0
	for _, s := range d.symbols {
		if !s.host() {
			switches++
		}
	}
	switch {
	case d.tiered:
		d.bundle()
		d.layRows()
	case switches <= mostCircle:
		d.layCircle()
		d.bundle()
	default:
		d.layGrid()
		d.bundle()
	}
	d.frame()
	d.bend()
	return d
}

// tiered reports whether the tiers describe the topology: most links between switches join two tiers.
func tiered(f *ir.Fabric) bool {
	across, along := 0, 0
	for _, l := range f.Links {
		if a, b := l.A().Device().Switch, l.B().Device().Switch; a != nil && b != nil {
			if a.Tier == b.Tier {
				along++
			} else {
				across++
			}
		}
	}
	return across >= along
}

// pinned returns the devices of the loops and of their failed links, in the order of loops, up to the limit of a page.
func (d *drawing) pinned() map[*ir.Device]bool {
	out := map[*ir.Device]bool{}
	for _, c := range d.circles {
		var more []*ir.Device
		for _, h := range c.loop.Circle {
			more = append(more, h.In.Device())
		}
		for _, l := range c.loop.Down {
			more = append(more, l.A().Device(), l.B().Device())
		}
		if len(out) > 0 && len(out)+len(more) > mostPinned {
			break
		}
		for _, device := range more {
			out[device] = true
		}
	}
	return out
}

// bundle collects the links between symbols, in order of the symbols.
func (d *drawing) bundle() {
	failed := map[*ir.Link]bool{}
	if len(d.circles) > 0 {
		for _, l := range d.circles[0].loop.Down {
			failed[l] = true
		}
	}
	index := make(map[*symbol]int, len(d.symbols))
	for i, s := range d.symbols {
		index[s] = i
	}
	type key struct {
		a, b   int
		failed bool
	}
	at := map[key]*bundle{}
	for _, l := range d.fabric.Links {
		a, b := d.of[l.A().Device().ID], d.of[l.B().Device().ID]
		k := key{min(index[a], index[b]), max(index[a], index[b]), failed[l]}
		if at[k] == nil {
			at[k] = &bundle{a: d.symbols[k.a], b: d.symbols[k.b], failed: k.failed, tiered: d.tiered}
			d.bundles = append(d.bundles, at[k])
		}
		at[k].links = append(at[k].links, l)
	}
	for k, b := range at {
		k.failed = false
		b.beside = b.failed && at[k] != nil
	}
	slices.SortFunc(d.bundles, func(x, y *bundle) int {
		return cmp.Or(cmp.Compare(index[x.a], index[y.a]), cmp.Compare(index[x.b], index[y.b]), compareBool(x.failed, y.failed))
	})
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// neighbours returns the linked symbols of every symbol, once for each bundle.
func (d *drawing) neighbours() map[*symbol][]*symbol {
	out := map[*symbol][]*symbol{}
	for _, b := range d.bundles {
		if b.a != b.b {
			out[b.a] = append(out[b.a], b.b)
			out[b.b] = append(out[b.b], b.a)
		}
	}
	return out
}

// layRows places the switches in rows by tier, the highest on top, and the hosts below.
func (d *drawing) layRows() {
	if len(d.symbols) == 0 {
		return
	}
	at := map[int][]*symbol{}
	var keys []int
	for _, s := range d.symbols {
		k := s.row
		if s.host() {
			k = -1 // below tier 0, where no host is
		}
		if at[k] == nil {
			keys = append(keys, k)
		}
		at[k] = append(at[k], s)
	}
	slices.Sort(keys)
	slices.Reverse(keys)
	rows := make([][]*symbol, len(keys))
	widest, width := 0, 0
	for i, k := range keys {
		rows[i] = at[k]
		w := -minGap
		for _, s := range rows[i] {
			w += s.w + minGap
		}
		if w > width {
			widest, width = i, w
		}
	}
	next := d.neighbours()
	order(rows, next)
	align(rows, next, widest, width)

	y := margin
	step := 110 + min(width/9, 160)
	for i, k := range keys {
		label := "hosts"
		if k >= 0 {
			label = "tier " + strconv.Itoa(k)
		}
		if i > 0 {
			y += step
			if k < 0 {
				y -= step / 3
			}
		}
		h := 0
		for _, s := range rows[i] {
			h = max(h, s.h)
		}
		for _, s := range rows[i] {
			s.y = y + h/2
		}
		d.rows = append(d.rows, row{label, y + h/2})
	}
}

// layCircle places the switches on a circle, with neighbours side by side if possible, and the hosts around it.
func (d *drawing) layCircle() {
	var ring, hosts []*symbol
	for _, s := range d.symbols {
		if s.host() {
			hosts = append(hosts, s)
		} else {
			ring = append(ring, s)
		}
	}
	ring = d.walk(ring)
	behind := map[*symbol][]*symbol{}
	most, switchWidth, hostWidth := 1, 0, 0
	for _, s := range ring {
		switchWidth = max(switchWidth, s.w)
	}
	for _, s := range hosts {
		home := d.home(s, ring)
		behind[home] = append(behind[home], s)
		if home != nil {
			most = max(most, len(behind[home]))
		}
		hostWidth = max(hostWidth, s.w)
	}
	n := float64(len(ring))
	inner := max(130, n*float64(switchWidth+40)/(2*math.Pi))
	outer := max(inner+float64(switchWidth+hostWidth)/2+40, n*float64(most)*float64(hostWidth+20)/(2*math.Pi))
	at := func(s *symbol, angle, radius float64) {
		s.x = int(math.Round(radius * math.Sin(angle)))
		s.y = int(math.Round(-radius * math.Cos(angle)))
	}
	sector := 2 * math.Pi / max(n, 1)
	turn := 0.0
	if len(ring) == 4 {
		turn = math.Pi / 4 // the square is rotated by 45 degrees
	}
	for i, s := range ring {
		angle := sector*float64(i) + turn
		at(s, angle, inner)
		for j, h := range behind[s] {
			at(h, angle+(float64(j)-float64(len(behind[s])-1)/2)*sector/float64(most), outer)
		}
	}
	for i, h := range behind[nil] { // hosts without a cable
		h.x, h.y = int(outer)+hostWidth+40, i*40
	}
}

// walk orders symbols so that linked symbols follow each other. From each symbol it continues to the neighbour with the fewest unvisited
// neighbours.
func (d *drawing) walk(ring []*symbol) []*symbol {
	next := map[*symbol][]*symbol{}
	left := map[*symbol]bool{}
	for _, s := range ring {
		left[s] = true
	}
	for _, l := range d.fabric.Links {
		a, b := d.of[l.A().Device().ID], d.of[l.B().Device().ID]
		if left[a] && left[b] && a != b && !slices.Contains(next[a], b) {
			next[a], next[b] = append(next[a], b), append(next[b], a)
		}
	}
	ways := func(s *symbol) int {
		n := 0
		for _, t := range next[s] {
			if left[t] {
				n++
			}
		}
		return n
	}
	var out []*symbol
	for len(out) < len(ring) {
		var step *symbol
		if len(out) > 0 {
			for _, t := range next[out[len(out)-1]] {
				if left[t] && (step == nil || cmp.Or(cmp.Compare(ways(t), ways(step)), nodeset.Compare(t.label, step.label)) < 0) {
					step = t
				}
			}
		}
		if step == nil {
			step = ring[slices.IndexFunc(ring, func(s *symbol) bool { return left[s] })]
		}
		left[step] = false
		out = append(out, step)
	}
	return out
}

// home returns the first switch of ring that a host symbol is connected to, or nil.
func (d *drawing) home(host *symbol, ring []*symbol) *symbol {
	for _, p := range host.devices[0].Ports {
		if s := d.of[p.Peer().Device().ID]; slices.Contains(ring, s) {
			return s
		}
	}
	return nil
}

// layGrid places the switches in rows of equal length, by name, each with its hosts below.
func (d *drawing) layGrid() {
	cells := map[*symbol][]*symbol{}
	var switches, loose []*symbol
	isSwitch := map[*symbol]bool{}
	for _, s := range d.symbols {
		if !s.host() {
			switches = append(switches, s)
			isSwitch[s] = true
		}
	}
	width, most := 0, 0
	for _, s := range d.symbols {
		width = max(width, s.w)
		if !s.host() {
			continue
		}
		var home *symbol
		for _, p := range s.devices[0].Ports {
			if t := d.of[p.Peer().Device().ID]; isSwitch[t] {
				home = t
				break
			}
		}
		if home == nil {
			loose = append(loose, s)
			continue
		}
		cells[home] = append(cells[home], s)
		most = max(most, len(cells[home]))
	}
	columns := int(math.Ceil(math.Sqrt(float64(len(switches)))))
	stepX, stepY := width+gridSpacing, 30+gridSpacing+most*52
	for i, s := range switches {
		s.x, s.y = i%columns*stepX, i/columns*stepY
		for j, h := range cells[s] {
			h.x, h.y = s.x+h.w/2+10, s.y+50+j*52 // beside the line down
		}
	}
	for i, h := range loose {
		h.x, h.y = columns*stepX, i*52
	}
}

// frame moves the drawing so that it begins at the margins, and computes its size.
func (d *drawing) frame() {
	left, top, right, bottom := math.MaxInt32, math.MaxInt32, math.MinInt32, math.MinInt32
	for _, s := range d.symbols {
		left, right = min(left, s.x-s.w/2), max(right, s.x+s.w/2)
		top, bottom = min(top, s.y-s.h/2), max(bottom, s.y+s.h/2)
	}
	if len(d.symbols) == 0 {
		left, top, right, bottom = 0, 0, 0, 0
	}
	dx, dy := margin-left, margin-top
	if len(d.rows) > 0 {
		dx += rowMargin - margin
	}
	for _, s := range d.symbols {
		s.x, s.y = s.x+dx, s.y+dy
	}
	for i := range d.rows {
		d.rows[i].y += dy
	}
	d.width, d.height = right+dx+margin, bottom+dy+margin
}

// bend curves lines along a row or column around the symbols between their ends, and moves failed lines beside the others.
func (d *drawing) bend() {
	rows, columns := map[int][]int{}, map[int][]int{}
	for _, s := range d.symbols {
		rows[s.y] = append(rows[s.y], s.x)
		columns[s.x] = append(columns[s.x], s.y)
	}
	between := func(list []int, a, b int) bool {
		for _, v := range list {
			if min(a, b) < v && v < max(a, b) {
				return true
			}
		}
		return false
	}
	highest := 0
	for _, b := range d.bundles {
		switch {
		case b.a == b.b:
		case b.a.y == b.b.y && between(rows[b.a.y], b.a.x, b.b.x):
			b.bow = 34 + min(abs(b.a.x-b.b.x)/6, 120)
			highest = max(highest, b.bow/2-b.a.y+margin/2)
		case b.a.x == b.b.x && between(columns[b.a.x], b.a.y, b.b.y):
			b.bow = 34 + min(abs(b.a.y-b.b.y)/6, 120)
		}
		if b.beside {
			b.bow += 22
		}
	}
	if highest > 0 { // a curve above the top row
		for _, s := range d.symbols {
			s.y += highest
		}
		for i := range d.rows {
			d.rows[i].y += highest
		}
		d.height += highest
	}
}

func abs(n int) int { return max(n, -n) }
