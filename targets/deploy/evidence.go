package deploy

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/target"
)

// Grade is the kind of proof that the output of a target works.
type Grade string

// The grades, from the least to the most.
const (
	GradeDocumented Grade = "documented" // from public documents alone
	GradeSimulated  Grade = "simulated"  // the lab rehearses it, by the same documents
	GradeReported   Grade = "reported"   // users have sent what such devices answered
)

// Evidence is the proof that the output works on some devices of a plan: those of one target, release and way.
type Evidence struct {
	Target  string // "cumulus"
	Release string // of the operating system, "5.3.1"; empty: devices of the target have no release
	About   string // "Cumulus Linux 5.3.1, by its files"; empty: the name of the target
	Grade   Grade
	Asks    bool // it is a real device without a report of its kind, so the person must accept it in writing
	Devices []*DevicePlan
}

// Reports reports whether users have reported on a target and a release.
type Reports func(target, release string) bool

// Evidence gives the evidence of all that a plan is about, in the order in which it comes first. It is pure.
func (p *Plan) Evidence(reported Reports) []*Evidence {
	var all []*Evidence
	for _, d := range p.Devices {
		if d.Device.Source == nil || d.Device.Target == nil {
			continue
		}
		parts := d.Device.Target.Parts
		if parts == nil {
			parts = []*target.Target{d.Device.Target}
		}
		for _, t := range parts {
			e := evidence(t, d.Device.Source, reported)
			i := slices.IndexFunc(all, func(o *Evidence) bool { return o.Target == e.Target && o.Release == e.Release && o.About == e.About })
			if i < 0 {
				i = len(all)
				all = append(all, e)
			}
			all[i].Devices = append(all[i].Devices, d)
		}
	}
	return all
}

func evidence(t *target.Target, d *ir.Device, reported Reports) *Evidence {
	e := &Evidence{Target: t.Name, Grade: GradeDocumented}
	if d.Switch != nil {
		e.Release, e.About = d.Switch.Version, cmp.Or(osTitle(t), d.Switch.OS)+" "+d.Switch.Version
		if t.OS != nil {
			if c := t.OS.FindConfig(d.Switch.Config); c != nil {
				e.About += ", by " + c.Doc
			}
		}
	}
	if t.Image != nil {
		e.Grade = GradeSimulated
	}
	if reported(e.Target, e.Release) {
		e.Grade = GradeReported
	} else {
		e.Asks = t.NeedsReport != nil && t.NeedsReport(d)
	}
	return e
}

func osTitle(t *target.Target) string {
	if t.OS == nil {
		return ""
	}
	return t.OS.Title
}

// accepted reports whether the fabric accepts a change of the device that only documents support.
func accepted(d *target.Device) bool {
	return d.Source != nil && d.Source.Switch != nil && d.Source.Switch.AcceptDocumented
}

// Undecided returns the devices that a plan changes and that need a written acceptance which the fabric lacks.
func (e *Evidence) Undecided() (out []*target.Device) {
	for _, d := range e.Devices {
		if e.Asks && d.Status == StatusChange && !accepted(d.Device) {
			out = append(out, d.Device)
		}
	}
	return out
}

// Unaccepted refuses a plan that changes real devices of a kind without a report, unless the fabric accepts that. It is pure.
func (p *Plan) Unaccepted(reported Reports) diag.List {
	const room = 200 // bytes, for names
	var ds diag.List
	for _, e := range p.Evidence(reported) {
		of := map[diag.Range][]string{} // by the block that declares them
		var first []*target.Device      // of each block
		for _, d := range e.Undecided() {
			if of[d.Source.Decl] == nil {
				first = append(first, d)
			}
			of[d.Source.Decl] = append(of[d.Source.Decl], d.Name)
		}
		for _, d := range first {
			names := of[d.Source.Decl]
			f := topicDocumented.Errorf(&ds, d.At, "The plan changes %s (%s). What rocec writes there is known from public documents%s, and no "+
				"user has reported yet what such a device says to it.", nodeset.Text(names, nodeset.Devices, room), e.About,
				map[Grade]string{GradeSimulated: " and a simulation by them"}[e.Grade])
			f.Fix = &diag.Fix{Message: fmt.Sprintf("rehearse it with --lab, see what `rocec selftest` finds on %s, begin with a device that may "+
				"fail; then say accept_documented = true in the switch block, or --accept-unverified for this run",
				diag.Plural(len(names), "the device", "the devices"))}
		}
	}
	ds.Sort()
	return ds
}

var topicDocumented = diag.Topic{Code: "documented-only", Summary: "real device of a kind without a report from a user"}
