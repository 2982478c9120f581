package targets_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/target/lint"
)

// forwardingText writes what was read of a device, a line for each fact.
func forwardingText(r *ir.Forwarding) string {
	var out []string
	add := func(format string, args ...any) { out = append(out, strings.TrimSpace(fmt.Sprintf(format, args...))) }
	if b := r.BGP; b != nil {
		add("bgp %d", b.AS)
		for _, p := range b.Peers {
			add("peer %s AS %d up %t allows %d prepends %t %s", p.Port, p.AS, p.Up, p.AllowsAS, p.Prepends, p.Policy)
		}
		for _, a := range b.Aggregates {
			add("aggregate %s discard %t", a.Prefix, a.Discard)
		}
	}
	for _, table := range r.Tables {
		for _, route := range table.Routes {
			add("route %s %s %s", route.To, strings.Join(route.Out, ","), route.Odd)
		}
	}
	for _, tree := range r.Trees {
		states, err := json.Marshal(tree.States)
		if err != nil {
			panic(err)
		}
		add("tree %d root %s bridge %s %s", tree.VLAN, tree.Root, tree.Bridge, states)
	}
	if r.Ages != nil {
		add("ages MAC %s ARP %s", r.Ages.MAC, r.Ages.ARP)
	}
	if r.Host != nil {
		add("host forwards %t %s", r.Host.Forwards, r.Host.Daemons)
	}
	for _, one := range r.Tunnels {
		add("tunnel %s %s %s %s", one.Name, one.Kind, one.Local, one.Remote)
	}
	for _, part := range slices.Sorted(maps.Keys(r.Unread)) {
		add("unread %s: %s", part, r.Unread[part])
	}
	return strings.Join(out, "\n")
}

// filesFor returns the files of a device, sorted by name.
func filesFor(d *ir.Device, texts map[string]string) (all []lint.File) {
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		all = append(all, lint.File{Name: "site/" + d.Name + "/" + name, Data: []byte(texts[name])})
	}
	return all
}

// timeless is a clock that knows no file.
func timeless(string) time.Time { return time.Time{} }

const kernelAnswer = `/proc/sys/net/ipv4/ip_forward:1
/proc/sys/net/ipv6/conf/all/forwarding:1
/proc/sys/net/ipv4/neigh/default/base_reachable_time_ms:1080000
processes visible
daemon bird
end
`

