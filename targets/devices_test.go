package targets_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/target/lint"
)

// files returns files from texts by name, in the order of names.
func files(texts map[string]string) (out []lint.File) {
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		out = append(out, lint.File{Name: name, Data: []byte(texts[name])})
	}
	return out
}

// judgedFiles judges texts, and returns by name the kind that each was recognised as.
func judgedFiles(texts map[string]string) (lint.Result, map[string]lint.Taken) {
	all := files(texts)
	r, of := targets.JudgeFiles(all), map[string]lint.Taken{}
	for i, f := range all {
		of[f.Name] = r.Files[i]
	}
	return r, of
}

// codes counts the findings by code.
func codes(l diag.List) map[string]int {
	out := map[string]int{}
	for _, d := range l {
		out[d.Code]++
	}
	return out
}

// TestDevicesOfFiles: the folder and the name before the base name identify the device of a file. Files below a device's own folders belong
// to one device.
func TestDevicesOfFiles(t *testing.T) {
	for name, device := range map[string]string{
		"pod/leaf01-traffic.conf":                                      "pod/leaf01",
		"pod/leaf01_qos_features.conf":                                 "pod/leaf01",
		"pod/leaf01.startup.yaml":                                      "pod/leaf01",
		"pod/leaf01-applied.yaml":                                      "pod/leaf01",
		"pod/leaf01-running-config_db.json":                            "pod/leaf01",
		"pod/leaf01/etc/cumulus/datapath/traffic.conf":                 "pod/leaf01",
		"pod/leaf01/etc/nvue.d/startup.yaml":                           "pod/leaf01",
		"pod/leaf01/etc/sonic/config_db.json":                          "pod/leaf01",
		"pod/leaf01/usr/share/sonic/device/x/pg_profile_lookup.ini":    "pod/leaf01",
		"pod/leaf01/usr/lib/python2.7/dist-packages/mlx/datapath.conf": "pod/leaf01",
		"pod/leaf01/config_db.json":                                    "pod/leaf01",
		`pod\leaf01\config_db.json`:                                    "pod/leaf01",
		"/backup/etc/leaf01/config_db.json":                            "/backup/etc/leaf01",
		"/leaf01-config_db.json":                                       "/leaf01",
		"config_db.json":                                               ".",
		"pod/running-config_db.json":                                   "pod",
		"pod/unrunning-config_db.json":                                 "pod/unrunning",
		"pod/gpu01-mlnx_qos.txt":                                       "pod/gpu01",
		"pod/gpu01.txt":                                                "pod/gpu01",
		"pod/leaf01.nv":                                                "pod/leaf01",
		"pod/leaf01.cfg":                                               "pod/leaf01",
		"pod/leaf01.nvue.yaml":                                         "pod/leaf01",
		"pod/leaf01_startup.yml":                                       "pod/leaf01",
		"pod/leaf01-running-config.txt":                                "pod/leaf01",
		"pod/leaf01_config_db.json.txt":                                "pod/leaf01",
		"pod/leaf01.lab.example.commands":                              "pod/leaf01.lab.example",
		"pod/leaf01/config.log":                                        "pod/leaf01",
		"pod/leaf01/nvue.json":                                         "pod/leaf01",
		"pod/leaf01":                                                   "pod/leaf01",
		"leaf01.yml":                                                   "leaf01",
		"pod/leaf01/etc/cumulus/datapath/qos/leaf02-qos_features.conf": "pod/leaf01/leaf02",
		"pod/leaf01/etc/sonic/../sonic/config_db.json":                 "pod/leaf01",
		"pod/leaf01/var/backup/etc/cumulus/datapath/traffic.conf":      "pod/leaf01/var/backup",
		"pod/leaf01/etc/rocec/config_db.json":                          "pod/leaf01",
		"pod/leaf01/etc/mlx/datapath/qos/leaf01-qos_infra.conf":        "pod/leaf01/leaf01",
		"pod/applied.yaml":                                             "pod",
		"pod/qos.json":                                                 "pod",
		"pod/leaf01/etc/cumulus/datapath/qos/qos_features.conf":        "pod/leaf01",
		"pod/leaf01/etc/bcm.d/datapath/datapath.conf":                  "pod/leaf01",
		"pod/leaf01/usr/lib/x/usr/lib/y/traffic.conf":                  "pod/leaf01",
		"pod/leaf01-saved.traffic.conf":                                "pod/leaf01",
	} {
		r := targets.JudgeFiles([]lint.File{{Name: name, Data: []byte("x\n")}})
		assert.Equal(t, device, r.Files[0].Device, name)
	}
}

