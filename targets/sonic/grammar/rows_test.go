package grammar_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/targets/sonic/grammar"
	"github.com/rocec/rocec/targets/target/targettest"
)

// TestRows: the parts of a configuration that a state includes and omits.
func TestRows(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"nothing", `{}`, ""},
		{"an empty table", `{"QUEUE": {}}`, ""},
		{
			"the order is that of bytes", `{"QUEUE": {"Ethernet10|3": {"scheduler": "b"}, "Ethernet1|3": {"scheduler": "a"}}}`,
			"QUEUE|Ethernet10|3 scheduler \"b\"\nQUEUE|Ethernet1|3 scheduler \"a\"\n",
		},
		{"a row without fields", `{"PFC_WD": {"Ethernet0": {}}}`, "PFC_WD|Ethernet0\n"},
		{"an empty text", `{"PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": ""}}}`, "PORT_QOS_MAP|Ethernet0 pfc_enable \"\"\n"},
		{
			"lists", `{"BUFFER_PORT_INGRESS_PROFILE_LIST": {"Ethernet0": {"profile_list": [ "a", "b,c" ], "x": []}}}`,
			"BUFFER_PORT_INGRESS_PROFILE_LIST|Ethernet0 profile_list [\"a\",\"b,c\"]\nBUFFER_PORT_INGRESS_PROFILE_LIST|Ethernet0 x []\n",
		},
		{
			"characters outside ASCII, as Python escapes them", `{"PORT": {"Ethernet0": {"alias": "<é\u007f\t\u2028\ud83d\ude00\"\\>"}}}`,
			"PORT|Ethernet0 alias \"<\\u00e9\u007f\\t\\u2028\\ud83d\\ude00\\\"\\\\>\"\n",
		},
		{"tables of others", `{"VLAN": {"Vlan1": {"mtu": "9100"}}}`, ""},
		{"versions of the schema", `{"VERSIONS": {"DATABASE": {"VERSION": "version_202505_01"}}}`, ""},
		{
			"fields that identify the switch", `{"DEVICE_METADATA": {"localhost": {"mac": "x", "hostname": "y", "hwsku": "z", "platform": "p",
				"type": "ToRRouter", "switch_type": "voq", "buffer_model": "dynamic", "default_pfcwd_status": "enable"}, "other": {"hwsku": "a"}}}`,
			"DEVICE_METADATA|localhost buffer_model \"dynamic\"\nDEVICE_METADATA|localhost default_pfcwd_status \"enable\"\n" +
				"DEVICE_METADATA|localhost hwsku \"z\"\nDEVICE_METADATA|localhost platform \"p\"\nDEVICE_METADATA|localhost switch_type \"voq\"\n" +
				"DEVICE_METADATA|localhost type \"ToRRouter\"\n",
		},
		{
			"what describes ports", `{"PORT": {"Ethernet0": {"description": "d", "index": "1", "lanes": "0", "speed": "1", "alias": "a",
				"admin_status": "up", "mtu": "9100", "fec": "rs", "pfc_asym": "off"}, "Ethernet4": {"description": "d"}}}`,
			"PORT|Ethernet0 admin_status \"up\"\nPORT|Ethernet0 alias \"a\"\nPORT|Ethernet0 fec \"rs\"\nPORT|Ethernet0 lanes \"0\"\n" +
				"PORT|Ethernet0 mtu \"9100\"\nPORT|Ethernet0 pfc_asym \"off\"\nPORT|Ethernet0 speed \"1\"\n",
		},
		{
			"profiles made by the buffer manager", `{"BUFFER_PROFILE": {"pg_lossless_100000_5m_profile": {"xoff": "1"},
				"pg_lossless_own_profile": {}, "ingress_lossy_profile": {"size": "0"}}, "BUFFER_PG": {"Ethernet0|3": {"profile":
				"pg_lossless_100000_5m_profile"}}}`,
			"BUFFER_PG|Ethernet0|3 profile \"pg_lossless_100000_5m_profile\"\nBUFFER_PROFILE|ingress_lossy_profile size \"0\"\n",
		},
		{"polling without a watchdog", `{"PFC_WD": {"GLOBAL": {"POLL_INTERVAL": "200"}}}`, ""},
		{
			"polling of somebody's", `{"PFC_WD": {"GLOBAL": {"POLL_INTERVAL": "200"}, "Ethernet0": {"action": "drop"}}}`,
			"PFC_WD|Ethernet0 action \"drop\"\nPFC_WD|GLOBAL POLL_INTERVAL \"200\"\n",
		},
	} {
		assert.Equal(t, c.want, string(read(t, c.text).Rows()), c.name)
	}
}

