package view

import (
	"fmt"
	"math"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/target"
)

// Cause states that a device differs only because rocec has changed.
type Cause struct {
	From string `json:"from"` // the version that wrote its content
	To   string `json:"to"`
	Left bool   `json:"left"` // the device is not changed
}

// CauseJSON returns the cause of a device for JSON; nil: the fabric is the cause. tool is this version of rocec.
func CauseJSON(d *deploy.DevicePlan, tool string) *Cause {
	if d.Left != "" {
		return &Cause{d.Left, tool, true}
	}
	if by := d.Cause(tool); by != "" {
		return &Cause{by, tool, false}
	}
	return nil
}

// causes prints the devices that differ only because rocec has changed: a line for every version that wrote them.
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
		what := "by --adopt-derived"
		if c.Left {
			what = diag.Plural(len(names), "it stays as it is; --adopt-derived writes it", "they stay as they are; --adopt-derived writes them")
		}
		v.Prose("", fmt.Sprintf("rocec %s derives other values than %s, which wrote %s: %s (%s).", target.Escape(c.To), target.Escape(c.From),
			diag.Count(len(names), "device"), nodeset.Text(names, nodeset.Devices, math.MaxInt), what))
	}
}
