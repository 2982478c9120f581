// Package systemd is the service manager of a simulated machine: unit files, the order of boot, timers, and the programs systemctl and
// systemd-run, with their messages and exit statuses.
//
// A [Manager] uses its machine only through package unix. The owner of a manager adds simulated services ([Manager.Add]), passes the
// names of the network interfaces ([Options]) and installs the manager's programs ([Manager.Programs]). The owner also calls the manager
// at every start and stop.
package systemd

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rocec/rocec/targets/deploy/lab/unix"
)

// Manager is the service manager of a machine, with the parts of `systemctl` and `systemd-run` that scripts use. It supports oneshot and
// simple services from unit files, templates, [Install] sections, and timers that run a command once.
type Manager struct {
	machine *unix.Machine
	options Options

	mu       sync.Mutex // guards the fields below
	units    map[string]*unit
	jobs     map[string]chan struct{} // jobs that start or stop units, one at a time
	timers   map[string]*runTimer
	disabled []string // simulated services that do not start with the machine
}

// Options contains facts about the machine that systemd uses.
type Options struct {
	Version    int             // version of systemd; 0: a current one
	Interfaces func() []string // the names of the network interfaces, in order
}

// unit is a service that the manager knows.
type unit struct {
	active, failed bool
	enabled        bool         // description of a unit without its own unit file
	builtin        bool         // a simulated service, without a unit file
	start          func() error // the start and the reload of a simulated service; nil: no effect
	file           *unitFile
	transient      []string      // the command of a unit made by systemd-run
	since          time.Duration // time since the start of the device at which it became active
	mainPID        int
}

// unitFile is the content of a unit file when the manager read it. daemon-reload forgets it.
type unitFile struct {
	path     string
	text     string
	sections map[string]map[string][]string
}

func (u *unitFile) get(section, key string) string {
	if v := u.sections[section][key]; len(v) > 0 {
		return v[len(v)-1]
	}
	return ""
}

// New returns the service manager of a machine. The manager has no units yet.
func New(m *unix.Machine, o Options) *Manager {
	return &Manager{machine: m, options: o, units: map[string]*unit{}, jobs: map[string]chan struct{}{}, timers: map[string]*runTimer{}}
}

// Programs returns the programs that talk to the manager, by path.
func (m *Manager) Programs() map[string]unix.Command {
	return map[string]unix.Command{"/usr/bin/systemctl": m.cmdSystemctl, "/usr/bin/systemd-run": m.cmdSystemdRun}
}

// old reports whether systemd is older than a version.
func (m *Manager) old(version int) bool { return m.options.Version != 0 && m.options.Version < version }

// Active reports whether a unit is active.
func (m *Manager) Active(name string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	u := m.units[unitName(name)]
	return u != nil && u.active
}

// unitDirs lists the folders of unit files, in systemd's search order.
var unitDirs = []string{"/etc/systemd/system", "/run/systemd/system", "/usr/local/lib/systemd/system", "/usr/lib/systemd/system"}

// unitName adds .service to a name without a suffix, as systemctl does.
func unitName(s string) string {
	for _, suffix := range []string{".service", ".timer", ".socket", ".target", ".mount", ".device"} {
		if strings.HasSuffix(s, suffix) {
			return s
		}
	}
	return s + ".service"
}

// instance returns the template and the instance of name@inst.service. Both are empty without an instance.
func instance(name string) (template, inst string) {
	prefix, rest, ok := strings.Cut(name, "@")
	if !ok {
		return name, ""
	}
	dot := strings.LastIndex(rest, ".")
	if dot < 0 {
		return name, ""
	}
	return prefix + "@" + rest[dot:], rest[:dot]
}

// find returns a unit. It reads the unit's file at the first call. It is called with m.mu held.
func (m *Manager) find(name string) (*unit, bool) {
	u := m.units[name]
	if u != nil && (u.builtin || u.file != nil) {
		return u, true
	}
	file := m.load(name)
	if file == nil {
		return u, u != nil && u.active
	}
	if u == nil {
		u = &unit{}
		m.units[name] = u
	}
	u.file = file
	return u, true
}

func (m *Manager) load(name string) *unitFile {
	template, _ := instance(name)
	for _, candidate := range []string{name, template} {
		for _, dir := range unitDirs {
			text, err := m.machine.FS.ReadFile(dir + "/" + candidate)
			if err == nil {
				return parseUnit(dir+"/"+candidate, string(text))
			}
		}
	}
	return nil
}

func parseUnit(path, text string) *unitFile {
	u := &unitFile{path: path, text: text, sections: map[string]map[string][]string{}}
	section := ""
	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", " ")) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#' || line[0] == ';':
		case line[0] == '[':
			section = strings.Trim(line, "[]")
		default:
			key, value, _ := strings.Cut(line, "=")
			if u.sections[section] == nil {
				u.sections[section] = map[string][]string{}
			}
			key = strings.TrimSpace(key)
			u.sections[section][key] = append(u.sections[section][key], strings.TrimSpace(value))
		}
	}
	return u
}

// expandSpecifiers replaces the specifiers %i, %I, %n, %N, %p and %%.
func expandSpecifiers(s, name string) string {
	_, inst := instance(name)
	prefix, _, _ := strings.Cut(name, "@")
	return strings.NewReplacer("%i", inst, "%I", unescapeUnit(inst), "%n", name, "%N", strings.TrimSuffix(name, ".service"),
		"%p", strings.TrimSuffix(prefix, ".service"), "%%", "%").Replace(s)
}

