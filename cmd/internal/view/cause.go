package view

import (
	"fmt"
	"math"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/target"
)

// Cause says that a device would change only because rocec has changed.
type Cause struct {
	From string `json:"from"` // the version that wrote what it holds
	To   string `json:"to"`
	Left bool   `json:"left"` // it is left as it is
}

// CauseJSON returns the cause of a device for JSON; nil: it is the fabric. The tool is this version of rocec.
func CauseJSON(d *deploy.DevicePlan, tool string) *Cause {
	if d.Left != "" {
		return &Cause{d.Left, tool, true}
	}
	if by := d.Cause(tool); by != "" {
		return &Cause{by, tool, false}
	}
	return nil
}

// causes prints which devices would change, or are left as they are, because rocec has changed and nothing else: a line for
// every version that wrote them.
func (v *Plan) causes(p *deploy.Plan) {
	var order []Cause
	of := map[Cause][]string{}
	for _, d := range p.Devices {
		if c := CauseJSON(d, v.Tool); c != nil {
			if of[*c] == nil {
				order = append(order, *c)
			}
			of[*c] = append(of[*c], d.Device.Name)
		}
	}
	for _, c := range order {
		names := of[c]
		text := fmt.Sprintf("%s %s only because rocec changed (%s -> %s); --only-intent leaves %s as %s: %s.",
			diag.Count(len(names), "device"), diag.Plural(len(names), "differs", "differ"), target.Escape(c.From), target.Escape(c.To),
			diag.Plural(len(names), "it", "them"), diag.Plural(len(names), "it is", "they are"), nodeset.Text(names, nodeset.Devices, math.MaxInt))
		if c.Left {
			text = fmt.Sprintf("%s left as %s, because only rocec changed (%s -> %s): %s.", diag.Count(len(names), "device"),
				diag.Plural(len(names), "it is", "they are"), target.Escape(c.From), target.Escape(c.To),
				nodeset.Text(names, nodeset.Devices, math.MaxInt))
		}
		v.Prose("", text)
	}
}
