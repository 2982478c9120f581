package target

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The forms of lldpctl -f json and json0.
func TestNeighbours(t *testing.T) {
	one := `{"chassis":{"leaf02":{"id":{"type":"mac","value":"44:38:39:00:00:01"}}},` +
		`"port":{"id":{"type":"ifname","value":"swp1"},"descr":"swp1"}}`
	host := `{"chassis":{"gpu1.example.net":{}},"port":{"id":{"type":"mac","value":"0C:42:A1:00:00:07"},"descr":"ens1f0"}}`
	json0 := `{"name":"swp3","via":"LLDP","chassis":[{"id":[{"type":"mac","value":"x"}],"name":[{"value":"spine1"}]}],` +
		`"port":[{"id":[{"type":"ifname","value":"swp7"}],"descr":[{"value":"to leaf"}]}]}`
	for _, c := range []struct{ name, answer, want string }{
		{
			"a list", `{"lldp":{"interface":[{"swp1":` + one + `},{"swp2":` + host + `}]}}`,
			"map[swp1:[{leaf02 [swp1] }] swp2:[{gpu1.example.net [ens1f0] 0c:42:a1:00:00:07}]]",
		},
		{"an object of one port", `{"lldp":{"interface":{"swp1":` + one + `}}}`, "map[swp1:[{leaf02 [swp1] }]]"},
		{
			"two neighbours at a port", `{"lldp":{"interface":[{"swp1":` + one + `},{"swp1":` + host + `}]}}`,
			"map[swp1:[{leaf02 [swp1] } {gpu1.example.net [ens1f0] 0c:42:a1:00:00:07}]]",
		},
		{
			"two in a list below the port", `{"lldp":{"interface":{"swp1":[` + one + `,` + host + `]}}}`,
			"map[swp1:[{leaf02 [swp1] } {gpu1.example.net [ens1f0] 0c:42:a1:00:00:07}]]",
		},
		{"json0", `{"lldp":[{"interface":[` + json0 + `]}]}`, "map[swp3:[{spine1 [swp7 to leaf] }]]"},
		{"json0 without neighbours", `{"lldp":[{}]}`, "map[]"},
		{"none", `{"lldp":{}}`, "map[]"},
		{"a chassis without a name", `{"lldp":{"interface":{"swp1":{"chassis":{"id":{"type":"mac","value":"44:38:39:00:00:01"}},` +
			`"port":{"id":{"type":"mac","value":"44:38:39:00:00:02"}}}}}}`, "map[swp1:[{ [] 44:38:39:00:00:02}]]"},
		{"no port", `{"lldp":{"interface":{"swp1":{"chassis":{"leaf02":{}}}}}}`, "map[swp1:[{leaf02 [] }]]"},
		{"neither", `{"lldp":{"interface":{"swp1":{}}}}`, "map[swp1:[{ [] }]]"},
		{
			"Unicode", `{"lldp":{"interface":{"swp1":{"chassis":{"blätt-Ü\u202e":{}},"port":{"descr":"端口"}}}}}`,
			"map[swp1:[{blätt-Ü\u202e [端口] }]]",
		},
		{"odd types", `{"lldp":{"interface":[{"swp1":7,"swp2":{"chassis":[3,{"name":{"value":[]}}],"port":"x"}}]}}`, "map[swp2:[{ [] }]]"},
		{"a name too long", `{"lldp":{"interface":{"swp1":{"chassis":{"` + strings.Repeat("x", 300) + `":{}}}}}}`, "map[swp1:[{ [] }]]"},
		{"a port too long", `{"lldp":{"interface":{"` + strings.Repeat("x", 300) + `":{}}}}`, "map[]"},
	} {
		got, ok := Neighbours([]byte(c.answer))
		if assert.True(t, ok, c.name) {
			for port := range got {
				for i := range got[port] {
					got[port][i].Address, got[port][i].System = "", ""
				}
			}
			assert.Equal(t, c.want, strings.ReplaceAll(fmt.Sprint(got), "  }", "}"), c.name)
		}
	}
	for _, c := range []struct{ chassis, address, system string }{
		{`"x":{"mgmt-ip":"192.0.2.1","descr":"SONiC"}`, "192.0.2.1", "SONiC"},
		{`"x":{"mgmt-ip":["fe80::1","192.0.2.1","192.0.2.2"]}`, "192.0.2.1", ""},
		{`"x":{"mgmt-ip":["fe80::1","x"]}`, "fe80::1", ""},
		{`"name":[{"value":"x"}],"mgmt-ip":[{"value":"192.0.2.1"}],"descr":[{"value":"SONiC"}]`, "192.0.2.1", "SONiC"},
		{`"x":{"mgmt-ip":{"a":1},"descr":7}`, "", ""},
	} {
		got, ok := Neighbours([]byte(`{"lldp":{"interface":{"swp1":{"chassis":{` + c.chassis + `}}}}}`))
		require.True(t, ok, c.chassis)
		require.Equal(t, Neighbour{Device: "x", Address: c.address, System: c.system}, got["swp1"][0], c.chassis)
	}
	for _, bad := range []string{
		"", "null", "[]", "{}", "unable to connect to socket\n", `{"lldp":7}`, `{"lldp":{"interface":"swp1"}}`, `{"lldp":{"interface":[7]}}`,
		`{"lldp":[7]}`,
		`{"lldp":{}}` + strings.Repeat(" ", mostAnswer), `{"lldp":{"interface":` + strings.Repeat("[", 100_000),
		`{"lldp":` + strings.Repeat(`{"a":`, 20_000) + "1" + strings.Repeat("}", 20_001),
	} {
		_, ok := Neighbours([]byte(bad))
		assert.False(t, ok, "%.60s", bad)
	}
	var b strings.Builder
	for i := range 2 * mostNeighbours {
		fmt.Fprintf(&b, `{"p%d":{}},`, i/(2*mostPerPort))
	}
	got, ok := Neighbours([]byte(`{"lldp":{"interface":[` + b.String() + `{"last":{}}]}}`))
	require.True(t, ok)
	total := 0
	for _, n := range got {
		require.LessOrEqual(t, len(n), mostPerPort)
		total += len(n)
	}
	assert.Equal(t, mostNeighbours, total)
}