// TestReadRowsRefuses: a text that is not a state is an error with its line.
func TestReadRowsRefuses(t *testing.T) {
	const good = "QUEUE|Ethernet0|3 scheduler \"a\"\n"
	for _, c := range []struct{ line, says string }{
		{"{", "not a row"},
		{"", "not a row"},
		{"QUEUE", "not a row"},
		{"QUEUE|", "not a row"},
		{"|Ethernet0", "not a row"},
		{" QUEUE|Ethernet0|4", "not a row"},
		{"VLAN", "not a row"},
		{"QUEUE|Ethernet0|4 scheduler", "not a row"},
		{"QUEUE|Ethernet0|4 ", "not a row"},
		{"QUEUE|Ethernet0|4  \"a\"", "not a row"},
		{"QUEUE|Ethernet0|4 scheduler a", "not text in quotes"},
		{"QUEUE|Ethernet0|4 scheduler 14", "not text in quotes"},
		{"QUEUE|Ethernet0|4 scheduler null", "not text in quotes"},
		{"QUEUE|Ethernet0|4 scheduler \"a", "not text in quotes"},
		{"QUEUE|Ethernet0|4 scheduler \"a\" \"b\"", "not text in quotes"},
		{"QUEUE|Ethernet0|4 my field \"a\"", "not text in quotes"},
		{"QUEUE|Ethernet 0|4 scheduler \"a\"", "not text in quotes"},
		{"QUEUE|Ethernet0|4 scheduler {\"a\": \"b\"}", "not text in quotes"},
		{"QUEUE|Ethernet0|4 scheduler [\"a\"", "not a list of texts"},
		{"QUEUE|Ethernet0|4 scheduler [1]", "not a list of texts"},
		{"QUEUE|Ethernet0|4 scheduler [[\"a\"]]", "not a list of texts"},
		{"QUEUE|Ethernet0|4 scheduler " + strings.Repeat("[", 100_000), "not a list of texts"},
		{"QUEUE|Ethernet0|3 scheduler \"a\"", `"scheduler" of "QUEUE|Ethernet0|3" occurs twice`},
		{"QUEUE|Ethernet0|3 scheduler \"b\"", "occurs twice"},
		{"QUEUE|Ethernet0|3 wred_profile \"\xff\"", "UTF-8"},
		{"VLAN|Vlan1 name \"\xc3\"", "UTF-8"},
	} {
		_, err := grammar.ReadRows([]byte(good + c.line + "\n"))
		require.Error(t, err, "%.80q", c.line)
		var e *grammar.Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, 2, e.Line, "%.80q: %s", c.line, e.Text)
		assert.Contains(t, e.Text, c.says, "%.80q", c.line)
		assert.True(t, strings.HasSuffix(e.Text, "."), e.Text)
		assert.Less(t, len(e.Text), 300, "the quoted text is cut")
	}
	for _, text := range []string{"", good, strings.TrimSpace(good), "VLAN|Vlan1 a\n", "@lookup|file\n", good + "QUEUE|Ethernet0|3\n"} {
		_, err := grammar.ReadRows([]byte(text))
		require.NoError(t, err, text)
	}
}

// TestReadRowsNotes: queues and groups that are in two rows are noted, at their lines.
func TestReadRowsNotes(t *testing.T) {
	cfg, err := grammar.ReadRows([]byte("QUEUE|Ethernet0|3 scheduler \"a\"\nQUEUE|Ethernet0|3-4 scheduler \"a\"\n"))
	require.NoError(t, err)
	require.Len(t, cfg.Found, 1)
	assert.Equal(t, 2, cfg.Place(cfg.Found[0].At).Line)
	assert.Contains(t, cfg.Found[0].Says, "hold 3 of Ethernet0")
}

