package sim

import (
	"slices"

	"github.com/rocec/rocec/targets/target"
)

// nic is one port of a NIC. It accepts settings as the driver does: en_dcbnl.c and port_buffer.c of the kernel, and the sysfs and configfs
// code of MLNX_OFED.
type nic struct {
	NIC
	m target.Machine
	state
}

// state contains the settings of a port that a reboot of the host resets.
type state struct {
	PFC       [8]bool
	Delay     int // metres of cable, from PFC's delay
	Flaps     int // how often a change of PFC bounced the link
	TSA       [8]string
	BW, TCOf  [8]int
	DCBX      int
	Apps      map[int]int // DSCP to priority, as the kernel lists them; with an entry the NIC trusts DSCP
	DSCPPrio  [64]int     // the map in the firmware
	PrioBuf   [8]int
	BufSize   [8]int
	ByHand    bool // buffers were set, so the driver no longer sizes them
	RateLimit [8]int

	Mode     string // of RDMA-CM
	TOS      int
	NP, RP   [8]bool
	CNPDSCP  int
	CNPPrio  int
	CNPMode  int // 0: CNPs have the priority CNPPrio
	CNPEvery int
	RoCE     bool
	TTL      int
	Class    int // -1: off
	Rules    []string
	VFs      []bool
}

// Valid implements [target.State].
func (s *state) Valid() bool {
	ok := s.Apps != nil && s.Delay >= 0 && s.Delay < 1000 && s.TOS >= 0 && s.TOS <= 255 && s.TTL >= 0 && s.TTL <= 255 &&
		s.CNPDSCP >= 0 && s.CNPDSCP < 64 && s.Class >= -1 && s.Class <= 255 && len(s.Rules) <= 40 && s.CNPEvery >= 0
	below := func(v, top int) { ok = ok && v >= 0 && v < top }
	below(s.CNPPrio, 8)
	below(s.CNPMode, 2)
	for i := range 8 {
		below(s.TCOf[i], 8)
		below(s.PrioBuf[i], 8)
		below(s.BW[i], 101)
		below(s.BufSize[i], bufferTotal+1)
		ok = ok && slices.Contains([]string{"vendor", "strict", "ets"}, s.TSA[i])
	}
	for dscp, prio := range s.Apps {
		below(dscp, 64)
		below(prio, 8)
	}
	for _, prio := range s.DSCPPrio {
		below(prio, 8)
	}
	return ok
}

// The bits of DCBX, from linux/dcbnl.h.
const (
	dcbxHost   = 1
	dcbxLLD    = 2
	dcbxCEE    = 4
	dcbxIEEE   = 8
	dcbxStatic = 16
)

// bufferTotal is the receive buffer of a ConnectX-5, about 256 KiB.
const bufferTotal = 262016

// reset sets a port to the driver's initial state. No document states the first CNP mode of the firmware; here it is the mode in which the
// number has no effect.
func (c *nic) reset() {
	c.state = state{
		Delay: 7, DCBX: dcbxCEE | dcbxIEEE, Apps: map[int]int{}, Mode: "RoCE v2", CNPDSCP: 48, CNPPrio: 6, CNPMode: 1, CNPEvery: 4,
		RoCE: true, Class: -1,
	}
	for i := range 8 {
		c.TSA[i], c.BW[i], c.TCOf[i] = "vendor", 100, i
		c.NP[i], c.RP[i] = true, true
	}
	c.TCOf[0], c.TCOf[1] = 1, 0
	for i := range c.DSCPPrio {
		c.DSCPPrio[i] = i >> 3
	}
	c.BufSize[0] = bufferTotal
	if c.Generation != nil {
		c.Generation.reset(&c.state)
	}
}

// now returns the present interface.
func (c *nic) now() target.Netdev {
	n, _ := c.m.Netdev(c.Name)
	return n
}

// counter returns the value of a counter of the interface.
func (c *nic) counter(name string) int { return int(c.m.Counter(c.Name, name)) }

// trust returns the trusted field, which the driver derives from the APP table.
func (c *nic) trust() string {
	if len(c.Apps) > 0 && c.Generation == nil {
		return "dscp"
	}
	return "pcp"
}

// setPFC simulates ieee_setpfc: a new mask bounces the link, a new cable length is in effect at once.
func (c *nic) setPFC(mask [8]bool, delay int) error {
	if c.Generation != nil { // this driver has no cable length, and keeps the link up
		c.PFC = mask
		return nil
	}
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
func (c *nic) setETS(tsa [8]string, bw, tcOf [8]int) error {
	sum, any := 0, false
	for i := range 8 {
		switch tsa[i] {
		case "ets":
			sum, any = sum+bw[i], true
		case "cbs":
			return target.EOPNOTSUPP
		case "vendor":
			if c.Generation != nil {
				return target.EOPNOTSUPP
			}
		}
	}
	if any && sum != 100 {
		return target.EINVAL
	}
	c.TSA, c.BW, c.TCOf = tsa, bw, tcOf
	for i := range 8 {
		if tsa[i] != "ets" && c.Generation == nil {
			c.BW[i] = 100
		}
	}
	return nil
}

// app is one row of the APP table.
type app struct{ selector, protocol, priority int }

const (
	selEther  = 1
	selStream = 2
	selDgram  = 3
	selAny    = 4
	selDSCP   = 5
)

// addApp simulates ieee_setapp, for DSCP only. A new entry replaces the former one.
func (c *nic) addApp(a app) error {
	if a.selector != selDSCP || a.protocol > 63 {
		return target.EINVAL // with ConnectX-3 only the kernel's own table contains it, not the card
	}
	c.DSCPPrio[a.protocol], c.Apps[a.protocol] = a.priority, a.priority
	return nil
}

// delApp simulates ieee_delapp: the DSCP goes to priority 0. Without any entry the NIC trusts PCP.
func (c *nic) delApp(a app) error {
	if prio, ok := c.Apps[a.protocol]; !ok || a.selector != selDSCP || prio != a.priority {
		return target.ENOENT
	}
	delete(c.Apps, a.protocol)
	c.DSCPPrio[a.protocol] = 0
	return nil
}

// setDCBX simulates setdcbx; 0 gives control back to the firmware.
func (c *nic) setDCBX(mode int) bool {
	switch {
	case mode&dcbxLLD != 0:
		return false
	case c.Generation != nil && mode&(dcbxHost|dcbxIEEE|dcbxCEE) != dcbxHost|dcbxIEEE:
		return false
	case mode == 0:
		c.DCBX &^= dcbxHost
		return true
	case mode&dcbxHost == 0:
		return false
	}
	c.DCBX = mode
	return true
}

// setBuffers simulates dcbnl_setbuffer: a buffer with a lossless priority must have room for the packets after a pause.
func (c *nic) setBuffers(prioBuf, size [8]int) error {
	if c.Generation != nil {
		return target.EOPNOTSUPP
	}
	mtu := c.now().MTU
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
	c.PrioBuf, c.BufSize, c.ByHand = prioBuf, size, true
	return nil
}
