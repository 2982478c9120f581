package lint_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/sonic/lint"
	contract "github.com/rocec/rocec/targets/target/lint"
	"github.com/rocec/rocec/targets/target/targettest"
)

type (
	fields = map[string]string
	tables = map[string]map[string]fields
)

// perPort are the tables whose keys contain ports.
var perPort = []string{"PORT_QOS_MAP", "PFC_WD", "QUEUE", "BUFFER_PG", "BUFFER_QUEUE"}

func spell(v any) string {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		panic(err)
	}
	return string(b)
}

// spellings returns forms of one configuration, by name.
func spellings(c tables) map[string]string {
	flat, typed := map[string]any{}, map[string]any{}
	var operations, pieces []any
	var lines []string
	for _, table := range slices.Sorted(maps.Keys(c)) {
		pieces = append(pieces, tables{table: c[table]})
		for _, key := range slices.Sorted(maps.Keys(c[table])) {
			row, at := c[table][key], table+"|"+key
			flat[at], typed[at] = row, map[string]any{"type": "hash", "ttl": -0.001, "value": row}
			operations = append(operations, map[string]any{at: row, "OP": "SET"})
			if len(row) == 0 {
				lines = append(lines, at)
			}
			for _, field := range slices.Sorted(maps.Keys(row)) {
				text, err := json.Marshal(row[field])
				if err != nil {
					panic(err)
				}
				lines = append(lines, fmt.Sprintf("%s %s %s", at, field, text))
			}
		}
	}
	return map[string]string{
		"dump": spell(flat), "typed dump": spell(typed), "operations": spell(operations), "pieces": spell(pieces),
		"rows": strings.Join(lines, "\n") + "\n", "one line": strings.ReplaceAll(spell(c), "\n", " "),
		"marked": "\xef\xbb\xbf" + strings.ReplaceAll(spell(c), "\n", "\r\n"),
	}
}

// joined returns a configuration in which equal rows of several ports are one row.
func joined(c tables) tables {
	out := maps.Clone(c)
	for _, table := range perPort {
		alike := map[string][]string{}
		for key, row := range c[table] {
			_, index, _ := strings.Cut(key, "|")
			alike[index+"|"+spell(row)] = append(alike[index+"|"+spell(row)], key)
		}
		if c[table] == nil {
			continue
		}
		out[table] = map[string]fields{}
		for _, keys := range alike {
			slices.Sort(keys)
			var ports []string
			for _, key := range keys {
				port, _, _ := strings.Cut(key, "|")
				if strings.HasPrefix(port, "Ethernet") {
					ports = append(ports, port)
				} else {
					out[table][key] = c[table][key]
				}
			}
			if len(ports) > 0 {
				_, index, ranged := strings.Cut(keys[len(keys)-1], "|")
				list := strings.Join(ports, ",")
				if ranged {
					list += "|" + index
				}
				out[table][list] = c[table][keys[len(keys)-1]]
			}
		}
	}
	return out
}

// said returns findings without their places, sorted. If byKey is false, findings about a row by its key have only their code, and each
// code occurs once.
func said(ds diag.List, byKey bool) (out []string) {
	for _, d := range ds {
		switch d.Code {
		case "conf-sonic-value", "conf-sonic-field", "conf-sonic-reference", "conf-sonic-twice":
			if !byKey {
				out = append(out, d.Code)
				continue
			}
		}
		out = append(out, fmt.Sprint(d.Severity, " ", d.Code, " ", d.Detail))
	}
	slices.Sort(out)
	if !byKey {
		out = slices.Compact(out)
	}
	return out
}

func judge(text string) lint.Judgement { return lint.Judge("config_db.json", []byte(text), 0, 0) }

// sources are the configurations from which forms are made: one that rocec writes, and one of a switch with its ports.
func sources(t *testing.T) (out []tables) {
	names, err := filepath.Glob("../../../golden/*/*/etc/rocec/config_db.json")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	texts := []string{sound}
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		texts = append(texts, string(text))
	}
	for _, text := range texts {
		var c tables
		require.NoError(t, json.Unmarshal([]byte(text), &c))
		out = append(out, c)
	}
	return out
}

