package ice

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/nic/sim"
	"github.com/rocec/rocec/targets/target"
)

// nics contains the NICs of one host. Firmware and hardware come from the factory: the agent for LLDP and DCBX runs.
type nics struct{ *sim.NICs }

// simulate returns the simulation of the NICs of a host.
func simulate(ports []nic.Port) nic.Sim {
	ice := simulated()
	all := make([]sim.NIC, len(ports))
	for i, p := range ports {
		id := [2]string{"0x8086", "0x1592"}
		if strings.HasPrefix(p.Model.Name, "e830") {
			id[1] = "0x12d2"
		}
		all[i] = sim.NIC{Netdev: p.Netdev, ID: id, RDMA: p.RDMA, IP: p.IP, VLANs: p.VLANs, Driver: ice}
	}
	return &nics{sim.New(all)}
}

// stopped is the name of the setting of a port that the agent of its firmware does not run. The firmware keeps it over a restart.
const stopped = "stopped"

// Boot implements [target.Sim].
func (s *nics) Boot(m target.Machine) {
	kept := map[*sim.Port]int{}
	for _, p := range s.Ports() {
		kept[p] = p.Own[stopped]
	}
	s.NICs.Boot(m)
	for _, p := range s.Ports() {
		p.Own[stopped] = kept[p]
		restart(p)
		m.PrivateFlag(p.Name, "fw-lldp-agent", target.Flag{
			Get: func() bool { return p.Own[stopped] == 0 },
			Set: func(on bool) error {
				if on && len(p.Maps()) > 0 {
					return target.EOPNOTSUPP // ice_set_priv_flags: the port uses DSCP
				}
				p.Own[stopped] = 1
				if on {
					p.Own[stopped] = 0
				}
				restart(p)
				return nil
			},
		})
	}
	m.Install("/usr/sbin/devlink", s.devlink(m))
}

// devlink simulates devlink dev param with enable_roce and enable_iwarp, which exclude each other (ice_devlink_enable_roce_validate).
func (s *nics) devlink(m target.Machine) target.Program {
	return sim.Locked(m, func(p *target.Proc) int {
		args := p.Args[1:]
		if len(args) < 6 || args[0] != "dev" || args[1] != "param" || args[4] != "name" ||
			args[5] != "enable_roce" && args[5] != "enable_iwarp" {
			return p.Fail(1, "devlink answers: Invalid argument")
		}
		i := slices.IndexFunc(s.Ports(), func(c *sim.Port) bool { return "pci/"+c.PCI == args[3] })
		if i < 0 {
			return p.Fail(1, "devlink answers: No such device")
		}
		c, roce := s.Ports()[i], args[5] == "enable_roce"
		on := roce && c.RoCE || !roce && c.Own["iwarp"] == 1
		switch {
		case args[2] == "show":
			p.Print(fmt.Sprintf("%s:\n  name %s type generic\n    values:\n      cmode runtime value %t\n", args[3], args[5], on))
		case args[2] != "set" || len(args) != 10 || args[6] != "value" || args[8] != "cmode" || args[9] != "runtime":
			return p.Fail(1, "devlink answers: Invalid argument")
		case !p.Root:
			return p.Fail(1, "devlink answers: Operation not permitted")
		case args[7] == "true" && !on && (c.RoCE || c.Own["iwarp"] == 1):
			return p.Fail(1, "devlink answers: Operation not supported")
		case roce:
			c.RoCE = args[7] == "true"
		default:
			c.Own["iwarp"] = map[bool]int{true: 1}[args[7] == "true"]
		}
		return 0
	})
}

// simulated returns ice. Its rules are those of ice_dcb_nl.c and ice_dcb_lib.c.
func simulated() *sim.Driver {
	return &sim.Driver{
		Firmware: "4.40 0x8001c7d4 1.3534.0",
		Board:    [2]string{"E810", "INTEL_8086_0001"},
		Counters: portCounters(),
		RDMA: sim.Counters{
			HW:   []string{"RxECNMrkd", "cnpSent", "cnpHandled", "cnpIgnored", "ip4InDiscards", "ip6InDiscards", "rxVlanErrors"},
			Port: []string{"port_xmit_packets", "port_rcv_packets"},
		},
		Names: sim.Names{
			RxPause: "rx_priority_%d_xoff.nic", TxPause: "tx_priority_%d_xoff.nic",
			Marked: "RxECNMrkd", CNPSent: "cnpSent", CNPHandled: "cnpHandled",
		},
		Reset:      defaults,
		TrustsDSCP: func(p *sim.Port) bool { return len(p.Maps()) > 0 },
		SetPFC: func(p *sim.Port, mask [8]bool, _ int) error {
			if shut(p) {
				return target.EINVAL
			}
			if mask != p.PFC {
				p.Flaps++
			}
			p.PFC = mask
			return nil
		},
		SetETS:  setETS,
		AddApp:  addApp,
		DelApp:  delApp,
		SetDCBX: setDCBX,
	}
}

