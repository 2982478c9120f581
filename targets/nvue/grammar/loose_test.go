package grammar_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/nvue/grammar"
)

// rowsOf returns the rows of a text, each as its path.
func rowsOf(l *grammar.Loose) (out []string) {
	l.Rows(func(w grammar.Written) { out = append(out, w.Kind+" "+strings.Join(w.Path, " ")) })
	return out
}

// TestLooseLikeRead: [grammar.ReadLoosely] reads a valid text like [grammar.Read].
func TestLooseLikeRead(t *testing.T) {
	for _, text := range []string{
		"- header: {model: a}\n- set:\n    interface:\n      swp1-2: {qos: {pfc: {profile: a}}}\n- unset:\n    qos:\n      roce:\n",
		`{"1": {"set": {"qos": {"roce": {"mode": "lossy"}}}}}`, "qos: {roce: }\n", "", "# nothing\n",
		"%%\n", "interface: {swp1: {mtu: 1}}\n",
	} {
		cfg, err := grammar.Read([]byte(text))
		if err != nil {
			continue
		}
		l := grammar.ReadLoosely([]byte(text), grammar.Any())
		assert.Empty(t, l.Slips, text)
		assert.True(t, cfg.Set.Equal(l.Set), text)
		assert.True(t, cfg.Unset.Equal(l.Unset), text)
	}
}

// TestLooseSlips: the text around a slip is read.
func TestLooseSlips(t *testing.T) {
	for _, c := range []struct {
		name, text string
		slips      int
		kept       string
	}{
		{"truncated JSON", `[{"set": {"qos": {"roce": {"enable": "on"}, "pfc": {"a": {"tx": "en`, 1, "qos roce enable"},
		{"comma missing in JSON", `{"qos": {"roce": {"enable": "on"} "pfc": {"a": {"tx": "enable"}}}}`, 1, "qos pfc a tx"},
		{"closing bracket of another kind", `{"qos": {"roce": {"enable": "on"}], "pfc": {"a": {"tx": "enable"}}}}`, 1, "qos pfc a tx"},
		{"invalid list item", "- set:\n    qos:\n      roce: {}\n- x\n", 1, "qos roce"},
		{"block below a value", "qos:\n  roce: on\n    mode: lossy\n  pfc:\n    a: {tx: enable}\n", 1, "qos pfc a tx"},
		{"quote that is not closed", "qos:\n  pfc:\n    a:\n      tx: 'enable\n  mapping:\n    a:\n      trust: l3\n", 1, "qos mapping a trust"},
		{"line without a colon", "qos\n  pfc: {}\nsystem:\n  hostname: a\n", 1, "system hostname"},
		{"merge key", "qos:\n  pfc:\n    a:\n      <<: *x\n      rx: enable\n", 1, "qos pfc a rx"},
		{"bytes", "qos:\n  pfc:\n    a:\n      rx: enable\n      tx: \xff\n", 1, "qos pfc a rx"},
		{"directive", "%YAML 1.1\nqos:\n  roce: {}\n", 1, "qos roce"},
		{"second document", "qos:\n  roce: {}\n---\nqos: {}\n", 1, "qos roce"},
	} {
		l := grammar.ReadLoosely([]byte(c.text), grammar.Any())
		assert.False(t, l.Refused, c.name)
		assert.Len(t, l.Slips, c.slips, c.name)
		x := l.Set.Get(strings.Fields(c.kept)...)
		assert.True(t, x != nil && !x.Bad, c.name)
	}
}

