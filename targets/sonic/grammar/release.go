package grammar

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Release is a branch of SONiC, by year and month: 202505.
type Release int

// Releases are the branches whose models and patch rules are known, oldest first. Branches between them, such as 202211, were read and
// have no allow-list, or were never read.
var Releases = []Release{202205, 202305, 202311, 202405, 202411, 202505, 202511, 202605}

// The first and the newest of [Releases].
const (
	First  Release = 202205
	Newest Release = 202605
)

// String returns the branch as people write it.
func (r Release) String() string { return strconv.Itoa(int(r)) }

// After returns the release after another in [Releases]. For the newest it returns the newest.
func After(r Release) Release {
	for _, next := range Releases {
		if next > r {
			return next
		}
	}
	return r
}

// Version is the release and date that an image reports.
type Version struct {
	Release Release

	// Date is the last part of eight digits in a build version; empty if it has no such part. The allow-list compares dates as text,
	// and skips its own dates for a build without one (generic_config_updater, field_operation_validators.py, all branches).
	Date string
}

// ParseVersion reads the release of a switch: a branch ("202505"), a branch with a minor number ("202505.12"), or a build version from
// `show version` or /etc/sonic/sonic_version.yml ("SONiC.202505.12-cf1a8c4", "20230531.19"). The error is a part of a sentence.
func ParseVersion(s string) (Version, error) {
	var v Version
	const most = 128
	if len(s) > most {
		return v, fmt.Errorf("a release of SONiC has less than %d characters; %s", most, writeRelease)
	}
	branch := ""
	for part := range strings.FieldsFuncSeq(s, func(c rune) bool { return c == '.' || c == '-' || c == '_' || c == ' ' }) {
		if isDigits(part) && strings.HasPrefix(part, "20") && (len(part) == 6 || len(part) == 8) {
			branch = part[:6]
			break
		}
	}
	for part := range strings.SplitSeq(s, ".") {
		if len(part) == 8 && isDigits(part) {
			v.Date = part
		}
	}
	n, err := strconv.Atoi(branch)
	if err != nil {
		return Version{}, fmt.Errorf("%q names no branch of SONiC; %s", s, writeRelease)
	}
	v.Release = Release(n)
	if !slices.Contains(Releases, v.Release) {
		return Version{}, fmt.Errorf("the branch %d of SONiC is not known; known are %s", n, listed())
	}
	return v, nil
}

// ReleaseOf returns the release to which a configuration has migrated itself, from its table VERSIONS: version_202505_01. It returns
// 0 if the table is missing or names a release that rocec does not know. Older images write version_4_0_3, which names no branch.
func ReleaseOf(c *Config) Release {
	rest, ok := strings.CutPrefix(c.Get("VERSIONS", "DATABASE", "VERSION"), "version_")
	branch, _, _ := strings.Cut(rest, "_")
	n, err := strconv.Atoi(branch)
	if !ok || err != nil || !slices.Contains(Releases, Release(n)) {
		return 0
	}
	return Release(n)
}

const writeRelease = `write the branch, such as "202505", or the build_version of /etc/sonic/sonic_version.yml, such as ` +
	`"SONiC.202505.12-cf1a8c4"`

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func listed() string {
	names := make([]string, len(Releases))
	for i, r := range Releases {
		names[i] = r.String()
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}
