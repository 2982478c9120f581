package site

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/target/lint"
)

// tor is a configuration of SONiC with two ports, their aliases, and PFC. It names the neighbour of Ethernet4, a switch without a file.
func tor(name, device, port string) lint.File {
	const conf = `{"DEVICE_METADATA": {"localhost": {"hostname": "%s", "hwsku": "ACS-MSN2700", "platform": "x86_64-mlnx_msn2700-r0"}},
  "PORT": {"Ethernet0": {"lanes": "0,1,2,3", "alias": "Ethernet1/1"}, "Ethernet4": {"lanes": "4,5,6,7", "alias": "Ethernet2/1"}},
  "PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "3"}, "Ethernet4": {"pfc_enable": "3"}},
  "DEVICE_NEIGHBOR": {"Ethernet0": {"name": "gpu-%[1]s", "port": "ens1"}, "Ethernet4": {"name": "%[2]s", "port": "%[3]s"}},
  "DEVICE_NEIGHBOR_METADATA": {"%[2]s": {"hwsku": "ACS-MSN2700", "type": "ToRRouter"}}}`
	return lint.File{Name: name + "/config_db.json", Data: fmt.Appendf(nil, conf, name, device, port)}
}

// A neighbour's port may have a name that is invalid in a fabric. Then the fabric uses the port with that alias on a switch of the same
// SKU, or the name in a valid spelling. If neither is possible, the page names the neighbour, and routing is unknown.
func TestNeighbourByAlias(t *testing.T) {
	page := func(files ...lint.File) (s *Site, conditions string) {
		s, ds := Of(t.Context(), files, Options{Most: 100})
		require.Empty(t, ds)
		require.NotNil(t, s.Judged.Fabric, "%v", texts(s.Judged.Diags))
		return s, strings.Join(s.Network().Conditions, "\n")
	}
	s, conditions := page(tor("tor1", "tor9", "Ethernet1/1"), tor("tor2", "tor9", "Ethernet2/1"))
	assert.Equal(t, []string{
		"gpu-tor1:ens1 tor1:Ethernet0", "gpu-tor2:ens1 tor2:Ethernet0", "tor1:Ethernet4 tor9:Ethernet0", "tor2:Ethernet4 tor9:Ethernet4",
	}, cablesOf(s.Judged.Fabric))
	assert.Contains(t, conditions, "ports of tor9 are identified by aliases that neighbours state, as on another switch of the same SKU")
	assert.Contains(t, s.Network().Unread, "tor9")

	s, conditions = page(tor("tor1", "tor9", "Ethernet7/1")) // no switch has the alias
	assert.Equal(t, []string{"gpu-tor1:ens1 tor1:Ethernet0", "tor1:Ethernet4 tor9:Ethernet7-1"}, cablesOf(s.Judged.Fabric))
	assert.NotContains(t, conditions, "SKU")
	assert.NotContains(t, conditions, "ports with PFC for which no file names a neighbour")

	s, conditions = page(tor("tor1", "tor9", "a port; of no name"))
	assert.Equal(t, []string{"gpu-tor1:ens1 tor1:Ethernet0"}, cablesOf(s.Judged.Fabric))
	assert.Contains(t, conditions,
		"no lossless traffic comes from the neighbours of tor1:Ethernet4; files name them, but they are not in the fabric")
	assert.Contains(t, conditions, "1 port of switches has a neighbour that is left out")
	assert.NotContains(t, conditions, "ports with PFC for which no file names a neighbour")
}
