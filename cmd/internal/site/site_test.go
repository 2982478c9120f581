package site

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/site/sitetest"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/judge"
	"github.com/rocec/rocec/targets/target/lint"
)

// guesses are the examples whose networks have facts that the files of switches and LLDP do not show, with that fact.
var guesses = map[string]string{
	"prepared-rack": "a prepared switch has no cable yet",
	"ring-table":    "routing is by a table, which no file of a switch has",
	"soft-roce":     "no port has PFC, and none marks",
}

// The fabric made from the files of the switches of an example has the cables of the example, and the same classes at each port. Its
// files are as that fabric wants them, or differ from it and are sound.
func TestExamples(t *testing.T) {
	entries, err := os.ReadDir("../../../examples")
	require.NoError(t, err)
	made := 0
	for _, e := range entries {
		j := judge.Judge(t.Context(), os.DirFS("../../../examples/"+e.Name()), ".", judge.Options{})
		if !e.IsDir() || j.Fabric == nil || j.Diags.HasErrors() {
			continue
		}
		made++
		t.Run(e.Name(), func(t *testing.T) {
			files := sitetest.FilesOf(t, j)
			s, ds := Of(t.Context(), files, Options{Most: 1 << 20})
			require.Empty(t, ds)
			require.NotNil(t, s.Judged.Fabric)
			if guesses[e.Name()] != "" {
				return
			}
			require.False(t, s.Judged.Diags.HasErrors(), "%v", texts(s.Judged.Diags))
			assert.Equal(t, cablesOf(j.Fabric), cablesOf(s.Judged.Fabric))
			assert.Equal(t, portClasses(j.Fabric), portClasses(s.Judged.Fabric))
			for _, d := range targets.JudgeFilesOf(s.Judged.Fabric, files).Diagnostics {
				assert.NotEqual(t, diag.Error, d.Severity, "%s: %s", d.Code, d.Detail)
			}
		})
	}
	assert.Greater(t, made, 12)
}

func texts(ds diag.List) (out []string) {
	for _, d := range ds {
		out = append(out, d.Severity.String()+" "+d.Code+": "+d.Detail)
	}
	return out
}

// cablesOf returns the cables with an end at a switch.
func cablesOf(f *ir.Fabric) (out []string) {
	for _, l := range f.Links {
		if a, b := l.A(), l.B(); !l.Planned && (a.Device().Switch != nil || b.Device().Switch != nil) {
			out = append(out, min(a.String(), b.String())+" "+max(a.String(), b.String()))
		}
	}
	slices.Sort(out)
	return out
}

// portClasses returns for each cabled port of a switch the priorities with PFC and with marks, and the classes of lossless DSCP values.
func portClasses(f *ir.Fabric) map[string]string {
	out := map[string]string{}
	for _, d := range f.Devices {
		if d.Switch == nil {
			continue
		}
		wanted := d.Wanted()
		for _, p := range d.Ports {
			if p.Link() == nil || p.Link().Planned {
				continue
			}
			is := wanted.Port(p.Name)
			var text strings.Builder
			fmt.Fprintf(&text, "pfc %08b %08b pause %v marks %08b", is.Sends, is.Obeys, is.LinkPause, is.Marks)
			for _, g := range f.CosGroups {
				for _, c := range g.DSCP {
					if g.Lossless && is.TrustKnown && is.Trust.DSCP {
						fmt.Fprintf(&text, " %d:%d", c.Value, is.DSCP[c.Value])
					}
				}
			}
			out[p.String()] = text.String()
		}
	}
	return out
}