// A switch and a host show all parts; the ports are those of the fabric.
func TestReadForwarding(t *testing.T) {
	f := clos{leaves: 2, spines: 2, hosts: 1, model: "sn4700", version: "5.9.1", v2: true}.compile(t)
	find := func(is func(*ir.Device) bool) *ir.Device { return f.Devices[slices.IndexFunc(f.Devices, is)] }
	leaf := find(func(d *ir.Device) bool { return d.Switch != nil && len(d.Ports) > 2 })
	host := find(func(d *ir.Device) bool { return d.Host != nil })
	a, b := leaf.Ports[0].Name, leaf.Ports[1].Name
	for name, c := range map[string]struct {
		of    *ir.Device
		files map[string]string
		want  string
	}{
		"a switch": {leaf, map[string]string{
			"frr.conf": "frr version 8.4\nfrr defaults datacenter\nrouter bgp 65101\n neighbor " + a + " interface remote-as external\n" +
				" neighbor " + b + " interface remote-as external\n address-family ipv4 unicast\n  neighbor " + b + " allowas-in\n" +
				"  aggregate-address 10.0.0.0/8\n",
			"bgp-summary.json": `{"ipv4Unicast":{"as":65101,"peers":{"` + a + `":{"remoteAs":65001,"state":"Established"}}}}`,
			"route.json": `{"10.0.0.0/8":[{"prefix":"10.0.0.0/8","protocol":"bgp","selected":true,"nexthops":[{"fib":true,"unreachable":true,` +
				`"blackhole":true}]}],"10.1.0.0/24":[{"protocol":"bgp","selected":true,"nexthops":[{"fib":true,"interfaceName":"` + b +
				`"},{"fib":true,"interfaceName":"` + a + `"}]}],"10.2.0.0/24":[{"protocol":"bgp","selected":true,"nexthops":[{"fib":true,` +
				`"interfaceName":"bond1.10"}]}],"10.3.0.0/24":[{"protocol":"connected","selected":true,"nexthops":[{"fib":true,` +
				`"interfaceName":"vlan7"}]}]}`,
			"ip-route.json": `[{"dst":"10.9.0.0/16","dev":"` + a + `"}]`, // FRRouting has precedence
			"route6.json":   "{}",
			"addr.json": `[{"ifname":"` + a + `","master":"bond1","linkinfo":{"info_slave_kind":"bond"}},
 {"ifname":"bond1","linkinfo":{"info_kind":"bond"}},{"ifname":"bond1.10","link":"bond1","linkinfo":{"info_kind":"vlan"}},
 {"ifname":"br_default","linkinfo":{"info_kind":"bridge","info_data":{"ageing_time":180000,"stp_state":1,"bridge_id":"8000.0:0:0:0:0:5",
 "root_id":"1000.0:0:0:0:0:1"}}},{"ifname":"vlan7","link":"br_default","linkinfo":{"info_kind":"vlan"}},
 {"ifname":"` + b + `","master":"br_default","linkinfo":{"info_slave_kind":"bridge","info_slave_data":{"state":"blocking"}}},
 {"ifname":"vni1","linkinfo":{"info_kind":"vxlan","info_data":{"local":"10.0.0.1"}}}]`,
			"forwarding.txt": kernelAnswer,
		}, `bgp 65101
peer A AS 65001 up true allows 0 prepends false
peer B AS 0 up false allows 3 prepends false
aggregate 10.0.0.0/8 discard true
route 10.0.0.0/8
route 10.1.0.0/24 A,B
route 10.2.0.0/24 A
route 10.3.0.0/24 vlan7 a next hop through the bridge
tree 0 root 1000.00:00:00:00:00:01 bridge 8000.00:00:00:00:00:05 {"B":"blocking"}
ages MAC 30m0s ARP 27m0s
tunnel vni1 vxlan 10.0.0.1 invalid IP
unread host: it is no host`},
		"a daemon's spanning tree": {leaf, map[string]string{
			"addr.json": `[{"ifname":"br0","linkinfo":{"info_kind":"bridge","info_data":{"stp_state":2}}}]`, "frr.conf": "frr version 10.0\n",
			"stp.json": "{", "route.json": "{", "forwarding.txt": "end\n",
		}, `bgp 0
unread ages: its answer in forwarding.txt is not read: it is empty or cut off: it does not state whether the device forwards
unread host: its answer in forwarding.txt is not read: it is empty or cut off: it does not state whether the device forwards
unread tables: its answer in route.json is not read: it is empty or cut off, or larger than 8 MiB
unread trees: a daemon runs the spanning tree of br0, and its answer in stp.json is not read: FORM`},
		"trees by VLAN": {leaf, map[string]string{
			"addr.json":    `[{"ifname":"br0","linkinfo":{"info_kind":"bridge","info_data":{"stp_state":2}}}]`,
			"stp.json":     `{"bridge":"br0","bridge-id":"8.000.00:00:00:00:00:05","designated-root":"8.000.00:00:00:00:00:05"}`,
			"stp-vlan.txt": "Bridge Vlan: 10\nBridge ID priority : 4106 mac-address : 0:1\nDesignated Root ID priority : 4106 mac-address : 0:2\n",
		}, `tree 10 root 100a.00:02 bridge 100a.00:01 {}
unread ages: no file shows it: neither forwarding.txt nor addr.json
unread bgp: no file shows it: neither frr.conf nor bgp-summary.json
unread host: it is no host
unread tables: no file shows it: neither route.json nor route6.json nor ip-route.json nor ip-route6.json`},
		"a configuration with a comment alone": {leaf, map[string]string{
			"frr.conf": "! saved by vtysh\n", "forwarding.txt": kernelAnswer,
		}, `ages MAC 0s ARP 27m0s
unread bgp: its answer in frr.conf is not read: it is empty or cut off
unread host: it is no host
unread tables: no file shows it: neither route.json nor route6.json nor ip-route.json nor ip-route6.json
unread trees: no file shows it: neither addr.json nor stp.json nor stp-vlan.txt
unread tunnels: no file shows it: there is no addr.json`},
		"a host": {host, map[string]string{"forwarding.txt": kernelAnswer, "addr.json": `[{"ifname":"eth0"}]`}, `ages MAC 0s ARP 27m0s
host forwards true [bird]
unread bgp: no file shows it: neither frr.conf nor bgp-summary.json
unread tables: no file shows it: neither route.json nor route6.json nor ip-route.json nor ip-route6.json`},
		"a host that hides programs": {host, map[string]string{
			"forwarding.txt": "/proc/sys/net/ipv4/ip_forward:0\n/proc/sys/net/ipv4/neigh/default/base_reachable_time_ms:30000\nend\n",
		}, `ages MAC 0s ARP 45s
host forwards false []
unread bgp: no file shows it: neither frr.conf nor bgp-summary.json
unread host: the login does not see the programs of other users
unread tables: no file shows it: neither route.json nor route6.json nor ip-route.json nor ip-route6.json
unread trees: no file shows it: neither addr.json nor stp.json nor stp-vlan.txt
unread tunnels: no file shows it: there is no addr.json`},
	} {
		t.Run(name, func(t *testing.T) {
			got := targets.ReadForwarding(c.of, filesFor(c.of, c.files), timeless)
			want := strings.NewReplacer("peer A ", "peer "+a+" ", "peer B ", "peer "+b+" ", " A,B", " "+a+","+b, " A\n", " "+a+"\n",
				"FORM", "it is empty or cut off, or has a form of spanning trees that rocec does not know",
				`"B"`, `"`+b+`"`).Replace(c.want)
			if c.of == leaf && name == "a daemon's spanning tree" {
				want = strings.Replace(want, "unread host: its answer in forwarding.txt is not read: it is empty or cut off: it does not state "+
					"whether the device forwards", "unread host: it is no host", 1)
			}
			assert.Equal(t, want, forwardingText(got))
			assert.Same(t, c.of, got.Device)
		})
	}
}

