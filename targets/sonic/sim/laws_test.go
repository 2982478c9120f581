package sim

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// tables returns a random configuration of a few rows, in which equal values at several places are common.
func tables(t *rapid.T, label string) map[string]any {
	d := db{}
	for _, name := range []string{"PORT", "QUEUE", "PFC_WD", "A/B~C"} {
		for _, key := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"Ethernet0", "Ethernet4", "GLOBAL", "a|b", "0"}), 0, 3,
			rapid.ID[string]).Draw(t, label+name) {
			if d[name] == nil {
				d[name] = table{}
			}
			d[name][key] = rapid.MapOfN(rapid.SampledFrom([]string{"x", "y", "list@"}), rapid.SampledFrom([]string{"1", "2", "1,2"}), 0, 2).
				Draw(t, label+name+key)
		}
	}
	return toTree(d)
}

// TestDiffLaw: the operations between two configurations, moves included, turn one into the other. So do the rows that differ.
func TestDiffLaw(t *testing.T) {
	moves := 0
	rapid.Check(t, func(t *rapid.T) {
		before, after := tables(t, "before"), tables(t, "after")
		ops := fromDiff(before, after)
		got, err := applyOps(before, ops)
		require.NoError(t, err)
		require.Equal(t, indented(after), indented(got), "%s", patchText(ops, `"`))
		for _, o := range ops {
			if o.Op == "move" {
				moves++
			}
		}
		sp := &space{Config: fromTree(before)}
		for _, m := range movesOf(before, after) {
			sp.put(m.table, m.key, m.row)
		}
		require.Equal(t, fromTree(after), sp.Config)
		require.Equal(t, before, toTree(fromTree(before)), "tables are unchanged after they are read back")
	})
	require.Positive(t, moves)
}

// TestOrderLaw: the natural order is an order, and sorts numbers by value.
func TestOrderLaw(t *testing.T) {
	name := rapid.StringMatching(`(Ethernet|a|)[0-9]{0,3}(\|[0-9-]{1,3})?`)
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := name.Draw(t, "a"), name.Draw(t, "b"), name.Draw(t, "c")
		require.Equal(t, naturally(a, b), -naturally(b, a))
		require.Equal(t, a == b, naturally(a, b) == 0)
		list := []string{a, b, c}
		slices.SortFunc(list, naturally)
		require.LessOrEqual(t, naturally(list[0], list[2]), 0)
	})
	list := []string{"Ethernet40", "Ethernet8|10", "Ethernet8", "Ethernet8|9", "Ethernet008"}
	slices.SortFunc(list, naturally)
	require.Equal(t, []string{"Ethernet008", "Ethernet8", "Ethernet8|9", "Ethernet8|10", "Ethernet40"}, list)
}

// TestGlobLaw compares with another matcher, for patterns that both support.
func TestGlobLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, s := rapid.StringMatching(`[ab*?]{0,6}`).Draw(t, "pattern"), rapid.StringMatching(`[ab]{0,6}`).Draw(t, "name")
		want, err := path.Match(p, s)
		require.NoError(t, err)
		require.Equal(t, want, glob(p, s), "%s %s", p, s)
	})
}

// TestSteps: every step of a change of the template is valid by itself, which the real sorter promises.
func TestSteps(t *testing.T) {
	s := New(Box{Release: "202605", HwSKU: "ACS-MSN2700", Platform: "p", ASIC: "mellanox", QoS: Template, Ports: []Port{
		{Name: "Ethernet0", Lanes: "0,1", SpeedMbps: 100_000}, {Name: "Ethernet4", Lanes: "4,5", SpeedMbps: 100_000},
	}})
	full := s.factory("")
	s.QoS = NoQoS
	empty := s.factory("")
	for _, way := range [][2]db{{empty, full}, {full, empty}} {
		sp := &space{Config: fromTree(toTree(way[0]))}
		moves := movesOf(toTree(way[0]), toTree(way[1]))
		require.Greater(t, len(moves), 30)
		for _, m := range moves {
			sp.put(m.table, m.key, m.row)
			require.NoError(t, s.judge(toTree(sp.Config)), "%s|%s", m.table, m.key)
		}
	}
}

// TestValid: the kept state of a running switch is restored only if it is complete.
func TestValid(t *testing.T) {
	fresh := func() *state {
		s := New(Box{Release: "202505", HwSKU: "x", ASIC: "mellanox", QoS: Template, Ports: []Port{{Name: "Ethernet0", Lanes: "0"}}})
		sp := &space{Config: s.factory(""), Appl: table{"PORT_TABLE:Ethernet0": row{}}}
		sp.Buffers.reset(Dynamic)
		s.Spaces, s.spaces = map[string]*space{"": sp}, []string{""}
		return &s.state
	}
	require.True(t, fresh().Valid())
	for name, spoil := range map[string]func(*state){
		"no space":      func(s *state) { s.Spaces[""] = nil },
		"none":          func(s *state) { clear(s.Spaces) },
		"another":       func(s *state) { s.Spaces["asic0"] = s.Spaces[""]; delete(s.Spaces, "") },
		"one more":      func(s *state) { s.Spaces["asic0"] = s.Spaces[""] },
		"no config":     func(s *state) { s.Spaces[""].Config = nil },
		"empty table":   func(s *state) { s.Spaces[""].Config["PORT"] = nil },
		"empty row":     func(s *state) { s.Spaces[""].Config["PORT"]["Ethernet0"] = nil },
		"applied row":   func(s *state) { s.Spaces[""].Appl["X"] = nil },
		"unknown model": func(s *state) { s.Spaces[""].Buffers.Model = "x" },
		"no cables":     func(s *state) { s.Spaces[""].Buffers.Cable = nil },
	} {
		s := fresh()
		spoil(s)
		require.False(t, s.Valid(), name)
	}
}

