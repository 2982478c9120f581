package targets_test

import (
	"encoding/json"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/target/lint"
)

// snapshots lists sound configurations of one device each: those of golden/, of the linter of Cumulus Linux, and of NVUE.
func snapshots(t *testing.T) (all []map[string]string) {
	t.Helper()
	byDir := map[string]map[string]string{}
	add := func(device, name string) {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		if byDir[device] == nil {
			byDir[device] = map[string]string{}
		}
		base := filepath.Base(name)
		if strings.HasSuffix(base, ".yaml") {
			base = "startup.yaml"
		}
		byDir[device]["leaf1/"+base] = string(data)
	}
	for _, root := range []string{"../golden", "cumulus/conflint/testdata/sound"} {
		require.NoError(t, filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !targets.Linters().Knows(name) {
				return err
			}
			if ext := filepath.Ext(strings.TrimSuffix(name, ".json")); ext == ".commands" || ext == ".patch" {
				return nil // the same in another form, which a switch does not store
			}
			device, _, _ := strings.Cut(name, "/etc/")
			if device == name {
				device = filepath.Dir(name)
			}
			add(device, name)
			return nil
		}))
	}
	for _, name := range []string{"rack-5.4.0", "rack-5.9.0", "rack-5.17.0"} {
		add(name, "nvue/testdata/"+name+".yaml")
	}
	for _, device := range slices.Sorted(maps.Keys(byDir)) {
		all = append(all, byDir[device])
	}
	return all
}

// without returns a snapshot without a random file, or without a random row or table of a file.
func without(r *rand.Rand, snapshot map[string]string) map[string]string {
	out := maps.Clone(snapshot)
	names := slices.Sorted(maps.Keys(out))
	name := names[r.IntN(len(names))]
	switch text := out[name]; {
	case len(names) > 1 && r.IntN(4) == 0:
		delete(out, name)
	case strings.HasSuffix(name, ".json"):
		var tables map[string]any
		if json.Unmarshal([]byte(text), &tables) != nil || len(tables) == 0 {
			return out
		}
		prune(r, tables)
		data, _ := json.MarshalIndent(tables, "", "  ")
		out[name] = string(data)
	default:
		out[name] = withoutLines(r, text)
	}
	return out
}

// prune removes a member from an object, or from an object inside it.
func prune(r *rand.Rand, object map[string]any) {
	keys := slices.Sorted(maps.Keys(object))
	if len(keys) == 0 {
		return
	}
	key := keys[r.IntN(len(keys))]
	if in, is := object[key].(map[string]any); is && r.IntN(3) > 0 {
		prune(r, in)
		return
	}
	delete(object, key)
}

// withoutLines removes a line from a text, with the more deeply indented lines below it.
func withoutLines(r *rand.Rand, text string) string {
	lines := strings.SplitAfter(text, "\n")
	at := r.IntN(len(lines))
	indent := func(s string) int { return len(s) - len(strings.TrimLeft(s, " ")) }
	end := at + 1
	for end < len(lines) && strings.TrimSpace(lines[end]) != "" && indent(lines[end]) > indent(lines[at]) {
		end++
	}
	return strings.Join(slices.Delete(lines, at, end), "")
}

// conditional lists the codes of errors that may appear at a row that was good before other rows or files were put back. Such a rule
// depends on other rows, and no finding reports that they were missing.
var conditional = map[string]string{
	"conf-pools":           "pools are in qos_infra.conf or datapath.conf, and the classes that need them are in another file",
	"conf-value-unmapped":  "a file without any list has the map of the system; a file with some lists must have all",
	"conf-pfc-unreachable": "as conf-value-unmapped",
	"conf-unmarked":        "marking that is off is an error where the queue has thresholds, otherwise a warning",
	"conf-headroom":        "one of several missing sizes of a group came back, and the error is at the list of groups",
}

// TestPutBack removes rows, tables or files from a sound configuration, then puts some of them back. A row that was good without them must
// not become an error. Errors at rows that were missing do not count: these rows had no verdict.
func TestPutBack(t *testing.T) {
	all := snapshots(t)
	require.Greater(t, len(all), 30)
	r := rand.New(rand.NewPCG(1, 2))
	good, failed := 0, 0
	for n := range 300 {
		more := all[n%len(all)]
		for range r.IntN(4) {
			more = without(r, more)
		}
		less := more
		for range 1 + r.IntN(4) {
			less = without(r, less)
		}
		before, of := judgedFiles(less)
		after, _ := judgedFiles(more)
		wrong := map[string]bool{}
		for _, d := range before.Diagnostics {
			wrong[d.At.Filename] = wrong[d.At.Filename] || d.Severity == diag.Error
		}
		for name, taken := range of {
			if taken.Why == "" && !wrong[name] {
				good++
			}
		}
		for _, d := range after.Diagnostics {
			name := d.At.Filename
			taken, read := of[name]
			if d.Severity != diag.Error || !read || taken.Why != "" || taken.Plain || wrong[name] {
				continue
			}
			failed++
			if row := lineAt(more[name], d.At.Start.Byte); strings.Contains(less[name], row) {
				assert.Contains(t, conditional, d.Code, "draw %d: %s: %s\n%s", n, name, row, d.Detail)
			}
		}
	}
	assert.Greater(t, good, 100, "the draws cover too little")
	assert.Positive(t, failed, "the draws cover too little")
}

