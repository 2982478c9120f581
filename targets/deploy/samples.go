package deploy

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/targets/target"
)

// sampleKey identifies the subject of a sample.
type sampleKey struct{ name, on string }

func byKey(samples []target.Sample) map[sampleKey]target.Sample {
	m := make(map[sampleKey]target.Sample, len(samples))
	for _, s := range samples {
		m[sampleKey{s.Name, s.On}] = s
	}
	return m
}

// Lost returns the hard gauges that fell between two reads: a link, a daemon or a neighbour that has disappeared. A gauge that cannot be
// read now counts as lost.
func Lost(before, now []target.Sample) []string {
	lost := fell(before, now)
	is := byKey(now)
	for _, was := range before {
		_, read := is[sampleKey{was.Name, was.On}]
		if !read && was.Hard && !was.Counter && was.Value > 0 && was.Says != nil {
			lost = append(lost, target.Escape(was.Says(0)))
		}
	}
	return lost
}

// fell returns the hard gauges that are lower now. It ignores gauges that one of the reads lacks.
func fell(before, now []target.Sample) []string {
	var said []string
	was := byKey(before)
	for _, s := range now {
		if s.Hard && !s.Counter && s.Says != nil && s.Value < was[sampleKey{s.Name, s.On}].Value {
			said = append(said, target.Escape(s.Says(s.Value)))
		}
	}
	return said
}

// Moved returns the hard counters that rose between two reads: a daemon that started again after the change was in use.
func Moved(before, now []target.Sample) []string {
	var said []string
	for _, r := range rises(before, now, true) {
		if r.Says != "" {
			said = append(said, r.Says)
		}
	}
	return said
}

// Rise is a counter that rose.
type Rise struct {
	Name string `json:"name"`         // "HwIfInPfc3Pkt"
	On   string `json:"on,omitempty"` // port or NIC; empty: the device
	By   uint64 `json:"by"`
	Unit string `json:"unit"` // "packets", "frames", "events"
	Says string `json:"-"`    // the meaning of the rise, as a sentence; empty: harmless
}

// Rose returns the counters that rose between two reads, except hard counters. A counter that is lower than before was reset, so its
// whole value counts. A counter that is missing in a read does not count.
func Rose(before, now []target.Sample) []Rise { return rises(before, now, false) }

func rises(before, now []target.Sample, hard bool) []Rise {
	var out []Rise
	was := byKey(before)
	for _, s := range now {
		b, known := was[sampleKey{s.Name, s.On}]
		if !s.Counter || s.Hard != hard || !known || s.Value == b.Value {
			continue
		}
		r := Rise{Name: s.Name, On: s.On, By: s.Value, Unit: s.Unit}
		if b.Value < s.Value {
			r.By -= b.Value
		}
		if r.By == 0 {
			continue // the counter was reset, and has not risen since
		}
		if s.Says != nil {
			r.Says = target.Escape(s.Says(r.By))
		}
		out = append(out, r)
	}
	return out
}

// The limits for "far faster": for a counter that always shows a fault, such as drops, and for any other counter, such as pauses.
const (
	surgeOfFaults = 3
	surgeOfOthers = 10
	leastOfOthers = 1000 // a smaller rise is not a surge, whatever the earlier rate was
)

// Surged returns the counters that rose far faster between mid and now than between before and mid. first and second are the lengths of
// these two intervals. A counter that is missing in a read does not count. [Moved] handles hard counters.
func Surged(before, mid, now []target.Sample, first, second time.Duration) []string {
	if first <= 0 || second <= 0 {
		return nil
	}
	was := map[sampleKey]uint64{}
	for _, r := range Rose(before, mid) {
		was[sampleKey{r.Name, r.On}] = r.By
	}
	known := byKey(before)
	var said []string
	for _, r := range Rose(mid, now) {
		key := sampleKey{r.Name, r.On}
		if _, ok := known[key]; !ok {
			continue
		}
		times, least := uint64(surgeOfOthers), uint64(leastOfOthers)
		if r.Says != "" {
			times, least = surgeOfFaults, 1
		}
		if r.By < least || float64(r.By)/second.Seconds() <= float64(times)*float64(was[key])/first.Seconds() {
			continue
		}
		text := r.Says
		if text == "" {
			text = fmt.Sprintf("%s rose by %s in %s.", target.Escape(strings.TrimSpace(r.On+" "+r.Name)),
				target.Count(r.By, strings.TrimSuffix(r.Unit, "s")), second.Round(time.Second))
		}
		said = append(said, text)
	}
	return said
}

// Since is the kind of base with which the samples of a device are compared.
type Since string

// The three kinds.
const (
	SinceLast Since = "last" // kept samples
	SinceBoot Since = "boot" // the start of the device, when its counters were 0
	SinceRead Since = "read" // another read shortly before
)

// Kept contains the samples of a device from an earlier read.
type Kept struct {
	At      time.Time
	Boot    string // boot ID; empty: the device has none
	Samples []target.Sample
	Facts   []target.Fact // the facts of the watches
}

// Base is the earlier reading with which the samples of a device are compared.
type Base struct {
	Since   Since
	Ago     time.Duration // 0: not known
	samples []target.Sample
}

// NewBase returns the base for the current samples of a device. A restart resets the counters, so samples from before a restart are
// useless. In this case, and if kept is nil, the base is the start of the device.
func NewBase(since Since, kept *Kept, h *Have, now time.Time) Base {
	if kept != nil && kept.Boot == h.Boot {
		return Base{Since: since, Ago: max(now.Sub(kept.At), 0), samples: kept.Samples}
	}
	zero := h.Samples()
	for i := range zero {
		zero[i].Value = 0
	}
	return Base{Since: SinceBoot, Ago: time.Duration(h.Uptime * float64(time.Second)), samples: zero}
}

// Judge returns the probes of a device. Their errors include changes of their samples since the base: risen counters, and lost links,
// daemons and neighbours. Judge also returns every counter that rose, in the order of the probes.
func (b *Base) Judge(probes []Judged) ([]Judged, []Rise) {
	probes = slices.Clone(probes)
	var rose []Rise
	for i := range probes {
		p := &probes[i]
		p.Wrong = slices.Clone(p.Wrong)
		for _, said := range fell(b.samples, p.Samples) {
			if !slices.Contains(p.Wrong, said) { // a link that is down may be an error even if it was not lost
				p.Wrong = append(p.Wrong, said)
			}
		}
		rises := Rose(b.samples, p.Samples)
		for _, r := range rises {
			if r.Says != "" {
				p.Wrong = append(p.Wrong, r.Says)
			}
		}
		rose = append(rose, rises...)
	}
	return probes, rose
}
