package cumulus

import (
	"sync"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/target"
)

// pauseNames are the counters of pauses by priority. They count frames; no documented counter of the system has the time of pauses, the
// packets of a queue, or the bytes that wait. Source: the vendor's manuals of 3.4 to 5.x, "Monitor Interfaces and Transceivers with
// ethtool", and "Priority Flow Control". Whether a frame that ends a pause counts is not documented.
var pauseNames = sync.OnceValue(func() map[string]target.CounterName {
	return target.CounterNames(map[string]func(*ir.PauseCounters) *ir.Counter{
		"HwIfInPfcNPkt": target.ReceivedFrames, "HwIfOutPfcNPkt": target.SentFrames,
	})
})

// PauseCounters returns the query for the counters of pauses at the cabled lossless ports of a switch, for both ways of configuration.
func PauseCounters(d *ir.Device) []target.CounterQuery {
	var ports []target.Counted
	for _, p := range sorted(d.Ports) {
		if len(p.ir.Buffers()) > 0 && p.ir.Link() != nil && !p.ir.Link().Planned {
			name := p.port.String()
			ports = append(ports, target.Counted{Name: name, Word: name, Port: p.ir.Name})
		}
	}
	if len(ports) == 0 {
		return nil
	}
	return []target.CounterQuery{target.EthtoolCounters(ports, "Pfc", pauseNames)}
}
