package grammar_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/targets/nvue/grammar"
)

// TestRead: all forms of a text have one canonical text.
func TestRead(t *testing.T) {
	const preset = "- set:\n    qos:\n      roce:\n        enable: 'on'\n"
	for name, c := range map[string]struct{ text, want string }{
		"nothing":       {"", "- set: {}\n"},
		"comments":      {"# none\n---\n", "- set: {}\n"},
		"mark":          {"\xef\xbb\xbfqos: {}\n", "- set:\n    qos: {}\n"},
		"lines of CRLF": {"- set:\r\n    qos:\r\n      roce:\r\n        enable: 'on'\r\n", preset},
		"bare word":     {"- set: {qos: {roce: {enable: on}}}", preset},
		"quoted":        {`- set: {qos: {roce: {enable: "on"}}}`, preset},
		"a tree alone":  {"qos: {roce: {enable: 'on'}}", preset},
		"sections":      {"set: {qos: {roce: {enable: 'on'}}}", preset},
		"JSON":          {`[{"set": {"qos": {"roce": {"enable": "on"}}}}]`, preset},
		"REST":          {`{"qos": {"roce": {"enable": "on"}}}`, preset},
		"later wins":    {"- set: {qos: {roce: {enable: 'off'}}}\n- set: {qos: {roce: {enable: 'on'}}}", preset},
		"no value":      {"- set:\n    qos:\n      roce:\n", "- set:\n    qos:\n      roce: {}\n"},
		"null":          {`{"qos": {"roce": null}}`, "- set:\n    qos:\n      roce: {}\n"},
		"yes and no": {
			"a: yes\nb: No\nc: y\nd: true\ne: 'true'",
			"- set:\n    a: 'yes'\n    b: 'No'\n    c: 'y'\n    d: true\n    e: 'true'\n",
		},
		"numbers as keys": {
			"qos: {pfc: {a: {switch-priority: {3: {}, 5: {}}}}}",
			"- set:\n    qos:\n      pfc:\n        a:\n          switch-priority:\n            '3': {}\n            '5': {}\n",
		},
		"numbers": {
			"a: 5\nb: '5'\nc: 010\nd: 1_000\ne: 0x1f\nf: 1.50\ng: 1:30\nh: 10.1.1.1",
			"- set:\n    a: 5\n    b: '5'\n    c: '010'\n    d: '1_000'\n    e: '0x1f'\n    f: 1.50\n    g: '1:30'\n    h: '10.1.1.1'\n",
		},
		"a list": {
			"- set: {a: [x, {b: 1, c: [2, 3]}, []]}",
			"- set:\n    a:\n      - x\n      - b: 1\n        c:\n          - 2\n          - 3\n      - []\n",
		},
		"natural order": {
			"interface: {swp10: {}, swp2: {}, lo: {}, swp1s10: {}, swp1s9: {}}",
			"- set:\n    interface:\n      lo: {}\n      swp1s9: {}\n      swp1s10: {}\n      swp2: {}\n      swp10: {}\n",
		},
		"header and unset": {
			"- header:\n    version: Cumulus Linux 5.9.0\n- set: {}\n- unset:\n    system:\n      wjh:\n",
			"- header:\n    version: 'Cumulus Linux 5.9.0'\n- set: {}\n- unset:\n    system:\n      wjh: {}\n",
		},
		"odd text": {
			`{"a": "x: y", "b": "it's", "c": "two\nlines", "d": "\u0007 \ud83d\ude00", "": "", "-": "#"}`,
			"- set:\n    '': ''\n    '-': '#'\n    a: 'x: y'\n    b: 'it''s'\n    c: \"two\\nlines\"\n    d: \"\\x07 😀\"\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			cfg, err := grammar.Read([]byte(c.text))
			require.NoError(t, err)
			assert.Equal(t, c.want, string(cfg.YAML()))
			again, err := grammar.Read(cfg.YAML())
			require.NoError(t, err)
			assert.Equal(t, c.want, string(again.YAML()))
		})
	}
}

