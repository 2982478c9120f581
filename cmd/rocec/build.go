package main

import (
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/forms"
	"github.com/rocec/rocec/cmd/internal/forms/folder"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/cmd/internal/wholefile"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/nic/nicoperator"
	"github.com/rocec/rocec/targets/target"
)

func buildCommand(a *app) *cobra.Command {
	var o buildOptions
	cmd := &cobra.Command{
		Use:   "build [DIR] -o OUT | build [DIR] --lock",
		Short: "write the files of every device to a folder",
		Long: "Build writes OUT/<device>/<path> for every file of every device. Files that are up to date are not touched; nothing is\n" +
			"deleted.\n\n" +
			"With --fold it writes OUT/<nodeset>/<path>: one file for all devices on which that path has the same content, in a folder named\n" +
			"after their nodeset, such as gpu[001-064]/usr/local/sbin/rocec-host. A device has the files of every folder whose nodeset names\n" +
			"it. So a change to a thousand devices is one diff to review. If the nodeset has more than 200 bytes, the folder's name is cut and\n" +
			"ends in ~ and a hash, and _folders.txt contains the nodeset. If a folder in OUT contains a file that this build does not write,\n" +
			"nothing is written.\n\n" +
			"With --as it writes a form for another tool or team. overlay: manifest.json, and a tar for each group of equal hosts, with their\n" +
			"files and the links that enable the units. ansible: an inventory and variables of groups and hosts, with the files of hosts and of\n" +
			"switches written by others. netbox: for each switch written by others, its settings as data of a config context. handover: a sheet\n" +
			"of the required settings for each group of hosts that are set by hand, with the commands of their system if the by_hand block\n" +
			"states it. See docs/images.md. prometheus: rules of alerts with unit tests, and a dashboard for Grafana. See docs/metrics.md.\n\n" +
			"nic-template: for each group of equal hosts, the objects of NVIDIA's NIC configuration operator. They cannot state every setting:\n" +
			"their comments list the others. Each host that no template describes is named. It needs --vfs.\n\n" +
			"With --lock it writes fabric.lock beside the fabric, and no files of devices. The lock contains the buffer sizes and ECN\n" +
			"thresholds that rocec derived, and a later rocec keeps them. Missing rows are added, unused rows are removed, and the other rows\n" +
			"stay. With --refresh all rows are derived again; plan shows the effect.",
		Example: "  rocec build -o out\n" +
			"  rocec build --as ansible -o out\n" +
			"  rocec build --lock",
		Args: takes(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.lock {
				if err := without(cmd, "lock", "writes fabric.lock and no files of devices", "out", "fold", "as", "target"); err != nil {
					return err
				}
				dir, err := a.Folder(args)
				if err != nil {
					return err
				}
				return a.lockSizes(dir, o.refresh)
			}
			if o.refresh {
				return exit.Fail(exit.Usage, "--refresh needs --lock")
			}
			if o.out == "" {
				return exit.Fail(exit.Usage, "build needs -o OUT, the folder to write to")
			}
			if o.as != "" && o.fold {
				return exit.Fail(exit.Usage, "--as and --fold write different forms; leave out one of them")
			}
			if o.as != "" {
				if err := exit.Choice("as", o.as, forms.Names()...); err != nil {
					return err
				}
			}
			if err := o.checkOperator(cmd); err != nil {
				return err
			}
			dir, err := a.Folder(args)
			if err != nil {
				return err
			}
			return a.build(dir, o)
		},
	}
	cmd.Flags().StringVarP(&o.out, "out", "o", "", "`folder` to write to")
	cmd.Flags().BoolVar(&o.fold, "fold", false, "write a file once for all devices that share it, in a folder named after their nodeset")
	cmd.Flags().StringVar(&o.as, "as", "", "write a form for another tool or team: "+strings.Join(forms.Names(), ", "))
	cmd.Flags().BoolVar(&o.lock, "lock", false, "pin derived sizes in fabric.lock, so that a later rocec keeps them")
	cmd.Flags().BoolVar(&o.refresh, "refresh", false, "with --lock: derive pinned sizes again, too")
	cmd.Flags().IntVar(&o.operator.VFs, vfsFlag, 0, "with --as nic-template: virtual functions of each NIC, which every template states")
	cmd.Flags().StringVar(&o.operator.NodeLabel, labelFlag, "", "with --as nic-template: `key` of the label by which templates select nodes")
	offer(cmd, "as", forms.Names()...)
	targetFlag(a, cmd, &o.only)
	return cmd
}

// The flags of the form nic-template.
const (
	vfsFlag   = "vfs"
	labelFlag = "node-label"
)

