package topology

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Sheets whose lines are not cables are refused, even if they have devices and ports. The message names the column that shows this.
// Such a sheet is accepted if the columns are named.
func TestOtherLines(t *testing.T) {
	const head = "StartDevice,StartPort,EndDevice,"
	for sheet, says := range map[string]string{
		head + "EndPort,BaudRate,FlowControl\nleaf1,1,leaf2,1,9600,0\n": `The column "BaudRate" is one of consoles, power or controllers`,
		head + "Console_type\ncon1,10,leaf1,ssh\n":                      `The column "Console_type" is one of consoles, power or controllers`,
		head + "EndPort,EndFeed\npdu1,1,leaf1,PSU1,A\n":                 `The column "EndFeed" is one of consoles, power or controllers`,
		"BmcIp," + head + "EndPort\n192.0.2.1,mgmt1,swp1,gpu1,iDRAC\n":  `The column "BmcIp" is one of consoles, power or controllers`,
	} {
		edges, ds := readEdges("csv", "cables", []byte(sheet), many)
		assert.Empty(t, edges, sheet)
		require.Len(t, ds, 1, sheet)
		assert.Equal(t, "topology-empty", ds[0].Code)
		assert.Contains(t, ds[0].Detail, says)
		assert.Contains(t, ds[0].Detail, "Leave the sheet out.")
	}
	read, ds := ReadAll("csv", "cables", []byte("A,B,Baud Rate\nleaf1:swp1,leaf2:swp1,9600\n"), Options{Most: 10, Columns: map[string]string{
		"a": "A", "b": "B",
	}})
	require.Empty(t, ds)
	assert.Len(t, read.Edges, 1)
}

// Headers of other programs, and headers that people write.
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
		{"A-End Hostname,A-End Interface,Z-End Hostname,Z-End Interface\nl1,swp1,s1,swp2\n", "l1:swp1-s1:swp2"},
		{"A-Side Device,A-Side Port,Z-Side Device,Z-Side Port\nl1,swp1,s1,swp2\n", "l1:swp1-s1:swp2"},
		{"Source,Source Port,Target,Target Port\nl1,swp1,s1,swp2\n", "l1:swp1-s1:swp2"},
		{"node1,intf1,node2,intf2\nl1,swp1,s1,swp2\n", "l1:swp1-s1:swp2"},
		{"Switch,Switch Port,Server,Server Port\nl1,swp1,h1,ens1\n", "l1:swp1-h1:ens1"},
		{"Switch\tPort\tServer\tNIC\tSpeed\nl1\tswp1\th1\tens1\t100GbE\n", "l1:swp1-h1:ens1 speed=100G"},
	} {
		edges, ds := readEdges("csv", "cables", []byte(c.sheet), many)
		require.Empty(t, ds, c.sheet)
		assert.Equal(t, c.want, strings.Join(show(edges), "|"), c.sheet)
	}
}

// The unit of a length or speed is in the header, in a column of units, or in the cell itself.
func TestUnits(t *testing.T) {
	for _, c := range []struct{ header, row, want string }{
		{"length,length_unit", "2,km", "length=2km"},
		{"length,length_unit", "300,cm", "length=300cm"},
		{"Length,Length Unit", "10,Feet", "length=10ft"},
		{"Length,Length Unit", "3,Meters", "length=3m"},
		{"length,note,length_unit", "1.5,x,ft", "length=1.5ft"},
		{"length,length_unit", "40,in", "length=1.016m"},
		{"length,unit", "2,km", "length=2km"},
		{"length,length_unit", "0.5,mi", "length=804.672m"},
		{"length,length_unit", "3m,furlong", "length=3m"},
		{"length,length_unit", ",furlong", ""},
		{"length,length_unit", "3,", "length=3"},
		{"Length (ft),length_unit", "3,", "length=3ft"},
		{"length,length_unit", "3,furlong", "length=3 furlong"},
		{"Length (ft)", "30", "length=30ft"},
		{"Length (cm)", "30", "length=30cm"},
		{"Length (km)", "30", "length=30km"},
		{"Length (in)", "30", "length=0.762m"},
		{"Length (mm)", "1500", "length=1.5m"},
		{"Length (feet)", "30", "length=30ft"},
		{"Length in m", "30", "length=30m"},
		{"Length [inches]", "100", "length=2.54m"},
		{"Cable Length (ft)", "30", "length=30ft"},
		{"Cable Length (ft)", "3 m", "length=3 m"},
		{"Length(m)", "30", "length=30m"},
		{"length_m", "30", "length=30m"},
		{"length_ft", "30", "length=30ft"},
		{"Len", "3m", "length=3m"},
		{"length", "3 Meters", "length=3m"},
		{"length", "6'", "length=6ft"},
		{"length", `"2,5"`, "length=2.5m"},
		{"length", `"2,5 m"`, "length=2.5m"},
		{"length", `"0,500"`, "length=0.500m"},
		{"length", `"1,500"`, "length=1,500"}, // the comma could separate thousands, so package lang reports it
		{"Speed (Gbps)", "25", "speed=25G"},
		{"Speed (Gb/s)", "25", "speed=25G"},
		{"Speed (Mbps)", "25000", "speed=25G"},
		{"Speed in Mb/s", "100", "speed=100M"},
		{"Speed (Kbps)", "100000000", "speed=100G"},
		{"Bandwidth (Gbps)", "100", "speed=100G"},
		{"bandwidth", "100000", "speed=100G"},
		{"speed,speed_unit", "400,Gbps", "speed=400G"},
		{"speed", "100GbE", "speed=100G"},
		{"speed", "100 GbE", "speed=100G"},
		{"speed", "100GE", "speed=100G"},
		{"speed", "100 Gbit/s", "speed=100G"},
		{"speed", "25000 Mbps", "speed=25G"},
		{"speed", "25000", "speed=25000"},
		{"speed", "fast", "speed=fast"},
	} {
		text := "a,b," + c.header + "\nx:p,y:q," + c.row + "\n"
		edges, ds := readEdges("csv", "cables", []byte(text), many)
		require.Empty(t, ds, text)
		assert.Equal(t, strings.TrimSpace("x:p-y:q "+c.want), strings.Join(show(edges), "|"), text)
		checkPlaces(t, []byte(text), edges, ds)
	}
}

