package tools

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/target"
)

// port reads one host's files and returns its only port.
func port(t *testing.T, id target.Identity, contents map[string]string) (*ir.PortSettings, *target.Understood) {
	t.Helper()
	u := Understand(id, bytesOf(contents))
	require.Len(t, u.Settings.Ports, 1)
	for _, p := range u.Settings.Ports {
		return p, u
	}
	return nil, nil
}

func bytesOf(contents map[string]string) map[string][]byte {
	out := map[string][]byte{}
	for path, text := range contents {
		out[path] = []byte(text)
	}
	return out
}

const pfcTable = "PFC configuration:\n\tpriority    0   1   2   3   4   5   6   7\n\tenabled     0   0   0   1   0   0   0   0   \n"

// A command line is recognized in all the formats in which people paste it.
func TestCommandLines(t *testing.T) {
	for _, header := range []string{
		"mlnx_qos -i eth0", "$ mlnx_qos -i eth0", "# mlnx_qos -i eth0", "root@h1:~# mlnx_qos -i eth0", "[root@h1 ~]# mlnx_qos -i eth0",
		"user@h1:/tmp$ sudo mlnx_qos --interface=eth0 -a", "+ mlnx_qos -i eth0", "==== mlnx_qos -i eth0 ====", "--- mlnx_qos -i eth0 ---",
		"### mlnx_qos -i eth0", "sudo /usr/bin/mlnx_qos -i eth0", "$ mlnx_qos -i eth0 | grep -A3 PFC", "mlnx_qos -i eth0:",
		"(base) me@h1:~$ mlnx_qos -ieth0",
		"$ mlnx_qos -i 'eth0' 2>/dev/null", "=> mlnx_qos -i eth0",
	} {
		t.Run(header, func(t *testing.T) {
			u := Understand(target.Identity{}, map[string][]byte{"x": []byte(header + "\n" + pfcTable)})
			require.Contains(t, u.Settings.Ports, "eth0")
			assert.Equal(t, uint8(8), u.Settings.Ports["eth0"].Sends)
			assert.Empty(t, u.Coverage.Not)
		})
	}
}

// Output without a command line belongs to the interface in the file's name, or to the only interface.
func TestNamedFiles(t *testing.T) {
	for _, c := range []struct {
		path  string
		ports []string
		want  string
	}{
		{"sos_commands/networking/mlnx_qos_-i_eth1", nil, "eth1"},
		{"mlnx_qos -i eth1", nil, "eth1"},
		{"h1/mlnx_qos_-i_eth1.txt", nil, "eth1"},
		{"h1/eth1/qos.txt", []string{"eth0", "eth1"}, "eth1"},
		{"qos.txt", []string{"eth0"}, "eth0"},
		{"qos.txt", []string{"eth0", "eth1"}, ""},
		{"qos-eth0-eth1.txt", []string{"eth0", "eth1"}, ""},
		{"qos-eth10.txt", []string{"eth1", "eth2"}, ""},
		{"qos.txt", nil, ""},
	} {
		t.Run(c.path, func(t *testing.T) {
			u := Understand(target.Identity{Ports: c.ports}, map[string][]byte{c.path: []byte(pfcTable)})
			if c.want == "" {
				assert.Empty(t, u.Settings.Ports)
				assert.False(t, u.Coverage.Whole())
				assert.Equal(t, noNIC, u.Coverage.Not[0].Why)
				return
			}
			require.Contains(t, u.Settings.Ports, c.want)
			assert.Equal(t, uint8(8), u.Settings.Ports[c.want].Obeys)
		})
	}
}

