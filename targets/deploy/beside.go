package deploy

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/lint"
	"github.com/rocec/rocec/validate/settings"
)

// judged is a finding of the rules about settings, with the field of the value that the rule checked.
type judged struct {
	*diag.Diagnostic
	field ir.Field
}

// accepted reports whether an accept block with the named values removes the finding. An error is never accepted.
func (j judged) accepted(names []string) bool {
	return j.Severity != diag.Error && ir.Accepts(names, j.field)
}

func diagnostics(all []judged) (out diag.List) {
	for _, one := range all {
		out = append(out, one.Diagnostic)
	}
	return out
}

// beside returns the findings of the rules in the settings of a switch, except those that the fabric's own settings cause too. Values
// that rocec does not write cause the rest.
func beside(of *target.Device, s *ir.Settings) []judged {
	d := of.Source
	if d == nil || d.Switch == nil || s == nil {
		return nil
	}
	wanted := d.Wanted()
	arrives := arrivesAt(of)
	all := rulesOn(d, d.Completed(s), arrives)
	// no port is below the expected bytes by more than the tolerance
	if !slices.ContainsFunc(d.Ports, func(p *ir.Port) bool { return shorter(p, s, wanted) }) {
		all = slices.DeleteFunc(all, func(one judged) bool {
			return one.Code == settings.Headroom.Code && one.Severity == diag.Warning
		})
	}
	if len(all) == 0 {
		return nil
	}
	meant := diagnostics(rulesOn(d, wanted, arrives))
	return slices.DeleteFunc(all, func(one judged) bool { return says(meant, one.Diagnostic) })
}

// arrivesAt returns the function that gives the bytes that the fabric expects at a port after a pause. The function returns 0 for a port
// whose headroom the switch takes from its built-in tables. Such a port can only have the published size.
func arrivesAt(of *target.Device) func(port string, cos int) (most, likely int) {
	expected := of.Source.Arrives()
	own := map[string]bool{}
	for _, p := range of.Source.Ports {
		own[p.Name] = of.Target != nil && slices.ContainsFunc(of.Target.Rounds, func(r target.Rounding) bool {
			return r.Field == ir.FieldHeadroom && r.How == target.Derived && (r.On == nil || r.On(p))
		})
	}
	return func(port string, cos int) (most, likely int) {
		if own[port] {
			return 0, 0
		}
		return expected(port, cos)
	}
}

// rulesOn returns the findings of the rules in the settings of a switch, at the line that declares the switch. arrives is the function of
// [arrivesAt].
func rulesOn(d *ir.Device, s *ir.Settings, arrives func(port string, cos int) (most, likely int)) (out []judged) {
	var into lint.Findings
	settings.Judge(&settings.Reading{Settings: s, At: d.At, Where: fieldAsPlace, Arrives: arrives}, &into)
	for _, one := range into.Close() {
		out = append(out, judged{one, ir.Field(one.At.Start.Byte)})
		one.At = d.At
	}
	return out
}

// fieldAsPlace returns the number of a field as the place of its values. No file of the fabric contains the settings of a device, so the
// place of a finding can encode its field.
func fieldAsPlace(_ string, f ir.Field, _ int) (diag.Range, bool) {
	var at diag.Range
	at.Start.Byte = int(f)
	return at, true
}

// says reports whether a list contains the finding.
func says(list diag.List, of *diag.Diagnostic) bool {
	key := func(one *diag.Diagnostic) string { return one.Code + " " + one.Detail }
	return slices.ContainsFunc(list, func(one *diag.Diagnostic) bool { return key(one) == key(of) })
}
