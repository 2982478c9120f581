package cumulus

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/cumulus/grammar"
	"github.com/rocec/rocec/targets/cumulus/hardware"
)

// unlisted contains the Spectrum models that the ports chapters of 5.14 to 5.18 do not list, or list in hidden text.
var unlisted = []string{"sn2740", "sn3800", "sn4280", "sn5610n"}

// never reports whether no release runs on a model: no hardware list contains a model of Arista.
func never(m *platform.Switch) bool { return strings.HasPrefix(m.Title, "Arista ") }

// CheckModel checks whether the release of a switch runs on its model. This does not depend on how the switch is configured.
func CheckModel(d *ir.Device) (ds diag.List) {
	if rel, ok := grammar.ParseRelease(d.Switch.Version); ok {
		checkModel(&ds, d, rel)
	}
	return ds
}

// checkModel checks whether a release runs on a model. It returns true if it reported an error.
func checkModel(ds *diag.List, d *ir.Device, rel grammar.Release) (wrong bool) {
	if name := d.Switch.Model.Name; rel.AtLeast(5, 0) && slices.Contains(unlisted, name) {
		topicModel.Noticef(ds, diag.FirstPlace(d.Switch.VersionAt, d.Decl), "The switches of %s are %s and run Cumulus Linux %s. The manuals "+
			"of 5.x that were read (5.14 to 5.18) do not list that model, so it is unknown whether 5.x runs on it. Compare with "+
			"decode-syseeprom and /etc/os-release on the switches.", block(d), d.Switch.Model.Title, d.Switch.Version).
			Note(d.Switch.ModelAt, "the model is stated here")
	}
	if m := d.Switch.Model; never(m) {
		e := topicModel.Errorf(ds, diag.FirstPlace(d.Switch.ModelAt, d.Decl), "The switches of %s are %s and run Cumulus Linux, but no "+
			"hardware list has such a model. Model or os must be wrong in the fabric: compare with decode-syseeprom and /etc/os-release on the "+
			"switches.", block(d), m.Title)
		e.Fix = &diag.Fix{Message: "correct model or os: SONiC runs on it"}
		return true
	}
	hw, ok := hardware.Models[d.Switch.Model.Name]
	if !ok {
		return false
	}
	what, fix := "", ""
	switch {
	case rel.Compare(hw.Since) < 0:
		what = "The first release for it is " + spoken(hw.Since)
		fix = "upgrade the switches to " + spoken(hw.Since) + " or later"
	case hw.Before != (grammar.Release{}) && rel.Compare(hw.Before) >= 0:
		what = fmt.Sprintf("Releases from %s on do not run on it", spoken(hw.Before))
		fix = "run a 3.7 there"
	case hw.Not != (grammar.Release{}) && rel[0] == hw.Not[0] && rel[1] == hw.Not[1]:
		what = fmt.Sprintf("Release %d.%d does not run on it; a later one does", hw.Not[0], hw.Not[1])
		fix = fmt.Sprintf("run a later release than %d.%d there", hw.Not[0], hw.Not[1])
		if hw.Since == (grammar.Release{}) {
			what, fix = strings.Replace(what, "one does", "one, or 3.7, does", 1), fix+", or 3.7"
		}
	case rel.Compare(hw.Full) < 0 && slices.ContainsFunc(d.Ports, func(p *ir.Port) bool { return p.Speed() > hw.Slow }):
		what = fmt.Sprintf("Before %s its ports run at %s at most", spoken(hw.Full), platform.SpeedText(hw.Slow))
		fix = fmt.Sprintf("upgrade the switches to %s or later", spoken(hw.Full))
	default:
		return false
	}
	e := topicModel.Errorf(ds, diag.FirstPlace(d.Switch.VersionAt, d.Decl),
		"The switches of %s are %s and run Cumulus Linux %s. %s. Model or version must be wrong in the fabric: compare with decode-syseeprom "+
			"and /etc/os-release on the switches.", block(d), d.Switch.Model.Title, d.Switch.Version, what)
	e.Note(d.Switch.ModelAt, "the model is stated here")
	e.Fix = &diag.Fix{Message: "correct model or version, or " + fix}
	return true
}

