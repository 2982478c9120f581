package lab

import (
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/rocec/rocec/targets/target"
)

// handle is an open file.
type handle struct {
	f     *fileSystem
	n     *node
	flag  int
	off   int
	text  []byte // what a knob gave, read once
	began bool
}

// open opens a file as open(2) would; flag and perm are those of package os.
func (f *fileSystem) open(c cred, path string, flag int, perm fs.FileMode) (*handle, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	at, err := f.walk(c, path, true)
	if err != nil {
		return nil, err
	}
	access := flag & (os.O_RDONLY | os.O_WRONLY | os.O_RDWR)
	writing := access != os.O_RDONLY
	if at.node == nil {
		return f.create(c, at, path, flag, perm)
	}
	n := at.node
	switch {
	case flag&os.O_EXCL != 0:
		return nil, eExist
	case n.isDir() && writing:
		return nil, eIsDir
	case access != os.O_WRONLY && !n.may(c, 4), writing && !n.may(c, 2):
		return nil, eAcces
	case n.knob != nil && writing && n.knob.Write == nil:
		return nil, eAcces
	case n.knob != nil && access != os.O_WRONLY && n.knob.Read == nil:
		return nil, eAcces
	}
	if writing && !n.stray {
		if err := f.change("write " + path); err != nil {
			return nil, err
		}
	}
	if flag&os.O_TRUNC != 0 && n.knob == nil {
		f.used -= len(n.data)
		n.data = nil
	}
	return &handle{f: f, n: n, flag: flag}, nil
}

func (f *fileSystem) create(c cred, at place, path string, flag int, perm fs.FileMode) (*handle, error) {
	if flag&os.O_CREATE == 0 {
		return nil, eNoEnt
	}
	if strings.HasSuffix(path, "/") {
		return nil, eIsDir
	}
	if err := at.writable(c); err != nil {
		return nil, err
	}
	if err := f.change("create " + path); err != nil {
		return nil, err
	}
	if at.parent.pseudo {
		return nil, eAcces
	}
	n := f.newNode(perm.Perm(), c.uid, c.gid)
	n.dev = at.parent.dev
	at.parent.kids[at.name] = n
	return &handle{f: f, n: n, flag: flag}, nil
}

// Read implements [io.Reader].
func (h *handle) Read(b []byte) (int, error) {
	h.f.mu.Lock()
	defer h.f.mu.Unlock()
	data := h.n.data
	switch {
	case h.n.isDir():
		return 0, eIsDir
	case h.n.knob != nil && !h.began:
		h.began = true
		s, err := h.n.knob.Read()
		if err != nil {
			return 0, err
		}
		h.text = []byte(s)
		fallthrough
	case h.n.knob != nil:
		data = h.text
	case h.n.program != nil:
		data = []byte("\x7fELF") // what a program holds is nobody's business
	}
	if h.off >= len(data) {
		return 0, io.EOF
	}
	k := copy(b, data[h.off:])
	h.off += k
	return k, nil
}

// Write implements [io.Writer].
func (h *handle) Write(b []byte) (int, error) {
	h.f.mu.Lock()
	defer h.f.mu.Unlock()
	n := h.n
	if n.knob != nil {
		if h.f.frozen && !n.stray {
			return 0, eRoFS
		}
		if err := n.knob.Write(string(b)); err != nil {
			return 0, err
		}
		return len(b), nil
	}
	if h.f.frozen {
		return 0, eRoFS
	}
	if h.flag&os.O_APPEND != 0 {
		h.off = len(n.data)
	}
	if grow := h.off + len(b) - len(n.data); grow > 0 {
		if h.f.used+grow > h.f.limit {
			return 0, eNoSpc
		}
		h.f.used += grow
		n.data = append(n.data, make([]byte, grow)...)
	}
	copy(n.data[h.off:], b)
	h.off += len(b)
	return len(b), nil
}

// Close implements [io.Closer].
func (h *handle) Close() error { return nil }

// readFile and writeFile are for the simulation itself and for tests: they need no rights and leave no trace.

func (f *fileSystem) readFile(path string) ([]byte, error) {
	h, err := f.open(cred{}, path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(h)
}

// plant makes a file, or what n is, with every directory above it.
func (f *fileSystem) plant(path string, n *node) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.plantLocked(path, n)
}

// plantLocked is plant, called with the lock held.
func (f *fileSystem) plantLocked(path string, n *node) {
	at := f.plantDir(parentOf(path), false)
	name := baseOf(path)
	if old := at.kids[name]; old != nil {
		f.used -= len(old.data)
	}
	n.pseudo, n.dev = n.pseudo || at.pseudo, at.dev
	at.kids[name] = n
	f.used += len(n.data)
}

// plantDir makes a directory with every one above it. It is called with the lock held.
func (f *fileSystem) plantDir(path string, pseudo bool) *node {
	if path == "/" {
		return f.root
	}
	if at, err := f.walk(cred{}, path, true); err == nil && at.node != nil {
		at.node.pseudo = at.node.pseudo || pseudo
		return at.node
	}
	dir := f.plantDir(parentOf(path), false)
	n := f.newNode(fs.ModeDir|0o755, 0, 0)
	n.pseudo, n.dev = pseudo || dir.pseudo, dir.dev
	dir.kids[baseOf(path)] = n
	return n
}

func (f *fileSystem) file(mode fs.FileMode, data string) *node {
	n := f.newNode(mode, 0, 0)
	n.data = []byte(data)
	return n
}

// knob is a file that does something; its mode is 0444, and 0644 where it can be written.
func (f *fileSystem) knob(k target.Node) *node {
	mode := fs.FileMode(0o444)
	if k.Write != nil {
		mode = 0o644
	}
	n := f.newNode(mode, 0, 0)
	n.knob = &k
	return n
}

// plantNode makes a file of sysfs or its kin. It is called with the lock held.
func (f *fileSystem) plantNode(path string, k target.Node) {
	if k.Mkdir != nil {
		dir := f.plantDir(path, true)
		dir.mkdir = either(dir.mkdir, k.Mkdir)
		return
	}
	f.plantBelow(f.plantDir(parentOf(path), true), baseOf(path), k)
}

// either gives what makes a folder by one of two ways; the first may be nil.
func either(first, second func(string) (map[string]target.Node, error)) func(string) (map[string]target.Node, error) {
	if first == nil {
		return second
	}
	return func(name string) (map[string]target.Node, error) {
		if files, err := first(name); err == nil {
			return files, nil
		}
		return second(name)
	}
}

// plantBelow makes a file of sysfs or its kin by its path in a folder. It is called with the lock held.
func (f *fileSystem) plantBelow(dir *node, path string, k target.Node) {
	for {
		folder, rest, deeper := strings.Cut(path, "/")
		if !deeper {
			break
		}
		if dir.kids[folder] == nil {
			n := f.newNode(fs.ModeDir|0o755, 0, 0)
			n.pseudo, n.dev = true, dir.dev
			dir.kids[folder] = n
		}
		dir, path = dir.kids[folder], rest
	}
	n := f.knob(k)
	n.pseudo, n.dev = true, dir.dev
	dir.kids[path] = n
}

// plantLink makes a symbolic link of sysfs or its kin. It is called with the lock held.
func (f *fileSystem) plantLink(path, to string) {
	n := f.newNode(fs.ModeSymlink|0o777, 0, 0)
	n.target, n.pseudo = to, true
	f.plantDir(parentOf(path), true).kids[baseOf(path)] = n
}
