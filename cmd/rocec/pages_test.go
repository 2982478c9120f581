package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pagesRun are the pages of docs that are a session at a terminal.
var pagesRun = []string{"tutorial"}

// Pages that lead a person through commands are run from top to bottom in an empty folder. A fence whose language is followed by the name
// of a file is that file. In a fence "console", a line that begins with "$ " is a command for the shell, and what follows is what it
// prints: "…" stands for any text of a line, or alone for any lines, and "[exit N]" for its exit status. What needs real devices is
// "console device", and is not run.
func TestPages(t *testing.T) {
	for _, page := range pagesRun {
		t.Run(page, func(t *testing.T) {
			dir := t.TempDir()
			ran := 0
			for _, f := range fences(t, filepath.Join("../../docs", page+".md")) {
				switch {
				case f.language == "console" && f.options == "":
					ran += runSession(t, dir, f)
				case f.language != "console" && isFile(f.options):
					require.NoError(t, os.WriteFile(filepath.Join(dir, f.options), []byte(f.text), 0o644))
				}
			}
			assert.Positive(t, ran)
		})
	}
}

// isFile reports whether the word behind the language of a fence is the name of a file.
func isFile(options string) bool { return strings.Contains(options, ".") }

// runSession runs the commands of a fence in a folder and returns how many there were.
func runSession(t *testing.T, dir string, f fenced) (ran int) {
	t.Helper()
	home := filepath.Join(filepath.Dir(dir), "home")
	for part := range strings.SplitSeq("\n"+f.text, "\n$ ") {
		command, output, _ := strings.Cut(part, "\n")
		if command == "" {
			require.Zero(t, ran, "line %d: output without a command", f.line)
			continue
		}
		wanted, status := wantedOutput(t, output)
		sh := exec.Command("sh", "-c", command)
		sh.Dir = dir
		sh.Env = append(os.Environ(), "HOME="+home, "XDG_STATE_HOME="+home+"/state", "XDG_CACHE_HOME="+home+"/cache", "COLUMNS=80", "NO_COLOR=1")
		out, err := sh.CombinedOutput()
		exit := 0
		if e := (*exec.ExitError)(nil); errors.As(err, &e) {
			exit = e.ExitCode()
		} else {
			require.NoError(t, err)
		}
		assert.Equal(t, status, exit, "$ %s\n%s", command, out)
		assert.Regexp(t, wanted, strings.TrimRight(string(out), "\n")+"\n", "$ %s", command)
		ran++
	}
	return ran
}

var exitLine = regexp.MustCompile(`(?m)^\[exit (\d+)\]$`)

// wantedOutput is what a page shows of a command, as an expression, and the exit status it names.
func wantedOutput(t *testing.T, shown string) (output *regexp.Regexp, status int) {
	t.Helper()
	if m := exitLine.FindStringSubmatch(shown); m != nil {
		var err error
		status, err = strconv.Atoi(m[1])
		require.NoError(t, err)
		shown = exitLine.ReplaceAllString(shown, "")
	}
	var b strings.Builder
	b.WriteString(`\A`)
	for line := range strings.SplitSeq(strings.Trim(shown, "\n"), "\n") {
		if line == "…" {
			b.WriteString(`(?:.*\n)*?`)
			continue
		}
		for i, part := range strings.Split(line, "…") {
			if i > 0 {
				b.WriteString(`.*`)
			}
			b.WriteString(regexp.QuoteMeta(part))
		}
		b.WriteString(`\n`)
	}
	b.WriteString(`\z`)
	return regexp.MustCompile(b.String()), status
}
