package sequence

import (
	"maps"
	"slices"

	"github.com/rocec/rocec/compiler/change"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/txn"
	"github.com/rocec/rocec/targets/target"
)

// This file prevents conflicts between two runs. It finds the devices beside a plan that other runs hold, and the switches that a run
// marks.

// marking returns the switches that carry the mark of a run for a wave. The wave does not begin unless all switches of marks carry it.
// near contains switches whose settings the wave relies on. A device that rocec does not write carries no mark.
func (s *Sequence) marking(w *change.Wave) (marks, near []*target.Device) {
	must := map[*ir.Device]bool{}
	for _, d := range w.Partners {
		must[d] = true
	}
	for _, t := range w.Tasks {
		must[t.Device] = true
		for _, p := range t.Device.Ports {
			if peer := p.Peer().Device(); !must[peer] {
				must[peer] = false
			}
		}
	}
	for _, d := range slices.SortedFunc(maps.Keys(must), func(a, b *ir.Device) int { return a.ID - b.ID }) {
		switch {
		case !s.writes(d):
		case must[d] && d.Maintenance == "":
			marks = append(marks, s.devices[d])
		default:
			near = append(near, s.devices[d])
		}
	}
	return marks, near
}

// writes reports whether a device is a switch that rocec may write to.
func (s *Sequence) writes(d *ir.Device) bool {
	return d.Switch != nil && s.devices[d] != nil && d.ByHand == nil && !d.ByOthers
}

// Marked returns the switches that carry the mark of the run without being changed by it, and the partners that cannot carry the mark.
// Both results are in the order of IDs.
func (s *Sequence) Marked() (beside, cannot []*ir.Device) {
	changed, in, out := map[*ir.Device]bool{}, map[*ir.Device]bool{}, map[*ir.Device]bool{}
	for i, w := range s.Waves {
		for _, t := range w.Tasks {
			changed[t.Device] = true
		}
		for _, d := range slices.Concat(s.Order.Waves[i].Marks, s.Order.Waves[i].Near) {
			in[d.Source] = true
		}
		for _, d := range w.Partners {
			if !s.writes(d) {
				out[d] = true
			}
		}
	}
	byID := func(a, b *ir.Device) int { return a.ID - b.ID }
	for _, d := range slices.SortedFunc(maps.Keys(in), byID) {
		if !changed[d] {
			beside = append(beside, d)
		}
	}
	return beside, slices.SortedFunc(maps.Keys(out), byID)
}

// Bars returns the runs that forbid a plan. Such a run has an unconfirmed change or a mark on a device of the plan, or on a device next
// to its waves. The run own does not count. If seq is nil, Bars only checks the devices of the plan.
func Bars(plan *deploy.Plan, seq *Sequence, own string) (out []*Held) {
	near := map[*ir.Device]bool{}
	if seq != nil {
		for i, w := range seq.Waves {
			for _, t := range w.Tasks {
				for _, p := range t.Device.Ports {
					near[p.Peer().Device()] = true
				}
			}
			for _, d := range slices.Concat(seq.Order.Waves[i].Marks, seq.Order.Waves[i].Near) {
				near[d.Source] = true
			}
		}
	}
	all := slices.Clone(plan.Devices)
	for _, p := range plan.Beside {
		if near[p.Device.Source] {
			all = append(all, p)
		}
	}
	if seq != nil {
		all = append(all, seq.Locks...)
	}
	return heldDevices(all, own)
}

// Neighbours returns the devices for [Sequence.Locks] that the plan has not read: switches that must carry the mark of the run, and
// devices next to its waves. They have no files, because only the holders of their locks are read.
func (s *Sequence) Neighbours() *target.Tree {
	known := map[*ir.Device]bool{}
	for _, p := range slices.Concat(s.plan.Devices, s.plan.Beside) {
		known[p.Device.Source] = true
	}
	tree := &target.Tree{}
	for i, w := range s.Order.Waves {
		beside := slices.Concat(w.Marks, w.Near)
		for _, t := range s.Waves[i].Tasks {
			for _, p := range t.Device.Ports {
				if d := s.devices[p.Peer().Device()]; d != nil && !d.Source.ByOthers {
					beside = append(beside, d)
				}
			}
		}
		for _, d := range beside {
			if !known[d.Source] {
				known[d.Source] = true
				tree.Devices = append(tree.Devices, &target.Device{
					Name: d.Name, Role: d.Role, At: d.At, Source: d.Source, Login: d.Login, Target: &target.Target{},
				})
			}
		}
	}
	return tree
}

// Unmarkable returns the switches that must carry the mark of the run and do not answer.
func (s *Sequence) Unmarkable() (out []*deploy.Error) {
	must := map[*ir.Device]bool{}
	for _, w := range s.Order.Waves {
		for _, d := range w.Marks {
			must[d.Source] = true
		}
	}
	for _, p := range slices.Concat(s.plan.Devices, s.plan.Beside, s.Locks) {
		if p.Err != nil && must[p.Device.Source] && p.Status == deploy.StatusUnreachable {
			out = append(out, p.Err)
		}
	}
	return out
}

// Held is a run with the devices that it holds in one way.
type Held struct {
	deploy.Owner // owner on the device that goes back first
	Devices      []*deploy.DevicePlan
}

// Names are the names of the devices.
func (h *Held) Names() []string {
	var names []string
	for _, d := range h.Devices {
		names = append(names, d.Device.Name)
	}
	return names
}

// heldDevices groups held devices by run, in the order of the devices.
func heldDevices(all []*deploy.DevicePlan, own string) (out []*Held) {
	type way struct {
		run    string
		mark   txn.Mark
		beside bool
	}
	of := map[way]*Held{}
	add := func(d *deploy.DevicePlan, o *deploy.Owner) {
		if !o.Bars() || o.Txn == own && own != "" {
			return
		}
		key := way{o.Txn, o.Mark, o.Beside}
		h := of[key]
		if h == nil {
			h = &Held{Owner: *o}
			of[key], out = h, append(out, h)
		}
		if o.Until > 0 && (h.Until == 0 || o.Until < h.Until) {
			h.Owner = *o
		}
		h.Devices = append(h.Devices, d)
	}
	for _, d := range all {
		add(d, d.Lock)
		add(d, d.Marked)
		for _, r := range d.Runs {
			add(d, &deploy.Owner{Txn: r.Run, Mark: r.Mark, Until: r.Until})
		}
	}
	return out
}
