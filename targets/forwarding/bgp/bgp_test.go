package bgp

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/forwarding"
)

// bgpText writes BGP in a line for each fact.
func bgpText(b *ir.ForwardingBGP, unread string) string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if b == nil {
		add("nothing")
	} else {
		add("AS %d paths %d relaxed %t", b.AS, b.Paths, b.Relaxed)
		for _, p := range b.Peers {
			line := strings.TrimSpace(p.Port + " ")
			if p.Address.IsValid() {
				line = strings.TrimSpace(line + " " + p.Address.String())
			}
			line += fmt.Sprintf(" AS %d", p.AS)
			if p.Up {
				line += " up"
			}
			if p.AllowsAS > 0 {
				line += fmt.Sprintf(" allows %d", p.AllowsAS)
			}
			if p.Prepends {
				line += " prepends"
			}
			if p.Policy != "" {
				line += " policy " + p.Policy
			}
			add("%s", line)
		}
		for _, to := range b.Static {
			add("static %s", to)
		}
		for _, a := range b.Aggregates {
			add("aggregate %s discard %t", a.Prefix, a.Discard)
		}
	}
	if unread != "" {
		add("unread: %s", unread)
	}
	return strings.Join(out, "\n")
}

// routesOf makes tables of routes in the words "PREFIX PROTOCOL OUT...".
func routesOf(t *testing.T, lines ...string) *Tables {
	t.Helper()
	out := Tables{{FRR: true}, {FRR: true}}
	for _, line := range lines {
		words := strings.Fields(line)
		to := netip.MustParsePrefix(words[0])
		table := out[forwarding.FamilyOf(to.Addr())]
		table.List = append(table.List, forwarding.Route{To: to, Protocol: words[1], Connected: words[1] == "connected", Out: words[2:]})
	}
	return &out
}

const frrHead = "frr version 8.4.4\nfrr defaults datacenter\n!\nrouter bgp 65101\n"

