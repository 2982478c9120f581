package targets

import (
	"path"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/lint"
)

// Placed is a file that was collected, at its place on a switch.
type Placed struct {
	Device *ir.Device
	File   string // as it was collected
	Path   string // on the device
	Data   []byte
}

// Place returns the places of collected files on the switches of a fabric: the stored configuration of each, else the running one in its
// place. Other files have no place on a device.
func Place(f *ir.Fabric, files []lint.File) (out []Placed) {
	j := newJudging(f, files, devicesOf(files))
	for k := range j.devices {
		d := &j.devices[k]
		if d.of == nil || d.of.Switch == nil {
			continue
		}
		i := slices.IndexFunc(All, func(row *target.Target) bool {
			return row.OS != nil && row.OS.Name == d.of.Switch.OS && (row.Serves == nil || row.Serves(d.of))
		})
		if i < 0 {
			continue
		}
		var main *Placed // of the question that has the whole configuration
		for _, q := range All[i].Asks {
			at, is := strings.CutPrefix(q.Cmd, "cat ")
			if file := fileOf(j, d, q.File); file != nil && q.File != All[i].ReleaseFile {
				one := Placed{Device: d.of, File: file.Name, Path: at, Data: file.Data}
				switch {
				case is:
					out = append(out, one)
					main = &one
				case main == nil: // no stored file is there: the output of a command
					one.Path, _ = strings.CutPrefix(All[i].Asks[0].Cmd, "cat ")
					out = append(out, one)
				}
			}
		}
	}
	return out
}

// fileOf returns the file of a device with a base name; nil: there is no such file, or it could not be read.
func fileOf(j *judging, d *device, base string) *lint.File {
	for _, i := range d.files {
		if f := &j.files[i]; f.Why == "" && path.Base(f.Name) == base {
			return f
		}
	}
	return nil
}
