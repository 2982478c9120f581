package forwarding

import (
	"encoding/json"
	"net/netip"
	"slices"
	"time"
)

// Interfaces are the interfaces of a device, by name.
type Interfaces map[string]*Interface

// Interface is an interface of Linux.
type Interface struct {
	Kind      string       // for a virtual interface, such as "bond" or "vlan"; empty: none is stated
	Bond      string       // the bond of which it is a member; empty: none
	Bridge    string       // the bridge of which it is a port; empty: none
	VRF       string       // the VRF to which it belongs; empty: the default one
	Under     string       // the interface below a VLAN; empty: not a VLAN
	Addresses []netip.Addr // of global scope

	Local, Remote netip.Addr    // the ends of a tunnel; zero: not stated
	Age           time.Duration // the time after which a bridge forgets an address; 0: never, or not a bridge
	RunsSTP       bool          // the bridge runs a spanning tree, in the kernel or in a daemon
	KernelSTP     bool          // the kernel runs it
	BridgeID      string        // the identifiers of a bridge and of its root
	RootID        string
	State         string // the state of a port of a bridge; empty: it is no such port
}

// linkInfo contains the kind of an interface, and of the interface that contains it.
//
// Source: git.kernel.org, network/iproute2, ip/iplink_bridge.c and ip/iplink_bridge_slave.c, ip/iplink_vxlan.c, ip/link_iptnl.c,
// ip/link_gre.c and ip/link_ip6tnl.c. Times are in hundredths of a second.
type linkInfo struct {
	Kind string    `json:"info_kind,omitempty"`
	Part string    `json:"info_slave_kind,omitempty"`
	Data *linkData `json:"info_data,omitempty"`
	Slot *portData `json:"info_slave_data,omitempty"`
}

// linkData are the values of a bridge or of a tunnel. Other kinds have values of other types at the same names.
type linkData struct {
	Age     json.RawMessage `json:"ageing_time,omitempty"`
	STP     json.RawMessage `json:"stp_state,omitempty"`
	ID      bridgeID        `json:"bridge_id,omitempty"`
	Root    bridgeID        `json:"root_id,omitempty"`
	Local   json.RawMessage `json:"local,omitempty"`
	Local6  json.RawMessage `json:"local6,omitempty"`
	Remote  json.RawMessage `json:"remote,omitempty"`
	Remote6 json.RawMessage `json:"remote6,omitempty"`
	Group   json.RawMessage `json:"group,omitempty"`
}

// bridgeID is an identifier in the form of [BridgeID], so that a mask finds the address in it. Another value is empty.
type bridgeID string

// UnmarshalJSON reads an identifier in any form.
func (b *bridgeID) UnmarshalJSON(data []byte) error {
	text, _ := value[string](data)
	*b = bridgeID(BridgeID(text))
	return nil
}

// portData are the values of an interface in another one.
type portData struct {
	State json.RawMessage `json:"state,omitempty"`
}

// value decodes a member into the zero value of its type; false: it is missing, or has another type.
func value[T any](raw json.RawMessage) (out T, ok bool) {
	return out, len(raw) > 0 && json.Unmarshal(raw, &out) == nil
}

// addressOf returns the first address among members; zero: none has one.
func addressOf(all ...json.RawMessage) netip.Addr {
	for _, raw := range all {
		text, _ := value[string](raw)
		if a, err := netip.ParseAddr(text); err == nil && !a.IsUnspecified() {
			return a
		}
	}
	return netip.Addr{}
}

// tunnelKinds are the kinds of interfaces that put packets into other packets.
var tunnelKinds = []string{
	"vxlan", "ipip", "ip6tnl", "gre", "gretap", "ip6gre", "ip6gretap", "sit", "geneve", "erspan", "ip6erspan", "vti", "vti6", "wireguard",
	"bareudp", "gtp",
}

// Tunnel reports whether an interface with a name puts packets into others. The interfaces without ends that the kernel makes do not.
func (is *Interface) Tunnel(name string) bool {
	made := slices.Contains(fallbacks, name) && !is.Local.IsValid() && !is.Remote.IsValid()
	return slices.Contains(tunnelKinds, is.Kind) && !made
}

// fallbacks are the interfaces that the kernel makes when it loads the module of a kind.
//
// Source: Linux, net/ipv4/ip_tunnel.c, ip_tunnel_init_net; net/ipv6/sit.c, ip6_tunnel.c, ip6_gre.c, ip6_vti.c.
var fallbacks = []string{"tunl0", "gre0", "gretap0", "erspan0", "sit0", "ip6tnl0", "ip6gre0", "ip_vti0", "ip6_vti0"}

// set sets the details of an interface that is a part of a master.
func (is *Interface) set(info *linkInfo, master string) {
	if info == nil {
		return
	}
	is.Kind = info.Kind
	switch info.Part {
	case "bond", "team":
		is.Bond = master
	case "vrf":
		is.VRF = master
	case "bridge":
		is.Bridge = master
		if info.Slot != nil {
			state, _ := value[string](info.Slot.State)
			is.State = Plain(state)
		}
	}
	if info.Data != nil {
		is.details(info.Data)
	}
}

// details sets the values of a bridge or of a tunnel.
func (is *Interface) details(d *linkData) {
	switch {
	case is.Kind == "bridge":
		if n, ok := value[uint32](d.Age); ok {
			is.Age = time.Duration(n) * 10 * time.Millisecond
		}
		stp, _ := value[int](d.STP)
		is.RunsSTP, is.KernelSTP, is.BridgeID, is.RootID = stp != 0, stp == 1, string(d.ID), string(d.Root)
	case slices.Contains(tunnelKinds, is.Kind):
		is.Local, is.Remote = addressOf(d.Local, d.Local6), addressOf(d.Remote, d.Remote6, d.Group)
	}
}
