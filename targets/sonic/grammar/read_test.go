package grammar_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/sonic/grammar"
	"github.com/rocec/rocec/targets/target/targettest"
)

func read(t require.TestingT, text string) *grammar.Config {
	c, err := grammar.Read([]byte(text))
	require.NoError(t, err, "%s", text)
	return c
}

// TestReadRefuses: a text that is not a configuration is an error with its place.
func TestReadRefuses(t *testing.T) {
	for _, c := range []struct{ text, line, says string }{
		{`[]`, "1:1", "an object"},
		{`null`, "1:1", "an object"},
		{`{`, "1:2", "a key in quotes"},
		{"{\n  \"PORT\": {},\n  \"PORT\": {}\n}", "3:3", `The key "PORT" occurs twice`},
		{"{\n  \"PORT\": {\"Ethernet0\": {}, \"Ethernet0\": {}}\n}", "2:29", `The key "Ethernet0" occurs twice`},
		{`{"PORT": {"Ethernet0": {"mtu": "1", "mtu": "2"}}}`, "1:37", `The key "mtu" occurs twice`},
		{`{"X": {"a": {"b": "c", "b": "c"}}}`, "1:24", `The key "b" occurs twice`},
		{`{"X": {"a": {"b": [[[1]]]}}}`, "1:21", "deeper than CONFIG_DB"},
		{`{"X": ` + strings.Repeat("[", 1_000_000) + `}`, "1:11", "deeper than CONFIG_DB"},
		{`{"PORT": {"Ethernet0": {"mtu": {"a": "b"}}}}`, "1:32", "expected text"},
		{`{"PORT": {"Ethernet0": {"mtu": [1]}}}`, "1:33", "a text in quotes"},
		{`{"PORT": {"Ethernet0": "9100"}}`, "1:24", "an object"},
		{`{"PORT": "x"}`, "1:10", "an object"},
		{`{"PORT": {}} x`, "1:14", "follows the configuration"},
		{`{"PORT": {},}`, "1:13", "a key in quotes"},
		{`{"PORT" {}}`, "1:9", "a colon"},
		{`{"PORT": {} "X": {}}`, "1:13", "a comma"},
		{`{"PORT": {"E": {"a": tru}}}`, "1:22", "a value"},
		{`{"PORT": {"E": {"a": 01}}}`, "1:22", "a value"},
		{`{"PORT": {"E": {"a": NaN}}}`, "1:22", "a value"},
		{"{\"PORT\": {\"E\": {\"a\": \"x\ny\"}}}", "1:24", "control character"},
		{`{"PORT": {"E": {"a": "x\q"}}}`, "1:22", "has an escape"},
		{`{"PORT": {"E": {"a": "x`, "1:22", "does not end"},
		{`{"PORT": {"E": {"a": "x\`, "1:22", "does not end"},
		{"{\"\xff\": {}}", "1:3", "UTF-8"},
		{`{"localhost": {}, "asic0": {"PORT": {}}}`, "1:19", "several chips"},
		{`{"a": }`, "1:7", "a value"},
	} {
		_, err := grammar.Read([]byte(c.text))
		require.Error(t, err, "%.80s", c.text)
		var e *grammar.Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, c.line, fmt.Sprintf("%d:%d", e.Line, e.Column), "%.80s: %s", c.text, e.Text)
		assert.Contains(t, e.Text, c.says, "%.80s", c.text)
		assert.True(t, strings.HasSuffix(e.Text, "."), e.Text)
	}
}

// TestReadNotes: values that are invalid in CONFIG_DB are noted.
func TestReadNotes(t *testing.T) {
	for _, c := range []struct{ text, line, says string }{
		{`{"SCHEDULER": {"s": {"weight": 14}}}`, "1:32", `"weight" is a number`},
		{`{"SCHEDULER": {"s": {"weight": true}}}`, "1:32", `a truth value`},
		{`{"SCHEDULER": {"s": {"weight": null}}}`, "1:32", `is null`},
		{`{"QUEUE": {"Ethernet0|3-4": {}, "Ethernet0|3": {}}}`, "1:33", `hold 3 of Ethernet0`},
		{`{"BUFFER_PG": {"Ethernet0|3": {}, "Ethernet0,Ethernet4|3-4": {}}}`, "1:35", `hold 3 of Ethernet0`},
	} {
		cfg := read(t, c.text)
		require.Len(t, cfg.Found, 1, c.text)
		p := cfg.Place(cfg.Found[0].At)
		assert.Equal(t, c.line, fmt.Sprintf("%d:%d", p.Line, p.Column), c.text)
		assert.Contains(t, cfg.Found[0].Says, c.says)
	}
	for _, text := range []string{
		"", " \n", "{}", "\xef\xbb\xbf{}", `{"FOREIGN": {"x": {"a@": ["1", 2, null]}}}`,
		`{"QUEUE": {"Ethernet0|3-4": {}, "Ethernet4|3": {}, "Ethernet0|5": {}, "host|asic0|Ethernet0|3": {}}}`,
	} {
		assert.Empty(t, read(t, text).Found, text)
	}
}

// TestReadKeeps: lists stay lists, and other tables keep their order and their numbers. Escapes in texts are decoded.
func TestReadKeeps(t *testing.T) {
	text := `{"ZTP": {"b": {"n": 1.50, "a": []}, "a": {}}, "BUFFER_PORT_INGRESS_PROFILE_LIST":
		{"Ethernet0": {"profile_list": ["a", "b"]}}, "DEVICE_METADATA": {"localhost": {"hwsku": "a\u00e9\"\/<"}}}`
	c := read(t, text)
	assert.Equal(t, "aé\"/<", c.Get("DEVICE_METADATA", "localhost", "hwsku"))
	assert.Equal(t, "a,b", c.Get("BUFFER_PORT_INGRESS_PROFILE_LIST", "Ethernet0", "profile_list"))
	assert.Equal(t, `{
  "BUFFER_PORT_INGRESS_PROFILE_LIST": {
    "Ethernet0": {
      "profile_list": [
        "a",
        "b"
      ]
    }
  },
  "DEVICE_METADATA": {
    "localhost": {
      "hwsku": "aé\"/<"
    }
  },
  "ZTP": {
    "b": {
      "n": 1.50,
      "a": []
    },
    "a": {}
  }
}
`, string(c.JSON()))
	assert.Equal(t, string(c.JSON()), string(read(t, string(c.JSON())).JSON()))
}

var whole = flag.Bool("whole", false, "texts of tens of megabytes, rather than of a tenth of that")

// beyond is a number of rows or fields above the bound.
const beyond = 1<<19 + 1

// large returns the size of a text to test, in bytes: the full size with -whole, else a tenth.
func large(size int) int {
	if *whole {
		return size
	}
	return size / 10
}

// TestReadLarge: 50 MB of tables need time and memory in proportion to their size. The cases are other tables, rocec's tables, and a
// single line. Without -whole, a tenth of the size is read.
func TestReadLarge(t *testing.T) {
	size := large(50_000_000)
	wide := func(table, line string, least int) []byte {
		var b bytes.Buffer
		b.WriteString(`{"` + table + `": {`)
		for i := 0; b.Len() < size || i < least; i++ {
			if i > 0 {
				b.WriteString("," + line)
			}
			fmt.Fprintf(&b, `"Vlan%d|Ethernet%d": {"tagging_mode": "untagged"}`, i, i)
		}
		b.WriteString("}}")
		return b.Bytes()
	}
	for name, data := range map[string][]byte{
		"others": wide("VLAN_MEMBER", "\n", 0), "one line": wide("VLAN_MEMBER", " ", 0), "ours": wide("PORT", " ", beyond),
		"no end": bytes.Repeat([]byte(`{"a":`), size/5), "text": append([]byte(`{"`), bytes.Repeat([]byte("x"), size)...),
		"numbers": append([]byte(`{"a":`), bytes.Repeat([]byte("1"), size)...),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var c *grammar.Config
		var err error
		took := targettest.ProcessorTime(t, func() { c, err = grammar.Read(data) })
		runtime.ReadMemStats(&after)
		if name == "others" || name == "one line" {
			require.NoError(t, err)
			assert.Less(t, len(c.JSON()), 2*len(data))
		} else {
			require.Error(t, err, name)
		}
		assert.Less(t, took, 20*time.Second, name)
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(20*len(data)), name)
	}
	// A short key names a queue of many ports, and occurs a hundred times.
	var held bytes.Buffer
	held.WriteString(`{"QUEUE": {"Ethernet0|0-99": {}`)
	for i := range 3000 {
		fmt.Fprintf(&held, `,"%d,%[1]da,%[1]db,%[1]dc|0-99": {}`, i)
	}
	_, err := grammar.Read(append(held.Bytes(), "}}"...))
	require.ErrorContains(t, err, "more than 524288 queues and priority groups")
	var tables bytes.Buffer
	tables.WriteString(`{"DSCP_TO_TC_MAP": {}`)
	for i := range 5000 {
		fmt.Fprintf(&tables, `,"T%d": {}`, i)
	}
	_, err = grammar.Read(append(tables.Bytes(), "}"...))
	require.ErrorContains(t, err, "more than 4096 tables")
	_, err = grammar.Read(make([]byte, grammar.MaxSize+1))
	require.ErrorContains(t, err, "larger than 64 MiB")
}

// FuzzRead: no input makes Read panic, and writing and reading the result again gives the same configuration.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		`{"PORT": {"Ethernet0": {"mtu": "9100"}}, "X": [1, {"a": null}]}`, `{"QUEUE": {"Ethernet0|3": {"a": ["b"]}}}`, `{"a":"\ud800"}`,
		`{"":{}}`,
		`{"PORT": {"": {"": ""}}}`,
	} {
		f.Add([]byte(text))
	}
	files, _ := filepath.Glob("../testdata/*.json")
	for _, name := range files {
		data, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := grammar.Read(data)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		text := c.JSON()
		again, err := grammar.Read(text)
		require.NoError(t, err, "%s", text)
		require.Equal(t, string(text), string(again.JSON()))
		require.True(t, c.Equal(again))
		require.Empty(t, grammar.Diff(c, again))
	})
}
