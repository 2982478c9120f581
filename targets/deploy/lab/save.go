package lab

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/targets/target"
)

// What is kept of a device that is put away: what on its disk differs from the image it was new with, and, as it was not
// switched off, what its kernel and its daemons hold, the timers that run and the shells that sleep.

// record is a device that was put away.
type record struct {
	Image    string // the content of its disk when it was new, by its hash
	Hardware string // what it is made of; one that was changed meanwhile starts anew
	Files    map[string]savedFile
	Gone     []string // paths of the image
	Inodes   int
	Pids     int
	Boots    int
	Clock    time.Duration // since its birth
	Booted   time.Duration
	Disabled []string

	Memory   map[string]savedFile // files of /run
	Made     []string             // folders made in configfs and its kin
	Netdevs  []savedNetdev
	Kept     map[string]json.RawMessage
	Units    map[string]savedUnit
	Timers   map[string]savedTimer
	Sleepers []savedShell
}

// savedFile is a file, a folder or a link.
type savedFile struct {
	Mode     fs.FileMode
	UID, GID int
	Ino      int
	Data     []byte `json:",omitempty"`
	Target   string `json:",omitempty"` // of a symbolic link
	Same     string `json:",omitempty"` // the path that is the same file
}

type savedNetdev struct {
	target.Netdev
	RX, TX bool
	Egress map[int]int `json:",omitempty"`
	Given  []string    `json:",omitempty"`
	Counts map[string]uint64
}

type savedUnit struct {
	Active, Failed bool
	Since          time.Duration
	MainPID        int
	Transient      []string `json:",omitempty"`
}

type savedTimer struct {
	Due  time.Duration // of the device's clock
	Args []string
}

// limits of a record that is read: a device that was saved keeps within them.
const (
	maxRecord = 2 * diskSize
	maxFiles  = 1 << 17
	maxTime   = 100 * 365 * 24 * time.Hour
)

// idle reports whether nothing runs on the device or is about to.
func (d *Device) idle() bool {
	d.procs.mu.Lock()
	running := len(d.procs.byPid) + d.restarts
	d.procs.mu.Unlock()
	d.clock.mu.Lock()
	defer d.clock.mu.Unlock()
	return running == 0 && len(d.clock.alarms) == 0 && d.clock.busy == 0
}

// touched reports whether the device may differ from a new one.
func (d *Device) touched() bool {
	d.fs.mu.Lock()
	defer d.fs.mu.Unlock()
	return d.woken || d.cabled || len(d.fs.changes) > 0 || d.boots > 1
}

