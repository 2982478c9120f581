// Package sim simulates the NICs of a host with the driver mlx5_core ([NICs]): the rules of the driver, its files in debugfs, and with the
// vendor's driver stack the tool mlnx_qos and further files in sysfs. Package nic/sim simulates everything that other drivers have too.
//
// Package sim is an independent judge of the files and commands of rocec: never merge it with the target's table of settings, script
// or reader.
package sim

import (
	"slices"

	"github.com/rocec/rocec/targets/nic/mlx5/sim/mstflint"
	nicsim "github.com/rocec/rocec/targets/nic/sim"
	"github.com/rocec/rocec/targets/target"
)

// NICs contains the NICs of one host, with all their settings.
type NICs struct {
	*nicsim.NICs
	m      target.Machine
	all    []*card // in the order of the interfaces
	vendor bool    // with the vendor's driver
	vfs    int     // virtual functions of each port
	tools  bool    // with mstflint, and all parameters of DCQCN
}

// card is one port with the settings that only this driver has.
type card struct {
	*nicsim.Port
	m target.Machine
	state
}

// state contains the settings of a port that only this driver has.
type state struct {
	RateLimit [8]int
	NP, RP    [8]bool
	CNPDSCP   int
	CNPPrio   int
	CNPMode   int // 0: CNPs have the priority CNPPrio
	CNPEvery  int
	TTL       int
	Rules     []string
	VFs       []bool
	Stored    []mstflint.Parameter // a restart of the host makes the card use them
	CC        []mstflint.Parameter // the parameters of DCQCN that debugfs shows only with Tools
}

// Valid implements [target.State].
func (s *state) Valid() bool {
	return s.TTL >= 0 && s.TTL <= 255 && s.CNPDSCP >= 0 && s.CNPDSCP < 64 && len(s.Rules) <= 40 && s.CNPEvery >= 0 &&
		s.CNPPrio >= 0 && s.CNPPrio < 8 && s.CNPMode >= 0 && s.CNPMode < 2 && len(s.Stored) == len(mstflint.Factory()) &&
		len(s.CC) == len(mstflint.DCQCN())
}

// Modules lists the kernel modules of the driver.
var Modules = []string{"mlx5_core", "mlx5_ib", "rdma_cm", "rdma_ucm", "ib_core"}

// New returns the NICs of one host, with factory settings and the kernel's driver.
func New(nics []nicsim.NIC) *NICs {
	mlx5 := driver()
	for i := range nics {
		nics[i].Driver = mlx5
	}
	s := &NICs{NICs: nicsim.New(nics)}
	for _, p := range s.Ports() {
		s.all = append(s.all, &card{Port: p})
	}
	return s
}

// Boot implements [target.Sim].
func (s *NICs) Boot(m target.Machine) {
	s.NICs.Boot(m)
	s.m = m
	m.Folder("/sys/kernel/debug/mlx5")
	for _, c := range s.all {
		c.m = m
		c.reset()
		m.Keep(c.Name+" mlx5", &c.state)
		c.plant()
	}
	if s.tools {
		s.plantTools()
	}
	if s.vendor {
		s.plantVendor()
	}
}

// Tools gives the host mstflint, and the driver the files of every parameter of DCQCN.
func (s *NICs) Tools() { s.tools = true }

// plantTools installs mstconfig and mstfwreset, and writes the further files of DCQCN in debugfs.
func (s *NICs) plantTools() {
	var ports []mstflint.Port
	for _, c := range s.all {
		ports = append(ports, mstflint.Port{PCI: c.PCI, Stored: &c.Stored, Reset: func() { c.Flaps++ }})
		for i := range c.CC {
			c.number("/sys/kernel/debug/mlx5/"+c.PCI+"/cc_params/"+c.CC[i].Name, &c.CC[i].Now, 1<<32-1)
		}
	}
	config, reset := mstflint.Tools(ports)
	s.m.Install("/usr/bin/mstconfig", nicsim.Locked(s.m, config))
	s.m.Install("/usr/bin/mstfwreset", nicsim.Locked(s.m, reset))
}

// reset sets a port to the driver's initial state. No document states the first CNP mode of the firmware; here it is the mode in which the
// number has no effect.
func (c *card) reset() {
	kept := c.Stored
	if kept == nil {
		kept = mstflint.Factory()
	}
	c.state = state{CNPDSCP: 48, CNPPrio: 6, CNPMode: 1, CNPEvery: 4, Stored: kept, CC: mstflint.DCQCN()}
	mstflint.Reload(c.Stored)
	for i := range 8 {
		c.NP[i], c.RP[i] = true, true
	}
}

// number plants a file of a number from 0 to top.
func (c *card) number(path string, v *int, top int) {
	c.m.Plant(path, target.NumberNode(func() int { return *v }, nicsim.UpTo(v, top)))
}

// plant writes the files of the driver in debugfs.
func (c *card) plant() {
	cc := "/sys/kernel/debug/mlx5/" + c.PCI + "/cc_params"
	c.number(cc+"/np_cnp_dscp", &c.CNPDSCP, 63)
	// cong.c: a write of the number sets the mode to 0. A write of the mode also sets the number to 0: both have one bit in the mask.
	c.m.Plant(cc+"/np_cnp_prio", target.NumberNode(func() int { return c.CNPPrio }, cnpPrio(&c.CNPPrio, &c.CNPMode)))
	c.m.Plant(cc+"/np_cnp_prio_mode", target.NumberNode(func() int { return c.CNPMode }, func(v int) error {
		c.CNPPrio = 0
		return nicsim.UpTo(&c.CNPMode, 1)(v)
	}))
	c.number(cc+"/np_min_time_between_cnps", &c.CNPEvery, 4095)
}

// find returns the port with a name, or the kernel's error for a request about its priorities.
func (s *NICs) find(name string) (*card, error) {
	p, err := s.Find(name)
	if err != nil {
		return nil, err
	}
	return s.all[slices.IndexFunc(s.all, func(c *card) bool { return c.Port == p })], nil
}