// An unused column that looks like a length or speed is reported, unless another column has that value.
func TestPassedOver(t *testing.T) {
	for _, c := range []struct{ header, want string }{
		{"Length (yd)", "looks like a length"},
		{"Length per segment", "looks like a length"},
		{"Port Speed", "looks like a speed"},
		{"PortSpeed", "looks like a speed"},
		{"cablelengthyd", "looks like a length"},
		{"Distance (m)", "looks like a length"},
		{"Länge (m)", "looks like a length"},
		{"length_unit", "looks like a length"},
		{"lenght", `Did you mean "length"?`},
		{"length,Length (yd)", ""},
		{"rack,wavelength,unit,Lens type", ""},
	} {
		text := "a,b," + c.header + "\nx:p,y:q,\n"
		_, ds := readEdges("csv", "cables", []byte(text), many)
		if c.want == "" {
			require.Empty(t, ds, text)
			continue
		}
		require.Len(t, ds, 1, text)
		assert.Equal(t, "topology-attribute", ds[0].Code)
		assert.Contains(t, ds[0].Detail, c.want)
		assert.Equal(t, c.header, text[ds[0].At.Start.Byte:ds[0].At.End.Byte])
	}
	c, ds := ReadAll("csv", "cables", []byte("a,b,Strecke (ft)\nx:p,y:q,3\n"),
		Options{Most: many, Columns: map[string]string{"length": "Strecke (ft)"}})
	require.Empty(t, ds)
	assert.Equal(t, []string{"x:p-y:q length=3ft"}, show(c.Edges))
	_, ds = ReadAll("csv", "cables", []byte("a,b,Strecke (Ellen)\nx:p,y:q,3\n"),
		Options{Most: many, Columns: map[string]string{"length": "Strecke (Ellen)"}})
	require.Len(t, ds, 1)
	assert.Contains(t, ds[0].Detail, `"Ellen" is not a known unit of length`)
}

// The fabric names the headers of the columns. It is a mistake if the sheet lacks a named header.
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
	assert.Contains(t, ds[0].Detail, `There is no "Port", which is the header of a_port in columns`)
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

// Attributes of devices in files.
func TestNodes(t *testing.T) {
	c, ds := ReadAll("ptm", "f", []byte(`graph g { "l1" [function="leaf" os="vx" version="5.1"]; "l1":"swp1" -- "h1":"eth1" [function=x]; h1 [role=host] }`), Options{Most: many})
	require.Empty(t, ds)
	assert.Equal(t, map[string]Node{"l1": {Function: "leaf", System: "vx", Version: "5.1"}, "h1": {Function: "host"}}, c.Nodes)

	c, ds = ReadAll("containerlab", "f", []byte(`
topology:
  defaults: {kind: linux}
  groups:
    spines: {kind: srl, type: ixrd3}
  kinds:
    ceos: {image: "ceos:4.32.0F", type: x7}
  nodes:
    s1: {group: spines}
    l1: {kind: ceos, labels: {role: leaf}}
    h1:
  links:
    - endpoints: [s1:e1, l1:e1]
`), Options{Most: many})
	require.Empty(t, ds)
	assert.Equal(t, map[string]Node{
		"s1": {Function: "spines", System: "srl", Model: "ixrd3"}, "l1": {Function: "leaf", System: "ceos", Version: "4.32.0F", Model: "x7"},
		"h1": {System: "linux"},
	}, c.Nodes)
}
