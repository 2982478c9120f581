package read_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/sonic/read"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/targettest"
)

// slipped is a text in which one row has a slip. The last row of its table, and the last table, are sound.
const slipped = `{
  "PORT": {"Ethernet0": {"speed": "100000"}, "Ethernet4": {"speed": "100000"}},
  "SCHEDULER": {
    "a": %s,
    "z": {"type": "DWRR", "weight": "7"}
  },
  "QUEUE": {"Ethernet4|3": {"scheduler": "z"}}
}`

// TestSlips: a slip makes only its own row unreadable.
func TestSlips(t *testing.T) {
	for name, row := range map[string]string{
		"a comma is missing":                `{"type": "DWRR" "weight": "9"}`,
		"a colon is missing":                `{"type" "DWRR", "weight": "9"}`,
		"a value is missing":                `{"type": , "weight": "9"}`,
		"a quote is missing":                "{\"type\": \"DWRR,\n \"weight\": \"9\"}",
		"words without quotes":              `{type: DWRR, "weight": "9"}`,
		"text instead of a row":             `"DWRR"`,
		"a number instead of a row":         `9`,
		"a list instead of a row":           `[{"type": "DWRR"}]`,
		"a bracket is missing":              `{"type": "DWRR", "weight": "9"`,
		"an object instead of text":         `{"type": {"is": "DWRR"}, "weight": "9"}`,
		"a bracket of another kind":         `{"type": "DWRR"], "weight": "9"}`,
		"a list without an end":             `{"type": ["DWRR", "weight": "9"}`,
		"a byte that is no UTF-8":           "{\"type\": \"\xff\"}",
		"a byte 0":                          "{\"type\": \x00 \"DWRR\"}",
		"a backslash":                       `{"type": "\q"}`,
		"null":                              `{"type": null}`,
		"an invalid value":                  `{"weight": "a lot"}`,
		"a field that no release has":       `{"colour": "red"}`,
		"a superfluous comma at the end":    `{"weight": "0",}`,
		"an equals sign instead of a colon": `{"type" = "DWRR"}`,
	} {
		u := understand(fmt.Appendf(nil, slipped, row))
		require.NotEmpty(t, u.Coverage.Not, name)
		for _, n := range u.Coverage.Not {
			assert.Contains(t, []int{4, 5}, n.At.Start.Line, "%s: %v", name, n)
		}
		assert.Equal(t, ir.Of(7), u.Settings.Port("Ethernet4").Detail.Get().Queues[3].Share, name)
		assert.Equal(t, ir.Of(int64(1e11)), u.Settings.Port("Ethernet0").Detail.Get().Speed, name)
	}
}

// TestBrackets: a missing or superfluous bracket makes only the rows next to it unreadable.
func TestBrackets(t *testing.T) {
	sound := understand(spell(usual())).Settings
	text := string(spell(usual()))
	for name, change := range map[string]func(string) string{
		"one more": func(s string) string { return s + "}" },
		"of a table": func(s string) string {
			return strings.Replace(s, "    }\n  },\n  \"CABLE_LENGTH\"", "    }\n  \"CABLE_LENGTH\"", 1)
		},
		"of a row and its table": func(s string) string {
			return strings.Replace(s, "    }\n  },\n  \"CABLE_LENGTH\"", "\n  \"CABLE_LENGTH\"", 1)
		},
		"of a row": func(s string) string {
			return strings.Replace(s, "    },\n    \"Ethernet4|3\"", "\n    \"Ethernet4|3\"", 1)
		},
		"twice": func(s string) string {
			return strings.Replace(s, "    },\n    \"Ethernet4|3\"", "    }},\n    \"Ethernet4|3\"", 1)
		},
	} {
		changed := change(text)
		require.NotEqual(t, text, changed, name)
		u := understand([]byte(changed))
		assert.NotEmpty(t, u.Coverage.Not, name)
		assert.LessOrEqual(t, len(u.Coverage.Not), 4, name)
		assert.True(t, sound.Equal(u.Settings), name)
	}
}

