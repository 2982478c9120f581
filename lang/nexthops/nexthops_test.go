package nexthops

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/lang/diag"
)

const good = `{
  "format_version": "1.0",
  "addresses": {"gpu1:ens1f0": ["192.0.2.1", "02:00:00:00:00:01"]},
  "switches": {
    "leaf1": [
      {"to": "192.0.2.0\/26", "ports": ["swp1"]},
      {"ports": ["swp49", "swp50"], "to": "gp\u00fc1"}
    ],
    "leaf2": []
  }
}
`

func read(text string) (*Table, diag.List) {
	var ds diag.List
	return Read("fib.json", []byte(text), &ds), ds
}

func TestRead(t *testing.T) {
	table, ds := read(good)
	require.Empty(t, ds)
	require.Len(t, table.Interfaces, 1)
	assert.Equal(t, "gpu1:ens1f0", table.Interfaces[0].Name.V)
	assert.Equal(t, "02:00:00:00:00:01", table.Interfaces[0].Addresses[1].V)
	require.Len(t, table.Switches, 2)
	leaf := table.Switches[0]
	require.Len(t, leaf.Entries, 2)
	assert.Equal(t, "192.0.2.0/26", leaf.Entries[0].To.V)
	assert.Equal(t, "gpü1", leaf.Entries[1].To.V)
	assert.Equal(t, "swp50", leaf.Entries[1].Ports[1].V)
	assert.Empty(t, table.Switches[1].Entries)

	at := table.At(leaf.Entries[1].Ports[1])
	assert.Equal(t, "fib.json:7,27-34", at.String())
	assert.Equal(t, `"swp50"`, good[at.Start.Byte:at.End.Byte])
}

func TestMistakes(t *testing.T) {
	for _, c := range []struct{ text, at, says string }{
		{"", "1:1", "The file ends where the table was expected"},
		{"[]", "1:1", "an object: { ... }. This is a list"},
		{"// fib\n{}", "1:1", "no comments"},
		{"{'a': 1}", "1:2", "double quotes"},
		{"{}", "1:1", "no format_version"},
		{`{"format_version": "1.0"}`, "1:1", "no switches"},
		{`{"format_version": "2.0"}`, "1:20", `this table has "2.0"`},
		{`{"format_version": 1.0}`, "1:20", "This is a number"},
		{`{"format_version": "1.0", "switch": {}}`, "1:27", `Did you mean "switches"?`},
		{`{"format_version": "1.0", "hosts": {}}`, "1:27", "It has format_version, addresses, switches."},
		{`{"switches": {"a": [], "a": []}}`, "1:24", `"a" is there twice in switches`},
		{`{"switches": {"a": null}}`, "1:20", "This is null"},
		{`{"switches": {"a": [{"to": "b"}]}}`, "1:21", `no "ports"`},
		{`{"switches": {"a": [{"ports": []}]}}`, "1:21", `no "to"`},
		{`{"switches": {"a": [{"to": "b", "prots": []}]}}`, "1:33", `Did you mean "ports"?`},
		{`{"switches": {"a": [{"to": "b", "ports": "swp1"}]}}`, "1:42", "a list: [ ... ]. This is a string"},
		{`{"switches": {"a": [{"to": "b", "ports": [1]}]}}`, "1:43", "the name of a port was expected"},
		{`{"switches": {"a": [true]}}`, "1:21", "This is true or false"},
		{"{\n  \"switches\": {},\n}", "2:17", "no comma before"},
		{"{\"switches\": {}\n  \"addresses\": {}}", "2:3", "a comma"},
		{`{"switches" {}}`, "1:13", "a colon is missing"},
		{`{"switches": {`, "1:15", "The file ends inside switches"},
		{`{"switches`, "1:2", "The file ends inside the string"},
		{"{\"swit\nches\": {}}", "1:7", "not closed on its line"},
		{`{"swi\ches": {}}`, "1:2", "a backslash"},
		{`{"addresses": {"ü": []}, "switches": {"a": []}} 7`, "1:49", "more text follows"},
	} {
		table, ds := read(c.text)
		require.Nil(t, table, c.text)
		require.Len(t, ds, 1, c.text)
		assert.Equal(t, Invalid.Code, ds[0].Code)
		assert.Equal(t, c.at, fmt.Sprintf("%d:%d", ds[0].At.Start.Line, ds[0].At.Start.Column), c.text)
		assert.Contains(t, ds[0].Detail, c.says, c.text)
	}
}

