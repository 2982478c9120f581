package rollout

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/target"
)

// The gate between two waves. Health is a difference: if a device beside a wave has a link right before it and not after it, the wave has
// taken it away. Counters that rise far faster than before are not proof, as a job that begins just then looks the same.

// reading holds the measurements of a device at a moment.
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

// lookBefore reads the devices a wave watches, in their order, and its own, for the rate of their counters. Where the wave may not begin
// any more, the run stops.
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

// look reads devices, in their order. A device that is not to be read has an error.
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

// gate returns the losses of the devices beside a wave, once they had time to recover. It also returns the counters that rose far faster
// than before, there and on the devices of the wave.
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
				continue // nothing is known of before
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

// risen compares the last reading of a device with the two before it.
func (l *leader) risen(d *target.Device) []string {
	r := l.seen[d]
	if len(r) < 3 {
		return nil
	}
	return deploy.Surged(r[0].samples, r[1].samples, r[2].samples, r[1].at.Sub(r[0].at), r[2].at.Sub(r[1].at))
}

// join makes one text of the sentences about devices.
func join(said []string) string {
	const most = 5
	said = slices.Clone(said)
	if len(said) > most {
		said = append(said[:most], "…")
	}
	return deploy.OneLine(strings.Join(said, " "))
}