// TestEnds: a truncated text sets the values that it has. Rows that it lacks are unknown.
func TestEnds(t *testing.T) {
	whole := understand(spell(usual())).Settings
	text := strings.TrimRight(string(spell(usual())), "\n")
	known := 0
	for end := 0; end < len(text); end += 3 {
		u := understand([]byte(text[:end]))
		for name, p := range u.Settings.Ports {
			is := whole.Port(name)
			if p.PausesKnown {
				require.Equal(t, is.Sends, p.Sends, "%s of %q", name, text[max(0, end-60):end])
				known++
			}
			if p.TrustKnown {
				require.Equal(t, is.Trust, p.Trust, "%s of %q", name, text[max(0, end-60):end])
			}
			require.Contains(t, []int{is.Headroom, 0, -1}, p.Headroom, "%s of %q", name, text[max(0, end-60):end])
			for group := range p.Detail.Get().Groups {
				if lossless := p.Detail.Get().Groups[group].Lossless; lossless.Known() {
					require.Equal(t, is.Detail.Get().Groups[group].Lossless.Value, lossless.Value, "%s of %q", name, text[max(0, end-60):end])
				}
			}
			if w := p.Detail.Get().Watchdog.Action; w.Known() {
				require.Equal(t, is.Detail.Get().Watchdog.Action.Value, w.Value, "%s of %q", name, text[max(0, end-60):end])
			}
			for queue := range p.Detail.Get().Queues {
				if ecn := p.Detail.Get().Queues[queue].ECN; ecn.Known() {
					require.Equal(t, is.Detail.Get().Queues[queue].ECN.Value, ecn.Value, "%s of %q", name, text[max(0, end-60):end])
				}
			}
		}
	}
	require.Positive(t, known)
	for _, end := range []string{"}", "}\n}"} {
		u := understand([]byte(strings.TrimSuffix(text, end)))
		require.True(t, u.Settings.Port("Ethernet0").PausesKnown)
		require.NotEmpty(t, u.Coverage.Not)
	}
}

// TestTwice: if a key occurs twice, the last one counts, at every level.
func TestTwice(t *testing.T) {
	u := understand([]byte(`{
  "SCHEDULER": {"old": {"weight": "1"}},
  "QUEUE": {"Ethernet0|3": {"scheduler": "s"}, "Ethernet0|3": {"scheduler": "s"}, "Ethernet0|4": {"scheduler": "old"}},
  "SCHEDULER": {"s": {"type": "DWRR", "weight": "1", "weight": "2"}, "s": {"type": "DWRR", "weight": "3", "weight": "4"}}
}`))
	d := u.Settings.Port("Ethernet0").Detail.Get()
	assert.Equal(t, ir.Of(4), d.Queues[3].Share)
	assert.False(t, d.Queues[4].Share.Known(), "the first table is gone")
	require.Len(t, u.Coverage.Not, 1)
}

// TestNull: null is a valid value only in fields outside QoS.
func TestNull(t *testing.T) {
	u := understand([]byte(`{
  "DEVICE_METADATA": {"localhost": {"hwsku": "x", "deployment_id": null, "more": {"a": []}}},
  "VLAN": {"Vlan1": {"x": null}}, "FEATURE": null,
  "PORT": {"Ethernet0": {"description": null, "alias": null, "mtu": "9100"}}
}`))
	assert.Empty(t, u.Coverage.Not)
	assert.False(t, u.Coverage.RoCE())
	assert.Equal(t, ir.Of(9100), u.Settings.Port("Ethernet0").Detail.Get().MTU)
	u = understand([]byte(`{"PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": null}}}`))
	require.Len(t, u.Coverage.Not, 1)
	assert.Equal(t, "it is null, which a switch reads as the text None", u.Coverage.Not[0].Why)
}

// TestNothing: an empty text, and texts of other programs.
func TestNothing(t *testing.T) {
	for text, missed := range map[string]int{"": 0, " \n": 0, "{}": 0, "[]": 0, "hello": 1, "traffic.cos = 1\n": 1, "\"": 1, "nv set x": 1} {
		u := understand([]byte(text))
		require.NotNil(t, u.Settings)
		assert.Equal(t, missed > 0, len(u.Coverage.Not) > 0, text)
		assert.False(t, u.Coverage.RoCE())
		assert.Nil(t, u.Settings.Rest)
	}
	u := read.Understand(target.Identity{}, nil)
	assert.True(t, u.Coverage.Whole())
	u = understand([]byte(`{"asic0": {"PORT": {"Ethernet0": {}}}, "localhost": {}}`))
	assert.Contains(t, u.Coverage.Not[0].Why, "one of several chips")
}

