package cumulus

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/deploy/lab"
	"github.com/rocec/rocec/targets/target"
)

// probeOf finds a probe of a switch by its name.
func probeOf(t *testing.T, d *ir.Device, name string) target.Probe {
	t.Helper()
	probes := Target.Probes(d)
	i := slices.IndexFunc(probes, func(p target.Probe) bool { return p.Name == name })
	require.GreaterOrEqual(t, i, 0, name)
	return probes[i]
}

// measured returns samples in the form "NAME ON=VALUE", separated by commas.
func measured(samples []target.Sample) string {
	var out []string
	for _, s := range samples {
		out = append(out, fmt.Sprintf("%s %s=%d", s.Name, s.On, s.Value))
	}
	return strings.Join(out, ", ")
}

func TestSwitchdProbe(t *testing.T) {
	p := probeOf(t, canonicalSample(t, "sn2700", "3.4.3", 1).sw, "switchd")
	for _, c := range []struct{ answer, samples, wrong string }{
		{"active\nActiveEnterTimestampMonotonic=18237465\n", "switchd =1, switchd start =18237465", ""},
		{
			"failed\nActiveEnterTimestampMonotonic=18237465\n", "switchd =0, switchd start =18237465",
			"switchd.service on leaf1 is failed; its log is /var/log/switchd.log.",
		},
		{
			"inactive\nActiveEnterTimestampMonotonic=0\n", "switchd =0",
			"switchd.service on leaf1 is inactive; its log is /var/log/switchd.log.",
		},
		{"active\n", "switchd =1", ""},
		{"active\nActiveEnterTimestampMonotonic=\x1b[31m\n", "switchd =1", ""},
	} {
		samples := p.Samples([]byte(c.answer))
		last := len(samples) - 1
		assert.Equal(t, "not readable on this release", samples[last].Fact, "no node shows the values in the chip")
		samples = samples[:last]
		assert.Equal(t, c.samples, measured(samples), "%q", c.answer)
		assert.Equal(t, c.wrong, strings.Join(p.Judge([]byte(c.answer)), " "))
		if len(samples) > 1 {
			assert.True(t, samples[1].Counter && samples[1].Hard)
			assert.Equal(t, "switchd.service on leaf1 started again.", samples[1].Says(1))
		}
	}
}