// TestReadRefuses: a text that is not a configuration, or can be read in several ways, is refused with its line and a reason.
func TestReadRefuses(t *testing.T) {
	deep := strings.Repeat("{a: ", 70) + "1" + strings.Repeat("}", 70)
	for name, c := range map[string]struct{ text, want string }{
		"a tree of 100 MB":      {strings.Repeat("# 0123456789abcdefghijklmnopqrs\n", 100<<20/32), "^it is larger than 8 MiB"},
		"entries":               {strings.Repeat("a,", 2<<20), "entries"},
		"entries in lines":      {strings.Repeat("a:\n", 600_000), "entries"},
		"depth":                 {deep, "64 levels"},
		"depth without end":     {strings.Repeat("[", 100_000), "."},
		"depth of JSON":         {strings.Repeat(`{"a":`, 70) + "1" + strings.Repeat("}", 70), "64 levels"},
		"an alias":              {"a: &x {b: 1}\nc: *x\n", "line 1: &x is an anchor"},
		"a bomb":                {"a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\n", "anchor"},
		"a merge key":           {"a: {b: 1}\nc:\n  <<: {d: 1}\n", "line 3: << merges"},
		"an alias as key":       {"&k a: 1\n*k : 2\n", "line 1: a key has an anchor"},
		"a tag":                 {"a: !!binary aGk=\n", "is a tag"},
		"a key twice":           {"qos:\n  roce: {}\n  roce: {}\n", "line 3: roce occurs twice, first in line 2"},
		"a key twice in JSON":   {"{\n\"qos\": {},\n\"qos\": {}}", "line 3: qos occurs twice, first in line 2"},
		"a number twice":        {"qos: {pfc: {a: {switch-priority: {3: {}, '3': {}}}}}", "3 occurs twice"},
		"a key without end":     {`{"` + strings.Repeat("a", 600) + `": 1}`, "more than 512 bytes"},
		"a list as key":         {"[a, b]: 1\n", "a key is not a word"},
		"a directive":           {"%YAML 1.1\n---\na: 1\n", "line 1: a line that begins with % is a directive"},
		"directives":            {"#\n" + strings.Repeat("%TAG !e! tag:x,2000:\n", 1<<17) + "---\na: 1\n", "line 2: a line that begins with %"},
		"two documents":         {"a: 1\n---\nb: 1\n", "second document"},
		"a word":                {"hello", "a single value"},
		"a list of words":       {"- a\n- b\n", "neither header"},
		"another section":       {"- sets: {}\n", "sets is neither header"},
		"a section of a word":   {"- set: hello\n", "set is not a mapping"},
		"two headers":           {"- header: {a: 1}\n- header: {a: 1}\n", "second header"},
		"no text":               {"a: \xff\n", "line 1: it holds a byte that is not UTF-8"},
		"a NUL":                 {"a: 1\nb: \x00\n", "line 2: it holds a byte"},
		"not YAML":              {"a: 1\n b: 2\n", "not YAML"},
		"a tab":                 {"a:\n  b: 1\n\tc: 1\n", "line 3: it is not YAML: found a tab"},
		"ranges that differ":    {"interface:\n  swp1-4: {link: {mtu: 9000}}\n  swp2: {link: {mtu: 1500}}\n", "is set twice by ranges"},
		"ranges of a thousand":  {bigRanges(), "ranges name more than"},
		"an unquoted list item": {"- set: {}\n- [a]\n", "neither header"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := grammar.Read([]byte(c.text))
			require.Error(t, err)
			assert.Regexp(t, c.want, err.Error())
			assert.Less(t, len(err.Error()), 300)
		})
	}
}

// bigRanges returns a small text whose ranges name millions of entries.
func bigRanges() string {
	var b strings.Builder
	b.WriteString("interface:\n  swp1-4000:\n")
	for _, c := range "abcdefghijklmnopqrstuvwxyz" {
		for _, d := range "abcdefghijklmnopqrstuvwxyz" {
			b.WriteString("    " + string(c) + string(d) + ": 1\n")
		}
	}
	return b.String()
}

func TestNames(t *testing.T) {
	for key, want := range map[string]string{
		"swp1":            "swp1",
		"swp1-4,swp6":     "swp1 swp2 swp3 swp4 swp6",
		"swp1-swp3":       "swp1 swp2 swp3",
		"swp1s0-3":        "swp1s0 swp1s1 swp1s2 swp1s3",
		"swp1s0-swp1s1":   "swp1s0 swp1s1",
		"bond1-2, lo":     "bond1 bond2 lo",
		"peerlink.4094":   "peerlink.4094",
		"vlan10-11":       "vlan10 vlan11",
		"swp4-1":          "swp4-1",          // no range
		"swp1-bond3":      "swp1-bond3",      // no range
		"leaf-2023-1":     "leaf-2023-1",     // a name
		"swp01-03":        "swp01-03",        // unchanged, since NVUE has no such port
		"swp1-9999999":    "swp1-9999999",    // no switch has as many ports
		"swp1-4000,a1-99": "swp1-4000,a1-99", // nor this
	} {
		assert.Equal(t, want, strings.Join(grammar.Names(key), " "), key)
	}
	for key, want := range map[string]string{
		"3": "3", "3,5": "3 5", "0-2,4": "0 1 2 4", "5-3": "5-3", "a": "a", "3,": "3 ", "-": "-", "0-99999": "0-99999",
	} {
		assert.Equal(t, want, strings.Join(grammar.Numbers(key), " "), key)
	}
}

