package lsp

import (
	"bytes"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/rocec/rocec/lang/outline"
)

// Bounds of the search around a document.
const (
	maxUp      = 12  // levels of parent folders in the search for a fabric
	maxFolders = 256 // folders of one fabric
)

func (s *Server) didOpen(p didOpenParams) (any, *responseError) {
	name, version := fileName(p.TextDocument.URI), p.TextDocument.Version
	d := &document{uri: p.TextDocument.URI, name: name, version: &version}
	s.docs[name] = d
	s.setText(d, newText([]byte(p.TextDocument.Text), s.enc))
	return nil, nil
}

func (s *Server) didChange(p didChangeParams) (any, *responseError) {
	d, bad := s.document(p.TextDocument.URI)
	if bad != nil {
		return nil, bad
	}
	t := d.text
	for _, c := range p.ContentChanges {
		if c.Range == nil {
			t = newText([]byte(c.Text), s.enc)
		} else {
			t = t.replace(*c.Range, c.Text)
		}
		if len(t.src) > maxBody {
			return nil, errorf(invalidParams, "the document is larger than %d bytes", maxBody)
		}
	}
	if p.TextDocument.Version != nil {
		d.version = p.TextDocument.Version
	}
	s.setText(d, t)
	return nil, nil
}

func (s *Server) setText(d *document, t *text) {
	d.text, d.outline = t, nil
	s.touch(d)
}

func (s *Server) didSave(p documentParams) (any, *responseError) {
	s.disk.forget()
	if d, bad := s.document(p.TextDocument.URI); bad == nil {
		s.touch(d)
	}
	return nil, nil
}

func (s *Server) didClose(p documentParams) (any, *responseError) {
	d, bad := s.document(p.TextDocument.URI)
	if bad != nil {
		return nil, bad
	}
	delete(s.docs, d.name)
	s.disk.forget()
	if d.fabric == "" {
		s.forgetAlone(d)
		return nil, nil
	}
	if slices.ContainsFunc(slices.Collect(maps.Values(s.docs)), func(o *document) bool { return o.fabric == d.fabric }) {
		s.dirty(d.fabric)
	} else {
		s.drop(d.fabric)
	}
	return nil, nil
}

func (s *Server) didChangeFiles(none) (any, *responseError) {
	s.disk.forget()
	for _, d := range s.docs {
		s.touch(d)
	}
	return nil, nil
}

// document returns an open document.
func (s *Server) document(uri string) (*document, *responseError) {
	if d, ok := s.docs[fileName(uri)]; ok {
		return d, nil
	}
	return nil, errorf(invalidParams, "%s is not open", uri)
}

// diskCache caches files of the disk until it is cleared, since a folder is read often between two changes. A file that is read again
// unchanged keeps its outline.
type diskCache struct {
	backend  Backend
	folders  map[string][]string
	outlines map[string]*outline.File
	before   map[string]*outline.File // outlines from before the last clearing
}

func newDiskCache(b Backend) *diskCache {
	c := &diskCache{backend: b}
	c.forget()
	return c
}

func (c *diskCache) forget() {
	if len(c.outlines) > 0 {
		c.before = c.outlines
	}
	c.folders, c.outlines = map[string][]string{}, map[string]*outline.File{}
}

func (c *diskCache) list(dir string) []string {
	names, ok := c.folders[dir]
	if !ok {
		names = c.backend.List(dir)
		c.folders[dir] = names
	}
	return names
}

// outline returns the outline of a file, or nil if it cannot be read.
func (c *diskCache) outline(name string) *outline.File {
	o, ok := c.outlines[name]
	if !ok {
		if src, err := c.backend.Read(name); err == nil {
			if o = c.before[name]; o == nil || !bytes.Equal(o.Text(), src) {
				o = outline.New(name, src)
			}
		}
		c.outlines[name] = o
	}
	return o
}

// files returns the outlines of a folder's files by name; open files have the text of the editor.
func (s *Server) files(dir string) []*outline.File {
	names := slices.Clone(s.disk.list(dir))
	for name := range s.docs {
		if isFile(name) && path.Dir(name) == dir && path.Ext(name) == ".hcl" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var out []*outline.File
	for _, name := range names {
		if d, ok := s.docs[name]; ok {
			out = append(out, d.outlined())
		} else if o := s.disk.outline(name); o != nil {
			out = append(out, o)
		}
	}
	return out
}

// holdsFabric reports whether a file of a folder declares a fabric.
func (s *Server) holdsFabric(dir string) bool {
	return slices.ContainsFunc(s.files(dir), func(o *outline.File) bool { return o.Has("fabric") })
}

// folders returns the folders of a fabric: its own, and those of its modules and theirs.
func (s *Server) folders(dir string) []string {
	out := []string{dir}
	for i := 0; i < len(out); i++ {
		for _, o := range s.files(out[i]) {
			for _, source := range o.ModuleSources() {
				if !strings.HasPrefix(source, "./") && !strings.HasPrefix(source, "../") {
					continue
				}
				m := path.Join(out[i], source)
				if !slices.Contains(out, m) && len(out) < maxFolders && s.backend.Inside(dir, m) {
					out = append(out, m)
				}
			}
		}
	}
	return out
}

// fabricOf returns the folder of the fabric to which a file belongs. This is its own folder if it declares a fabric, or else the nearest
// fabric that uses the folder as a module, in parent folders or of another open document; or "".
func (s *Server) fabricOf(name string) string {
	if !isFile(name) || path.Ext(name) != ".hcl" {
		return ""
	}
	dir := path.Dir(name)
	if s.holdsFabric(dir) {
		return dir
	}
	for up, n := path.Dir(dir), 0; n < maxUp; up, n = path.Dir(up), n+1 {
		if s.holdsFabric(up) {
			if slices.Contains(s.folders(up), dir) {
				return up
			}
			break
		}
		if up == path.Dir(up) {
			break
		}
	}
	for _, other := range slices.Sorted(maps.Keys(s.docs)) {
		if f := s.docs[other].fabric; f != "" && s.holdsFabric(f) && slices.Contains(s.folders(f), dir) {
			return f
		}
	}
	return ""
}

// scope returns the names that a document can use.
func (s *Server) scope(d *document) *outline.Workspace {
	sc := &outline.Workspace{Folder: []*outline.File{d.outlined()}, Fabric: []*outline.File{d.outlined()}, Known: s.known}
	if !isFile(d.name) || path.Ext(d.name) != ".hcl" {
		return sc
	}
	dir := path.Dir(d.name)
	sc.Folder = s.files(dir)
	sc.Fabric = sc.Folder
	sc.Module = func(source string) []*outline.File {
		if m := path.Join(dir, source); s.backend.Inside(dir, m) {
			return s.files(m)
		}
		return nil
	}
	if fabric := s.fabricOf(d.name); fabric != "" {
		sc.Fabric = nil
		for _, f := range s.folders(fabric) {
			sc.Fabric = append(sc.Fabric, s.files(f)...)
		}
	}
	return sc
}
