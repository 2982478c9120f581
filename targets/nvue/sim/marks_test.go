package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"
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
