package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/devicefiles"
	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/intake"
	"github.com/rocec/rocec/cmd/internal/netbox"
	"github.com/rocec/rocec/cmd/internal/site"
	"github.com/rocec/rocec/cmd/internal/start"
	"github.com/rocec/rocec/cmd/internal/wholefile"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/topology"
	"github.com/rocec/rocec/targets"
)

func initCommand(a *app) *cobra.Command {
	var system, shape string
	var hosts int
	var columns map[string]string
	var from, sheets []string
	cmd := &cobra.Command{
		Use:   "init [--shape SHAPE [--hosts N]] [--os SYSTEM[@RELEASE]] [--from SOURCE]... [DIR]",
		Short: "start a fabric: a small example, a shape with a number of hosts, or a draft from files of a network",
		Long: "Init writes a small fabric with comments to DIR, and creates DIR if needed: 2 spines, 4 leaves, 8 hosts, RoCEv2 with ECN and\n" +
			"PFC. It passes validate and can be rehearsed with plan --lab; change it into yours. With --os the switches run another system or\n" +
			"release that rocec knows.\n" +
			"\n" +
			"With --shape it writes a fabric of that shape for --hosts hosts, free of PFC loops, and with nodesets. Leaves have as much\n" +
			"bandwidth up as down; in mlag-rack half as much:\n" +
			"\n" +
			shapesText() +
			"\n" +
			"With --from it drafts a fabric from your files. Init detects the kind of a SOURCE, or you name the kind before a colon, as in\n" +
			"csv:FILE (ptm, clab, air, csv, devices).\n" +
			"\n" +
			"A cabling file is a PTM topology.dot, a containerlab topology, a topology of NVIDIA Air as JSON, or a sheet of cables. The file is\n" +
			"copied to DIR and stays the only place with cables. Init infers switches and hosts, their systems, tiers and peer links from\n" +
			"names, ports and cables in the file. Values that the file lacks are guessed and marked CHECK. Cables of the management network,\n" +
			"consoles and power, from a device to itself, and without a second end are left out. --columns names the columns of a sheet whose\n" +
			"headers rocec does not know. More sheets of the same inventory can be given: front and rear ports, for cables through patch\n" +
			"panels; interfaces; and devices with their roles, types and platforms.\n" +
			"\n" +
			"netbox:URL and nautobot:URL read the same sheets from an inventory by REST, and write them to DIR. The environment variable\n" +
			"NETBOX_TOKEN or NAUTOBOT_TOKEN has the token. ?site=SLUG or ?location=SLUG at the end of the URL reads a part.\n" +
			"\n" +
			"A folder contains the configurations of devices, as for rocec audit. Init takes classes, releases and lengths from these files,\n" +
			"and writes the cables to a sheet, cables.csv. If the headroom of ports is in bytes, a cable gets the longest length that it\n" +
			"allows. From a folder with only answers of LLDP, init takes only the cables. If a cabling file or an inventory is given, too, the\n" +
			"fabric has the cables of both, with the lengths of the file; if LLDP contradicts it, a warning names the line.\n" +
			"\n" +
			"If DIR is in a repository, init writes the workflow for GitHub to .github/workflows in the root of the repository.\n" +
			"\n" +
			"Init overwrites nothing: it refuses a folder that contains one of the files, or any *.hcl file.",
		Example: "  rocec init lab\n" +
			"  rocec init --os cumulus-linux@5.9.1 lab\n" +
			"  rocec init --shape rail --hosts 32 --os sonic pod1\n" +
			"  rocec init --from topology.dot pod1\n" +
			"  rocec init --from cables.csv --columns a=From,b=To pod1\n" +
			"  rocec init --from collected site1\n" +
			"  rocec init --from collected --from cables.csv site1\n" +
			"  rocec init --from cables.csv --from devices.csv --from front-ports.csv pod1\n" +
			"  rocec init --from 'netbox:https://netbox.example.net?site=ams1' ams1",
		Args: func(_ *cobra.Command, args []string) error {
			most := 1
			if formerFrom(from, args) {
				if most = 2; len(args) == 0 {
					return fmt.Errorf("--from %s needs the FILE to start from", from[0])
				}
			}
			if len(args) > most {
				return fmt.Errorf("init takes one DIR, not %d arguments", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			on, err := systemOf(system)
			if err != nil {
				return err
			}
			if err := goodColumns(columns, sheets); err != nil {
				return err
			}
			switch {
			case shape != "" && len(from) > 0:
				return exit.Fail(exit.Usage, "--shape and --from cannot be combined; leave out one of them")
			case shape == "" && cmd.Flags().Changed("hosts"):
				return exit.Fail(exit.Usage, "--hosts needs --shape, one of %s", diag.Or(start.ShapeNames()))
			}
			if len(from) == 0 {
				dir, err := a.Folder(args)
				if err != nil {
					return err
				}
				if on.OS == nil && shape == "" {
					return a.init(dir, fabricName(dir), start.Small(nil))
				}
				files, err := startOn(shape, hosts, on)
				if err != nil {
					return err
				}
				if err := a.refuseSystem(files); err != nil {
					return err
				}
				return a.init(dir, fabricName(dir), files)
			}
			if formerFrom(from, args) {
				source := diag.Path("FILE", args[0])
				tellFormer(a.Person, "--from "+from[0]+" "+source.String(), diag.Flag("--from", source).String())
				from, args = []string{from[0] + ":" + args[0]}, args[1:]
			}
			return initFrom(a, from, args, sheets, columns, on)
		},
	}
	cmd.Flags().StringArrayVar(&from, "from", nil, "`source` to start from: a cabling file, a folder with files of devices, netbox:URL; "+
		"repeatable")
	cmd.Flags().StringVar(&system, "os", "", "the `system` of the switches, with or without a release, such as cumulus-linux@5.9.1")
	cmd.Flags().StringVar(&shape, "shape", "", "`shape` of the fabric: "+strings.Join(start.ShapeNames(), ", "))
	cmd.Flags().IntVar(&hosts, "hosts", 16, "`number` of hosts of a --shape")
	offer(cmd, "shape", start.ShapeNames()...)
	cmd.Flags().StringToStringVar(&columns, "columns", nil, "headers of a sheet, such as `a_device=\"Source Device\"`; repeatable")
	cmd.Flags().StringArrayVar(&sheets, "sheet", nil, "`file` of the same inventory as a sheet of cables; repeatable")
	cmd.Flags().Lookup("columns").DefValue = "" // not "[]"
	offer(cmd, "os", systemWords()...)
	return cmd
}

// shapesText returns the list of shapes for the help.
func shapesText() string {
	var b strings.Builder
	for _, s := range start.Shapes {
		fmt.Fprintf(&b, "  %-11s %s; up to %d hosts\n", s.Name, s.Doc, s.Most)
	}
	return b.String()
}

// startOn returns the files of the small fabric, or of a fabric with a shape. Its switches run the system on.
func startOn(shape string, hosts int, on start.System) ([]start.File, error) {
	if shape == "" {
		return start.On(on), nil
	}
	s, ok := start.FindShape(shape)
	if !ok {
		return nil, exit.Choice("shape", shape, start.ShapeNames()...)
	}
	if hosts < start.FewestHosts || hosts > s.Most {
		more := ""
		if hosts > s.Most {
			more = fmt.Sprintf(". Start with %d hosts, and add the others: rocec help recipes. %s", s.Most, s.More)
		}
		return nil, exit.Fail(exit.Usage, "--hosts must be %d to %d for the shape %s, not %d%s", start.FewestHosts, s.Most, s.Name, hosts, more)
	}
	if on.OS == nil {
		on.OS = targets.Known.DefaultOS()
	}
	return start.Shaped(s, hosts, on), nil
}

// goodColumns refuses more sheets than rocec reads, and columns that no sheet has.
func goodColumns(columns map[string]string, sheets []string) error {
	if len(sheets) > topology.MaxSheets {
		return exit.Fail(exit.Usage, "--sheet is given %d times, and init reads at most %d sheets", len(sheets), topology.MaxSheets)
	}
	for _, name := range slices.Sorted(maps.Keys(columns)) {
		if err := exit.Choice("columns", name, topology.Columns()...); err != nil {
			return err
		}
	}
	return nil
}

// systemOf parses --os. It returns the zero System if --os is not given.
func systemOf(s string) (start.System, error) {
	if s == "" {
		return start.System{}, nil
	}
	name, version, stated := strings.Cut(s, "@")
	os := targets.Known.FindOS(name)
	if os == nil {
		return start.System{}, exit.Choice("os", name, targets.Known.OSNames()...)
	}
	if stated {
		if why := os.Release(version); why != "" {
			return start.System{}, exit.Fail(exit.Usage, "--os: %s", why)
		}
	}
	return start.System{OS: os, Version: version}, nil
}

// refuseSystem fails if the small fabric has errors with the system and release of --os, such as a release that rocec cannot write.
func (a *app) refuseSystem(files []start.File) error {
	dir, err := os.MkdirTemp("", "rocec-init-")
	if err != nil {
		return exit.Fail(exit.Machines, "the fabric could not be tried: %v", err)
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a leftover in the system's temporary folder does no harm
	if err := newFiles(dir, files); err != nil {
		return exit.Fail(exit.Machines, "the fabric could not be tried: %v", err)
	}
	f, err := a.Load(dir)
	if err != nil {
		return err
	}
	for _, d := range f.Diags {
		if d.Severity == diag.Error {
			return exit.Fail(exit.Usage, "--os: %s. %s", d.Summary, d.Detail)
		}
	}
	return nil
}

// init writes the files of a fabric with a name to dir and prints the next step.
func (a *app) init(dir, name string, files []start.File, notes ...string) error {
	start.Call(files, name)
	start.Pin(files, a.Rocec.Version)
	if err := refuseTaken(dir, files); err != nil {
		return err
	}
	root, below := repositoryOf(dir)
	files, workflow := start.PlaceWorkflow(files, below, func(name string) bool {
		_, err := os.Lstat(filepath.Join(root, filepath.FromSlash(name)))
		return err == nil
	})
	if err := newFiles(dir, files); err != nil {
		return exit.Fail(exit.Machines, "the fabric could not be written: %v", err)
	}
	if workflow.File.Name != "" {
		if err := newFiles(root, []start.File{workflow.File}); err != nil {
			return exit.Fail(exit.Machines, "the fabric is written, but its workflow could not be written: %v", err)
		}
	}
	if a.Quiet {
		return nil
	}
	fmt.Fprintf(a.Stdout, "%s: %s written\n", diag.Escape(dir), diag.Count(len(files), "file"))
	for _, f := range files {
		fmt.Fprintf(a.Stdout, "  %s\n", f.Name)
	}
	switch {
	case workflow.File.Name != "":
		fmt.Fprintf(a.Stdout, "and %s, where GitHub reads workflows\n",
			diag.Escape(fromHere(filepath.Join(root, filepath.FromSlash(workflow.File.Name)))))
	case workflow.Why != "":
		fmt.Fprintf(a.Stdout, "\n%s.\n", diag.Escape(workflow.Why))
	}
	for i, note := range notes {
		if i == 0 {
			fmt.Fprint(a.Stdout, "\nleft out:\n")
		}
		fmt.Fprintf(a.Stdout, "  %s\n", diag.Escape(note))
	}
	if n := countChecks(files); n > 0 {
		fmt.Fprintf(a.Stdout, "\nLines marked CHECK (%d) contain guesses, as the sources lack these values: check each of them.\n", n)
		f, err := a.Load(dir)
		if err != nil {
			return err
		}
		if f.Diags.HasErrors() { // caused by the source: a cable to itself, a port that no model has, a release that rocec does not write
			fmt.Fprintf(a.Stdout, "\nThe draft has %s, caused by the sources: correct them first. rocec validate shows them.\n",
				diag.Count(f.Diags.Count(diag.Error), "error"))
		}
	}
	fmt.Fprint(a.Stdout, "\nnext:\n")
	if dir != "." {
		fmt.Fprintf(a.Stdout, "  %s\n", diag.Command("cd", diag.Path("DIR", dir)))
	}
	fmt.Fprint(a.Stdout, "  rocec validate               # everything that can be known without a device\n"+
		"  rocec graph -o fabric.html   # look at it in a browser\n"+
		"  rocec plan --lab             # a rehearsal: the changes to every device\n"+
		"  rocec plan                   # the same with your devices; changes nothing\n")
	return nil
}

// repositoryOf returns the nearest folder above dir that contains .git, and the path from there to dir, with slashes. Both are empty
// outside of a repository, and in its root.
func repositoryOf(dir string) (root, below string) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", ""
	}
	for up := abs; ; up = filepath.Dir(up) {
		if _, err := os.Lstat(filepath.Join(up, ".git")); err == nil {
			if rel, err := filepath.Rel(up, abs); err == nil && rel != "." {
				return up, filepath.ToSlash(rel)
			}
			return "", ""
		}
		if up == filepath.Dir(up) {
			return "", ""
		}
	}
}

// fromHere returns the path of a file relative to the working directory if possible.
func fromHere(name string) string {
	if here, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(here, name); err == nil {
			return rel
		}
	}
	return name
}