// Values in force on the host have precedence over scripts and value files. If files of both kinds contribute, the moment is Stored.
func TestMoments(t *testing.T) {
	script := "#!/bin/sh\nmlnx_qos -i eth0 --pfc 0,0,0,0,1,0,0,0\n"
	running := "$ mlnx_qos -i eth0\n" + pfcTable
	p, u := port(t, target.Identity{}, map[string]string{"up.sh": script, "a": running})
	assert.Equal(t, uint8(8), p.Sends)
	assert.Equal(t, ir.Running, u.Settings.Moment)
	p, u = port(t, target.Identity{}, map[string]string{"up.sh": script})
	assert.Equal(t, uint8(16), p.Sends)
	assert.Equal(t, ir.Stored, u.Settings.Moment)
	p, u = port(t, target.Identity{}, map[string]string{"up.sh": script + "ethtool -A eth0 rx off tx off\n", "a": running})
	assert.Equal(t, uint8(8), p.Sends)
	assert.Equal(t, ir.Stored, u.Settings.Moment)
	p, u = port(t, target.Identity{}, map[string]string{
		"etc/rocec/host/eth0.conf": "# of rocec\nmtu=9000\npfc=0,0,0,0,1,0,0,0\npause=off\ntrust=dscp\ndscp_prio4=32-34\ncable=3\n" +
			"ets_tc=0,0,0,0,4,0,0,0\nshould=cable\n",
		"a": running,
	})
	assert.Equal(t, uint8(8), p.Sends)
	assert.Equal(t, ir.Of(9000), p.Detail.Get().MTU)
	assert.Equal(t, ir.Of(3), p.Detail.Get().Cable)
	assert.Equal(t, int8(4), p.DSCP[33])
	assert.Equal(t, int8(4), p.Detail.Get().Queue[4])
	assert.Equal(t, ir.Stored, u.Settings.Moment)
	assert.Empty(t, u.Coverage.Not)
	at, ok := u.Where("eth0", ir.FieldDSCP, 33)
	require.True(t, ok)
	assert.Equal(t, 6, at.Start.Line)
	at, ok = u.Where("eth0", ir.FieldPauses, 3)
	require.True(t, ok)
	assert.Equal(t, "a", at.Filename)
	assert.Equal(t, 4, at.Start.Line)
	_, ok = u.Where("eth0", ir.FieldXoff, 3)
	assert.False(t, ok)
}

// A PFC mask of zeros does not show whether the NIC has link pause. PFC and link pause together are contradictory, so the pauses are
// unknown.
func TestPauses(t *testing.T) {
	zeros := "$ dcb pfc show dev eth0\nprio-pfc 0:off 1:off 2:off 3:off 4:off 5:off 6:off 7:off\n"
	on := strings.Replace(zeros, "3:off", "3:on", 1)
	pause := func(rx, tx string) string {
		return "$ ethtool -a eth0\nPause parameters for eth0:\nRX:\t" + rx + "\nTX:\t" + tx + "\n"
	}
	for _, c := range []struct {
		name, text   string
		known, link  bool
		sends, obeys uint8
	}{
		{"zeros alone", zeros, false, false, 0, 0},
		{"zeros without link pause", zeros + pause("off", "off"), true, false, 0, 0},
		{"zeros with link pause", zeros + pause("on", "off"), true, true, 0, 0xff},
		{"link pause alone", pause("on", "on"), true, true, 0xff, 0xff},
		{"no link pause alone", pause("off", "off"), false, false, 0, 0},
		{"a priority", on, true, false, 8, 8},
		{"both", on + pause("on", "on"), false, false, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, _ := port(t, target.Identity{}, map[string]string{"x": c.text})
			assert.Equal(t, c.known, p.PausesKnown)
			assert.Equal(t, c.link, p.LinkPause)
			assert.Equal(t, c.sends, p.Sends)
			assert.Equal(t, c.obeys, p.Obeys)
		})
	}
}

// Only for mlx5 do DSCP entries of the application table show that the NIC trusts DSCP.
func TestTrust(t *testing.T) {
	app := "$ dcb app show dev eth0\ndscp-prio 26:3\n"
	none := "$ dcb app show dev eth0\ndefault-prio 0\n"
	driver := func(name string) string { return "$ ethtool -i eth0\ndriver: " + name + "\n" }
	for _, c := range []struct {
		name, text string
		known      bool
		want       ir.Trust
	}{
		{"mlx5", app + driver("mlx5_core"), true, ir.Trust{DSCP: true}},
		{"mlx5 without entries", none + driver("mlx5_core"), true, ir.Trust{PCP: true}},
		{"bnxt", app + driver("bnxt_en"), false, ir.Trust{}},
		{"no driver", app, false, ir.Trust{}},
		{"by its RDMA device", app + "link mlx5_1/1 state ACTIVE physical_state LINK_UP netdev eth0 \n", true, ir.Trust{DSCP: true}},
		{"stated", "$ dcb apptrust show dev eth0\norder: dscp pcp \n", true, ir.Trust{DSCP: true, PCP: true}},
		{"sysfs", "$ cat /sys/class/net/eth0/qos/trust\npcp\n", true, ir.Trust{PCP: true}},
		{"flushed", "$ mlnx_qos -i eth0 --trust dscp\n$ mlnx_qos -i eth0 --dscp2prio flush\n", true, ir.Trust{PCP: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, _ := port(t, target.Identity{}, map[string]string{"x": c.text})
			assert.Equal(t, c.known, p.TrustKnown)
			assert.Equal(t, c.want, p.Trust)
		})
	}
}

