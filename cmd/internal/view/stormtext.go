package view

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/validate/storm"
)

// The bounds of a text, in columns and in lines. The JSON has everything.
const (
	mostPlaces = 300 // of a list of ports or devices
	mostPauses = 8   // of the ports that are paused for the longest time
	mostReason = 12  // of the reasons for which devices were not read
)

// Storm prints a judgement of pauses.
func (s *Screen) Storm(doc *StormDocument) {
	for i := range doc.Origins {
		s.stormOrigin(&doc.Origins[i])
	}
	for i := range doc.Locks {
		l := &doc.Locks[i]
		s.Prose(s.Paint(diag.Red, "lock")+": ", fmt.Sprintf("%s wait for each other in a circle in priority %d, and no queue of the circle "+
			"sends: %s. %s behind it.", diag.Count(len(l.Circle), "port"), l.Priority, strings.Join(l.Circle, ", "), waiting(l.Waits)))
		s.stormHosts(l.Hosts)
	}
	for _, h := range doc.NotKnown {
		s.Prose(s.Paint(diag.Yellow, "not known")+": ", notKnown(h))
	}
	switch storm.Conclusion(doc.Verdict) {
	case storm.Short:
		s.Prose("", "No storm was found. Ports are paused, but no device pauses another for nearly the whole time without a queue that sends.")
	case storm.Quiet:
		s.Prose("", "No port that was read is paused.")
	case storm.Unread:
		why := "no port has counters of pauses in two readings."
		switch {
		case doc.Windows == 0:
			why = "there is one reading, and a rise needs two."
		case len(doc.NotJudged) > 0:
			why = "no port has counters of pauses in two readings that can be compared."
		}
		s.Prose("", "Nothing was judged: "+why)
	}
	if len(doc.Congested) > 0 {
		s.Prose("congestion: ", "Pauses begin at ports that send and are not paused: "+places(doc.Congested)+".")
	}
	if len(doc.Origins) == 0 && len(doc.Paused) > 0 {
		s.stormPaused(doc.Paused)
	}
	if len(doc.Cuts) > 0 {
		s.Prose("watchdog: ", "It has cut queues in these windows: "+places(doc.Cuts)+".")
	}
	if len(doc.Cutting) > 0 {
		s.Prose("watchdog: ", "In the last reading it cuts these queues: "+places(doc.Cutting)+".")
	}
	if doc.NotCounted > 0 {
		s.Prose("", fmt.Sprintf("The ports behind %s were not counted.", diag.Count(doc.NotCounted, "further origin")))
	}
	s.stormBasis(doc)
}

// waiting returns "212 ports wait".
func waiting(n int) string {
	if n == 1 {
		return "1 port waits"
	}
	return diag.Count(n, "port") + " wait"
}

// places folds names of ports.
func places(names []string) string { return nodeset.Text(names, nodeset.Members, mostPlaces) }

// percent returns a share as a person reads it; it never rounds up to 100 %.
func percent(share float64) string { return strconv.Itoa(int(share*100)) + " %" }

// stormOrigin prints an origin, and what rests on it.
func (s *Screen) stormOrigin(o *StormOrigin) {
	lead := s.Paint(diag.Red, "storm") + ": "
	switch storm.OriginKind(o.Kind) {
	case storm.HostPauses:
		s.Prose(lead, fmt.Sprintf("%s pauses %s for %s of the time in priority %d. %s behind it.", o.Port, o.Peer, percent(o.Share), o.Priority,
			waiting(len(o.Waits))))
	case storm.QueueHolds:
		s.Prose(lead, fmt.Sprintf("The queue of %s for priority %d holds packets, sends none, and %s does not pause it for nearly the "+
			"whole time. %s behind it.", o.Port, o.Priority, o.Peer, waiting(len(o.Waits))))
	default:
		s.Prose(lead, fmt.Sprintf("%s pauses %s for %s of the time in priority %d. No queue of %s sends, and none is paused. %s behind it.",
			o.Port, o.Peer, percent(o.Share), o.Priority, o.Device, waiting(len(o.Waits))))
	}
	for _, c := range o.Counters {
		var values []string
		for _, v := range c.Samples {
			values = append(values, diag.Number(v))
		}
		s.Prose("  counter: ", fmt.Sprintf("%s of %s: %s %s", c.Name, c.Port, strings.Join(values, ", then "), c.Unit))
	}
	if len(o.Waits) > 0 {
		s.Prose("  waits: ", places(o.Waits))
	}
	s.stormHosts(o.Hosts)
	if len(o.Waits) > 0 {
		s.stormWatchdogs(o.Watchdogs)
	}
}

// stormWatchdogs prints where a watchdog would cut, and how that is known.
func (s *Screen) stormWatchdogs(all []StormWatchdog) {
	for _, of := range [...]struct {
		by           storm.WatchdogSource
		before, then string
	}{
		{storm.ByCounter, "A watchdog counts on ", "It would cut there."},
		{storm.ByConfiguration, "The configuration of the device turns a watchdog on at ", "It would cut there."},
		{storm.ByFabric, "rocec writes a watchdog for ", "It would cut there if the device has that setting, which was not read."},
	} {
		var at []string
		for _, w := range all {
			if w.By == string(of.by) {
				at = append(at, w.Port)
			}
		}
		if len(at) > 0 {
			s.Prose("  watchdog: ", of.before+places(at)+", the nearest to the origin first. "+of.then)
		}
	}
	if len(all) == 0 {
		s.Prose("  watchdog: ", "No counter that was read and no known setting of these ports shows a watchdog that would cut.")
	}
}

