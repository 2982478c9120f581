package grammar_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nvue/grammar"
)

func releases() []grammar.Release {
	var out []grammar.Release
	for minor := grammar.First[1]; minor <= grammar.Newest[1]; minor++ {
		out = append(out, grammar.Release{5, minor, 0})
	}
	return out
}

// TestRows: the table is complete, and no release has two paths of one meaning.
func TestRows(t *testing.T) {
	for _, r := range releases() {
		paths, meanings := map[string]bool{}, map[grammar.Meaning]string{}
		for _, row := range grammar.Rows() {
			if !row.In(r) {
				continue
			}
			assert.False(t, paths[row.Path], "%v has %s twice", r, row.Path)
			paths[row.Path] = true
			if row.Means != grammar.NoMeaning {
				assert.Empty(t, meanings[row.Means], "%v has two paths for %s", r, row.Path)
				meanings[row.Means] = row.Path
			}
		}
	}
	for _, row := range grammar.Rows() {
		assert.NotEmpty(t, row.Source, row.Path)
		assert.NotContains(t, row.Path, " ")
		says := 0
		for _, has := range []bool{row.Field != ir.NoField, row.Aside != "", row.Open != ""} {
			if has {
				says++
			}
		}
		assert.Equal(t, 1, says, "%s sets a field, or has a reason why it sets none or is not understood", row.Path)
		if row.Before != (grammar.Release{}) {
			assert.Negative(t, row.Since.Compare(row.Before), row.Path)
		}
		if row.Kind == grammar.Int {
			assert.Less(t, row.Lo, row.Hi, row.Path)
		}
		if row.Unsure != "" {
			assert.True(t, strings.HasSuffix(row.Unsure, "."), row.Path)
		}
		if row.Default != "" {
			assert.Empty(t, row.Wrong(scalar(row.Default)), row.Path)
		}
	}
}

func scalar(s string) *grammar.Tree {
	cfg, err := grammar.Read([]byte("a: '" + s + "'"))
	if err != nil {
		panic(err)
	}
	return cfg.Set.Kids["a"]
}

// TestSpellings: a renamed key has the name of the release.
func TestSpellings(t *testing.T) {
	const buffers = "qos advance-buffer-config default-global "
	for _, c := range []struct {
		release grammar.Release
		path    string
		known   bool
	}{
		{release: grammar.Release{5, 14}, path: "qos roce enable", known: true},
		{release: grammar.Release{5, 14}, path: "qos roce state"},
		{release: grammar.Release{5, 15}, path: "qos roce state", known: true},
		{release: grammar.Release{5, 15}, path: "qos roce enable"},
		{release: grammar.Release{5, 10}, path: buffers + "ingress-pool 0 mode", known: true},
		{release: grammar.Release{5, 11}, path: buffers + "ingress-pool 0 mode"},
		{release: grammar.Release{5, 11}, path: buffers + "egress-service-pool 0 mode", known: true},
		{release: grammar.Release{5, 9}, path: buffers + "ingress-lossy-buffer priority-group control x", known: true},
		{release: grammar.Release{5, 10}, path: buffers + "ingress-lossy-buffer priority-group control x"},
		{release: grammar.Release{5, 10}, path: buffers + "ingress-lossy-buffer priority-group service7 x", known: true},
		{release: grammar.Release{5, 5}, path: "interface swp1 qos pfc-watchdog state"},
		{release: grammar.Release{5, 6}, path: "interface swp1 qos pfc-watchdog state", known: true},
		{release: grammar.Release{5, 16}, path: "qos pfc a small-packet-probability"},
		{release: grammar.Release{5, 17}, path: "qos pfc a small-packet-probability", known: true},
		{release: grammar.Release{5, 9}, path: "qos egress-queue-mapping other switch-priority 3 traffic-class"},
		{release: grammar.Release{5, 9}, path: "qos mapping default-global dscp 64 switch-priority"},
		{release: grammar.Release{5, 9}, path: "qos mapping all trust"}, // a reserved word
		{release: grammar.Release{5, 9}, path: "qos traffic-pool lossless memory-percent"},
		{release: grammar.Release{5, 9}, path: "qos pfc a switch-priority 3", known: true},
	} {
		path := strings.Fields(c.path)
		_, known := grammar.For(c.release).At(path)
		assert.Equal(t, c.known, known, "%v %s", c.release, c.path)
		if !c.known && strings.Contains(c.path, "roce") {
			assert.NotEmpty(t, grammar.Elsewhere(path))
		}
	}
	assert.Equal(t, "on", grammar.For(grammar.Release{5, 14, 9}).Word(grammar.PresetOn, true))
	assert.Equal(t, "enabled", grammar.For(grammar.Release{5, 15}).Word(grammar.PresetOn, true))
	assert.Nil(t, grammar.For(grammar.Release{5, 5}).Path(grammar.PortWatchdog, "swp1"))
}

