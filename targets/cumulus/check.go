package cumulus

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/cumulus/grammar"
)

// check reports what a release or a chip cannot do. Its texts name the switch block, not the switch, so that all switches of a block share
// one finding.
func check(d *ir.Device) diag.List {
	var ds diag.List
	sw := d.Switch
	if say := sayRelease(sw.Version); say != "" {
		topicRelease.Errorf(&ds, diag.FirstPlace(sw.VersionAt, d.Decl), "%s", say)
		return ds
	}
	rel, doc, _ := documented(sw.Version)
	for _, p := range d.Ports {
		if _, ok := grammar.ParsePort(p.Name); !ok && (len(p.Buffers()) > 0 || len(p.Marks()) > 0) {
			topicPort.Errorf(&ds, p.At, "%s carries RoCE traffic, but %s names front-panel ports only: "+
				"swp1, or swp1s0 after a split. Name the port so.", p, path.Base(confPath(rel)))
		}
	}
	if !checkVendor(&ds, d, rel) && !checkModel(&ds, d, rel) {
		checkChip(&ds, d, rel)
	}
	checkFaults(&ds, d, rel)
	checkMemory(&ds, d)
	checkTrust(&ds, d, doc)
	checkPFC(&ds, d, rel)
	checkECN(&ds, d, rel, doc)
	if !split(rel) { // later releases have shares of queues, not of priority groups
		checkClasses(&ds, d)
	}
	checkBounce(&ds, d)
	return ds
}

func block(d *ir.Device) string { return fmt.Sprintf("switch %q", d.Group) }

func checkTrust(ds *diag.List, d *ir.Device, doc grammar.Spelling) {
	one := doc.Key(grammar.Switch, grammar.TrustOne)
	if one == nil || d.Fabric.FlowControl == ir.Pause { // link pause needs no classification
		return
	}
	pcp, dscp := trustOf(d.Switch.Intents)
	if len(pcp) == 0 || len(dscp) == 0 {
		return
	}
	const fix = "upgrade the switches and set version to 3.5 or later, or let PCP identify both intents: leave dscp out of the RoCEv2 " +
		"intent's cos group and give the intent a vlan (in one broadcast domain)"
	e := topicTrust.Errorf(ds, diag.FirstPlace(d.Switch.VersionAt, d.Decl), "The switches of %s carry %s, which PCP identifies, and %s, "+
		"which DSCP identifies. Cumulus Linux %s trusts one header field for the whole switch (%s is 802.1p or dscp), so one of the two "+
		"would be best effort and lose packets. From 3.5 on a switch trusts both.",
		block(d), names(pcp), names(dscp), d.Switch.Version, one.Pattern)
	for _, in := range pcp {
		e.Note(in.At, "%s needs PCP: %s", in.Name, map[bool]string{
			true:  "RoCEv1 has no IP header, so only the VLAN tag can identify it",
			false: "its cos group claims no DSCP",
		}[in.Version == 1])
	}
	for _, in := range dscp {
		e.Note(in.At, "%s needs DSCP", in.Name)
	}
	e.Fix = &diag.Fix{Message: fix}
}

func names(intents []*ir.Intent) string {
	out := make([]string, len(intents))
	for i, in := range intents {
		out[i] = fmt.Sprintf("roce %q", in.Name)
	}
	return diag.And(out)
}

func checkChip(ds *diag.List, d *ir.Device, rel grammar.Release) {
	asic := d.Switch.Model.ASIC
	of, listed := chips[asic.Name]
	if listed = listed && of.since != (grammar.Release{}); listed && rel.Compare(of.since) >= 0 {
		return
	}
	which := "no manual from 3.1 to 5.x lists it"
	if listed {
		which = fmt.Sprintf("the first manual that lists it is that of %d.%d", of.since[0], of.since[1])
	}
	topicChip.Warnf(ds, diag.FirstPlace(d.Switch.VersionAt, d.Decl),
		"The switches of %s have the chip %s and run Cumulus Linux %s, whose manual does not list that chip; %s. "+
			"Compare version and model with the switches.", block(d), asic.Title, d.Switch.Version, which).
		Note(d.Switch.ModelAt, "%s has the chip %s", d.Switch.Model.Title, asic.Title)
}

