package lab

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// systemd is the service manager of a device, as far as `systemctl` and `systemd-run` of scripts go: oneshot and plain
// services from unit files, templates, [Install] sections, and timers that run a command once.
type systemd struct {
	d *Device

	job sync.Mutex // held while a unit starts or stops: one at a time, as a person would

	mu     sync.Mutex // guards what follows
	units  map[string]*unit
	timers map[string]*runTimer
}

// unit is a service the manager knows.
type unit struct {
	active, failed bool
	enabled        bool         // of a unit without a unit file of its own
	builtin        bool         // simulated, not by a unit file
	start          func() error // what starting and reloading a simulated one does; nil: nothing
	file           *unitFile
}

// unitFile is a unit file as it was when the manager read it; daemon-reload forgets it.
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

func newSystemd(d *Device) *systemd {
	return &systemd{d: d, units: map[string]*unit{}, timers: map[string]*runTimer{}}
}

// boot makes a simulated service and starts it.
func (m *systemd) boot(name string, start func() error) {
	m.units[name] = &unit{active: start == nil || start() == nil, enabled: true, builtin: true, start: start}
}

// unitDirs are searched in this order, as systemd does.
var unitDirs = []string{"/etc/systemd/system", "/run/systemd/system", "/usr/local/lib/systemd/system", "/usr/lib/systemd/system"}

// unitName completes a name as systemctl does.
func unitName(s string) string {
	for _, suffix := range []string{".service", ".timer", ".socket", ".target", ".mount", ".device"} {
		if strings.HasSuffix(s, suffix) {
			return s
		}
	}
	return s + ".service"
}

// instance splits name@inst.service; without an instance it is empty.
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

// find returns a unit, reading its file when it is asked for the first time. It is called with m.mu held.
func (m *systemd) find(name string) (*unit, bool) {
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

func (m *systemd) load(name string) *unitFile {
	template, _ := instance(name)
	for _, candidate := range []string{name, template} {
		for _, dir := range unitDirs {
			text, err := m.d.fs.readFile(dir + "/" + candidate)
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

// expand replaces the specifiers %i, %I, %n, %N, %p and %%.
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

// missingDevice names the netdev a unit is bound to and that does not exist.
func missingDevice(d *Device, u *unitFile, name string) string {
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
			d.fs.mu.Lock()
			_, exists := d.netdevs[dev]
			d.fs.mu.Unlock()
			if !exists {
				return dev
			}
		}
	}
	return ""
}

// set records what became of a unit.
func (m *systemd) set(name string, active, failed bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	u := m.units[name]
	if u == nil {
		u = &unit{}
		m.units[name] = u
	}
	u.active, u.failed = active, failed
}

// run runs the commands of a unit and returns the status of the first that fails.
func (m *systemd) run(ctx context.Context, name string, u unit, key string) int {
	if u.start != nil {
		m.d.fs.mu.Lock()
		defer m.d.fs.mu.Unlock()
		if u.start() != nil {
			return 1
		}
		return 0
	}
	if u.file == nil {
		return 0 // simulated, and always well
	}
	ses := newSession(ctx, m.d)
	defer ses.end()
	for _, line := range u.file.sections["Service"][key] {
		line = expandSpecifiers(line, name)
		optional := strings.HasPrefix(line, "-")
		args := unitWords(strings.TrimLeft(line, "-@:+!"))
		if len(args) == 0 {
			continue
		}
		p := ses.login(m.d.users["root"], discard{}, discard{})
		for _, env := range u.file.sections["Service"]["Environment"] {
			for _, word := range unitWords(env) {
				k, v, _ := strings.Cut(word, "=")
				p.env[k] = v
			}
		}
		p.args = args
		if status := p.exec(ses.ctx); status != 0 && !optional {
			return status
		}
	}
	return 0
}

// discard is a journal nobody reads.
type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }

// unitWords splits a command line of a unit file: words and quotes, nothing more.
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

// runTimer is a command to run once, later.
type runTimer struct {
	timer *time.Timer
	run   func()
}

// cmdSystemdRun knows --on-active with a command: a dead-man's switch. Without it the command runs at once.
func cmdSystemdRun(ctx context.Context, p *proc) int {
	var name, after string
	args := p.args[1:]
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		arg := args[0]
		args = args[1:]
		if arg == "--" {
			break
		}
		key, value, hasValue := strings.Cut(arg, "=")
		switch key {
		case "--unit", "-u", "--on-active":
			if !hasValue {
				if len(args) == 0 {
					return p.usage("option '%s' requires an argument", key)
				}
				value, args = args[0], args[1:]
			}
			if key == "--on-active" {
				after = value
			} else {
				name = strings.TrimSuffix(strings.TrimSuffix(value, ".timer"), ".service")
			}
		case "-p", "--property", "--timer-property", "--description", "-E", "--setenv":
			if !hasValue && len(args) > 0 {
				args = args[1:]
			}
		case "--collect", "-G", "--quiet", "-q", "--no-block", "--wait", "--pipe", "-P":
		default:
			return p.usage("unrecognized option '%s'", arg)
		}
	}
	if len(args) == 0 {
		return p.failPlain(1, "Command line to execute required.")
	}
	if name == "" {
		name = fmt.Sprintf("run-r%d", p.d.newPid())
	}
	p.d.fs.mu.Lock()
	err := p.d.change(p)
	p.d.fs.mu.Unlock()
	if err != nil {
		return p.failPlain(1, "Failed to start transient timer unit: %v", err)
	}
	run := func() {
		ses := newSession(context.Background(), p.d)
		defer ses.end()
		c := ses.login(p.d.users["root"], discard{}, discard{})
		c.args = args
		status := c.exec(ses.ctx)
		p.d.init.set(name+".service", false, status != 0)
	}
	if after == "" {
		run()
		fmt.Fprintf(p.stderr, "Running as unit: %s.service\n", name)
		return 0
	}
	d, ok := duration(after)
	if !ok {
		return p.failPlain(1, "Failed to parse timer value: %s", after)
	}
	if !p.d.init.arm(name+".timer", d, run) {
		return p.failPlain(1, "Failed to start transient timer unit: Unit %s.timer was already loaded or has a fragment file.", name)
	}
	fmt.Fprintf(p.stderr, "Running timer as unit: %s.timer\nWill run service as unit: %[1]s.service\n", name)
	return 0
}

// arm starts a timer; it fails when there is one of that name.
func (m *systemd) arm(name string, after time.Duration, run func()) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.timers[name] != nil {
		return false
	}
	t := &runTimer{run: run}
	m.timers[name] = t
	t.timer = time.AfterFunc(after, func() {
		if m.cancel(name) {
			run()
		}
	})
	return true
}

// cancel takes a timer away and tells whether there was one.
func (m *systemd) cancel(name string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.timers[name]
	if t == nil {
		return false
	}
	t.timer.Stop()
	delete(m.timers, name)
	return true
}

func (m *systemd) waiting(name string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.timers[name] != nil
}

// stopAll cancels every timer.
func (m *systemd) stopAll() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, t := range m.timers {
		t.timer.Stop()
	}
	clear(m.timers)
}

// Elapse lets every timer of the device fire now, as if its time had come, and waits for what it runs.
func (d *Device) Elapse() {
	d.init.mu.Lock()
	due := maps.Clone(d.init.timers)
	d.init.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(due)) {
		if d.init.cancel(name) {
			due[name].run()
		}
	}
}

// Active tells whether a systemd unit is active.
func (d *Device) Active(name string) bool {
	d.init.mu.Lock()
	defer d.init.mu.Unlock()
	u := d.init.units[unitName(name)]
	return u != nil && u.active
}
