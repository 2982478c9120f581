package sonic

import (
	"encoding/json"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// mostTunnels limits the tunnels that are read from a configuration.
const mostTunnels = 1024

// forwards adds the tunnels of a configuration, which the kernel does not show, and a spanning tree whose states no file shows. Other forms
// than an object of tables add nothing.
//
// Source: sonic-net/sonic-buildimage@086b03bd, src/sonic-yang-models/yang-models: sonic-vxlan.yang (VXLAN_TUNNEL), sonic-spanning-tree.yang
// (STP); sonic-net/sonic-swss, tests/test_mux.py (TUNNEL, of dual-ToR, with tunnel_type IPINIP).
func forwards(_ string, data []byte, into *ir.Forwarding) {
	var tables struct {
		Tunnel map[string]map[string]any `json:"TUNNEL"`
		VXLAN  map[string]map[string]any `json:"VXLAN_TUNNEL"`
		STP    map[string]map[string]any `json:"STP"`
	}
	if json.Unmarshal(data, &tables) != nil {
		return
	}
	add := func(name, kind string, row map[string]any) {
		is := ir.ForwardingTunnel{Name: diag.Cut(diag.Escape(name)), Kind: kind, Local: address(row["src_ip"]), Remote: address(row["dst_ip"])}
		if len(into.Tunnels) < mostTunnels && !slices.Contains(into.Tunnels, is) {
			into.Tunnels = append(into.Tunnels, is)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(tables.Tunnel)) {
		kind, _ := tables.Tunnel[name]["tunnel_type"].(string)
		add(name, diag.Cut(diag.Escape(strings.ToLower(kind))), tables.Tunnel[name])
	}
	for _, name := range slices.Sorted(maps.Keys(tables.VXLAN)) {
		add(name, "vxlan", tables.VXLAN[name])
	}
	if len(tables.STP) > 0 {
		into.Trees = nil
		into.Unread[ir.PartTrees] = "its spanning tree runs outside of the kernel, and rocec knows no answer that shows it"
	}
}

// address returns the address in a field; zero: it is no address.
func address(v any) netip.Addr {
	text, _ := v.(string)
	a, _ := netip.ParseAddr(text)
	return a
}