// accepts reports whether a release has every path of a tree, and accepts every value.
func accepts(r grammar.Release, tree *grammar.Tree) bool {
	g, good := grammar.For(r), true
	tree.Leaves(func(l grammar.Leaf) {
		if l.Path[0] != "qos" && (len(l.Path) < 3 || l.Path[2] != "qos") {
			return // it has no row
		}
		row, known := g.At(l.Path)
		good = good && known
		if row != nil { // the keys below the path of a set are its members
			at := l.Path[:strings.Count(row.Path, ".")+1]
			good = good && row.Wrong(tree.Get(at...)) == ""
		}
	})
	return good
}

// TestRefused: in every release, the table refuses paths, values and names that the release does not have.
func TestRefused(t *testing.T) {
	for _, r := range releases() {
		for text, good := range map[string]bool{
			`{}`: true,
			`{"system": {"x": [1]}, "interface": {"swp1": {"link": {}, "qos": {"pfc": {"profile": "a"}}}}}`: true,
			`{"qos": {"pfc": {"a": {"switch-priority": {"3": {}}, "tx": "enable", "cable-length": 5}}}}`:    true,
			`{"qos": {"pfc": {"a": {"switch-priority": {"8": {}}}}}}`:                                       false,
			`{"qos": {"pfc": {"a": {"cable-length": 0}}}}`:                                                  false,
			`{"qos": {"pfc": {"a": {"cable-lenght": 5}}}}`:                                                  false,
			`{"qos": {"pfc": {"none": {}}}}`:                                                                false,
			`{"qos": {"mapping": {"a": {"trust": "dscp"}}}}`:                                                false,
			`{"interface": {"swp1": {"qos": {"pfc": {"profile": "any"}}}}}`:                                 false,
			`{"qos": {"roce": {"enable": "on"}}}`:                                                           r[1] < 15,
			`{"qos": {"roce": {"state": "enabled"}}}`:                                                       r[1] >= 15,
		} {
			cfg, err := grammar.Read([]byte(text))
			require.NoError(t, err)
			assert.Equal(t, good, accepts(r, cfg.Set), "%v %s", r, text)
		}
	}
}

// TestMeant: each row has the meaning of its own path, in a release that has it.
func TestMeant(t *testing.T) {
	names := strings.NewReplacer("<profile>", "a", "<interface>", "swp1", "<pool>", "mc-lossy", "<group>", "service1", "<oldgroup>", "control",
		"<dscp>", "26", "<n>", "3", "<class>", "9", "<pool-id>", "3", "<buffer>", "shared-headroom")
	for i := range grammar.Rows() {
		row := &grammar.Rows()[i]
		since := row.Since
		if since == (grammar.Release{}) {
			since = grammar.First
		}
		path := strings.Split(names.Replace(row.Path), ".")
		got, at := grammar.For(since).Meant(path)
		assert.Same(t, row, got, row.Path)
		assert.Len(t, path, at)
	}
	g := grammar.Any()
	for path, want := range map[string]ir.Field{
		"qos roce": ir.FieldPreset, "interface swp1 qos pfc-watchdog": ir.FieldWatchdog, "qos pfc a switch-priority 3": ir.FieldPauses,
		"qos pfc a": ir.NoField, "system hostname": ir.NoField, "interface bond1 bond member swp1": ir.NoField,
	} {
		row, _ := g.Meant(strings.Fields(path))
		if assert.NotNil(t, row, path) {
			assert.Equal(t, want, row.Field, path)
			assert.True(t, want != ir.NoField || row.Aside != "", path)
		}
	}
	for _, path := range []string{"qos news", "news", "qos pfc a news", "interface swp1 qos news"} {
		row, _ := g.Meant(strings.Fields(path))
		assert.Nil(t, row, path)
	}
	row, _ := g.Meant(strings.Fields("qos egress-shaper a mode"))
	assert.NotEmpty(t, row.Open)
}
