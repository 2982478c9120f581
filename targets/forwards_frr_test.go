//go:build linux

package targets_test

import (
	"bytes"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/target/lint"
)

// frrPrograms are the daemons of a router.
var frrPrograms = []string{"zebra", "bgpd"}

// network is a network of routers that run FRRouting, each in its own network namespace, with real sessions.
type network struct {
	t      *testing.T
	dir    string
	ip     string   // the program
	prefix string   // of the names of namespaces
	known  []string // routers
}

// newNetwork returns a network without routers. Its routers end with the test.
func newNetwork(t *testing.T) *network {
	t.Helper()
	machinetest.Long(t)
	n := &network{t: t, ip: machinetest.Need(t, "ip"), prefix: fmt.Sprintf("rocec%d-", os.Getpid())}
	for _, name := range frrPrograms {
		machinetest.Need(t, "/usr/lib/frr/"+name)
	}
	machinetest.Root(t, "makes network namespaces")
	dir, err := os.MkdirTemp("", "rocec-frr-") // the user frr has no access to the folders of a test
	require.NoError(t, err)
	require.NoError(t, os.Chmod(dir, 0o755))
	n.dir = dir
	t.Cleanup(n.end)
	return n
}

// run runs a program on this machine.
func (n *network) run(name string, args ...string) string {
	n.t.Helper()
	cmd := exec.CommandContext(n.t.Context(), name, args...)
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	require.NoError(n.t, cmd.Run(), "%s %v: %s", name, args, problems.String())
	return out.String()
}

// add adds routers.
func (n *network) add(names ...string) {
	for _, name := range names {
		n.run(n.ip, "netns", "add", n.prefix+name)
		n.known = append(n.known, name)
		n.run(n.ip, "-n", n.prefix+name, "link", "set", "lo", "up")
		require.NoError(n.t, os.Mkdir(filepath.Join(n.dir, name), 0o755))
	}
}

// cable connects ports, each named ROUTER:PORT.
func (n *network) cable(a, b string) {
	nameA, portA, _ := strings.Cut(a, ":")
	nameB, portB, _ := strings.Cut(b, ":")
	n.run(n.ip, "link", "add", "name", portA, "netns", n.prefix+nameA, "type", "veth", "peer", "name", portB, "netns", n.prefix+nameB)
	n.run(n.ip, "-n", n.prefix+nameA, "link", "set", portA, "up")
	n.run(n.ip, "-n", n.prefix+nameB, "link", "set", portB, "up")
}

// start starts FRRouting on a router with unnumbered sessions at ports. further is added to the address family, and after is at the end.
func (n *network) start(name string, as int, loopback string, ports []string, further, after string) {
	var text strings.Builder
	fmt.Fprintf(&text, "frr defaults datacenter\nlog file %s/%s/log\ninterface lo\n ip address %s\n!\n", n.dir, name, loopback)
	for _, port := range ports {
		fmt.Fprintf(&text, "interface %s\n ipv6 nd ra-interval 1\n no ipv6 nd suppress-ra\n!\n", port)
	}
	fmt.Fprintf(&text, "router bgp %d\n timers bgp 1 3\n bgp bestpath as-path multipath-relax\n", as)
	for _, port := range ports {
		fmt.Fprintf(&text, " neighbor %s interface remote-as external\n neighbor %[1]s timers connect 1\n"+
			" neighbor %[1]s advertisement-interval 0\n", port)
	}
	fmt.Fprintf(&text, " address-family ipv4 unicast\n  redistribute connected\n%s exit-address-family\n!\n%s", further, after)
	home := filepath.Join(n.dir, name)
	require.NoError(n.t, os.WriteFile(home+"/frr.conf", []byte(text.String()), 0o644))
	n.run("chown", "-R", "frr:frr", home)
	for _, program := range frrPrograms {
		n.in(name, "/usr/lib/frr/"+program, "-d", "-f", home+"/frr.conf", "-i", home+"/"+program+".pid", "-z", home+"/zserv.api",
			"--vty_socket", home)
	}
}

// in runs a program in the namespace of a router.
func (n *network) in(name string, args ...string) string {
	n.t.Helper()
	return n.run(n.ip, append([]string{"netns", "exec", n.prefix + name}, args...)...)
}