// An answer that is empty or cut off shows nothing, and neither do the routes of the default VRF if a port is in another one.
func TestForwardingCutOff(t *testing.T) {
	f := clos{leaves: 2, spines: 2, hosts: 1, model: "sn4700", version: "5.9.1", v2: true}.compile(t)
	leaf := f.Devices[slices.IndexFunc(f.Devices, func(d *ir.Device) bool { return d.Switch != nil && len(d.Ports) > 2 })]
	a := leaf.Ports[0].Name
	read := func(name, text string) *ir.Forwarding {
		return targets.ReadForwarding(leaf, filesFor(leaf, map[string]string{name: text}), timeless)
	}
	const cut = "its answer in frr.conf is not read: it is empty or cut off"
	const config = "Building configuration...\n\nCurrent configuration:\n!\nfrr version 8.4\nrouter bgp 65101\n neighbor " +
		"swp1 interface remote-as external\nend\n"
	for text, want := range map[string]string{
		"": cut, "\n \n": cut, "Exiting: failed to connect to any daemons.\n": cut, strings.TrimSuffix(config, "end\n"): cut, config: "",
		"frr version 8.4\n": "", "# frr.conf\n!\n": "",
	} {
		got := read("frr.conf", text)
		assert.Equal(t, want, got.Unread[ir.PartBGP], text)
		assert.Equal(t, want == "", got.BGP != nil, text)
	}
	for _, text := range []string{"[]", "[{},{}]", "[\n]\n"} {
		got := read("addr.json", text)
		assert.Equal(t, "its answer in addr.json is not read: it states no interface, and each device has one", got.Unread[ir.PartTunnels])
	}
	for text, read := range map[string]bool{
		`[{"ifname":"` + a + `","master":"red","linkinfo":{"info_slave_kind":"vrf"}}]`:                                              false,
		`[{"ifname":"vlan9","link":"` + a + `","master":"red","linkinfo":{"info_kind":"vlan","info_slave_kind":"vrf"}}]`:            false,
		`[{"ifname":"eth0","master":"mgmt","linkinfo":{"info_slave_kind":"vrf"}},{"ifname":"mgmt","linkinfo":{"info_kind":"vrf"}}]`: true,
	} {
		got := targets.ReadForwarding(leaf, filesFor(leaf, map[string]string{
			"addr.json": text, "route.json": "{}", "route6.json": "{}", "frr.conf": config,
		}), timeless)
		assert.Equal(t, read, got.Read(ir.PartTables), text)
		assert.Equal(t, read, got.Read(ir.PartBGP), text)
		if !read {
			assert.Contains(t, got.Unread[ir.PartTables], " belongs to the VRF red, and rocec reads the default VRF alone")
		}
	}
}

