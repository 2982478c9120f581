package compiler

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
)

var update = flag.Bool("update", false, "rewrite testdata/bad.txt")

var badWant = regexp.MustCompile(`want ([a-z0-9-]+) at ("(?:[^"\\]|\\.)*"): ("(?:[^"\\]|\\.)*")`)

// advice matches a verb by which a message says how to correct the mistake.
var advice = regexp.MustCompile(`\b(Add|Correct|Delete|Did you mean|Give|Join|Leave|Make|Merge|Move|Name|Order|Put|Say|Set|Split|Take|Use|Write)\b`)

// TestBad compiles every fabric of testdata/bad and compares the errors with the "want" comments: line, code, marked text and part of the
// message. No other errors may occur, and package lang must accept the fabrics. testdata/bad.txt lists the full messages for readers;
// -update writes it.
func TestBad(t *testing.T) {
	files, err := filepath.Glob("testdata/bad/*.hcl")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var all strings.Builder
	for _, file := range files {
		name := filepath.Base(file)
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		wants := map[string]string{}
		for i, line := range strings.Split(string(text), "\n") {
			for _, m := range badWant.FindAllStringSubmatch(line, -1) {
				snippet, err := strconv.Unquote(m[2])
				require.NoError(t, err)
				part, err := strconv.Unquote(m[3])
				require.NoError(t, err)
				wants[fmt.Sprintf("%d %s %q", i+1, m[1], snippet)] = part
			}
		}
		require.NotEmpty(t, wants, name)
		_, ds := Compile(loaded(t, fstest.MapFS{"fabric.hcl": {Data: text}}, "."), targets.Known)
		fmt.Fprintln(&all, name)
		for _, d := range ds {
			snippet := string(d.At.SliceBytes(text))
			fmt.Fprintf(&all, "  %s %q: %s\n", d.Code, snippet, d.Detail)
			key := fmt.Sprintf("%d %s %q", d.At.Start.Line, d.Code, snippet)
			part, ok := wants[key]
			assert.True(t, ok, "%s: not wanted: %s: %s", name, key, d.Detail)
			assert.Contains(t, d.Detail, part, name)
			delete(wants, key)
			assert.Regexp(t, advice, d.Detail, "%s: does not say what to do", name)
			assert.Regexp(t, `[.?]$`, d.Detail, name)
			assert.NotContains(t, d.Detail, "invalid", name)
			assert.True(t, slices.ContainsFunc(Topics, func(topic diag.Topic) bool { return topic.Code == d.Code && topic.Summary == d.Summary }),
				d.Code)
		}
		assert.Empty(t, wants, "%s: missing", name)
	}
	const golden = "testdata/bad.txt"
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(all.String()), 0o644))
		return
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), all.String(), "run go test ./compiler -run TestBad -update, and read the diff")
}
