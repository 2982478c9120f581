package nvue

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/target"
)

// TestHeadroom: the form of nv's output for buffers is not documented, so only an understood answer is evaluated. Too little headroom
// rolls back a change. An unreadable answer does not, and neither does a port without a link.
func TestHeadroom(t *testing.T) {
	d := &ir.Device{DevicePlaces: &ir.DevicePlaces{}, Name: "leaf1"}
	p := ir.NewPort(d, ir.PortSpec{Name: "swp1", Buffers: []*ir.Buffer{{Need: 1000, Floor: 900}}})
	ir.NewLink(p, nil, ir.Link{LinkFacts: &ir.LinkFacts{FlowControl: "pfc"}})
	good, bad := "1", "0"
	const (
		unread = target.NotReadable
		rocec  = "interface: {%s: {qos: {pfc: {profile: rocec-5m}}}}"
	)
	for name, c := range map[string]struct{ tree, groups, link, want, holder string }{
		"enough":             {rocec, `{"0":{"lossy-lossless":"lossy"},"3":{"lossy-lossless":"lossless","headroom":1000}}`, "up", good, ""},
		"too little":         {rocec, `{"3":{"lossy-lossless":"lossless","headroom":800}}`, "up", bad, ""},
		"0 bytes":            {rocec, `{"3":{"lossy-lossless":"lossless","headroom":0}}`, "up", bad, ""},
		"no lossless group":  {rocec, `{"3":{"lossy-lossless":"lossy","headroom":0}}`, "up", bad, ""},
		"no profile yet":     {"qos: {}", `{"3":{"lossy-lossless":"lossy","headroom":0}}`, "up", good, ""},
		"one of others":      {"interface: {swp1: {qos: {pfc: {profile: x}}}}", `{"3":{"lossy-lossless":"lossy","headroom":0}}`, "up", good, ""},
		"the preset":         {"qos: {roce: {}}", `{"3":{"lossy-lossless":"lossless","headroom":800}}`, "up", bad, ""},
		"the preset, enough": {"qos: {roce: {}}", `{"3":{"lossy-lossless":"lossless","headroom":1000}}`, "up", good, ""},
		"a lossy preset":     {"qos: {roce: {mode: lossy}}", `{"3":{"lossy-lossless":"lossy","headroom":0}}`, "up", good, ""},
		"no configuration":   {"", `{"3":{"lossy-lossless":"lossless","headroom":1000}}`, "up", unread, ""},
		"no tree":            {"a: *x", `{"3":{"lossy-lossless":"lossless","headroom":1000}}`, "up", unread, ""},
		"no link":            {rocec, `{"3":{"lossy-lossless":"lossless","headroom":0}}`, "down", unread, ""},
		"another key":        {rocec, `{"3":{"type":"lossless","headroom":1000}}`, "up", unread, ""},
		"wrapped":            {rocec, `{"operational":{"3":{"lossy-lossless":"lossless","headroom":1000}}}`, "up", unread, ""},
		"not a number":       {rocec, `{"3":{"lossy-lossless":"lossless","headroom":"NaN"}}`, "up", unread, ""},
		"another unit":       {rocec, `{"3":{"lossy-lossless":"lossless","headroom":"7 cells"}}`, "up", unread, ""},
		"no such leaf":       {rocec, `{"3":{"lossy-lossless":"lossless"}}`, "up", unread, ""},
		"not JSON":           {rocec, `Error: no such thing`, "up", unread, ""},
		"nothing":            {rocec, `null`, "up", unread, ""},
		"member, enough":     {rocec, `{"3":{"lossy-lossless":"lossless","headroom":1000}}`, "up", good, "bond1"},
		"member, too little": {rocec, `{"3":{"lossy-lossless":"lossless","headroom":800}}`, "up", bad, "bond1"},
		"member, no group":   {rocec, `{"3":{"lossy-lossless":"lossy","headroom":0}}`, "up", unread, "bond1"},
	} {
		answer := fmt.Sprintf("groups:swp1 %s\nlink:swp1 %s\n", c.groups, c.link)
		if c.tree == rocec {
			c.tree = fmt.Sprintf(rocec, cmp.Or(c.holder, "swp1"))
		}
		if c.holder != "" {
			c.tree = strings.Replace(c.tree, "{qos:", "{bond: {member: {swp1: {}}}, qos:", 1)
		}
		if c.tree != "" {
			answer += treeBegins + "\n" + c.tree
		}
		samples := headroomProbe(d, "headroom", []*ir.Port{p}, false).Samples([]byte(answer))
		if !assert.Len(t, samples, 1, name) {
			continue
		}
		got := fmt.Sprint(samples[0].Value)
		if samples[0].Unit == target.UnitFact {
			got = samples[0].Fact
		}
		assert.Equal(t, c.want, got, name)
	}

	// If the headroom is at least the floor, a change stays. If it is below the need, verify has a finding with both numbers.
	probe := headroomProbe(d, "headroom", []*ir.Port{p}, false)
	for have, c := range map[int]struct{ state, findings int }{800: {0, 1}, 899: {0, 1}, 900: {1, 1}, 999: {1, 1}, 1000: {1, 0}} {
		groups := fmt.Sprintf(`{"3":{"lossy-lossless":"lossless","headroom":%d}}`, have)
		answer := []byte("groups:swp1 " + groups + "\nlink:swp1 up\n" + treeBegins + "\n" + fmt.Sprintf(rocec, "swp1"))
		assert.Equal(t, uint64(c.state), probe.Samples(answer)[0].Value, have)
		found := probe.Judge(answer)
		require.Len(t, found, c.findings, have)
		for _, f := range found {
			assert.Contains(t, f, fmt.Sprintf("reserves %d B of headroom for swp1, but up to 1,000 B can arrive", have))
		}
	}
}