// TestBesideAlone: files that are read with others count only if there is another file of their device.
func TestBesideAlone(t *testing.T) {
	all := files(map[string]string{"a/config_db.json": "", "a/qos.json": "", "b/qos.json": "", "b/startup.yaml": "", "c/applied.yaml": ""})
	rest, lone := targets.WithoutLone(all)
	assert.Equal(t, 2, lone)
	var names []string
	for _, f := range rest {
		names = append(names, f.Name)
	}
	assert.Equal(t, []string{"a/config_db.json", "a/qos.json", "b/startup.yaml"}, names)
	for _, name := range []string{"x/leaf1-qos.json", "pg_profile_lookup.ini", "applied.yaml", "gpu1-dcb.txt", "traffic.conf"} {
		assert.True(t, targets.Searched(lint.File{Name: name}, false), name)
	}
	for name, text := range map[string]string{
		"leaf1.json": `{"PORT_QOS_MAP": {}}`, "leaf1.yml": "- set:\n    qos: {}\n", "leaf1.conf": "pfc.port_group_list = [a]\n",
		"leaf1.cmds": "nv set qos roce mode lossless\n", "leaf1.log": "cumulus@leaf1:~$ nv config show\n- set:\n    qos: {}\n",
	} {
		assert.True(t, targets.Searched(lint.File{Name: name, Data: []byte(text)}, true), name)
	}
	for name, text := range map[string]string{
		"notes.json": `{"name": "x"}`, "x.yaml": "a: b\n", "y.conf": "x = 3\n", "notes.md": "pfc.port_group_list = [a]\n", "z.log": "started\n",
	} {
		assert.False(t, targets.Searched(lint.File{Name: name, Data: []byte(text)}, true), name)
	}
}

const (
	stored = "- header:\n    version: Cumulus Linux 5.9.1\n- set:\n    interface:\n      swp1-4:\n        type: swp\n" +
		"    qos:\n      roce:\n        enable: on\n        mode: lossless\n"
	running = "- header:\n    version: Cumulus Linux 5.9.1\n- set:\n    interface:\n      swp1-4:\n        type: swp\n"
)

// TestMoments: if the stored settings of a device differ from the running ones, each field is one finding with its place.
func TestMoments(t *testing.T) {
	r, of := judgedFiles(map[string]string{"p/leaf1/startup.yaml": stored, "p/leaf1/applied.yaml": running, "p/leaf2/startup.yaml": running})
	assert.Equal(t, lint.Stored, of["p/leaf1/startup.yaml"].Moment)
	assert.Equal(t, lint.Running, of["p/leaf1/applied.yaml"].Moment)
	assert.False(t, of["p/leaf1/applied.yaml"].Plain, "the switch starts with RoCE")
	assert.True(t, of["p/leaf2/startup.yaml"].Plain)
	require.Len(t, bySeveral(r.Diagnostics), 1, "leaf2 has no PFC")
	seen := map[string]int{}
	for _, d := range r.Diagnostics {
		if d.Code == "conf-switches-disagree" {
			continue
		}
		require.Equal(t, "conf-moments", d.Code)
		assert.Equal(t, "p/leaf1/startup.yaml", d.At.Filename)
		assert.Greater(t, d.At.Start.Line, 1)
		head, _, _ := strings.Cut(d.Detail, " is ")
		seen[head]++
	}
	assert.Equal(t, 1, seen["At every port that no file names, and at swp1, swp2, swp3 and swp4, PFC of priority 3"], "%v", seen)
	for head, n := range seen {
		assert.Equal(t, 1, n, head)
	}
	r, of = judgedFiles(map[string]string{"leaf1-startup.yaml": stored, "leaf1.config-show.yaml": running})
	assert.Equal(t, lint.Stored, of["leaf1-startup.yaml"].Moment)
	assert.Equal(t, lint.Running, of["leaf1.config-show.yaml"].Moment)
	assert.NotEmpty(t, r.Diagnostics)
	for _, texts := range []map[string]string{
		{"leaf1/startup.yaml": stored, "leaf1/applied.yaml": stored},
		{"leaf1-startup.yaml": stored, "leaf2-applied.yaml": running},
		{"leaf1/startup.yaml": stored, "leaf2/startup.yaml": running},
	} {
		r, _ = judgedFiles(texts)
		assert.Len(t, r.Diagnostics, len(bySeveral(r.Diagnostics)), "two switches may differ")
	}
}