// The summaries are those of FRR: 7.5 and 4.0 with and without VRFs, and the flat one of Quagga and FRR 3.
func TestBGPSessions(t *testing.T) {
	p := probeOf(t, canonicalSample(t, "sn2700", "3.4.3", 1).sw, "BGP neighbours")
	for _, c := range []struct{ name, answer, samples string }{
		{"no vtysh", "", ""},
		{"no instance", "{}\n", ""},
		{"not JSON", "% BGP instance not found\n", ""},
		{"by VRF and family", `{
"default":{
"ipv4Unicast":{"routerId":"10.10.10.1","as":65101,"vrfId":0,"vrfName":"default","tableVersion":12,"peerCount":2,"peers":{
 "swp51":{"hostname":"spine01","remoteAs":65199,"version":4,"msgRcvd":3201,"peerUptime":"02:38:05","pfxRcd":7,"state":"Established"},
 "swp52":{"remoteAs":0,"version":4,"state":"Idle","idType":"interface"}},"totalPeers":2},
"l2VpnEvpn":{"routerId":"10.10.10.1","as":65101,"vrfName":"default","peers":{"swp51":{"state":"NoNeg"}}}},
"RED":{"ipv4Unicast":{"vrfName":"RED","peers":{"10.0.0.9":{"state":"Active"}}}}
}`, "BGP neighbour 10.0.0.9 of vrf RED =0, BGP neighbour swp51 =1, BGP neighbour swp52 =0"},
		{"by VRF by key alone", `{"RED":{"ipv4Unicast":{"peers":{"swp1":{"state":"Established"}}}}}`, "BGP neighbour swp1 of vrf RED =1"},
		{"by family", `{"ipv4Unicast":{"as":65001,"peers":{"swp1":{"remoteAs":65020,"state":"Established"}}}}`, "BGP neighbour swp1 =1"},
		{
			"flat", `{"routerId":"10.0.0.11","as":65011,"peers":{"swp1":{"remoteAs":65020,"state":"Established"},"swp2":{"state":"Connect"}}}`,
			"BGP neighbour swp1 =1, BGP neighbour swp2 =0",
		},
		{"a warning before", "% Can't open configuration file /etc/frr/vtysh.conf due to 'Permission denied'.\n" +
			`{"peers":{"swp1":{"state":"Established"}}}`, "BGP neighbour swp1 =1"},
		{"shut down on purpose", `{"peers":{"swp1":{"state":"Idle (Admin)"},"swp2":{"state":"Idle (PfxCt)"}}}`, "BGP neighbour swp2 =0"},
		{"an unexpected form", `{"peers":{"a":7,"b":{"state":3}},"x":[]}`, ""},
		{"a name too long", `{"peers":{"` + strings.Repeat("x", 100) + `":{"state":"Idle"}}}`, ""},
	} {
		samples := p.Samples([]byte(c.answer))
		assert.Equal(t, c.samples, measured(samples), c.name)
		for _, s := range samples {
			assert.True(t, s.Hard && !s.Counter)
		}
	}
	many := p.Samples([]byte(`{"peers":{` + func() string {
		var b strings.Builder
		for i := range 2 * 4096 {
			fmt.Fprintf(&b, `"p%d":{"state":"Idle"},`, i)
		}
		return b.String()
	}() + `"last":{"state":"Idle"}}}`))
	assert.Len(t, many, 4096)
}

// TestLLDPNeighbours: `lldpctl -f json` prints a list, an object for one neighbour, and nothing without neighbours.
func TestLLDPNeighbours(t *testing.T) {
	s := newSample(t, "sn2700", "3.4.3")
	s.cable("swp1", 3)
	s.cable("swp2", 3)
	p := probeOf(t, s.sw, "LLDP neighbours")
	require.Nil(t, p.Judge, "the fabric does not state which devices use LLDP")
	chassis := `{"via":"LLDP","rid":"1","age":"0 day, 00:00:58","chassis":{"leaf02":{"mgmt-ip":"192.168.0.12"}},` +
		`"port":{"id":{"type":"ifname","value":"swp1"}}}`
	for _, c := range []struct{ name, answer, samples string }{
		{
			"a list", `{"lldp":{"interface":[{"eth0":` + chassis + `},{"swp2":` + chassis + `},{"swp2":` + chassis + `}]}}`,
			"LLDP neighbour swp1=0, LLDP neighbour swp2=1",
		},
		{"one", `{"lldp":{"interface":{"swp1":` + chassis + `}}}`, "LLDP neighbour swp1=1, LLDP neighbour swp2=0"},
		{"none", `{"lldp":{}}`, "LLDP neighbour swp1=0, LLDP neighbour swp2=0"},
		{"not there", "", ""},
		{"no rights", "unable to connect to socket\n", ""},
		{"something else", `{"lldp":{"interface":"swp1"}}`, ""},
		{"other JSON", `{}`, ""},
	} {
		assert.Equal(t, c.samples, measured(p.Samples([]byte(c.answer))), c.name)
	}
}

