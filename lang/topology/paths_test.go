package topology

import (
	"cmp"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// inventoryHeader is the header of the cables that NetBox imports.
const inventoryHeader = "side_a_device,side_a_type,side_a_name,side_b_device,side_b_type,side_b_name,type,status,length,length_unit\n"

// rows returns a sheet of cables with that header. Each word is DEVICE/TYPE/NAME=DEVICE/TYPE/NAME, followed by the cells after the type
// of the cable, such as ,connected,3,m.
func rows(words ...string) string {
	short := map[string]string{
		"i": "dcim.interface", "f": "dcim.frontport", "r": "dcim.rearport", "c": "dcim.consoleport", "p": "dcim.powerport",
		"t": "circuits.circuittermination",
	}
	var b strings.Builder
	b.WriteString(inventoryHeader)
	for _, w := range words {
		a, rest, _ := strings.Cut(w, "=")
		z, rest, _ := strings.Cut(rest, " ")
		for _, end := range []string{a, z} {
			parts := strings.Split(end, "/")
			fmt.Fprintf(&b, "%s,%s,%s,", parts[0], short[parts[1]], parts[2])
		}
		b.WriteString("smf," + rest + "\n")
	}
	return b.String()
}

const fronts = "device,name,type,rear_port,rear_port_position\n" +
	"pp1,F1,lc,R1,1\npp1,F2,lc,R1,2\npp2,F1,lc,R1,1\npp2,F2,lc,R1,2\npp3,1,lc,1,1\npp4,1,lc,1,1\n"

// Rows of an inventory become links, paths through panels, or are left out.
func TestInventoryCables(t *testing.T) {
	for _, c := range pathCases(t, "testdata/paths.txt") {
		t.Run(c.name, func(t *testing.T) {
			got, ds := ReadAll("csv", "cables", []byte(rows(c.rows...)), Options{Most: many, Sheets: []Sheet{{"fronts", []byte(fronts)}}})
			assert.Equal(t, c.said[">"], show(got.Edges))
			assert.Equal(t, c.one("left"), got.Left.String())
			assert.Equal(t, cmp.Or(c.one("panels"), "0"), strconv.Itoa(got.Panels))
			if c.one("left") == "" {
				require.Empty(t, ds)
				return
			}
			require.Len(t, ds, 1)
			assert.Equal(t, "topology-left-out", ds[0].Code)
			assert.Contains(t, ds[0].Detail, c.one("left"))
		})
	}
}

// pathCase is a case of a file: rows of an inventory, and lines that begin with a word.
type pathCase struct {
	name string
	rows []string
	said map[string][]string
}

func (c *pathCase) one(word string) string { return strings.Join(c.said[word], "|") }

func pathCases(t *testing.T, file string) (cases []pathCase) {
	t.Helper()
	src, err := os.ReadFile(file)
	require.NoError(t, err)
	for _, text := range strings.Split(string(src), "# ")[1:] {
		c := pathCase{said: map[string][]string{}}
		for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
			word, rest, _ := strings.Cut(line, " ")
			switch {
			case i == 0:
				c.name = line
			case strings.Contains(word, "="):
				c.rows = append(c.rows, line)
			default:
				c.said[word] = append(c.said[word], rest)
			}
		}
		cases = append(cases, c)
	}
	require.NotEmpty(t, cases)
	return cases
}

// A missing port of an inventory is reported once for each panel.
func TestInventoryMistakes(t *testing.T) {
	for _, c := range pathCases(t, "testdata/pathmistakes.txt") {
		t.Run(c.name, func(t *testing.T) {
			o := Options{Most: many}
			switch c.one("sheet") {
			case "fronts":
				o.Sheets = []Sheet{{"sheet", []byte(fronts)}}
			case "other":
				o.Sheets = []Sheet{{"sheet", []byte("a,b\n1,2\n")}}
			}
			_, ds := ReadAll("csv", "cables", []byte(rows(c.rows...)), o)
			require.NotEmpty(t, ds)
			assert.Contains(t, ds[0].Detail, c.one("says"))
			if note := c.one("note"); note != "" {
				require.Len(t, ds[0].Notes, 1)
				assert.Contains(t, ds[0].Notes[0].Message, note)
			}
		})
	}
}

