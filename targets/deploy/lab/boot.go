package lab

import (
	"fmt"
	"hash/crc32"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/rocec/rocec/targets/target"
)

// How a device starts: its kernel's state and what lies in memory are made anew, its disk stays, and systemd starts the
// units that are wanted, in their order.

// powerOn starts the device. It has no process and no kernel state yet.
func (d *Device) powerOn() {
	d.procs.mu.Lock()
	d.off = d.over
	d.procs.mu.Unlock()
	d.boots++
	d.booted = d.clock.now()
	d.plantKernel()
	d.init.boot()
}

// Reboot restarts the device as somebody would who typed reboot: services are stopped, processes end, and it starts again
// with what is on its disk. Connections to it are cut.
func (d *Device) Reboot() {
	d.turning.Lock()
	defer d.turning.Unlock()
	d.init.shutdown()
	d.cycle()
}

// PowerCut takes the power from the device and gives it back: as [Device.Reboot], and nothing is stopped before.
func (d *Device) PowerCut() {
	d.turning.Lock()
	defer d.turning.Unlock()
	d.cycle()
}

// shut ends everything on the device, for good.
func (d *Device) shut() {
	d.procs.mu.Lock()
	d.off, d.over = true, true
	d.procs.mu.Unlock()
	d.turning.Lock() // it may be starting
	defer d.turning.Unlock()
	d.init.stopTimers()
	d.endAll()
	d.clock.stop()
}

// cycle is power off and on.
func (d *Device) cycle() {
	d.procs.mu.Lock()
	over := d.over
	d.off = true
	d.procs.mu.Unlock()
	if over {
		return
	}
	if d.cut != nil {
		d.cut()
	}
	d.init.stopTimers()
	d.endAll()
	d.fs.mu.Lock()
	d.fs.forget()
	d.fs.locks = flocks{}
	d.netdevs, d.bonds = map[string]*netdev{}, map[string][]string{}
	for a := range d.later {
		d.clock.drop(a)
	}
	clear(d.later)
	d.fs.mu.Unlock()
	d.powerOn()
}

// plantKernel lays down what the kernel and the image's parts have besides the disk: memory file systems, devices and
// interfaces.
func (d *Device) plantKernel() {
	d.init.reset()
	for _, name := range d.image.Services {
		d.init.add(name, nil)
	}
	f := d.fs
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, dir := range []string{"/proc", "/sys", "/dev", "/run"} {
		f.plantDir(dir, dir == "/proc" || dir == "/sys")
	}
	for dir, dev := range memoryFileSystems {
		f.plantDir(dir, false).dev = dev
	}
	for _, dir := range []string{"/run/systemd/system", "/run/lock"} {
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
	id := d.bootID()
	f.plantNode("/proc/sys/kernel/hostname", target.TextNode(func() string { return d.Name }, nil))
	f.plantNode("/proc/sys/kernel/random/boot_id", target.TextNode(func() string { return id }, nil))
	f.plantNode("/proc/uptime", target.TextNode(d.uptime, nil))
	for _, n := range inOrder(d.image.Netdevs) {
		d.addNetdev(n)
	}
	d.kept, d.installed = map[string]target.State{}, map[string]target.Program{}
	for _, s := range d.image.Sims {
		s.Boot(machine{d})
	}
}

// memoryFileSystems are gone when the device starts anew; by folder, the number that stat shows.
var memoryFileSystems = map[string]int{"/proc": 21, "/sys": 22, "/dev": 5, "/run": 24}

// forget empties the memory file systems, also those the image's parts have made. It is called with the lock held.
func (f *fileSystem) forget() {
	for name, n := range f.root.kids {
		if _, memory := memoryFileSystems["/"+name]; memory || n.pseudo {
			delete(f.root.kids, name)
			f.used -= n.size()
		}
	}
}

// size is the bytes of files in and below a node.
func (n *node) size() int {
	sum := len(n.data)
	for _, kid := range n.kids {
		sum += kid.size()
	}
	return sum
}

// bootID is what the kernel draws at random; here it counts, so that two runs see the same.
func (d *Device) bootID() string {
	return fmt.Sprintf("%08x-0000-4000-8000-%012x", crc32.ChecksumIEEE([]byte(d.Name)), d.boots)
}

// boot starts the units that are wanted: what the image runs, and what links in folders of wants name, for targets and for
// the interfaces there are.
func (m *systemd) boot() {
	m.d.mu.Lock()
	disabled := slices.Clone(m.d.disabled)
	m.d.mu.Unlock()
	for _, name := range disabled {
		if u := m.units[name]; u != nil {
			u.enabled = false
		}
	}
	// A process that somebody waits for, so that what units sleep takes no time.
	self := m.d.fork(nil, 0)
	if self == nil {
		return // there is no power
	}
	self.client = true
	self.start(func() int {
		for _, name := range m.bootOrder() {
			u, ok := m.find(name)
			if !ok || missingDevice(m.d, u.file, name) != "" || u.condition(m.d) {
				continue
			}
			status := m.run(self, name, *u, "ExecStart")
			m.set(name, status == 0 && u.stays(), status != 0)
		}
		return 0
	})
	<-self.done
}

// add makes a simulated service, to be started with the device.
func (m *systemd) add(name string, start func() error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.units[name] = &unit{enabled: true, builtin: true, start: start}
}

// reset forgets everything.
func (m *systemd) reset() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.units, m.jobs, m.timers = map[string]*unit{}, map[string]chan struct{}{}, map[string]*runTimer{}
}

