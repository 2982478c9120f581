// Package sim simulates the NICs of a host ([NIC]) for every driver: their reaction to settings, the tools of Linux that set and show them
// (dcb and rdma of iproute2, ibv_devinfo, ib_write_bw), and the files of the kernel in sysfs and configfs. The rules of a driver come from
// its family, as a [Driver].
//
// Package sim is an independent judge of the files and commands of rocec: never merge it with a target's table of settings, script
// or reader.
package sim

import (
	"maps"
	"net/netip"
	"slices"

	"github.com/rocec/rocec/targets/target"
)

// NIC is one port. New adds its counters, firmware and link pause.
type NIC struct {
	target.Netdev
	ID   [2]string  // vendor and device of its PCI function
	RDMA string     // its RDMA device, "mlx5_0"; ports of a bond share one
	IP   netip.Addr // zero: no address

	VLANs map[string]netip.Addr // addresses of the VLAN interfaces above it, or above its bond

	Driver *Driver
}

// NICs contains the NICs of one host, with all their settings.
type NICs struct {
	m      target.Machine
	all    []*Port // in the order of the interfaces
	byName map[string]*Port
}

// New returns the NICs of one host, with factory settings.
func New(nics []NIC) *NICs {
	s := &NICs{byName: map[string]*Port{}}
	for _, n := range nics {
		n.Pause, n.Firmware, n.Counters = true, n.Driver.Firmware, n.Driver.Counters
		c := &Port{NIC: n}
		s.all = append(s.all, c)
		s.byName[n.Name] = c
	}
	return s
}

// Ports returns the ports in the order of the interfaces.
func (s *NICs) Ports() []*Port { return s.all }

// Netdevs returns the interfaces of the NICs.
func (s *NICs) Netdevs() []target.Netdev {
	var out []target.Netdev
	for _, c := range s.all {
		out = append(out, c.Netdev)
	}
	return out
}

// Boot implements [target.Sim].
func (s *NICs) Boot(m target.Machine) {
	s.m = m
	s.install("/usr/sbin/dcb", s.dcb, s.netdevs)
	s.install("/usr/bin/rdma", s.rdma, nil)
	s.install("/usr/bin/ibv_devinfo", s.devinfo, s.devices)
	s.install("/usr/bin/ib_write_bw", s.writeBW, s.devices)
	m.Folder("/sys/class/infiniband")
	for _, c := range s.all {
		c.m = m
		c.reset()
		m.Keep(c.Name, &c.Settings)
		s.plant(c)
		if c.Driver.Plant != nil {
			c.Driver.Plant(m, c)
		}
	}
}

// install installs a program beside the same program for NICs of another driver. The program of this driver runs if there is no other
// program, or if the arguments contain an element of names(), the NICs of this driver. If names is nil, the arguments never name a NIC, and
// both programs run.
func (s *NICs) install(path string, run target.Program, names func() []string) {
	others := s.m.Program(path)
	run = Locked(s.m, run)
	s.m.Install(path, func(p *target.Proc) int {
		switch {
		case others == nil:
			return run(p)
		case names == nil:
			if status := others(p); status != 0 {
				return status
			}
			return run(p)
		case slices.ContainsFunc(names(), func(name string) bool { return slices.Contains(p.Args, name) }):
			return run(p)
		}
		return others(p)
	})
}

func (s *NICs) netdevs() []string { return slices.Sorted(maps.Keys(s.byName)) }

func (s *NICs) devices() []string {
	var out []string
	for _, c := range s.all {
		out = append(out, c.RDMA)
	}
	return out
}

// Locked turns a function into a program that runs under the machine's lock, like one call of the kernel.
func Locked(m target.Machine, run target.Program) target.Program {
	return func(p *target.Proc) (status int) {
		m.Do(func() { status = run(p) })
		return status
	}
}

// Flaps returns how often settings bounced the link of an interface.
func (s *NICs) Flaps(netdev string) (n int) {
	s.m.Do(func() {
		if c := s.byName[netdev]; c != nil {
			n = c.Flaps
		}
	})
	return n
}

// RDMA returns the RDMA device of an interface.
func (s *NICs) RDMA(netdev string) string { return s.byName[netdev].RDMA }

// Find returns the port with a name, or the kernel's error for a request about its priorities.
func (s *NICs) Find(name string) (*Port, error) {
	if c := s.byName[name]; c != nil {
		return c, nil
	}
	if _, ok := s.m.Netdev(name); ok {
		return nil, target.EOPNOTSUPP
	}
	return nil, target.ENODEV
}

// owner returns the port of an RDMA device: for a RoCE LAG the first port; nil: there is no such device.
func (s *NICs) owner(rdma string) *Port {
	if i := slices.IndexFunc(s.all, func(c *Port) bool { return c.RDMA == rdma }); i >= 0 {
		return s.all[i]
	}
	return nil
}

// Holds implements [target.Holder].
func (s *NICs) Holds(addr netip.Addr) (netdev string, ok bool) {
	for _, c := range s.all {
		if c.IP == addr {
			return c.Name, true
		}
		for _, vlan := range c.NIC.VLANs {
			if vlan == addr {
				return c.Name, true
			}
		}
	}
	return "", false
}
