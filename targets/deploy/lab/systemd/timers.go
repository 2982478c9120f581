package systemd

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/targets/deploy/lab/unix"
)

// runTimer is a command that runs once, at a later time.
type runTimer struct {
	alarm *unix.Alarm
	args  []string
}

// cmdSystemdRun supports --on-active with a command, for a dead-man's switch. Without --on-active the command starts at once.
func (m *Manager) cmdSystemdRun(_ context.Context, p *unix.Proc) int {
	var name, after string
	quiet, wait := false, false
	args := p.Args[1:]
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		arg := args[0]
		args = args[1:]
		if arg == "--" {
			break
		}
		key, value, hasValue := strings.Cut(arg, "=")
		switch key {
		case "--on-active":
			if m.old(218) {
				return p.Usage("unrecognized option '%s'", arg)
			}
			fallthrough
		case "--unit", "-u":
			if !hasValue {
				if len(args) == 0 {
					return p.Usage("option '%s' requires an argument", key)
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
		case "--quiet", "-q":
			quiet = true
		case "--wait":
			wait = true
		case "--collect", "-G", "--no-block", "--pipe", "-P":
		default:
			return p.Usage("unrecognized option '%s'", arg)
		}
	}
	if len(args) == 0 {
		return p.FailPlain(1, "Command line to execute required.")
	}
	if name == "" {
		name = fmt.Sprintf("run-r%d", m.machine.NewPID())
	}
	if !p.IsRoot() {
		return p.FailPlain(1, "Failed to start transient unit: Interactive authentication required.")
	}
	m.machine.FS.Lock()
	err := p.Change()
	m.machine.FS.Unlock()
	if err != nil {
		return p.FailPlain(1, "Failed to start transient timer unit: %v", err)
	}
	say := func(format string, args ...any) {
		if !quiet {
			fmt.Fprintf(p.Stderr, format, args...)
		}
	}
	if after == "" {
		job := m.runTransient(name, args)
		if job == nil {
			return p.FailPlain(1, "Failed to start transient service unit: Unit %s.service was already loaded or has a fragment file.", name)
		}
		say("Running as unit: %s.service\n", name)
		if wait {
			status, _ := p.Process().Await(job, false, false)
			return status
		}
		return 0
	}
	d, ok := unix.Duration(after)
	if !ok {
		return p.FailPlain(1, "Failed to parse timer value: %s", after)
	}
	if !m.arm(name+".timer", d, args) {
		return p.FailPlain(1, "Failed to start transient timer unit: Unit %s.timer was already loaded or has a fragment file.", name)
	}
	say("Running timer as unit: %s.timer\nWill run service as unit: %[1]s.service\n", name)
	return 0
}

// runTransient starts a command as a separate service; nil: a service with that name exists, or the device is off.
func (m *Manager) runTransient(name string, args []string) *unix.Process {
	unitName := name + ".service"
	m.mu.Lock()
	if u := m.units[unitName]; u != nil && u.active {
		m.mu.Unlock()
		return nil
	}
	m.units[unitName] = &unit{transient: args}
	m.mu.Unlock()
	p := m.process(args, nil)
	if p == nil {
		return nil
	}
	m.set(unitName, true, false)
	m.setMain(unitName, p.Process().ID())
	p.Process().Start(func() int {
		status := p.Exec()
		m.set(unitName, false, status != 0)
		m.setMain(unitName, 0)
		return status
	})
	return p.Process()
}

// arm starts a timer. It fails if there is a timer with that name.
func (m *Manager) arm(name string, after time.Duration, args []string) bool {
	m.mu.Lock()
	if m.timers[name] != nil {
		m.mu.Unlock()
		return false
	}
	t := &runTimer{args: args}
	m.timers[name] = t
	m.mu.Unlock()
	a := m.machine.Clock.Set(after, nil, func() { m.ring(name, t) })
	m.mu.Lock()
	t.alarm = a
	m.mu.Unlock()
	return true
}

// ring runs the command of a timer and returns the process. It returns nil if the timer was stopped.
func (m *Manager) ring(name string, t *runTimer) *unix.Process {
	m.mu.Lock()
	if m.timers[name] != t {
		m.mu.Unlock()
		return nil
	}
	delete(m.timers, name)
	m.mu.Unlock()
	return m.runTransient(strings.TrimSuffix(name, ".timer"), t.args)
}

// cancel removes a timer and reports whether it existed.
func (m *Manager) cancel(name string) bool {
	m.mu.Lock()
	t := m.timers[name]
	delete(m.timers, name)
	m.mu.Unlock()
	if t == nil {
		return false
	}
	if t.alarm != nil {
		m.machine.Clock.Drop(t.alarm)
	}
	return true
}

func (m *Manager) waiting(name string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.timers[name] != nil
}

// StopTimers cancels every timer.
func (m *Manager) StopTimers() {
	m.mu.Lock()
	names := slices.Sorted(maps.Keys(m.timers))
	m.mu.Unlock()
	for _, name := range names {
		m.cancel(name)
	}
}

// Elapse makes every timer fire now, and waits for the commands.
func (m *Manager) Elapse() {
	m.mu.Lock()
	due := maps.Clone(m.timers)
	m.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(due)) {
		if due[name].alarm != nil {
			m.machine.Clock.Drop(due[name].alarm)
		}
		if p := m.ring(name, due[name]); p != nil {
			<-p.Ended()
		}
	}
}
