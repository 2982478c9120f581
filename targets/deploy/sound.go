package deploy

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy/txn"
)

// tolerance is the part of the headroom that a device which rocec has not written may lack and be sound, in percent: vendors count other
// delays than rocec does, and round.
const tolerance = 5

// Unsound returns why a device that is not as written does not carry lossless traffic as the fabric means it, as a sentence. Empty: its
// PFC, the maps of the values that intents send and its marking are those of the fabric, so are the numbers that the fabric states, its
// headroom is at most 5 % less, and the rules find nothing that they do not find in the settings of the fabric. Values that the fabric
// accepts ([Plan.Accept]) count as it means them. It is pure.
func (d *DevicePlan) Unsound() string {
	source, meant := d.Device.Source, d.New
	unmet := d.Err != nil && d.Err.Kind == Unmet && source != nil && source.Switch != nil // it was read, and is not to be changed
	if unmet {
		meant = source.Wanted()
	}
	switch {
	case source == nil || d.Status != StatusChange && !unmet:
		return "It could not be compared."
	case d.Old == nil || meant == nil:
		return "Its settings are not known."
	case source.Switch == nil:
		for _, c := range d.Changes {
			if c.Live() {
				return fmt.Sprintf("%s is not as the fabric means it.", c.File.Path)
			}
		}
		return ""
	}
	old := cmp.Or(d.taken, d.Old)
	for _, p := range source.Ports {
		if why := unlike(p, old.Port(p.Name), meant.Port(p.Name)); why != "" {
			return fmt.Sprintf("At %s, %s.", p.Name, why)
		}
	}
	for _, found := range beside(source, old) {
		if found.Severity != diag.Notice {
			return fmt.Sprintf("%s [%s]", found.Detail, found.Code)
		}
	}
	return ""
}

// Quiet reports whether the watches found no more than notes and who else sets the device.
func (d *DevicePlan) Quiet() bool {
	var whose func(string) bool
	if t := d.Device.Target; t != nil {
		whose = t.Whose
	}
	return !slices.ContainsFunc(d.Watched, func(w Watched) bool { return !w.soundBut(whose) })
}

// unlike returns in which way a port is not set as it is meant, as a part of a sentence; empty: lossless traffic notices no difference.
func unlike(p *ir.Port, is, meant *ir.PortSettings) string {
	switch {
	case meant == nil || !meant.PausesKnown:
		return ""
	case is == nil || !is.PausesKnown:
		return "PFC is not known"
	case is.LinkPause != meant.LinkPause:
		return "link pause is on in one of both"
	case is.Sends|is.Obeys == meant.Sends|meant.Obeys && is.Sends != meant.Sends:
		return "PFC goes one way"
	case is.Sends != meant.Sends || is.Obeys != meant.Obeys:
		return fmt.Sprintf("PFC is on for %s, and the fabric has it for %s", masks(is), masks(meant))
	}
	if why := unsorted(p, is, meant); why != "" {
		return why
	}
	for _, m := range p.Marks() {
		if meant.Marks>>m.Group.Cos&1 == 1 && is.Marks>>m.Group.Cos&1 == 0 {
			return fmt.Sprintf("cos %d is not marked", m.Group.Cos)
		}
	}
	if why := restated(p, is, meant); why != "" || len(p.Buffers()) == 0 {
		return why
	}
	return short(is, meant)
}

// masks names the priorities for which a port sends pauses or obeys them.
func masks(p *ir.PortSettings) string {
	var cos []int
	for n := range 8 {
		if (p.Sends|p.Obeys)>>n&1 == 1 {
			cos = append(cos, n)
		}
	}
	if len(cos) == 0 {
		return "no cos"
	}
	return "cos " + Ranges(cos)
}

// unsorted returns which value of a cos group goes elsewhere.
func unsorted(p *ir.Port, is, meant *ir.PortSettings) string {
	if !meant.TrustKnown {
		return ""
	}
	if !is.TrustKnown {
		return "the trusted fields are not known"
	}
	for _, g := range p.Device().Fabric.CosGroups {
		for _, f := range []struct {
			name      string
			needs, is bool
			claims    []ir.Claim
			to, as    []int8
		}{
			{"DSCP", meant.Trust.DSCP, is.Trust.DSCP, g.DSCP, is.DSCP[:], meant.DSCP[:]},
			{"PCP", meant.Trust.PCP, is.Trust.PCP, g.PCP, is.PCP[:], meant.PCP[:]},
		} {
			if !f.needs {
				continue
			}
			for _, c := range f.claims {
				switch to := f.to[c.Value]; {
				case !f.is:
					return fmt.Sprintf("%s is not trusted", f.name)
				case to < 0:
					return fmt.Sprintf("the cos of %s %d is not known", f.name, c.Value)
				case to != f.as[c.Value]:
					return fmt.Sprintf("%s %d is put in cos %d, and not in %d", f.name, c.Value, to, f.as[c.Value])
				}
			}
		}
	}
	return ""
}

// short returns how the headroom of a port is less than it is meant to be, beyond the tolerance. Where the switch computes it, the length
// of the cable takes its place.
func short(is, meant *ir.PortSettings) string {
	if is.Headroom > 0 && meant.Headroom > 0 {
		if is.Headroom*100 < meant.Headroom*(100-tolerance) {
			return fmt.Sprintf("headroom is %s, and not %s", diag.Bytes(is.Headroom), diag.Bytes(meant.Headroom))
		}
		return ""
	}
	have, need := is.Detail.Get().Cable, meant.Detail.Get().Cable
	switch {
	case !have.Known():
		return "the headroom is not known"
	case need.Known() && have.Value < need.Value:
		return fmt.Sprintf("headroom is for a cable of %d m, and not of %d m", have.Value, need.Value)
	}
	return ""
}

// Since returns the last run that the device has kept, where it is not as written, and whether its settings were changed since by
// others. Empty: no such run is known.
func (d *DevicePlan) Since() (run string, touched bool) {
	if d.Status != StatusChange || d.Count == 0 {
		return "", false
	}
	for _, r := range d.Over {
		if r.Mark == txn.Confirmed {
			run = max(run, r.Run)
		}
	}
	return run, run != "" && !d.AsLeft
}
