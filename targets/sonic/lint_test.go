package sonic_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rocec/rocec/targets/sonic/grammar"
)

// TestLint: a missing profile of the buffer manager gives no finding, since the state of a switch omits it. Other mistakes are reported
// at their rows.
func TestLint(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(c *grammar.Config)
		codes  []string
		line   string // of the first finding
	}{
		{"as in its template", func(*grammar.Config) {}, []string{"conf-sonic-map"}, `DSCP_TO_TC_MAP|AZURE 26 "1"`},
		{"no lookup file", func(c *grammar.Config) { delete(c.Tables, grammar.LookupTable) }, []string{"conf-sonic-map"}, ""},
		{"a made profile whose name has no length", func(c *grammar.Config) {
			c.Put("BUFFER_PG", "Ethernet0|3-4", "profile", "pg_lossless_own_profile")
		}, []string{"conf-sonic-map"}, ""},
		{
			"a name with a blank", func(c *grammar.Config) {
				c.Put("BUFFER_PG", "Ethernet0|3-4", "profile", "pg_lossless_\n_profile")
			},
			[]string{"conf-sonic-reference", "conf-sonic-map", "conf-sonic-lossless"},
			`BUFFER_PG|Ethernet0|3-4 profile "pg_lossless_\n_profile"`,
		},
		{
			"a profile of others that is missing", func(c *grammar.Config) {
				c.Put("BUFFER_PG", "Ethernet0|3-4", "profile", "gone")
			},
			[]string{"conf-sonic-reference", "conf-sonic-map", "conf-sonic-lossless"},
			`BUFFER_PG|Ethernet0|3-4 profile "gone"`,
		},
		{"no group", func(c *grammar.Config) { c.Delete("BUFFER_PG", "Ethernet0|3-4", "") }, []string{
			"conf-sonic-map", "conf-sonic-lossless",
		}, ""},
	} {
		for _, release := range []string{"202205", "202505", "202605"} {
			w := wish(t, device(t, on(release), "tor1"))
			state := change(release, c.change)
			ds, foreign := w.File().Lint([]byte(state))
			assert.Empty(t, foreign)
			var codes []string
			for _, d := range ds {
				codes = append(codes, d.Code)
			}
			assert.Equal(t, c.codes, codes, "%s on %s", c.name, release)
			if c.line != "" && len(ds) > 0 {
				assert.Contains(t, lineOf(state, ds[0].At.Start.Line), c.line, c.name)
			}
		}
	}
	w := wish(t, device(t, rack, "tor1"))
	_, foreign := w.File().Lint([]byte(change("202505",
		func(c *grammar.Config) { c.Put(grammar.VersionTable, "localhost", "asic_count", "3") })))
	assert.Contains(t, foreign, "3 chips")
}
