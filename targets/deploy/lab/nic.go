package lab

import (
	"fmt"
	"io/fs"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/targets/target"
)

// netdev is a network interface. Everything here is guarded by the lock of the device's file system.
type netdev struct {
	d        *Device
	name     string
	index    int
	mtu      int
	speed    int // Mb/s
	rx, tx   bool
	vlan     *vlan
	counters map[string]uint64
	nic      *nic // nil: no DCB and no RDMA
}

// vlan is what an interface has that is a VLAN of another.
type vlan struct {
	parent string
	id     int
	egress map[int]int
}

// nic is a NIC with the driver mlx5_core. How it takes settings is the driver's: en_dcbnl.c and port_buffer.c of the
// kernel, and the sysfs and configfs code of MLNX_OFED.
type nic struct {
	netdev *netdev
	rdma   string
	pci    string
	ip     netip.Addr

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

func newNIC(n *netdev, img target.LabNIC) *nic {
	c := &nic{
		netdev: n, rdma: img.RDMA, pci: img.PCI, ip: address(img.IP), delay: 7, dcbx: dcbxCEE | dcbxIEEE, apps: map[int]int{},
		mode: "RoCE v2", cnpDSCP: 48, cnpPrio: 6, cnpEvery: 4, roce: true, class: -1,
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

// address reads an address; the zero address stands for none.
func address(s string) netip.Addr {
	a, err := netip.ParseAddr(s)
	if err != nil {
		return netip.Addr{}
	}
	return a
}

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
		return eInval
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
			return eNotSupp
		}
	}
	if any && sum != 100 {
		return eInval
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
		return eInval
	}
	c.dscpPrio[a.protocol], c.apps[a.protocol] = a.priority, a.priority
	return nil
}

