package site

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/lang/topology"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/target/lint"
	"github.com/rocec/rocec/validate/settings"
)

// Sheet is a sheet of the cables in the files of devices, with a description of each device.
type Sheet struct {
	Nodes   map[string]topology.Node
	Guessed map[string]bool // devices whose release no file states exactly
	Notes   []string        // parts that are left out, one line each
	Against diag.List       // contradictions between files
	Ends    [3]int          // cables: [1] seen from one end, [2] from both, [0] only in the cabling file

	Speedless int // cables whose speed no file states

	Aliased map[string]bool // devices without a file whose ports neighbours name by aliases
	Dropped []string        // ports of switches without a cable, whose neighbour is not in the fabric

	cables  []sheetCable
	cards   map[string]bool // devices that are cards of a chassis
	lengths map[end]int     // results of Stated
}

// end is a port of a device, with folded names.
type end struct{ device, port string }

func (e end) String() string { return diag.Escape(e.device + ":" + e.port) }

// sheetCable is a cable of the sheet.
type sheetCable struct {
	a, b          end
	speed, length int // Mb/s and metres; 0: no file states it

	speedText, lengthText string // from a cabling file; empty: not stated
}

// claim is a cable that one device names.
type claim struct{ from, to end }

// sheetOf makes the sheet of cables from the neighbours of devices. It folds names of devices to lower case, and removes a domain if a
// device with files has the name without it.
//
// A cable counts if both ends name it, or if one end names it and the other end has no neighbour at that port. All other claims are left
// out, with a note.
func sheetOf(s *targets.Survey) *sheetMaker {
	m := &sheetMaker{by: map[string]*targets.Surveyed{}, left: map[string][]string{}, places: map[*targets.Surveyed]map[ir.Front]string{}}
	m.full = map[string]string{}
	m.sheet = &Sheet{
		Nodes: map[string]topology.Node{}, Guessed: map[string]bool{}, cards: map[string]bool{}, Aliased: map[string]bool{},
	}
	for i := range s.Devices {
		m.device(&s.Devices[i])
	}
	var claims []claim
	for _, name := range slices.SortedFunc(maps.Keys(m.by), nodeset.Compare) {
		claims = append(claims, m.claims(name)...)
	}
	misnamed(m, claims)
	m.cables(claims)
	return m
}

// misnamed records switches whose folder has an address as its name, while neighbours use another name. The fabric has such a switch
// twice.
func misnamed(m *sheetMaker, claims []claim) {
	named := map[string]bool{}
	for _, c := range claims {
		named[c.to.device] = true
	}
	for _, name := range slices.SortedFunc(maps.Keys(m.by), nodeset.Compare) {
		if _, err := netip.ParseAddr(name); err == nil && m.by[name].OS != nil && !named[name] {
			m.leaveOut("switches whose folders have an address as name, but other names in LLDP of neighbours; rename their folders", name)
		}
	}
}

// unshown is the note about switches whose files name no neighbour.
const unshown = "cables that only these switches would show, as no file names their neighbours"

// sheetMaker collects cables.
type sheetMaker struct {
	by    map[string]*targets.Surveyed // by folded name
	sheet *Sheet
	left  map[string][]string // names of parts that are left out, by the reason

	dropped []end             // ports whose neighbour is left out
	full    map[string]string // names with a domain, by the name without it; empty: ambiguous

	places map[*targets.Surveyed]map[ir.Front]string // names of ports, by front panel number
}

func (m *sheetMaker) leaveOut(why, what string) { m.left[why] = append(m.left[why], diag.Escape(what)) }

// device adds a device under its name.
func (m *sheetMaker) device(d *targets.Surveyed) {
	name := topology.FoldDevice(d.Name)
	switch {
	case nodeset.CheckDevice(name) != "":
		m.leaveOut("devices whose name is invalid in a fabric; rename their folders", d.Name)
		return
	case m.by[name] != nil:
		m.leaveOut("devices whose name another device already has", d.Name)
		return
	case d.Read == nil:
		m.leaveOut("settings of devices without a configuration", name)
	case d.OS != nil && len(d.Neighbours) == 0:
		m.leaveOut(unshown, name)
	}
	m.by[name] = d
	if d.Twin != "" {
		m.leaveOut("names that several devices have; each is named after its folder or file", topology.FoldDevice(d.Twin)+" of "+
			name)
	}
	if short, _, cut := strings.Cut(name, "."); cut && nodeset.CheckDevice(short) == "" {
		if _, twice := m.full[short]; twice {
			name = ""
		}
		m.full[short] = name
	}
	name = topology.FoldDevice(d.Name)
	m.sheet.Nodes[name], m.sheet.Guessed[name] = nodeOf(d)
	m.sheet.cards[name] = d.Read != nil && d.Read.Card
}

