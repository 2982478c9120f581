package collect

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/lint"
)

// The answers of a device become its forwarding after the last question. A question without an answer is no finding, and a device without
// any answer was not read.
func TestForwards(t *testing.T) {
	at := time.Date(2026, 11, 27, 10, 2, 0, 0, time.UTC)
	var files []string
	asked := &Forwards{
		When: at,
		Asks: func(*ir.Device) []target.Question {
			return []target.Question{{File: "route.json", Cmd: "x"}, {File: "addr.json", Cmd: "y"}}
		},
		Read: func(d *ir.Device, all []lint.File, when func(name string) time.Time) *ir.Forwarding {
			files = nil
			for _, f := range all {
				files = append(files, f.Name+" "+string(f.Data))
			}
			return &ir.Forwarding{Device: d, When: when("")}
		},
	}
	a, b := &ir.Device{Name: "leaf1"}, &ir.Device{Name: "leaf2"}
	tree := asked.On(&target.Tree{Devices: []*target.Device{
		{Name: "leaf1", Source: a, Probes: []target.Probe{{Name: "own"}}}, {Name: "leaf2", Source: b}, {Name: "of a run"},
	}})
	require.Len(t, tree.Devices[0].Probes, 3)
	require.Empty(t, tree.Devices[2].Probes)
	answer := func(p target.Probe, text, status string) {
		assert.Empty(t, p.Judge([]byte(text+"\n"+statusMark+status+"\n")))
	}
	answer(tree.Devices[0].Probes[1], "{}", "0")
	assert.Empty(t, asked.Seen(nil).Devices)
	answer(tree.Devices[0].Probes[2], "not found", "127")
	assert.Equal(t, []string{"leaf1/route.json {}"}, files)
	answer(tree.Devices[1].Probes[0], "", "127")
	assert.Empty(t, tree.Devices[1].Probes[1].Judge(nil))
	seen := asked.Seen(nil)
	require.Len(t, seen.Devices, 1)
	assert.Same(t, a, seen.Devices[0].Device)
	assert.Equal(t, at, seen.Devices[0].When)
	assert.Equal(t, "rocec verify", seen.By)
}
