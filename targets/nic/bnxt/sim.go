package bnxt

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/nic/sim"
	"github.com/rocec/rocec/targets/target"
)

// pciDevice returns the PCI device of a model, from bnxt.c of Linux.
func pciDevice(model string) string {
	return map[string]string{
		"bcm57414": "0x16d7", "bcm57416": "0x16d8", "bcm57454": "0x1614", "bcm57504": "0x1751", "bcm57508": "0x1750", "bcm57608": "0x1760",
	}[model]
}

// simulate returns the simulation of the NICs of a host, with Broadcom's driver of RDMA.
func simulate(ports []nic.Port) nic.Sim {
	all := make([]sim.NIC, len(ports))
	for i, p := range ports {
		all[i] = sim.NIC{
			Netdev: p.Netdev, ID: [2]string{"0x14e4", pciDevice(p.Model.Name)}, RDMA: p.RDMA, IP: p.IP, VLANs: p.VLANs, Driver: simulated(),
		}
	}
	return sim.New(all)
}

// simulated returns bnxt_en, by bnxt_dcb.c of Linux. The firmware has one lossless class and no service profiles.
func simulated() *sim.Driver {
	var rdma []string
	for _, c := range rdmaCounters {
		rdma = append(rdma, c.Name)
	}
	return &sim.Driver{
		Firmware: "233.2.77.9",
		Board:    [2]string{"BCM57508", "BCM_0000000001"},
		Counters: portCounters(),
		RDMA:     sim.Counters{HW: rdma, Port: []string{"link_downed"}},
		Lossless: 1,
		Names: sim.Names{
			RxPackets: "rx_packets_pri%d", TxPackets: "tx_packets_pri%d", RxPause: "rx_pfc_ena_frames_pri%d",
			TxPause: "tx_pfc_ena_frames_pri%d", Marked: "np_ecn_marked_roce_packets", CNPSent: "np_cnp_sent", CNPHandled: "rp_cnp_handled",
		},
		Reset:      func(s *sim.Settings) { s.DCBX = sim.DCBXHost | sim.DCBXIEEE },
		TrustsDSCP: func(p *sim.Port) bool { return len(p.Maps()) > 0 },
		SetPFC:     setPFC,
		SetETS:     setETS,
		AddApp:     func(p *sim.Port, a sim.App) error { return setApp(p, a, p.Insert, a.Priority) },
		DelApp:     func(p *sim.Port, a sim.App) error { return setApp(p, a, p.Remove, 0) },
		SetDCBX: func(p *sim.Port, mode int) bool {
			if mode&sim.DCBXHost != 0 && (mode&sim.DCBXCEE != 0 || mode&sim.DCBXIEEE == 0) {
				return false
			}
			p.DCBX = mode
			return true
		},
		Plant: plant,
	}
}

// hosted reports whether the host decides, the first check of every operation that sets something.
func hosted(p *sim.Port) bool { return p.DCBX&sim.DCBXHost != 0 && p.DCBX&sim.DCBXIEEE != 0 }

// ownETS is 1 after the host has set ETS.
const ownETS = "ets"

// setPFC simulates bnxt_dcbnl_ieee_setpfc: PFC needs ETS before it, and counts the classes of its priorities.
func setPFC(p *sim.Port, mask [8]bool, _ int) error {
	classes := map[int]bool{}
	for priority, on := range mask {
		if on {
			classes[p.TCOf[priority]] = true
		}
	}
	if !hosted(p) || p.Own[ownETS] == 0 || len(classes) > p.Driver.Lossless {
		return target.EINVAL
	}
	if mask != p.PFC {
		p.Flaps++
	}
	p.PFC = mask
	return nil
}

// setETS simulates bnxt_dcbnl_ieee_setets and bnxt_ets_validate of earlier releases, which count the shares of all eight classes.
func setETS(p *sim.Port, e sim.ETS) error {
	if !hosted(p) {
		return target.EINVAL
	}
	sum, zero, classes := 0, false, [2]int{}
	for i := range 8 {
		classes[0], classes[1] = max(classes[0], p.TCOf[i]), max(classes[1], e.TCOf[i])
		switch e.TSA[i] {
		case "ets":
			sum, zero = sum+e.BW[i], zero || e.BW[i] == 0
		case "cbs", "vendor":
			return target.EOPNOTSUPP
		}
	}
	if sum > 100 || zero && sum == 100 {
		return target.EINVAL
	}
	if classes[0] != classes[1] {
		p.Flaps++
	}
	p.ETS, p.Own[ownETS] = e, 1
	return nil
}

