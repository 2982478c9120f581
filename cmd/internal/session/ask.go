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
	several := make(map[*ir.Device][]target.Query, len(queries))
	for d, q := range queries {
		several[d] = []target.Query{q}
	}
	out := map[*ir.Device]asked{}
	f.s.admitSudo(devicesOf(whole, several), "which exchange packets or carry them")
	asking := f.Asking(whole, several)
	defer asking.Close()
	for d, a := range asking.Ask(ctx, rollout.ObserveOptions{Sudo: f.s.sudo}) {
		one := asked{Err: a.Err}
		if a.Err == "" {
			one.Text = a.Texts[0]
		}
		out[d] = one
	}
	return out
}

// Answers are the answers of a device to several queries, in their order.
type Answers struct {
	Texts [][]byte
	Err   string    // why they are missing
	When  time.Time // when the first query was answered
}

// devicesOf returns the devices of a tree that have queries.
func devicesOf(whole *target.Tree, queries map[*ir.Device][]target.Query) (out []*target.Device) {
	for _, d := range whole.Devices {
		if len(queries[d.Source]) > 0 {
			out = append(out, d)
		}
	}
	return out
}

// Asking is a list of queries for devices, which can be asked several times.
type Asking struct {
	fleet *Fleet
	tree  *target.Tree
	all   []*Answers
	links rollout.Links
}

// Asking returns the queries for devices of a tree. Close it after use.
func (f *Fleet) Asking(whole *target.Tree, queries map[*ir.Device][]target.Query) *Asking {
	a := &Asking{fleet: f, tree: &target.Tree{}}
	for _, d := range devicesOf(whole, queries) {
		one, answers := *d, &Answers{}
		one.Files, one.Identity, one.Probes, one.Slow = nil, nil, nil, nil
		for i, q := range queries[d.Source] {
			one.Probes = append(one.Probes, target.Probe{Name: "answer", Query: q, Judge: func(answer []byte) []string {
				if answers.Texts[i] = answer; i == 0 {
					answers.When = time.Now()
				}
				return nil
			}})
		}
		a.tree.Devices, a.all = append(a.tree.Devices, &one), append(a.all, answers)
	}
	return a
}

// Ask runs the queries on all devices at the same time, as root, in the same way as a read. Connections stay open for the next time.
func (a *Asking) Ask(ctx context.Context, o rollout.ObserveOptions) map[*ir.Device]Answers {
	for i, d := range a.tree.Devices {
		*a.all[i] = Answers{Texts: make([][]byte, len(d.Probes))}
	}
	o.Probes, o.Links = rollout.Every, &a.links
	out := map[*ir.Device]Answers{}
	for i, h := range rollout.Observe(ctx, a.fleet.Dial, a.tree, o).Devices {
		if h.Err != nil {
			a.all[i].Err = h.Err.Detail
		}
		for _, p := range h.Probes {
			if len(p.Wrong) > 0 {
				a.all[i].Err = cmp.Or(a.all[i].Err, p.Wrong[0])
			}
		}
		out[h.Device.Source] = *a.all[i]
	}
	return out
}

// Close ends the connections.
func (a *Asking) Close() { a.links.Close() }

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
