package targets_test

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/target/lint"
	"github.com/rocec/rocec/targets/target/targettest"
)

// bySeveral returns the findings of rules about several switches.
func bySeveral(ds diag.List) (out diag.List) {
	for _, d := range ds {
		for _, t := range targets.SeveralRules() {
			if d.Code == t.Code {
				out = append(out, d)
			}
		}
	}
	return out
}

// nvuePFC returns the configuration of a switch with NVUE and PFC for the priority of DSCP 26.
const nvuePFC = `- header:
    model: SN3700
    version: Cumulus Linux 5.9.1
- set:
    interface:
      swp1-4:
        qos:
          pfc:
            profile: roce
        type: swp
    qos:
      mapping:
        default-global:
          dscp:
            '26':
              switch-priority: 3
          trust: both
      pfc:
        roce:
          rx: enable
          switch-priority:
            '3': {}
          tx: enable
`

// pairCommands returns the commands of a switch in an MLAG pair.
func pairCommands(least string) string {
	return `nv set system hostname leaf
nv set mlag mac-address 44:38:39:FF:00:01
nv set qos mapping default-global trust l3
nv set qos mapping default-global dscp 26 switch-priority 3
nv set qos pfc default-global switch-priority 3
nv set qos pfc default-global cable-length 5
nv set qos traffic-pool default-lossless memory-percent 50
nv set qos traffic-pool default-lossy memory-percent 50
nv set qos congestion-control default-global traffic-class 3 ecn enable
nv set qos congestion-control default-global traffic-class 3 red disable
nv set qos congestion-control default-global traffic-class 3 min-threshold ` + least + `
nv set qos congestion-control default-global traffic-class 3 max-threshold 1500000
nv set qos congestion-control default-global traffic-class 3 probability 100
`
}

// TestPairs: files name the MLAG of their switch, and the two switches of an MLAG are compared.
func TestPairs(t *testing.T) {
	db, err := os.ReadFile(filepath.Join("testdata", "themes", "config_db.json"))
	require.NoError(t, err)
	tree, err := os.ReadFile(filepath.Join("testdata", "themes", "startup.yaml"))
	require.NoError(t, err)
	mclag := func(own, peer, text string) string {
		row := `{"source_ip": "` + own + `", "peer_ip": "` + peer + `", "peer_link": "PortChannel9"}`
		return strings.Replace(text, "{", `{"MCLAG_DOMAIN": {"7": `+row+`},`, 1)
	}
	mlag := func(mac, text string) string {
		return strings.Replace(text, "- set:\n", "- set:\n    mlag:\n      mac-address: "+mac+"\n", 1)
	}
	other := strings.NewReplacer(`"150000"`, `"160000"`, "min-threshold: 150000", "min-threshold: 160000")
	for name, c := range map[string]struct {
		texts map[string]string
		want  bool
	}{
		"SONiC": {map[string]string{
			"a/config_db.json": mclag("10.0.0.1", "10.0.0.2", string(db)),
			"b/config_db.json": mclag("10.0.0.2", "10.0.0.1", other.Replace(string(db))),
		}, true},
		"SONiC, another pair": {map[string]string{
			"a/config_db.json": mclag("10.0.0.1", "10.0.0.2", string(db)),
			"b/config_db.json": mclag("10.0.0.3", "10.0.0.4", other.Replace(string(db))),
		}, false},
		"NVUE": {map[string]string{
			"a/startup.yaml": mlag("44:38:39:FF:00:01", string(tree)), "b/startup.yaml": mlag("44:38:39:ff:00:01", other.Replace(string(tree))),
		}, true},
		"NVUE, commands": {map[string]string{
			"a/startup.nv": pairCommands("150000"), "b/startup.nv": pairCommands("160000"),
		}, true},
		"NVUE, alike": {map[string]string{
			"a/startup.yaml": mlag("44:38:39:FF:00:01", string(tree)), "b/startup.yaml": mlag("44:38:39:ff:00:01", string(tree)),
		}, false},
		"NVUE, no address": {map[string]string{
			"a/startup.yaml": mlag("auto", string(tree)), "b/startup.yaml": mlag("auto", other.Replace(string(tree))),
		}, false},
	} {
		r, _ := judgedFiles(c.texts)
		found := bySeveral(r.Diagnostics)
		if !c.want {
			assert.Empty(t, found, name)
			continue
		}
		if assert.Len(t, found, 1, name) {
			assert.Equal(t, "conf-pair-differs", found[0].Code, name)
			assert.Equal(t, "b", path.Dir(found[0].At.Filename), name)
			assert.Contains(t, found[0].Detail, "160000 bytes, and 150000 bytes at a", name)
		}
	}
}

