package targets_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/judge"
	"github.com/rocec/rocec/targets/sonic"
	tables "github.com/rocec/rocec/targets/sonic/grammar"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/targettest"
)

// configDB is the content of config_db.json: fields by tables and rows. A field is a text or a list of texts.
type configDB map[string]map[string]map[string]any

// yangTable describes the rows of a table in a model.
type yangTable struct {
	module string
	key    []string // the leaves for the parts of a row's key
	item   string   // for a table whose fields are a separate list: the leaf for a field's name, and
	value  string   // the leaf for its value
}

// yangTables are the tables in SONiC's models that configurations of rocec and of the templates contain. Source: the models in
// src/sonic-yang-models of sonic-net/sonic-buildimage.
var yangTables = map[string]yangTable{
	"BUFFER_PG":                          {module: "sonic-buffer-pg", key: []string{"port", "pg_num"}},
	"BUFFER_POOL":                        {module: "sonic-buffer-pool", key: []string{"name"}},
	"BUFFER_PORT_EGRESS_PROFILE_LIST":    {module: "sonic-buffer-port-egress-profile-list", key: []string{"port"}},
	"BUFFER_PORT_INGRESS_PROFILE_LIST":   {module: "sonic-buffer-port-ingress-profile-list", key: []string{"port"}},
	"BUFFER_PROFILE":                     {module: "sonic-buffer-profile", key: []string{"name"}},
	"BUFFER_QUEUE":                       {module: "sonic-buffer-queue", key: []string{"port", "qindex"}},
	"CABLE_LENGTH":                       {"sonic-cable-length", []string{"name"}, "port", "length"},
	"DEFAULT_LOSSLESS_BUFFER_PARAMETER":  {module: "sonic-default-lossless-buffer-parameter", key: []string{"name"}},
	"DEVICE_METADATA":                    {module: "sonic-device_metadata"},
	"DOT1P_TO_TC_MAP":                    {"sonic-dot1p-tc-map", []string{"name"}, "dot1p", "tc"},
	"DSCP_TO_TC_MAP":                     {"sonic-dscp-tc-map", []string{"name"}, "dscp", "tc"},
	"LOSSLESS_TRAFFIC_PATTERN":           {module: "sonic-lossless-traffic-pattern", key: []string{"name"}},
	"MAP_PFC_PRIORITY_TO_QUEUE":          {"sonic-pfc-priority-queue-map", []string{"name"}, "pfc_priority", "qindex"},
	"PFC_PRIORITY_TO_PRIORITY_GROUP_MAP": {"sonic-pfc-priority-priority-group-map", []string{"name"}, "pfc_priority", "pg"},
	"PFC_WD":                             {module: "sonic-pfcwd", key: []string{"ifname"}},
	"PORT":                               {module: "sonic-port", key: []string{"name"}},
	"PORT_QOS_MAP":                       {module: "sonic-port-qos-map", key: []string{"ifname"}},
	"QUEUE":                              {module: "sonic-queue", key: []string{"ifname", "qindex"}},
	"SCHEDULER":                          {module: "sonic-scheduler", key: []string{"name"}},
	"TC_TO_PRIORITY_GROUP_MAP":           {"sonic-tc-priority-group-map", []string{"name"}, "tc", "pg"},
	"TC_TO_QUEUE_MAP":                    {"sonic-tc-queue-map", []string{"name"}, "tc", "qindex"},
	"WRED_PROFILE":                       {module: "sonic-wred-profile", key: []string{"name"}},
}

// A number in JSON has at most 32 bits (RFC 7951, 6.1).
var (
	yangNumbers = strings.Fields(`weight priority cbs pbs tc detection_time restoration_time POLL_INTERVAL dynamic_th default_dynamic_th
		over_subscribe_ratio mtu small_packet_percentage percentage index speed`)
	yangBools = strings.Fields("wred_green_enable wred_yellow_enable wred_red_enable")
	yangLists = []string{"profile_list"}
	integer   = regexp.MustCompile(`^(0|-?[1-9][0-9]{0,17})$`)
)

