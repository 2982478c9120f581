package deploy

import (
	"fmt"
	"slices"
	"time"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// Accept notes which differences of devices the fabric accepts at a time, and which accept blocks have expired. A device that differs
// only in accepted values counts as up to date, unless the rules find an error in its settings.
func (p *Plan) Accept(now time.Time) {
	i := slices.IndexFunc(p.Devices, func(d *DevicePlan) bool { return d.Device.Source != nil })
	if i < 0 {
		return
	}
	blocks := map[*ir.Device][]*ir.Accept{}
	for _, a := range p.Devices[i].Device.Source.Fabric.Accepts {
		if a.Over(now) {
			topicOver.Noticef(&p.Over, a.At, "This accept block (%q, by %s) was valid until %s and no longer applies. Delete it, or "+
				"give it a later day.", a.Reason, a.By, a.Until)
			continue
		}
		for _, d := range a.Devices {
			blocks[d] = append(blocks[d], a)
		}
	}
	for _, d := range p.Devices {
		if d.Device.Source != nil {
			d.accept(blocks[d.Device.Source])
		}
	}
}

func (d *DevicePlan) accept(blocks []*ir.Accept) {
	source := d.Device.Source
	if len(blocks) == 0 || d.Old == nil || d.New == nil || d.Status != StatusChange && d.Status != StatusSame {
		return
	}
	for _, a := range blocks {
		one := Accepted{Block: a}
		one.Differences, _ = d.Old.Unlike(source.Taking(a.Differs, d.Old, d.New))
		one.Found = d.silence(a.Differs)
		if len(one.Differences)+len(one.Found) > 0 {
			d.Accepted = append(d.Accepted, one)
		}
	}
	if len(d.Accepted) == 0 {
		return
	}
	d.taken = source.Taking(d.accepts(), d.Old, d.New)
	rest, whole := d.taken.Unlike(d.New)
	worst := d.worst()
	d.Whole = whole && len(rest) == 0 && d.Old.System.Preset == d.New.System.Preset &&
		(worst == nil || worst.Severity != diag.Error) && (d.Status == StatusChange || d.Quiet()) &&
		!slices.ContainsFunc(d.Changes, func(c *Change) bool { return c.Action != Update || len(c.Rights) > 0 || c.Base == c.Target })
}

// silence removes the warnings about accepted values from the findings of the rules, and returns the removed warnings. Errors stay.
func (d *DevicePlan) silence(names []string) (out diag.List) {
	i := slices.IndexFunc(d.Watched, func(w Watched) bool { return w.Name == rulesWatch })
	if i < 0 {
		return nil
	}
	var stays diag.List
	for _, one := range beside(d.Device, d.New) {
		switch {
		case !says(d.Watched[i].Found, one.Diagnostic): // an earlier block accepts it
		case one.accepted(names):
			out = append(out, one.Diagnostic)
		default:
			stays = append(stays, one.Diagnostic)
		}
	}
	d.Watched = slices.Clone(d.Watched)
	if d.Watched[i].Found = stays; len(stays) == 0 {
		d.Watched = slices.Delete(d.Watched, i, i+1)
	}
	return out
}

// LeaveAccepted removes from the plan the changes of devices whose differences the fabric accepts. The run leaves those devices
// unchanged.
func (p *Plan) LeaveAccepted() {
	for _, d := range p.Devices {
		if d.Whole && d.Status == StatusChange {
			d.Status = StatusSame
			d.Changes, d.Disrupts, d.Effects, d.Removing, d.New = nil, nil, nil, false, d.Old
		}
	}
}

// Values names the accepted values that differ and the codes of the accepted findings, each once: "headroom", "conf-throttled".
func (a *Accepted) Values() []string {
	var out []string
	for _, d := range a.Differences {
		if name := d.Field.String(); !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	for _, one := range a.Found {
		if !slices.Contains(out, one.Code) {
			out = append(out, one.Code)
		}
	}
	return out
}

// Text lists the differing values and the reason of the accept block: "headroom, xoff, by ann until 2027-03-01: ticket 4711".
func (a *Accepted) Text() string {
	until := ""
	if a.Block.Until != "" {
		until = " until " + a.Block.Until
	}
	return fmt.Sprintf("%s, by %s%s: %s", diag.And(a.Values()), a.Block.By, until, a.Block.Reason)
}
