package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"go.yaml.in/yaml/v3"

	"github.com/rocec/rocec/cmd/internal/start"
	"github.com/rocec/rocec/lang/langtest/machinetest"
)

// actionStep runs a step of action.yml as GitHub does, with simulated programs for rocec and gh. It returns the folder of the run, the
// output of the step, and its error.
func actionStep(t *testing.T, name, plan string, env ...string) (dir, out string, err error) {
	t.Helper()
	data, err := os.ReadFile("../../action.yml")
	require.NoError(t, err)
	var action struct {
		Runs struct {
			Steps []struct{ Name, Run string }
		}
	}
	require.NoError(t, yaml.Unmarshal(data, &action))
	script := ""
	for _, s := range action.Runs.Steps {
		if s.Name == name {
			script = s.Run
		}
	}
	require.NotEmpty(t, script, "action.yml has no step %q", name)
	dir = t.TempDir()
	for program, does := range map[string]string{
		"rocec": `printf '%s\n' "$@" > "$RUNNER_TEMP/rocec.args"; cat "$RUNNER_TEMP/plan.in"`,
		"gh":    `printf '%s\n' "$@" > "$RUNNER_TEMP/gh.args"`,
		"git":   `printf '%s\n' "$@" > "$RUNNER_TEMP/git.args"; exit "${GIT:-0}"`,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, program), []byte("#!/bin/sh\n"+does+"\n"), 0o700)) //nolint:gosec // it is run
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "plan.in"), []byte(plan), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "step"), []byte(script), 0o600))
	machinetest.Need(t, "iconv")
	cmd := exec.Command(machinetest.Need(t, "bash"), "--noprofile", "--norc", "-eo", "pipefail", filepath.Join(dir, "step"))
	cmd.Env = append([]string{"PATH=" + dir + ":" + os.Getenv("PATH"), "RUNNER_TEMP=" + dir, "DIR=fabric", "PR=1"}, env...)
	printed, err := cmd.CombinedOutput()
	return dir, string(printed), err
}

// A pull request from a fork gets no plan for devices. A misspelt input is refused, and never starts such a plan.
func TestActionRefusesForks(t *testing.T) {
	for _, tc := range []struct {
		plan, event, from string
		refused           string
	}{
		{"none", "pull_request", "stranger/fabric", ""},
		{"lab", "pull_request", "stranger/fabric", ""},
		{"lab", "pull_request_target", "stranger/fabric", ""},
		{"devices", "pull_request", "us/fabric", ""},
		{"devices", "push", "", ""},
		{"devices", "pull_request", "stranger/fabric", "not for pull requests from forks"},
		{"devices", "pull_request", "", "not for pull requests from forks"},
		{"devices", "pull_request", "us/fabric2", "not for pull requests from forks"},
		{"devices", "pull_request_target", "stranger/fabric", "not for pull requests from forks"},
		{"device", "pull_request", "us/fabric", "none, lab or devices"},
		{"Lab", "pull_request", "us/fabric", "none, lab or devices"},
		{"", "pull_request", "us/fabric", "none, lab or devices"},
	} {
		_, out, err := actionStep(t, "Who asks for a plan", "", "PLAN="+tc.plan, "EVENT="+tc.event, "FROM="+tc.from, "REPO=us/fabric")
		if tc.refused == "" {
			assert.NoError(t, err, "%+v: %s", tc, out)
			continue
		}
		assert.Error(t, err, "%+v", tc)
		assert.Contains(t, out, "::error title=rocec::", "%+v", tc)
		assert.Contains(t, out, tc.refused, "%+v", tc)
	}
	data, err := os.ReadFile("../../action.yml")
	require.NoError(t, err)
	assert.Less(t, bytes.Index(data, []byte("Who asks for a plan")), bytes.Index(data, []byte("uses:")), "it is the first step")
}