// TestModels: every referenced table has a model, and every field exists in some branch.
func TestModels(t *testing.T) {
	for name, m := range models() {
		leaves := slices.Collect(maps.Values(m.fields))
		leaves = append(leaves, m.key...)
		if m.item != nil {
			leaves = append(leaves, *m.item, *m.value)
		}
		for _, l := range leaves {
			if l.ref != "" {
				require.Contains(t, models(), l.ref, name)
			}
			require.Contains(t, append(Releases(), ""), l.since, name)
		}
		require.NotContains(t, known, name)
		require.Contains(t, ranked, name, "the order of changes has the table")
	}
}

// TestGolden: headroom equals the result of the published formula of the first branches, with xoff in bytes and half of the packets
// small.
func TestGolden(t *testing.T) {
	b := Box{Release: "202205"}
	for _, c := range []struct {
		spectrum, gbps int
		xoff           [3]int // at 5, 40 and 300 m
	}{
		{1, 25, [3]int{24576, 25600, 37888}},
		{1, 100, [3]int{55296, 61440, 108544}},
		{2, 25, [3]int{26624, 27648, 40960}},
		{2, 100, [3]int{59392, 66560, 118784}},
		{3, 200, [3]int{66560, 80896, 185344}},
		{3, 400, [3]int{115712, 143360, 352256}},
		{4, 25, [3]int{31744, 33792, 50176}},
		{4, 100, [3]int{72704, 81920, 145408}},
		{4, 400, [3]int{142336, 177152, 433152}},
	} {
		for i, m := range []int{5, 40, 300} {
			f := lua{spectrum: c.spectrum, mbps: c.gbps * 1000, meters: m, mtu: 9100, losslessMTU: 1024, small: 50}
			size, xon, xoff := f.headroom(b.since)
			require.Equal(t, c.xoff[i], xoff, "%+v", f)
			require.Equal(t, [2]int{xoff + 19456, 19456}, [2]int{size, xon})
		}
	}
}

// FuzzPatch: no document makes a switch panic, and a refused patch changes nothing.
func FuzzPatch(f *testing.F) {
	for _, seed := range []string{
		`[{"op": "add", "path": "/PFC_WD/GLOBAL", "value": {"POLL_INTERVAL": "200"}}]`, `[{"op": "remove", "path": ""}]`, `[]`, `{`,
		`[{"op": "add", "path": "", "value": null}]`, `[{"op": "move", "from": "/PORT", "path": "/PORT/x"}]`,
		`[{"op": "copy", "from": "", "path": "/QUEUE/x"}]`, `[{"op": "add", "path": "/asic0/PORT", "value": []}]`,
		`[{"op": "replace", "path": "/PORT/Ethernet0", "value": ["a"]}]`, `[{"op": "add", "path": "/PORT/Ethernet0/lanes/-", "value": 1}]`,
		`[{"op": "replace", "path": "/SCHEDULER/scheduler.0/weight", "value": 1e400}]`, `[{"op": "test", "path": "/a~2", "value": 1}]`,
	} {
		f.Add(seed, 0)
		f.Add(seed, 7)
	}
	f.Fuzz(func(t *testing.T, text string, n int) {
		releases := Releases()
		release := releases[(n%len(releases)+len(releases))%len(releases)]
		s := New(Box{Release: release, HwSKU: "ACS-MSN2700", ASIC: "mellanox", QoS: Template, Ports: []Port{
			{Name: "Ethernet0", Lanes: "0,1", SpeedMbps: 100_000},
		}})
		sp := &space{Config: s.factory("")}
		s.Spaces = map[string]*space{"": sp}
		doc, err := parseJSON([]byte(text))
		if err != nil {
			return
		}
		before := indented(toTree(sp.Config))
		err = s.applyPatch(doc, applyOptions{dry: true, say: func(string, ...any) {}})
		require.Equal(t, before, indented(toTree(sp.Config)))
		said := 0
		real := s.applyPatch(doc, applyOptions{say: func(string, ...any) { said++ }})
		if err != nil {
			require.Error(t, real, "a patch that a dry run refuses is refused")
			require.Equal(t, before, indented(toTree(sp.Config)))
		}
		require.True(t, json.Valid([]byte(indented(toTree(sp.Config)))))
	})
}

// TestLarge: a patch with many operations ends in good time, and documents with deep nesting are refused.
func TestLarge(t *testing.T) {
	s := New(Box{Release: "202605", HwSKU: "ACS-MSN2700", ASIC: "mellanox"})
	sp := &space{Config: s.factory("")}
	s.Spaces = map[string]*space{"": sp}
	var ops []any
	for i := range 20_000 {
		value := map[string]any{"type": "STRICT"}
		ops = append(ops, map[string]any{"op": "add", "path": fmt.Sprintf("/SCHEDULER/s%d", i), "value": value})
	}
	require.NoError(t, s.applyPatch(ops, applyOptions{say: func(string, ...any) {}}))
	require.Len(t, sp.Config["SCHEDULER"], 20_000)
	_, err := parseJSON([]byte(strings.Repeat(`{"a":`, 1000) + "1" + strings.Repeat("}", 1000)))
	require.ErrorContains(t, err, "maximum recursion depth")
	_, err = parseJSON([]byte(`{"a": "` + strings.Repeat("[", 5000) + `"}`))
	require.NoError(t, err, "brackets inside text do not count")
}
