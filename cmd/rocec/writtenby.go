package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/target"
)

// whoChange goes on about a device that is not as the fabric says.
const whoChange = ", who must change this; apply does not"

// others names the devices of a plan that others write, whether or not they lack something, and what writes it for them.
func (v *planView) others(p *deploy.Plan) {
	names := map[target.Role][]string{}
	for _, d := range p.Devices {
		if d.ByOthers() {
			names[d.Device.Role] = append(names[d.Device.Role], d.Device.Name)
		}
	}
	for _, role := range []target.Role{target.Switch, target.Host} {
		if len(names[role]) > 0 {
			v.prose(v.paint(diag.Yellow, deploy.WrittenByOthers+":")+" ",
				nodeset.Text(names[role], nodeset.Devices, math.MaxInt)+"; "+forOthers(role))
		}
	}
}

// forOthers is the command that writes what others need of devices of a role.
func forOthers(r target.Role) string {
	if r == target.Host {
		return "rocec build --as overlay"
	}
	return "rocec build"
}

// theirs goes on about a device that others write and that could be read.
func theirs(d *deploy.DevicePlan) string {
	if len(d.Shown()) == 0 {
		return ""
	}
	return whoChange
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
	return exit.Fail(exit.Errors, "Others write %s (%s), and rocec changes nothing there. %s writes what they need, and rocec verify "+
		"judges what they have set; where rocec is to write them, say written_by = \"rocec\".",
		nodeset.Text(names, nodeset.Devices, 200), report.Place(tree.Devices[0].Source.WrittenByAt), forOthers(tree.Devices[0].Role))
}