// Each card of a chassis is a separate switch. A port inside the chassis has no cable and makes no device, whatever neighbour the file
// names. The page states that the inside is not judged, and other tools write the cards.
func TestChassis(t *testing.T) {
	card := func(n int, inside string) lint.File {
		role := ""
		if inside == "" {
			role = `, "role": "Inb"`
		}
		return lint.File{Name: fmt.Sprintf("lc%d/config_db.json", n), Data: fmt.Appendf(nil, `{
  "DEVICE_METADATA": {"localhost": {"hostname": "Linecard%[1]d", "hwsku": "ACS-MSN2700", "switch_type": "voq", "asic_name": "Asic0"}},
  %[3]s
  "PORT": {
    "Ethernet0": {"lanes": "0,1,2,3", "speed": "100000", "admin_status": "up"},
    "Ethernet4": {"lanes": "4,5,6,7", "speed": "100000", "admin_status": "up"%[4]s}},
  "PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "3"}},
  "DEVICE_NEIGHBOR": {
    "Ethernet0": {"name": "leaf%[1]d", "port": "Ethernet0"},
    "Ethernet4": {"name": "Linecard%[2]d_Asic0", "port": "Ethernet4"}}}`, n, 3-n, inside, role)}
	}
	for _, inside := range []string{`"VOQ_INBAND_INTERFACE": {"Ethernet4": {"inband_type": "port"}, "Ethernet4|192.0.2.1/24": {}},`, ""} {
		s, ds := Of(t.Context(), []lint.File{card(1, inside), card(2, inside)}, Options{Most: 100})
		require.Empty(t, ds)
		require.NotNil(t, s.Judged.Fabric)
		var names []string
		for _, d := range s.Judged.Fabric.Devices {
			names = append(names, d.Name)
			assert.Equal(t, strings.HasPrefix(d.Name, "linecard"), d.ByOthers, d.Name)
		}
		assert.ElementsMatch(t, []string{"leaf1", "leaf2", "linecard1", "linecard2"}, names)
		network := s.Network()
		assert.Contains(t, network.LeftOut, "ports inside of a chassis, which have no cable: linecard1:Ethernet4 and linecard2:Ethernet4")
		assert.Contains(t, network.Conditions, "there is no loop inside of a chassis; no file describes the inside behind "+
			"linecard[1-2]")
	}
}

// A switch with one neighbour has no two hosts that communicate. So the class states the DSCP values, and there is no roce block.
func TestOneHost(t *testing.T) {
	for _, system := range systems {
		os, version, _ := strings.Cut(system, "@")
		j := judge.Judge(t.Context(), fstest.MapFS{"fabric.hcl": {Data: fmt.Appendf(nil, `fabric "rack" {}
cos_group "rdma" {
  cos      = 4
  dscp     = [26]
  lossless = true
  weight   = 60
  ecn {}
}
cos_group "default" {
  cos    = 0
  weight = 40
}
roce "train" {
  version   = 2
  cos_group = cos_group.rdma
  members   = [host.gpu]
}
switch "leaf" {
  names   = "leaf1"
  model   = "sn2700"
  os      = %q
  version = %q
}
host "gpu" {
  names = "gpu1"
  nic "ens1" { model = "connectx-5" }
}
link "rack" {
  a      = "gpu1:ens1"
  b      = %q
  length = "3m"
}
`, os, version, map[bool]string{true: "leaf1:Ethernet0", false: "leaf1:swp1"}[os == "sonic"])}}, ".", judge.Options{})
		require.NotNil(t, j.Fabric, "%s %v", system, texts(j.Diags))
		if j.Diags.HasErrors() { // the release does not run on the model
			continue
		}
		files := sitetest.FilesOf(t, j)
		s, ds := Of(t.Context(), files, Options{Most: 100})
		require.Empty(t, ds, system)
		require.NotNil(t, s.Judged.Fabric, system)
		assert.Equal(t, portClasses(j.Fabric), portClasses(s.Judged.Fabric), system)
		for _, d := range targets.JudgeFilesOf(s.Judged.Fabric, files).Diagnostics {
			assert.NotEqual(t, diag.Error, d.Severity, "%s: %s %s", system, d.Code, d.Detail)
		}
	}
}

// If two folders have files of the same device name, they are two devices, and the page names both.
func TestTwins(t *testing.T) {
	file := func(folder string) lint.File {
		return lint.File{Name: folder + "/config_db.json", Data: fmt.Appendf(nil, `{
  "DEVICE_METADATA": {"localhost": {"hostname": "Leaf1", "hwsku": "ACS-MSN2700"}}, "PORT": {"Ethernet0": {"speed": "100000"}},
  "DEVICE_NEIGHBOR": {"Ethernet0": {"name": "gpu-%s", "port": "eth0"}}}`, folder)}
	}
	s, ds := Of(t.Context(), []lint.File{file("monday"), file("friday")}, Options{Most: 100})
	require.Empty(t, ds)
	assert.Contains(t, s.Cables.Notes, "names that several devices have; each is named after its folder or file: "+
		"leaf1 of monday and leaf1 of friday")
	s, ds = Of(t.Context(), []lint.File{file("monday")}, Options{Most: 100})
	require.Empty(t, ds)
	assert.NotContains(t, strings.Join(s.Cables.Notes, "\n"), "names that several")
}

