package targets_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/compilertest"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/target"
)

// TestHostsOfOtherFamilies: findings about NICs of any driver are at the NIC, and all other devices are still written.
func TestHostsOfOtherFamilies(t *testing.T) {
	secondNIC := strings.LastIndex(twoIntents, `"connectx-5"`)
	model := func(name string) string {
		return twoIntents[:secondNIC] + `"` + name + `"` + twoIntents[secondNIC+len(`"connectx-5"`):]
	}
	for _, c := range []struct {
		name, text, code, place, detail string
	}{
		{
			"another family", model("fastlinq-45000"), "host-family", `"fastlinq-45000"`,
			"The nic ens2f0 of the host group node has the model Marvell FastLinQ 45000, of the family qede. rocec writes hosts whose NICs belong " +
				"to the families mlx5 (ConnectX-4 and later, BlueField), mlx4 (ConnectX-3), bnxt (Broadcom NetXtreme-E), ice (Intel E810, E830) " +
				"or rxe (Soft-RoCE): with another family the host's end of its lossless links would not be configured. Use an mlx5, mlx4, bnxt, " +
				"ice or rxe NIC, or set the host up by hand and write a by_hand block.",
		},
		{
			"no member", strings.Replace(twoIntents, `["rack[1-2]-n[1-4]:ens2f0"]`, `["rack1-n[1-4]:ens2f0"]`, 1) + "cos_group \"unused\" {\n" +
				"  cos      = 3\n  dscp     = [7]\n  lossless = true\n}\n",
			"host-not-member", `nic "ens1f0"`, "the port it is cabled to is lossless for unused",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := compilertest.Compile(t, c.text, "tor_version=4.3.0")
			tree, ds := targets.Render(f)
			assert.Equal(t, ds, targets.Check(f))
			said := false
			for _, d := range ds {
				if place := string(d.At.SliceBytes([]byte(c.text))); d.Code == c.code && place == c.place && strings.Contains(d.Detail, c.detail) {
					said = true
				}
			}
			assert.True(t, said, textOf(ds))
			written := slices.DeleteFunc(slices.Clone(tree.Devices), func(d *target.Device) bool { return len(d.Files) == 0 })
			require.Len(t, written, 8, "the switches, and the hosts that have another member, are written")
		})
	}
}