// defaults sets ice_dcb_sw_dflt_cfg: one class for all priorities.
func defaults(s *sim.Settings) {
	s.ETS = sim.ETS{TSA: [8]string{"ets"}, BW: [8]int{100}}
	for i := 1; i < 8; i++ {
		s.TSA[i] = "strict"
	}
	s.PFC = [8]bool{}
}

// restart is what DCB does where the agent of the firmware starts or stops (ice_init_pf_dcb).
func restart(p *sim.Port) {
	defaults(&p.Settings)
	p.DCBX = sim.DCBXIEEE | sim.DCBXHost
	if p.Own[stopped] == 0 {
		p.DCBX = sim.DCBXIEEE | sim.DCBXLLD
	}
}

// shut reports whether the driver refuses every change of DCB: the firmware decides, the mode is not IEEE, or the port is in a bond.
func shut(p *sim.Port) bool {
	return p.DCBX&sim.DCBXLLD != 0 || p.DCBX&sim.DCBXIEEE == 0 || p.Now().Master != ""
}

// setETS simulates ice_dcbnl_setets and ice_dcb_bwchk: with DSCP the classes of priorities stay, and the shares of the classes in use sum
// to 100 or 0.
func setETS(p *sim.Port, e sim.ETS) error {
	if shut(p) {
		return target.EINVAL
	}
	if len(p.Maps()) > 0 {
		e.TCOf = p.TCOf
	}
	count, sum := 0, 0
	for slices.Contains(e.TCOf[:], count) {
		sum += e.BW[count]
		count++
	}
	if slices.Max(e.TCOf[:]) >= count {
		count = 1 // classes with a gap between them count as one
	}
	if count > 1 && sum != 0 && sum != 100 {
		return target.EINVAL
	}
	if count <= 1 || sum == 0 {
		e.BW[0] = 100
	}
	if e != p.ETS {
		p.Flaps++
	}
	p.ETS = e
	return nil
}

// addApp simulates ice_dcbnl_setapp: DSCP only, once for each DSCP. The first entry switches to DSCP, with the driver's own classes.
func addApp(p *sim.Port, a sim.App) error {
	if a.Selector != sim.SelDSCP || a.Protocol > 63 || shut(p) || slices.ContainsFunc(p.Maps(), func(old sim.App) bool {
		return old.Protocol == a.Protocol && old != a
	}) {
		return target.EINVAL
	}
	if err := p.Insert(a); err != nil {
		return err
	}
	if len(p.Maps()) == 1 {
		for i := range 8 {
			p.TSA[i], p.BW[i], p.TCOf[i] = "ets", 0, i
		}
		p.BW[0] = 100
		for dscp := range p.DSCPPrio {
			p.DSCPPrio[dscp] = dscp >> 3
		}
	}
	p.DSCPPrio[a.Protocol] = a.Priority
	p.Flaps++
	return nil
}

// delApp simulates ice_dcbnl_delapp: the DSCP gets its lower three bits as its priority. Without the last entry the port goes back to PCP,
// with the driver's defaults.
func delApp(p *sim.Port, a sim.App) error {
	if shut(p) {
		return target.EINVAL
	}
	if err := p.Remove(a); err != nil {
		return err
	}
	p.DSCPPrio[a.Protocol] = a.Protocol % 8
	if len(p.Maps()) == 0 {
		defaults(&p.Settings)
	}
	p.Flaps++
	return nil
}

// setDCBX simulates ice_dcbnl_setdcbx: the mode that is there already is refused too.
func setDCBX(p *sim.Port, mode int) bool {
	cee, ieee := mode&sim.DCBXCEE != 0, mode&sim.DCBXIEEE != 0
	if p.Own[stopped] == 0 || mode&sim.DCBXLLD != 0 || cee && ieee || mode&sim.DCBXHost == 0 || mode == p.DCBX || cee && len(p.Maps()) > 0 {
		return false
	}
	p.DCBX = mode
	return true
}