// TestMomentsOfSystems: files that NVUE generates are the running settings for its tree, and a dump of SONiC's database for config_db.json.
func TestMomentsOfSystems(t *testing.T) {
	conf, err := os.ReadFile("../golden/rack-by-files/tor1/etc/cumulus/datapath/qos/qos_features.conf")
	require.NoError(t, err)
	r, of := judgedFiles(map[string]string{"leaf1/startup.yaml": running, "leaf1/qos_features.conf": string(conf)})
	assert.Equal(t, lint.Running, of["leaf1/qos_features.conf"].Moment)
	assert.Positive(t, codes(r.Diagnostics)["conf-moments"])
	_, of = judgedFiles(map[string]string{"leaf1/qos_features.conf": string(conf)})
	assert.Equal(t, lint.Stored, of["leaf1/qos_features.conf"].Moment)

	const db = `{"DEVICE_METADATA": {"localhost": {"hwsku": "ACS-MSN2700"}},` +
		`"PORT": {"Ethernet0": {"lanes": "0,1,2,3", "speed": "100000", "admin_status": "up", "mtu": "%d"}}}`
	now, then := fmt.Sprintf(db, 9100), fmt.Sprintf(db, 1500)
	r, of = judgedFiles(map[string]string{"leaf1-config_db.json": now, "leaf1-running-config_db.json": then})
	assert.Equal(t, lint.Stored, of["leaf1-config_db.json"].Moment)
	assert.Equal(t, lint.Running, of["leaf1-running-config_db.json"].Moment)
	require.Len(t, r.Diagnostics, 1)
	d := r.Diagnostics[0]
	assert.Equal(t, "conf-moments", d.Code)
	assert.Equal(t, "At Ethernet0, MTU is 9100 bytes as stored, and 1500 bytes as it runs. The stored value takes effect at the next start. "+
		"Save the running configuration, or apply the stored one.", d.Detail)
	assert.Equal(t, "leaf1-config_db.json", d.At.Filename)
	require.Len(t, d.Notes, 1)
	assert.Equal(t, "leaf1-running-config_db.json", d.Notes[0].At.Filename)

	const dump = `{"DEVICE_METADATA|localhost": {"hwsku": "ACS-MSN2700"},` +
		`"PORT|Ethernet0": {"lanes": "0,1,2,3", "speed": "100000", "admin_status": "up", "mtu": "1500"}}`
	r, of = judgedFiles(map[string]string{"leaf1-config_db.json": now, "leaf1-running-config_db.json": dump})
	assert.Equal(t, lint.Running, of["leaf1-running-config_db.json"].Moment)
	assert.Equal(t, 1, codes(r.Diagnostics)["conf-moments"])
}

