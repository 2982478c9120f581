package deploy

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy/txn"
)

// Unsound returns, as a sentence, why a device that differs from its files does not carry lossless traffic as the fabric requires. It
// returns "" for a sound device. On a sound device, PFC, the maps of the values that intents send, the marking and the numbers that the
// fabric states equal the fabric's. Its headroom is at most 5 % less, and no packet leaves with another mark. The rules find nothing that
// they do not also find in the settings of the fabric. Values that the fabric accepts ([Plan.Accept]) count as equal. It is pure.
func (d *DevicePlan) Unsound() string {
	source, meant := d.Device.Source, d.New
	unmet := d.Err != nil && d.Err.Kind == Unmet && source != nil && source.Switch != nil // the device was read and need not change
	if unmet {
		meant = source.Wanted()
	}
	switch {
	case source == nil || d.Status != StatusChange && !unmet:
		return "It could not be compared."
	case d.Old == nil || meant == nil:
		return "Its settings are not known."
	case source.Switch == nil && d.Filed != nil:
		return d.Filed.unsoundHost(source)
	case source.Switch == nil:
		for _, c := range d.Changes {
			if c.Live() {
				return fmt.Sprintf("%s differs from the fabric.", c.File.Path)
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
	if worst := d.worst(); worst != nil {
		return fmt.Sprintf("%s [%s]", worst.Detail, worst.Code)
	}
	return ""
}

// unsoundHost returns why a host does not carry lossless traffic as the fabric requires, by its files; empty: no reason. It ignores
// differences that do not affect lossless traffic: the cos of a value that no group claims, the classes and shares of other traffic, and
// a longer cable.
func (f *Filed) unsoundHost(d *ir.Device) string {
	for _, p := range d.Ports {
		is, meant := f.Is.Port(p.Name), f.Meant.Port(p.Name)
		if meant == nil || !meant.PausesKnown {
			continue
		}
		if is == nil || !is.PausesKnown && !is.Detail.Get().PFC.Known() {
			return fmt.Sprintf("At %s, PFC is not known.", p.Name)
		}
		if why := unlikeNIC(p, is, meant); why != "" {
			return fmt.Sprintf("At %s, %s.", p.Name, why)
		}
	}
	for i := range f.Values {
		if !slices.Contains(besideRoCE, f.Values[i].Field) {
			return fmt.Sprintf("In its files, %s.", f.Values[i].Text())
		}
	}
	return ""
}

// besideRoCE contains the fields of a NIC that [unlikeNIC] checks only for effects on lossless traffic.
var besideRoCE = []ir.Field{ir.FieldDSCP, ir.FieldPCP, ir.FieldQueue, ir.FieldStrict, ir.FieldShare, ir.FieldCable}

// unlikeNIC returns, as a part of a sentence, a difference of a NIC from the fabric that affects lossless traffic; empty: no such
// difference.
func unlikeNIC(p *ir.Port, is, meant *ir.PortSettings) string {
	for m := range p.Device().Fabric.Missorts(is, meant) {
		switch {
		case !is.TrustKnown:
		case m.Untrusted:
			return fmt.Sprintf("%s is not trusted", m.Field)
		case m.Is >= 0:
			return fmt.Sprintf("%s %d is put in cos %d, and not in %d", m.Field, m.Value, m.Is, m.Want)
		}
	}
	a, b := is.Detail.Get(), meant.Detail.Get()
	if a.PFC.Known() && b.PFC.Known() && a.PFC != b.PFC {
		return fmt.Sprintf("PFC is on for %s, and the fabric has it for %s", cosOf(a.PFC.Value), cosOf(b.PFC.Value))
	}
	for cos := range 8 {
		if (meant.Sends|meant.Obeys)>>cos&1 == 0 || a.Queue[cos] < 0 {
			continue
		}
		for other := range 8 {
			if a.Queue[other] == a.Queue[cos] && b.Queue[other] != b.Queue[cos] {
				return fmt.Sprintf("cos %d has the traffic class of cos %d, which is lossless", other, cos)
			}
		}
	}
	for _, g := range p.Device().Fabric.CosGroups {
		if g.Weight > 0 && is.Share[g.Cos] > 0 && g.Deprived(p.Device().Fabric, is, meant) {
			return fmt.Sprintf("the share of cos %d does not have the weight that the fabric states", g.Cos)
		}
	}
	if a.Cable.Known() && b.Cable.Known() && a.Cable.Value < b.Cable.Value {
		return fmt.Sprintf("headroom is for a cable of %d m, and not of %d m", a.Cable.Value, b.Cable.Value)
	}
	return ""
}

// worst returns the most severe finding about the present state of a device, by the rules for its files and by the rules for every
// system. It leaves out findings that the fabric's own settings cause, too. It also leaves out warnings about values that the fabric
// accepts or that rocec does not write.
func (d *DevicePlan) worst() *diag.Diagnostic {
	var all diag.List
	names := d.accepts()
	for _, one := range d.Linted {
		if one.Severity == diag.Error || len(names) == 0 && !says(d.Found, one) {
			all = append(all, one)
		}
	}
	for _, one := range beside(d.Device, d.Old) {
		if !one.accepted(names) {
			all = append(all, one.Diagnostic)
		}
	}
	for _, grave := range []diag.Severity{diag.Error, diag.Warning} {
		if i := slices.IndexFunc(all, func(one *diag.Diagnostic) bool { return one.Severity == grave }); i >= 0 {
			return all[i]
		}
	}
	return nil
}

// Quiet reports whether the watches found only notes, and other programs that set the device.
func (d *DevicePlan) Quiet() bool {
	var whose func(string) bool
	if t := d.Device.Target; t != nil {
		whose = t.Whose
	}
	return !slices.ContainsFunc(d.Watched, func(w Watched) bool { return !w.soundBut(whose) })
}

// unlike returns, as a part of a sentence, a difference of a port from the fabric that affects lossless traffic; empty: no such
// difference.
func unlike(p *ir.Port, is, meant *ir.PortSettings) string {
	switch {
	case meant == nil || !meant.PausesKnown:
		return ""
	case is == nil || !is.PausesKnown:
		return "PFC is not known"
	case is.LinkPause != meant.LinkPause:
		return "link pause is on at the device or in the fabric, but not in both"
	case is.Sends == is.Obeys && meant.Sends == meant.Obeys && is.Sends != meant.Sends:
		return fmt.Sprintf("PFC is on for %s, and the fabric has it for %s", cosOf(is.Sends), cosOf(meant.Sends))
	case is.Sends != meant.Sends:
		return fmt.Sprintf("pauses are sent for %s, and in the fabric for %s", cosOf(is.Sends), cosOf(meant.Sends))
	case is.Obeys != meant.Obeys:
		return fmt.Sprintf("pauses are obeyed for %s, and in the fabric for %s", cosOf(is.Obeys), cosOf(meant.Obeys))
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

// cosOf formats priorities: "cos 3-4".
func cosOf(mask uint8) string {
	var cos []int
	for n := range 8 {
		if mask>>n&1 == 1 {
			cos = append(cos, n)
		}
	}
	if len(cos) == 0 {
		return "no cos"
	}
	return "cos " + Ranges(cos)
}

// unsorted returns a text about a value of a cos group that gets another cos.
func unsorted(p *ir.Port, is, meant *ir.PortSettings) string {
	if !meant.TrustKnown {
		return ""
	}
	if !is.TrustKnown {
		return "the trusted fields are not known"
	}
	detail := is.Detail.Get()
	for _, field := range []struct {
		name     string
		meant    bool
		rewrites ir.Setting[bool]
	}{{"DSCP", meant.Trust.DSCP, detail.RewriteDSCP}, {"PCP", meant.Trust.PCP, detail.RewritePCP}} {
		if field.meant && field.rewrites.Known() && field.rewrites.Value {
			return fmt.Sprintf("%s of packets that leave is rewritten, and rocec does not compare the values", field.name)
		}
	}
	for m := range p.Device().Fabric.Missorts(is, meant) {
		switch {
		case m.Untrusted:
			return fmt.Sprintf("%s is not trusted", m.Field)
		case m.Is < 0:
			return fmt.Sprintf("the cos of %s %d is not known", m.Field, m.Value)
		}
		return fmt.Sprintf("%s %d is put in cos %d, and not in %d", m.Field, m.Value, m.Is, m.Want)
	}
	return ""
}

// Since returns the last kept run of a device that is not as written, and whether others have changed its settings since. Empty: no such
// run is known.
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
