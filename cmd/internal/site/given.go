package site

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/lang/topology"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/target/lint"
	"github.com/rocec/rocec/validate/settings"
)

// Given is a cabling file that a person names in addition to files of devices.
type Given struct {
	Name    string // in messages
	Cabling topology.Cabling
}

// givenMaker adds the cables of a cabling file to a sheet.
type givenMaker struct {
	*sheetMaker
	contradicted []int // cables that differ in the file
}

// sheetWith makes the sheet with the cables of devices and of a cabling file; nil: no such file.
func sheetWith(s *targets.Survey, g *Given) *Sheet {
	m := sheetOf(s)
	if g != nil {
		delete(m.left, unshown) // the file has them
		(&givenMaker{sheetMaker: m}).given(g)
	}
	for _, why := range slices.Sorted(maps.Keys(m.left)) {
		m.sheet.Notes = append(m.sheet.Notes, why+": "+diag.Some(m.left[why], 6))
	}
	return m.sheet
}

// given adds the cables of a cabling file. LLDP shows the existing cables, so a cable of the file that needs a port of another cable is a
// finding. A cable in both gets its length from the file, and its speed if no configuration states it.
func (m *givenMaker) given(g *Given) {
	at := map[end]int{} // the cable in a port
	for i, c := range m.sheet.cables {
		at[c.a], at[c.b] = i+1, i+1
	}
	shown := len(m.sheet.cables)
	confirmed := make([]bool, shown)
	named := map[string]bool{}
	for name, n := range g.Cabling.Nodes {
		m.describe(m.called(name), n)
	}
	for i := range g.Cabling.Edges {
		e := &g.Cabling.Edges[i]
		a, b := m.givenEnd(e.A), m.givenEnd(e.B)
		planned := slices.ContainsFunc(e.Attrs, func(a topology.Attr) bool { return a.Name == "planned" })
		why := cmp.Or(nodeset.CheckDevice(a.device), nodeset.CheckDevice(b.device), nodeset.CheckInterface(a.port),
			nodeset.CheckInterface(b.port))
		switch {
		case why != "":
			m.leaveOut("cables of "+g.Name+" whose names a fabric cannot have", a.String())
			continue
		case planned:
			m.leaveOut("planned cables of "+g.Name, a.String())
			continue
		case a.device == b.device:
			m.leaveOut("cables of "+g.Name+" from a device to itself", a.String())
			continue
		case !m.frontEnd(a) || !m.frontEnd(b):
			m.leaveOut("ports that are no front ports", a.String())
			continue
		}
		named[a.device], named[b.device] = true, true
		x, y := at[a], at[b]
		switch {
		case x > 0 && x == y:
			if x <= shown {
				confirmed[x-1] = true
			}
			m.sheet.cables[x-1].state(e.Attrs)
		case x > 0 || y > 0:
			m.otherwise(g, e, a, b, at)
		default:
			m.sheet.Ends[0]++
			m.describe(a.device, topology.Node{})
			m.describe(b.device, topology.Node{})
			m.stateAll(claim{a, b}, e.Attrs)
			at[a], at[b] = len(m.sheet.cables), len(m.sheet.cables)
		}
	}
	var missing []string
	for i, is := range confirmed {
		if c := m.sheet.cables[i]; !is && named[c.a.device] && named[c.b.device] && !slices.Contains(m.contradicted, i) {
			missing = append(missing, c.a.String()+" to "+c.b.String())
		}
	}
	if n := len(missing); n > 0 {
		settings.SwitchesDisagree.Warnf(&m.sheet.Against, (&lint.File{Name: g.Name}).Top(), "LLDP shows %s that the cabling file lacks: "+
			"%s. Add them to the file.", diag.Count(n, "cable"), diag.Some(missing, 4))
	}
	m.speedless()
}

// stateAll adds a cable that is only in the file.
func (m *givenMaker) stateAll(c claim, attrs []topology.Attr) {
	ends := m.sheet.Ends
	m.add(c, 1)
	m.sheet.Ends = ends
	m.sheet.cables[len(m.sheet.cables)-1].state(attrs)
}

// state records the speed and length of a cable in a cabling file.
func (c *sheetCable) state(attrs []topology.Attr) {
	for _, a := range attrs {
		switch a.Name {
		case "length":
			c.lengthText = a.Text
		case "speed":
			c.speedText = a.Text
		}
	}
}

// speedless counts the cables whose speed is in no configuration and not in the cabling file.
func (m *givenMaker) speedless() {
	m.sheet.Speedless = 0
	for _, c := range m.sheet.cables {
		if c.speed == 0 && c.speedText == "" {
			m.sheet.Speedless++
		}
	}
}

// otherwise reports a cable of the file whose port has another cable, according to LLDP or an earlier line of the file.
func (m *givenMaker) otherwise(g *Given, e *topology.Edge, a, b end, at map[end]int) {
	port, i := a, at[a]
	if i == 0 {
		port, i = b, at[b]
	}
	m.contradicted = append(m.contradicted, i-1)
	is := m.sheet.cables[i-1]
	far := is.a
	if far == port {
		far = is.b
	}
	settings.SwitchesDisagree.Warnf(&m.sheet.Against, e.At, "The cabling file has a cable from %s to %s, and %s is connected to %s, by "+
		"LLDP or another line. This line is left out: correct the file, or move the cable.", a, b, port, far)
}

// givenEnd returns an end of a cable of the file, with the names in the files of its device.
func (m *givenMaker) givenEnd(e topology.End) end {
	device := m.called(e.Device)
	for _, port := range []string{e.Port, topology.FoldPort(e.Port)} {
		if own := m.own(device, port); m.has(device, own) {
			return end{device, own}
		}
	}
	return end{device, topology.FoldPort(e.Port)}
}

// frontEnd reports whether a port can be a front port of its device.
func (m *givenMaker) frontEnd(e end) bool {
	d := m.by[e.device]
	return d == nil || front(d, e.port)
}

// describe records the facts in the file about a device. The device's own files take precedence.
func (m *givenMaker) describe(name string, n topology.Node) {
	is, known := m.sheet.Nodes[name]
	if d := m.by[name]; d != nil && d.Read != nil {
		is.Model = cmp.Or(is.Model, n.Model)
		m.sheet.Nodes[name] = is
		return
	}
	if nodeset.CheckDevice(name) != "" || strings.Contains(name, ".") && !known && n == (topology.Node{}) {
		return
	}
	m.sheet.Nodes[name] = topology.Node{
		Function: cmp.Or(n.Function, is.Function), System: cmp.Or(n.System, is.System), Version: cmp.Or(n.Version, is.Version),
		Model: cmp.Or(n.Model, is.Model),
	}
}
