package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/judge"
)

// fake is a binary that answers every fabric in the same way.
type fake struct {
	validate, sarif string
	file            string // the files that build writes
	mode            string
	shown           string
	status          int
	last            string // shell commands that end the program
}

// sound is the default behaviour of fakes.
func sound() fake {
	return fake{
		validate: `{"valid": true, "pfc_loops": [{"cos_group": "rdma", "why": "ranks"}], "diagnostics": [` + one + "," + two + "," + three + `]}`,
		sarif:    result("warning", 7, "f1"),
		file:     "key = 1", mode: "644",
		shown: `{"sections": [{"title": "gpu1", "settings": [{"name": "mtu", "value": "9000"}]}]}`,
	}
}

const (
	one = `{"code": "mtu-path", "severity": "warning", "summary": "s", "detail": "first",
		"range": {"filename": "fabric.hcl", "start": {"line": 7, "column": 3, "byte": 90}, "end": {"line": 7, "column": 9, "byte": 96}},
		"fix": {"message": "do", "edits": [{"range": null, "new": "9216"}]}}`
	two = `{"code": "mtu-path", "severity": "note", "summary": "s", "detail": "second",
		"range": {"filename": "fabric.hcl", "start": {"line": 7, "column": 3, "byte": 90}, "end": {"line": 7, "column": 9, "byte": 96}}}`
	three = `{"code": "incast", "severity": "note", "summary": "t", "detail": "third", "notes": [{"message": "here"}]}`
)

const graph = `{
	"devices": [{"name": "gpu1", "kind": "host"}, {"name": "gpu2", "kind": "host"}],
	"links": [{"a": {"device": "gpu1", "port": "e0"}, "b": {"device": "gpu2", "port": "e0"}}]}`

func result(level string, line int, fingerprint string) string {
	return fmt.Sprintf(`{"runs": [{"results": [{"ruleId": "mtu-path", "level": %q, "message": {"text": "m"},
		"locations": [{"physicalLocation": {"artifactLocation": {"uri": "fabric.hcl"}, "region": {"startLine": %d, "startColumn": 3}}}],
		"partialFingerprints": {"rocec/v1": %q}}]}]}`, level, line, fingerprint)
}

// write writes the fake as an executable script.
func (f fake) write(t *testing.T) string {
	t.Helper()
	quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
	script := fmt.Sprintf(`#!/bin/sh
for last; do :; done
case "$*" in
*"format json --device-config"*) printf '{"diagnostics": []}' ;;
validate*"format json"*) printf %%s %s ;;
*"format sarif"*) printf %%s %s ;;
build*) mkdir -p "$last/leaf1/etc" && printf %%s %s >"$last/leaf1/etc/x.conf" && chmod %s "$last/leaf1/etc/x.conf" ;;
graph*) printf %%s %s ;;
show*|trace*) printf %%s %s ;;
esac
%s
exit %d
`, quote(f.validate), quote(f.sarif), quote(f.file), f.mode, quote(graph), quote(f.shown), f.last, f.status)
	name := filepath.Join(t.TempDir(), "rocec")
	require.NoError(t, os.WriteFile(name, []byte(script), 0o755))
	return name
}

// compared runs the program on two binaries and a folder with one fabric.
func compared(t *testing.T, before, after string, args ...string) (status int, stdout string) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "fabric.hcl"), nil, 0o644))
	var out, errs bytes.Buffer
	status = run(t.Context(), append(append([]string{"-old", before, "-new", after, "-repository", ""}, args...), dir), &out, &errs)
	require.Empty(t, errs.String())
	return status, out.String()
}

