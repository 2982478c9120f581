package targets_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/target/lint"
)

// TestUnknownRows: on every system, an unknown row affects no other row. It is named at its line, the file is judged in part, and the
// findings about other rows stay the same.
func TestUnknownRows(t *testing.T) {
	for name, c := range map[string]struct {
		example, base, from, to string
		names                   string // the row
	}{
		"cumulus": {"clos-v2-ecn", "traffic.conf", "pfc.port_group_list", "new.feature.x = 1\npfc.port_group_list", "new.feature.x = 1"},
		"sonic": {
			"sonic-leaf-spine", "config_db.json", "CABLE_LENGTH|AZURE Ethernet0 ", "FOO_TABLE|a b \"c\"\nCABLE_LENGTH|AZURE Ethernet0 ", "FOO_TABLE",
		},
		"nvue": {"gpu-pod", "startup.yaml", "- set:\n", "- set:\n    platform-x:\n      fan: 7\n", "platform-x.fan"},
	} {
		t.Run(name, func(t *testing.T) {
			_, files := writtenFiles(t, c.example)
			f := files[slices.IndexFunc(files, func(f lint.File) bool { return strings.HasSuffix(f.Name, c.base) })]
			sound := targets.JudgeFiles([]lint.File{f})
			text := strings.Replace(string(f.Data), c.from, c.to, 1)
			require.False(t, text == string(f.Data))
			f.Data = []byte(text)
			r := targets.JudgeFiles([]lint.File{f})
			assert.True(t, r.Files[0].Part)
			assert.Contains(t, r.Files[0].Why, "is not understood")
			var told []*diag.Diagnostic
			for _, d := range r.Diagnostics {
				if d.Code == lint.Unjudged.Code {
					told = append(told, d)
				}
			}
			require.Len(t, told, 1)
			assert.Contains(t, told[0].Detail, "The first such row is "+c.names)
			assert.Contains(t, strings.SplitAfter(text, "\n")[told[0].At.Start.Line-1], strings.Split(c.names, ".")[0])
			assert.Len(t, r.Diagnostics, len(sound.Diagnostics)+1)
		})
	}
}