// TestReadRowsLarge: a text needs time and memory in proportion to its size, and its size is bounded. Without -whole, texts within the
// bounds have a tenth of their size.
func TestReadRowsLarge(t *testing.T) {
	size := large(20_000_000)
	many := func(line string, least int) []byte {
		var b bytes.Buffer
		for i := 0; b.Len() < size || i < least; i++ {
			fmt.Fprintf(&b, line+"\n", i)
		}
		return b.Bytes()
	}
	for _, c := range []struct {
		name string
		data []byte
		says string
	}{
		{"of others", many(`VLAN_MEMBER|Vlan%d tagging_mode "untagged"`, 0), ""},
		{"too many rows", many(`QUEUE|Ethernet%d|3`, beyond), "more than"},
		{"too many fields", many(`DSCP_TO_TC_MAP|AZURE %d "3"`, beyond), "more than"},
		{"one line", bytes.Repeat([]byte("x"), size), "not a row"},
		{"one text", []byte(`QUEUE|Ethernet0|3 scheduler "` + strings.Repeat("x", size) + `"`), ""},
		{"one list", []byte(`QUEUE|Ethernet0|3 scheduler [` + strings.Repeat(`"",`, size*3/20) + `""]`), ""},
		{"one queue of all ports", []byte(`QUEUE|` + strings.Repeat("Ethernet0,", size/20) + `|0-7`), "more than"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var err error
		took := targettest.ProcessorTime(t, func() { _, err = grammar.ReadRows(c.data) })
		runtime.ReadMemStats(&after)
		if c.says == "" {
			require.NoError(t, err, c.name)
		} else {
			require.ErrorContains(t, err, c.says, c.name)
		}
		assert.Less(t, took, 20*time.Second, c.name)
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(50*len(c.data)), c.name)
	}
	_, err := grammar.ReadRows(make([]byte, grammar.MaxSize+1))
	require.ErrorContains(t, err, "larger than 64 MiB")
}

// words are keys and fields. They contain any characters except those that separate the parts of a line, which the models refuse too.
var words = rapid.StringMatching(`[^ \n]{1,12}`)

// configs are random configurations of the tables of a state. Some of their names have a special meaning.
var configs = rapid.Custom(func(t *rapid.T) *grammar.Config {
	tables := []string{grammar.VersionTable, grammar.LookupTable}
	for i := range grammar.Tables {
		tables = append(tables, grammar.Tables[i].Name)
	}
	keys := rapid.OneOf(words, rapid.SampledFrom([]string{
		"localhost", "GLOBAL", "AZURE", "Ethernet0", "Ethernet4", "Ethernet0|3", "Ethernet0|3-4", "pg_lossless_100000_5m_profile", "file",
		"100000|5m",
	}))
	fields := rapid.OneOf(words, rapid.SampledFrom([]string{"hwsku", "mac", "type", "speed", "description", "profile", "POLL_INTERVAL", "3"}))
	c := grammar.New()
	for range rapid.IntRange(0, 12).Draw(t, "fields") {
		table, key, field := rapid.SampledFrom(tables).Draw(t, "table"), keys.Draw(t, "key"), fields.Draw(t, "field")
		c.Put(table, key, field, rapid.String().Draw(t, "text"))
		row := c.Tables[table].Rows[key]
		switch rapid.IntRange(0, 5).Draw(t, "kind") {
		case 0:
			items := rapid.SliceOf(rapid.String()).Draw(t, "list")
			row.Fields[field] = grammar.Value{List: append([]string{}, items...), Text: strings.Join(items, ",")}
		case 1:
			clear(row.Fields)
		}
	}
	return c
})

// TestRowsLaws: reading the rows and writing them again gives the same bytes, and the same configuration as JSON has the same rows. The
// rows contain only fields of the configuration, and every field that a state includes.
func TestRowsLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := configs.Draw(t, "config")
		rows := c.Rows()
		again, err := grammar.ReadRows(rows)
		require.NoError(t, err, "%s", rows)
		require.Equal(t, string(rows), string(again.Rows()))
		require.Equal(t, string(rows), string(read(t, string(c.JSON())).Rows()))
		lines := strings.Split(strings.TrimSuffix(string(rows), "\n"), "\n")
		require.True(t, slices.IsSorted(lines), "%q", lines)

		for name, s := range again.Tables {
			for key, row := range s.Rows {
				require.NotNil(t, c.Row(name, key), "%s|%s", name, key)
				for field, v := range row.Fields {
					require.Equal(t, c.Row(name, key).Fields[field].Text, v.Text, "%s|%s %s", name, key, field)
				}
			}
		}
		for _, name := range []string{"VERSIONS", "DEVICE_METADATA", "PORT", "BUFFER_PROFILE", "PFC_WD"} {
			delete(c.Tables, name)
			delete(again.Tables, name)
		}
		require.True(t, c.Equal(again), "%s", rows)
	})
}

