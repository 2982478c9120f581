package targets

import (
	"slices"
	"sort"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target"
)

// DeviceRead is the settings of a device of the fabric, as its files state them.
type DeviceRead struct {
	*target.Understood
	Files []string // that were read
	Not   []string // sentences: files that were not, and why

	device *ir.Device
}

// ReadValue is a value of a device that was read, and is not the wanted one.
type ReadValue struct {
	Name, Wanted, Read string
	Field              ir.Field
	At                 diag.Range // of the value that was read; zero: it has no place
	Why                string     // the reason why rocec itself would leave the two different; empty: it would not
}

// Unwanted lists the values that were read and are not the wanted ones: of one port, or of all for an empty name. Values that one side does
// not know are left out. Those with a reason come last. Not whole: there are more kinds of ports than are compared.
func (r *DeviceRead) Unwanted(port string) (out []ReadValue, whole bool) {
	wanted, read := r.device.Wanted(), r.Settings
	if port != "" {
		one := func(s *ir.Settings) *ir.Settings {
			return &ir.Settings{Ports: map[string]*ir.PortSettings{port: s.Port(port)}}
		}
		wanted, read = one(wanted), one(read)
	}
	all, whole := wanted.Differences(read)
	for _, d := range all {
		v := ReadValue{Name: subject(d), Field: d.Field, Wanted: d.A, Read: d.B, Why: r.form(d)}
		if r.Where != nil {
			v.At, _ = placeOf(r.Understood, d)
		}
		out = append(out, v)
	}
	sort.SliceStable(out, func(i, k int) bool { return out[i].Why == "" && out[k].Why != "" })
	return out, whole
}

// form returns the reason why the system of the device has a value in a form of its own, or has no word for it; empty: rocec would write
// the value as the fabric wants it. Fields of which the device may keep more than is wanted have no reason: it may have less.
func (r *DeviceRead) form(d *ir.Difference) string {
	var port *ir.Port
	if i := slices.IndexFunc(r.device.Ports, func(p *ir.Port) bool { return slices.Contains(d.Ports, p.Name) }); i >= 0 {
		port = r.device.Ports[i]
	}
	for _, row := range All.of(r.device) {
		i := slices.IndexFunc(row.Rounds, func(one target.Rounding) bool {
			return one.Field == d.Field && (one.On == nil || port != nil && one.On(port))
		})
		if i >= 0 && r.explains(row.Rounds[i].How, d.Field, port) {
			return row.Rounds[i].Why
		}
	}
	return ""
}

// explains reports whether a form is a reason for another value at a port; a nil port is one that the fabric does not have.
func (r *DeviceRead) explains(how target.Rounded, f ir.Field, p *ir.Port) bool {
	switch how {
	case target.Derived, target.Unsaid:
		return true
	case target.Trusted:
		return p != nil && (f == ir.FieldDSCP && !p.Trust().DSCP || f == ir.FieldPCP && !p.Trust().PCP)
	case target.Up: // the length of a cable alone goes up
		cable := func(s *ir.Settings) int { return s.Port(p.Name).Detail.Get().Cable.Value }
		return p != nil && f == ir.FieldCable && cable(r.Settings) > cable(r.device.Wanted())
	}
	return false
}
