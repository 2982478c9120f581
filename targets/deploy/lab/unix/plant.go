package unix

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/rocec/rocec/targets/target"
)

// This file has functions of the simulation itself. They need no rights, and the list of changes does not record them.

// PlantOn writes the files that every machine of the system has to a disk.
func (s *System) PlantOn(f *FileSystem) {
	f.mu.Lock()
	for _, dir := range s.Folders {
		f.plantDir(dir, false)
	}
	f.plantDir("/root", false).mode = fs.ModeDir | 0o700
	f.plantDir("/tmp", false).mode = fs.ModeDir | 0o777
	names := slices.Sorted(maps.Keys(s.Users))
	for _, name := range names {
		u := s.Users[name]
		home := f.plantDir(u.home, false)
		home.uid, home.gid = u.uid, u.gid
	}
	f.mu.Unlock()

	for _, link := range []string{"bin", "lib", "sbin"} {
		n := f.newNode(fs.ModeSymlink|0o777, 0, 0)
		n.target = "usr/" + link
		f.plant("/"+link, n)
	}
	for _, path := range slices.Sorted(maps.Keys(s.programs)) {
		n := f.newNode(0o755, 0, 0)
		n.program = s.programs[path]
		f.plant(path, n)
	}
	f.plant("/etc/hostname", f.file(0o644, s.Name+"\n"))
	var passwd strings.Builder
	for _, name := range names {
		u := s.Users[name]
		fmt.Fprintf(&passwd, "%s:x:%d:%d::%s:/bin/sh\n", u.Name, u.uid, u.gid, u.home)
	}
	f.plant("/etc/passwd", f.file(0o644, passwd.String()))
}

// PlantFiles writes files to a new disk.
func (f *FileSystem) PlantFiles(files map[string]string) {
	for _, path := range slices.Sorted(maps.Keys(files)) {
		mode := fs.FileMode(0o644)
		if strings.Contains(path, "/bin/") || strings.Contains(path, "/sbin/") {
			mode = 0o755
		}
		f.plant(path, f.file(mode, files[path]))
	}
}

// PlantKernel makes the memory file systems. It is called with the lock of the file system held. id is the boot ID.
func (m *Machine) PlantKernel(id string) {
	f := m.FS
	for _, dir := range []string{"/proc", "/sys", "/dev", "/run"} {
		f.plantDir(dir, dir == "/proc" || dir == "/sys")
	}
	for dir, dev := range memoryFileSystems {
		f.plantDir(dir, false).dev = dev
	}
	for _, dir := range m.Memory {
		f.plantDir(dir, false)
	}
	for _, dir := range []string{"/proc/sys/kernel/random", "/proc/net/vlan", "/sys/class/net", "/sys/kernel/debug", "/sys/kernel/config"} {
		f.plantDir(dir, true)
	}
	f.plantDir("/sys/kernel/debug", true).mode = fs.ModeDir | 0o700
	for _, stray := range []struct {
		path  string
		write error
	}{{"/dev/full", eNoSpc}, {"/dev/null", nil}, {"/dev/zero", nil}} {
		n := f.knob(target.Node{Read: func() (string, error) { return "", nil }, Write: func(string) error { return stray.write }})
		n.mode, n.stray = fs.ModeDevice|fs.ModeCharDevice|0o666, true
		f.plantLocked(stray.path, n)
	}
	f.PlantNode("/proc/sys/kernel/hostname", target.TextNode(func() string { return m.Name }, nil))
	f.PlantNode("/proc/sys/kernel/random/boot_id", target.TextNode(func() string { return id }, nil))
	f.PlantNode("/proc/uptime", target.TextNode(m.uptimeText, nil))
}

// memoryFileSystems lists the file systems that a restart of a machine empties. It maps folders to the device numbers that stat shows.
var memoryFileSystems = map[string]int{"/proc": 21, "/sys": 22, "/dev": 5, "/run": 24}

// Forget empties the memory file systems, including planted files, and drops the locks on files. It is called with the lock held.
func (f *FileSystem) Forget() {
	for name, n := range f.root.kids {
		if _, memory := memoryFileSystems["/"+name]; memory || n.pseudo {
			delete(f.root.kids, name)
			f.used -= n.size()
		}
	}
	f.locks = flocks{}
}

// PlantFolder makes a directory of sysfs or a similar file system, and its missing parents. It is called with the lock held.
func (f *FileSystem) PlantFolder(path string) { f.plantDir(path, true) }

// PlantFile makes a file that root owns, and its missing parent directories.
func (f *FileSystem) PlantFile(path string, data []byte, mode fs.FileMode) {
	f.plant(path, f.file(mode.Perm(), string(data)))
}

// PlantProgram makes a program. It is called with the lock held.
func (f *FileSystem) PlantProgram(path string, run Command) {
	n := f.newNode(0o755, 0, 0)
	n.program = run
	f.plantLocked(path, n)
}

