package sonic

import (
	"fmt"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/sonic/grammar"
)

// Check reports settings that a release cannot have or CONFIG_DB cannot express. It reports nothing for a release that rocec does not
// write. Details name the switch block, so that all switches of a block have the same detail.
func Check(d *ir.Device) diag.List {
	var ds diag.List
	if ds = append(CheckRelease(d), CheckModel(d)...); ds.HasErrors() {
		return ds
	}
	ds = append(ds, CheckMemory(d)...)
	ds = append(ds, CheckLookup(d)...)
	v, err := grammar.ParseVersion(d.Switch.Version)
	if err != nil { // already reported
		return ds
	}
	checkPauses(&ds, d)
	checkTrust(&ds, d)
	checkGroups(&ds, d)
	checkMarks(&ds, d, v.Release)
	checkBounce(&ds, d)
	return ds
}

func block(d *ir.Device) string { return fmt.Sprintf("switch %q", d.Group) }

// checkPauses refuses link pause: rocec knows no table of CONFIG_DB for it.
func checkPauses(ds *diag.List, d *ir.Device) {
	for _, p := range d.Ports {
		if len(p.Buffers()) > 0 && p.ByPause() {
			topicPause.Errorf(ds, diag.FirstPlace(p.Link().FlowControlAt, d.Fabric.FlowControlAt, p.At),
				"The cable at %s of %s is lossless by link pause, and rocec knows no SONiC table that turns link pause on. Use PFC "+
					"there, or configure the switch by hand.", p.Name, block(d))
			return
		}
	}
}

// checkTrust refuses a port that receives both traffic identified by DSCP and traffic identified by PCP.
func checkTrust(ds *diag.List, d *ir.Device) {
	for _, p := range d.Ports {
		entering := p.Entering()
		if t := ir.TrustOf(entering); !t.DSCP || !t.PCP {
			continue
		}
		i := slices.IndexFunc(entering, func(in *ir.Intent) bool { return !in.ByDSCP() })
		j := slices.IndexFunc(entering, (*ir.Intent).ByDSCP)
		topicTrust.Errorf(ds, entering[i].VersionAt, "Port %s of %s receives traffic of %s, which PCP identifies, and of %s, which DSCP "+
			"identifies. A SONiC port trusts only one of them. No source states which one if both maps are bound. Use DSCP for both "+
			"(RoCEv2 with a dscp in their cos groups), or separate switches.", p.Name, block(d), entering[i].Name, entering[j].Name)
		return
	}
}

// checkGroups checks lossless groups.
func checkGroups(ds *diag.List, d *ir.Device) {
	said := map[*ir.CosGroup]bool{}
	for _, p := range d.Ports {
		for _, b := range p.Buffers() {
			g := b.Group
			if said[g] || p.ByPause() {
				continue
			}
			said[g] = true
			if g.Cos == lossyGroup {
				topicGroup.Errorf(ds, diag.FirstPlace(g.CosAt, g.At), "The cos group %q is lossless with cos 0. All lossy traffic is "+
					"in priority group 0 of %s, so it would be paused, too. Give the group another cos, such as 3.", g.Name, block(d))
			}
			if w := g.PFC; w != nil && (w.Buffer.Set() || w.Xoff.Set() || w.XonDelta.Set()) {
				topicSizes.Warnf(ds, w.At, "The cos group %q states buffer sizes. SONiC reads the sizes of %s from its own table, by speed and "+
					"cable length, or computes them, so rocec does not write them. `rocec verify` compares the sizes on the switch with those "+
					"needed. Leave the sizes out.",
					g.Name, block(d))
			}
		}
	}
}

// checkMarks refuses several marking profiles where a patch cannot add one.
func checkMarks(ds *diag.List, d *ir.Device, r grammar.Release) {
	if r >= free {
		return
	}
	var first *ir.Mark
	for _, p := range d.Ports {
		for _, m := range p.Marks() {
			if first == nil {
				first = m
			}
			if m.Min.N == first.Min.N && m.Max.N == first.Max.N && m.Probability.N == first.Probability.N {
				continue
			}
			at := d.At
			if m.Group.ECN != nil {
				at = m.Group.ECN.At
			}
			topicMarks.Errorf(ds, at, "Queues of %s should mark from %d to %d bytes with %d %%, and others from %d to %d bytes with "+
				"%d %%. Up to 202505 a patch adds no marking profile and changes only the thresholds of %s, so all queues share one "+
				"set. Give every ecn block the same min, max and probability, or use an image of 202511 or later.",
				block(d), first.Min.N, first.Max.N, first.Probability.N,
				m.Min.N, m.Max.N, m.Probability.N, azure)
			return
		}
	}
}

// checkBounce warns where traffic of a group with bounce can come down into a switch and go up again: no setting that rocec writes moves
// it into the other group.
func checkBounce(ds *diag.List, d *ir.Device) {
	for _, g := range d.Fabric.CosGroups {
		if !d.Bounces(g) {
			continue
		}
		topicBounce.Warnf(ds, g.At, "Traffic of %q that comes down into the switches of %s and goes up again must move into %q. No table of "+
			"SONiC that rocec writes does this, so the PFC-loop verdict depends on your own rules.", g.Name, block(d), g.Bounce.Name)
	}
}
