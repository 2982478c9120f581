package deploy

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target/lint"
	"github.com/rocec/rocec/validate/settings"
)

// judged is a finding of the rules about settings, with the field whose value it is about.
type judged struct {
	*diag.Diagnostic
	field ir.Field
}

// accepted reports whether the named values of an accept block take the finding away. What a rule calls an error is never accepted.
func (j judged) accepted(names []string) bool {
	return j.Severity != diag.Error && ir.Accepts(names, j.field)
}

func diagnostics(all []judged) (out diag.List) {
	for _, one := range all {
		out = append(out, one.Diagnostic)
	}
	return out
}

// beside returns the findings of the rules about the settings of a switch that they do not find in the settings of the fabric: those of
// values that rocec does not write.
func beside(d *ir.Device, s *ir.Settings) []judged {
	if d == nil || d.Switch == nil || s == nil {
		return nil
	}
	wanted := d.Wanted()
	all := rulesOn(d, d.Completed(s))
	if !slices.ContainsFunc(d.Ports, func(p *ir.Port) bool { return shorter(p, s, wanted) }) { // less than arrives, within the tolerance
		all = slices.DeleteFunc(all, func(one judged) bool {
			return one.Code == settings.Headroom.Code && one.Severity == diag.Warning
		})
	}
	if len(all) == 0 {
		return nil
	}
	meant := diagnostics(rulesOn(d, wanted))
	return slices.DeleteFunc(all, func(one judged) bool { return says(meant, one.Diagnostic) })
}

// rulesOn returns what the rules find in the settings of a switch, at the line that declares it.
func rulesOn(d *ir.Device, s *ir.Settings) (out []judged) {
	var into lint.Findings
	settings.Judge(&settings.Reading{Settings: s, At: d.At, Where: fieldAsPlace, Arrives: d.Arrives()}, &into)
	for _, one := range into.Close() {
		out = append(out, judged{one, ir.Field(one.At.Start.Byte)})
		one.At = d.At
	}
	return out
}

// fieldAsPlace gives the number of a field as the place of its values. Settings of a device stand in no file of the fabric, so the place of
// a finding is free to tell its field.
func fieldAsPlace(_ string, f ir.Field, _ int) (diag.Range, bool) {
	var at diag.Range
	at.Start.Byte = int(f)
	return at, true
}

// says reports whether a list has the finding.
func says(list diag.List, of *diag.Diagnostic) bool {
	key := func(one *diag.Diagnostic) string { return one.Code + " " + one.Detail }
	return slices.ContainsFunc(list, func(one *diag.Diagnostic) bool { return key(one) == key(of) })
}
