package trial

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/target"
)

// PausesID is the name of the proof of pauses.
const PausesID = "traffic-pauses"

// The classes of the traffic of a proof of pauses, in the names of their moments.
const (
	Lossless = "lossless class"
	Lossy    = "lossy class"
)

// PauseMoment names the moment before or after the traffic of a class.
func PauseMoment(class, when string) string { return class + ", " + when }

// The ends of the keys of counters.
const (
	pausedKey  = " paused"
	droppedKey = " dropped"
)

// The beginnings of keys: of a counter of the switch, and of a cable from a port of the switch to a sender.
const (
	switchKey = "switch "
	cableKey  = "cable "
)

// Idle is the moment some seconds before a class is sent.
const Idle = "seconds before"

// SwitchPauses returns the pauses that a switch has sent, and its drops of one priority, as a reading. A counter that is not known has no
// line.
func SwitchPauses(all []ir.PauseCounters, dropped int) string {
	var out strings.Builder
	for i := range all {
		c := &all[i]
		if c.Sent.Known {
			fmt.Fprintf(&out, "switch %s priority %d%s = %d\n", target.Escape(c.Port), c.Priority, pausedKey, c.Sent.Value)
		}
		if c.Dropped.Known && c.Priority == dropped {
			fmt.Fprintf(&out, "switch %s priority %d%s = %d\n", target.Escape(c.Port), c.Priority, droppedKey, c.Dropped.Value)
		}
	}
	return out.String()
}

// SenderPauses returns the pauses that a NIC has received, as a reading. If the cable of the NIC ends at the switch, the reading names the
// port, so that the counters of both ends can be compared.
func SenderPauses(n *ir.NIC, at *ir.Device, all []ir.PauseCounters) string {
	var out strings.Builder
	if peer := n.Port.Peer(); peer != nil && peer.Device() == at {
		fmt.Fprintf(&out, "%s%s = %s %s\n", cableKey, peer.Name, n.Device.Name, n.Port.Name)
	}
	for i := range all {
		if c := &all[i]; c.Port == n.Port.Name && c.Received.Known {
			fmt.Fprintf(&out, "%s %s priority %d%s = %d\n", n.Device.Name, target.Escape(c.Port), c.Priority, pausedKey, c.Received.Value)
		}
	}
	return out.String()
}

// fewPauses is a number of pauses that one end of a cable may show before the other, because they are read at different moments.
const fewPauses = 10

// pauseRise contains how counters rose while a class was sent.
type pauseRise struct {
	paused, dropped           uint64
	knowsPauses, knowsDrops   bool
	contradiction             string // two ends of a cable that disagree, as a sentence; empty: none do
	switchCounts, senderCount bool   // the switch, or a sender, shows pauses
}

// riseOf compares two readings of pauses.
func riseOf(before, after string) (r pauseRise) {
	was, is := settings(before), settings(after)
	r.paused, r.knowsPauses = sumRise(was, is, pausedKey)
	r.dropped, r.knowsDrops = sumRise(was, is, droppedKey)
	for key := range is {
		if strings.HasSuffix(key, pausedKey) {
			ofSwitch := strings.HasPrefix(key, switchKey)
			r.switchCounts, r.senderCount = r.switchCounts || ofSwitch, r.senderCount || !ofSwitch
		}
	}
	for _, key := range slices.Sorted(maps.Keys(is)) {
		port, cable := strings.CutPrefix(key, cableKey)
		for priority := 0; cable && priority < 8 && r.contradiction == ""; priority++ {
			end := fmt.Sprintf(" priority %d%s", priority, pausedKey)
			sent, ok1 := sumRise(was, is, switchKey+port+end)
			got, ok2 := sumRise(was, is, is[key]+end)
			if ok1 && ok2 && min(sent, got) == 0 && max(sent, got) >= fewPauses {
				r.contradiction = fmt.Sprintf("%s of the switch counts %s of priority %d for %s, which counts %d.", port,
					target.Count(sent, "sent pause"), priority, is[key], got)
			}
		}
	}
	return r
}

// missing names the counter without which nothing can be decided; empty: none is missing.
func (r *pauseRise) missing() string {
	switch {
	case !r.switchCounts:
		return "The switch shows no counter of sent pauses by priority."
	case !r.senderCount:
		return "The senders show no counter of received pauses by priority."
	case !r.knowsPauses:
		return "The readings before and after have different counters of pauses."
	case !r.knowsDrops:
		return "The switch shows no counter of dropped packets of the lossless priority."
	}
	return ""
}

// judgePauses judges the counters around the traffic of a lossless and of a lossy class. The lossy class is the control: if it raises
// pauses, a pause means nothing. So it is if pauses rise while nothing is sent. Both ends of a cable must count pauses, or none.
func judgePauses(read map[string]string) (target.Verdict, string) {
	moments := []string{PauseMoment(Lossless, Idle)}
	for _, class := range []string{Lossless, Lossy} {
		moments = append(moments, PauseMoment(class, Before), PauseMoment(class, After))
	}
	for _, m := range moments {
		if strings.TrimSpace(read[m]) == "" {
			return target.NotDecided, fmt.Sprintf("There is no reading %q.", m)
		}
	}
	idle := riseOf(read[moments[0]], read[moments[1]])
	sends, control := riseOf(read[moments[1]], read[moments[2]]), riseOf(read[moments[3]], read[moments[4]])
	if why := cmp.Or(idle.contradiction, sends.contradiction, control.contradiction); why != "" {
		return target.DoesNotHold, why
	}
	if sends.knowsDrops && sends.dropped > 0 {
		return target.DoesNotHold, fmt.Sprintf("The switch dropped %s of the lossless class.", target.Count(sends.dropped, "packet"))
	}
	for _, r := range []*pauseRise{&idle, &sends, &control} {
		if why := r.missing(); why != "" {
			return target.NotDecided, why
		}
	}
	switch {
	case idle.paused > 0:
		return target.NotDecided, fmt.Sprintf("%s rose while nothing was sent, so that a pause proves nothing.",
			target.Count(idle.paused, "pause"))
	case control.paused > 0:
		return target.NotDecided, fmt.Sprintf("%s rose for the lossy class, so that a pause proves nothing.",
			target.Count(control.paused, "pause"))
	case sends.paused == 0:
		return target.NotDecided, "No pause was counted: the switch sends none, or two senders are too slow to fill the port."
	}
	return target.Holds, ""
}

// sumRise returns the sum of the rises of the counters whose key has an end. ok reports whether both readings have at least one, and the
// same ones. A counter that fell was reset, and counts from zero.
func sumRise(before, after map[string]string, end string) (n uint64, ok bool) {
	keys := func(of map[string]string) (out []string) {
		for key := range of {
			if strings.HasSuffix(key, end) {
				out = append(out, key)
			}
		}
		slices.Sort(out)
		return out
	}
	was := keys(before)
	if len(was) == 0 || !slices.Equal(was, keys(after)) {
		return 0, false
	}
	for _, key := range was {
		a, err1 := strconv.ParseUint(before[key], 10, 64)
		b, err2 := strconv.ParseUint(after[key], 10, 64)
		if err1 != nil || err2 != nil {
			return 0, false
		}
		if b < a {
			a = 0
		}
		n += b - a
	}
	return n, true
}
