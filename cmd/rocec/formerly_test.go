package main

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/person"
)

// Every former name of a flag sets the new one, is hidden, and prints the new name once.
func TestFormerFlags(t *testing.T) {
	t.Chdir("../..")
	setenv(t, "XDG_STATE_HOME", t.TempDir())
	setenv(t, "COLUMNS", "200")
	for _, name := range formerFlags {
		verbs := 0
		for _, cmd := range newRoot(&person.Person{Getenv: func(string) string { return "" }}).Commands() {
			old, now := cmd.Flags().Lookup(name.old), cmd.Flags().Lookup(name.now)
			require.Equal(t, old == nil, now == nil, "%s of %s", name.now, cmd.Name())
			if old == nil {
				continue
			}
			verbs++
			assert.True(t, old.Hidden && !now.Hidden, name.old)
			require.NoError(t, cmd.ParseFlags([]string{"--" + name.old}))
			assert.Equal(t, "true", now.Value.String(), "%s of %s", name.old, cmd.Name())
		}
		assert.Positive(t, verbs, name.old)
		args := []string{"apply", "--lab=new", "--auto-approve", "--soak", "0s", "--assume-peer-ready", "examples/bonded-pair"}
		code, want, said := rocec(t, append(args, "--"+name.now)...)
		require.Equal(t, exit.Good, code, said)
		require.NotContains(t, said, "is now")
		code, got, said := rocec(t, append(args, "--"+name.old)...)
		require.Equal(t, exit.Good, code, said)
		assert.Equal(t, withoutRun(want), withoutRun(got), name.old)
		line := fmt.Sprintf("rocec: --%s is now --%s; the old name works until 0.2\n", name.old, name.now)
		assert.Equal(t, 1, strings.Count(said, line), said)
	}
}

// withoutRun is what a verb printed, without what no two runs have in common: lines that name the run or the time it took.
func withoutRun(text string) string {
	var kept []string
	for line := range strings.Lines(text) {
		if !runName.MatchString(line) && !strings.Contains(line, "pplied") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

var runName = regexp.MustCompile(`\d{8}t\d{6}z-`)
