package main

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"mvdan.cc/sh/v3/syntax"

	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/docs/docstest"
)

// inlineCommand matches a command in a line of prose.
var inlineCommand = regexp.MustCompile("`(rocec [a-z][^`\n]*)`")

// TestCommandsOfPages: every command of rocec in the documents is valid. Its verb and flags exist, and each flag has a valid value.
// Commands in fences also have the arguments that the verb requires. (TestPages runs the commands of pages that are sessions.)
func TestCommandsOfPages(t *testing.T) {
	files, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	codes, err := filepath.Glob("../../docs/checks/*.md")
	require.NoError(t, err)
	files = append(append(files, codes...), "../../README.md", "../../CONTRIBUTING.md", "../../SECURITY.md")
	fenced, inline := 0, 0
	for _, file := range files {
		for _, f := range docstest.Fences(t, file) {
			if f.Language != "console" {
				continue
			}
			for line := range strings.Lines(f.Text) {
				if command, ok := strings.CutPrefix(line, "$ "); ok {
					for _, words := range rocecCalls(t, command) {
						fenced++
						assert.NoError(t, callable(t, words, true), "%s: %s", file, command)
					}
				}
			}
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, m := range inlineCommand.FindAllSubmatch(text, -1) {
			if command := string(m[1]); !strings.ContainsAny(command, "…[|<") { // a placeholder
				for _, words := range rocecCalls(t, command) {
					inline++
					assert.NoError(t, callable(t, words, false), "%s: %s", file, command)
				}
			}
		}
	}
	assert.Greater(t, fenced, 50)
	assert.Greater(t, inline, 100)
}

// rocecCalls returns the words of each call of rocec in a shell line, without the program.
func rocecCalls(t *testing.T, line string) (calls [][]string) {
	t.Helper()
	file, err := syntax.NewParser().Parse(strings.NewReader(line), "")
	require.NoError(t, err, line)
	syntax.Walk(file, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		if !ok {
			return true
		}
		var words []string
		for _, w := range call.Args {
			words = append(words, textOf(w.Parts))
		}
		for len(words) > 0 && (words[0] == "sudo" || words[0] == "time") {
			words = words[1:]
		}
		if len(words) > 0 && filepath.Base(words[0]) == "rocec" {
			calls = append(calls, words[1:])
		}
		return true
	})
	return calls
}

// textOf returns a word without its quotes. Each shell expansion becomes x.
func textOf(parts []syntax.WordPart) string {
	var b strings.Builder
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			b.WriteString(p.Value)
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			b.WriteString(textOf(p.Parts))
		default:
			b.WriteString("x")
		}
	}
	return b.String()
}

// callable returns the error of a call's verb, flags or arguments.
func callable(t *testing.T, words []string, whole bool) error {
	t.Helper()
	root := newRoot(newApp(&person.Person{Getenv: func(string) string { return "" }}))
	root.InitDefaultHelpCmd()
	cmd, rest, err := root.Find(words)
	if err != nil {
		return err
	}
	err = cmd.ParseFlags(rest)
	if e := (*pflag.ValueRequiredError)(nil); errors.As(err, &e) && !whole {
		return nil // the text only mentions the flag
	}
	if err != nil {
		return err
	}
	if cmd == root || !whole || cmd.Args == nil {
		return nil
	}
	return cmd.Args(cmd, cmd.Flags().Args())
}
