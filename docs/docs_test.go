package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Every Markdown file of the folder is a page, except those that only the web has. Its name is unique, and Find accepts the usual
// spellings.
func TestPages(t *testing.T) {
	var want []string
	for _, pattern := range []string{"*.md", "checks/*.md"} {
		names, err := filepath.Glob(pattern)
		require.NoError(t, err)
		want = append(want, names...)
	}
	// Contributors read them on the web. rocec help prints the texts of reference.md, and rocec show the numbers of each port.
	source := []string{"architecture.md", "concepts.md", "testing.md", "walkthrough.md", "reference.md", "numbers.md"}
	want = slices.DeleteFunc(want, func(name string) bool { return slices.Contains(source, name) })
	want = append(want, "evidence/README.md")
	var got []string
	for _, p := range Pages() {
		got = append(got, filepath.FromSlash(p.File))
		assert.Same(t, p, Find(p.Name))
		assert.Same(t, p, Find("docs/"+p.File))
		data, err := os.ReadFile(p.File)
		require.NoError(t, err)
		assert.True(t, strings.HasSuffix(string(data), "# "+p.Title+"\n\n"+p.Body), p.File)
	}
	slices.Sort(want)
	slices.Sort(got)
	assert.Equal(t, want, got)

	for name, file := range map[string]string{
		"readme": "README.md", "APPLY": "apply.md", "checks": "checks/README.md", "checks/": "checks/README.md", "PFC_LOOP": "checks/pfc-loop.md",
		"checks/pfc-loop.md": "checks/pfc-loop.md", "evidence": "evidence/README.md", "./apply.md": "apply.md",
	} {
		if p := Find(name); assert.NotNil(t, p, name) {
			assert.Equal(t, file, p.File, name)
		}
	}
	for _, name := range []string{"", "..", "nothing", "docs.go", "checks/apply", "docs/"} {
		if p := Find(name); p != nil {
			assert.NotEqual(t, "docs.go", p.File, name)
		}
	}
	assert.NotNil(t, OfCode("pfc-loop"))
	assert.Nil(t, OfCode("apply"), "a page, and no code")
}

// forWhom matches the first line of a page, which names its readers.
var forWhom = regexp.MustCompile(`^For (everyone|engineers|operators|owners|people|security reviewers|teams|the person)\b.*[^,]$`)

// The first line of every page names its readers. The readers of a code's page are people who see the code in a finding.
func TestForWhom(t *testing.T) {
	// Generated pages begin with the command that writes them.
	generated := []string{"checks/README.md", "known.md", "numbers.md", "platforms.md", "reference.md", "support.md"}
	names, err := filepath.Glob("*.md")
	require.NoError(t, err)
	require.Greater(t, len(names), 25)
	for _, name := range append(names, "checks/README.md", "evidence/README.md") {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		p, err := parsePage(name, string(data))
		require.NoError(t, err)
		first, _, _ := strings.Cut(p.Body, "\n")
		if slices.Contains(generated, name) {
			assert.Contains(t, first, "Generated from", name)
			continue
		}
		assert.Regexp(t, forWhom, first, name)
	}
}

func TestParsePage(t *testing.T) {
	const head = "code: a-b\nseverity: error, note\nfamily: loops\n"
	p, err := parsePage("checks/a-b.md", "---\n"+head+"symptoms:\n  - one\n  - two: more\n---\n\n# a-b: it is: so\n\nWhy.\n")
	require.NoError(t, err)
	assert.Equal(t, &Page{
		File: "checks/a-b.md", Name: "a-b", Title: "a-b: it is: so", Body: "Why.\n", Code: "a-b", Summary: "it is: so",
		Severities: []string{"error", "note"}, Family: "loops", Symptoms: []string{"one", "two: more"},
	}, p)
	for name, c := range map[string][2]string{
		"no title":           {"a.md", "text\n"},
		"code elsewhere":     {"a-b.md", "---\n" + head + "---\n# a-b: x\n"},
		"no front matter":    {"checks/a-b.md", "# a-b: x\n"},
		"another file":       {"checks/a-c.md", "---\n" + head + "---\n# a-b: x\n"},
		"another title":      {"checks/a-b.md", "---\n" + head + "---\n# b: x\n"},
		"endless":            {"checks/a-b.md", "---\n" + head},
		"unknown key":        {"checks/a-b.md", "---\n" + head + "colour: red\n---\n# a-b: x\n"},
		"unknown family":     {"checks/a-b.md", "---\ncode: a-b\nseverity: error\nfamily: none\n---\n# a-b: x\n"},
		"item without list":  {"checks/a-b.md", "---\n" + head + "  - one\n---\n# a-b: x\n"},
		"no severity":        {"checks/a-b.md", "---\ncode: a-b\nfamily: loops\n---\n# a-b: x\n"},
		"symptoms on a line": {"checks/a-b.md", "---\n" + head + "symptoms: one\n---\n# a-b: x\n"},
	} {
		_, err := parsePage(c[0], c[1])
		assert.Error(t, err, name)
	}
}

