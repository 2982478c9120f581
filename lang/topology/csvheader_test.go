package topology

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Headers that other programs and people write.
func TestOtherHeaders(t *testing.T) {
	for _, c := range []struct{ sheet, want string }{
		{
			"StartDevice,StartPort,EndDevice,EndPort,BandWidth,VlanID,VlanMode,AutoNeg\nt0-1,Ethernet0,tg-1,Port1.1,100000,,Access,\n",
			"t0-1:Ethernet0-tg-1:Port1.1 speed=100G",
		},
		{
			"local_switch,local_interface,remote_switch,remote_interface,notes\ns1,Ethernet1/1,l1,Ethernet49/1,\n",
			"s1:Ethernet1/1-l1:Ethernet49/1",
		},
		{"Source,Source Port,Destination,Destination Port,Cable Length (m)\nl1,swp1,s1,swp2,15\n", "l1:swp1-s1:swp2 length=15m"},
		{"From,To,Rack\nl1:swp1,s1:swp2,B7\n", "l1:swp1-s1:swp2"},
		{"\ufeffDevice A;Port A;Device B;Port B;Speed\r\nl1;swp1;s1;swp2;25G\r\n", "l1:swp1-s1:swp2 speed=25G"},
		{"sep=;\r\nSide A Device;Side A Name;Side B Device;Side B Name\r\nl1;swp1;s1;swp2\r\n", "l1:swp1-s1:swp2"},
		{"a_device,a_port,b_device,b_port,speed,bandwidth\nl1,swp1,s1,swp2,40G,100000\n", "l1:swp1-s1:swp2 speed=40G"},
		{"hostname,interface,neighbor,neighbor_port\nl1,swp1,s1,swp2\n", "l1:swp1-s1:swp2"},
	} {
		edges, ds := Read("csv", "cables", []byte(c.sheet), many)
		require.Empty(t, ds, c.sheet)
		assert.Equal(t, c.want, strings.Join(show(edges), "|"), c.sheet)
	}
}

// Columns that the fabric names, and one that is not there.
func TestNamedColumns(t *testing.T) {
	sheet := []byte("a_device,Von,Anschluss,Nach,Anschluss2,Meter\nx,l1,swp1,s1,swp2,3m\n")
	o := Options{Most: many, Columns: map[string]string{
		"a_device": "von", "a_port": "Anschluss", "b_device": "Nach", "b_port": "Anschluss2",
		"length": "Meter",
	}}
	c, ds := ReadAll("csv", "cables", sheet, o)
	require.Empty(t, ds)
	assert.Equal(t, []string{"l1:swp1-s1:swp2 length=3m"}, show(c.Edges))

	o.Columns["a_port"] = "Port"
	_, ds = ReadAll("csv", "cables", sheet, o)
	require.Len(t, ds, 1)
	assert.Contains(t, ds[0].Detail, `there is no "Port", which columns gives as a_port`)
}

func TestFold(t *testing.T) {
	for from, want := range map[string]string{
		"LEAF01": "leaf01", "Leaf 01": "leaf-01", "rack1/leaf2": "rack1-leaf2", "  a  b ": "a-b", "größe": "größe",
	} {
		assert.Equal(t, want, FoldDevice(from))
	}
	for from, want := range map[string]string{
		"swp1": "swp1", "Ethernet1/1": "Ethernet1-1", "1/1/c1/1": "1-1-c1-1", "GigabitEthernet0/0/0/1": "Gi0-0-0-1",
		"TwentyFiveGigE 1/0/1": "Tw1-0-1",
		"Card2/Port4":          "Card2-Port4", "Port 7": "Port-7", "Gi0/0/0/1": "Gi0-0-0-1",
	} {
		assert.Equal(t, want, FoldPort(from))
	}
}

// What files say of devices.
func TestNodes(t *testing.T) {
	c, ds := ReadAll("ptm", "f", []byte(`graph g { "l1" [function="leaf" os="vx" version="5.1"]; "l1":"swp1" -- "h1":"eth1" [function=x]; h1 [role=host] }`), Options{Most: many})
	require.Empty(t, ds)
	assert.Equal(t, map[string]Node{"l1": {Function: "leaf", System: "vx", Version: "5.1"}, "h1": {Function: "host"}}, c.Nodes)

	c, ds = ReadAll("containerlab", "f", []byte(`
topology:
  defaults: {kind: linux}
  groups:
    spines: {kind: srl, type: ixrd3}
  nodes:
    s1: {group: spines}
    l1: {kind: ceos, labels: {role: leaf}}
    h1:
  links:
    - endpoints: [s1:e1, l1:e1]
`), Options{Most: many})
	require.Empty(t, ds)
	assert.Equal(t, map[string]Node{
		"s1": {Function: "spines", System: "srl", Model: "ixrd3"}, "l1": {Function: "leaf", System: "ceos"}, "h1": {System: "linux"},
	}, c.Nodes)
}
