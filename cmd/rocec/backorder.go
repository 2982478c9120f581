package main

import (
	"maps"
	"slices"

	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/sequence"
	"github.com/rocec/rocec/targets/deploy/txn"
	"github.com/rocec/rocec/targets/target"
)

// orderOf is the order in which a run went over devices, as its journal has it, or, to go back, the reverse of it. Devices of a journal
// without waves are in none. At most maxDark hosts are in a wave; 0: as many as in the run.
func orderOf(l *journal.Log, plan *deploy.Plan, goal txn.Goal, maxDark int) *deploy.Order {
	wave := map[string]int{}
	for _, d := range l.Devices {
		wave[d.Name] = d.Wave
	}
	by := map[int][]*deploy.DevicePlan{}
	for _, d := range plan.Devices {
		if n := wave[d.Device.Name]; n > 0 && d.Status == deploy.StatusChange {
			by[n] = append(by[n], d)
		}
	}
	o := &deploy.Order{}
	var role target.Role
	phase := 0
	for _, n := range slices.Sorted(maps.Keys(by)) {
		if r := by[n][0].Device.Role; r != role {
			role, phase = r, phase+1
		}
		most := len(by[n])
		if role == target.Host && maxDark > 0 {
			most = maxDark
		}
		for devices := range slices.Chunk(by[n], most) {
			w := &deploy.Wave{Phase: phase, Devices: devices, Stream: role == target.Host}
			for _, d := range devices {
				if d.Device.Role == target.Switch { // which others cut hosts off is not known without the fabric
					w.Marks = append(w.Marks, d.Device)
				}
			}
			o.Waves = append(o.Waves, w)
		}
	}
	if goal == txn.Back {
		o = o.Reverse()
	}
	return o
}

// backSequence is the order of going back from a run on the devices that kept it: the last wave first, each judged in the fabric as it
// is now. Where the fabric is not what it was, or cannot be read any more, only the journal's order is known.
func (a *app) backSequence(l *journal.Log, plan *deploy.Plan, o rollbackOptions) (*sequence.Sequence, *deploy.Order) {
	order := orderOf(l, plan, txn.Back, o.maxDark)
	if len(a.vars)+len(a.varFiles) == 0 {
		a.vars, a.varFiles = l.Vars, l.VarFiles
	}
	f, err := a.loadGood(l.Fabric)
	if err != nil || f.Fabric.Name != l.Name {
		return nil, order
	}
	devices := map[string]*ir.Device{}
	for _, d := range f.Fabric.Devices {
		devices[d.Name] = d
	}
	for _, p := range plan.Devices {
		if p.Device.Source = devices[p.Device.Name]; p.Device.Source == nil {
			return nil, order
		}
	}
	s, _ := sequence.Follow(f.Fabric, f.Tree(), plan, order, o.rules(o.parallel, o.soakTime()))
	if s == nil {
		return nil, order
	}
	return s, s.Order
}
