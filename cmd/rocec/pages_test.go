package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Pages that lead a person through commands are run from top to bottom, in an empty folder or in one with examples. A fence whose language
// is followed by the name of a file is that file. In a fence "console", a line that begins with "$ " is a command for the shell, and what
// follows is what it prints: "…" stands for any text of a line, or alone for any lines, and "[exit N]" for its exit status. What is for
// real devices is "console device": it is run on the lab where that can be, whatever it prints.
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
				case f.language == "console" && (f.options == "" || page.name == "tutorial"): // a plan for a lab is not saved: apply.md
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

var (
	// onDevices are the verbs that reach devices. Where a page leaves out the lab, its devices are those of the lab.
	onDevices = regexp.MustCompile(`^rocec (plan|apply|verify|rollback|replace|remove|unlock|gids|selftest)\b`)
	// asking are those that ask before they change something.
	asking = regexp.MustCompile(`^rocec (apply|rollback|replace|remove|verify .*--traffic)\b`)
)

// rehearsed is a command with the lab in the place of devices; who is asked says yes.
func rehearsed(command string) string {
	verb := onDevices.FindString(command)
	if verb == "" {
		return command
	}
	var flags string
	if !strings.Contains(command, "--lab") && !strings.Contains(command, "--from ") {
		flags += " --lab"
	}
	if asking.MatchString(command) && !strings.Contains(command, "--auto-approve") {
		flags += " --auto-approve"
	}
	return verb + flags + strings.TrimPrefix(command, verb)
}

// types runs a line of shell.
func (s *typist) types(t *testing.T, command string) (status int, out, errs string) {
	t.Helper()
	home := filepath.Join(filepath.Dir(s.top), "home")
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	sh := exec.CommandContext(ctx, "sh", "-c", command)
	sh.Dir = s.dir
	sh.Env = append(os.Environ(), "HOME="+home, "XDG_STATE_HOME="+home+"/state", "XDG_CACHE_HOME="+home+"/cache", "COLUMNS=80", "NO_COLOR=1")
	var stdout, stderr bytes.Buffer
	sh.Stdout, sh.Stderr = &stdout, &stderr
	if s.shown { // such pages show notes, too, where they are printed
		sh.Stderr = &stdout
	}
	err := sh.Run()
	if e := (*exec.ExitError)(nil); errors.As(err, &e) {
		status = e.ExitCode()
	} else {
		require.NoError(t, err)
	}
	return status, stdout.String(), stderr.String()
}

// run runs the commands of a fence.
func (s *typist) run(t *testing.T, f fenced) {
	t.Helper()
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
		onDevice := f.options == "device"
		if onDevice {
			command = strings.Replace(command, " RUN", " last", 1)
		}
		if !s.shown || onDevice {
			command = rehearsed(command)
		}
		wanted, status := wantedOutput(t, output)
		exit, out, errs := s.types(t, command)
		assert.Equal(t, status, exit, "$ %s\n%s%s", command, out, errs)
		if s.shown && !onDevice || strings.TrimSpace(exitLine.ReplaceAllString(output, "")) != "" {
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
