package target

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// Probe is a query with the meaning of its answer: a judgement, samples, or both.
type Probe struct {
	Query
	Name    string                       // "switchd", "PFC counters"
	Judge   func(answer []byte) []string // errors, in full sentences; nil: no errors
	Samples func(answer []byte) []Sample // measurements; nil: none
	Slow    bool                         // it takes seconds, and its values do not change meanwhile: a change does not wait for it
}

// Sample is one measurement: "HwIfInBufferDrops of swp1 is 17 packets". If a device lacks a value, there is no sample: the value is
// unknown, not zero.
type Sample struct {
	Name    string                // "HwIfInBufferDrops", "link", "BGP neighbour 10.0.0.1"; together with On unique on a device
	On      string                // port or NIC; empty: the device
	Value   uint64                // a state is 1 (good) or 0
	Unit    string                // "packets", "frames", "state"
	Counter bool                  // it only rises until the device restarts; otherwise it is a gauge
	Hard    bool                  // a gauge that a change must not lower (a link, a daemon, a neighbour), or a counter that it must not raise
	Needed  bool                  // a state without which the device cannot use new content
	Link    string                // a state without which no traffic passes by this port; empty: no port
	Pair    bool                  // the switch sees its MLAG peer
	Says    func(n uint64) string // the meaning, as a sentence, if a counter rose by n or a hard gauge is n; nil: none
	Fact    string                // a statement of the device about itself, with the unit "fact": it has no value, and is never compared
	Hint    string                // the person's possible next step about a state that is no error, in full sentences; empty: none
}

// The units of samples.
const (
	UnitState        = "state"
	UnitPackets      = "packets"
	UnitFrames       = "frames"
	UnitEvents       = "events"
	UnitMicroseconds = "microseconds" // since the start of the device
	UnitFact         = "fact"
)

// Gauge returns a hard state: says states the error if it is not good.
func Gauge(name, on string, good bool, says string) Sample {
	s := Sample{Name: name, On: on, Unit: UnitState, Hard: true, Says: func(uint64) string { return says }}
	if good {
		s.Value = 1
	}
	return s
}

// Down returns a sentence for each hard gauge that is not good.
func Down(samples []Sample) []string {
	var down []string
	for _, s := range samples {
		if s.Hard && !s.Counter && s.Value == 0 {
			down = append(down, s.Says(0))
		}
	}
	return down
}

// StateProbe is a probe of states that must all be good.
func StateProbe(name, cmd string, samples func(answer []byte) []Sample) Probe {
	return Probe{
		Name: name, Query: Query{Cmd: cmd}, Samples: samples,
		Judge: func(answer []byte) []string { return Down(samples(answer)) },
	}
}

// Cable is a cabled interface of a device.
type Cable struct {
	Interface string
	Quoted    string // the interface as a word of a shell
	Peer      string // the other end, "leaf01:swp1"
	Planned   string // the block that declares the cable planned, `mesh "uplinks"`; empty: the cable is laid
}

// CableOf returns the cable at a port, with its interface also as a word of a shell.
func CableOf(p *ir.Port, quoted string) Cable {
	c := Cable{Interface: p.Name, Quoted: quoted, Peer: p.Peer().String()}
	if p.Link().Planned {
		c.Planned = p.Link().Block
	}
	return c
}

// Laid returns the cables that are not planned.
func Laid(cables []Cable) []Cable {
	return slices.DeleteFunc(slices.Clone(cables), func(c Cable) bool { return c.Planned != "" })
}

// LinkProbe asks whether the cabled interfaces of a device have a link. A planned cable may have a link or not, which can change while
// people lay the cables. A planned cable with a link gets a hint that it has been laid.
func LinkProbe(device string, cables []Cable) Probe {
	var words strings.Builder
	for _, c := range cables {
		words.WriteString(" " + c.Quoted)
	}
	// The carrier of an interface that is administratively down cannot be read (EINVAL).
	cmd := "for i in" + words.String() + `; do
s=missing
if [ -e "/sys/class/net/$i" ]; then s=$(cat "/sys/class/net/$i/carrier" 2>/dev/null) || s=0; fi
printf '%s %s\n' "$i" "$s"
done`
	return StateProbe("links", cmd, func(answer []byte) []Sample {
		told := map[string]string{}
		for line := range strings.Lines(string(answer)) {
			name, state, _ := strings.Cut(strings.TrimSpace(line), " ")
			told[name] = state
		}
		var out []Sample
		for _, c := range cables {
			says := fmt.Sprintf("%s:%s has no link; the fabric cables it to %s.", device, c.Interface, c.Peer)
			state, is := told[c.Interface]
			switch {
			case !is: // an incomplete answer: an unknown state counts as down
				says = fmt.Sprintf("%s did not say whether %s has a link; the fabric cables it to %s.", device, c.Interface, c.Peer)
			case state == "missing":
				says = fmt.Sprintf("%s has no interface %s; the fabric cables it to %s.", device, c.Interface, c.Peer)
			}
			s := Gauge("link", c.Interface, state == "1", says)
			s.Link = c.Interface
			if c.Planned != "" {
				s.Hard, s.Says = false, nil
				if s.Value == 1 {
					s.Hint = fmt.Sprintf("%s:%s has a link, and its cable to %s is still planned. Take planned = true out of %s when all its cables "+
						"are laid.", device, c.Interface, c.Peer, c.Planned)
				}
			}
			out = append(out, s)
		}
		return out
	})
}

// CountersCmd returns a command that prints the counters of an interface, given as a word of a shell, or a line that they cannot be read.
func CountersCmd(quoted string) string {
	return "ethtool -S " + quoted + " 2>/dev/null || echo \"" + countersUnread + "$?\"\n"
}

const countersUnread = "unread "

// CountersUnread returns the reason why [CountersCmd] printed no counters; empty: it printed them.
func CountersUnread(answer []byte) string {
	for line := range strings.Lines(string(answer)) {
		if status, is := strings.CutPrefix(strings.TrimSpace(line), countersUnread); is {
			if status == "127" {
				return "ethtool" + notInstalled
			}
			return "ethtool -S fails, with status " + Escape(status)
		}
	}
	return ""
}

// UnreadCounters returns the sample for counters of ports or NICs that could not be read, so that missing values do not count as good.
func UnreadCounters(on, why string) Sample {
	return Sample{
		Name: "counters", On: on, Unit: UnitFact, Fact: "not read: " + why,
		Hint: fmt.Sprintf("The counters of %s were not read: %s. Whether lossless packets were dropped there is not known.", on, why),
	}
}

// Counters reads lines "NAME: VALUE" as `ethtool -S` prints them, and calls use for each with a number as its value.
func Counters(answer []byte, use func(name string, value uint64)) {
	for line := range strings.Lines(string(answer)) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok {
			continue
		}
		if n, err := strconv.ParseUint(strings.TrimSpace(value), 10, 64); err == nil {
			use(name, n)
		}
	}
}

// Count returns a number of a counter with its noun: "1 packet", "1,024 frames".
func Count(n uint64, noun string) string {
	const most = 1 << 53 // more digits do not help the reader, and the counter has wrapped
	return diag.Count(int(min(n, most)), noun)
}
