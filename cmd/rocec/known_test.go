package main

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/validate"
)

// known is one way a RoCE fabric is known to go wrong: a row of testdata/known.txt.
type known struct {
	id, what string
	other    []string // codes besides the codes of checks
	why      string   // text beside the codes, or instead of them
}

// knownList has the rows from one kind of source.
type knownList struct {
	title, source string
	rows          []known
}

//go:embed testdata/known.txt
var knownText string

// knowns reads testdata/known.txt.
func knowns(t *testing.T) (lists []knownList) {
	t.Helper()
	for line := range strings.Lines(knownText) {
		line = strings.TrimSpace(line)
		title, isTitle := strings.CutPrefix(line, "# ")
		switch {
		case line == "" || strings.HasPrefix(line, "//"):
		case isTitle:
			lists = append(lists, knownList{title: title})
		case lists[len(lists)-1].source == "":
			lists[len(lists)-1].source = line
		default:
			f := strings.Split(line, " | ")
			require.Len(t, f, 4, line)
			k := known{id: f[0], what: f[1]}
			if f[2] != "-" {
				k.other = strings.Fields(f[2])
			}
			if f[3] != "-" {
				k.why = f[3]
			}
			lists[len(lists)-1].rows = append(lists[len(lists)-1].rows, k)
		}
	}
	return lists
}

// codes returns the codes that answer a row: first the codes of checks in the order of their table, then the others.
func (k *known) codes() []string {
	var out []string
	for _, c := range validate.Checks {
		if slices.Contains(c.Answers, k.id) {
			out = append(out, c.Code)
		}
	}
	return append(out, k.other...)
}

// answer returns the cell of the column "rocec", with links into the folder of the codes.
func (k *known) answer(dir string) string {
	var does []string
	for _, code := range k.codes() {
		does = append(does, fmt.Sprintf("[%s](%s%s.md)", code, dir, code))
	}
	said := strings.Join(does, ", ")
	if said != "" && k.why != "" {
		said += "; "
	}
	return said + k.why
}

// docs/known.md is the table of known mistakes.
func TestDocsKnown(t *testing.T) {
	var b strings.Builder
	b.WriteString("# What is known to go wrong\n\nEvery known way a RoCE fabric is misconfigured, and what rocec says or does about it. " +
		"Generated from a table in the code (`make update`).\n")
	for _, list := range knowns(t) {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| | what | rocec |\n| --- | --- | --- |\n", list.title, list.source)
		for _, k := range list.rows {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", k.id, k.what, k.answer("checks/"))
		}
	}
	requireGenerated(t, "known.md", b.String())
}

// Every row of the known mistakes has an answer, and names codes that exist. The rows that a check names exist.
func TestKnown(t *testing.T) {
	codes := map[string]bool{}
	for _, r := range report.Rooms() {
		for _, topic := range r.Topics {
			codes[topic.Code] = true
		}
	}
	ids := map[string]bool{}
	for _, list := range knowns(t) {
		for _, k := range list.rows {
			require.False(t, ids[k.id], k.id)
			ids[k.id] = true
			require.NotEmpty(t, k.what)
			require.NotEmpty(t, strings.Join(k.codes(), "")+k.why, k.id)
			for _, code := range k.codes() {
				require.True(t, codes[code], "%s names %s, which is not a code", k.id, code)
			}
		}
	}
	for _, c := range validate.Checks {
		for _, id := range c.Answers {
			require.True(t, ids[id], "%s answers %s, which is not a row", c.Code, id)
		}
	}
}
