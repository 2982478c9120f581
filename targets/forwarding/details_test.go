package forwarding

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Bridges, their ports and tunnels are in the details of interfaces. The lists are in the forms of iproute2 4.18 to 6.1.
//
// Source of the forms: iproute2 6.1 of Debian 12, and its ip/iplink_bridge.c.
func TestDetails(t *testing.T) {
	const text = `[
{"ifname":"br0","linkinfo":{"info_kind":"bridge","info_data":{"hello_timer":0.00,"ageing_time":180000,"stp_state":1,"priority":32768,
 "bridge_id":"8000.0:1c:42:0:0:5","root_id":"1000.00:1c:42:00:00:01","root_port":1,"vlan_filtering":1}}},
{"ifname":"br1","linkinfo":{"info_kind":"bridge","info_data":{"ageing_time":0,"stp_state":2}}},
{"ifname":"swp1","master":"br0","linkinfo":{"info_kind":"veth","info_slave_kind":"bridge",
 "info_slave_data":{"state":"forwarding","priority":32}}},
{"ifname":"swp2","master":"br0","linkinfo":{"info_slave_kind":"bridge","info_slave_data":{"state":"blocking"}}},
{"ifname":"vni10","linkinfo":{"info_kind":"vxlan","info_data":{"id":10,"local":"10.0.0.1","ageing":300,"ttl":64}}},
{"ifname":"vni6","linkinfo":{"info_kind":"vxlan","info_data":{"id":6,"local6":"2001:db8::1","group":"239.1.1.1"}}},
{"ifname":"tun0","linkinfo":{"info_kind":"ipip","info_data":{"proto":"ipip","remote":"10.0.0.2","local":"10.0.0.1","pmtudisc":true}}},
{"ifname":"tunl0","linkinfo":{"info_kind":"ipip","info_data":{"remote":"any","local":"any"}}},
{"ifname":"wg0","linkinfo":{"info_kind":"wireguard"}},
{"ifname":"v10","link":"br0","linkinfo":{"info_kind":"vlan","info_data":{"id":10,"local":true}}},
{"ifname":"x","linkinfo":{"info_kind":"bridge","info_data":{"ageing_time":"never","stp_state":[],"root_id":7}}}]`
	a, err := Read("addr.json", []byte(text))
	require.NoError(t, err)
	all := a.Interfaces
	assert.Equal(t, &Interface{
		Kind: "bridge", Age: 30 * time.Minute, RunsSTP: true, KernelSTP: true, BridgeID: "8000.00:1c:42:00:00:05",
		RootID: "1000.00:1c:42:00:00:01",
	}, all["br0"])
	assert.Equal(t, &Interface{Kind: "bridge", RunsSTP: true}, all["br1"])
	assert.Equal(t, "forwarding", all["swp1"].State)
	assert.Equal(t, "blocking", all["swp2"].State)
	for name, want := range map[string]string{
		"vni10": "10.0.0.1 invalid IP", "vni6": "2001:db8::1 239.1.1.1", "tun0": "10.0.0.1 10.0.0.2", "tunl0": "none",
		"wg0": "invalid IP invalid IP", "v10": "none", "swp1": "none",
	} {
		got := "none"
		if is := all[name]; is.Tunnel(name) {
			got = is.Local.String() + " " + is.Remote.String()
		}
		assert.Equal(t, want, got, name)
	}
	kept, err := Keep("addr.json", []byte(text))
	require.NoError(t, err)
	again, err := Read("addr.json", kept)
	require.NoError(t, err)
	assert.Equal(t, a, again)
	assert.NotContains(t, string(kept), "pmtudisc")
}