// The comment with a plan is a heading and one code block, whatever the plan contains, and is not longer than GitHub permits.
func TestPlanComment(t *testing.T) {
	t.Parallel()
	tick := func(n int) string { return strings.Repeat("`", n) }
	for name, plan := range map[string]string{
		"plain":      "14 devices to change\n",
		"empty":      "",
		"fence":      "a\n```\n**Plan approved** [log](https://evil.example) @us <b>x</b>\n```\n",
		"indented":   "a\n   ````\n# x\n",
		"tildes":     "~~~\n# x\n~~~\n",
		"info":       "``` text\n",
		"many":       "a\n" + tick(98) + "\n# x\n",
		"very many":  "a\n" + tick(5000) + "\n# x\n",
		"only ticks": tick(70_000),
		"returns":    "a\r```\r# x\r",
		"long":       strings.Repeat("```\n# x\n", 10_000),
		"cut letter": strings.Repeat("x", 59_999) + "é" + strings.Repeat("y", 9),
		"invalid":    "a\xff\xfe```\n",
		"no newline": "x",
	} {
		for _, kind := range []string{"lab", "devices"} {
			dir, out, err := actionStep(t, "Plan, as a comment", plan, "PLAN="+kind)
			require.NoError(t, err, "%s: %s", name, out)
			args, err := os.ReadFile(filepath.Join(dir, "rocec.args"))
			require.NoError(t, err)
			assert.Equal(t, kind == "lab", strings.Contains(string(args), "--lab=new\n"), name)
			comment, err := os.ReadFile(filepath.Join(dir, "comment.md"))
			require.NoError(t, err)
			assert.LessOrEqual(t, len(comment), 65_536, name)
			assert.True(t, utf8.Valid(comment), name)
			var kinds []string
			for n := goldmark.DefaultParser().Parse(text.NewReader(comment)).FirstChild(); n != nil; n = n.NextSibling() {
				kinds = append(kinds, n.Kind().String())
				if n.Kind() == ast.KindParagraph {
					assert.Equal(t, "The plan is longer than a comment: its end is left out.", string(n.Lines().Value(comment)))
				}
			}
			want := []string{"Heading", "FencedCodeBlock"}
			if len(plan) > 60_000 {
				want = append(want, "Paragraph")
			}
			assert.Equal(t, want, kinds, name)
		}
	}
}

// The comment with a diff is the output of rocec diff, at most as long as GitHub permits. A plan follows in the same comment.
func TestDiffComment(t *testing.T) {
	t.Parallel()
	rows := "### rocec diff\n\n| | what |\n| --- | --- |\n" + strings.Repeat("| &#126; | a row of the table |\n", 3000)
	for _, diff := range []string{"### rocec diff\n\nNothing changes.\n", rows, ""} {
		for plan, room := range map[string]int{"none": 60_100, "lab": 20_100} {
			dir, out, err := actionStep(t, "Diff, as a comment", diff, "PLAN="+plan, "BASE=0123456789")
			require.NoError(t, err, out)
			comment, err := os.ReadFile(filepath.Join(dir, "diff.md"))
			require.NoError(t, err)
			assert.LessOrEqual(t, len(comment), room)
			if len(diff) < room {
				assert.Equal(t, diff, string(comment))
			} else {
				for line := range strings.Lines(string(comment)) {
					assert.True(t, strings.HasPrefix(line, "| ") && strings.HasSuffix(line, "|\n") || !strings.Contains(line, "|"), line)
				}
				assert.True(t, strings.HasSuffix(string(comment), "its end is left out.\n"))
			}
			args, err := os.ReadFile(filepath.Join(dir, "rocec.args"))
			require.NoError(t, err)
			assert.Equal(t, "diff\n--format\nmd\n-C\nfabric\n--\n0123456789\n", string(args))
			args, err = os.ReadFile(filepath.Join(dir, "gh.args"))
			require.NoError(t, err)
			assert.Contains(t, string(args), "--body-file\n"+filepath.Join(dir, "diff.md")+"\n")
		}
	}
	dir, out, err := actionStep(t, "Diff, as a comment", "", "PLAN=none", "BASE=0123456789", "GIT=1")
	require.NoError(t, err, out)
	assert.Contains(t, out, "::warning title=rocec::")
	assert.NoFileExists(t, filepath.Join(dir, "gh.args"), "without its base there is no comment")
}

// The workflow of a new fabric installs the version of rocec that writes the workflow. A rocec without a version writes a placeholder
// that cannot be installed.
func TestWorkflowIsPinned(t *testing.T) {
	for version, want := range map[string]string{
		"0.13.0": "@v0.13.0 # the version", "v1.2.3": "@v1.2.3 # the version", "v1.2.3-rc.1": "@v1.2.3-rc.1 # the version",
		"v0.13.1-0.20260102150405-0123456789ab": "@v0.13.1-0.20260102150405-0123456789ab # the version",
		"(devel)":                               "@VERSION # write the version", "v0.13.0+dirty": "@VERSION # write", "": "@VERSION # write",
		"1.2.3; curl x | sh": "@VERSION # write", "latest": "@VERSION # write",
	} {
		files := start.Small(nil)
		start.Pin(files, version)
		found := 0
		for _, f := range files {
			if bytes.Contains(f.Data, []byte("go install")) {
				found++
				assert.Contains(t, string(f.Data), "go install github.com/rocec/rocec/cmd/rocec"+want, version)
				require.NoError(t, yaml.Unmarshal(f.Data, &map[string]any{}))
			}
		}
		assert.Equal(t, 1, found)
	}
}