// imageOf names the content of a disk.
func imageOf(files map[string]string) string {
	h := sha256.New()
	for _, path := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(h, "%q %q\n", path, files[path])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// hardware names what a device is made of.
func (d *Device) hardware() string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %d\n", d.image.Services, d.modules, d.image.Systemd)
	for _, n := range d.image.Netdevs {
		fmt.Fprintf(h, "%+v\n", n)
	}
	d.fs.mu.Lock()
	defer d.fs.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(d.kept)) {
		fmt.Fprintf(h, "%q %T\n", name, d.kept[name])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// record saves the device; files is what its disk held when it was new. The clock must stand.
func (d *Device) record(files map[string]string) *record {
	fresh := &Device{Name: d.Name, users: d.users, fs: newFileSystem()}
	fresh.plantSystem()
	fresh.plantFiles(files)
	r := &record{Image: imageOf(files), Hardware: d.hardware(), Boots: d.boots, Clock: d.clock.now(), Booted: d.booted}
	d.procs.mu.Lock()
	r.Pids = d.procs.last
	for _, p := range d.procs.byPid {
		if s, ok := p.saved(); ok {
			s.Left = max(s.Left-r.Clock, 0)
			r.Sleepers = append(r.Sleepers, s)
		}
	}
	d.procs.mu.Unlock()
	slices.SortFunc(r.Sleepers, func(a, b savedShell) int { return cmp.Compare(a.PID, b.PID) })
	d.mu.Lock()
	r.Disabled = slices.Clone(d.disabled)
	d.mu.Unlock()
	d.init.record(r)

	f := d.fs
	f.mu.Lock()
	defer f.mu.Unlock()
	r.Inodes = f.inodes
	all, base := f.files(true), fresh.fs.files(true)
	first := map[*node]string{}
	r.Files, r.Memory = map[string]savedFile{}, map[string]savedFile{}
	for _, p := range slices.Sorted(maps.Keys(all)) {
		n := all[p]
		s := savedFile{Mode: n.mode, UID: n.uid, GID: n.gid, Ino: n.ino, Data: n.data, Target: n.target, Same: first[n]}
		if first[n] == "" && !n.isDir() {
			first[n] = p
		}
		if n.dev != 0 {
			r.Memory[p] = s
		} else if old := base[p]; old == nil || !alike(old, n) || n.links > 1 && !n.isDir() {
			r.Files[p] = s
		}
	}
	programs := f.files(false)
	for p := range fresh.fs.files(false) {
		if all[p] == nil && programs[p] == nil {
			r.Gone = append(r.Gone, p)
		}
	}
	slices.Sort(r.Gone)
	for _, n := range d.sortedNetdevs() {
		r.Netdevs = append(r.Netdevs, savedNetdev{n.Netdev, n.rx, n.tx, n.egress, n.given, n.counters})
	}
	r.Kept = map[string]json.RawMessage{}
	for name, state := range d.kept {
		data, err := json.Marshal(state)
		if err != nil {
			panic("lab: state that cannot be kept: " + err.Error()) // the contract of Keep
		}
		r.Kept[name] = data
	}
	f.made(f.root, "", &r.Made)
	return r
}

func alike(a, b *node) bool {
	return a.mode == b.mode && a.uid == b.uid && a.gid == b.gid && a.target == b.target && a.ino == b.ino && bytes.Equal(a.data, b.data)
}

// files are the nodes below the root by path, without those of sysfs and its kin; plain leaves out programs.
func (f *fileSystem) files(plain bool) map[string]*node {
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

// made lists the folders that were made where making one does something.
func (f *fileSystem) made(dir *node, at string, list *[]string) {
	for _, name := range slices.Sorted(maps.Keys(dir.kids)) {
		n := dir.kids[name]
		if dir.mkdir != nil {
			*list = append(*list, at+"/"+name)
		} else if n.isDir() && n.pseudo {
			f.made(n, at+"/"+name, list)
		}
	}
}

func (m *systemd) record(r *record) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r.Units, r.Timers = map[string]savedUnit{}, map[string]savedTimer{}
	for name, u := range m.units {
		r.Units[name] = savedUnit{u.active, u.failed, u.since, u.mainPID, u.transient}
	}
	for name, t := range m.timers {
		if t.alarm != nil {
			r.Timers[name] = savedTimer{t.alarm.due, t.args}
		}
	}
}

// encode makes a record one compressed document. Every change of a device writes one, so speed counts more than size.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(json.NewEncoder(z).Encode(v), z.Close()); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// decode reads what encode made.
func decode(data []byte, v any) error {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return err
	}
	text, err := io.ReadAll(io.LimitReader(z, maxRecord+1))
	switch {
	case err != nil:
		return err
	case len(text) > maxRecord:
		return errors.New("it is too large")
	}
	return json.Unmarshal(text, v)
}

// restore makes the device that was saved; files is what its disk held when it was new.
func restore(td *target.Device, r *record, files map[string]string) (*Device, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	d := blank(td)
	d.woken, d.disk = true, files
	d.plantSystem()
	d.plantFiles(files)
	d.clock = newClock(r.Clock)
	d.boots, d.booted, d.disabled = r.Boots, r.Booted, r.Disabled
	d.procs.last = r.Pids
	f := d.fs
	f.mu.Lock()
	for _, p := range r.Gone {
		if at, err := f.find(cred{}, p, false); err == nil && at.parent != nil {
			f.drop(at)
		}
	}
	err := f.restore(r.Files)
	f.inodes = max(f.inodes, r.Inodes)
	f.mu.Unlock()
	if err != nil {
		return nil, err
	}
	d.plantKernel()
	if d.hardware() != r.Hardware {
		f.mu.Lock()
		f.forget()
		d.netdevs, d.bonds = map[string]*netdev{}, map[string][]string{}
		f.mu.Unlock()
		d.powerOn()
		return d, nil
	}
	if err := d.resume(r); err != nil {
		d.shut()
		return nil, err
	}
	f.mu.Lock()
	f.changes = nil
	f.mu.Unlock()
	return d, nil
}

