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

// Sheet is the cables of devices that were read, as a sheet of cables, and a description of each device.
type Sheet struct {
	Nodes   map[string]topology.Node
	Guessed map[string]bool // devices whose release no file states exactly
	Notes   []string        // what is left out, one line each
	Against diag.List       // where files contradict each other
	Ends    [3]int          // cables: [1] seen from one end, [2] from both, [0] of the cabling file alone

	Speedless int // cables of which no file states the speed

	Aliased map[string]bool // devices without a file whose ports neighbours name by aliases
	Dropped []string        // ports of switches whose neighbour is not in the fabric, and that have no cable

	cables  []sheetCable
	cards   map[string]bool // devices that are cards of a chassis
	lengths map[end]int     // of Stated
}

// end is a port of a device, by folded names.
type end struct{ device, port string }

func (e end) String() string { return diag.Escape(e.device + ":" + e.port) }

// sheetCable is a cable of the sheet.
type sheetCable struct {
	a, b          end
	speed, length int // Mb/s and metres; 0: no file states it

	speedText, lengthText string // as a cabling file states them; empty: it does not
}

// claim is a cable that one device names.
type claim struct{ from, to end }

// sheetOf makes the sheet of cables that the neighbours of devices name. Names of devices are folded to lower case, and lose a domain
// where a device that was read has the name without it.
//
// A cable that both ends name is one. A cable that one end names is one where the other end says nothing of that port. All other claims are
// left out, and noted.
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

// misnamed notes switches whose folder is called by an address and that no neighbour names so. Others name them otherwise, so the fabric
// has them twice.
func misnamed(m *sheetMaker, claims []claim) {
	named := map[string]bool{}
	for _, c := range claims {
		named[c.to.device] = true
	}
	for _, name := range slices.SortedFunc(maps.Keys(m.by), nodeset.Compare) {
		if _, err := netip.ParseAddr(name); err == nil && m.by[name].OS != nil && !named[name] {
			m.leaveOut("names by which LLDP of others has switches that are called by an address; call their folders so", name)
		}
	}
}

// unshown is about switches whose files name no neighbour.
const unshown = "cables that only these switches would show, for no file names their neighbours"

// sheetMaker collects cables.
type sheetMaker struct {
	by    map[string]*targets.Surveyed // by folded name
	sheet *Sheet
	left  map[string][]string // what is left out, by the reason

	dropped []end             // ports whose neighbour is left out
	full    map[string]string // names with a domain, by the name without it; empty: several devices have that

	places map[*targets.Surveyed]map[ir.Front]string // names of ports, by their place on the front
}

func (m *sheetMaker) leaveOut(why, what string) { m.left[why] = append(m.left[why], diag.Escape(what)) }

