package unix

import (
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rocec/rocec/targets/target"
)

// Cred identifies the user of an operation.
type Cred struct{ uid, gid int }

// node is a file, directory, symbolic link, program or knob.
type node struct {
	ino      int
	mode     fs.FileMode // type and permissions
	uid, gid int
	links    int
	data     []byte
	kids     map[string]*node // entries of a directory
	target   string           // destination of a symbolic link
	program  Command          // function of a program
	knob     *target.Node     // functions of a file whose reads and writes have effects; they run under the file system's lock
	stray    bool             // a write to the knob does not change the device: /dev/null
	mkdir    mkdirFunc        // for a directory in which mkdir has an effect
	dev      int              // the file system it is on; 0: the disk
	pseudo   bool             // part of sysfs or a similar file system, in which no files can be made
}

// mkdirFunc returns the initial files of a new directory, by their paths in the directory.
type mkdirFunc func(name string) (map[string]target.Node, error)

func (n *node) isDir() bool  { return n.mode.IsDir() }
func (n *node) isLink() bool { return n.mode&fs.ModeSymlink != 0 }

// size returns the number of bytes of files in and below a node.
func (n *node) size() int {
	sum := len(n.data)
	for _, kid := range n.kids {
		sum += kid.size()
	}
	return sum
}

// may reports whether c has the rights in want: 4 read, 2 write, 1 execute or search.
func (n *node) may(c Cred, want fs.FileMode) bool {
	perm := n.mode.Perm()
	switch {
	case c.uid == 0:
		return want&1 == 0 || n.isDir() || perm&0o111 != 0
	case c.uid == n.uid:
		perm >>= 6
	case c.gid == n.gid:
		perm >>= 3
	}
	return perm&want == want
}

// FileSystem contains everything that a machine can read and write, in memory. Its methods acquire its lock, unless their comment says
// that they are called with the lock held. Knobs run under the lock, so they may only call methods of the second kind.
type FileSystem struct {
	mu      sync.Mutex
	root    *node
	inodes  int
	used    int      // bytes of files
	limit   int      // capacity for the bytes of files
	frozen  bool     // every change fails
	changes []string // all requested changes, including failed ones
	locks   flocks
}

// Lock locks the file system, and all data of its owner that the same lock guards.
func (f *FileSystem) Lock() { f.mu.Lock() }

// Unlock undoes [FileSystem.Lock].
func (f *FileSystem) Unlock() { f.mu.Unlock() }

// DiskSize is the capacity of a device's disk for files.
const DiskSize = 64 << 20

// NewFileSystem makes an empty disk.
func NewFileSystem() *FileSystem {
	f := &FileSystem{limit: DiskSize, locks: flocks{}}
	f.root = f.newNode(fs.ModeDir|0o755, 0, 0)
	return f
}

func (f *FileSystem) newNode(mode fs.FileMode, uid, gid int) *node {
	f.inodes++
	n := &node{ino: f.inodes, mode: mode, uid: uid, gid: gid, links: 1}
	if mode.IsDir() {
		n.kids = map[string]*node{}
	}
	return n
}

// Change records a change before it is made, and reports whether it is allowed.
func (f *FileSystem) Change(what string) error {
	f.changes = append(f.changes, what)
	if f.frozen {
		return eRoFS
	}
	return nil
}

// place is the end of a path: an entry of a directory, and the node there, if any.
type place struct {
	parent *node
	name   string
	node   *node
}

// walk follows an absolute path. If follow is set, it also follows a symbolic link at the end. A place without a node is not an error,
// because the caller may create the path there.
func (f *FileSystem) walk(c Cred, path string, follow bool) (place, error) {
	if path == "" {
		return place{}, eNoEnt
	}
	var (
		todo  = strings.Split(path, "/")
		slash = strings.HasSuffix(path, "/")
		above []*node
		at    = place{node: f.root}
		hops  int
	)
	for len(todo) > 0 {
		name := todo[0]
		todo = todo[1:]
		if name == "" || name == "." {
			continue
		}
		dir := at.node
		switch {
		case dir == nil:
			return place{}, eNoEnt
		case !dir.isDir():
			return place{}, eNotDir
		case !dir.may(c, 1):
			return place{}, eAcces
		case len(name) > 255:
			return place{}, eTooLong
		}
		if name == ".." {
			at = place{node: f.root}
			if len(above) > 0 {
				at.node, above = above[len(above)-1], above[:len(above)-1]
			}
			continue
		}
		kid := dir.kids[name]
		last := !slices.ContainsFunc(todo, func(s string) bool { return s != "" && s != "." })
		if kid != nil && kid.isLink() && (!last || follow || slash) {
			if hops++; hops > 40 {
				return place{}, eLoop
			}
			todo = append(strings.Split(kid.target, "/"), todo...)
			if strings.HasPrefix(kid.target, "/") {
				at, above = place{node: f.root}, nil
			}
			continue
		}
		above = append(above, dir)
		at = place{parent: dir, name: name, node: kid}
	}
	if slash && at.node != nil && !at.node.isDir() {
		return place{}, eNotDir
	}
	return at, nil
}

