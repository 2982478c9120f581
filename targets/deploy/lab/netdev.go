package lab

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rocec/rocec/targets/deploy/lab/unix"
	"github.com/rocec/rocec/targets/target"
)

// network contains the interfaces of a device, and the programs that show and set them. The lock of the file system guards it.
type network struct {
	fs      *unix.FileSystem
	netdevs map[string]*netdev  // by name
	bonds   map[string][]string // the ports of each bond
	modules []string            // modules that can be loaded
}

func newNetwork(modules []string) *network {
	return &network{netdevs: map[string]*netdev{}, bonds: map[string][]string{}, modules: modules}
}

// reset forgets every interface. It is called with the lock held.
func (w *network) reset() {
	w.netdevs, w.bonds = map[string]*netdev{}, map[string][]string{}
}

// names returns the names of the interfaces, in order. It acquires the lock.
func (w *network) names() []string {
	w.fs.Lock()
	defer w.fs.Unlock()
	return slices.Sorted(maps.Keys(w.netdevs))
}

// netdev is a network interface. The lock of the device's file system guards all fields.
type netdev struct {
	target.Netdev
	rx, tx   bool        // link pause
	egress   map[int]int // for a VLAN: map from socket priority to 802.1p; nil: not a VLAN
	given    []string    // addresses that programs have set: ADDRESS/LENGTH
	counters map[string]uint64
	private  map[string]target.Flag   // private flags of the driver
	rises    map[string]func() uint64 // of counters that rise by themselves: the rise until now
}

// inOrder sorts interfaces as a kernel finds them: first interfaces of PCI functions in the order of the list, then virtual ones by name.
// So a bond comes before its VLANs.
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

// add adds an interface and its files in sysfs to the device. It is called with the lock held.
func (w *network) add(img target.Netdev) {
	n := &netdev{Netdev: img, rx: img.Pause, tx: img.Pause, counters: map[string]uint64{}, private: map[string]target.Flag{}}
	n.Index = len(w.netdevs) + 2
	if parent := w.netdevs[n.Parent]; parent != nil {
		n.egress = map[int]int{}
		n.MTU = cmp.Or(n.MTU, parent.MTU)
	}
	n.MTU = cmp.Or(n.MTU, 1500)
	w.netdevs[n.Name] = n

	f := w.fs
	home := "/sys/devices/virtual/net/" + n.Name
	if n.PCI != "" {
		bus := target.PCIRoot + "/" + n.PCI
		home = bus + "/net/" + n.Name
		f.PlantFolder(home)
		f.PlantLink(home+"/device", "../../../"+n.PCI)
		f.PlantFolder("/sys/bus/pci/drivers/" + n.Driver)
		f.PlantLink(bus+"/driver", "../../../bus/pci/drivers/"+n.Driver)
		f.PlantLink("/sys/bus/pci/devices/"+n.PCI, "../../../devices/"+strings.TrimPrefix(bus, "/sys/devices/"))
	}
	f.PlantLink("/sys/class/net/"+n.Name, "../.."+strings.TrimPrefix(home, "/sys"))
	f.PlantNode(home+"/mtu", target.NumberNode(func() int { return n.MTU }, func(v int) error {
		if v < 68 || v > 9978 {
			return target.EINVAL
		}
		n.MTU = v
		return nil
	}))
	f.PlantNode(home+"/operstate", target.TextNode(func() string { return strings.ToLower(n.operstate()) }, nil))
	f.PlantNode(home+"/carrier", target.NumberNode(func() int { return map[bool]int{false: 1}[n.Down] }, nil))
	f.PlantNode(home+"/ifindex", target.NumberNode(func() int { return n.Index }, nil))
	f.PlantNode(home+"/speed", target.NumberNode(func() int { return n.SpeedMbps }, nil))
	f.PlantNode(home+"/address", target.TextNode(n.mac, nil))
	if n.Master != "" {
		// A bond's directory may be made after its ports. A symbolic link may point to a missing directory.
		up := "../"
		if n.PCI != "" {
			up = "../../../../virtual/net/"
		}
		f.PlantLink(home+"/master", up+n.Master)
		w.bonds[n.Master] = append(w.bonds[n.Master], n.Name)
		f.PlantNode("/sys/devices/virtual/net/"+n.Master+"/bonding/slaves", target.TextNode(func() string {
			return strings.Join(w.bonds[n.Master], " ")
		}, nil))
	}
	if n.egress != nil {
		w.listVLANs()
	}
}

// drop removes an interface. It is called with the lock held.
func (w *network) drop(n *netdev) {
	delete(w.netdevs, n.Name)
	w.fs.Remove("/sys/class/net/" + n.Name)
	if n.egress != nil {
		w.listVLANs()
	}
}

// listVLANs updates the kernel's list of VLAN interfaces.
func (w *network) listVLANs() {
	var b strings.Builder
	b.WriteString("VLAN Dev name	 | VLAN ID\nName-Type: VLAN_NAME_TYPE_RAW_PLUS_VID_NO_PAD\n")
	for _, n := range w.sorted() {
		if n.egress != nil {
			fmt.Fprintf(&b, "%-14s | %d  | %s\n", n.Name, n.VLAN, n.Parent)
		}
	}
	w.fs.PlantNode("/proc/net/vlan/config", target.Node{Read: func() (string, error) { return b.String(), nil }})
}

// sorted returns the interfaces by name.
func (w *network) sorted() []*netdev {
	out := make([]*netdev, 0, len(w.netdevs))
	for _, n := range w.netdevs {
		out = append(out, n)
	}
	slices.SortFunc(out, func(a, b *netdev) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// operstate returns the state of the link in ip's spelling.
func (n *netdev) operstate() string {
	if n.Down {
		return "DOWN"
	}
	return "UP"
}

// flags returns the flags of the interface in ip's spelling.
func (n *netdev) flags() []string {
	if n.Down {
		return []string{"NO-CARRIER", "BROADCAST", "MULTICAST", "UP"}
	}
	return []string{"BROADCAST", "MULTICAST", "UP", "LOWER_UP"}
}

func (n *netdev) mac() string { return fmt.Sprintf("52:54:00:00:00:%02x", n.Index%256) }
