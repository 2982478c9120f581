package report

import (
	"bytes"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
)

// paths converts the places of findings for CI systems: files relative to the root of the repository, and columns in UTF-16 units. The
// root is the nearest folder above the fabric's that contains .git (a folder, or the file of a worktree); without one it is the working
// directory.
type paths struct {
	files map[string][]byte
	first string // the first file, by name; empty if none was read
	dir   string // the fabric's folder, absolute
	root  string // absolute
	repo  bool   // root contains .git
	names map[string]string

	sources []string // the sources of an audit
	made    string   // the folder of files that the run has derived
}

func newPaths(r *Report) *paths {
	p := &paths{files: r.Source.Files, dir: realPath(r.Dir), names: map[string]string{}, made: r.Made}
	for _, name := range r.Sources {
		p.sources = append(p.sources, diag.Escape(path.Clean(filepath.ToSlash(name))))
	}
	for name := range p.files {
		if !lang.Given(name) && (p.first == "" || name < p.first) {
			p.first = name
		}
	}
	for dir := p.dir; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			p.root, p.repo = dir, true
			return p
		}
		if dir == filepath.Dir(dir) {
			p.root = realPath(".")
			return p
		}
	}
}

// realPath returns the absolute name of a folder, with its links resolved where possible.
func realPath(dir string) string {
	abs, err := filepath.Abs(filepath.FromSlash(dir))
	if err != nil { // the working directory was deleted
		return filepath.Clean(dir)
	}
	if to, err := filepath.EvalSymlinks(abs); err == nil {
		return to
	}
	return abs
}

// inFile reports whether at is a place in a file. Values from the command line and the environment have places that are not.
func (p *paths) inFile(at diag.Range) bool { return at.Filename != "" && !lang.Given(at.Filename) }

// told returns the place of d in a file: its own place, or that of its first note, such as the declaration of a variable.
func (p *paths) told(d *diag.Diagnostic) (at diag.Range, ok bool) {
	if p.inFile(d.At) {
		return d.At, true
	}
	for _, n := range d.Notes {
		if p.inFile(n.At) {
			return n.At, true
		}
	}
	return diag.Range{}, false
}

// best returns the place of told, or the beginning of the first file. Some readers refuse a whole log if one finding has no place.
func (p *paths) best(d *diag.Diagnostic) (at diag.Range, ok bool) {
	if at, ok := p.told(d); ok {
		return at, true
	}
	at.Filename = p.first
	at.Start.Line, at.Start.Column, at.End.Line, at.End.Column = 1, 1, 1, 1
	return at, p.first != ""
}

// path returns the name of a file relative to the root, with slashes; outside of the root, its absolute name.
func (p *paths) path(name string) string {
	if path, ok := p.names[name]; ok {
		return path
	}
	dir, base := filepath.Split(filepath.FromSlash(name))
	path := filepath.ToSlash(under(p.root, filepath.Join(realPath(dir), base)))
	p.names[name] = path
	return path
}

// under returns name relative to dir, or name itself if it is not in dir.
func under(dir, name string) string {
	if rel, err := filepath.Rel(dir, name); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return name
}

// folder returns the fabric's folder relative to the root; "." if it is the root.
func (p *paths) folder() string { return filepath.ToSlash(under(p.root, p.dir)) }

// stable returns a name for the file of a place that does not depend on the working directory. The name begins at the root of the
// repository, or without one at the folder above the fabric's. The name of a file of an audit is relative to its source, since a new
// collection may have another name.
func (p *paths) stable(at diag.Range) string {
	if !p.inFile(at) {
		return ""
	}
	if len(p.sources) > 0 {
		return p.inSource(at.Filename)
	}
	file := p.path(at.Filename)
	if p.repo {
		return file
	}
	name := filepath.FromSlash(file)
	if !filepath.IsAbs(name) {
		name = filepath.Join(p.root, name)
	}
	return filepath.ToSlash(under(filepath.Dir(p.dir), name))
}

// inSource returns the name of a file relative to the longest source that contains it. For a source that is a file, it returns the last
// element.
func (p *paths) inSource(name string) string {
	short, most := name, -1
	for _, source := range p.sources {
		if len(source) <= most {
			continue
		}
		switch rest, ok := strings.CutPrefix(name, strings.TrimSuffix(source, "/")+"/"); {
		case name == source:
			short, most = path.Base(name), len(source)
		case ok:
			short, most = rest, len(source)
		}
	}
	return short
}

// uri returns the name of a file as a URI: relative if it is below the root.
func (p *paths) uri(name string) (uri string, relative bool) {
	path := p.path(name)
	if filepath.IsAbs(path) {
		return (&url.URL{Scheme: "file", Path: path}).String(), false
	}
	return (&url.URL{Path: path}).String(), true
}

// line returns "path:line" for a place in a file.
func (p *paths) line(at diag.Range) string {
	return diag.Escape(p.path(at.Filename)) + ":" + strconv.Itoa(max(at.Start.Line, 1))
}

// columns returns the columns of start and end in UTF-16 units, from 1, computed from the bytes of their lines. The columns of a Range
// count visible letters.
func (p *paths) columns(at diag.Range) (start, end int) {
	src, known := p.files[at.Filename]
	column := func(b, fallback int) int {
		if !known || b < 0 || b > len(src) {
			return max(fallback, 1)
		}
		line := src[bytes.LastIndexByte(src[:b], '\n')+1 : b]
		if len(line) == b { // a byte order mark is not part of the first line
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		n := 1
		for _, r := range string(line) {
			n += utf16.RuneLen(r)
		}
		return n
	}
	start = column(at.Start.Byte, at.Start.Column)
	if at.End.Byte < at.Start.Byte || at.End.Line < at.Start.Line { // no end is known
		return start, start
	}
	return start, column(at.End.Byte, at.End.Column)
}
