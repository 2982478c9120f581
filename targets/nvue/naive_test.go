package nvue_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/compilertest"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nvue"
)

// naive reads a canonical text without the grammar, as plain maps, and follows a packet through a switch. It uses no row of the table and
// only the defaults that are inevitable, and it fails if a setting is left open.
type naive map[string]any

func parse(t require.TestingT, text string) naive {
	var doc []map[string]naive
	require.NoError(t, yaml.Unmarshal([]byte(text), &doc))
	for _, part := range doc {
		if set, ok := part["set"]; ok {
			return set
		}
	}
	return nil
}

func (n naive) at(t require.TestingT, path ...string) any {
	var v any = n
	for _, key := range path {
		m, ok := v.(naive)
		require.True(t, ok, "%v", path)
		v, ok = m[key]
		require.True(t, ok, "%v has no %s", path, key)
	}
	return v
}

func (n naive) has(path ...string) bool {
	var v any = n
	for _, key := range path {
		m, _ := v.(naive)
		if v = m[key]; v == nil {
			return false
		}
	}
	return true
}

// walk follows every packet of every intent into a switch, and compares each step with the packet's cos group.
func walk(t require.TestingT, d *ir.Device, text string) (packets int) {
	n := parse(t, text)
	for _, p := range d.Ports {
		for _, in := range p.Entering() {
			mapping := "default-global"
			if n.has("interface", p.Name, "qos", "mapping") {
				mapping = n.at(t, "interface", p.Name, "qos", "mapping", "profile").(string)
			}
			trust := n.at(t, "qos", "mapping", mapping, "trust").(string)
			sp := 0
			switch {
			case in.Version == 2 && (trust == "l3" || trust == "both"):
				dscp := 0
				if len(in.Group.DSCP) > 0 {
					dscp = in.Group.DSCP[0].Value
				}
				sp = n.at(t, "qos", "mapping", mapping, "dscp", strconv.Itoa(dscp), "switch-priority").(int)
			case in.VLAN > 0 && (trust == "l2" || trust == "both"):
				sp = n.at(t, "qos", "mapping", mapping, "pcp", strconv.Itoa(in.Group.Cos), "switch-priority").(int)
			}
			packets++
			if d.Fabric.FlowControl == ir.Pause {
				continue // every class is lossless
			}
			require.Equal(t, in.Group.Cos, sp, "%s: %s", p, in.Name)
			tc := strconv.Itoa(n.at(t, "qos", "egress-queue-mapping", "default-global", "switch-priority", strconv.Itoa(sp), "traffic-class").(int))
			scheduler := n.at(t, "interface", p.Name, "qos", "egress-scheduler", "profile").(string)
			mode := n.at(t, "qos", "egress-scheduler", scheduler, "traffic-class", tc, "mode")
			require.Equal(t, map[bool]string{true: "strict", false: "dwrr"}[in.Group.Strict], mode)
			for _, m := range p.Marks() {
				profile := n.at(t, "interface", p.Name, "qos", "congestion-control", "profile").(string)
				at := []string{"qos", "congestion-control", profile, "traffic-class", strconv.Itoa(m.Group.Cos)}
				require.Equal(t, "enable", n.at(t, append(at, "ecn")...))
				require.Equal(t, m.Min.N, n.at(t, append(at, "min-threshold")...))
				require.Equal(t, m.Max.N, n.at(t, append(at, "max-threshold")...))
			}
		}
		if len(p.Buffers()) == 0 {
			require.False(t, n.has("interface", p.Name, "qos", "pfc"))
			continue
		}
		table := map[bool]string{true: "link-pause", false: "pfc"}[p.ByPause()]
		at := []string{"qos", table, n.at(t, "interface", p.Name, "qos", table, "profile").(string)}
		require.Equal(t, "enable", n.at(t, append(at, "tx")...))
		require.Equal(t, "enable", n.at(t, append(at, "rx")...))
		require.GreaterOrEqual(t, float64(n.at(t, append(at, "cable-length")...).(int)), p.Link().Length.Metres)
		if table == "pfc" {
			priorities := n.at(t, append(at, "switch-priority")...).(naive)
			require.Len(t, priorities, len(p.Buffers()))
			for _, b := range p.Buffers() {
				require.Contains(t, priorities, strconv.Itoa(b.Group.Cos))
			}
		}
		require.Equal(t, 50, n.at(t, "qos", "traffic-pool", "default-lossless", "memory-percent"))
		require.Equal(t, 50, n.at(t, "qos", "traffic-pool", "default-lossy", "memory-percent"))
	}
	return packets
}

// TestWalk: by the text alone, every switch handles packets as their cos groups require.
func TestWalk(t *testing.T) {
	packets := 0
	for _, d := range everything(t, "5.9.0") {
		packets += walk(t, d, edit(t, wish(t, d, nvue.ReplacePreset), "qos: {roce: {}}"))
	}
	require.Greater(t, packets, 50)
	rapid.Check(t, func(rt *rapid.T) {
		text, _ := random(rt)
		d := find(t, compilertest.Compile(t, text), "tor1")
		w, _ := nvue.For(d, nvue.ReplacePreset)
		out, ds := w.Edit(nil)
		require.Empty(rt, ds, fmt.Sprint(ds))
		walk(rt, d, string(out))
	})
}
