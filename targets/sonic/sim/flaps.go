package sim

import (
	"maps"
	"slices"
	"strings"
)

// hanging are the tables whose rows of a port are changed only while the port is down (patch_sorter.py, RequiredValueIdentifier).
var hanging = []string{
	"BUFFER_PG", "BUFFER_QUEUE", "BUFFER_PORT_EGRESS_PROFILE_LIST", "BUFFER_PORT_INGRESS_PROFILE_LIST", "PORT_QOS_MAP", "QUEUE",
}

// withFlaps adds moves that take an enabled port down before the first change that refers to it, and up again after the last one.
func withFlaps(ports table, moves []move) []move {
	last := map[string]int{}
	for i, m := range moves {
		if port, ok := m.hangsOn(ports); ok {
			last[port] = i
		}
	}
	var out []move
	down := map[string]bool{}
	for i, m := range moves {
		port, ok := m.hangsOn(ports)
		if ok && !down[port] {
			down[port] = true
			out = append(out, admin(ports, port, "down"))
		}
		out = append(out, m)
		if ok && last[port] == i {
			out = append(out, admin(ports, port, "up"))
		}
	}
	return out
}

// hangsOn returns the enabled port that must go down for a move.
func (m move) hangsOn(ports table) (string, bool) {
	port, _, _ := strings.Cut(m.key, "|")
	return port, slices.Contains(hanging, m.table) && ports[port]["admin_status"] == "up"
}

func admin(ports table, port, status string) move {
	r := maps.Clone(ports[port])
	r["admin_status"] = status
	return move{"PORT", port, r}
}
