package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rocec/rocec/targets/target"
)

// The chip marks by the profile of the port, in whole steps.
func TestMarks(t *testing.T) {
	t.Parallel()
	class := func(ecn string, low int64) tree {
		return tree{"traffic-class": tree{"3": tree{"ecn": ecn, "min-threshold": low}}}
	}
	n := &NVUE{Config: Config{Release: "5.11.0", Spectrum: 4, Ports: []Port{{Name: "swp1"}, {Name: "swp2"}, {Name: "swp3"}}}}
	bound := func(profile string) tree { return tree{"qos": tree{"congestion-control": tree{"profile": profile}}} }
	n.Chip = tree{
		"qos":       tree{"congestion-control": tree{"low": class("enable", 12000), "off": class("disable", 12000)}},
		"interface": tree{"swp1": bound("low"), "swp2": bound("off")},
	}
	from, marks := n.Marks("swp1", 3)
	assert.True(t, marks)
	assert.Equal(t, 12288, from, "a whole step")
	for _, port := range []string{"swp2", "swp3"} {
		_, marks = n.Marks(port, 3)
		assert.False(t, marks, port)
	}
	_, marks = n.Marks("swp1", 4)
	assert.False(t, marks)
}

// The chip pauses the priorities of the port's PFC profile, and drops packets of all others.
func TestPause(t *testing.T) {
	t.Parallel()
	m := &counted{of: map[string]uint64{}}
	n := &NVUE{Config: Config{Release: "5.11.0", Spectrum: 4, Ports: []Port{{Name: "swp1"}, {Name: "swp2"}}}, m: m}
	profile := func(tx string) tree { return tree{"switch-priority": tree{"3": tree{}}, "tx": tx} }
	bound := func(profile string) tree { return tree{"qos": tree{"pfc": tree{"profile": profile}}} }
	n.Chip = tree{
		"qos":       tree{"pfc": tree{"on": profile("enable"), "off": profile("disable")}},
		"interface": tree{"swp1": bound("on"), "swp2": bound("off")},
	}
	assert.Equal(t, uint64(7), n.Pause("swp1", 3, 7))
	assert.Zero(t, n.Pause("swp1", 0, 7))
	assert.Zero(t, n.Pause("swp2", 3, 7))
	assert.Equal(t, map[string]uint64{"swp1 HwIfOutPfc3Pkt": 7, "swp1 HwIfInBufferDrops": 7, "swp2 HwIfInBufferDrops": 7}, m.of)
}

// counted is a machine that only counts.
type counted struct {
	target.Machine
	of map[string]uint64
}

func (c *counted) Count(port, name string, by uint64) { c.of[port+" "+name] += by }
