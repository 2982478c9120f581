package scripts

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"mvdan.cc/sh/v3/syntax"

	"github.com/rocec/rocec/targets/commands"
)

// TestBare: a script is sent without its comments, and otherwise unchanged.
func TestBare(t *testing.T) {
	for _, s := range []string{
		trustText, libText, beginText, runText, undoText, callText, unlockText, sweepText, markText, readText, heldText,
		recordsText,
	} {
		require.True(t, printed(t, s) == printed(t, bare(s)), "more than comments was removed, possibly from a here-document")
		require.Less(t, len(bare(s)), len(s))
	}
}

// printed returns a script without comments, in the parser's own format.
func printed(t *testing.T, script string) string {
	f, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(strings.NewReader(script), "")
	require.NoError(t, err)
	var b strings.Builder
	require.NoError(t, syntax.NewPrinter(syntax.Minify(true)).Print(&b, f))
	return b.String()
}

// TestValuesOfRuns: a script contains only values of the forms that runs have.
func TestValuesOfRuns(t *testing.T) {
	for _, of := range []func(run, key string) string{
		Begin, Run, Mark, func(run, key string) string { return Call(run, key, "") }, func(run, _ string) string { return Sweep(run) },
	} {
		require.Contains(t, of("txn-1", "abcd"), "T=txn-1\nK=")
		for _, bad := range []string{"", "a b", "txn-1\nreboot", "$(reboot)", "../etc"} {
			require.Panics(t, func() { of(bad, "abcd") }, bad)
		}
	}
	require.Panics(t, func() { Begin("txn-1", "a;reboot") })
	require.True(t, strings.HasPrefix(Call("txn-1", "abcd", "$(reboot)"), "D=\nT=txn-1\n"))
}

// TestRecallOther: a step that goes back gets the content that its name states, and no other.
func TestRecallOther(t *testing.T) {
	step := &commands.Step{Name: "x go", Undo: &commands.Query{Cmd: "undo"}}
	of := func(string) (*commands.Made, error) { return &commands.Made{Step: step}, nil }
	name := "back | nic/a " + commands.Sum([]byte("mtu 9000")) + " | x go"
	for content, good := range map[string]bool{"mtu 9000": true, "mtu 1500": false, "": false} {
		made, err := Recall(name, of, func(string) ([]byte, error) { return []byte(content), nil })
		require.Equal(t, good, err == nil, content)
		if good {
			require.Equal(t, name, made.Step.Name)
		}
	}
	kept := func(string) ([]byte, error) { return []byte("a"), nil }
	sum := commands.Sum([]byte("a"))
	_, err := Recall("back | nic/a "+sum+" | nic/b "+sum+" | x go", of, kept)
	require.NoError(t, err)
	for _, other := range []string{
		"back | nic/b " + sum + " | nic/a " + sum + " | x go", "back | nic/a " + sum + " | nic/a " + sum + " | x go",
	} {
		_, err = Recall(other, of, kept)
		require.Error(t, err, "a step has one name")
	}
	nul := []byte("a\x00")
	_, err = Recall("back | nic/a "+commands.Sum(nul)+" | x go", of, func(string) ([]byte, error) { return nul, nil })
	require.ErrorAs(t, err, new(*commands.Unknown), "no argument of a command has it")
}
