package lint_test

import (
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/nvue/grammar"
	"github.com/rocec/rocec/targets/nvue/lint"
	target "github.com/rocec/rocec/targets/target/lint"
)

// forms returns a tree in each form that people keep. Commands have no header, so a tree with a header has no such form.
func forms(cfg *grammar.Config) map[string]string {
	set := jsonOf(cfg.Set)
	out := map[string]string{"yaml": string(cfg.YAML())}
	if cfg.Header != nil {
		header := jsonOf(cfg.Header)
		out["json"] = `[{"header": ` + header + `}, {"set": ` + set + `}]`
		out["object"] = `{"header": ` + header + `, "set": ` + set + `}`
		out["revision"] = `{"12": {"header": ` + header + `, "set": ` + set + `}}`
		return out
	}
	out["json"] = `[{"set": ` + set + `}]`
	out["object"] = `{"set": ` + set + `}`
	out["revision"] = `{"12": {"set": ` + set + `}}`
	out["tree"] = set
	lines := string(grammar.Commands("set", cfg.Set))
	out["commands"] = "cumulus@leaf1:mgmt:~$ nv config show -o commands\n" + lines
	out["prompts"] = "cumulus@leaf1:mgmt:~$ nv config show -o commands\n" +
		strings.ReplaceAll(lines, "nv set", "cumulus@leaf1:mgmt:~$ nv set")
	out["terminal"] = "cumulus@leaf1:mgmt:~$ nv config show\n" + out["yaml"]
	return out
}

