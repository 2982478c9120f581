package lab

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/targets/target"
)

// netdev is a network interface. Everything here is guarded by the lock of the device's file system.
type netdev struct {
	target.Netdev
	rx, tx   bool        // link pause
	egress   map[int]int // of a VLAN: socket priority to 802.1p; nil: it is none
	given    []string    // addresses that programs gave it: ADDRESS/LENGTH
	counters map[string]uint64
}

// inOrder is the order in which a kernel finds interfaces: those of PCI functions as they are listed, then virtual ones
// by name, so that a bond comes before its VLANs.
func inOrder(list []target.Netdev) []target.Netdev {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b target.Netdev) int {
		if virtual := a.PCI == ""; virtual && b.PCI == "" {
			return cmp.Compare(a.Name, b.Name)
		} else if virtual != (b.PCI == "") {
			return map[bool]int{false: -1, true: 1}[virtual]
		}
		return 0
	})
	return list
}

// addNetdev gives the device an interface, and what of it is in sysfs. It is called with the lock held.
func (d *Device) addNetdev(img target.Netdev) {
	n := &netdev{Netdev: img, rx: img.Pause, tx: img.Pause, counters: map[string]uint64{}}
	n.Index = len(d.netdevs) + 2
	if parent := d.netdevs[n.Parent]; parent != nil {
		n.egress = map[int]int{}
		n.MTU = cmp.Or(n.MTU, parent.MTU)
	}
	n.MTU = cmp.Or(n.MTU, 1500)
	d.netdevs[n.Name] = n

	f := d.fs
	home := "/sys/devices/virtual/net/" + n.Name
	if n.PCI != "" {
		bus := target.PCIRoot + "/" + n.PCI
		home = bus + "/net/" + n.Name
		f.plantDir(home, true)
		f.plantLink(home+"/device", "../../../"+n.PCI)
		f.plantDir("/sys/bus/pci/drivers/"+n.Driver, true)
		f.plantLink(bus+"/driver", "../../../bus/pci/drivers/"+n.Driver)
		f.plantLink("/sys/bus/pci/devices/"+n.PCI, "../../../devices/"+strings.TrimPrefix(bus, "/sys/devices/"))
	}
	f.plantLink("/sys/class/net/"+n.Name, "../.."+strings.TrimPrefix(home, "/sys"))
	f.plantNode(home+"/mtu", target.NumberNode(func() int { return n.MTU }, func(v int) error {
		if v < 68 || v > 9978 {
			return eInval
		}
		n.MTU = v
		return nil
	}))
	f.plantNode(home+"/operstate", target.TextNode(func() string { return strings.ToLower(n.operstate()) }, nil))
	f.plantNode(home+"/carrier", target.NumberNode(func() int { return map[bool]int{false: 1}[n.Down] }, nil))
	f.plantNode(home+"/ifindex", target.NumberNode(func() int { return n.Index }, nil))
	f.plantNode(home+"/speed", target.NumberNode(func() int { return n.SpeedMbps }, nil))
	f.plantNode(home+"/address", target.TextNode(n.mac, nil))
	if n.Master != "" {
		// A bond's directory may come later than its ports; a link does not mind.
		up := "../"
		if n.PCI != "" {
			up = "../../../../virtual/net/"
		}
		f.plantLink(home+"/master", up+n.Master)
		d.bonds[n.Master] = append(d.bonds[n.Master], n.Name)
		f.plantNode("/sys/devices/virtual/net/"+n.Master+"/bonding/slaves", target.TextNode(func() string {
			return strings.Join(d.bonds[n.Master], " ")
		}, nil))
	}
	if n.egress != nil {
		d.listVLANs()
	}
}

// dropNetdev takes an interface away. It is called with the lock held.
func (d *Device) dropNetdev(n *netdev) {
	delete(d.netdevs, n.Name)
	delete(d.fs.plantDir("/sys/class/net", true).kids, n.Name)
	if n.egress != nil {
		d.listVLANs()
	}
}

// listVLANs brings the kernel's list of VLAN interfaces up to date.
func (d *Device) listVLANs() {
	var b strings.Builder
	b.WriteString("VLAN Dev name	 | VLAN ID\nName-Type: VLAN_NAME_TYPE_RAW_PLUS_VID_NO_PAD\n")
	for _, n := range d.sortedNetdevs() {
		if n.egress != nil {
			fmt.Fprintf(&b, "%-14s | %d  | %s\n", n.Name, n.VLAN, n.Parent)
		}
	}
	d.fs.plantNode("/proc/net/vlan/config", target.Node{Read: func() (string, error) { return b.String(), nil }})
}

// sortedNetdevs are the interfaces by name.
func (d *Device) sortedNetdevs() []*netdev {
	out := make([]*netdev, 0, len(d.netdevs))
	for _, n := range d.netdevs {
		out = append(out, n)
	}
	slices.SortFunc(out, func(a, b *netdev) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// operstate is the state of the link, as ip spells it.
func (n *netdev) operstate() string {
	if n.Down {
		return "DOWN"
	}
	return "UP"
}

// flags are those of the interface, as ip lists them.
func (n *netdev) flags() []string {
	if n.Down {
		return []string{"NO-CARRIER", "BROADCAST", "MULTICAST", "UP"}
	}
	return []string{"BROADCAST", "MULTICAST", "UP", "LOWER_UP"}
}

func (n *netdev) mac() string { return fmt.Sprintf("52:54:00:00:00:%02x", n.Index%256) }

// SetCounter sets a counter of an interface: what `ethtool -S` shows.
func (d *Device) SetCounter(netdev, name string, value uint64) {
	d.fs.mu.Lock()
	defer d.fs.mu.Unlock()
	d.netdevs[netdev].counters[name] = value
}

// SetSpeed sets the speed that an interface says its link has, in Mb/s, until the device starts anew.
func (d *Device) SetSpeed(netdev string, mbps int) {
	d.fs.mu.Lock()
	defer d.fs.mu.Unlock()
	d.netdevs[netdev].SpeedMbps = mbps
}

// TakeNetdev takes an interface away, as when a port is split or a card is pulled, until the device starts anew.
func (d *Device) TakeNetdev(netdev string) {
	d.fs.mu.Lock()
	defer d.fs.mu.Unlock()
	d.dropNetdev(d.netdevs[netdev])
}

// SetLink plugs the cable of an interface in, or pulls it out, until the device starts anew.
func (d *Device) SetLink(netdev string, up bool) {
	d.fs.mu.Lock()
	defer d.fs.mu.Unlock()
	d.netdevs[netdev].Down, d.cabled = !up, true
}
