package nic

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic/steps"
	"github.com/rocec/rocec/targets/target"
)

// reported returns the script's report of a host (check --json) in the form of answers over a connection.
func (f *Family) reported(d *ir.Device, r *target.Report) target.Reported {
	out := target.Reported{States: map[string][]byte{}, Answers: map[string][]byte{}}
	var drivers strings.Builder
	for _, n := range Of(d, f.Driver) {
		told := r.NIC(n.Name)
		if told == nil { // it has no value file, which is reported as drift
			fmt.Fprintf(&drivers, "%s %s\n", n.Name, cmp.Or(f.Module, "any"))
			continue
		}
		driver := told.Driver
		if driver == "" {
			driver = "missing"
		}
		fmt.Fprintf(&drivers, "%s %s\n", n.Name, driver)
		var state, stored strings.Builder
		for _, key := range slices.Sorted(maps.Keys(told.Settings)) {
			if strings.HasPrefix(key, steps.StoredKey) {
				fmt.Fprintf(&stored, "%s=%s\n", key, told.Settings[key])
				continue
			}
			fmt.Fprintf(&state, "%s=%s\n", key, told.Settings[key])
		}
		if n.Parameters.Stored() != nil && stored.Len() > 0 {
			out.States[steps.StoredName(n.Name)] = []byte(stored.String())
		}
		out.States[steps.StateName(n.Name)] = []byte(state.String())
		out.Answers["GIDs of "+n.Name] = []byte(strings.Join(told.GIDs, "\n"))
		if mtu, is := told.Settings["mtu"]; is {
			out.Answers["MTU of "+n.Name] = []byte(mtu)
		}
		if len(n.Carries()) > 0 && told.Settings["pfc"] == unsupported {
			out.Wrong = append(out.Wrong, fmt.Sprintf("%s on %s reports that its priorities cannot be read, so PFC may be off.",
				n.Name, d.Name))
		}
		for _, line := range told.Differs { // settings are compared with the fabric instead of the value file
			key, _, is := strings.Cut(line, " is ")
			if _, setting := told.Settings[key]; !is || !setting || key == "bond" {
				out.Wrong = append(out.Wrong, fmt.Sprintf("%s on %s: %s.", n.Name, d.Name, strings.TrimSuffix(line, ".")))
			}
		}
	}
	out.Answers["NICs"] = []byte(drivers.String())
	return out
}
