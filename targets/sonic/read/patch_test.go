package read_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/sonic/read"
	"github.com/rocec/rocec/targets/target"
)

// A JSON patch is read as the rows and fields that it sets. Each unreadable operation has its place, and the others are read.
func TestPatch(t *testing.T) {
	text := `[
 {"op": "add", "path": "/PORT_QOS_MAP/Ethernet0", "value": {"pfc_enable": "3", "dscp_to_tc_map": "A"}},
 {"value": {"26": "3"}, "path": "/DSCP_TO_TC_MAP/A", "op": "replace"},
 {"op": "add", "path": "/DSCP_TO_TC_MAP/A/46", "value": "5"},
 {"op": "add", "path": "/CABLE_LENGTH", "value": {"AZURE": {"Ethernet0": "5m"}}},
 {"op": "remove", "path": "/QUEUE/Ethernet0|3"},
 {"op": "test", "path": "/PORT", "value": {}},
 {"op": "add", "path": "/ACL_RULE/x~1y|1", "value": {}},
 {"op": "move", "from": "/QUEUE/Ethernet0|3", "path": "/QUEUE/Ethernet0|4"},
 {"op": "ad", "path": "/QUEUE/Ethernet0|4", "value": {}},
 {"op": "add", "path": "/FOO/Ethernet0|4", "value": {}},
 {"op": "add", "path": "/BUFFER_PROFILE/y"},
 {"op": "add", "path": "/BUFFER_PROFILE/z", "value": "y"},
 {"op": "add", "path": "QUEUE/Ethernet0|4", "value": {}}
]
`
	require.True(t, read.IsPatch([]byte(text)))
	u := read.Understand(target.Identity{}, map[string][]byte{"config_db.patch.json": []byte(text)})
	p := u.Settings.Port("Ethernet0")
	require.NotNil(t, p)
	assert.Equal(t, []int8{3, 5, -1}, []int8{p.DSCP[26], p.DSCP[46], p.DSCP[48]})
	assert.True(t, p.PausesKnown)
	assert.Equal(t, ir.Of(5), p.Detail.Get().Cable)
	at, ok := u.Where("Ethernet0", ir.FieldPauses, 3)
	assert.True(t, ok)
	assert.Equal(t, 2, at.Start.Line)
	var missed []string
	for _, n := range u.Coverage.Not {
		missed = append(missed, fmt.Sprintf("%d %s", n.At.Start.Line, n.Why))
	}
	assert.Equal(t, []string{
		"9 the operation takes its value from another row", "10 an operation is add, replace, remove, move, copy or test",
		"11 no table of CONFIG_DB that rocec knows has this name", "12 the operation has no value", "13 an object is missing here",
		"14 a path begins with /",
	}, missed)
	l := read.Load([]byte(text))
	assert.True(t, l.Patch)
	assert.Equal(t, "JSON patch of CONFIG_DB", l.Form)
	for i := range text { // a truncated text never fails
		read.Understand(target.Identity{}, map[string][]byte{"p.json": []byte(text[:i])})
	}
	assert.False(t, read.IsPatch([]byte(`[{"PORT": {}}]`)))
}

// A later operation overrides an earlier one, and a removal removes a row, a field or a table.
func TestPatchOrder(t *testing.T) {
	text := `[{"op": "add", "path": "", "value": {"DSCP_TO_TC_MAP": {"A": {"1": "1", "2": "2"}, "B": {"1": "1"}}, "SCHEDULER": {"s": {}}}},
{"op": "remove", "path": "/DSCP_TO_TC_MAP/A/1"}, {"op": "remove", "path": "/DSCP_TO_TC_MAP/B"}, {"op": "remove", "path": "/SCHEDULER"},
{"op": "replace", "path": "/DSCP_TO_TC_MAP/A/2", "value": "7"}]`
	c := read.Load([]byte(text)).Config
	assert.Equal(t, "7", c.Get("DSCP_TO_TC_MAP", "A", "2"))
	assert.Empty(t, c.Get("DSCP_TO_TC_MAP", "A", "1"))
	assert.Nil(t, c.Row("DSCP_TO_TC_MAP", "B"))
	assert.Nil(t, c.Row("SCHEDULER", "s"))
}
