package cumulus

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/lang/diag"
)

// release is a release of Cumulus Linux: 3.4.3 is {3, 4, 3}.
type release [3]int

// parseRelease reads "3.4.3" or "4.3", at most three numbers.
func parseRelease(s string) (release, bool) {
	var r release
	parts := strings.Split(s, ".")
	if len(parts) < 2 || len(parts) > 3 {
		return r, false
	}
	for i, p := range parts {
		n, err := strconv.ParseUint(p, 10, 16)
		if err != nil {
			return r, false
		}
		r[i] = int(n)
	}
	return r, true
}

func (r release) compare(o release) int { return slices.Compare(r[:], o[:]) }

func (r release) atLeast(major, minor int) bool { return r.compare(release{major, minor}) >= 0 }

// dialect is one spelling of traffic.conf. %d stands for a cos.
type dialect struct {
	tag          string  // for people and tests: "T1"
	from, before release // the releases whose manual prints it; zero: seen on switches only

	trust     string // the key that says which header field is trusted
	trustList bool   // its value is a list: both fields can be trusted
	pcp, dscp string // the keys of the map; the same where trust decides what the numbers mean
	remark    string // the key that says what is rewritten on the way out
	remarkOff string
	overrides bool   // source.* and remark.* per port group exist
	ecn       string // prefix of the marking keys; ecn_red also has the keys ecn_enable and red_enable
	marks     bool   // the marking thresholds have keys
	cable     bool   // port groups have the key cable_length
}

// dialects is the table of spellings, oldest first. Sources: the chapter "Buffer and Queue Management" (from 4.2
// "Quality of Service") of the Cumulus Linux manuals 3.1.2, 3.3.2, 3.4.3, 3.5, 3.7, 4.2 and 4.3, and files in public
// use where said.
var dialects = []dialect{
	{
		// The manuals of 3.1.2 and 3.2.1 show no threshold keys for ECN; that of 3.3.2 does.
		tag: "T1", from: release{3, 1, 1}, before: release{3, 3, 0},
		trust: "traffic.packet_priority_source",
		pcp:   "traffic.cos_%d.packet_priorities", dscp: "traffic.cos_%d.packet_priorities",
		remark: "traffic.remark_packet_priority", remarkOff: "none",
		ecn: "ecn",
	},
	{
		tag: "T1", from: release{3, 3, 0}, before: release{3, 5, 0},
		trust: "traffic.packet_priority_source",
		pcp:   "traffic.cos_%d.packet_priorities", dscp: "traffic.cos_%d.packet_priorities",
		remark: "traffic.remark_packet_priority", remarkOff: "none",
		ecn: "ecn", marks: true,
	},
	{
		// In no manual: seen in a file of 2017, probably as shipped with 3.4. Chosen only when the file on the
		// switch shows it.
		tag:   "T2",
		trust: "traffic.packet_priority_source_set", trustList: true,
		pcp: "traffic.cos_%d.packet_priorities.8021p", dscp: "traffic.cos_%d.packet_priorities.dscp",
		remark: "traffic.remark_packet_priority", remarkOff: "none",
		ecn: "ecn", marks: true,
	},
	{
		// The manuals say ecn.*, files of 3.7 say ecn_red.*: the file on the switch decides.
		tag: "T3", from: release{3, 5, 0}, before: release{4, 0, 0},
		trust: "traffic.packet_priority_source_set", trustList: true,
		pcp: "traffic.cos_%d.priority_source.8021p", dscp: "traffic.cos_%d.priority_source.dscp",
		remark: "traffic.packet_priority_remark_set", remarkOff: "[]", overrides: true,
		ecn: "ecn", marks: true,
	},
	{
		// cable_length is in the manuals of 4.2 and 4.3, not in that of 3.7; between them the file decides.
		tag: "T4", from: release{4, 0, 0}, before: release{4, 2, 0},
		trust: "traffic.packet_priority_source_set", trustList: true,
		pcp: "traffic.cos_%d.priority_source.8021p", dscp: "traffic.cos_%d.priority_source.dscp",
		remark: "traffic.packet_priority_remark_set", remarkOff: "[]", overrides: true,
		ecn: "ecn_red", marks: true,
	},
	{
		tag: "T4", from: release{4, 2, 0}, before: release{4, 4, 0},
		trust: "traffic.packet_priority_source_set", trustList: true,
		pcp: "traffic.cos_%d.priority_source.8021p", dscp: "traffic.cos_%d.priority_source.dscp",
		remark: "traffic.packet_priority_remark_set", remarkOff: "[]", overrides: true,
		ecn: "ecn_red", marks: true, cable: true,
	},
}

// row gives the last row of the table with a tag.
func row(tag string) dialect {
	for _, d := range slices.Backward(dialects) {
		if d.tag == tag {
			return d
		}
	}
	panic("cumulus: no dialect " + tag)
}

// documented gives the dialect the manual of a release prints.
func documented(version string) (release, dialect, bool) {
	r, ok := parseRelease(version)
	if !ok {
		return r, dialect{}, false
	}
	for _, d := range dialects {
		if d.from != (release{}) && r.compare(d.from) >= 0 && r.compare(d.before) < 0 {
			return r, d, true
		}
	}
	return r, dialect{}, false
}

// shown gives the spelling the file on the switch accepts, where manuals and shipped files disagree. Settings and
// commented templates of settings count alike: the templates of the factory show what is accepted.
func (d dialect) shown(lines []line) dialect {
	var source, list, red, cable, marks bool
	for i := range lines {
		k := lines[i].key
		source = source || strings.Contains(k, ".priority_source.")
		list = list || strings.Contains(k, ".packet_priorities.8021p") || strings.Contains(k, ".packet_priorities.dscp")
		red = red || strings.HasPrefix(k, "ecn_red.")
		cable = cable || strings.HasSuffix(k, ".cable_length")
		marks = marks || strings.HasPrefix(k, "ecn.") && strings.HasSuffix(k, ".min_threshold_bytes")
	}
	if !d.trustList { // from 3.5 on the manuals and the files agree on the map
		switch {
		case source:
			d = row("T3")
		case list:
			d = row("T2")
		}
	}
	if red {
		d.ecn, d.marks = "ecn_red", true
	}
	d.cable = d.cable || cable
	d.marks = d.marks || marks
	return d
}

// sayRelease tells what is wrong with the version a switch block states; empty: nothing.
func sayRelease(version string) string {
	r, ok := parseRelease(version)
	const writes = "rocec writes traffic.conf for Cumulus Linux 3.1.1 to 4.3"
	switch {
	case version == "":
		return "The switch block states no version. The spelling of traffic.conf depends on the release: add " +
			`version = "3.4.3", or what /etc/os-release on the switch says.`
	case !ok:
		return fmt.Sprintf("%q is no release of Cumulus Linux. Write its numbers as /etc/os-release on the switch has them, such as \"3.4.3\".",
			diag.Escape(version))
	case r.compare(release{3, 1, 1}) < 0:
		return fmt.Sprintf("Release %s reads a traffic.conf without PFC port groups: one lossless group for all ports. %s; upgrade the switch.", version, writes)
	case r.compare(release{4, 4, 0}) < 0:
		return ""
	case r[0] == 4:
		return fmt.Sprintf("Release %s has no traffic.conf: it reads qos_features.conf and qos_infra.conf. %s.", version, writes)
	case r[0] == 5:
		return fmt.Sprintf("Release %s has no traffic.conf: it is configured through NVUE, or qos_features.conf and qos_infra.conf. %s.", version, writes)
	}
	return fmt.Sprintf("Release %s is not known to rocec. %s.", version, writes)
}
