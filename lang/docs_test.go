package lang

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/eval"
)

var update = flag.Bool("update", false, "rewrite the tables of docs/language.md")

const manual = "../docs/language.md"

// TestManual holds the tables of the manual to the tables of the code; with -update it writes them.
func TestManual(t *testing.T) {
	src, err := os.ReadFile(manual)
	require.NoError(t, err)
	doc := string(src)
	for _, d := range Blocks() {
		doc = blockSection(t, doc, d)
	}
	doc = section(t, doc, "functions", functionTable())
	doc = section(t, doc, "codes", codeTable())
	if *update && doc != string(src) {
		require.NoError(t, os.WriteFile(manual, []byte(doc), 0o644))
		return
	}
	require.Equal(t, doc, string(src), "run go test ./lang -run TestManual -update")
}

// section replaces what stands between the marks of a section.
func section(t *testing.T, doc, name, text string) string {
	begin, end := "<!-- begin "+name+" -->\n", "<!-- end "+name+" -->"
	i, j := strings.Index(doc, begin), strings.Index(doc, end)
	require.True(t, i >= 0 && j > i, "%s: no section %s", manual, name)
	return doc[:i+len(begin)] + text + doc[j:]
}

func cell(s string) string { return strings.ReplaceAll(s, "|", "\\|") }

var hclFence = regexp.MustCompile("(?s)```hcl.*?\n```\n")

// blockSection fills the table of a block into its section, whose examples show every attribute.
func blockSection(t *testing.T, doc string, d BlockDoc) string {
	title := "# " + d.Path
	if d.Label != "" {
		title += fmt.Sprintf(" %q", d.Label)
	}
	_, rest, ok := strings.Cut(doc, title+"\n")
	require.True(t, ok, "%s has no section %q", manual, title)
	own, _, _ := strings.Cut(rest, "\n##")
	require.Contains(t, own, "```hcl", "the section %q has no example", title)
	_, accepted, _ := strings.Cut(doc, "\n## Findings you accept\n") // allow_deadlock and allow_unproven are shown there
	accepted, _, _ = strings.Cut(accepted, "\n## ")
	for _, a := range d.Attrs {
		shown := regexp.MustCompile(`(?m)^ +` + a.Name + ` += `)
		require.True(t, slices.ContainsFunc(hclFence.FindAllString(own+accepted, -1), shown.MatchString), "no example of %q shows %s", title,
			a.Name)
	}
	if len(d.Attrs) == 0 {
		return doc
	}
	mark := "<!-- table " + d.Path + " -->\n"
	require.Contains(t, own, mark, "the section %q has no table", title)
	i := strings.Index(doc, mark) + len(mark)
	j := strings.Index(doc[i:], "<!-- end table -->")
	require.GreaterOrEqual(t, j, 0, d.Path)
	return doc[:i] + attributeTable(d) + doc[i+j:]
}

func attributeTable(d BlockDoc) string {
	var b strings.Builder
	b.WriteString("| attribute | type | default | |\n| --- | --- | --- | --- |\n")
	for _, a := range d.Attrs {
		def := a.Default
		if a.Required {
			def = "**required**"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", a.Name, cell(a.Type), cell(def), cell(a.Doc))
	}
	return b.String()
}

func functionTable() string {
	var b strings.Builder
	b.WriteString("| function | gives | for example |\n| --- | --- | --- |\n")
	for _, f := range eval.Functions {
		fmt.Fprintf(&b, "| `%s(%s)` | %s | `%s` = `%s` |\n", f.Name, f.Args, cell(f.Doc), cell(f.Example), cell(f.Gives))
	}
	return b.String()
}

func codeTable() string {
	var b strings.Builder
	b.WriteString("| code | says |\n| --- | --- |\n")
	for _, topic := range Topics {
		fmt.Fprintf(&b, "| `%s` | %s |\n", topic.Code, topic.Summary)
	}
	return b.String()
}
