package nvue

import (
	"cmp"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/target"
)

// TestHeadroom: the form of what nv says of buffers is not documented, so that only what is understood is judged: a change is taken back
// for too little headroom, and not for an answer that means nothing to rocec, nor for a port without a link.
func TestHeadroom(t *testing.T) {
	d := &ir.Device{Name: "leaf1"}
	p := ir.NewPort(d, ir.PortSpec{Name: "swp1", Buffers: []*ir.Buffer{{Need: 1000, Floor: 900}}})
	ir.NewLink(p, nil, ir.Link{LinkFacts: &ir.LinkFacts{FlowControl: "pfc"}})
	good, bad := "1", "0"
	const unread, rocec = target.NotReadable, `{"profile":"rocec-5m"}`
	for name, c := range map[string]struct{ bound, groups, link, want, holder string }{
		"enough":             {rocec, `{"0":{"lossy-lossless":"lossy"},"3":{"lossy-lossless":"lossless","headroom":1000}}`, "up", good, ""},
		"too little":         {rocec, `{"3":{"lossy-lossless":"lossless","headroom":800}}`, "up", bad, ""},
		"0 bytes":            {rocec, `{"3":{"lossy-lossless":"lossless","headroom":0}}`, "up", bad, ""},
		"no lossless group":  {rocec, `{"3":{"lossy-lossless":"lossy","headroom":0}}`, "up", bad, ""},
		"no profile yet":     {`{}`, `{"3":{"lossy-lossless":"lossy","headroom":0}}`, "up", good, ""},
		"no link":            {rocec, `{"3":{"lossy-lossless":"lossless","headroom":0}}`, "down", unread, ""},
		"another key":        {rocec, `{"3":{"type":"lossless","headroom":1000}}`, "up", unread, ""},
		"wrapped":            {rocec, `{"operational":{"3":{"lossy-lossless":"lossless","headroom":1000}}}`, "up", unread, ""},
		"no number":          {rocec, `{"3":{"lossy-lossless":"lossless","headroom":"NaN"}}`, "up", unread, ""},
		"another unit":       {rocec, `{"3":{"lossy-lossless":"lossless","headroom":"7 cells"}}`, "up", unread, ""},
		"no such leaf":       {rocec, `{"3":{"lossy-lossless":"lossless"}}`, "up", unread, ""},
		"no JSON":            {rocec, `Error: no such thing`, "up", unread, ""},
		"nothing":            {rocec, `null`, "up", unread, ""},
		"member, enough":     {rocec, `{"3":{"lossy-lossless":"lossless","headroom":1000}}`, "up", good, "bond1"},
		"member, too little": {rocec, `{"3":{"lossy-lossless":"lossless","headroom":800}}`, "up", bad, "bond1"},
		"member, no group":   {rocec, `{"3":{"lossy-lossless":"lossy","headroom":0}}`, "up", unread, "bond1"},
	} {
		answer := "holder:swp1 " + cmp.Or(c.holder, "swp1") + "\n" + fmt.Sprintf("bound:swp1 %s\ngroups:swp1 %s\nlink:swp1 %s\n", c.bound, c.groups, c.link)
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
}

// TestBoundTo: a bond has the profile of the member that needs the most, also where the fabric states sizes and cables are of one class.
func TestBoundTo(t *testing.T) {
	e := &editor{
		settings: &settings{
			profiles: []profile{
				{metres: 40, sizes: &sizes{buffer: 90_000, xoff: 40_000}}, {metres: 40, sizes: &sizes{buffer: 100_000, xoff: 40_000}}, {metres: 5}, {metres: 40},
			},
			ports: []port{{name: "swp1", lossless: 0}, {name: "swp2", lossless: 1}, {name: "swp3", lossless: 3}, {name: "swp4", lossless: 2}, {name: "swp5", lossless: 2}},
		},
		bonds: map[string]string{"swp1": "bond1", "swp2": "bond1", "swp3": "bond2", "swp4": "bond2"},
	}
	for i, want := range []int{1, 1, 3, 3, 2} {
		p := e.ports[i]
		assert.Equal(t, want, e.boundTo(e.holder(p.name), p), p.name)
	}
}
