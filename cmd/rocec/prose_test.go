package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// standsFor has a value for each placeholder in capitals.
var standsFor = map[string]string{
	"DIR": ".", "PATH": ".", "FILE": "topology.dot", "OUT": "out",
	"NAME": "leaf01", "DEVICE": "leaf01", "PORT": "swp1", "DEVICE:PORT": "leaf01:swp1", "HOST": "gpu017",
	"A": "gpu001", "B": "gpu002", "A,B": "gpu001,gpu002",
	"RUN": "last", "COMMAND": "true", "CODE": "pfc-loop", "WORD": "unsound", "SOURCE": "collected", "FOLDER": "collected",
	"PAGE": "apply", "PLAN": "change.plan", "VERB": "plan", "PROGRAM": "true",
	"FORM": "ansible", "FORMAT": "sarif", "SHAPE": "rail", "N": "8", "OS": "sonic",
}

var (
	optionalPart = regexp.MustCompile(`\[[^][]*\]`)
	capitals     = regexp.MustCompile(`^[A-Z][A-Z:,]*$`)
)

// concrete turns a command of the documentation into one that can run. It replaces words in capitals by values, takes the first of
// several forms, and drops the optional parts.
func concrete(t *testing.T, command string) string {
	for optionalPart.MatchString(command) {
		command = optionalPart.ReplaceAllString(command, "")
	}
	command, _, _ = strings.Cut(command, " | ")
	var words []string
	for word := range strings.FieldsSeq(command) {
		flag, value, _ := strings.Cut(word, "=")
		word = strings.TrimRight(word, ".…")
		if capitals.MatchString(word) {
			require.Contains(t, standsFor, word, command)
			word = standsFor[word]
		} else if strings.HasPrefix(flag, "--") && capitals.MatchString(value) {
			word = flag + "=" + standsFor[value]
		} else if !strings.Contains(word, "'") {
			word, _, _ = strings.Cut(word, "|")
		}
		if word != "" {
			words = append(words, word)
		}
	}
	return strings.Join(words, " ")
}

// commandsInProse is a file with every complete command in a line of prose, in its concrete form, and the pages that contain the command.
// Package pages runs these commands.
const commandsInProse = "../internal/pages/testdata/commands.txt"

// TestCommandsInProse checks the list of commands that package pages runs. The list has every command of rocec in a line of prose with
// all its arguments. The other commands only name a verb, and TestCommandsOfPages checks them.
func TestCommandsInProse(t *testing.T) {
	files, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	codes, err := filepath.Glob("../../docs/checks/*.md")
	require.NoError(t, err)
	pages := map[string][]string{} // by command
	for _, file := range append(append(files, codes...), "../../README.md", "../../CONTRIBUTING.md", "../../SECURITY.md") {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, m := range inlineCommand.FindAllSubmatch(text, -1) {
			command := strings.ReplaceAll(concrete(t, string(m[1])), "/share/reports", ".")
			if page := filepath.Base(file); callable(t, rocecCalls(t, command)[0], true) == nil && !slices.Contains(pages[command], page) {
				pages[command] = append(pages[command], page)
			}
		}
	}
	for command, verb := range helpExamples(t) {
		pages[command] = append(pages[command], "rocec help "+verb)
	}
	require.Greater(t, len(pages), 80)
	var b strings.Builder
	for _, command := range slices.Sorted(maps.Keys(pages)) {
		fmt.Fprintf(&b, "%s\t%s\n", command, strings.Join(pages[command], ", "))
	}
	if *update {
		require.NoError(t, os.WriteFile(commandsInProse, []byte(b.String()), 0o644))
		return
	}
	want, err := os.ReadFile(commandsInProse)
	require.NoError(t, err)
	require.Equal(t, string(want), b.String(), "make update writes the list")
}