func TestMLAGPeer(t *testing.T) {
	s := canonicalSample(t, "sn2700", "3.4.3", 1)
	isMLAG := func(p target.Probe) bool { return p.Name == "MLAG peer" }
	require.False(t, slices.ContainsFunc(Target.Probes(s.sw), isMLAG), "a switch without a pair is not asked")
	s.sw.Switch.MLAG = "rack1"
	p := probeOf(t, s.sw, "MLAG peer")
	for answer, want := range map[string]string{
		`{"status":{"peerAlive":true,"ourRole":"primary"},"clagIntfs":{}}`: "MLAG peer =1",
		`{"status":{"peerAlive":false}}`:                                   "MLAG peer =0",
		`{"status":{"peerAlive":"yes"}}`:                                   "",
		`{"status":{}}`:                                                    "",
		"":                                                                 "",
		"The clagd service is not running.\n":                              "",
	} {
		assert.Equal(t, want, measured(p.Samples([]byte(answer))), answer)
	}
	wrong := p.Judge([]byte(`{"status":{"peerAlive":false}}`))
	assert.Equal(t, []string{"clagd on leaf1 does not see the other switch of its MLAG pair."}, wrong)
}

// manual is the output of `ethtool -S` in the manual of Cumulus Linux (3.x to 4.3): it has no names of PFC.
const manual = `NIC statistics:
        HwIfInOctets: 1435339
        HwIfInUcastPkts: 11795
        HwIfInBcastPkts: 3
        HwIfInMcastPkts: 4578
        HwIfOutOctets: 14866246
        HwIfOutUcastPkts: 11791
        HwIfOutMcastPkts: 136493
        HwIfOutBcastPkts: 0
        HwIfInDiscards: 0
        HwIfInL3Drops: 0
        HwIfInBufferDrops: 0
        HwIfInAclDrops: 28
        HwIfInDot3LengthErrors: 0
        HwIfInErrors: 0
        SoftInErrors: 0
        SoftInDrops: 0
        SoftInFrameErrors: 0
        HwIfOutDiscards: 0
        HwIfOutErrors: 0
        HwIfOutQDrops: 0
        HwIfOutNonQDrops: 0
        SoftOutErrors: 0
        SoftOutDrops: 0
        SoftOutTxFifoFull: 0
        HwIfOutQLen: 0
`

func TestCounters(t *testing.T) {
	s := canonicalSample(t, "sn2700", "3.4.3", 1)
	p := probeOf(t, s.sw, "lossless counters")
	assert.Contains(t, p.Cmd, "for p in swp1 swp2 swp3 swp4 swp31 swp32;")
	require.Empty(t, p.Judge([]byte("port swp1\n"+manual+"port swp3\n HwIfInBufferDrops: 12\n")), "only a rise of a counter is judged")
	said := func(answer string) (words []string) {
		for _, s := range p.Samples([]byte(answer)) {
			require.True(t, s.Counter && !s.Hard, s.Name)
			if s.Says != nil {
				words = append(words, s.Says(s.Value))
			}
		}
		return words
	}
	assert.Equal(t, "HwIfInBufferDrops swp1=0, HwIfOutQDrops swp1=0", measured(p.Samples([]byte("port swp1\n"+manual+"port swp2\n"))),
		"a counter that is missing is unknown, not zero")
	assert.Equal(t, "HwIfInPfc4Pkt swp1=77, HwIfOutPfc4Pkt swp1=5, HwIfOutQDrops swp1=9",
		measured(p.Samples([]byte("port swp1\nNIC statistics:\n     HwIfInPfc4Pkt: 77\n"+
			"     HwIfOutPfc4Pkt: 5\n     HwIfOutQDrops: 9\nport swp2\n"))))
	assert.Empty(t, said("port swp1\n HwIfInPfc4Pkt: 77\n HwIfOutPfc4Pkt: 5\n HwIfOutQDrops: 9\n HwIfOutWredDrops: 3\n"), "all is well")
	assert.Equal(t, []string{
		"leaf1:swp3 carries lossless traffic and dropped 12 packets because a buffer was full (HwIfInBufferDrops).",
		"leaf1:swp3 received 1 PFC frame for priority 3, which is not lossless here: its peer pauses another class (HwIfInPfc3Pkt).",
	}, said("port swp3\n HwIfInBufferDrops: 12\n HwIfInPfc3Pkt: 1\n HwIfInPfcXPkt: 4\n HwIfInBufferDrops: many\n"))
	assert.Empty(t, p.Samples([]byte("port swp9\n HwIfInBufferDrops: 12\n")), "the probe did not ask for this port")

	const half = "port swp1\nunread 1\nport swp2\n HwIfInBufferDrops: 12\nport swp3\nunread 127\nport swp4\nunread 1\n"
	unread := p.Samples([]byte(half))
	require.Len(t, unread, 3)
	assert.Equal(t, "HwIfInBufferDrops swp2=12", measured(unread[:1]))
	for i, want := range []string{
		"The counters of swp1 and swp4 were not read: ethtool -S fails, with status 1. Whether lossless packets were dropped there is not known.",
		"The counters of swp3 were not read: ethtool is not installed. Whether lossless packets were dropped there is not known.",
	} {
		assert.Equal(t, want, p.Judge([]byte(half))[i])
		assert.False(t, unread[i+1].Counter)
		assert.Contains(t, unread[i+1].Fact, "not read: ethtool")
	}

	s.fabric.FlowControl = ir.Pause
	p = probeOf(t, s.sw, "lossless counters")
	assert.Empty(t, said("port swp3\n HwIfInPfc3Pkt: 1\n HwIfInPausePkt: 3\n"), "under link pause there is no PFC")
}

