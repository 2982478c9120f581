package nvue

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/target"
)

// The BGP settings of NVUE, as YAML and as commands.
func TestBGP(t *testing.T) {
	const yaml = `- set:
    router: {bgp: {enable: on, autonomous-system: 65101}}
    vrf:
      default:
        router:
          bgp:
            enable: on
            peer-group: {underlay: {remote-as: external}}
            neighbor:
              swp31: {peer-group: underlay, type: unnumbered}
              swp32: {remote-as: 65000, type: unnumbered}
              peerlink.4094: {remote-as: internal}
              swp40: {type: unnumbered}
`
	sessions := map[string]uint32{"swp31": 0, "swp32": 65000, "peerlink.4094": 65101}
	for name, c := range map[string]struct {
		file, text string
		want       *target.BGP
	}{
		"YAML": {"startup.yaml", yaml, &target.BGP{AS: 65101, Sessions: sessions}},
		"of the VRF": {
			"startup.yaml", "- set:\n    router: {bgp: {autonomous-system: 1}}\n    vrf: {default: {router: {bgp: {autonomous-system: " +
				"65102}}}}\n",
			&target.BGP{AS: 65102, Sessions: map[string]uint32{}},
		},
		"commands": {
			"startup.nv", "nv set router bgp autonomous-system 65101\nnv set vrf default router bgp neighbor swp31 remote-as external\n" +
				"nv set vrf default router bgp neighbor swp32 remote-as 65000\n",
			&target.BGP{AS: 65101, Sessions: map[string]uint32{"swp31": 0, "swp32": 65000}},
		},
		"own AS": {
			"startup.yaml", "- set:\n    router: {bgp: {autonomous-system: 1}}\n    vrf: {default: {router: {bgp: {neighbor: {swp1: " +
				"{address-family: " +
				"{ipv4-unicast: {aspath: {allow-my-asn: {enable: on}}}}}}}}}}\n",
			&target.BGP{AS: 1, Sessions: map[string]uint32{}, Unlike: "it accepts routes with its own AS number (allow-my-asn)"},
		},
		"own AS off": {
			"startup.yaml", "- set:\n    router: {bgp: {autonomous-system: 1}}\n    vrf: {default: {router: {bgp: {neighbor: {swp1: " +
				"{address-family: " +
				"{ipv4-unicast: {aspath: {allow-my-asn: {enable: off}}}}}}}}}}\n",
			&target.BGP{AS: 1, Sessions: map[string]uint32{}},
		},
		"policy": {
			"startup.yaml", "- set:\n    router: {bgp: {autonomous-system: 1}}\n    vrf: {default: {router: {bgp: {neighbor: {swp1: " +
				"{remote-as: 2, " +
				"address-family: {ipv4-unicast: {policy: {inbound: {route-map: x}}}}}}}}}}\n",
			&target.BGP{AS: 1, Sessions: map[string]uint32{"swp1": 2}, Unlike: "a policy changes or filters its routes"},
		},
		"auto BGP": {"startup.yaml", "- set:\n    router: {bgp: {autonomous-system: leaf}}\n", nil},
		"off":      {"startup.yaml", "- set:\n    router: {bgp: {enable: off, autonomous-system: 1}}\n", nil},
		"disabled": {"startup.nv", "nv set router bgp state disabled\nnv set router bgp autonomous-system 1\n", nil},
		"no BGP":   {"startup.yaml", "- set:\n    system: {hostname: leaf1}\n", nil},
	} {
		u := Understand(target.Identity{}, map[string][]byte{c.file: []byte(c.text)})
		assert.Equal(t, c.want, u.BGP, name)
	}
}

// A snapshot keeps every value that routing depends on.
func TestBGPKept(t *testing.T) {
	const base = "nv set router bgp autonomous-system 65101\nnv set vrf default router bgp neighbor swp31 peer-group underlay\n" +
		"nv set vrf default router bgp peer-group underlay remote-as external\n"
	for _, line := range []string{
		"",
		"nv set router bgp state disabled\n",
		"nv set router bgp enable off\n",
		"nv set vrf default router bgp neighbor swp31 address-family ipv4-unicast policy inbound route-map x\n",
		"nv set vrf default router bgp peer-group underlay address-family ipv4-unicast policy outbound prefix-list x\n",
		"nv set vrf default router bgp neighbor swp31 address-family ipv4-unicast aspath allow-my-asn enable on\n",
		"nv set vrf default router bgp peer-group underlay address-family ipv4-unicast aspath allow-my-asn occurrences 2\n",
	} {
		kept, _, err := keep("startup.nv", []byte(base+line))
		require.NoError(t, err)
		of := func(data []byte) *target.BGP {
			return Understand(target.Identity{}, map[string][]byte{"startup.nv": data}).BGP
		}
		assert.Equal(t, of([]byte(base+line)), of(kept), line)
		assert.Equal(t, line == "", of(kept) != nil && of(kept).Unlike == "", line)
	}
}
