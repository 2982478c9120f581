package target

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// NeighbourProbes returns the probes that show whether a switch sees its neighbours: links, LLDP and BGP.
func NeighbourProbes(device string, cables []Cable) []Probe {
	var out []Probe
	if len(cables) > 0 {
		out = append(out, LinkProbe(device, cables))
	}
	if laid := Laid(cables); len(laid) > 0 {
		out = append(out, lldpProbe(device, laid))
	}
	return append(out, bgpProbe(device))
}

// lldpProbe asks which ports see an LLDP neighbour. The fabric does not state which neighbours use LLDP, so only the loss of a neighbour is
// an error.
func lldpProbe(device string, cables []Cable) Probe {
	return Probe{
		Name: "LLDP neighbours", Query: Query{Cmd: "lldpctl -f json 2>/dev/null || true"},
		Samples: func(answer []byte) []Sample {
			seen, ok := Neighbours(answer)
			if !ok {
				return nil
			}
			out := make([]Sample, len(cables))
			for i, c := range cables {
				out[i] = Gauge("LLDP neighbour", c.Interface, len(seen[c.Interface]) > 0,
					fmt.Sprintf("%s:%s does not see its LLDP neighbour any more.", device, c.Interface))
			}
			return out
		},
	}
}

// bgpProbe asks for the sessions of BGP neighbours. FRR prints the summary of all VRFs; Quagga of 3.x only that of the default VRF.
func bgpProbe(device string) Probe {
	return Probe{
		Name: "BGP neighbours", Query: Query{Cmd: `command -v vtysh >/dev/null || exit 0
a=$(vtysh -c 'show bgp vrf all summary json' 2>/dev/null)
case $a in
*"{"*) ;;
*) a=$(vtysh -c 'show ip bgp summary json' 2>/dev/null) ;;
esac
printf '%s\n' "$a"`},
		Samples: func(answer []byte) []Sample {
			sessions := bgpSessions(answer)
			names := slices.Sorted(maps.Keys(sessions))
			out := make([]Sample, len(names))
			for i, name := range names {
				out[i] = Gauge("BGP neighbour "+name, "", sessions[name], fmt.Sprintf("%s has no BGP session with %s any more.", device, name))
				out[i].Link = name // for a neighbour without an address; an address is not a port of the fabric
			}
			return out
		},
	}
}

// mostPeers limits the neighbours read from an answer, and longestPeer their names, because a device may print anything.
const (
	mostPeers   = 4096
	longestPeer = 64
)

// bgpSessions returns, by name ("swp51", "10.0.0.1 of vrf RED"), whether a neighbour has a session. It reads the JSON summary of any
// release: an object with "peers", below the address family, below the VRF. A neighbour that was shut down is left out. A neighbour in
// several families has a session if it has one in any family.
func bgpSessions(answer []byte) map[string]bool {
	var doc any
	if i := bytes.IndexByte(answer, '{'); i < 0 || json.Unmarshal(answer[i:], &doc) != nil { // vtysh may print a warning first
		return nil
	}
	sessions := map[string]bool{}
	var walk func(v any, vrf string, depth int)
	walk = func(v any, vrf string, depth int) {
		o, ok := v.(map[string]any)
		if !ok {
			return
		}
		if s, ok := o["vrfName"].(string); ok {
			vrf = s
		}
		peers, ok := o["peers"].(map[string]any)
		if !ok {
			for key, below := range o {
				if depth == 0 && !family(key) {
					walk(below, key, 1)
				} else if depth < 2 {
					walk(below, vrf, depth+1)
				}
			}
			return
		}
		for name, p := range peers {
			peer, _ := p.(map[string]any)
			state, ok := peer["state"].(string)
			if !ok || strings.Contains(state, "Admin") {
				continue
			}
			if vrf != "default" {
				name += " of vrf " + vrf
			}
			if len(name) <= longestPeer && (len(sessions) < mostPeers || sessions[name]) {
				sessions[name] = sessions[name] || state == "Established"
			}
		}
	}
	walk(doc, "default", 0)
	return sessions
}

// family reports whether a key of a BGP summary is an address family: "ipv4Unicast", "l2VpnEvpn".
func family(key string) bool {
	for _, f := range []string{"ipv4", "ipv6", "l2Vpn"} {
		if strings.HasPrefix(key, f) {
			return true
		}
	}
	return false
}
