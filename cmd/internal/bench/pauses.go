package bench

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/deploy/traffic"
	"github.com/rocec/rocec/targets/deploy/trial"
	"github.com/rocec/rocec/targets/target"
)

// Pauses sends two exchanges to one receiver at the same time, in their lossless class and then in a lossy one. It returns the counters of
// the senders and of the switch before and after, and some seconds before, when nothing is sent. failed is the reason if nothing could be
// sent, as part of a sentence.
func (b *Bench) Pauses(ctx context.Context, d *ir.Device, one, two *traffic.Exchange) (read []trial.Reading, failed string, err error) {
	price := fmt.Sprintf("It sends to one port of %s at the same time, in a lossless and in a lossy class:\n%s\n%s", d.Name, one, two)
	if err := b.consent(ctx, price, "Send the exchanges?", d.Name, "send"); err != nil {
		return nil, "", err
	}
	look := func(class, when string) {
		text := b.pauses(ctx, d, one.Intent.Group.Cos, one.From, two.From)
		read = append(read, trial.Reading{Moment: trial.PauseMoment(class, when), Text: text})
	}
	look(trial.Lossless, trial.Idle)
	for _, class := range []string{trial.Lossless, trial.Lossy} {
		x, y := one, two
		if class == trial.Lossy {
			x, y = inLossyClass(one), inLossyClass(two)
		}
		look(class, trial.Before)
		if failed := b.together(ctx, x, y); failed != "" {
			return read, failed, nil
		}
		look(class, trial.After)
		if ctx.Err() != nil {
			return read, "", exit.Fail(exit.Interrupted, "interrupted; nothing is left running")
		}
	}
	return read, "", nil
}

// inLossyClass returns an exchange whose packets have DSCP 0 or PCP 0, which no lossless group may claim for best effort.
func inLossyClass(x *traffic.Exchange) *traffic.Exchange {
	own, in := *x, *x.Intent
	group := *in.Group
	group.Name, group.Cos, group.Lossless = "best effort", 0, false
	group.DSCP, group.PCP = []ir.Claim{{}}, []ir.Claim{{}}
	in.Group, own.Intent = &group, &in
	return &own
}

// together sends two exchanges to one receiver. failed is the reason if one of them failed.
func (b *Bench) together(ctx context.Context, x, y *traffic.Exchange) (failed string) {
	to := x.To.Device
	short, cancel := context.WithTimeout(ctx, 2*traffic.Seconds*time.Second)
	defer cancel()
	got := b.Devices.AskDevices(short, b.Whole, map[*ir.Device]target.Query{
		x.From.Device: x.Client(), y.From.Device: y.Client(),
		to: {Cmd: "{\n" + x.Server().Cmd + "\n} &\n{\n" + y.Server().Cmd + "\n} &\nwait"},
	})
	for _, d := range []*ir.Device{x.From.Device, y.From.Device} {
		if failed := got[d].Err + traffic.Failed(got[d].Text); failed != "" {
			end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
			defer cancel()
			for _, one := range []*traffic.Exchange{x, y} {
				b.Devices.AskDevices(end, b.Whole, map[*ir.Device]target.Query{to: one.Kill()})
			}
			return fmt.Sprintf("%s on %s: %s", x.Tool.Name, d.Name, target.Escape(failed))
		}
	}
	return ""
}

// pauseCounts are the counters of one device.
type pauseCounts struct {
	device *ir.Device
	asks   []target.CounterQuery
	found  []ir.PauseCounters
}

// pauses reads the pauses that the senders have received, and the pauses and drops that the switch counts for a priority. It first waits
// for an idle interval, and until every device has renewed its counters twice.
func (b *Bench) pauses(ctx context.Context, d *ir.Device, priority int, senders ...*ir.NIC) string {
	least := traffic.Idle
	all := make([]pauseCounts, 1+len(senders))
	all[0].device = d
	for i, n := range senders {
		all[1+i].device = n.Device
	}
	for i := range all {
		one := &all[i]
		for _, t := range b.Whole.Devices {
			if t.Source == one.device && t.Target.Counters != nil {
				one.asks = t.Target.Counters(one.device)
			}
		}
		for _, q := range one.asks {
			least = max(least, 2*int(q.Every/time.Second))
		}
	}
	b.Devices.AskDevices(ctx, b.Whole, map[*ir.Device]target.Query{d: {Cmd: fmt.Sprintf("sleep %d", least)}})
	for i := range all {
		one := &all[i]
		for _, q := range one.asks {
			got := b.Devices.AskDevices(ctx, b.Whole, map[*ir.Device]target.Query{one.device: q.Query})
			counters, _ := q.Read(one.device, got[one.device].Text)
			one.found = target.Joined(append(one.found, counters...))
		}
	}
	var out strings.Builder
	for i, n := range senders {
		out.WriteString(trial.SenderPauses(n, d, all[1+i].found))
	}
	out.WriteString(trial.SwitchPauses(all[0].found, priority))
	return out.String()
}
