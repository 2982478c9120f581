package trial

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/target"
)

// Show returns rocec's settings in contents of the files of a device, as a reading: a line for each key, and the hash of each content.
// Reading Stored has files, and reading Running has live states. content returns the content of the file with a number.
func Show(files []target.File, kind string, content func(i int) []byte) string {
	var out strings.Builder
	for i := range files {
		f := &files[i]
		if (f.Live != nil) != (kind == Running) {
			continue
		}
		data, path := content(i), target.Escape(f.Path)
		if data == nil {
			fmt.Fprintf(&out, "%s = absent\n", path)
			continue
		}
		if f.Keys == nil {
			fmt.Fprintf(&out, "%s = %s\n", path, deploy.Sum(data))
		} else {
			for _, k := range f.Keys(data) {
				if k.Ours {
					fmt.Fprintf(&out, "%s %s = %s\n", path, target.Escape(k.Name), target.Escape(k.Value))
				}
			}
		}
		fmt.Fprintf(&out, "%s%s %s\n", sum, deploy.Sum(data), path)
	}
	return out.String()
}

// Have returns rocec's settings in the contents that were read.
func Have(h *deploy.Have, kind string) string {
	if len(h.Files) != len(h.Device.Files) { // the device was not read
		return ""
	}
	for i := range h.Files {
		if h.Files[i].Reason != "" && (h.Device.Files[i].Live != nil) == (kind == Running) {
			return ""
		}
	}
	return Show(h.Device.Files, kind, func(i int) []byte { return h.Files[i].Data })
}

// Want returns rocec's settings in the contents that a device would have by the files of a tree. have are contents of the same files. It
// returns "" if a content cannot be edited.
func Want(d *target.Device, have *deploy.Have, kind string) string {
	if len(have.Files) != len(d.Files) {
		return ""
	}
	wanted := make([][]byte, len(d.Files))
	for i := range d.Files {
		after, ds := d.Files[i].Edit(have.Files[i].Data)
		if ds.HasErrors() {
			return ""
		}
		wanted[i] = after
	}
	return Show(d.Files, kind, func(i int) []byte { return wanted[i] })
}

// Kinds returns the kinds of readings that the files of a device have.
func Kinds(files []target.File) (out []string) {
	for _, kind := range []string{Stored, Running} {
		if slices.ContainsFunc(files, func(f target.File) bool { return (f.Live != nil) == (kind == Running) }) {
			out = append(out, kind)
		}
	}
	return out
}