// TestRowsEqual: a state that was read equals the written one, without the omitted parts of tables.
func TestRowsEqual(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, err := grammar.ReadRows(configs.Draw(t, "config").Rows())
		require.NoError(t, err)
		again, err := grammar.ReadRows(c.Rows())
		require.NoError(t, err)
		require.True(t, c.Equal(again), "%s", c.Rows())
		require.Empty(t, grammar.Diff(c, again))
	})
}

// TestProfileName: the name of a profile that the buffer manager makes contains its speed and length.
func TestProfileName(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		speed, metres := rapid.IntRange(0, 10_000_000).Draw(t, "speed"), rapid.IntRange(0, 9_999_999).Draw(t, "metres")
		name := grammar.ProfileName(speed, metres)
		s, m, ok := grammar.ParseProfileName(name)
		require.True(t, ok)
		require.Equal(t, []int{speed, metres}, []int{s, m})
		require.True(t, grammar.IsMade(name))
	})
	for _, name := range []string{
		"", "NULL", "pg_lossless_profile", "pg_lossless__profile", "pg_lossless_100000_5m", "pg_lossless_100000_5_profile", "100000_5m_profile",
		"pg_lossless_100000_5m_mtu1500_profile", "pg_lossless_+1_5m_profile", "pg_lossless_01_5m_profile", "pg_lossless_1_-5m_profile",
		"pg_lossless_99999999999999999999_5m_profile", "pg_lossless_1_5m_profile_profile", "xpg_lossless_1_5m_profile",
	} {
		_, _, ok := grammar.ParseProfileName(name)
		assert.False(t, ok, name)
	}
}

// TestLookupOf: a file without rows exists, and has no lengths.
func TestLookupOf(t *testing.T) {
	for _, c := range []struct {
		text  string
		there bool
		want  []int
	}{
		{"", false, nil},
		{"@version|localhost asic_type \"vs\"\n", false, nil},
		{"@lookup|file\n", true, nil},
		{
			"@lookup|file\n@lookup|100000|40m xoff \"2\"\n@lookup|100000|5m xoff \"1\"\n@lookup|100000|0m xoff \"0\"\n@lookup|25000|7m xoff \"1\"\n",
			true,
			[]int{5, 40},
		},
		{"@lookup|100000|x xoff \"2\"\n@lookup|x|5m xoff \"2\"\n@lookup|100000 xoff \"2\"\n", true, nil},
	} {
		cfg, err := grammar.ReadRows([]byte(c.text))
		require.NoError(t, err)
		lookup := grammar.LookupOf(cfg)
		assert.Equal(t, c.there, lookup != nil, c.text)
		assert.Equal(t, c.want, lookup.Lengths(100000), c.text)
	}
}

// FuzzReadRows: no input makes ReadRows panic, and writing and reading the result again gives the same configuration, without the omitted
// parts.
func FuzzReadRows(f *testing.F) {
	for _, text := range []string{
		"", "\n", "{}", "QUEUE|Ethernet0|3 scheduler \"a\"\n", "PFC_WD|GLOBAL POLL_INTERVAL \"200\"\n", "@lookup|file\n@lookup|1|5m xoff \"2\"",
		"BUFFER_PORT_EGRESS_PROFILE_LIST|Ethernet0 profile_list [\"a\",\"\\ud800\"]\n", "VERSIONS|DATABASE VERSION \"x\"\n", "VLAN|x y",
		"QUEUE|Ethernet0,Ethernet4|0-99\nQUEUE|Ethernet4|3\n",
	} {
		f.Add([]byte(text))
	}
	files, _ := filepath.Glob("../testdata/*.rows")
	for _, name := range files {
		data, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := grammar.ReadRows(data)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		rows := c.Rows()
		again, err := grammar.ReadRows(rows)
		require.NoError(t, err, "%s", rows)
		require.Equal(t, string(rows), string(again.Rows()))
		for name := range maps.Keys(again.Tables) {
			require.NotNil(t, c.Tables[name])
		}
		require.LessOrEqual(t, len(rows), 6*len(data)+1, "a byte needs six bytes at most")
	})
}