// yangValue returns the JSON value of a leaf. A value of the wrong form stays text, for the models to refuse.
func yangValue(leaf string, v any) any {
	text, ok := v.(string)
	switch {
	case !ok:
		return v
	case slices.Contains(yangLists, leaf):
		return strings.Split(text, ",")
	case slices.Contains(yangNumbers, leaf) && integer.MatchString(text):
		return json.Number(text)
	case slices.Contains(yangBools, leaf) && (text == "true" || text == "false"):
		return text == "true"
	}
	return text
}

// yangOf returns the tables in the form of the models: an object for each table.
func yangOf(t require.TestingT, cfg configDB) map[string]any {
	out := map[string]any{}
	for table, rows := range cfg {
		y, ok := yangTables[table]
		switch {
		case !ok:
			continue
		case y.key == nil:
			all := map[string]any{}
			for row, fields := range rows {
				own := map[string]any{}
				for _, field := range []string{"hwsku", "platform", "type", "buffer_model", "default_pfcwd_status"} { // the rest belongs to others
					if v, ok := fields[field]; ok {
						own[field] = v
					}
				}
				all[row] = own
			}
			out[table] = all
			continue
		}
		list := []any{}
		for _, row := range slices.Sorted(maps.Keys(rows)) {
			entry := map[string]any{}
			parts := strings.SplitN(row, "|", len(y.key))
			require.Len(t, parts, len(y.key), "%s|%s", table, row)
			for i, leaf := range y.key {
				entry[leaf] = parts[i]
			}
			items := []any{}
			for _, field := range slices.Sorted(maps.Keys(rows[row])) {
				if y.item == "" {
					entry[field] = yangValue(field, rows[row][field])
					continue
				}
				items = append(items, map[string]any{y.item: yangValue(y.item, field), y.value: yangValue(y.value, rows[row][field])})
			}
			if y.item != "" {
				entry[table] = items
			}
			list = append(list, entry)
		}
		out[table] = map[string]any{table + "_LIST": list}
	}
	return out
}

func readDB(t require.TestingT, text []byte) configDB {
	var cfg configDB
	require.NoError(t, json.Unmarshal(text, &cfg))
	return cfg
}

// onto returns a configuration with another one merged into it, like `config load`.
func (c configDB) onto(base configDB) configDB {
	for table, rows := range c {
		if base[table] == nil {
			base[table] = map[string]map[string]any{}
		}
		for row, fields := range rows {
			if base[table][row] == nil {
				base[table][row] = map[string]any{}
			}
			maps.Copy(base[table][row], fields)
		}
	}
	return base
}

// made adds the profiles that the buffer manager makes and that the state of a switch omits.
func (c configDB) made() configDB {
	for _, fields := range c["BUFFER_PG"] {
		name, _ := fields["profile"].(string)
		if tables.IsMade(name) && c["BUFFER_PROFILE"][name] == nil {
			c["BUFFER_PROFILE"][name] = map[string]any{"pool": "ingress_lossless_pool", "size": "49152", "xon": "19456", "xoff": "29696"}
		}
	}
	return c
}

// documentsOf returns the wanted documents of a switch: the file, merged into the factory configuration. With live it adds the state after
// the change of the factory state.
func documentsOf(t require.TestingT, d *target.Device, live bool) []configDB {
	file := d.Files[0]
	require.Equal(t, sonic.Path, file.Path)
	document := func(state []byte) configDB { return readDB(t, file.Forms[0].Of(state)) }
	factory := readDB(t, []byte(d.Target.Image(d.Source).Files["/etc/sonic/config_db.json"]))
	out := []configDB{document(wholeOf(t, d, file)).onto(factory).made()}
	if live {
		if state, ds := file.Edit(runningOf(t, d, file)); !ds.HasErrors() { // a table of sizes may lack a speed
			out = append(out, document(state).made())
		}
	}
	return out
}

