package mlx4

import (
	"maps"
	"slices"

	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/nic/sim"
	"github.com/rocec/rocec/targets/target"
)

// simulate returns the simulation of the NICs of a host.
func simulate(ports []nic.Port) nic.Sim {
	all := make([]sim.NIC, len(ports))
	for i, p := range ports {
		all[i] = sim.NIC{
			Netdev: p.Netdev, ID: [2]string{"0x15b3", "0x1003"}, RDMA: p.RDMA, IP: p.IP, VLANs: p.VLANs, Driver: simulated(!p.Model.V2),
		}
	}
	return sim.New(all)
}

// simulated returns mlx4_core on a ConnectX-3, or on its Pro variant. The driver has no DSCP map, no cable length, no receive buffers and
// no congestion control, and its priorities follow PCP. Source: en_dcb_nl.c, where ieee_setapp and ieee_delapp are missing: the kernel's
// own table contains an entry, and the card does not.
func simulated(v1 bool) *sim.Driver {
	names := slices.Concat(portCounters(), slices.Collect(maps.Keys(pauseNames())))
	slices.Sort(names)
	return &sim.Driver{
		Firmware: "2.42.5000",
		Board:    [2]string{"MT4099", "MT_0000000010"},
		Counters: slices.Compact(names),
		RDMA: sim.Counters{
			HW:   []string{"rq_num_oos", "sq_num_oos", "rq_num_dup", "sq_num_to", "rq_num_rnr", "sq_num_rnr"},
			Port: []string{"port_xmit_packets", "port_rcv_packets", "port_xmit_discards", "port_rcv_errors", "link_downed"},
		},
		V1: v1,
		Names: sim.Names{
			RxPackets: "rx_prio_%d_packets", TxPackets: "tx_prio_%d_packets", RxPause: "rx_pause_prio_%d", TxPause: "tx_pause_prio_%d",
		},
		Reset: func(s *sim.Settings) { s.DCBX = sim.DCBXHost | sim.DCBXIEEE },
		SetPFC: func(p *sim.Port, mask [8]bool, _ int) error {
			p.PFC = mask // the link stays up
			return nil
		},
		SetETS: setETS,
		SetDCBX: func(p *sim.Port, mode int) bool {
			if mode&(sim.DCBXLLD|sim.DCBXHost|sim.DCBXIEEE|sim.DCBXCEE) != sim.DCBXHost|sim.DCBXIEEE {
				return false
			}
			p.DCBX = mode
			return true
		},
	}
}

// setETS simulates mlx4_en_dcbnl_ieee_setets: ets and strict only, and the shares of the classes with ets sum to 100.
func setETS(p *sim.Port, e sim.ETS) error {
	sum, some := 0, false
	for i := range 8 {
		switch e.TSA[i] {
		case "ets":
			sum, some = sum+e.BW[i], true
		case "cbs", "vendor":
			return target.EOPNOTSUPP
		}
	}
	if some && sum != 100 {
		return target.EINVAL
	}
	p.ETS = e
	return nil
}
