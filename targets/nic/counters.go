package nic

import (
	"fmt"
	"strings"

	"github.com/rocec/rocec/targets/target"
)

// Counter is a counter of a NIC, or of its RDMA device.
type Counter struct {
	Name, Unit   string
	Format, Noun string // the meaning of a rise: a sentence with the place, the count with its noun, and the name; empty: a rise is no problem
}

// Sample returns the sample of the counter for a NIC, without a value.
func (c Counter) Sample(s *Settings) target.Sample {
	out := target.Sample{Name: c.Name, On: s.NIC.Name, Unit: c.Unit, Counter: true}
	if c.Format != "" {
		out.Says = func(n uint64) string {
			return fmt.Sprintf(c.Format, s.NIC.Name+" on "+s.NIC.Device.Name, target.Count(n, c.Noun), c.Name)
		}
	}
	return out
}

// The meanings of counters that show loss, for [Counter.Format].
const (
	Unordered  = "%s received %s out of sequence: packets were lost or reordered on the way (%s)."
	Resent     = "%s was asked %s to resend packets that did not arrive in order (%s)."
	Unanswered = "%s found %s that an answer was missing before a later one: packets were lost on the way (%s)."
)

// CounterProbe asks for the counters of a NIC. It reads those of the port with ethtool, if known has more counters than rdma. It reads
// those of the RDMA device in the folders hw_counters and counters of its port. The counters of a RoCE LAG are read once, with the first
// port of the bond.
func CounterProbe(s *Settings, known map[string]target.Sample, rdma []Counter) target.Probe {
	var names []string
	for _, c := range rdma {
		names = append(names, c.Name)
	}
	cmd := ""
	if len(known) > len(rdma) {
		cmd = target.CountersCmd(Quote(s.NIC.Name))
	}
	return target.Probe{
		Name: "counters of " + s.NIC.Name,
		Query: target.Query{Cmd: cmd + RDMAPorts(s.NIC, `
for c in `+strings.Join(names, " ")+`; do
{ read -r n <"$p/hw_counters/$c"; } 2>/dev/null || { read -r n <"$p/counters/$c"; } 2>/dev/null || continue
printf '%s: %s\n' "$c" "$n"
done`)},
		Samples: func(answer []byte) []target.Sample {
			var out []target.Sample
			target.Counters(answer, func(name string, n uint64) {
				if c, ok := known[name]; ok {
					c.Value = n
					out = append(out, c)
				}
			})
			if why := target.CountersUnread(answer); why != "" {
				out = append(out, target.UnreadCounters(s.NIC.Name, why))
			}
			return out
		},
	}
}
