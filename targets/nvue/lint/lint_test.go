package lint_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/nvue/grammar"
	"github.com/rocec/rocec/targets/nvue/lint"
	target "github.com/rocec/rocec/targets/target/lint"
)

// TestCheck: each finding in a tree, with its line and its words. Each tree of findings.txt is the content below set, from line 1 on. The
// lines after it have severity, code, line and words of its only finding, or state that it has no finding.
func TestCheck(t *testing.T) {
	data, err := os.ReadFile("testdata/findings.txt")
	require.NoError(t, err)
	cases := strings.Split("\n"+string(data), "\n== ")[1:]
	require.Greater(t, len(cases), 50)
	for _, c := range cases {
		head, rest, _ := strings.Cut(c, "\n")
		name, release, _ := strings.Cut(head, ", 5.")
		text, want, ok := strings.Cut(rest, "\n-- ")
		require.True(t, ok, head)
		t.Run(name, func(t *testing.T) { check(t, "5."+release, text, strings.TrimSpace(want)) })
	}
}

func check(t *testing.T, release, text, want string) {
	r, ok := lint.Judged(release)
	require.True(t, ok, release)
	var got []string
	ds := lint.Check("startup.yaml", []byte(text), r)
	if len(ds) == 0 && want != "silent" { // from a rule for all systems
		ds = targets.JudgeFiles([]target.File{{Name: "startup.yaml", Data: []byte(text)}}).Diagnostics
	}
	for _, d := range ds {
		got = append(got, fmt.Sprintf("%s %s %d %s", d.Severity, d.Code, d.At.Start.Line, strings.ToLower(d.Detail)))
		assert.LessOrEqual(t, d.At.End.Byte, len(text))
		assert.Equal(t, "startup.yaml", d.At.Filename)
	}
	if want == "silent" {
		assert.Empty(t, got)
		return
	}
	word := strings.SplitN(want, " ", 4)
	require.Len(t, word, 4)
	found := false
	for _, g := range got {
		found = found || strings.HasPrefix(g, strings.Join(word[:3], " ")+" ") && strings.Contains(g, strings.ToLower(word[3]))
		assert.Contains(t, g, word[1], "nothing else is found")
	}
	assert.True(t, found, "not found: %s\nbut: %q", want, got)
}

// TestPlaces: a finding has the place of the word that it is about, with any line endings.
func TestPlaces(t *testing.T) {
	text := "qos:\r\n  # é\r\n  mapping:\r\n    default-global:\r\n      trust: 'dscp'\r\n"
	ds := lint.Check("a", []byte(text), grammar.Release{5, 9})
	require.Len(t, ds, 1)
	assert.Equal(t, 5, ds[0].At.Start.Line)
	assert.Equal(t, "'dscp'", text[ds[0].At.Start.Byte:ds[0].At.End.Byte])
}

// TestSound: the linter accepts what rocec writes, at every release for which rocec has spellings.
func TestSound(t *testing.T) {
	files, err := filepath.Glob("../testdata/rack-*.yaml")
	require.NoError(t, err)
	require.Len(t, files, 3)
	for _, f := range files {
		data, err := os.ReadFile(f)
		require.NoError(t, err)
		release := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(f), "rack-"), ".yaml")
		r, ok := lint.Judged(release)
		require.True(t, ok, release)
		for _, d := range lint.Check(f, data, r) {
			t.Errorf("%s: %s: %s", d.At, d.Code, d.Detail)
		}
	}
}

// TestUnstated: a file without a release is checked by the newest that has most of its paths. A finding that depends on this release has
// a note.
func TestUnstated(t *testing.T) {
	for _, c := range []struct {
		text, as string
		found    []string
	}{
		{"{}", "5.18", nil},
		{"qos: {roce: {state: enabled}}", "5.18", nil},
		{"qos: {roce: {enable: 'on'}}", "5.14", nil},
		{"qos: {roce: {enable: 'on'}, advance-buffer-config: {default-global: {ingress-pool: {}}}}", "5.10", nil},
		{"qos: {roce: {state: enabled}, advance-buffer-config: {default-global: {ingress-pool: {}}}}", "5.18", []string{"conf-nvue-path 5.18"}},
		{"qos: {pfc: {default-global: {cable-length: 0}}}", "5.18", []string{"conf-nvue-value 5.18"}},
		{"qos: {pfc: {default-global: {switch-priority: {'3': {}}, cable-length: 5}}}", "5.18", []string{"conf-nvue-pool "}},
		{"qos: [", "5.18", []string{"conf-nvue-tree "}},
	} {
		ds, as := lint.Unstated("a", []byte(c.text))
		assert.Equal(t, c.as, fmt.Sprintf("%d.%d", as[0], as[1]), c.text)
		var found []string
		for _, d := range ds {
			of := ""
			for _, n := range d.Notes {
				assert.Contains(t, n.Message, "The file states no release. It is checked as")
				of = c.as
			}
			found = append(found, d.Code+" "+of)
		}
		assert.Equal(t, c.found, found, c.text)
	}
}

