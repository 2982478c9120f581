package docs

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every row of the page of words is parsed, and links to a heading that exists.
func TestWords(t *testing.T) {
	rows := 0
	for line := range strings.Lines(Find(wordsPage).Body) {
		if strings.HasPrefix(line, "| ") && !strings.HasPrefix(line, "| word ") && !strings.HasPrefix(line, "| --- ") {
			rows++
		}
	}
	require.Len(t, Words(), rows, "a row that is not parsed")
	seen := map[string]bool{}
	for _, w := range Words() {
		for _, name := range w.Names {
			assert.False(t, seen[w.Where+name], "%s has two rows below %s", name, w.Where)
			seen[w.Where+name] = true
		}
		if !assert.NotNil(t, w.Page, "%v links to no page", w.Names) {
			continue
		}
		heading := regexp.MustCompile(`(?m)^#+ ` + regexp.QuoteMeta(w.Section) + `$`)
		assert.Regexp(t, heading, "# "+w.Page.Title+"\n"+w.Page.Body, "%v: docs/%s", w.Names, w.Page.File)
	}
}

func TestWordsOf(t *testing.T) {
	for text, where := range map[string]string{
		"unsound": "verify", "unsound:": "verify", "Unsound": "verify", "other, and sound": "verify", "otherwise": "",
		"unsound: At swp1, PFC goes one way.": "verify",
		"changed since run 20261129-1":        "verify", "other and sound": "verify",
		"--strict": "verify", "waves": "The order of a plan", "not-started": "apply, confirm, resume and rollback", "": "", "s": "",
		"changed since": "verify", "refused": "plan, apply, confirm, resume and rollback", "cut  off:": "The order of a plan",
	} {
		var got []string
		for _, w := range WordsOf(text) {
			got = append(got, w.Where)
		}
		assert.Equal(t, where, strings.Join(got, ", "), text)
	}
}
