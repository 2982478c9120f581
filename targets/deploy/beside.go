package deploy

import (
	"maps"
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
	wanted := d.Wanted()
	all := rulesOn(d, withPorts(s, wanted))
	if len(all) == 0 {
		return nil
	}
	meant := map[string]bool{}
	for _, one := range rulesOn(d, wanted) {
		meant[one.Code+" "+one.Detail] = true
	}
	return slices.DeleteFunc(all, func(one *diag.Diagnostic) bool { return meant[one.Code+" "+one.Detail] })
}

// rulesOn returns what the rules find in the settings of a switch, at the line that declares it.
func rulesOn(d *ir.Device, s *ir.Settings) diag.List {
	var into lint.Findings
	settings.Judge(&settings.Reading{Settings: s, At: d.At}, &into)
	return into.Close()
}

// withPorts returns settings with the speed, the MTU and the cable that the fabric states of ports, where the settings state none.
func withPorts(s, wanted *ir.Settings) *ir.Settings {
	type pair struct{ is, meant *ir.PortSettings }
	joined := map[pair]*ir.PortSettings{}
	out := *s
	out.Ports = maps.Clone(s.Ports)
	if out.Ports == nil {
		out.Ports = map[string]*ir.PortSettings{}
	}
	for name, meant := range wanted.Ports {
		of := pair{s.Port(name), meant}
		if of.is == nil {
			continue
		}
		if joined[of] == nil {
			p := *of.is
			detail, from := p.Detail.Get(), meant.Detail.Get()
			detail.Speed, detail.MTU, detail.Cable = known(detail.Speed, from.Speed), known(detail.MTU, from.MTU), known(detail.Cable, from.Cable)
			p.Detail = ir.NewDetail(detail)
			joined[of] = &p
		}
		out.Ports[name] = joined[of]
	}
	return &out
}

// known returns the first value that is known.
func known[T comparable](a, b ir.Setting[T]) ir.Setting[T] {
	if a.Known() {
		return a
	}
	return b
}
