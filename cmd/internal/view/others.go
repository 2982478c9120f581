package view

import (
	"fmt"
	"math"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/target"
)

// whoChange continues a sentence about a device that differs from the fabric.
const whoChange = ", who must change this; apply does not"

// others names the devices of a plan that others write, whether they differ, and the command that writes files for them.
func (v *Plan) others(p *deploy.Plan) {
	names := map[target.Role][]string{}
	for _, d := range p.Devices {
		if d.ByOthers() {
			names[d.Device.Role] = append(names[d.Device.Role], d.Device.Name)
		}
	}
	for _, role := range []target.Role{target.Switch, target.Host} {
		if len(names[role]) > 0 {
			v.Prose(v.Paint(diag.Yellow, deploy.WrittenByOthers+":")+" ",
				nodeset.Text(names[role], nodeset.Devices, math.MaxInt)+"; "+ForOthers(role))
		}
	}
}

// ForOthers returns the command that writes the files for others, for devices of a role.
func ForOthers(r target.Role) string {
	if r == target.Host {
		return "rocec build --as overlay"
	}
	return "rocec build"
}

// theirs continues a sentence about a device that others write and that could be read.
func theirs(d *deploy.DevicePlan) string {
	if len(d.Shown()) == 0 {
		return ""
	}
	return whoChange
}

// othersText counts devices that others must write.
func othersText(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d for others to write", n)
}
