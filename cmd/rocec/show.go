package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/samples"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/target"
)

func (a *app) showCommand() *cobra.Command {
	var format, saved string
	cmd := &cobra.Command{
		Use:   "show [DIR] NAME | show --plan FILE",
		Short: "show effective settings, each with the line it came from",
		Long: "Show prints the effective settings of a device (leaf01), a port (leaf01:swp3) or the way between two hosts\n" +
			"(gpu001,gpu064), each with the file:line it came from, and what validate finds about these lines.\n" +
			"With --plan it prints what a saved plan is for, what it was made of, and what it would change.",
		Args: func(cmd *cobra.Command, args []string) error {
			if saved != "" {
				if len(args) > 0 || a.dir != "" {
					return exit.Fail(exit.Usage, "--plan FILE says itself which fabric and devices it is for: give no others")
				}
				return nil
			}
			return takes(1, 2)(cmd, args)
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return a.completePorts(a.here(), word)
			}
			return a.completePorts(args[0], word)
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if err := choice("format", format, "text", "json"); err != nil {
				return err
			}
			if saved != "" {
				return a.showPlan(saved, format)
			}
			dir, err := a.folder(args[:len(args)-1])
			if err != nil {
				return err
			}
			name := args[len(args)-1]
			if len(args) == 1 && a.dir == "" && holdsFabric(name) {
				return exit.Fail(exit.Usage, "show: %s is a folder. Name what to show of it: %s", name,
					diag.Rocec("show", diag.Path("DIR", name), diag.Kind("NAME")))
			}
			return a.show(dir, name, format)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	cmd.Flags().StringVar(&saved, "plan", "", "a plan saved in a `file` by plan --out")
	return cmd
}

// holdsFabric reports whether a path is a folder with files of a fabric in it.
func holdsFabric(name string) bool {
	files, err := filepath.Glob(filepath.Join(name, "*.hcl"))
	return err == nil && len(files) > 0
}

// setting is one effective value and why it is what it is.
type setting struct {
	Name    string   `json:"name"`
	Value   string   `json:"value"`
	Origins []origin `json:"origins,omitempty"`
}

type origin struct {
	Why  string `json:"why,omitempty"`
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
}

// section is a titled run of settings.
type section struct {
	Title    string    `json:"title"`
	Settings []setting `json:"settings"`
}

// add appends a setting that came from the places given; a zero place says nothing.
func (s *section) add(name, value string, from ...ir.Origin) {
	s.Settings = append(s.Settings, setting{name, value, origins(from)})
}

// num appends a number with its unit and its origins.
func (s *section) num(name string, n ir.Num, unit string) {
	s.add(name, fmt.Sprintf("%d%s", n.N, unit), n.From...)
}

func origins(from []ir.Origin) []origin {
	var out []origin
	for _, o := range from {
		if o.At.Filename != "" || o.Why != "" {
			out = append(out, origin{o.Why, o.At.Filename, o.At.Start.Line})
		}
	}
	return out
}

func (a *app) show(dir, name, format string) error {
	f, err := a.load(dir)
	if err != nil {
		return err
	}
	if f.Fabric == nil {
		a.printDiagnostics(a.stderr, f)
		return exit.With(exit.Errors)
	}
	a.mentionErrors(f)
	kind, sections, err := describe(f, name)
	if err != nil {
		return err
	}
	a.addRead(dir, name, sections)
	if s := aboutShown(f.Diags, sections); len(s.Settings) > 0 {
		sections = append(sections, s)
	}
	if format == "json" {
		return a.writeJSON(struct {
			FormatVersion string    `json:"format_version"`
			Name          string    `json:"name"`
			Kind          string    `json:"kind"`
			Sections      []section `json:"sections"`
		}{report.FormatVersion, name, kind, sections})
	}
	a.showText(sections)
	return nil
}

// addRead adds what the last verify from this machine read of a switch to what is assumed of it. Where none is kept, nothing is said.
func (a *app) addRead(dir, name string, sections []section) {
	at := slices.IndexFunc(sections, func(s section) bool { return s.Title == memoryModel })
	state, err := a.stateDir("samples")
	if at < 0 || err != nil {
		return
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return
	}
	kept, _ := samples.Open(state, dir).Load() // what cannot be used is said by verify
	if k := kept[name]; k != nil {
		for _, f := range k.Facts {
			if f.Name == memoryModel {
				sections[at].add("read", target.Escape(f.Value), ir.Origin{Why: "by rocec verify, " + k.At.UTC().Format("2006-01-02 15:04 MST")})
			}
		}
	}
}

// memoryModel names how a switch shares out its memory, as a section and as a fact that verify reads.
const memoryModel = "memory model"

// aboutShown is what validate finds about the lines that the settings shown come from.
func aboutShown(l diag.List, shown []section) section {
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
	s := section{Title: "findings"}
	for _, d := range l {
		if d.At.Filename != "" && lines[line{d.At.Filename, d.At.Start.Line}] {
			s.add(fmt.Sprintf("%s[%s]", d.Severity, d.Code), d.Summary, ir.Origin{At: d.At})
		}
	}
	return s
}

// mentionErrors says that a fabric has errors: its settings are worth seeing all the same.
func (a *app) mentionErrors(f *report.Report) {
	if f.Diags.HasErrors() {
		fmt.Fprintf(a.stderr, "rocec: the fabric has %s; rocec validate shows them\n", diag.Count(f.Diags.Count(diag.Error), "error"))
	}
}

// describe finds what name means: a device, a port or a pair of hosts.
func describe(f *report.Report, name string) (kind string, out []section, err error) {
	if first, second, pair := strings.Cut(name, ","); pair {
		from, err := findHost(f.Fabric, first)
		if err != nil {
			return "", nil, err
		}
		to, err := findHost(f.Fabric, second)
		if err != nil {
			return "", nil, err
		}
		out, err = describePair(f.Fabric, from, to)
		return "pair", out, err
	}
	device, port, isPort := strings.Cut(name, ":")
	d, err := findDevice(f.Fabric, device)
	if err != nil {
		return "", nil, err
	}
	if !isPort {
		return "device", describeDevice(targets.FilesOf(d), d), nil
	}
	p, err := findPort(d, port)
	if err != nil {
		return "", nil, err
	}
	return "port", describePort(p), nil
}

// findPort returns a device's cabled port.
func findPort(d *ir.Device, name string) (*ir.Port, error) {
	var names []string
	for _, p := range d.Ports {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	if d.Host != nil {
		for _, b := range d.Host.Bonds {
			if b.Name == name {
				of := make([]string, len(b.NICs))
				for i, n := range b.NICs {
					of[i] = n.Name
				}
				return nil, exit.Fail(exit.Usage, "%s is a bond of %s; name one of its ports, such as %s:%s", name, diag.And(of), d.Name, of[0])
			}
		}
	}
	var parts []string // of a port that is split: swp1s0 and swp1s1 are swp1
	for _, n := range names {
		if rest, ok := strings.CutPrefix(n, name); ok && name != "" && rest[0] > '9' {
			parts = append(parts, n)
		}
	}
	if len(parts) > 0 {
		return nil, exit.Fail(exit.Usage, "%s has no cabled port %q. It has %s", d.Name, name, diag.Some(parts, 4))
	}
	return nil, exit.Fail(exit.Usage, "%s has no cabled port %q.%s", d.Name, name, diag.DidYouMean(name, names))
}

func findDevice(f *ir.Fabric, name string) (*ir.Device, error) {
	var names, of []string
	for _, d := range f.Devices {
		if d.Name == name {
			return d, nil
		}
		if d.Group == name || groupName(d) == name {
			of = append(of, d.Name)
		}
		names = append(names, d.Name)
	}
	switch len(of) {
	case 0:
	case 1:
		return nil, exit.Fail(exit.Usage, "%q is a block; its device is %s", name, of[0])
	default:
		return nil, exit.Fail(exit.Usage, "%q is a block of %s, %s; name one of them", name, diag.Count(len(of), "device"),
			nodeset.Text(of, nodeset.Devices, 60))
	}
	return nil, exit.Fail(exit.Usage, "the fabric has no device %q.%s", name, diag.DidYouMean(name, names))
}

func findHost(f *ir.Fabric, name string) (*ir.Device, error) {
	d, err := findDevice(f, strings.TrimSpace(name))
	if err == nil && d.Host == nil {
		return nil, exit.Fail(exit.Usage, "%s is a switch; a pair is two hosts", d.Name)
	}
	return d, err
}

// groupName is how the language refers to a device's group: switch.leaf, host.gpu.
func groupName(d *ir.Device) string {
	if d.Switch != nil {
		return "switch." + d.Group
	}
	return "host." + d.Group
}

func (a *app) showText(sections []section) {
	paint := a.paints(a.stdout)
	for i, s := range sections {
		if i > 0 {
			fmt.Fprintln(a.stdout)
		}
		fmt.Fprintln(a.stdout, diag.Paint(paint, diag.Bold, diag.Escape(s.Title)))
		name, value := 0, 0
		for _, v := range s.Settings {
			name, value = max(name, len(v.Name)), max(value, min(len(v.Value), 40))
		}
		for _, v := range s.Settings {
			line := fmt.Sprintf("  %-*s  %-*s", name, v.Name, value, v.Value)
			from := originText(v.Origins)
			if len(line)+2+len(from) <= a.width(a.stdout) {
				from = diag.Paint(paint, diag.Dim, from)
				fmt.Fprintln(a.stdout, strings.TrimRight(line+"  "+from, " "))
				continue
			}
			fmt.Fprintln(a.stdout, strings.TrimRight(line, " "))
			for _, o := range v.Origins { // too long for one line: one reason a line
				fmt.Fprintf(a.stdout, "  %-*s    %s\n", name, "", diag.Paint(paint, diag.Dim, originText([]origin{o})))
			}
		}
	}
}

// originText prints origins in one line: "fabric.hcl:31 cable of 30 m; Spectrum: cells of 96 B".
func originText(from []origin) string {
	var parts []string
	for _, o := range from {
		s := o.Why
		if o.File != "" {
			s = strings.TrimSpace(fmt.Sprintf("%s:%d %s", o.File, o.Line, o.Why))
		}
		parts = append(parts, diag.Escape(s))
	}
	return strings.Join(parts, "; ")
}
