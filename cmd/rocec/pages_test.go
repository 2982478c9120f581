package main

import (
	"bytes"
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

// Pages that lead a person through commands are run from top to bottom, in an empty folder or in one with examples. A fence whose language
// is followed by the name of a file is that file. In a fence "console", a line that begins with "$ " is a command for the shell, and what
// follows is what it prints: "…" stands for any text of a line, or alone for any lines, and "[exit N]" for its exit status. What needs
// real devices is "console device", and is not run.
func TestPages(t *testing.T) {
	for _, page := range []struct {
		name     string
		examples []string          // what lies in the folder; one alone is the folder
		before   map[string]string // by heading: what a person has done before that fence
		shown    bool              // every command shows all it prints; else those that show nothing may print anything
	}{
		{name: "tutorial", shown: true},
		{name: "lab", examples: []string{"day-two"}},
		{name: "nvue", examples: []string{"mixed-releases", "rack-v1-pfc"}},
		{name: "verify", examples: []string{"clos-v2-ecn", "gpu-pod"}, before: map[string]string{
			"Traffic": "rocec apply --lab --auto-approve --soak 1s",
		}},
		{name: "apply", examples: []string{"rack-v1-pfc"}, before: map[string]string{
			"When a NIC or a host leaves": `rocec apply --lab --auto-approve --soak 1s >/dev/null && sed -i 's/members .*/members = ["store[1-4]"]/' fabric.hcl`,
		}},
	} {
		t.Run(page.name, func(t *testing.T) {
			t.Parallel() // they wait for devices most of the time
			if testing.Short() && page.examples != nil {
				t.Skip("applies to labs")
			}
			dir := t.TempDir()
			for _, example := range page.examples {
				to := dir
				if len(page.examples) > 1 {
					to = filepath.Join(dir, "examples", example)
				}
				require.NoError(t, os.CopyFS(to, os.DirFS("../../examples/"+example)))
			}
			s := &typist{top: dir, dir: dir, shown: page.shown}
			for _, f := range fences(t, filepath.Join("../../docs", page.name+".md")) {
				switch {
				case f.language == "console" && f.options == "":
					if before := page.before[f.heading]; before != "" {
						s.run(t, fenced{text: "$ " + before})
					}
					s.run(t, f)
				case f.language != "console" && isFile(f.options):
					require.NoError(t, os.WriteFile(filepath.Join(dir, f.options), []byte(f.text), 0o644))
				}
			}
			assert.Positive(t, s.ran)
		})
	}
}

// isFile reports whether the word behind the language of a fence is the name of a file.
func isFile(options string) bool { return strings.Contains(options, ".") }

// typist is somebody at a terminal.
type typist struct {
	top, dir string // the first folder, and where he is
	shown    bool   // see TestPages
	ran      int
}

// onDevices are the verbs that reach devices. Where a page leaves out the lab, its devices are those of the lab.
var onDevices = regexp.MustCompile(`^rocec (plan|apply|verify|rollback)\b`)

// run runs the commands of a fence.
func (s *typist) run(t *testing.T, f fenced) {
	t.Helper()
	home := filepath.Join(filepath.Dir(s.top), "home")
	ran := 0
	for part := range strings.SplitSeq("\n"+f.text, "\n$ ") {
		command, output, _ := strings.Cut(part, "\n")
		if command == "" {
			require.Zero(t, ran, "line %d: output without a command", f.line)
			continue
		}
		ran++
		s.ran++
		if to, ok := strings.CutPrefix(command, "cd "); ok {
			s.dir = filepath.Join(s.dir, to)
			continue
		}
		if verb := onDevices.FindString(command); verb != "" && !s.shown {
			var flags string
			if !strings.Contains(command, "--lab") {
				flags += " --lab"
			}
			if verb == "rocec apply" && !strings.Contains(command, "--auto-approve") { // who is asked says yes
				flags += " --auto-approve"
			}
			command = verb + flags + strings.TrimPrefix(command, verb)
		}
		wanted, status := wantedOutput(t, output)
		sh := exec.Command("sh", "-c", command)
		sh.Dir = s.dir
		sh.Env = append(os.Environ(), "HOME="+home, "XDG_STATE_HOME="+home+"/state", "XDG_CACHE_HOME="+home+"/cache", "COLUMNS=80", "NO_COLOR=1")
		var all bytes.Buffer
		sh.Stdout, sh.Stderr = &all, &all
		if !s.shown { // such pages leave out notes
			sh.Stderr = new(bytes.Buffer)
		}
		err := sh.Run()
		exit, out := 0, all.String()
		if e := (*exec.ExitError)(nil); errors.As(err, &e) {
			exit = e.ExitCode()
		} else {
			require.NoError(t, err)
		}
		assert.Equal(t, status, exit, "$ %s\n%s%v", command, out, sh.Stderr)
		if s.shown || strings.TrimSpace(exitLine.ReplaceAllString(output, "")) != "" {
			assert.Regexp(t, wanted, strings.TrimRight(out, "\n")+"\n", "$ %s", command)
		}
	}
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