// The time of the reading is that of its oldest file, and not known if the time of one file is not known.
func TestForwardingTime(t *testing.T) {
	f := clos{leaves: 1, spines: 1, hosts: 1, model: "sn4700", version: "5.9.1", v2: true}.compile(t)
	d := f.Devices[slices.IndexFunc(f.Devices, func(d *ir.Device) bool { return d.Host != nil })]
	files := filesFor(d, map[string]string{"forwarding.txt": kernelAnswer, "addr.json": `[{"ifname":"eth0"}]`, "route.json": "{"})
	day := time.Date(2026, 11, 27, 10, 2, 0, 0, time.UTC)
	when := func(name string) time.Time {
		if strings.HasSuffix(name, "addr.json") {
			return day
		}
		return day.Add(time.Hour)
	}
	assert.Equal(t, day, targets.ReadForwarding(d, files, when).When)
	assert.Zero(t, targets.ReadForwarding(d, files, func(name string) time.Time {
		if strings.HasSuffix(name, "addr.json") {
			return time.Time{}
		}
		return day
	}).When)
}

// Files of other devices show nothing: every part has the reason.
func TestForwardingOfOthers(t *testing.T) {
	f := clos{leaves: 2, spines: 1, hosts: 1, model: "sn4700", version: "5.9.1", v2: true}.compile(t)
	a, b := f.Devices[0], f.Devices[1]
	r := targets.ReadForwarding(a, filesFor(b, map[string]string{"route.json": "{}"}), timeless)
	assert.Len(t, r.Unread, 6)
	assert.Contains(t, r.Unread[ir.PartTables], "another device of the fabric")
	for part := range r.Unread {
		assert.False(t, r.Read(part), part)
	}
}