// usual returns the release for a draft: the newest release with traffic.conf that runs on the model, else an early one with NVUE.
func usual(m *platform.Switch) string {
	for _, version := range []string{newest, "3.7.16", "5.9.1"} {
		if rel, _ := grammar.ParseRelease(version); fitsModel(m, rel) {
			return version
		}
	}
	since := hardware.Models[m.Name].Since
	if chip := chips[m.ASIC.Name].since; chip.Compare(since) > 0 {
		since = chip
	}
	return fmt.Sprintf("%d.%d.%d", since[0], since[1], since[2])
}

// fitsModel reports whether a release runs on a model.
func fitsModel(m *platform.Switch, rel grammar.Release) bool {
	hw := hardware.Models[m.Name]
	gone := hw.Before != (grammar.Release{}) && rel.Compare(hw.Before) >= 0 || hw.Not == (grammar.Release{rel[0], rel[1]})
	spectrum := m.ASIC.Vendor == platform.Mellanox
	return !gone && rel.Compare(hw.Since) >= 0 && rel.Compare(chips[m.ASIC.Name].since) >= 0 && (spectrum || !split(rel))
}

// runs reports whether rocec writes for a release, and the release runs on a model with all its speeds. For a nil model it only reports
// whether rocec writes for the release.
func runs(m *platform.Switch, version string) bool {
	rel, ok := grammar.ParseRelease(version)
	if !ok || sayRelease(version) != "" {
		return false
	}
	return m == nil || fitsModel(m, rel) && !never(m) && rel.Compare(hardware.Models[m.Name].Full) >= 0
}

// checkVendor refuses chips on which a release does not run. Source: 4.4 and later support Spectrum chips only.
func checkVendor(ds *diag.List, d *ir.Device, rel grammar.Release) (wrong bool) {
	if !split(rel) || d.Switch.Model.ASIC.Vendor == platform.Mellanox {
		return false
	}
	e := topicModel.Errorf(ds, diag.FirstPlace(d.Switch.VersionAt, d.Decl), "The switches of %s are %s and run Cumulus Linux %s. Releases "+
		"from 4.4 on run on Spectrum chips only, and theirs is %s. Model or version must be wrong in the fabric: compare with "+
		"decode-syseeprom and /etc/os-release on the switches.", block(d), d.Switch.Model.Title, d.Switch.Version, d.Switch.Model.ASIC.Title)
	e.Note(d.Switch.ModelAt, "the model is stated here")
	e.Fix = &diag.Fix{Message: "correct model or version: 4.3 is the last release for such chips"}
	return true
}

// spoken spells a release without a last 0: "4.0", "3.7.2".
func spoken(r grammar.Release) string {
	if r[2] == 0 {
		return fmt.Sprintf("%d.%d", r[0], r[1])
	}
	return fmt.Sprintf("%d.%d.%d", r[0], r[1], r[2])
}

// fault is a bug of a release that affects lossless traffic.
type fault struct {
	id     string               // the vendor's number
	in     [][2]grammar.Release // from and to, inclusive
	chip   string               // empty: every
	model  string               // empty: every
	meets  func(*ir.Device) bool
	says   string
	fix    string
	notice bool // a note only: it does not affect what rocec does
}

