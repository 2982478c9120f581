package view

import (
	"fmt"
	"math"
	"strings"

	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy"
)

// GateDocument is the JSON of gate.
type GateDocument struct {
	FormatVersion string       `json:"format_version"`
	Devices       []GateDevice `json:"devices"`
}

// GateDevice has the rights of a login on a device.
type GateDevice struct {
	Name   string      `json:"name"`
	Status string      `json:"status"`           // what rocec did: one of the gate statuses
	Reason string      `json:"reason,omitempty"` // of a failure
	Gate   *gateOnJSON `json:"gate"`             // nil: none, or not known
	Root   bool        `json:"root"`             // the login becomes root without the gate
}

// gateOnJSON is the gate of a device.
type gateOnJSON struct {
	Release string `json:"release"`
}

// The statuses of a device in a list of gates.
const (
	GateListed    = "listed"
	GateUnread    = string(deploy.StatusUnreachable)
	GateInstalled = "installed"
	GateRemoved   = "removed"
	GateFailed    = "failed"
)

// GatesJSON returns the gates of the devices of a plan.
func GatesJSON(p *deploy.Plan) GateDocument {
	doc := GateDocument{FormatVersion: report.FormatVersion, Devices: []GateDevice{}}
	for _, d := range p.Devices {
		row := GateDevice{Name: d.Device.Name, Status: GateListed, Gate: gateJSON(d), Root: d.Free}
		if d.Err != nil && d.Status == deploy.StatusUnreachable {
			row.Status, row.Reason = GateUnread, d.Err.Detail
		}
		doc.Devices = append(doc.Devices, row)
	}
	return doc
}

func gateJSON(d *deploy.DevicePlan) *gateOnJSON {
	if d.Gate == nil {
		return nil
	}
	return &gateOnJSON{d.Gate.Release}
}

// Done notes what rocec did with the gate of a device; no is the error if it failed.
func (g *GateDevice) Done(d *deploy.DevicePlan, status string, no *deploy.Error) {
	switch g.Status = status; {
	case no != nil:
		g.Status, g.Reason = GateFailed, no.Detail
	case status == GateRemoved:
		g.Gate = nil
	default:
		g.Gate = gateJSON(d)
	}
}

// Text describes the gate of a device and the rights of its login, in a few words.
func (g *GateDevice) Text() string {
	switch {
	case g.Status == GateInstalled || g.Status == GateRemoved:
		return "gate " + g.Status
	case g.Status != GateListed:
		return g.Status + ": " + g.Reason
	case g.Gate == nil && g.Root:
		return "no gate: the login becomes root"
	case g.Gate == nil:
		return "no gate, and the login does not become root without a password"
	case g.Root:
		return "gate " + g.Gate.Release + ", and the login becomes root without it: remove its other lines of sudoers"
	}
	return "gate " + g.Gate.Release
}

// Gates prints the gates of devices, a line for all that are alike.
func (s *Screen) Gates(devices []GateDevice) {
	var texts []string
	names := map[string][]string{}
	for i := range devices {
		text := devices[i].Text()
		if names[text] == nil {
			texts = append(texts, text)
		}
		names[text] = append(names[text], devices[i].Name)
	}
	for _, text := range texts {
		fmt.Fprintf(s.Raw, "%s  %s\n", s.Paint(diag.Bold, nodeset.Text(names[text], nodeset.Devices, math.MaxInt)), text)
	}
}

// way says by which right the devices of a plan change: through a gate, which takes only a signed run, or as root.
func way(v *Plan, p *deploy.Plan) {
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
	if v.Rehearsal || len(with)+len(beside)+len(root) == 0 {
		return
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
	v.Prose("Rights: ", strings.Join(parts, "; ")+".")
}
