package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/target"
)

func (a *app) buildCommand() *cobra.Command {
	var o buildOptions
	cmd := &cobra.Command{
		Use:   "build [DIR] -o OUT",
		Short: "write every file as it would lie on each device",
		Long: "Build writes OUT/<device>/<path> for every file of every device. Files that are up to date are not\n" +
			"touched; nothing is deleted.\n\n" +
			"With --fold it writes OUT/<nodeset>/<path>: one file for all devices on which that path has the same content, in\n" +
			"a folder named by their nodeset, such as gpu[001-064]/usr/local/sbin/rocec-host. A device has the files of every\n" +
			"folder whose nodeset names it. So a change to a thousand devices is one diff to review. Where the nodeset takes\n" +
			"more than 200 bytes, the folder's name is cut and ends in ~ and a hash, and _folders.txt holds the nodeset. If\n" +
			"a folder in OUT holds a file of another build, nothing is written.\n\n" +
			"With --as it writes what others need who write devices. overlay: a tar for each group of hosts that are alike, with\n" +
			"their files and the links that enable the units, and manifest.json. ansible: an inventory and variables of groups\n" +
			"and hosts, with the same files, also of switches that others write. netbox: for each switch that others write its\n" +
			"settings as data of a config context. handover: a sheet for each group of hosts that are set by hand, which says\n" +
			"how they must be set. See docs/images.md.",
		Args: takes(0, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			if o.out == "" {
				return exit.Fail(exit.Usage, "build needs -o OUT, the folder to write to")
			}
			if o.as != "" && o.fold {
				return exit.Fail(exit.Usage, "--as and --fold are two forms of what is built; leave out one of them")
			}
			if o.as != "" {
				if err := choice("as", o.as, forms...); err != nil {
					return err
				}
			}
			dir, err := a.folder(args)
			if err != nil {
				return err
			}
			return a.build(dir, o)
		},
	}
	cmd.Flags().StringVarP(&o.out, "out", "o", "", "`folder` to write to")
	cmd.Flags().BoolVar(&o.fold, "fold", false, "one file for all devices that have it alike, in a folder named by their nodeset")
	cmd.Flags().StringVar(&o.as, "as", "", "what others need who write devices: "+strings.Join(forms, ", "))
	offer(cmd, "as", forms...)
	a.targetFlag(cmd, &o.only)
	return cmd
}

type buildOptions struct {
	out  string   // the folder to write to
	only []string // --target
	fold bool
	as   string // one of forms; empty: files
}

// builtFile is a file to write, and the folder of OUT it belongs to.
type builtFile struct {
	folder string
	device *target.Device // one of those that have it
	file   *target.File
}

func (f builtFile) name() string { return path.Join(f.folder, f.file.Path) }

func (a *app) build(dir string, o buildOptions) error {
	f, err := a.loadGood(dir)
	if err != nil {
		return err
	}
	var all *target.Tree
	if o.as == formHandover {
		all = handoverTree(f.Fabric)
	} else {
		all = targets.Files(f.Fabric)
	}
	tree, err := selectDevices(all, o.only)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(o.out, 0o777); err != nil {
		return exit.Fail(exit.Errors, "%v", err)
	}
	root, err := os.OpenRoot(o.out)
	if err != nil {
		return exit.Fail(exit.Errors, "%v", err)
	}
	defer root.Close()
	out := newBuilder(o.out, root)
	defer out.close()
	if o.as != "" {
		return a.buildAs(f.Fabric, tree, root, o)
	}
	files := perDevice(tree)
	if o.fold {
		folded, index := foldFiles(tree)
		left, err := leftover(root, folded, index)
		if err != nil {
			return exit.Fail(exit.Errors, "%v", err)
		}
		if left != "" {
			return exit.Fail(exit.Errors, "%s holds %s, which this build does not write, and a folded tree holds nothing else; empty it first, or "+
				"write to a new folder", diag.Escape(o.out), diag.Escape(left))
		}
		if index != "" {
			if _, err := writeBelow(root, folderIndex, 0o644, []byte(index)); err != nil {
				return exit.Fail(exit.Errors, "%v", err)
			}
		}
		files = slices.Values(folded)
	}
	written, same := 0, 0
	for f := range files {
		changed, err := out.write(f.name(), f.file.Mode, render(f.device, f.file))
		if err != nil {
			return exit.Fail(exit.Errors, "%v", err)
		}
		if changed {
			written++
		} else {
			same++
		}
	}
	if !a.quiet {
		fmt.Fprintf(a.stdout, "%s: %s of %s written, %d unchanged\n", diag.Escape(o.out), diag.Count(written, "file"), countDevices(tree), same)
	}
	return nil
}

// perDevice ranges over the files of all devices, in a folder for each device.
func perDevice(tree *target.Tree) iter.Seq[builtFile] {
	return func(yield func(builtFile) bool) {
		for _, d := range tree.Devices {
			for f := range written(d) {
				if !yield(builtFile{folder: d.Name, device: d, file: f}) {
					return
				}
			}
		}
	}
}

// editSuffix is behind the path of a file that is no more than an edit of the one on the device.
const editSuffix = ".rocec-edit"

// written ranges over what is built for a device: the files that lie on its disk, of one that is only ever edited what an edit sets, and
// the forms of its settings.
func written(d *target.Device) iter.Seq[*target.File] {
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

// formMode is the mode of forms, which hold no secrets.
const formMode fs.FileMode = 0o644

// formOf is a form of what Edit makes of nothing, as a file.
func formOf(f *target.File, form target.Form) *target.File {
	return &target.File{Path: form.Path, Mode: formMode, Edit: func([]byte) ([]byte, diag.List) {
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

func countDevices(tree *target.Tree) string {
	n := 0
	for _, d := range tree.Devices {
		if len(d.Files) > 0 {
			n++
		}
	}
	return diag.Count(n, "device")
}

// writeBelow writes a file below root unless it holds the same bytes and mode already, and reports whether it wrote.
// Neither names nor planted links can lead out of root.
func writeBelow(root *os.Root, name string, mode fs.FileMode, data []byte) (bool, error) {
	defer wholeWrite()()
	old, err := root.ReadFile(name)
	if err == nil && bytes.Equal(old, data) {
		if info, err := root.Stat(name); err == nil && info.Mode().Perm() == mode {
			return false, nil
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	err = root.WriteFile(name, data, mode)
	if errors.Is(err, fs.ErrNotExist) {
		if err := root.MkdirAll(path.Dir(name), 0o777); err != nil {
			return false, err
		}
		err = root.WriteFile(name, data, mode)
	}
	if err != nil {
		return false, err
	}
	return true, root.Chmod(name, mode)
}
