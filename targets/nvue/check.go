package nvue

import (
	"fmt"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/cumulus"
	"github.com/rocec/rocec/targets/nvue/grammar"
)

// Check reports settings that a release or a chip does not support. Details name the switch block, so that all switches of a block have
// the same detail.
func Check(d *ir.Device) diag.List {
	var ds diag.List
	sw := d.Switch
	rel, ok := grammar.ParseRelease(sw.Version)
	if !ok || rel.Compare(grammar.First) < 0 || rel.AtLeast(6, 0) {
		topicRelease.Errorf(&ds, diag.FirstPlace(sw.VersionAt, d.Decl), "rocec writes the tree of NVUE for Cumulus Linux %d.%d to "+
			"5.x, and the switches of %s state %s. Write the VERSION_ID of /etc/os-release on the switch.",
			grammar.First[0], grammar.First[1], block(d),
			stated(sw.Version))
		return ds
	}
	if sw.Model.ASIC.Vendor != platform.Mellanox {
		topicChip.Errorf(&ds, diag.FirstPlace(sw.ModelAt, d.Decl), "The switches of %s are %s, with the chip %s. Cumulus Linux runs "+
			"only on Spectrum from 4.4 on, so model or version is wrong.", block(d), sw.Model.Title, sw.Model.ASIC.Title)
	}
	ds = append(ds, cumulus.CheckModel(d)...)
	if rel.Compare(grammar.Release{grammar.Newest[0], grammar.Newest[1] + 1}) >= 0 {
		topicNewer.Warnf(&ds, diag.FirstPlace(sw.VersionAt, d.Decl), "Cumulus Linux %s, which %s runs, is newer than %d.%d, the "+
			"newest whose reference rocec knows. rocec assumes the same paths; check `nv config diff` before the apply.",
			sw.Version, block(d), grammar.Newest[0], grammar.Newest[1])
	}
	checkLossless(&ds, d, rel)
	checkBonds(&ds, d)
	checkBounce(&ds, d)
	return ds
}

func block(d *ir.Device) string { return fmt.Sprintf("switch %q", d.Group) }

func stated(version string) string {
	if version == "" {
		return "no version"
	}
	return diag.Escape(version)
}

// checkLossless checks the buffers of ports.
func checkLossless(ds *diag.List, d *ir.Device, rel grammar.Release) {
	var fullest *ir.Port
	sizes, none := map[*ir.CosGroup]bool{}, map[*ir.CosGroup]bool{}
	for _, p := range d.Ports {
		if !p.ByPause() && (fullest == nil || len(p.Buffers()) > len(fullest.Buffers())) {
			fullest = p
		}
		for _, b := range p.Buffers() {
			if w := b.Group.PFC; w != nil && w.XonDelta.Set() {
				sizes[b.Group] = true
				none[b.Group] = none[b.Group] || b.XonDelta.N == 0
			}
		}
	}
	if fullest != nil && len(fullest.Buffers()) > 1 {
		var list []string
		for _, b := range fullest.Buffers() {
			list = append(list, b.Group.Name)
		}
		last := fullest.Buffers()[len(fullest.Buffers())-1].Group
		topicLossless.Warnf(ds, last.LosslessAt, "Ports of %s carry %d lossless groups: %s. They share one buffer on %s, so when one of them is "+
			"congested, the others are paused, too. Put the intents into one lossless group, or leave only one of them lossless.",
			block(d), len(list), strings.Join(list, ", "), d.Switch.Model.ASIC.Title)
	}
	for _, g := range d.Fabric.CosGroups {
		if none[g] {
			topicXon.Errorf(ds, g.PFC.At, "The cos group %q states xon_delta = 0, and NVUE, which configures the switches of %s, needs at "+
				"least 1 B for xon-threshold. State a delta of some cells, or leave xon_delta out.", g.Name, block(d))
		}
	}
	if rel.AtLeast(5, 17) {
		return
	}
	for _, g := range d.Fabric.CosGroups {
		if sizes[g] {
			topicXon.Warnf(ds, g.PFC.At, "The cos group %q states xon_delta, and %s runs Cumulus Linux %s. The manual of 5.17 defines "+
				"xon-threshold as bytes below xoff-threshold, and rocec writes it in this form. An older manual counts from 0, and then the "+
				"same number ends pauses later. Leave sizes to the switch, or compare `nv show interface swp1 qos buffer ingress-priority-group`.",
				g.Name, block(d), d.Switch.Version)
		}
	}
}

// checkBonds reports that rocec learns the names of bonds only by reading the switch.
func checkBonds(ds *diag.List, d *ir.Device) {
	for _, p := range d.Ports {
		if cumulus.Bonded(p) { // a port without a buffer has a scheduler, too
			topicBonded.Noticef(ds, diag.FirstPlace(p.Link().BondAt, p.At), "Ports of %s are in bonds. NVUE accepts settings of QoS for "+
				"a bond, and refuses them for its members. rocec reads the bonds of a switch from its tree; the output of `rocec "+
				"build` names the ports, so this output fits only switches without bonds.", block(d))
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
		topicBounce.Warnf(ds, g.At, "Traffic of %q that comes down into the switches of %s and goes up again must move into %q. No path of "+
			"NVUE that rocec writes does this, so the PFC-loop verdict depends on your own rules.", g.Name, block(d), g.Bounce.Name)
	}
}
