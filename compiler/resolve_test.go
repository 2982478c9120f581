package compiler

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
)

// byLane is a system whose ports of four lanes are named by their first lane: lane0, lane4. Parts are named in the same way, so lane0 is
// also the first part of a split port. first0 is another name of lane0.
var byLane = &ir.OS{
	Name: "by-lane", Title: "By Lane", Release: func(string) string { return "" },
	Can: func(*platform.ASIC, string) ir.SwitchCan { return ir.ChipCan() },
	Read: func(_ *platform.Switch, name string) (f ir.Front, ok bool) {
		lane := 0
		_, err := fmt.Sscanf(strings.Replace(name, "first", "lane", 1), "lane%d", &lane)
		f = ir.Front{Number: int16(lane/4 + 1), Sub: int16(lane % 4)}
		if f.Sub == 0 {
			f.Sub = -1
		}
		return f, err == nil
	},
	Spell: func(_ *platform.Switch, f ir.Front) string {
		return fmt.Sprintf("lane%d", 4*(int(f.Number)-1)+max(int(f.Sub), 0))
	},
	Resolve: func(_ *platform.Switch, used []ir.Used) []ir.Front {
		out := make([]ir.Front, len(used))
		for i, u := range used {
			out[i] = u.Front
			if u.Front.Sub < 0 && slices.ContainsFunc(used, func(v ir.Used) bool { return v.Front.Number == u.Front.Number && v.Front.Sub > 0 }) {
				out[i].Sub = 0
			}
		}
		return out
	},
}

// If a system resolves the names of a switch together, ports get the system's names, and a part has the lanes up to the next part in use.
func TestNamesAreResolved(t *testing.T) {
	compile := func(model string, names ...string) (*ir.Fabric, []string) {
		var b strings.Builder
		fmt.Fprintf(&b, "fabric \"f\" {}\nswitch \"leaf\" {\n  names = \"leaf[1-2]\"\n  model = %q\n}\n", model)
		for i, name := range names {
			fmt.Fprintf(&b, "link \"l%d\" {\n  a = \"leaf1:%s\"\n  b = \"leaf2:lane%d\"\n}\n", i, name, 4*i)
		}
		f, ds := Compile(loaded(t, fstest.MapFS{"fabric.hcl": {Data: []byte(b.String())}}, "."), ir.Known{OS: []*ir.OS{byLane}})
		return f, texts(ds)
	}
	for _, c := range []struct {
		names []string
		want  string
	}{
		{[]string{"lane0", "lane4"}, "lane0 {1 -1} 100G, lane4 {2 -1} 100G"},
		{[]string{"lane2", "first0"}, "lane0 {1 0} 50G, lane2 {1 2} 50G"},
		{[]string{"first4", "lane0", "lane2", "lane3"}, "lane0 {1 0} 50G, lane2 {1 2} 25G, lane3 {1 3} 25G, lane4 {2 -1} 100G"},
	} {
		f, said := compile("sn3700c", c.names...)
		require.Empty(t, said, c.names)
		var got []string
		for i, p := range device(f, "leaf1").Ports {
			assert.Equal(t, i, p.Index)
			got = append(got, fmt.Sprintf("%s %v %s", p.Name, p.Front, platform.SpeedText(p.Speed())))
		}
		assert.Equal(t, c.want, strings.Join(got, ", "))
	}
	for _, c := range []struct {
		names []string
		say   string
	}{
		{[]string{"lane0", "first0"}, "leaf1:lane0 is the end of two cables"},
		{[]string{"lane0", "lane2", "lane3", "lane4"}, "disables the next one: lane0 is split, so lane4 cannot be used"},
	} {
		_, said := compile("sn2700", c.names...)
		require.Len(t, said, 1, c.names)
		assert.Contains(t, said[0], c.say)
	}
	_, said := compile("sn2700", "lane0", "lane2", "lane4")
	assert.Empty(t, said, "a split into two keeps the neighbour usable")

	sw, ok := platform.FindSwitch("sn2410")
	require.True(t, ok)
	assert.Equal(t, "lane0-188 in steps of 4 (25G), lane192-220 in steps of 4 (100G, splits into 4)", byLane.PortsText(sw))
}
