package validate

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/compiler/routes"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/proof"
)

func fabric(c *irtest.Cabling) *ir.Fabric {
	f := c.Fabric()
	f.Routes = routes.New(f)
	return f
}

// only returns the diagnostic with a code, of which there must be exactly one.
func only(t *testing.T, r Findings, code string) *diag.Diagnostic {
	t.Helper()
	var found []*diag.Diagnostic
	for _, d := range r.Diagnostics {
		if d.Code == code {
			found = append(found, d)
		}
	}
	require.Len(t, found, 1, code)
	return found[0]
}

func TestRingReport(t *testing.T) {
	f := fabric(irtest.Ring(ir.ShortestPath, 4))
	for i, p := range f.Ports {
		p.At = f.Links[0].At
		p.At.Start.Byte, p.At.End.Byte = 100+i, 101+i
	}
	d := only(t, Run(f, nil), "pfc-loop")
	assert.Equal(t, diag.Error, d.Severity)
	assert.Equal(t, f.RoutingAt, d.At)
	places := map[diag.Range]bool{}
	for i := range d.Loop {
		places[d.Loop[i].At] = true
		d.Loop[i].At = diag.Range{}
	}
	assert.Len(t, places, 4, "every hop is at the place where a link names its port")
	assert.Equal(t, []diag.Wait{
		{Device: "R0", In: "p0", Out: "p1", CosGroup: "rdma"},
		{Device: "R3", In: "p1", Out: "p0", CosGroup: "rdma"},
		{Device: "R2", In: "p1", Out: "p0", CosGroup: "rdma"},
		{Device: "R1", In: "p1", Out: "p0", CosGroup: "rdma"},
	}, d.Loop)
	assert.Contains(t, d.Text, "the same 4 links make a circle in the other direction too")
	assert.NotContains(t, d.Text, "other set")
	assert.Contains(t, d.Text, "flows that fill it:")
	assert.Contains(t, d.Fix.Message, `tier = 3 on R0, tier = 2 on R[1,3], tier = 1 on R2`)
	assert.Contains(t, d.Fix.Message, "take out one cable of the circle, for example R0:p0 - R1:p0")
	assert.Empty(t, d.Fix.Edits)
	assertProse(t, d)
}

func assertProse(t *testing.T, d *diag.Diagnostic) {
	t.Helper()
	all := d.Detail + d.Text
	if d.Fix != nil {
		all += d.Fix.Message
	}
	assert.NotContains(t, all, "will deadlock")
	for line := range strings.SplitSeq(d.Text, "\n") {
		assert.LessOrEqual(t, len(line), 98)
	}
}

// Planned cables that would break a circle do not break it before they are laid.
func TestPlannedReport(t *testing.T) {
	c := irtest.Ring(ir.ShortestPath, 4)
	for _, ends := range [][2]string{{"R0", "R2"}, {"R1", "R3"}} {
		c.Link(ends[0], ends[1])
	}
	f := fabric(c)
	require.Equal(t, Free, Run(f, nil).Proofs[0].Verdict)
	for _, l := range f.Links[len(f.Links)-2:] {
		l.Planned = true
	}
	d := only(t, Run(f, nil), "pfc-loop")
	assertProse(t, d)
	assert.Contains(t, d.Detail, "in a circle as long as 2 planned cables are not laid: each")
	assert.Contains(t, d.Text, "only when 2 planned cables are not laid:")
	assert.Contains(t, d.Text, "(planned)\n")
	assert.Contains(t, d.Fix.Message, "1. lay the planned cables before RoCE runs between these members")
	assert.NotContains(t, d.Fix.Message, "failures =")
	assert.NotContains(t, d.Fix.Message, "take out one cable")

	f.Failures = 2 // the fabric is also prone with all cables laid
	f.Routes = routes.New(f)
	assert.NotContains(t, only(t, Run(f, nil), "pfc-loop").Fix.Message, "lay the planned cables")
}

func TestFailureReport(t *testing.T) {
	f := fabric(irtest.LeafSpine(ir.ShortestPath, 4, 2).Failures(3))
	r := Run(f, nil)
	d := only(t, r, "pfc-loop")
	assert.Contains(t, d.Detail, "in a circle once 2 links are down")
	assert.Contains(t, d.Text, "only when 2 links are down:")
	assert.Contains(t, d.Text, "down, then up again")
	assert.Contains(t, d.Text, "no set of fewer than 2 failed links makes a circle")
	assert.Contains(t, d.Text, "differ by names only")
	assert.Empty(t, d.Fix.Edits, "no edit makes routers do what it says")
	assert.Contains(t, d.Fix.Message, `1. eBGP on the switches by this plan, which rocec neither writes nor sees yet, and only then routing = "ebgp" with `+
		"AS numbers (asn) shared between switches: one for S[0-1], and a different one for every other switch")
	assert.Contains(t, d.Fix.Message, `2. have the switches' routing never send traffic up again after it came down`)
	assert.Contains(t, d.Fix.Message, "(price: no path gets longer; no path gets narrower; no pair loses its last path when one link fails, "+
		"and more at once were not judged)")
	assert.Contains(t, d.Fix.Message, "failures = 1")
	assert.NotContains(t, d.Fix.Message, "take out one cable", "of a leaf/spine fabric that does not help")
	assert.Equal(t, 2, r.Proofs[0].Failures)
	require.Len(t, r.Proofs[0].Loops[0].Down, 2)
	assertProse(t, d)
}