func FuzzNeighbours(f *testing.F) {
	f.Add([]byte(`{"lldp":{"interface":[{"swp1":{"chassis":{"leaf02":{"id":{"type":"mac","value":"x"}}},` +
		`"port":{"id":{"type":"ifname","value":"swp1"}}}}]}}`))
	f.Add([]byte(`{"lldp":[{"interface":[{"name":"swp3","chassis":[{"name":[{"value":"a"}]}],"port":[{"descr":[{"value":"b"}]}]}]}]}`))
	f.Fuzz(func(t *testing.T, answer []byte) {
		got, ok := Neighbours(answer)
		require.Equal(t, ok, got != nil)
		for port, all := range got {
			require.True(t, port != "" && len(port) <= mostName && len(all) <= mostPerPort)
			for _, n := range all {
				require.LessOrEqual(t, len(n.Device), mostName)
				require.True(t, n.MAC == "" || len(n.MAC) == 17)
			}
		}
	})
}

// The status of a command is at the end of its single line, for any output.
func TestPart(t *testing.T) {
	for _, c := range []struct{ answer, text, why string }{
		{"lldp {} 0 \n", "{}", ""},
		{"lldp  0 \n", "", ""},
		{"lldp 0\n", "", ""},
		{"lldp a b 1 2 0\n", "a b 1 2", ""},
		{"lldp  127 \n", "", "lldpctl is not installed"},
		{"lldp said something 1 \n", "", "lldpctl fails, with status 1"},
		{"lldp  124 \n", "", "lldpctl does not answer"},
		{"lldp {\"a\": \n", "", "the answer of lldpctl breaks off, or is longer than 512 KiB"},
		{"lldp {} 300\n", "", "the answer of lldpctl breaks off, or is longer than 512 KiB"},
		{"", "", "the answer breaks off"},
		{"lldp {} 0\nlldp {} 0\n", "", "the answer breaks off"},
	} {
		text, why := ReadLines([]byte(c.answer)).Part("lldp", "lldpctl")
		assert.Equal(t, [2]string{c.text, c.why}, [2]string{text, why}, "%q", c.answer)
	}
}

func TestReadPorts(t *testing.T) {
	s := &Seen{}
	ReadLines([]byte("name leaf1.example.net\nport swp1 9216 25000 1 44:38:39:AA:00:01\nport swp2 1500 25000 0 -\nport swp3 - -1 1 nonsense\n"+
		"port swp4 9216\nport eth0 1500 1000 1 44:38:39:aa:00:00\nend port\n")).ReadPorts(s, func(name string) bool { return name != "eth0" })
	assert.Equal(t, &Seen{Name: "leaf1.example.net", Ports: map[string]*SeenPort{
		"swp1": {MTU: 9216, Speed: 25000, Up: true, MAC: "44:38:39:aa:00:01"},
		"swp2": {MTU: 1500}, // there is no speed without a link
		"swp3": {Up: true},
	}}, s)
	assert.True(t, s.Read(PartPorts))
	s = &Seen{}
	ReadLines([]byte("port swp1 9216 25000 1 -\n")).ReadPorts(s, func(string) bool { return true })
	assert.False(t, s.Read(PartPorts), "half an answer")
	assert.False(t, (*Seen)(nil).Read(PartPorts))
}
