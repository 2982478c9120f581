// Package sampleos writes the lossless cos of every port of switches that run an operating system nobody has.
package sampleos

import (
	"fmt"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target"
)

// Target writes /etc/sample.conf.
var Target = &target.Target{
	Name: "sampleos", Doc: "writes /etc/sample.conf",
	OS: &ir.OS{
		Name: "sample", Title: "Sample OS", User: "root", Newest: "2",
		Release: func(version string) string {
			if version != "1" && version != "2" {
				return fmt.Sprintf("%q is not a release of Sample OS. Write \"1\" or \"2\".", version)
			}
			return ""
		},
		Read: func(_ *platform.Switch, name string) (f ir.Front, ok bool) {
			n, err := fmt.Sscanf(name, "port%d", &f.Number)
			f.Sub = -1
			return f, n == 1 && err == nil && f.Number > 0
		},
		Spell: func(_ *platform.Switch, f ir.Front) string { return fmt.Sprintf("port%d", f.Number) },
		Can: func(*platform.ASIC, string) ir.SwitchCan {
			c := ir.ChipCan()
			c.System = "Sample OS"
			return c
		},
	},
	Files: linter,
	Check: func(*ir.Device) diag.List { return nil },
	Render: func(d *ir.Device) ([]target.File, diag.List) {
		var b strings.Builder
		for _, p := range d.Ports {
			for _, buffer := range p.Buffers() {
				fmt.Fprintf(&b, "%s lossless %d\n", p.Name, buffer.Group.Cos)
			}
		}
		return []target.File{{
			Path: "/etc/sample.conf", Mode: 0o644,
			Edit: func([]byte) ([]byte, diag.List) { return []byte(b.String()), nil },
		}}, nil
	},
	About:    func(d *ir.Device) string { return "Sample OS " + d.Switch.Version },
	Identity: func(*ir.Device) []target.Probe { return nil },
	Probes:   func(*ir.Device) []target.Probe { return nil },
	Image:    func(*ir.Device) target.Image { return target.Image{} },
}