// yanglint checks documents with libyang against the models of the project; why is its output, with the names of documents; empty: they are
// valid.
func yanglint(t require.TestingT, dir, release string, docs map[string]configDB) (why string) {
	n, err := strconv.Atoi(release)
	require.NoError(t, err)
	args := []string{"-t", "config", "sonic/testdata/yang/rocec-sonic.yang"}
	for title, doc := range docs {
		all := yangOf(t, doc)
		all["release"] = n
		text, err := json.MarshalIndent(map[string]any{"rocec-sonic:config": all}, "", " ")
		require.NoError(t, err)
		name := filepath.Join(dir, title+".json")
		require.NoError(t, os.WriteFile(name, text, 0o600))
		args = append(args, name)
	}
	tool, err := machinetest.Find("yanglint")
	require.NoError(t, err)
	out, err := exec.Command(tool, args...).CombinedOutput()
	if err != nil && len(out) == 0 {
		return err.Error()
	}
	if err != nil {
		return string(out)
	}
	return ""
}

// branches are the releases of SONiC that rocec writes.
func branches() (out []string) {
	for _, r := range tables.Releases {
		out = append(out, r.String())
	}
	return out
}

// exampleOn returns the files of the examples, with the switches of one example on a release of SONiC.
func exampleOn(t *testing.T, name, release string) fs.FS {
	version := regexp.MustCompile(`(version +=) "[0-9.]+"`)
	system := regexp.MustCompile(`(?m)^ +os +=.*\n`)
	model := regexp.MustCompile(`(?m)^( +)(model +=.*\n)( +version +=)`)
	out := fstest.MapFS{}
	require.NoError(t, fs.WalkDir(os.DirFS("../examples"), name, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join("../examples", path))
		data = bytes.ReplaceAll(data, []byte("swp"), []byte("etp"))
		data = version.ReplaceAll(system.ReplaceAll(data, nil), []byte(`$1 "`+release+`"`))
		data = model.ReplaceAll(data, []byte("${1}${2}${1}os = \"sonic\"\n$3"))
		out[path] = &fstest.MapFile{Data: data}
		return err
	}))
	return out
}

// TestYANGExamples: libyang accepts the configuration of every example on every release of SONiC, for one switch of each block.
func TestYANGExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("drives yanglint")
	}
	machinetest.Need(t, "yanglint")
	entries, err := os.ReadDir("../examples")
	require.NoError(t, err)
	docs, dir := map[string]map[string]configDB{}, t.TempDir() // by release
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		for i, release := range append(branches(), "") { // also unchanged
			fsys := os.DirFS("../examples")
			if release != "" {
				fsys = exampleOn(t, e.Name(), release)
			}
			j := judge.Judge(t.Context(), fsys, e.Name(), judge.Options{})
			if j.Fabric == nil || j.Diags.HasErrors() {
				continue
			}
			blocks := map[string]bool{}
			for _, d := range j.Tree().Devices {
				if d.Target.Name != sonic.OS.Name || blocks[d.Group] || len(d.Files) == 0 {
					continue
				}
				blocks[d.Group] = true
				v, err := tables.ParseVersion(d.Source.Switch.Version)
				require.NoError(t, err)
				of := docs[v.Release.String()]
				if of == nil {
					of = map[string]configDB{}
					docs[v.Release.String()] = of
				}
				for n, doc := range documentsOf(t, d, len(blocks) == 1 && i%3 == 0) {
					of[fmt.Sprintf("%s-%d-%s-%d", e.Name(), i, d.Name, n)] = doc
				}
			}
		}
	}
	for _, release := range branches() {
		assert.GreaterOrEqual(t, len(docs[release]), 5, release)
	}
	for release, of := range docs {
		require.Empty(t, yanglint(t, dir, release, of), release)
	}
}

var portRange = regexp.MustCompile(`\bswp\[([0-9]+)-([0-9]+)\]`)

