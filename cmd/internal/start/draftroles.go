package start

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/topology"
)

// role is the role of a device in the fabric.
type role int

const (
	unknown role = iota
	isSwitch
	isHost
)

// Words in names, functions and groups, by role. Weak words count only without other words.
var (
	switchWords = strings.Fields("spine leaf leafs leaves spines tor core agg aggregation super superspine exit border switch sw sp " +
		"lf eor mlag fabric rtr router bridge access distribution dist firewall gateway gw internet wan edge " +
		"isp provider rr tier ssp fanout sonic")
	hostWords = strings.Fields("host hosts gpu server servers srv serv node compute store storage client clients worker dgx hgx " +
		"nvme db vm cpu initiator target pc workload ixia tester tgen trafficgen traffic generator app web " +
		"desktop workstation station endpoint")
	weakSwitches = strings.Fields("r s l p pe ce rt frr srl ceos xrd vmx csr asbr abr ebgp ibgp")
	weakHosts    = strings.Fields("h c gb mi b")
	outsiders    = strings.Fields("oob mgmt management console ipmi bmc pdu")
	testers      = strings.Fields("tester testers tgen trafficgen ixia snappi keysight spirent") // only as roles, not in names
	nowhere      = []string{"nothing", "none", "null", "dummy", "fake", "unused", "unconnected", "noremote", "blank", "n-a", "tbd"}
)

// Words in kinds and systems.
var (
	hostSystems = strings.Fields("ubuntu debian alpine centos rocky fedora rhel windows k8s kind ext container ixia keysight host " +
		"freebsd generic_vm multitool")
	netSystems = strings.Fields("srlinux srl sros srsim ceos eos veos arista junos vjunosswitch vjunosevolved cjunosevolved crpd vmx " +
		"vqfx vsrx xrd xrv xrv9k iol c8000v csr1000v n9kv nxos sonic cumulus cvx vyos frr routeros mikrotik " +
		"ftosv dell ocnos arcos saos asav fortigate fortinet bridge ovs vpp vbng osvbng rare aoscx openwrt " +
		"checkpoint paloalto pan f5 bigip huawei_vrp vrp")
)

// apart splits words at capitals: "DevSnappiChassis" becomes "Dev Snappi Chassis".
func apart(s string) string {
	var b strings.Builder
	small := false
	for _, c := range s {
		if small && 'A' <= c && c <= 'Z' {
			b.WriteByte(' ')
		}
		small = 'a' <= c && c <= 'z'
		b.WriteRune(c)
	}
	return b.String()
}

var wordPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[a-z]+`) })

func words(s string) []string { return wordPattern().FindAllString(strings.ToLower(s), -1) }

// wordRole returns the role of the last known word in a text.
func wordRole(text string, switches, hosts []string) role {
	for _, w := range slices.Backward(words(text)) {
		switch {
		case slices.Contains(switches, w):
			return isSwitch
		case slices.Contains(hosts, w):
			return isHost
		}
	}
	return unknown
}

// outside reports whether a device is outside of the fabric: in the management network, a tester according to its inventory, or not a
// device at all.
func outside(name string, said topology.Node) bool {
	role := words(apart(said.Function))
	for _, w := range append(words(name), role...) {
		if slices.Contains(outsiders, w) {
			return true
		}
	}
	if slices.ContainsFunc(role, func(w string) bool { return slices.Contains(testers, w) }) {
		return true
	}
	return slices.Contains(nowhere, strings.ToLower(name)) || slices.Contains(nowhere, strings.ToLower(said.Function)) ||
		strings.HasPrefix(strings.ToLower(name), "fake") || strings.HasPrefix(strings.ToLower(name), "dummy")
}

// systemRole returns the role that the system of a device implies, by a list of words.
func systemRole(system string) role {
	fields := strings.FieldsFunc(strings.ToLower(system), func(r rune) bool { return strings.ContainsRune("/:- .", r) })
	for _, f := range fields {
		for _, part := range append(strings.Split(f, "_"), f, strings.TrimRight(f, "0123456789")) { // ubuntu2404
			switch {
			case slices.Contains(netSystems, part):
				return isSwitch
			case slices.Contains(hostSystems, part):
				return isHost
			}
		}
	}
	return unknown
}

// netdev matches names of interfaces of hosts.
var netdev = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(eth|en[ospx]|eno|ens|enp|ib|bond|mlx|mt|rdma|roce|rail|hca|net|nic|p\dp|em)[a-z0-9]*$`)
})