// check reports what no device would have saved.
func (r *record) check() error {
	if len(r.Files)+len(r.Memory)+len(r.Gone)+len(r.Made) > maxFiles {
		return errors.New("it has too many files")
	}
	times := []time.Duration{r.Clock, r.Booted}
	for _, t := range r.Timers {
		times = append(times, t.Due)
		if len(t.Args) == 0 {
			return errors.New("a timer has nothing to run")
		}
	}
	for _, u := range r.Units {
		times = append(times, u.Since)
	}
	for i := range r.Sleepers {
		times = append(times, r.Sleepers[i].Left)
	}
	for _, t := range times {
		if t < 0 || t > maxTime {
			return errors.New("a time is out of range")
		}
	}
	if r.Boots < 1 || r.Boots > 1<<30 || r.Pids < 0 || r.Pids > 1<<40 || r.Inodes < 0 || r.Inodes > 1<<40 {
		return errors.New("a number is out of range")
	}
	for _, list := range []map[string]savedFile{r.Files, r.Memory} {
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

// restore lays down saved files, the folders above first. It is called with the lock held.
func (f *fileSystem) restore(files map[string]savedFile) error {
	for _, p := range slices.Sorted(maps.Keys(files)) {
		s := files[p]
		above, err := f.find(cred{}, parentOf(p), false)
		if err != nil || !above.node.isDir() || above.node.pseudo {
			return fmt.Errorf("%q has no folder", p)
		}
		dir, name := above.node, baseOf(p)
		old := dir.kids[name]
		switch {
		case s.Same != "":
			at, err := f.find(cred{}, s.Same, false)
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
		if f.used += len(n.data); f.used > diskSize {
			return errors.New("it holds more than its disk")
		}
	}
	return nil
}

// resume puts a device whose kernel has just been made into the state it was left in.
func (d *Device) resume(r *record) error {
	f := d.fs
	for _, p := range r.Made {
		if err := f.mkdir(cred{}, p, 0o755); err != nil {
			return fmt.Errorf("%q: %w", p, err)
		}
	}
	f.mu.Lock()
	err := errors.Join(f.restore(r.Memory), d.resumeNetdevs(r.Netdevs), d.resumeKept(r.Kept))
	f.mu.Unlock()
	if err != nil {
		return err
	}
	d.procs.mu.Lock()
	d.off = false
	d.procs.mu.Unlock()
	d.init.mu.Lock()
	for name, s := range r.Units {
		u := d.init.units[name]
		if u == nil {
			u = &unit{transient: s.Transient}
			d.init.units[name] = u
		}
		u.active, u.failed, u.since, u.mainPID = s.Active, s.Failed, s.Since, s.MainPID
	}
	for _, name := range r.Disabled {
		if u := d.init.units[name]; u != nil {
			u.enabled = false
		}
	}
	d.init.mu.Unlock()
	for _, s := range r.Sleepers {
		if err := d.wake(s); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Timers)) {
		t := r.Timers[name]
		d.init.arm(name, max(t.Due-r.Clock, 0), t.Args)
	}
	return nil
}

// resumeNetdevs is called with the file system's lock held.
func (d *Device) resumeNetdevs(list []savedNetdev) error {
	for _, s := range list {
		n := d.netdevs[s.Name]
		if n == nil {
			if s.Parent == "" || d.netdevs[s.Parent] == nil || s.VLAN < 1 || s.VLAN > 4094 || s.Name == "" || len(s.Name) > 15 ||
				strings.ContainsAny(s.Name, "/\x00") || s.Name == "." || s.Name == ".." {
				return fmt.Errorf("the interface %q cannot be", s.Name)
			}
			d.addNetdev(target.Netdev{Name: s.Name, Parent: s.Parent, VLAN: s.VLAN})
			n = d.netdevs[s.Name]
		}
		if s.MTU < 68 || s.MTU > 65536 {
			return fmt.Errorf("the interface %q has an MTU of %d", s.Name, s.MTU)
		}
		n.MTU, n.Index, n.rx, n.tx, n.Down = s.MTU, s.Index, s.RX, s.TX, s.Down
		n.given = s.Given
		if n.egress != nil && s.Egress != nil {
			n.egress = s.Egress
		}
		if s.Counts != nil {
			n.counters = s.Counts
		}
	}
	have := map[string]bool{}
	for _, s := range list {
		have[s.Name] = true
	}
	for _, n := range d.sortedNetdevs() {
		if !have[n.Name] {
			d.dropNetdev(n)
		}
	}
	return nil
}

// resumeKept is called with the file system's lock held.
func (d *Device) resumeKept(kept map[string]json.RawMessage) error {
	for name, state := range d.kept {
		data, ok := kept[name]
		if !ok {
			return fmt.Errorf("%s is missing", name)
		}
		if err := json.Unmarshal(data, state); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if !state.Valid() {
			return fmt.Errorf("%s is in no state it can be in", name)
		}
		if r, ok := state.(target.Resumer); ok {
			r.Resume()
		}
	}
	return nil
}
