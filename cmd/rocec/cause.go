package main

import (
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/target"
)

// onlyIntentFlag declares --only-intent.
func onlyIntentFlag(cmd *cobra.Command, only *bool) {
	cmd.Flags().BoolVar(only, "only-intent", false, "leave devices as they are that would change only because rocec has changed")
}

// tool is what runs note on devices: the version, and of a build that is not a release the commit.
func tool() string {
	v := buildVersion()
	if release(v.Version) == "" && v.Revision != "" {
		return v.Version + "+" + v.Revision
	}
	return v.Version
}

// planCause says that a device would change only because rocec has changed.
type planCause struct {
	From string `json:"from"` // the version that wrote what it holds
	To   string `json:"to"`
	Left bool   `json:"left"` // it is left as it is
}

func causeJSON(d *deploy.DevicePlan) *planCause {
	if d.Left != "" {
		return &planCause{d.Left, tool(), true}
	}
	if by := d.Cause(tool()); by != "" {
		return &planCause{by, tool(), false}
	}
	return nil
}

// causes prints which devices would change, or are left as they are, because rocec has changed and nothing else: a line for
// every version that wrote them.
func (a *app) causes(p *deploy.Plan) {
	var order []planCause
	of := map[planCause][]string{}
	for _, d := range p.Devices {
		if c := causeJSON(d); c != nil {
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
		(&diag.Printer{Width: a.width(a.stdout)}).Prose(a.stdout, "", text) //nolint:errcheck // a closed terminal has nobody to tell
	}
}
