package mlx5

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic/mlx5/sim"
	"github.com/rocec/rocec/targets/target"
)

// image is a host as it comes from the factory: a current Linux with its own driver, the NICs of the fabric, and the
// bonds and VLAN interfaces that its network configuration would make.
func image(d *ir.Device) target.Image {
	var ports []sim.NIC
	virtual := map[string]target.Netdev{"eth0": {Name: "eth0"}}
	if d.Host != nil {
		for i, n := range d.Host.NICs {
			bus := 3 + i // ports of one card are functions of one PCI device
			fn := 0
			netdev, rdma := n.Name, fmt.Sprintf("rocep%ds%df%d", bus, 0, fn) // how rdma-core names a device by its place
			if b := n.Bond; b != nil {
				card := slices.Index(d.Host.NICs, b.NICs[0])
				bus, fn = 3+card, slices.Index(b.NICs, n)
				rdma = fmt.Sprintf("mlx5_bond_%d", slices.Index(d.Host.Bonds, b))
				netdev = b.Name
			}
			port := sim.NIC{
				Netdev: target.Netdev{
					Name:      n.Name,
					Driver:    driver,
					PCI:       fmt.Sprintf("0000:%02x:00.%d", bus, fn),
					MTU:       cmp.Or(n.MTU, 1500),
					SpeedMbps: n.Model.Speed,
				},
				RDMA: rdma,
			}
			if netdev != n.Name {
				port.Master = netdev
				virtual[netdev] = target.Netdev{Name: netdev}
			}
			if n.IP.IsValid() {
				port.IP = n.IP.Addr()
			}
			ports = append(ports, port)
			if s := lower(n); s.vlan > 0 {
				name := fmt.Sprintf("%s.%d", netdev, s.vlan)
				virtual[name] = target.Netdev{Name: name, Parent: netdev, VLAN: s.vlan}
			}
		}
	}
	for _, p := range ports { // eth0 may be one of the fabric's own
		delete(virtual, p.Name)
	}
	nics := sim.New(ports)
	netdevs := nics.Netdevs()
	for _, name := range slices.Sorted(maps.Keys(virtual)) {
		netdevs = append(netdevs, virtual[name])
	}
	return target.Image{
		Files: map[string]string{
			"/etc/os-release": "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nNAME=\"Debian GNU/Linux\"\nVERSION_ID=\"12\"\n" +
				"VERSION=\"12 (bookworm)\"\nID=debian\n",
		},
		Services: []string{"ssh.service"},
		Netdevs:  netdevs,
		Modules:  sim.Modules,
		Sims:     []target.Sim{nics},
	}
}