// TestBoundTo: a bond has the profile of the member with the greatest need, even if the fabric states sizes and cables have one class.
func TestBoundTo(t *testing.T) {
	e := &editor{
		settings: &settings{
			profiles: []profile{
				{metres: 40, sizes: &sizes{buffer: 90_000, xoff: 40_000}},
				{metres: 40, sizes: &sizes{buffer: 100_000, xoff: 40_000}},
				{metres: 5},
				{metres: 40},
			},
			ports: []port{
				{name: "swp1", lossless: 0},
				{name: "swp2", lossless: 1},
				{name: "swp3", lossless: 3},
				{name: "swp4", lossless: 2},
				{name: "swp5", lossless: 2},
			},
		},
		bonds: map[string]string{"swp1": "bond1", "swp2": "bond1", "swp3": "bond2", "swp4": "bond2"},
	}
	for i, want := range []int{1, 1, 3, 3, 2} {
		p := e.ports[i]
		assert.Equal(t, want, e.boundTo(e.holder(p.name), p), p.name)
	}
}

// TestBytes: no manual documents the JSON form of a size. So every form in the tables is read and rounded up, and no other text is a
// number.
func TestBytes(t *testing.T) {
	for _, c := range []struct {
		text any
		want int
		ok   bool
	}{
		{150000.0, 150000, true},
		{"150000", 150000, true},
		{"25000 B", 25000, true},
		{"25000 Bytes", 25000, true},
		{"146.48 KB", 150000, true}, // the exact size is 149995.52 to 150005.76
		{"1.43 MB", 1504706, true},
		{" 8 kb ", 8192, true},
		{"0 B", 0, true},
		{"-1", 0, false},
		{-1.0, -1, false},
		{"NaN", 0, false},
		{"1e300 KB", 0, false},
		{"7 cells", 0, false},
		{"", 0, false},
		{true, 0, false},
		{nil, 0, false},
	} {
		n, ok := Bytes(c.text)
		assert.Equal(t, c.ok, ok, "%v", c.text)
		if ok {
			assert.InDelta(t, c.want, n, 10, "%v", c.text)
		}
	}
}
