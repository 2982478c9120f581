package site

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/lang/topology"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/target"
)

// Sheet is the cables of devices that were read, as a sheet of cables, and what their files say of each device.
type Sheet struct {
	Nodes map[string]topology.Node
	Notes []string // what the files do not tell, one line each

	Guessed map[string]bool // devices whose release no file states exactly
	cables  []sheetCable
	Ends    [3]int // cables that were seen: [0] none, [1] from one end, [2] from both

	Speedless int // cables of which no file states the speed
}

// sheetOf makes the sheet of cables that the neighbours of devices name. Names of devices are folded to lower case, and lose a domain
// where a device that was read has the name without it. A cable is in the sheet once, whether one end names it or both.
func sheetOf(s *targets.Survey) *Sheet {
	m := &sheetMaker{by: map[string]*targets.Surveyed{}, at: map[string]int{}, sheet: &Sheet{
		Nodes: map[string]topology.Node{}, Guessed: map[string]bool{},
	}}
	for i := range s.Devices {
		d := &s.Devices[i]
		name := topology.FoldDevice(d.Name)
		if m.by[name] != nil {
			m.sheet.Notes = append(m.sheet.Notes, fmt.Sprintf("a second device called %s: its cables are left out", diag.Escape(name)))
			continue
		}
		m.by[name] = d
		m.sheet.Nodes[name], m.sheet.Guessed[name] = nodeOf(d)
	}
	var alone []string // switches that see nobody
	for i := range s.Devices {
		d := &s.Devices[i]
		if m.by[topology.FoldDevice(d.Name)] == d {
			m.cablesOf(d)
		}
		if d.OS != nil && len(d.Neighbours) == 0 {
			alone = append(alone, topology.FoldDevice(d.Name))
		}
		if d.Read == nil {
			m.sheet.Notes = append(m.sheet.Notes, fmt.Sprintf("the settings of %s: no configuration of it was read, and only what it sees",
				diag.Escape(d.Name)))
		}
	}
	if len(alone) > 0 {
		m.sheet.Notes = append(m.sheet.Notes, fmt.Sprintf("cables of %s that no other device sees: no file names %s neighbours",
			diag.Escape(nodeset.Text(alone, nodeset.Devices, room)), diag.Plural(len(alone), "its", "their")))
	}
	for _, c := range m.sheet.cables {
		m.sheet.Ends[c.seen]++
		if c.speed == 0 {
			m.sheet.Speedless++
		}
	}
	if len(m.lost) > 0 {
		m.sheet.Notes = append(m.sheet.Notes, fmt.Sprintf("%s whose neighbour names no port: %s", diag.Count(len(m.lost), "port"),
			diag.Some(m.lost, 6)))
	}
	return m.sheet
}

// sheetMaker collects cables.
type sheetMaker struct {
	by    map[string]*targets.Surveyed // by folded name
	at    map[string]int               // the cable at an end
	sheet *Sheet
	lost  []string // ends whose neighbour has no port
}

type sheetCable struct {
	a, b          [2]string // device and port
	speed, length int       // Mb/s and metres; 0: no file states it
	rounded       bool      // the length is one that a system has rounded up
	seen          int
}

// stretch notes the length that one more end states. The longer one counts, so that headroom for a shorter one is found. A length that a
// system has rounded up counts less than one that is exact.
func (c *sheetCable) stretch(length int, rounded bool) {
	switch {
	case length == 0:
	case c.length == 0, c.rounded && !rounded, c.rounded == rounded && length > c.length:
		c.length, c.rounded = length, rounded
	}
}

// nodeOf is what the files say of a device. Guessed: they state no release, or a range.
func nodeOf(d *targets.Surveyed) (n topology.Node, guessed bool) {
	switch {
	case d.Read == nil: // what it sees by LLDP is all that is known
		return n, false
	case d.OS == nil:
		return topology.Node{Function: "server"}, false
	}
	n = topology.Node{Function: "switch", System: d.OS.Name, Version: d.Release}
	is := d.Read.Settings.System
	for _, text := range []string{is.Model.Value, is.SKU.Value} {
		if m, ok := platform.FindSwitch(text); ok {
			n.Model = m.Name
			break
		}
	}
	return n, d.Guessed
}