// TestPieces: a piece is read with the file of its switch. A piece that no rule judges has no verdict. A row that is not understood makes
// the piece not judged.
func TestPieces(t *testing.T) {
	const db = `{"DEVICE_METADATA": {"localhost": {"hwsku": "ACS-MSN2700"}}, "PORT": {"Ethernet0": {"lanes": "0,1,2,3", "speed": "100000"}}}`
	const lookup = "# speed cable size xon xoff threshold\n100000 5m 49152 19456 29696 0\n"
	r, of := judgedFiles(map[string]string{
		"leaf1/config_db.json": db, "leaf1/pg_profile_lookup.ini": lookup,
		"leaf1/buffers.json":   `{"BUFFER_PG": {"Ethernet0|3-4": {"profile": "NULL"}}}`,
		"leaf2/config_db.json": db, "leaf2/pg_profile_lookup.ini": lookup + "100000 5m\n",
		"leaf3/config_db.json": db, "leaf3/pg_profile_lookup.ini": lookup,
	})
	assert.True(t, of["leaf1/pg_profile_lookup.ini"].Beside)
	const sizes = "sizes of the lookup file, from which the switch makes profiles"
	assert.Equal(t, []lint.Part{{What: sizes, Rows: 4}}, of["leaf1/pg_profile_lookup.ini"].Understood)
	assert.Empty(t, of["leaf1/config_db.json"].Why)
	assert.False(t, of["leaf1/config_db.json"].Plain, "the piece makes a lossless group")
	assert.True(t, of["leaf3/config_db.json"].Plain)
	assert.False(t, of["leaf2/pg_profile_lookup.ini"].Beside)
	assert.NotEmpty(t, of["leaf2/pg_profile_lookup.ini"].Why)
	assert.Equal(t, map[string]int{"conf-not-judged": 1}, codes(r.Diagnostics))
	large := strings.Repeat("# a comment\n", 1<<17)
	_, of = judgedFiles(map[string]string{"leaf1/config_db.json": db, "leaf1/pg_profile_lookup.ini": large})
	assert.Equal(t, "it is larger than 1 MiB", of["leaf1/pg_profile_lookup.ini"].Why)

	// Rows that are wrong only in combination count for the files that have them.
	r, of = judgedFiles(map[string]string{
		"leaf1/config_db.json": `{"PORT": {"Ethernet0": {"lanes": "0,1,2,3"}}, "BUFFER_PG": {"Ethernet0|3-4": {"profile": "NULL"}}}`,
		"leaf1/buffers.json":   `{"BUFFER_PG": {"Ethernet0|3": {"profile": "NULL"}}}`,
	})
	for name, taken := range of {
		assert.Contains(t, taken.Why, "two rows hold one queue or priority group", name)
	}
	assert.Equal(t, 2, codes(r.Diagnostics)["conf-not-judged"])
}

// TestWithoutRoCE: a file of each system without RoCE is reported as such, unless one row pauses, marks or makes a lossless buffer.
func TestWithoutRoCE(t *testing.T) {
	const classes = "traffic.packet_priority_source = 802.1p\ntraffic.cos_0.packet_priorities = [0,1,2,3,4,5,6,7]\n"
	const pools = "priority_group.bulk.id = 2\npriority_group.bulk.service_pool = 0\n"
	const features = "traffic.packet_priority_source_set = [802.1p]\ntraffic.cos_0.priority_source.8021p = [0]\n"
	const db = `{"PORT": {"Ethernet0": {"lanes": "0,1,2,3", "speed": "100000"}}%s}`
	for _, c := range []struct {
		name, text string
		rows       []string // each of which is RoCE
	}{
		{"traffic.conf", classes, []string{
			"pfc.port_group_list = [a]\npfc.a.cos_list = [3]\npfc.a.port_set = swp1\n",
			"link_pause.port_group_list = [a]\nlink_pause.a.port_set = swp1\n",
			"ecn.port_group_list = [a]\necn.a.cos_list = [3]\necn.a.port_set = swp1\n", "ecn.a.min_threshold_bytes = 40000\n",
			"pfc.a.xoff_size = 18000\n",
		}},
		{"qos_features.conf", features, []string{
			"pfc.port_group_list = [a]\n", "pfc.a.xoff_size = 10\n", "default_ecn_red_conf.egress_queue_list = [3]\n",
			"link_pause.a.tx_enable = true\n",
		}},
		{"startup.yaml", running, []string{
			"    qos:\n      roce: {}\n", "    qos:\n      pfc:\n        a:\n          switch-priority:\n            3: {}\n",
			"    qos:\n      link-pause:\n        a:\n          rx: enable\n",
			"    qos:\n      congestion-control:\n        a:\n          traffic-class:\n            3: {}\n",
			"    qos:\n      roce:\n        mode: lossless\n        enable: on\n",
		}},
		{"config_db.json", db, []string{
			`, "PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "3"}}`, `, "BUFFER_PROFILE": {"a": {"xoff": "1000"}}`,
			`, "BUFFER_PG": {"Ethernet0|3": {"profile": "NULL"}}`, `, "QUEUE": {"Ethernet0|3": {"wred_profile": "a"}}`,
			`, "PFC_WD": {"Ethernet0": {"action": "drop"}}`,
		}},
	} {
		with := func(row string) lint.Taken {
			text := c.text + row
			if strings.Contains(c.text, "%s") {
				text = fmt.Sprintf(c.text, row)
			}
			_, of := judgedFiles(map[string]string{c.name: text})
			return of[c.name]
		}
		taken := with("")
		assert.True(t, taken.Plain, "%s: %s", c.name, taken.Why)
		for _, row := range c.rows {
			assert.False(t, with(row).Plain, "%s: %s", c.name, row)
		}
	}
	// Settings of the memory alone do not show whether a switch has RoCE; together with the classes they do.
	_, of := judgedFiles(map[string]string{"datapath.conf": pools})
	assert.False(t, of["datapath.conf"].Plain)
	assert.Empty(t, of["datapath.conf"].Why)
	_, of = judgedFiles(map[string]string{"datapath.conf": pools, "traffic.conf": classes})
	assert.True(t, of["datapath.conf"].Plain)
	assert.True(t, of["traffic.conf"].Plain)
}

