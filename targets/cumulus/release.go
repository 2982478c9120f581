package cumulus

import (
	"cmp"
	"fmt"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/cumulus/grammar"
)

// written contains the dialects that rocec writes: those with PFC port groups.
const written = grammar.T1 | grammar.T2 | grammar.T3 | grammar.T4 | grammar.QoSFeatures

// The values of config in a switch block: the ways to configure Cumulus Linux.
const (
	byFiles = "files"
	ByNVUE  = "nvue" // another target writes for NVUE
)

// configs describes these ways. From 5.0 to 5.3 NVUE supports only the preset for RoCE; its profiles are incomplete before 5.4. Source:
// the NVUE reference of 5.x.
var configs = []ir.Config{
	{Name: byFiles, Doc: "its files", Not: func(version string) string {
		if r, ok := grammar.ParseRelease(version); ok && r.AtLeast(6, 0) {
			return "the format of its files is unknown"
		}
		return ""
	}},
	{Name: ByNVUE, Doc: "NVUE", Not: func(version string) string {
		switch r, ok := grammar.ParseRelease(version); {
		case !ok || r.AtLeast(5, 4):
			return ""
		case r.AtLeast(5, 0):
			return "there NVUE supports only the RoCE preset; the settings of a fabric need 5.4 or later"
		}
		return "it has no NVUE"
	}},
}

// configOf returns the way to configure a release if the switch block names none.
func configOf(version string) string {
	if r, ok := grammar.ParseRelease(version); ok && r.AtLeast(5, 4) {
		return ByNVUE
	}
	return byFiles
}

// servesFiles reports whether a switch is configured by files, which this target writes.
func servesFiles(d *ir.Device) bool { return ConfigOf(d) == byFiles }

// ConfigOf returns the way to configure a switch: the one in its block, or else the default of its release.
func ConfigOf(d *ir.Device) string { return cmp.Or(d.Switch.Config, configOf(d.Switch.Version)) }

// split reports whether a release reads qos_features.conf and qos_infra.conf instead of traffic.conf and datapath.conf.
func split(r grammar.Release) bool { return r.AtLeast(4, 4) }

// documented returns the spelling in the manual of a release.
func documented(version string) (grammar.Release, grammar.Spelling, bool) {
	r, ok := grammar.ParseRelease(version)
	if !ok || r.Dialects()&written == 0 {
		return r, grammar.Spelling{}, false
	}
	spelling, ok := grammar.Documented(r)
	return r, spelling, ok
}

// lastMinor contains the last minor release of each major release that gets no further ones.
var lastMinor = [...]int{2: 5, 3: 7, 4: 4}

// sayRelease returns a sentence about a wrong version in a switch block; empty: the version is right.
func sayRelease(version string) string {
	r, ok := grammar.ParseRelease(version)
	const writes = "rocec writes for Cumulus Linux 3.1.1 to 5.x"
	switch of := r.Dialects(); {
	case version == "":
		return "The switch block states no version. The spelling of traffic.conf depends on the release: add " +
			`version = "3.4.3", or what /etc/os-release on the switch says.`
	case !ok:
		return fmt.Sprintf("%q is not a release of Cumulus Linux. Write the numbers in /etc/os-release on the switch, such as \"3.4.3\".",
			diag.Escape(version))
	case r[0] < len(lastMinor) && lastMinor[r[0]] > 0 && r[1] > lastMinor[r[0]]:
		return fmt.Sprintf("There is no Cumulus Linux %s: %d.%d is the last of %d. Write the release in /etc/os-release on the switch.",
			version, r[0], lastMinor[r[0]], r[0])
	case of&written != 0:
		return ""
	case r.AtLeast(6, 0):
		return fmt.Sprintf("Release %s is not known to rocec. %s.", version, writes)
	}
	return fmt.Sprintf("In release %s traffic.conf has no PFC port groups, only one lossless group for all ports. %s; upgrade the switch.",
		version, writes)
}