// A VLAN interface without a map has the default of Linux: all zeros. If two VLAN interfaces have different maps, the map is unknown.
func TestVLANMaps(t *testing.T) {
	link := func(name, more string) string {
		return "7: " + name + "@eth0: <UP> mtu 9000 qdisc noqueue\n    link/ether 58:a2:e1:10:20:30 promiscuity 0 \n" +
			"    vlan protocol 802.1Q id 6 " + more + "\n"
	}
	eth0 := "$ ip -d link\n4: eth0: <UP> mtu 9000 qdisc mq\n    link/ether 58:a2:e1:10:20:30 promiscuity 0 \n"
	p, _ := port(t, target.Identity{}, map[string]string{"x": eth0 + link("eth0.6", "")})
	assert.Equal(t, ir.ByDefault([8]int8{}), p.Detail.Get().VLANMap)
	stated := link("eth0.7", "egress-qos-map { 0:3 }")
	p, _ = port(t, target.Identity{}, map[string]string{"x": eth0 + stated})
	assert.Equal(t, ir.Of([8]int8{3}), p.Detail.Get().VLANMap)
	p, _ = port(t, target.Identity{}, map[string]string{"x": eth0 + link("eth0.6", "") + stated})
	assert.False(t, p.Detail.Get().VLANMap.Known())
}

// A directory of captures may have the name nic, like that of live states.
func TestStates(t *testing.T) {
	p, u := port(t, target.Identity{}, map[string]string{"nic/eth0": "bond=unsupported: no\npfc=0,0,0,1,0,0,0,0\n"})
	assert.Equal(t, uint8(8), p.Sends)
	assert.Equal(t, ir.Running, u.Settings.Moment)
	p, _ = port(t, target.Identity{}, map[string]string{"nic/qos": "$ mlnx_qos -i eth0\n" + pfcTable})
	assert.Equal(t, uint8(8), p.Sends)
}

// The RDMA device of a bond marks the packets of its NICs. The bond itself is no port.
func TestBond(t *testing.T) {
	link := func(name, more string) string {
		return `{"ifname":"` + name + `","mtu":9000,"promiscuity":0,"link_type":"ether"` + more + "}"
	}
	u := Understand(target.Identity{}, bytesOf(map[string]string{
		"a": "$ cma_roce_tos -d mlx5_bond_0\n104\n$ ibdev2netdev\nmlx5_bond_0 port 1 ==> bond0 (Up)\n$ ip -j -d link\n[" +
			link("bond0", `,"linkinfo":{"info_kind":"bond"}`) + "," + link("eth0", `,"master":"bond0"`) + "," +
			link("eth1", `,"master":"bond0"`) + "," +
			link("bond0.7", `,"link":"bond0","linkinfo":{"info_kind":"vlan","info_data":{"egress_qos":[{"from":0,"to":3}]}}`) + "]\n",
	}))
	require.Len(t, u.Settings.Ports, 2)
	assert.Same(t, u.Settings.Ports["eth0"], u.Settings.Ports["eth1"])
	assert.Equal(t, uint64(1)<<26, u.Settings.Ports["eth0"].Stamps)
	assert.Equal(t, ir.Of([8]int8{3}), u.Settings.Ports["eth0"].Detail.Get().VLANMap)
	assert.Empty(t, u.Coverage.Not)
}

// Other test lines need these two lines.
const (
	mtuLine = "ip link set eth0 mtu 4200\n"
	rxeLine = "rdma link add rxe0 type rxe netdev eth0\n"
)

