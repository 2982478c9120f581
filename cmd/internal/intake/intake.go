// Package intake reads the [Origin] of a new fabric: a cabling file of an existing network, and sheets of an inventory.
package intake

import (
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rocec/rocec/cmd/internal/globals"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/start"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/lock"
	"github.com/rocec/rocec/lang/topology"
)

// Kind is a kind of source, with the word that a person writes.
type Kind struct {
	Word   string
	Format string // of the topology block
	name   string // of the copy where the original's does not do
}

// Kinds lists the kinds of files that rocec reads.
var Kinds = []Kind{
	{"ptm", "ptm", "topology.dot"},
	{"clab", "containerlab", "topology.clab.yml"},
	{"air", "air", "topology.json"},
	{"csv", "csv", "cables.csv"},
}

// Words returns the words of the kinds.
func Words() []string {
	var out []string
	for _, k := range Kinds {
		out = append(out, k.Word)
	}
	return out
}

// Origin is a cabling file, and the sheets of an inventory beside it.
type Origin struct {
	Kind   Kind
	Cables File
	Sheets []File
}

// File is a file of a source.
type File struct {
	Shown string // as the person named it, with slashes
	Name  string // of the copy in the fabric's folder
	Data  []byte
	path  string // its path
	out   bool   // messages show no text of the file, see [globals.OpenNamed]
}

// ReadFiles reads a cabling file of a kind, and the sheets of an inventory beside it.
func ReadFiles(word, cables string, sheets []string) (*Origin, error) {
	s := &Origin{Kind: Kinds[slices.Index(Words(), word)]}
	var err error
	if s.Cables, err = readFile(cables, s.Kind.name, nil); err != nil {
		return nil, err
	}
	taken := []string{s.Cables.Name}
	for i, name := range sheets {
		f, err := readFile(name, fmt.Sprintf("sheet-%d.csv", i+1), taken)
		if err != nil {
			return nil, err
		}
		taken = append(taken, f.Name)
		s.Sheets = append(s.Sheets, f)
	}
	return s, nil
}

// goodCopy reports whether a name is suitable for the copy of a cabling file: it needs no quotes.
func goodCopy(name string) bool {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"
	return name != "" && len(name) < 64 && strings.Trim(name, letters+".-") == "" && strings.Contains(letters, name[:1])
}

// readFile reads a file that the person named, up to a maximum size. The copy keeps the name of the file, or gets another if the name is
// unsuitable or taken.
func readFile(name, other string, taken []string) (File, error) {
	f, out, err := globals.OpenNamed(name)
	if err != nil {
		return File{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.IsDir() {
		return File{}, fmt.Errorf("%s is not a file", name)
	}
	if info.Size() > topology.MaxFile {
		return File{}, fmt.Errorf("%s has %d MB, and the limit for a cabling file is %d MB: give the cables as CSV without the columns that "+
			"nobody "+
			"needs, or split the file and draft from one part", name, info.Size()>>20, topology.MaxFile>>20)
	}
	data, err := io.ReadAll(io.LimitReader(f, topology.MaxFile+1))
	if err != nil {
		return File{}, err
	}
	read := File{Shown: path.Clean(filepath.ToSlash(name)), Name: other, Data: data, path: name, out: out}
	if base := path.Base(read.Shown); goodCopy(base) && path.Ext(base) != ".hcl" && base != lock.Name && !slices.Contains(taken, base) {
		read.Name = base
	}
	return read, nil
}

// in reports whether the file is already in a folder, under its name.
func (f File) in(dir string) bool {
	there, err := os.Stat(filepath.Join(dir, f.Name))
	if err != nil || f.path == "" {
		return false
	}
	info, err := os.Stat(f.path)
	return err == nil && os.SameFile(there, info)
}

// Texts returns the texts of the files by their names in places. It leaves out text that messages must not show.
func (s *Origin) Texts(ds diag.List) map[string][]byte {
	shown, hidden := map[string][]byte{}, map[string][]byte{}
	for _, f := range append([]File{s.Cables}, s.Sheets...) {
		if f.out {
			hidden[f.Shown] = f.Data
		} else {
			shown[f.Shown] = f.Data
		}
	}
	report.Hide(ds, hidden)
	return shown
}

// Read reads the cables.
func (s *Origin) Read(columns map[string]string, most int) (topology.Cabling, diag.List) {
	o := topology.Options{Most: most, Columns: columns}
	for _, f := range s.Sheets {
		o.Sheets = append(o.Sheets, topology.Sheet{Name: f.Shown, Src: f.Data})
	}
	return topology.ReadAll(s.Kind.Format, s.Cables.Shown, s.Cables.Data, o)
}

// Draft drafts a fabric in a folder. It returns nil if there are errors or no cables.
func (s *Origin) Draft(dir string, columns map[string]string, most int, known ir.Known, on start.System) (*start.Drafted, diag.List) {
	c := start.Cabling{Format: s.Kind.Format, Name: s.Cables.Name, Columns: columns}
	for _, f := range s.Sheets {
		c.Sheets = append(c.Sheets, f.Name)
	}
	read, ds := s.Read(columns, most)
	var drafted start.Drafted
	if ds = start.Causes(ds); !ds.HasErrors() && (len(read.Edges) > 0 || len(read.Others) > 0) {
		var refused diag.List
		c.Cabling = read
		drafted, refused = start.Draft(c, known, on)
		ds = append(ds, refused...)
	}
	ds = slices.DeleteFunc(ds, func(d *diag.Diagnostic) bool { return d.Code == topology.LeftOut.Code }) // a note of the draft states it
	for _, d := range ds {
		if d.Code == topology.Empty.Code && d.Severity == diag.Warning { // of the file: there is no topology block yet
			d.Severity = diag.Error
			left := ""
			if len(read.Left) > 0 {
				left = fmt.Sprintf(" All cables are left out: %s.", read.Left)
			}
			d.Detail = fmt.Sprintf("There is no cable in this file, read as %s.%s Give a file with cables.", s.Kind.Word, left)
		}
	}
	if ds.HasErrors() || len(read.Edges) == 0 {
		return nil, ds
	}
	for _, f := range append([]File{s.Cables}, s.Sheets...) {
		if !f.in(dir) {
			drafted.Files = append(drafted.Files, start.File{Name: f.Name, Data: f.Data})
		}
	}
	return &drafted, ds
}
