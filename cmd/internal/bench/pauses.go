package bench

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/deploy/traffic"
	"github.com/rocec/rocec/targets/deploy/trial"
	"github.com/rocec/rocec/targets/target"
)

// Pauses sends two exchanges to one receiver at the same time, in their lossless class and then in a lossy one. It returns the counters of
// the senders and of the switch before and after. failed is the reason if nothing could be sent, as part of a sentence.
func (b *Bench) Pauses(ctx context.Context, d *ir.Device, one, two *traffic.Exchange) (read []trial.Reading, failed string, err error) {
	price := fmt.Sprintf("It sends to one port of %s at the same time, in a lossless and in a lossy class:\n%s\n%s", d.Name, one, two)
	if err := b.consent(ctx, price, "Send the exchanges?", d.Name, "send"); err != nil {
		return nil, "", err
	}
	for _, class := range []string{trial.Lossless, trial.Lossy} {
		x, y := one, two
		if class == trial.Lossy {
			x, y = inLossyClass(one), inLossyClass(two)
		}
		before := b.pauses(ctx, d, x, y)
		if failed := b.together(ctx, x, y); failed != "" {
			return read, failed, nil
		}
		read = append(read, trial.Reading{Moment: trial.PauseMoment(class, trial.Before), Text: before},
			trial.Reading{Moment: trial.PauseMoment(class, trial.After), Text: b.pauses(ctx, d, x, y)})
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

// pauses reads the pauses that the senders have received, and the pauses and drops that the switch counts.
func (b *Bench) pauses(ctx context.Context, d *ir.Device, x, y *traffic.Exchange) string {
	var out strings.Builder
	queries := map[*ir.Device]target.Query{}
	for _, from := range []*ir.NIC{x.From, y.From} {
		queries[from.Device] = traffic.CountQuery([]*ir.Port{from.Port})
	}
	got := b.Devices.AskDevices(ctx, b.Whole, queries)
	for _, from := range []*ir.NIC{x.From, y.From} {
		out.WriteString(trial.HostPauses(from.Device.Name, got[from.Device].Text))
	}
	i := slices.IndexFunc(b.Whole.Devices, func(t *target.Device) bool { return t.Source == d })
	if i < 0 || b.Whole.Devices[i].Target.Counters == nil {
		return out.String()
	}
	for _, q := range b.Whole.Devices[i].Target.Counters(d) {
		answer := b.Devices.AskDevices(ctx, b.Whole, map[*ir.Device]target.Query{d: q.Query})
		found, _ := q.Read(d, answer[d].Text)
		out.WriteString(trial.SwitchPauses(found))
	}
	return out.String()
}
