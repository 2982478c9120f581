package session

import (
	"context"
	"slices"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/target"
)

// Queries are further queries to devices, which a read asks with the same login. A query that fails has its own error, and the other
// queries keep their answers. No answer is a part of a verdict. The zero value has no query.
type Queries struct {
	of    map[string][]*queried // by device
	alone *target.Tree          // the devices of Ask
	links rollout.Links
}

// queried are the queries of one [Queries.Add], with their answers of the present read.
type queried struct {
	queries []target.Query
	take    func([]Reply)
	answers []Reply
}

// Reply is the answer of a device to one query.
type Reply struct {
	Text []byte
	Err  string // why the text is missing; empty: it is there
}

// Add adds queries for a device. take receives their answers in their order, after each read of the device. The calls for several devices
// run at the same time. Without queries there is no call.
func (q *Queries) Add(device string, queries []target.Query, take func([]Reply)) {
	if len(queries) == 0 {
		return
	}
	if q.of == nil {
		q.of = map[string][]*queried{}
	}
	q.of[device] = append(q.of[device], &queried{queries: queries, take: take})
}

// on returns a tree whose devices have the queries as their last probes. [Queries.answered] takes the results of the probes away.
func (q *Queries) on(tree *target.Tree) *target.Tree {
	out := &target.Tree{}
	for _, d := range tree.Devices {
		asked := *d
		asked.Probes = slices.Clone(d.Probes)
		for _, some := range q.of[d.Name] {
			some.answers = make([]Reply, len(some.queries))
			for i, query := range some.queries {
				asked.Probes = append(asked.Probes, target.Probe{Name: "query", Query: query, Judge: func(answer []byte) []string {
					some.answers[i].Text = answer
					return nil
				}})
			}
		}
		out.Devices = append(out.Devices, &asked)
	}
	return out
}

// answered gives out the answers of a device, and removes them from the results of its probes.
func (q *Queries) answered(h *deploy.Have) {
	probes := len(h.Probes)
	for _, some := range slices.Backward(q.of[h.Device.Name]) {
		answers := some.answers
		some.answers = make([]Reply, len(answers)) // a second read begins anew, and this one keeps no text
		probes -= len(answers)
		for i := range answers {
			switch {
			case h.Err != nil:
				answers[i] = Reply{Err: h.Err.Detail}
			case len(h.Probes[probes+i].Wrong) > 0:
				answers[i] = Reply{Err: h.Probes[probes+i].Wrong[0]}
			}
		}
		some.take(answers)
	}
	if h.Err == nil {
		h.Probes = h.Probes[:probes]
	}
}

// Ask runs only the queries, at the same time on all devices of a tree that have some. Connections stay open for the next call, which has
// the same tree. It returns the devices in the order of the tree.
func (q *Queries) Ask(ctx context.Context, dial target.Dial, whole *target.Tree, o rollout.ObserveOptions) []*deploy.Have {
	if q.alone == nil {
		q.alone = &target.Tree{}
		for _, d := range whole.Devices {
			if one := *d; len(q.of[d.Name]) > 0 {
				one.Files, one.Identity, one.Probes, one.Slow = nil, nil, nil, nil
				q.alone.Devices = append(q.alone.Devices, &one)
			}
		}
		q.alone = q.on(q.alone)
	}
	o.Probes, o.Links, o.Answered = rollout.Every, &q.links, q.answered
	return rollout.Observe(ctx, dial, q.alone, o).Devices
}

// Close ends the connections of Ask.
func (q *Queries) Close() { q.links.Close() }
