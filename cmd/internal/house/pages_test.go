package house

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each link of the manuals points to an existing file and heading.
func TestDocsLinks(t *testing.T) {
	t.Chdir(root)
	files, err := filepath.Glob("docs/*.md")
	require.NoError(t, err)
	codes, err := filepath.Glob("docs/checks/*.md")
	require.NoError(t, err)
	files = append(append(files, codes...), "README.md", "CONTRIBUTING.md", "SECURITY.md")
	anchors := map[string]bool{}
	heading := regexp.MustCompile("(?m)^#+ (.*)$")
	for _, name := range files {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		assert.NotRegexp(t, "(?m)^(<<<<<<<|>>>>>>>) ", string(data), "%s: a conflict mark of a merge", name)
		anchors[name+"#"] = true
		for _, m := range heading.FindAllStringSubmatch(string(data), -1) {
			slug := regexp.MustCompile(`[^a-z0-9 _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
			anchors[name+"#"+strings.ReplaceAll(slug, " ", "-")] = true
		}
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, m := range regexp.MustCompile(`\]\(([^)\s]+)\)`).FindAllStringSubmatch(string(data), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			to, anchor, _ := strings.Cut(m[1], "#")
			file := name
			if to != "" {
				file = path.Join(path.Dir(name), to)
				_, err := os.Stat(file)
				assert.NoError(t, err, "%s: %s", name, m[1])
			}
			if anchor != "" && strings.HasSuffix(file, ".md") {
				assert.True(t, anchors[file+"#"+anchor], "%s: no heading for %s", name, m[1])
			}
		}
	}
}

// CHANGELOG.md begins with the unreleased changes. The text of a release is short: each entry is one line in one of four sections.
func TestChangelog(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	require.NoError(t, err)
	releases := strings.Split(string(text), "\n## ")[1:]
	require.Greater(t, len(releases), 1)
	for i, release := range releases {
		title, rest, _ := strings.Cut(release, "\n")
		if i == 0 {
			require.Equal(t, "Unreleased", title)
		} else {
			require.Regexp(t, `^\d+\.\d+\.\d+ - \d{4}-\d{2}-\d{2}$`, title)
		}
		assert.Less(t, len(release), 12_000, "%s: move longer texts to docs", title)
		for line := range strings.Lines(rest) {
			line = strings.TrimRight(line, "\n")
			if section, ok := strings.CutPrefix(line, "### "); ok {
				assert.Contains(t, []string{"Added", "Changed", "Fixed", "On devices"}, section, title)
			}
			assert.False(t, strings.HasPrefix(line, " "), "%s: an entry is a line: %s", title, line)
			assert.LessOrEqual(t, len(line), 160, "%s: %s", title, line)
		}
	}
}

// docs/hosts.md has a row for every capability, and every test that it names exists.
func TestHostsPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs/hosts.md"))
	require.NoError(t, err)
	declared := map[string]bool{}
	require.NoError(t, filepath.WalkDir(root, func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := os.ReadFile(name)
		for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllStringSubmatch(string(text), -1) {
			declared[m[1]] = true
		}
		return err
	}))
	id := 0
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(line, "|")
		if len(cells) < 5 || !strings.HasPrefix(strings.TrimSpace(cells[1]), "H") {
			continue
		}
		id++
		assert.Equal(t, fmt.Sprintf("H%d", id), strings.TrimSpace(cells[1]))
		for name := range strings.SplitSeq(strings.TrimSpace(cells[4]), ", ") {
			assert.True(t, declared[name], "H%d: there is no test %q", id, name)
		}
	}
	assert.Equal(t, 26, id)
}