// fabricName returns the name of the fabric: that of its folder, if it is a valid name.
func fabricName(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		if name := strings.ToLower(filepath.Base(abs)); start.IsName(name) {
			return name
		}
	}
	return "lab"
}

func countChecks(files []start.File) int {
	n := 0
	for _, f := range files {
		if strings.HasSuffix(f.Name, ".hcl") {
			n += bytes.Count(f.Data, []byte("CHECK:"))
		}
	}
	return n
}

// refuseTaken fails if dir contains one of the files, or another file that rocec would read as part of the fabric.
func refuseTaken(dir string, files []start.File) error {
	var taken []string
	for _, f := range files {
		if _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(f.Name))); err == nil {
			taken = append(taken, f.Name)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return exit.Fail(exit.Machines, "%v", err)
	}
	for _, e := range entries {
		mine := false
		for _, f := range files {
			mine = mine || f.Name == e.Name()
		}
		if !mine && strings.HasSuffix(e.Name(), ".hcl") {
			taken = append(taken, e.Name())
		}
	}
	if len(taken) == 0 {
		return nil
	}
	return exit.Fail(exit.Errors, "%s already contains %s, and init overwrites nothing; name a new folder, such as %s",
		dir, diag.Some(taken, 9), diag.Path("DIR", free(dir)))
}

