package sonic

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/sonic/grammar"
)

// OS holds the facts about SONiC.
var OS = &ir.OS{
	Name: osName, Title: osTitle, User: "admin", Newest: newest,
	Usual: usual, Release: release, Runs: runs,
	Read: readPort, Spell: spellPort, Resolve: resolvePorts,
	Can: can, Memory: memory, Adds: adds, Marks: marks,
}

// free is the first branch in which a patch may add marking profiles (sonic-utilities #4219, #4226).
const free grammar.Release = 202511

const (
	osName  = "sonic"
	osTitle = "SONiC"
	newest  = "202511"
)

// longestVersion is the maximum length of a release, in bytes.
const longestVersion = 128

// parseBranch reads a release as people write it and as `show version` and sonic_version.yml print it: "202505", "202305.12",
// "SONiC.202505.12-1a2b3c4" and "20230531.19", a day of the branch 202305. Not ok: the text has no branch, such as "master".
func parseBranch(version string) (grammar.Release, bool) {
	text := strings.TrimSpace(version)
	if len(text) > longestVersion {
		return 0, false
	}
	for _, prefix := range []string{"sonic-os-", "sonic.", "sonic-"} {
		if len(text) > len(prefix) && strings.EqualFold(text[:len(prefix)], prefix) {
			text = text[len(prefix):]
			break
		}
	}
	digits := 0
	for digits < len(text) && text[digits] >= '0' && text[digits] <= '9' {
		digits++
	}
	rest := text[digits:]
	if digits != 6 && digits != 8 || rest != "" && !strings.ContainsRune("._-", rune(rest[0])) || strings.Trim(rest, versionRunes) != "" {
		return 0, false
	}
	n := 0
	for _, c := range text[:digits] {
		n = 10*n + int(c-'0')
	}
	if digits == 8 {
		if day := n % 100; day < 1 || day > 31 {
			return 0, false
		}
		n /= 100
	}
	year, month := n/100, n%100
	return grammar.Release(n), year >= 2017 && month >= 1 && month <= 12
}

// versionRunes are the characters that may follow the branch in a version.
const versionRunes = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._-+~"

// release describes what is wrong with the release of a switch block; empty if it is valid.
func release(version string) string {
	if _, ok := parseBranch(version); ok {
		return ""
	}
	const write = "Write the branch that the switch runs, six digits such as \"202505\", or the version that `show version` " +
		"prints after \"SONiC Software Version:\"."
	said := diag.Escape(diag.Cut(version))
	switch {
	case strings.Contains(strings.ToLower(version), "enterprise"):
		return fmt.Sprintf("%q is not a release of community SONiC: Enterprise SONiC has its own releases and other settings. %s", said,
			write)
	case strings.Contains(strings.ToLower(version), "master"):
		return fmt.Sprintf("%q is not a release of SONiC: an image of master has no branch, and may change any day. %s", said, write)
	}
	return fmt.Sprintf("%q is not a release of SONiC. %s The release decides which settings a running switch accepts.", said, write)
}

// sayBranch returns why rocec does not write the release of a switch block, in full sentences; empty: rocec writes it.
func sayBranch(version string) string {
	writes := fmt.Sprintf("rocec writes for the releases %s", branchesText())
	b, ok := parseBranch(version)
	switch {
	case version == "":
		return "The switch block states no version. The release decides which settings a running switch accepts: add version = \"" + newest +
			"\", or the version that `show version` prints there."
	case !ok:
		return release(version)
	case slices.Contains(grammar.Releases, b):
		return ""
	case b == 202211:
		return "Release 202211 has no allow-list for patches, and is no longer maintained. " + writes + ": upgrade the switch."
	case b < grammar.First:
		return fmt.Sprintf("Release %s cannot be changed by patch as later releases can. %s: upgrade the switch.", b, writes)
	}
	return fmt.Sprintf("Release %s is not known to rocec. %s.", b, writes)
}

// branchesText lists the releases: "202205, 202305, … and 202605".
func branchesText() string {
	names := make([]string, len(grammar.Releases))
	for i, b := range grammar.Releases {
		names[i] = b.String()
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// Default watchdog values: those of `pfcwd start_default`, which grow with the ports ([watchSteps]).
const (
	watchTime   = 200 // ms, for polling, detection and restoration
	watchAction = "drop"
)

// adds returns the settings that rocec writes to a SONiC switch in addition to those in the fabric: lossy classes share a priority group,
// and the pools are those of the template.
func adds(s *ir.Switch) *ir.Added {
	steps := watchSteps(panelOf(s.Model))
	one, known := added.Load(steps)
	if !known {
		times := ir.ByDefault(time.Duration(watchTime*steps) * time.Millisecond)
		one, _ = added.LoadOrStore(steps, &ir.Added{
			Watchdog: ir.WatchdogSettings{Action: ir.ByDefault(ir.WatchdogDrop), Poll: times, Detect: times, Restore: times},
			Lossy:    ir.LossyAlike,
		})
	}
	return one.(*ir.Added) //nolint:forcetypeassert // nothing else is stored
}

var added sync.Map // *ir.Added by the steps of its watchdog times: switches with equal times share a value

// watchSteps returns the factor by which watchdog times grow with the ports of a switch, as `pfcwd start_default` computes it: one step
// per 32 ports (sonic-utilities, pfcwd/main.py, DEFAULT_PORT_NUM).
func watchSteps(ports int) int { return max(1, (ports-1)/32+1) }

// panelOf returns the number of ports of a model, unsplit.
func panelOf(m *platform.Switch) (n int) {
	for _, r := range m.Ports {
		n += r.Last - r.First + 1
	}
	return n
}

// can returns what SONiC supports on a chip: PFC for each priority, and for each lossless priority its own priority group and buffer. For
// a chip that is not listed, it returns what the chip supports.
//
// A profile marks if wred_green_enable is true, which also turns on early drops. Sources: the test plan of WRED and ECN statistics in
// sonic-mgmt (a packet with code point 00 counts as dropped), sonic-buildimage#27606. No release has separate thresholds for marking and
// dropping. sonic-swss#4719 would add them and is in no branch, not even in 202605 and in master of August 2026.
func can(a *platform.ASIC, _ string) ir.SwitchCan {
	c := ir.ChipCan()
	if of, listed := chips[a.Name]; listed {
		c.Source = of.source
	}
	c.Counted = "SONiC's templates make only priorities 3 and 4 lossless, except on links between twin racks"
	c.PortTrust, c.OneTrust = true, true // PORT_QOS_MAP has a row for each port, and no document states which of two maps counts
	c.IdleTrust = ir.Trust{DSCP: true}
	c.System = osTitle
	c.Drops = "SONiC marks by WRED, which drops packets without ECN bits above the same thresholds"
	c.Stuck = osTitle + " has a PFC watchdog, which rocec turns on at lossless ports: " +
		"it drops the packets of a stuck queue until the pauses end"
	return c
}

// marks returns the scope of marking: before [free] no patch adds a marking profile, so all queues share one.
func marks(version, _ string) (ir.MarkScope, string) {
	if r, ok := parseBranch(version); ok && r < free {
		return ir.MarksOfSwitch, "up to 202505 no patch adds a marking profile"
	}
	return ir.MarksOfQueue, ""
}
