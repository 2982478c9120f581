package nic

import (
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/compiler/ir"
)

// bounce returns the text and the duration of the disruption by new settings of some NICs. Each link goes down and up again, and training
// of forward error correction takes seconds. A driver that reopens an interface does not take longer.
func bounce(names, reopens []string) (disrupts string, outage ir.Outage) {
	if len(names) == 0 {
		return "", ir.Outage{}
	}
	subject, verb, rest := "the link of ", " bounces", ""
	switch {
	case reopens != nil && len(names) == 1:
		subject, verb = "the interface ", " stops for a moment"
	case reopens != nil:
		subject, verb, rest = "the interfaces ", " stop", ", one after the other,"
	case len(names) > 1:
		subject, verb, rest = "the links of ", " bounce", ", one after the other,"
	}
	when, most := stopsWhen(reopens)
	return subject + strings.Join(names, ", ") + verb + rest + when, ir.Outage{Least: time.Second, Most: time.Duration(len(names)) * most}
}

// stopsWhen returns the change that stops traffic of a NIC, and the longest time for one NIC.
func stopsWhen(reopens []string) (when string, most time.Duration) {
	switch {
	case slices.Contains(reopens, "trust"): // once for each entry of the map
		return " when the DSCP map, the traffic classes or the PFC mask change", 30 * time.Second
	case reopens != nil:
		return " when the traffic classes or the PFC mask change", 10 * time.Second
	}
	return " when the PFC mask changes", 10 * time.Second
}