// nodeOf describes a device from its files. guessed: the files state no release, or a range.
func nodeOf(d *targets.Surveyed) (n topology.Node, guessed bool) {
	switch {
	case d.Read == nil: // there is only LLDP
		return n, false
	case d.OS == nil:
		return topology.Node{Function: "server"}, false
	}
	n = topology.Node{Function: "switch", System: d.OS.Name, Version: d.Release}
	if model := modelOf(d); model != nil {
		n.Model = model.Name
	}
	return n, d.Guessed
}

// modelOf returns the model that the files state; nil: none, or unknown to rocec.
func modelOf(d *targets.Surveyed) *platform.Switch {
	is := d.Read.Settings.System
	for _, text := range []string{is.Model.Value, is.SKU.Value} {
		if m, ok := platform.FindSwitch(text); ok {
			return m
		}
	}
	return nil
}

// called returns the name of a neighbour in the fabric.
func (m *sheetMaker) called(name string) string {
	name = topology.FoldDevice(name)
	if short, _, cut := strings.Cut(name, "."); cut && m.by[name] == nil && (m.by[short] != nil || nodeset.CheckDevice(name) != "") {
		return short
	}
	if full := m.full[name]; m.by[name] == nil && full != "" {
		return full
	}
	return name
}

// claims lists the neighbours that a device names. A port may have several neighbours: a NIC may have its own LLDP agent besides that of
// its host.
func (m *sheetMaker) claims(name string) (out []claim) {
	d := m.by[name]
	for _, port := range slices.SortedFunc(maps.Keys(d.Neighbours), nodeset.Compare) {
		from := end{name, m.own(name, port)}
		switch {
		case d.Read != nil && slices.Contains(d.Read.Inside, from.port):
			m.leaveOut("ports inside of a chassis, which have no cable", from.String())
			continue
		case !front(d, from.port):
			m.leaveOut("ports that are no front ports", from.String())
			continue
		}
		for _, n := range d.Neighbours[port] {
			to := end{m.called(n.Device), ""}
			if n.Device != "" && nodeset.CheckDevice(to.device) == "" {
				to.port = m.portOf(to.device, n)
			}
			if to.port == "" || nodeset.CheckInterface(from.port) != "" {
				m.leaveOut("ports whose neighbour has no name or port that is valid in a fabric", from.String())
				if n.Device != "" {
					m.dropped = append(m.dropped, from)
				}
				continue
			}
			if is, known := m.sheet.Nodes[to.device]; !known || is == (topology.Node{}) {
				m.sheet.Nodes[to.device] = topology.Node{Function: functionOf(n.Function), Model: modelBy(m, n.Model)}
			}
			out = append(out, claim{from, to})
		}
	}
	return out
}

// front reports whether a port of a switch can be a front port of its system.
func front(d *targets.Surveyed, port string) bool {
	if d.OS == nil || d.Read == nil {
		return true
	}
	_, ok := d.OS.Read(nil, port)
	return ok
}

// functionOf returns the function of a device, from the type in a configuration ("ToRRouter", "Server").
func functionOf(text string) string {
	low := strings.ToLower(text)
	switch {
	case strings.Contains(low, "router"), strings.Contains(low, "switch"):
		return "switch"
	case strings.Contains(low, "server"), strings.Contains(low, "host"):
		return "server"
	}
	return ""
}

// twin returns the first switch of a SKU whose file states the aliases of its ports; nil: none.
func twin(m *sheetMaker, sku string) *targets.Surveyed {
	for _, name := range slices.SortedFunc(maps.Keys(m.by), nodeset.Compare) {
		d := m.by[name]
		if d.Read != nil && len(d.Read.Aliases) > 0 && sku != "" && d.Read.Settings.System.SKU.Value == sku {
			return d
		}
	}
	return nil
}

