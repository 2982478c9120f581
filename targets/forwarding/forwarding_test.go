package forwarding

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// text writes a table with a word for each route: "10.1.0.0/24=swp1,swp2". A "c" follows if the route is connected. If its interfaces do
// not count, the reason follows.
func text(r *Routes) string {
	if r == nil {
		return "none"
	}
	var words []string
	for _, one := range r.List {
		word := one.To.String() + "=" + strings.Join(one.Out, ",")
		if one.Connected {
			word += " c"
		}
		if one.Odd != "" {
			word += " " + one.Odd
		}
		words = append(words, word)
	}
	return strings.Join(words, "; ")
}

// frrText returns a route as FRRouting prints it.
func frrText(prefix, protocol string, selected bool, hops ...string) string {
	return fmt.Sprintf(`%q:[{"prefix":%[1]q,"prefixLen":24,"protocol":%q,"vrfId":0,"vrfName":"default","selected":%t,"destSelected":true,
 "distance":20,"metric":0,"installed":true,"table":254,"internalStatus":16,"internalFlags":8,"nexthopGroupId":25,"uptime":"00:40:22",
 "nexthops":[%s]}]`, prefix, protocol, selected, strings.Join(hops, ","))
}

func TestFRR(t *testing.T) {
	const (
		swp1 = `{"flags":3,"fib":true,"ip":"10.0.0.1","afi":"ipv4","interfaceIndex":3,"interfaceName":"swp1","active":true,"weight":1}`
		swp2 = `{"flags":3,"fib":true,"ip":"fe80::1","afi":"ipv6","interfaceIndex":4,"interfaceName":"swp2","active":true,"weight":1}`
		own  = `{"flags":3,"fib":true,"directlyConnected":true,"interfaceIndex":5,"interfaceName":"swp3","active":true}`
		drop = `{"flags":3,"fib":true,"unreachable":true,"blackhole":true,"active":true,"weight":1}`
	)
	for name, c := range map[string]struct{ routes, v4, v6 string }{
		"ECMP":      {frrText("10.1.0.0/24", "bgp", true, swp1, swp2), "10.1.0.0/24=swp1,swp2", "none"},
		"connected": {frrText("10.1.0.0/24", "connected", true, own), "10.1.0.0/24=swp3 c", "none"},
		"two routes": {
			strings.TrimSuffix(frrText("10.1.0.0/24", "ospf", false, `{"flags":1,"interfaceName":"swp9","active":true}`), "]") + "," +
				frrText("10.1.0.0/24", "bgp", true, swp1)[len(`"10.1.0.0/24":[`):], "10.1.0.0/24=swp1", "none",
		},
		"recursive": {
			frrText("10.1.0.0/24", "bgp", true, `{"flags":5,"ip":"10.9.9.9","afi":"ipv4","active":true,"recursive":true,"weight":1}`,
				strings.Replace(swp1, `"active"`, `"resolver":true,"active"`, 1)), "10.1.0.0/24=swp1", "none",
		},
		"not in the kernel": {frrText("10.1.0.0/24", "bgp", true, strings.Replace(swp1, `"fib":true,`, "", 1)), "", ""},
		"one link down": {
			frrText("10.1.0.0/24", "bgp", true, swp1, strings.Replace(swp2, `"active"`, `"linkDown":true,"active"`, 1)), "10.1.0.0/24=swp1", "none",
		},
		"blackhole": {frrText("10.1.0.0/24", "static", true, drop), "10.1.0.0/24=", "none"},
		"labels": {
			frrText("10.1.0.0/24", "bgp", true, strings.Replace(swp1, `"weight"`, `"labels":[16],"weight"`, 1)),
			"10.1.0.0/24=swp1 a next hop with labels", "none",
		},
		"implicit null": {
			frrText("10.1.0.0/24", "bgp", true, strings.Replace(swp1, `"weight"`, `"labels":[3],"weight"`, 1)), "10.1.0.0/24=swp1", "none",
		},
		"another VRF": {
			frrText("10.1.0.0/24", "bgp", true, strings.Replace(swp1, `"active"`, `"vrf":"red","active"`, 1)),
			"10.1.0.0/24=swp1 a next hop in another VRF", "none",
		},
		"its own address": {frrText("10.1.0.1/32", "local", true, own), "", ""},
		"link local": {
			frrText("fe80::/64", "connected", true, own) + "," + frrText("2001:db8::/64", "connected", true, own), "none", "2001:db8::/64=swp3 c",
		},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := Read("leaf1/route.json", []byte("{"+c.routes+"}"))
			require.NoError(t, err)
			v4, v6 := text(a.Routes[IPv4]), text(a.Routes[IPv6])
			if c.v4 == "" && c.v6 == "" {
				assert.Equal(t, "", v4)
				return
			}
			assert.Equal(t, c.v4, v4)
			assert.Equal(t, c.v6, v6)
		})
	}
}