// TestLarge: reading a text of 50 MB needs bounded time and memory, whatever it contains. A text above 64 MiB is not read.
func TestLarge(t *testing.T) {
	size := 50_000_000
	if testing.Short() {
		size /= 50
	}
	for name, c := range map[string]struct{ head, each, tail string }{
		"brackets":  {"", "[", ""},
		"objects":   {"", `{"a":`, ""},
		"rows":      {`{"QUEUE": {`, `"Ethernet0|3": {"scheduler": "s"},`, "}}"},
		"unfilled":  {`{"SCHEDULER": {`, `"a": {`, "}}"},
		"text":      {`{"`, "abcdefgh", ""},
		"slips":     {"", "x\n", ""},
		"comments":  {`{"QUEUE": {`, "/*", ""},
		"colons":    {`{"QUEUE": {"a": {`, ":", ""},
		"foreign":   {`{"VLAN": {"a": {`, `"QUEUE": {"b": `, ""},
		"of ports":  {`{"QUEUE": {"`, "Ethernet0,", `|0-99": {"scheduler": "s"}}}`},
		"two lists": {`{"PORT_QOS_MAP": {"`, "Ethernet1,Ethernet2,", `": {"pfc_enable": "3"}}}`},
	} {
		text := c.head + strings.Repeat(c.each, size/len(c.each)) + c.tail
		var u *target.Understood
		t.Logf("%s: %v", name, targettest.ProcessorTime(t, func() { u = understand([]byte(text)) }))
		require.NotNil(t, u.Settings, name)
		assert.LessOrEqual(t, len(u.Coverage.Not), 10_001, name)
	}
	u := understand(make([]byte, 65<<20))
	require.Len(t, u.Coverage.Not, 1)
	assert.Contains(t, u.Coverage.Not[0].Why, "larger than 64 MiB")
}

// FuzzUnderstand: no input makes Understand panic, and reading the same bytes twice gives equal results.
func FuzzUnderstand(f *testing.F) {
	f.Add(spell(usual()), "config_db.json")
	f.Add(spell(flat(usual(), func(f fields) any { return map[string]any{"type": "hash", "value": f} })), "dump")
	f.Add(spell(joined(usual())), "qos.json")
	f.Add(fmt.Appendf(nil, slipped, `{"a": {`), "x")
	f.Add([]byte("PORT|Ethernet0 speed \"100000\"\nQUEUE|Ethernet0|3 x [\"a\"]\n"), "sonic/running")
	f.Add([]byte("100000 5m 1 2 3 4 5\n"), "pg_profile_lookup.ini")
	f.Add([]byte(`[{"BUFFER_PG_TABLE:Ethernet0:3-4": {"profile": "[BUFFER_PROFILE_TABLE:x]"}, "OP": "DEL"}]`), "x")
	f.Fuzz(func(t *testing.T, data []byte, name string) {
		contents := map[string][]byte{name: data, "config_db.json": data}
		a, b := read.Understand(target.Identity{}, contents), read.Understand(target.Identity{}, contents)
		require.True(t, a.Settings.Equal(b.Settings))
		require.Equal(t, a.Settings.Pools, b.Settings.Pools)
		require.True(t, reflect.DeepEqual(a.Coverage, b.Coverage))
		require.Equal(t, a.Notes, b.Notes)
		rows := len(a.Coverage.Not)
		for _, n := range a.Coverage.Means {
			rows += n
		}
		for _, n := range a.Coverage.Aside {
			rows += n
		}
		require.Equal(t, a.Coverage.Rows, rows)
		for _, field := range ir.Fields() {
			at, ok := a.Where("Ethernet0", field, 3)
			require.True(t, !ok || at.Start.Line > 0)
		}
	})
}