func checkPFC(ds *diag.List, d *ir.Device, rel grammar.Release) {
	asic := d.Switch.Model.ASIC
	var fullest *ir.Port
	var paused *ir.Port
	carried := map[*ir.CosGroup]bool{} // by PFC
	for _, p := range d.Ports {
		if p.ByPause() {
			if len(p.Buffers()) > 0 && paused == nil {
				paused = p
			}
			continue
		}
		for _, b := range p.Buffers() {
			carried[b.Group] = true
		}
		if fullest == nil || len(p.Buffers()) > len(fullest.Buffers()) {
			fullest = p
		}
	}
	if paused != nil && asic.Vendor == platform.Broadcom && rel.Compare(grammar.Release{3, 7}) < 0 {
		topicCutThrough.Warnf(ds, diag.FirstPlace(d.Switch.ModelAt, d.Decl),
			"The switches of %s pause whole links on the chip %s. The manuals up to 3.5 say that link pause together with cut-through "+
				"forwarding causes errors on this chip. Make sure that cut_through_enable in %s is not true.",
			block(d), asic.Title, Path)
	}
	if len(carried) == 0 {
		return
	}
	if !d.Switch.Can.PFC {
		e := topicNoPFC.Errorf(ds, diag.FirstPlace(d.Switch.ModelAt, d.Decl),
			"The switches of %s have the chip %s, on which Cumulus Linux offers no PFC. These switches would drop lossless traffic: route it "+
				"around them, or use another model.", block(d), asic.Title)
		for _, g := range d.Fabric.CosGroups {
			if carried[g] {
				e.Note(g.LosslessAt, "%s is lossless and passes through these switches", g.Name)
			}
		}
		return
	}
	var lossless []*ir.Buffer // without groups of CNPs: a separate check reports a lossless one
	for _, b := range fullest.Buffers() {
		if !slices.ContainsFunc(d.Fabric.Intents, func(in *ir.Intent) bool { return in.CNP == b.Group }) {
			lossless = append(lossless, b)
		}
	}
	if n := len(lossless); n > d.Switch.Can.Lossless || n > 1 && d.Switch.Can.Shared {
		var list []string
		for _, b := range lossless {
			list = append(list, b.Group.Name)
		}
		why := "Each group needs separate headroom; in practice two are the limit."
		if d.Switch.Can.Shared {
			why = "On " + asic.Title + " the lossless groups of a port share one buffer: when one of them is congested, the others are paused too."
		}
		e := topicLossless.Warnf(ds, lossless[n-1].Group.LosslessAt, "Ports of %s carry %d lossless groups: %s. %s "+
			"Put the intents into one lossless group, or leave only one of them lossless.", block(d), n, strings.Join(list, ", "), why)
		for _, b := range lossless[:n-1] {
			e.Note(b.Group.LosslessAt, "%s is lossless, too", b.Group.Name)
		}
	}
	for _, g := range d.Fabric.CosGroups {
		if carried[g] && g.Cos == CosCPU && asic.Vendor == platform.Broadcom {
			topicCPU.Warnf(ds, g.CosAt, "The lossless group %s has cos %d, which the vendor's templates reserve for traffic the switch's "+
				"CPU sends. On the chip %s of %s that traffic would share its buffer. Take cos 4 or 5.", g.Name, CosCPU, asic.Title, block(d))
		}
	}
}

func checkECN(ds *diag.List, d *ir.Device, rel grammar.Release, doc grammar.Spelling) {
	asic := d.Switch.Model.ASIC
	var marks []*ir.Mark // the first of each group
	seen := map[*ir.CosGroup]bool{}
	var clash []*ir.Mark // the first pair of marks with different thresholds at one port
	for _, p := range d.Ports {
		for _, m := range p.Marks() {
			if !seen[m.Group] {
				seen[m.Group] = true
				marks = append(marks, m)
			}
			if first := p.Marks()[0]; clash == nil && (first.Min.N != m.Min.N || first.Max.N != m.Max.N || first.Probability.N != m.Probability.N) {
				clash = []*ir.Mark{first, m}
			}
		}
	}
	if clash != nil {
		e := topicECNGroups.Errorf(ds, ecnAt(clash[1]), "Ports of %s mark %s and %s with different thresholds. In %s a port has one ECN port "+
			"group, with one set of thresholds for all its cos. Give both groups the same min, max and probability.",
			block(d), clash[0].Group.Name, clash[1].Group.Name, path.Base(confPath(rel)))
		for _, m := range clash {
			e.Note(ecnAt(m), "%s: min %d, max %d bytes, %d %%", m.Group.Name, m.Min.N, m.Max.N, m.Probability.N)
		}
	}
	if doc.Marking() == "" && clash == nil {
		checkDefaultMarking(ds, d)
	}
	if len(marks) == 0 {
		return
	}
	early := rel.Compare(grammar.Release{3, 2}) < 0 && asic.Vendor == platform.Broadcom // manual of 3.1.2: Spectrum only
	if !d.Switch.Can.ECN || early {
		why := fmt.Sprintf("the chip %s, on which Cumulus Linux offers no ECN", asic.Title)
		if d.Switch.Can.ECN {
			why = fmt.Sprintf("release %s and the chip %s; this release marks on Spectrum only", d.Switch.Version, asic.Title)
		}
		e := topicNoECN.Errorf(ds, diag.FirstPlace(d.Switch.ModelAt, d.Decl),
			"The switches of %s have %s. RoCEv2 senders would never learn of congestion there, and only PFC would act. Use another model, or "+
				"leave out the ecn block of the cos group.", block(d), why)
		for _, m := range marks {
			e.Note(ecnAt(m), "%s asks for marking", m.Group.Name)
		}
		return
	}
	for _, m := range marks {
		if doc.Key(cmp.Or(doc.Marking(), doc.DefaultMarking()), grammar.MinThreshold) == nil {
			topicThresholds.Warnf(ds, ecnAt(m), "The manual of Cumulus Linux %s, which %s runs, has no keys for ECN thresholds: the switch "+
				"marks %s with its default thresholds, unless its traffic.conf shows the keys. From 3.3 on the thresholds can be set.",
				d.Switch.Version, block(d), m.Group.Name)
		}
		if chips[asic.Name].drops {
			topicDrops.Warnf(ds, ecnAt(m), "On the chip %s of %s, marking %s also turns on early drops, with the same thresholds, of packets "+
				"that cannot be marked: RoCEv1, and all other packets with cos %d and without ECN bits. Keep such traffic out of this cos.",
				asic.Title, block(d), m.Group.Name, m.Group.Cos)
		}
	}
}

