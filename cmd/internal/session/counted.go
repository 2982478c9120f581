package session

import (
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/validate/watchdogs"
)

// Counted has the counters of pauses that devices report, or only the states of their watchdogs, by device. A verify fills it while it
// reads the devices.
type Counted struct {
	devices map[string]*counted
	order   []string
}

// counted has the counters of a device, and the reasons why some are missing.
type counted struct {
	of     *ir.Device
	found  []ir.PauseCounters
	unread []string
}

// newCounted adds the queries for the counters of the devices of a tree to those of a read: for all counters, or for the states of
// watchdogs alone.
func newCounted(q *Queries, tree *target.Tree, all bool) *Counted {
	c := &Counted{devices: map[string]*counted{}}
	for _, d := range tree.Devices {
		if d.Source == nil || d.Target == nil || d.Target.Counters == nil {
			continue
		}
		one, queries := &counted{of: d.Source}, d.Target.Counters(d.Source)
		if !all {
			queries = watchdogsOf(queries)
		}
		c.devices[d.Name], c.order = one, append(c.order, d.Name)
		q.Add(d.Name, target.Queries(queries), func(answers []Reply) {
			*one = counted{of: d.Source}
			for i, a := range answers {
				if a.Err == "" {
					found, why := queries[i].Read(d.Source, a.Text)
					one.found, a.Err = append(one.found, found...), why
				}
				one.unread = append(one.unread, a.Err)
			}
			one.found = target.Joined(one.found)
		})
	}
	return c
}

// watchdogsOf returns the parts of queries that show the states of watchdogs.
func watchdogsOf(queries []target.CounterQuery) (out []target.CounterQuery) {
	for _, q := range queries {
		if q.Watchdogs != nil {
			out = append(out, *q.Watchdogs)
		}
	}
	return out
}

// Watchdogs returns the counters of devices by a read at a time, for the judgement of their watchdogs.
func (c *Counted) Watchdogs(when time.Time) (out []*watchdogs.Counters) {
	for _, name := range c.order {
		if one := c.devices[name]; len(one.found) > 0 {
			out = append(out, &watchdogs.Counters{Of: one.of, Rows: one.found, When: when})
		}
	}
	return out
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
	var reasons view.Texts
	for _, name := range c.order {
		for _, why := range c.devices[name].unread {
			if why != "" && !slices.Contains(reasons.Of[why], name) {
				reasons.Add(why, name)
			}
		}
	}
	for _, why := range reasons.All {
		fmt.Fprintf(w, "rocec: counters of %s are missing: %s\n", nodeset.Text(reasons.Of[why], nodeset.Devices, math.MaxInt), diag.Escape(why))
	}
}
