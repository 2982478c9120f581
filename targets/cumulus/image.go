package cumulus

import (
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/targets/cumulus/grammar"
	"github.com/rocec/rocec/targets/cumulus/sim"
	"github.com/rocec/rocec/targets/cumulus/steps"
	"github.com/rocec/rocec/targets/target"
)

// factory contains the factory files of each dialect: traffic.conf, or qos_features.conf and qos_infra.conf, with settings and commented
// templates. It also contains datapath.conf for each family of chips, with the published keys. The texts are our own words.
//
//go:embed factory/*.conf
var factory embed.FS

// image returns the simulation of a switch with its factory settings.
func image(d *ir.Device) target.Image {
	sw := d.Switch
	img := Chassis(d)
	family := "bcm"
	if sw.Model.ASIC.Vendor == platform.Mellanox {
		family = "mlx"
	}
	switchd := sim.Config{Conf: Path, Unit: steps.Unit}
	r, doc, ok := documented(sw.Version)
	switch infra, _ := grammar.Infra(r); {
	case ok && split(r):
		switchd.Conf, switchd.Infra = featuresPath, infraPath
		img.Files[infraPath] = factoryFile(infra.Dialect())
	default:
		img.Files[memoryPaths(sw.Model.ASIC)[0]] = factoryFile("datapath-" + family)
	}
	if ok {
		img.Files[switchd.Conf] = factoryFile(doc.Dialect())
		switchd.Checker = hasChecker(r)
		if reloads(r, sw.Model.ASIC) {
			switchd.Reload = steps.ReloadNode
		}
	}
	img.Sims = append([]target.Sim{sim.New(switchd)}, img.Sims...)
	return img
}

// Chassis returns the simulation of a switch with its factory settings, without switchd and without the files of switchd.
func Chassis(d *ir.Device) target.Image {
	sw := d.Switch
	rel, ok := grammar.ParseRelease(sw.Version)
	bridge := target.BridgeOf(d, strings.HasPrefix(sw.Version, "3."), master)
	img := target.Image{
		Files: map[string]string{
			"/etc/os-release": fmt.Sprintf("NAME=\"Cumulus Linux\"\nVERSION_ID=%[1]s\nVERSION=\"Cumulus Linux %[1]s\"\n"+
				"PRETTY_NAME=\"Cumulus Linux\"\nID=cumulus-linux\nID_LIKE=debian\n", sw.Version),
			"/etc/lsb-release": fmt.Sprintf("DISTRIB_ID=\"Cumulus Linux\"\nDISTRIB_RELEASE=%[1]s\n"+
				"DISTRIB_DESCRIPTION=\"Cumulus Linux %[1]s\"\n", sw.Version),
			portsConf: portsFile(d),
		},
		Sims: []target.Sim{
			target.RouterOf(d, ok && rel.AtLeast(4, 0)), target.AgentOf(d), bridge,
			target.ForwarderOf(d, 1_080_000),
		}, Systemd: 241, // Debian 10, the base of 4.x
	}
	if strings.HasPrefix(sw.Version, "3.") {
		img.Systemd = 215 // Debian 8
	}
	if sw.MLAG != "" {
		img.Sims = append(img.Sims, pair(d))
	}
	for _, name := range bridge.Bonds {
		img.Netdevs = append(img.Netdevs, target.Netdev{Name: name})
	}
	cabled := map[string]*ir.Port{}
	for _, p := range d.Ports {
		cabled[p.Name] = p
	}
	for _, name := range append([]string{"eth0"}, frontPanel(d)...) {
		n := target.Netdev{Name: name, Counters: counters()}
		if p := cabled[name]; p != nil {
			n.MTU, n.SpeedMbps, n.Down, n.Master = p.MTU(), p.Speed(), p.Link().Planned, master(p)
		}
		img.Netdevs = append(img.Netdevs, n)
	}
	return img
}

// Bonded reports whether a port must be in a bond: opposite a host's bond that balances, or between switches.
func Bonded(p *ir.Port) bool { return master(p) != "" }

// master returns the name of a port's bond; empty: the port needs no bond. It needs one opposite a host's bond that balances, and between
// switches with a bond. Names of interfaces have at most 15 letters. NVUE would read a name with a dash as a range.
func master(p *ir.Port) string {
	switch nic := p.Peer().NIC; {
	case nic != nil && nic.Bond != nil && nic.Bond.Mode != "active-backup":
		host := nic.Device
		return fmt.Sprintf("bond%d_%d", host.ID, slices.Index(host.Host.Bonds, nic.Bond))
	case p.Link().Bond != 0:
		return fmt.Sprintf("lag%d", p.Link().Bond)
	}
	return ""
}

// portsFile returns the file that splits ports, with the splits of the fabric.
func portsFile(d *ir.Device) string {
	parts := map[int]int{}
	for _, name := range frontPanel(d) {
		if p, ok := grammar.ParsePort(name); ok && p.Sub >= 0 {
			parts[p.N]++
		}
	}
	var b strings.Builder
	b.WriteString("# how ports are split; without a line, as the platform has them\n")
	for _, n := range slices.Sorted(maps.Keys(parts)) {
		fmt.Fprintf(&b, "%d=%dx\n", n, parts[n])
	}
	return b.String()
}

// pair returns the simulated clagd, with the ports of the switch to the other switch of the MLAG pair.
func pair(d *ir.Device) *sim.Pair {
	out := &sim.Pair{}
	for _, p := range sorted(d.Ports) {
		if peer := p.ir.Peer().Device().Switch; peer != nil && peer.MLAG == d.Switch.MLAG {
			out.Ports = append(out.Ports, p.port.String())
		}
	}
	return out
}

// counters are the counters of a port that concern lossless traffic.
var counters = sync.OnceValue(func() []string {
	names := []string{
		"HwIfInPausePkt", "HwIfOutPausePkt", "HwIfInBufferDrops", "HwIfInDiscards", "HwIfOutDiscards", "HwIfOutQDrops",
		"HwIfOutWredDrops",
	}
	for priority := range 8 {
		names = append(names, fmt.Sprintf("HwIfInPfc%dPkt", priority), fmt.Sprintf("HwIfOutPfc%dPkt", priority))
	}
	return names
})

func factoryFile(tag string) string {
	b, err := factory.ReadFile("factory/" + strings.ToLower(tag) + ".conf")
	if err != nil {
		panic("cumulus: no factory file of dialect " + tag)
	}
	return string(b)
}

// frontPanel names the ports of a switch: the ports of its model. A port is split if the fabric names one of its parts, into as few parts
// as that part requires.
func frontPanel(d *ir.Device) []string {
	last := map[int]int{} // by port: its highest named part
	for _, p := range sorted(d.Ports) {
		if p.port.Sub >= 0 {
			last[p.port.N] = max(last[p.port.N], p.port.Sub)
		}
	}
	var out []string
	for _, r := range d.Switch.Model.Ports {
		for n := r.First; n <= r.Last; n++ {
			sub, split := last[n]
			if !split {
				out = append(out, grammar.Port{N: n, Sub: -1}.String())
				continue
			}
			_, lanes := r.Split(sub)
			for k := range r.Lanes / lanes {
				out = append(out, grammar.Port{N: n, Sub: k}.String())
			}
		}
	}
	return out
}