// lineAt returns the line of a text at a byte.
func lineAt(text string, at int) string {
	from := strings.LastIndexByte(text[:at], '\n') + 1
	line, _, _ := strings.Cut(text[from:], "\n")
	return line
}

// roceRow matches a row that pauses, marks or makes a lossless buffer, without using a grammar.
var roceRow = regexp.MustCompile(`(?m)^\s*(?:pfc|link_pause|ecn\w*|default_ecn\w*)\.\S+\s*=\s*(?:[^\[\s]|\[\s*\w)` +
	`|"(?:pfc_enable|xoff|wred_profile)": "[^"]|"profile": "NULL"|^\s*(?:roce|pfc|link-pause|congestion-control):`)

// TestPlainIsWithoutRoCE: if most rows of a configuration are missing, it is never called plain while it has a row of RoCE.
func TestPlainIsWithoutRoCE(t *testing.T) {
	all := snapshots(t)
	r := rand.New(rand.NewPCG(3, 4))
	plain, other := 0, 0
	for n := range 1000 {
		snapshot := maps.Clone(all[n%len(all)])
		keep := r.IntN(10) // of a hundred lines or tables, and of rows of RoCE
		for name, text := range snapshot {
			if strings.HasSuffix(name, ".json") {
				var tables map[string]any
				require.NoError(t, json.Unmarshal([]byte(text), &tables))
				maps.DeleteFunc(tables, func(table string, _ any) bool { return table != "PORT" && r.IntN(100) >= 4*keep })
				data, err := json.MarshalIndent(tables, "", "  ")
				require.NoError(t, err)
				snapshot[name] = string(data)
				continue
			}
			var b strings.Builder
			for line := range strings.Lines(text) {
				if strings.HasPrefix(line, "traffic.") || r.IntN(100) < keep {
					b.WriteString(line)
				}
			}
			snapshot[name] = b.String()
		}
		_, of := judgedFiles(snapshot)
		for name, taken := range of {
			if !taken.Plain {
				other++
				continue
			}
			plain++
			assert.False(t, roceRow.MatchString(snapshot[name]), "%s is called plain:\n%s", name, snapshot[name])
		}
	}
	assert.Greater(t, plain, 100, "the draws cover too little")
	assert.Greater(t, other, 100, "the draws cover too little")
}

// TestMomentsOfSnapshots: a device that runs its startup configuration has no difference. If rows are missing, each difference is at a row
// of one of the two files.
func TestMomentsOfSnapshots(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	differs := map[string]bool{}
	for n, snapshot := range snapshots(t) {
		for name, text := range snapshot {
			name = strings.TrimPrefix(name, "leaf1/")
			start, run := "leaf1-"+name, "leaf1-running-"+name
			if name == "startup.yaml" {
				run = "leaf1-applied.yaml"
			}
			res, of := judgedFiles(map[string]string{start: text, run: text})
			assert.Zero(t, codes(res.Diagnostics)["conf-moments"], "%d %s", n, name)
			assert.Equal(t, lint.Stored, of[start].Moment)
			assert.Equal(t, lint.Running, of[run].Moment)
			for range 10 {
				less := map[string]string{name: text}
				for range 1 + r.IntN(6) {
					less = without(r, less)
				}
				texts := map[string]string{start: text, run: less[name]}
				res, _ := judgedFiles(texts)
				fields := map[string]bool{}
				for _, d := range res.Diagnostics {
					if d.Code != "conf-moments" {
						continue
					}
					field, _, _ := strings.Cut(d.Detail, ":")
					assert.False(t, fields[field], field)
					fields[field] = true
					assert.Contains(t, texts, d.At.Filename)
					assert.Less(t, d.At.Start.Byte, len(texts[d.At.Filename]))
					differs[name] = true
				}
			}
		}
	}
	assert.GreaterOrEqual(t, len(differs), 5, "of most kinds of files: %v", differs) // a row of memory has no default
}
