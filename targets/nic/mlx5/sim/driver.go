package sim

import (
	"strconv"

	nicsim "github.com/rocec/rocec/targets/nic/sim"
	"github.com/rocec/rocec/targets/target"
)

// driver returns mlx5_core on a ConnectX-5. Its rules are those of en_dcbnl.c and port_buffer.c of the kernel.
func driver() *nicsim.Driver {
	return &nicsim.Driver{
		Firmware: "16.35.4030",
		Board:    [2]string{"MT4119", "MT_0000000010"},
		Counters: counters(),
		RDMA: nicsim.Counters{
			HW: []string{
				"np_cnp_sent", "np_ecn_marked_roce_packets", "rp_cnp_handled", "rp_cnp_ignored", "out_of_sequence", "packet_seq_err",
				"implied_nak_seq_err", "duplicate_request", "local_ack_timeout_err", "rnr_nak_retry_err", "out_of_buffer", "roce_adp_retrans",
				"roce_adp_retrans_to", "roce_slow_restart", "roce_slow_restart_cnps", "roce_slow_restart_trans", "rx_icrc_encapsulated",
			},
			Port: []string{
				"port_xmit_packets", "port_rcv_packets", "port_xmit_discards", "port_rcv_errors", "port_xmit_wait", "link_downed", "symbol_error",
			},
		},
		Buffer: bufferTotal,
		Names: nicsim.Names{
			RxPackets: "rx_prio%d_packets", TxPackets: "tx_prio%d_packets", RxPause: "rx_prio%d_pause", TxPause: "tx_prio%d_pause",
			Marked: "np_ecn_marked_roce_packets", CNPSent: "np_cnp_sent", CNPHandled: "rp_cnp_handled",
		},
		Reset:      reset,
		TrustsDSCP: func(c *nicsim.Port) bool { return len(c.Apps) > 0 },
		SetPFC:     setPFC,
		SetETS:     setETS,
		AddApp:     addApp,
		DelApp:     delApp,
		SetDCBX:    setDCBX,
		SetBuffers: setBuffers,
	}
}

// bufferTotal is the receive buffer of a ConnectX-5, about 256 KiB.
const bufferTotal = 262016

// counters returns the counters that concern lossless traffic.
func counters() []string {
	names := []string{"rx_discards_phy", "rx_out_of_buffer", "tx_pause_storm_warning_events", "tx_pause_storm_error_events"}
	for prio := range 8 {
		n := strconv.Itoa(prio)
		names = append(names, "rx_prio"+n+"_pause", "tx_prio"+n+"_pause", "rx_prio"+n+"_discards", "rx_prio"+n+"_buf_discard",
			"rx_prio"+n+"_cong_discard", "rx_prio"+n+"_packets", "tx_prio"+n+"_packets",
			"rx_prio"+n+"_pause_duration", "tx_prio"+n+"_pause_duration")
	}
	return names
}

// reset sets the driver's initial values.
func reset(s *nicsim.Settings) {
	s.Delay, s.DCBX = 7, nicsim.DCBXCEE|nicsim.DCBXIEEE
	for i := range 8 {
		s.TSA[i], s.BW[i], s.TCOf[i] = "vendor", 100, i
	}
	s.TCOf[0], s.TCOf[1] = 1, 0
	for i := range s.DSCPPrio {
		s.DSCPPrio[i] = i >> 3
	}
	s.BufSize[0] = bufferTotal
}

// setPFC simulates ieee_setpfc: a new mask bounces the link, a new cable length is in effect at once.
func setPFC(c *nicsim.Port, mask [8]bool, delay int) error {
	if delay >= 1000 {
		return target.EINVAL
	}
	if mask != c.PFC {
		c.Flaps++
		c.PFC = mask
	}
	if delay > 0 {
		c.Delay = delay
	}
	return nil
}

// setETS simulates ieee_setets. A traffic class without ETS reports 100 percent bandwidth.
func setETS(c *nicsim.Port, e nicsim.ETS) error {
	sum, some := 0, false
	for i := range 8 {
		switch e.TSA[i] {
		case "ets":
			sum, some = sum+e.BW[i], true
		case "cbs":
			return target.EOPNOTSUPP
		}
	}
	if some && sum != 100 {
		return target.EINVAL
	}
	for i := range 8 {
		if e.TSA[i] != "ets" {
			e.BW[i] = 100
		}
	}
	c.ETS = e
	return nil
}

// addApp simulates ieee_setapp, for DSCP only. A new entry replaces the former one.
func addApp(c *nicsim.Port, a nicsim.App) error {
	if a.Selector != nicsim.SelDSCP || a.Protocol > 63 {
		return target.EINVAL
	}
	for _, old := range c.Maps() {
		if old.Protocol == a.Protocol {
			_ = c.Remove(old)
		}
	}
	c.DSCPPrio[a.Protocol] = a.Priority
	return c.Insert(a)
}

// delApp simulates ieee_delapp: the DSCP goes to priority 0. Without any entry the NIC trusts PCP.
func delApp(c *nicsim.Port, a nicsim.App) error {
	if err := c.Remove(a); err != nil {
		return err
	}
	c.DSCPPrio[a.Protocol] = 0
	return nil
}

// setDCBX simulates setdcbx; 0 gives control back to the firmware.
func setDCBX(c *nicsim.Port, mode int) bool {
	switch {
	case mode&nicsim.DCBXLLD != 0:
		return false
	case mode == 0:
		c.DCBX &^= nicsim.DCBXHost
		return true
	case mode&nicsim.DCBXHost == 0:
		return false
	}
	c.DCBX = mode
	return true
}

// setBuffers simulates dcbnl_setbuffer: a buffer with a lossless priority must have room for the packets after a pause.
func setBuffers(c *nicsim.Port, prioBuf, size [8]int) error {
	mtu := c.Now().MTU
	xoff := (301+216*c.Delay/100)*max(c.SpeedMbps, 40000)/1000 + 272*mtu/100
	total := 0
	for b := range 8 {
		lossless := false
		for prio := range 8 {
			lossless = lossless || prioBuf[prio] == b && c.PFC[prio]
		}
		if lossless && size[b] < xoff+max(mtu, 9216)+128 {
			return target.ENOMEM
		}
		total += size[b]
	}
	if total > bufferTotal {
		return target.EINVAL
	}
	c.PrioBuf, c.BufSize = prioBuf, size
	return nil
}
