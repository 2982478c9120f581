package validate

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/proof"
)

// plannedLinks plans the cables "a-b c-d" of a fabric.
func plannedLinks(c *irtest.Cabling, links string) *ir.Fabric {
	for _, l := range c.Cables(links) {
		l.Planned = true
	}
	return fabric(c)
}

// bonded puts the NICs of each host into one bond, which sends by all of them.
func bonded(c *irtest.Cabling, hosts ...string) {
	for _, name := range hosts {
		d := c.Device(name)
		b := &ir.Bond{Name: "bond0", NICs: d.Host.NICs, Mode: "802.3ad"}
		d.Host.Bonds = []*ir.Bond{b}
		for _, n := range d.Host.NICs {
			n.Bond = b
		}
	}
}

// If a leg of a bond is not laid, all traffic of the host uses the other leg, which closes a circle on this ring.
func TestPlannedLeg(t *testing.T) {
	build := func(planned string) Findings {
		c := irtest.New(ir.ShortestPath).Links("e0-e1 e1-e2 e2-e3 e3-e0 ha-e1 ha-e0 hb-e3 hc-e2 hd-e1 he-e0 he-e1").Failures(0)
		bonded(c, "ha", "he")
		return Run(plannedLinks(c, planned), nil)
	}
	assert.Equal(t, Free, build("").Proofs[0].Verdict, "with all legs")
	r := build("he-e1")
	d := only(t, r, "pfc-loop")
	assert.Contains(t, d.Detail, "as long as 1 planned cable is not laid")
	assert.Contains(t, d.Text, "he:p1 - e1:p4 (planned)")
	assert.Contains(t, d.Fix.Message, "1. lay the planned cable before RoCE runs between these members "+
		"(with all cables laid there is no circle)")
	assertProse(t, d)
	assert.Equal(t, Free, build("hb-e3").Proofs[0].Verdict, "a host with one cable only takes its own traffic with it")
}

// On a chain that becomes a mesh, the cable that closes a ring comes after the one that crosses it.
func TestCablingOrder(t *testing.T) {
	build := func(failures int) *irtest.Cabling {
		return irtest.New(ir.ShortestPath).Links("r0-r1 r1-r2 r2-r3 r0-r3 r0-r2 r1-r3").Hosts("r0", "r1", "r2", "r3").Failures(failures)
	}
	r := Run(plannedLinks(build(0), "r0-r3 r0-r2 r1-r3"), nil)
	require.Equal(t, Free, r.Proofs[0].Verdict)
	c := r.Proofs[0].Cabling
	require.Equal(t, proof.OneOrder, c.Outcome)
	d := only(t, r, "pfc-loop-cabling")
	assert.Equal(t, diag.Warning, d.Severity)
	assert.Contains(t, d.Detail, "While 2 planned cables are not laid, lossless traffic of cos group \"rdma\" (priority 3) can fill 4 "+
		"buffers")
	assert.Contains(t, d.Detail, "Cable as below: every step is free.")
	assert.Contains(t, d.Text, "only when 2 planned cables are not laid:")
	assert.Contains(t, d.Text, "a safe order of cabling:\n\n    1. r0:p2 - r2:p2\n    2. r0:p1 - r3:p1\n"+
		"       both ports are shut until 1 has a link at both ends\n"+
		"    3. r1:p2 - r3:p2\n       both ports are shut until 2 has a link at both ends\n")
	assert.Len(t, d.Loop, 4)
	assert.Contains(t, d.Fix.Message, "1. lay the cables in the order above")
	assertProse(t, d)

	d = only(t, Run(plannedLinks(build(1), "r0-r3 r0-r2 r1-r3"), nil), "pfc-loop-cabling")
	assert.Contains(t, d.Detail, "every step is free as long as no link is down; no order is with up to 1 link down.")

	r = Run(plannedLinks(build(0), "r0-r2 r1-r3"), nil)
	assert.Equal(t, Prone, r.Proofs[0].Verdict, "the ring that runs today")
	r = Run(plannedLinks(build(0), "r0-r2"), nil)
	assert.Equal(t, proof.AnyOrder, r.Proofs[0].Cabling.Outcome)
	assert.Contains(t, r.Proofs[0].NoteTexts(), "cable in any order: with any of the 1 planned cable missing there is no circle")
	assert.False(t, slices.ContainsFunc(r.Diagnostics, func(d *diag.Diagnostic) bool { return d.Code == "pfc-loop-cabling" }))
	assert.Nil(t, Run(plannedLinks(build(0), ""), nil).Proofs[0].Cabling)
}

