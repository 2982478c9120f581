package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/langtest/machinetest"
)

// docs/reference.md has every verb with its flags, as the help does, in the groups of rocec help.
func TestDocsReference(t *testing.T) {
	root := newRoot(&person.Person{Getenv: func(string) string { return "" }})
	var b strings.Builder
	b.WriteString("# Verbs and flags\n\nGenerated from the help of the verbs (`make update`); `rocec help VERB` prints the same, and " +
		"`rocec docs --man DIR` writes it as man pages.\n\nDIR is the fabric's folder, by default the current one.\n")
	for _, g := range root.Groups() {
		fmt.Fprintf(&b, "\n## %s\n", g.Title)
		for _, c := range shownVerbs(root) {
			if c.GroupID == g.ID {
				referenceOf(&b, c, "###")
			}
		}
	}
	b.WriteString("\n## Options of every verb\n\n")
	flagTable(&b, flagHelps(root.PersistentFlags()))
	b.WriteString("\n## Exit codes\n\n| code | meaning |\n| --- | --- |\n")
	for _, e := range exit.Meanings {
		fmt.Fprintf(&b, "| %d | %s |\n", e.Status, cell(e.Meaning))
	}
	requireGenerated(t, "reference.md", b.String())
}

// referenceOf writes a command, and those below it.
func referenceOf(b *strings.Builder, cmd *cobra.Command, heading string) {
	fmt.Fprintf(b, "\n%s %s\n\n`%s`", heading, cmd.CommandPath(), strings.TrimSuffix(cmd.UseLine(), " [flags]"))
	for _, alias := range cmd.Aliases {
		fmt.Fprintf(b, ", also `rocec %s`", alias)
	}
	b.WriteString("\n")
	prose := &diag.Printer{Width: 120}
	paragraphs(long(cmd), func(text string) {
		b.WriteString("\n")
		prose.Prose(b, "", markdownProse.Replace(text)) //nolint:errcheck // a builder takes everything
	},
		func(text string) { b.WriteString("\n```text\n" + text + "\n```\n") })
	if flags := flagHelps(cmd.LocalFlags()); len(flags) > 0 {
		b.WriteString("\n")
		flagTable(b, flags)
	}
	if cmd.Example != "" {
		b.WriteString("\n```text\n" + cmd.Example + "\n```\n")
	}
	for _, c := range shownVerbs(cmd) {
		referenceOf(b, c, heading+"#")
	}
}

func flagTable(b *strings.Builder, flags []flagHelp) {
	b.WriteString("| option | meaning |\n| --- | --- |\n")
	for _, f := range flags {
		fmt.Fprintf(b, "| `%s` | %s |\n", strings.TrimRight(f.name+" "+f.value, " "), cell(f.text))
	}
}

var markdownProse = strings.NewReplacer("*", `\*`, "<", `\<`)

// cell is text in a table.
func cell(s string) string { return strings.ReplaceAll(markdownProse.Replace(s), "|", `\|`) }

// What the package documentation says of exit codes and groups is what the man pages say.
func TestManualOfExitCodes(t *testing.T) {
	data, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	text := strings.Join(strings.Fields(string(data)), " ")
	for _, e := range exit.Meanings {
		assert.Contains(t, text, fmt.Sprintf(" %d %s ", e.Status, e.Meaning))
	}
}

// TestVerbs holds every verb to what one has: a group of the help, a line in doc.go, and a schema of its JSON by which a transcript judges it.
func TestVerbs(t *testing.T) {
	manual, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	var transcripts []byte
	files, err := filepath.Glob("../internal/transcripts/testdata/script/*.txtar")
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		transcripts = append(transcripts, text...)
	}
	withJSON := 0
	for _, c := range shownVerbs(newRoot(&person.Person{Getenv: func(string) string { return "" }})) {
		assert.NotEmpty(t, c.GroupID, c.Name())
		assert.True(t, regexp.MustCompile(`(?m)^\trocec (completion, )?`+c.Name()+`\b`).Match(manual), "doc.go has no line for %s", c.Name())
		format := c.Flags().Lookup("format")
		if format == nil || !strings.Contains(format.Usage, "json") {
			continue
		}
		withJSON++
		name := c.Name()
		if strings.Contains(format.Usage, "one object a line") { // the events of a run
			name = "apply"
		}
		assert.FileExists(t, "../../docs/schema/"+name+".json", "the JSON of %s has a schema", c.Name())
		assert.True(t, strings.Contains(string(transcripts), "\nschema "+name+" "), "no transcript judges the JSON of %s", c.Name())
	}
	assert.Greater(t, withJSON, 10)
}

// Every verb has a man page, which roff takes without a warning, and the same bytes twice.
func TestManPages(t *testing.T) {
	groff := machinetest.Need(t, "groff")
	dir, again := filepath.Join(t.TempDir(), "man"), t.TempDir()
	code, said, stderr := rocec(t, "docs", "--man", dir)
	require.Equal(t, exit.Good, code, stderr)
	assert.Contains(t, said, "man pages in "+dir)
	code, _, _ = rocec(t, "docs", "--man", again)
	require.Equal(t, exit.Good, code)

	var want []string
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		want = append(want, manName(cmd)+".1")
		for _, c := range shownVerbs(cmd) {
			walk(c)
		}
	}
	walk(newRoot(&person.Person{Getenv: func(string) string { return "" }}))
	slices.Sort(want)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
		page, err := os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(t, err)
		second, err := os.ReadFile(filepath.Join(again, e.Name()))
		require.NoError(t, err)
		assert.Equal(t, string(page), string(second), e.Name())
		cmd := exec.Command(groff, "-man", "-ww", "-Tutf8", "-P-cbu", filepath.Join(dir, e.Name()))
		var warned strings.Builder
		cmd.Stderr = &warned
		out, err := cmd.Output()
		require.NoError(t, err, e.Name())
		assert.Empty(t, warned.String(), e.Name())
		assert.Contains(t, string(out), "SYNOPSIS", e.Name())
	}
	assert.Equal(t, want, got)

	code, _, stderr = rocec(t, "docs", "--man", filepath.Join(dir, "rocec.1"))
	assert.Equal(t, exit.Machines, code)
	assert.Contains(t, oneLine(stderr), "not a directory")
	code, _, _ = rocec(t, "docs", "--man", dir, "apply")
	assert.Equal(t, exit.Usage, code)
}

// What stands in a text comes out of roff as it is.
func TestManEscapes(t *testing.T) {
	groff := machinetest.Need(t, "groff")
	const text = `.TH 'quoted' "twice" back\slash \fBbold -- ~ ^ ` + "`code`" + ` … é`
	cmd := exec.Command(groff, "-man", "-ww", "-Tutf8")
	cmd.Stdin = strings.NewReader(".TH X 1\n.nh\n.ad l\n.SH A\n" + escapeRoff(text) + "\n")
	cmd.Env = append(os.Environ(), "GROFF_NO_SGR=1")
	out, err := cmd.Output()
	require.NoError(t, err)
	assert.Contains(t, strings.Join(strings.Fields(string(out)), " "), text)
}
