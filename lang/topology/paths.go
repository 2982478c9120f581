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

// Inventories such as NetBox and Nautobot have a row for each piece of cable: between interfaces, and between the ports of patch panels.
// A path begins at an interface, crosses panels from front to rear port or back, and ends at the interface at its far end. Its length is
// that of all its cables.

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

// kindOf reads a word of NetBox or Nautobot for the end of a cable, such as dcim.frontport or Front Port.
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

// Left counts the cables that are no links of a fabric, by the reason.
type Left map[Reason]int

// Reason is why a cable is not a link of a fabric.
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

// reasons are why cables in ports of a kind are left out.
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

// sentence puts the list into a format; empty: nothing is left out.
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
	power  bool // its type is that of a power cable
	typed  bool // the sheet has types of ends
	at     diag.Range
}

// termination is an end of a cable, and its kind.
type termination struct {
	End
	kind portKind
}

// panel reports whether an end is in a patch panel.
func (t *termination) panel() bool { return t.kind == frontPort || t.kind == rearPort }

// take takes a cable of an inventory: as an edge, as a piece of a path, or as one that is left out.
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
			r.warnOnce(x.status, "The status %s of cables is not one that rocec knows, so these cables count as laid. Known are "+
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

// inventory holds the ports that sheets list.
type inventory struct {
	kinds  map[[2]string]portKind       // by device and port
	states map[string]string            // of devices: the status that their cables have; empty: that of the cable
	behind map[panelPort]place          // of front ports: where they lead
	fronts map[panelPort]map[int]string // of rear ports: the front ports by position
}

// kind is the kind of a port by the sheets.
func (v *inventory) kind(e End) portKind {
	return cmp.Or(v.kinds[[2]string{e.Device, e.Port}], interfacePort)
}

// refine gives the kind of a port from its kind in the cables: an interface may be one for management.
func (v *inventory) refine(e End, said portKind) portKind {
	if said == interfacePort && v.kind(e) == outOfBandPort {
		return outOfBandPort
	}
	return said
}

// paths follows cables through patch panels.
type paths struct {
	*reader
	at    map[panelPort][]int // the cables in a port
	used  []bool              // cables of a path that was followed
	ended map[[2]int]bool     // ends, by cable and side, at which a path has ended
	part  []string            // paths with a length for some of their cables
	first diag.Range          // the first cable without a length of those
	lost  map[string]*diag.Diagnostic
	more  map[*diag.Diagnostic]int
}

// maxHops is how many cables a path may have.
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
	for _, x := range r.cables { // a cable may be written once from each end
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
		Path.Warnf(&r.ds, p.first, "%s through patch panels %s a length for some of %s cables alone: %s. rocec takes the length of the "+
			"topology block for the whole path, so write that of every cable.", diag.Count(len(p.part), "path"),
			diag.Plural(len(p.part), "has", "have"),
			diag.Plural(len(p.part), "its", "their"), diag.Some(p.part, 3))
	}
	for d, n := range p.more {
		d.Note(diag.Range{}, "and %s more %s of this panel", diag.Number(n), diag.Plural(n, "port", "ports"))
	}
}

// key is an end without its places.
func (t *termination) key() string { return fmt.Sprintf("%q %q %d ", t.Device, t.Port, t.kind) }

// side is one of the two ends.
func (x *cable) side(n int) *termination {
	if n == 0 {
		return &x.a
	}
	return &x.b
}

// walk follows the path that begins at an end of a cable.
func (p *paths) walk(first, side int) {
	var positions []int // of the rear ports that were entered from their front, the last one last
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
			p.lose(far, "The path through %[1]s:%[2]s has no single end: two cables are in one port of the panel behind it, or the "+
				"path leads into itself. Correct the cables of the panel.")
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

// cross goes through a panel: from a front port to the rear port behind it, or back. A rear port that a path enters first and that has
// several front ports is where cables fan out; the paths from their other ends find it.
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

// lose reports a port at which a path cannot be followed, one of each panel.
func (p *paths) lose(t *termination, format string) {
	if d := p.lost[t.Device]; d != nil {
		p.more[d]++
		return
	}
	p.lost[t.Device] = p.mistakeAt(&Endpoint, t.At, format, diag.Cut(t.Device), diag.Cut(t.Port))
}

// arrive makes an edge of a path between two ends that are in no panel.
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
				if !ok { // the language reports it
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

// inMetres reads a length as [value] writes it.
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