// Each configuration has the settings that change paths, and each policy an effect that is known, or a name.
func TestConfig(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"unnumbered": {
			" neighbor swp1 interface remote-as external\n neighbor swp2 interface v6only remote-as 65000\n",
			"swp1 AS 0\nswp2 AS 65000",
		},
		"numbered": {" neighbor 10.0.0.1 remote-as 1.10\n neighbor 10.0.0.1 timers connect 1\n", "swp7 10.0.0.1 AS 65546"},
		"internal": {" neighbor peerlink.4094 interface remote-as internal\n", "peerlink.4094 AS 65101"},
		"group": {
			" neighbor up peer-group\n neighbor up remote-as external\n neighbor swp1 interface peer-group up\n" +
				" !\n address-family ipv4 unicast\n  neighbor up allowas-in 2\n  neighbor up route-map P out\n exit-address-family\n" +
				"exit\n!\nroute-map P permit 10\n set as-path prepend 65101\nexit\n",
			"swp1 AS 0 allows 2 prepends",
		},
		"a neighbour's map instead of its group's": {
			" neighbor up peer-group\n neighbor swp1 interface peer-group up\n address-family ipv4 unicast\n  neighbor up route-map P out\n" +
				"  neighbor swp1 route-map Q out\n exit-address-family\nroute-map P permit 10\n set as-path prepend 65101\n" +
				"route-map Q permit 10\n set community 65101:1\n",
			"swp1 AS 0",
		},
		"allowas-in without a number": {" neighbor swp1 interface remote-as external\n neighbor swp1 allowas-in\n", "swp1 AS 0 allows 3"},
		"allowas-in origin":           {" neighbor swp1 interface remote-as external\n neighbor swp1 allowas-in origin\n", "swp1 AS 0 allows 1"},
		"EVPN alone": {
			" neighbor swp1 interface remote-as external\n address-family l2vpn evpn\n  neighbor swp1 allowas-in 4\n" +
				"  neighbor swp1 route-map X in\n exit-address-family\n", "swp1 AS 0",
		},
		"a filter": {
			" neighbor swp1 interface remote-as external\n address-family ipv4 unicast\n  neighbor swp1 route-map ONLY in\n exit-address-family\n" +
				"ip prefix-list A seq 5 permit 10.0.0.0/8\nroute-map ONLY permit 10\n match ip address prefix-list A\n",
			"swp1 AS 0 policy ONLY",
		},
		"all routes after a match": {
			" neighbor swp1 interface remote-as external\n address-family ipv4 unicast\n  neighbor swp1 route-map ALL in\n exit-address-family\n" +
				"route-map ALL permit 10\n match ip address prefix-list A\n set community 1:1\nroute-map ALL permit 20\n", "swp1 AS 0",
		},
		"a map that drops some": {
			" neighbor swp1 interface remote-as external\n address-family ipv4 unicast\n  neighbor swp1 route-map D in\n exit-address-family\n" +
				"route-map D deny 10\n match ip address prefix-list A\nroute-map D permit 20\n", "swp1 AS 0 policy D",
		},
		"a preference": {
			" neighbor swp1 interface remote-as external\n address-family ipv4 unicast\n  neighbor swp1 route-map L in\n exit-address-family\n" +
				"route-map L permit 10\n set local-preference 200\n", "swp1 AS 0 policy L",
		},
		"a map that is missing": {" neighbor swp1 interface remote-as external\n neighbor swp1 route-map NO in\n", "swp1 AS 0 policy NO"},
		"a list":                {" neighbor swp1 interface remote-as external\n neighbor swp1 prefix-list PL in\n", "swp1 AS 0 policy PL"},
		"another AS number":     {" neighbor swp1 interface remote-as external\n neighbor swp1 local-as 65999\n", "swp1 AS 0 policy local-as"},
		"lengths are ignored": {
			" bgp bestpath as-path ignore\n neighbor swp1 interface remote-as external\n", "swp1 AS 0 policy bestpath as-path ignore",
		},
		"multipath": {
			" bgp bestpath as-path multipath-relax\n address-family ipv4 unicast\n  maximum-paths 16\n  maximum-paths ibgp 4\n",
			"AS 65101 paths 16 relaxed true",
		},
		"sources": {
			" address-family ipv4 unicast\n  redistribute connected\n  redistribute static route-map S\n  redistribute kernel\n",
			"static 0.0.0.0/0\nstatic 10.5.0.0/16\nstatic 10.9.0.0/16",
		},
		"networks": {
			" address-family ipv4 unicast\n  network 10.0.0.1/32\n  network 10.5.0.0/16\n  network 10.77.0.0/16\n  network 10.0.0.0/31\n",
			"static 10.5.0.0/16",
		},
		"networks without a check": {
			" no bgp network import-check\n address-family ipv4 unicast\n  network 10.77.0.0/16\n", "aggregate 10.77.0.0/16 discard false",
		},
		"aggregates": {
			" address-family ipv4 unicast\n  aggregate-address 10.8.0.0/16 summary-only\n  aggregate-address 10.9.0.0/16\n" +
				"  aggregate-address 10.10.0.0/16\n",
			"aggregate 10.8.0.0/16 discard true\naggregate 10.9.0.0/16 discard false\naggregate 10.10.0.0/16 discard false",
		},
		"a default route": {" neighbor swp1 interface remote-as external\n neighbor swp1 default-originate\n", "swp1 AS 0\nstatic 0.0.0.0/0"},
		"another VRF":     {"exit\nrouter bgp 65102 vrf red\n neighbor swp9 interface remote-as external\n", ""},
		"an interface of a block beside": {
			"exit\ninterface swp1\n ipv6 nd ra-interval 10\n", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			config := ReadConfig([]byte(frrHead + c.text))
			require.NotNil(t, config)
			tables := routesOf(t, "10.5.0.0/16 static swp1", "0.0.0.0/0 boot eth0", "10.0.0.0/31 connected swp7", "10.8.0.0/16 bgp",
				"10.9.0.0/16 static swp1", "2001:db8:5::/48 static swp1")
			tables[forwarding.IPv4].Own = []netip.Addr{netip.MustParseAddr("10.0.0.1")}
			got := bgpText(Join(config, nil, tables))
			if !strings.HasPrefix(c.want, "AS") {
				got = strings.TrimPrefix(strings.TrimPrefix(got, "AS 65101 paths 0 relaxed false"), "\n")
			}
			assert.Equal(t, c.want, got)
		})
	}
}

