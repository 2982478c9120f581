package lab

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rocec/rocec/targets/target"
)

// Device is one simulated device, and what a test may look at and do to it.
type Device struct {
	Name  string
	users map[string]*user
	image target.Image // what the device is made of, and what lay on its disk when it was new
	fs    *fileSystem
	procs processes
	clock *clock
	init  *systemd
	cut   func() // cuts the connections to the device; nil: it has none

	turning  sync.Mutex        // held while the device is switched off and on
	off      bool              // it has no power; guarded by procs.mu
	over     bool              // it will never have any again; guarded by procs.mu
	restarts int               // restarts that processes have asked for, until it has started again; guarded by procs.mu
	disk     map[string]string // what its disk held when it was new
	woken    bool              // it was saved before, and goes on
	cabled   bool              // a cable was plugged in or pulled out
	boots    int               // how often it was switched on
	booted   time.Duration     // when, the last time

	// What follows is the kernel's, and guarded by fs.mu.
	netdevs   map[string]*netdev        // by name
	bonds     map[string][]string       // the ports of each bond
	modules   []string                  // that can be loaded
	kept      map[string]target.State   // what the image's parts hold while the device runs
	installed map[string]target.Program // by their paths, since it started
	later     map[*alarm]bool           // what the image's parts wait for

	mu       sync.Mutex // guards what follows; never held together with fs.mu
	commands []string
	programs []string
	breaks   []breakage
	noSudo   bool
	disabled []string // simulated services that do not start with the device
}

// breakage is a command a test broke.
type breakage struct {
	prefix string
	status int
	stderr string
}

// birth is the moment every device was switched on.
var birth = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// NewDevice makes a device as it comes from the factory, switched on and in no network.
func NewDevice(td *target.Device) *Device {
	d := blank(td)
	d.plantSystem()
	d.plantFiles(d.image.Files)
	d.disk = d.image.Files
	d.powerOn()
	d.fs.changes = nil
	return d
}

// blank is a device with nothing on its disk and without power.
func blank(td *target.Device) *Device {
	var img target.Image
	if td.Target != nil && td.Target.Image != nil {
		img = td.Target.Image(td.Source)
	}
	d := &Device{
		Name: td.Name, fs: newFileSystem(), image: img, netdevs: map[string]*netdev{}, bonds: map[string][]string{},
		modules: slices.Concat(modules, img.Modules), clock: newClock(0), off: true,
	}
	d.procs = processes{last: 1000, byPid: map[int]*process{}}
	d.users = map[string]*user{"root": {"root", 0, 0, "/root"}}
	for i, name := range loginNames(td) {
		if name != "root" {
			d.users[name] = &user{name, 1000 + i, 1000 + i, "/home/" + name}
		}
	}
	d.init = newSystemd(d)
	return d
}

// loginName is who logs in when the fabric does not say: the first user of a device of the factory.
func loginName(td *target.Device) string {
	switch {
	case td.Login.User != "":
		return td.Login.User
	case td.Target != nil && td.Target.User != "":
		return td.Target.User
	}
	return "root"
}

// loginNames are the users a device has, besides root.
func loginNames(td *target.Device) []string {
	names := []string{loginName(td)}
	if td.Target != nil && td.Target.User != "" && td.Target.User != names[0] {
		names = append(names, td.Target.User)
	}
	return names
}

// plantSystem lays down what every Linux has on its disk.
func (d *Device) plantSystem() {
	f := d.fs
	f.mu.Lock()
	for _, dir := range []string{
		"/etc/systemd/system", "/etc/modules-load.d", "/home", "/tmp", "/var/tmp", "/var/lib", "/var/log", "/usr/bin", "/usr/sbin",
		"/usr/local/bin", "/usr/local/sbin", "/usr/lib/systemd/system",
	} {
		f.plantDir(dir, false)
	}
	f.plantDir("/root", false).mode = fs.ModeDir | 0o700
	f.plantDir("/tmp", false).mode = fs.ModeDir | 0o777
	for _, name := range slices.Sorted(maps.Keys(d.users)) {
		u := d.users[name]
		home := f.plantDir(u.home, false)
		home.uid, home.gid = u.uid, u.gid
	}
	f.mu.Unlock()

	for _, link := range []string{"bin", "lib", "sbin"} {
		n := f.newNode(fs.ModeSymlink|0o777, 0, 0)
		n.target = "usr/" + link
		f.plant("/"+link, n)
	}
	for _, path := range programPaths {
		n := f.newNode(0o755, 0, 0)
		n.program = programs[path]
		f.plant(path, n)
	}
	f.plant("/etc/hostname", f.file(0o644, d.Name+"\n"))
	var passwd strings.Builder
	for _, name := range slices.Sorted(maps.Keys(d.users)) {
		u := d.users[name]
		fmt.Fprintf(&passwd, "%s:x:%d:%d::%s:/bin/sh\n", u.name, u.uid, u.gid, u.home)
	}
	f.plant("/etc/passwd", f.file(0o644, passwd.String()))
}