// faults contains bugs from the release notes of 4.0, which name no release that fixes them. The notes of later releases were not
// searched.
var faults = []fault{
	{
		id: "CM-28061", in: [][2]grammar.Release{{{3, 7, 11}, {3, 7, 12}}, {{4, 0, 0}, {4, 0, 0}}}, chip: "trident3",
		meets: func(d *ir.Device) bool { return slices.ContainsFunc(d.Ports, byPFC) },
		says:  "PFC for one cos pauses all cos, so congestion of RoCE stops every class of the link",
		fix:   "run 3.7.10 or older there, or a release of which the vendor says that CM-28061 is fixed",
	},
	{
		id: "CM-28150", in: [][2]grammar.Release{{{4, 0, 0}, {4, 0, 0}}}, chip: "trident3",
		meets: func(d *ir.Device) bool { return versionTwo(d) },
		says:  "by default the switch marks all traffic as congested, so RoCEv2 senders slow down although no queue is long",
		fix:   "run a 3.7 there, or a release of which the vendor says that CM-28150 is fixed",
	},
	{
		id: "CM-27801", in: [][2]grammar.Release{{{4, 0, 0}, {4, 0, 0}}}, model: "sn3700c",
		meets: func(d *ir.Device) bool { return splitAt(d, 50_000) },
		says:  "switchd does not start while a port is split into 2x50G, and a change of traffic.conf may restart switchd",
		fix:   "run a later release there, or do not split ports into 2x50G",
	},
	{
		id: "CM-19724", in: [][2]grammar.Release{{{3, 5, 2}, {3, 7, 12}}, {{4, 0, 0}, {4, 0, 0}}},
		meets: func(d *ir.Device) bool { b := buffers(d); return b != nil && b[6] },
		says:  "the switch sends PIM and MSDP with cos 6, which is lossless here, so a pause of RoCE also stops multicast routing",
		fix:   "give the lossless group another cos than 6",
	},
	{
		id: "CM-28156", in: [][2]grammar.Release{{{4, 0, 0}, {4, 0, 0}}}, notice: true,
		meets: func(d *ir.Device) bool { return d.Switch.Can.Shared && buffers(d) != nil },
		says:  "NCLU's storage-optimized pfc crashes on the shipped datapath.conf, whose comments are not ASCII",
		fix:   "do not use NCLU's RoCE commands on these switches",
	},
}

// checkFaults warns of known faults of the release.
func checkFaults(ds *diag.List, d *ir.Device, rel grammar.Release) {
	for _, f := range faults {
		in := false
		for _, span := range f.in {
			in = in || rel.Compare(span[0]) >= 0 && rel.Compare(span[1]) <= 0
		}
		if !in || f.chip != "" && f.chip != d.Switch.Model.ASIC.Name || f.model != "" && f.model != d.Switch.Model.Name || !f.meets(d) {
			continue
		}
		say := topicFault.Warnf
		if f.notice {
			say = topicFault.Noticef
		}
		e := say(ds, diag.FirstPlace(d.Switch.VersionAt, d.Decl), "Cumulus Linux %s on the switches of %s (%s) has the fault %s: %s.",
			d.Switch.Version, block(d), d.Switch.Model.ASIC.Title, f.id, f.says)
		e.Fix = &diag.Fix{Message: f.fix}
	}
}

// byPFC reports whether a port carries a lossless group by PFC.
func byPFC(p *ir.Port) bool { return len(p.Buffers()) > 0 && !p.ByPause() }

// buffers returns the cos that are lossless on some port of a switch; nil: none.
func buffers(d *ir.Device) map[int]bool {
	var out map[int]bool
	for _, p := range d.Ports {
		for _, b := range p.Buffers() {
			if out == nil {
				out = map[int]bool{}
			}
			out[b.Group.Cos] = true
		}
	}
	return out
}

func versionTwo(d *ir.Device) bool {
	for _, in := range d.Switch.Intents {
		if in.Version == 2 {
			return true
		}
	}
	return false
}

// splitAt reports whether a part of a split port runs at a speed, in Mb/s.
func splitAt(d *ir.Device, mbps int) bool {
	for _, p := range d.Ports {
		if name, ok := grammar.ParsePort(p.Name); ok && name.Sub >= 0 && p.Speed() == mbps {
			return true
		}
	}
	return false
}
