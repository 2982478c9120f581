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

// network is the network that a fabric describes. Its switches run FRRouting with real sessions, each in its own network namespace, and
// each host has a namespace, too.
type network struct {
	t      *testing.T
	f      *ir.Fabric
	dir    string
	ip     string   // the program
	prefix string   // of the names of namespaces
	known  []string // devices
}

// newNetwork makes the devices and the cables of a fabric. They end with the test.
func newNetwork(t *testing.T, f *ir.Fabric) *network {
	t.Helper()
	n := &network{t: t, f: f, ip: machinetest.Need(t, "ip"), prefix: fmt.Sprintf("rocec%d-", os.Getpid())}
	for _, name := range frrPrograms {
		machinetest.Need(t, "/usr/lib/frr/"+name)
	}
	machinetest.Root(t, "makes network namespaces")
	dir, err := os.MkdirTemp("", "rocec-frr-") // the user frr has no access to the folders of a test
	require.NoError(t, err)
	require.NoError(t, os.Chmod(dir, 0o755))
	n.dir = dir
	t.Cleanup(n.end)
	for _, d := range f.Devices {
		n.run(n.ip, "netns", "add", n.prefix+d.Name)
		n.known = append(n.known, d.Name)
		n.run(n.ip, "-n", n.prefix+d.Name, "link", "set", "lo", "up")
		require.NoError(t, os.Mkdir(filepath.Join(n.dir, d.Name), 0o755))
	}
	for _, l := range f.Links {
		n.cable(l)
	}
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

// in runs a program in the namespace of a device.
func (n *network) in(name string, args ...string) string {
	n.t.Helper()
	return n.run(n.ip, append([]string{"netns", "exec", n.prefix + name}, args...)...)
}

// cable lays a cable. A host has the address of its NIC, and the port of its switch the first address of that network.
func (n *network) cable(l *ir.Link) {
	a, b := l.A(), l.B()
	n.run(n.ip, "link", "add", "name", a.Name, "netns", n.prefix+a.Device().Name, "type", "veth",
		"peer", "name", b.Name, "netns", n.prefix+b.Device().Name)
	for _, p := range []*ir.Port{a, b} {
		at := n.prefix + p.Device().Name
		n.run(n.ip, "-n", at, "link", "set", p.Name, "up")
		if p.NIC == nil {
			continue
		}
		n.run(n.ip, "-n", at, "address", "add", p.NIC.IP.String(), "dev", p.Name)
		first := netip.PrefixFrom(p.NIC.IP.Masked().Addr().Next(), p.NIC.IP.Bits())
		n.run(n.ip, "-n", n.prefix+p.Peer().Device().Name, "address", "add", first.String(), "dev", p.Peer().Name)
	}
}

// device returns a device of the fabric.
func (n *network) device(name string) *ir.Device {
	i := slices.IndexFunc(n.f.Devices, func(d *ir.Device) bool { return d.Name == name })
	require.GreaterOrEqual(n.t, i, 0, name)
	return n.f.Devices[i]
}

// port returns the port of a device to a neighbour.
func (n *network) port(name, neighbour string) string {
	ports := n.device(name).Ports
	i := slices.IndexFunc(ports, func(p *ir.Port) bool { return p.Peer().Device().Name == neighbour })
	require.GreaterOrEqual(n.t, i, 0, neighbour)
	return ports[i].Name
}

// start starts FRRouting on a switch, with its AS number, a loopback, and unnumbered sessions at its ports to other switches.
func (n *network) start(name, loopback string) {
	var text strings.Builder
	var ports []string
	d := n.device(name)
	for _, p := range d.Ports {
		if p.Peer().Device().Switch != nil {
			ports = append(ports, p.Name)
		}
	}
	fmt.Fprintf(&text, "frr defaults datacenter\nlog file %s/%s/log\ninterface lo\n ip address %s\n!\n", n.dir, name, loopback)
	for _, port := range ports {
		fmt.Fprintf(&text, "interface %s\n ipv6 nd ra-interval 1\n no ipv6 nd suppress-ra\n!\n", port)
	}
	fmt.Fprintf(&text, "router bgp %d\n timers bgp 1 3\n bgp bestpath as-path multipath-relax\n", d.Switch.ASN)
	for _, port := range ports {
		fmt.Fprintf(&text, " neighbor %s interface remote-as external\n neighbor %[1]s timers connect 1\n"+
			" neighbor %[1]s advertisement-interval 0\n", port)
	}
	text.WriteString(" address-family ipv4 unicast\n  redistribute connected\n exit-address-family\n!\n")
	home := filepath.Join(n.dir, name)
	require.NoError(n.t, os.WriteFile(home+"/frr.conf", []byte(text.String()), 0o644))
	n.run("chown", "-R", "frr:frr", home)
	for _, program := range frrPrograms {
		n.in(name, "/usr/lib/frr/"+program, "-d", "-f", home+"/frr.conf", "-i", home+"/"+program+".pid", "-z", home+"/zserv.api",
			"--vty_socket", home)
	}
}

// configure gives a router lines of configuration while it runs.
func (n *network) configure(name string, lines ...string) {
	n.t.Helper()
	args := []string{"vtysh", "--vty_socket", filepath.Join(n.dir, name), "-c", "configure terminal"}
	for _, line := range lines {
		args = append(args, "-c", line)
	}
	n.in(name, args...)
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

// ask asks a device the questions of a snapshot whose file is wanted, and returns the kept answers as its files. vtysh finds the daemons
// by their folder.
func (n *network) ask(d *ir.Device, wanted func(file string) bool) (files []lint.File) {
	n.t.Helper()
	for _, q := range targets.ForwardingAsks(d) {
		if !wanted(q.File) {
			continue
		}
		text := n.in(d.Name, "sh", "-c", strings.ReplaceAll(q.Cmd, "vtysh ", "vtysh --vty_socket "+filepath.Join(n.dir, d.Name)+" "))
		if strings.TrimSpace(text) == "" {
			continue
		}
		f := lint.File{Name: d.Name + "/" + q.File, Data: []byte(text)}
		kept, _, err := targets.Keep(f)
		require.NoError(n.t, err, "%s %s: %s", d.Name, q.File, text)
		f.Data = kept
		files = append(files, f)
	}
	return files
}

func anyFile(string) bool { return true }

// answered is the time of all answers.
var answered = time.Date(2026, 11, 27, 10, 2, 0, 0, time.UTC)

func whenAnswered(string) time.Time { return answered }

// read returns the forwarding of a device.
func (n *network) read(name string) *ir.Forwarding {
	n.t.Helper()
	d := n.device(name)
	return targets.ReadForwarding(d, n.ask(d, anyFile), whenAnswered)
}

// outOf returns the neighbours that a device sends packets to by a route, in order of its ports; "none": there is no such route.
func outOf(r *ir.Forwarding, prefix string) string {
	for _, table := range r.Tables {
		i := slices.IndexFunc(table.Routes, func(route ir.ForwardingRoute) bool { return route.To.String() == prefix })
		if i < 0 {
			continue
		}
		var to []string
		for _, p := range r.Device.Ports {
			if slices.Contains(table.Routes[i].Out, p.Name) {
				to = append(to, p.Peer().Device().Name)
			}
		}
		return strings.Join(to, ",")
	}
	return "none"
}

// await waits until switches have the next hops of routes, each SWITCH PREFIX NEIGHBOURS. It asks for nothing but routes.
func (n *network) await(want ...string) {
	n.t.Helper()
	assert.EventuallyWithT(n.t, func(c *assert.CollectT) {
		known := map[string]*ir.Forwarding{}
		for _, one := range want {
			words := strings.Fields(one)
			name := words[0]
			if known[name] == nil {
				d := n.device(name)
				known[name] = targets.ReadForwarding(d, n.ask(d, targets.IsRouting), whenAnswered)
			}
			assert.Equal(c, strings.Join(words[2:], ""), outOf(known[name], words[1]), one)
		}
	}, time.Minute, 200*time.Millisecond)
}

// peerOf returns the session of a device with a neighbour; the zero value: there is none.
func (n *network) peerOf(r *ir.Forwarding, neighbour string) ir.ForwardingPeer {
	port := n.port(r.Device.Name, neighbour)
	i := slices.IndexFunc(r.BGP.Peers, func(p ir.ForwardingPeer) bool { return p.Port == port })
	if i < 0 {
		return ir.ForwardingPeer{}
	}
	return r.BGP.Peers[i]
}
