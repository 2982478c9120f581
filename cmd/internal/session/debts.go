package session

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/target"
)

// Debts are devices that a run should have changed but did not: they were under maintenance, or unreachable. The journals list them, and
// plan, which reads the devices, finds the settled ones.

// leftBy returns the devices of a plan that should change but cannot be changed.
func leftBy(p *deploy.Plan) []journal.Left {
	var out []journal.Left
	for _, d := range p.Devices {
		switch d.Status {
		case deploy.StatusPending:
			out = append(out, journal.Left{Name: d.Device.Name, Why: d.Waits.String()})
		case deploy.StatusUnreachable:
			out = append(out, journal.Left{Name: d.Device.Name, Why: "unreachable"})
		case deploy.StatusRefused:
			out = append(out, journal.Left{Name: d.Device.Name, Why: "refused"})
		}
	}
	return out
}

// Debts returns, by device, the changes that runs of a fabric did not make. lab is the folder of a rehearsal; empty: the devices are
// real.
func (h History) Debts(dir, lab string) map[string]view.Debt {
	out := map[string]view.Debt{}
	for _, l := range h.runsOf(dir, lab) {
		for _, d := range l.Devices {
			if l.OutcomeOf(d.Name) == string(deploy.Applied) {
				delete(out, d.Name)
			}
		}
		for _, name := range l.Removes {
			if _, changed := l.Outcomes[name]; !changed { // it was already clean, or still owes the change
				delete(out, name)
			}
		}
		for _, d := range l.Left {
			if _, known := out[d.Name]; !known {
				out[d.Name] = view.Debt{Run: l.Run, Since: l.Began, Why: d.Why}
			}
		}
	}
	return out
}

// runsOf returns the runs of a fabric, oldest first. lab is the folder of a rehearsal; empty: the devices are real.
func (h History) runsOf(dir, lab string) []*journal.Log {
	folder, err := filepath.Abs(dir)
	if err != nil || lab == LabFresh {
		return nil
	}
	_, logs, err := h.allRuns()
	if err != nil { // a plan is possible without them
		if e, ok := errors.AsType[*exit.Error](err); ok && e.Status == exit.Machines {
			h.WarnOnce(fmt.Errorf("the pending changes of earlier runs are unknown: %w", err))
		}
		return nil
	}
	logs = slices.DeleteFunc(logs, func(l *journal.Log) bool { return l.Fabric != folder || l.Lab != lab })
	slices.Reverse(logs)
	return logs
}

// ChangedHosts returns the hosts that runs of a fabric have changed since their last --remove.
func (h History) ChangedHosts(dir, lab string) map[string]bool {
	out := map[string]bool{}
	for _, l := range h.runsOf(dir, lab) {
		for _, d := range l.Devices {
			if d.Role == string(target.Host) && l.Outcomes[d.Name].Outcome == string(deploy.Applied) {
				out[d.Name] = true
			}
		}
		for _, name := range l.Removes {
			if !slices.ContainsFunc(l.Left, func(left journal.Left) bool { return left.Name == name }) &&
				l.OutcomeOf(name) != string(deploy.Unknown) {
				delete(out, name)
			}
		}
	}
	return out
}

// Owing keeps the devices of a plan that are debts, and moves the others to Beside.
func Owing(p *deploy.Plan, debts map[string]view.Debt) *deploy.Plan {
	return Part(p, func(name string) bool { _, known := debts[name]; return known })
}

// Part keeps some devices of a plan, and moves the others to Beside.
func Part(p *deploy.Plan, keeps func(name string) bool) *deploy.Plan {
	out := &deploy.Plan{Beside: slices.Clone(p.Beside), Over: p.Over}
	for _, d := range p.Devices {
		if keeps(d.Device.Name) {
			out.Devices = append(out.Devices, d)
		} else {
			out.Beside = append(out.Beside, d)
		}
	}
	return out
}