// modelBy returns the name of the model for a SKU that a neighbour states: the model of a switch with files that has this SKU, if any.
func modelBy(m *sheetMaker, sku string) string {
	if _, known := platform.FindSwitch(sku); !known {
		if d := twin(m, sku); d != nil && modelOf(d) != nil {
			return modelOf(d).Name
		}
	}
	return sku
}

// portOf chooses the name of a neighbour's port: the first that is in the neighbour's own files, else the first that is valid.
func (m *sheetMaker) portOf(device string, n targets.Neighbour) string {
	for _, port := range n.Ports {
		if own := m.own(device, port); m.has(device, own) {
			return own
		}
	}
	if d := twin(m, n.Model); d != nil && m.by[device] == nil {
		for _, port := range n.Ports {
			if own := d.Read.Aliases[port]; own != "" && d.Read.Settings.Ports[port] == nil {
				m.sheet.Aliased[device] = true
				return own
			}
		}
	}
	for _, spell := range []func(string) string{func(port string) string { return port }, topology.FoldPort} {
		for _, port := range n.Ports {
			if name := spell(port); nodeset.CheckInterface(name) == "" {
				return name
			}
		}
	}
	return ""
}

// has reports whether the files of a device have a port.
func (m *sheetMaker) has(device, port string) bool {
	d := m.by[device]
	return d != nil && (d.Neighbours[port] != nil || d.Read != nil && d.Read.Settings.Ports[port] != nil)
}

// own returns the name of a port in the files of its device. Neighbours may use another name (etp1 for Ethernet0).
func (m *sheetMaker) own(device, port string) string {
	d := m.by[device]
	if d == nil || d.Read == nil || d.OS == nil || d.Read.Settings.Ports[port] != nil {
		return port
	}
	if own := d.Read.Aliases[port]; own != "" {
		return own
	}
	model := modelOf(d)
	at, ok := d.OS.Read(model, port)
	if !ok || model == nil {
		return port
	}
	places := m.places[d]
	if places == nil {
		places = map[ir.Front]string{}
		for _, name := range slices.SortedFunc(maps.Keys(d.Read.Settings.Ports), nodeset.Compare) {
			if is, ok := d.OS.Read(model, name); ok && places[is] == "" {
				places[is] = name
			}
		}
		m.places[d] = places
	}
	return cmp.Or(places[at], port)
}

// cables makes cables from claims, first from claims of both ends.
func (m *sheetMaker) cables(claims []claim) {
	made, says := map[claim]bool{}, map[end][]end{}
	for _, c := range claims {
		made[c], says[c.from] = true, append(says[c.from], c.to)
	}
	used := map[end]bool{}
	for _, both := range []bool{true, false} {
		for _, c := range claims {
			mirrored := made[claim{c.to, c.from}]
			switch {
			case mirrored != both || used[c.from] && used[c.to] && mirrored:
			case used[c.from] || used[c.to] || c.from == c.to:
				m.against(c, says[c.to])
			case !both && len(says[c.to]) > 0: // the other end contradicts it
				m.against(c, says[c.to])
			default:
				used[c.from], used[c.to] = true, true
				m.add(c, map[bool]int{true: 2, false: 1}[both])
			}
		}
	}
	for _, e := range m.dropped {
		if d := m.by[e.device]; !used[e] && d != nil && d.OS != nil {
			m.sheet.Dropped = append(m.sheet.Dropped, e.String())
		}
	}
}

// against records a claim that another one contradicts. If the other port has no claim, several devices name it.
func (m *sheetMaker) against(c claim, says []end) {
	var others []string
	for _, e := range says {
		others = append(others, e.String())
	}
	if len(others) == 0 {
		m.disagree(c.from, "%s names %s as its neighbour, and %[2]s has another cable. The cable is left out: collect LLDP "+
			"anew.", c.from, c.to)
		return
	}
	m.disagree(c.from, "%s names %s as its neighbour, and %[2]s names %s. The cable is left out: collect LLDP again.", c.from, c.to,
		diag.And(others))
}

// disagree records a contradiction between files, with the first file of a device as its place.
func (m *sheetMaker) disagree(at end, format string, args ...any) {
	where := diag.Range{}
	if d := m.by[at.device]; d != nil && len(d.Files) > 0 {
		where = (&lint.File{Name: d.Files[0]}).Top()
	}
	settings.SwitchesDisagree.Warnf(&m.sheet.Against, where, format, args...)
}

