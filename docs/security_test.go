package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSecuritySentences requires every sentence of the two pages on security in testdata/security.txt, with the tests that fail if the
// sentence is false. A new or reworded sentence needs its tests listed again.
func TestSecuritySentences(t *testing.T) {
	data, err := os.ReadFile(filepath.FromSlash("testdata/security.txt"))
	require.NoError(t, err)
	held := map[string]string{}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		tests, sentence, ok := strings.Cut(line, " | ")
		require.True(t, ok, line)
		require.NotContains(t, held, sentence)
		held[sentence] = tests
		checkTests(t, sentence, tests)
	}
	for _, page := range []string{"../SECURITY.md", "security.md"} {
		text, err := os.ReadFile(filepath.FromSlash(page))
		require.NoError(t, err)
		found := sentencesOf(string(text))
		require.Greater(t, len(found), 15, page)
		for _, s := range found {
			if assert.Contains(t, held, s, "%s: testdata/security.txt names no test of this sentence", page) {
				delete(held, s)
			}
		}
	}
	for s := range held {
		assert.Fail(t, "testdata/security.txt has a sentence that no page has", s)
	}
}

// checkTests requires that each of "DIR TestName, DIR TestName" is a test of that folder. "people" marks a sentence about actions of
// people, and "names" a sentence that names something and claims nothing.
func checkTests(t *testing.T, sentence, tests string) {
	if tests == "people" || tests == "names" {
		return
	}
	for one := range strings.SplitSeq(tests, ", ") {
		dir, name, ok := strings.Cut(one, " ")
		require.True(t, ok, "%q: %q is not \"DIR TestName\"", sentence, one)
		assert.True(t, hasTest(t, dir, name), "%q: %s has no %s", sentence, dir, name)
	}
}

// hasTest reports whether a folder has a Go test of that name, or a script of that name which CI runs.
func hasTest(t *testing.T, dir, name string) bool {
	dir = filepath.Join("..", filepath.FromSlash(dir))
	if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
		return true
	}
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	require.NoError(t, err)
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		if strings.Contains(string(text), "\nfunc "+name+"(") {
			return true
		}
	}
	return false
}

// sentenceEnd matches the end of a sentence of Markdown: a full stop before a capital, a code, a link, or the name of the program.
var sentenceEnd = regexp.MustCompile("([.!?]) +([A-Z`\\[(]|rocec )")

// sentencesOf returns the sentences of a page, each on one line. Rows of tables and items of lists count as paragraphs.
func sentencesOf(page string) []string {
	var out []string
	var paragraph []string
	flush := func() {
		text := strings.Join(paragraph, " ")
		paragraph = nil
		for s := range strings.SplitSeq(sentenceEnd.ReplaceAllString(text, "$1\n$2"), "\n") {
			if s = strings.TrimSpace(s); s != "" {
				out = append(out, s)
			}
		}
	}
	lines := strings.Split(page, "\n")
	for i, line := range lines {
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "" || strings.HasPrefix(line, "#"):
			flush()
		case strings.HasPrefix(line, "|"):
			flush()
			if strings.Trim(trimmed, "|- ") == "" || i+1 < len(lines) && strings.HasPrefix(lines[i+1], "| ---") {
				continue // a heading and the line below it
			}
			paragraph = append(paragraph, strings.ReplaceAll(strings.Trim(trimmed, "| "), " | ", ": "))
			flush()
		case strings.HasPrefix(line, "- "):
			flush()
			paragraph = append(paragraph, trimmed[2:])
		default:
			paragraph = append(paragraph, trimmed)
		}
	}
	flush()
	return out
}

func TestSentencesOf(t *testing.T) {
	assert.Equal(t, []string{"One is\u00a0here.", "`two` is there.", "An item that goes on.", "cell: other cell"},
		sentencesOf("# Title\n\nOne\nis\u00a0here. `two` is\nthere.\n\n- An item\n  that goes on.\n\n| a | b |\n| --- | --- |\n| cell | other cell |\n"))
}
