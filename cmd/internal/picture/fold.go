package picture

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// symbol is one mark of the drawing: a device, or devices with the same position in the fabric, folded into one.
type symbol struct {
	devices []*ir.Device // in natural order of names
	label   string
	row     int       // the tier of a switch; 0 for hosts
	pod     int       // its pod below the highest tier; -1 for several pods, and in the highest tier
	parts   []*symbol // the symbols into which it unfolds, by name; nil for a single device

	x, y, w, h int // centre and size, in px
}

func (s *symbol) host() bool { return s.devices[0].Host != nil }

// Bounds on the drawing: a page has space for rows of some 30 short names, and for a number of lines that stays readable.
const (
	mostSymbols = 120
	mostLines   = 240
	mostBeside  = 2     // hosts that are drawn separately beside a switch of a circle or grid
	mostWidth   = 2_400 // px of one row
	mostLetters = 26    // of a label
	letter      = 7.3   // px of one letter of the 12 px monospaced font
)

// Folding. Every device has keys from coarse to fine; devices with the same first keys may be one symbol:
//
//	kind    switch or host, tier, group, model
//	class   classes of colour refinement along the links: twin pods are one class
//	pod     connected components without the highest tier
//	twins   exactly the same neighbours
//	device
//
// Each kind begins as one symbol. While the page has room, the kind that adds the fewest lines is unfolded by one step. The step to
// single devices is taken only if no other step is left. Each pinned device is its own kind, so it is never folded.
type folder struct {
	f      *ir.Fabric
	tiered bool
	keys   [][5]int // by Device.ID
	at     []int    // by Device.ID: scratch space of lines
}

// fold returns the symbols of the fabric. Without tiers only hosts are folded.
func fold(f *ir.Fabric, pinned map[*ir.Device]bool, tiered bool) []*symbol {
	d := &folder{f: f, tiered: tiered, keys: make([][5]int, len(f.Devices)), at: make([]int, len(f.Devices))}
	d.setKeys(pinned)
	var kinds []*symbol
	at := map[int]int{} // from the key of a kind to its index
	for _, device := range f.Devices {
		k := d.keys[device.ID][0]
		i, known := at[k]
		if !known {
			i = len(kinds)
			at[k] = i
			kinds = append(kinds, &symbol{})
		}
		kinds[i].devices = append(kinds[i].devices, device)
	}
	cuts := make([][]*symbol, len(kinds))
	for i, k := range kinds {
		d.unfold(k, 1)
		cuts[i] = []*symbol{k}
	}
	if !tiered { // every switch is drawn, with its hosts beside it
		for i, cut := range cuts {
			for next := deeper(cut); len(next) > len(cut) && len(next) <= mostBeside; next = deeper(cut) {
				cut = next
			}
			cuts[i] = cut
		}
		return slices.Concat(cuts...)
	}
	for d.step(cuts) {
	}
	return slices.Concat(cuts...)
}

// step unfolds one kind. It returns false if none can be unfolded.
func (d *folder) step(cuts [][]*symbol) bool {
	best, cost, single := -1, 0, false
	var finer []*symbol
	before := d.lines(cuts)
	for i, cut := range cuts {
		next := deeper(cut)
		if len(next) == len(cut) || !d.fits(cuts, i, next) {
			continue
		}
		cuts[i] = next
		added := d.lines(cuts) - before
		cuts[i] = cut
		if before+added > mostLines {
			continue
		}
		last := !slices.ContainsFunc(next, func(s *symbol) bool { return s.parts != nil })
		if best < 0 || cmp.Or(compareBool(last, single), cmp.Compare(added, cost), cmp.Compare(cut[0].row, cuts[best][0].row)) < 0 {
			best, cost, single, finer = i, added, last, next
		}
	}
	if best >= 0 {
		cuts[best] = finer
	}
	return best >= 0
}

// lines counts the lines between the symbols, up to the limit of a page.
func (d *folder) lines(cuts [][]*symbol) int {
	n := 0
	for _, cut := range cuts {
		for _, s := range cut {
			for _, device := range s.devices {
				d.at[device.ID] = n
			}
			n++
		}
	}
	joined := map[[2]int]bool{}
	for _, l := range d.f.Links {
		a, b := d.at[l.A().Device().ID], d.at[l.B().Device().ID]
		if joined[[2]int{min(a, b), max(a, b)}] = true; len(joined) > mostLines {
			break
		}
	}
	return len(joined)
}

// deeper unfolds every symbol by one step.
func deeper(cut []*symbol) []*symbol {
	var out []*symbol
	for _, s := range cut {
		if s.parts == nil {
			out = append(out, s)
		} else {
			out = append(out, s.parts...)
		}
	}
	return out
}

// fits reports whether the page has room for the symbols if kind i is drawn as next.
func (d *folder) fits(cuts [][]*symbol, i int, next []*symbol) bool {
	width, symbols := 0, 0
	for j, cut := range cuts {
		if j == i {
			cut = next
		}
		symbols += len(cut)
		if cut[0].row == next[0].row {
			for _, s := range cut {
				width += s.w + minGap
			}
		}
	}
	return symbols <= mostSymbols && width <= mostWidth
}

