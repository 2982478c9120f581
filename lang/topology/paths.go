package topology

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/lang/diag"
)

// Inventories such as NetBox and Nautobot have a row for each single cable, between interfaces or ports of patch panels. A path begins
// at an interface, crosses panels from front to rear port or back, and ends at another interface. Its length is the sum of the lengths
// of its cables.

// portKind is the kind of an end of a cable.
type portKind int

const (
	unsaid portKind = iota
	interfacePort
	frontPort
	rearPort
	outOfBandPort
	consolePort
	powerPort
	circuit
	otherPort
)

// kindOf returns the kind for a word of NetBox or Nautobot for the end of a cable, such as dcim.frontport or Front Port.
func kindOf(said string) portKind {
	word, ofInventory := strings.CutPrefix(letters(said), "dcim")
	switch word {
	case "interface":
		return interfacePort
	case "frontport":
		return frontPort
	case "rearport":
		return rearPort
	case "consoleport", "consoleserverport":
		return consolePort
	case "powerport", "poweroutlet", "powerfeed":
		return powerPort
	case "circuittermination", "circuitscircuittermination":
		return circuit
	}
	if ofInventory {
		return otherPort
	}
	return unsaid
}

// Left counts the cables that are not links of a fabric, by the reason.
type Left map[Reason]int

// Reason is the reason why a cable is not a link of a fabric.
type Reason string

// The reasons.
const (
	OnConsole   Reason = "in console ports"
	OnPower     Reason = "in power ports"
	OnCircuit   Reason = "to circuits of a provider"
	OnOther     Reason = "in ports of another kind"
	OnOutOfBand Reason = "in management ports"
	Retired     Reason = "decommissioned"
	Loose       Reason = "ending in a patch panel"
)

// reasons has the reasons why cables in ports of a kind are left out.
var reasons = [...]Reason{
	outOfBandPort: OnOutOfBand, consolePort: OnConsole, powerPort: OnPower, circuit: OnCircuit, otherPort: OnOther,
}

// String lists the reasons, each with its number of cables: "2 in console ports and 1 decommissioned".
func (l Left) String() string {
	var parts []string
	for _, why := range slices.Sorted(maps.Keys(l)) {
		parts = append(parts, diag.Number(l[why])+" "+string(why))
	}
	return diag.And(parts)
}

// sentence returns the list in a format; empty: no cable is left out.
func (l Left) sentence(format string) string {
	if len(l) == 0 {
		return ""
	}
	return fmt.Sprintf(format, l)
}

// cable is a row of an inventory.
type cable struct {
	a, b   termination
	attrs  []Attr
	status word
	power  bool // its type is a power cable
	typed  bool // the sheet has columns for the types of ends
	at     diag.Range
}

// termination is an end of a cable, with its kind.
type termination struct {
	End
	kind portKind
}

// panel reports whether an end is in a patch panel.
func (t *termination) panel() bool { return t.kind == frontPort || t.kind == rearPort }

// take adds a cable of an inventory as an edge or as a part of a path, or counts it as left out.
func (r *reader) take(x *cable) {
	status := letters(x.status.v)
	for _, device := range []string{x.a.Device, x.b.Device} {
		if of := r.ports.states[device]; of != "" && status != "decommissioning" {
			status = of
		}
	}
	switch status {
	case "", "connected":
	case "decommissioning", "decommissioned", "retired", "removed":
		r.leave(Retired)
		return
	case "planned":
		x.attrs = append(x.attrs, Attr{Name: "planned", Text: "true", At: r.at(x.status.in, x.status.out)})
	default:
		if x.typed {
			r.warnOnce(x.status, "rocec does not know the status %s of cables, so these cables count as laid. Known are "+
				"connected, planned "+
				"and decommissioning.", quote(x.status.v))
		}
	}
	if x.a.panel() || x.b.panel() {
		r.cables = append(r.cables, x)
		return
	}
	why := cmp.Or(reasons[x.a.kind], reasons[x.b.kind])
	if why == "" && x.power {
		why = OnPower
	}
	if why != "" {
		r.leave(why)
		return
	}
	r.add(x.a.End, x.b.End, x.attrs, x.at)
}

func (r *reader) leave(why Reason) {
	if r.left == nil {
		r.left = Left{}
	}
	r.left[why]++
}

