package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/judge"
)

// Each fabric matches its title and has no errors.
func TestFabrics(t *testing.T) {
	want := map[string]struct{ switches, hosts, links int }{
		"compact8": {80, 128, 384}, "compact24": {720, 3456, 10368}, "explicit16": {320, 1024, 3072}, "hosts4000": {500, 4000, 6000},
		"nvue": {48, 4000, 4320},
	}
	for _, f := range fabrics() {
		j := judge.Judge(t.Context(), fstest.MapFS{"fabric.hcl": {Data: []byte(f.text)}}, ".", judge.Options{})
		for _, d := range j.Diags {
			assert.Equal(t, diag.Notice, d.Severity, "%s: %s: %s", f.name, d.Code, d.Detail)
		}
		got := want[f.name]
		got.switches, got.hosts = 0, 0
		for _, d := range j.Fabric.Devices {
			if d.Switch != nil {
				got.switches++
			} else {
				got.hosts++
			}
		}
		got.links = len(j.Fabric.Links)
		assert.Equal(t, want[f.name], got, f.name)
	}
	assert.Len(t, want, len(fabrics()))
}

func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		base, again, head time.Duration
		want              verdict
		says              string
	}{
		{1000, 1000, 1000, good, "1.00 times"},
		{1000, 1019, 1050, good, "1.03 times"},
		{1000, 1000, 1050, good, "1.05 times"},
		{1000, 1019, 1060, good, "1.04 times"}, // more than 1.05 times, in one series only
		{1000, 1000, 1051, slow, "SLOWER: 1.05 times"},
		{1019, 1000, 2000, slow, "SLOWER: 1.96 times"},
		{1000, 1020, 1000, busy, "not known: two series of one binary differ by 2.0 %"},
		{1100, 1000, 3000, busy, "not known: two series of one binary differ by 10.0 %"},
		{1000, 1000, 500, good, "0.50 times"},
	} {
		s := &series{{2000, c.base, 1500}, {c.again, 3000, 1 << 40}, {c.head, c.head + 1, c.head}}
		assert.Equal(t, c.want, s.verdict(), c.says)
		assert.Equal(t, c.says, s.String())
	}
}

// script makes a program that behaves like rocec where gate looks. It returns the file to which the program writes its arguments.
func script(t *testing.T, text string) (binary, log string) {
	t.Helper()
	binary = filepath.Join(t.TempDir(), "rocec")
	log = binary + ".log"
	require.NoError(t, os.WriteFile(binary, []byte("#!/bin/sh\necho \"$@\" >>'"+log+"'\n"+text), 0o755))
	return binary, log
}

// In the whole program, the two binaries take turns in every row. The folder of a build is empty before each build.
func TestRun(t *testing.T) {
	const build = `case $1 in
build) mkdir "$4" ;; # and fails where it is there
validate) test -s "$3/fabric.hcl" ;;
version) ;;
*) exit 1 ;;
esac
`
	base, ofBase := script(t, build)
	head, ofHead := script(t, build)
	var stdout bytes.Buffer
	status := run(t.Context(), []string{"-base", base, "-head", head, "-most", "0s"}, &stdout, io.Discard)
	assert.NotEqual(t, exitFailed, status, stdout.String()) // the other figures depend on the machine
	assert.Equal(t, strings.Contains(stdout.String(), "SLOWER"), status == exitSlower)
	runs := func(log string) (lines []string) {
		text, err := os.ReadFile(log)
		require.NoError(t, err)
		return strings.Split(strings.TrimSpace(string(text)), "\n")
	}
	assert.Len(t, runs(ofHead), leastRuns*7)
	assert.Len(t, runs(ofBase), 2*leastRuns*7)
	for dir := range strings.FieldsSeq(strings.Join(runs(ofHead), " ")) {
		if filepath.IsAbs(dir) {
			assert.NoFileExists(t, dir, "the files that gate wrote are removed")
		}
	}
}

func TestRunFails(t *testing.T) {
	var stderr bytes.Buffer
	base, _ := script(t, "")
	head, _ := script(t, "echo such a thing; exit 3")
	status := run(t.Context(), []string{"-base", base, "-head", head}, io.Discard, &stderr)
	assert.Equal(t, exitFailed, status)
	assert.Contains(t, stderr.String(), "such a thing")
	for _, args := range [][]string{nil, {"-base", "x"}, {"-base", "x", "-head", "y", "z"}, {"-base", "/none", "-head", "/none"}, {"-bogus"}} {
		assert.Equal(t, exitFailed, run(t.Context(), args, io.Discard, io.Discard), "%q", args)
	}
}
