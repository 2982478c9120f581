package main

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/devicefiles"
	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/samples"
	"github.com/rocec/rocec/cmd/internal/savedplan"
	"github.com/rocec/rocec/cmd/internal/view/facts"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/target"
)

func showCommand(a *app) *cobra.Command {
	var o showOptions
	cmd := &cobra.Command{
		Use:   "show [DIR] NAME [--device-config PATH] | show --from SOURCE NAME | show --plan FILE",
		Short: "show effective settings, each with the line it came from",
		Long: "Show prints the effective settings of a device (leaf01), a port (leaf01:swp3) or the path between two hosts (gpu001,gpu064).\n" +
			"Each has the file:line it came from, and the findings of validate about it. With --device-config it also prints each value in the\n" +
			"files of the device that differs from the fabric. With --from it prints the settings in collected files, and uses the fabric that\n" +
			"rocec audit derives from them. With --plan it prints the inputs, devices and changes of a saved plan.",
		Example: "  rocec show leaf01:swp3\n" +
			"  rocec show gpu001,gpu002\n" +
			"  rocec show --from site.tar.gz leaf01:swp1",
		Args: func(cmd *cobra.Command, args []string) error {
			if o.saved != "" {
				if len(args) > 0 || a.Dir != "" || o.files != nil || o.from != nil {
					return exit.Fail(exit.Usage, "--plan cannot be combined with a fabric or devices: the saved plan contains them")
				}
				return nil
			}
			return takes(1, 2)(cmd, args)
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return a.completePorts(a.Here(), word)
			}
			return a.completePorts(args[0], word)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := exit.Choice("format", o.format, "text", "json"); err != nil {
				return err
			}
			if o.saved != "" {
				return a.showSaved(o.saved, o.format)
			}
			dir, err := a.Folder(args[:len(args)-1])
			if err == nil {
				err = besideFrom(o.from, len(args) > 1 || o.files != nil || a.Dir != "")
			}
			if err != nil {
				return err
			}
			name := args[len(args)-1]
			if len(args) == 1 && a.Dir == "" && holdsFabric(name) {
				return exit.Fail(exit.Usage, "show: %s is a folder. Add a device, a port or two hosts: %s", name,
					diag.Rocec("show", diag.Path("DIR", name), diag.Kind("NAME")))
			}
			return a.show(dir, name, o)
		},
	}
	cmd.Flags().StringVar(&o.format, "format", "text", "text or json")
	cmd.Flags().StringVar(&o.saved, "plan", "", "a plan saved in a `file` by plan --out")
	cmd.Flags().StringArrayVar(&o.files, "device-config", nil, "also show the values in files of the device: a file or `folder`")
	fromFlag(cmd, &o.from)
	return cmd
}

// holdsFabric reports whether a path is a folder with fabric files.
func holdsFabric(name string) bool {
	files, err := filepath.Glob(filepath.Join(name, "*.hcl"))
	return err == nil && len(files) > 0
}

type showOptions struct {
	format, saved string
	files, from   []string
}

func (a *app) show(dir, name string, o showOptions) error {
	f, err := sites(a).Load(a.Ctx, dir, o.from)
	if err != nil {
		return err
	}
	kind, sections, err := facts.Describe(f.Report, &f.Set, name)
	if err != nil {
		return err
	}
	switch {
	case f.Part != nil && kind != "pair":
		device, port, _ := strings.Cut(name, ":")
		d, _ := facts.FindDevice(f.Fabric, device) // it exists: it was described above
		sections = append(sections, f.Read(d, port))
	case f.Part != nil:
	case o.files != nil:
		sections, err = readBeside(f.Fabric, name, kind, o.files, sections)
	default:
		a.addRead(dir, name, sections)
	}
	if err != nil {
		return err
	}
	if s := facts.Findings(f.Diags, sections); len(s.Settings) > 0 {
		sections = append(sections, s)
	}
	if o.format == "json" {
		return a.WriteJSON(struct {
			FormatVersion string          `json:"format_version"`
			Name          string          `json:"name"`
			Kind          string          `json:"kind"`
			Sections      []facts.Section `json:"sections"`
			Conditions    []string        `json:"conditions,omitempty"`
		}{report.FormatVersion, name, kind, sections, f.Assumed()})
	}
	facts.Print(a.Screen(), sections)
	printAssumed(a, f)
	return nil
}

// readBeside adds the values in files of a device that differ from the fabric.
func readBeside(f *ir.Fabric, name, kind string, files []string, sections []facts.Section) ([]facts.Section, error) {
	if kind == "pair" {
		return nil, exit.Fail(exit.Usage, "--device-config is for a device or one of its ports")
	}
	found, err := devicefiles.Read(files)
	if err != nil {
		return nil, exit.Fail(exit.Usage, "--device-config: %v", err)
	}
	for hidden := range found.Hidden {
		return nil, exit.Fail(exit.Usage, "--device-config: %s is a symbolic link that leads out of its folder: name its target", hidden)
	}
	device, port, _ := strings.Cut(name, ":")
	d, err := facts.FindDevice(f, device)
	if err != nil {
		return nil, err
	}
	r, why := targets.ReadDevice(d, found.Files)
	if why != "" {
		return nil, exit.Fail(exit.Usage, "--device-config %s: %s", strings.Join(files, ", "), diag.Escape(why))
	}
	return append(sections, facts.Read(r, port)), nil
}

// showSaved prints a saved plan. It reads neither the fabric nor a device.
func (a *app) showSaved(name, format string) error {
	saved, err := savedplan.Read(name)
	if err != nil {
		return err
	}
	if format == "json" {
		return a.WriteJSON(saved)
	}
	a.Screen().SavedPlan(saved)
	return nil
}

// addRead adds a value to the memory model of a switch: the one that the last verify on this machine read, if any.
func (a *app) addRead(dir, name string, sections []facts.Section) {
	at := slices.IndexFunc(sections, func(s facts.Section) bool { return s.Title == facts.MemoryModel })
	state, err := a.StateDir("samples")
	if at < 0 || err != nil {
		return
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return
	}
	kept, _ := samples.Open(state, dir).Load() // only verify reports unusable samples
	if k := kept[name]; k != nil {
		for _, f := range k.Facts {
			if f.Name == facts.MemoryModel {
				sections[at].Add("read", target.Escape(f.Value), ir.Origin{Why: "by rocec verify, " + k.At.UTC().Format("2006-01-02 15:04 MST")})
			}
		}
	}
}
