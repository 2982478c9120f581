package lang

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// If required_version excludes this rocec, only that is reported.
func TestRequiredVersion(t *testing.T) {
	const unmet, unknown = "error required-version", "note required-version"
	for _, c := range []struct{ constraint, version, want string }{
		{`">= 0.12, < 0.14"`, "0.12.0", ""},
		{`">= 0.12, < 0.14"`, "v0.13.9", ""},
		{`">= 0.12, < 0.14"`, "0.14.0", unmet},
		{`">= 0.12, < 0.14"`, "0.11.99", unmet},
		{`"~> 0.12"`, "0.99.0", ""},
		{`"~> 0.12.3"`, "0.13.0", unmet},
		{`"0.12.0"`, "0.12.0", ""},
		{`">= 0.12"`, "0.13.0-rc.1", unmet},
		{`">= 0.13.0-rc.1"`, "0.13.0-rc.2", ""},
		{`">= 0.12"`, "", unknown},
		{`">= 0.12"`, "(devel)", unknown},
		{`var.rocec`, "0.13.0", ""},
		{`var.rocec`, "0.11.0", unmet},
		{`null`, "0.11.0", ""},
	} {
		src := "variable \"rocec\" { default = \">= 0.12\" }\nfabric \"f\" {\n  required_version = " + c.constraint + "\n}\n"
		s, ds := loadText(t, src, Options{Version: c.version})
		if c.want == "" {
			require.Empty(t, show(s, ds), "%s %s", c.constraint, c.version)
			continue
		}
		require.Len(t, ds, 1, "%s %s: %s", c.constraint, c.version, show(s, ds))
		assert.Equal(t, c.want, ds[0].Severity.String()+" "+ds[0].Code, "%s %s", c.constraint, c.version)
		assert.Equal(t, c.constraint, place(s, ds[0].At))
		checkMessage(t, c.constraint, s, ds[0])
	}

	const newer = "fabric \"f\" {\n  required_version = \">= 0.14\"\n  quantum = true\n}\nwormhole \"w\" {}\n"
	s, ds := loadText(t, newer, Options{Version: "0.13.0"})
	require.Len(t, ds, 1, show(s, ds))
	assert.Equal(t, "required-version", ds[0].Code)
	assert.Equal(t, `The fabric requires rocec >= 0.14, but this is 0.13.0. Use a release that meets the constraint; or change required_version `+
		`after you have read the plan of this release.`, ds[0].Detail)
	_, ds = loadText(t, newer, Options{Version: "0.14.1"})
	require.Len(t, ds, 2, "a mistake in a fabric that this rocec may load")
}