// shape is the format as a type for encoding/json.
type shape struct {
	Version   string              `json:"format_version"`
	Addresses map[string][]string `json:"addresses,omitempty"`
	Switches  map[string][]route  `json:"switches"`
}

type route struct {
	To    string   `json:"to"`
	Ports []string `json:"ports"`
}

// Reading the output of encoding/json for a table gives the same table.
func TestReadsWhatJSONWrites(t *testing.T) {
	names := rapid.String()
	rapid.Check(t, func(t *rapid.T) {
		want := shape{
			Version:   Version,
			Addresses: rapid.MapOfN(names, rapid.SliceOfN(names, 0, 3), 0, 3).Draw(t, "addresses"),
			Switches: rapid.MapOfN(names, rapid.SliceOfN(rapid.Custom(func(t *rapid.T) route {
				return route{names.Draw(t, "to"), rapid.SliceOfN(names, 0, 3).Draw(t, "ports")}
			}), 0, 3), 0, 3).Draw(t, "switches"),
		}
		text, err := json.MarshalIndent(want, "", "\t")
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &want)) // bytes that are not UTF-8 are replaced
		table, ds := read(strings.ReplaceAll(string(text), "null", "[]"))
		require.Empty(t, ds)
		got := shape{Version: Version, Switches: map[string][]route{}}
		for _, i := range table.Interfaces {
			if got.Addresses == nil {
				got.Addresses = map[string][]string{}
			}
			got.Addresses[i.Name.V] = values(i.Addresses)
		}
		for _, w := range table.Switches {
			entries := []route{}
			for _, e := range w.Entries {
				entries = append(entries, route{e.To.V, values(e.Ports)})
			}
			got.Switches[w.Name.V] = entries
		}
		a, err := json.Marshal(want)
		require.NoError(t, err)
		b, err := json.Marshal(got)
		require.NoError(t, err)
		require.Equal(t, strings.ReplaceAll(string(a), "null", "[]"), strings.ReplaceAll(string(b), "null", "[]"))
	})
}

func values(texts []Text) []string {
	out := []string{}
	for _, x := range texts {
		out = append(out, x.V)
	}
	return out
}

// For any bytes the reader ends. It reports at most one mistake, at a place inside the file, and accepts only JSON.
func FuzzRead(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte(`{"switches":{"a":[{"to":"\ud83d\ude00","ports":[]}]},"format_version":"1.0"}`))
	f.Add([]byte(`{"switches":{"a":[{"to":"\`))
	f.Add([]byte("{\"format_version\":\"1.0\",\"switches\":{},}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var ds diag.List
		table := Read("fib.json", text, &ds)
		if table == nil {
			require.Len(t, ds, 1)
			require.LessOrEqual(t, ds[0].At.Start.Byte, len(text))
			return
		}
		require.Empty(t, ds)
		require.True(t, json.Valid(text))
		for _, w := range table.Switches {
			at := table.At(w.Name)
			var name string
			require.NoError(t, json.Unmarshal(text[at.Start.Byte:at.End.Byte], &name))
			require.Equal(t, name, string([]rune(w.Name.V)), "a byte that is not UTF-8 is one replacement, as json has it")
		}
	})
}

// The benchmark reads a table of 1,000 switches with 1,000 routes each.
func BenchmarkRead(b *testing.B) {
	for _, switches := range []int{10, 100, 1000} {
		b.Run(fmt.Sprint(switches), func(b *testing.B) {
			text := big(switches)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				var ds diag.List
				if Read("fib.json", text, &ds) == nil {
					b.Fatal(ds[0].Detail)
				}
			}
		})
	}
}

func big(switches int) []byte {
	var s strings.Builder
	s.WriteString(`{"format_version":"1.0","switches":{`)
	for i := range switches {
		if i > 0 {
			s.WriteByte(',')
		}
		fmt.Fprintf(&s, "\n\"leaf%d\":[", i)
		for j := range switches {
			if j > 0 {
				s.WriteByte(',')
			}
			fmt.Fprintf(&s, `{"to":"10.%d.%d.0/26","ports":["swp1","swp2"]}`, j/256, j%256)
		}
		s.WriteByte(']')
	}
	s.WriteString("}}\n")
	return []byte(s.String())
}
