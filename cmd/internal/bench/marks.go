package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/traffic"
	"github.com/rocec/rocec/targets/target"
)

// deadMan is the time after which a device raises a low threshold by itself, unless rocec has done so.
const deadMan = 2 * time.Minute

// marks is a running proof of marking.
type marks struct {
	*Bench
	*traffic.Marking
	failed string // why an exchange was not counted; empty: all were
}

// Marks lowers an ECN threshold of one queue while an exchange passes it, and restores it. The same exchange passes the queue before and
// after, when no packet may be marked. stages has the answers of both hosts, as far as they were read.
func (b *Bench) Marks(ctx context.Context, m *traffic.Marking) (stages traffic.Stages, found traffic.Marked, err error) {
	p := &marks{Bench: b, Marking: m}
	device := m.Queue.Device().Name
	if err := b.asWritten(ctx, device, "before"); err != nil {
		return stages, found, err
	}
	_, err = b.hold(ctx, &change{
		fabric: m.Fabric(), device: device, hold: deadMan, message: "selftest --level 2: an ECN threshold is low for a moment",
		check: steady,
		consent: func(ctx context.Context, _ *deploy.DevicePlan) error {
			if err := b.consent(ctx, view.MarkingPrice(m, deadMan), "Lower the threshold?", device, "lower it"); err != nil {
				return err
			}
			if why := p.quiet(ctx); why != "" {
				return exit.Fail(exit.Errors, "%s. Nothing was changed.", why)
			}
			stages.High = p.send(ctx, traffic.Seconds*time.Second)
			return nil
		},
		held: func(ctx context.Context, _ *deploy.Result) {
			if p.failed == "" {
				stages.Low = p.send(ctx, traffic.LowTime)
			}
		},
	})
	if err != nil {
		return stages, found, err
	}
	after, cancel := context.WithTimeout(context.WithoutCancel(ctx), deadMan)
	defer cancel()
	if err := b.asWritten(after, device, "after"); err != nil {
		return stages, found, err
	}
	if stages.Low != nil && ctx.Err() == nil {
		stages.Back = p.send(ctx, traffic.Seconds*time.Second)
	}
	found = m.Judge(stages)
	if p.failed != "" {
		found = traffic.Marked{Verdict: target.NotDecided, Says: p.failed}
	}
	return stages, found, nil
}

// steady refuses a plan that interrupts traffic, because a daemon restarts or ports go down.
func steady(p *deploy.DevicePlan) error {
	if p.Status != deploy.StatusChange {
		return exit.Fail(exit.Errors, "%s cannot be changed: %s", p.Device.Name, p.Status)
	}
	for _, c := range p.Changes {
		if what, outage := p.Noticed(&c.File.Activate); outage.Least > 0 {
			return exit.Fail(exit.Errors, "a new threshold of %s would interrupt traffic: %s. Nothing was changed.",
				p.Device.Name, what)
		}
	}
	return nil
}

// quiet reads the receiver twice, some seconds apart. why states which traffic passed the queue meanwhile.
func (m *marks) quiet(ctx context.Context) (why string) {
	to := m.Exchange.To.Device
	ask := func(q target.Query) map[*ir.Device]traffic.Counts {
		answer := m.Devices.AskDevices(ctx, m.Whole, map[*ir.Device]target.Query{to: q})
		return map[*ir.Device]traffic.Counts{to: traffic.ReadCounts(answer[to].Text)}
	}
	count := traffic.CountQuery([]*ir.Port{m.Exchange.To.Port})
	from := ask(count)
	ask(traffic.IdleQuery())
	return m.Quiet(from, ask(count))
}

// send sends the exchange within a time, and reads the counters of both hosts before and after. It returns nil if the exchange failed.
func (m *marks) send(ctx context.Context, within time.Duration) *traffic.Stage {
	from, to := m.Exchange.From, m.Exchange.To
	read := func() (a, b []byte) {
		got := m.Devices.AskDevices(ctx, m.Whole, map[*ir.Device]target.Query{
			from.Device: traffic.NoticeQuery(from), to.Device: traffic.NoticeQuery(to),
		})
		return got[from.Device].Text, got[to.Device].Text
	}
	s := &traffic.Stage{}
	s.FromBefore, s.ToBefore = read()
	short, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	got := m.Devices.AskDevices(short, m.Whole, map[*ir.Device]target.Query{from.Device: m.Exchange.Client(), to.Device: m.Exchange.Server()})
	for _, d := range []*ir.Device{from.Device, to.Device} {
		if failed := got[d].Err + traffic.Failed(got[d].Text); failed != "" {
			end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
			defer cancel()
			m.Devices.AskDevices(end, m.Whole, map[*ir.Device]target.Query{to.Device: m.Exchange.Kill()})
			m.failed = fmt.Sprintf("%s on %s: %s", m.Exchange.Tool.Name, d.Name, target.Escape(failed))
			return nil
		}
	}
	s.FromAfter, s.ToAfter = read()
	return s
}