// TestApplied: the linter does not report buffers that others have set; plan and verify report them.
func TestApplied(t *testing.T) {
	text := []byte("qos: {roce: {}, advance-buffer-config: {default-global: {ingress-lossless-buffer: {shared-alpha: alpha_0}}}, pcf: {}}")
	codes := func(ds diag.List) (out []string) {
		for _, d := range ds {
			out = append(out, d.Code)
		}
		return out
	}
	assert.Equal(t, []string{"conf-nvue-path", "conf-nvue-pool"}, codes(lint.Check("a", text, grammar.Release{5, 9})))
	assert.Equal(t, []string{"conf-nvue-path"}, codes(lint.Applied("a", text, grammar.Release{5, 9})))
	assert.Equal(t, []string{"conf-nvue-tree"}, codes(lint.Applied("a", []byte("qos: ["), grammar.Release{5, 9})))
}

// TestBuilt: a file that rocec build writes states no release, and is good.
func TestBuilt(t *testing.T) {
	files, err := filepath.Glob("../../../golden/*/*/etc/rocec/nvue.yaml")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 3)
	for _, f := range files {
		data, err := os.ReadFile(f)
		require.NoError(t, err)
		ds, _ := lint.Unstated(f, data)
		for _, d := range ds {
			t.Errorf("%s: %s: %s", d.At, d.Code, d.Detail)
		}
	}
}

// TestMany: from the hundredth finding of a code on, findings are only counted.
func TestMany(t *testing.T) {
	var b strings.Builder
	b.WriteString("qos:\n  pfc:\n")
	for i := range 130 {
		fmt.Fprintf(&b, "    p%d: {tx: maybe}\n", i)
	}
	ds := lint.Check("a", []byte(b.String()), grammar.Release{5, 9})
	require.Len(t, ds, 100)
	require.Len(t, ds[99].Notes, 1)
	assert.Equal(t, "30 more of this code were left out.", ds[99].Notes[0].Message)
}

// TestJudged: the releases whose paths are known.
func TestJudged(t *testing.T) {
	for release, want := range map[string]bool{
		"5.3.1": false, "5.4": true, "5.18.9": true, "5.19.0": false, "6.0.0": false, "": false, "x": false,
	} {
		_, ok := lint.Judged(release)
		assert.Equal(t, want, ok, release)
	}
}

// FuzzCheck: for any bytes, the check ends, and places are in the file.
func FuzzCheck(f *testing.F) {
	f.Add([]byte("qos: {pfc: hello, roce: on}\ninterface: {swp1-4: {qos: 3}}"))
	f.Add([]byte("- header: {model: SN3700}\n" +
		"- set: {interface: {swp4-1: {qos: {pfc-watchdog: {state: on}}}, swp1: {link: {breakout: {4x: {}}}}}}"))
	f.Add([]byte("qos:\n  pfc: {default-global: {switch-priority: {'3-9': {}}, rx: off}}\n  link-pause: [1]\n"))
	f.Add([]byte(sound))
	f.Add([]byte("u@leaf1:~$ nv config show -o commands\nnv set interface swp1-4 qos pfc profile a\n" +
		"nv set qos pfc a \\\n switch-priority 3,9\n"))
	f.Add([]byte("#!/bin/bash\nset -e; nv set qos roce; nv unset qos pfcc \"a\nnv set qos mapping $M trust l3\nnv config apply -y\n"))
	f.Add([]byte("\xef\xbb\xbf- set:\n\tqos:\n    qos: {pfc: {a: *x, b: \xff}}\n- unset: {qos: {pfc: }}\n"))
	f.Add([]byte(`{"eth0": {"link": {"mtu": 1500}}, "qos": {"pfc": {"a" 3]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		unstated, _ := lint.Unstated("a", data)
		if x := (target.File{Name: "startup.yaml", Data: data}); lint.Takes(x) {
			taken, ds := lint.Judge(x)
			require.NotEmpty(t, taken.Dialect)
			require.False(t, taken.Part && (taken.Why == "" || taken.Plain))
			require.False(t, taken.Why != "" && len(ds) == 0, "a finding has the reason")
			unstated = append(unstated, ds...)
		}
		for _, d := range append(lint.Check("a", data, grammar.Release{5, 9}), unstated...) {
			require.LessOrEqual(t, d.At.Start.Byte, d.At.End.Byte)
			require.LessOrEqual(t, d.At.End.Byte, len(data))
			require.Equal(t, diag.Escape(d.Detail), d.Detail)
		}
	})
}
