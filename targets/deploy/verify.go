package deploy

import (
	"context"

	"github.com/rocec/rocec/targets/target"
)

// Verification is what [Verify] found.
type Verification struct {
	Plan    *Plan     // the drift: what apply would change; every device same when there is none
	Devices []*Health // in the tree's order
}

// Health is one device as its probes judge it.
type Health struct {
	Drift  *DevicePlan
	Probes []Judged // empty when the device could not be read
}

// Verify reads the devices as [Observe] does, probes included, and compares: settings with what the tree wants,
// counters and states by the judgement that comes with them. It writes nothing.
func Verify(ctx context.Context, dial target.Dial, tree *target.Tree, o ObserveOptions) *Verification {
	o.Probes = true
	have := Observe(ctx, dial, tree, o)
	v := &Verification{Plan: Diff(tree, have)}
	for i, h := range have.Devices {
		v.Devices = append(v.Devices, &Health{Drift: v.Plan.Devices[i], Probes: h.Probes})
	}
	return v
}

// Sound tells whether the device is as written and every probe was satisfied.
func (h *Health) Sound() bool {
	for _, p := range h.Probes {
		if len(p.Wrong) > 0 {
			return false
		}
	}
	return h.Drift.Status == StatusSame
}

// Sound tells whether every device is.
func (v *Verification) Sound() bool {
	for _, h := range v.Devices {
		if !h.Sound() {
			return false
		}
	}
	return true
}
