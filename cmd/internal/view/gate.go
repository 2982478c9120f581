package view

import (
	"strings"

	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy"
)

// GateText describes the gate of a device and the rights of its login, in a few words.
func GateText(p *deploy.DevicePlan) string {
	switch {
	case p.Gate == nil && p.Free:
		return "no gate: the login becomes root"
	case p.Gate == nil:
		return "no gate, and the login does not become root without a password"
	case p.Free:
		return "gate " + p.Gate.Release + ", and the login becomes root without it: remove its other lines of sudoers"
	}
	return "gate " + p.Gate.Release
}

// wayText describes by which right the devices of a plan change: through a gate, which takes only a signed run, or as root. It is empty for
// a plan that changes no device.
func wayText(p *deploy.Plan) string {
	var with, beside, root []string
	for _, d := range p.Devices {
		switch {
		case d.Status != deploy.StatusChange:
		case d.Gate == nil:
			root = append(root, d.Device.Name)
		case d.Free:
			beside = append(beside, d.Device.Name)
		default:
			with = append(with, d.Device.Name)
		}
	}
	var parts []string
	for _, part := range []struct {
		on   []string
		says string
	}{
		{with, "a signed run, through the gate, on "},
		{beside, "a signed run, through the gate, on these devices, whose login becomes root without it: "},
		{root, "root, without a gate, on "},
	} {
		if len(part.on) > 0 {
			parts = append(parts, part.says+nodeset.Text(part.on, nodeset.Devices, 200))
		}
	}
	return strings.Join(parts, "; ")
}
