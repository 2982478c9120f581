package systemd

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rocec/rocec/targets/deploy/lab/unix"
)

// Boot starts the wanted units: units of the image, and units with links in the wants folders of targets and of existing interfaces.
func (m *Manager) Boot() {
	m.mu.Lock()
	m.disable()
	m.mu.Unlock()
	// This process counts as one that a client waits for, so that the sleeps of units take no real time.
	m.machine.RunAwaited(func(self *unix.Process) {
		for _, name := range m.bootOrder() {
			u, ok := m.find(name)
			if !ok || m.missingDevice(u.file, name) != "" || m.unmet(u) {
				continue
			}
			status := m.run(self, name, *u, "ExecStart")
			m.set(name, status == 0 && u.stays(), status != 0)
		}
	})
}

// disable marks the simulated services that do not start with the machine. It is called with m.mu held.
func (m *Manager) disable() {
	for _, name := range m.disabled {
		if u := m.units[name]; u != nil {
			u.enabled = false
		}
	}
}

// Add adds a simulated service, which starts with the device.
func (m *Manager) Add(name string, start func() error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.units[name] = &unit{enabled: true, builtin: true, start: start}
}

// Reset forgets all state.
func (m *Manager) Reset() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.units, m.jobs, m.timers = map[string]*unit{}, map[string]chan struct{}{}, map[string]*runTimer{}
}

// unmet reports whether a condition of a unit's file keeps it from starting.
func (m *Manager) unmet(u *unit) bool {
	if u.file == nil {
		return false
	}
	for _, path := range u.file.sections["Unit"]["ConditionPathExists"] {
		want := !strings.HasPrefix(path, "!")
		_, err := m.machine.FS.Stat(unix.Cred{}, strings.TrimPrefix(path, "!"), true)
		if (err == nil) != want {
			return true
		}
	}
	return false
}

// bootOrder returns the units to start, each after those of its After.
func (m *Manager) bootOrder() []string {
	wanted := map[string]bool{}
	for name, u := range m.units {
		if u.enabled {
			wanted[name] = true
		}
	}
	var want func(name string)
	pull := func(folder string) {
		list, err := m.machine.FS.ReadDir(unix.Cred{}, folder)
		if err != nil {
			return
		}
		for _, e := range list {
			want(e.Name())
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
	for _, name := range m.options.Interfaces() {
		want("sys-subsystem-net-devices-" + escapeUnit(name) + ".device")
	}
	return m.inOrder(slices.Sorted(maps.Keys(wanted)))
}

// inOrder sorts units by Before and After, and otherwise by name. Units with default dependencies come after basic.target. So they come
// after units without default dependencies, except units that are themselves ordered after basic.target.
func (m *Manager) inOrder(names []string) []string {
	after := map[string][]string{} // names of the units that come before a unit
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
			return // started, or in an ordering cycle; systemd breaks a cycle at some unit, too
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

// Shutdown stops the services whose files contain a stop command.
func (m *Manager) Shutdown() {
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
		case c == '_' || c == ':' || c == '.' && i > 0,
			c >= '0' && c <= '9', c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, `\x%02x`, c)
		}
	}
	return b.String()
}