const sample = `# A **title**

Some words that *go on* for longer than a line, with ` + "`code here`" + `, a [link](https://example.net/a), [one](b.md#c) that
leads to a page, [b.md](b.md), and \*escapes\* &amp; <b>marks</b>.

<!-- begin table -->
| name | what it is |
| --- | --- |
| a | short |
| ` + "`b|c`" + ` | a cell with many words in it, which is broken<br>where it must |
<!-- end table -->

## Second

- one
- two, which is long enough that it goes on in another line
  - below it

3. three

   ` + "```console" + `
   $ a command that is longer than the line and is never broken anywhere
   ` + "```" + `
4. four

> said by
> somebody

![a drawing](x.svg)

---
`

func TestTerminal(t *testing.T) {
	want := strings.ReplaceAll(`A title
=======

Some words that go on for longer than a
line, with 'code here', a link
(https://example.net/a), one (b.md) that
leads to a page, b.md, and *escapes* &
marks.

name   what it is
-----  ---------------------------------
a      short

'b|c'  a cell with many words in it,
       which is broken
       where it must

Second
------

- one
- two, which is long enough that it goes
  on in another line
  - below it

3. three

       $ a command that is longer than the line and is never broken anywhere

4. four

| said by somebody

[picture: a drawing]

--------------------
`, "'", "`")
	source := strings.Replace(sample, "`b|c`", "`b\\|c`", 1)
	assert.Equal(t, want, Terminal{Width: 40}.Markdown(source))

	painted := Terminal{Width: 40, Color: true}.Markdown(source)
	assert.Contains(t, painted, "\x1b[1mtitle\x1b[0m")
	assert.Contains(t, painted, "\x1b[36mcode\x1b[0m \x1b[36mhere\x1b[0m,")
	var plainAgain strings.Builder
	for i, part := range strings.Split(painted, "\x1b[") {
		if i > 0 {
			_, part, _ = strings.Cut(part, "m")
		}
		plainAgain.WriteString(part)
	}
	unmarked := regexp.MustCompile("`([^`\n]+)`").ReplaceAllString(source, "$1") // code is marked by colour, or by backquotes
	assert.Equal(t, Terminal{Width: 40}.Markdown(unmarked), plainAgain.String(), "colour codes take no columns")
}

// A table whose words do not fit beside each other becomes lines.
func TestTerminalRecords(t *testing.T) {
	text := "| key | file |\n| --- | --- |\n| a | /a/long/path/of/a/file |\n| bbbbbbbb | x |\n"
	assert.Equal(t, "key: a\nfile:\n  /a/long/path/of/a/file\n\nkey: bbbbbbbb\nfile: x\n", Terminal{Width: 20}.Markdown(text))
	assert.Equal(t, "key       file\n--------  ----------------------\na         /a/long/path/of/a/file\nbbbbbbbb  x\n",
		Terminal{Width: 40}.Markdown(text))
}

// Only code and single long words of the manual are wider than the terminal.
func TestTerminalWidth(t *testing.T) {
	for _, p := range Pages() {
		code := map[string]bool{}
		for line := range strings.Lines(p.Body) {
			code[strings.TrimSpace(line)] = true
		}
		for _, width := range []int{40, 80, 120} {
			for line := range strings.Lines(Terminal{Width: width}.Text(p)) {
				line = strings.TrimRight(line, "\n")
				if columns(line) > width && !code[strings.TrimSpace(line)] {
					assert.Len(t, strings.Fields(strings.TrimLeft(line, "-0123456789.| ")), 1, "%s at %d: %s", p.File, width, line)
				}
			}
		}
	}
}

// Terminal writes no control codes of a terminal and does not panic, whatever the text.
func TestTerminalIsSafe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{
			"# ", "- ", "1. ", "> ", "| a ", "| --- ", "|\n", "\n", "\n\n", "```", "    ", "`", "**", "[x](y.md)", "<!-- ", "<b>", "\\", "&#27;",
			"\x1b[2J",
			"\x07", "\u202e", "word", " ", "![a](b)", "\xff", "\t", "\r",
		})).Draw(t, "parts"), "")
		out := Terminal{Width: rapid.IntRange(1, 50).Draw(t, "width")}.Markdown(text)
		assert.NotRegexp(t, "[\x00-\x09\x0b-\x1f\x7f\u202e]", out)
	})
}

func TestPlain(t *testing.T) {
	assert.Equal(t, "one `two` three", Plain("one\n`two`\nthree\n"))
}
