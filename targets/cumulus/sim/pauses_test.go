package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rocec/rocec/targets/target"
)

// counted is a machine that only counts.
type counted struct {
	target.Machine
	of map[string]uint64
}

func (c *counted) Count(port, name string, by uint64) { c.of[port+" "+name] += by }

// The daemon pauses the priorities of its PFC groups that send pauses, and drops all others.
func TestPause(t *testing.T) {
	t.Parallel()
	const conf = "pfc.port_group_list = [a, b]\npfc.a.cos_list = [3]\npfc.a.port_set = swp1-swp2\npfc.a.tx_enable = true\n" +
		"pfc.b.cos_list = [3]\npfc.b.port_set = swp3\npfc.b.tx_enable = false\n"
	for _, c := range []struct {
		port   string
		cos    int
		counts string
		pauses uint64
	}{
		{"swp1", 3, "swp1 HwIfOutPfc3Pkt", 7},
		{"swp1", 0, "swp1 HwIfInBufferDrops", 0},
		{"swp3", 3, "swp3 HwIfInBufferDrops", 0},
		{"swp4", 3, "swp4 HwIfInBufferDrops", 0},
	} {
		m := &counted{of: map[string]uint64{}}
		s := &Switchd{state: state{Content: conf}, m: m}
		assert.Equal(t, c.pauses, s.Pause(c.port, c.cos, 7), "%+v", c)
		assert.Equal(t, map[string]uint64{c.counts: 7}, m.of)
	}
}
