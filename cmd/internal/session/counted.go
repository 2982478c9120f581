package session

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/target"
)

// Counted has the counters of pauses that devices report, by device. A verify fills it while it reads the devices.
type Counted struct {
	devices map[string]*counted
	order   []string
}

// counted has the answers of a device to each of its queries for counters.
type counted struct {
	found  [][]ir.PauseCounters
	unread []string
}

// WithCounters adds the queries for counters to a tree, as the last probes of each device. [Counted.TakeFrom] takes them out again, because
// they judge nothing.
func WithCounters(tree *target.Tree) (*target.Tree, *Counted) {
	out, c := &target.Tree{}, &Counted{devices: map[string]*counted{}}
	for _, d := range tree.Devices {
		asked := *d
		if d.Target != nil && d.Target.Counters != nil {
			queries := d.Target.Counters(d.Source)
			one := &counted{make([][]ir.PauseCounters, len(queries)), make([]string, len(queries))}
			c.devices[d.Name], c.order = one, append(c.order, d.Name)
			asked.Probes = slices.Clone(d.Probes)
			for i, q := range queries {
				asked.Probes = append(asked.Probes, target.Probe{Name: "counters", Query: q.Query, Judge: func(answer []byte) []string {
					one.found[i], one.unread[i] = q.Read(d.Source, answer)
					return nil
				}})
			}
		}
		out.Devices = append(out.Devices, &asked)
	}
	return out, c
}

// TakeFrom takes the results of the queries for counters out of a verification, so that its verdicts are those without counters.
func (c *Counted) TakeFrom(found *rollout.Verification) {
	for _, h := range found.Devices {
		one := c.devices[h.Drift.Device.Name]
		if one == nil || len(h.Probes) < len(one.found) { // a device that was not read has no probes
			continue
		}
		own := len(h.Probes) - len(one.found)
		for i, p := range h.Probes[own:] {
			if len(p.Wrong) > 0 {
				one.found[i], one.unread[i] = nil, p.Wrong[0]
			}
		}
		h.Probes = h.Probes[:own]
	}
}

// Of returns the counters of a device; nil: none are known.
func (c *Counted) Of(device string) []ir.PauseCounters {
	if c == nil || c.devices[device] == nil {
		return nil
	}
	return target.Joined(slices.Concat(c.devices[device].found...))
}

// PrintUnread prints each reason why counters are missing, with its devices.
func (c *Counted) PrintUnread(w io.Writer) {
	var order []string
	of := map[string][]string{}
	for _, name := range c.order {
		for _, why := range c.devices[name].unread {
			if why == "" || slices.Contains(of[why], name) {
				continue
			}
			if of[why] == nil {
				order = append(order, why)
			}
			of[why] = append(of[why], name)
		}
	}
	for _, why := range order {
		fmt.Fprintf(w, "rocec: counters of %s are missing: %s\n", nodeset.Text(of[why], nodeset.Devices, math.MaxInt), diag.Escape(why))
	}
}
