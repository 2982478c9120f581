package read_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rocec/rocec/targets/target"
)

func TestNeighbours(t *testing.T) {
	gpu := map[string]target.StatedNeighbour{"Ethernet0": {Device: "gpu1", Port: "eth0", Function: "Server", Model: "R750"}}
	bare := map[string]target.StatedNeighbour{"Ethernet0": {Device: "gpu1", Port: "eth0"}}
	for _, c := range []struct {
		name, text string
		want       map[string]target.StatedNeighbour
		misses     []string
	}{
		{
			"tables", `{"DEVICE_NEIGHBOR": {"Ethernet0": {"name": "gpu1", "port": "eth0"}},
				"DEVICE_NEIGHBOR_METADATA": {"gpu1": {"type": "Server", "hwsku": "R750"}}}`, gpu, nil,
		},
		{
			"rows", `{"DEVICE_NEIGHBOR|Ethernet0": {"name": "gpu1", "port": "eth0"},
				"DEVICE_NEIGHBOR_METADATA|gpu1": {"type": "Server", "hwsku": "R750"}}`, gpu, nil,
		},
		{
			"rows with a type", `{"DEVICE_NEIGHBOR|Ethernet0": {"type": "hash", "value": {"name": "gpu1", "port": "eth0"}}}`, bare, nil,
		},
		{"none", `{"PORT": {"Ethernet0": {}}}`, nil, nil},
		{"a name that is not a key", `{"X": "DEVICE_NEIGHBOR", "Y": ["DEVICE_NEIGHBOR|Ethernet0"]}`, nil, nil},
		{"a table that is a list", `{"DEVICE_NEIGHBOR": ["Ethernet0"]}`, nil, []string{"DEVICE_NEIGHBOR"}},
		{"a table without an end", `{"DEVICE_NEIGHBOR": {"Ethernet0": {"name": "gpu1"`, nil, []string{"DEVICE_NEIGHBOR"}},
		{
			"a row that is too long", `{"DEVICE_NEIGHBOR|Ethernet0": {"name": "gpu1", "port": "eth0", "x": "` + strings.Repeat("x", 5000) + `"}}`,
			nil,
			[]string{"DEVICE_NEIGHBOR|Ethernet0"},
		},
		{
			"a name that is too long", `{"DEVICE_NEIGHBOR": {"Ethernet0": {"name": "` + strings.Repeat("x", 256) + `", "port": "eth0"}}}`,
			nil,
			[]string{"DEVICE_NEIGHBOR|Ethernet0"},
		},
	} {
		u := understand([]byte(c.text))
		assert.Equal(t, c.want, u.Neighbours, c.name)
		assert.Equal(t, c.misses, missedNeighbours(u), c.name)
	}
}

// The ports inside a chassis are those of VOQ_INBAND_INTERFACE, in each form of the text, and those with an internal role. switch_type
// and sub_role identify a card.
func TestInside(t *testing.T) {
	for _, c := range []struct {
		text   string
		card   bool
		inside []string
	}{
		{`{"VOQ_INBAND_INTERFACE": {"Ethernet120": {"inband_type": "port"}, "Ethernet120|192.0.2.1/24": {}}}`, false, []string{"Ethernet120"}},
		{`{"VOQ_INBAND_INTERFACE|Ethernet-IB0": {"inband_type": "port"}}`, false, []string{"Ethernet-IB0"}},
		{
			`{"PORT": {"Ethernet8": {"role": "Int"}, "Ethernet0": {"role": "Ext"}, "Ethernet4": {}, "Ethernet-Rec0": {"role": "Rec"}}}`, false,
			[]string{"Ethernet8", "Ethernet-Rec0"},
		},
		{`{"DEVICE_METADATA": {"localhost": {"switch_type": "voq"}}}`, true, nil},
		{`{"DEVICE_METADATA": {"localhost": {"switch_type": "chassis-packet"}}}`, true, nil},
		{`{"DEVICE_METADATA": {"localhost": {"sub_role": "FrontEnd"}}}`, true, nil},
		{`{"DEVICE_METADATA": {"localhost": {"switch_type": "switch"}}, "PORT": {"Ethernet0": {}}}`, false, nil},
	} {
		u := understand([]byte(c.text))
		assert.Equal(t, c.card, u.Card, c.text)
		assert.ElementsMatch(t, c.inside, u.Inside, c.text)
	}
}

// A table above a bound gives the same ports each time, and a miss names the bound.
func TestNeighboursBounds(t *testing.T) {
	var rows []string
	for i := range 5000 {
		rows = append(rows, fmt.Sprintf(`"Ethernet%d": {"name": "gpu%[1]d", "port": "eth0"}`, i))
	}
	text := []byte(`{"DEVICE_NEIGHBOR": {` + strings.Join(rows, ",") + `}}`)
	u := understand(text)
	assert.Len(t, u.Neighbours, 4096)
	assert.Equal(t, u.Neighbours, understand(text).Neighbours)
	assert.Equal(t, []string{"DEVICE_NEIGHBOR"}, missedNeighbours(u))

	u = understand([]byte("{" + strings.Repeat(`"DEVICE_NEIGHBOR|a":{`, 100_000)))
	assert.Empty(t, u.Neighbours)
	missed := missedNeighbours(u)
	assert.Len(t, missed, 101)
	assert.Contains(t, missed, "DEVICE_NEIGHBOR")
}

func missedNeighbours(u *target.Understood) (out []string) {
	for _, n := range u.Coverage.Not {
		if strings.HasPrefix(n.Row, "DEVICE_NEIGHBOR") {
			out = append(out, n.Row)
		}
	}
	return out
}

// The AS number and the BGP sessions, from objects and from rows of dumps. If another program than the templates writes FRR's
// configuration, they are unknown.
func TestBGP(t *testing.T) {
	want := &target.BGP{AS: 65101, Sessions: map[string]uint32{"SPINE1": 65000}}
	for text, want := range map[string]*target.BGP{
		`{"DEVICE_METADATA": {"localhost": {"bgp_asn": "65101"}},
"BGP_NEIGHBOR": {"10.0.0.1": {"name": "SPINE1", "asn": "65000"}, "10.0.0.3": {"name": "x"}, "10.0.0.5": {"asn": "1"}}}`: want,
		`{"DEVICE_METADATA|localhost": {"bgp_asn": "65101"}, "BGP_NEIGHBOR|10.0.0.1": {"name": "SPINE1", "asn": "65000"}}`: want,
		`{"DEVICE_METADATA": {"localhost": {"bgp_asn": "65101"}}}`: {
			AS: 65101, Sessions: map[string]uint32{},
		},
		`{"DEVICE_METADATA": {"localhost": {"bgp_asn": "65101", "type": "ToRRouter"}}}`: {
			AS: 65101, Sessions: map[string]uint32{},
			Unlike: "the template of SONiC for a ToRRouter accepts its own AS number once in a route (allowas-in)",
		},
		`{"DEVICE_METADATA": {"localhost": {"bgp_asn": "65101", "frr_mgmt_framework_config": "true"}}}`:   nil,
		`{"DEVICE_METADATA": {"localhost": {"bgp_asn": "65101", "docker_routing_config_mode": "split"}}}`: nil,
		`{"DEVICE_METADATA": {"localhost": {"bgp_asn": "None"}}}`:                                         nil,
		`{"DEVICE_METADATA": {"localhost": {"bgp_asn": "99999999999"}}}`:                                  nil,
		`{"PORT": {}}`: nil,
	} {
		assert.Equal(t, want, understand([]byte(text)).BGP, text)
	}
}
