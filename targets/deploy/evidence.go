package deploy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/target"
)

// Grade is the kind of proof that the output of a target works.
type Grade string

// The grades, from the weakest to the strongest.
const (
	GradeDocumented Grade = "documented" // from public documents alone
	GradeSimulated  Grade = "simulated"  // the lab rehearses the output, by the same documents
	GradeReported   Grade = "reported"   // users have sent the answers of such devices
)

// Evidence is the proof that the output works on the devices of a plan with one target, one release, one way of writing and equal reports.
type Evidence struct {
	Target  string // "cumulus"
	Release string // release of the operating system, "5.3.1"; empty: devices of the target have no release
	About   string // "Cumulus Linux 5.3.1, by its files"; empty: the name of the target
	Grade   Grade
	Asks    bool // no user has reported on such a device, so a person must accept the change in writing
	Devices []*DevicePlan
}

// Reports reports whether there is a user's report on a target, a release, and the chip of a switch or the model of a NIC.
type Reports func(target, release, chip string) bool

// Evidence returns the evidence for all devices of a plan, in the order of their first appearance. It is pure.
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
			i := slices.IndexFunc(all, func(o *Evidence) bool {
				return o.Target == e.Target && o.Release == e.Release && o.About == e.About && o.Grade == e.Grade
			})
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
	if all := chips(t, d); len(all) > 0 && !slices.ContainsFunc(all, func(chip string) bool { return !reported(e.Target, e.Release, chip) }) {
		e.Grade = GradeReported
	} else {
		e.Asks = t.NeedsReport != nil && t.NeedsReport(d)
	}
	return e
}

// chips returns the chip of a switch, or the models of the NICs of a host that the target writes, each once.
func chips(t *target.Target, d *ir.Device) (out []string) {
	if d.Switch != nil {
		if d.Switch.Model == nil || d.Switch.Model.ASIC == nil {
			return nil
		}
		return []string{d.Switch.Model.ASIC.Title}
	}
	for _, n := range d.Host.NICs {
		if n.Model.Driver == t.Driver && !slices.Contains(out, n.Model.Name) {
			out = append(out, n.Model.Name)
		}
	}
	return out
}

func osTitle(t *target.Target) string {
	if t.OS == nil {
		return ""
	}
	return t.OS.Title
}

// accepted reports whether the fabric accepts a change of the device without evidence beyond documents.
func accepted(d *target.Device) bool {
	return d.Source != nil && d.Source.Switch != nil && d.Source.Switch.AcceptDocumented
}

// Undecided returns the devices whose change in the plan needs a written acceptance that the fabric lacks.
func (e *Evidence) Undecided() (out []*target.Device) {
	for _, d := range e.Devices {
		if e.Asks && d.Status == StatusChange && !accepted(d.Device) && e.changes(d) {
			out = append(out, d.Device)
		}
	}
	return out
}

// changes reports whether the plan changes something of the target on a device. The step of a host's NICs begins with the target's name.
func (e *Evidence) changes(d *DevicePlan) bool {
	if d.Device.Source.Host == nil || d.Device.Target.Parts == nil {
		return true
	}
	for _, c := range d.Changes {
		if strings.HasPrefix(c.File.Activate.Name, e.Target+" ") {
			return true
		}
	}
	return false
}

// Unaccepted refuses a plan that changes real devices without a user's report, unless the fabric accepts that. It is pure.
func (p *Plan) Unaccepted(reported Reports) diag.List {
	const room = 200 // bytes, for names
	var ds diag.List
	for _, e := range p.Evidence(reported) {
		of := map[diag.Range][]string{} // evidence by the block that declares the devices
		var first []*target.Device      // devices of each block
		for _, d := range e.Undecided() {
			if of[d.Source.Decl] == nil {
				first = append(first, d)
			}
			of[d.Source.Decl] = append(of[d.Source.Decl], d.Name)
		}
		for _, d := range first {
			names := of[d.Source.Decl]
			f := topicDocumented.Errorf(&ds, d.At, "The plan changes %s (%s). The new content follows public documents%s, and no "+
				"user has reported yet how such a device reacts to it.", nodeset.Text(names, nodeset.Devices, room),
				cmp.Or(e.About, "NICs of "+e.Target),
				map[Grade]string{GradeSimulated: " and a simulation based on them"}[e.Grade])
			inBlock := "set accept_documented = true in the switch block, or "
			if d.Source.Switch == nil {
				inBlock = ""
			}
			f.Fix = &diag.Fix{Message: fmt.Sprintf("rehearse it with --lab, see what `rocec selftest` finds on %s, begin with a device that may "+
				"fail; then %s--accept-unverified for this run", diag.Plural(len(names), "the device", "the devices"), inBlock)}
		}
	}
	ds.Sort()
	return ds
}