// TestSwitchesDisagree: two leaves have PFC for two priorities, to which DSCP 26 is mapped, and a spine has no PFC. No rule about several
// switches judges a single switch.
func TestSwitchesDisagree(t *testing.T) {
	texts := map[string]string{
		"leaf1/startup.yaml":  nvuePFC,
		"leaf2/startup.yaml":  strings.NewReplacer("'3': {}", "'4': {}", "priority: 3", "priority: 4").Replace(nvuePFC),
		"spine1/startup.yaml": "- header:\n    version: Cumulus Linux 5.9.1\n- set:\n    interface:\n      swp1-4:\n        type: swp\n",
	}
	r, _ := judgedFiles(texts)
	found := bySeveral(r.Diagnostics)
	require.Len(t, found, 2)
	for i, want := range []string{
		"The switches disagree about DSCP 26: the class is cos 3 at leaf1; cos 4 at leaf2. ",
		"The switches disagree about PFC: priority 3 at leaf1; priority 4 at leaf2; no priority at spine1. If they are connected, ",
	} {
		assert.True(t, strings.HasPrefix(found[i].Detail, want), found[i].Detail)
		assert.Equal(t, diag.Warning, found[i].Severity)
		assert.Equal(t, "leaf2/startup.yaml", found[i].At.Filename)
	}
	assert.Equal(t, 22, found[1].At.Start.Line)
	require.Len(t, found[1].Notes, 2)
	assert.Equal(t, []any{"leaf1/startup.yaml", 22}, []any{found[1].Notes[0].At.Filename, found[1].Notes[0].At.Start.Line})
	assert.Equal(t, []any{"spine1/startup.yaml", 1}, []any{found[1].Notes[1].At.Filename, found[1].Notes[1].At.Start.Line})
	for name, text := range texts {
		alone, _ := judgedFiles(map[string]string{name: text})
		assert.Empty(t, bySeveral(alone.Diagnostics))
	}
	twice, _ := judgedFiles(map[string]string{
		"leaf1/startup.yaml": texts["leaf1/startup.yaml"], "leaf1/applied.yaml": texts["leaf2/startup.yaml"],
	})
	assert.Empty(t, bySeveral(twice.Diagnostics), "two moments of one switch")
}

// TestSwitchDiffers: one of sixteen leaves has a different headroom.
func TestSwitchDiffers(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "themes", "config_db.json"))
	require.NoError(t, err)
	texts := map[string]string{}
	for i := 1; i <= 16; i++ {
		texts[fmt.Sprintf("leaf%02d-config_db.json", i)] = string(data)
	}
	r, _ := judgedFiles(texts)
	require.Empty(t, r.Diagnostics)
	texts["leaf07-config_db.json"] = strings.Replace(string(data), `"xoff": "35840"`, `"xoff": "34840"`, 1)
	r, _ = judgedFiles(texts)
	require.Len(t, r.Diagnostics, 1)
	d := r.Diagnostics[0]
	assert.Equal(t, diag.Notice, d.Severity)
	assert.Equal(t, "conf-switch-differs", d.Code)
	assert.Equal(t, "One setting of leaf07 differs from the other 15 switches whose names, systems and models are alike: headroom of "+
		"priority group 3: 34840 bytes, and 35840 bytes there. Unless this is intended, give it the value of the others.", d.Detail)
	assert.Equal(t, "leaf07-config_db.json", d.At.Filename)
	line := strings.Split(texts["leaf07-config_db.json"], "\n")[d.At.Start.Line-1]
	assert.Contains(t, line, "xoff")
}

// TestWrittenSwitchesAgree: the rules find no difference between the switches of a fabric with the files of rocec, even with mixed releases
// and systems.
func TestWrittenSwitchesAgree(t *testing.T) {
	linters := targets.Linters()
	of := map[string][]lint.File{}
	err := filepath.WalkDir("../golden", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !linters.Knows(name) {
			return err
		}
		data, err := os.ReadFile(name)
		rel := strings.TrimPrefix(filepath.ToSlash(name), "../golden/")
		fabric, _, _ := strings.Cut(rel, "/")
		of[fabric] = append(of[fabric], lint.File{Name: rel, Data: data})
		return err
	})
	require.NoError(t, err)
	several := 0
	for fabric, files := range of {
		r := targets.JudgeFiles(files)
		assert.Empty(t, bySeveral(r.Diagnostics), fabric)
		if len(files) > 1 {
			several++
		}
	}
	assert.Greater(t, several, 5)
}

// TestManySwitches: many switches, each with different settings, take little more time than the same files read separately.
func TestManySwitches(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "themes", "traffic.conf"))
	require.NoError(t, err)
	var all []lint.File
	for i := range 300 {
		text := strings.Replace(string(data), "port_buffer_bytes = 70000", fmt.Sprintf("port_buffer_bytes = %d", 70000+i), 1)
		all = append(all, lint.File{Name: fmt.Sprintf("leaf%d-traffic.conf", i), Data: []byte(text)})
	}
	r := targets.JudgeFiles(all)
	require.Len(t, r.Diagnostics, 1)
	assert.Equal(t, "conf-switch-differs", r.Diagnostics[0].Code)
	assert.Contains(t, r.Diagnostics[0].Detail, "more than 256 ways")
	assert.Less(t, targettest.ProcessorTime(t, func() { targets.JudgeFiles(all) }), 5*time.Second)
}

