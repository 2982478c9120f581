package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/target"
)

// byOthers is how the reason of a device begins that others write ([deploy.Plan.Others]).
const byOthers = "written by others"

// others names the hosts of a plan that others write, whether or not they lack something.
func (v *planView) others(p *deploy.Plan) {
	var names []string
	for _, d := range p.Devices {
		if d.Device.Source != nil && d.Device.Source.ByOthers {
			names = append(names, d.Device.Name)
		}
	}
	if len(names) > 0 {
		v.prose(v.paint(diag.Yellow, byOthers+":")+" ", nodeset.Text(names, nodeset.Devices, math.MaxInt)+"; rocec build --as overlay")
	}
}

// theirs goes on about a device that others write and that could be read.
func theirs(d *deploy.DevicePlan) string {
	if len(d.Drift) == 0 {
		return ""
	}
	return ", who must change this; apply does not"
}

// othersText counts devices that others are to write.
func othersText(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d for others to write", n)
}

// onlyOthers refuses to change devices when others write all of them.
func onlyOthers(tree *target.Tree) error {
	if slices.ContainsFunc(tree.Devices, func(d *target.Device) bool { return !d.Source.ByOthers }) {
		return nil
	}
	names := make([]string, len(tree.Devices))
	for i, d := range tree.Devices {
		names[i] = d.Name
	}
	return fail(exitErrors, "Others write %s (%s), and rocec changes nothing there. rocec build --as overlay has the files for them, and "+
		"rocec verify judges what they have written; where rocec is to write them, say written_by = \"rocec\".",
		nodeset.Text(names, nodeset.Devices, 200), report.Place(tree.Devices[0].Source.WrittenByAt))
}
