package storm

import "github.com/rocec/rocec/compiler/ir"

// watchdogs finds the watchdogs of ports.
type watchdogs struct {
	readings []Reading
	wishes   ir.Wishes
	wanted   map[*ir.Device]*ir.Settings
}

// at returns how a watchdog at a channel is known; empty: no watchdog is known. The counter shows that it runs. The configuration has
// precedence over the fabric.
func (w *watchdogs) at(c *channel) WatchdogSource {
	if c.watched {
		return ByCounter
	}
	d := c.port.Device()
	for i := len(w.readings) - 1; i >= 0; i-- {
		if of := w.readings[i][d]; of != nil && of.Watchdogs != nil {
			own := of.Watchdogs[c.port.Name]
			switch ends, known := own.Ends(c.cos); {
			case ends:
				return ByConfiguration
			case known:
				return ""
			}
			break
		}
	}
	if d.Switch == nil || d.ByHand != nil {
		return ""
	}
	if w.wanted[d] == nil {
		w.wanted[d] = w.wishes.Of(d)
	}
	detail := w.wanted[d].Port(c.port.Name).Detail.Get()
	if ends, _ := detail.Watchdog.Ends(c.cos); ends {
		return ByFabric
	}
	return ""
}
