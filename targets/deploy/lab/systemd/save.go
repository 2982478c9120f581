package systemd

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/rocec/rocec/targets/deploy/lab/unix"
)

// SavedUnits is the state of systemd while its machine is put away.
type SavedUnits struct {
	Disabled []string
	Units    map[string]SavedUnit
	Timers   map[string]SavedTimer
}

// SavedUnit is the state of a unit.
type SavedUnit struct {
	Active, Failed bool
	Since          time.Duration
	MainPID        int
	Transient      []string `json:",omitempty"`
}

// SavedTimer is a running timer.
type SavedTimer struct {
	Due  time.Duration // time on the device's clock
	Args []string
}

// Save returns the state of the manager.
func (m *Manager) Save() SavedUnits {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := SavedUnits{Disabled: slices.Clone(m.disabled), Units: map[string]SavedUnit{}, Timers: map[string]SavedTimer{}}
	for name, u := range m.units {
		s.Units[name] = SavedUnit{u.active, u.failed, u.since, u.mainPID, u.transient}
	}
	for name, t := range m.timers {
		if t.alarm != nil {
			s.Timers[name] = SavedTimer{t.alarm.Due, t.args}
		}
	}
	return s
}

// Check returns an error for a record that no manager can have saved.
func (s *SavedUnits) Check() error {
	for _, t := range s.Timers {
		if len(t.Args) == 0 {
			return errors.New("a timer has nothing to run")
		}
		if err := unix.CheckTime(t.Due); err != nil {
			return err
		}
	}
	for _, u := range s.Units {
		if err := unix.CheckTime(u.Since); err != nil {
			return err
		}
	}
	return nil
}

// Restore restores the saved state of the units.
func (m *Manager) Restore(s *SavedUnits) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for name, saved := range s.Units {
		u := m.units[name]
		if u == nil {
			u = &unit{transient: saved.Transient}
			m.units[name] = u
		}
		u.active, u.failed, u.since, u.mainPID = saved.Active, saved.Failed, saved.Since, saved.MainPID
	}
	m.disabled = s.Disabled
	m.disable()
}

// Rearm starts the saved timers. now is the time on the clock.
func (m *Manager) Rearm(s *SavedUnits, now time.Duration) {
	for _, name := range slices.Sorted(maps.Keys(s.Timers)) {
		t := s.Timers[name]
		m.arm(name, max(t.Due-now, 0), t.Args)
	}
}