// add adds a cable, with the slower of two speeds. On one system, two lengths are headroom for the same cable, so the longer one counts.
// Different systems round lengths up differently, so the shorter one counts.
func (m *sheetMaker) add(c claim, seen int) {
	m.sheet.Ends[seen]++
	one := sheetCable{a: c.from, b: c.to}
	speedA, lengthA := m.stated(c.from)
	speedB, lengthB := m.stated(c.to)
	if one.speed = max(speedA, speedB); speedA > 0 && speedB > 0 && speedA != speedB {
		one.speed = min(speedA, speedB)
		m.disagree(c.from, "%s states %s, and %s at the other end states %s. Such a cable gets no link: set the same at both ends.", c.from,
			platform.SpeedText(speedA), c.to, platform.SpeedText(speedB))
	}
	if one.length = max(lengthA, lengthB); lengthA > 0 && lengthB > 0 && lengthA != lengthB {
		alike := m.by[c.from.device].OS == m.by[c.to.device].OS
		if !alike {
			one.length = min(lengthA, lengthB)
		} else {
			m.disagree(c.from, "%s has headroom for a cable of %d m, and %s at the other end for %d m. Set both for the length of the cable.",
				c.from, lengthA, c.to, lengthB)
		}
	}
	if a, b := mtuOf(m.by, c.from), mtuOf(m.by, c.to); a > 0 && b > 0 && a != b {
		m.disagree(c.from, "%s has MTU %d, and %s at the other end has %d: larger frames are dropped. Set the same MTU at both ends.", c.from, a,
			c.to, b)
	}
	if one.speed == 0 {
		m.sheet.Speedless++
	}
	m.sheet.cables = append(m.sheet.cables, one)
}

// stated returns the speed in Mb/s and the length of the cable in metres that files state for a port; 0: not stated. A speed in the
// configuration takes precedence over that of the link.
func (m *sheetMaker) stated(at end) (speed, length int) {
	d := m.by[at.device]
	if d == nil {
		return 0, 0
	}
	speed = d.Speeds[at.port]
	if d.Read == nil || d.Read.Settings.Port(at.port) == nil {
		return speed, 0
	}
	p := d.Read.Settings.Port(at.port)
	if s := p.Detail.Get().Speed; s.Is == ir.Stated {
		speed = int(s.Value / 1e6)
	}
	if c := p.Detail.Get().Cable; c.Is == ir.Stated {
		length = c.Value
	}
	return speed, length
}

// mtuOf returns the MTU that the configuration of a switch states for a port; 0: none. For a NIC it returns 0, as its MTU may be smaller
// than that of its switch.
func mtuOf(by map[string]*targets.Surveyed, at end) int {
	d := by[at.device]
	if d == nil || d.Read == nil || d.OS == nil {
		return 0
	}
	if p := d.Read.Settings.Port(at.port); p != nil && p.Detail.Get().MTU.Is == ir.Stated {
		return p.Detail.Get().MTU.Value
	}
	return 0
}

// Stated returns the length in metres for which the configurations at the ends of a cable are set, given one of its ports; 0: none is
// stated.
func (s *Sheet) Stated(device, port string) int {
	at := end{topology.FoldDevice(device), topology.FoldPort(port)}
	if s.lengths == nil {
		s.lengths = map[end]int{}
		for _, c := range s.cables {
			s.lengths[c.a], s.lengths[c.b] = c.length, c.length
		}
	}
	return s.lengths[at]
}

// Text writes the sheet. derived has lengths in metres for cables without a stated length, by the device and the port of an end.
func (s *Sheet) Text(derived map[string]int) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	rows := [][]string{{"a_device", "a_port", "b_device", "b_port", "speed", "length"}}
	for _, c := range s.cables {
		row := []string{c.a.device, c.a.port, c.b.device, c.b.port, "", ""}
		if row[4] = c.speedText; c.speed > 0 {
			row[4] = platform.SpeedText(c.speed)
		}
		if row[5] = c.lengthText; row[5] != "" { // length of the cable itself; configurations state a length for headroom
		} else if length := cmp.Or(c.length, derived[c.a.String()], derived[c.b.String()]); length > 0 {
			row[5] = strconv.Itoa(length) + "m"
		}
		rows = append(rows, row)
	}
	w.WriteAll(rows) //nolint:errcheck // a buffer takes everything
	return b.Bytes()
}
