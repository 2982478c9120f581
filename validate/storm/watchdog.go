package storm

import "github.com/rocec/rocec/compiler/ir"

// Ends reports whether a watchdog ends the pauses of a priority; not known: the settings do not say it. A watchdog that only reports does
// not end them.
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