// find is like walk, but the path must exist.
func (f *FileSystem) find(c Cred, path string, follow bool) (place, error) {
	at, err := f.walk(c, path, follow)
	if err == nil && at.node == nil {
		err = eNoEnt
	}
	return at, err
}

// writable reports whether c may add or remove entries in the directory that contains at.
func (at place) writable(c Cred) error {
	switch {
	case at.parent == nil:
		return eBusy // "/", or a path that ends in ".."
	case !at.parent.may(c, 3):
		return eAcces
	}
	return nil
}

// Info is the result of stat. Times stay zero, so that no result depends on the time of a test.
type Info struct {
	name string
	node
}

func (i Info) Name() string       { return i.name }
func (i Info) Mode() fs.FileMode  { return i.mode }
func (i Info) ModTime() time.Time { return time.Time{} }
func (i Info) IsDir() bool        { return i.isDir() }
func (i Info) Sys() any           { return nil }

// Size returns the size of the content. For files of sysfs it returns the size of a page.
func (i Info) Size() int64 {
	if i.knob != nil && !i.stray {
		return 4096
	}
	return int64(len(i.data))
}

// Stat returns the facts of a file; follow states whether a symbolic link at the end of the path is followed.
func (f *FileSystem) Stat(c Cred, path string, follow bool) (Info, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	at, err := f.find(c, path, follow)
	if err != nil {
		return Info{}, err
	}
	return Info{name: at.name, node: *at.node}, nil
}

// access reports whether c has the rights want for path.
func (f *FileSystem) access(c Cred, path string, want fs.FileMode) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	at, err := f.find(c, path, true)
	switch {
	case err != nil:
		return err
	case want&2 != 0 && f.frozen && !at.node.stray:
		return eRoFS
	case !at.node.may(c, want):
		return eAcces
	}
	return nil
}

// ReadDir lists a directory, sorted.
func (f *FileSystem) ReadDir(c Cred, path string) ([]Info, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	at, err := f.find(c, path, true)
	switch {
	case err != nil:
		return nil, err
	case !at.node.isDir():
		return nil, eNotDir
	case !at.node.may(c, 4):
		return nil, eAcces
	}
	var list []Info
	for _, name := range slices.Sorted(maps.Keys(at.node.kids)) {
		list = append(list, Info{name: name, node: *at.node.kids[name]})
	}
	return list, nil
}

func (f *FileSystem) readLink(c Cred, path string) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	at, err := f.find(c, path, false)
	if err == nil && !at.node.isLink() {
		err = eInval
	}
	if err != nil {
		return "", err
	}
	return at.node.target, nil
}

// realPath returns the path without links and dots. Its last part need not exist.
func (f *FileSystem) realPath(c Cred, path string) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	at, err := f.walk(c, path, true)
	if err != nil {
		return "", err
	}
	dir := at.node
	var tail string
	if at.parent != nil {
		dir, tail = at.parent, "/"+at.name
	}
	head, ok := f.pathOf(f.root, dir, "")
	if !ok {
		return "", eNoEnt
	}
	if head+tail == "" {
		return "/", nil
	}
	return head + tail, nil
}

func (f *FileSystem) pathOf(from, to *node, prefix string) (string, bool) {
	if from == to {
		return prefix, true
	}
	for name, kid := range from.kids {
		if kid.isDir() {
			if p, ok := f.pathOf(kid, to, prefix+"/"+name); ok {
				return p, true
			}
		}
	}
	return "", false
}

func (f *FileSystem) mkdir(c Cred, path string, perm fs.FileMode) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	path = strings.TrimRight(path, "/")
	if path == "" {
		return EEXIST
	}
	at, err := f.walk(c, path, false)
	if err != nil {
		return err
	}
	if at.node != nil {
		return EEXIST
	}
	if err := at.writable(c); err != nil {
		return err
	}
	if at.parent.mkdir == nil { // a folder that the kernel makes does not count as a write
		if err := f.Change("mkdir " + path); err != nil {
			return err
		}
	} else {
		files, err := at.parent.mkdir(at.name)
		if err != nil {
			return err
		}
		dir := f.newNode(fs.ModeDir|0o755, 0, 0)
		dir.pseudo = true
		at.parent.kids[at.name] = dir
		for _, file := range slices.Sorted(maps.Keys(files)) {
			f.plantBelow(dir, file, files[file])
		}
		return nil
	}
	if at.parent.pseudo {
		return ePerm
	}
	n := f.newNode(fs.ModeDir|perm.Perm(), c.uid, c.gid)
	n.dev = at.parent.dev
	at.parent.kids[at.name] = n
	return nil
}

