package nic

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/target"
)

// pauseCounters returns the query for the counters of pauses at the cabled NICs of a driver.
func pauseCounters(d *ir.Device, by *ir.Driver, names func() map[string]target.CounterName) []target.CounterQuery {
	if names == nil {
		return nil
	}
	var ports []target.Counted
	for _, n := range Of(d, by) {
		if n.Port != nil && !n.Port.Link().Planned {
			ports = append(ports, target.Counted{Name: n.Name, Word: Quote(n.Name), Port: n.Port.Name})
		}
	}
	if len(ports) == 0 {
		return nil
	}
	return []target.CounterQuery{target.EthtoolCounters(ports, "pri", names)}
}
