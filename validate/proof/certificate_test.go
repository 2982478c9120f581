package proof

import (
	"slices"
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

	// A host that forwards is below the switches. With one cable it is an end point, with two it is a valley.
	one, two := c.Link("ht", "L0"), c.Link("ht", "L1")
	c.Device("ht").Host.Forwards = true
	assert.True(t, tiered([]*ir.Link{one}))
	assert.False(t, tiered([]*ir.Link{one, two}))
}

func TestASPlan(t *testing.T) {
	clos := func() *irtest.Cabling { return irtest.Clos(ir.EBGP, 2, 2, 2, 2, 1) }
	bridged := clos()
	bridged.Between("T0.0", "A0.0").Routed = false
	tests := []struct {
		name string
		c    *irtest.Cabling
		want bool
	}{
		{"RFC 7938", clos(), true},
		{"one link bridged", bridged, false},
		{"unique numbers", clos().UniqueASNs(), false},
		{"cores with two numbers", clos().ASN("C1", 4_200_000_001), true}, // an agg has the cores of one plane
		{"one core with its own", clos().ASN("C1.1", 4_200_000_001), false},
		{"an agg with its own", clos().ASN("A0.1", 4_200_100_777), false},
		{"a switch without", clos().ASN("T0.0", 0), false},
		{"leaf and spine", irtest.LeafSpine(ir.EBGP, 4, 2).UniqueASNs().ASN("S", 65000), true},
		{"spines joined", irtest.LeafSpine(ir.EBGP, 4, 2).UniqueASNs().ASN("S", 65000).Links("S0-S1"), true},
		{"leaves joined", irtest.LeafSpine(ir.EBGP, 4, 2).UniqueASNs().ASN("S", 65000).Links("L0-L1"), false},
		{"a link past a tier", irtest.Clos(ir.EBGP, 2, 2, 2, 2, 1).Links("T0.0-C0.0").ASN("C0.0", 4_200_100_000), false},
		{"a lossy link to another number", lossySpine(), false},
		{"one number for all", irtest.LeafSpine(ir.EBGP, 4, 2).ASN("", 65000).Links("L0-L1 L1-L2 L2-L0"), true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := fabric(tt.c)
			assert.Equal(t, tt.want, (&Proof{Fabric: f, Groups: f.CosGroups}).asPlan())
		})
	}
}

// lossySpine returns a leaf/spine fabric with an additional spine of another AS that carries nothing lossless. Traffic over this spine
// waits for no buffer, but the paths over it become as long as paths over other spines.
func lossySpine() *irtest.Cabling {
	c := irtest.LeafSpine(ir.EBGP, 3, 2).UniqueASNs().ASN("S", 65000).Links("L0-X L1-X").Tier("X", 2)
	for _, p := range c.Device("X").Ports {
		p.SetBuffers(nil)
	}
	return c
}

// With a bond on two tiers, the path up is as short as the path down.
func TestASPlanNeedsBondsOnOneTier(t *testing.T) {
	c := irtest.LeafSpine(ir.EBGP, 3, 2).UniqueASNs().ASN("S", 65000)
	c.Link("hb", "L0")
	c.Link("hb", "S0")
	f := fabric(c)
	p := &Proof{Fabric: f, Groups: f.CosGroups}
	assert.True(t, p.asPlan())
	h := c.Device("hb").Host
	h.Bonds = []*ir.Bond{{Mode: "802.3ad", NICs: h.NICs}}
	assert.False(t, p.asPlan())
}