// hostPorts reports whether all ports of a device have names of host interfaces.
func hostPorts(dev *device) bool {
	return !slices.ContainsFunc(dev.jacks, func(j *jack) bool { return !netdev().MatchString(j.port) })
}

// roles guesses which devices are switches and which are hosts: from the file, names, ports, and finally neighbours.
func (d *draft) roles() {
	for _, dev := range d.devices {
		dev.role, dev.sure = d.role(dev)
	}
	open := func(dev *device) bool { return dev.role == unknown }
	peers := func(dev *device, r role) bool { // all neighbours have the role
		return !slices.ContainsFunc(dev.jacks, func(j *jack) bool { return j.peer.dev != dev && j.peer.dev.role != r })
	}
	for _, dev := range d.devices { // it has one cable, and the other end has more
		if open(dev) && len(dev.jacks) == 1 && len(dev.jacks[0].peer.dev.jacks) > 1 {
			dev.role = isHost
		}
	}
	for _, dev := range d.devices { // between hosts
		if open(dev) && slices.ContainsFunc(dev.jacks, func(j *jack) bool { return j.peer.dev.role == isHost }) {
			dev.role = isSwitch
		}
	}
	for changed := true; changed; { // all neighbours are switches, as for a host with eight rails
		changed = false
		for _, dev := range d.devices {
			if open(dev) && peers(dev, isSwitch) {
				dev.role, changed = isHost, true
			}
		}
	}
	for _, dev := range d.devices {
		if open(dev) {
			dev.role = isSwitch
			if len(dev.jacks) == 1 {
				dev.role = isHost
			}
		}
	}
}

// role guesses the role of a device without its neighbours. sure: a word shows the role.
func (d *draft) role(dev *device) (role, bool) {
	if r := wordRole(apart(dev.said.Function), switchWords, hostWords); r != unknown {
		return r, true
	}
	if systemRole(dev.said.System) == isSwitch && (d.lab || !hostPorts(dev)) {
		return isSwitch, true
	}
	if d.model(dev) != nil {
		return isSwitch, true
	}
	switch r := wordRole(dev.name, switchWords, hostWords); {
	case r == isHost && wordRole(dev.name, switchWords, nil) == isSwitch && d.allFront(dev): // spine-node1
		return isSwitch, false
	case r != unknown:
		return r, true
	}
	if r := systemRole(dev.said.System); r != unknown {
		return r, true
	}
	ports := hostPorts(dev)
	switch weak := wordRole(dev.name, weakSwitches, weakHosts); {
	case weak == isHost && ports, weak == isSwitch && !ports:
		return weak, false
	case weak == isSwitch && len(dev.jacks) > 1:
		return weak, false
	case !ports:
		return isSwitch, false
	case len(dev.jacks) > 1 && !d.lab && slices.ContainsFunc(dev.jacks, func(j *jack) bool { return d.front(nil, nil, j.peer.port) }):
		return isHost, false // if other devices have names of switch ports, a device with only eth* is a host
	}
	return unknown, false
}

// front reports whether a name is that of a front-panel port of a system on a model. nil is any system, or any model.
func (d *draft) front(os *ir.OS, m *platform.Switch, port string) bool {
	for _, o := range d.known.OS {
		if os != nil && o != os {
			continue
		}
		if _, ok := o.Read(m, port); ok {
			return true
		}
	}
	return false
}

// allFront reports whether all ports of a device have names of front-panel ports of a system.
func (d *draft) allFront(dev *device) bool {
	return len(dev.jacks) > 0 && !slices.ContainsFunc(dev.jacks, func(j *jack) bool { return !d.front(nil, nil, j.port) })
}

// model returns the switch model in the name of a device or in the file; nil: none, or unknown.
func (d *draft) model(dev *device) *platform.Switch {
	joints := func(r rune) bool { return r == '-' || r == '_' || r == '.' || r == ' ' }
	texts := append([]string{dev.said.Model}, strings.FieldsFunc(dev.said.Model, joints)...) // "Mellanox-SN4600C-C64" of SONiC
	for _, t := range append(texts, strings.FieldsFunc(dev.name, joints)...) {
		if len(t) < 5 || !strings.ContainsAny(t, "0123456789") {
			continue
		}
		if m, ok := platform.FindSwitch(t); ok {
			return m
		}
	}
	return nil
}