// stormHosts prints the hosts that wait.
func (s *Screen) stormHosts(hosts []string) {
	if len(hosts) > 0 {
		s.Prose("  hosts: ", diag.Count(len(hosts), "host")+": "+nodeset.Text(hosts, nodeset.Devices, mostPlaces))
	}
}

// stormPaused prints the ports that are paused for the longest time.
func (s *Screen) stormPaused(all []StormWait) {
	for i, w := range all {
		if i == mostPauses {
			s.Prose("  ", fmt.Sprintf("and %s; --format json has all of them", diag.Count(len(all)-i, "further port")))
			break
		}
		text := fmt.Sprintf("%s pauses %s in priority %d", w.Peer, w.Port, w.Priority)
		switch {
		case storm.Source(w.By) == storm.ByFrames && w.Most >= storm.Nearly:
			text += ", and neither end counts the time"
		case storm.Source(w.By) == storm.ByFrames:
			text += " for at most " + percent(w.Most) + " of the time"
		case w.Least == w.Most:
			text += " for " + percent(w.Least) + " of the time"
		case w.By != "":
			text += fmt.Sprintf(" for %s to %s of the time", percent(w.Least), percent(w.Most))
		}
		if w.Frames != nil {
			text += ", " + diag.Count(int(*w.Frames), "frame") + " per second"
		}
		s.Prose("  ", text)
	}
}

// notKnown returns the sentence for a place where an origin may be.
func notKnown(h StormPlace) string {
	at := places(h.Ports)
	switch storm.Doubt(h.Reason) {
	case storm.NoAnswer:
		return fmt.Sprintf("%s pauses other ports in priority %d, and did not answer. The origin may be there, or behind it.", h.Device,
			h.Priority)
	case storm.NoPauses:
		return fmt.Sprintf("The origin may be at %s or behind it: whether %s is paused in priority %d was not read at either end of the cable.",
			h.Device, at, h.Priority)
	case storm.NoTime:
		return fmt.Sprintf("%s pauses %s in priority %d, and neither end counts the time, so the pauses may be long.", h.Device, at, h.Priority)
	case storm.NoProgress:
		return fmt.Sprintf("%s pauses other ports in priority %d, and whether the queues of %s send was not read.", h.Device, h.Priority,
			cmp.Or(at, "its ports"))
	case storm.Differs:
		return fmt.Sprintf("%s pauses %s in priority %d for nearly the whole time in one window, and not in the other. Read again.", h.Device, at,
			h.Priority)
	}
	return fmt.Sprintf("%s may be the origin in priority %d, but there is only one window. A name needs two windows that agree: take a third "+
		"reading.", h.Device, h.Priority)
}

// stormBasis prints the number of ports and windows that were read, and the devices and ports that were not.
func (s *Screen) stormBasis(doc *StormDocument) {
	windows := "no window"
	if doc.WindowSeconds > 0 {
		windows = fmt.Sprintf("%s of at least %s s", diag.Count(doc.Windows, "window"), strconv.FormatFloat(doc.WindowSeconds, 'f', -1, 64))
	}
	s.Prose("", fmt.Sprintf("Read: pauses at %d of %s and priorities, in %s.", doc.Judged, diag.Count(doc.Ports, "port"), windows))
	if len(doc.ReadAt) > 0 {
		s.Prose("", "Times of the readings: "+times(doc.ReadAt)+".")
	}
	var unread, untimed Texts
	for _, d := range doc.NotRead.Devices {
		unread.Add(cmp.Or(d.Reason, "it was not asked"), d.Name)
	}
	for _, d := range doc.NotJudged {
		untimed.Add(d.Reason, d.Name)
	}
	s.stormReasons("Not read: ", &unread)
	s.stormReasons("Not judged: ", &untimed)
	if n := len(doc.NotRead.Ports); n > 0 {
		s.Prose("Not judged: ", fmt.Sprintf("pauses of %s: %s", diag.Count(n, "port"), places(doc.NotRead.Ports)))
	}
}

// times returns moments, of which those after the first have a date only if it is another one.
func times(all []time.Time) string {
	out := make([]string, 0, len(all))
	for i, t := range all {
		layout := time.DateTime
		if i > 0 && t.UTC().Format(time.DateOnly) == all[i-1].UTC().Format(time.DateOnly) {
			layout = time.TimeOnly
		}
		out = append(out, t.UTC().Format(layout))
	}
	return diag.And(out) + " UTC"
}

// stormReasons prints the devices of each reason, the reason with the most devices first.
func (s *Screen) stormReasons(lead string, t *Texts) {
	slices.SortStableFunc(t.All, func(a, b string) int { return len(t.Of[b]) - len(t.Of[a]) })
	for i, why := range t.All {
		if i == mostReason {
			s.Prose(lead, fmt.Sprintf("devices for %s; --format json has them", diag.Count(len(t.All)-i, "further reason")))
			break
		}
		s.Prose(lead, nodeset.Text(t.Of[why], nodeset.Devices, mostPlaces)+": "+why)
	}
}