// checkDefaultMarking refuses ports with different thresholds on 4.4, which has one set of thresholds for all ports.
func checkDefaultMarking(ds *diag.List, d *ir.Device) {
	var first *ir.Port
	for _, p := range d.Ports {
		if len(p.Marks()) == 0 {
			continue
		}
		if first == nil {
			first = p
			continue
		}
		a, b := markingOf(first), markingOf(p)
		if a.min.N == b.min.N && a.max.N == b.max.N && a.probability.N == b.probability.N {
			continue
		}
		e := topicECNGroups.Errorf(ds, ecnAt(p.Marks()[0]),
			"Ports %s and %s of %s mark with different thresholds, but by the manual Cumulus Linux %s has one set of thresholds for all ports. "+
				"Give the ecn block min, max and probability, or upgrade the switches to 5.0 or later.",
			first.Name, p.Name, block(d), d.Switch.Version)
		for _, x := range []struct {
			p *ir.Port
			m marking
		}{{first, a}, {p, b}} {
			e.Note(x.p.At, "%s: min %d, max %d bytes, %d %%", x.p.Name, x.m.min.N, x.m.max.N, x.m.probability.N)
		}
		return
	}
}

func ecnAt(m *ir.Mark) diag.Range {
	if m.Group.ECN == nil {
		return m.Group.At
	}
	return m.Group.ECN.At
}

// checkClasses notes where groups share a priority group but ask for different weights: traffic.conf has one weight
// for all RoCE groups and one for the rest.
func checkClasses(ds *diag.List, d *ir.Device) {
	roce := roceGroups(d.Fabric)
	first := map[string]*ir.CosGroup{}
	for _, g := range d.Fabric.CosGroups {
		class := classOf(g, roce)
		if class == control || g.Weight == 0 {
			continue
		}
		o := first[class]
		if o == nil {
			first[class] = g
			continue
		}
		if o.Weight != g.Weight {
			topicWeights.Noticef(ds, g.At, "The groups %s (weight %d) and %s (weight %d) are in one priority group of traffic.conf, %s, "+
				"which has one weight, the sum of both. How the chip divides it is not documented. Give them the same weight "+
				"to define their shares.", o.Name, o.Weight, g.Name, g.Weight, class).
				Note(o.At, "%s has weight %d", o.Name, o.Weight)
		}
	}
}

// checkBounce warns about a switch where traffic of a group with bounce can arrive from above and go up again. rocec writes no settings
// that move such traffic into the other group.
func checkBounce(ds *diag.List, d *ir.Device) {
	for _, g := range d.Fabric.CosGroups {
		if !d.Bounces(g) {
			continue
		}
		topicBounce.Warnf(ds, g.At, "Traffic of %q that comes down into the switches of %s and goes up again must move into %q. %s has no "+
			"key that matches the egress port, and rocec writes no ACL rules that do: the "+
			"PFC-loop verdict depends on your own rules there.", g.Name, block(d), g.Bounce.Name, fileText(d))
	}
}

// fileText returns the base name of the classification file of a switch.
func fileText(d *ir.Device) string {
	r, _ := grammar.ParseRelease(d.Switch.Version)
	return path.Base(confPath(r))
}