// severalThemes is a table theme x system x code for switches of which one differs: three are sound, and the fourth is changed.
var severalThemes = []theme{
	{"PFC is on for another priority", [...]cell{
		found("conf-switches-disagree", "pfc.roce.cos_list = [4]", "pfc.roce.cos_list = [5]"),
		found("conf-switches-disagree", "          switch-priority:\n            '3'", "          switch-priority:\n            '4'"),
		found("conf-switches-disagree", `"pfc_enable": "3"`, `"pfc_enable": "4"`),
	}},
	{"a switch has no PFC", [...]cell{
		found("conf-switches-disagree", "pfc.port_group_list = [roce]", "pfc.port_group_list = []"),
		found("conf-switches-disagree", "          pfc:\n            profile: roce\n", ""),
		found("conf-switches-disagree", `"pfc_enable": "3"`, `"pfc_enable": ""`),
	}},
	{"the DSCP of lossless traffic is in another class", [...]cell{
		found("conf-switches-disagree", "dscp = [26]", "dscp = []", "[49,", "[26,49,"),
		found("conf-switches-disagree", "switch-priority: 3", "switch-priority: 4"),
		found("conf-switches-disagree", `"26": "3"`, `"26": "4"`),
	}},
	{"a switch trusts another field", [...]cell{
		found("conf-switches-disagree", "source_set = [dscp]", "source_set = [802.1p]"),
		found("conf-switches-disagree", "trust: l3", "trust: l2"),
		found("conf-switches-disagree", `"dscp_to_tc_map": "ROCE"`, `"dot1p_to_tc_map": "ROCE"`, `"DSCP_TO_TC_MAP"`,
			`"DOT1P_TO_TC_MAP": {"ROCE": {"0": "0", "3": "3"}}, "DSCP_TO_TC_MAP"`),
	}},
	{"a switch has another headroom", [...]cell{
		found("conf-switch-differs", "port_buffer_bytes = 70000", "port_buffer_bytes = 71000"),
		found("conf-switch-differs", "port-buffer: 90000", "port-buffer: 91000"),
		found("conf-switch-differs", `"xoff": "35840"`, `"xoff": "36840"`),
	}},
	{"a switch has another threshold of marking", [...]cell{
		found("conf-switch-differs", "= 150000\n", "= 160000\n"),
		found("conf-switch-differs", "min-threshold: 150000", "min-threshold: 160000"),
		found("conf-switch-differs", `"150000"`, `"160000"`),
	}},
	{"a switch has another share", [...]cell{
		found("conf-switch-differs", "queue_4.bw_percent = 38", "queue_4.bw_percent = 36", "queue_5.bw_percent = 12", "queue_5.bw_percent = 14"),
		found("conf-switch-differs", "'0':\n              bw-percent: 50", "'0':\n              bw-percent: 45"),
		found("conf-switch-differs", `"weight": "50"`, `"weight": "45"`),
	}},
	{"a switch puts notifications in another class", [...]cell{
		found("conf-switch-differs", "dscp = [48]", "dscp = []", "[49,", "[48,49,"),
		found("conf-switch-differs", "switch-priority: 6", "switch-priority: 7"),
		found("conf-switch-differs", `"48": "6"`, `"48": "5"`),
	}},
	{"a switch gives lossless traffic another part of the memory", [...]cell{
		cannot(ownBuffers),
		found("conf-switch-differs", "shared-alpha: alpha_1\n", "shared-alpha: alpha_2\n"),
		found("conf-switch-differs", `"dynamic_th": "0"`, `"dynamic_th": "1"`),
	}},
}

// TestThemesOfSeveral: each theme is found on each system by comparing switches, but not in a single switch.
func TestThemesOfSeveral(t *testing.T) {
	for i, base := range systems {
		data, err := os.ReadFile(filepath.Join("testdata", "themes", base))
		require.NoError(t, err)
		data = []byte(strings.Replace(string(data), "cable-length: 5",
			"cable-length: 5\n          port-buffer: 90000\n          xoff-threshold: 18000", 1))
		for _, theme := range severalThemes {
			t.Run(theme.what+" "+base, func(t *testing.T) {
				c := theme.cells[i]
				if c.cannot != "" {
					return
				}
				text := string(data)
				for k := 0; k < len(c.change); k += 2 {
					require.Contains(t, text, c.change[k])
					text = strings.ReplaceAll(text, c.change[k], c.change[k+1])
				}
				all := []lint.File{{Name: "tor4-" + base, Data: []byte(text)}}
				assert.Empty(t, bySeveral(targets.JudgeFiles(all).Diagnostics))
				for n := 1; n < 4; n++ {
					all = append(all, lint.File{Name: fmt.Sprintf("tor%d-%s", n, base), Data: data})
				}
				found := bySeveral(targets.JudgeFiles(all).Diagnostics)
				require.NotEmpty(t, found)
				for _, d := range found {
					assert.Equal(t, c.code, d.Code, d.Detail)
					assert.Equal(t, "tor4-"+base, d.At.Filename, d.Detail)
				}
			})
		}
	}
}