// A free verdict that counts bridged cables of a bond as one has that assumption.
func TestBondsAssumed(t *testing.T) {
	for name, c := range map[string]struct {
		links  string
		change func(*ir.Link)
		want   bool
	}{
		"two cables":    {"A-B A-B", func(*ir.Link) {}, true},
		"one cable":     {"A-B B-C", func(*ir.Link) {}, false},
		"routed cables": {"A-B A-B", func(l *ir.Link) { l.Routed = true }, false},
		"no bond":       {"A-B A-B", func(l *ir.Link) { l.Bond = 0 }, false},
		"nothing lossless": {"A-B A-B", func(l *ir.Link) {
			l.A().SetBuffers(nil)
			l.B().SetBuffers(nil)
		}, false},
	} {
		f := fabric(irtest.New(ir.Flooding).Links(c.links))
		first := f.Links[0]
		for _, l := range f.Links {
			l.Routed = false
			if l.A().Device() == first.A().Device() && l.B().Device() == first.B().Device() {
				l.Bond = 1
			}
			c.change(l)
		}
		p := &Proof{Fabric: f, Groups: f.CosGroups, Certificate: ByForest}
		assert.Equal(t, c.want, slices.ContainsFunc(p.assumptions(), func(a Assumption) bool { return a.Code == BondsFormed }), name)
	}
}

// With the numbers that ASPlan proposes, the certificate holds.
func TestASPlanProposed(t *testing.T) {
	for _, c := range []*irtest.Cabling{
		irtest.LeafSpine(ir.EBGP, 4, 3).UniqueASNs(), irtest.Clos(ir.EBGP, 2, 2, 2, 2, 1).UniqueASNs(), irtest.FatTree(ir.EBGP, 4).UniqueASNs(),
	} {
		f := fabric(c)
		p := &Proof{Fabric: f, Groups: f.CosGroups}
		plan := p.ASPlan()
		require.NotEmpty(t, plan)
		for i, set := range plan {
			for _, d := range set {
				d.Switch.ASN = 64512 + i
			}
		}
		assert.True(t, p.asPlan())
	}
	f := fabric(irtest.Ring(ir.EBGP, 5).UniqueASNs())
	assert.Nil(t, (&Proof{Fabric: f, Groups: f.CosGroups}).ASPlan(), "neighbours would share a number")
}

func TestCertificatesCoverOnlyLosslessLinks(t *testing.T) {
	f := fabric(irtest.Ring(ir.ShortestPath, 4))
	assert.Equal(t, Prone, prove(t, f).Verdict)
	f.Links[2].A().SetBuffers(nil) // the cable is not lossless at one end: the circle is cut
	p := prove(t, f)
	assert.Equal(t, Free, p.Verdict)
	assert.Equal(t, ByForest, p.Certificate)
	assert.True(t, p.Any)
}

// TestRanks checks the rank function of every certificate: each turn of the routing raises the rank, in the healthy fabric, after failures
// and while routing converges.
func TestRanks(t *testing.T) {
	lossyBounce := func(c *irtest.Cabling) *irtest.Cabling {
		c.Bounce()
		bulk := &ir.CosGroup{Name: "bulk", Cos: 0}
		c.F.CosGroups = append(c.F.CosGroups, bulk)
		c.Group.Bounce.Bounce = bulk
		return c
	}
	peers := irtest.LeafSpine(ir.UpDown, 4, 2).Links("L0-L1 L2-L3 S0-S1")
	for _, l := range peers.F.Links {
		l.Peer = l.A().Device().Switch != nil && l.B().Device().Switch != nil && Up(l.A(), l.B()) == 0
	}
	tests := []struct {
		c           *irtest.Cabling
		certificate Certificate
		converging  bool
	}{
		{irtest.New(ir.ShortestPath).Links("A-B B-C B-D D-E D-E F-G").Hosts("A", "C", "D", "E", "F", "G"), ByForest, false},
		{irtest.New(ir.AnyPath).Links("A-B B-C B-D D-E").Hosts("A", "C", "E"), ByForest, false},
		{irtest.LeafSpine(ir.UpDown, 4, 2), ByUpDown, false},
		{peers, ByUpDown, false},
		{irtest.Clos(ir.UpDown, 2, 2, 2, 2, 1), ByUpDown, false},
		{irtest.Clos(ir.EBGP, 2, 2, 2, 2, 1), ByASPlan, false},
		{irtest.LeafSpine(ir.EBGP, 4, 3).UniqueASNs().ASN("S", 65000), ByASPlan, false},
		{irtest.LeafSpine(ir.EBGP, 4, 2).UniqueASNs().ASN("S", 65000).Links("S0-S1"), ByASPlan, false},
		{lossyBounce(irtest.LeafSpine(ir.ShortestPath, 4, 2)), ByBounce, true},
		{lossyBounce(irtest.Clos(ir.ShortestPath, 2, 2, 2, 2, 1)), ByBounce, true},
		{lossyBounce(irtest.LeafSpine(ir.AnyPath, 4, 2)), ByBounce, false},
	}
	for _, tt := range tests {
		f := fabric(tt.c)
		t.Run(string(tt.certificate)+" of "+string(f.Routing), func(t *testing.T) {
			p := prove(t, f)
			require.Equal(t, tt.certificate, p.Certificate, p.Reason)
			turns := 0
			raises := func(s ir.State) { turns += assertRank(t, p, s) }
			raises(ir.State{})
			for i, a := range f.Links {
				raises(ir.State{Down: []*ir.Link{a}, Converging: tt.converging})
				for _, b := range f.Links[:i] {
					raises(ir.State{Down: []*ir.Link{a, b}})
				}
			}
			assert.Positive(t, turns)
		})
	}
}

