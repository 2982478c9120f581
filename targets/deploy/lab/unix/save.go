package unix

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"sort"
	"strings"
	"time"
)

// SavedMachine is a machine that is put away: the difference between it and a new machine of the same system, and its memory.
type SavedMachine struct {
	Files  map[string]SavedFile
	Gone   []string // removed paths of the new disk
	Inodes int
	Pids   int
	Clock  time.Duration // since its creation
	Booted time.Duration

	Memory   map[string]SavedFile // files of /run
	Made     []string             // folders made in configfs or similar file systems
	Sleepers []SavedShell
}

// Limits for reading a saved machine. No saved machine exceeds them.
const (
	maxFiles = 1 << 17
	maxTime  = 100 * 365 * 24 * time.Hour
)

// Save saves a machine. fresh is the content of its new disk. The clock must be stopped.
func (m *Machine) Save(fresh *FileSystem) SavedMachine {
	s := SavedMachine{Clock: m.Clock.Now(), Booted: m.booted}
	m.procs.mu.Lock()
	s.Pids = m.procs.last
	for _, p := range m.procs.byPid {
		if p.sleeping() != nil {
			sh := p.shell.saved(p)
			sh.Left = max(sh.Left-s.Clock, 0)
			s.Sleepers = append(s.Sleepers, sh)
		}
	}
	m.procs.mu.Unlock()
	sort.Slice(s.Sleepers, func(i, k int) bool {
		a, b := s.Sleepers[i], s.Sleepers[k]
		return cmp.Compare(a.PID, b.PID) < 0
	})
	m.FS.mu.Lock()
	defer m.FS.mu.Unlock()
	m.FS.save(fresh, &s)
	return s
}

// save adds the files that differ from fresh. It is called with the lock held.
func (f *FileSystem) save(fresh *FileSystem, to *SavedMachine) {
	to.Inodes = f.inodes
	all, base := f.files(true), fresh.files(true)
	first := map[*node]string{}
	to.Files, to.Memory = map[string]SavedFile{}, map[string]SavedFile{}
	for _, p := range slices.Sorted(maps.Keys(all)) {
		n := all[p]
		s := SavedFile{Mode: n.mode, UID: n.uid, GID: n.gid, Ino: n.ino, Data: n.data, Target: n.target, Same: first[n]}
		if first[n] == "" && !n.isDir() {
			first[n] = p
		}
		if n.dev != 0 {
			to.Memory[p] = s
		} else if old := base[p]; old == nil || !alike(old, n) || n.links > 1 && !n.isDir() {
			to.Files[p] = s
		}
	}
	programs := f.files(false)
	for p := range fresh.files(false) {
		if all[p] == nil && programs[p] == nil {
			to.Gone = append(to.Gone, p)
		}
	}
	slices.Sort(to.Gone)
	f.made(f.root, "", &to.Made)
}

// Check returns an error for a record that no machine can have saved.
func (s *SavedMachine) Check() error {
	if len(s.Files)+len(s.Memory)+len(s.Gone)+len(s.Made) > maxFiles {
		return errors.New("it has too many files")
	}
	errs := []error{CheckTime(s.Clock), CheckTime(s.Booted)}
	for i := range s.Sleepers {
		errs = append(errs, CheckTime(s.Sleepers[i].Left))
	}
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
		return errs[i]
	}
	if s.Pids < 0 || s.Pids > 1<<40 || s.Inodes < 0 || s.Inodes > 1<<40 {
		return errors.New("a number is out of range")
	}
	for _, list := range []map[string]SavedFile{s.Files, s.Memory} {
		for p, s := range list {
			if !strings.HasPrefix(p, "/") || path.Clean(p) != p || strings.ContainsRune(p, 0) || len(path.Base(p)) > 255 ||
				strings.Count(p, "/") > 500 {
				return fmt.Errorf("%q is not a path", p)
			}
			kind := s.Mode.Type()
			if kind != 0 && kind != fs.ModeDir && kind != fs.ModeSymlink || s.Mode&^(fs.ModeDir|fs.ModeSymlink|0o777) != 0 {
				return fmt.Errorf("%q has no mode of a file", p)
			}
		}
	}
	return nil
}

