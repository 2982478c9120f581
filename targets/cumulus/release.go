package cumulus

import (
	"fmt"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/cumulus/grammar"
)

// written is the dialects rocec writes: those with PFC port groups.
const written = grammar.T1 | grammar.T2 | grammar.T3 | grammar.T4

// documented gives the spelling the manual of a release prints.
func documented(version string) (grammar.Release, grammar.Spelling, bool) {
	r, ok := grammar.ParseRelease(version)
	if !ok || r.Dialects()&written == 0 {
		return r, grammar.Spelling{}, false
	}
	spelling, ok := grammar.Documented(r)
	return r, spelling, ok
}

// sayRelease says what is wrong with the version a switch block states; empty: nothing.
func sayRelease(version string) string {
	r, ok := grammar.ParseRelease(version)
	writes := "rocec writes traffic.conf for Cumulus Linux " + grammar.Dialects(written).Releases()
	switch of := r.Dialects(); {
	case version == "":
		return "The switch block states no version. The spelling of traffic.conf depends on the release: add " +
			`version = "3.4.3", or what /etc/os-release on the switch says.`
	case !ok:
		return fmt.Sprintf("%q is no release of Cumulus Linux. Write its numbers as /etc/os-release on the switch has them, such as \"3.4.3\".",
			diag.Escape(version))
	case of&written != 0:
		return ""
	case of&grammar.Q1 != 0:
		return fmt.Sprintf("Release %s has no traffic.conf: it reads qos_features.conf and qos_infra.conf. %s.", version, writes)
	case of&grammar.Q2 != 0:
		return fmt.Sprintf("Release %s has no traffic.conf: it is configured through NVUE, or qos_features.conf and qos_infra.conf. %s.",
			version, writes)
	case r.AtLeast(6, 0):
		return fmt.Sprintf("Release %s is not known to rocec. %s.", version, writes)
	}
	return fmt.Sprintf("Release %s reads a traffic.conf without PFC port groups: one lossless group for all ports. %s; upgrade the switch.",
		version, writes)
}