// Each line of a script sets one field.
func TestScripts(t *testing.T) {
	for _, c := range []struct {
		line string
		is   func(p *ir.PortSettings, d ir.PortDetail) bool
	}{
		{"mlnx_qos -i eth0 --pfc=0,0,0,1,0,0,0,1", func(p *ir.PortSettings, _ ir.PortDetail) bool { return p.Sends == 0x88 }},
		{"mlnx_qos -i eth0 --pfc 0,0,0,1,0,0,0,0 --cable_len 12", func(_ *ir.PortSettings, d ir.PortDetail) bool {
			return d.Cable == ir.Of(12) && d.PFC == ir.Of[uint8](8)
		}},
		{"mlnx_qos -i eth0 --pfc 0,0,0,1,0,0,0,0\nmlnx_qos -i eth0 --cable_len 12", func(_ *ir.PortSettings, d ir.PortDetail) bool {
			return d.Cable == ir.Of(12) && !d.PFC.Known()
		}},
		{"mlnx_qos -i eth0 --trust dscp\nmlnx_qos -i eth0 --dscp2prio del,26,3", func(p *ir.PortSettings, _ ir.PortDetail) bool {
			return p.DSCP[26] == 0
		}},
		{"mlnx_qos -i eth0 --trust pcp", func(p *ir.PortSettings, _ ir.PortDetail) bool {
			return p.Trust.PCP && p.PCP[5] == 5 && p.DSCP[5] == -1
		}},
		{"dcb ets set dev eth0 tc-tsa all:strict 1:ets tc-bw all:0 1:100 prio-tc all:0 3:1", func(p *ir.PortSettings, _ ir.PortDetail) bool {
			return p.Share[3] == 100 && p.Strict == 0xf7
		}},
		{"dcb app replace dev eth0 dscp-prio 26:4", func(p *ir.PortSettings, _ ir.PortDetail) bool { return p.DSCP[26] == 4 }},
		{"dcb app add dev eth0 dscp-prio 26:4\ndcb app del dev eth0 dscp-prio 26:4", func(p *ir.PortSettings, _ ir.PortDetail) bool {
			return p.DSCP[26] == -1
		}},
		{"dcb buffer set dev eth0 prio-buffer all:0 3:1 buffer-size 0:20K 1:200K", func(_ *ir.PortSettings, d ir.PortDetail) bool {
			return d.Group[3] == 1 && d.Groups[1].Buffer == ir.Of(204800)
		}},
		{"dcb maxrate set dev eth0 tc-maxrate 1:10Gbit", func(_ *ir.PortSettings, d ir.PortDetail) bool {
			return d.Queues[1].MaxRate == ir.Of[int64](10e9)
		}},
		{"dcb rewr add dev eth0 prio-dscp 3:26", func(_ *ir.PortSettings, d ir.PortDetail) bool { return d.RewriteDSCP == ir.Of(true) }},
		{"lldptool -T -i eth0 -V PFC enabled=3,4 willing=no", func(p *ir.PortSettings, _ ir.PortDetail) bool { return p.Sends == 0x18 }},
		{"lldptool -Ti eth0 -V ETS-CFG tsa=0:ets,1:strict up2tc=0:0,1:1 tcbw=100,0", func(p *ir.PortSettings, _ ir.PortDetail) bool {
			return p.Share[0] == 100 && p.Strict == 2
		}},
		{"lldptool -T -i eth0 -V APP app=3,5,26", func(p *ir.PortSettings, _ ir.PortDetail) bool { return p.DSCP[26] == 3 }},
		{"niccli -dev eth0 qos --pfc --enable 3", func(p *ir.PortSettings, _ ir.PortDetail) bool { return p.Sends == 8 }},
		{"niccli --dev eth0 qos --apptlv --add --app 3,5,26", func(p *ir.PortSettings, _ ir.PortDetail) bool { return p.DSCP[26] == 3 }},
		{"niccli -dev=eth0 qos --ets --tsa 0:ets,1:ets --up2tc 0:0,3:1 --tcbw 50,50", func(p *ir.PortSettings, _ ir.PortDetail) bool {
			return p.Share[3] == 50
		}},
		{"bnxtqos -dev=eth0 set_pfc enabled=3", func(p *ir.PortSettings, _ ir.PortDetail) bool { return p.Sends == 8 }},
		{"bnxtqos -dev=eth0 set_apptlv app=7,5,48", func(p *ir.PortSettings, _ ir.PortDetail) bool { return p.DSCP[48] == 7 }},
		{"ethtool --pause eth0 rx on tx off", func(p *ir.PortSettings, _ ir.PortDetail) bool {
			return p.LinkPause && p.Obeys == 0xff && p.Sends == 0
		}},
		{"ethtool -s eth0 speed 25000 duplex full autoneg off", func(_ *ir.PortSettings, d ir.PortDetail) bool {
			return d.Speed == ir.Of[int64](25e9)
		}},
		{"ip link set eth0 mtu 4200", func(_ *ir.PortSettings, d ir.PortDetail) bool { return d.MTU == ir.Of(4200) }},
		{mtuLine + "ip link set dev eth0.5 type vlan egress-qos-map 0:4", func(_ *ir.PortSettings, d ir.PortDetail) bool {
			return d.VLANMap == ir.Of([8]int8{4})
		}},
		{mtuLine + "vconfig set_egress_map eth0.5 0 4\nvconfig set_egress_map eth0.5 2 4", func(_ *ir.PortSettings, d ir.PortDetail) bool {
			return d.VLANMap == ir.Of([8]int8{4, 0, 4})
		}},
		{rxeLine + "cma_roce_tos -d rxe0 -t 0x68", func(p *ir.PortSettings, _ ir.PortDetail) bool {
			return p.Stamps == 1<<26
		}},
		{rxeLine + "echo -1 > /sys/class/infiniband/rxe0/tc/1/traffic_class", func(p *ir.PortSettings, _ ir.PortDetail) bool {
			return p.Stamps == 0
		}},
	} {
		t.Run(c.line, func(t *testing.T) {
			p, u := port(t, target.Identity{}, map[string]string{"rc.local": c.line + "\n"})
			assert.Empty(t, u.Coverage.Not)
			assert.Equal(t, ir.Stored, u.Settings.Moment)
			assert.True(t, c.is(p, p.Detail.Get()), describe(u))
		})
	}
}