// CheckTime returns an error for a time that no clock can show.
func CheckTime(t time.Duration) error {
	if t < 0 || t > maxTime {
		return errors.New("a time is out of range")
	}
	return nil
}

// RestoreDisk changes a new disk to the saved one, and sets the counters of files and processes.
func (m *Machine) RestoreDisk(s *SavedMachine) error {
	m.procs.mu.Lock()
	m.procs.last = s.Pids
	m.procs.mu.Unlock()
	f := m.FS
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range s.Gone {
		if at, err := f.find(Cred{}, p, false); err == nil && at.parent != nil {
			f.drop(at)
		}
	}
	err := f.restore(s.Files)
	f.inodes = max(f.inodes, s.Inodes)
	return err
}

// RestoreMemory restores folders and files that are not on the disk.
func (m *Machine) RestoreMemory(s *SavedMachine) error {
	for _, p := range s.Made {
		if err := m.FS.mkdir(Cred{}, p, 0o755); err != nil {
			return fmt.Errorf("%q: %w", p, err)
		}
	}
	m.FS.mu.Lock()
	defer m.FS.mu.Unlock()
	return m.FS.restore(s.Memory)
}

// RestoreSleepers continues the saved shells, which sleep.
func (m *Machine) RestoreSleepers(s *SavedMachine) error {
	for _, sh := range s.Sleepers {
		if err := m.wake(sh); err != nil {
			return err
		}
	}
	return nil
}

// SavedFile is a saved file, folder or link.
type SavedFile struct {
	Mode     fs.FileMode
	UID, GID int
	Ino      int
	Data     []byte `json:",omitempty"`
	Target   string `json:",omitempty"` // destination of a symbolic link
	Same     string `json:",omitempty"` // another path of the same file (hard link)
}

func alike(a, b *node) bool {
	return a.mode == b.mode && a.uid == b.uid && a.gid == b.gid && a.target == b.target && a.ino == b.ino && bytes.Equal(a.data, b.data)
}

// files returns the nodes below the root by path, without sysfs and similar file systems. If plain is set, it leaves out programs.
func (f *FileSystem) files(plain bool) map[string]*node {
	all := map[string]*node{}
	var walk func(dir *node, at string)
	walk = func(dir *node, at string) {
		for name, n := range dir.kids {
			if n.pseudo || n.knob != nil || plain && n.program != nil {
				continue
			}
			all[at+"/"+name] = n
			walk(n, at+"/"+name)
		}
	}
	walk(f.root, "")
	return all
}

// made lists the folders that were made in folders where mkdir has an effect.
func (f *FileSystem) made(dir *node, at string, list *[]string) {
	for _, name := range slices.Sorted(maps.Keys(dir.kids)) {
		n := dir.kids[name]
		if dir.mkdir != nil {
			*list = append(*list, at+"/"+name)
		} else if n.isDir() && n.pseudo {
			f.made(n, at+"/"+name, list)
		}
	}
}

// restore writes saved files, parent folders first. It is called with the lock held.
func (f *FileSystem) restore(files map[string]SavedFile) error {
	for _, p := range slices.Sorted(maps.Keys(files)) {
		s := files[p]
		above, err := f.find(Cred{}, parentOf(p), false)
		if err != nil || !above.node.isDir() || above.node.pseudo {
			return fmt.Errorf("%q has no folder", p)
		}
		dir, name := above.node, baseOf(p)
		old := dir.kids[name]
		switch {
		case s.Same != "":
			at, err := f.find(Cred{}, s.Same, false)
			if err != nil || at.node.isDir() || at.node.pseudo || s.Same >= p {
				return fmt.Errorf("%q is the same file as none", p)
			}
			at.node.links++
			dir.kids[name] = at.node
			continue
		case old != nil && old.isDir() && s.Mode.IsDir():
			old.mode, old.uid, old.gid, old.ino = s.Mode, s.UID, s.GID, s.Ino
			continue
		case old != nil:
			f.used -= old.size()
		}
		n := f.newNode(s.Mode, s.UID, s.GID)
		n.ino, n.data, n.target, n.dev = s.Ino, s.Data, s.Target, dir.dev
		dir.kids[name] = n
		if f.used += len(n.data); f.used > DiskSize {
			return errors.New("it holds more than its disk")
		}
	}
	return nil
}
