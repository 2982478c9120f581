package targets_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/target/lint"
)

// A table that a show command printed is reported as such, with the commands that print a configuration, for any file name.
func TestShownTable(t *testing.T) {
	for name, c := range map[string]struct{ text, columns string }{
		"nv show qos roce": {
			"                 operational  applied\n---------------  -----------  -------\nenable           on           on\n",
			"operational and applied",
		},
		"nv show interface qos": {
			"PFC configuration\n\n  port  traffic class  tx\n  ----  -------------  --\n  swp1  3              on\n", "port, traffic class and tx",
		},
		"sections": {
			"RoCE PCP/DSCP->SP mapping configurations\n===========================================\n       pcp  dscp       switch-prio\n" +
				"    -  ---  ---------  -----------\n    0  0    0,1,2,3    0\n", "pcp, dscp and switch-prio",
		},
		"sonic": {
			"  Interface    Lossless priorities\n-----------  ---------------------\n  Ethernet0    3,4\n", "Interface and Lossless priorities",
		},
	} {
		r := targets.JudgeFiles([]lint.File{{Name: "leaf1-qos.log", Data: []byte(c.text)}})
		assert.Equal(t, "it is a table of a show command, with the columns "+c.columns+", and no configuration", r.Files[0].Why, name)
		require.Len(t, r.Diagnostics, 1, name)
		assert.Equal(t, lint.Unjudged.Code, r.Diagnostics[0].Code)
		assert.Contains(t, r.Diagnostics[0].Detail, "`nv config show -o commands`")
	}
	for _, text := range []string{"a = b\n-- --\n", "-- --\n", "x\n----\n", "pfc.port_group_list = []\n"} {
		r := targets.JudgeFiles([]lint.File{{Name: "x", Data: []byte(text)}})
		assert.NotContains(t, r.Files[0].Why, "table of a show command", text)
	}
}
