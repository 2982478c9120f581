package rollout

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/target"
)

// VerifyOptions contains the options of [Verify].
type VerifyOptions struct {
	ObserveOptions // Verify itself sets Probes and Links

	Clock     Clock
	Kept      map[string]*deploy.Kept // samples of an earlier verification, by device
	SinceBoot bool                    // compare counters with the start of the devices
	Interval  time.Duration           // time between the two reads of devices without kept samples; 0: 5 seconds
	Tool      string                  // the version of rocec, as in [deploy.Note]
}

// Verification is the result of [Verify].
type Verification struct {
	Plan    *deploy.Plan            // the drift: the changes that apply would make; without drift every device has StatusSame
	Devices []*Health               // in the tree's order
	Kept    map[string]*deploy.Kept // the samples of the devices that could be read, for the next verification
}

// Health contains the results of the probes of one device.
type Health struct {
	Drift  *deploy.DevicePlan
	Probes []deploy.Judged // empty when the device could not be read
	Base   deploy.Base     // the base of its samples; zero if it could not be read
	Rose   []deploy.Rise   // the counters that rose since the base, in the order of the probes
}

// Verify reads the devices like [Observe], including probes. It compares settings with the tree, states with the wanted states, and
// counters with earlier samples. It reads a device without earlier samples twice. It writes nothing.
func Verify(ctx context.Context, dial target.Dial, tree *target.Tree, o VerifyOptions) *Verification {
	twice := func(d *target.Device) bool { return !o.SinceBoot && o.Kept[d.Name] == nil }
	read := o.ObserveOptions
	read.Probes, read.Look = Every, true
	if slices.ContainsFunc(tree.Devices, twice) {
		read.Links = &Links{} // one login serves both reads
		defer read.Links.Close()
	}
	start := o.Clock.Now()
	have := Observe(ctx, dial, tree, read)
	bases := make([]deploy.Base, len(have.Devices))
	again := &target.Tree{}
	var at []int // positions of its devices in tree
	for i, h := range have.Devices {
		switch {
		case !known(h):
		case o.SinceBoot:
			bases[i] = deploy.NewBase(deploy.SinceBoot, nil, h, start)
		case twice(h.Device):
			again.Devices, at = append(again.Devices, h.Device), append(at, i)
		default:
			bases[i] = deploy.NewBase(deploy.SinceLast, o.Kept[h.Device.Name], h, start)
		}
	}
	now := start
	if len(at) > 0 {
		select {
		case <-ctx.Done():
		case <-o.Clock.Wait(cmp.Or(o.Interval, verifyEvery)):
		}
		now = o.Clock.Now()
		read.Look = false // this reading does not change within seconds
		for n, h := range Observe(ctx, dial, again, read).Devices {
			first := have.Devices[at[n]]
			h.Seen = first.Seen
			have.Devices[at[n]] = h
			if known(h) {
				bases[at[n]] = deploy.NewBase(deploy.SinceRead, &deploy.Kept{At: start, Boot: first.Boot, Samples: first.Samples()}, h, now)
			}
		}
	}
	v := &Verification{Plan: deploy.Diff(have.Tree(), have), Kept: map[string]*deploy.Kept{}}
	v.Plan.Accept(start)
	v.Plan.LeaveDerived(o.Tool)
	for i, h := range have.Devices {
		found := &Health{Drift: v.Plan.Devices[i], Base: bases[i]}
		found.Probes, found.Rose = bases[i].Judge(h.Probes)
		v.Devices = append(v.Devices, found)
		if !known(h) {
			continue
		}
		kept := &deploy.Kept{At: start, Boot: h.Boot, Samples: h.Samples(), Facts: h.Facts()}
		if twice(h.Device) {
			kept.At = now
		}
		v.Kept[h.Device.Name] = kept
	}
	return v
}

// known reports whether a device could be read and is the declared device.
func known(h *deploy.Have) bool { return h.Err == nil && len(h.Wrong) == 0 }

// Sound reports whether the device is as written, all probes succeeded, and watches found only notices. A device with warnings that the
// fabric accepts is [Health.Other].
func (h *Health) Sound() bool {
	return h.Drift.Status == deploy.StatusSame && !h.Drift.Whole && h.satisfied() &&
		!slices.ContainsFunc(h.Drift.Watched, func(w deploy.Watched) bool { return !w.Sound() })
}

// Other reports whether the device is not as written, but sound. Such a device has only differences that the fabric accepts. Or rocec has
// never written it, and it carries lossless traffic as the fabric requires ([deploy.DevicePlan.Unsound]). A device that others write from
// rocec's documents must only meet the fabric.
func (h *Health) Other() bool {
	d := h.Drift
	return h.satisfied() && d.Quiet() && (d.Whole || d.Count == 0 && !d.ByOthers() && d.Unsound() == "")
}

// satisfied reports whether all probes succeeded.
func (h *Health) satisfied() bool {
	return !slices.ContainsFunc(h.Probes, func(p deploy.Judged) bool { return len(p.Wrong) > 0 })
}

// Sound reports whether every device is sound.
func (v *Verification) Sound() bool {
	for _, h := range v.Devices {
		if !h.Sound() {
			return false
		}
	}
	return true
}
