package targets

import (
	"cmp"
	"fmt"
	"path"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nic/tools"
	"github.com/rocec/rocec/targets/target/lint"
)

// ReadDevice reads the files of one device: those in a folder of its name or with its name, or all files where they are of one device.
// Running settings go before stored ones. Why is the reason where no settings were read; empty: some were.
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
	for _, one := range j.devices {
		if one.other != "" && one.of == nil && len(one.files) == len(of) {
			return nil, one.other
		}
	}
	stored, running := j.device(&j.devices[0])
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
