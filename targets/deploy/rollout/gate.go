package rollout

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/target"
)

// The gate between two waves. The gate compares health before and after a wave. If a device beside the wave has a link directly before
// the wave and not after it, the wave counts as the cause. Counters that rise far faster than before are not proof, because a job that
// begins at this time has the same effect.

// reading contains the samples of a device at one moment.
type reading struct {
	at      time.Time
	samples []target.Sample
}

// remember keeps the samples of the plan.
func (l *leader) remember(plan *deploy.Plan) {
	for _, p := range plan.Devices {
		if len(p.Baseline) > 0 {
			l.note(p.Device, p.Baseline)
		}
	}
}

func (l *leader) note(d *target.Device, samples []target.Sample) {
	all := append(l.seen[d], reading{l.o.Clock.Now(), samples})
	l.seen[d] = all[max(0, len(all)-3):]
}

// lookBefore reads the devices that a wave watches, in their order. It also reads the devices of the wave, for the rate of their
// counters. If the wave may no longer begin, the run stops.
func (l *leader) lookBefore(ctx context.Context, w *deploy.Wave) (before []*deploy.Have, ok bool) {
	if len(w.Watch) == 0 {
		return nil, true
	}
	all := slices.Clone(w.Watch)
	for _, p := range w.Devices {
		all = append(all, p.Device)
	}
	found := l.look(ctx, all)
	l.noteAll(found)
	before = found[:len(w.Watch)]
	if l.order.Recheck != nil {
		if err := l.order.Recheck(w, before); err != nil {
			l.results.Stopped, l.results.Why = deploy.FabricChanged, deploy.OneLine(err.Error())
			return nil, false
		}
	}
	return before, true
}

// look reads devices and returns the results in their order. A device that need not be read has an error.
func (l *leader) look(ctx context.Context, devices []*target.Device) []*deploy.Have {
	return Observe(context.WithoutCancel(ctx), l.dial, &target.Tree{Devices: devices}, ObserveOptions{
		Probes: Every, Sudo: l.o.Sudo, Links: l.watched,
	}).Devices
}

// noteAll keeps the samples of devices.
func (l *leader) noteAll(found []*deploy.Have) {
	for _, h := range found {
		if h.Err == nil {
			l.note(h.Device, h.Samples())
		}
	}
}

// gate returns the losses of the devices beside a wave, after a time to recover. It also returns the counters that rose far faster than
// before, on these devices and on the devices of the wave.
func (l *leader) gate(ctx context.Context, w *deploy.Wave, all []*change, before []*deploy.Have) (lost string, odd []string) {
	var patience time.Duration
	began := l.o.Clock.Now()
	for _, c := range all {
		soak, away := c.soak()
		patience = max(patience, c.began.Add(soak+away).Sub(began))
		if c.checked != nil {
			l.note(c.p.Device, c.checked)
			odd = append(odd, l.risen(c.p.Device)...)
		}
	}
	if len(w.Watch) == 0 {
		return "", odd
	}
	var gone []string
	var now []*deploy.Have
	for {
		now = l.look(ctx, w.Watch)
		gone = nil
		for i, h := range now {
			was := before[i]
			switch {
			case was.Err != nil:
				continue // there is no earlier reading
			case h.Err != nil:
				gone = append(gone, h.Device.Name+" does not answer any more: "+h.Err.Detail)
			default:
				gone = append(gone, deploy.Lost(was.Samples(), h.Samples())...)
			}
		}
		if len(gone) == 0 || l.o.Clock.Now().Sub(began) >= patience {
			break
		}
		<-l.o.Clock.Wait(settleEvery)
	}
	if len(gone) > 0 {
		return join(gone), nil
	}
	l.noteAll(now)
	for _, d := range w.Watch {
		odd = append(odd, l.risen(d)...)
	}
	return "", odd
}

// risen compares the last reading of a device with the two readings before it.
func (l *leader) risen(d *target.Device) []string {
	r := l.seen[d]
	if len(r) < 3 {
		return nil
	}
	return deploy.Surged(r[0].samples, r[1].samples, r[2].samples, r[1].at.Sub(r[0].at), r[2].at.Sub(r[1].at))
}

// join returns one text with the sentences about devices.
func join(said []string) string {
	const most = 5
	said = slices.Clone(said)
	if len(said) > most {
		said = append(said[:most], "…")
	}
	return deploy.OneLine(strings.Join(said, " "))
}
