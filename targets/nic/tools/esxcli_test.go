package tools

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/target"
)

// Parameters of a driver apply to all NICs of the fabric that may use the driver. The status of a NIC has precedence over them.
func TestESXi(t *testing.T) {
	const set = "esxcli system module parameters set -m nmlx5_core -p \"pfctx=0x08 pfcrx=0x08 trust_state=2\"\n"
	const status = "[root@e:~] esxcli network nic dcb status get -n vmnic4\n   Nic Name: vmnic4\n   PFC Enabled: true\n" +
		"   PFC Configuration: 0 0 0 0 1 0 0 0\n"
	const other = "[root@e:~] esxcli network nic get -n vmnic4\n   Driver: bnxtnet\n"
	for _, c := range []struct {
		name, text string
		pfc        ir.Setting[uint8]
		trust      bool
		not        string
	}{
		{"parameters", set, ir.Of[uint8](8), true, ""},
		{"status after", "[root@e:~] " + set + status, ir.Of[uint8](16), true, ""},
		{"status before", status + "[root@e:~] " + set, ir.Of[uint8](16), true, ""},
		{"off", strings.Replace(status, "true", "false", 1), ir.Of[uint8](0), false, ""},
		{"another driver", other + "[root@e:~] " + set, ir.Setting[uint8]{}, false, ""},
		{"one mask", strings.Replace(set, "pfcrx=0x08 ", "", 1), ir.Setting[uint8]{}, true, ""},
		{
			"other masks", strings.Replace(set, "pfcrx=0x08", "pfcrx=0x10", 1),
			ir.Setting[uint8]{},
			true,
			"pfctx and pfcrx differ, but must be equal",
		},
		{"a slip", strings.Replace(status, "1 0 0 0\n", "1 0 0\n", 1), ir.Setting[uint8]{}, false, noSense},
		{"trust of tomorrow", strings.Replace(set, "trust_state=2", "trust_state=7", 1), ir.Of[uint8](8), false, "other"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, u := port(t, target.Identity{Ports: []string{"vmnic4"}}, map[string]string{"x": c.text})
			assert.Equal(t, c.pfc, p.Detail.Get().PFC)
			assert.Equal(t, c.trust, p.TrustKnown && p.Trust.DSCP)
			switch {
			case c.not == "other":
				require.Len(t, u.Coverage.Not, 1)
			case c.not != "":
				require.Len(t, u.Coverage.Not, 1)
				assert.Equal(t, c.not, u.Coverage.Not[0].Why)
			default:
				assert.Empty(t, u.Coverage.Not)
			}
		})
	}
}