// checkOperator checks the flags of the form nic-template.
func (o *buildOptions) checkOperator(cmd *cobra.Command) error {
	const mostVFs = 1 << 16 // PCI: the field NumVFs has 16 bits
	form := forms.Find(o.as)
	if form == nil || !form.Operator {
		for _, name := range []string{vfsFlag, labelFlag} {
			if cmd.Flags().Changed(name) {
				return exit.Fail(exit.Usage, "--%s needs --as nic-template", name)
			}
		}
		return nil
	}
	switch {
	case !cmd.Flags().Changed(vfsFlag):
		return exit.Fail(exit.Usage, "--as nic-template needs --vfs N: every template states the number of virtual functions of its NICs, and "+
			"the fabric does not")
	case o.operator.VFs < 0 || o.operator.VFs >= mostVFs:
		return exit.Fail(exit.Usage, "--vfs %d is no number of virtual functions", o.operator.VFs)
	case cmd.Flags().Changed(labelFlag) && !nicoperator.IsLabel(o.operator.NodeLabel):
		return exit.Fail(exit.Usage, "--node-label %q is no key of a label of Kubernetes", diag.Escape(o.operator.NodeLabel))
	}
	return nil
}

type buildOptions struct {
	out  string   // the folder to write to
	only []string // --target
	fold bool
	as   string // the name of a form; empty: files

	operator nicoperator.Supplied // for --as nic-template

	lock, refresh bool
}

func (a *app) build(dir string, o buildOptions) error {
	f, err := a.LoadGood(dir)
	if err != nil {
		return err
	}
	form, all := forms.Find(o.as), targets.Files
	if form != nil {
		all = form.Tree
		if form.Whole && o.only != nil {
			return exit.Fail(exit.Usage, "--as %s is about the whole fabric, so --target has no effect. Leave out one of the two", o.as)
		}
	}
	tree, err := session.SelectDevices(all(f.Fabric), o.only)
	if err != nil {
		return err
	}
	out, err := folder.Open(o.out, wholefile.Begin)
	if err != nil {
		return exit.Fail(exit.Errors, "%v", err)
	}
	defer out.Close()
	if form != nil {
		return a.buildForm(form, form.Layout(f.Fabric, tree, forms.Supplied{Operator: o.operator}), out, o.out)
	}
	files := forms.PerDevice(tree)
	if o.fold {
		folded := forms.Fold(tree)
		left, err := folded.Leftover(out.FS())
		if err != nil {
			return exit.Fail(exit.Errors, "%v", err)
		}
		if left != "" {
			return exit.Fail(exit.Errors, "%s contains %s, which this build does not write, and a folded tree must contain no other files; empty "+
				"it first, or write to a new folder", diag.Escape(o.out), diag.Escape(left))
		}
		if folded.Index != "" {
			if _, err := out.Write(forms.FolderIndex, 0o644, []byte(folded.Index)); err != nil {
				return exit.Fail(exit.Errors, "%v", err)
			}
		}
		files = slices.Values(folded.Files)
	}
	written, same, err := writeAll(files, out.WriteNext)
	if err != nil {
		return err
	}
	if !a.Quiet {
		fmt.Fprintf(a.Stdout, "%s: %s of %s written, %d unchanged\n", diag.Escape(o.out), diag.Count(written, "file"), countDevices(tree), same)
	}
	return nil
}

// buildForm writes a form. It refuses a folder with another file that a reader would take for a part of the form.
func (a *app) buildForm(form *forms.Form, l forms.Layout, out *folder.Folder, name string) error {
	for _, note := range l.Notes {
		fmt.Fprintf(a.Stderr, "rocec: %s\n", note)
	}
	if l.Wrong != "" {
		return exit.Fail(exit.Usage, "%s", l.Wrong)
	}
	if l.Hosts+l.Switches == 0 {
		return exit.Fail(exit.Errors, "There is no %s among these devices, and the form %s needs one.", form.For, form.Name)
	}
	left, err := l.Leftover(out.FS())
	if err != nil {
		return exit.Fail(exit.Errors, "%v", err)
	}
	if left != "" {
		return exit.Fail(exit.Errors, "%s contains %s, which this build does not write, and which a reader would take for its output; empty the "+
			"folder first, or write to a new one", diag.Escape(name), diag.Escape(left))
	}
	written, same, err := writeAll(slices.Values(l.Files), out.Write)
	if err != nil {
		return err
	}
	if !a.Quiet {
		var devices []string
		if l.Hosts > 0 {
			devices = append(devices, diag.Count(l.Hosts, "host"))
		}
		if l.Switches > 0 {
			devices = append(devices, diag.Count(l.Switches, "switch"))
		}
		fmt.Fprintf(a.Stdout, "%s: %s, %s written, %d unchanged\n", diag.Escape(name), diag.And(devices), diag.Count(written, "file"), same)
	}
	return nil
}

// writeAll calls write for each file and counts the files. write reports whether the file was new or different.
func writeAll(files iter.Seq[forms.File], write func(string, fs.FileMode, []byte) (bool, error)) (written, same int, err error) {
	for f := range files {
		changed, err := write(f.Name, f.Mode, f.Content())
		if err != nil {
			return 0, 0, exit.Fail(exit.Errors, "%v", err)
		}
		if changed {
			written++
		} else {
			same++
		}
	}
	return written, same, nil
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