// assertRank requires that every turn of a state raises the rank, and returns the number of turns.
func assertRank(t require.TestingT, p *Proof, s ir.State) (turns int) {
	for _, g := range p.Groups {
		got, err := p.Fabric.Routes.Turns(g, s)
		require.NoError(t, err)
		for _, way := range []struct {
			rows [][]uint64
			to   *ir.CosGroup
		}{{got.Rows, g}, {got.Bounced, g.Bounce}} {
			for id, row := range way.rows {
				in := p.Fabric.Ports[id]
				for _, out := range in.Device().Ports {
					if row != nil && row[out.Index/64]&(1<<(out.Index%64)) != 0 {
						turns++
						require.Less(t, p.Rank(in, g), p.Rank(out.Peer(), way.to), "%s to %s, in %s", in, out, g.Name)
					}
				}
			}
		}
	}
	return turns
}

// TestRanksOfRandomFabrics checks the ranks of random fabrics, with up to two links down.
func TestRanksOfRandomFabrics(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := randomFabric(rt, "R")
		c.F.Routing = rapid.SampledFrom([]ir.Routing{ir.UpDown, ir.EBGP, ir.EBGP, ir.ShortestPath, ir.AnyPath}).Draw(rt, "routing")
		for _, d := range c.F.Devices {
			if d.Switch != nil {
				d.Switch.Tier = rapid.IntRange(1, 3).Draw(rt, "tier")
				d.Switch.ASN = rapid.IntRange(1, 3).Draw(rt, "asn")
			}
		}
		for _, l := range c.F.Links {
			l.Peer = l.A().Device().Switch != nil && l.B().Device().Switch != nil && Up(l.A(), l.B()) == 0
		}
		if rapid.Bool().Draw(rt, "bounce") {
			c.Bounce()
			bulk := &ir.CosGroup{Name: "bulk", Cos: 0}
			c.F.CosGroups = append(c.F.CosGroups, bulk)
			c.Group.Bounce.Bounce = bulk
		}
		p := verdicts(fabric(c), enough())[0].Proof
		if p.Rank == nil {
			rt.Skip()
		}
		down := rapid.SliceOfNDistinct(rapid.SampledFrom(p.Fabric.Links), 0, 2, func(l *ir.Link) int { return l.ID }).Draw(rt, "down")
		assertRank(rt, p, ir.State{Down: down})
	})
}

