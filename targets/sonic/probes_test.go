package sonic

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/target"
)

// TestHeadroom: a headroom below the floor and a missing lossless group are bad. If the databases do not have the headroom, the result is
// neither bad nor good.
func TestHeadroom(t *testing.T) {
	d := &ir.Device{DevicePlaces: &ir.DevicePlaces{}, Name: "leaf1"}
	p := ir.NewPort(d, ir.PortSpec{Name: "Ethernet0", Buffers: []*ir.Buffer{{Group: &ir.CosGroup{Cos: 3}, Need: 1000, Floor: 900}}})
	ir.NewLink(p, nil, ir.Link{LinkFacts: &ir.LinkFacts{}})
	const (
		good, bad, unread = "1", "0", target.NotReadable
		bound             = "map:Ethernet0 ROCEC\nenabled:Ethernet0 3\nasked:Ethernet0 yes\n"
		lossless          = "BUFFER_PG_TABLE:Ethernet0:3 a\nprofile:a {'size': '2000', 'xoff': '1000'}\n"
		lossy             = "BUFFER_PG_TABLE:Ethernet0:%s b\nprofile:b {'size': '2000', 'dynamic_th': '3'}\n"
	)
	for name, c := range map[string]struct{ answer, want string }{
		"enough":              {bound + lossless, good},
		"too little":          {bound + "BUFFER_PG_TABLE:Ethernet0:3-4 a\nprofile:a {'xoff': '800'}\n", bad},
		"no group":            {bound, bad},
		"a lossy group":       {bound + fmt.Sprintf(lossy, "3"), bad},
		"another group":       {bound + lossless + fmt.Sprintf(lossy, "0"), good},
		"one over the other":  {bound + lossless + fmt.Sprintf(lossy, "2-4"), bad},
		"the other way round": {bound + fmt.Sprintf(lossy, "2-4") + lossless, bad},
		"no PFC yet":          {"map:Ethernet0 AZURE\nenabled:Ethernet0 3\nasked:Ethernet0 yes\n", good},
		"no answer":           {"", unread},
		"no profile":          {bound + "BUFFER_PG_TABLE:Ethernet0:3 a\nprofile:a \n", unread},
	} {
		for range 8 { // for every order of a map
			samples := headroomProbe(d, "headroom", []*ir.Port{p}, false).Samples([]byte(c.answer))
			require.Len(t, samples, 1, name)
			got := fmt.Sprint(samples[0].Value)
			if samples[0].Unit == target.UnitFact {
				got = samples[0].Fact
			}
			assert.Equal(t, c.want, got, name)
		}
	}
}