// setApp simulates bnxt_dcbnl_ieee_setapp and bnxt_dcbnl_ieee_delapp: the kernel's table keeps each priority of a DSCP, and the NIC
// the last one.
func setApp(p *sim.Port, a sim.App, table func(sim.App) error, priority int) error {
	if !hosted(p) || a.Selector == sim.SelDSCP && a.Protocol > 63 {
		return target.EINVAL
	}
	if err := table(a); err != nil {
		return err
	}
	if a.Selector == sim.SelDSCP {
		p.DSCPPrio[a.Protocol] = priority
	}
	return nil
}

// ccFiles returns the files of congestion control in configfs, with their limits. Source: configfs.c of Broadcom's driver.
func ccFiles() map[string]int {
	return map[string]int{
		"disable_prio_vlan_tx": 1, "ecn_marking": 2, "ecn_enable": 0xff, "cc_mode": 1, "roce_prio": 7, "cnp_prio": 7, "roce_dscp": 63,
		"cnp_dscp": 63, "g": 1<<8 - 1, "inact_th": 1<<16 - 1, "init_cr": 1<<16 - 1, "init_tr": 1<<16 - 1,
	}
}

// used begins the names of the values that the NIC uses. The others wait for a write to apply.
const used = "used "

// plant adds the configfs of Broadcom's driver. A folder with the name of the RDMA device shows its parameters.
func plant(m target.Machine, p *sim.Port) {
	m.Plant("/sys/kernel/config/bnxt_re", target.Node{Mkdir: func(name string) (map[string]target.Node, error) {
		if name != p.RDMA {
			return nil, target.ENODEV
		}
		files := map[string]target.Node{"ports/1/cc/apply": {
			Read: func() (string, error) { return applied(p), nil },
			Write: func(text string) error {
				if v, err := number(text); err != nil || v != 1 {
					return err
				}
				apply(p)
				return nil
			},
		}}
		for name, most := range ccFiles() {
			files["ports/1/cc/"+name] = target.TextNode(func() string { return fmt.Sprintf("%#x", p.Own[name]) }, func(text string) error {
				v, err := number(text)
				if err != nil || v > most {
					return target.EINVAL
				}
				p.Own[name] = v
				return nil
			})
		}
		return files, nil
	}})
}

// number reads a number as these files do: all of them are hexadecimal.
func number(text string) (int, error) {
	v, err := strconv.ParseUint(strings.TrimPrefix(strings.TrimSpace(text), "0x"), 16, 16)
	if err != nil {
		return 0, target.EINVAL
	}
	return int(v), nil
}

// apply uses the written parameters. It clears the NIC's map of DSCP, and sets the entries of RoCE and of CNPs
// (bnxt_re_program_cnp_dcb_values).
func apply(p *sim.Port) {
	for name := range ccFiles() {
		p.Own[used+name] = p.Own[name]
	}
	p.DSCPPrio = [64]int{}
	p.DSCPPrio[p.Own["roce_dscp"]] = p.Own["roce_prio"]
	if p.Own["ecn_enable"] > 0 {
		p.DSCPPrio[p.Own["cnp_dscp"]] = p.Own["cnp_prio"]
	}
}

// applied prints what the NIC uses, as apply_show does.
func applied(p *sim.Port) string {
	var b strings.Builder
	is := func(name string) int { return p.Own[used+name] }
	word := func(on bool) string {
		if on {
			return "Enabled"
		}
		return "Disabled"
	}
	line := func(what string, value any) { fmt.Fprintf(&b, "%s\t\t\t\t: %v\n", what, value) }
	line("ecn status (ecn_enable)", word(is("ecn_enable") > 0))
	line("ecn marking (ecn_marking)", []string{"Not-ECT", "ECT(1)", "ECT(0)"}[is("ecn_marking")])
	line("congestion control mode (cc_mode)", []string{"DCQCN-D", "DCQCN-P"}[is("cc_mode")])
	line("send priority vlan (VLAN 0)", word(is("disable_prio_vlan_tx") == 0))
	line("running avg. weight(g)", is("g"))
	line("inactivity threshold (inact_th)", fmt.Sprintf("%d usec", is("inact_th")))
	line("initial current rate (init_cr)", fmt.Sprintf("%#x", is("init_cr")))
	line("initial target rate (init_tr)", fmt.Sprintf("%#x", is("init_tr")))
	line("roce prio (roce_prio)", is("roce_prio"))
	line("roce dscp (roce_dscp)", is("roce_dscp"))
	if is("ecn_enable") > 0 {
		line("cnp prio (cnp_prio)", is("cnp_prio"))
		line("cnp dscp (cnp_dscp)", is("cnp_dscp"))
	}
	return b.String()
}
