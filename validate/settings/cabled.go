package settings

import (
	"fmt"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// Cable is two ports that face each other. Both devices were read.
type Cable struct {
	A, B         *Reading
	PortA, PortB string
}

// CompareCabled runs the rules about several switches with known cables between them. It judges each cable by its ends, instead of all
// pairs of switches. The devices of cables may be hosts, too.
func CompareCabled(all []*Reading, cables []Cable, to Sink) {
	compare(all, to, true)
	by := map[[3]string]*contrast{}
	ports := map[*contrast][]string{}
	var order []*contrast
	var maps crossings
	for i := range cables {
		c := &cables[i]
		c.judge(&maps, func(of *Reading, at place, text string) {
			k := [3]string{c.A.Name, c.B.Name, text}
			if by[k] == nil {
				by[k] = &contrast{spot: spot{of: of, at: at, text: text}, sev: diag.Warning}
				order = append(order, by[k])
			}
			ports[by[k]] = append(ports[by[k]], fmt.Sprintf("%s:%s to %s:%s", c.A.short(), c.PortA, c.B.short(), c.PortB))
		})
	}
	for _, c := range order {
		if to.Omit(&SwitchesDisagree.Topic) {
			continue
		}
		text := fmt.Sprintf("On %s, %s.", diag.Some(ports[c], mostCamps), c.text)
		to.Report(c.sev, &SwitchesDisagree.Topic, c.where(), "%s", diag.Escape(text))
	}
	maps.report(to)
}

// judge reports contradicting values at the two ends of a cable, and adds DSCP values that the ends put into two classes to maps.
func (c *Cable) judge(maps *crossings, report func(of *Reading, at place, text string)) {
	a, b := c.A.Settings.Port(c.PortA), c.B.Settings.Port(c.PortB)
	if a == nil || b == nil || !a.PausesKnown || !b.PausesKnown {
		return
	}
	if a.LinkPause != b.LinkPause {
		if a.Sends|a.Obeys|b.Sends|b.Obeys != 0 {
			report(c.A, place{c.PortA, ir.FieldLinkPause, 0}, "one end has link pause and the other one does not: each end ignores the pauses "+
				"of the other. Give both the same setting")
		}
		return
	}
	if a.LinkPause {
		return
	}
	c.pauses(c.A, c.PortA, a.Sends&^b.Obeys, c.B, c.PortB, report)
	c.pauses(c.B, c.PortB, b.Sends&^a.Obeys, c.A, c.PortA, report)
	if !a.TrustKnown || !b.TrustKnown || !a.Trust.DSCP || !b.Trust.DSCP {
		return
	}
	for dscp := range 64 {
		x, y := a.DSCP[dscp], b.DSCP[dscp]
		if x < 0 || y < 0 || x == y || (a.Sends|a.Obeys)>>x&1 == 0 && (b.Sends|b.Obeys)>>y&1 == 0 {
			continue
		}
		maps.add(crossing{of: c.A, port: c.PortA, cos: x, dscp: dscp, other: c.B, otherPort: c.PortB, otherCos: y})
	}
}

// pauses reports the priorities for which one end sends pauses that the other end does not obey.
func (c *Cable) pauses(from *Reading, port string, lost uint8, to *Reading, other string, report func(*Reading, place, string)) {
	if lost == 0 {
		return
	}
	at, of := place{port, ir.FieldPauses, lowest(lost)}, from
	if to.Where != nil {
		if r, ok := to.Where(other, ir.FieldPauses, lowest(lost)); ok && r.Filename != "" {
			at, of = place{other, ir.FieldPauses, lowest(lost)}, to
		}
	}
	report(of, at, fmt.Sprintf("%s sends pauses for %s, and %s does not obey them: packets after a pause are dropped. Give both ends the "+
		"same priorities", from.short(), priorities(lost), to.short()))
}