// TestExpand: ranges are split only where NVUE splits them.
func TestExpand(t *testing.T) {
	cfg, err := grammar.Read([]byte(`
interface:
  swp1-2: {link: {state: up}}
  swp2: {qos: {pfc: {profile: a}}}
  bond1: {bond: {member: {swp3-4: {}}}}
qos:
  pfc: {a: {switch-priority: {'3,5': {}}}}
  egress-scheduler: {default-global: {traffic-class: {'0-1': {mode: dwrr}}}}
  traffic-pool: {'1-2': {}}
bridge: {domain: {br_default: {vlan: {'10,20': {}}}}}
`))
	require.NoError(t, err)
	var got []string
	cfg.Set.Leaves(func(l grammar.Leaf) { got = append(got, grammar.Spell(l.Path)) })
	assert.Equal(t, []string{
		"bridge.domain.br_default.vlan.10,20",
		"interface.bond1.bond.member.swp3", "interface.bond1.bond.member.swp4",
		"interface.swp1.link.state", "interface.swp2.link.state", "interface.swp2.qos.pfc.profile",
		"qos.egress-scheduler.default-global.traffic-class.0.mode", "qos.egress-scheduler.default-global.traffic-class.1.mode",
		"qos.pfc.a.switch-priority.3", "qos.pfc.a.switch-priority.5",
		"qos.traffic-pool.1-2",
	}, got)
}

// trees returns a random tree of a few levels.
func trees(depth int) *rapid.Generator[*grammar.Tree] {
	text := rapid.OneOf(
		rapid.SampledFrom([]string{
			"on", "off", "yes", "Y", "true", "null", "~", "", "3", "03", "1.5", "0x1f", "1_0", "a b", "x: y", "- z", "#c", "é", "'",
		}),
		rapid.StringMatching(`[a-z]{1,4}[0-9]{0,2}`), rapid.StringN(0, 6, -1),
	).Filter(func(s string) bool { return !strings.ContainsAny(s, "\x00\ufeff") })
	return rapid.Custom(func(t *rapid.T) *grammar.Tree {
		switch kind := rapid.IntRange(0, 5).Draw(t, "kind"); {
		case kind <= 2 && depth > 0:
			m := grammar.Map()
			for range rapid.IntRange(0, 4).Draw(t, "keys") {
				m.Kids[text.Draw(t, "key")] = trees(depth-1).Draw(t, "value")
			}
			return m
		case kind == 3 && depth > 0:
			return &grammar.Tree{Items: rapid.SliceOfN(trees(depth-1), 0, 3).Draw(t, "items")}
		case kind == 4:
			return grammar.Number(rapid.SampledFrom([]string{"0", "-1", "5", "150000", "1.5", "true", "false"}).Draw(t, "number"))
		}
		return grammar.Text(text.Draw(t, "text"))
	})
}

func draw(t *rapid.T, name string) *grammar.Tree {
	m := grammar.Map()
	for range rapid.IntRange(0, 4).Draw(t, name) {
		key := rapid.SampledFrom([]string{"system", "router", "vrf", "service", "acl", "evpn"}).Draw(t, "key")
		m.Kids[key] = trees(3).Draw(t, "value")
	}
	return m
}

// TestCanonical: reading the canonical text, directly or by way of JSON, gives the same tree and the same text.
func TestCanonical(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := &grammar.Config{Set: draw(t, "keys")}
		text := c.YAML()
		got, err := grammar.Read(text)
		require.NoError(t, err, "%s", text)
		require.True(t, c.Set.Equal(got.Set), "%s", text)
		require.Equal(t, string(text), string(got.YAML()))

		data, err := json.Marshal(map[string]any{"set": plain(c.Set)})
		require.NoError(t, err)
		got, err = grammar.Read(data)
		require.NoError(t, err, "%s", data)
		require.Equal(t, string(text), string(got.YAML()))
	})
}

// plain returns a tree in the form of JSON.
func plain(t *grammar.Tree) any {
	switch {
	case t.IsMap():
		m := map[string]any{}
		for k, v := range t.Kids {
			m[k] = plain(v)
		}
		return m
	case t.IsList():
		l := []any{}
		for _, v := range t.Items {
			l = append(l, plain(v))
		}
		return l
	case t.Text:
		return t.Value
	}
	return json.RawMessage(t.Value)
}