// rocec invents no cable: files without neighbours make no fabric, and neither do two ends that name different ports.
func TestNeighbours(t *testing.T) {
	conf := `{"DEVICE_METADATA": {"localhost": {"hostname": "%s", "hwsku": "ACS-MSN2700", "platform": "x86_64-mlnx_msn2700-r0"}},
  "PORT": {"Ethernet0": {"lanes": "0,1,2,3", "speed": "100000", "admin_status": "up"}},
  "DEVICE_NEIGHBOR": {%s}}`
	file := func(name, neighbours string) lint.File {
		return lint.File{Name: name + "/config_db.json", Data: fmt.Appendf(nil, conf, name, neighbours)}
	}
	one, ds := Of(t.Context(), []lint.File{file("leaf1", ""), file("leaf2", "")}, Options{Most: 100})
	require.True(t, ds.HasErrors())
	assert.Equal(t, [3]int{}, one.Cables.Ends)

	both, ds := Of(t.Context(), []lint.File{
		file("leaf1", `"Ethernet0": {"name": "leaf2", "port": "Ethernet0"}`),
		file("leaf2", `"Ethernet0": {"name": "LEAF1", "port": "Ethernet0"}`),
	}, Options{Most: 100})
	require.Empty(t, ds)
	assert.Equal(t, [3]int{0, 0, 1}, both.Cables.Ends)
	require.Equal(t, []string{"leaf1:Ethernet0 leaf2:Ethernet0"}, cablesOf(both.Judged.Fabric))
	assert.Equal(t, "sn2700", both.Judged.Fabric.Devices[0].Switch.Model.Name)

	crossed, ds := Of(t.Context(), []lint.File{
		file("leaf1", `"Ethernet0": {"name": "leaf2", "port": "Ethernet0"}`),
		file("leaf2", `"Ethernet0": {"name": "leaf3", "port": "Ethernet0"}`),
	}, Options{Most: 100})
	require.Empty(t, ds)
	assert.Equal(t, [3]int{0, 1, 0}, crossed.Cables.Ends)
	require.Len(t, crossed.Cables.Against, 1)
	assert.Contains(t, crossed.Cables.Against[0].Detail,
		"leaf1:Ethernet0 names leaf2:Ethernet0 as its neighbour, and leaf2:Ethernet0 names leaf3:")
}

// A device without files is among the conditions of every verdict, whatever the other devices state.
func TestUnread(t *testing.T) {
	j := judge.Judge(t.Context(), os.DirFS("../../../examples/clos-v2-ecn"), ".", judge.Options{})
	files := sitetest.FilesOf(t, j)
	for _, without := range []string{"leaf01", "spine2"} {
		rest := slices.DeleteFunc(slices.Clone(files), func(f lint.File) bool { return strings.HasPrefix(f.Name, "site/"+without+"/") })
		require.Less(t, len(rest), len(files))
		s, ds := Of(t.Context(), rest, Options{Most: 1 << 20})
		require.Empty(t, ds)
		n := s.Network()
		assert.Contains(t, n.Unread, without)
		assert.NotContains(t, n.Read, without)
		assert.Contains(t, strings.Join(n.Conditions, "\n"), without)
		if without == "spine2" { // its cables have another end that was read; cables from hosts to leaf01 do not
			assert.Equal(t, cablesOf(j.Fabric), cablesOf(s.Judged.Fabric))
		}
	}
}