// Every kind of difference is found and named by its member. Differences that are permitted are not reported.
func TestDifferences(t *testing.T) {
	replace := func(old, new string) func(*fake) {
		return func(f *fake) { f.validate = strings.Replace(f.validate, old, new, 1) }
	}
	begin := time.Now()
	status, out := compared(t, sound().write(t), sound().write(t))
	require.Equal(t, exitSame, status, out)
	limit := max(300*time.Millisecond, time.Since(begin)).Truncate(time.Millisecond).String() // enough for one run
	for _, tt := range []struct {
		name   string
		change func(*fake)
		args   []string
		want   []string // in the report; empty: both binaries are equal
	}{
		{"nothing", func(*fake) {}, nil, nil},
		{"prose", replace(`"detail": "first"`, `"detail": "other", "notes": [{"message": "more"}]`), nil, nil},
		{"prose of a fix", replace(`"message": "do"`, `"message": "write"`), nil, nil},
		{"findings of one place change places", replace(one+","+two, two+","+one), nil, nil},
		{"findings of different places do not", replace(one+","+two+","+three, three+","+one+","+two), nil, []string{
			"validate json: diagnostics[] (order): 1 difference in 1 input",
		}},
		{"severity", replace(`"severity": "warning"`, `"severity": "error"`), nil, []string{
			"validate json: diagnostics[].severity: 1 difference", "mtu-path at fabric.hcl:7:3", `old: "warning"`, `new: "error"`,
		}},
		{"code", replace(`"code": "incast"`, `"code": "outcast"`), nil, []string{
			"validate json: diagnostics[]: 2 differences", "new: (none)", "old: (none)",
		}},
		{"place", replace(`"line": 7`, `"line": 8`), nil, []string{"validate json: diagnostics[].range.start.line"}},
		{"edit of a fix", replace(`"new": "9216"`, `"new": "9000"`), nil, []string{"validate json: diagnostics[].fix.edits[]"}},
		{"a finding more", replace(one, one+","+one), nil, []string{"validate json: diagnostics[]: 1 difference", "old: (none)"}},
		{"a new member", replace(`"valid": true`, `"valid": true, "more": 1`), nil, []string{"validate json: more: 1 difference"}},
		{"proof", replace(`"why": "ranks"`, `"why": "tree"`), nil, []string{"validate json: pfc_loops[].why"}},
		{"a member that is ignored", replace(`"why": "ranks"`, `"why": "tree"`), []string{"-ignore", "x, why"}, nil},
		{"no document", func(f *fake) { f.validate = "" }, nil, []string{"validate json: output"}},
		{"level", func(f *fake) { f.sarif = result("error", 7, "f1") }, nil, []string{"validate sarif: results[].level"}},
		{"region", func(f *fake) { f.sarif = result("warning", 8, "f1") }, nil, []string{
			"validate sarif: results[].locations[].region.startLine",
		}},
		{"fingerprint that is not asked for", func(f *fake) { f.sarif = result("warning", 7, "f2") }, nil, nil},
		{"fingerprint", func(f *fake) { f.sarif = result("warning", 7, "f2") }, []string{"-fingerprints"}, []string{
			"validate sarif: results[].partialFingerprints.rocec/v1",
		}},
		{"bytes", func(f *fake) { f.file = "key = 2" }, nil, []string{
			"build: files: 1 difference in 1 input", "leaf1/etc/x.conf", "-rw-r--r-- 7 bytes",
		}},
		{"mode", func(f *fake) { f.mode = "755" }, nil, []string{"build: files", "new: -rwxr-xr-x"}},
		{"exit status", func(f *fake) { f.status = 1 }, nil, []string{
			"validate json: exit status", "validate sarif: exit status", "build: exit status", "old: 0", "new: 1",
		}},
		{"panic", func(f *fake) { f.last = "echo 'panic: no' >&2" }, nil, []string{"validate json: crash", "old: ends", "new: panic: no"}},
		{"time", func(f *fake) { f.last = "exec sleep 60" }, []string{"-timeout", limit}, []string{"build: crash", "new: killed after " + limit}},
		{"show that is not asked for", func(f *fake) { f.shown = "{}" }, nil, nil},
		{"show", func(f *fake) { f.shown = strings.Replace(f.shown, "9000", "1500", 1) }, []string{"-show"}, []string{
			"show: sections[].settings[].value: 4 differences in 1 input", "gpu1:e0 mtu",
		}},
		{"trace", func(f *fake) { f.shown = "{}" }, []string{"-trace"}, []string{"trace: sections: 2 differences", "gpu1 gpu2", "gpu2 gpu1"}},
		{"many", func(f *fake) { f.status = 1 }, []string{"-most", "2"}, []string{"and 1 more"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			old, changed := sound(), sound()
			tt.change(&changed)
			if len(tt.want) > 0 {
				require.NotEqual(t, old, changed)
			}
			status, out := compared(t, old.write(t), changed.write(t), tt.args...)
			if tt.want == nil {
				require.Equal(t, exitSame, status, out)
				require.Contains(t, out, "no difference")
				return
			}
			require.Equal(t, exitDiffer, status, out)
			for _, w := range tt.want {
				assert.Contains(t, out, w)
			}
		})
	}
}

// A failure of both binaries is reported as a difference, too: there is nothing to compare.
func TestBothCrash(t *testing.T) {
	f := sound()
	f.last = "echo 'fatal error: both' >&2"
	status, out := compared(t, f.write(t), f.write(t))
	require.Equal(t, exitDiffer, status)
	require.Contains(t, out, "old: fatal error: both")
}

func TestCannotCompare(t *testing.T) {
	good := sound().write(t)
	for _, args := range [][]string{
		{},
		{"-old", good},
		{"-old", good, "-new", filepath.Join(t.TempDir(), "nothing")},
		{"-bad-flag"},
		{"-old", good, "-new", good, "-repository", ""},                // no input
		{"-old", good, "-new", good, "-repository", "", t.TempDir()},   // no fabric
		{"-old", good, "-new", good, "-repository", "", "/nowhere/at"}, // no folder
		{"-old", good, "-new", good, "-repository", t.TempDir()},       // no examples
	} {
		var out, errs bytes.Buffer
		require.Equal(t, exitFailed, run(t.Context(), args, &out, &errs), "%q", args)
		require.NotEmpty(t, errs.String(), "%q", args)
		require.Empty(t, out.String())
	}
}