// mutant returns a configuration with one change.
func mutant(r *rand.Rand, c tables) tables {
	var out tables
	if err := json.Unmarshal([]byte(spell(c)), &out); err != nil {
		panic(err)
	}
	pick := func(keys []string) string { return keys[r.IntN(len(keys))] }
	table := pick(slices.Sorted(maps.Keys(out)))
	key := pick(slices.Sorted(maps.Keys(out[table])))
	row := out[table][key]
	if len(row) == 0 {
		return out
	}
	field := pick(slices.Sorted(maps.Keys(row)))
	if r.IntN(3) == 0 { // in all rows of the table, so that ports stay equal
		for _, row := range out[table] {
			delete(row, field)
		}
		return out
	}
	switch r.IntN(5) {
	case 0:
		if strings.HasPrefix(key, "pg_lossless_") { // a dump may lack it
			return out
		}
		if delete(out[table], key); len(out[table]) == 0 {
			delete(out, table)
		}
	case 1:
		delete(row, field)
	case 2:
		row[field] = pick([]string{"", "0", "3", "7", "64", "ROCEC", "NULL", "gone", "up", "100000"})
	case 3:
		row[pick([]string{"colour", "ecn", "pfc_enable", "8", "pool"})] = row[field]
	case 4:
		out[table][pick([]string{"Ethernet0", "Ethernet0|3", "Ethernet4|3-5", "x.y", "AZURE"})] = maps.Clone(row)
	}
	return out
}

// TestFormsAreJudgedAlike: the findings depend on the settings in a configuration, and not on its form.
func TestFormsAreJudgedAlike(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 11))
	mutants := 60
	if testing.Short() {
		mutants = 20
	}
	found := 0
	for _, source := range sources(t) {
		for n := range mutants {
			c := source
			if n > 0 {
				c = mutant(r, source)
			}
			want := judge(spell(c))
			found += len(want.Diagnostics)
			for name, text := range spellings(c) {
				got := judge(text)
				require.Equal(t, said(want.Diagnostics, true), said(got.Diagnostics, true), "%s of\n%s", name, spell(c))
				require.Equal(t, []any{want.Why, want.Plain}, []any{got.Why, got.Plain}, name)
			}
			got := judge(spell(joined(c)))
			require.Equal(t, said(want.Diagnostics, false), said(got.Diagnostics, false), "lists of ports:\n%s", spell(joined(c)))
		}
	}
	assert.Greater(t, found, mutants)
}

// TestBrackets: references in the form of old releases are checked as names, and reported once.
func TestBrackets(t *testing.T) {
	text := sound
	for table, fields := range map[string][]string{
		"BUFFER_PROFILE": {"profile"}, "DSCP_TO_TC_MAP": {"dscp_to_tc_map"}, "SCHEDULER": {"scheduler"}, "WRED_PROFILE": {"wred_profile"},
		"BUFFER_POOL": {"pool"},
	} {
		for _, field := range fields {
			parts := strings.Split(text, `"`+field+`": "`)
			for i := range parts[1:] {
				name, rest, _ := strings.Cut(parts[i+1], `"`)
				parts[i+1] = "[" + table + "|" + name + `]"` + rest
			}
			text = strings.Join(parts, `"`+field+`": "`)
		}
	}
	for _, c := range []struct{ text, want string }{
		{text, "error conf-sonic-value "},
		{strings.ReplaceAll(text, "version_202505_01", "version_1_0_4"), "warning conf-sonic-value "},
	} {
		ds := judge(c.text).Diagnostics
		ds = slices.DeleteFunc(ds, func(d *diag.Diagnostic) bool { return strings.HasPrefix(d.Detail, "VERSION is ") })
		require.Len(t, ds, 1, details(ds))
		assert.Equal(t, c.want, ds[0].Severity.String()+" "+ds[0].Code+" ")
		assert.Contains(t, ds[0].Detail, "202106")
		assert.Equal(t, `"[`, c.text[ds[0].At.Start.Byte:ds[0].At.Start.Byte+2])
	}
}

