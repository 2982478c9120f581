package nvue

import (
	"maps"
	"math"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/cumulus"
	"github.com/rocec/rocec/targets/nvue/grammar"
	"github.com/rocec/rocec/targets/nvue/sim"
	"github.com/rocec/rocec/targets/target"
)

// image returns a switch as it comes from the factory, with its cables. NVUE has a login, the management port, and the bonds and splits
// that the fabric assumes.
func image(d *ir.Device) target.Image {
	img := cumulus.Chassis(d)
	cables := map[string]*ir.Port{}
	for _, p := range d.Ports {
		cables[p.Name] = p
	}
	c := sim.Config{Release: d.Switch.Version, Model: strings.ToUpper(d.Switch.Model.Name), Spectrum: generation(d)}
	var tree grammar.Config
	tree.Set = grammar.Map()
	put := func(v *grammar.Tree, path ...string) { tree.Set.Put(path, v) }
	put(grammar.Map(), "interface", "eth0", "ip", "address", "dhcp")
	put(grammar.Text("eth"), "interface", "eth0", "type")
	put(grammar.Text("cumulus"), "system", "hostname")
	put(grammar.Text("system-admin"), "system", "aaa", "user", "cumulus", "role")
	parts := map[string]int{}
	for _, n := range img.Netdevs {
		q, ok := grammar.ParsePort(n.Name)
		if !ok {
			continue
		}
		whole := q
		whole.Sub = -1
		if parts[whole.String()]++; parts[whole.String()] == 1 {
			p := sim.Port{Name: whole.String(), SpeedMbps: 100_000, MTU: 9216}
			if cable := cables[n.Name]; cable != nil && cable.Link().Length.Known() {
				p.Meters = int(math.Ceil(cable.Link().Length.Metres))
				for _, b := range cable.Buffers() {
					p.Least += b.Need
				}
			}
			c.Ports = append(c.Ports, p)
		}
		if q.Sub >= 0 {
			put(grammar.Map(), "interface", whole.String(), "link", "breakout", strconv.Itoa(parts[whole.String()])+"x")
		}
		if n.Master != "" {
			put(grammar.Map(), "interface", n.Master, "bond", "member", n.Name)
			put(grammar.Text("bond"), "interface", n.Master, "type")
		}
	}
	for name, n := range parts { // the loop above has put one key for each part; only the last one is right
		if breakout := tree.Set.Get("interface", name, "link", "breakout"); breakout != nil {
			breakout.Kids = map[string]*grammar.Tree{strconv.Itoa(n) + "x": grammar.Map()}
		}
	}
	s := sim.New(c)
	maps.Copy(img.Files, s.Files())
	img.Files[sim.StartupPath] = string(tree.YAML())
	img.Sims = append([]target.Sim{s}, img.Sims...)
	return img
}

// generation returns the number of a Spectrum.
func generation(d *ir.Device) int {
	name := strings.TrimPrefix(d.Switch.Model.ASIC.Name, "spectrum")
	if name == "" || name[0] < '2' || name[0] > '6' {
		return 1
	}
	return int(name[0] - '0')
}
