package targets

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/lint"
)

var topicMoments = diag.Topic{
	Code:    "conf-moments",
	Summary: "the stored settings of a device differ from the running ones",
}

// MomentRules are the codes of the rules that compare files of one device from two moments.
func MomentRules() []diag.Topic { return []diag.Topic{topicMoments} }

// momentOf names the moment of settings.
func momentOf(s *ir.Settings) lint.Moment {
	switch s.Moment {
	case ir.Stored:
		return lint.Stored
	case ir.Running, ir.Loaded:
		return lint.Running
	}
	return lint.Timeless
}

// mostPorts limits the ports that a sentence names.
const mostPorts = 4

// compareMoments reports each field in which the stored settings of a device differ from the running ones, at the place of the first value.
// A value without a place is reported at top.
func compareMoments(stored, running *target.Understood, top diag.Range) (ds diag.List) {
	all, whole := stored.Settings.Differences(running.Settings)
	if !whole {
		topicMoments.Warnf(&ds, top, "The files of this device name more than 1,024 kinds of ports that differ. Further ports are not compared.")
	}
	for i := 0; i < len(all); {
		n := 1
		for i+n < len(all) && all[i+n].Field == all[i].Field {
			n++
		}
		one := all[i]
		at, found := placeOf(stored, one)
		other, both := placeOf(running, one)
		switch {
		case !found && both:
			at = other
		case !found:
			at = top
		}
		further := ""
		if n > 1 {
			further = fmt.Sprintf("; %s of the field %s, too", diag.Count(n-1, "further value"), diag.Plural(n-1, "differs", "differ"))
		}
		d := topicMoments.Warnf(&ds, at, "%s is %s as stored, and %s as it runs%s. The stored value takes effect at the next start. Save the "+
			"running configuration, or apply the stored one.", diag.Escape(beginning(one)), diag.Escape(one.A), diag.Escape(one.B), further)
		if found && both {
			d.Note(other, "as it runs")
		}
		i += n
	}
	return ds
}

// placeOf returns the place of a value at the first ports that differ.
func placeOf(u *target.Understood, d *ir.Difference) (diag.Range, bool) {
	for _, port := range d.Ports[:min(len(d.Ports), mostPorts)] {
		if at, ok := u.Where(port, d.Field, d.Index); ok && at.Filename != "" {
			return at, true
		}
	}
	return diag.Range{}, false
}

// subject returns the name of the value that differs: "PFC of priority 3 at swp1 and swp2".
func subject(d *ir.Difference) string {
	if d.Field == ir.FieldPool {
		return fmt.Sprintf("%s of the pool %s", d.What, d.Ports[0])
	}
	return valueOf(d) + " at " + portsOf(d)
}

// beginning returns the same name for the beginning of a sentence: "At swp1 and swp2, PFC of priority 3".
func beginning(d *ir.Difference) string {
	if d.Field == ir.FieldPool {
		return fmt.Sprintf("In the pool %s, %s", d.Ports[0], d.What)
	}
	return "At " + portsOf(d) + ", " + valueOf(d)
}

func valueOf(d *ir.Difference) string {
	if d.What == "" {
		return d.Field.String()
	}
	return d.Field.String() + " of " + d.What
}

// portsOf names the ports of a difference.
func portsOf(d *ir.Difference) string {
	ports := slices.DeleteFunc(slices.Clone(d.Ports), func(port string) bool { return port == "" })
	slices.SortFunc(ports, nodeset.Compare)
	named := diag.Some(ports, mostPorts)
	if n := len(ports) + d.More; n > mostPorts {
		named = fmt.Sprintf("%s and %s more", strings.Join(ports[:mostPorts-1], ", "), diag.Number(n-mostPorts+1))
	}
	switch {
	case len(ports) == 0:
		return "ports that no file names"
	case len(ports) < len(d.Ports):
		return "every port that no file names, and at " + named
	}
	return named
}