// TestSlips: a slip is one finding at its place, and the rest of the file is checked.
func TestSlips(t *testing.T) {
	const sick = `"weight": "14"`
	require.Contains(t, sound, sick)
	base := strings.ReplaceAll(sound, sick, `"weight": "0"`)
	judged := judge(base).Diagnostics
	require.Len(t, judged, 1)
	for _, c := range []struct{ old, new, at, code string }{
		{`"PFC_WD": {`, `"PFC_WD": {"PORT": {"Ethernet0": {"enabled": "true"}},`, `{"enabled"`, "error conf-sonic-text"},
		{`"PFC_WD": {`, `"PFC_WD": {"Ethernet4": "drop",`, `"drop",`, "error conf-sonic-text"},
		{`"PFC_WD": {`, `"CABLE": {}, "PFC_WD": {`, ``, ""}, // an unknown table is counted, and is not a finding
		{`"5", "wred`, `"5" "wred`, ``, ""},
		{`"xon": "19456",`, `"xon": "19456"`, `"xoff"`, "error conf-sonic-text"},
		{`"xon": "19456",`, `"xon" "19456",`, `"19456"`, "error conf-sonic-text"},
		{`"xon": "19456",`, `"xon": 19456x,`, `19456x`, "error conf-sonic-text"},
		{`"xon": "19456",`, `"xon": "19` + "\xff" + `",`, `"19`, "error conf-sonic-text"},
		{`"dynamic_th": "7"}}`, `"dynamic_th": "7",}}`, `}}`, "error conf-sonic-text"},
		{`"BUFFER_QUEUE": {`, `"BUFFER_QUEUE": ["x"], "BUFFER_QUEUE": {`, ``, "error conf-sonic-text, warning conf-sonic-twice"},
		{`"SCHEDULER"`, "// a comment\n\"SCHEDULER\"", `// a`, "error conf-sonic-text"},
		{`"SCHEDULER"`, "/* a \" comment */ \"SCHEDULER\"", `/* a`, "error conf-sonic-text"},
		{`"SCHEDULER"`, "# one\n# two {\n\"SCHEDULER\"", `# one`, "error conf-sonic-text"},
		{`"SCHEDULER"`, `"SCHEDULER": {}, "SCHEDULER"`, ``, "warning conf-sonic-twice"},
		{`"Ethernet0|4": {`, `"Ethernet0|3": {}, "Ethernet0|4": {`, ``, ""},
		{`"VERSIONS"`, `"VLAN": {"Vlan1": {"vlanid": "1", "vlanid": "2"}}, "VERSIONS"`, `"vlanid": "2"`, "warning conf-sonic-twice"},
		{`"VERSIONS"`, `"VLAN": {"Vlan1": {}, "Vlan1": {}}, "VERSIONS"`, `"Vlan1": {}}`, "warning conf-sonic-twice"},
		{`"VERSIONS"`, `"CUSTOM": {"a": {"b": {"c": 1, "c": 2}}}, "VERSIONS"`, `"c": 2`, "warning conf-sonic-twice"},
	} {
		text := strings.Replace(base, c.old, c.new, 1)
		if c.code == "" || text == base {
			continue
		}
		var got []string
		for _, d := range judge(text).Diagnostics {
			if d.Code == "conf-sonic-value" && d.Detail == judged[0].Detail {
				continue
			}
			got = append(got, d.Severity.String()+" "+d.Code)
			if c.at != "" {
				assert.True(t, strings.HasPrefix(text[d.At.Start.Byte:], c.at), "%s: %.40s", c.new, text[d.At.Start.Byte:])
			}
			if d.Code == "conf-sonic-twice" {
				require.Len(t, d.Notes, 1)
				assert.Less(t, d.Notes[0].At.Start.Byte, d.At.Start.Byte)
			}
		}
		assert.Equal(t, c.code, strings.Join(got, ", "), "%s: %s", c.new, details(judge(text).Diagnostics))
		assert.Contains(t, details(judge(text).Diagnostics), judged[0].Detail, "the rest is checked")
		assert.Empty(t, judge(text).Why)
	}
}

// TestLastCounts: if a key occurs twice, the last one is checked.
func TestLastCounts(t *testing.T) {
	for _, c := range []struct {
		text string
		want string
	}{
		{`{"SCHEDULER": {"s": {"weight": "0"}, "s": {"weight": "1"}}}`, "conf-sonic-twice"},
		{`{"SCHEDULER": {"s": {"weight": "1"}, "s": {"weight": "0"}}}`, "conf-sonic-twice conf-sonic-value"},
		{`{"SCHEDULER": {"s": {"weight": "0", "weight": "1"}}}`, "conf-sonic-twice"},
		{`{"SCHEDULER": {"s": {"weight": "0"}}, "SCHEDULER": {"t": {"weight": "1"}}}`, "conf-sonic-twice"},
		{`{"SCHEDULER|s": {"weight": "0"}, "SCHEDULER|s": {"weight": "1"}}`, "conf-sonic-twice"},
		{`{"SCHEDULER|s": {"type": "hash", "value": {"weight": "0", "weight": "1"}}}`, "conf-sonic-twice"},
		{"SCHEDULER|s weight \"0\"\nSCHEDULER|s weight \"1\"\n", "conf-sonic-twice"},
		{`[{"SCHEDULER|s": {"weight": "0"}, "OP": "SET"}, {"SCHEDULER|s": {"weight": "1"}, "OP": "SET"}]`, ""},
		{`[{"SCHEDULER|s": {"weight": "0"}, "OP": "SET"}, {"SCHEDULER|s": {}, "OP": "DEL"}, {"SCHEDULER|t": {}, "OP": "SET"}]`, ""},
	} {
		assert.Equal(t, c.want, strings.Join(codes(judge(c.text).Diagnostics), " "), c.text)
	}
}

