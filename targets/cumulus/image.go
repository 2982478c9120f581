package cumulus

import (
	"embed"
	"fmt"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/targets/cumulus/grammar"
	"github.com/rocec/rocec/targets/cumulus/sim"
	"github.com/rocec/rocec/targets/target"
)

// factory holds traffic.conf as each dialect's releases ship it: the same settings, in the same order, with templates
// commented out; and datapath.conf of each family of chips, with the keys that are published. The words are ours.
//
//go:embed factory/*.conf
var factory embed.FS

// image is a switch as it comes from the factory.
func image(d *ir.Device) target.Image {
	sw := d.Switch
	files := map[string]string{
		"/etc/os-release": fmt.Sprintf("NAME=\"Cumulus Linux\"\nVERSION_ID=%[1]s\nVERSION=\"Cumulus Linux %[1]s\"\n"+
			"PRETTY_NAME=\"Cumulus Linux\"\nID=cumulus-linux\nID_LIKE=debian\n", sw.Version),
		"/etc/lsb-release": fmt.Sprintf("DISTRIB_ID=\"Cumulus Linux\"\nDISTRIB_RELEASE=%[1]s\nDISTRIB_DESCRIPTION=\"Cumulus Linux %[1]s\"\n", sw.Version),
	}
	family := "bcm"
	if sw.Model.ASIC.Vendor == platform.Mellanox {
		family = "mlx"
	}
	files[memoryPaths(sw.Model.ASIC)[0]] = factoryFile("datapath-" + family)
	switchd := sim.Config{Conf: Path, Unit: unit}
	if r, doc, ok := documented(sw.Version); ok {
		files[Path] = factoryFile(doc.Dialect())
		switchd.Checker = hasChecker(r)
		if reloads(r, sw.Model.ASIC) {
			switchd.Reload = reloadNode
		}
	}
	img := target.Image{Files: files, Sims: []target.Sim{sim.New(switchd), neighbours(d)}, Systemd: 241} // Debian 10, of 4.x
	if strings.HasPrefix(sw.Version, "3.") {
		img.Systemd = 215 // Debian 8
	}
	planned := map[string]bool{}
	for _, p := range d.Ports {
		planned[p.Name] = p.Link.Planned
	}
	for _, name := range append([]string{"eth0"}, frontPanel(d)...) {
		img.Netdevs = append(img.Netdevs, target.Netdev{Name: name, Counters: counters, Down: planned[name]})
	}
	return img
}

// neighbours are the switches that a switch is cabled to.
func neighbours(d *ir.Device) *sim.Neighbours {
	r, ok := grammar.ParseRelease(d.Switch.Version)
	n := &sim.Neighbours{AS: d.Switch.ASN, MLAG: d.Switch.MLAG != "", Families: ok && r.AtLeast(4, 0)}
	for _, p := range sorted(d.Ports) {
		peer := p.ir.Peer()
		if peer.Device.Switch == nil {
			continue
		}
		n.All = append(n.All, sim.Neighbour{
			Port: p.port.String(), Peer: peer.Device.Name, PeerPort: peer.Name,
			BGP: p.ir.Link.Routed && d.Switch.ASN > 0 && peer.Device.Switch.ASN > 0, RemoteAS: peer.Device.Switch.ASN,
			MLAGMember: n.MLAG && peer.Device.Switch.MLAG == d.Switch.MLAG,
		})
	}
	return n
}

// counters are those of a port that tell of lossless traffic.
var counters = func() []string {
	names := []string{
		"HwIfInPausePkt", "HwIfOutPausePkt", "HwIfInBufferDrops", "HwIfInDiscards", "HwIfOutDiscards", "HwIfOutQDrops",
		"HwIfOutWredDrops",
	}
	for priority := range 8 {
		names = append(names, fmt.Sprintf("HwIfInPfc%dPkt", priority), fmt.Sprintf("HwIfOutPfc%dPkt", priority))
	}
	return names
}()

func factoryFile(tag string) string {
	b, err := factory.ReadFile("factory/" + strings.ToLower(tag) + ".conf")
	if err != nil {
		panic("cumulus: no factory file of dialect " + tag)
	}
	return string(b)
}

// frontPanel names the ports of a switch: those of its model, split where the fabric names a part.
func frontPanel(d *ir.Device) []string {
	split := map[int]bool{}
	for _, p := range sorted(d.Ports) {
		if p.port.Sub >= 0 {
			split[p.port.N] = true
		}
	}
	var out []string
	for _, r := range d.Switch.Model.Ports {
		for n := r.First; n <= r.Last; n++ {
			if !split[n] {
				out = append(out, grammar.Port{N: n, Sub: -1}.String())
				continue
			}
			for k := range r.Lanes {
				out = append(out, grammar.Port{N: n, Sub: k}.String())
			}
		}
	}
	return out
}
