package sim

import (
	"encoding/json"
	"slices"

	"github.com/rocec/rocec/targets/target"
)

// Neighbour is what a switch sees behind one of its ports, as long as the port has a link.
type Neighbour struct {
	Port       string // "swp1"
	BGP        bool   // they have an unnumbered BGP session
	RemoteAS   int
	MLAGMember bool // it is the other switch of the MLAG pair
}

// Neighbours is how a switch tells of other switches: vtysh, and clagctl where it is one of an MLAG pair. Who is cabled to it tells
// [target.LLDPAgent].
type Neighbours struct {
	All      []Neighbour // by port
	AS       int         // its own
	MLAG     bool        // it is one of a pair
	Families bool        // the FRR of 4.x, which parts its summary by VRF and address family; else as on 3.x
	m        target.Machine
}

// Boot implements [target.Sim].
func (n *Neighbours) Boot(m target.Machine) {
	n.m = m
	m.Install("/usr/bin/vtysh", n.vtysh)
	if n.MLAG {
		m.Install("/usr/bin/clagctl", n.clagctl)
	}
}

// linked are those whose port has a link.
func (n *Neighbours) linked() (out []Neighbour) {
	n.m.Do(func() {
		for _, nb := range n.All {
			if dev, ok := n.m.Netdev(nb.Port); ok && !dev.Down {
				out = append(out, nb)
			}
		}
	})
	return out
}

type object = map[string]any

// show prints JSON as the tools do.
func show(p *target.Proc, v any) int {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		panic("cumulus/sim: " + err.Error()) // strings, numbers and truth values
	}
	p.Print(string(text) + "\n")
	return 0
}

// vtysh knows vtysh -c COMMAND with the two summaries of BGP.
func (n *Neighbours) vtysh(p *target.Proc) int {
	if len(p.Args) != 3 || p.Args[1] != "-c" {
		return p.Fail(1, "Try `vtysh --help' for more information.")
	}
	if !p.Root {
		return p.Fail(1, "Exiting: failed to connect to any daemons.")
	}
	linked := n.linked()
	peers := object{}
	for _, nb := range n.All {
		if !nb.BGP {
			continue
		}
		state := "Idle"
		if slices.Contains(linked, nb) {
			state = "Established"
		}
		peers[nb.Port] = object{"remoteAs": nb.RemoteAS, "version": 4, "msgRcvd": 100, "msgSent": 100, "state": state, "idType": "interface"}
	}
	summary := object{"routerId": "10.0.0.1", "as": n.AS, "vrfId": 0, "vrfName": "default", "peerCount": len(peers), "peers": peers}
	if len(peers) == 0 {
		summary = object{} // no instance of BGP
	}
	switch {
	case n.Families && p.Args[2] == "show bgp vrf all summary json":
		if len(peers) == 0 {
			return show(p, summary)
		}
		return show(p, object{"default": object{"ipv4Unicast": summary}})
	case p.Args[2] == "show ip bgp summary json":
		delete(summary, "vrfName")
		return show(p, summary)
	}
	p.Print("% Unknown command.\n")
	return 1
}

// clagctl is clagctl -j; its members here are those that are read.
func (n *Neighbours) clagctl(p *target.Proc) int {
	if !slices.Equal(p.Args[1:], []string{"-j"}) {
		return p.Fail(2, "usage: clagctl [-j]")
	}
	linked := n.linked()
	member := func(nb Neighbour) bool { return nb.MLAGMember }
	alive := slices.ContainsFunc(linked, member) || !slices.ContainsFunc(n.All, member) // the fabric need not have the peer link
	return show(p, object{"status": object{"peerAlive": alive, "ourRole": "primary", "peerIf": "peerlink.4094"}, "clagIntfs": object{}})
}
