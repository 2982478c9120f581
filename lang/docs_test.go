package lang

import (
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write docs/language-reference.md")

const (
	guideFile     = "../docs/language.md"
	referenceFile = "../docs/language-reference.md"
)

// TestManual compares the reference of the language with the tables of the code; with -update it writes the page.
func TestManual(t *testing.T) {
	if *update {
		require.NoError(t, os.WriteFile(referenceFile, []byte(Reference()), 0o644))
	}
	src, err := os.ReadFile(referenceFile)
	require.NoError(t, err)
	require.Equal(t, Reference(), string(src), "run go test ./lang -run TestManual -update")
}

// The guide has a section for every block. The section has an example of every attribute and a link to the reference.
func TestGuide(t *testing.T) {
	src, err := os.ReadFile(guideFile)
	require.NoError(t, err)
	doc := string(src)
	for _, d := range Blocks() {
		requireExamples(t, doc, d)
	}
}

var hclFence = regexp.MustCompile("(?s)```hcl.*?\n```\n")

// requireExamples finds the section of a block in the guide, and its examples.
func requireExamples(t *testing.T, doc string, d BlockDoc) {
	_, rest, ok := strings.Cut(doc, "# "+d.Title()+"\n")
	require.True(t, ok, "%s has no section %q", guideFile, d.Title())
	own, _, _ := strings.Cut(rest, "\n##")
	require.Contains(t, own, "```hcl", "the section %q has no example", d.Title())
	if len(d.Attrs) > 0 {
		require.Contains(t, own, "(language-reference.md#"+anchor(d.Title())+")", "the section %q has no link to its attributes", d.Title())
	}
	_, accepted, _ := strings.Cut(doc, "\n## Findings you accept\n") // this section shows allow_deadlock and allow_unproven
	accepted, _, _ = strings.Cut(accepted, "\n## ")
	for _, a := range d.Attrs {
		shown := regexp.MustCompile(`(?m)^ +` + a.Name + ` += `)
		require.True(t, slices.ContainsFunc(hclFence.FindAllString(own+accepted, -1), shown.MatchString), "no example of %q shows %s",
			d.Title(), a.Name)
	}
}
