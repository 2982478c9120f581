package collect

import (
	"fmt"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/deploy/lab"
	"github.com/rocec/rocec/targets/target/lint"
)

// LoadLab writes collected files to the switches of a lab, each to its path, and restarts these switches. It returns a line for each file
// that is now on a switch, and a line with the reason for each other file.
func LoadLab(l *lab.Lab, f *ir.Fabric, files []lint.File) (on, off []string) {
	placed, not := targets.Place(f, files)
	var loaded []*lab.Device
	for _, one := range placed {
		d, err := l.Find(one.Device.Name)
		if err != nil { // it is set by hand
			not = append(not, targets.NotRead{File: one.File, Why: "the lab has no " + one.Device.Name})
			continue
		}
		d.WriteFile(one.Path, one.Data, 0o644)
		if !slices.Contains(loaded, d) {
			loaded = append(loaded, d)
		}
		on = append(on, fmt.Sprintf("%s: %s is %s", one.Device.Name, one.Path, diag.Escape(one.File)))
	}
	for _, d := range loaded {
		d.Reboot() // the device has all of its files
	}
	for _, one := range not {
		off = append(off, fmt.Sprintf("not loaded: %s: %s", diag.Escape(one.File), diag.Escape(one.Why)))
	}
	return on, off
}