// TestOneTreeAtATime: spanning tree makes any links free if it controls all of them.
func TestOneTreeAtATime(t *testing.T) {
	c := irtest.Ring(ir.SpanningTree, 4)
	for _, l := range c.F.Links {
		l.Routed = false
	}
	f := fabric(c.Failures(2))
	p := prove(t, f)
	assert.Equal(t, BySpanningTree, p.Certificate, p.Reason)
	assert.True(t, p.Any)
	assert.Nil(t, p.Rank)
	f.Links[0].Routed = true
	assert.NotEqual(t, BySpanningTree, prove(t, f).Certificate)
}

func TestTogether(t *testing.T) {
	c := irtest.LeafSpine(ir.ShortestPath, 2, 2)
	other := &ir.CosGroup{Name: "other", Cos: 5, Lossless: true}
	c.F.CosGroups = append(c.F.CosGroups, other)
	f := fabric(c.Bounce())
	detour := f.CosGroups[2]
	assert.Equal(t, [][]*ir.CosGroup{{c.Group, detour}, {other}}, together(f))
	f.FlowControl = ir.Pause
	assert.Equal(t, [][]*ir.CosGroup{f.CosGroups}, together(f))
	f.FlowControl = ir.PFC
	f.Devices[slices.IndexFunc(f.Devices, func(d *ir.Device) bool { return d.Switch != nil })].Switch.Can.Shared = true
	assert.Equal(t, [][]*ir.CosGroup{f.CosGroups}, together(f))
}

// The assumptions about routing, links, pairs and tunnels belong to the verdicts that depend on them.
func TestAssumptionsOfVerdicts(t *testing.T) {
	clos := func(r ir.Routing) *irtest.Cabling {
		return irtest.New(r).Links("L0-S0 L0-S1 L1-S0 L1-S1").Tier("S", 2).Hosts("L0", "L1")
	}
	direct := clos(ir.ShortestPath).Links("L0-L1")
	for _, name := range []string{"L0", "L1"} {
		direct.Device(name).Switch.MLAG = "rack1"
	}
	rfc7938 := clos(ir.EBGP).UniqueASNs().ASN("S", 65000).Failures(1)
	paired := clos(ir.UpDown).Links("L0-L1")
	for _, name := range []string{"L0", "L1"} {
		paired.Device(name).Switch.MLAG = "rack1"
	}
	paired.Between("L0", "L1").Peer = true
	among := []AssumptionCode{ASNumbers, NoPrepending, LinksFailBothWays, NoMLAGDetour, NoTunnels, Aggregates}
	for name, tt := range map[string]struct {
		c    *irtest.Cabling
		want []AssumptionCode
	}{
		"one switch":               {irtest.New(ir.ShortestPath).Hosts("L0", "L0"), nil},
		"up-down":                  {clos(ir.UpDown).Failures(1), nil},
		"up-down with a pair":      {paired, nil},
		"AS plan":                  {rfc7938, []AssumptionCode{ASNumbers, NoPrepending, Aggregates, NoTunnels}},
		"shortest path, a pair":    {direct, []AssumptionCode{Aggregates, NoMLAGDetour, NoTunnels}},
		"unique AS numbers":        {clos(ir.EBGP).UniqueASNs(), []AssumptionCode{ASNumbers, NoPrepending, Aggregates, NoTunnels}},
		"shortest path":            {clos(ir.ShortestPath), []AssumptionCode{Aggregates, NoTunnels}},
		"shortest path, link down": {clos(ir.ShortestPath).Failures(1), []AssumptionCode{Aggregates, LinksFailBothWays, NoTunnels}},
	} {
		p := prove(t, fabric(tt.c))
		require.Equal(t, Free, p.Verdict, name)
		var got []AssumptionCode
		for _, a := range p.Assumptions {
			if slices.Contains(among, a.Code) {
				got = append(got, a.Code)
			}
			if a.Code == NoMLAGDetour {
				require.Len(t, a.Pairs, 2)
			}
		}
		assert.Equal(t, tt.want, got, name)
	}
}
