package targets_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/judge"
	"github.com/rocec/rocec/targets/judge/judgetest"
)

// TestTOSOfFamilies: the finding about a tos with ECT(0) names it as common practice, and each family states how its NICs treat the bits.
// Only for NICs that set the bits themselves, 104 is no mistake.
func TestTOSOfFamilies(t *testing.T) {
	does := map[string]string{
		"mlx5":  "ignores them and sets its own, so tos = 104 (DSCP 26 alone) works, too: its packets can be marked as well.",
		"ionic": "ignores them and sets its own, so tos = 104 (DSCP 26 alone) works, too: its packets can be marked as well.",
		"mlx4":  "may send them unchanged, and does not slow down when they are marked. DSCP 26 alone is tos = 104.",
		"rxe":   "may send them unchanged, and does not slow down when they are marked. DSCP 26 alone is tos = 104.",
	}
	const unknown = "may send them unchanged; whether it sets its own bits is not known. DSCP 26 alone is tos = 104."
	for _, driver := range targets.Known.Drivers {
		model := ""
		for _, m := range driver.Models {
			if m.V2 {
				model = m.Name
			}
		}
		require.NotEmpty(t, model, driver.Name)
		hcl := strings.NewReplacer(`model = "connectx-6dx"`, "\nmodel = \""+model+"\"\ntos = 106\n", "lossless = true", "",
			`speed = "100G"`, "").Replace(judgetest.Rack(`version = "5.9.1"`))
		j := judge.Judge(t.Context(), fstest.MapFS{"fabric.hcl": {Data: []byte(hcl)}}, ".", judge.Options{})
		var said []string
		for _, d := range j.Diags {
			if d.Code == "tos-ecn-bits" {
				said = append(said, d.Detail)
			}
		}
		require.Len(t, said, 1, "%s: %v", driver.Name, j.Diags)
		assert.Contains(t, said[0], "have tos = 106. The lower two bits are not DSCP but ECN: it is DSCP 26 with ECT(0), as public scripts "+
			"and UCX (auto) have it. ", driver.Name)
		want, known := does[driver.Name]
		if !known {
			want = unknown
		}
		assert.True(t, strings.HasSuffix(said[0], want), "%s: %s", driver.Name, said[0])
	}
}