// A file with an unusual name belongs to the device of its folder, if another file shows that the folder is a device. If the folder is
// named by an address, the device has the name that LLDP states with that address.
func TestFolders(t *testing.T) {
	const conf = "nv set qos roce mode lossless\n"
	lldp := func(name, address string) string {
		return `{"lldp": {"interface": [{"swp1": {"chassis": {"` + name + `": {"mgmt-ip": "` + address + `"}}, "port": {"descr": "swp1"}}}]}}`
	}
	for _, c := range []struct {
		files map[string]string
		want  []string
	}{
		{map[string]string{"a/leaf1/lldp.json": lldp("x", "192.0.2.9"), "a/leaf1/nv-config.json": conf}, []string{"leaf1"}},
		{
			map[string]string{"a/leaf1/lldp.json": lldp("x", "192.0.2.9"), "a/leaf1/now.txt": conf, "a/leaf2/dump.txt": conf},
			[]string{"leaf1", "leaf2"},
		},
		{map[string]string{"a/lldp.json": lldp("x", ""), "a/leaf1.nv": conf, "a/leaf2.nv": conf}, []string{"a", "leaf1", "leaf2"}},
		{map[string]string{"a/leaf1-lldp.json": lldp("x", ""), "a/leaf1.nv": conf}, []string{"leaf1"}},
		{
			map[string]string{
				"a/192.0.2.1/startup.nv": conf, "a/192.0.2.1/lldp.json": lldp("leaf2", "192.0.2.2"),
				"a/192.0.2.2/startup.nv": conf, "a/192.0.2.2/lldp.json": lldp("leaf1", "192.0.2.1"),
			},
			[]string{"leaf1", "leaf2"},
		},
		{ // an address of two names
			map[string]string{
				"a/192.0.2.1/startup.nv": conf, "a/192.0.2.2/lldp.json": lldp("leaf1", "192.0.2.1"),
				"a/192.0.2.3/lldp.json": lldp("leaf9", "192.0.2.1"),
			},
			[]string{"192.0.2.1", "192.0.2.2", "192.0.2.3"},
		},
	} {
		var names []string
		for _, d := range targets.SurveyFiles(files(c.files)).Devices {
			names = append(names, d.Name)
		}
		slices.Sort(names)
		assert.Equal(t, c.want, names, "%v", slices.Sorted(maps.Keys(c.files)))
	}
}