// The lists were printed by iproute2 6.1 for the routes in the names.
func TestKernel(t *testing.T) {
	for name, c := range map[string]struct{ file, rows, v4, v6 string }{
		"connected, and default": {
			"ip-route.json", `{"type":"unicast","dst":"default","gateway":"192.0.2.1","dev":"eth0","protocol":"boot","scope":"global","flags":[]},
 {"type":"unicast","dst":"10.0.0.2/31","dev":"swp2","protocol":"kernel","scope":"link","prefsrc":"10.0.0.2","flags":[]}`,
			"0.0.0.0/0=eth0; 10.0.0.2/31=swp2 c", "none",
		},
		"without details": {"ip-route.json", `{"dst":"10.1.0.7","gateway":"10.0.0.1","dev":"swp1","flags":[]}`, "10.1.0.7/32=swp1", "none"},
		"one of two links down": {
			"ip-route.json", `{"type":"unicast","dst":"10.2.0.0/24","protocol":"boot","scope":"global","flags":[],"nexthops":[
 {"gateway":"10.0.0.1","dev":"swp1","weight":1,"flags":["linkdown"]},{"gateway":"10.0.0.3","dev":"swp2","weight":1,"flags":[]}]}`,
			"10.2.0.0/24=swp2", "none",
		},
		"unnumbered": {
			"ip-route.json", `{"type":"unicast","dst":"10.3.0.0/24","via":{"family":"inet6","host":"fe80::1"},"dev":"swp1","protocol":"bgp",
 "scope":"global","metric":20,"flags":["onlink"]}`, "10.3.0.0/24=swp1", "none",
		},
		"a dead route leaves the route with the shorter prefix": {
			"ip-route.json", `{"dst":"10.3.0.0/24","dev":"swp1","flags":["dead","linkdown"]},{"dst":"10.3.0.0/16","dev":"swp2","flags":[]}`,
			"10.3.0.0/16=swp2", "none",
		},
		"a group with its next hops": {
			"ip-route.json", `{"type":"unicast","dst":"10.5.0.0/24","nhid":14,"gateway":"10.0.0.3","dev":"swp2","protocol":"boot","scope":"global",
 "flags":[],"nh_info":{"id":14,"group":[{"id":13}],"scope":"global","protocol":"unspec","flags":[]}}`, "10.5.0.0/24=swp2", "none",
		},
		"a group alone": {
			"ip-route.json", `{"type":"unicast","dst":"10.5.0.0/24","nhid":14,"protocol":"boot","flags":[]}`,
			"10.5.0.0/24= a next hop without an interface", "none",
		},
		"the lowest metric": {
			"ip-route.json", `{"dst":"10.5.0.0/24","dev":"swp1","metric":20,"flags":[]},{"dst":"10.5.0.0/24","dev":"swp2","metric":10,"flags":[]},
 {"dst":"10.5.0.0/24","dev":"swp3","metric":30,"flags":[]}`, "10.5.0.0/24=swp2", "none",
		},
		"drops": {"ip-route.json", `{"type":"blackhole","dst":"10.4.0.0/16","protocol":"boot","flags":[]}`, "10.4.0.0/16=", "none"},
		"labels": {
			"ip-route.json", `{"dst":"10.4.0.0/16","encap":"mpls","dev":"swp1","flags":[]}`, "10.4.0.0/16=swp1 a next hop with labels", "none",
		},
		"IPv6": {
			"ip-route6.json", `{"type":"unicast","dst":"2001:db8:1::/64","dev":"swp2","protocol":"kernel","scope":"global","metric":256,"flags":[],
 "pref":"medium"},{"type":"unicast","dst":"2001:db8:2::/64","protocol":"boot","metric":1024,"flags":[],"nexthops":[{"gateway":"fe80::1",
 "dev":"swp1","weight":1,"flags":[]},{"gateway":"fe80::2","dev":"swp2","weight":1,"flags":[]}]},{"type":"unicast","dst":"fe80::/64",
 "dev":"swp1","protocol":"kernel","metric":256,"flags":[]},{"type":"unicast","dst":"default","gateway":"fe80::1","dev":"swp1","flags":[]}`,
			"none", "2001:db8:1::/64=swp2 c; 2001:db8:2::/64=swp1,swp2; ::/0=swp1",
		},
		"no route of IPv4": {"ip-route.json", ``, "", "none"},
		"no route of IPv6": {"ip-route6.json", ``, "none", ""},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := Read("leaf1/"+c.file, []byte("["+c.rows+"]"))
			require.NoError(t, err)
			assert.Equal(t, c.v4, text(a.Routes[IPv4]))
			assert.Equal(t, c.v6, text(a.Routes[IPv6]))
			assert.Nil(t, a.Interfaces)
		})
	}
	a, err := Read("ip-route.json", []byte(`[{"dst":"10.1.0.0/24","dev":"swp1","prefsrc":"10.1.0.1","flags":[]}] []`))
	require.NoError(t, err)
	assert.Equal(t, "10.1.0.0/24=swp1", text(a.Routes[IPv4]))
	assert.Equal(t, "", text(a.Routes[IPv6]), "the second list is that of IPv6")
	assert.Equal(t, "[10.1.0.1]", fmt.Sprint(a.Routes[IPv4].Own))
}

