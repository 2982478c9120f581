package nic

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/target"
)

// Port describes one port of a simulated host, for the simulation of its driver.
type Port struct {
	target.Netdev
	Model *ir.NICModel
	Tuned bool       // the fabric states its parameters, so its host has the tools for them
	RDMA  string     // its RDMA device, "rocep3s0f0"; ports of a bond share one
	IP    netip.Addr // zero: no address

	VLANs map[string]netip.Addr // addresses of the VLAN interfaces above it, or above its bond
}

// Sim simulates the NICs of a host, with their driver and tools.
type Sim interface {
	target.Sim

	// Netdevs returns the interfaces that the driver creates for the NICs.
	Netdevs() []target.Netdev
}

// image returns the simulation of a host before rocec. The host runs a current Linux with the kernel's driver, and has the NICs of the
// family, their bonds and their VLAN interfaces.
func (f *Family) image(d *ir.Device) target.Image {
	var ports []Port
	virtual := map[string]target.Netdev{"eth0": {Name: "eth0"}}
	for i, n := range d.Host.NICs {
		if n.Model.Driver != f.Driver {
			continue
		}
		bus := 3 + i // ports of one card are functions of one PCI device
		fn := 0
		netdev, rdma := n.Name, fmt.Sprintf("rocep%ds%df%d", bus, 0, fn) // the name that rdma-core derives from the PCI address
		if b := n.Bond; b != nil {
			card := slices.Index(d.Host.NICs, b.NICs[0])
			bus, fn = 3+card, slices.Index(b.NICs, n)
			rdma = fmt.Sprintf("%s%d", f.BondRDMA, slices.Index(d.Host.Bonds, b))
			netdev = b.Name
		}
		speed := n.Model.Speed
		if n.Port != nil && n.Port.Speed() > 0 {
			speed = n.Port.Speed()
		}
		port := Port{
			Netdev: target.Netdev{
				Name:      n.Name,
				Driver:    cmp.Or(f.Module, "virtio_net"), // a family without a module accepts any driver
				PCI:       fmt.Sprintf("0000:%02x:00.%d", bus, fn),
				MTU:       cmp.Or(n.MTU, 1500),
				SpeedMbps: speed,
				Down:      n.Port != nil && n.Port.Link().Planned,
			},
			Model: n.Model,
			Tuned: n.Parameters != nil,
			RDMA:  rdma,
		}
		if port.Tuned && n.Parameters.Stall != nil {
			port.Stall = "8000"
		}
		if netdev != n.Name {
			port.Master = netdev
			virtual[netdev] = target.Netdev{Name: netdev}
		}
		port.IP = given(d.ID, i)
		if n.IP.IsValid() {
			port.IP = n.IP.Addr()
		}
		port.VLANs = map[string]netip.Addr{}
		for k, in := range n.Carries() {
			if in.VLAN > 0 {
				name := fmt.Sprintf("%s.%d", netdev, in.VLAN)
				port.VLANs[name] = given(d.ID, len(d.Host.NICs)+i+k)
				if n.CreateVLAN && n.VLANIP.IsValid() {
					port.VLANs[name] = n.VLANIP.Addr()
				}
				if !n.CreateVLAN {
					virtual[name] = target.Netdev{Name: name, Parent: netdev, VLAN: in.VLAN}
				}
			}
		}
		ports = append(ports, port)
	}
	for _, n := range d.Host.NICs { // the fabric may contain eth0
		delete(virtual, n.Name)
	}
	sim := f.Sim(ports)
	netdevs := sim.Netdevs()
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
		Modules:  f.Modules,
		Sims:     []target.Sim{sim, agent(d), target.ForwarderOf(d, 30_000)},
	}
}

// given returns the DHCP address of an interface whose address the fabric does not state. It is in 198.18.0.0/15, which is reserved for
// tests of networks (RFC 2544).
func given(host, nth int) netip.Addr {
	n := 1 + (host*32+nth)%(1<<17-2)
	return netip.AddrFrom4([4]byte{198, 18 + byte(n>>16), byte(n >> 8), byte(n)})
}
