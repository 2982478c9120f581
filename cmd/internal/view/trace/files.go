package trace

import (
	"fmt"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/validate"
	"github.com/rocec/rocec/validate/walk"
)

// Files contains the files of the devices that packets pass.
type Files interface {
	// Judge judges a port by the files of its device; nil: the device was not read, or has no finding.
	Judge(p *ir.Port, at targets.Passing) diag.List

	// Place returns the place of a value of a port, or else the beginning of the first file of its device.
	Place(p *ir.Port, f ir.Field, index int) diag.Range

	// Errors returns the errors of the audit in the files of a device that Judge does not report.
	Errors(d *ir.Device) diag.List
}

// JudgeFiles adds to the hops of a trace the findings in the files of the devices.
func JudgeFiles(s *Sayings, t *walk.Trace, files Files) {
	if s.read == nil {
		s.read = map[*walk.Finding]*diag.Diagnostic{}
	}
	for _, w := range []*walk.Walk{t.Data, t.CNP} {
		if w == nil {
			continue
		}
		j := &fileJudge{s, w, files, t.Intent}
		for _, h := range w.Hops {
			switch {
			case !h.Read:
			case w.CNP:
				j.notifications(h)
			case w.Promised && w.Group != nil && w.Group.Lossless:
				j.lossless(h)
			}
		}
	}
}

// fileJudge judges the hops of one walk.
type fileJudge struct {
	says   *Sayings
	walk   *walk.Walk
	files  Files
	intent *ir.Intent
}

// lossless judges a hop of packets that must be lossless.
func (j *fileJudge) lossless(h *walk.Hop) {
	sorted := false // a finding is about the class of the packets
	for i, l := range slices.Concat(h.In, h.Out) {
		in := i < len(h.In)
		for _, p := range l.Ports {
			at := targets.Passing{Packet: h.Packet, Group: j.walk.Group, In: in, Sender: h.Far == 0}
			for _, d := range j.files.Judge(p, at) {
				sorted = sorted || d.Severity == diag.Error && d.Code == targets.NotLossless.Code
				j.add(&l.Findings, p, d, d.Severity == diag.Error)
			}
			if p.Device().Switch != nil && l.MTU > 0 && l.MTU < j.walk.Size {
				d := &diag.Diagnostic{
					Severity: diag.Error, Code: validate.MTUPath.Code, Summary: validate.MTUPath.Summary,
					At: j.files.Place(p, ir.FieldMTU, 0),
				}
				d.Detail = fmt.Sprintf("%s has MTU %s, but packets have up to %s: larger packets are dropped. Set its MTU to "+
					"at least %[3]s.", p, diag.Bytes(l.MTU), diag.Bytes(j.walk.Size))
				j.add(&l.Findings, p, d, true)
			}
		}
	}
	p := j.portOf(h)
	if h.Group != nil && !h.Unsorted && !sorted && h.Sort.Cos != h.Group.Cos {
		d := &diag.Diagnostic{Severity: diag.Error, Code: targets.NotLossless.Code, Summary: targets.NotLossless.Summary, At: j.sortedAt(h, p)}
		d.Detail = fmt.Sprintf("At %s, %s decides, and the packets are in cos %d; the fabric has them in cos %d (%s), which is lossless.",
			p.Device().Name, h.Sort.By, h.Sort.Cos, h.Group.Cos, h.Group.Name)
		j.add(&h.Findings, p, d, true)
	}
	for _, device := range h.Devices {
		for _, d := range j.files.Errors(device) {
			j.add(&h.Findings, p, d, false)
		}
	}
}

// notifications judges a hop of congestion notifications. In a class with PFC they wait behind the packets that they slow down.
func (j *fileJudge) notifications(h *walk.Hop) {
	if h.Unsorted || h.Group == nil || h.Sort.Cos < 0 || h.Sort.Group == nil || !h.Sort.Group.Lossless {
		return
	}
	p := j.portOf(h)
	check := validate.CNPInLosslessGroup
	d := &diag.Diagnostic{Severity: diag.Error, Code: check.Code, Summary: check.Summary, At: j.sortedAt(h, p)}
	d.Detail = fmt.Sprintf("At %s, %s decides, and notifications are in cos %d (%s), which is lossless: they wait behind the packets that "+
		"they slow down. Put them in cos %d.", p.Device().Name, h.Sort.By, h.Sort.Cos, h.Sort.Group.Name, h.Group.Cos)
	j.add(&h.Findings, p, d, true)
}

// portOf returns the port by which packets enter the device of a hop, or leave their sender.
func (j *fileJudge) portOf(h *walk.Hop) *ir.Port {
	for _, l := range slices.Concat(h.In, h.Out) {
		return l.Ports[0]
	}
	return j.walk.From[0] // the sender has no port for them
}

