package nic

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/target"
)

// pauses returns the query for the counters of pauses at the cabled NICs of the driver.
func (f *Family) pauses(d *ir.Device) []target.CounterQuery {
	if f.PauseNames == nil {
		return nil
	}
	var ports []target.Counted
	for _, n := range Of(d, f.Driver) {
		if n.Port != nil && !n.Port.Link().Planned {
			ports = append(ports, target.Counted{Name: n.Name, Word: Quote(n.Name), Port: n.Port.Name})
		}
	}
	if len(ports) == 0 {
		return nil
	}
	return []target.CounterQuery{target.EthtoolCounters(ports, "prio", f.PauseNames)}
}
