package steps

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/commands"
)

// TestNames: a step or a query has exactly one name. A name with another order, an unknown part or a value of another form makes none.
func TestNames(t *testing.T) {
	for _, name := range []string{
		"apply ens1f0", "apply ens1f0,carries,vlan=7 ens1f1", "apply a,vlan=4094", "leave", "leave ens1f0,plain", "leave ens1f0,taken",
	} {
		s, err := sample.Step(strings.Fields(name))
		require.NoError(t, err, name)
		require.Equal(t, "x "+name, s.Name)
	}
	for _, name := range []string{
		"show ens1f0", "look ens1f0", "held", "show a,bond=b", "show a,vlan=4094,vlan_ip=192.0.2.1/24", "look a,vf_roce_65535=off",
		"show a,dcqcn_rpg_ai_rate=20,stall_prevention=auto",
	} {
		q, err := sample.Query(strings.Fields(name))
		require.NoError(t, err, name)
		require.Equal(t, "x "+name, q.Name)
	}
	for _, name := range []string{
		"", "apply", "apply a a", "apply a,vlan=1,carries", "apply a,plain", "apply a,taken", "leave a,carries", "apply a,carries,carries",
		"apply a,vlan=0", "apply a,bond=b", "show a,vlan=4095", "show a,vlan=01", "show a,vlan=", "show a,vlan=1;x",
		"show a,bond=", "show a,bond=..",
		"show a,bond=b/c", "show a,vlan_ip=192.0.2.1", "show a,vlan_ip=fe80::1%25a/64", "show a,vf_roce_65536=on", "show a,vf_roce_00=on",
		"show a,vf_roce_0=maybe", "show a,vf_roce_x=on", "show a,mtu=1", "show a,", "show .", "show ..", "show a/b", "show a%2Fb", "show a%20b",
		"show aaaaaaaaaaaaaaaa", "apply $(reboot)", "apply a;reboot", "show", "show a b", "show a,carries", "look a,plain", "held a", "Apply a",
		"reboot a", "stored a,nvram_x=1", "store a,nvram_x=1",
		"show a,dcqcn_x=-1", "show a,stall_prevention=79", "show a,stall_prevention=on",
		"apply a,leaves",
	} {
		_, err := sample.Step(strings.Fields(name))
		require.ErrorAs(t, err, new(*commands.Unknown), name)
		_, err = sample.Query(strings.Fields(name))
		require.ErrorAs(t, err, new(*commands.Unknown), name)
	}
}