// TestYANGRandom: libyang accepts the configuration of random fabrics. Without -whole it stops after 30 fabrics, which include each maker
// and states of switches.
func TestYANGRandom(t *testing.T) {
	if testing.Short() {
		t.Skip("drives yanglint")
	}
	machinetest.Need(t, "yanglint")
	judgedOn, states, all, dir := map[string]int{}, 0, 0, t.TempDir()
	enough := func() bool { return !*whole && all >= 30 && len(judgedOn) == 4 && states > 0 }
	rapid.Check(t, targettest.Until(enough, func(rt *rapid.T) {
		g := &gen{T: rt}
		text := strings.ReplaceAll(g.fabric(), `flow_control = "pause"`, `flow_control = "pfc"`)
		release := rapid.SampledFrom(branches()).Draw(rt, "branch")
		model := rapid.SampledFrom([]string{"sn3700", "7260cx3-64", "sn5600", "z9264f"}).Draw(rt, "maker")
		text = anySystem.ReplaceAllString(anyVersion.ReplaceAllString(text, `$1"`+release+`"`+"\n"), `$1"sonic"`+"\n")
		text = portRange.ReplaceAllStringFunc(anyModel.ReplaceAllString(text, `$1"`+model+`"`+"\n"), func(run string) string {
			m, _ := platform.FindSwitch(model)
			limits := portRange.FindStringSubmatch(run)
			from, _ := strconv.Atoi(limits[1])
			to, _ := strconv.Atoi(limits[2])
			var numbers []string
			for n := from; n <= to; n++ {
				numbers = append(numbers, strings.TrimPrefix(sonic.OS.Spell(m, ir.Front{Number: int16(n), Sub: -1}), "Ethernet"))
			}
			return "Ethernet[" + strings.Join(numbers, ",") + "]"
		})
		j := judged(rt, text)
		if j.Diags.HasErrors() {
			return
		}
		docs := map[string]configDB{}
		live, blocks := g.chance(15, "live"), map[string]bool{}
		for _, d := range j.Tree().Devices {
			if d.Role == target.Switch && !blocks[d.Group] {
				blocks[d.Group] = true
				for n, doc := range documentsOf(rt, d, live) {
					docs[fmt.Sprint(d.Name, "-", n)] = doc
				}
			}
		}
		require.Empty(rt, yanglint(rt, dir, release, docs), text)
		all++
		judgedOn[model]++
		if live {
			states++
		}
	}))
	t.Logf("fabrics that were checked, by models: %v, with states: %d", judgedOn, states)
	assert.Len(t, judgedOn, 4)
}