// called is the name by which the fabric has a neighbour.
func (m *sheetMaker) called(name string) string {
	name = topology.FoldDevice(name)
	if short, _, cut := strings.Cut(name, "."); cut && m.by[name] == nil && m.by[short] != nil {
		return short
	}
	return name
}

// cablesOf adds the cables that a device names.
func (m *sheetMaker) cablesOf(d *targets.Surveyed) {
	name := topology.FoldDevice(d.Name)
	ports := make([]string, 0, len(d.Neighbours))
	for port := range d.Neighbours {
		ports = append(ports, port)
	}
	slices.SortFunc(ports, nodeset.Compare)
	for _, port := range ports {
		for _, n := range d.Neighbours[port] {
			other := m.called(n.Device)
			if n.Device == "" || nodeset.CheckDevice(other) != "" || nodeset.CheckInterface(port) != "" {
				continue
			}
			far := m.portOf(other, n)
			if far == "" {
				m.lost = append(m.lost, name+":"+port)
				continue
			}
			if _, known := m.sheet.Nodes[other]; !known {
				m.sheet.Nodes[other] = topology.Node{Function: functionOf(n.Function), Model: n.Model}
			}
			m.add(d, [2]string{name, port}, [2]string{other, far})
			break // an agent in a NIC may speak beside its host
		}
	}
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

// portOf chooses the name of a neighbour's port: one that its own configuration has, else the first that can be a port.
func (m *sheetMaker) portOf(device string, n target.Neighbour) string {
	d := m.by[device]
	for _, port := range n.Ports {
		if d != nil && (d.Neighbours[port] != nil || d.Read != nil && d.Read.Settings.Ports[port] != nil) {
			return port
		}
	}
	for _, port := range n.Ports {
		if nodeset.CheckInterface(port) == "" {
			return port
		}
	}
	return ""
}

// add adds a cable, or the other end of one. An end that has a cable already keeps it.
func (m *sheetMaker) add(d *targets.Surveyed, a, b [2]string) {
	speed, length := statedAt(d, a[1])
	key := func(end [2]string) string { return diag.Escape(end[0] + ":" + end[1]) }
	against := func(c *sheetCable) {
		m.sheet.Notes = append(m.sheet.Notes, fmt.Sprintf("%s names %s, and %s names %s: the first cable is left out", key(a), key(b), key(c.a),
			key(c.b)))
	}
	if i, known := m.at[key(a)]; known {
		if c := &m.sheet.cables[i]; c.b != a || c.a != b {
			against(c)
		} else {
			c.seen = 2
			c.speed = max(c.speed, speed)
			c.stretch(length, d.Rounds)
		}
		return
	}
	if i, taken := m.at[key(b)]; taken {
		against(&m.sheet.cables[i])
		return
	}
	m.at[key(a)], m.at[key(b)] = len(m.sheet.cables), len(m.sheet.cables)
	m.sheet.cables = append(m.sheet.cables, sheetCable{a: a, b: b, speed: speed, length: length, rounded: d.Rounds, seen: 1})
}

// statedAt returns the speed in Mb/s and the length of the cable in metres that a configuration states of a port; 0: it does not.
func statedAt(d *targets.Surveyed, port string) (speed, length int) {
	if d.Read == nil {
		return 0, 0
	}
	p := d.Read.Settings.Port(port)
	if p == nil {
		return 0, 0
	}
	if s := p.Detail.Get().Speed; s.Is == ir.Stated {
		speed = int(s.Value / 1e6)
	}
	if c := p.Detail.Get().Cable; c.Is == ir.Stated {
		length = c.Value
	}
	return speed, length
}

// Text writes the sheet. Derived gives lengths in metres to cables of which no file states one, by the device and the port of an end.
func (s *Sheet) Text(derived map[string]int) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	rows := [][]string{{"a_device", "a_port", "b_device", "b_port", "speed", "length"}}
	for _, c := range s.cables {
		row := []string{c.a[0], c.a[1], c.b[0], c.b[1], "", ""}
		if c.speed > 0 {
			row[4] = platform.SpeedText(c.speed)
		}
		if length := cmp.Or(c.length, derived[c.a[0]+":"+c.a[1]], derived[c.b[0]+":"+c.b[1]]); length > 0 {
			row[5] = strconv.Itoa(length) + "m"
		}
		rows = append(rows, row)
	}
	w.WriteAll(rows) //nolint:errcheck // a buffer takes everything
	return b.Bytes()
}