// Each file of the corpora is an input. Inputs that need arguments have them.
func TestInputs(t *testing.T) {
	kept := t.TempDir()
	all, err := collect(&options{repository: "../../..", random: 2, seed: 7}, kept)
	require.NoError(t, err)
	byName := map[string]input{}
	for _, in := range all {
		require.NotContains(t, byName, in.name, "the name identifies the input")
		byName[in.name] = in
		if !in.device {
			hcl, err := filepath.Glob(filepath.Join(in.dir, "*.hcl"))
			require.NoError(t, err)
			require.NotEmpty(t, hcl, in.name)
		}
	}
	for _, name := range []string{
		"examples/clos-v2-ecn", "examples/modules/pod", "examples/storage-and-training@4.3.0",
		"lang/testdata/bad/asn-dotted.hcl", "compiler/testdata/bad/asn-missing.hcl",
		"validate/testdata/mtu-path/good.hcl", "lang/langtest/backgrounds/table", "cmd/internal/transcripts/testdata/script/modules.txtar/site/one",
		"targets/cumulus/conflint/testdata/sound/q1", "random/7/000001",
	} {
		assert.Contains(t, byName, name)
	}
	assert.NotContains(t, byName, "targets/cumulus/conflint/testdata/fuzz/FuzzCheck")
	assert.Equal(t, []string{"--var", "tor_version=4.3.0"}, byName["examples/storage-and-training@4.3.0"].args)
	assert.FileExists(t, filepath.Join(byName["lang/langtest/backgrounds/table"].dir, "fib.json"))
	in := byName["lang/testdata/bad/env-does-not-fit.txtar"]
	assert.Len(t, in.env, 1)
	assert.Equal(t, filepath.Join(kept, "lang/testdata/bad/env-does-not-fit.txtar/f"), in.dir)

	dir := filepath.Join(t.TempDir(), "a")
	require.NoError(t, write(dir, map[string]string{"b/x.hcl": "", "b/" + argsFile: "--var-file\n$DIR/v.vars\n"}))
	all, err = fabricsBelow(dir, "a")
	require.NoError(t, err)
	require.Equal(t, []input{{name: "a/b", dir: filepath.Join(dir, "b"), args: []string{"--var-file", filepath.Join(dir, "b/v.vars")}}}, all)
	require.Error(t, write(dir, map[string]string{"../x": ""}), "an archive cannot write outside of its folder")
}

// The same seed and number always make the same fabric. Two numbers make two fabrics.
func TestRandomIsRepeatable(t *testing.T) {
	seen := map[string]bool{}
	for i := range uint64(200) {
		text := randomFabric(3, i)
		require.Equal(t, text, randomFabric(3, i))
		seen[text] = true
	}
	require.Len(t, seen, 200)
	require.NotEqual(t, randomFabric(3, 0), randomFabric(4, 0))
}

// The random fabrics are worth comparing: many of them build, and the others have many kinds of errors.
func TestRandomIsWorthComparing(t *testing.T) {
	const n = 48
	valid, codes := 0, map[string]bool{}
	for i := range uint64(n) {
		fsys := fstest.MapFS{"fabric.hcl": {Data: []byte(randomFabric(1, i))}}
		j := judge.Judge(t.Context(), fsys, ".", judge.Options{})
		if !j.Diags.HasErrors() {
			valid++
		}
		for _, d := range j.Diags {
			codes[d.Code] = true
		}
	}
	assert.Greater(t, valid, n/4)
	assert.Less(t, valid, 3*n/4)
	assert.Greater(t, len(codes), 15, "%q", slices.Sorted(maps.Keys(codes)))
}

// A binary of rocec has no difference from itself. Each random fabric that builds is also shown and traced.
func TestRealBinary(t *testing.T) {
	if testing.Short() {
		t.Skip("make check runs no binary of rocec; make test does")
	}
	rocec := machinetest.Rocec(t)
	const n = 4
	var stdout, stderr bytes.Buffer
	status := run(t.Context(), []string{
		"-old", rocec, "-new", rocec, "-repository", "", "-random", fmt.Sprint(n), "-show", "-trace",
	}, &stdout, &stderr)
	require.Equal(t, exitSame, status, "%s%s", &stdout, &stderr)
	var inputs, runs int
	_, err := fmt.Sscanf(stdout.String(), "%d inputs, %d runs", &inputs, &runs)
	require.NoError(t, err)
	assert.Equal(t, n, inputs)
	assert.Greater(t, runs, 6*n, "show and trace run for fabrics that compile")
}
