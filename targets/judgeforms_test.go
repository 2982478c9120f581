package targets_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/target/lint"
)

// TestFormsOfCONFIGDB: a finding about a typing error, a key or a row is the verdict on that row, so the file is judged. In every form, a
// table that rocec does not know counts once.
func TestFormsOfCONFIGDB(t *testing.T) {
	golden, err := os.ReadFile("../golden/mixed-releases/leaf3/etc/rocec/config_db.json")
	require.NoError(t, err)
	for _, c := range []struct{ text, why, dialect string }{
		{string(golden), "", "config_db.json of SONiC"},
		{strings.Replace(string(golden), `"5m"`, `"5m`, 1), "", "config_db.json of SONiC"},
		{strings.TrimRight(string(golden), "}\n"), "", "config_db.json of SONiC"},
		{"# of leaf3\n" + string(golden), "", "config_db.json of SONiC"},
		{`{"SCHEDULER": {"s": {"weight": "1"}, "s": {"weight": "2"}}}`, "", "config_db.json of SONiC"},
		{`{"QUEUE": {"Ethernet0|3": {"scheduler": "s"}, "Ethernet0|3-4": {"scheduler": "s"}}}`, "", "config_db.json of SONiC"},
		{`{"QUEUE": {"Ethernet0,Ethernet4|3": {"scheduler": "s"}}, "SCHEDULER": {"s": {}}}`, "", "config_db.json of SONiC"},
		{`{"PFC_WD": {"PORT": {"Ethernet0": {"enabled": "true"}}}, "SCHEDULER": {"s": {"weight": "1"}}}`, "", "config_db.json of SONiC"},
		{`{"AQM": {"a": {"b": "c"}, "d": {}}, "SCHEDULER": {"s": {"weight": "1"}}}`, "1 of its 2 rows is not", "config_db.json of SONiC"},
		{`{"AQM|a": {"b": "c"}, "AQM|d": {}, "SCHEDULER|s": {"weight": "1"}}`, "1 of its 2 rows is not", "dump of CONFIG_DB of SONiC"},
		{`[{"SCHEDULER|s": {"weight": "1"}, "OP": "SET"}]`, "", "list of operations of SONiC"},
		{"SCHEDULER|s weight \"1\"\nSCHEDULER|s weight 2\n", "", "rows of CONFIG_DB of SONiC"},
	} {
		r := targets.JudgeFiles([]lint.File{{Name: "saved", Data: []byte(c.text)}})
		assert.True(t, strings.HasPrefix(r.Files[0].Dialect, c.dialect), r.Files[0].Dialect)
		if c.why == "" {
			assert.Empty(t, r.Files[0].Why, "%.80s", c.text)
		} else {
			assert.Contains(t, r.Files[0].Why, c.why, "%.80s", c.text)
		}
	}
}
