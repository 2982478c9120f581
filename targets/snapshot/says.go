package snapshot

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
)

// Thresholds of the sentences about a snapshot.
const (
	longAgo   = 24 * time.Hour  // between the first and the last device
	farClock  = 5 * time.Minute // between two clocks
	nameWidth = 60              // of a list of names
)

// Says returns sentences for the reader of a snapshot: when devices were asked, and which devices could not be asked. They also name
// devices whose clock is wrong, or whose hostname differs from their name.
func (m *Manifest) Says() (out []string) {
	var first, last time.Time
	failed := map[string][]string{} // by reason
	var clocks, named []string
	for _, d := range m.Devices {
		if d.Failed != "" {
			failed[d.Failed] = append(failed[d.Failed], d.Name)
			continue
		}
		if !d.When.IsZero() && (first.IsZero() || d.When.Before(first)) {
			first = d.When
		}
		if d.When.After(last) {
			last = d.When
		}
		if off := time.Duration(d.Clock) * time.Second; off.Abs() > farClock {
			clocks = append(clocks, d.Name)
		}
		own, _, _ := strings.Cut(strings.ToLower(d.Host), ".")
		if name, _, _ := strings.Cut(strings.ToLower(d.Name), "."); own != "" && own != name && !isAddress(name) {
			named = append(named, d.Name+" calls itself "+d.Host)
		}
	}
	const layout = "2006-01-02 15:04"
	switch {
	case first.IsZero():
	case last.Sub(first) > longAgo:
		out = append(out, fmt.Sprintf("The devices were asked from %s to %s UTC. A change made in between is visible on only some of them.",
			first.UTC().Format(layout), last.UTC().Format(layout)))
	default:
		out = append(out, fmt.Sprintf("The devices were asked on %s UTC.", first.UTC().Format(layout)))
	}
	for _, why := range slices.Sorted(maps.Keys(failed)) {
		out = append(out, fmt.Sprintf("There is no answer from %s: %s.", nodeset.Text(failed[why], nodeset.Devices, nameWidth),
			strings.TrimSuffix(why, ".")))
	}
	if n := len(clocks); n > 0 {
		out = append(out, fmt.Sprintf("%s of %s %s more than 5 minutes off.", diag.Plural(n, "The clock", "The clocks"),
			nodeset.Text(clocks, nodeset.Devices, nameWidth), diag.Plural(n, "is", "are")))
	}
	const most = 5
	for _, n := range named[:min(len(named), most)] {
		out = append(out, n+".")
	}
	if more := len(named) - most; more > 0 {
		out = append(out, fmt.Sprintf("%s more have a different hostname.", diag.Count(more, "device")))
	}
	if m.Masked {
		out = append(out, "Names and addresses are masked.")
	}
	return out
}

// isAddress reports whether a device is named by its address, so that its hostname cannot differ from the name.
func isAddress(name string) bool {
	return strings.Trim(name, "0123456789") == "" || strings.Contains(name, ":")
}