// A port of a switch without a file has the classes of its cabled host. So the host has no finding about other classes.
func TestClassesOfHosts(t *testing.T) {
	pauses := func(mask uint8) *ir.Settings {
		return &ir.Settings{Rest: &ir.PortSettings{PausesKnown: true, Sends: mask, Obeys: mask}}
	}
	c := &classes{
		groups: []*class{{cos: 4, carries: true}, {cos: 3, carries: true}, {cos: 0}},
		read:   map[string]*ir.Settings{"leaf1": pauses(1<<3 | 1<<4)},
		hosts:  map[string]*ir.Settings{"one": pauses(1 << 3), "other": pauses(1 << 6), "off": pauses(0), "unknown": {Rest: &ir.PortSettings{}}},
		facing: map[end]end{},
	}
	for name := range c.hosts {
		for _, leaf := range []string{"leaf1", "leaf2"} {
			c.facing[end{leaf, name}] = end{name, "ens1f0"}
		}
	}
	for _, v := range []struct {
		switchName, port string
		want             [2]bool // has cos 3 and 4
	}{
		{"leaf2", "one", [2]bool{true, false}},
		{"leaf2", "other", [2]bool{true, true}}, // no class of RoCE: the host may be wrong
		{"leaf2", "off", [2]bool{true, true}},
		{"leaf2", "unknown", [2]bool{true, true}},
		{"leaf2", "uncabled", [2]bool{true, true}},
		{"leaf1", "one", [2]bool{true, true}}, // its own file counts
	} {
		assert.Equal(t, v.want, [2]bool{c.has(v.switchName, v.port, 3), c.has(v.switchName, v.port, 4)}, "%s:%s", v.switchName, v.port)
	}
}

// For any content of the files, an audit ends without a panic, and names only cables that a file has.
func FuzzOf(f *testing.F) {
	f.Add([]byte(`{"lldp": {"interface": [{"swp1": {"chassis": {"a": {}}, "port": {"id": {"type": "ifname", "value": "swp1"}}}}]}}`),
		[]byte("pfc.port_group_list = [a]\n"))
	f.Add([]byte(`{"lldp": {}}`), []byte(`{"PORT": {"Ethernet0": {}}, "DEVICE_NEIGHBOR": {"Ethernet0": {"name": "b", "port": "x"}}}`))
	f.Fuzz(func(t *testing.T, lldp, conf []byte) {
		s, _ := Of(t.Context(), []lint.File{
			{Name: "a/lldp.json", Data: lldp},
			{Name: "a/traffic.conf", Data: conf},
			{Name: "b/lldp.json", Data: lldp},
			{Name: "b/config_db.json", Data: conf},
		}, Options{Most: 1 << 10})
		n := s.Network()
		if n.Cables > 0 && !bytes.Contains(lldp, []byte("lldp")) && !bytes.Contains(conf, []byte("DEVICE_NEIGHBOR")) {
			t.Errorf("%d cables of files that name none", n.Cables)
		}
	})
}

// sonicFile is a configuration of a switch, with further fields of Ethernet0, the length of its cable, and its neighbours.
func sonicFile(name, port, length, neighbours string) lint.File {
	const conf = `{"DEVICE_METADATA": {"localhost": {"hostname": "%s", "hwsku": "ACS-MSN2700", "platform": "x86_64-mlnx_msn2700-r0"}},
  "PORT": {"Ethernet0": {"lanes": "0,1,2,3", "admin_status": "up"%s}, "Ethernet4": {"lanes": "4,5,6,7", "admin_status": "up"}},
  "CABLE_LENGTH": {"AZURE": {"Ethernet0": "%s"}}, "DEVICE_NEIGHBOR": {%s}}`
	return lint.File{Name: name + "/config_db.json", Data: fmt.Appendf(nil, conf, name, port, length, neighbours)}
}