// sortedAt returns the place of the value by which a hop sorts its packets.
func (j *fileJudge) sortedAt(h *walk.Hop, p *ir.Port) diag.Range {
	switch {
	case h.Trust.DSCP && h.Packet.IP:
		return j.files.Place(p, ir.FieldDSCP, h.Packet.DSCP)
	case h.Trust.PCP && h.Packet.Tagged:
		return j.files.Place(p, ir.FieldPCP, h.Packet.PCP)
	}
	return j.files.Place(p, ir.FieldTrust, 0)
}

// add adds a finding. It uses the text of the report if that has a single finding with the same code, severity and place.
func (j *fileJudge) add(to *[]*walk.Finding, p *ir.Port, d *diag.Diagnostic, breaks bool) {
	if slices.ContainsFunc(*to, func(x *walk.Finding) bool { return x.Code == d.Code && x.At == d.At && x.Breaks == breaks }) {
		return
	}
	var same []*diag.Diagnostic
	for _, k := range j.says.known[Fact{d.Code, d.At}] {
		if k.Severity == d.Severity {
			same = append(same, k.Diagnostic)
		}
	}
	if len(same) == 1 {
		d = same[0]
	}
	x := &walk.Finding{
		Code: d.Code, At: d.At, Breaks: breaks, Intent: j.intent, From: j.walk.From[0].NIC, To: j.walk.To[0].NIC, Device: p.Device(), Port: p,
	}
	j.says.read[x] = d
	*to = append(*to, x)
}

// mostDoubted is the maximum number of devices that a verdict names.
const mostDoubted = 4

// doubts returns why the verdict on lossless packets, or on notifications, is unknown, as parts of a sentence; nil: it is known.
func doubts(s *Sayings, w *walk.Walk) (out []string) {
	if s.read == nil || !w.CNP && !w.Promised {
		return nil
	}
	var mute, unsorted, wrong []string
	for _, h := range w.Hops {
		for _, d := range h.Devices {
			if h.Unsorted {
				unsorted = append(unsorted, d.Name)
			}
			if slices.ContainsFunc(h.Findings, func(x *walk.Finding) bool { return !x.Breaks && s.read[x] != nil }) {
				wrong = append(wrong, d.Name)
			}
		}
		for _, l := range slices.Concat(h.In, h.Out) {
			for _, p := range l.Ports {
				if name := p.Device().Name; l.Unknown && !w.CNP && !slices.Contains(mute, name) {
					mute = append(mute, name)
				}
			}
		}
	}
	for _, doubt := range []struct {
		why   string
		names []string
	}{
		{"no file states the class of these packets at %s", unsorted},
		{"no file states PFC of %s", mute},
		{"errors in the files of %s may concern them", wrong},
	} {
		if len(doubt.names) > 0 {
			out = append(out, fmt.Sprintf(doubt.why, diag.Some(slices.Compact(doubt.names), mostDoubted)))
		}
	}
	return out
}

// conditions returns the assumptions of a verdict without a break, as parts of a sentence.
func conditions(s *Sayings, w *walk.Walk) (out []string) {
	if s.read == nil || w.CNP || !w.Promised {
		return nil
	}
	var unread, sizes []string
	for _, h := range w.Hops {
		for _, d := range h.Devices {
			if !h.Read {
				unread = append(unread, d.Name)
			}
		}
		for _, l := range h.In {
			if l.Read && l.Buffered && !l.Sized && !l.Kept.Known() && l.Ports[0].NIC == nil {
				sizes = append(sizes, h.Devices[0].Name)
			}
		}
	}
	if len(unread) > 0 {
		names := diag.Some(slices.Compact(unread), mostDoubted)
		out = append(out, fmt.Sprintf("where %s %s set as assumed", names, diag.Plural(len(unread), "is", "are")))
	}
	if len(sizes) > 0 {
		out = append(out, "where the headroom of "+diag.Some(slices.Compact(sizes), mostDoubted)+" is enough, which no file states")
	}
	return out
}

// verdictOf returns the verdict on one direction of a trace, a word of docs/schema/trace.json.
func verdictOf(s *Sayings, w *walk.Walk) string {
	switch {
	case s.firstBreak(w) != nil && (w.Promised || w.CNP):
		return "breaks"
	case len(doubts(s, w)) > 0:
		return "not-known"
	case !w.Promised:
		return "not-promised"
	case s.fabric.FlowControl != ir.Pause && slices.ContainsFunc(w.Hops, lossy):
		return "other-class"
	}
	return "lossless"
}

// Unproven reports whether files of devices on the paths of a trace do not suffice for a verdict.
func Unproven(s *Sayings, t *walk.Trace) bool {
	return len(doubts(s, t.Data)) > 0 || t.CNP != nil && len(doubts(s, t.CNP)) > 0
}

// lossy reports whether packets are not in a lossless group at a hop.
func lossy(h *walk.Hop) bool { return h.Sort.Group == nil || !h.Sort.Group.Lossless }
