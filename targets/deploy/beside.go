package deploy

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target/lint"
	"github.com/rocec/rocec/validate/settings"
)

// beside returns the findings of the rules about the settings of a switch that they do not find in the settings of the fabric: those of
// values that rocec does not write.
func beside(d *ir.Device, s *ir.Settings) diag.List {
	if d == nil || d.Switch == nil || s == nil {
		return nil
	}
	found := func(s *ir.Settings) diag.List {
		var into lint.Findings
		settings.Judge(&settings.Reading{Settings: s, At: d.At}, &into)
		return into.Close()
	}
	all := found(s)
	if len(all) == 0 {
		return nil
	}
	meant := map[string]bool{}
	for _, one := range found(d.Wanted()) {
		meant[one.Code+" "+one.Detail] = true
	}
	return slices.DeleteFunc(all, func(one *diag.Diagnostic) bool { return meant[one.Code+" "+one.Detail] })
}