// TestNeighboursInTheLab: the simulated switch answers in the form of its release, and loses neighbours with their link.
func TestNeighboursInTheLab(t *testing.T) {
	for _, version := range []string{"3.4.3", "4.3.0"} {
		t.Run(version, func(t *testing.T) {
			s := canonicalSample(t, "sn2700", version, 1)
			s.sw.Switch.ASN, s.sw.Switch.MLAG = 65001, "rack1"
			for i, name := range []string{"swp31", "swp32"} {
				port := s.sw.Ports[4+i]
				require.Equal(t, name, port.Name)
				peer := &ir.Device{Name: fmt.Sprintf("spine%d", i+1), Switch: &ir.Switch{ASN: 65100}, Fabric: s.fabric}
				l := *port.Link()
				l.Routed = true
				ir.NewLink(port, ir.NewPort(peer, ir.PortSpec{Name: "swp1"}), l)
			}
			d := lab.NewDevice(&target.Device{Name: "leaf1", Role: target.Switch, Target: Target, Source: s.sw})
			read := func(probe string) string {
				p := probeOf(t, s.sw, probe)
				out, errs, status := d.Run(t.Context(), "root", p.Cmd, "")
				require.Equal(t, 0, status, errs)
				return measured(p.Samples([]byte(out)))
			}
			assert.Equal(t, "BGP neighbour swp31 =1, BGP neighbour swp32 =1", read("BGP neighbours"))
			assert.Contains(t, read("LLDP neighbours"), "LLDP neighbour swp4=0, LLDP neighbour swp31=1, LLDP neighbour swp32=1")
			assert.Contains(t, read("links"), "link swp4=1, link swp31=1, link swp32=1")
			assert.Equal(t, "MLAG peer =1", read("MLAG peer"))
			assert.Contains(t, read("switchd"), "switchd =1")
			assert.Contains(t, read("lossless counters"), "HwIfInBufferDrops swp1=0")

			d.SetLink("swp31", false)
			assert.Equal(t, "BGP neighbour swp31 =0, BGP neighbour swp32 =1", read("BGP neighbours"))
			assert.Contains(t, read("LLDP neighbours"), "LLDP neighbour swp31=0, LLDP neighbour swp32=1")
			assert.Contains(t, read("links"), "link swp31=0, link swp32=1")
			d.SetLink("swp32", false)
			assert.Contains(t, read("LLDP neighbours"), "LLDP neighbour swp31=0, LLDP neighbour swp32=0")
			d.SetLink("swp31", true)
			assert.Equal(t, "BGP neighbour swp31 =1, BGP neighbour swp32 =0", read("BGP neighbours"))
			assert.Empty(t, d.Writes(), "reading writes nothing")
		})
	}
}
