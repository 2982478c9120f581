package targets_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/lint"
)

// A file of FRR that is too large is reported, and is not read.
func TestLargeFRR(t *testing.T) {
	s := targets.SurveyFiles([]lint.File{
		{Name: "site/leaf1/config_db.json", Data: []byte(`{"PORT": {"Ethernet0": {"lanes": "0"}}}`)},
		{Name: "site/leaf1/frr.conf", Data: append([]byte("router bgp 65101\n"), make([]byte, 4<<20)...)},
	})
	require.Len(t, s.Devices, 1)
	assert.Nil(t, s.Devices[0].BGP)
	assert.Equal(t, []targets.NotRead{{File: "site/leaf1/frr.conf", Why: "it is larger than 4 MiB, so its routing is not read"}}, s.Not)
}

// BGP comes from text of FRR beside a configuration; it takes precedence over the AS number of CONFIG_DB.
func TestFRR(t *testing.T) {
	const head = "frr version 8.4\n!\nrouter bgp 65101\n bgp router-id 10.0.0.1\n"
	for name, c := range map[string]struct {
		text string
		want *target.BGP
	}{
		"unnumbered": {
			head + " neighbor swp31 interface remote-as external\n neighbor swp32 interface remote-as 65000\n neighbor peerlink.4094 " +
				"interface remote-as internal\n" +
				" address-family ipv4 unicast\n  redistribute connected\n exit-address-family\nexit\n",
			&target.BGP{AS: 65101, Sessions: map[string]uint32{"swp31": 0, "swp32": 65000, "peerlink.4094": 65101}},
		},
		"groups": {
			head + " neighbor up peer-group\n neighbor up remote-as external\n neighbor swp31 interface peer-group up\n",
			&target.BGP{AS: 65101, Sessions: map[string]uint32{"up": 0, "swp31": 0}},
		},
		"own AS": {
			head + " address-family ipv4 unicast\n  neighbor swp31 allowas-in 1\n",
			&target.BGP{AS: 65101, Sessions: map[string]uint32{}, Unlike: "routes with another AS path are taken or sent (allowas-in)"},
		},
		"policy": {
			head + " address-family ipv4 unicast\n  neighbor swp31 route-map x in\n",
			&target.BGP{AS: 65101, Sessions: map[string]uint32{}, Unlike: "a policy changes or filters its routes (route-map)"},
		},
		"another VRF": {"router bgp 65101 vrf red\n neighbor swp31 interface remote-as external\n", &target.BGP{
			AS:       7,
			Sessions: map[string]uint32{},
		}},
		"both VRFs": {
			"router bgp 65101\n neighbor swp1 interface remote-as external\nrouter bgp 65101 vrf red\n neighbor swp2 interface remote-as " +
				"external\n",
			&target.BGP{AS: 65101, Sessions: map[string]uint32{"swp1": 0}},
		},
		"no BGP":    {"hostname leaf1\n", &target.BGP{AS: 7, Sessions: map[string]uint32{}}},
		"no number": {"router bgp x\n", &target.BGP{AS: 7, Sessions: map[string]uint32{}}},
	} {
		s := targets.SurveyFiles([]lint.File{
			{Name: "site/leaf1/config_db.json", Data: []byte(`{"DEVICE_METADATA": {"localhost": {"hostname": "leaf1", "bgp_asn": "7"}}, ` +
				`"PORT": {"Ethernet0": {"lanes": "0"}}}`)},
			{Name: "site/leaf1/frr.conf", Data: []byte(c.text)},
		})
		require.Len(t, s.Devices, 1, name)
		assert.Equal(t, c.want, s.Devices[0].BGP, name)
		assert.Empty(t, s.Not, name)
	}
}