// TestDialects: the dialect has the form and the release, and states whether the file is a part.
func TestDialects(t *testing.T) {
	const part = "; a part, without DEVICE_METADATA|localhost"
	for text, want := range map[string]string{
		sound:                                   "config_db.json of SONiC 202505",
		`{"SCHEDULER": {"s": {"weight": "1"}}}`: "config_db.json of SONiC, by the models of 202605" + part,
		`{"SCHEDULER|s": {"weight": "1"}}`:      "dump of CONFIG_DB of SONiC, by the models of 202605" + part,
		`{"BUFFER_PG_TABLE:Ethernet0:3-4": {"profile": "NULL"}}`:                   "dump of APPL_DB of SONiC, by the models of 202605" + part,
		`[{"SCHEDULER|s": {"weight": "1"}, "OP": "SET"}]`:                          "list of operations of SONiC, by the models of 202605" + part,
		"SCHEDULER|s weight \"1\"\n":                                               "rows of CONFIG_DB of SONiC, by the models of 202605" + part,
		`{"DEVICE_METADATA|localhost": {"hwsku": "x"}, "SCHEDULER|s": {}}`:         "dump of CONFIG_DB of SONiC, by the models of 202605",
		`{"VERSIONS|DATABASE": {"VERSION": "version_202411_01"}, "QUEUE|x|3": {}}`: "dump of CONFIG_DB of SONiC 202411" + part,
		`{"VLAN|Vlan1": {}}`: "config_db.json of SONiC, by the models of 202605",
	} {
		assert.Equal(t, want, judge(text).Dialect, text)
	}
}

// TestMade: a dump may lack profiles that the buffer manager makes; the switch has them.
func TestMade(t *testing.T) {
	var c tables
	require.NoError(t, json.Unmarshal([]byte(sound), &c))
	delete(c["BUFFER_PROFILE"], "pg_lossless_100000_5m_profile")
	assert.Contains(t, codes(judge(spell(c)).Diagnostics), "conf-sonic-reference")
	for _, form := range []string{"dump", "typed dump", "rows"} {
		assert.Empty(t, judge(spellings(c)[form]).Diagnostics, form)
	}
}

// TestTwoRowsOfAPort: a list of ports includes a port that also has its own row.
func TestTwoRowsOfAPort(t *testing.T) {
	ds := judge(`{"PFC_WD": {"Ethernet0": {"action": "drop", "detection_time": "200"},
  "Ethernet4, Ethernet0": {"action": "drop", "detection_time": "50"}}}`).Diagnostics
	assert.Equal(t, []string{"conf-sonic-twice", "conf-sonic-value"}, codes(ds))
}

// TestTakes: a file is a SONiC file by its beginning.
func TestTakes(t *testing.T) {
	for text, want := range map[string]bool{
		"{}": true, " \n{": true, "# of leaf1\n// and\n/* more */ {": true, `[{"QUEUE|Ethernet0|3": {"scheduler": "s"}, "OP": "SET"}]`: true,
		`[{"TC_TO_QUEUE_MAP": {"a": {}}}]`: true, `[{"BUFFER_PG_TABLE:Ethernet0:3": {"profile": "x"}}]`: true,
		"PORT|Ethernet0 speed \"100000\"\n": true, "[": false, "": false, `[{"ifindex": 1, "ifname": "eth0"}]`: false, "# a\nx = {\n": false,
		"PORT|speed\n": false, "/* {": false,
	} {
		assert.Equal(t, want, lint.Linter.Takes(lintFile("saved", text)), text)
	}
	assert.True(t, lint.Linter.Takes(lintFile("leaf1-config_db.json", "x")))
}

