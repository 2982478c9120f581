package diag

import (
	"regexp"
	"strings"
)

// The two headings of every story; what stands before the first of them tells why it matters.
const (
	exampleHeading = "Example:"
	fixHeading     = "Fix:"
)

// Story returns the three parts of a Doc: why it matters, a minimal bad example, and how to fix it, each without its
// heading. A part that is missing is empty.
func (t *Topic) Story() (why, example, fix string) {
	doc := "\n" + strings.Trim(t.Doc, "\n") + "\n"
	why, fix, _ = strings.Cut(doc, "\n"+fixHeading)
	why, example, _ = strings.Cut(why, "\n"+exampleHeading)
	return strings.Trim(why, "\n"), strings.Trim(example, "\n"), strings.Trim(fix, "\n")
}

// Headings returns the Doc with paint called on both headings, as a terminal shows it.
func (t *Topic) Headings(paint func(string) string) string {
	doc := "\n" + strings.Trim(t.Doc, "\n") + "\n"
	for _, h := range []string{exampleHeading, fixHeading} {
		doc = strings.Replace(doc, "\n"+h, "\n"+paint(h), 1)
	}
	return strings.Trim(doc, "\n")
}

// Markdown returns the Doc as Markdown. Examples and fixes are fenced as the language named, unless they are a
// terminal's ("$ command"), JSON, a graph of graphviz, a tree of NVUE or a traffic.conf; tables of the first part are fenced as text.
func (t *Topic) Markdown(language string) string {
	why, example, fix := t.Story()
	var b strings.Builder
	markdown(&b, why, "text")
	part := func(heading, text string) {
		if text == "" {
			return
		}
		b.WriteString("\n**" + heading + "**")
		if strings.HasPrefix(text, codeIndent) {
			b.WriteString("\n")
		}
		markdown(&b, text, language)
	}
	part(exampleHeading, example)
	part(fixHeading, fix)
	return strings.TrimLeft(b.String(), "\n")
}

const codeIndent = "    "

// markdown writes paragraphs: prose, lists ("  - item"), and code, which is indented by four spaces.
func markdown(b *strings.Builder, text, language string) {
	var code []string
	flush := func() {
		if code == nil {
			return
		}
		b.WriteString("\n```" + fence(code[0], language) + "\n" + strings.Join(code, "\n\n") + "\n```\n")
		code = nil
	}
	for i, p := range strings.Split(text, "\n\n") {
		p = strings.Trim(p, "\n")
		if strings.HasPrefix(p, codeIndent) {
			lines := strings.Split(p, "\n")
			for i, line := range lines {
				lines[i] = strings.TrimPrefix(line, codeIndent)
			}
			code = append(code, strings.Join(lines, "\n"))
			continue
		}
		flush()
		if p == "" {
			b.WriteString("\n")
			continue
		}
		if i > 0 || strings.TrimLeft(p, " ") == p { // what follows a heading on its line stays there
			b.WriteString("\n")
		}
		for line := range strings.SplitSeq(p, "\n") {
			b.WriteString(escapeMarkdown(strings.TrimPrefix(line, "  ")) + "\n")
		}
	}
	flush()
}

// configKey is how a line of traffic.conf begins.
var configKey = regexp.MustCompile(`^[a-z_]+(\.[a-z0-9_]+)+ =`)

// fence is the language of a code block that begins with text.
func fence(text, language string) string {
	switch {
	case strings.HasPrefix(text, "$ "):
		return "console"
	case strings.HasPrefix(text, "rocec-lock "):
		return "lock"
	case strings.HasPrefix(text, "{"):
		return "json"
	case strings.HasPrefix(text, "graph "), strings.HasPrefix(text, "digraph "):
		return "dot"
	case strings.HasPrefix(text, "- header:"), strings.HasPrefix(text, "- set:"):
		return "yaml"
	case configKey.MatchString(text):
		return "ini"
	}
	return language
}

var markdownEscapes = strings.NewReplacer("*", `\*`, "<", `\<`, "~", `\~`, "`", "\\`")

// escapeMarkdown returns a line of prose as Markdown that shows it. Underscores inside words mean nothing there.
func escapeMarkdown(line string) string {
	line = markdownEscapes.Replace(line)
	if strings.HasPrefix(line, "#") || strings.HasPrefix(line, ">") || strings.HasPrefix(line, "+ ") {
		return `\` + line
	}
	return line
}