// unfold completes a symbol and its parts. The parts follow from the first key, beginning with the given one, in which its devices
// differ.
func (d *folder) unfold(s *symbol, key int) {
	first := s.devices[0]
	if first.Switch != nil {
		s.row, s.h = first.Switch.Tier, 30
	} else {
		s.h = 24
	}
	names := make([]string, len(s.devices))
	s.pod = d.keys[first.ID][2]
	for i, device := range s.devices {
		names[i] = device.Name
		if d.keys[device.ID][2] != s.pod {
			s.pod = -1
		}
	}
	s.label = label(names)
	s.w = int(letter*float64(len([]rune(shorten(s.label, mostLetters))))) + 18
	if len(s.devices) > 1 {
		s.w = max(s.w, int(letter*float64(len(countText(s))))+18)
		s.h += 16
	}
	for ; key < 5 && len(s.devices) > 1; key++ {
		at := map[int]*symbol{}
		var split []*symbol
		for _, device := range s.devices {
			k := d.keys[device.ID][key]
			if at[k] == nil {
				at[k] = &symbol{}
				split = append(split, at[k])
			}
			at[k].devices = append(at[k].devices, device)
		}
		if len(split) > 1 {
			s.parts = split
			break
		}
	}
	for _, p := range s.parts {
		d.unfold(p, key+1)
	}
}

// countText returns the second line of a folded symbol.
func countText(s *symbol) string {
	if s.host() {
		return diag.Count(len(s.devices), "host")
	}
	return diag.Count(len(s.devices), "switch")
}

func (d *folder) setKeys(pinned map[*ir.Device]bool) {
	kinds := d.kinds(pinned)
	classes := d.classes(kinds)
	pods, twins, together := d.pods(), d.twins(), numbering{}
	for i, device := range d.f.Devices {
		d.keys[i] = [5]int{kinds[i], classes[i], pods[i], twins[i], i}
		switch {
		case d.tiered:
		case device.Switch != nil:
			d.keys[i] = [5]int{-1 - i, i, i, i, i}
		default: // without tiers, hosts are beside their switch
			k := together.of(fmt.Sprint(kinds[i], twins[i]))
			d.keys[i] = [5]int{k, k, k, k, i}
		}
	}
}

// kinds numbers the kinds of devices. It ignores groups or models if there are so many that hardly any devices would fold.
func (d *folder) kinds(pinned map[*ir.Device]bool) []int {
	const most = 24
	out := make([]int, len(d.f.Devices))
	for _, detail := range []bool{true, false} {
		n := numbering{}
		for i, device := range d.f.Devices {
			key := fmt.Sprint("host ", device.Host != nil && device.Host.Forwards)
			if s := device.Switch; s != nil {
				key = fmt.Sprint("switch ", s.Tier)
				if detail {
					key += " " + s.Model.Name
				}
			}
			if detail {
				key += " " + device.Group
			}
			if pinned[device] {
				key = "pinned " + device.Name
			}
			out[i] = n.of(key)
		}
		if len(n) <= most+len(pinned) {
			break
		}
	}
	return out
}

// classes refines the kinds until the kinds of the neighbours distinguish no two devices of one kind.
func (d *folder) classes(kinds []int) []int {
	const most = 64 // rounds: the longest path along which a difference counts
	links := numbering{}
	kindOf := make([]int, len(d.f.Links))
	for i, l := range d.f.Links {
		kindOf[i] = links.of(fmt.Sprint(l.Speed.N, l.Peer, lossless(l)))
	}
	colour, colours := kinds, 0
	var row []uint64
	var key []byte
	for range most {
		n := numbering{}
		next := make([]int, len(colour))
		for i, device := range d.f.Devices {
			row = row[:0]
			for _, p := range device.Ports {
				row = append(row, uint64(colour[p.Peer().Device().ID])<<32|uint64(kindOf[p.Link().ID]))
			}
			slices.Sort(row)
			key = binary.LittleEndian.AppendUint64(key[:0], uint64(colour[i]))
			for _, v := range row {
				key = binary.LittleEndian.AppendUint64(key, v)
			}
			next[i] = n.of(string(key))
		}
		colour = next
		if len(n) == colours {
			break
		}
		colours = len(n)
	}
	return colour
}

// pods numbers the connected components below the highest tier.
func (d *folder) pods() []int {
	top := 0
	for _, device := range d.f.Devices {
		if device.Switch != nil {
			top = max(top, device.Switch.Tier)
		}
	}
	root := make([]int, len(d.f.Devices))
	for i := range root {
		root[i] = i
	}
	find := func(i int) int {
		for root[i] != i {
			root[i] = root[root[i]]
			i = root[i]
		}
		return i
	}
	isTop := func(device *ir.Device) bool { return device.Switch != nil && device.Switch.Tier == top }
	for _, l := range d.f.Links {
		if a, b := l.A().Device(), l.B().Device(); !isTop(a) && !isTop(b) {
			root[find(a.ID)] = find(b.ID)
		}
	}
	out := make([]int, len(root))
	for i, device := range d.f.Devices {
		if out[i] = find(i); isTop(device) {
			out[i] = -1
		}
	}
	return out
}

// twins numbers sets of devices with the same neighbours.
func (d *folder) twins() []int {
	n := numbering{}
	out := make([]int, len(d.f.Devices))
	var key []byte
	for i, device := range d.f.Devices {
		var next []int
		for _, p := range device.Ports {
			next = append(next, p.Peer().Device().ID)
		}
		slices.Sort(next)
		key = key[:0]
		for _, v := range next {
			key = binary.LittleEndian.AppendUint32(key, uint32(v))
		}
		out[i] = n.of(string(key))
	}
	return out
}

// numbering gives equal texts equal numbers, in order of appearance.
type numbering map[string]int

func (n numbering) of(s string) int {
	v, known := n[s]
	if !known {
		v = len(n)
		n[s] = v
	}
	return v
}
