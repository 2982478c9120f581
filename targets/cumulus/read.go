package cumulus

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/targets/cumulus/confread"
	"github.com/rocec/rocec/targets/cumulus/grammar"
	"github.com/rocec/rocec/targets/target"
)

// Understand reads the files of one switch, by path or name: traffic.conf or qos_features.conf, qos_infra.conf or datapath.conf, one or
// several of them. It never fails. Settings that depend on an unknown release or model are unknown.
func Understand(id target.Identity, contents map[string][]byte) *target.Understood {
	var asic *platform.ASIC
	if m, ok := platform.FindSwitch(id.Model); ok {
		asic = m.ASIC
	}
	return confread.Files(id, chipOf(asic), contents).Understood()
}

// chipOf returns the facts about a chip that the reader needs. A nil chip is unknown.
func chipOf(a *platform.ASIC) confread.Chip {
	if a == nil {
		return confread.Chip{}
	}
	return confread.Chip{Known: true, Spectrum: a.Vendor == platform.Mellanox, ECNDrops: chips[a.Name].drops}
}

// read returns the settings that the files of a switch state, in any spelling of the grammar; nil: there is nothing to read.
func read(d *ir.Device, content func(path string) []byte) *ir.Settings {
	c := newReading(d, content)
	if c == nil {
		return nil
	}
	return c.Settings()
}

// newReading reads the classification file, and the queues of cos from qos_infra.conf; nil: there is nothing to read.
func newReading(d *ir.Device, content func(path string) []byte) *confread.Conf {
	rel, _, ok := documented(d.Switch.Version)
	if !ok {
		return nil
	}
	contents := map[string][]byte{confPath(rel): content(confPath(rel))}
	if split(rel) {
		contents[infraPath] = content(infraPath)
	}
	id := target.Identity{OS: d.Switch.OS, Release: d.Switch.Version, Model: d.Switch.Model.Name}
	for _, p := range d.Ports {
		id.Ports = append(id.Ports, p.Name)
	}
	return confread.Lenient(id, chipOf(d.Switch.Model.ASIC), contents)
}

// buffersOf returns the buffer that the file states for every port with PFC.
func buffersOf(c *confread.Conf) map[string]lossless {
	out := map[string]lossless{}
	groups := c.Listed(grammar.PFC)
	slices.Sort(groups)
	for _, g := range slices.Compact(groups) {
		set, _ := c.Value(grammar.PFC, grammar.GroupPorts, -1, g)
		size := func(m grammar.Meaning) ir.Num { return ir.Num{N: c.Size(grammar.PFC, m, g)} }
		for _, name := range c.Named(set) {
			out[name] = lossless{size: size(grammar.Buffer), xoff: size(grammar.Xoff), xonDelta: size(grammar.XonDelta)}
		}
	}
	return out
}
