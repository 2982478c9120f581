package sequence

import (
	"fmt"

	"github.com/rocec/rocec/compiler/change"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/validate"
)

// Refusals returns the reasons to refuse the plan: devices that cannot change within the rules, at the lines that declare them, and gaps
// and loops of lossless classes during the change.
func (s *Sequence) Refusals() diag.List {
	var ds diag.List
	for _, r := range s.Refused {
		deploy.TopicUnsafe.Errorf(&ds, r.Task.Device.At, "%s", refusalText(r))
	}
	if s.mixed != nil {
		ds = append(append(ds, s.mixed.against()...), againstAlone(s.plan)...)
	}
	return ds
}

// Lossy reports whether lossless classes lose packets, or may wait in a circle, during a mixture of old and new settings.
func (s *Sequence) Lossy() bool {
	return s.mixed != nil && (len(s.mixed.gaps) > 0 || s.mixed.loop != nil)
}

// noOrder returns the error for a fabric whose traffic paths are not known.
func noOrder(f *ir.Fabric, err error) (ds diag.List) {
	deploy.TopicUnsafe.Errorf(&ds, f.RoutingAt, "the order in which the devices of %q can be changed is not known: %s", f.Name,
		validate.RoutingText(err))
	return ds
}

// few returns a short text with the names of devices.
func few(ds []*ir.Device) string {
	names := make([]string, len(ds))
	for i, d := range ds {
		names[i] = d.Name
	}
	return nodeset.Text(names, nodeset.Devices, 60)
}

// refusalText returns full sentences with the reason why a device cannot be changed within the rules, and the remedy.
func refusalText(r *change.Refusal) string {
	name := r.Task.Device.Name
	allow := "Allow it: "
	if r.Without {
		allow = "The fabric is already in this state before the change. Bring up what is down, or allow it: "
	}
	switch r.Why {
	case change.CutsOff:
		return fmt.Sprintf("While %s passes no traffic, %s cannot reach %s. Give them another way first, or allow it: --min-capacity 0.",
			name, few(r.Hosts), few(r.From))
	case change.TooNarrow:
		return fmt.Sprintf("While %s passes no traffic, %s keeps %d%% of its capacity towards %s. %s"+
			"--min-capacity %d.", name, r.Narrow.Name, r.Capacity, r.Towards.Name, allow, r.Capacity)
	case change.LastLeg:
		if !r.Without {
			return fmt.Sprintf("%s %s connected to two of the devices that would pass no traffic at the same time.", few(r.Hosts),
				diag.Plural(len(r.Hosts), "is", "are"))
		}
		return fmt.Sprintf("%s %s connected to %s alone now, because other links are down. Bring those up first, or allow it: --min-capacity 0.",
			few(r.Hosts), diag.Plural(len(r.Hosts), "is", "are"), name)
	case change.TooDark:
		if r.Reduced {
			return fmt.Sprintf("While %s and other devices of its wave pass no traffic, %s (%s) would lose links, which is more than --max-dark "+
				"allows. Raise it to %d.", name, diag.Count(len(r.Hosts), "host"), few(r.Hosts), len(r.Hosts))
		}
		return fmt.Sprintf("While %s passes no traffic, %s (%s) would be without a link, which is more than --max-dark allows. "+
			"Raise it to %d.", name, diag.Count(len(r.Hosts), "host"), few(r.Hosts), len(r.Hosts))
	case change.LonePair:
		return fmt.Sprintf("The two switches of the MLAG pair %q do not see each other, so %s may be the only one of them that passes traffic. "+
			"Bring the peer link up first, or allow it: --min-capacity 0.", r.Task.Device.Switch.MLAG, name)
	}
	return fmt.Sprintf("The paths of traffic while %s passes none are not known: %s.", name, validate.RoutingText(r.Err))
}