func TestInterfaces(t *testing.T) {
	a, err := Read("leaf1/addr.json", []byte(`[{},
{"ifindex":1,"ifname":"lo","flags":["LOOPBACK"],"link_type":"loopback","addr_info":[{"family":"inet","local":"127.0.0.1","prefixlen":8,
 "scope":"host","label":"lo"},{"family":"inet","local":"10.9.9.9","prefixlen":32,"scope":"global"}]},
{"ifindex":2,"ifname":"swp1","master":"bond1","linkinfo":{"info_slave_kind":"bond","info_slave_data":{"state":"ACTIVE"}},"addr_info":[]},
{"ifindex":3,"ifname":"Ethernet4","master":"PortChannel1","linkinfo":{"info_slave_kind":"team"}},
{"ifindex":4,"ifname":"swp3","master":"bridge","linkinfo":{"info_slave_kind":"bridge"}},
{"ifindex":5,"ifname":"bond1","linkinfo":{"info_kind":"bond"},"addr_info":[{"local":"fe80::1","scope":"link"},
 {"local":"2001:db8::1","scope":"global"}]},
{"ifindex":6,"ifname":"vlan10","link":"bridge","linkinfo":{"info_kind":"vlan"}}]`))
	require.NoError(t, err)
	require.Len(t, a.Interfaces, 6)
	assert.Equal(t, "bond1", a.Interfaces["swp1"].Bond)
	assert.Equal(t, "PortChannel1", a.Interfaces["Ethernet4"].Bond)
	assert.Equal(t, "bridge", a.Interfaces["swp3"].Bridge)
	assert.Equal(t, "[2001:db8::1]", fmt.Sprint(a.Interfaces["bond1"].Addresses))
	assert.Equal(t, "[10.9.9.9]", fmt.Sprint(a.Interfaces["lo"].Addresses))
	assert.Equal(t, &Interface{Kind: "vlan", Under: "bridge"}, a.Interfaces["vlan10"])
}