// The default of network import-check depends on the release and the profile.
func TestImportCheck(t *testing.T) {
	for text, want := range map[string]bool{
		"frr version 7.3\nfrr defaults traditional\n":  false,
		"frr version 7.4\nfrr defaults traditional\n":  true,
		"frr version 10.2\nfrr defaults traditional\n": true,
		"frr version 4.0\nfrr defaults datacenter\n":   true,
		"": false,
		"frr version 8.4\nrouter bgp 1\n no bgp network import-check\n":        false,
		"frr version 3.0\nrouter bgp 1\n bgp network import-check\n":           true,
		"frr version 4.0+cl3u1\nfrr defaults datacenter\nrouter bgp 1\n bgp x": true,
	} {
		if !strings.Contains(text, "router bgp") {
			text += "router bgp 1\n"
		}
		assert.Equal(t, want, ReadConfig([]byte(text)).Checks, text)
	}
}

// The states of sessions are those of the default VRF, in the forms of FRRouting 3 to 10.
//
// Sources of the forms: tynany/frr_exporter@0224492d, collector/testdata/show_bgp_vrf_all_ipv4_summary.json (VRFs);
// FRRouting/frr@6b88cae1, tests/topotests (families); FRRouting 8.4.4 of Debian 12; targets/target/router.go (3.0).
func TestSummary(t *testing.T) {
	peer := func(as, state, rest string) string {
		return fmt.Sprintf(`{"remoteAs":%s,"state":%q%s}`, as, state, rest)
	}
	v3 := `{"routerId":"10.0.0.1","as":65101,"vrfId":0,"peerCount":2,"peers":{"swp1":` +
		peer("65001", "Established", `,"prefixReceivedCount":9,"idType":"interface"`) + `,"10.0.0.1":` +
		peer("65002", "Idle (Admin)", `,"idType":"ipv4"`) + `},"totalPeers":2}`
	const want = "AS 65101 paths 0 relaxed false\nswp1 AS 65001 up\nswp7 10.0.0.1 AS 65002"
	for name, c := range map[string]struct{ text, want string }{
		"3.0":         {v3, want},
		"4 and later": {`{"ipv4Unicast":` + v3 + `,"l2VpnEvpn":{"as":65101,"peers":{"swp3":` + peer("65009", "Established", "") + `}}}`, want},
		"by VRF": {
			`{"default":` + v3 + `,"red":{"as":65999,"vrfName":"red","peers":{"swp9":` + peer("1", "Established", "") + `}}}`, want,
		},
		"VRFs and families": {`{"default":{"ipv4Unicast":` + v3 + `}}`, want},
		"two commands":      {`{"ipv4Unicast":` + v3 + `}` + "\n" + v3, want},
		"up in one of two": {
			strings.Replace(`{"ipv6Unicast":`+v3+`}`, "Established", "Idle", 1) + v3, want,
		},
		"10 with dots": {
			`{"ipv4Unicast":{"as":"1.10","vrfName":"default","peers":{"swp1":` + peer(`"1.11"`, "Active", "") +
				`},"bestPath":{"multiPathRelax":"true"}}}`,
			"AS 65546 paths 0 relaxed true\nswp1 AS 65547",
		},
		"no instance": {`{}`, "AS 0 paths 0 relaxed false"},
		"warning":     {`{"warning":"Default BGP instance not found"}`, "AS 0 paths 0 relaxed false"},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := ReadSummary([]byte(c.text))
			require.NoError(t, err)
			b, unread := Join(nil, a, routesOf(t, "10.0.0.0/31 connected swp7"))
			assert.Equal(t, c.want, bgpText(b, ""))
			assert.Equal(t, b.AS == 0, unread == "", "without a configuration no policy is known")
			kept, err := a.Kept()
			require.NoError(t, err)
			again, err := ReadSummary(kept)
			require.NoError(t, err)
			assert.Equal(t, a, again)
		})
	}
	for _, text := range []string{"", "{", `[]`, `{"peers":[]}`, `{"ipv4Unicast":3}`, `{"as":-1,"peers":{}}`, "% Unknown command.", v3 + "}"} {
		_, err := ReadSummary([]byte(text))
		assert.Error(t, err, text)
	}
}

