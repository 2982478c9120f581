package sonic

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/targets/sonic/grammar"
	"github.com/rocec/rocec/targets/sonic/sim"
	"github.com/rocec/rocec/targets/target"
)

// image returns a switch as its image and the template of its hwsku set it up: all ports are up, and cabled and split as in the fabric.
func image(d *ir.Device) target.Image {
	m := d.Switch.Model
	v, err := grammar.ParseVersion(d.Switch.Version)
	if err != nil {
		v.Release = grammar.Newest
	}
	box := sim.Box{
		Release: v.Release.String(), HwSKU: firstOf(HwSKUs(m)), Platform: firstOf(Platforms(m)), QoS: sim.Template,
		ASIC: map[platform.Vendor]string{platform.Mellanox: "mellanox", platform.Broadcom: "broadcom"}[m.ASIC.Vendor],
	}
	if n, err := strconv.Atoi(strings.Trim(strings.TrimPrefix(m.ASIC.Name, "spectrum"), "gearbox")); err == nil {
		box.Spectrum = n
	}
	if v.Date != "" {
		box.Build = d.Switch.Version
	}
	box.Ports, box.Lookup = frontPanel(d), lookupText(d)
	s := sim.New(box)
	img := s.Image()
	bridge := target.BridgeOf(d, false, portChannel)
	for _, name := range bridge.Bonds {
		img.Netdevs = append(img.Netdevs, target.Netdev{Name: name})
	}
	cabled := map[string]*ir.Port{}
	for _, p := range d.Ports {
		cabled[p.Name] = p
	}
	for i := range img.Netdevs {
		if p := cabled[img.Netdevs[i].Name]; p != nil {
			n := &img.Netdevs[i]
			n.MTU, n.Down, n.Master = p.MTU(), p.Link().Planned, portChannel(p)
		}
	}
	img.Sims = append(img.Sims, target.RouterOf(d, true), target.AgentOf(d), bridge, target.ForwarderOf(d, 1_800_000))
	return img
}

// lookupText returns the lookup file of a hwsku, from public sources; empty: no source is public. For cables of the fabric it raises
// sizes to rocec's minimum, since SONiC's figures are for an MTU of 9100.
func lookupText(d *ir.Device) string {
	tables, _ := d.Switch.Model.Published()
	if len(tables) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("# speed cable size    xon  xoff    threshold\n")
	for _, row := range tables[0].Rows {
		for _, at := range row.At {
			xoff := at.Bytes
			for _, p := range d.Ports {
				for _, buffer := range p.Buffers() {
					if p.Speed() == row.Speed && p.Link().Length.Known() && p.Link().Length.Metres <= float64(at.Metres) {
						xoff = max(xoff, buffer.Floor)
					}
				}
			}
			const xon = 19456
			size := xon + xoff
			if d.Switch.Model.ASIC.Vendor != platform.Mellanox {
				size = 1248 // a small minimum; the headroom is reserved separately
			}
			fmt.Fprintf(&b, "%d %dm %d %d %d 0\n", row.Speed, at.Metres, size, xon, xoff)
		}
	}
	return b.String()
}

func firstOf(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return names[0]
}

// portChannel returns the name of the bond of a port; empty: none.
func portChannel(p *ir.Port) string {
	switch nic := p.Peer().NIC; {
	case nic != nil && nic.Bond != nil && nic.Bond.Mode != "active-backup":
		return "PortChannel" + strconv.Itoa(1000+8*int(nic.Device.ID)+slices.Index(nic.Device.Host.Bonds, nic.Bond))
	case p.Link().Bond != 0:
		return "PortChannel" + strconv.Itoa(p.Link().Bond)
	}
	return ""
}

// frontPanel returns the ports of a switch: the ports of its model, split where the fabric names a part, with the speeds of their cables.
func frontPanel(d *ir.Device) []sim.Port {
	m := d.Switch.Model
	used := map[int16]map[int16]*ir.Port{}
	for _, p := range d.Ports {
		f := p.Front
		if used[f.Number] == nil {
			used[f.Number] = map[int16]*ir.Port{}
		}
		used[f.Number][f.Sub] = p
	}
	var out []sim.Port
	for _, r := range m.Ports {
		for n := r.First; n <= r.Last; n++ {
			lanes := Lanes(m, n)
			parts := slices.Sorted(maps.Keys(used[int16(n)]))
			step := len(lanes)
			if len(parts) > 0 && parts[0] >= 0 {
				step = stepOf(parts, len(lanes))
			}
			for lane := 0; lane < len(lanes); lane += step {
				f := ir.Front{Number: int16(n), Sub: int16(lane)}
				alias := "etp" + strconv.Itoa(n)
				if step == len(lanes) {
					f.Sub = -1
				} else {
					alias += string(rune('a' + lane/step))
				}
				p := sim.Port{Name: OS.Spell(m, f), Alias: alias, Index: n, SpeedMbps: r.Speed * step / len(lanes), MTU: 9100}
				for _, l := range lanes[lane:min(lane+step, len(lanes))] {
					p.Lanes += "," + strconv.Itoa(l)
				}
				p.Lanes = strings.TrimPrefix(p.Lanes, ",")
				if cable := used[f.Number][f.Sub]; cable != nil {
					p.SpeedMbps, p.MTU = cable.Speed(), cmp.Or(cable.MTU(), p.MTU)
				}
				out = append(out, p)
			}
		}
	}
	return out
}

// stepOf returns the number of lanes of each part of a split port. parts has the first lanes of the used parts.
func stepOf(parts []int16, lanes int) int {
	step := max(lanes/2, 1)
	for _, p := range parts {
		for step > 1 && int(p)%step != 0 {
			step /= 2
		}
	}
	return step
}