// plantFiles lays down what the image has on its disk when it is new.
func (d *Device) plantFiles(files map[string]string) {
	for _, path := range slices.Sorted(maps.Keys(files)) {
		mode := fs.FileMode(0o644)
		if strings.Contains(path, "/bin/") || strings.Contains(path, "/sbin/") {
			mode = 0o755
		}
		d.fs.plant(path, d.fs.file(mode, files[path]))
	}
}

func (d *Device) uid(s string) (int, bool) {
	if u, ok := d.users[s]; ok {
		return u.uid, true
	}
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= 0
}

// gid knows one group a user, named like it.
func (d *Device) gid(s string) (int, bool) { return d.uid(s) }

func (d *Device) userName(uid int) string {
	for _, u := range d.users {
		if u.uid == uid {
			return u.name
		}
	}
	return strconv.Itoa(uid)
}

func (d *Device) now() time.Time { return birth.Add(d.clock.now()) }

func (d *Device) sudoAllowed() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return !d.noSudo
}

// maxLog bounds what is remembered of commands run.
const maxLog = 100_000

func (d *Device) ran(args []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.programs) < maxLog {
		d.programs = append(d.programs, strings.Join(args, " "))
	}
}

func (d *Device) asked(cmd string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.commands) < maxLog {
		d.commands = append(d.commands, cmd)
	}
}

func (d *Device) breakage(args []string) *breakage {
	d.mu.Lock()
	defer d.mu.Unlock()
	line := strings.Join(args, " ")
	for _, b := range d.breaks {
		if line == b.prefix || strings.HasPrefix(line, b.prefix+" ") {
			return &b
		}
	}
	return nil
}

// ReadFile returns what a file of the device holds.
func (d *Device) ReadFile(path string) ([]byte, error) { return d.fs.readFile(path) }

// WriteFile makes a file on the device behind everybody's back: with its directories, owned by root, whatever was there.
func (d *Device) WriteFile(path string, data []byte, mode fs.FileMode) {
	d.fs.plant(path, d.fs.file(mode.Perm(), string(data)))
}

// RemoveFile takes a file away behind everybody's back.
func (d *Device) RemoveFile(path string) error {
	d.fs.mu.Lock()
	defer d.fs.mu.Unlock()
	at, err := d.fs.find(cred{}, path, false)
	if err == nil {
		d.fs.drop(at)
	}
	return err
}

// Mode returns the mode, owner and group of a file.
func (d *Device) Mode(path string) (mode fs.FileMode, uid, gid int, err error) {
	i, err := d.fs.stat(cred{}, path, false)
	if err != nil {
		return 0, 0, 0, err
	}
	return i.mode, i.uid, i.gid, nil
}

// FailWrites makes the whole device read-only: files, settings of NICs and services. Whatever would change anything
// fails as on a read-only file system.
func (d *Device) FailWrites() {
	d.fs.mu.Lock()
	defer d.fs.mu.Unlock()
	d.fs.frozen = true
}

// AllowWrites undoes [Device.FailWrites].
func (d *Device) AllowWrites() {
	d.fs.mu.Lock()
	defer d.fs.mu.Unlock()
	d.fs.frozen = false
}

// FillDisk leaves room for n more bytes of files.
func (d *Device) FillDisk(n int) {
	d.fs.mu.Lock()
	defer d.fs.mu.Unlock()
	d.fs.limit = d.fs.used + n
}

// Writes returns every change that was asked for since the device started, also those that failed: "write /etc/x",
// "systemctl restart app.service", "ethtool -A ens1f0 rx off".
func (d *Device) Writes() []string {
	d.fs.mu.Lock()
	defer d.fs.mu.Unlock()
	return slices.Clone(d.fs.changes)
}

// Break makes every command whose words begin with those of cmd fail with a status and a message, instead of doing what
// it does.
func (d *Device) Break(cmd string, status int, stderr string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.breaks = append(d.breaks, breakage{cmd, status, stderr})
}

// Repair undoes every [Device.Break].
func (d *Device) Repair() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.breaks = nil
}

// RevokeSudo takes away from every user what sudo gave.
func (d *Device) RevokeSudo() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.noSudo = true
}

// Commands returns the command of every session, in the order they came.
func (d *Device) Commands() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.commands)
}

// Programs returns every program that ran, with its arguments.
func (d *Device) Programs() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.programs)
}

// change notes a change of something that is not a file, and reports whether it may be made. It is called with fs.mu held.
func (d *Device) change(p *proc) error {
	return d.fs.change(p.name() + " " + strings.Join(p.args[1:], " "))
}

// Sims returns what the device's target brought, for the hands tests have there.
func (d *Device) Sims() []target.Sim { return d.image.Sims }