// end stops the routers.
func (n *network) end() {
	for _, name := range n.known {
		for _, program := range frrPrograms {
			data, err := os.ReadFile(filepath.Join(n.dir, name, program+".pid"))
			if pid, not := strconv.Atoi(strings.TrimSpace(string(data))); err == nil && not == nil && pid > 1 {
				_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
			}
		}
		if out, err := exec.Command(n.ip, "netns", "del", n.prefix+name).CombinedOutput(); err != nil {
			n.t.Errorf("%s", out)
		}
	}
	if err := os.RemoveAll(n.dir); err != nil {
		n.t.Error(err)
	}
}

// ask asks a router the questions of a snapshot, and returns the kept answers as its files. vtysh finds the daemons by their folder.
func (n *network) ask(name string, d *ir.Device) (files []lint.File) {
	n.t.Helper()
	for _, q := range targets.ForwardingAsks(d) {
		text := n.in(name, "sh", "-c", strings.ReplaceAll(q.Cmd, "vtysh ", "vtysh --vty_socket "+filepath.Join(n.dir, name)+" "))
		if strings.TrimSpace(text) == "" {
			continue
		}
		f := lint.File{Name: d.Name + "/" + q.File, Data: []byte(text)}
		kept, _, err := targets.Keep(f)
		require.NoError(n.t, err, "%s %s: %s", name, q.File, text)
		f.Data = kept
		files = append(files, f)
	}
	return files
}

// read returns the forwarding of a router. Its ports have the names of the network.
func (n *network) read(name string) *ir.Forwarding {
	n.t.Helper()
	d := &ir.Device{Name: name, Switch: &ir.Switch{}, Fabric: &ir.Fabric{}}
	d.Fabric.Devices = []*ir.Device{d}
	return targets.ReadForwarding(d, n.ask(name, d), func(string) time.Time { return time.Now() })
}

// outOf returns the ports of a route; "none": there is no such route.
func outOf(r *ir.Forwarding, prefix string) string {
	for _, table := range r.Tables {
		i := slices.IndexFunc(table.Routes, func(route ir.ForwardingRoute) bool { return route.To.String() == prefix })
		if i >= 0 {
			return strings.Join(table.Routes[i].Out, ",")
		}
	}
	return "none"
}

// await waits until routers have the ports of routes, each ROUTER PREFIX PORTS.
func (n *network) await(want ...string) {
	n.t.Helper()
	assert.EventuallyWithT(n.t, func(c *assert.CollectT) {
		for _, one := range want {
			words := strings.Fields(one)
			ports := ""
			if len(words) > 2 {
				ports = words[2]
			}
			assert.Equal(c, ports, outOf(n.read(words[0]), words[1]), one)
		}
	}, time.Minute, 500*time.Millisecond)
}

// peerOf returns the neighbour at a port; the zero value: there is none.
func peerOf(r *ir.Forwarding, port string) ir.ForwardingPeer {
	i := slices.IndexFunc(r.BGP.Peers, func(p ir.ForwardingPeer) bool { return p.Port == port })
	if i < 0 {
		return ir.ForwardingPeer{}
	}
	return r.BGP.Peers[i]
}

// In a ring of routers, each with its own AS number, routes lead both ways to the router opposite.
func TestFRRRing(t *testing.T) {
	n := newNetwork(t)
	names := []string{"r1", "r2", "r3", "r4"}
	n.add(names...)
	for i, name := range names {
		n.cable(name+":"+name+"-e", names[(i+1)%4]+":"+names[(i+1)%4]+"-w")
	}
	for i, name := range names {
		n.start(name, 65001+i, fmt.Sprintf("10.0.0.%d/32", i+1), []string{name + "-e", name + "-w"}, "", "")
	}
	n.await("r1 10.0.0.3/32 r1-e,r1-w", "r1 10.0.0.2/32 r1-e", "r3 10.0.0.1/32 r3-e,r3-w", "r4 10.0.0.1/32 r4-e")
	r := n.read("r1")
	assert.Equal(t, uint32(65001), r.BGP.AS)
	assert.True(t, r.BGP.Relaxed)
	assert.Equal(t, []ir.ForwardingPeer{{Port: "r1-e", AS: 65002, Up: true}, {Port: "r1-w", AS: 65004, Up: true}}, r.BGP.Peers)
	assert.Empty(t, r.BGP.Static)
	assert.Empty(t, r.BGP.Aggregates)
	assert.Equal(t, map[ir.ForwardingPart]string{
		ir.PartHost: "it is no host", ir.PartWatchdog: "no file of its configuration states it",
	}, r.Unread)
}

