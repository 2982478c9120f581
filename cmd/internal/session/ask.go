package session

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/rocec/rocec/cmd/internal/samples"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
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

// keptSamples are the samples of a fabric, kept from one verify to the next.
type keptSamples struct {
	s       *Session
	file    *samples.File // nil: no folder for it
	Samples map[string]*deploy.Kept
}

// KeptSamples reads the samples of the last verify. If it cannot read them, it prints the reason and returns none.
func (f *Fleet) KeptSamples(dir string) *keptSamples {
	k := &keptSamples{s: f.s}
	if f.LabDir == LabFresh { // the lab and its samples end with the command
		return k
	}
	state, err := f.s.StateDir("samples")
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err == nil {
		if f.Lab != nil { // simulated devices have separate samples
			dir = "lab " + f.LabDir + " of " + dir
		}
		k.file = samples.Open(state, dir)
		k.Samples, err = k.file.Load()
	}
	if err != nil {
		fmt.Fprintf(f.s.Stderr, "rocec: the samples of the last verify cannot be used, so every device is read twice: %s\n",
			diag.Escape(err.Error()))
	}
	return k
}

// Keep replaces the samples of the devices that were read, and deletes those of devices that are no longer in the fabric.
func (k *keptSamples) Keep(fabric *target.Tree, read map[string]*deploy.Kept) {
	if k.file == nil {
		return
	}
	all := map[string]*deploy.Kept{}
	for _, d := range fabric.Devices {
		if s := cmp.Or(read[d.Name], k.Samples[d.Name]); s != nil {
			all[d.Name] = s
		}
	}
	if err := k.file.Save(all); err != nil {
		fmt.Fprintf(k.s.Stderr, "rocec: the samples cannot be kept for the next verify: %s\n", diag.Escape(err.Error()))
	}
}

// WithSlow adds the probes to a tree that only verify runs.
func WithSlow(tree *target.Tree) *target.Tree {
	out := &target.Tree{}
	for _, d := range tree.Devices {
		asked := *d
		asked.Probes = slices.Concat(d.Probes, d.Slow)
		out.Devices = append(out.Devices, &asked)
	}
	return out
}