// Configuration, sessions and tables complete each other. A part that is missing has a reason.
func TestBGPJoins(t *testing.T) {
	config := ReadConfig([]byte(frrHead + " neighbor up peer-group\n neighbor up remote-as external\n" +
		" bgp listen range 10.1.0.0/16 peer-group up\n" +
		" neighbor up allowas-in 5\n neighbor swp1 interface peer-group up\n neighbor swp2 interface remote-as 65002\n" +
		" neighbor swp2 shutdown\n address-family ipv4 unicast\n  aggregate-address 10.8.0.0/16\n  network 10.7.0.0/16\n" +
		"  redistribute ospf\n"))
	a, err := ReadSummary([]byte(`{"as":65101,"peers":{"swp1":{"remoteAs":65001,"state":"Established"},
 "10.1.2.3":{"remoteAs":65007,"state":"Established","idType":"ipv4"},"swp2":{"remoteAs":65002,"state":"Established"}}}`))
	require.NoError(t, err)
	assert.Equal(t, `AS 65101 paths 0 relaxed false
10.1.2.3 AS 65007 up allows 5
swp1 AS 65001 up allows 5
swp2 AS 65002
unread: the table that shows whether its aggregate 10.8.0.0/16 drops was not read`, bgpText(Join(config, a, &Tables{})))
	other, err := ReadSummary([]byte(`{"as":65999,"peers":{}}`))
	require.NoError(t, err)
	_, unread := Join(config, other, routesOf(t))
	assert.Equal(t, "the configuration of FRRouting states another AS number than its sessions", unread)
	assert.Equal(t, "nothing", bgpText(Join(nil, nil, &Tables{})))
}

// A configuration with more neighbours, policies or ranges than are read ends quickly, and is not BGP that was read.
func TestHugeConfig(t *testing.T) {
	var text strings.Builder
	text.WriteString("router bgp 1\n")
	for i := range 60_000 {
		fmt.Fprintf(&text, " neighbor swp%d interface remote-as external\n neighbor swp1 route-map M%[1]d x%[1]d\n"+
			" bgp listen range 10.%[2]d.%[3]d.0/24 peer-group g\n redistribute p%[1]d\n network 10.%[2]d.%[3]d.0/24\n", i, i/256, i%256)
	}
	b, unread := Join(ReadConfig([]byte(text.String())), nil, routesOf(t))
	assert.Equal(t, "nothing\nunread: it has more neighbours, ranges of neighbours or announced protocols than rocec reads",
		bgpText(b, unread))
}

// A prepended path of any length is seen, and a snapshot keeps the mark of a whole output.
func TestKeptLines(t *testing.T) {
	var lines Lines
	for _, line := range []string{
		"Current configuration:\n", "route-map P permit 10\n", " set as-path prepend" + strings.Repeat(" 65001", 200) + "\n", "end\n",
	} {
		assert.True(t, lines.Keeps(line), line)
	}
	c := ReadConfig([]byte("router bgp 1\n neighbor swp1 interface remote-as external\n neighbor swp1 route-map P out\n" +
		"route-map P permit 10\n set as-path prepend" + strings.Repeat(" 65001", 200) + "\n"))
	assert.True(t, c.Peers["swp1"].Prepends)
}

// Reading ends for every configuration and every summary.
func FuzzBGP(f *testing.F) {
	f.Add([]byte(frrHead+" neighbor up peer-group\n bgp listen range 10.1.0.0/16 peer-group up\n neighbor swp1 interface peer-group up\n"+
		" address-family ipv6 unicast\n  redistribute static\n  network ::/0\n  aggregate-address 10.0.0.0/8\n exit-address-family\n"+
		"route-map P deny 10\n match x\nroute-map P permit 20\n set as-path prepend 1\n"),
		[]byte(`{"ipv4Unicast":{"as":1,"peers":{"a":{"remoteAs":"1.1","state":"x"}}}}`))
	f.Fuzz(func(t *testing.T, config, summary []byte) {
		state, err := ReadSummary(summary)
		if err == nil {
			kept, err := state.Kept()
			require.NoError(t, err)
			again, err := ReadSummary(kept)
			require.NoError(t, err)
			require.Equal(t, state, again)
		}
		for _, tables := range []*Tables{{}, routesOf(t, "10.0.0.0/31 connected swp7")} {
			c := ReadConfig(config)
			first, unread := Join(c, state, tables)
			again, _ := Join(ReadConfig(config), state, tables)
			require.Equal(t, first, again)
			for _, r := range unread + bgpText(first, unread) {
				require.True(t, r >= ' ' && r <= '~' || r == '\n', "%q", r)
			}
		}
	})
}
