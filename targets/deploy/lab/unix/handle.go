package unix

import (
	"io"
	"io/fs"
	"strings"

	"github.com/rocec/rocec/targets/target"
)

// The flags of open(2).
const (
	oRDONLY = 0
	oWRONLY = 1 << (iota - 1)
	oRDWR
	oCREATE
	oEXCL
	oTRUNC
	oAPPEND
)

// handle is an open file.
type handle struct {
	f     *FileSystem
	n     *node
	flag  int
	off   int
	text  []byte // the content of a knob, read once
	began bool
}

// open opens a file as open(2) would.
func (f *FileSystem) open(c Cred, path string, flag int, perm fs.FileMode) (*handle, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	at, err := f.walk(c, path, true)
	if err != nil {
		return nil, err
	}
	access := flag & (oRDONLY | oWRONLY | oRDWR)
	writing := access != oRDONLY
	if at.node == nil {
		return f.create(c, at, path, flag, perm)
	}
	n := at.node
	switch {
	case flag&oEXCL != 0:
		return nil, EEXIST
	case n.isDir() && writing:
		return nil, eIsDir
	case access != oWRONLY && !n.may(c, 4), writing && !n.may(c, 2):
		return nil, eAcces
	case n.knob != nil && writing && n.knob.Write == nil:
		return nil, eAcces
	case n.knob != nil && access != oWRONLY && n.knob.Read == nil:
		return nil, eAcces
	}
	if writing && !n.stray {
		if err := f.Change("write " + path); err != nil {
			return nil, err
		}
	}
	if flag&oTRUNC != 0 && n.knob == nil {
		f.used -= len(n.data)
		n.data = nil
	}
	return &handle{f: f, n: n, flag: flag}, nil
}

func (f *FileSystem) create(c Cred, at place, path string, flag int, perm fs.FileMode) (*handle, error) {
	if flag&oCREATE == 0 {
		return nil, eNoEnt
	}
	if strings.HasSuffix(path, "/") {
		return nil, eIsDir
	}
	if err := at.writable(c); err != nil {
		return nil, err
	}
	if err := f.Change("create " + path); err != nil {
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
		data = []byte("\x7fELF") // programs have no readable content
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
	if h.flag&oAPPEND != 0 {
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

// knob is a file whose reads and writes have effects. Its mode is 0644 if it can be written, otherwise 0444.
func (f *FileSystem) knob(k target.Node) *node {
	mode := fs.FileMode(0o444)
	if k.Write != nil {
		mode = 0o644
	}
	n := f.newNode(mode, 0, 0)
	n.knob = &k
	return n
}

// plantBelow makes a file of sysfs or a similar file system, by its path in a folder. It is called with the lock held.
func (f *FileSystem) plantBelow(dir *node, path string, k target.Node) {
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
