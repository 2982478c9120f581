package cumulus

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/targets/cumulus/grammar"
)

// OS contains the facts about Cumulus Linux.
var OS = &ir.OS{
	Name: osName, Title: osTitle, User: "cumulus", Newest: newest,
	Usual: usual, Release: release, Runs: runs, Configs: configs, Default: configOf, Presets: true,
	Read: func(_ *platform.Switch, name string) (ir.Front, bool) {
		p, ok := grammar.ParsePort(name)
		return ir.Front{Number: int16(p.N), Sub: int16(p.Sub)}, ok
	},
	Spell: func(_ *platform.Switch, f ir.Front) string {
		return grammar.Port{N: int(f.Number), Sub: int(f.Sub)}.String()
	},
	Can:    can,
	Marks:  marks,
	Memory: memory, Adds: adds,
}

const (
	osName  = "cumulus-linux"
	osTitle = "Cumulus Linux"
	newest  = "4.3.0" // with traffic.conf
)

// release returns a sentence if a release is not two or three numbers.
func release(version string) string {
	parts := strings.Split(version, ".")
	ok := len(parts) == 2 || len(parts) == 3
	for _, p := range parts {
		ok = ok && p != "" && len(p) <= 4 && strings.Trim(p, "0123456789") == ""
	}
	if ok {
		return ""
	}
	return fmt.Sprintf("%q is not a release. Write numbers with dots between them, such as \"3.4.3\" or \"4.3.0\". The spelling of "+
		"settings depends on the release.", version)
}

// chip contains the features of Cumulus Linux on a chip.
type chip struct {
	since    grammar.Release // the first release whose manual lists the chip for these settings; zero: no manual does
	pfc, ecn bool
	drops    bool // marking also drops packets early that cannot be marked (RED)
	source   string
}

// chips are the features of the releases that rocec writes, by chip. Source of since: the lists of platforms in the quality-of-service
// chapters of 3.1.2, 3.3.2, 3.4.3, 3.5, 3.7, 4.0, 4.2, 4.3, 4.4 and 5.x; "CL x.y" is the chapter of that manual. No release supports other
// chips; rocec assumes that a switch with such a chip has all features of the chip.
//
// All lossless cos of a port share one priority group on Spectrum (a working draft of the CL 5.0 manual says so; no released page
// contradicts it).
var chips = map[string]chip{
	// Trident and Trident+ had one lossless priority group in CL 2.5; the lists of 3.1.2 and later leave them out. Helix4 is
	// listed for QoS and excluded from PFC; no ECN list names it.
	"helix4":      {since: grammar.Release{3, 4}, source: "no PFC: CL 3.4.3"},
	"trident":     {source: "PFC only in CL 2.5"},
	"tridentplus": {source: "PFC only in CL 2.5"},

	// Tomahawk2 is in the ECN list of 3.7 only; Tomahawk+ is counted as Tomahawk, since its switches are in the hardware list and
	// no chapter names it.
	"trident2":     {since: grammar.Release{3, 1}, pfc: true, ecn: true, drops: true, source: "ECN also enables RED: CL 3.4.3"},
	"trident2plus": {since: grammar.Release{3, 1}, pfc: true, ecn: true, source: "CL 3.4.3"},
	"trident3":     {since: grammar.Release{3, 7}, pfc: true, ecn: true, source: "CL 3.7"},
	"tomahawk":     {since: grammar.Release{3, 1}, pfc: true, ecn: true, source: "CL 3.4.3"},
	"tomahawkplus": {since: grammar.Release{3, 1}, pfc: true, ecn: true, source: "as Tomahawk: CL 3.7, not named by itself"},
	"tomahawk2":    {since: grammar.Release{3, 7}, pfc: true, ecn: true, source: "CL 3.7"},

	"spectrum": {
		since: grammar.Release{3, 1}, pfc: true, ecn: true,
		source: "PFC: CL 3.2; ECN: CL 3.3; both for early access in CL 3.1",
	},
	"spectrum2":        {since: grammar.Release{4, 0}, pfc: true, ecn: true, source: "CL 4.0"},
	"spectrum2gearbox": {since: grammar.Release{4, 0}, pfc: true, ecn: true, source: "as Spectrum-2"},
	"spectrum3":        {since: grammar.Release{4, 2}, pfc: true, ecn: true, source: "CL 4.2"},
	"spectrum4":        {since: grammar.Release{5, 0}, pfc: true, ecn: true, source: "CL 5.x"},
	"spectrum5":        {since: grammar.Release{5, 0}, pfc: true, ecn: true, source: "assumed to have the features of Spectrum-4"},
	"spectrum6": {
		since: grammar.Release{5, 16}, pfc: true, ecn: true,
		source: "CL 5.18, or shortly before; assumed to have the features of Spectrum-4",
	},
}

