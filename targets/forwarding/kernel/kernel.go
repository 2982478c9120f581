// Package kernel reads values of Linux that decide about forwarding, and the names of routing daemons ([Kernel]), from the output of one
// command.
package kernel

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rocec/rocec/targets/forwarding"
)

// Kernel are values of Linux and the routing daemons that run, as [Ask] prints them.
type Kernel struct {
	Forwards, Forwards6 bool
	Reachable           map[string]time.Duration // base_reachable_time of IPv4 by interface; "default" is for new interfaces
	Daemons             []string                 // sorted
	Processes           bool                     // the processes of all users were visible
	Age                 time.Duration            // of an entry of the MAC table, as the system of the switch states it; 0: it is silent
}

// names are the names of programs that set routes of a device, as the kernel shows them (at most 15 characters), with bars between them.
// Programs of containers have their names, too.
//
// Source: the packages frr, quagga, bird, bird2, gobgpd, exabgp and openbgpd of Debian; the images of Calico (calico-node, with bird and
// bird6 or gobgpd), kube-router and Cilium (cilium-agent).
const names = "babeld|bgpd|bird|bird6|calico-node|cilium-agent|eigrpd|exabgp|fabricd|gobgpd|isisd|kube-router|ldpd|nhrpd|" +
	"ospf6d|ospfd|pathd|pimd|ripd|ripngd|routed|staticd|zebra"

// Daemons returns the names of programs that set routes of a device.
func Daemons() []string { return strings.Split(names, "|") }

// Files of the kernel.
const (
	forwardsFile  = "/proc/sys/net/ipv4/ip_forward"
	forwards6File = "/proc/sys/net/ipv6/conf/all/forwarding"
	reachableDir  = "/proc/sys/net/ipv4/neigh/"
	reachableBase = "/base_reachable_time_ms"
)

// Ask is a command for sh that prints values of the kernel, each after the name of its file, and the names of [Daemons] that run. Names of
// other programs do not leave the device. A kernel can hide the processes of other users (the option hidepid of /proc); then the line
// "processes visible" is missing.
const Ask = "grep -s . " + forwardsFile + " " + forwards6File + " " + reachableDir + "*" + reachableBase + "\n" +
	"test -r /proc/1/comm && echo processes visible\n" +
	`for name in $(cat /proc/[0-9]*/comm 2>/dev/null | grep -x -E "` + names + `" | sort -u); do echo "daemon $name"; done` + "\necho end"

// ageLine begins a line with the seconds after which a switch forgets a MAC address. The command of a system prints it before those of
// [Ask].
const ageLine = "mac age "

// mostInterfaces limits the interfaces whose values are read.
const mostInterfaces = 8192

// mostName is the longest name of an interface that is read.
const mostName = 64

// Read reads the output of [Ask]. Other lines are ignored.
func Read(data []byte) (*Kernel, error) {
	daemons := Daemons()
	k := &Kernel{Reachable: map[string]time.Duration{}}
	known, ended := false, false
	for line := range bytes.Lines(data) {
		text := strings.TrimRight(string(line), "\r\n")
		file, value, _ := strings.Cut(text, ":")
		daemon, is := strings.CutPrefix(text, "daemon ")
		switch {
		case text == "end":
			ended = true
		case strings.HasPrefix(text, ageLine):
			if n, err := strconv.ParseUint(text[len(ageLine):], 10, 31); err == nil {
				k.Age = time.Duration(n) * time.Second
			}
		case text == "processes visible":
			k.Processes = true
		case is && slices.Contains(daemons, daemon) && !slices.Contains(k.Daemons, daemon):
			k.Daemons = append(k.Daemons, daemon)
		case file == forwardsFile:
			k.Forwards, known = value != "0", true
		case file == forwards6File:
			k.Forwards6 = value != "0"
		default:
			k.reachable(file, value)
		}
	}
	if !known || !ended {
		return nil, errCut
	}
	slices.Sort(k.Daemons)
	return k, nil
}

// reachable reads the value of an interface.
func (k *Kernel) reachable(file, value string) {
	name, ok := strings.CutPrefix(file, reachableDir)
	name, end := strings.CutSuffix(name, reachableBase)
	n, err := strconv.ParseUint(value, 10, 31)
	if ok && end && err == nil && len(name) <= mostName && len(k.Reachable) < mostInterfaces {
		k.Reachable[name] = time.Duration(n) * time.Millisecond
	}
}

// errCut is the error for a text that is not whole.
const errCut forwarding.Unread = "it is empty or cut off: it does not state whether the device forwards"

// ARP returns the longest time after which Linux asks again for the Ethernet address of a neighbour that it uses: one and a half of
// base_reachable_time, since the kernel draws it between a half and one and a half. Interfaces that only manage the device do not count. 0:
// not known.
//
// Source: Linux, net/core/neighbour.c, neigh_rand_reach_time; Documentation/networking/ip-sysctl.rst.
func (k *Kernel) ARP() (longest time.Duration) {
	for name, base := range k.Reachable {
		if name != "default" && name != "lo" && name != "mgmt" && !strings.HasPrefix(name, "eth") && !strings.HasPrefix(name, "docker") {
			longest = max(longest, base)
		}
	}
	return cmp.Or(longest, k.Reachable["default"]) * 3 / 2
}

// Kept returns the values in the form of [Ask].
func (k *Kernel) Kept() []byte {
	var out bytes.Buffer
	bit := map[bool]string{false: "0", true: "1"}
	fmt.Fprintf(&out, "%s:%s\n%s:%s\n", forwardsFile, bit[k.Forwards], forwards6File, bit[k.Forwards6])
	for _, name := range slices.Sorted(maps.Keys(k.Reachable)) {
		fmt.Fprintf(&out, "%s%s%s:%d\n", reachableDir, name, reachableBase, k.Reachable[name].Milliseconds())
	}
	if k.Age > 0 {
		fmt.Fprintf(&out, "%s%d\n", ageLine, k.Age/time.Second)
	}
	if k.Processes {
		out.WriteString("processes visible\n")
	}
	for _, name := range k.Daemons {
		out.WriteString("daemon " + name + "\n")
	}
	out.WriteString("end\n")
	return out.Bytes()
}
