// Package versions gives a build of rocec its version. A tagged commit has the version of its tag. Another commit has the newest version of
// CHANGELOG.md, with its time and hash.
package versions

import (
	"regexp"
	"strings"
	"sync"
)

// Newest is the newest version of CHANGELOG.md. TestNewest compares the two, as Go cannot embed a file above a package.
const Newest = "0.1.0"

// Of derives the version from the version that the go command sets in a build. For a commit without a tag the go command guesses the next
// version; Of returns Newest with the commit as metadata, such as "0.1.0+20260102150405.g0123456789ab". The time is first, because dpkg
// and rpm compare metadata, too. The metadata of a changed tree ends with "dirty".
func Of(module string) string {
	module, dirty := strings.CutSuffix(strings.TrimPrefix(module, "v"), "+dirty")
	m := pseudo().FindStringSubmatch(module)
	switch {
	case module == "" || module == "(devel)": // the build has no commit
		return Newest + "+devel"
	case m == nil && dirty:
		return module + "+dirty"
	case m == nil:
		return module
	case dirty:
		return Newest + "+" + m[1] + ".g" + m[2] + ".dirty"
	}
	return Newest + "+" + m[1] + ".g" + m[2]
}

// pseudo matches the version that the go command sets for a commit without a tag, such as "0.13.1-0.20260102150405-0123456789ab".
var pseudo = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[-.](\d{14})-([0-9a-f]{12})$`) })

// Release returns the version of a release. It returns "" for a build between two releases, or of changed files. Such versions have
// metadata.
func Release(version string) string {
	if strings.Contains(version, "+") {
		return ""
	}
	return version
}
