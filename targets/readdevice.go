package targets

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nic/tools"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/lint"
)

// ReadDevice reads the files of one device: those in a folder of its name or with its name, or all files if they belong to one device.
// Running settings take precedence over stored ones. why is the reason if no settings were read; empty: some were read. Files that cannot
// belong to the device are not read: files of another system, and files with the name or content of another device of the fabric.
func ReadDevice(d *ir.Device, files []lint.File) (r *DeviceRead, why string) {
	of, why := filesOf(d, files)
	if why != "" {
		return nil, why
	}
	all := device{name: d.Name, of: d}
	for i := range of {
		all.files = append(all.files, i)
	}
	j := newJudging(nil, of, []device{all})
	if first := j.devices[0]; first.of == nil {
		return nil, first.other
	}
	j.shown = true
	stored, running := j.device(&j.devices[0])
	r = &DeviceRead{Understood: cmp.Or(running, stored), device: d}
	for _, other := range j.devices[1:] {
		for _, i := range other.files {
			j.taken[i].Why = other.other + "."
		}
	}
	hosts := map[string][]byte{}
	for i, f := range of {
		switch own := j.read[i].own; {
		case own == nil && !j.read[i].settings(): // it has other facts: neighbours, routes or a name
			continue
		case own == nil:
			r.Not = append(r.Not, fmt.Sprintf("%s: %s", f.Name, cmp.Or(f.Why, j.taken[i].Why, "rocec has no reader for it.")))
			continue
		case j.read[i].host:
			hosts[f.Name] = f.Data
		case r.Understood == nil: // a file without a moment
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
	if other := namedDevice(d, r.Host); other != nil {
		return nil, fmt.Sprintf("the configuration names its device %s, which is another device of the fabric", other.Name)
	}
	if c := r.Compare(""); c.Compared+len(c.Values) == 0 {
		return nil, fmt.Sprintf("%s contains no setting that the fabric wants on %s%s. The fabric has %s", diag.And(r.Files), d.Name,
			missed(&r.Coverage), aboutDevice(d))
	}
	return r, ""
}

// namedDevice returns the device of the fabric with a name, if it is not d; nil: not found.
func namedDevice(d *ir.Device, name string) *ir.Device {
	i := slices.IndexFunc(d.Fabric.Devices, func(other *ir.Device) bool { return other != d && other.Name == name })
	if i < 0 {
		return nil
	}
	return d.Fabric.Devices[i]
}

// missed names the first row that is not understood, as part of a sentence.
func missed(c *target.Coverage) string {
	if len(c.Not) == 0 {
		return ""
	}
	at := c.Not[0].At
	return fmt.Sprintf(": %s (%s:%d)", strings.TrimSuffix(c.Not[0].Why, "."), at.Filename, at.Start.Line)
}

// aboutDevice names the system of a device.
func aboutDevice(d *ir.Device) string {
	if d.Switch == nil {
		return d.Name + " as a host"
	}
	return fmt.Sprintf("%s as a switch with %s %s", d.Name, cmp.Or(d.Switch.OS, "an unknown system"), d.Switch.Version)
}

// statedOf returns those devices of the files whose content identifies them as the fabric's device, by the rules of [beside].
func statedOf(d *ir.Device, files []lint.File, all []device) (of []device) {
	for _, one := range newJudging(d.Fabric, files, all).devices {
		if one.of == d || slices.Contains(one.alike, d) {
			one.of, one.alike = nil, nil
			of = append(of, one)
		}
	}
	return of
}

// filesOf returns the files of a device.
func filesOf(d *ir.Device, files []lint.File) (of []lint.File, why string) {
	all := devicesOf(files)
	var names []string
	for _, one := range all {
		names = append(names, one.name)
	}
	if len(all) > 1 {
		named := slices.DeleteFunc(slices.Clone(all), func(one device) bool { return path.Base(one.name) != d.Name })
		if len(named) == 0 { // the content may name the device
			named = statedOf(d, files, all)
		}
		all = named
	}
	switch {
	case len(names) == 0:
		return nil, "there is no file"
	case len(all) == 0:
		return nil, fmt.Sprintf("no file belongs to %s: the files belong to %s", d.Name, diag.Some(names, mostPorts))
	case len(all) == 1 && namedDevice(d, path.Base(all[0].name)) != nil:
		return nil, fmt.Sprintf("the files belong to %s, another device of the fabric", path.Base(all[0].name))
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