// TestLarge: checking a text of 50 MB needs bounded time and memory, whatever it contains. Without -whole, the text has a tenth of that
// size.
func TestLarge(t *testing.T) {
	for name, c := range map[string]struct{ head, each, tail string }{
		"rows":     {`{"QUEUE": {`, `"Ethernet%d|3": {"scheduler": "s"},`, `"x|3": {}}}`},
		"fields":   {`{"CABLE_LENGTH": {"AZURE": {`, `"Ethernet%d": "5m",`, `"x": "y"}}}`},
		"dump":     {`{`, `"VLAN|Vlan%d": {"vlanid": "1"},`, `"PORT|Ethernet0": {}}`},
		"others":   {`{`, `"T%d": {"a": 1},`, `"PORT": {"Ethernet0": {}}}`},
		"of ports": {`{"QUEUE": {"`, "Ethernet%d,", `|0-99": {"scheduler": "s"}}}`},
		"slips":    {`{"QUEUE": {`, `"Ethernet%d|3": 1,`, `}}`},
		"broken":   {``, `{"QUEUE": {"a": {%d`, ``},
		"a line":   {`{"SCHEDULER": {`, `"s%d": {"weight": 0},`, `"s": {}}}`},
	} {
		size := 50_000_000
		if name != "rows" || testing.Short() {
			size /= 10
		}
		var b strings.Builder
		b.WriteString(c.head)
		for n := 0; b.Len() < size; n++ {
			fmt.Fprintf(&b, c.each, n)
		}
		b.WriteString(c.tail)
		took := targettest.ProcessorTime(t, func() {
			f := judge(b.String())
			assert.LessOrEqual(t, len(f.Diagnostics), 1500, name)
		})
		t.Logf("%s: %v", name, took)
		assert.Less(t, took, 60*time.Second, name)
	}
}

func FuzzJudge(f *testing.F) {
	var c tables
	require.NoError(f, json.Unmarshal([]byte(sound), &c))
	for _, text := range spellings(c) {
		f.Add([]byte(text))
	}
	for _, text := range []string{
		sound, spell(joined(c)), "", "{", `{"QUEUE": {"a": {"b": {`, `{"PORT": "x"}`, `{"asic0": {"PORT": {}}}`, "{\"QUEUE\": {} // x\n}",
		`{"SCHEDULER": {"s": {"weight": 1}, "s": {"weight": null}}}`, "PORT|Ethernet0 speed \"100000\"\nQUEUE|x\n", "{\"\xff\": 1}",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		one := lint.Judge("x.json", data, 0, 0)
		two := lint.Judge("x.json", data, 0, 0)
		require.Equal(t, one.Why, two.Why)
		require.Equal(t, said(one.Diagnostics, true), said(two.Diagnostics, true))
		text := strings.TrimPrefix(string(data), "\xef\xbb\xbf")
		for _, d := range one.Diagnostics {
			require.LessOrEqual(t, d.At.Start.Byte, d.At.End.Byte)
			require.LessOrEqual(t, d.At.End.Byte, len(text))
			require.Equal(t, 1+strings.Count(text[:d.At.Start.Byte], "\n"), d.At.Start.Line)
		}
		require.True(t, one.Why == "" || one.Silent || len(one.Diagnostics) > 0)
	})
}

func lintFile(name, text string) contract.File { return contract.File{Name: name, Data: []byte(text)} }

// TestTenThousandPorts: checking a switch of 10,000 ports needs less than half a second of processor time, in every form.
func TestTenThousandPorts(t *testing.T) {
	var c tables
	require.NoError(t, json.Unmarshal([]byte(sound), &c))
	for n := range 10_000 {
		name := fmt.Sprintf("Ethernet%d", n)
		c["PORT"][name] = fields{"lanes": fmt.Sprint(n), "speed": "100000", "mtu": "9100", "admin_status": "up"}
		c["CABLE_LENGTH"]["AZURE"][name] = "5m"
		for _, table := range []string{"PORT_QOS_MAP", "PFC_WD"} {
			c[table][name] = c[table]["Ethernet0"]
		}
		for _, table := range []string{"QUEUE", "BUFFER_PG", "BUFFER_QUEUE"} {
			delete(c[table], name+"|3")
			delete(c[table], name+"|4")
		}
		c["QUEUE"][name+"|3-4"] = fields{"scheduler": "s", "wred_profile": "AZURE_LOSSLESS"}
		c["BUFFER_PG"][name+"|3-4"] = c["BUFFER_PG"]["Ethernet0|3-4"]
		c["BUFFER_QUEUE"][name+"|3-4"] = c["BUFFER_QUEUE"]["Ethernet0|3-4"]
	}
	for name, text := range map[string]string{"config_db.json": spell(c), "dump": spellings(c)["dump"], "lists of ports": spell(joined(c))} {
		took := targettest.ProcessorTime(t, func() { assert.Empty(t, judge(text).Diagnostics, name) })
		t.Logf("%s, %d bytes: %v", name, len(text), took)
		assert.Less(t, took, 5*time.Second, "half a second on a machine that does nothing else")
	}
}