// delApp is ieee_delapp: the DSCP goes to priority 0; without any entry the NIC trusts PCP.
func (c *nic) delApp(a app) error {
	if prio, ok := c.apps[a.protocol]; !ok || a.selector != selDSCP || prio != a.priority {
		return eNoEnt
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
	mtu := c.netdev.mtu
	xoff := (301+216*c.delay/100)*max(c.netdev.speed, 40000)/1000 + 272*mtu/100
	total := 0
	for b := range 8 {
		lossless := false
		for prio := range 8 {
			lossless = lossless || prioBuf[prio] == b && c.pfc[prio]
		}
		if lossless && size[b] < xoff+max(mtu, 9216)+128 {
			return eNoMem
		}
		total += size[b]
	}
	if total > bufferTotal {
		return eInval
	}
	c.prioBuf, c.bufSize, c.byHand = prioBuf, size, true
	return nil
}

// addNetdev gives the device an interface, and what of it is in sysfs.
func (d *Device) addNetdev(img target.LabNIC) {
	d.fs.mu.Lock()
	defer d.fs.mu.Unlock()
	d.addNetdevLocked(img)
}

func (d *Device) addNetdevLocked(img target.LabNIC) *netdev {
	n := &netdev{d: d, name: img.Netdev, index: len(d.nics) + 2, mtu: img.MTU, speed: img.SpeedMbps, counters: map[string]uint64{}}
	if n.mtu == 0 {
		n.mtu = 1500
	}
	// A NIC pauses until told not to.
	n.rx, n.tx = img.Driver != "", img.Driver != ""
	if img.Driver == "mlx5_core" {
		n.nic = newNIC(n, img)
	}
	d.nics[n.name] = n

	t := tree{d.fs}
	home := "/sys/devices/virtual/net/" + n.name
	if img.PCI != "" {
		bus := "/sys/devices/pci0000:00/" + img.PCI
		home = bus + "/net/" + n.name
		t.dir(home)
		t.link(home+"/device", "../../../"+img.PCI)
		t.dir("/sys/bus/pci/drivers/" + img.Driver)
		t.link(bus+"/driver", "../../../bus/pci/drivers/"+img.Driver)
		t.link("/sys/bus/pci/devices/"+img.PCI, "../../../devices/pci0000:00/"+img.PCI)
	}
	t.link("/sys/class/net/"+n.name, "../.."+strings.TrimPrefix(home, "/sys"))
	t.number(home+"/mtu", func() int { return n.mtu }, func(v int) error {
		if v < 68 || v > 9978 {
			return eInval
		}
		n.mtu = v
		return nil
	})
	t.text(home+"/operstate", func() string { return "up" }, nil)
	t.number(home+"/ifindex", func() int { return n.index }, nil)
	t.number(home+"/speed", func() int { return n.speed }, nil)
	t.text(home+"/address", n.mac, nil)
	if n.nic != nil {
		n.nic.plant(t, home)
	}
	if img.Master != "" {
		// A bond's directory may come later than its ports; a link does not mind.
		t.link(home+"/master", "../../../../virtual/net/"+img.Master)
		slaves := "/sys/devices/virtual/net/" + img.Master + "/bonding/slaves"
		d.bonds[img.Master] = append(d.bonds[img.Master], n.name)
		t.text(slaves, func() string { return strings.Join(d.bonds[img.Master], " ") }, nil)
	}
	return n
}

func (n *netdev) mac() string { return fmt.Sprintf("52:54:00:00:00:%02x", n.index%256) }

// plant lays down what an RDMA device with mlx5 has in sysfs, debugfs and configfs.
func (c *nic) plant(t tree, home string) {
	t.dir("/sys/kernel/debug").mode = fs.ModeDir | 0o700
	cc := "/sys/kernel/debug/mlx5/" + c.pci + "/cc_params"
	t.number(cc+"/np_cnp_dscp", func() int { return c.cnpDSCP }, c.set(&c.cnpDSCP, 63))
	t.number(cc+"/np_cnp_prio", func() int { return c.cnpPrio }, c.set(&c.cnpPrio, 7))
	t.number(cc+"/np_cnp_prio_mode", func() int { return 1 }, nil)
	t.number(cc+"/np_min_time_between_cnps", func() int { return c.cnpEvery }, c.set(&c.cnpEvery, 4095))
	t.cma(c.netdev.d)
	if owner := c.netdev.d.rdma(c.rdma); owner != c {
		return // the device of a RoCE LAG hangs off its first port
	}

	bus := strings.TrimSuffix(home, "/net/"+c.netdev.name)
	ib := bus + "/infiniband/" + c.rdma
	t.link("/sys/class/infiniband/"+c.rdma, "../../devices"+strings.TrimPrefix(ib, "/sys/devices"))
	fixed := func(path, value string) { t.text(path, func() string { return value }, nil) }
	fixed(ib+"/node_type", "1: CA")
	fixed(ib+"/fw_ver", "16.35.4030")
	fixed(ib+"/hca_type", "MT4119")
	fixed(ib+"/board_id", "MT_0000000010")
	port := ib + "/ports/1"
	fixed(port+"/state", "4: ACTIVE")
	fixed(port+"/phys_state", "5: LinkUp")
	fixed(port+"/link_layer", "Ethernet")
	fixed(port+"/rate", fmt.Sprintf("%d Gb/sec", c.netdev.speed/1000))
	for _, name := range []string{
		"np_cnp_sent", "np_ecn_marked_roce_packets", "rp_cnp_handled", "rp_cnp_ignored", "out_of_sequence",
		"packet_seq_err", "local_ack_timeout_err", "rnr_nak_retry_err", "roce_adp_retrans", "roce_slow_restart", "rx_icrc_encapsulated",
	} {
		t.text(port+"/hw_counters/"+name, func() string { return strconv.FormatUint(c.netdev.counters[name], 10) }, nil)
	}
	c.plantGIDs(t, port)
}

// rdma finds an RDMA device; when ports share it, the first of them stands for it.
func (d *Device) rdma(name string) *nic {
	var found *nic
	for _, n := range d.nics {
		if n.nic != nil && n.nic.rdma == name && (found == nil || n.index < found.netdev.index) {
			found = n.nic
		}
	}
	return found
}

// plantGIDs fills the table of addresses: the link's and the interface's, each in both versions, and empty slots, whose
// attributes cannot be read.
func (c *nic) plantGIDs(t tree, port string) {
	link := netip.MustParseAddr(fmt.Sprintf("fe80::5054:ff:fe00:%x", c.netdev.index))
	for i := range 6 {
		nth, gid := strconv.Itoa(i), netip.IPv6Unspecified()
		switch {
		case i < 2:
			gid = link
		case i < 4 && c.ip.IsValid():
			gid = netip.AddrFrom16(c.ip.As16())
		}
		t.text(port+"/gids/"+nth, func() string { return spell(gid) }, nil)
		attr := func(name, value string) {
			t.knob(port+"/gid_attrs/"+name+"/"+nth, 0o444, knob{read: func() (string, error) {
				if gid.IsUnspecified() {
					return "", eInval
				}
				return value + "\n", nil
			}})
		}
		attr("types", []string{"IB/RoCE v1", "RoCE v2"}[i%2])
		attr("ndevs", c.netdev.name)
	}
}

// spell writes a GID in full, eight groups of four.
func spell(gid netip.Addr) string {
	b := gid.As16()
	var groups []string
	for i := 0; i < 16; i += 2 {
		groups = append(groups, fmt.Sprintf("%02x%02x", b[i], b[i+1]))
	}
	return strings.Join(groups, ":")
}

// set is the writer of a number from 0 to top.
func (c *nic) set(to *int, top int) func(int) error {
	return func(v int) error {
		if v < 0 || v > top {
			return eInval
		}
		*to = v
		return nil
	}
}

// VendorDriver gives the NICs of the device the vendor's driver stack (MLNX_OFED) in place of the kernel's own: the
// tool mlnx_qos, and in sysfs the switches of ECN, traffic_class, ttl, roce_enable and vf_roce, the last for vfs
// virtual functions.
func (d *Device) VendorDriver(vfs int) {
	d.fs.mu.Lock()
	t := tree{d.fs}
	for _, name := range slices.Sorted(maps.Keys(d.nics)) {
		if c := d.nics[name].nic; c != nil {
			c.vfs = slices.Repeat([]bool{true}, vfs)
			c.plantVendor(t)
		}
	}
	n := d.fs.newNode(0o755, 0, 0)
	d.fs.mu.Unlock()
	n.program = cmdMlnxQos
	d.fs.plant("/usr/bin/mlnx_qos", n)
}

func (c *nic) plantVendor(t tree) {
	home := "/sys/class/net/" + c.netdev.name
	bit := func(path string, v *bool) {
		t.number(path, func() int { return map[bool]int{true: 1}[*v] }, func(n int) error {
			if n != 0 && n != 1 {
				return eInval
			}
			*v = n == 1
			return nil
		})
	}
	for prio := range 8 {
		nth := strconv.Itoa(prio)
		bit(home+"/ecn/roce_np/enable/"+nth, &c.np[prio])
		bit(home+"/ecn/roce_rp/enable/"+nth, &c.rp[prio])
	}
	t.number(home+"/ecn/roce_np/cnp_dscp", func() int { return c.cnpDSCP }, c.set(&c.cnpDSCP, 63))
	t.number(home+"/ecn/roce_np/cnp_802p_prio", func() int { return c.cnpPrio }, c.set(&c.cnpPrio, 7))
	t.number(home+"/ecn/roce_np/min_time_between_cnps", func() int { return c.cnpEvery }, c.set(&c.cnpEvery, 4095))
	bit(home+"/device/roce_enable", &c.roce)
	t.knob(home+"/settings/vf_roce", 0o644, knob{
		read: func() (string, error) {
			var b strings.Builder
			for i, on := range c.vfs {
				fmt.Fprintf(&b, "vf_num %d: %d\n", i, map[bool]int{true: 1}[on])
			}
			return b.String(), nil
		},
		write: func(s string) error {
			var vf, on int
			if n, err := fmt.Sscanf(s, "%d %d", &vf, &on); n != 2 || err != nil || vf < 0 || vf >= len(c.vfs) || on < 0 || on > 1 {
				return eInval
			}
			c.vfs[vf] = on == 1
			return nil
		},
	})
	ib := "/sys/class/infiniband/" + c.rdma
	t.number(ib+"/ttl/1/ttl", func() int { return c.ttl }, c.set(&c.ttl, 255))
	t.knob(ib+"/tc/1/traffic_class", 0o644, knob{read: func() (string, error) { return c.readClass(), nil }, write: c.writeClass})
}

func (c *nic) readClass() string {
	var b strings.Builder
	if c.class >= 0 {
		fmt.Fprintf(&b, "Global tclass=%d\n", c.class)
	}
	for _, r := range c.rules {
		b.WriteString(r + "\n")
	}
	return b.String()
}

// writeClass takes a number, or "tclass=N" with src_ip= and dst_ip= in any order; N of -1 takes away.
func (c *nic) writeClass(s string) error {
	s = strings.TrimSpace(s)
	if len(s) > 100 || s == "" {
		return eInval
	}
	class, match := -2, map[string]string{}
	for word := range strings.SplitSeq(s, ",") {
		key, value, ok := strings.Cut(word, "=")
		if !ok {
			key, value = "tclass", word
		}
		switch key {
		case "tclass":
			n, err := strconv.Atoi(value)
			if err != nil || n < -1 || n > 255 {
				return eInval
			}
			class = n
		case "src_ip", "dst_ip", "src_ip6", "dst_ip6":
			match[key] = value
		default:
			return eInval
		}
	}
	if class == -2 {
		return eInval
	}
	if len(match) == 0 {
		c.class = class
		return nil
	}
	var words []string
	for _, key := range []string{"src_ip", "dst_ip", "src_ip6", "dst_ip6"} {
		if v, ok := match[key]; ok {
			words = append(words, key+"="+v)
		}
	}
	rule := strings.Join(words, ",") + ",tclass="
	c.rules = slices.DeleteFunc(c.rules, func(r string) bool { return strings.HasPrefix(r, rule) })
	if class >= 0 {
		if len(c.rules) == 40 {
			return eNoMem
		}
		c.rules = append(c.rules, rule+strconv.Itoa(class))
	}
	return nil
}

// Flaps tells how often settings bounced the link of an interface.
func (d *Device) Flaps(netdev string) int {
	d.fs.mu.Lock()
	defer d.fs.mu.Unlock()
	if n := d.nics[netdev]; n != nil && n.nic != nil {
		return n.nic.flaps
	}
	return 0
}

// SetCounter sets a counter of an interface: what `ethtool -S` and the RDMA device's hw_counters show.
func (d *Device) SetCounter(netdev, name string, value uint64) {
	d.fs.mu.Lock()
	defer d.fs.mu.Unlock()
	d.nics[netdev].counters[name] = value
}