// A command that may not run, or that contains an expansion of the shell, is not interpreted. The fields that it would set are unknown
// afterwards.
func TestDoubts(t *testing.T) {
	for _, line := range []string{
		"if true; then mlnx_qos -i eth0 --pfc 1,0,0,0,0,0,0,0; fi", "mlnx_qos -i $DEV --pfc 1,0,0,0,0,0,0,0", "mlnx_qos -i eth0 --pfc $MASK",
		"mlnx_qos -i \"$(first)\" -f 1,0,0,0,0,0,0,0", "mlnx_qos -i `first` -f 1,0,0,0,0,0,0,0",
		"while read d; do mlnx_qos -i $d -f 1,0,0,0,0,0,0,0; done",
		"test -e /x && mlnx_qos -i eth0 -f 1,0,0,0,0,0,0,0", "false || mlnx_qos -i eth0 -f 1,0,0,0,0,0,0,0",
		"up() {\nmlnx_qos -i eth0 -f 1,0,0,0,0,0,0,0\n}", "case $1 in\nstart) mlnx_qos -i eth0 -f 1,0,0,0,0,0,0,0 ;;\nesac",
		"for d in /sys/class/net/*; do dcb pfc set dev ${d##*/} prio-pfc all:off; done", "sh <<END\nmlnx_qos -i eth0 -f 1,0,0,0,0,0,0,0\nEND",
		"mlnx_qos -i eth0 --pfc '0,0,0,0,1,0,0,0", "niccli -dev eth0 qos --pfc --enable $PRIO", "lldptool -T -i eth0 -V PFC enabled=$PRIO",
	} {
		t.Run(line, func(t *testing.T) {
			text := "mlnx_qos -i eth0 --pfc 0,0,0,1,0,0,0,0\nip link set eth0 mtu 9000\n" + line + "\n"
			p, u := port(t, target.Identity{}, map[string]string{"up.sh": text})
			assert.NotEmpty(t, u.Coverage.Not)
			assert.Equal(t, ir.Of(9000), p.Detail.Get().MTU)
			if strings.HasPrefix(line, "lldptool") { // lldptool has lower precedence
				return
			}
			assert.False(t, p.PausesKnown)
			assert.False(t, p.Detail.Get().PFC.Known())
			_, ok := u.Where("eth0", ir.FieldPauses, 3)
			assert.False(t, ok)
			p, _ = port(t, target.Identity{}, map[string]string{"up.sh": text + "mlnx_qos -i eth0 --pfc 0,0,1,0,0,0,0,0\n"})
			if !strings.Contains(line, "'") {
				assert.Equal(t, uint8(4), p.Sends)
			}
		})
	}
}

// A malformed value affects only its row.
func TestSlips(t *testing.T) {
	text := string(read(t, "testdata/mlx5.txt"))
	for from, to := range map[string]string{
		"enabled     0   0": "enabled     0   x", "bw: 30%": "bw; 30%", "buffer      0": "buffer      9", "Cable len: 15": "Cable len: far",
		"prio:3 dscp:31": "prio:9 dscp:31", "RX:\t\toff": "RX:\t\tperhaps", "Global tclass=106": "Global tclass=many",
		"egress-qos-map { 0:3": "egress-qos-map { 0:9",
		"tsa: strict":          "tsa: sometimes", "Priority trust state: dscp": "Priority trust state: maybe",
	} {
		require.Contains(t, text, from)
		u := Understand(target.Identity{}, bytesOf(map[string]string{"x": strings.Replace(text, from, to, 1)}))
		whole := Understand(target.Identity{}, bytesOf(map[string]string{"x": text}))
		assert.Len(t, u.Coverage.Not, 1, to)
		assert.Equal(t, whole.Coverage.Rows, u.Coverage.Rows, to)
		require.Contains(t, u.Settings.Ports, "ens3f0np0")
		assert.NotEqual(t, ir.PortDetail{}, u.Settings.Ports["ens3f0np0"].Detail.Get())
	}
}