func (f *FileSystem) rmdir(c Cred, path string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	at, err := f.find(c, path, false)
	if err != nil {
		return err
	}
	if !at.node.isDir() {
		return eNotDir
	}
	if err := at.writable(c); err != nil {
		return err
	}
	made := at.parent.mkdir != nil // the kernel's initial files are part of the folder
	if !made && len(at.node.kids) > 0 {
		return eNotEmpty
	}
	if !made {
		if err := f.Change("rmdir " + path); err != nil {
			return err
		}
		if at.parent.pseudo {
			return ePerm
		}
	}
	delete(at.parent.kids, at.name)
	return nil
}

// Unlink removes a name of a file, as unlink(2) does.
func (f *FileSystem) Unlink(c Cred, path string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	at, err := f.find(c, path, false)
	if err != nil {
		return err
	}
	if at.node.isDir() {
		return eIsDir
	}
	if err := at.writable(c); err != nil {
		return err
	}
	if err := f.Change("unlink " + path); err != nil {
		return err
	}
	if at.parent.pseudo {
		return ePerm
	}
	f.drop(at)
	return nil
}

// drop removes an entry. With the node's last link it also frees the node's bytes.
func (f *FileSystem) drop(at place) {
	delete(at.parent.kids, at.name)
	if at.node.links--; at.node.links == 0 {
		f.used -= len(at.node.data)
	}
}

func (f *FileSystem) rename(c Cred, from, to string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	src, err := f.find(c, from, false)
	if err != nil {
		return err
	}
	dst, err := f.walk(c, strings.TrimRight(to, "/"), false)
	if err != nil {
		return err
	}
	if err := src.writable(c); err != nil {
		return err
	}
	if err := dst.writable(c); err != nil {
		return err
	}
	if err := f.Change("rename " + from + " " + to); err != nil {
		return err
	}
	switch {
	case src.parent.pseudo || dst.parent.pseudo || src.node.dev != dst.parent.dev:
		return eXDev
	case dst.node == src.node:
		return nil
	case src.node.isDir() && contains(src.node, dst.parent):
		return eInval
	case dst.node == nil:
	case dst.node.isDir() && !src.node.isDir():
		return eIsDir
	case !dst.node.isDir() && src.node.isDir():
		return eNotDir
	case len(dst.node.kids) > 0:
		return eNotEmpty
	default:
		f.drop(dst)
	}
	delete(src.parent.kids, src.name)
	dst.parent.kids[dst.name] = src.node
	return nil
}

func contains(dir, n *node) bool {
	if dir == n {
		return true
	}
	for _, kid := range dir.kids {
		if kid.isDir() && contains(kid, n) {
			return true
		}
	}
	return false
}

func (f *FileSystem) link(c Cred, from, to string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	src, err := f.find(c, from, false)
	if err != nil {
		return err
	}
	dst, err := f.walk(c, to, false)
	if err != nil {
		return err
	}
	switch {
	case src.node.isDir():
		return ePerm
	case dst.node != nil:
		return EEXIST
	}
	if err := dst.writable(c); err != nil {
		return err
	}
	if err := f.Change("link " + from + " " + to); err != nil {
		return err
	}
	if src.node.pseudo || dst.parent.pseudo || src.node.dev != dst.parent.dev {
		return eXDev
	}
	src.node.links++
	dst.parent.kids[dst.name] = src.node
	return nil
}

// Symlink makes a symbolic link, as symlink(2) does.
func (f *FileSystem) Symlink(c Cred, target, path string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	at, err := f.walk(c, path, false)
	switch {
	case err != nil:
		return err
	case at.node != nil:
		return EEXIST
	}
	if err := at.writable(c); err != nil {
		return err
	}
	if err := f.Change("symlink " + path); err != nil {
		return err
	}
	if at.parent.pseudo {
		return ePerm
	}
	n := f.newNode(fs.ModeSymlink|0o777, c.uid, c.gid)
	n.target, n.dev = target, at.parent.dev
	at.parent.kids[at.name] = n
	return nil
}

func (f *FileSystem) chmod(c Cred, path string, perm fs.FileMode) error {
	return f.setattr(c, "chmod", path, func(n *node) error {
		if c.uid != 0 && c.uid != n.uid {
			return ePerm
		}
		n.mode = n.mode.Type() | perm.Perm()
		return nil
	})
}

// chown changes owner and group; -1 keeps one.
func (f *FileSystem) chown(c Cred, path string, uid, gid int) error {
	return f.setattr(c, "chown", path, func(n *node) error {
		if c.uid != 0 && (c.uid != n.uid || uid != -1 && uid != n.uid || gid != -1 && gid != c.gid) {
			return ePerm
		}
		if uid != -1 {
			n.uid = uid
		}
		if gid != -1 {
			n.gid = gid
		}
		return nil
	})
}

func (f *FileSystem) setattr(c Cred, what, path string, set func(*node) error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	at, err := f.find(c, path, true)
	if err != nil {
		return err
	}
	if err := f.Change(what + " " + path); err != nil {
		return err
	}
	return set(at.node)
}
