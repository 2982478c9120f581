package session

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/deploy/traffic"
	"github.com/rocec/rocec/targets/target"
)

// asked is the answer of a device to one query.
type asked struct {
	Text []byte
	Err  string // why the text is missing
}

// AskDevices runs a query on several devices at the same time, as root, in the same way as a read.
func (f *Fleet) AskDevices(
	ctx context.Context, whole *target.Tree, queries map[*ir.Device]target.Query,
) map[*ir.Device]asked {
	tree := &target.Tree{}
	var texts [][]byte
	for _, d := range whole.Devices {
		q, ok := queries[d.Source]
		if !ok {
			continue
		}
		at := len(texts)
		texts = append(texts, nil)
		one := *d
		one.Files, one.Identity = nil, nil
		one.Probes = []target.Probe{{Name: "traffic", Query: q, Judge: func(answer []byte) []string {
			texts[at] = answer
			return nil
		}}}
		tree.Devices = append(tree.Devices, &one)
	}
	out := map[*ir.Device]asked{}
	f.s.admitSudo(tree.Devices, "which exchange packets or carry them")
	o := rollout.ObserveOptions{Sudo: f.s.sudo, Probes: rollout.Every}
	for i, h := range rollout.Observe(ctx, f.Dial, tree, o).Devices {
		switch {
		case h.Err != nil:
			out[h.Device.Source] = asked{Err: h.Err.Detail}
		case len(h.Probes[0].Wrong) > 0:
			out[h.Device.Source] = asked{Err: h.Probes[0].Wrong[0]}
		default:
			out[h.Device.Source] = asked{Text: texts[i]}
		}
	}
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