// The order of commands, lines of other tools, comments, unknown members and blank lines change no setting.
func TestOrder(t *testing.T) {
	for _, name := range []string{
		"mlx5.txt", "mlx4.txt", "bnxt.txt", "rxe.txt", "dcb.txt", "dcb-json.txt", "lldp.txt", "windows.txt", "esxi.txt",
	} {
		t.Run(name, func(t *testing.T) {
			text := string(read(t, "testdata/"+name))
			want := Understand(target.Identity{}, bytesOf(map[string]string{"x": text})).Settings
			var parts []string
			for line := range strings.Lines(text) {
				typed := readable().commandLine(strings.TrimSuffix(line, "\n"))
				if typed.words != nil && (typed.prompt || readable().of(typed.words[0]) != nil) || parts == nil {
					parts = append(parts, "")
				}
				parts[len(parts)-1] += line
			}
			random := rand.New(rand.NewPCG(1, 2))
			for range 50 {
				random.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
				got := Understand(target.Identity{}, bytesOf(map[string]string{"x": strings.Join(parts, "")})).Settings
				require.True(t, want.Equal(got), strings.Join(parts, ""))
				require.Equal(t, want.System, got.System)
			}
			noise := []string{"", "   ", "$ uname -r", "6.8.0-31-generic", "$ lspci -d 15b3:", "3b:00.0 Ethernet controller: x"}
			all := strings.Join(slices.Concat(noise, parts, noise), "\n")
			all = strings.ReplaceAll(all, `{"prio_pfc"`, `{"of_tomorrow":[1],"prio_pfc"`)
			assert.True(t, want.Equal(Understand(target.Identity{}, bytesOf(map[string]string{"x": all})).Settings), all)
			crlf := strings.ReplaceAll(text, "\n", "\r\n")
			assert.True(t, want.Equal(Understand(target.Identity{}, bytesOf(map[string]string{"x": crlf})).Settings))
		})
	}
}

// Commands that a person typed also set the NIC: several in one line, in a nested shell, or redirected into a file. Output for an interface
// in a variable belongs to no known NIC.
func TestTyped(t *testing.T) {
	text := "+ mlnx_qos -i eth0 --trust dscp\n+ sudo sh -c ' echo 106 > /sys/class/infiniband/mlx5_2/tc/1/traffic_class'\n" +
		"+ sudo cma_roce_tos -d mlx5_2 -t 106\n106\n+ sudo sysctl -w net.ipv4.tcp_ecn=1\nnet.ipv4.tcp_ecn = 1\n" +
		"$ ethtool -A eth0 rx off tx off && mlnx_qos -i eth0 -f 0,0,0,1,0,0,0,0\n" + pfcTable +
		"# echo 104 > /sys/class/infiniband/mlx5_2/tc/1/traffic_class\nmlx5_2 port 1 ==> eth0 (Up)\n"
	p, u := port(t, target.Identity{}, map[string]string{"x": text})
	assert.Empty(t, u.Coverage.Not)
	assert.True(t, p.Trust.DSCP)
	assert.Equal(t, uint64(1)<<26, p.Stamps)
	assert.Equal(t, uint8(8), p.Sends)
	assert.Equal(t, ir.Running, u.Settings.Moment)
	for _, header := range []string{
		"$ mlnx_qos -i $DEV", "$ for d in eth0 eth1; do mlnx_qos -i $d; done",
		"root@h:~# mlnx_qos -i \"$d\" --pfc 0,0,0,0,0,0,0,0",
	} {
		u := Understand(target.Identity{}, bytesOf(map[string]string{"x": "$ mlnx_qos -i eth0 --trust pcp\n" + header + "\n" + pfcTable}))
		assert.NotEmpty(t, u.Coverage.Not, header)
		assert.Equal(t, uint8(0), u.Settings.Ports["eth0"].Sends, header)
		assert.True(t, u.Settings.Ports["eth0"].Trust.PCP, header)
	}
}