// Following a path that is a loop ends.
func TestInventoryLoop(t *testing.T) {
	const sheet = "device,name,rear_port\np,1,1\np,2,2\n"
	loop := rows("l/i/swp1=p/f/1 connected,,", "p/r/1=p/r/2 connected,,", "p/f/2=p/f/1 connected,,")
	_, ds := ReadAll("csv", "cables", []byte(loop), Options{Most: many, Sheets: []Sheet{{"sheet", []byte(sheet)}}})
	require.NotEmpty(t, ds)
	assert.Equal(t, "topology-endpoint", ds[0].Code)
}

// Exports of views have no columns of types. The sheets of ports have the types.
func TestInventoryWithoutTypes(t *testing.T) {
	got, ds := ReadAll("csv", "cables", []byte("Device A,Termination A,Device B,Termination B,Status,Type,Length\n"+
		"l,swp1,pp3,1,Connected,SMF,1 m\nl,eth0,m,1,Connected,CAT6,2 m\nl,PSU0,u,1,Connected,Power,\n"+
		"pp4,1,s,swp1,Connected,SMF,2 m\npp3,R,pp4,R,Connected,SMF,5 m\n"),
		Options{Most: many, Sheets: []Sheet{
			{"front", []byte("Device,Name,Rear Port,Position\npp3,1,R,1\npp4,1,R,1\n")},
			{"interfaces", []byte("Device,Name,Type,Management Only\nl,eth0,1000base-t,True\nl,swp1,x,False\n")},
			{"rear", []byte("Device,Name,Positions\npp4,R,1\n")},
		}})
	require.Len(t, ds, 1)
	assert.Equal(t, "Cables of this file are left out, because they are not links of the fabric: 1 in management ports and 1 in power "+
		"ports.",
		ds[0].Detail)
	assert.Equal(t, []string{"l:swp1-s:swp1 length=8m"}, show(got.Edges))
}

// Devices of inventories, and devices that only cables name.
func TestInventoryDevices(t *testing.T) {
	sheet := []byte("Name,Device Role,Device Type,Platform,Status\nleaf1,Leaf,MSN4700,cumulus-linux-5-11,Active\n" +
		"leaf2,Leaf,MSN4700,,Active\ngpu1,Server,DGX,ubuntu,Active\n")
	c, ds := ReadAll("csv", "cables", []byte("a,b\nleaf1:swp1,gpu1:eth0\nlaef2:swp1,gpu1:eth1\n"), Options{
		Most:   many,
		Sheets: []Sheet{{"devices", sheet}},
	})
	require.Len(t, ds, 1)
	assert.Equal(t, "topology-device", ds[0].Code)
	assert.Contains(t, ds[0].Detail, `The file declares 3 devices and no "laef2", which only cables name. Did you mean "leaf2"?`)
	assert.Equal(t, map[string]string{"laef2": "leaf2"}, c.Strays)
	assert.Equal(t, map[string]Node{
		"leaf1": {Function: "Leaf", System: "cumulus-linux-5-11", Model: "MSN4700"}, "leaf2": {Function: "Leaf", Model: "MSN4700"},
		"gpu1": {Function: "Server", System: "ubuntu", Model: "DGX"},
	}, c.Nodes)

	c, ds = ReadAll("csv", "links", []byte("StartDevice,StartPort,EndDevice,EndPort,BandWidth\ndut1,Ethernet0,dut2,Ethernet0,100000\n"),
		Options{Most: many, Sheets: []Sheet{{"devices", []byte("Hostname,ManagementIp,HwSku,Type\n" +
			"dut1,192.0.2.1/24,ACS-MSN2700,DevSonic\n" +
			"t1,192.0.2.3/24,SNAPPI-tester,DevSnappiChassis\n")}}})
	require.Empty(t, ds)
	assert.Equal(t, map[string]Node{
		"dut1": {Function: "DevSonic", System: "DevSonic", Model: "ACS-MSN2700"}, "t1": {
			Function: "DevSnappiChassis",
			System:   "DevSnappiChassis", Model: "SNAPPI-tester",
		},
	}, c.Nodes)
	require.Len(t, c.Edges, 1)
}

