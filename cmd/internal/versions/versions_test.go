package versions

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A build has the version of its tag, or otherwise the newest version of CHANGELOG.md with the commit. Only the version of a tag is a
// release.
func TestOf(t *testing.T) {
	for _, c := range []struct{ module, want, release string }{
		{"v1.2.3", "1.2.3", "1.2.3"},
		{"v0.14.0-rc.1", "0.14.0-rc.1", "0.14.0-rc.1"},
		{"v0.13.0+dirty", "0.13.0+dirty", ""},
		{"", Newest + "+devel", ""},
		{"(devel)", Newest + "+devel", ""},
		{"v0.0.0-20260102150405-0123456789ab", Newest + "+20260102150405.g0123456789ab", ""},
		{"v0.13.1-0.20260102150405-0123456789ab", Newest + "+20260102150405.g0123456789ab", ""},
		{"v0.14.0-rc.1.0.20260102150405-0123456789ab+dirty", Newest + "+20260102150405.g0123456789ab.dirty", ""},
	} {
		got := Of(c.module)
		assert.Equal(t, c.want, got, c.module)
		assert.Equal(t, c.release, Release(got), c.module)
	}
}

// heading matches a version in CHANGELOG.md.
var heading = regexp.MustCompile(`(?m)^## \[?(\d+\.\d+\.\d+)`)

// The constant equals the newest version in CHANGELOG.md.
func TestNewest(t *testing.T) {
	changelog, err := os.ReadFile("../../../CHANGELOG.md")
	require.NoError(t, err)
	m := heading.FindSubmatch(changelog)
	require.NotNil(t, m)
	assert.Equal(t, string(m[1]), Newest, "versions.go has the newest version of CHANGELOG.md")
}
