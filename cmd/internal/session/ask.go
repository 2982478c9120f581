package session

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/deploy/traffic"
	"github.com/rocec/rocec/targets/target"
)

// AskDevices runs a query on several devices at the same time, as root, in the same way as a read.
func (f *Fleet) AskDevices(ctx context.Context, whole *target.Tree, queries map[*ir.Device]target.Query) map[*ir.Device]Reply {
	q, asked, out, mu := &Queries{}, []*target.Device{}, map[*ir.Device]Reply{}, sync.Mutex{}
	defer q.Close()
	for _, d := range whole.Devices {
		if query, has := queries[d.Source]; has {
			asked = append(asked, d)
			q.Add(d.Name, []target.Query{query}, func(all []Reply) {
				mu.Lock()
				defer mu.Unlock()
				out[d.Source] = all[0]
			})
		}
	}
	f.s.admitSudo(asked, "which exchange packets or carry them")
	q.Ask(ctx, f.Dial, whole, rollout.ObserveOptions{Sudo: f.s.sudo})
	return out
}

// Send runs one exchange.
func (f *Fleet) Send(ctx context.Context, whole *target.Tree, x *traffic.Exchange, doc *view.VerifyTraffic) {
	ports := map[*ir.Device][]*ir.Port{}
	for _, h := range x.Path {
		for _, p := range slices.Concat(h.In, h.Out) {
			if !slices.Contains(ports[p.Device()], p) {
				ports[p.Device()] = append(ports[p.Device()], p)
			}
		}
	}
	queries := map[*ir.Device]target.Query{}
	for d, all := range ports {
		queries[d] = traffic.CountQuery(all)
	}
	count := func() map[*ir.Device]traffic.Counts {
		out := map[*ir.Device]traffic.Counts{}
		for d, answer := range f.AskDevices(ctx, whole, queries) {
			out[d] = traffic.ReadCounts(answer.Text)
		}
		return out
	}
	from, to := x.From.Device, x.To.Device
	x.Idle = count()
	f.AskDevices(ctx, whole, map[*ir.Device]target.Query{from: traffic.IdleQuery(), to: traffic.IdleQuery()})
	before := count()
	got := f.AskDevices(ctx, whole, map[*ir.Device]target.Query{from: x.Client(), to: x.Server()})
	failed := cmp.Or(got[to].Err, got[from].Err)
	if failed == "" {
		if failed = traffic.Failed(got[from].Text); failed != "" {
			if why := traffic.Failed(got[to].Text); why != "" {
				failed += "; the server: " + why
			}
		}
	}
	if failed != "" || ctx.Err() != nil { // the server may still wait for a client
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		f.AskDevices(end, whole, map[*ir.Device]target.Query{to: x.Kill()})
	}
	if failed != "" {
		doc.Reason = target.Escape(x.Tool.Name + ": " + failed)
		return
	}
	doc.Hops = x.Judge(before, count())
	doc.Good, doc.Unproved = x.Good(doc.Hops)
}