// The cables of a planned device are planned. The cables of a device that is being removed are left out.
func TestInventoryStatusOfDevices(t *testing.T) {
	cables := []byte(rows("l1/i/swp1=h1/i/eth0 connected,,", "l1/i/swp2=h2/i/eth0 connected,,", "l1/i/swp3=h3/i/eth0 connected,,",
		"l1/i/swp4=h4/i/eth0 planned,,", "h2/i/eth1=h3/i/eth1 connected,,"))
	got, ds := ReadAll("csv", "cables", cables, Options{Most: many, Sheets: []Sheet{{"devices", []byte("name,role,status\n" +
		"l1,Leaf,active\nh1,Server,Offline\nh2,Server,Planned\nh3,Server,Decommissioning\nh4,Server,Staged\n")}}})
	require.Len(t, ds, 1)
	assert.Equal(t, []string{
		"l1:swp1-h1:eth0", "l1:swp2-h2:eth0 planned=true", "l1:swp4-h4:eth0 planned=true",
	}, show(got.Edges))
	assert.Equal(t, "2 decommissioned", got.Left.String())
}

// A name that differs only in its number is reported only if nearly all devices are declared. Other names are always reported, except
// for short names.
func TestStrays(t *testing.T) {
	for text, want := range map[string]map[string]string{
		`graph g { leaf1 [os=x]; "leaf1":"swp1" -- "leaf2":"swp1" }`: nil,
		`graph g { leaf1 [os=x];
"leaf1":"swp1" -- "lefa1":"swp1" }`: {"lefa1": "leaf1"},
		`graph g { leaf1; leaf2; gpu01; gpu02; "leaf1":"swp1" -- "gpu01":"eth1";
"leaf2":"swp1" -- "gpu03":"eth1" }`: {"gpu03": "gpu01"},
		`graph g { leaf1; leaf2; gpu01; gpu02; "leaf1":"swp1" -- "store":"eth1"; "leaf2":"swp1" -- "gpu02":"eth1" }`: nil,
		`graph g { "leaf1":"swp1" -- "lefa1":"swp1"; "leaf1":"swp2" -- "leaf2":"swp1" }`:                             nil,
		`graph g { a1 [os=x]; "a1":"swp1" -- "b1":"swp1" }`:                                                          nil,
		`graph g { leaf01; subgraph x { leaf02; leaf03; leaf04 }; "leaf01":"swp1" -- "leaf0l":"swp1";
"leaf0l":"a" -- "leaf02":"b" }`: {"leaf0l": "leaf01"},
	} {
		c, _ := ReadAll("ptm", "f", []byte(text), Options{Most: many})
		assert.Equal(t, want, c.Strays, text)
	}
	var b strings.Builder
	b.WriteString("graph g { leaf1; spine;\n")
	for i := range 2 * mostStrays {
		fmt.Fprintf(&b, "\"spinx%d\":\"p\" -- \"leaf1\":\"p%d\"\n", i, i)
	}
	_, ds := ReadAll("ptm", "f", []byte(b.String()+"}"), Options{Most: many})
	require.NotEmpty(t, ds)
	assert.Contains(t, ds[len(ds)-1].Notes[0].Message, "20 further devices that only cables name were left out of this comparison")
}

// A sheet may have a column with the role of a device, as in the P2P file of NVIDIA's Cable Validation Tool.
func TestRolesOfEnds(t *testing.T) {
	c, ds := ReadAll("csv", "f", []byte("A-Node Name,A-Type,A-Port,Z-Node Name,Z-Type,Z-Port\nm1,Host,rail5,d1,Switch,swp1s0\n"+
		""), Options{Most: many})
	require.Empty(t, ds)
	assert.Equal(t, []string{"m1:rail5-d1:swp1s0"}, show(c.Edges))
	assert.Equal(t, map[string]Node{"m1": {Function: "host"}, "d1": {Function: "switch"}}, c.Nodes)
}

// Each front port has a separate position of its rear port. Two front ports with one position, and a position that is not a number, are
// mistakes at their row.
func TestInventoryPositions(t *testing.T) {
	cables := []byte(rows("l/i/swp1=p/f/1 connected,,"))
	for sheet, want := range map[string]string{
		"device,name,rear_port\np,1,R\np,2,R\n":                        "lead to one position, 1, of the rear port R",
		"device,name,rear_port,rear_port_position\np,1,R,2\np,2,R,2\n": "lead to one position, 2, of the rear port R",
		"device,name,rear_port,rear_port_position\np,1,R,0\n":          "The position 0 of a rear port",
		"device,name,rear_port,rear_port_position\np,1,R,front\n":      "The position front of a rear port",
	} {
		_, ds := ReadAll("csv", "cables", cables, Options{Most: many, Sheets: []Sheet{{"sheet", []byte(sheet)}}})
		require.NotEmpty(t, ds, sheet)
		assert.Contains(t, ds[0].Detail, want)
		assert.Equal(t, "sheet", ds[0].At.Filename)
	}
}