// warnOnce warns of a word once.
func (r *reader) warnOnce(w word, format string, args ...any) {
	if r.nearly == nil {
		r.nearly = map[string]bool{}
	}
	if !r.nearly[w.v] {
		r.nearly[w.v] = true
		Attribute.Warnf(&r.ds, r.at(w.in, w.out), format, args...)
	}
}

// panelPort is a port of a patch panel. A front port and a rear port may have the same name.
type panelPort struct {
	device, port string
	rear         bool
}

func portOf(t *termination) panelPort { return panelPort{t.Device, t.Port, t.kind == rearPort} }

// place is a rear port and one of its positions.
type place struct {
	port     panelPort
	position int
}

// inventory has the ports that sheets list.
type inventory struct {
	kinds  map[[2]string]portKind       // by device and port
	states map[string]string            // by device: the status of its cables; empty: each cable has its own status
	behind map[panelPort]place          // by front port: the rear port and position behind it
	fronts map[panelPort]map[int]string // by rear port: its front ports by position
}

// kind returns the kind of a port in the sheets.
func (v *inventory) kind(e End) portKind {
	return cmp.Or(v.kinds[[2]string{e.Device, e.Port}], interfacePort)
}

// refine returns the kind of a port from its kind in the cables: an interface may be a management interface in the sheets.
func (v *inventory) refine(e End, said portKind) portKind {
	if said == interfacePort && v.kind(e) == outOfBandPort {
		return outOfBandPort
	}
	return said
}

// paths follows cables through patch panels.
type paths struct {
	*reader
	at    map[panelPort][]int // the cables in each port
	used  []bool              // cables that are in a followed path
	ended map[[2]int]bool     // ends of paths, by cable and side
	part  []string            // paths with a length for some of their cables
	first diag.Range          // the first cable of the first such path
	lost  map[string]*diag.Diagnostic
	more  map[*diag.Diagnostic]int
}

// maxHops is the most cables of a path.
const maxHops = 64

// follow makes an edge of every path through patch panels.
func (r *reader) follow() {
	if len(r.cables) == 0 || r.failed {
		return
	}
	p := paths{
		reader: r, at: map[panelPort][]int{}, used: make([]bool, len(r.cables)), ended: map[[2]int]bool{},
		lost: map[string]*diag.Diagnostic{}, more: map[*diag.Diagnostic]int{},
	}
	seen := map[string]bool{}
	cables := r.cables[:0]
	for _, x := range r.cables { // a sheet may have a cable once from each end
		a, b := x.a.key(), x.b.key()
		if !seen[a+b] && !seen[b+a] {
			cables = append(cables, x)
		}
		seen[a+b] = true
	}
	r.cables = cables
	for i := range r.cables {
		for side := range 2 {
			if t := r.cables[i].side(side); t.panel() {
				p.at[portOf(t)] = append(p.at[portOf(t)], i)
			}
		}
	}
	for i := range r.cables {
		for side := range 2 {
			if !r.cables[i].side(side).panel() && !p.ended[[2]int{i, side}] {
				p.walk(i, side)
			}
		}
	}
	for i := range r.cables {
		if !p.used[i] {
			r.leave(Loose)
		}
	}
	if len(p.part) > 0 {
		Path.Warnf(&r.ds, p.first, "%s through patch panels %s a length for only some of %s cables: %s. rocec uses the length of the "+
			"topology block for the whole path, so write the length of every cable.", diag.Count(len(p.part), "path"),
			diag.Plural(len(p.part), "has", "have"),
			diag.Plural(len(p.part), "its", "their"), diag.Some(p.part, 3))
	}
	for d, n := range p.more {
		d.Note(diag.Range{}, "and %s more %s of this panel", diag.Number(n), diag.Plural(n, "port", "ports"))
	}
}

// key returns an end without its places, as a key.
func (t *termination) key() string { return fmt.Sprintf("%q %q %d ", t.Device, t.Port, t.kind) }

// side returns one of the two ends.
func (x *cable) side(n int) *termination {
	if n == 0 {
		return &x.a
	}
	return &x.b
}

