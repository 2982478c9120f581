package forms

import (
	"fmt"
	"io/fs"
	"iter"
	"path"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nic/nicoperator"
	"github.com/rocec/rocec/targets/target"
)

// File is a file below the folder that a build writes to.
type File struct {
	Name string
	Mode fs.FileMode

	content []byte // used if from is nil
	device  *target.Device
	from    *target.File // a file of device, and of every device that shares it
}

// Content returns the bytes of the file. It renders a file of a device at each call, so a large tree is never completely in memory.
func (f File) Content() []byte {
	if f.from == nil {
		return f.content
	}
	return render(f.device, f.from)
}

// fileOf returns a file of a device, in a folder.
func fileOf(folder string, d *target.Device, f *target.File) File {
	return File{Name: path.Join(folder, f.Path), Mode: f.Mode, device: d, from: f}
}

// made returns a file that belongs to a form.
func made(name string, content []byte) File {
	return File{Name: name, Mode: plainMode, content: content}
}

// Supplied contains values that a form needs and that no fabric has.
type Supplied struct{ Operator nicoperator.Supplied }

// Layout contains the files of a form, and the number of devices whose settings are in them.
type Layout struct {
	Files           []File
	Hosts, Switches int

	Notes []string // sentences about what the files do not state
	Wrong string   // why the form has no files, as a sentence without a full stop; empty: it has

	parts []string // see Form
}

// nameSet returns the names of files.
func nameSet(files []File) map[string]bool {
	names := map[string]bool{}
	for _, f := range files {
		names[f.Name] = true
	}
	return names
}

// PerDevice ranges over the files of all devices, in a folder for each device.
func PerDevice(tree *target.Tree) iter.Seq[File] {
	return func(yield func(File) bool) {
		for _, d := range tree.Devices {
			for f := range builtFor(d) {
				if !yield(fileOf(d.Name, d, f)) {
					return
				}
			}
		}
	}
}

// editSuffix ends the path of a file that contains only an edit of the file on the device.
const editSuffix = ".rocec-edit"

// builtFor ranges over the files that are built for a device: files on its disk, and files for its other settings. For a file that rocec
// only edits, the built file contains the settings of the edit.
func builtFor(d *target.Device) iter.Seq[*target.File] {
	return func(yield func(*target.File) bool) {
		for i := range d.Files {
			f := &d.Files[i]
			if f.Sketch != nil {
				sketch := f.Sketch
				f = &target.File{Path: f.Path + editSuffix, Mode: f.Mode, Edit: func([]byte) ([]byte, diag.List) { return sketch, nil }}
			}
			if f.Live == nil && !yield(f) {
				return
			}
			for _, form := range f.Forms {
				if !yield(formOf(f, form)) {
					return
				}
			}
		}
	}
}

// plainMode is the mode of files in a form, which contain no secrets.
const plainMode fs.FileMode = 0o644

// formOf returns a file with a form of the result of Edit(nil).
func formOf(f *target.File, form target.Form) *target.File {
	return &target.File{Path: form.Path, Mode: plainMode, Edit: func([]byte) ([]byte, diag.List) {
		whole, ds := f.Edit(nil)
		if ds.HasErrors() {
			return nil, ds
		}
		return form.Of(whole), ds
	}}
}

// render returns the whole file.
func render(d *target.Device, f *target.File) []byte {
	data, ds := f.Edit(nil)
	if ds.HasErrors() {
		panic(fmt.Sprintf("%s: %s cannot be rendered: %s", d.Name, f.Path, ds[0].Detail))
	}
	return data
}
