package main

import (
	"fmt"
	"maps"
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
	"github.com/rocec/rocec/docs"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets"
)

// docs/reference.md has every verb with the flags of its help, in the groups of rocec help.
func TestDocsReference(t *testing.T) {
	root := newRoot(newApp(&person.Person{Getenv: func(string) string { return "" }}))
	var b strings.Builder
	b.WriteString("# Verbs and flags\n\nGenerated from the help of the verbs (`make update`); `rocec help VERB` prints the same, and " +
		"`rocec help --man DIR` writes it as man pages.\n\nDIR is the fabric's folder, by default the current one.\n")
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
	b.WriteString("\n## Former names\n\nThe verbs and flags of before work until " + formerUntil + ", and print the new name on stderr.\n\n" +
		"| was | is |\n| --- | --- |\n")
	for _, v := range formerVerbs {
		fmt.Fprintf(&b, "| rocec %s | %s |\n", cell(v.use), cell(v.usage()))
	}
	for _, f := range formerFlags {
		fmt.Fprintf(&b, "| --%s | --%s |\n", f.old, f.now)
	}
	b.WriteString("| --only-intent | the default, until --adopt-derived is given |\n")
	b.WriteString("\n## Former codes\n\nA code that was merged into others stays a name of these: `rocec explain` shows their pages, " +
		"baselines that name it hold, and SARIF lists it (`deprecatedIds`).\n\n| was | is |\n| --- | --- |\n")
	merged := targets.Merged()
	for _, old := range slices.Sorted(maps.Keys(merged)) {
		var now []string
		for _, code := range merged[old] {
			now = append(now, fmt.Sprintf("[%s](checks/%s.md)", code, code))
		}
		fmt.Fprintf(&b, "| %s | %s |\n", old, strings.Join(now, ", "))
	}
	b.WriteString("\n## Exit codes\n\n| code | meaning |\n| --- | --- |\n")
	for _, e := range exit.Meanings {
		fmt.Fprintf(&b, "| %d | %s |\n", e.Status, cell(e.Meaning))
	}
	requireGenerated(t, "reference.md", b.String())
}

// referenceOf writes a command and its subcommands.
func referenceOf(b *strings.Builder, cmd *cobra.Command, heading string) {
	fmt.Fprintf(b, "\n%s %s\n\n`%s`", heading, cmd.CommandPath(), strings.TrimSuffix(cmd.UseLine(), " [flags]"))
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
		b.WriteString("\n```console\n")
		for _, line := range examplesOf(cmd) {
			b.WriteString("$ " + line + "\n")
		}
		b.WriteString("```\n")
	}
	for _, c := range shownVerbs(cmd) {
		referenceOf(b, c, heading+"#")
	}
}

