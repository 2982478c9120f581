package hostnic

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/target"
)

// image is a host as it comes from the factory: a current Linux with its own driver, the NICs of the fabric, and the
// bonds and VLAN interfaces that its network configuration would make.
func image(d *ir.Device) target.Image {
	img := target.Image{
		Files: map[string]string{
			"/etc/os-release": "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nNAME=\"Debian GNU/Linux\"\nVERSION_ID=\"12\"\n" +
				"VERSION=\"12 (bookworm)\"\nID=debian\n",
		},
		Services: []string{"ssh.service"},
		Ports:    []string{"eth0"},
	}
	if d.Host == nil {
		return img
	}
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
		master, ip := "", ""
		if netdev != n.Name {
			master = netdev
		}
		if n.IP.IsValid() {
			ip = n.IP.Addr().String()
		}
		img.NICs = append(img.NICs, target.LabNIC{
			Master:    master,
			IP:        ip,
			Netdev:    n.Name,
			RDMA:      rdma,
			Driver:    driver,
			PCI:       fmt.Sprintf("0000:%02x:00.%d", bus, fn),
			MTU:       cmp.Or(n.MTU, 1500),
			SpeedMbps: n.Model.Speed,
		})
		if s := lower(n); s.vlan > 0 {
			img.Ports = append(img.Ports, fmt.Sprintf("%s.%d", netdev, s.vlan))
		}
		if netdev != n.Name {
			img.Ports = append(img.Ports, netdev)
		}
	}
	slices.Sort(img.Ports)
	img.Ports = slices.DeleteFunc(slices.Compact(img.Ports), func(name string) bool { // eth0 may be one of the fabric's own
		return slices.ContainsFunc(d.Host.NICs, func(n *ir.NIC) bool { return n.Name == name })
	})
	return img
}