// TestLooseCommands: words, quotes, prompts, ranges and lists of a line, and removals by a later line.
func TestLooseCommands(t *testing.T) {
	l := grammar.ReadLoosely([]byte("cumulus@leaf1:mgmt:~$ nv set interface swp1-2 type swp\n"+
		"cumulus@leaf1:mgmt:~$ sudo nv set 'qos' pfc \"a\" switch-priority 3,5-6\nnv set qos pfc a tx enable # why\nnv set qos pfc a tx disable\n"+
		"nv unset qos pfc a switch-priority 5\nnv set interface swp3 && nv set interface swp3 link mtu 9000\r\nnv set interface swp3\n"+
		"nv set system aaa user a hashed-password '$6$x y'\nnv config diff\n"), grammar.Any())
	require.Empty(t, l.Slips)
	for path, value := range map[string]string{
		"interface swp1 type": "swp", "interface swp2 type": "swp", "qos pfc a tx": "disable", "interface swp3 link mtu": "9000",
		"system aaa user a hashed-password $6$x\\y": "",
	} {
		keys := strings.Split(strings.ReplaceAll(path, " ", "\x00"), "\x00")
		for i := range keys {
			keys[i] = strings.ReplaceAll(keys[i], "\\", " ")
		}
		if x := l.Set.Get(keys...); assert.NotNil(t, x, path) {
			assert.Equal(t, value, x.Value, path)
		}
	}
	assert.Equal(t, []string{"3", "6"}, l.Set.Get("qos", "pfc", "a", "switch-priority").Keys())
	assert.Len(t, rowsOf(l), 9)
	assert.NotEmpty(t, l.Part)
	assert.Contains(t, rowsOf(l), "unset qos pfc a switch-priority 5")

	long := grammar.ReadLoosely([]byte("nv set interface swp1-4000 qos pfc profile a\n"+
		strings.Repeat("nv set interface swp1-4000 link mtu 9000\n", 1000)),
		grammar.Any())
	assert.NotEmpty(t, long.Slips, "it names more entries than any configuration has")
}

// A quotation mark that a later line closes makes one word of the lines, as in a login message. If no line closes it, only its own line
// is unreadable.
func TestLooseQuotedLines(t *testing.T) {
	const lines = "nv set qos roce mode lossless\nnv set system message pre-login '####\n# You are at: leaf1; see \"rules\"\n####'\n" +
		"nv set qos pfc a switch-priority 3\n"
	l := grammar.ReadLoosely([]byte(lines), grammar.Any())
	assert.Empty(t, l.Slips)
	assert.Equal(t, []string{"####\n# You are at: leaf1; see \"rules\"\n####"}, l.Set.Get("system", "message", "pre-login").Keys())
	at := l.Set.Get("qos", "pfc", "a", "switch-priority", "3").At
	assert.Equal(t, grammar.Place{Line: 5, Column: 34}, at)

	for name, text := range map[string]string{
		"no mark":       strings.Replace(lines, "####'", "####", 1),
		"behind others": strings.Replace(lines, "####'", "nv set qos pfc b switch-priority 4\n####'", 1),
	} {
		l = grammar.ReadLoosely([]byte(text), grammar.Any())
		assert.Len(t, l.Slips, 1, name)
		assert.NotNil(t, l.Set.Get("qos", "pfc", "a", "switch-priority", "3"), name)
	}
}

// Paths that some releases have and others lack determine a range of releases.
func TestSpan(t *testing.T) {
	for text, want := range map[string]string{
		"nv set qos roce mode lossless\n":                                 "",
		"nv set interface swp1 link mtu 9000\n":                           "",
		"nv set qos roce state enabled\n":                                 "5.15 to 5.18",
		"nv set qos roce enable on\nnv set qos roce state enabled\n":      "",
		"nv set interface swp1 qos shared-headroom-pool enabled\n":        "5.17 to 5.18",
		"nv set system hostname a\nnv set qos no such path of a switch\n": "",
	} {
		first, last, ok := grammar.Span(grammar.ReadLoosely([]byte(text), grammar.Any()).Set)
		is := ""
		if ok {
			is = fmt.Sprintf("%d.%d to %d.%d", first[0], first[1], last[0], last[1])
		}
		assert.Equal(t, want, is, text)
	}
}

