package view

import (
	"fmt"
	"time"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy/traffic"
	"github.com/rocec/rocec/targets/target"
)

// MarkingPrice states the change of a proof of marking, the hosts that it exposes, and its duration. deadMan is the time after which the
// switch restores the threshold by itself.
func MarkingPrice(m *traffic.Marking, deadMan time.Duration) string {
	hosts, seconds := len(m.Exposed()), int(traffic.LowTime/time.Second)
	return fmt.Sprintf("The ECN threshold of %s for cos group %s goes from %d to %d bytes for %d seconds, and back. "+
		"Exposed: %s, %d host-seconds. If rocec dies, %s restores it by itself within %s, which is %d host-seconds.\nIt sends three times %s.",
		m.Queue, m.Was.Group.Name, m.Was.Min.N, m.Low.Min.N, seconds, diag.Count(hosts, "host"), hosts*seconds,
		m.Queue.Device().Name, ShortTime(deadMan), hosts*int(deadMan/time.Second), m.Exchange)
}

// Marking prints the result of a proof of marking, after the threshold was restored.
func (s *Screen) Marking(m *traffic.Marking, r traffic.Marked) {
	w := s.W
	fmt.Fprintf(w, "Marked packets %d, notifications sent %d, obeyed %d.\n", r.Marked, r.Sent, r.Handled)
	color := diag.Green
	if !r.Good() {
		color = diag.Yellow
	}
	fmt.Fprintf(w, "%s\n%s has its former settings again.\n", s.Paint(color, r.Says), m.Queue.Device().Name)
}

// Trial prints the verdict on a trial of a device. why may be empty.
func (s *Screen) Trial(device, id string, v target.Verdict, why string) {
	color := map[target.Verdict]string{target.Holds: diag.Green, target.DoesNotHold: diag.Red}[v]
	if color == "" {
		color = diag.Yellow
	}
	lead := fmt.Sprintf("%s: %s: ", device, id)
	text := s.Paint(color, string(v))
	if why != "" {
		text += ". " + why
	}
	s.Prose(lead, text)
}