// unescapeUnit undoes systemd-escape.
func unescapeUnit(s string) string {
	s = strings.ReplaceAll(s, "-", "/")
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		var c int
		if strings.HasPrefix(s[i:], `\x`) && len(s) >= i+4 {
			if _, err := fmt.Sscanf(s[i+2:i+4], "%02x", &c); err == nil {
				b.WriteByte(byte(c))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// missingDevice returns the network interface to which a unit is bound, if the interface does not exist.
func (m *Manager) missingDevice(u *unitFile, name string) string {
	if u == nil {
		return ""
	}
	for _, dep := range append(u.sections["Unit"]["BindsTo"], u.sections["Unit"]["Requires"]...) {
		for word := range strings.FieldsSeq(expandSpecifiers(dep, name)) {
			dev, ok := strings.CutPrefix(word, "sys-subsystem-net-devices-")
			if !ok {
				continue
			}
			dev = unescapeUnit(strings.TrimSuffix(dev, ".device"))
			if !slices.Contains(m.options.Interfaces(), dev) {
				return dev
			}
		}
	}
	return ""
}

// set records the result of a unit.
func (m *Manager) set(name string, active, failed bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	u := m.units[name]
	if u == nil {
		u = &unit{}
		m.units[name] = u
	}
	if active && !u.active {
		u.since = m.machine.Uptime() + m.machine.Firmware()
	}
	u.active, u.failed = active, failed
}

// lock waits until no other job starts or stops a unit. It returns the function that releases the lock.
func (m *Manager) lock(name string, by *unix.Process) (unlock func(), err error) {
	m.mu.Lock()
	busy := m.jobs[name]
	if busy == nil {
		busy = make(chan struct{}, 1)
		m.jobs[name] = busy
	}
	m.mu.Unlock()
	select {
	case busy <- struct{}{}:
		return func() { <-busy }, nil
	default:
	}
	m.machine.Clock.Work(-1)
	defer m.machine.Clock.Work(1)
	var stop <-chan struct{}
	if by != nil {
		stop = by.Killed()
	}
	select {
	case busy <- struct{}{}:
		return func() { <-busy }, nil
	case <-stop:
		return nil, unix.ErrInterrupted
	}
}

// run runs the commands of a unit and returns the status of the first failing command. by is the waiting process, or nil.
func (m *Manager) run(by *unix.Process, name string, u unit, key string) int {
	if u.start != nil {
		m.machine.FS.Lock()
		err := u.start()
		m.machine.FS.Unlock()
		if err != nil {
			return 1
		}
		if key == "ExecStart" {
			m.setMain(name, m.machine.NewPID())
		}
		return 0
	}
	if u.file == nil {
		return 0 // simulated services without a start function always succeed
	}
	for _, line := range u.file.sections["Service"][key] {
		line = expandSpecifiers(line, name)
		optional := strings.HasPrefix(line, "-")
		args := unitWords(strings.TrimLeft(line, "-@:+!"))
		if len(args) == 0 {
			continue
		}
		p := m.process(args, u.file)
		if p == nil {
			return 1
		}
		p.Run()
		if key == "ExecStart" && u.file.daemon() {
			m.setMain(name, p.Process().ID())
			go func() {
				<-p.Process().Ended()
				m.set(name, false, p.Process().Status() != 0 && !p.Process().Terminated())
				m.setMain(name, 0)
			}()
			return 0
		}
		if status := m.await(by, p.Process()); status != 0 && !optional {
			return status
		}
	}
	return 0
}

// halt runs the commands that stop a unit, and ends its process.
func (m *Manager) halt(by *unix.Process, name string, u unit) {
	if u.file != nil {
		m.run(by, name, u, "ExecStop")
	}
	if u.mainPID != 0 && (u.transient != nil || u.file != nil) {
		_ = m.machine.Kill(0, -u.mainPID, unix.SIGTERM)
	}
}

// await waits for a process of a unit. by is the waiting process, or nil.
func (m *Manager) await(by, p *unix.Process) int {
	if by == nil {
		<-p.Ended()
		return p.Status()
	}
	status, err := by.Await(p, false, false)
	if err != nil { // the caller was killed; the job goes on without it
		return 128 + int(unix.SIGTERM)
	}
	return status
}

// process makes the process of a command of a unit, without starting it; nil: there are too many processes.
func (m *Manager) process(args []string, file *unitFile) *unix.Proc {
	env := map[string]string{}
	if file != nil {
		for _, line := range file.sections["Service"]["Environment"] {
			for _, word := range unitWords(line) {
				k, v, _ := strings.Cut(word, "=")
				env[k] = v
			}
		}
	}
	return m.machine.Daemon(args, env)
}

func (m *Manager) setMain(name string, pid int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if u := m.units[name]; u != nil {
		u.mainPID = pid
	}
}

// daemon reports whether a service's command keeps running.
func (u *unitFile) daemon() bool {
	kind := u.get("Service", "Type")
	return kind != "oneshot" && kind != "forking"
}

// stays reports whether a unit stays active after its start.
func (u unit) stays() bool {
	return u.file == nil || u.file.daemon() || slices.Contains([]string{"yes", "true", "on", "1"}, u.file.get("Service", "RemainAfterExit"))
}

// unitWords splits a command line of a unit file. It supports only words and quotes.
func unitWords(s string) []string {
	var words []string
	var b strings.Builder
	quote, in := byte(0), false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote, in = c, true
		case c == '\\' && i+1 < len(s) && quote != '\'':
			i++
			b.WriteByte(s[i])
			in = true
		case quote == 0 && (c == ' ' || c == '\t'):
			if in {
				words = append(words, b.String())
			}
			b.Reset()
			in = false
		default:
			b.WriteByte(c)
			in = true
		}
	}
	if in {
		words = append(words, b.String())
	}
	return words
}
