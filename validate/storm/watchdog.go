package storm

import "github.com/rocec/rocec/compiler/ir"

// Watchdog is a port that waits and has a watchdog on the priority. It would cut the queue there.
type Watchdog struct {
	Port *ir.Port
	By   WatchdogSource
}

// WatchdogSource is how a [Watchdog] is known.
type WatchdogSource string

// The sources, from the surest.
const (
	ByCounter       WatchdogSource = "counter"       // the device counts its cuts
	ByConfiguration WatchdogSource = "configuration" // the configuration of the device turns it on
	ByFabric        WatchdogSource = "fabric"        // rocec writes it, and the configuration of the device was not read
)

// Ends reports whether a watchdog ends the pauses of a priority; not known: the settings do not say it. A watchdog that only reports ends
// none.
func Ends(w *ir.WatchdogSettings, cos int) (ends, known bool) {
	switch {
	case !w.Action.Known():
		return false, false
	case w.Action.Value != ir.WatchdogDrop && w.Action.Value != ir.WatchdogForward:
		return false, true
	case !w.Watches.Known():
		return false, false
	}
	return w.Watches.Value>>cos&1 == 1, true
}

// watchdogs finds the watchdogs of ports.
type watchdogs struct {
	readings []Reading
	wishes   ir.Wishes
	wanted   map[*ir.Device]*ir.Settings
}

// at returns how a watchdog at a channel is known; empty: none is known. The counter shows that it runs, and a configuration that was read
// has precedence over the fabric.
func (w *watchdogs) at(c *channel) WatchdogSource {
	if c.watched {
		return ByCounter
	}
	d := c.port.Device()
	for i := len(w.readings) - 1; i >= 0; i-- {
		if of := w.readings[i][d]; of != nil && of.Watchdogs != nil {
			own := of.Watchdogs[c.port.Name]
			switch ends, known := Ends(&own, c.cos); {
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
	if ends, _ := Ends(&detail.Watchdog, c.cos); ends {
		return ByFabric
	}
	return ""
}