// TestLooseBounds: reading a text takes a short time, whatever its slips.
func TestLooseBounds(t *testing.T) {
	for name, text := range map[string]string{
		"deep": strings.Repeat("[", 1<<20),
		"deeper": func() string {
			var b strings.Builder
			for i := range 3000 {
				b.WriteString(strings.Repeat(" ", i) + "a:\n")
			}
			return b.String() + "\"\n"
		}(),
		"slips":       strings.Repeat("qos\n: x\n\"\n", 1<<17),
		"anchors":     "a: &a [" + strings.Repeat("*a,", 1<<17) + "]",
		"directives":  strings.Repeat("%x y\n", 1<<18),
		"one line":    "nv set qos " + strings.Repeat("x ", 1<<20),
		"half a text": strings.Repeat("  - \"a\n", 1<<18),
	} {
		l := grammar.ReadLoosely([]byte(text), grammar.Any())
		assert.NotEmpty(t, l.Slips, name)
		assert.LessOrEqual(t, len(l.Slips), 1001, name)
	}
}

// alike compares [grammar.ReadLoosely] with [grammar.Read] for a text that both read: trees and places are equal.
func alike(t require.TestingT, text string) {
	cfg, err := grammar.Read([]byte(text))
	if err != nil || strings.Contains(text, "@") {
		return
	}
	if l := grammar.ReadLoosely([]byte(text), grammar.Any()); !l.Commands {
		require.Empty(t, l.Slips, text)
		require.Equal(t, cfg.Header, l.Header, text)
		require.Equal(t, cfg.Set, l.Set, text)
		require.Equal(t, cfg.Unset, l.Unset, text)
	}
}

// blocky returns YAML in the style that people write for NVUE.
const blocky = `# of leaf1
- header:
    model: SN4700   # the model
    version: Cumulus Linux 5.9.1
- set:
    "interface":
      'swp1-2':
        qos: {}
        description: 'a: b'
    qos:

      roce:
      pfc:
        a: # far
          switch-priority:
            3: {}
            '4':
          tx: 'on'
          xoff-threshold: 1e3
          rx: ~
          list: []
          of:
          - 1
          - b
          more:
            - c: d
              e: f
            -   g: "h"
    1.2.3.4/32: -5
    fe80::1/64: x#y
    true: no
- unset:
    qos: ''
`

// TestLooseBlocks: the reader of plain blocks gives the same result as the reader of all YAML.
func TestLooseBlocks(t *testing.T) {
	_, err := grammar.Read([]byte(blocky))
	require.NoError(t, err)
	alike(t, blocky)
	alike(t, strings.ReplaceAll(blocky, "\n", "\r\n"))
	alike(t, blocky+strings.Repeat("# more\n", 10_000))
	alike(t, blocky+"    é: {a: b}\n"+strings.Repeat("# more\n", 10_000))
	for i := range len(blocky) {
		alike(t, blocky[:i])
		for _, c := range []string{" ", "\n", ":", "#", "'", "-", "x", "é", "{", "  "} {
			alike(t, blocky[:i]+c+blocky[i:])
		}
	}
}

// TestLooseLarge: a large text with slips is read like a small one.
func TestLooseLarge(t *testing.T) {
	pad := strings.Repeat("# "+strings.Repeat("x", 98)+"\n", 700)
	for i := range len(blocky) {
		for _, c := range []string{"\n", ":", "'", "x", "{"} {
			small := blocky[:i] + c + blocky[i:]
			if strings.Contains(small, "\n---") || i%7 != 0 && c != "x" {
				continue
			}
			a := grammar.ReadLoosely([]byte(small), grammar.Any())
			if len(a.Slips) == 0 {
				continue
			}
			b := grammar.ReadLoosely([]byte(small+pad), grammar.Any())
			require.True(t, a.Set.Equal(b.Set), small)
			require.Equal(t, len(a.Slips), len(b.Slips), small)
		}
	}
}

// FuzzLooseBlocks: for any text, the reader of plain blocks gives the same result as the reader of all YAML.
func FuzzLooseBlocks(f *testing.F) {
	f.Add(blocky)
	f.Add("a:\n- b\n-\n- 'c' # d\n")
	f.Add("--- \na: b\n...\n")
	f.Fuzz(func(t *testing.T, text string) { alike(t, text) })
}
