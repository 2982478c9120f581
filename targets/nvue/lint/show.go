package lint

import (
	"slices"
	"strings"

	"github.com/rocec/rocec/targets/nvue/grammar"
	"github.com/rocec/rocec/targets/target/lint"
)

// The output of nv show is the state of a switch, with its own words: an object of interfaces, or the attributes of one object. Source:
// NVUE Reference, Show Commands, Interface, QoS and System.
var (
	// ofInterface lists the keys that nv show prints for an interface. Some of them are also in a configuration.
	ofInterface = []string{
		"acl", "bond", "bridge", "counters", "description", "evpn", "ifindex", "ip", "ipv4", "ipv6", "link", "lldp", "parent", "pluggable", "ptp",
		"qos", "router", "synce", "tunnel", "type", "vlan", "vrf",
	}
	// ofObject lists the keys that nv show prints for one interface, for QoS, for the preset and for the system.
	ofObject = []string{
		"advance-buffer-config", "applied", "build", "cable-length", "congestion-control", "counters", "egress-queue-mapping",
		"egress-scheduler", "egress-shaper", "enable", "hostname", "ifindex", "ip", "link", "link-pause", "lldp-app-tlv", "mapping", "mode",
		"operational", "pending", "pfc", "pfc-watchdog", "pool-map", "prio-map", "remark", "roce", "state", "traffic-pool", "trust", "type",
	}
)

// isShow reports whether a command line runs nv show.
func isShow(command string) bool {
	w := strings.Fields(strings.TrimPrefix(command, "sudo "))
	return len(w) > 1 && w[0] == "nv" && w[1] == "show"
}

// isShown reports whether a text is the output of nv show.
func isShown(l *grammar.Loose) bool {
	if isShow(l.Command) {
		return true
	}
	if !l.Bare || len(l.Set.Kids) == 0 {
		return false
	}
	interfaces := true
	for key, kid := range l.Set.Kids {
		if slices.Contains(roots, key) && !slices.Contains(ofInterface, key) {
			return false
		}
		if slices.Contains(ofObject, key) {
			return true
		}
		has := false
		for own := range kid.MapOf() {
			has = has || slices.Contains(ofInterface, own)
		}
		interfaces = interfaces && (has || kid.IsMap() && len(kid.Kids) == 0)
	}
	return interfaces && !known(l.Set)
}

// roots are the top keys of NVUE's tree. A tree without any of them belongs to something else.
var roots = grammar.Roots

// known reports whether a tree has a path of NVUE.
func known(t *grammar.Tree) bool {
	return slices.ContainsFunc(roots, func(root string) bool { return t.MapOf()[root] != nil })
}

// partOf returns why a text is only a part of a switch's configuration, as a part of a sentence; empty: it is whole, or sets nothing.
func partOf(l *grammar.Loose) string {
	switch paths := grammar.QoSOf(l.Unset); {
	case l.Refused || !known(l.Set) && !known(l.Unset):
		return ""
	case !l.Commands && len(paths) > 0:
		return "it unsets " + paths[0] + ", so it is a patch and not an applied tree"
	}
	return l.Part
}

// unjudged returns why no rule checks a text, as a part of a sentence; empty: rules check all or a part of it.
func unjudged(l *grammar.Loose) string {
	switch {
	case known(l.Set), known(l.Unset):
		return ""
	case len(l.Slips) > 0:
		return lint.Unread
	case len(l.Set.Kids) == 0:
		return "it sets nothing"
	}
	return "it sets no path of NVUE that rocec knows"
}
