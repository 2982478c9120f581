// Package unix is one simulated Unix machine inside the process. It has a file system in memory, processes, signals and sessions, pipes and
// descriptors. A shell walks the syntax trees of mvdan.cc/sh and runs the core programs, and time passes by a clock of the machine's own.
//
// Package unix knows no service manager, no network, no device of a fleet and no vendor. The owner of a machine lays down the rest: further
// programs ([System.Install]), files that do something ([FileSystem.PlantNode]), and functions that the machine calls ([Hooks]).
//
// No command reads, writes or runs anything of the machine that the process runs on (shell.go states how it is fenced in). Chance decides
// nothing, and a wait takes no time (clock.go states how the time of a machine passes). A new machine gets its disk by [System.PlantOn],
// power by [Machine.PowerOn] and its memory file systems by [Machine.PlantKernel].
package unix

import (
	"fmt"
	"maps"
	"strconv"
	"time"
)

// Machine is one simulated Unix machine: users, files, processes and a clock. It knows no service manager, no network and no vendor.
type Machine struct {
	System
	FS    *FileSystem
	Clock *Clock

	hooks   Hooks
	sh      Command // the shell: of a login, and of scripts that begin with #!
	script  func(p *Proc, name, script string, params []string, options string) int
	procs   processes
	off     bool          // it has no power; guarded by procs.mu
	over    bool          // it never gets power again; guarded by procs.mu
	pending int           // work that keeps it busy and is no process; guarded by procs.mu
	booted  time.Duration // when it was switched on, the last time
}

// System is the software of a machine: users, folders and programs.
type System struct {
	Name     string
	Users    map[string]*User
	Folders  []string           // of the disk
	Memory   []string           // folders of /run, which are made at every start
	programs map[string]Command // by path
}

// Hooks are functions of a machine's owner. A nil function does nothing, and allows everything.
type Hooks struct {
	// Ran takes notice of a program that starts. If it returns a fault, the program does nothing else.
	Ran func(args []string) *Fault
	// MaySudo reports whether users may become root.
	MaySudo func() bool
}

// Fault is how a broken program ends.
type Fault struct {
	Status int
	Stderr string
}

// Install adds programs to those of every machine, by path.
func (s *System) Install(more map[string]Command) { maps.Copy(s.programs, more) }

// Users returns root and the users with the given names.
func Users(names []string) map[string]*User {
	users := map[string]*User{"root": {"root", 0, 0, "/root"}}
	for i, name := range names {
		if name != "root" {
			users[name] = &User{name, 1000 + i, 1000 + i, "/home/" + name}
		}
	}
	return users
}

func (s *System) uid(name string) (int, bool) {
	if u, ok := s.Users[name]; ok {
		return u.uid, true
	}
	n, err := strconv.Atoi(name)
	return n, err == nil && n >= 0
}

// gid knows one group a user, named like it.
func (s *System) gid(name string) (int, bool) { return s.uid(name) }

func (s *System) userName(uid int) string {
	for _, u := range s.Users {
		if u.uid == uid {
			return u.Name
		}
	}
	return strconv.Itoa(uid)
}

// birth is the moment every machine was switched on.
var birth = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

func (m *Machine) now() time.Time { return birth.Add(m.Clock.Now()) }

// Uptime returns how long the machine has power.
func (m *Machine) Uptime() time.Duration { return m.Clock.Now() - m.booted }

// Firmware returns how long the last boot took before the units began, another while each time. A simulated machine boots in some
// microseconds, so that without it a unit could start at the same microsecond of two boots.
func (m *Machine) Firmware() time.Duration { return m.booted % (100 * time.Millisecond) }

// uptimeText is the text of /proc/uptime.
func (m *Machine) uptimeText() string {
	up := m.Uptime().Seconds()
	return fmt.Sprintf("%.2f %.2f", up, up)
}

func (m *Machine) maySudo() bool { return m.hooks.MaySudo == nil || m.hooks.MaySudo() }

// ran calls the hook of a program that starts.
func (m *Machine) ran(args []string) *Fault {
	if m.hooks.Ran == nil {
		return nil
	}
	return m.hooks.Ran(args)
}

// PowerOn gives the machine power, unless it is over. booted is when it got power.
func (m *Machine) PowerOn(booted time.Duration) {
	m.procs.mu.Lock()
	m.off = m.over
	m.procs.mu.Unlock()
	m.booted = booted
}

// PowerOff lets no process start any more, and reports whether the machine may get power again.
func (m *Machine) PowerOff() bool {
	m.procs.mu.Lock()
	defer m.procs.mu.Unlock()
	m.off = true
	return !m.over
}

// Finish lets no process start, and the machine never gets power again.
func (m *Machine) Finish() {
	m.procs.mu.Lock()
	defer m.procs.mu.Unlock()
	m.off, m.over = true, true
}

// IsOff reports whether the machine has no power.
func (m *Machine) IsOff() bool {
	m.procs.mu.Lock()
	defer m.procs.mu.Unlock()
	return m.off
}

// Expect adds n to the number of things that are about to happen and are no processes, such as a restart.
func (m *Machine) Expect(n int) {
	m.procs.mu.Lock()
	defer m.procs.mu.Unlock()
	m.pending += n
}

// Idle reports whether nothing runs on the machine or is about to.
func (m *Machine) Idle() bool {
	m.procs.mu.Lock()
	running := len(m.procs.byPid) + m.pending
	m.procs.mu.Unlock()
	return running == 0 && m.Clock.idle()
}