// In a Clos of 2 spines and 3 leaves, the reading shows each departure from the plan, and the tables show what it does to routes: a policy
// that prepends, an aggregate without a discard route, a network without a route, and allowas-in. With allowas-in, the prepended path of
// leaf l2 is as long as the paths that lead from spine s1 down to a leaf and up again.
func TestFRRClos(t *testing.T) {
	n := newNetwork(t)
	spines, leaves := []string{"s1", "s2"}, []string{"l1", "l2", "l3"}
	n.add(slices.Concat(spines, leaves)...)
	port := func(a, b string) string { return a + "-" + b }
	for _, s := range spines {
		for _, l := range leaves {
			n.cable(s+":"+port(s, l), l+":"+port(l, s))
		}
	}
	const aggregate = "  aggregate-address 10.0.0.0/8\n"
	var allowed strings.Builder
	for _, l := range leaves {
		allowed.WriteString("  neighbor " + port("s1", l) + " allowas-in 1\n")
	}
	n.start("s1", 65000, "10.0.2.1/32", []string{"s1-l1", "s1-l2", "s1-l3"}, aggregate+allowed.String(), "")
	n.start("s2", 65000, "10.0.2.2/32", []string{"s2-l1", "s2-l2", "s2-l3"}, aggregate, "")
	n.start("l1", 65101, "10.0.1.1/32", []string{"l1-s1", "l1-s2"}, "", "")
	n.start("l2", 65102, "10.0.1.2/32", []string{"l2-s1", "l2-s2"}, "  neighbor l2-s1 route-map LONGER out\n",
		"route-map LONGER permit 10\n set as-path prepend 65102 65102\n!\n")
	n.start("l3", 65103, "10.0.1.3/32", []string{"l3-s1", "l3-s2"}, "  network 10.77.0.0/16\n exit-address-family\n"+
		" no bgp network import-check\n address-family ipv4 unicast\n", "")
	n.in("s2", n.ip, "route", "add", "10.0.0.0/8", "dev", "s2-l1")
	n.await("l1 10.0.1.3/32 l1-s1,l1-s2", "l1 10.0.1.2/32 l1-s2", "l3 10.0.1.1/32 l3-s1,l3-s2", "s2 10.0.1.2/32 s2-l2", "s1 10.0.0.0/8",
		"s2 10.0.0.0/8 s2-l1", "s1 10.77.0.0/16 s1-l3", "s1 10.0.1.2/32 s1-l1,s1-l2,s1-l3")

	s1, s2, l2, l3 := n.read("s1"), n.read("s2"), n.read("l2"), n.read("l3")
	assert.Equal(t, ir.ForwardingPeer{Port: "s1-l1", AS: 65101, Up: true, AllowsAS: 1}, peerOf(s1, "s1-l1"))
	assert.Equal(t, ir.ForwardingPeer{Port: "s2-l1", AS: 65101, Up: true}, peerOf(s2, "s2-l1"))
	ten := netip.MustParsePrefix("10.0.0.0/8")
	assert.Equal(t, []ir.ForwardingAggregate{{Prefix: ten, Discard: true}}, s1.BGP.Aggregates, "FRRouting adds a discard route")
	assert.Equal(t, []ir.ForwardingAggregate{{Prefix: ten}}, s2.BGP.Aggregates, "a route of the kernel takes its place")
	assert.Equal(t, []ir.ForwardingAggregate{{Prefix: netip.MustParsePrefix("10.77.0.0/16")}}, l3.BGP.Aggregates)
	assert.Equal(t, ir.ForwardingPeer{Port: "l2-s1", AS: 65000, Up: true, Prepends: true}, peerOf(l2, "l2-s1"))
	assert.Equal(t, ir.ForwardingPeer{Port: "l2-s2", AS: 65000, Up: true}, peerOf(l2, "l2-s2"))

	n.in("l3", n.ip, "link", "set", "l3-s1", "down")
	n.in("l1", n.ip, "link", "set", "l1-s2", "down")
	n.await("s1 10.0.1.3/32 s1-l2", "s2 10.0.1.1/32 none") // only s1 takes routes that contain its own AS number
	assert.False(t, peerOf(n.read("l3"), "l3-s1").Up)
}