// CosCPU is the cos that is reserved for traffic of the switch's CPU, by the comments in every template of the vendor, also in 5.x.
const CosCPU = 3

// can returns the features of a chip in the releases that rocec writes. Any other release is assumed to have the same features. Ports can
// have their own trusted fields from 3.5 on (the source.* keys of its manual).
func can(a *platform.ASIC, version string) ir.SwitchCan {
	does, listed := chips[a.Name]
	c := ir.ChipCan()
	if listed {
		c.PFC, c.ECN, c.Source = does.pfc, does.ecn, does.source
	}
	if !c.PFC {
		c.Lossless = 0
	}
	if c.Shared = a.Vendor == platform.Mellanox; c.Shared {
		c.Joined = "a working draft of the 5.0 manual says so, and no released page contradicts it"
	}
	if _, doc, ok := documented(version); ok {
		c.PortTrust = doc.Key(grammar.Source, grammar.TrustSet) != nil
	}
	if does.drops {
		c.Drops = "marking turns on early drops (RED) by the same thresholds on " + a.Title
	}
	c.IdleTrust, c.OwnCos = ir.Trust{PCP: true}, CosCPU
	c.System = osTitle
	c.Stuck = osTitle + " up to 4.3 has no PFC watchdog, so switches that are stuck need a restart of switchd or of a link"
	switch r, ok := grammar.ParseRelease(version); {
	case ok && r.AtLeast(5, 6):
		c.Stuck = osTitle + " has a PFC watchdog from 5.6 on, which rocec turns on at lossless ports through NVUE, and does not change where " +
			"it writes files; without it, switches that are stuck need a restart of switchd or of a link"
	case ok && split(r):
		c.Stuck = osTitle + " up to 5.5 has no PFC watchdog, so switches that are stuck need a restart of switchd or of a link"
	}
	return c
}

// adds returns the settings that rocec adds to those of the fabric; nil: rocec does not write for the release.
func adds(s *ir.Switch) *ir.Added {
	r, ok := grammar.ParseRelease(s.Version)
	byNVUE := ConfigOf(&ir.Device{Switch: s}) == ByNVUE
	switch {
	case !ok:
		return nil
	case byNVUE && r.AtLeast(5, 6): // the first release with a watchdog
		return &added().watched
	case byNVUE:
		return &added().nvue
	case split(r):
		return &added().split
	case s.MemoryWritten && memoryWritable(s.Model.ASIC, s.Version) == "":
		return &added().memory
	}
	return &added().byClass
}

// marks returns the scope of one set of ECN thresholds: all cos of a port with ECN port groups, all ports in 4.4, one queue with NVUE. It
// also returns the reason for a scope larger than a queue.
func marks(version, config string) (ir.MarkScope, string) {
	_, doc, ok := documented(version)
	switch {
	case !ok || cmp.Or(config, configOf(version)) == ByNVUE:
		return ir.MarksOfQueue, ""
	case doc.Marking() != "":
		return ir.MarksOfPort, "an ECN port group has one set for all its cos"
	case doc.DefaultMarking() != "":
		return ir.MarksOfSwitch, "Cumulus Linux 4.4 has one set for all ports"
	}
	return ir.MarksOfQueue, ""
}
