package sonic

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/sonic/grammar"
)

// OS is what is known of SONiC.
var OS = &ir.OS{
	Name: osName, Title: osTitle, User: "admin", Newest: newest,
	Usual: usual, Release: release, Runs: runs,
	Read: readPort, Spell: spellPort, Resolve: resolvePorts,
	Can: can, Memory: memory,
}

const (
	osName  = "sonic"
	osTitle = "SONiC"
	newest  = "202511"
)

// longestVersion bounds what is read as a release, in bytes.
const longestVersion = 128

// parseBranch reads a release as people write it and as `show version` and sonic_version.yml print it: "202505", "202305.12",
// "SONiC.202505.12-1a2b3c4" and "20230531.19", a day of the branch 202305. Not ok: it names no branch, as "master" does.
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

// versionRunes is what may follow the branch in a version.
const versionRunes = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._-+~"

// release says what is wrong with what stands as release in a switch block; empty: nothing.
func release(version string) string {
	if _, ok := parseBranch(version); ok {
		return ""
	}
	const write = "Write the branch that the switch runs, six digits such as \"202505\", or what `show version` prints there behind " +
		"\"SONiC Software Version:\"."
	said := diag.Escape(diag.Cut(version))
	switch {
	case strings.Contains(strings.ToLower(version), "enterprise"):
		return fmt.Sprintf("%q is not a release of community SONiC: Enterprise SONiC counts its own, and its settings are others. %s", said,
			write)
	case strings.Contains(strings.ToLower(version), "master"):
		return fmt.Sprintf("%q is not a release of SONiC: an image of master is of no branch, and may change any day. %s", said, write)
	}
	return fmt.Sprintf("%q is not a release of SONiC. %s The release decides which settings a switch takes while it runs.", said, write)
}

// sayBranch says why rocec does not write the release of a switch block, in full sentences; empty: it does.
func sayBranch(version string) string {
	writes := fmt.Sprintf("rocec writes for the releases %s", branchesText())
	b, ok := parseBranch(version)
	switch {
	case version == "":
		return "The switch block states no version. What a switch takes while it runs depends on the release: add version = \"" + newest +
			"\", or what `show version` says there."
	case !ok:
		return release(version)
	case slices.Contains(grammar.Releases, b):
		return ""
	case b == 202211:
		return "Release 202211 has no table of what may be changed by patch, and is no longer kept up. " + writes + ": upgrade the switch."
	case b < grammar.First:
		return fmt.Sprintf("Release %s knows no changes by patch as later ones do. %s: upgrade the switch.", b, writes)
	}
	return fmt.Sprintf("Release %s is not known to rocec. %s.", b, writes)
}

// branchesText names the releases: "202205, 202305, … and 202605".
func branchesText() string {
	names := make([]string, len(grammar.Releases))
	for i, b := range grammar.Releases {
		names[i] = b.String()
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// chip is what SONiC does on a chip.
type chip struct {
	family string // as the table of what may be changed by patch calls it; empty: it names no switch with the chip
	alpha  int    // exponent of the share of a lossless priority group in the pool, of 2; with no template: none is known
	pools  pools
	source string
}

// pools is how the templates of a chip share out its memory.
type pools int

const (
	noTemplate pools = iota
	onePool          // for all traffic on the way in
	twoPools         // one for lossless traffic, and one as large for the rest
)

// chips is by the name of the chip. Sources: "lists" is generic_config_updater/gcu_field_operation_validators.conf.json of
// sonic-utilities, which names chips by their hwskus; "lookup" the threshold column of pg_profile_lookup.ini and "pools" BUFFER_POOL of
// the buffer templates in device/ of sonic-buildimage, of August 2026. Where hwskus of a chip differ, alpha is the smallest.
var chips = map[string]chip{
	"trident2":     {family: "td2", alpha: -3, pools: onePool, source: "lists; lookup of Force10-S6000 (Arista-7050-QX32: 2^-1); pools"},
	"trident3":     {family: "td3", alpha: -3, pools: onePool, source: "lists; lookup of DellEMC-S5232f-C32 (Arista-7050CX3: 2^0); pools"},
	"tomahawk":     {family: "th", alpha: -3, pools: onePool, source: "lists; lookup of Force10-Z9100-C32 (Force10-S6100: 2^0); pools"},
	"tomahawkplus": {alpha: 0, pools: onePool, source: "lookup and pools of Arista-7060CX2-32S-C32, which are Tomahawk's"},
	"tomahawk2":    {family: "th2", alpha: -3, pools: onePool, source: "lists; lookup of DellEMC-Z9264f-C64 (Arista-7260CX3-C64: 2^0); pools"},
	"tomahawk3":    {family: "th3", alpha: -2, pools: onePool, source: "lists; lookup and pools of DellEMC-Z9332f-O32"},
	"tomahawk4":    {family: "th4", alpha: 0, pools: onePool, source: "lists; lookup and pools of DellEMC-Z9664f-O64"},
	"tomahawk5":    {family: "th5", alpha: 0, pools: onePool, source: "lists; lookup and pools of Dell-Z9864f-O64"},

	"spectrum":         {family: "spc1", alpha: 0, pools: twoPools, source: "lists; lookup and pools of ACS-MSN2700"},
	"spectrum2":        {family: "spc2", alpha: 0, pools: twoPools, source: "lists; lookup and pools of ACS-MSN3700"},
	"spectrum2gearbox": {family: "spc2", alpha: 0, pools: twoPools, source: "lists; lookup and pools of ACS-MSN3800"},
	"spectrum3":        {family: "spc3", alpha: 0, pools: twoPools, source: "lists; lookup and pools of ACS-MSN4700"},
	"spectrum4":        {family: "spc4", alpha: 0, pools: twoPools, source: "lists; lookup and pools of ACS-SN5600"},
	"spectrum5":        {family: "spc5", alpha: 0, pools: onePool, source: "lists; lookup and pools of Mellanox-SN5640-C512S2"},
	"spectrum6":        {family: "spc6", alpha: 0, pools: twoPools, source: "lists; lookup and pools of ACS-SN6600_LD"},
}

// can is what SONiC offers on a chip: PFC for each priority, with a priority group and so a buffer of its own for each lossless one.
// Chips that are not listed are taken to do what they can.
//
// A profile marks where wred_green_enable is true, and that turns on early drops as well. Sources: the test plan of WRED and ECN statistics
// in sonic-mgmt (a packet with code point 00 counts as dropped), sonic-buildimage#27606. No release has thresholds of marking that are not
// those of dropping: sonic-swss#4719 would add them and is in no branch, 202605 and master of August 2026 included.
func can(a *platform.ASIC, _ string) ir.SwitchCan {
	c := ir.ChipCan()
	if of, listed := chips[a.Name]; listed {
		c.Source = of.source
	}
	c.Counted = "SONiC's templates make priorities 3 and 4 lossless, and on no chip more but for links between twin racks"
	c.PortTrust = true // PORT_QOS_MAP has a row for each port
	c.System = osTitle
	c.Drops = "WRED, by which SONiC marks, drops packets without ECN bits by the same thresholds"
	c.Stuck = osTitle + " has a PFC watchdog, which rocec turns on at lossless ports: it drops what a stuck queue holds until the pauses end"
	return c
}