// If files contradict each other, a warning names both statements. A cable that both ends name has priority over a cable that one end
// names.
func TestContradictions(t *testing.T) {
	const toLeaf2, toLeaf1 = `"Ethernet0": {"name": "leaf2", "port": "Ethernet0"}`, `"Ethernet0": {"name": "leaf1", "port": "Ethernet0"}`
	for name, c := range map[string]struct {
		files  []lint.File
		says   string
		cables []string
	}{
		"speeds": {
			[]lint.File{sonicFile("leaf1", `, "speed": "100000"`, "5m", toLeaf2), sonicFile("leaf2", `, "speed": "25000"`, "5m", toLeaf1)},
			"leaf1:Ethernet0 states 100G, and leaf2:Ethernet0 at the other end states 25G",
			[]string{"leaf1:Ethernet0 leaf2:Ethernet0"},
		},
		"lengths": {
			[]lint.File{sonicFile("leaf1", "", "5m", toLeaf2), sonicFile("leaf2", "", "40m", toLeaf1)},
			"leaf1:Ethernet0 has headroom for a cable of 5 m, and leaf2:Ethernet0 at the other end for 40 m",
			[]string{"leaf1:Ethernet0 leaf2:Ethernet0"},
		},
		"a third one": {
			[]lint.File{
				sonicFile("leaf0", "", "5m", toLeaf2), sonicFile("leaf1", "", "5m", toLeaf2), sonicFile("leaf2", "", "5m", toLeaf1),
			},
			"leaf0:Ethernet0 names leaf2:Ethernet0 as its neighbour, and leaf2:Ethernet0 names leaf1:Ethernet0",
			[]string{"leaf1:Ethernet0 leaf2:Ethernet0"},
		},
	} {
		s, ds := Of(t.Context(), c.files, Options{Most: 100})
		require.Empty(t, ds, name)
		require.Len(t, s.Cables.Against, 1, name)
		assert.Contains(t, s.Cables.Against[0].Detail, c.says, name)
		assert.Equal(t, diag.Warning, s.Cables.Against[0].Severity)
		assert.NotEmpty(t, s.Cables.Against[0].At.Filename)
		require.NotNil(t, s.Judged.Fabric, "%s: %v", name, texts(s.Judged.Diags))
		assert.Equal(t, c.cables, cablesOf(s.Judged.Fabric), name)
		if name == "lengths" { // the finding is at the end with less headroom
			assert.InDelta(t, 40, s.Judged.Fabric.Links[0].Length.Metres, 0)
		}
	}
}

// A device with only an LLDP file keeps the role that its name and cables show, and the page names it.
func TestSettingsMissing(t *testing.T) {
	j := judge.Judge(t.Context(), os.DirFS("../../../examples/clos-v2-ecn"), ".", judge.Options{})
	files := slices.DeleteFunc(sitetest.FilesOf(t, j), func(f lint.File) bool {
		return f.Name == "site/leaf01/etc/cumulus/datapath/traffic.conf"
	})
	s, ds := Of(t.Context(), files, Options{Most: 1 << 20})
	require.Empty(t, ds)
	assert.Equal(t, cablesOf(j.Fabric), cablesOf(s.Judged.Fabric))
	n := s.Network()
	assert.Equal(t, 6, n.Switches)
	assert.Contains(t, n.LeftOut, "settings of devices without a configuration: leaf01")
	assert.Contains(t, n.Unread, "leaf01")

	files = slices.DeleteFunc(files, func(f lint.File) bool { return path.Base(f.Name) != "lldp.json" })
	_, ds = Of(t.Context(), files, Options{Most: 1 << 20})
	require.Len(t, ds, 1)
	assert.Contains(t, ds[0].Detail, "No file contains the configuration of a switch")

	var silent []lint.File
	for _, f := range sitetest.FilesOf(t, j) {
		if f.Name != "site/leaf02/lldp.json" {
			silent = append(silent, f)
		}
	}
	s, ds = Of(t.Context(), silent, Options{Most: 1 << 20})
	require.Empty(t, ds)
	assert.Contains(t, s.Network().LeftOut, "cables that only these switches would show, as no file names their neighbours: leaf02")
}

// If no file states a class, rocec invents none.
func TestNoClass(t *testing.T) {
	bare := `{"DEVICE_METADATA": {"localhost": {"hostname": "leaf1", "hwsku": "ACS-MSN2700", "platform": "x86_64-mlnx_msn2700-r0"}},
  "PORT": {"Ethernet0": {"lanes": "0,1,2,3"}}, "DEVICE_NEIGHBOR": {"Ethernet0": {"name": "gpu1", "port": "eth0"}}}`
	s, ds := Of(t.Context(), []lint.File{{Name: "leaf1/config_db.json", Data: []byte(bare)}}, Options{Most: 100})
	require.Empty(t, ds)
	require.NotNil(t, s.Judged.Fabric, "%v", texts(s.Judged.Diags))
	assert.Empty(t, s.Judged.Fabric.Intents)
	assert.Empty(t, s.Judged.Proofs)
	assert.Contains(t, strings.Join(s.Network().Conditions, "\n"), "no class carries RoCE")
}
