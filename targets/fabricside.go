package targets

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/lint"
	"github.com/rocec/rocec/validate/settings"
)

var (
	topicDevice = diag.Topic{
		Code:    "conf-fabric-device",
		Summary: "files and the fabric do not have the same devices",
	}
	topicLossless = diag.Topic{
		Code:    "conf-fabric-lossless",
		Summary: "a device does not keep a lossless class of the fabric lossless",
	}
	topicWanted = diag.Topic{
		Code:    "conf-fabric-wanted",
		Summary: "settings of a device are not those that the fabric wants",
	}
)

// WithoutFile and Differs are the codes for devices of the fabric without a file, and for a value that differs.
var (
	WithoutFile = topicDevice
	Differs     = topicWanted
)

// FabricRules are the codes of the rules that compare files with the fabric.
func FabricRules() []diag.Topic { return []diag.Topic{topicDevice, topicLossless, topicWanted} }

// beside assigns each device of the files the fabric's device with its name, and each file the release of its switch. If the fabric lacks
// the name, the device is the one that its configuration names, else the one whose name differs only in case.
func beside(j *judging) {
	j.named = map[string]*ir.Device{}
	folded := map[string]*ir.Device{}
	for _, d := range j.fabric.Devices {
		j.named[d.Name] = d
		if low := strings.ToLower(d.Name); folded[low] == nil {
			folded[low] = d
		}
	}
	j.files = slices.Clone(j.files)
	for k := range j.devices {
		d := &j.devices[k]
		for _, i := range d.files {
			if j.made != nil && d.of == nil {
				d.of = j.named[j.made.Names[j.files[i].Name]]
			}
		}
		if d.of == nil {
			d.of = j.named[path.Base(d.name)]
		}
		if d.of == nil && strings.ContainsAny(d.name, "[,") {
			d.of, d.alike = listed(j.named, path.Base(d.name))
		}
		for _, i := range d.files {
			if d.of != nil { // the name in a file is only read if needed: that requires reading the file
				break
			}
			if host := hostOf(j, j.files[i]); host != "" {
				d.of = cmp.Or(j.named[host], folded[strings.ToLower(host)])
			}
		}
		if d.of == nil { // device names in the fabric differ in more than case
			d.of = folded[strings.ToLower(path.Base(d.name))]
		}
		if d.of == nil || d.of.Switch == nil || j.made != nil && j.made.Releases[d.of.Name] {
			continue
		}
		for _, i := range d.files {
			if row := j.rowOf(j.files[i]); row != nil && row.OS.Name == d.of.Switch.OS {
				j.files[i].Release = d.of.Switch.Version
			}
		}
	}
}

// listed returns the devices in a list of names, such as build --fold writes as the folder of devices with equal files; nil: one of them is
// not in the fabric.
func listed(named map[string]*ir.Device, list string) (first *ir.Device, others []*ir.Device) {
	set, wrong := nodeset.Parse(list, nodeset.Devices)
	if len(wrong) > 0 || set.Len() > len(named) {
		return nil, nil
	}
	for name := range set.All() {
		d := named[name.Device]
		switch {
		case d == nil:
			return nil, nil
		case first == nil:
			first = d
		default:
			others = append(others, d)
		}
	}
	return first, others
}

// hostOf returns the device name that a file states; empty: it states none.
func hostOf(j *judging, f lint.File) string {
	if name := hostnameOf(f); name != "" {
		return name
	}
	row := j.rowOf(f)
	if row == nil || f.Why != "" {
		return ""
	}
	return row.Understand(target.Identity{}, map[string][]byte{f.Name: f.Data}).Host
}

// foreign returns the reason, as a sentence, why a file cannot belong to the fabric's device; empty: it may belong to it.
func foreign(j *judging, d *device, i int) string {
	r, s := &j.read[i], d.of.Switch
	switch {
	case r.host && s != nil:
		return fmt.Sprintf("%s is a switch in the fabric, and the file has settings of the NICs of a host", d.of.Name)
	case r.host || r.row == nil:
		return ""
	case s == nil:
		return fmt.Sprintf("%s is a host in the fabric, and the file is of a switch (%s)", d.of.Name, j.taken[i].Dialect)
	case r.row.OS.Name != s.OS && s.OS != "":
		return fmt.Sprintf("%s runs %s in the fabric, and the file is of another system (%s)", d.of.Name, s.OS, j.taken[i].Dialect)
	}
	return ""
}