func jsonOf(t *grammar.Tree) string {
	switch {
	case t.IsMap():
		var parts []string
		for _, k := range t.Keys() {
			parts = append(parts, fmt.Sprintf("%q: %s", k, jsonOf(t.Kids[k])))
		}
		return "{" + strings.Join(parts, ",\n") + "}"
	case t.IsList():
		var parts []string
		for _, item := range t.Items {
			parts = append(parts, jsonOf(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case t.Text:
		return fmt.Sprintf("%q", t.Value)
	}
	return t.Value
}

// judged returns the findings in a file, each with severity, code, word, text and notes, and how the file was accepted.
func judged(t require.TestingT, text string) (found []string, taken target.Taken) {
	f := target.File{Name: "x", Data: []byte(text)}
	require.True(t, lint.Takes(f), text)
	taken, ds := lint.Judge(f)
	for _, d := range ds {
		require.LessOrEqual(t, d.At.End.Byte, len(text))
		word := strings.Trim(text[d.At.Start.Byte:d.At.End.Byte], `'"`)
		var line strings.Builder
		line.WriteString(fmt.Sprintf("%s %s %q %s", d.Severity, d.Code, word, d.Detail))
		for _, n := range d.Notes {
			line.WriteString("; " + n.Message)
		}
		found = append(found, line.String())
	}
	slices.Sort(found)
	_, taken.Dialect, _ = strings.Cut(taken.Dialect, ",")
	return found, taken
}

// trees returns the trees of the project: those that it writes, those on a switch, and one for each finding.
func trees(t *testing.T) (out []*grammar.Config) {
	files, err := filepath.Glob("../../../golden/*/*/etc/rocec/nvue.yaml")
	require.NoError(t, err)
	own, err := filepath.Glob("../testdata/*.yaml")
	require.NoError(t, err)
	add := func(text string) {
		cfg, err := grammar.Read([]byte(text))
		if err != nil || len(cfg.Set.Kids) == 0 || cfg.Unset != nil {
			return
		}
		again := grammar.ReadLoosely(append([]byte("nv config show\n"), grammar.Commands("set", cfg.Set)...), grammar.Any())
		if !again.Set.Equal(cfg.Set) { // values that are mappings have no form in commands
			return
		}
		out = append(out, cfg)
	}
	for _, name := range append(files, own...) {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		add(string(data))
	}
	require.Greater(t, len(out), 5)
	data, err := os.ReadFile("testdata/findings.txt")
	require.NoError(t, err)
	for _, c := range strings.Split("\n"+string(data), "\n== ")[1:] {
		_, rest, _ := strings.Cut(c, "\n")
		text, _, _ := strings.Cut(rest, "\n-- ")
		add(text)
	}
	require.Greater(t, len(out), 80)
	return out
}

// TestForms: a tree has the same findings in each of its forms, each at the same word. So has every variant of a tree with one change.
func TestForms(t *testing.T) {
	all := trees(t)
	r := rand.New(rand.NewSource(7))
	hold := func(cfg *grammar.Config) int {
		if cfg.Set.Get("qos") == nil && cfg.Set.Get("interface") == nil {
			return 0
		}
		if cfg.Header == nil {
			again := grammar.ReadLoosely(grammar.Commands("set", cfg.Set), grammar.Any())
			if !again.Set.Equal(cfg.Set) || len(cfg.Set.Kids) == 0 {
				return 0
			}
		}
		texts := forms(cfg)
		want, taken := judged(t, texts["yaml"])
		for form, text := range texts {
			got, as := judged(t, text)
			require.Equal(t, want, got, "%s:\n%s", form, text)
			require.Equal(t, taken, as, "%s:\n%s", form, text)
		}
		return len(want)
	}
	for _, cfg := range all {
		hold(cfg)
	}
	const n = 300
	found := 0
	for range n {
		cfg := *all[r.Intn(len(all))]
		cfg.Set = cfg.Set.Clone()
		for range 1 + r.Intn(4) {
			mutate(r, cfg.Set)
		}
		found += hold(&cfg)
	}
	assert.Greater(t, found, n/2, "mutants have findings")
}

// mutate changes one leaf of a tree: its value or its key, or removes it.
func mutate(r *rand.Rand, t *grammar.Tree) {
	var leaves []grammar.Leaf
	t.Leaves(func(l grammar.Leaf) { leaves = append(leaves, l) })
	if len(leaves) == 0 {
		return
	}
	l := leaves[r.Intn(len(leaves))]
	words := []string{
		"0", "1", "3", "7", "99999999", "on", "off", "enable", "disabled", "strict", "dwrr", "l2", "l3", "both", "alpha_0", "none", "x y",
	}
	switch r.Intn(4) {
	case 0:
		t.Delete(l.Path[:1+r.Intn(len(l.Path))], 1)
	case 1, 2:
		if l.IsScalar() {
			l.Value = words[r.Intn(len(words))]
			l.Text = l.Value[0] > '9'
		}
	default:
		up := t.Get(l.Path[:len(l.Path)-1]...)
		key := l.Path[len(l.Path)-1]
		delete(up.Kids, key)
		up.Kids[[]string{key + "s", "9", "default-global", "swp1.10", "profile"}[r.Intn(5)]] = l.Tree
	}
}

// TestParts: if lines of a tree are missing, the rest has no additional findings, since missing values are unknown. The result is not
// good, and has the reason.
func TestParts(t *testing.T) {
	all := trees(t)
	r := rand.New(rand.NewSource(11))
	release := grammar.Release{5, 9}
	key := func(text string) map[string]bool {
		out := map[string]bool{}
		for _, d := range lint.Check("x", []byte(text), release) {
			out[d.Code+" "+text[d.At.Start.Byte:d.At.End.Byte]] = true
		}
		return out
	}
	found := 0
	for range 600 {
		cfg := *all[r.Intn(len(all))]
		cfg.Set = cfg.Set.Clone()
		for range r.Intn(3) {
			mutate(r, cfg.Set)
		}
		lines := strings.SplitAfter(string(grammar.Commands("set", cfg.Set)), "\n")
		whole := key("u@leaf1:~$ nv config show -o commands\n" + strings.Join(lines, ""))
		var part []string
		for _, line := range lines {
			if r.Intn(3) > 0 && !strings.HasSuffix(strings.TrimSpace(line), " type swp") && !strings.HasPrefix(line, "nv set system") {
				part = append(part, line)
			}
		}
		text := strings.Join(part, "") + "nv config apply\n"
		for k := range key(text) {
			require.True(t, whole[k], "%s is found only in a part:\n%s", k, text)
			found++
		}
		if len(part) > 0 && strings.Contains(text, "qos") {
			_, taken := judged(t, text)
			require.True(t, taken.Part && taken.Why != "" && !taken.Plain, text)
		}
	}
	assert.Greater(t, found, 50, "parts have additional findings")
}