// Two new racks come with their hosts. The hosts stay disconnected until both racks have all of their cables; then also one failed link is
// harmless.
func TestCablingOfRacks(t *testing.T) {
	f := plannedLinks(irtest.LeafSpine(ir.ShortestPath, 4, 2).Failures(1), "L2-S0 L2-S1 L3-S0 L3-S1")
	r := Run(f, nil)
	c := r.Proofs[0].Cabling
	require.Equal(t, proof.OneOrder, c.Outcome)
	assert.Equal(t, 1, c.Down)
	assert.Nil(t, c.Order)
	assert.Len(t, c.Shut, 2)
	d := only(t, r, "pfc-loop-cabling")
	assert.Contains(t, d.Detail, "every step is free, also with up to 1 link down.")
	assert.Contains(t, d.Text, "1. shut the ports to hosts: L[2-3]:p2\n    2. the planned cables between switches, in any order\n"+
		"    3. once all of them have a link at both ends: open the ports to hosts, in any order\n")
	assertProse(t, d)
}

// In this fabric each of two cables alone closes a circle that both together break.
func TestCablingWithoutOrder(t *testing.T) {
	c := irtest.New(ir.ShortestPath).Links("n0-n1 n1-n2 n0-n3 n3-n4 n4-n5 n5-n6 n6-n0 n1-n3 n0-n2 n2-n5").
		Hosts("n2", "n3", "n4", "n5", "n6").Failures(0)
	r := Run(plannedLinks(c, "n3-n4 n5-n6"), nil)
	require.Equal(t, proof.NoOrder, r.Proofs[0].Cabling.Outcome)
	d := only(t, r, "pfc-loop-cabling")
	assert.Contains(t, d.Detail, "and every order of laying the cables passes such a state")
	assert.NotContains(t, d.Text, "a safe order")
	assert.Contains(t, r.Proofs[0].NoteTexts(), "no order of cabling is safe: "+
		"some of the 2 planned cables make it prone while others are missing")
}

// If the budget ends first, the warning contains "not judged" and the flag.
func TestCablingNotJudged(t *testing.T) {
	f := plannedLinks(irtest.LeafSpine(ir.ShortestPath, 12, 4).Failures(1),
		"L9-S0 L9-S1 L9-S2 L9-S3 L10-S0 L10-S1 L10-S2 L10-S3 L11-S0 L11-S1 L11-S2 L11-S3")
	seen := map[string]bool{}
	for steps := int64(100_000); steps < 1<<34; steps = steps * 5 / 4 {
		r := Run(f, ir.NewBudget(steps))
		if r.Proofs[0].Verdict != Free {
			continue
		}
		d := only(t, r, "pfc-loop-cabling")
		if r.Proofs[0].Cabling.Outcome != proof.NotJudged {
			seen["judged"] = true
			break
		}
		assert.Equal(t, diag.Warning, d.Severity)
		assert.Contains(t, d.Detail, "not judged: ")
		assert.Contains(t, d.Detail, "--budget 1m may be enough")
		assert.Contains(t, d.Fix.Message, "--budget 1m")
		assert.Contains(t, r.Proofs[0].NoteTexts(), "not judged: whether the 12 planned cables can be laid in any order")
		switch {
		case strings.Contains(d.Detail, "not judged: all sets of the 12 planned cables that may be missing"):
			seen["sets"] = true
		case strings.Contains(d.Detail, "not judged: whether some order of laying the 12 planned cables avoids that"):
			seen["order"] = true
		}
	}
	assert.Equal(t, map[string]bool{"sets": true, "order": true, "judged": true}, seen)
}

// Tables describe forwarding with the laid cables. Forwarding while some are missing is not judged.
func TestCablingByTables(t *testing.T) {
	c := irtest.New(ir.TablePath).Links("A-B B-C C-A").Hosts("A", "B", "C")
	flows := []*ir.Flow{c.Flow("hAx3 A B hBx4")}
	f := c.Fabric()
	f.Routes = &irtest.Explicit{Fabric: f, Flows: func(ir.State) []*ir.Flow { return flows }}
	assert.Nil(t, Run(f, nil).Proofs[0].Cabling)
	c.Between("C", "A").Planned = true
	d := only(t, Run(f, nil), "pfc-loop-cabling")
	assert.Contains(t, d.Detail, "With the current tables the fabric is free of PFC loops.")
	assert.Contains(t, d.Detail, "not judged: the tables while some of the 1 planned cable are laid. "+
		"Read the tables again after each cable")
	assert.Nil(t, d.Fix)
}

