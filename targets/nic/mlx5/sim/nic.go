package sim

import (
	"github.com/rocec/rocec/targets/target"
)

// nic is one port of a NIC. How it takes settings is the driver's: en_dcbnl.c and port_buffer.c of the kernel, and the
// sysfs and configfs code of MLNX_OFED.
type nic struct {
	NIC
	m target.Machine

	pfc       [8]bool
	delay     int // metres of cable; PFC's delay means that to this driver
	flaps     int // how often a change of PFC bounced the link
	tsa       [8]string
	bw, tcOf  [8]int
	dcbx      int
	apps      map[int]int // DSCP to priority, as the kernel lists them; any entry means trust in DSCP
	dscpPrio  [64]int     // what the firmware holds
	prioBuf   [8]int
	bufSize   [8]int
	byHand    bool // buffers were set: the driver sizes them no more
	rateLimit [8]int

	mode     string // of RDMA-CM
	tos      int
	np, rp   [8]bool
	cnpDSCP  int
	cnpPrio  int
	cnpEvery int
	roce     bool
	ttl      int
	class    int // -1: off
	rules    []string
	vfs      []bool
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

func newNIC(n NIC) *nic {
	c := &nic{
		NIC: n, delay: 7, dcbx: dcbxCEE | dcbxIEEE, apps: map[int]int{}, mode: "RoCE v2", cnpDSCP: 48, cnpPrio: 6, cnpEvery: 4,
		roce: true, class: -1,
	}
	for i := range 8 {
		c.tsa[i], c.bw[i], c.tcOf[i] = "vendor", 100, i
		c.np[i], c.rp[i] = true, true
	}
	c.tcOf[0], c.tcOf[1] = 1, 0
	for i := range c.dscpPrio {
		c.dscpPrio[i] = i >> 3
	}
	c.bufSize[0] = bufferTotal
	return c
}

// now is the interface as it is.
func (c *nic) now() target.Netdev {
	n, _ := c.m.Netdev(c.Name)
	return n
}

// counter is the value of a counter of the interface.
func (c *nic) counter(name string) int { return int(c.m.Counter(c.Name, name)) }

// trust is what the driver derives from the APP table.
func (c *nic) trust() string {
	if len(c.apps) > 0 {
		return "dscp"
	}
	return "pcp"
}

// setPFC is ieee_setpfc: a new mask bounces the link, a new cable length takes effect at once.
func (c *nic) setPFC(mask [8]bool, delay int) error {
	if delay >= 1000 {
		return target.EINVAL
	}
	if mask != c.pfc {
		c.flaps++
		c.pfc = mask
	}
	if delay > 0 {
		c.delay = delay
	}
	return nil
}

// setETS is ieee_setets. A TC outside ETS reports all bandwidth as its own.
func (c *nic) setETS(tsa [8]string, bw, tcOf [8]int) error {
	sum, any := 0, false
	for i := range 8 {
		switch tsa[i] {
		case "ets":
			sum, any = sum+bw[i], true
		case "cbs":
			return target.EOPNOTSUPP
		}
	}
	if any && sum != 100 {
		return target.EINVAL
	}
	c.tsa, c.bw, c.tcOf = tsa, bw, tcOf
	for i := range 8 {
		if tsa[i] != "ets" {
			c.bw[i] = 100
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

// addApp is ieee_setapp: DSCP only; an entry takes the place of the one that was there.
func (c *nic) addApp(a app) error {
	if a.selector != selDSCP || a.protocol > 63 {
		return target.EINVAL
	}
	c.dscpPrio[a.protocol], c.apps[a.protocol] = a.priority, a.priority
	return nil
}

// delApp is ieee_delapp: the DSCP goes to priority 0; without any entry the NIC trusts PCP.
func (c *nic) delApp(a app) error {
	if prio, ok := c.apps[a.protocol]; !ok || a.selector != selDSCP || prio != a.priority {
		return target.ENOENT
	}
	delete(c.apps, a.protocol)
	c.dscpPrio[a.protocol] = 0
	return nil
}

// setDCBX is setdcbx; 0 gives control back to the firmware.
func (c *nic) setDCBX(mode int) bool {
	switch {
	case mode&dcbxLLD != 0:
		return false
	case mode == 0:
		c.dcbx &^= dcbxHost
		return true
	case mode&dcbxHost == 0:
		return false
	}
	c.dcbx = mode
	return true
}

// setBuffers is dcbnl_setbuffer: a buffer with a lossless priority must have room for what comes after the pause.
func (c *nic) setBuffers(prioBuf, size [8]int) error {
	mtu := c.now().MTU
	xoff := (301+216*c.delay/100)*max(c.SpeedMbps, 40000)/1000 + 272*mtu/100
	total := 0
	for b := range 8 {
		lossless := false
		for prio := range 8 {
			lossless = lossless || prioBuf[prio] == b && c.pfc[prio]
		}
		if lossless && size[b] < xoff+max(mtu, 9216)+128 {
			return target.ENOMEM
		}
		total += size[b]
	}
	if total > bufferTotal {
		return target.EINVAL
	}
	c.prioBuf, c.bufSize, c.byHand = prioBuf, size, true
	return nil
}
