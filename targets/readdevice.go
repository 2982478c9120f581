package targets

import (
	"cmp"
	"fmt"
	"path"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nic/tools"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/lint"
)

// DeviceRead is the settings of a device of the fabric, as its files state them.
type DeviceRead struct {
	*target.Understood
	Files []string // that were read
	Not   []string // sentences: files that were not, and why

	device *ir.Device
}

// ReadDevice reads the files of one device: those in a folder of its name or with its name, or all files where they are of one device.
// Running settings go before stored ones. Why is the reason where no settings were read; empty: some were.
func ReadDevice(d *ir.Device, files []lint.File) (r *DeviceRead, why string) {
	of, why := filesOf(d, files)
	if why != "" {
		return nil, why
	}
	j := newJudging(of)
	j.id = identityOf(d)
	all := device{name: d.Name}
	for i := range of {
		all.files = append(all.files, i)
	}
	stored, running := j.device(all)
	r = &DeviceRead{Understood: cmp.Or(running, stored), device: d}
	hosts := map[string][]byte{}
	for i, f := range of {
		switch own := j.read[i].own; {
		case own == nil:
			r.Not = append(r.Not, fmt.Sprintf("%s: %s", f.Name, cmp.Or(f.Why, j.taken[i].Why, "rocec has no reader for it.")))
			continue
		case j.read[i].host:
			hosts[f.Name] = f.Data
		case r.Understood == nil: // a file of no moment
			r.Understood = own
		}
		r.Files = append(r.Files, f.Name)
	}
	if len(hosts) > 0 && r.Understood == nil {
		r.Understood = tools.Understand(j.id, hosts)
	}
	if r.Understood == nil {
		return nil, "no file of " + d.Name + " can be read: " + diag.And(r.Not)
	}
	return r, ""
}

// filesOf returns the files of a device.
func filesOf(d *ir.Device, files []lint.File) (of []lint.File, why string) {
	all := devicesOf(files)
	var names []string
	for _, one := range all {
		names = append(names, one.name)
	}
	if len(all) > 1 {
		all = slices.DeleteFunc(all, func(one device) bool { return path.Base(one.name) != d.Name })
	}
	switch {
	case len(names) == 0:
		return nil, "there is no file"
	case len(all) == 0:
		return nil, fmt.Sprintf("no file is of %s: they are of %s", d.Name, diag.Some(names, mostPorts))
	case len(all) == 1:
		for _, i := range all[0].files {
			of = append(of, files[i])
		}
		return of, ""
	}
	names = nil
	for _, one := range all {
		names = append(names, one.name)
	}
	return nil, fmt.Sprintf("the files of several devices are named %s: %s", d.Name, diag.Some(names, mostPorts))
}

// identityOf is the identity that the fabric states of a device whose files are read.
func identityOf(d *ir.Device) (id target.Identity) {
	for _, p := range d.Ports {
		id.Ports = append(id.Ports, p.Name)
	}
	if s := d.Switch; s != nil {
		id.OS, id.Release, id.Model = s.OS, s.Version, s.Model.Name
	}
	return id
}

// ReadValue is a value of a device that was read, and is not the wanted one.
type ReadValue struct {
	Name, Wanted, Read string
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
		v := ReadValue{Name: subject(d), Wanted: d.A, Read: d.B, Why: r.form(d)}
		if r.Where != nil {
			v.At, _ = placeOf(r.Understood, d)
		}
		out = append(out, v)
	}
	slices.SortStableFunc(out, func(a, b ReadValue) int { return cmp.Compare(min(len(a.Why), 1), min(len(b.Why), 1)) })
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