// walk follows the path that begins at an end of a cable.
func (p *paths) walk(first, side int) {
	var positions []int // stack of the positions of rear ports that were entered from a front port
	pieces := []int{first}
	from := p.cables[first].side(side)
	for i := first; ; {
		p.used[i] = true
		far := p.cables[i].side(1 - side)
		if !far.panel() {
			p.ended[[2]int{i, 1 - side}] = true
			p.arrive(from, far, pieces)
			return
		}
		next, ok := p.cross(far, &positions)
		if !ok {
			return
		}
		others := slices.DeleteFunc(slices.Clone(p.at[next]), func(k int) bool { return k == i })
		switch {
		case len(others) == 0:
			p.leave(Loose)
			return
		case len(others) > 1 || len(pieces) == maxHops:
			p.lose(far, "The path through %[1]s:%[2]s has no single end: two cables are in one port of the next panel, or the path is "+
				"a loop. Correct the cables of the panel.")
			return
		}
		i = others[0]
		side = 0
		if b := &p.cables[i].b; b.panel() && portOf(b) == next {
			side = 1
		}
		pieces = append(pieces, i)
	}
}

// cross goes through a panel: from a front port to the rear port behind it, or back. At a rear port with several front ports, which was
// not entered from a front port before, the path stops: it is found from its other ends.
func (p *paths) cross(t *termination, positions *[]int) (panelPort, bool) {
	in := portOf(t)
	if !in.rear {
		out, ok := p.ports.behind[in]
		if !ok {
			p.lose(t, "No sheet has the rear port behind the front port %[2]s of %[1]s, so this cable cannot be followed. Give "+
				"the sheet of front "+
				"ports, with the columns device, name and rear_port: sheets in the topology block, --sheet for a draft.")
		}
		*positions = append(*positions, out.position)
		return out.port, ok
	}
	fronts := p.ports.fronts[in]
	if len(fronts) == 0 {
		p.lose(t, "No sheet has the front ports of the rear port %[2]s of %[1]s, so this cable cannot be followed. Give the sheet "+
			"of front "+
			"ports, with the columns device, name and rear_port: sheets in the topology block, --sheet for a draft.")
		return panelPort{}, false
	}
	position := 1
	if n := len(*positions); n > 0 {
		position = (*positions)[n-1]
		*positions = (*positions)[:n-1]
	} else if len(fronts) > 1 {
		return panelPort{}, false
	}
	front, ok := fronts[position]
	if !ok && len(fronts) == 1 {
		for _, front = range fronts {
			ok = true
		}
	}
	if !ok {
		p.leave(Loose)
	}
	return panelPort{in.device, front, false}, ok
}

// lose reports a port at which a path cannot be followed, once for each panel.
func (p *paths) lose(t *termination, format string) {
	if d := p.lost[t.Device]; d != nil {
		p.more[d]++
		return
	}
	p.lost[t.Device] = p.mistakeAt(&Endpoint, t.At, format, diag.Cut(t.Device), diag.Cut(t.Port))
}

// arrive makes an edge for a path between two ends that are not in panels.
func (p *paths) arrive(from, to *termination, pieces []int) {
	if why := cmp.Or(reasons[from.kind], reasons[to.kind]); why != "" {
		p.leave(why)
		return
	}
	var attrs []Attr
	whole, known := 0.0, 0
	for _, i := range pieces {
		for _, a := range p.cables[i].attrs {
			if a.Name == "length" {
				n, ok := inMetres(a.Text)
				if !ok { // package lang reports the mistake
					attrs = append(attrs, a)
					continue
				}
				known++
				whole += n
				continue
			}
			if !slices.ContainsFunc(attrs, func(b Attr) bool { return b.Name == a.Name }) {
				attrs = append(attrs, a)
			}
		}
	}
	start := p.cables[pieces[0]]
	switch {
	case slices.ContainsFunc(attrs, func(a Attr) bool { return a.Name == "length" }):
	case known == len(pieces):
		attrs = append(attrs, Attr{Name: "length", Text: metres(whole), At: start.at})
	case known > 0:
		if len(p.part) == 0 {
			p.first = start.at
		}
		p.part = append(p.part, fmt.Sprintf("%s:%s to %s:%s, of which %s is known", diag.Cut(from.Device), diag.Cut(from.Port),
			diag.Cut(to.Device),
			diag.Cut(to.Port), metres(whole)))
	}
	p.panels++
	p.add(from.End, to.End, attrs, start.at)
}

// inMetres reads a length in the form of [value].
func inMetres(text string) (float64, bool) {
	m := quantity().FindStringSubmatch(text)
	if m == nil || m[2] == "," {
		return 0, false
	}
	number := m[1]
	if m[2] != "" {
		number += "." + m[3]
	}
	n, err := strconv.ParseFloat(number, 64)
	factor, ok := map[string]float64{"": 1, "m": 1, "km": 1000, "cm": 0.01, "ft": 0.3048}[m[4]]
	return n * factor, ok && err == nil
}
