package start

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/topology"
	"github.com/rocec/rocec/targets"
)

// sourced drafts a fabric from a cabling file and the sheets beside it.
func sourced(t *testing.T, format, text string, sheets ...string) (Drafted, diag.List) {
	t.Helper()
	o := topology.Options{Most: 1000}
	c := Cabling{Format: format, Name: "cables.csv"}
	var beside []File
	for i, s := range sheets {
		name := "sheet-" + string(rune('1'+i)) + ".csv"
		o.Sheets = append(o.Sheets, topology.Sheet{Name: name, Src: []byte(s)})
		c.Sheets = append(c.Sheets, name)
		beside = append(beside, File{Name: name, Data: []byte(s)})
	}
	read, ds := topology.ReadAll(format, c.Name, []byte(text), o)
	require.False(t, ds.HasErrors(), "%v", ds)
	c.Cabling = read
	made, refused := Draft(c, targets.Known, System{})
	made.Files = append(append(made.Files, File{Name: c.Name, Data: []byte(text)}), beside...)
	return made, append(ds, refused...)
}

const netboxHeader = "side_a_device,side_a_type,side_a_name,side_b_device,side_b_type,side_b_name,type,status,length,length_unit\n"

// For each source, in the form that a program exports, the test has lines of the draft, the notes, and a verdict.
func TestSources(t *testing.T) {
	air := `"leaf1":"swp31" -- "spine1":"swp1"; "leaf2":"swp31" -- "spine1":"swp2"; "gpu1":"eth1" -- "leaf1":"swp1";
"gpu2":"eth1" -- "leaf2":"swp1" }`
	for name, c := range map[string]struct {
		format, text string
		sheets       []string
		devices      []string // lines of devices.hcl
		not          string   // no line of devices.hcl
		cabling      []string
		notes        []string
	}{
		"os words of Air": {
			format: "ptm", text: `graph "air" { "leaf1" [os="cumulus-vx-5.11.0"]; "leaf2" [os="cumulus-vx-5.11.0"];
"spine1" [os="cumulus-vx-5.11.0"]; ` +
				`"gpu1" [os="generic/ubuntu2404"]; "gpu2" [os="generic/ubuntu2404"]; ` + air,
			devices: []string{`version = "5.11.0"`, `os      = "cumulus-linux"`, `host "gpu" {`}, not: "4.3.0",
		},
		"SONiC in Air": {
			format: "air", text: `{"nodes": {"leaf1": {"os": "sonic-vs-202411"}, "leaf2": {"os": "sonic-vs-202411"},
"gpu1": {"os": "generic/ubuntu2404"}, "gpu2": {"os": "ubuntu-20.04"}},
"links": [[{"interface": "Ethernet0", "node": "leaf1"}, {"interface": "Ethernet0", "node": "leaf2"}], [{"interface": "eth1",
	"node": "gpu1"}, {"interface": "Ethernet4", "node": "leaf1"}],
[{"interface": "eth1", "node": "gpu2"}, {"interface": "Ethernet4", "node": "leaf2"}], [{"interface": "eth0", "node": "gpu2"}, "exit"]]}`,
			devices: []string{`version = "202411"`, `os      = "sonic"`}, notes: []string{"1 link that joins no two devices: exit"},
		},
		"types and status of NetBox": {
			format: "csv", text: netboxHeader + "leaf1,dcim.interface,swp1,gpu1,dcim.interface,eth0,dac-passive,connected,3,m\n" +
				"leaf1,dcim.interface,swp2,gpu2,dcim.interface,eth0,dac-passive,planned,3,m\n" +
				"leaf1,dcim.consoleport,Console,con1,dcim.consoleserverport,ttyS1,cat6,connected,5,m\n" +
				"leaf1,dcim.powerport,PSU0,pdu1,dcim.poweroutlet,Outlet 1,power,connected,,\n" +
				"leaf1,dcim.interface,swp3,gpu3,dcim.interface,eth0,dac-passive,decommissioning,3,m\n",
			devices: []string{`os      = "cumulus-linux"`}, not: "by_hand",
			notes: []string{"1 cable decommissioned", "1 cable in console ports", "1 cable in power ports"},
		},
		"roles, types and platforms of NetBox": {
			format: "csv", text: netboxHeader + "x1,dcim.interface,swp1,y1,dcim.interface,eth0,aoc,connected,3,m\n" +
				"x1,dcim.interface,swp2,y2,dcim.interface,eth0,aoc,connected,3,m\n" +
				"x1,dcim.interface,swp3,t1,dcim.interface,p1,aoc,connected,3,m\n",
			sheets: []string{"name,role,device_type,platform\nx1,Leaf,MSN4700-WS2F,cumulus-linux-5-11\ny1,Server,DGX " +
				"H100,ubuntu-22-04\ny2,Server,DGX H100,ubuntu-22-04\nt1,Traffic Tester,Ixia,\n"},
			devices: []string{`model   = "sn4700"`, `version = "5.11"`}, not: "CHECK: decides ports",
			cabling: []string{`ignore = ["t1"]`, `sheets = ["sheet-1.csv"]`}, notes: []string{"1 device outside of the fabric: t1"},
		},
		"test bed of SONiC": {
			format: "csv", text: "StartDevice,StartPort,EndDevice,EndPort,BandWidth,VlanID,VlanMode\n" +
				"dut1,Ethernet0,tgen1,Card1/Port1,100000,2,Access\n" +
				"dut1,Ethernet4,dut2,Ethernet4,100000,2,Access\ndut1,Ethernet8,s1,eth0,100000,2,Access\n" +
				"dut2,Ethernet8,s2,eth0,100000,2,Access\n",
			sheets: []string{"Hostname,ManagementIp,HwSku,Type\ndut1,192.0.2.1/24,ACS-MSN2700,DevSonic\n" +
				"dut2,192.0.2.2/24,Mellanox-SN2700-C32,DevSonic\n" +
				"tgen1,192.0.2.3/24,SNAPPI-tester,DevSnappiChassis\ns1,,TestServ,Server\ns2,,TestServ,Server\n"},
			devices: []string{`model   = "sn2700"`, `os      = "sonic"`}, not: "CHECK: decides ports",
			cabling: []string{`["tgen1"]`}, notes: []string{"1 device outside of the fabric: tgen1"},
		},
		"patch panels": {
			format: "csv", text: netboxHeader + "leaf1,dcim.interface,swp1,gpu1,dcim.interface,eth0,dac,connected,3,m\n" +
				"leaf2,dcim.interface,swp1,gpu2,dcim.interface,eth0,dac,connected,3,m\n" +
				"leaf1,dcim.interface,swp9,pp1,dcim.frontport,1,smf,connected,3,m\n" +
				"pp1,dcim.rearport,1,pp2,dcim.rearport,1,smf,connected,80,m\n" +
				"pp2,dcim.frontport,1,leaf2,dcim.interface,swp9,smf,connected,2,m\n",
			sheets:  []string{"device,name,rear_port\npp1,1,1\npp2,1,1\n"},
			cabling: []string{"# 1 cable goes through patch panels, with the sum of the lengths.", `sheets = ["sheet-1.csv"]`}, not: "pp1",
		},
		"a console by its name": {
			format: "csv", text: "a,b\nleaf1:swp1,gpu1:eth0\nleaf1:swp2,gpu2:eth0\nleaf1:Console,term1:p1\nleaf1:PSU0,feed1:3\n" +
				"", not: "by_hand",
			notes: []string{"2 cables in a management, console or power port of a switch"},
		},
		"a slip in a name": {
			format: "ptm", text: strings.Replace(`graph g { leaf1 [os=cumulus]; leaf2 [os=cumulus]; spine1 [os=cumulus];
gpu1 [os=ubuntu]; gpu2 [os=ubuntu]; `+air, `"leaf2":"swp31"`, `"laef2":"swp31"`, 1),
			devices: []string{"# CHECK: the file declares no such device: is leaf2 meant? Then correct the name there."},
		},
	} {
		t.Run(name, func(t *testing.T) {
			made, ds := sourced(t, c.format, c.text, c.sheets...)
			require.False(t, ds.HasErrors(), "%v", ds)
			devices, cabling := string(made.Files[1].Data), string(made.Files[2].Data)
			for _, line := range c.devices {
				assert.Contains(t, devices, line)
			}
			if c.not != "" {
				assert.NotContains(t, devices, c.not)
			}
			for _, line := range c.cabling {
				assert.Contains(t, strings.ReplaceAll(cabling, "  ", " "), line)
			}
			assert.Equal(t, c.notes, made.Notes)
			v, why := verdict(judged(t, made.Files))
			require.NotEmpty(t, v, "%s\n%s\n%s", why, devices, cabling)
		})
	}
}

// If all cables of a source end at testers, it makes no fabric, and the message names the testers.
func TestTestersAlone(t *testing.T) {
	_, ds := sourced(t, "csv", "StartDevice,StartPort,EndDevice,EndPort\ndut1,Ethernet0,tgen1,Card1/Port1\n",
		"Hostname,ManagementIp,HwSku,Type\ndut1,192.0.2.1/24,ACS-MSN2700,DevSonic\ntgen1,192.0.2.3/24,SNAPPI-tester,DevSnappiChassis\n")
	require.Len(t, ds, 1)
	require.Contains(t, ds[0].Detail, "at a tester")
}
