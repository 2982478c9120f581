package devicefiles

import (
	"fmt"
	"os"
	"time"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/globals"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/wholefile"
	"github.com/rocec/rocec/lang/baseline"
	"github.com/rocec/rocec/lang/diag"
)

// Baselines are the files of --baseline and --write-baseline; empty: the flag is not given.
type Baselines struct{ Read, Write string }

// Hold compares the findings of a report with a baseline on a day. If wanted, it writes the baseline with these findings. It prints the
// mistakes in a baseline.
func (o Baselines) Hold(p *person.Person, r *report.Report, today time.Time) error {
	if o == (Baselines{}) {
		return nil
	}
	b, err := o.read(p)
	if err != nil {
		return err
	}
	compared, ds := r.Compare(b, today)
	if ds.HasErrors() {
		return mistakes(p, ds, map[string][]byte{b.Name: b.Src})
	}
	if o.Write != "" {
		text := compared.Edited()
		written, ds := baseline.Read(o.Write, text)
		if ds.HasErrors() {
			return exit.Fail(exit.Usage, "--write-baseline: nothing is written, because rocec could not read it back: %s", ds[0].Detail)
		}
		if err := wholefile.Replace(o.Write, text, 0o644); err != nil {
			return exit.Fail(exit.Machines, "--write-baseline: %v", err)
		}
		if !p.Quiet {
			fmt.Fprintf(p.Stderr, "%s: %s new, %s removed\n", diag.Escape(o.Write), diag.Count(compared.New(), "row"),
				diag.Number(len(compared.Fixed)))
		}
		compared, _ = r.Compare(written, today)
	}
	r.Hold(compared)
	return nil
}

// read reads the file of --baseline, or else the file of --write-baseline if it exists.
func (o Baselines) read(p *person.Person) (*baseline.Baseline, error) {
	name := o.Read
	if o.Write != "" {
		there, err := o.free()
		if err != nil {
			return nil, err
		}
		if there {
			name = o.Write
		}
	}
	if name == "" {
		return &baseline.Baseline{Name: o.Write}, nil
	}
	return readBaseline(p, name)
}

// mistakes prints the mistakes of a baseline.
func mistakes(p *person.Person, ds diag.List, files map[string][]byte) error {
	printer := &diag.Printer{Files: files, Color: p.Paints(p.Stderr), Width: p.Width(p.Stderr), Most: 20}
	printer.Print(p.Stderr, ds) //nolint:errcheck // a closed terminal shows no error
	return exit.Fail(exit.Errors, "the baseline cannot be used")
}

// free reports whether the file to write exists. It refuses a file whose rows would be lost.
func (o Baselines) free() (there bool, err error) {
	info, err := os.Stat(o.Write)
	switch {
	case os.IsNotExist(err):
		return false, nil
	case err != nil:
		return false, exit.Fail(exit.Usage, "--write-baseline: %v", err)
	case !info.Mode().IsRegular():
		return false, exit.Fail(exit.Usage, "--write-baseline: %s is not a regular file", o.Write)
	case o.Read == "":
		return true, nil
	}
	if read, err := os.Stat(o.Read); err != nil || !os.SameFile(read, info) {
		return false, exit.Fail(exit.Usage, "--write-baseline: %s exists, and is not the file of --baseline. Its rows would be lost: name it "+
			"with --baseline, too, or another file", o.Write)
	}
	return true, nil
}

// readBaseline reads a file of at most 1 MiB.
func readBaseline(p *person.Person, name string) (*baseline.Baseline, error) {
	src, out, err := globals.ReadNamed(name)
	switch {
	case os.IsNotExist(err):
		return nil, exit.Fail(exit.Usage, "--baseline: there is no file %s; --write-baseline writes one", diag.Escape(name))
	case err != nil:
		return nil, exit.Fail(exit.Usage, "%v", err)
	}
	b, ds := baseline.Read(name, src)
	if !ds.HasErrors() {
		return b, nil
	}
	files := map[string][]byte{name: src}
	if out {
		report.Hide(ds, files)
		files = nil
	}
	return nil, mistakes(p, ds, files)
}
