package rollout

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/target"
)

// The gate between two waves. Health is a difference: what the devices beside a wave had right before it, and have not after it, the
// wave has taken away. Counters that rise far faster than before are no proof, as a job that begins just then looks the same.

// reading is what a device measured at a moment.
type reading struct {
	at      time.Time
	samples []target.Sample
}

// remember keeps what the plan measured.
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

// look reads the devices a wave watches, in their order. One that is not to be read has an error.
func (l *leader) look(ctx context.Context, w *deploy.Wave) []*deploy.Have {
	if len(w.Watch) == 0 {
		return nil
	}
	found := Observe(context.WithoutCancel(ctx), l.dial, &target.Tree{Devices: w.Watch}, ObserveOptions{
		Probes: Every, Sudo: l.o.Sudo, Links: l.watched,
	}).Devices
	for _, h := range found {
		if h.Err == nil {
			l.note(h.Device, h.Samples())
		}
	}
	return found
}

// gate says what the devices beside a wave have lost by it, once they had time to recover, and which counters rose far faster than
// before, there and on the devices of the wave.
func (l *leader) gate(ctx context.Context, w *deploy.Wave, all []*change, before []*deploy.Have) (lost string, odd []string) {
	var patience time.Duration
	began := l.o.Clock.Now()
	for _, c := range all {
		soak, away := c.soak()
		patience = max(patience, c.began.Add(soak+away).Sub(began))
		if c.checked != nil {
			odd = append(odd, l.odd(c.p.Device, c.checked)...)
		}
	}
	if len(w.Watch) == 0 {
		return "", odd
	}
	var gone []string
	for {
		now := l.look(ctx, w)
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
	for _, d := range w.Watch {
		odd = append(odd, l.risen(d)...)
	}
	return "", odd
}

// odd notes the samples of a device after its change, and says which counters rose far faster than before.
func (l *leader) odd(d *target.Device, samples []target.Sample) []string {
	l.note(d, samples)
	return l.risen(d)
}

// risen compares the last reading of a device with the two before it.
func (l *leader) risen(d *target.Device) []string {
	r := l.seen[d]
	if len(r) < 3 {
		return nil
	}
	r = r[len(r)-3:]
	return deploy.Surged(r[0].samples, r[1].samples, r[2].samples, r[1].at.Sub(r[0].at), r[2].at.Sub(r[1].at))
}

// join makes one text of sentences that devices told.
func join(said []string) string {
	const most = 5
	said = slices.Clone(said)
	if len(said) > most {
		said = append(said[:most], "…")
	}
	return deploy.OneLine(strings.Join(said, " "))
}