func bridged(c *irtest.Cabling) *irtest.Cabling {
	for _, l := range c.F.Links {
		l.Routed = false
	}
	return c
}

// No fix of a PFC loop is an edit: it would only change the description of the routers.
func TestNoEditOnlyClaims(t *testing.T) {
	for _, c := range []*irtest.Cabling{
		irtest.LeafSpine(ir.ShortestPath, 4, 2).Failures(2),
		irtest.LeafSpine(ir.AnyPath, 3, 2),
		irtest.LeafSpine(ir.ShortestPath, 2, 2).Hosts("S0", "S1"),
		irtest.FullMesh(ir.ShortestPath, 4).Failures(2),
		irtest.Clos(ir.ShortestPath, 2, 2, 2, 2, 1).Failures(2),
		irtest.Torus(ir.ShortestPath, 3),
		bridged(irtest.LeafSpine(ir.Flooding, 3, 2)),
	} {
		f := fabric(c)
		d := only(t, Run(f, nil), "pfc-loop")
		assert.Empty(t, d.Fix.Edits)
		assert.NotContains(t, d.Fix.Message, "Not tried")
		assertProse(t, d)
	}
}

func TestEBGPIsOfferedNumbers(t *testing.T) {
	f := fabric(irtest.LeafSpine(ir.EBGP, 4, 2).UniqueASNs().Failures(2))
	d := only(t, Run(f, nil), "pfc-loop")
	assert.Contains(t, d.Fix.Message, "1. AS numbers (asn) shared between switches: one for S[0-1], so that")
	assert.Empty(t, d.Fix.Edits)
}

func TestBouncesAreOffered(t *testing.T) {
	offers := func(change func(*irtest.Cabling)) string {
		c := irtest.LeafSpine(ir.ShortestPath, 4, 2).Failures(2)
		change(c)
		return only(t, Run(fabric(c), nil), "pfc-loop").Fix.Message
	}
	lossy := func(c *irtest.Cabling) {
		c.F.CosGroups = append(c.F.CosGroups, &ir.CosGroup{Name: "cnp", Cos: 6, Strict: true}, &ir.CosGroup{Name: "bulk"})
	}
	room := func(most int, shared bool) func(*irtest.Cabling) {
		return func(c *irtest.Cabling) {
			lossy(c)
			for _, d := range c.F.Devices {
				if d.Switch != nil {
					d.Switch.Can.Lossless, d.Switch.Can.Shared = most, shared
				}
			}
		}
	}
	const one, two = "bounce = cos_group.bulk on cos group \"rdma\"", "a separate lossless cos group for it"
	assert.NotContains(t, offers(func(*irtest.Cabling) {}), "bounce")
	assert.Contains(t, offers(lossy), one)
	assert.NotContains(t, offers(lossy), two)
	assert.Contains(t, offers(room(2, false)), two)
	assert.NotContains(t, offers(room(1, false)), two)
	assert.NotContains(t, offers(room(2, true)), two)

	c := irtest.LeafSpine(ir.ShortestPath, 4, 2).Failures(2) // the way out helps
	lossy(c)
	c.Group.Bounce = c.F.CosGroups[2]
	p := Run(fabric(c), nil).Proofs[0]
	assert.Equal(t, Free, p.Verdict)
	assert.Equal(t, proof.ByBounce, p.Certificate)
}

func TestTransientReport(t *testing.T) {
	f := fabric(irtest.LeafSpine(ir.ShortestPath, 4, 4))
	r := Run(f, nil)
	d := only(t, r, "pfc-loop-transient")
	assert.Equal(t, diag.Warning, d.Severity)
	assert.Contains(t, d.Detail, "While routing converges after L0:p0 - S0:p0 fails")
	assert.Contains(t, d.Detail, "a micro-loop between")
	assert.Contains(t, d.Text, "back where it came from")
	assert.Len(t, d.Loop, 2)
	assert.Contains(t, d.Fix.Message, `1. have the switches' routing never send traffic up again`)
	assert.Equal(t, Free, r.Proofs[0].Verdict)
	assertProse(t, d)
}

