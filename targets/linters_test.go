package targets_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/target/lint"
)

// Every linter judges files, has limits and rules, and each code has one linter. The last linter accepts every file that no other accepts.
func TestLinters(t *testing.T) {
	all := targets.Linters().Asked()
	require.NotEmpty(t, all)
	for i, l := range all {
		assert.Equal(t, i == len(all)-1, l.Takes == nil, "the last linter accepts every other file")
		assert.Positive(t, l.Most)
		assert.NotEmpty(t, append(l.Names, l.Also...))
		assert.NotEmpty(t, l.Rules)
		assert.Empty(t, l.Check(nil).Diagnostics)
	}
	codes := map[string]bool{}
	for _, topic := range targets.Linters().Topics() {
		assert.False(t, codes[topic.Code], topic.Code)
		codes[topic.Code] = true
	}
}

// A file whose beginning and name belong to no system goes to the linter for other files, and a file of several systems to the first of
// their linters.
func TestLinterOf(t *testing.T) {
	for text, name := range map[string]string{
		"- set:\n": "startup.yaml", `{"set": {"qos": {}}}`: "config_db.json", "{}": "saved", "pfc.port_group_list = []\n": "traffic.conf",
		"words\n": "notes", "\xef\xbb\xbf{}": "marked",
	} {
		f := lint.File{Name: name, Data: []byte(text)}
		own := targets.Linters().Of(f)
		taken := 0
		for _, l := range targets.Linters().Asked() {
			if l == own {
				break
			}
			if l.Takes(f) {
				taken++
			}
		}
		assert.Zero(t, taken, "%s: an earlier linter accepts it", name)
		assert.Len(t, targets.Linters().Check([]lint.File{f}).Files, 1)
	}
	marked := lint.File{Name: "a", Data: []byte(lint.ByteOrderMark + "{}")}
	assert.Equal(t, "{}", string(targets.Linters().Unmarked(marked)))
	marked.Data = []byte(lint.ByteOrderMark + "words\n")
	assert.Equal(t, string(marked.Data), string(targets.Linters().Unmarked(marked)), "its linter reports the mark")
}

// Findings that only report that a file is not judged are those of package lint and those that a linter declares.
func TestUnjudged(t *testing.T) {
	assert.True(t, targets.Linters().Unjudged(lint.NotJudged("a", "it is empty", "Copy it again.")))
	declared := 0
	for _, l := range targets.Linters() {
		for _, topic := range l.Unjudged {
			declared++
			assert.True(t, targets.Linters().Unjudged(&diag.Diagnostic{Code: topic.Code}))
		}
		for _, topic := range l.Rules {
			assert.False(t, targets.Linters().Unjudged(&diag.Diagnostic{Code: topic.Code}), topic.Code)
		}
	}
	assert.Positive(t, declared)
}