// free returns the name of a folder that does not exist, derived from dir.
func free(dir string) string {
	if dir == "." {
		dir = "lab"
	}
	for n := 1; ; n++ {
		name := dir
		if n > 1 {
			name += strconv.Itoa(n)
		}
		if _, err := os.Lstat(name); err != nil {
			return name
		}
	}
}

// newFiles writes files below dir. It refuses existing files. If one file cannot be written, it removes all of them.
func newFiles(dir string, files []start.File) error {
	return wholefile.Create(dir, func(yield func(string, []byte) bool) {
		for _, f := range files {
			if !yield(f.Name, f.Data) {
				return
			}
		}
	})
}

// draft returns the files of a fabric that is drafted from a source. It does not copy a file that is already in the fabric's folder.
func (a *app) draft(source *intake.Origin, dir string, columns map[string]string, on start.System) (*start.Drafted, error) {
	drafted, ds := source.Draft(dir, columns, a.MaxObjects, targets.Known, on)
	sites(a).Print(source.Texts(ds), ds)
	if drafted == nil {
		return nil, exit.Fail(exit.Errors, "nothing was written; fix %s first", diag.Escape(source.Cables.Shown))
	}
	return drafted, nil
}

// formerFrom reports whether --from is given in its former form, --from KIND FILE [DIR].
func formerFrom(from, args []string) bool {
	if len(from) != 1 || !slices.Contains(append(intake.Words(), intake.DevicesWord), from[0]) {
		return false
	}
	_, err := os.Stat(from[0])
	return len(args) > 1 || err != nil
}

