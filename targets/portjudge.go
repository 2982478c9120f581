package targets

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/lint"
	"github.com/rocec/rocec/validate/settings"
)

// JudgePort judges a port, by what was read of its device, for the packets of a lossless cos group that come in by it, or else leave by it.
// It returns the errors and warnings that [JudgeFiles] reports at these places, for this port alone.
// Values without a place are at the top of a file.
func JudgePort(p *ir.Port, u *target.Understood, top diag.Range, g *ir.CosGroup, in bool) (found diag.List) {
	d, is := p.Device(), u.Settings.Port(p.Name)
	want := d.Wanted().Port(p.Name)
	if is == nil || want == nil {
		return nil
	}
	l := &lossless{device: d, where: u.Where, top: top, found: map[spot]*spots{}}
	l.passed(p, want, is, g.Cos, in)
	l.report(&found)
	if d.Switch == nil {
		return found
	}
	alone := *u.Settings
	alone.Rest, alone.Ports = nil, map[string]*ir.PortSettings{p.Name: is}
	var rules lint.Findings
	settings.Judge(&settings.Reading{
		Settings: d.Completed(&alone), Where: whereOf(d, u), At: top, Arrives: d.Arrives(), Unread: !u.Coverage.Whole(),
		Only: func(f ir.Field, index int) bool { return meets(is, g.Cos, in, f, index) },
	}, &rules)
	for _, x := range rules.Close() {
		if x.Severity != diag.Notice {
			found.Add(x)
		}
	}
	return found
}

// meets reports whether packets of a cos meet a value of a port that they come in by, or else leave by.
func meets(p *ir.PortSettings, cos int, in bool, f ir.Field, index int) bool {
	d := p.Detail.Get()
	switch f {
	case ir.FieldTrust, ir.FieldDefaultCos, ir.FieldCable:
		return in
	case ir.FieldDSCP:
		return in && p.DSCP[index] == int8(cos)
	case ir.FieldPCP:
		return in && p.PCP[index] == int8(cos)
	case ir.FieldPauses:
		return in && index == cos
	case ir.FieldGroup:
		return in && d.Group[index] == d.Group[cos]
	case ir.FieldBuffer, ir.FieldXoff, ir.FieldXon, ir.FieldHeadroom, ir.FieldGroupLimit, ir.FieldGroupPool:
		return in && index == int(d.Group[cos])
	case ir.FieldQueue:
		return !in && d.Queue[index] == d.Queue[cos]
	case ir.FieldStrict, ir.FieldShare, ir.FieldMaxRate, ir.FieldMarking, ir.FieldUnmarkable, ir.FieldDrop,
		ir.FieldQueueLimit, ir.FieldQueuePool:
		return !in && index == int(d.Queue[cos])
	case ir.FieldMinRate, ir.FieldShaper, ir.FieldRewrite, ir.FieldWatchdog:
		return !in
	}
	return true
}
