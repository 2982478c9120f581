package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/person"
)

// Every former name of a flag sets the new flag, is hidden, and prints the new name once.
func TestFormerFlags(t *testing.T) {
	t.Chdir("../..")
	setenv(t, "XDG_STATE_HOME", t.TempDir())
	setenv(t, "COLUMNS", "200")
	for _, name := range formerFlags {
		verbs := 0
		for _, cmd := range newRoot(newApp(&person.Person{Getenv: func(string) string { return "" }})).Commands() {
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

// withoutRun removes the lines that differ between runs: those with the name or the time of the run.
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

// Every former name of a verb still works, is hidden, and prints the call of the new verb with the same arguments.
func TestFormerVerbs(t *testing.T) {
	example, err := filepath.Abs("../../examples/rack-v1-pfc")
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	setenv(t, "XDG_STATE_HOME", t.TempDir())
	setenv(t, "XDG_CACHE_HOME", t.TempDir())
	setenv(t, "COLUMNS", "300")
	require.NoError(t, os.CopyFS("rack", os.DirFS(example)))
	root := newRoot(newApp(&person.Person{Getenv: func(string) string { return "" }}))
	tried := map[string]bool{}
	for _, c := range []struct {
		old, now []string
		code     int
	}{
		{[]string{"docs"}, []string{"help", "README"}, exit.Good},
		{[]string{"docs", "lab"}, []string{"help", "lab.md"}, exit.Good},
		{[]string{"docs", "troubleshooting"}, []string{"help", "troubleshooting"}, exit.Good},
		{[]string{"docs", "nosuch"}, []string{"help", "nosuch"}, exit.Usage},
		{[]string{"docs", "--man", "man"}, []string{"help", "--man", "man"}, exit.Good},
		{[]string{"lint", "rack"}, []string{"validate", "rack"}, exit.Good},
		{[]string{"lint", "--format", "json", "rack"}, []string{"validate", "--format", "json", "rack"}, exit.Good},
		{[]string{"gids", "-C", "rack", "--lab=new"}, []string{"verify", "--gids", "-C", "rack", "--lab=new"}, exit.Good},
		{
			[]string{"gids", "-C", "rack", "--lab=new", "store1", "store[2-3]"},
			[]string{"verify", "--gids", "-C", "rack", "--lab=new", "--target", "store1", "--target", "'store[2-3]'"},
			exit.Good,
		},
		{
			[]string{"gids", "-C", "rack", "--lab=new", "tor1"},
			[]string{"verify", "--gids", "-C", "rack", "--lab=new", "--target", "tor1"},
			exit.Usage,
		},
		{[]string{"lock-sizes", "rack"}, []string{"build", "--lock", "rack"}, exit.Good},
		{[]string{"lock-sizes", "--refresh", "rack"}, []string{"build", "--lock", "--refresh", "rack"}, exit.Good},
		{
			[]string{"remove", "-C", "rack", "--lab", "-y", "store9"},
			[]string{"apply", "-y", "-C", "rack", "--lab", "--remove", "store9"},
			exit.Machines,
		},
		{[]string{"remove", "-C", "rack", "--lab", "store1"}, []string{"apply", "-C", "rack", "--lab", "--remove", "store1"}, exit.Usage},
		{
			[]string{"replace", "-C", "rack", "--lab", "-y", "--soak", "1s", "--max-dark", "5", "--trust-by-hand", "tor1"},
			[]string{"apply", "--assume-peer-ready", "-y", "-C", "rack", "--lab", "--max-dark", "5", "--soak", "1s", "--replace", "tor1"},
			exit.Good,
		},
		{[]string{"unlock", "-C", "rack", "--lab"}, []string{"resume", "--abandon", "-C", "rack", "--lab"}, exit.Good},
		{
			[]string{"unlock", "-C", "rack", "--lab", "--run", "last", "tor1"},
			[]string{"resume", "--abandon", "-C", "rack", "--lab", "--run", "last", "tor1"},
			exit.Good,
		},
	} {
		tried[c.old[0]] = true
		line := fmt.Sprintf("rocec: %s is now rocec %s; the old name works until 0.2\n", c.old[0], strings.Join(c.now, " "))
		code, got, said := rocec(t, c.old...)
		require.Equal(t, c.code, code, "%v: %s%s", c.old, got, said)
		require.Equal(t, 1, strings.Count(said, line), "%v: %s", c.old, said)
		if c.old[0] == "lock-sizes" || c.old[0] == "replace" { // the second call has nothing to do
			continue
		}
		now := strings.Fields(strings.ReplaceAll(strings.Join(c.now, " "), "'", ""))
		code, want, _ := rocec(t, now...)
		require.Equal(t, c.code, code, c.now)
		assert.Equal(t, want, got, c.now)
	}
	for _, v := range formerVerbs {
		name, _, _ := strings.Cut(v.use, " ")
		assert.True(t, tried[name] && verbNamed(root, name).Hidden, name)
		code, help, said := rocec(t, name, "--help")
		assert.Equal(t, exit.Good, code)
		assert.Contains(t, help, "rocec "+v.verb)
		assert.Contains(t, said, "rocec: "+name+" is now rocec "+v.verb)
	}
	code, _, said := rocec(t, "remove")
	assert.Equal(t, exit.Usage, code)
	assert.Contains(t, said, "rocec remove takes HOST..., not 0 arguments")
}
