// Package unix is one simulated Unix machine inside the process. It has a file system in memory, processes, signals and sessions, pipes
// and descriptors. A shell walks the syntax trees of mvdan.cc/sh and runs the core programs. The machine has its own clock.
//
// Package unix knows no service manager, no network, no device of a fleet and no vendor. The owner of a machine adds the rest: further
// programs ([System.Install]), files with effects ([FileSystem.PlantNode]), and functions that the machine calls ([Hooks]).
//
// No command reads, writes or runs anything of the machine that the process runs on (shell.go explains the isolation). Nothing is random,
// and a wait takes no real time (clock.go explains the clock). A new machine gets its disk by [System.PlantOn], power by
// [Machine.PowerOn] and its memory file systems by [Machine.PlantKernel].
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
	sh      Command // the shell for logins, and for scripts that begin with #!
	script  func(p *Proc, name, script string, params []string, options string) int
	procs   processes
	off     bool          // the machine has no power; guarded by procs.mu
	over    bool          // the machine never gets power again; guarded by procs.mu
	pending int           // number of activities that are not processes; guarded by procs.mu
	booted  time.Duration // time of the last start
}

// System is the software of a machine: users, folders and programs.
type System struct {
	Name     string
	Users    map[string]*User
	Folders  []string           // of the disk
	Memory   []string           // folders of /run; every start makes them
	programs map[string]Command // by path
}

// Hooks contains functions of a machine's owner. A nil function does nothing, and allows everything.
type Hooks struct {
	// Ran is called when a program starts. If it returns a fault, the program only fails with this fault.
	Ran func(args []string) *Fault
	// MaySudo reports whether users may become root.
	MaySudo func() bool
}

// Fault is the result of a broken program.
type Fault struct {
	Status int
	Stderr string
}

// Install adds programs to the standard programs, by path.
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

// gid returns the number of a group. Each user has one group, with the user's name.
func (s *System) gid(name string) (int, bool) { return s.uid(name) }

func (s *System) userName(uid int) string {
	for _, u := range s.Users {
		if u.uid == uid {
			return u.Name
		}
	}
	return strconv.Itoa(uid)
}

// birth is the time at which every machine was first switched on.
var birth = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

func (m *Machine) now() time.Time { return birth.Add(m.Clock.Now()) }

// Uptime returns the time since the machine got power.
func (m *Machine) Uptime() time.Duration { return m.Clock.Now() - m.booted }

// Firmware returns the duration of the last boot before the units began. Each boot has another duration. A simulated machine boots in a
// few microseconds. So without Firmware a unit could start at the same microsecond of two boots.
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

// PowerOn switches the machine on, unless it is finished. booted is the time of the start.
func (m *Machine) PowerOn(booted time.Duration) {
	m.procs.mu.Lock()
	m.off = m.over
	m.procs.mu.Unlock()
	m.booted = booted
}

// PowerOff prevents the start of further processes, and reports whether the machine may get power again.
func (m *Machine) PowerOff() bool {
	m.procs.mu.Lock()
	defer m.procs.mu.Unlock()
	m.off = true
	return !m.over
}

// Finish prevents the start of further processes. The machine never gets power again.
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

// Expect adds n to the number of pending activities that are not processes, such as a restart.
func (m *Machine) Expect(n int) {
	m.procs.mu.Lock()
	defer m.procs.mu.Unlock()
	m.pending += n
}

// Idle reports whether no process runs on the machine and no activity is pending.
func (m *Machine) Idle() bool {
	m.procs.mu.Lock()
	running := len(m.procs.byPid) + m.pending
	m.procs.mu.Unlock()
	return running == 0 && m.Clock.idle()
}
