package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target"
)

func (a *app) buildCommand() *cobra.Command {
	var out string
	var only []string
	cmd := &cobra.Command{
		Use:   "build [DIR] -o OUT",
		Short: "write every file as it would lie on each device",
		Long: "Build writes OUT/<device>/<path> for every file of every device. Files that are as wished already are not\n" +
			"touched; nothing is deleted.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if out == "" {
				return fail(exitUsage, "build needs -o OUT, the folder to write to")
			}
			return a.build(folder(args), out, only)
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "", "`folder` to write to")
	a.targetFlag(cmd, &only)
	return cmd
}

func (a *app) build(dir, out string, only []string) error {
	f, err := a.loadGood(dir)
	if err != nil {
		return err
	}
	tree, err := selectDevices(f.Tree(), only)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return fail(exitErrors, "%v", err)
	}
	root, err := os.OpenRoot(out)
	if err != nil {
		return fail(exitErrors, "%v", err)
	}
	defer root.Close()
	written, same := 0, 0
	for _, d := range tree.Devices {
		for _, file := range d.Files {
			if file.Live != nil {
				continue
			}
			data, ds := file.Edit(nil)
			if ds.HasErrors() {
				panic(fmt.Sprintf("%s: %s cannot be rendered: %s", d.Name, file.Path, ds[0].Detail))
			}
			changed, err := writeBelow(root, path.Join(d.Name, file.Path), file.Mode, data)
			if err != nil {
				return fail(exitErrors, "%v", err)
			}
			if changed {
				written++
			} else {
				same++
			}
		}
	}
	if !a.quiet {
		fmt.Fprintf(a.stdout, "%s: %s of %s written, %d unchanged\n", diag.Escape(out), diag.Count(written, "file"), countDevices(tree), same)
	}
	return nil
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

// writeBelow writes a file below root unless it holds the same bytes and mode already, and tells whether it wrote.
// Neither names nor planted links can lead out of root.
func writeBelow(root *os.Root, name string, mode fs.FileMode, data []byte) (bool, error) {
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