// initFrom drafts a fabric from sources.
func initFrom(a *app, from, args, sheets []string, columns map[string]string, on start.System) error {
	dir, err := a.Folder(args)
	if err != nil {
		return err
	}
	found, err := intake.Look(from, sheets, columns)
	if err != nil {
		return exit.Fail(exit.Errors, "%v", err)
	}
	source := found.Cables
	if source == nil || source.Kind.Format != "csv" {
		for i, given := range []int{len(sheets), len(columns)} {
			if given > 0 {
				return exit.Fail(exit.Usage, "%s is for a sheet of cables, and no source is such a sheet", []string{"--sheet", "--columns"}[i])
			}
		}
	}
	records, notes := (*netbox.Records)(nil), []string(nil)
	if found.Inventory != "" {
		records, err = netbox.Read(a.Ctx, found.Inventory, netbox.Environment{Getenv: a.Getenv})
		if err != nil {
			return err
		}
		if !a.Quiet {
			fmt.Fprintf(a.Stdout, "%s read from %s\n\n", diag.Count(records.Count, "cable"), diag.Escape(records.System))
		}
		source, notes = intake.FromInventory(records), records.Notes
	}
	if len(found.Devices) > 0 {
		return initFromDevices(a, found.Devices, source, records, dir, columns, on)
	}
	drafted, err := a.draft(source, dir, columns, on)
	if err != nil {
		return err
	}
	return a.init(dir, cmp.Or(drafted.Name, fabricName(dir)), drafted.Files, append(notes, drafted.Notes...)...)
}

