// Package sim simulates the NICs of a host: ports with the driver mlx5_core or mlx4_core ([NIC]), and their reaction to settings. It
// simulates the tools that set and show them: dcb of iproute2, mlnx_qos of the vendor, rdma, and the files of the driver in sysfs, debugfs
// and configfs.
//
// Package sim is an independent judge of the files and commands of rocec: never merge it with the target's table of settings, script
// or reader.
package sim

import (
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"sync"

	"github.com/rocec/rocec/targets/target"
)

// NIC is one port. New adds its counters, firmware and link pause.
type NIC struct {
	target.Netdev
	ID   [2]string  // vendor and device of its PCI function
	RDMA string     // its RDMA device, "mlx5_0"; ports of a bond share one
	IP   netip.Addr // zero: no address

	VLANs map[string]netip.Addr // addresses of the VLAN interfaces above it, or above its bond

	Generation *ConnectX3 // nil: ConnectX-4 or later
}

// NICs contains the NICs of one host, with all their settings.
type NICs struct {
	m      target.Machine
	all    []*nic // in the order of the interfaces
	byName map[string]*nic
	vendor bool // with the vendor's driver
	vfs    int  // virtual functions of each port
}

// Modules lists the kernel modules of the driver.
var Modules = []string{"mlx5_core", "mlx5_ib", "rdma_cm", "rdma_ucm", "ib_core"}

// firmware is a version of the ConnectX-5.
const firmware = "16.35.4030"

// New returns the NICs of one host, with factory settings.
func New(nics []NIC) *NICs {
	s := &NICs{byName: map[string]*nic{}}
	for _, n := range nics {
		n.Pause, n.Firmware, n.Counters = true, firmware, counters()
		c := &nic{NIC: n}
		if n.Generation != nil {
			c.Firmware, c.Counters = firmwareX3, n.Generation.Counters
		}
		s.all = append(s.all, c)
		s.byName[n.Name] = c
	}
	return s
}

// counters are the counters that concern lossless traffic.
var counters = sync.OnceValue(func() []string {
	names := []string{"rx_discards_phy", "rx_out_of_buffer", "tx_pause_storm_warning_events", "tx_pause_storm_error_events"}
	for prio := range 8 {
		n := strconv.Itoa(prio)
		names = append(names, "rx_prio"+n+"_pause", "tx_prio"+n+"_pause", "rx_prio"+n+"_discards", "rx_prio"+n+"_buf_discard",
			"rx_prio"+n+"_cong_discard", "rx_prio"+n+"_packets", "tx_prio"+n+"_packets",
			"rx_prio"+n+"_pause_duration", "tx_prio"+n+"_pause_duration")
	}
	return names
})

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
	m.Folder("/sys/kernel/debug/mlx5")
	for _, c := range s.all {
		c.m = m
		c.reset()
		m.Keep(c.Name, &c.state)
		s.plant(c)
	}
	if s.vendor {
		s.plantVendor()
	}
}

// install installs a program beside the same program for NICs of another driver. The program of this driver runs if there is no other
// program, or if the arguments contain an element of names(), the NICs of this driver. If names is nil, the arguments never name a NIC, and
// both programs run.
func (s *NICs) install(path string, run target.Program, names func() []string) {
	others := s.m.Program(path)
	run = s.locked(run)
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

// locked turns a function into a program that runs under the machine's lock, like one call of the kernel.
func (s *NICs) locked(run target.Program) target.Program {
	return func(p *target.Proc) (status int) {
		s.m.Do(func() { status = run(p) })
		return status
	}
}

// VendorDriver gives the NICs the vendor's driver stack (MLNX_OFED) instead of the kernel's own. It adds the tool mlnx_qos. In
// sysfs it adds the files of ECN, traffic_class, ttl and roce_enable, and vf_roce for each of vfs virtual functions.
func (s *NICs) VendorDriver(vfs int) {
	s.m.Do(func() {
		s.vendor, s.vfs = true, vfs
		s.plantVendor()
	})
}

func (s *NICs) plantVendor() {
	for _, c := range s.all {
		c.VFs = slices.Repeat([]bool{true}, s.vfs)
		c.plantVendor()
	}
	s.m.Install("/usr/bin/mlnx_qos", s.locked(s.mlnxQos))
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

// find returns the port with a name, or the kernel's error for a request about its priorities.
func (s *NICs) find(name string) (*nic, error) {
	if c := s.byName[name]; c != nil {
		return c, nil
	}
	if _, ok := s.m.Netdev(name); ok {
		return nil, target.EOPNOTSUPP
	}
	return nil, target.ENODEV
}

// owner returns the port of an RDMA device: for a RoCE LAG the first port; nil: there is no such device.
func (s *NICs) owner(rdma string) *nic {
	if i := slices.IndexFunc(s.all, func(c *nic) bool { return c.RDMA == rdma }); i >= 0 {
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
