package rollout

import (
	"cmp"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/target"
)

// WaveOptions are the choices of [Waves].
type WaveOptions struct {
	Parallel int  // devices changed at the same time; 0: 8
	Canary   bool // of every kind of device, one goes first and alone
}

// Waves puts the devices that change into batches. The devices of one batch are changed at the same time, and the next
// one starts when all of them are done:
//
//   - Switches before hosts: no host sends traffic of a class that a switch on its way does not protect yet. Switches
//     that take a lossless class away come last, for the same reason: hosts stop using it first.
//   - At most one member of a redundancy group a batch, because putting buffer settings to use may drop packets.
//   - With Canary, one device of every kind (target, release, hardware) goes before the others of its phase.
//
// The order is that of the plan, and the same on every run.
func Waves(p *deploy.Plan, o WaveOptions) [][]*deploy.DevicePlan {
	phases := make([][]*deploy.DevicePlan, 3)
	for _, d := range p.Devices {
		if d.Status == deploy.StatusChange {
			n := PhaseOf(d)
			phases[n] = append(phases[n], d)
		}
	}
	size := cmp.Or(max(o.Parallel, 0), applyAtOnce)
	var waves [][]*deploy.DevicePlan
	for _, ds := range phases {
		if o.Canary {
			var canaries []*deploy.DevicePlan
			canaries, ds = firstOfEachKind(ds)
			waves = append(waves, batches(canaries, size)...)
		}
		waves = append(waves, batches(ds, size)...)
	}
	return waves
}

// PhaseOf is the phase of a device: switches, hosts, and switches that take a lossless class away.
func PhaseOf(d *deploy.DevicePlan) int {
	switch {
	case d.Device.Role == target.Host:
		return 1
	case d.Removing:
		return 2
	}
	return 0
}

// firstOfEachKind splits off one device of every kind.
func firstOfEachKind(ds []*deploy.DevicePlan) (first, rest []*deploy.DevicePlan) {
	type kind struct {
		target string
		about  string
	}
	seen := map[kind]bool{}
	for _, d := range ds {
		if k := (kind{targetName(d.Device), d.Device.About}); seen[k] {
			rest = append(rest, d)
		} else {
			seen[k] = true
			first = append(first, d)
		}
	}
	return first, rest
}

// targetName tells targets apart; a device of a test may have none.
func targetName(d *target.Device) string {
	if d.Target == nil {
		return ""
	}
	return d.Target.Name
}

// batches puts every device into the first batch that has room and none of its redundancy group.
func batches(ds []*deploy.DevicePlan, size int) [][]*deploy.DevicePlan {
	var all [][]*deploy.DevicePlan
	last := map[string]int{} // the batch of the latest member of a redundancy group
	open := 0                // every batch before is full
	for _, d := range ds {
		n, group := open, d.Device.Redundancy
		if group != "" {
			if l, ok := last[group]; ok {
				n = max(n, l+1)
			}
		}
		for n < len(all) && len(all[n]) == size {
			n++
		}
		for n >= len(all) {
			all = append(all, nil)
		}
		all[n] = append(all[n], d)
		if group != "" {
			last[group] = n
		}
		for open < len(all) && len(all[open]) == size {
			open++
		}
	}
	return all
}