// TestPatch: the patch of two trees turns the first into the second, and is empty if they are equal. None of its documents both sets and
// unsets.
func TestPatch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := draw(t, "a"), draw(t, "b")
		if rapid.Bool().Draw(t, "related") {
			for k, v := range a.Kids {
				b.Kids[k] = v.Clone()
			}
			b.Put([]string{"system", "x"}, grammar.Text("y"))
		}
		docs := grammar.Patch(a, b)
		require.Equal(t, a.Equal(b), len(docs) == 0)
		require.LessOrEqual(t, len(docs), 2)
		at := a.Clone()
		for i, d := range docs {
			require.Equal(t, i == 0 && len(docs) == 2 || len(docs) == 1 && d.Unset, d.Unset, "removals precede additions")
			apply(at, d)
		}
		require.Equal(t, string((&grammar.Config{Set: b}).YAML()), string((&grammar.Config{Set: at}).YAML()))
	})
}

// apply applies a document as NVUE does.
func apply(t *grammar.Tree, d grammar.Doc) {
	if !d.Unset {
		join(t, d.Tree)
		return
	}
	d.Tree.Leaves(func(l grammar.Leaf) {
		up := t.Get(l.Path[:len(l.Path)-1]...)
		delete(up.Kids, l.Path[len(l.Path)-1])
	})
}

func join(into, from *grammar.Tree) {
	for k, v := range from.Kids {
		if have := into.Kids[k]; have.IsMap() && v.IsMap() {
			join(have, v)
			continue
		}
		into.Kids[k] = v.Clone()
	}
}

// TestPatchText: the two forms of a patch.
func TestPatchText(t *testing.T) {
	read := func(s string) *grammar.Tree {
		cfg, err := grammar.Read([]byte(s))
		require.NoError(t, err)
		return cfg.Set
	}
	docs := grammar.Patch(
		read("qos: {pfc: {a: {switch-priority: {'3': {}, '5': {}}, tx: enable}, old: {}}, roce: {}}\nsystem: {hostname: x}"),
		read("qos: {pfc: {a: {switch-priority: {'2': {}, '5': {}}, tx: enable, cable-length: 5}}, egress-shaper: {}}\nsystem: {hostname: it's}"))
	require.Len(t, docs, 2)
	assert.Equal(t, "- unset:\n    qos:\n      pfc:\n        a:\n          switch-priority:\n            '3':\n        old:\n      roce:\n",
		string(docs[0].YAML()))
	assert.Equal(t, "nv unset qos pfc a switch-priority 3\nnv unset qos pfc old\nnv unset qos roce\n", string(grammar.Commands("unset", docs[0].Tree)))
	assert.Equal(t, "- set:\n    qos:\n      egress-shaper: {}\n      pfc:\n        a:\n          cable-length: 5\n"+
		"          switch-priority:\n            '2': {}\n            '5': {}\n    system:\n      hostname: 'it''s'\n", string(docs[1].YAML()))
	assert.Equal(t, "nv set qos egress-shaper\nnv set qos pfc a cable-length 5\nnv set qos pfc a switch-priority 2,5\n"+
		"nv set system hostname 'it'\\''s'\n", string(grammar.Commands("set", docs[1].Tree)))

	docs = grammar.Patch(read("qos: {pfc: {a: {switch-priority: {'3': {}}}}}\ninterface: {swp1: {type: swp}}"),
		read("qos: {pfc: {a: {switch-priority: {}}}}\ninterface: {swp1: {}}"))
	require.Len(t, docs, 2)
	assert.Equal(t, "nv unset interface swp1 type\nnv unset qos pfc a switch-priority 3\n", string(grammar.Commands("unset", docs[0].Tree)))
	assert.Equal(t, "nv set interface swp1\nnv set qos pfc a switch-priority\n", string(grammar.Commands("set", docs[1].Tree)), "empty mappings are written")
}

// FuzzRead: for any bytes, reading ends, and the written result reads as the same tree.
func FuzzRead(f *testing.F) {
	for _, s := range []string{
		"", "- set: {qos: {roce: {enable: on}}}", `[{"header": {}}, {"set": {"interface": {"swp1-4,swp6": {}}}}]`, "a: &x b\nc: *x", "<<: {}",
		"a: |\n  b\n", "a: >-\n  b\n", "? a\n: b\n", "- unset:\n    a:\n",
		"a: \"\\u263a\\x07\"", "%YAML 1.1\n---\na: yes\n...\n", "a: 'b\n\n  c'",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		cfg, err := grammar.Read(data)
		if err != nil {
			return
		}
		text := cfg.YAML()
		again, err := grammar.Read(text)
		require.NoError(t, err, "%q", text)
		require.Equal(t, string(text), string(again.YAML()))
	})
}
