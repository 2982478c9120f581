package facts

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/compilertest"
	"github.com/rocec/rocec/validate/walk"
)

// pair is a switch of a given model with two hosts at 100G and 40 m.
func pair(model string, first int) []byte {
	return fmt.Appendf(nil, `
fabric "pair" { mtu = 9100 }
cos_group "rdma" {
  cos      = 4
  lossless = true
}
switch "s" { model = %q }
host "h" {
  names = "h[1-2]"
  nic "e0" { model = "connectx-5" }
}
link "l" {
  a      = "h[1-2]:e0"
  b      = "s:swp[%d-%d]"
  speed  = "100G"
  length = "40m"
}
`, model, first, first+1)
}

// Beside the headroom of a port, the output has the rows of its model and chip, the figure of tests, and the memory above every row.
func TestPublishedLines(t *testing.T) {
	for _, c := range []struct {
		model  string
		first  int               // port with a host
		lines  map[string]string // by name: the value, and a part of the reason
		memory string
	}{
		{"sn2700", 1, map[string]string{
			"row of the model": "29760 B|largest of its tables has 38912 B", "  beyond the row": "42432 B|0.30 % of that of Spectrum",
			"published": "38976 B|ACS-MSN2700", "tests on hardware": "",
		}, "headroom above every published row of sn2700 uses 84864 B of the shared memory at 2 ports"},
		{"7260cx3-64", 1, map[string]string{
			"row of the model": "177632 B|100G at 40 m", "  beyond the row": "",
			"tests on hardware": "60112 B|nightly tests of this chip expect 60,112 B, 100G at 40 m (sonic-mgmt",
		}, ""},
		{"s5048f", 49, map[string]string{
			"row of the model": "none|this rocec has no row of s5048f at 100G and 40 m", "  beyond the row": "", "published": "",
		}, ""},
	} {
		f := compilertest.Compile(t, pair(c.model, c.first))
		d, err := FindDevice(f, "s")
		require.NoError(t, err)
		p, err := FindPort(d, fmt.Sprintf("swp%d", c.first))
		require.NoError(t, err)
		why := map[string]string{}
		for _, s := range Port(&walk.Settings{}, p) {
			for _, v := range s.Settings {
				why[v.Name] = fmt.Sprintf("%s|%v", v.Value, v)
			}
		}
		for name, want := range c.lines {
			value, part, _ := strings.Cut(want, "|")
			got, _, _ := strings.Cut(why[name], "|")
			assert.Equal(t, value, got, "%s %s", c.model, name)
			assert.Contains(t, why[name], part, "%s %s", c.model, name)
		}
		memory := fmt.Sprintf("%v", describeMemory(d))
		assert.Equal(t, c.memory != "", strings.Contains(memory, "headroom above every"), c.model)
		assert.Contains(t, memory, c.memory)
	}
}
