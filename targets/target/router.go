package target

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

// vtysh implements vtysh -c COMMAND for the two summaries of BGP.
func (r *Router) vtysh(p *Proc) int {
	if len(p.Args) != 3 || p.Args[1] != "-c" {
		return p.Fail(1, "Try `vtysh --help' for more information.")
	}
	if !p.Root {
		return p.Fail(1, "Exiting: failed to connect to any daemons.")
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
	case r.Families && p.Args[2] == "show bgp vrf all summary json":
		if len(peers) == 0 {
			return p.PrintJSON(summary)
		}
		return p.PrintJSON(object{"default": object{"ipv4Unicast": summary}})
	case p.Args[2] == "show ip bgp summary json":
		delete(summary, "vrfName")
		return p.PrintJSON(summary)
	}
	p.Print("% Unknown command.\n")
	return 1
}
