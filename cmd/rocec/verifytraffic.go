package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/cmd/internal/view/facts"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy/traffic"
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/validate"
	"github.com/rocec/rocec/validate/walk"
)

// trafficAny is the value of --traffic without an argument: two members of each intent send.
const trafficAny = "any"

// trafficTrips returns the pairs of members that exchange packets. These are the two ends in pair, "A,B", or the first and last member of
// each intent if they are on different hosts. Hosts in maintenance, and hosts that --target leaves out, send nothing.
func trafficTrips(f *ir.Fabric, tree *target.Tree, pair string) ([]walk.Question, error) {
	if pair != trafficAny {
		from, to, ok := strings.Cut(pair, ",")
		if !ok {
			return nil, exit.Fail(exit.Usage, "--traffic needs two hosts, or interfaces of hosts, such as --traffic=gpu001,gpu002")
		}
		trips, err := facts.FindTrips(f, from, to, "")
		if err != nil {
			return nil, err
		}
		for _, t := range trips {
			if !reads(tree, t.From[0].Device()) || !reads(tree, t.To[0].Device()) {
				return nil, exit.Fail(exit.Usage, "--traffic=%s: both hosts must be among those that are read", pair)
			}
		}
		if trips[0].From[0].Device() == trips[0].To[0].Device() {
			return nil, exit.Fail(exit.Usage, "--traffic=%s: that is one host; packets must cross the fabric", pair)
		}
		return slices.CompactFunc(trips, func(a, b walk.Question) bool { return a.Intent == b.Intent }), nil
	}
	var out []walk.Question
	for _, in := range f.Intents {
		var ends [][]*ir.Port
		for _, m := range in.Members {
			d := m.NIC.Device
			if !reads(tree, d) {
				continue
			}
			for _, e := range walk.Ends(in, d, "") {
				if !slices.ContainsFunc(e, func(p *ir.Port) bool { return p.Link().Planned }) {
					ends = append(ends, e)
				}
			}
		}
		if n := len(ends); n > 0 && ends[0][0].Device() != ends[n-1][0].Device() {
			out = append(out, walk.Question{Intent: in, From: ends[0], To: ends[n-1]})
		}
	}
	if len(out) == 0 {
		return nil, exit.Fail(exit.Usage, "--traffic: no intent has two cabled members on hosts that are read")
	}
	return out, nil
}

// reads reports whether a device is in a tree and is not in maintenance.
func reads(tree *target.Tree, d *ir.Device) bool {
	return d.Maintenance == "" && slices.ContainsFunc(tree.Devices, func(t *target.Device) bool { return t.Source == d })
}

// pathOf returns the path of an exchange, by distance from the sender.
func pathOf(t *walk.Walk) []traffic.Hop {
	var out []traffic.Hop
	far := -1
	for _, h := range t.Hops {
		if h.Far != far {
			out, far = append(out, traffic.Hop{Maybe: t.Most > t.Cables || t.Every}), h.Far
		}
		last := &out[len(out)-1]
		for _, l := range h.In {
			last.In = append(last.In, l.Ports...)
		}
		for _, l := range h.Out {
			last.Out = append(last.Out, l.Ports...)
		}
	}
	return out
}

// exchanges prepares the exchanges: the path, the GIDs and the tool, or the reason why nothing can be sent.
func (a *app) exchanges(ctx context.Context, f *ir.Fabric, whole *target.Tree, devices *session.Fleet, pair string) (
	[]*traffic.Exchange, []view.VerifyTraffic, error,
) {
	trips, err := trafficTrips(f, devices.Tree, pair)
	if err != nil {
		return nil, nil, err
	}
	tools, gids, set := map[*ir.Device]target.Query{}, map[*ir.Device]target.Query{}, &walk.Settings{}
	for _, t := range trips {
		for _, p := range []*ir.Port{t.From[0], t.To[0]} {
			tools[p.Device()], gids[p.Device()] = traffic.ToolQuery(), nic.GIDQuery(p.Device().Host.NICs)
		}
	}
	has := devices.AskDevices(ctx, whole, tools)
	table := devices.AskDevices(ctx, whole, gids)
	var sends []*traffic.Exchange
	var docs []view.VerifyTraffic
	for i, t := range trips {
		x := &traffic.Exchange{Intent: t.Intent, From: t.From[0].NIC, To: t.To[0].NIC, Port: 21000 + i}
		doc := view.VerifyTraffic{Intent: t.Intent.Name, From: t.From[0].String(), To: t.To[0].String(), Hops: []traffic.Seen{}}
		from, to := x.From.Device, x.To.Device
		t.Fabric, t.State, t.Unfold, t.Settings = f, ir.State{Budget: a.Steps()}, true, set
		way, err := walk.Run(t)
		switch {
		case err != nil:
			doc.Reason = "the path of its packets is unknown: " + validate.RoutingText(err)
		case way.Data.Cables < 0:
			doc.Reason = "there is no path"
		default:
			x.Path = pathOf(way.Data)
			doc.Reason = cmp.Or(has[from].Err, has[to].Err, table[from].Err, table[to].Err)
		}
		if doc.Reason == "" {
			x.FromGID, doc.Reason = nic.ReadGIDs(table[from].Text).Choose(x.From, x.Intent)
		}
		if doc.Reason == "" {
			x.ToGID, doc.Reason = nic.ReadGIDs(table[to].Text).Choose(x.To, x.Intent)
		}
		if doc.Reason == "" {
			if x.Tool = traffic.Choose(x.Intent, has[from].Text, has[to].Text); x.Tool == nil {
				doc.Reason = "no tool that can mark its packets is on both hosts; install perftest (ib_write_bw) on both"
			} else {
				doc.Tool = x.Tool.Name
			}
		}
		doc.Reason = target.Escape(doc.Reason)
		sends, docs = append(sends, x), append(docs, doc)
	}
	return sends, docs, nil
}

// traffic prints what it will send, asks, sends it, and returns what the counters along the paths show.
func (a *app) traffic(
	ctx context.Context, f *ir.Fabric, whole *target.Tree, devices *session.Fleet, o verifyOptions,
) ([]view.VerifyTraffic, error) {
	sends, docs, err := a.exchanges(ctx, f, whole, devices, o.traffic)
	if err != nil {
		return nil, err
	}
	able := 0
	for i, x := range sends {
		if docs[i].Reason == "" {
			able++
			fmt.Fprintf(a.Stderr, "will send %s\n", x)
		}
	}
	if able > 0 && !o.approve {
		if err := a.Ask(ctx, fmt.Sprintf("Send %s?", diag.Count(able, "exchange")), "yes"); err != nil {
			return nil, err
		}
	}
	for i, x := range sends {
		if docs[i].Reason == "" {
			devices.Send(ctx, whole, x, &docs[i])
		}
		if ctx.Err() != nil {
			return nil, exit.Fail(exit.Interrupted, "interrupted; nothing is left running")
		}
	}
	return docs, nil
}
