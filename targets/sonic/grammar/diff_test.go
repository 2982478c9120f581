package grammar_test

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/targets/sonic/grammar"
)

// random returns a random configuration. It has few tables, rows and fields, so that two configurations have some in common.
func random(t *rapid.T, label string) *grammar.Config {
	c := grammar.New()
	for range rapid.IntRange(0, 12).Draw(t, label) {
		table := rapid.SampledFrom([]string{
			"PORT_QOS_MAP", "QUEUE", "BUFFER_PG", "SCHEDULER", "WRED_PROFILE", "PFC_WD", "PORT",
			"BUFFER_POOL",
		}).Draw(t, "table")
		row := rapid.SampledFrom([]string{"Ethernet0", "Ethernet4|3-4", "Ethernet0|3", "a/b~c", "GLOBAL"}).Draw(t, "row")
		field := rapid.SampledFrom([]string{"profile", "x/y", "~", "weight"}).Draw(t, "field")
		c.Put(table, row, field, rapid.SampledFrom([]string{"1", "2", ""}).Draw(t, "text"))
	}
	return c
}

// TestDiff: the operations turn one configuration into the other, in rocec's tables; their inverse undoes them. No table becomes empty,
// and tables of others stay unchanged.
func TestDiff(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := random(t, "before"), random(t, "after")
		ops := grammar.Diff(before, after)
		got, err := grammar.Apply(before, ops)
		require.NoError(t, err)
		back, err := grammar.Apply(got, inverse(ops))
		require.NoError(t, err)
		require.True(t, back.Equal(before))
		for i := range grammar.Tables {
			table := &grammar.Tables[i]
			want := after
			if !table.Ours {
				want = before
			}
			require.Equal(t, want.Keys(table.Name), got.Keys(table.Name))
			for _, key := range got.Keys(table.Name) {
				require.Equal(t, want.Row(table.Name, key).Names(), got.Row(table.Name, key).Names())
				for _, field := range got.Row(table.Name, key).Names() {
					require.Equal(t, want.Get(table.Name, key, field), got.Get(table.Name, key, field))
				}
			}
		}
		for name, s := range got.Tables {
			require.NotEmpty(t, s.Rows, name)
		}
		require.Empty(t, grammar.Diff(got, after))

		// A reader of RFC 6902 finds the same operations in the text of the patch.
		var doc []struct {
			Op, Path string
			Value    any
		}
		require.NoError(t, json.Unmarshal(grammar.JSON(ops), &doc))
		var tree, want map[string]any
		require.NoError(t, json.Unmarshal(before.JSON(), &tree))
		require.NoError(t, json.Unmarshal(got.JSON(), &want))
		for _, o := range doc {
			path := strings.Split(o.Path, "/")[1:]
			at := tree
			for i, key := range path {
				key = strings.ReplaceAll(strings.ReplaceAll(key, "~1", "/"), "~0", "~")
				if i < len(path)-1 {
					at = at[key].(map[string]any)
					continue
				}
				_, there := at[key]
				require.Equal(t, o.Op != "add", there, o.Path)
				if o.Op == "remove" {
					delete(at, key)
				} else {
					at[key] = o.Value
				}
			}
		}
		require.Equal(t, want, tree)
	})
}

func TestPatchText(t *testing.T) {
	before := read(t, `{"PFC_WD": {"Ethernet0": {"action": "drop"}}, "SCHEDULER": {"a/b~": {"weight": "1"}}}`)
	after := read(t, `{"SCHEDULER": {"a/b~": {"weight": "2"}, "c": {"type": "<"}}, "WRED_PROFILE": {"R": {"ecn": "ecn_all"}}}`)
	assert.Equal(t, `[
  {"op": "remove", "path": "/PFC_WD"},
  {"op": "replace", "path": "/SCHEDULER/a~1b~0/weight", "value": "2"},
  {"op": "add", "path": "/SCHEDULER/c", "value": {"type": "<"}},
  {"op": "add", "path": "/WRED_PROFILE", "value": {"R": {"ecn": "ecn_all"}}}
]
`, string(grammar.JSON(grammar.Diff(before, after))))
	assert.Equal(t, "[\n]\n", string(grammar.JSON(nil)))
}

// TestApplyRefuses: a patch fits only the configuration for which it was made.
func TestApplyRefuses(t *testing.T) {
	empty, full := read(t, `{}`), read(t, `{"SCHEDULER": {"a": {"weight": "1"}}}`)
	for _, c := range []struct {
		on  *grammar.Config
		ops []grammar.Operation
	}{
		{full, grammar.Diff(empty, full)},
		{empty, grammar.Diff(full, empty)},
		{empty, grammar.Diff(full, read(t, `{"SCHEDULER": {"a": {"weight": "2"}}}`))},
		{empty, grammar.Diff(full, read(t, `{"SCHEDULER": {"a": {"weight": "1"}, "b": {}}}`))},
		{empty, grammar.Diff(full, read(t, `{"SCHEDULER": {"a": {"weight": "1", "type": "WRR"}}}`))},
	} {
		require.NotEmpty(t, c.ops)
		_, err := grammar.Apply(c.on, c.ops)
		require.Error(t, err)
	}
}

// TestFlapped: a patch that changes rows of a port takes the port down if it is up.
func TestFlapped(t *testing.T) {
	up := `"PORT": {"Ethernet0": {"admin_status": "up"}, "Ethernet4": {"admin_status": "down"}, "Ethernet8": {}}`
	before := read(t, `{`+up+`}`)
	for table, flaps := range map[string]bool{
		"PORT_QOS_MAP": true, "QUEUE": true, "BUFFER_PG": true, "PFC_WD": false, "CABLE_LENGTH": false, "SCHEDULER": false,
		"DSCP_TO_TC_MAP": false,
	} {
		suffix := ""
		if table == "QUEUE" || table == "BUFFER_PG" {
			suffix = "|3"
		}
		after := before.Clone()
		for _, n := range []int{0, 4, 8} {
			after.Put(table, "Ethernet"+strconv.Itoa(n)+suffix, "x", "y")
		}
		var want []string
		if flaps {
			want = []string{"Ethernet0"}
		}
		assert.Equal(t, want, grammar.Flapped(before, grammar.Diff(before, after)), table)
		assert.Equal(t, want, grammar.Flapped(after, grammar.Diff(after, before)), table)
		more := after.Clone()
		more.Put(table, "Ethernet0"+suffix, "x", "z")
		assert.Equal(t, want, grammar.Flapped(after, grammar.Diff(after, more)), table)
	}
}

// inverse returns the operations that undo others, in the order in which they must run.
func inverse(ops []grammar.Operation) []grammar.Operation {
	out := make([]grammar.Operation, 0, len(ops))
	for _, o := range slices.Backward(ops) {
		o.Value, o.Was = o.Was, o.Value
		switch o.Kind {
		case grammar.Add:
			o.Kind = grammar.Remove
		case grammar.Remove:
			o.Kind = grammar.Add
		}
		out = append(out, o)
	}
	return out
}
