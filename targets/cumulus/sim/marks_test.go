package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The daemon marks with the port groups of the file that it loaded last, and of no other.
func TestMarks(t *testing.T) {
	t.Parallel()
	const old = "ecn.port_group_list = [a]\necn.a.cos_list = [3]\necn.a.port_set = swp1-swp4\necn.a.min_threshold_bytes = 40000\n"
	const new = "ecn_red.port_group_list = [a, b]\necn_red.a.egress_queue_list = [3]\necn_red.a.port_set = swp1-swp5\n" +
		"ecn_red.a.ecn_enable = true\necn_red.a.min_threshold_bytes = 150000\necn_red.b.egress_queue_list = [3]\necn_red.b.port_set = swp6\n" +
		"ecn_red.b.ecn_enable = true\necn_red.b.min_threshold_bytes = 9216\necn_red.c.port_set = swp7\n"
	for _, c := range []struct {
		content, port string
		cos, from     int
		marks         bool
	}{
		{old, "swp2", 3, 40000, true},
		{old, "swp2", 4, 0, false},
		{old, "swp5", 3, 0, false},
		{new, "swp5", 3, 150000, true},
		{new, "swp6", 3, 9216, true},
		{new, "swp7", 3, 0, false},
		{"", "swp6", 3, 0, false},
		{new, "eth0", 3, 0, false},
	} {
		s := &Switchd{state: state{Content: c.content}}
		from, marks := s.Marks(c.port, c.cos)
		assert.Equal(t, c.marks, marks, "%+v", c)
		assert.Equal(t, c.from, from, "%+v", c)
	}
}