// partForeign moves files that cannot belong to the fabric's device to a separate device.
func partForeign(j *judging) {
	for k := range j.devices {
		d := &j.devices[k]
		if d.of == nil {
			continue
		}
		var own []int
		other := device{name: d.name}
		for _, i := range d.files {
			why := foreign(j, d, i)
			if why == "" {
				own = append(own, i)
				continue
			}
			other.files, other.other = append(other.files, i), why
		}
		switch {
		case len(other.files) == 0:
		case len(own) == 0:
			*d = other
		default:
			d.files = own
			j.devices = append(j.devices, other) // the loop does not visit it
		}
	}
}

// releasesDiffer reports whether two releases differ in more than the patch number. A range of releases never differs.
func releasesDiffer(a, b string) bool {
	if strings.Trim(a+b, "0123456789.") != "" || a == "" || b == "" {
		return false
	}
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	n := min(len(x), len(y), 2)
	return !slices.Equal(x[:n], y[:n])
}

// unlike lists those of the name, the release and the model of a configuration that differ from the fabric, as parts of a sentence.
func unlike(d *ir.Device, named map[string]*ir.Device, u *target.Understood, made bool) (out []string) {
	if other := named[u.Host]; other != nil && other != d {
		out = append(out, "the name "+other.Name)
	}
	if d.Switch == nil || made {
		return out
	}
	is := u.Settings.System
	if is.Release.Is == ir.Stated && releasesDiffer(is.Release.Value, d.Switch.Version) {
		out = append(out, fmt.Sprintf("release %s, where the fabric has %s", diag.Escape(is.Release.Value), d.Switch.Version))
	}
	m, ok := platform.FindSwitch(is.Model.Value)
	if !ok {
		m, ok = platform.FindSwitch(is.SKU.Value)
	}
	if ok && d.Switch.Model != nil && m.Name != d.Switch.Model.Name {
		out = append(out, fmt.Sprintf("the model %s, where the fabric has %s", m.Title, d.Switch.Model.Title))
	}
	return out
}

// placed returns a reading of a device that finds places by reading its file again, like [addSwitch]: the places of all devices need many
// times the memory of their settings. For several files it uses the places of the reading.
func placed(j *judging, d *device, u *target.Understood) *target.Understood {
	var of []int
	for _, i := range d.files {
		if j.read[i].own != nil {
			of = append(of, i)
		}
	}
	if len(of) != 1 || j.read[of[0]].row == nil {
		return u
	}
	later := &again{row: j.read[of[0]].row, id: j.id, files: j.files, of: of}
	return &target.Understood{Where: later.where}
}

// whereOf finds the places of values in the files and in the fabric.
func whereOf(d *ir.Device, u *target.Understood) func(port string, f ir.Field, index int) (diag.Range, bool) {
	if d == nil {
		return u.Where
	}
	return func(port string, f ir.Field, index int) (diag.Range, bool) {
		if at, ok := u.Where(port, f, index); ok || f != ir.FieldSpeed && f != ir.FieldCable && f != ir.FieldMTU {
			return at, ok
		}
		for _, p := range d.Ports {
			if p.Name == port && p.Link() != nil {
				return p.Link().At, true
			}
		}
		return diag.Range{}, false
	}
}

// identityOf returns the identity that the fabric states for a device whose files are read.
func identityOf(d *ir.Device) (id target.Identity) {
	if d == nil {
		return id
	}
	for _, p := range d.Ports {
		id.Ports = append(id.Ports, p.Name)
	}
	if d.Host != nil {
		id.Cards = map[string]string{}
		for _, n := range d.Host.NICs {
			id.Cards[n.Name] = n.Model.Name
		}
	}
	if s := d.Switch; s != nil {
		id.OS, id.Release, id.Model = s.OS, s.Version, s.Model.Name
	}
	return id
}

// cables returns the cables of which both ends were read.
func cables(j *judging) (out []settings.Cable) {
	for _, l := range j.fabric.Links {
		a, b := l.A(), l.B()
		if x, y := j.ends[a.Device()], j.ends[b.Device()]; x != nil && y != nil {
			out = append(out, settings.Cable{A: x, B: y, PortA: a.Name, PortB: b.Name})
		}
	}
	return out
}
