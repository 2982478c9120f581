// Package facts has the effective settings of devices and ports, each a [Setting] with its reasons, for show and for an editor's hover.
package facts

import (
	"fmt"
	"strings"

	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/validate/walk"
)

// Setting is one effective value with its reasons.
type Setting struct {
	Name    string        `json:"name"`
	Value   string        `json:"value"`
	Read    string        `json:"read,omitempty"` // value in a file of the device that differs
	Origins []view.Origin `json:"origins,omitempty"`
}

// Section is a list of settings with a title.
type Section struct {
	Title    string    `json:"title"`
	Settings []Setting `json:"settings"`
}

// Add appends a setting that came from the given places; it ignores a zero place.
func (s *Section) Add(name, value string, from ...ir.Origin) {
	s.Settings = append(s.Settings, Setting{Name: name, Value: value, Origins: view.Origins(from)})
}

// num appends a number with its unit and its origins.
func (s *Section) num(name string, n ir.Num, unit string) {
	s.Add(name, fmt.Sprintf("%d%s", n.N, unit), n.From...)
}

// MemoryModel is the title of the section, and the name of the fact, about how a switch divides its memory.
const MemoryModel = "memory model"

// Findings returns the findings of validate about the lines from which the shown settings come.
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

// Describe returns the settings of the device, the port or the pair of hosts with a name. If settings were read from files, it leaves out
// the files that rocec would write.
func Describe(f *report.Report, set *walk.Settings, name string) (kind string, out []Section, err error) {
	if strings.Contains(name, ",") {
		from, to, err := findPair(f.Fabric, name)
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
		var files []target.File
		if set.Read == nil {
			files = targets.FilesOf(d)
		}
		return "device", Device(set, files, d), nil
	}
	p, err := FindPort(d, port)
	if err != nil {
		return "", nil, err
	}
	return "port", Port(set, p), nil
}