// Remove removes the file, folder or program at a path. It is called with the lock held.
func (f *FileSystem) Remove(path string) {
	if dir, err := f.walk(Cred{}, parentOf(path), true); err == nil && dir.node != nil {
		delete(dir.node.kids, baseOf(path))
	}
}

// RemoveFile removes a file from the disk.
func (f *FileSystem) RemoveFile(path string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	at, err := f.find(Cred{}, path, false)
	if err == nil {
		f.drop(at)
	}
	return err
}

// Content returns the bytes of a file. It is called with the lock held.
func (f *FileSystem) Content(path string) ([]byte, error) {
	at, err := f.find(Cred{}, path, true)
	switch {
	case err != nil:
		return nil, err
	case at.node.isDir():
		return nil, eIsDir
	}
	return bytes.Clone(at.node.data), nil
}

// AppendText appends text to a file, as a daemon does. It is called with the lock held.
func (f *FileSystem) AppendText(path, text string) {
	dir := f.plantDir(parentOf(path), false)
	n := dir.kids[baseOf(path)]
	if n == nil {
		n = f.file(0o644, "")
		dir.kids[baseOf(path)] = n
	}
	n.data = append(n.data, text...)
	f.used += len(text)
}

// WriteText replaces the text of a file, as a daemon does. It is called with the lock held.
func (f *FileSystem) WriteText(path, text string) {
	dir := f.plantDir(parentOf(path), false)
	n := dir.kids[baseOf(path)]
	if n == nil || n.isDir() {
		n = f.file(0o644, "")
		dir.kids[baseOf(path)] = n
	}
	f.used += len(text) - len(n.data)
	n.data = []byte(text)
}

// Attributes returns the mode, owner and group of a file.
func (f *FileSystem) Attributes(path string) (mode fs.FileMode, uid, gid int, err error) {
	i, err := f.Stat(Cred{}, path, false)
	if err != nil {
		return 0, 0, 0, err
	}
	return i.mode, i.uid, i.gid, nil
}

// Freeze makes every change fail, or allows changes again.
func (f *FileSystem) Freeze(frozen bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.frozen = frozen
}

// Fill leaves room for n more bytes of files.
func (f *FileSystem) Fill(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.limit = f.used + n
}

// Changes returns all requested changes, including failed ones.
func (f *FileSystem) Changes() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.changes)
}

// Changed reports whether any change was requested. It is called with the lock held.
func (f *FileSystem) Changed() bool { return len(f.changes) > 0 }

// ForgetChanges empties the list of changes.
func (f *FileSystem) ForgetChanges() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.changes = nil
}

// ReadFile returns the bytes of a file.
func (f *FileSystem) ReadFile(path string) ([]byte, error) {
	h, err := f.open(Cred{}, path, oRDONLY, 0)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(h)
}

// plant adds the node n, and its missing parent directories.
func (f *FileSystem) plant(path string, n *node) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.plantLocked(path, n)
}

// plantLocked is plant, called with the lock held.
func (f *FileSystem) plantLocked(path string, n *node) {
	at := f.plantDir(parentOf(path), false)
	name := baseOf(path)
	if old := at.kids[name]; old != nil {
		f.used -= len(old.data)
	}
	n.pseudo, n.dev = n.pseudo || at.pseudo, at.dev
	at.kids[name] = n
	f.used += len(n.data)
}

// plantDir makes a directory and its missing parents. It is called with the lock held.
func (f *FileSystem) plantDir(path string, pseudo bool) *node {
	if path == "/" {
		return f.root
	}
	if at, err := f.walk(Cred{}, path, true); err == nil && at.node != nil {
		at.node.pseudo = at.node.pseudo || pseudo
		return at.node
	}
	dir := f.plantDir(parentOf(path), false)
	n := f.newNode(fs.ModeDir|0o755, 0, 0)
	n.pseudo, n.dev = pseudo || dir.pseudo, dir.dev
	dir.kids[baseOf(path)] = n
	return n
}

func (f *FileSystem) file(mode fs.FileMode, data string) *node {
	n := f.newNode(mode, 0, 0)
	n.data = []byte(data)
	return n
}

// PlantNode makes a file of sysfs or a similar file system. It is called with the lock held.
func (f *FileSystem) PlantNode(path string, k target.Node) {
	if k.Mkdir != nil {
		dir := f.plantDir(path, true)
		dir.mkdir = either(dir.mkdir, k.Mkdir)
		return
	}
	f.plantBelow(f.plantDir(parentOf(path), true), baseOf(path), k)
}

// either returns a function that makes a folder by first and, if first does not apply, by second. first may be nil.
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

// PlantLink makes a symbolic link of sysfs or a similar file system. It is called with the lock held.
func (f *FileSystem) PlantLink(path, to string) {
	n := f.newNode(fs.ModeSymlink|0o777, 0, 0)
	n.target, n.pseudo = to, true
	f.plantDir(parentOf(path), true).kids[baseOf(path)] = n
}
