package view

import (
	"fmt"
	"time"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy/traffic"
)

// MarkingPrice states what a proof of marking changes, whom that exposes and for how long. deadMan is when the switch goes back by itself.
func MarkingPrice(m *traffic.Marking, deadMan time.Duration) string {
	hosts, seconds := len(m.Exposed()), int(traffic.LowTime/time.Second)
	return fmt.Sprintf("The ECN threshold of %s for cos group %s goes from %d to %d bytes for %d seconds, and back. "+
		"Exposed: %s, %d host-seconds. If rocec dies, %s goes back by itself within %s, which is %d host-seconds.\nIt sends %s.",
		m.Queue, m.Was.Group.Name, m.Was.Min.N, m.Low.Min.N, seconds, diag.Count(hosts, "host"), hosts*seconds,
		m.Queue.Device().Name, ShortTime(deadMan), hosts*int(deadMan/time.Second), m.Exchange)
}

// Marking prints what a proof of marking showed, after the switch went back.
func (s *Screen) Marking(m *traffic.Marking, r traffic.Marked) {
	w := s.W
	fmt.Fprintf(w, "Marked packets %d, notifications sent %d, obeyed %d.\n", r.Marked, r.Sent, r.Handled)
	color := diag.Green
	if !r.Good {
		color = diag.Yellow
	}
	fmt.Fprintf(w, "%s\n%s holds what it held before.\n", s.Paint(color, r.Says), m.Queue.Device().Name)
}