func TestAllowDeadlockTurnsTheErrorIntoAWarning(t *testing.T) {
	c := irtest.Ring(ir.ShortestPath, 4)
	c.Group.AllowDeadlock = "lab only"
	r := Run(fabric(c), nil)
	d := only(t, r, "pfc-loop")
	assert.Equal(t, diag.Warning, d.Severity)
	assert.Contains(t, d.Detail, `allow_deadlock of "rdma" says: lab only.`)
	assert.Equal(t, Prone, r.Proofs[0].Verdict)
}

func TestProofsOfGroupsJudgedTogether(t *testing.T) {
	c := irtest.Ring(ir.ShortestPath, 4)
	c.F.FlowControl = ir.Pause
	c.F.CosGroups = append([]*ir.CosGroup{{Name: "storage", Cos: 4, Lossless: true}}, c.F.CosGroups...)
	r := Run(fabric(c), nil)
	require.Len(t, r.Proofs, 2)
	for i, cos := range []int{3, 4} {
		assert.Equal(t, Prone, r.Proofs[i].Verdict)
		assert.Equal(t, cos, r.Proofs[i].Group.Cos)
	}
}

func TestBudgetOfRun(t *testing.T) {
	f := fabric(irtest.LeafSpine(ir.ShortestPath, 8, 4).Failures(4))
	r := Run(f, ir.NewBudget(1))
	d := only(t, r, "pfc-loop-unknown")
	assert.Equal(t, diag.Error, d.Severity)
	assert.Contains(t, d.Detail, "--budget 1m may be enough")
	f.CosGroups[0].AllowUnproven = "a lab."
	d = only(t, Run(f, ir.NewBudget(1)), "pfc-loop-unknown")
	assert.Equal(t, diag.Warning, d.Severity)
	assert.Contains(t, d.Detail, `allow_unproven of "rdma" says: a lab.`)
	assert.NotContains(t, d.Detail, "..")
	d = only(t, Run(f, nil), "allow-unproven-unused")
	assert.Contains(t, d.Detail, "the proof has a verdict: prone")
	assert.Equal(t, Prone, Run(f, nil).Proofs[0].Verdict)
}

// cutless is a router whose cuts cannot be found with any budget, so that failures are guessed.
type cutless struct{ ir.Routes }

func (cutless) Cuts([]*ir.CosGroup, []*ir.Link, int, []*ir.Link, *ir.Budget) ([]ir.Cut, error) {
	return nil, ir.ErrBudget
}

// TestGuessedFailures: if the shown failures are not known to be the fewest, the report states that, and does not claim that they are.
func TestGuessedFailures(t *testing.T) {
	f := fabric(irtest.LeafSpine(ir.ShortestPath, 4, 2).Failures(2))
	r := Run(f, nil)
	assert.True(t, r.Proofs[0].Fewest)
	d := only(t, r, "pfc-loop")
	assert.Contains(t, d.Text, "no set of fewer than 2 failed links makes a circle")
	assert.NotContains(t, d.Text, "not known")
	assert.Contains(t, d.Fix.Message, "failures = 1")

	f.Routes = cutless{f.Routes}
	r = Run(f, nil)
	require.Equal(t, Prone, r.Proofs[0].Verdict)
	assert.Equal(t, 2, r.Proofs[0].Failures)
	assert.False(t, r.Proofs[0].Fewest)
	d = only(t, r, "pfc-loop")
	assert.Contains(t, d.Text, "whether fewer failed links make a circle is not known")
	assert.NotContains(t, d.Text, "no set of fewer")
	assert.NotContains(t, d.Fix.Message, "failures = 1")
}

// TestHopPlaces: hops are shown at the kind of place that gives the most different places.
func TestHopPlaces(t *testing.T) {
	circle := Run(fabric(irtest.Ring(ir.ShortestPath, 4)), nil).Proofs[0].Loops[0].Circle
	at := func(line int) (r diag.Range) {
		r.Filename, r.Start.Line = "fabric.hcl", line
		return r
	}
	place := func(port, device, link func(i int) int) (lines []int) {
		for i, h := range circle {
			h.In.At, h.In.Device().At, h.In.Link().At = at(port(i)), at(device(i)), at(link(i))
		}
		for _, h := range hops(circle) {
			lines = append(lines, h.At.Start.Line)
		}
		return lines
	}
	one := func(n int) func(int) int { return func(int) int { return n } }
	each := func(n int) func(int) int { return func(i int) int { return n + i } }
	half := func(n int) func(int) int { return func(i int) int { return n + i/2 } }
	assert.Equal(t, []int{10, 11, 12, 13}, place(each(10), each(20), each(30)))
	assert.Equal(t, []int{20, 20, 21, 21}, place(one(10), half(20), half(30)))
	assert.Equal(t, []int{30, 31, 32, 33}, place(half(10), one(20), each(30)))
	assert.Equal(t, []int{10, 10, 10, 10}, place(one(10), one(20), one(30)))
}
