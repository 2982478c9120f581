package target

import (
	"fmt"
	"strings"
)

// Router is a simulated FRR, or Quagga, for [Image.Sims]: the output of vtysh about the BGP sessions of ports. A session is up while its
// port has a link.
type Router struct {
	Peers    []RouterPeer // by port
	AS       int          // its own
	Families bool         // the FRR of 2019 and later, which separates its summary by VRF and address family
	m        Machine
}

// RouterPeer is the neighbour of an unnumbered BGP session.
type RouterPeer struct {
	Port string // "swp1"
	AS   int
}

// Boot implements [Sim].
func (r *Router) Boot(m Machine) {
	r.m = m
	m.Install("/usr/bin/vtysh", r.vtysh)
}

// vtysh implements vtysh -c COMMAND... for the summaries of BGP and the running configuration. The router has no routes to show.
func (r *Router) vtysh(p *Proc) int {
	var commands []string
	for i := 1; i < len(p.Args); i += 2 {
		if p.Args[i] != "-c" || i+1 == len(p.Args) {
			return p.Fail(1, "Try `vtysh --help' for more information.")
		}
		commands = append(commands, p.Args[i+1])
	}
	if len(commands) == 0 {
		return p.Fail(1, "Try `vtysh --help' for more information.")
	}
	if !p.Root {
		return p.Fail(1, "Exiting: failed to connect to any daemons.")
	}
	for _, command := range commands {
		if status := r.command(p, command); status != 0 {
			return status
		}
	}
	return 0
}

// command implements one command of vtysh.
func (r *Router) command(p *Proc, command string) int {
	if command == "show running-config" {
		p.Print(r.config())
		return 0
	}
	type object = map[string]any
	peers := object{}
	r.m.Do(func() {
		for _, peer := range r.Peers {
			state := "Idle"
			if dev, ok := r.m.Netdev(peer.Port); ok && !dev.Down {
				state = "Established"
			}
			peers[peer.Port] = object{"remoteAs": peer.AS, "version": 4, "msgRcvd": 100, "msgSent": 100, "state": state, "idType": "interface"}
		}
	})
	summary := object{"routerId": "10.0.0.1", "as": r.AS, "vrfId": 0, "vrfName": "default", "peerCount": len(peers), "peers": peers}
	if len(peers) == 0 {
		summary = object{} // no BGP instance
	}
	switch {
	case command == "show bgp summary json" && (!r.Families || len(peers) == 0):
		return p.PrintJSON(summary)
	case command == "show bgp summary json":
		return p.PrintJSON(object{"ipv4Unicast": summary})
	case r.Families && command == "show bgp vrf all summary json":
		if len(peers) == 0 {
			return p.PrintJSON(summary)
		}
		return p.PrintJSON(object{"default": object{"ipv4Unicast": summary}})
	case command == "show ip bgp summary json":
		delete(summary, "vrfName")
		return p.PrintJSON(summary)
	}
	p.Print("% Unknown command.\n")
	return 1
}

// config returns the running configuration.
func (r *Router) config() string {
	var out strings.Builder
	version := "7.0"
	if !r.Families {
		version = "3.0"
	}
	fmt.Fprintf(&out, "Building configuration...\n\nCurrent configuration:\n!\nfrr version %s\nfrr defaults datacenter\n!\n", version)
	if len(r.Peers) > 0 {
		fmt.Fprintf(&out, "router bgp %d\n bgp bestpath as-path multipath-relax\n", r.AS)
		for _, peer := range r.Peers {
			fmt.Fprintf(&out, " neighbor %s interface remote-as external\n", peer.Port)
		}
		out.WriteString(" !\n address-family ipv4 unicast\n  redistribute connected\n exit-address-family\n!\n")
	}
	out.WriteString("line vty\n!\nend\n")
	return out.String()
}