// TestRefused: an answer that is cut off, has another form, or has several tables is refused.
func TestRefused(t *testing.T) {
	whole := "{" + frrText("10.1.0.0/24", "bgp", true, `{"fib":true,"interfaceName":"swp1"}`) + "}"
	for n := range len(whole) {
		_, err := Read("route.json", []byte(whole[:n]))
		require.Equal(t, errWhole, err, whole[:n])
	}
	for text, want := range map[string]error{
		"":                           errWhole,
		"% Unknown command":          errWhole,
		"null":                       errKnown,
		`{"default": {}}`:            errKnown,
		`{"10.1.0.0/24": {}}`:        errKnown,
		`{"red": [{}]}`:              errKnown,
		`{} {} {}`:                   errKnown,
		`[1]`:                        errKnown,
		`[{"dst": 1}]`:               errKnown,
		`[{"dst": "x"}]`:             errKnown,
		`[{"dst": "10.1.0.0/24"`:     errWhole,
		`[{"dst":"10.1.0.0/24"}]]`:   errWhole,
		`[{"ifname":"a","dst":"b"}]`: errKnown,
		`[{"dst":"10.1.0.0/24","dev":"a"},{"dst":"2001:db8::/64","dev":"a"}]`: errKnown,
		`[{"dst":"10.1.0.0/24","dev":"a"},{"ifname":"a"}]`:                    errKnown,
		`{"10.1.0.0/24":[{"vrfName":"red","selected":true,"nexthops":[]}]}`:   errKnown,
		strings.Repeat("[", 1<<16):                                            errWhole,
		"[" + strings.Repeat(`{"via":`, 1<<16):                                errWhole,
		strings.Repeat(" ", MaxFile) + "[]":                                   errWhole,
	} {
		_, err := Read("route.json", []byte(text))
		require.Equal(t, want, err, "%.60s", text)
	}
}

// Read returns the same result for a kept answer. The kept answer lacks descriptions of interfaces, and Keep does not change it again.
func TestKeep(t *testing.T) {
	for name, text := range map[string]string{
		"route.json": "{" + frrText("10.1.0.0/24", "bgp", true, `{"fib":true,"interfaceName":"swp1","ip":"10.0.0.1"}`) + "," +
			frrText("10.2.0.0/24", "bgp", false, `{"interfaceName":"swp2","HUNTER2":1}`) + "}",
		"addr.json": `[{"ifname":"swp1","ifalias":"HUNTER2","master":"bond1","linkinfo":{"info_slave_kind":"bond"},
 "addr_info":[{"local":"10.0.0.1","scope":"global","label":"HUNTER2"}]}]`,
		"ip-route.json": `[{"dst":"10.1.0.0/24","gateway":"10.0.0.1","dev":"swp1","flags":[],"HUNTER2":1}][]`,
	} {
		was, err := Read(name, []byte(text))
		require.NoError(t, err)
		kept, err := Keep(name, []byte(text))
		require.NoError(t, err)
		require.NotContains(t, string(kept), "HUNTER2")
		is, err := Read(name, kept)
		require.NoError(t, err)
		require.Equal(t, was, is)
		again, err := Keep(name, kept)
		require.NoError(t, err)
		require.Equal(t, string(kept), string(again))
	}
}

// Reading ends for every file; a kept answer is read as before.
func FuzzRead(f *testing.F) {
	for _, name := range Names {
		f.Add(name, []byte("{"+frrText("10.1.0.0/24", "bgp", true, `{"fib":true,"interfaceName":"swp1"}`)+"}"))
		f.Add(name, []byte(`[{"dst":"default","dev":"swp1","flags":[],"nexthops":[{"dev":"a"}]}]`))
		f.Add(name, []byte(`[{"ifname":"a","linkinfo":{"info_kind":"vlan"},"addr_info":[{"local":"::"}]}]`))
	}
	f.Add(Names[4], []byte(`[{"ifname":"b","linkinfo":{"info_kind":"bridge","info_data":{"ageing_time":1,"stp_state":1,"root_id":"1.2:3"}}}]`))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		was, err := Read(name, data)
		kept, not := Keep(name, data)
		require.Equal(t, err, not)
		if err == nil {
			is, err := Read(name, kept)
			require.NoError(t, err, "%s", kept)
			require.Equal(t, was, is)
		}
	})
}
