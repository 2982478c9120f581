package session

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/commands"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/target"
)

// Queries for counters run after the other probes of a device, and their results are no part of the verdict. A query that fails, and an
// answer without counters, are printed with their devices.
func TestCounters(t *testing.T) {
	counter := func(n int) ir.PauseCounters { return ir.PauseCounters{Port: "swp1", Priority: n} }
	query := func(n int) target.CounterQuery {
		return target.CounterQuery{Query: commands.Query{Cmd: "count"}, Read: func(_ *ir.Device, answer []byte) ([]ir.PauseCounters, string) {
			if len(answer) == 0 {
				return nil, "the answer is empty"
			}
			return []ir.PauseCounters{counter(n)}, ""
		}}
	}
	counts := &target.Target{Counters: func(*ir.Device) []target.CounterQuery { return []target.CounterQuery{query(0), query(1)} }}
	own := target.Probe{Name: "links"}
	tree := &target.Tree{}
	for _, name := range []string{"leaf1", "leaf2", "leaf3", "leaf4"} {
		tree.Devices = append(tree.Devices, &target.Device{Name: name, Target: counts, Source: &ir.Device{}, Probes: []target.Probe{own}})
	}
	tree.Devices = append(tree.Devices, &target.Device{Name: "host1", Target: &target.Target{}, Probes: []target.Probe{own}})

	asked, c := WithCounters(tree)
	require.Len(t, tree.Devices[0].Probes, 1, "the tree is not changed")
	found := &rollout.Verification{}
	for i, d := range asked.Devices {
		h := &rollout.Health{Drift: &deploy.DevicePlan{Device: d}}
		found.Devices = append(found.Devices, h)
		if d.Name == "leaf4" { // it was not read
			continue
		}
		h.Probes = []deploy.Judged{{Name: "links", Wrong: []string{"swp1 has no link."}}}
		for k, p := range d.Probes[1:] {
			j := deploy.Judged{Name: p.Name}
			switch {
			case d.Name == "leaf2" && k == 1:
				j.Wrong = []string{"The probe could not run: no such program."}
			case d.Name == "leaf3":
				require.Empty(t, p.Judge(nil))
			default:
				require.Empty(t, p.Judge([]byte("1")), i)
			}
			h.Probes = append(h.Probes, j)
		}
	}
	c.TakeFrom(found)
	for _, h := range found.Devices {
		if h.Drift.Device.Name != "leaf4" {
			require.Equal(t, []deploy.Judged{{Name: "links", Wrong: []string{"swp1 has no link."}}}, h.Probes)
		}
	}
	require.Equal(t, []ir.PauseCounters{counter(0), counter(1)}, c.Of("leaf1"))
	require.Equal(t, []ir.PauseCounters{counter(0)}, c.Of("leaf2"))
	for _, name := range []string{"leaf3", "leaf4", "host1", "none"} {
		require.Empty(t, c.Of(name))
	}
	require.Empty(t, (*Counted)(nil).Of("leaf1"))

	var stderr bytes.Buffer
	c.PrintUnread(&stderr)
	require.Equal(t, "rocec: counters of leaf2 are missing: The probe could not run: no such program.\n"+
		"rocec: counters of leaf3 are missing: the answer is empty\n", stderr.String())
}
