package trial

import (
	"fmt"
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

// SwitchPauses returns counters of a switch as a reading. A counter that is not known has no line.
func SwitchPauses(all []ir.PauseCounters) string {
	var out strings.Builder
	line := func(c *ir.PauseCounters, key string, n ir.Counter) {
		if n.Known {
			fmt.Fprintf(&out, "switch %s priority %d%s = %d\n", target.Escape(c.Port), c.Priority, key, n.Value)
		}
	}
	for i := range all {
		line(&all[i], pausedKey, all[i].Sent)
		line(&all[i], droppedKey, all[i].Dropped)
	}
	return out.String()
}

// HostPauses returns the pauses that a NIC has received, as a reading, from the answer to [traffic.CountQuery].
func HostPauses(host string, answer []byte) string {
	var out strings.Builder
	for line := range strings.Lines(string(answer)) {
		f := strings.Fields(line)
		if len(f) != 3 {
			continue
		}
		prio, is := strings.CutPrefix(f[1], "rx_prio")
		prio, ends := strings.CutSuffix(prio, "_pause")
		if _, err := strconv.ParseUint(f[2], 10, 64); err != nil || !is || !ends || len(prio) != 1 {
			continue
		}
		fmt.Fprintf(&out, "%s %s priority %s%s = %s\n", host, target.Escape(f[0]), target.Escape(prio), pausedKey, f[2])
	}
	return out.String()
}

// judgePauses judges the counters around the traffic of a lossless and of a lossy class. The lossy class is the control: if it raises
// pauses, a pause means nothing.
func judgePauses(read map[string]string) (target.Verdict, string) {
	for _, class := range []string{Lossless, Lossy} {
		for _, when := range []string{Before, After} {
			if m := PauseMoment(class, when); strings.TrimSpace(read[m]) == "" {
				return target.NotDecided, fmt.Sprintf("There is no reading %q.", m)
			}
		}
	}
	rise := func(class, key string) (uint64, bool) {
		return sumRise(settings(read[PauseMoment(class, Before)]), settings(read[PauseMoment(class, After)]), key)
	}
	paused, ok1 := rise(Lossless, pausedKey)
	control, ok2 := rise(Lossy, pausedKey)
	dropped, ok3 := rise(Lossless, droppedKey)
	switch {
	case !ok1 || !ok2:
		return target.NotDecided, "No counter of pauses was read before and after."
	case !ok3:
		return target.NotDecided, "No counter of drops was read before and after at the switch."
	case control > 0:
		return target.NotDecided, fmt.Sprintf("%s rose for the lossy class, so that a pause proves nothing.", target.Count(control, "pause"))
	case dropped > 0:
		return target.DoesNotHold, fmt.Sprintf("The switch dropped %s of the lossless class.", target.Count(dropped, "packet"))
	case paused == 0:
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
