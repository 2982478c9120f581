package grammar

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPortSet(t *testing.T) {
	for in, want := range map[string]string{
		"swp1":                              "swp1",
		"swp2 swp1":                         "swp1-swp2",
		"swp1 swp2 swp3 swp4 swp6":          "swp1-swp4,swp6",
		"swp10 swp9 swp1":                   "swp1,swp9-swp10",
		"swp49s0 swp49s1 swp49s2 swp49s3":   "swp49s0-swp49s3",
		"swp1s3 swp2s0":                     "swp1s3,swp2s0",
		"swp1 swp2s0 swp2s1 swp3":           "swp1,swp2s0-swp2s1,swp3",
		"swp1s0 swp1s2 swp1s3 swp20 swp200": "swp1s0,swp1s2-swp1s3,swp20,swp200",
	} {
		var ports []Port
		for n := range strings.FieldsSeq(in) {
			p, ok := ParsePort(n)
			require.True(t, ok)
			ports = append(ports, p)
		}
		slices.SortFunc(ports, Port.Compare)
		assert.Equal(t, want, PortSet(ports))
	}
	for _, bad := range []string{"", "swp", "swp0", "swp01", "eth0", "swp1s", "swp1s0s1", "swp1.100", "bond1", "swp1-2", "Swp1"} {
		_, ok := ParsePort(bad)
		assert.False(t, ok, bad)
	}
}
