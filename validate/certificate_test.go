package validate

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
)

func TestForest(t *testing.T) {
	tests := []struct {
		name    string
		links   string
		routing ir.Routing
		want    bool
	}{
		{"no links", "", ir.AnyPath, true},
		{"a chain", "A-B B-C C-D", ir.AnyPath, true},
		{"two trees", "A-B A-C D-E", ir.EBGP, true},
		{"a triangle", "A-B B-C C-A", ir.ShortestPath, false},
		{"parallel cables", "A-B A-B A-B", ir.ShortestPath, true},
		{"parallel cables, flooded", "A-B A-B", ir.Flooding, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := fabric(irtest.New(tt.routing).Links(tt.links))
			assert.Equal(t, tt.want, forest(f, f.Links))
		})
	}
}

func TestTiered(t *testing.T) {
	c := irtest.LeafSpine(ir.UpDown, 3, 2)
	assert.True(t, tiered(c.F.Links[:6]))
	level := c.Link("L0", "L1")
	assert.False(t, tiered(append(c.F.Links[:6:6], level)), "neither up nor down")
	level.Peer = true
	assert.True(t, tiered(append(c.F.Links[:6:6], level)))

	// A host that forwards stands below the switches: with one cable it is an end, with two it is a valley.
	one, two := c.Link("ht", "L0"), c.Link("ht", "L1")
	c.Device("ht").Host.Forwards = true
	assert.True(t, tiered([]*ir.Link{one}))
	assert.False(t, tiered([]*ir.Link{one, two}))
}

func TestCertificatesCoverOnlyLosslessLinks(t *testing.T) {
	c := irtest.Ring(ir.EBGP, 4)
	f := fabric(c)
	assert.Equal(t, Unknown, prove(t, f).verdict)
	f.Links[2].A.Buffers = nil // one end does not count it as lossless: the circle is cut
	p := prove(t, f)
	assert.Equal(t, Free, p.verdict)
	assert.Equal(t, "forest", p.certificate)
	assert.True(t, p.any)
}

func TestLinkPauseJudgesAllGroupsTogether(t *testing.T) {
	c := irtest.Ring(ir.ShortestPath, 4)
	f := fabric(c)
	f.FlowControl = ir.Pause
	f.CosGroups = append(f.CosGroups, &ir.CosGroup{Name: "storage", Cos: 4, Lossless: true})
	ps := proveLoops(f)
	require.Len(t, ps, 1)
	assert.Equal(t, Prone, ps[0].verdict)
	r := Run(f)
	require.Len(t, r.Proofs, 2)
	for _, p := range r.Proofs {
		assert.Equal(t, Prone, p.Verdict)
	}
}

func TestMayFail(t *testing.T) {
	c := irtest.LeafSpine(ir.ShortestPath, 2, 2) // 4 cables between switches, 2 to hosts with one cable
	for i := range 3 {                           // three hosts on both leaves, alike
		name := fmt.Sprint("hb", i)
		c.Link(name, "L0")
		c.Link(name, "L1")
		h := c.Device(name).Host
		h.Bonds = []*ir.Bond{{Mode: "802.3ad", NICs: h.NICs}}
		for _, n := range h.NICs {
			n.Bond = h.Bonds[0]
		}
	}
	f := fabric(c.Failures(1))
	assert.Len(t, mayFail(f), 4+2, "one host's cables stand for those of all three")
	f.Failures = 2
	assert.Len(t, mayFail(f), 4+4, "two hosts can each lose a cable, and it need not be the same one")
	f.Failures = 9
	assert.Len(t, mayFail(f), 4+6)
	for _, d := range f.Devices {
		if d.Host != nil && len(d.Host.Bonds) > 0 {
			d.Host.Bonds[0].Mode = "active-backup"
		}
	}
	assert.Len(t, mayFail(f), 4)
}

// BenchmarkCertificate proves a Clos of 1,000 switches and 32,208 hosts.
func BenchmarkCertificate(b *testing.B) {
	f := largeClos()
	for b.Loop() {
		if p := proveLoops(f)[0]; p.certificate != "up-down" {
			b.Fatal(p.why)
		}
	}
}

// BenchmarkRun runs every check on the same.
func BenchmarkRun(b *testing.B) {
	f := largeClos()
	for b.Loop() {
		if r := Run(f); r.Proofs[0].Verdict != Free {
			b.Fatal(r.Proofs[0].Why)
		}
	}
}

func largeClos() *ir.Fabric {
	c := irtest.LeafSpine(ir.UpDown, 976, 24)
	for l := range 976 {
		for range 32 {
			c.Hosts(fmt.Sprint("L", l))
		}
	}
	for _, p := range c.F.Ports {
		p.Buffers = []*ir.Buffer{{Group: c.Group, Size: ir.Num{N: 70_000}, Xoff: ir.Num{N: 18_000}, XonDelta: ir.Num{N: 2_000}}}
	}
	return fabric(c)
}

// TestUpDownNoPathAgreesWithTheRouter compares the check with an enumeration of paths.
func TestUpDownNoPathAgreesWithTheRouter(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := randomFabric(rt, "R")
		c.F.Routing = ir.UpDown
		for _, d := range c.F.Devices {
			if d.Switch != nil {
				d.Switch.Tier = rapid.IntRange(1, 3).Draw(rt, "tier")
			}
		}
		for _, l := range c.F.Links {
			if a, b := l.A.Device, l.B.Device; a.Switch != nil && b.Switch != nil {
				l.Peer = a.Switch.Tier == b.Switch.Tier
			}
		}
		f := fabric(c)
		lost := 0
		for _, a := range f.Intents[0].Members {
			for _, b := range f.Intents[0].Members {
				if a != b && len(enumerator{c}.paths(a.NIC.Port, b.NIC.Port, nil)) == 0 {
					lost++
				}
			}
		}
		p := &Pass{Fabric: f, check: UpDownNoPath}
		UpDownNoPath.Run(p)
		if (len(p.found) > 0) != (lost > 0) {
			rt.Fatalf("%d ordered pairs have no path, found %d", lost, len(p.found))
		}
	})
}
