package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/deploy/order"
)

// TestSudoers: visudo accepts the lines of help sudoers for a login, both of all lines together and of each line alone.
func TestSudoers(t *testing.T) {
	t.Parallel()
	visudo := machinetest.Need(t, "visudo")
	code, text, stderr := rocec(t, "help", "sudoers")
	require.Equal(t, exit.Good, code, stderr)
	check := func(text string) error {
		file := filepath.Join(t.TempDir(), "rocec")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o440))
		out, err := exec.Command(visudo, "-cf", file).CombinedOutput()
		if err != nil {
			t.Logf("%s: %s", text, out)
		}
		return err
	}
	text = strings.ReplaceAll(text, "LOGIN", "monitor")
	require.NoError(t, check(text))
	require.Error(t, check(text+"monitor ALL=(root) NOPASSWD: cat\n"), "a command without a path")
	rules := regexp.MustCompile(`(?m)^monitor .*(\n\t.*)*$`).FindAllString(text, -1)
	require.Len(t, rules, 4)
	for _, rule := range rules {
		require.NoError(t, check(rule+"\n"))
	}

	// The line for reading has each path with both spellings of cat, and no pattern.
	assert.NotRegexp(t, `[*?\[]`, rules[0])
	plain := regexp.MustCompile(`\\(.)`).ReplaceAllString(strings.ReplaceAll(rules[0], "\\\n\t", "")+",", "$1")
	for _, path := range targets.Paths() {
		assert.Contains(t, plain, " /bin/cat "+path+",")
		assert.Contains(t, plain, " /usr/bin/cat "+path+",")
	}
	assert.Equal(t, 2*len(targets.Paths()), strings.Count(rules[0], "/cat "))
	assert.Equal(t, "monitor ALL=(root) NOPASSWD: "+order.Gate, rules[3])
}

// TestSudoersEscapes: characters that separate commands or match others are escaped.
func TestSudoersEscapes(t *testing.T) {
	t.Parallel()
	visudo := machinetest.Need(t, "visudo")
	const path = `/etc/a,b:c=d\e*f?g[h]!i`
	got := inArguments.Replace(path)
	assert.Equal(t, `/etc/a\,b\:c\=d\\e\*f\?g\[h\]\!i`, got)
	file := filepath.Join(t.TempDir(), "rocec")
	require.NoError(t, os.WriteFile(file, []byte("monitor ALL=(root) NOPASSWD: /bin/cat "+got+"\n"), 0o440))
	out, err := exec.Command(visudo, "-cf", file).CombinedOutput()
	require.NoError(t, err, string(out))
}

// TestSudoersVerbs: the lines name only verbs of the gate. Those that only look are in the line for reading. The line for locks has no verb
// that begins a run or goes on with it.
func TestSudoersVerbs(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("../rocec-txn/verbs.go")
	require.NoError(t, err)
	groups := strings.Split(string(source), "\n\n")
	at := slices.IndexFunc(groups, func(g string) bool { return strings.Contains(g, "verbs = map[string]verb{") })
	require.Positive(t, at)
	name := regexp.MustCompile(`(?m)^\t\t"([a-z]+)": +\{(takes)?`)
	verbsOf := func(group string) (verbs []string) {
		for _, m := range name.FindAllStringSubmatch(group, -1) {
			if m[2] != "" {
				m[1] += " *"
			}
			verbs = append(verbs, m[1])
		}
		return verbs
	}
	assert.Equal(t, verbsOf(groups[at]), readVerbs, "the verbs that only look")
	assert.Equal(t, []string{"prepare", "remove"}, verbsOf(groups[at+1]))
	assert.ElementsMatch(t, append([]string{"call *", "extend *"}, lockVerbs...), verbsOf(groups[at+2]))
}
