// Package facts has the effective settings of devices and ports, each a [Setting] with its reasons, for show and for an editor's hover.
package facts

import (
	"fmt"
	"strings"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/validate/walk"
)

// Setting is one effective value with its reasons.
type Setting struct {
	Name    string        `json:"name"`
	Value   string        `json:"value"`
	Read    string        `json:"read,omitempty"` // that a file of the device states in the place of the value
	Origins []view.Origin `json:"origins,omitempty"`
}

// Section is a titled run of settings.
type Section struct {
	Title    string    `json:"title"`
	Settings []Setting `json:"settings"`
}

// Add appends a setting that came from the places given; a zero place says nothing.
func (s *Section) Add(name, value string, from ...ir.Origin) {
	s.Settings = append(s.Settings, Setting{Name: name, Value: value, Origins: view.Origins(from)})
}

// num appends a number with its unit and its origins.
func (s *Section) num(name string, n ir.Num, unit string) {
	s.Add(name, fmt.Sprintf("%d%s", n.N, unit), n.From...)
}

// MemoryModel names how a switch shares out its memory, as a section and as a fact that verify reads.
const MemoryModel = "memory model"

// Findings is what validate finds about the lines that the settings shown come from.
func Findings(l diag.List, shown []Section) Section {
	type line struct {
		file string
		n    int
	}
	lines := map[line]bool{}
	for _, s := range shown {
		for _, set := range s.Settings {
			for _, o := range set.Origins {
				lines[line{o.File, o.Line}] = true
			}
		}
	}
	s := Section{Title: "findings"}
	for _, d := range l {
		if d.At.Filename != "" && lines[line{d.At.Filename, d.At.Start.Line}] {
			s.Add(fmt.Sprintf("%s[%s]", d.Severity, d.Code), d.Summary, ir.Origin{At: d.At})
		}
	}
	return s
}

// Describe finds what name means: a device, a port or a pair of hosts.
func Describe(f *report.Report, name string) (kind string, out []Section, err error) {
	set := &walk.Settings{}
	if first, second, pair := strings.Cut(name, ","); pair {
		from, err := findHost(f.Fabric, first)
		if err != nil {
			return "", nil, err
		}
		to, err := findHost(f.Fabric, second)
		if err != nil {
			return "", nil, err
		}
		out, err = describePair(set, f.Fabric, from, to)
		return "pair", out, err
	}
	device, port, isPort := strings.Cut(name, ":")
	d, err := FindDevice(f.Fabric, device)
	if err != nil {
		return "", nil, err
	}
	if !isPort {
		return "device", Device(set, targets.FilesOf(d), d), nil
	}
	p, err := FindPort(d, port)
	if err != nil {
		return "", nil, err
	}
	return "port", Port(set, p), nil
}

// FindPort returns a device's cabled port.
func FindPort(d *ir.Device, name string) (*ir.Port, error) {
	var names []string
	for _, p := range d.Ports {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	if d.Host != nil {
		for _, b := range d.Host.Bonds {
			if b.Name == name {
				of := make([]string, len(b.NICs))
				for i, n := range b.NICs {
					of[i] = n.Name
				}
				return nil, exit.Fail(exit.Usage, "%s is a bond of %s; name one of its ports, such as %s:%s", name, diag.And(of), d.Name, of[0])
			}
		}
	}
	var parts []string // of a port that is split: swp1s0 and swp1s1 are swp1
	for _, n := range names {
		if rest, ok := strings.CutPrefix(n, name); ok && name != "" && rest[0] > '9' {
			parts = append(parts, n)
		}
	}
	if len(parts) > 0 {
		return nil, exit.Fail(exit.Usage, "%s has no cabled port %q. It has %s", d.Name, name, diag.Some(parts, 4))
	}
	return nil, exit.Fail(exit.Usage, "%s has no cabled port %q.%s", d.Name, name, diag.DidYouMean(name, names))
}

func FindDevice(f *ir.Fabric, name string) (*ir.Device, error) {
	var names, of []string
	for _, d := range f.Devices {
		if d.Name == name {
			return d, nil
		}
		if d.Group == name || GroupName(d) == name {
			of = append(of, d.Name)
		}
		names = append(names, d.Name)
	}
	switch len(of) {
	case 0:
	case 1:
		return nil, exit.Fail(exit.Usage, "%q is a block; its device is %s", name, of[0])
	default:
		return nil, exit.Fail(exit.Usage, "%q is a block of %s, %s; name one of them", name, diag.Count(len(of), "device"),
			nodeset.Text(of, nodeset.Devices, 60))
	}
	return nil, exit.Fail(exit.Usage, "the fabric has no device %q.%s", name, diag.DidYouMean(name, names))
}

func findHost(f *ir.Fabric, name string) (*ir.Device, error) {
	d, err := FindDevice(f, strings.TrimSpace(name))
	if err == nil && d.Host == nil {
		return nil, exit.Fail(exit.Usage, "%s is a switch; a pair is two hosts", d.Name)
	}
	return d, err
}

// GroupName is how the language refers to a device's group: switch.leaf, host.gpu.
func GroupName(d *ir.Device) string {
	if d.Switch != nil {
		return "switch." + d.Group
	}
	return "host." + d.Group
}