// AS numbers that pods share would cut them off: the leaf of one pod has only the path over the tier that shares its number.
func TestPlanThatCutsPods(t *testing.T) {
	pods := func(more string) *irtest.Cabling {
		return irtest.New(ir.ShortestPath).Links("P0-A0 P1-A0 P1-A1 A0-T0 A0-T1 A1-T2 A1-T3 P2-A2 P3-A2 P3-A3 A2-T0 A2-T1 A3-T2 A3-T3 "+more).
			Tier("A", 2).Tier("T", 3).Hosts("P0", "P1", "P2", "P3")
	}
	r := Run(fabric(pods("P1-A3").Failures(1)), nil)
	d := only(t, r, "pfc-loop")
	assert.NotNil(t, r.Proofs[0].ASPlan())
	assert.NotContains(t, d.Fix.Message, "AS numbers")
	assert.Contains(t, d.Fix.Message, "1. have the switches' routing never send traffic up again")
	assert.Contains(t, d.Fix.Message, "pairs of switches that talk lose the last path when a certain link fails, and have a detour today")

	r = Run(fabric(pods("P0-A1 P2-A3 P0-A2").Failures(0)), nil)
	d = only(t, r, "pfc-loop-transient")
	assert.NotNil(t, r.Proofs[0].ASPlan())
	assert.NotContains(t, d.Fix.Message, "AS numbers")
	assert.Contains(t, d.Fix.Message, "1. have the switches' routing never send traffic up again")
}

// The price of a cable that is taken out shows the paths of the fabric without it.
func TestPricesAreMeasured(t *testing.T) {
	c := irtest.Ring(ir.ShortestPath, 4).Failures(0)
	for _, l := range c.F.Links {
		l.Speed = ir.Num{N: 100_000, From: []ir.Origin{{Why: "a test"}}}
	}
	d := only(t, Run(fabric(c), nil), "pfc-loop")
	assert.Contains(t, d.Fix.Message, "take out one cable of the circle, for example R0:p0 - R1:p0 "+
		"(price: its 100G; 1 of 6 pairs of switches that "+
		"talk gets longer paths, at most 3 cables instead of 1; over all, paths are 1.25 times as long; 2 of 6 pairs of switches that talk get "+
		"narrower paths, at worst 100G instead of 200G; "+
		"6 of 6 pairs of switches that talk lose the last path when a certain link fails, and have "+
		"a detour today)")
}

// A way out that causes an error of any check is not offered, and a warning that it causes is part of its price.
func TestWaysOutGoThroughEveryCheck(t *testing.T) {
	f := fabric(irtest.LeafSpine(ir.ShortestPath, 4, 2).Failures(2))
	proofs := proof.All(f, ir.NewBudget(DefaultBudget))
	loops := func() []*proof.Proof { return proofs }
	offered := func(severity diag.Severity) []string {
		other := &Check{Code: "other", Summary: "a check of the test", Run: func(p *Pass) {
			if p.Fabric.Routing == ir.UpDown {
				p.report(severity)(irtest.Place(2), "it is up-down")
			}
		}}
		a := newAdviser(&Pass{Fabric: f, check: PFCLoop, loops: loops, all: append(slices.Clone(Checks), other), steps: DefaultBudget}, proofs[0])
		a.routers()
		return a.ways
	}
	assert.Empty(t, offered(diag.Error))
	require.Len(t, offered(diag.Warning), 1)
	assert.Contains(t, offered(diag.Warning)[0], "; validate then warns of other)")
	require.Len(t, offered(diag.Notice), 1)
	assert.NotContains(t, offered(diag.Notice)[0], "other")
}

// Opening the legs of a bond one after the other is judged, too: on this ring one of them must not be the first.
func TestCablingOpensLegsInOrder(t *testing.T) {
	c := irtest.New(ir.ShortestPath).Links("e0-e1 e1-e2 e2-e3 e3-e0 ha-e1 ha-e0 hb-e3 hc-e2 hd-e1 he-e0 he-e1 e4-e0").Failures(0)
	bonded(c, "ha", "he")
	p := Run(plannedLinks(c, "he-e0 he-e1 e4-e0"), nil).Proofs[0]
	require.Equal(t, Free, p.Verdict)
	require.Equal(t, proof.OneOrder, p.Cabling.Outcome)
	assert.Nil(t, p.Cabling.Shut)
	place := func(l *ir.Link) int { return slices.Index(p.Cabling.Order, l) }
	assert.Less(t, place(c.Between("he", "e1")), place(c.Between("he", "e0")))
}
