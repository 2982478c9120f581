package claims

import (
	"fmt"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/validate/proof"
)

// watchdogs judges the PFC watchdogs of switches. Their settings show them, which live reads and files have in the same form.
func (j *judging) watchdogs() {
	accepted := j.acceptedLoops()
	for _, d := range j.f.Devices {
		if d.Switch != nil {
			j.unended(d, accepted[d])
		}
	}
}

// queue is the queue of a priority at a port.
type queue struct {
	port string
	cos  int
}

// acceptedLoops returns the queues of switches in circles that a cos group accepts.
func (j *judging) acceptedLoops() map[*ir.Device][]queue {
	queues := map[*ir.Device][]queue{}
	for _, p := range j.proofs {
		if p.Verdict != proof.Prone || slices.ContainsFunc(p.Groups, func(g *ir.CosGroup) bool { return g.AllowDeadlock == "" }) {
			continue
		}
		for _, l := range p.Loops {
			for _, w := range l.Circle {
				one := queue{w.Out.Name, w.Group.Cos}
				if d := w.Out.Device(); d.Switch != nil && !slices.Contains(queues[d], one) {
					queues[d] = append(queues[d], one)
				}
			}
		}
	}
	return queues
}

// unended judges whether the queues of a switch that wait in an accepted circle have a watchdog that ends the wait. A queue whose watchdog
// is not known is no finding.
func (j *judging) unended(d *ir.Device, queues []queue) {
	c := j.configured[d.ID]
	if c == nil {
		return
	}
	var without []string
	for _, q := range queues {
		s := c.Settings.Port(q.port)
		if s == nil {
			continue
		}
		detail := s.Detail.Get()
		if ends, known := detail.Watchdog.Ends(q.cos); known && !ends && !slices.Contains(without, q.port) {
			without = append(without, q.port)
		}
	}
	if len(without) > 0 {
		j.addAt(c.When, d, &topicWatchdog, diag.Warning, fmt.Sprintf("%s runs no PFC watchdog that cuts the queue on %s, and the fabric accepts "+
			"a PFC loop over these ports: buffers that lock there stay locked.", here, portsText(without)))
	}
}

// portsText folds the names of ports.
func portsText(ports []string) string {
	slices.SortFunc(ports, nodeset.Compare)
	return nodeset.Text(ports, nodeset.Interfaces, mostNamed)
}