// examplesOf returns the commands in the examples of a verb.
func examplesOf(cmd *cobra.Command) (lines []string) {
	for line := range strings.SplitSeq(cmd.Example, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

func flagTable(b *strings.Builder, flags []flagHelp) {
	b.WriteString("| option | meaning |\n| --- | --- |\n")
	for _, f := range flags {
		fmt.Fprintf(b, "| `%s` | %s |\n", strings.TrimRight(f.name+" "+f.value, " "), cell(f.text))
	}
}

var markdownProse = strings.NewReplacer("*", `\*`, "<", `\<`)

// cell escapes text for a table.
func cell(s string) string { return strings.ReplaceAll(markdownProse.Replace(s), "|", `\|`) }

// The package documentation and the man pages agree on exit codes and groups.
func TestManualOfExitCodes(t *testing.T) {
	data, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	text := strings.Join(strings.Fields(string(data)), " ")
	for _, e := range exit.Meanings {
		assert.Contains(t, text, fmt.Sprintf(" %d %s ", e.Status, e.Meaning))
	}
}

// TestVerbs: every verb has a group of the help, a line in doc.go, and a schema of its JSON, against which transcripts are checked.
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
	for _, c := range shownVerbs(newRoot(newApp(&person.Person{Getenv: func(string) string { return "" }}))) {
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

// Every verb has a man page that roff reads without a warning. A second run makes the same bytes.
func TestManPages(t *testing.T) {
	groff := machinetest.Need(t, "groff")
	dir, again := filepath.Join(t.TempDir(), "man"), t.TempDir()
	code, said, stderr := rocec(t, "help", "--man", dir)
	require.Equal(t, exit.Good, code, stderr)
	assert.Contains(t, said, "man pages in "+dir)
	code, _, _ = rocec(t, "help", "--man", again)
	require.Equal(t, exit.Good, code)

	var want []string
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		want = append(want, manName(cmd)+".1")
		for _, c := range shownVerbs(cmd) {
			walk(c)
		}
	}
	walk(newRoot(newApp(&person.Person{Getenv: func(string) string { return "" }})))
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

	code, _, stderr = rocec(t, "help", "--man", filepath.Join(dir, "rocec.1"))
	assert.Equal(t, exit.Machines, code)
	assert.Contains(t, oneLine(stderr), "not a directory")
	code, _, _ = rocec(t, "help", "--man", dir, "apply")
	assert.Equal(t, exit.Usage, code)
}

// groff prints an escaped text unchanged.
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

// Every verb and every help topic has examples, and rocec accepts each of them. Package pages runs them.
func TestExamplesOfVerbs(t *testing.T) {
	for command := range helpExamples(t) {
		calls := rocecCalls(t, command)
		require.Len(t, calls, 1, command)
		assert.NoError(t, callable(t, calls[0], true), command)
	}
}

// helpExamples returns the examples in the help, each with its verb or topic.
func helpExamples(t *testing.T) map[string]string {
	out := map[string]string{changeExample: "change", flagsExample: "flags"}
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		for _, c := range shownVerbs(cmd) {
			lines := examplesOf(c)
			assert.NotEmpty(t, lines, "%s has no example", c.CommandPath())
			for _, line := range lines {
				command, _, _ := strings.Cut(line, "   #")
				out[strings.TrimSpace(command)] = strings.TrimPrefix(c.CommandPath(), "rocec ")
			}
			walk(c)
		}
	}
	walk(newRoot(newApp(&person.Person{Getenv: func(string) string { return "" }})))
	return out
}

// The help of a verb leaves out only flags that rocec help change lists. That page has each flag of apply once, and no flag of another
// verb.
func TestChangeFlags(t *testing.T) {
	root := newRoot(newApp(&person.Person{Getenv: func(string) string { return "" }}))
	about := map[string]string{}
	for _, g := range changeFlags {
		for _, flag := range g.flags {
			assert.Empty(t, about[flag], "%s is there twice", flag)
			about[flag] = g.title
			assert.NotNil(t, verbNamed(root, "apply").Flags().Lookup(flag), flag)
		}
	}
	for _, few := range fewFlags {
		for _, f := range flagHelps(verbNamed(root, few.verb).LocalFlags()) {
			_, name, _ := strings.Cut(f.name, "--")
			name, _, _ = strings.Cut(name, "[")
			assert.True(t, about[name] != "" || slices.Contains(few.flags, name), "--%s of %s is in no help", name, few.verb)
		}
	}
	assert.Len(t, fewOf(verbNamed(root, "apply")), 8)
	for _, topic := range topicNames() {
		assert.Nil(t, docs.Find(topic), topic)
		assert.Nil(t, verbNamed(root, topic), topic)
	}
	_, all, _ := rocec(t, "help", "change")
	_, global, _ := rocec(t, "help", "flags")
	for _, f := range flagHelps(verbNamed(root, "apply").LocalFlags()) {
		assert.Contains(t, all, f.name+" ")
	}
	for _, c := range shownVerbs(root) {
		_, help, _ := rocec(t, c.Name(), "--help")
		assert.Contains(t, help, "Flags of every verb: rocec help flags", c.Name())
		for _, f := range flagHelps(root.PersistentFlags()) {
			assert.Contains(t, global, f.name)
			assert.NotContains(t, help, "  "+f.name+" ", c.Name())
		}
	}
}

// usage is the call of the new verb.
func (v *formerVerb) usage() string {
	_, args, _ := strings.Cut(v.use, " ")
	switch words := diag.Rocec(v.verb); {
	case v.each != "" && v.flag != "": // all hosts, if none is named
		return words + " --" + v.flag + " [--" + v.each + " " + strings.Trim(args, "[]….") + "]"
	case v.each != "":
		return words + " --" + v.each + " " + strings.Trim(args, "[]….")
	case v.flag != "":
		return words + " --" + v.flag + " " + args
	default:
		return words + " " + args
	}
}