// The configuration shows tunnels of SONiC. Without FRRouting, it shows AS numbers and neighbours, but not all policies.
func TestForwardingOfConfigurations(t *testing.T) {
	f := clos{leaves: 2, spines: 1, hosts: 1, model: "sn4700", version: "202511", v2: true}.compile(t)
	d := f.Devices[slices.IndexFunc(f.Devices, func(d *ir.Device) bool { return d.Switch != nil })]
	port := d.Ports[0].Name
	texts := map[string]string{"running-config_db.json": `{
"DEVICE_METADATA": {"localhost": {"hwsku": "x", "hostname": "` + d.Name + `", "bgp_asn": "65101"}},
"PORT": {"` + port + `": {"lanes": "1,2,3,4", "speed": "100000", "alias": "x"}},
"PFC_WD": {"` + port + `": {"action": "drop", "detection_time": "200", "restoration_time": "200"}, "GLOBAL": {"POLL_INTERVAL": "200"}},
"PORT_QOS_MAP": {"` + port + `": {"pfc_enable": "5", "pfcwd_sw_enable": "5", "dscp_to_tc_map": "AZURE"}},
"DSCP_TO_TC_MAP": {"AZURE": {"26": "5"}},
"BGP_NEIGHBOR": {"10.0.0.1": {"asn": "65001", "name": "` + d.Ports[0].Peer().Device().Name + `", "auth_password": "hunter2"}},
"TUNNEL": {"MuxTunnel0": {"tunnel_type": "IPINIP", "dst_ip": "10.1.0.32", "src_ip": "10.1.0.33"}},
"VXLAN_TUNNEL": {"vtep\u001b": {"src_ip": "10.1.0.1"}},
"STP": {"GLOBAL": {"mode": "pvst"}}}`, "addr.json": `[{"ifname":"Bridge","linkinfo":{"info_kind":"bridge","info_data":{"stp_state":0}}}]`}
	want := `bgp 65101
peer ` + port + ` AS 65001 up false allows 0 prepends false
tunnel MuxTunnel0 ipinip 10.1.0.33 10.1.0.32
tunnel vtep\x1b vxlan 10.1.0.1 invalid IP
unread ages: no file shows it: neither forwarding.txt nor addr.json
unread bgp: only its configuration shows its AS number and its neighbours: FRRouting has not answered
unread host: it is no host
unread tables: no file shows it: neither route.json nor route6.json nor ip-route.json nor ip-route6.json
unread trees: its spanning tree runs outside of the kernel, and rocec knows no answer that shows it`
	files := filesFor(d, texts)
	got := forwardingText(targets.ReadForwarding(d, files, timeless))
	assert.Equal(t, want, got)
	for i, file := range files {
		kept, _, err := targets.Keep(file)
		require.NoError(t, err)
		assert.NotContains(t, string(kept), "hunter2")
		files[i].Data = kept
	}
	assert.Equal(t, want, forwardingText(targets.ReadForwarding(d, files, timeless)), "a snapshot keeps what is read")
}

// A device is asked only for what its files show, in commands that a snapshot asks, too.
func TestForwardingAsks(t *testing.T) {
	f := clos{leaves: 1, spines: 1, hosts: 1, model: "sn4700", version: "5.9.1", v2: true}.compile(t)
	known := map[string]string{}
	for _, q := range targets.Questions() {
		known[q.File] = q.Cmd
	}
	for _, d := range f.Devices {
		var names []string
		for _, q := range targets.ForwardingAsks(d) {
			require.Equal(t, known[q.File], q.Cmd, q.File)
			names = append(names, q.File)
		}
		if d.Host != nil {
			assert.Equal(t, []string{"addr.json", "forwarding.txt"}, names)
			continue
		}
		assert.Equal(t, []string{
			"frr.conf", "addr.json", "forwarding.txt", "route.json", "route6.json", "ip-route.json", "ip-route6.json", "bgp-summary.json",
			"stp.json", "stp-vlan.txt",
		}, names)
	}
}

// The answers of one device cannot make the reader fail, and a snapshot of them is read in the same way.
func FuzzReadForwarding(f *testing.F) {
	fabric := clos{leaves: 1, spines: 1, hosts: 1, model: "sn4700", version: "5.9.1", v2: true}.compile(f)
	f.Add([]byte("router bgp 1\n neighbor swp1 interface remote-as external\n"), []byte(`{"as":1,"peers":{}}`), []byte("{}"),
		[]byte(`[{"ifname":"a","linkinfo":{"info_kind":"bridge","info_data":{"stp_state":2}}}]`), []byte(kernelAnswer), []byte("[]"))
	f.Add([]byte("! saved by vtysh\n"), []byte(""), []byte(""), []byte(""), []byte(kernelAnswer), []byte(""))
	f.Fuzz(func(t *testing.T, frr, summary, routes, interfaces, kernel, trees []byte) {
		for _, d := range fabric.Devices {
			files := filesFor(d, map[string]string{
				"frr.conf": string(frr), "bgp-summary.json": string(summary), "route.json": string(routes), "addr.json": string(interfaces),
				"forwarding.txt": string(kernel), "stp.json": string(trees),
			})
			was := forwardingText(targets.ReadForwarding(d, files, timeless))
			for i := range files {
				if kept, _, err := targets.Keep(files[i]); err == nil {
					files[i].Data = kept
				}
			}
			require.Equal(t, was, forwardingText(targets.ReadForwarding(d, files, timeless)))
		}
	})
}