// TestYANGRefuses: the models refuse the same values as SONiC, by release if releases differ. Otherwise a case is tried on one release in
// turn, with -whole on all.
func TestYANGRefuses(t *testing.T) {
	if testing.Short() {
		t.Skip("drives yanglint")
	}
	machinetest.Need(t, "yanglint")
	tree, ds := targets.Render(samples["v2 on 202205"].compile(t))
	require.False(t, ds.HasErrors())
	leaf := tree.Devices[slices.IndexFunc(tree.Devices, func(d *target.Device) bool { return d.Role == target.Switch })]
	base, err := json.Marshal(documentsOf(t, leaf, false)[0])
	require.NoError(t, err)
	dir := t.TempDir()
	const port = "Ethernet0"
	for i, c := range []struct {
		table, row, field, value string
		good                     string // the releases that accept it; empty: none
	}{
		{"SCHEDULER", "scheduler.0", "weight", "15", "every"},
		{"SCHEDULER", "scheduler.0", "weight", "0", ""},
		{"SCHEDULER", "scheduler.0", "weight", "101", ""},
		{"SCHEDULER", "scheduler.0", "weight", "many", ""},
		{"SCHEDULER", "scheduler.0", "type", "ETS", ""},
		{"QUEUE", port + "|3", "scheduler", "scheduler.9", ""},
		{"QUEUE", port + "|3", "wred_profile", "AZURE_LOSSLESS", "every"},
		{"QUEUE", port + "|3", "wred_profile", "AZURE_LOSSY", ""},
		{"BUFFER_PG", port + "|3-4", "profile", "NULL", "every"},
		{"BUFFER_PG", port + "|3-4", "profile", "pg_lossless_100000_7m_profile", ""},
		{"BUFFER_PG", port + "|3-8", "profile", "NULL", ""},
		{"BUFFER_PG", "Ethernet999|3-4", "profile", "NULL", ""},
		{"WRED_PROFILE", "AZURE_LOSSLESS", "green_max_threshold", "1", ""},
		{"WRED_PROFILE", "AZURE_LOSSLESS", "green_max_threshold", "-1", ""},
		{"WRED_PROFILE", "AZURE_LOSSLESS", "green_drop_probability", "101", ""},
		{"WRED_PROFILE", "AZURE_LOSSLESS", "wred_green_enable", "yes", ""},
		{"WRED_PROFILE", "AZURE.LOSSLESS", "ecn", "ecn_all", ""},
		{"WRED_PROFILE", "MINE", "green_max_threshold", "5", ""}, // without a minimum
		{"WRED_PROFILE", "AZURE_LOSSLESS", "blue_min_threshold", "5", ""},
		{"CABLE_LENGTH", "AZURE", port, "5m", "every"},
		{"CABLE_LENGTH", "AZURE", port, "5.5m", ""},
		{"CABLE_LENGTH", "AZURE", "Ethernet999", "5m", ""},
		{"DSCP_TO_TC_MAP", "ROCEC", "63", "1", "every"},
		{"DSCP_TO_TC_MAP", "ROCEC", "64", "1", ""},
		{"DSCP_TO_TC_MAP", "ROCEC", "26", "16", ""},
		{"TC_TO_QUEUE_MAP", "ROCEC", "3", "8", "202411 202505 202511"},
		{"PORT_QOS_MAP", port, "pfc_enable", "3,4", "every"},
		{"PORT_QOS_MAP", port, "pfc_enable", "3-4", ""},
		{"PORT_QOS_MAP", port, "pfc_enable", "8", ""},
		{"PORT_QOS_MAP", port, "pfc_enable", "", "202505 202511"},
		{"PORT_QOS_MAP", port, "dscp_to_tc_map", "NONE", ""},
		{"PORT_QOS_MAP", port, "color", "green", ""},
		{"BUFFER_PROFILE", "ingress_lossy_profile", "dynamic_th", "8", ""},
		{"BUFFER_PROFILE", "ingress_lossy_profile", "pool", "none", ""},
		{"BUFFER_PROFILE", "ingress_lossy_profile", "packet_discard_action", "trim", "202505 202511"},
		{"BUFFER_PROFILE", "mine", "pool", "ingress_lossless_pool", ""}, // without a size
		{"PFC_WD", port, "detection_time", "99", ""},
		{"PFC_WD", port, "POLL_INTERVAL", "200", ""},
		{"PFC_WD", port, "pfc_stat_history", "enable", "202511"},
		{"PFC_WD", "GLOBAL", "POLL_INTERVAL", "300", ""}, // outside of the times of ports
		{"PFC_WD", "GLOBAL", "action", "drop", ""},
	} {
		releases := []string{"202205", "202405", "202411", "202505", "202511"} // cases in which models differ
		if (c.good == "" || c.good == "every") && !*whole {
			releases = releases[i%5:][:1]
		}
		for _, release := range releases {
			doc := configDB{c.table: {c.row: {c.field: c.value}}}.onto(readDB(t, base))
			why := yanglint(t, dir, release, map[string]configDB{"doc": doc})
			good := c.good == "every" || strings.Contains(c.good, release)
			assert.Equal(t, good, why == "", "%s %s|%s %s %q: %s", release, c.table, c.row, c.field, c.value, why)
		}
	}
}
