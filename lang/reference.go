package lang

import (
	"fmt"
	"strings"

	"github.com/rocec/rocec/lang/eval"
)

// guide is the page that explains the blocks and shows examples.
const guide = "language.md"

// Reference returns the reference of the language as a page of Markdown: every block, attribute, type, default, function and error
// code. It is generated from the tables by which fabrics are decoded.
func Reference() string {
	var b strings.Builder
	b.WriteString("# Reference of the fabric language\n\n" +
		"For people who write a fabric and look up a block, an attribute, a function or an error code. " +
		"[The guide](" + guide + ") explains them with examples.\n\n" +
		"The page is generated from the tables of the language. [Values and units](" + guide + "#values-and-units) explains the types.\n\n" +
		"## Blocks\n\n| block | how often | `for_each` |\n| --- | --- | --- |\n")
	blocks := Blocks()
	for _, d := range blocks {
		forEach := "no"
		if d.ForEach {
			forEach = "yes"
		}
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s |\n", d.Path, anchor(d.Title()), d.often(), forEach)
	}
	for _, d := range blocks {
		d.write(&b)
	}
	b.WriteString("\n## Functions\n\n[The guide](" + guide + "#functions) has the rules for files and regular expressions.\n\n" +
		"| function | gives | for example |\n| --- | --- | --- |\n")
	for _, f := range eval.Functions {
		fmt.Fprintf(&b, "| `%s(%s)` | %s | `%s` = `%s` |\n", f.Name, f.Args, cell(f.Doc), cell(f.Example), cell(f.Gives))
	}
	b.WriteString("\n## Error codes of the language\n\n[Every code](checks/README.md) has a page with an example and the fix.\n\n" +
		"| code | says |\n| --- | --- |\n")
	for _, topic := range Topics {
		fmt.Fprintf(&b, "| [%s](checks/%[1]s.md) | %s |\n", topic.Code, topic.Summary)
	}
	return b.String()
}

// Title returns the heading of a block in the guide and in the reference.
func (d BlockDoc) Title() string {
	if d.Label == "" {
		return d.Path
	}
	return fmt.Sprintf("%s %q", d.Path, d.Label)
}

func (d BlockDoc) often() string {
	if d.Single {
		return "at most one"
	}
	return "any number"
}

// write writes the section of a block.
func (d BlockDoc) write(b *strings.Builder) {
	fmt.Fprintf(b, "\n### %s\n\n%s [Guide](%s#%s).\n", d.Title(), d.Doc, guide, anchor(d.Title()))
	if len(d.Attrs) == 0 {
		return
	}
	b.WriteString("\n| attribute | type | default | meaning |\n| --- | --- | --- | --- |\n")
	for _, a := range d.Attrs {
		def, doc := a.Default, a.Doc
		if a.Required {
			def = "**required**"
		}
		if a.More != "" {
			doc += " " + a.More
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", a.Name, cell(a.Type), cell(def), cell(doc))
	}
}

// cell returns a text for a cell of a table.
func cell(s string) string { return strings.ReplaceAll(s, "|", "\\|") }

// anchor returns the part of a link after "#" for a heading.
func anchor(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z':
			return r
		}
		return -1
	}, strings.ToLower(heading))
}
