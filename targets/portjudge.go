package targets

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/lint"
	"github.com/rocec/rocec/validate/settings"
)

// NotLossless is the code for a device that does not keep a lossless class of the fabric lossless.
var NotLossless = topicLossless

// PortJudge judges ports of one fabric by the files of their devices, for packets that pass them.
type PortJudge struct {
	wanted map[*ir.Device]*ir.Settings
	wishes ir.Wishes
	sent   *sentMarks        // marks of all members
	drops  map[dropping]bool // cached results
}

// dropping contains the values that decide whether a port drops.
type dropping struct {
	is, want *ir.PortSettings
	speed    int
	metres   float64
}

// meant returns the wanted settings of a port; nil: none.
func (j *PortJudge) meant(p *ir.Port) *ir.PortSettings {
	d := p.Device()
	if j.wanted[d] == nil {
		if j.wanted == nil {
			j.wanted = map[*ir.Device]*ir.Settings{}
		}
		j.wanted[d] = j.wishes.Of(d)
	}
	return j.wanted[d].Port(p.Name)
}

// Drops reports whether the files of a device show that a port loses packets of members that the fabric keeps lossless.
func (j *PortJudge) Drops(p *ir.Port, u *target.Understood) bool {
	k := dropping{u.Settings.Port(p.Name), j.meant(p), p.Speed(), p.Link().Length.Metres}
	is, known := j.drops[k]
	if known || k.is == nil || k.want == nil {
		return is
	}
	if j.sent == nil {
		j.sent, j.drops = marksOf(p.Device().Fabric), map[dropping]bool{}
	}
	for _, b := range p.Buffers() {
		for _, in := range []bool{true, false} {
			is = is || j.judge(p, u, diag.Range{}, Passing{Group: b.Group, In: in, Sender: p.NIC != nil}, j.sent).HasErrors()
		}
	}
	j.drops[k] = is
	return is
}

// Passing is a packet of a lossless cos group at a port.
type Passing struct {
	Packet ir.Packet
	Group  *ir.CosGroup
	In     bool // the packet comes in by the port; otherwise it leaves by the port
	Sender bool // the port belongs to the sender
}

// All judges all ports of a device by its files, for all packets that the fabric keeps lossless.
func (j *PortJudge) All(d *ir.Device, u *target.Understood, top diag.Range) (found diag.List) {
	for _, p := range d.Ports {
		for _, b := range p.Buffers() {
			for _, in := range []bool{true, false} {
				found = append(found, j.judge(p, u, top, Passing{Group: b.Group, In: in, Sender: p.NIC != nil}, nil)...)
			}
		}
	}
	return found
}

// Judge judges a port, by the files of its device, for packets that pass it. It returns the errors and warnings that [JudgeFiles] reports
// for this port. Values without a place are reported at the top of a file.
func (j *PortJudge) Judge(p *ir.Port, u *target.Understood, top diag.Range, at Passing) diag.List {
	sent := &sentMarks{}
	sent.add(at.Packet)
	return j.judge(p, u, top, at, sent)
}

func (j *PortJudge) judge(p *ir.Port, u *target.Understood, top diag.Range, at Passing, sent *sentMarks) (found diag.List) {
	d, is, want := p.Device(), u.Settings.Port(p.Name), j.meant(p)
	if is == nil || want == nil {
		return nil
	}
	where := u.Where
	if where == nil { // places are not needed
		where = func(string, ir.Field, int) (at diag.Range, ok bool) { return at, false }
	}
	l := &lossless{device: d, where: where, top: top, found: map[spot]*spots{}, sent: sent, only: true}
	l.passed(p, want, is, at.Group.Cos, at.In, at.In || at.Sender)
	l.report(&found)
	if d.Switch == nil {
		return found
	}
	alone := *u.Settings
	alone.Rest, alone.Ports = nil, map[string]*ir.PortSettings{p.Name: is}
	var rules lint.Findings
	settings.Judge(&settings.Reading{
		Settings: d.Completed(&alone), Where: where, At: top, Arrives: d.Arrives(), Unread: !u.Coverage.Whole(),
		Only: func(f ir.Field, index int) bool { return meets(is, at.Group.Cos, at.In, f, index) },
	}, &rules)
	for _, x := range rules.Close() {
		if x.Severity != diag.Notice {
			found.Add(x)
		}
	}
	return found
}

// meets reports whether a value of a port affects packets of a cos that come in by the port (in), or leave by it.
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