// condition reports whether a condition of a unit's file keeps it from starting.
func (u *unit) condition(d *Device) bool {
	if u.file == nil {
		return false
	}
	for _, path := range u.file.sections["Unit"]["ConditionPathExists"] {
		want := !strings.HasPrefix(path, "!")
		_, err := d.fs.stat(cred{}, strings.TrimPrefix(path, "!"), true)
		if (err == nil) != want {
			return true
		}
	}
	return false
}

// bootOrder is the units to start, each after those it says it comes after.
func (m *systemd) bootOrder() []string {
	wanted := map[string]bool{}
	for name, u := range m.units {
		if u.enabled {
			wanted[name] = true
		}
	}
	var want func(name string)
	pull := func(folder string) {
		list, err := m.d.fs.readDir(cred{}, folder)
		if err != nil {
			return
		}
		for _, e := range list {
			want(e.name)
		}
	}
	seen := map[string]bool{}
	want = func(name string) {
		if seen[name] {
			return
		}
		seen[name] = true
		if strings.HasSuffix(name, ".service") {
			wanted[name] = true
		}
		for _, dir := range unitDirs[:2] {
			pull(dir + "/" + name + ".wants")
			pull(dir + "/" + name + ".requires")
		}
		if u, ok := m.find(name); ok && u.file != nil {
			for _, key := range []string{"Wants", "Requires", "BindsTo"} {
				for _, value := range u.file.sections["Unit"][key] {
					for other := range strings.FieldsSeq(expandSpecifiers(value, name)) {
						want(other)
					}
				}
			}
		}
	}
	for _, target := range []string{"sysinit.target", "basic.target", "multi-user.target", "default.target"} {
		want(target)
	}
	for _, n := range m.d.sortedNetdevs() {
		want("sys-subsystem-net-devices-" + escapeUnit(n.Name) + ".device")
	}
	return m.inOrder(slices.Sorted(maps.Keys(wanted)))
}

// inOrder sorts units by Before and After, and by name where these leave it open. What has default dependencies comes
// after basic.target, and so after all that has not and is not ordered after it.
func (m *systemd) inOrder(names []string) []string {
	after := map[string][]string{} // what a unit comes after
	early := func(name string) bool {
		u, _ := m.find(name)
		return u != nil && u.file != nil && slices.Contains([]string{"no", "false"}, u.file.get("Unit", "DefaultDependencies"))
	}
	for _, name := range names {
		u, _ := m.find(name)
		if !early(name) {
			after[name] = append(after[name], "basic.target")
		}
		if u == nil || u.file == nil {
			continue
		}
		words := func(key string) (list []string) {
			for _, value := range u.file.sections["Unit"][key] {
				list = append(list, strings.Fields(expandSpecifiers(value, name))...)
			}
			return list
		}
		after[name] = append(after[name], words("After")...)
		for _, other := range words("Before") {
			after[other] = append(after[other], name)
		}
	}
	for _, name := range names {
		if early(name) && !slices.Contains(after[name], "basic.target") {
			after["basic.target"] = append(after["basic.target"], name)
		}
	}
	var out []string
	done := map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		if done[name] {
			return // started, or in a circle, which systemd cuts somewhere, too
		}
		done[name] = true
		before := slices.Clone(after[name])
		slices.Sort(before)
		for _, other := range before {
			visit(other)
		}
		if slices.Contains(names, name) {
			out = append(out, name)
		}
	}
	for _, name := range names {
		visit(name)
	}
	return out
}

// shutdown stops the services whose files say how.
func (m *systemd) shutdown() {
	m.mu.Lock()
	var names []string
	for name, u := range m.units {
		if u.active && u.file != nil {
			names = append(names, name)
		}
	}
	m.mu.Unlock()
	slices.Sort(names)
	order := m.inOrder(names)
	slices.Reverse(order)
	for _, name := range order {
		m.mu.Lock()
		u := *m.units[name]
		m.mu.Unlock()
		m.run(nil, name, u, "ExecStop")
	}
}

// escapeUnit is systemd-escape, for names of interfaces.
func escapeUnit(s string) string {
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case c == '/':
			b.WriteByte('-')
		case c == '_' || c == ':' || c == '.' && i > 0 || inClass("alnum", c):
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, `\x%02x`, c)
		}
	}
	return b.String()
}
