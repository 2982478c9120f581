package cumulus

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/cumulus/grammar"
	"github.com/rocec/rocec/targets/target"
)

// pauseNames returns the counters of pauses by priority, by ethtool. They count frames; none of them has the time of pauses, the packets of
// a queue, or the bytes that wait: [queueCounters] has the last two. Source: the vendor's manuals of 3.4 to 5.x, "Monitor Interfaces and
// Transceivers with ethtool", and "Priority Flow Control". Whether a frame that ends a pause counts is not documented.
func pauseNames() map[string]target.CounterName {
	return target.CounterNames(map[string]func(*ir.PauseCounters) *ir.Counter{
		"HwIfInPfcNPkt": target.ReceivedFrames, "HwIfOutPfcNPkt": target.SentFrames,
	})
}

// PauseCounters returns the queries for the counters of pauses and queues at the cabled lossless ports of a switch, for both ways of
// configuration.
func PauseCounters(d *ir.Device) []target.CounterQuery {
	var ports []target.Counted
	for _, p := range target.SortedPorts(d) {
		if at, ok := grammar.ParsePort(p.Name); ok && len(p.Buffers()) > 0 && p.Link() != nil && !p.Link().Planned {
			ports = append(ports, target.Counted{Name: at.String(), Word: at.String(), Port: p.Name})
		}
	}
	if len(ports) == 0 {
		return nil
	}
	pauses := target.EthtoolCounters(ports, "Pfc", pauseNames)
	if !hasNV(d) {
		return []target.CounterQuery{pauses}
	}
	return []target.CounterQuery{pauses, queueCounters(d, ports)}
}
