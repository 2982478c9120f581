package session

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/target"
)

// Counted has the counters of pauses that devices report, by device. A verify fills it while it reads the devices.
type Counted struct {
	devices map[string]*counted
	order   []string
}

// counted has the counters of a device, and the reasons why some are missing.
type counted struct {
	found  []ir.PauseCounters
	unread []string
}

// newCounted adds the queries for the counters of the devices of a tree to those of a read.
func newCounted(q *Queries, tree *target.Tree) *Counted {
	c := &Counted{devices: map[string]*counted{}}
	for _, d := range tree.Devices {
		if d.Target == nil || d.Target.Counters == nil {
			continue
		}
		one, queries := &counted{}, d.Target.Counters(d.Source)
		c.devices[d.Name], c.order = one, append(c.order, d.Name)
		q.Add(d.Name, target.Queries(queries), func(answers []Reply) {
			*one = counted{}
			for i, a := range answers {
				if a.Err == "" {
					var found []ir.PauseCounters
					found, a.Err = queries[i].Read(d.Source, a.Text)
					one.found = append(one.found, found...)
				}
				one.unread = append(one.unread, a.Err)
			}
			one.found = target.Joined(one.found)
		})
	}
	return c
}

// Of returns the counters of a device; nil: none are known.
func (c *Counted) Of(device string) []ir.PauseCounters {
	if c == nil || c.devices[device] == nil {
		return nil
	}
	return c.devices[device].found
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
