package collect

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/deploy/rollout"
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
	q := &session.Queries{}
	asked.AddTo(q, &target.Tree{Devices: []*target.Device{
		{Name: "leaf1", Source: a}, {Name: "leaf2", Source: b}, {Name: "leaf3", Source: &ir.Device{Name: "leaf3"}}, {Name: "of a run"},
	}})
	assert.Empty(t, asked.Seen(nil, nil).Devices)
	dial := func(_ context.Context, d *target.Device) (target.Conn, error) {
		require.Len(t, d.Probes, 2)
		if d.Name == "leaf3" {
			return nil, errors.New("no route")
		}
		return &conn{func(script string) ([]byte, error) {
			if d.Name == "leaf1" {
				return saying(script, "{}\n"+statusMark+"0", "not found\n"+statusMark+"127"), nil
			}
			return saying(script, "\n"+statusMark+"127", ""), nil
		}}, nil
	}
	var all []*target.Device
	for _, name := range []string{"leaf1", "leaf2", "leaf3", "of a run"} {
		all = append(all, &target.Device{Name: name})
	}
	require.Len(t, q.Ask(t.Context(), dial, &target.Tree{Devices: all}, rollout.ObserveOptions{}), 3)
	q.Close()
	assert.Equal(t, []string{"leaf1/route.json {}"}, files)
	seen := asked.Seen(nil, nil)
	require.Len(t, seen.Devices, 1)
	assert.Same(t, a, seen.Devices[0].Device)
	assert.Equal(t, at, seen.Devices[0].When)
	assert.Equal(t, "rocec verify", seen.By)
}