// device notes a device by its name.
func (m *sheetMaker) device(d *targets.Surveyed) {
	name := topology.FoldDevice(d.Name)
	switch {
	case nodeset.CheckDevice(name) != "":
		m.leaveOut("devices whose name a fabric cannot have; name their folders otherwise", d.Name)
		return
	case m.by[name] != nil:
		m.leaveOut("second devices of one name", d.Name)
		return
	case d.Read == nil:
		m.leaveOut("settings of devices of which no configuration was read", name)
	case d.OS != nil && len(d.Neighbours) == 0:
		m.leaveOut(unshown, name)
	}
	m.by[name] = d
	if d.Twin != "" {
		m.leaveOut("names that several devices state for themselves; each is called by its folder or file", topology.FoldDevice(d.Twin)+" of "+
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

// nodeOf describes a device by its files. Guessed: they state no release, or a range.
func nodeOf(d *targets.Surveyed) (n topology.Node, guessed bool) {
	switch {
	case d.Read == nil: // LLDP alone was read
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

// modelOf is the model that the files state; nil: none that is known.
func modelOf(d *targets.Surveyed) *platform.Switch {
	is := d.Read.Settings.System
	for _, text := range []string{is.Model.Value, is.SKU.Value} {
		if m, ok := platform.FindSwitch(text); ok {
			return m
		}
	}
	return nil
}

// called is the name by which the fabric has a neighbour.
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

// claims lists the neighbours that a device names. A port may see several neighbours: an agent in a NIC may speak beside its host.
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
				m.leaveOut("ports whose neighbour has no name or no port that a fabric can have", from.String())
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

// functionOf is a word for what a device is, from that of a configuration ("ToRRouter", "Server").
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

// twin returns the first switch of a SKU whose file states the aliases of its ports; nil: there is no such file.
func twin(m *sheetMaker, sku string) *targets.Surveyed {
	for _, name := range slices.SortedFunc(maps.Keys(m.by), nodeset.Compare) {
		d := m.by[name]
		if d.Read != nil && len(d.Read.Aliases) > 0 && sku != "" && d.Read.Settings.System.SKU.Value == sku {
			return d
		}
	}
	return nil
}

// modelBy returns the name of the model of a SKU that a neighbour states: that of a switch which was read, where one has the SKU.
func modelBy(m *sheetMaker, sku string) string {
	if _, known := platform.FindSwitch(sku); !known {
		if d := twin(m, sku); d != nil && modelOf(d) != nil {
			return modelOf(d).Name
		}
	}
	return sku
}

// portOf chooses the name of a neighbour's port: one that its own files have, else the first that can be a port.
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

// own is the name by which the files of a device have a port, which others may know by another one (etp1 for Ethernet0).
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

// cables makes cables of claims: first of those that both ends make.
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
			case !both && len(says[c.to]) > 0: // the other end says another thing
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

// against notes a claim that another one contradicts. Where the other port of a pair says nothing, several devices name it.
func (m *sheetMaker) against(c claim, says []end) {
	var others []string
	for _, e := range says {
		others = append(others, e.String())
	}
	if len(others) == 0 {
		m.disagree(c.from, "%s names %s as its neighbour, and %[2]s is an end of another cable. The cable is left out: collect LLDP "+
			"anew.", c.from, c.to)
		return
	}
	m.disagree(c.from, "%s names %s as its neighbour, and %[2]s names %s. The cable is left out: collect LLDP anew.", c.from, c.to,
		diag.And(others))
}

// disagree notes that files contradict each other, in the first file of a device.
func (m *sheetMaker) disagree(at end, format string, args ...any) {
	where := diag.Range{}
	if d := m.by[at.device]; d != nil && len(d.Files) > 0 {
		where = (&lint.File{Name: d.Files[0]}).Top()
	}
	settings.SwitchesDisagree.Warnf(&m.sheet.Against, where, format, args...)
}

// add adds a cable. The slower of two speeds counts. Two lengths on one system are headroom for one cable, so the longer one counts.
// Systems round lengths up, so of two systems the shorter one counts.
func (m *sheetMaker) add(c claim, seen int) {
	m.sheet.Ends[seen]++
	one := sheetCable{a: c.from, b: c.to}
	speedA, lengthA := m.stated(c.from)
	speedB, lengthB := m.stated(c.to)
	if one.speed = max(speedA, speedB); speedA > 0 && speedB > 0 && speedA != speedB {
		one.speed = min(speedA, speedB)
		m.disagree(c.from, "%s states %s, and %s at the other end states %s. Such a cable has no link: set both alike.", c.from,
			platform.SpeedText(speedA), c.to, platform.SpeedText(speedB))
	}
	if one.length = max(lengthA, lengthB); lengthA > 0 && lengthB > 0 && lengthA != lengthB {
		alike := m.by[c.from.device].OS == m.by[c.to.device].OS
		if !alike {
			one.length = min(lengthA, lengthB)
		} else {
			m.disagree(c.from, "%s has headroom for a cable of %d m, and %s at the other end for one of %d m. Set both for the cable that is there.",
				c.from, lengthA, c.to, lengthB)
		}
	}
	if a, b := mtuOf(m.by, c.from), mtuOf(m.by, c.to); a > 0 && b > 0 && a != b {
		m.disagree(c.from, "%s has an MTU of %d, and %s at the other end one of %d: larger frames are dropped. Set both alike.", c.from, a,
			c.to, b)
	}
	if one.speed == 0 {
		m.sheet.Speedless++
	}
	m.sheet.cables = append(m.sheet.cables, one)
}

// stated returns the speed in Mb/s and the length of the cable in metres that files state of a port; 0: they do not. A speed of the
// configuration counts before that of the link.
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

// mtuOf returns the MTU that the configuration of a switch states for a port; 0: it states no MTU. A NIC may have a smaller one than its
// switch.
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

// Stated is the length in metres that the configurations at the ends of a cable are set for, by one of its ports; 0: they state none.
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

// Text writes the sheet. Derived gives lengths in metres to cables of which no file states one, by the device and the port of an end.
func (s *Sheet) Text(derived map[string]int) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	rows := [][]string{{"a_device", "a_port", "b_device", "b_port", "speed", "length"}}
	for _, c := range s.cables {
		row := []string{c.a.device, c.a.port, c.b.device, c.b.port, "", ""}
		if row[4] = c.speedText; c.speed > 0 {
			row[4] = platform.SpeedText(c.speed)
		}
		if row[5] = c.lengthText; row[5] != "" { // of the cable itself: what configurations state is headroom for one
		} else if length := cmp.Or(c.length, derived[c.a.String()], derived[c.b.String()]); length > 0 {
			row[5] = strconv.Itoa(length) + "m"
		}
		rows = append(rows, row)
	}
	w.WriteAll(rows) //nolint:errcheck // a buffer takes everything
	return b.Bytes()
}