// initFromDevices writes a fabric from the configurations of devices, and adds the cables of a source (nil: no source). It writes a sheet
// with the lengths that the records of an inventory lack.
func initFromDevices(
	a *app, folders []string, source *intake.Origin, records *netbox.Records, dir string, columns map[string]string, on start.System,
) error {
	read, err := devicefiles.Read(folders)
	if err != nil {
		return err
	}
	cabling, err := sites(a).Cables(source, columns)
	if err != nil {
		return err
	}
	s, err := sites(a).Site(a.Ctx, read, site.Options{On: on, Given: cabling, Alone: true})
	if err != nil {
		return err
	}
	var texts map[string][]byte
	if source != nil {
		texts = source.Texts(s.Cables.Against)
	}
	sites(a).Print(texts, s.Cables.Against)
	files, notes := s.Drafted.Files, slices.Concat(s.Unread(), s.Cables.Notes, s.Drafted.Notes)
	if records != nil {
		notes = append(records.Notes, notes...)
		if sheet, n := records.Writeback(s.Cables.Stated); n > 0 {
			files = append(files, start.File(sheet))
			notes = append(notes, fmt.Sprintf("%s in %s, which the inventory lacks: they follow from the settings of switches. Check them, then "+
				"import "+
				"the file "+
				"there under Cables", diag.Count(n, "length"), sheet.Name))
		}
	}
	if err := a.init(dir, fabricName(dir), files, notes...); err != nil || a.Quiet || !s.Configured() {
		return err
	}
	words := []diag.Word{diag.Path("DIR", ".")} // without DIR, validate ignores the fabric
	for _, folder := range folders {
		words = append(words, diag.Flag("--device-config", diag.Path("PATH", devicefiles.From(dir, folder))))
	}
	_, err = fmt.Fprintf(a.Stdout, "  %s   # each value of the files that differs from the fabric\n", diag.Rocec("validate", words...))
	return err
}
