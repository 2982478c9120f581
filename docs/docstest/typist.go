package docstest

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

// IsFile reports whether the word after the language of a fence is the name of a file.
func (f Fence) IsFile() bool { return strings.Contains(f.Options, ".") }

// Typist is a person at a terminal.
type Typist struct {
	Top, Dir string // the first folder, and the current one
	Shown    bool   // the page shows the complete output; if false, a command without shown output may print anything
	Rocec    string // path of rocec; empty: found in PATH
	Ran      int    // commands
}

var (
	// onDevices matches the verbs that reach devices. For a page that does not mention the lab, its devices are those of the lab.
	onDevices = regexp.MustCompile(`^rocec (gate|plan|apply|verify|storm|rollback|resume --abandon|selftest)\b`)
	// asking matches the verbs that ask before they change something.
	asking = regexp.MustCompile(`^rocec (apply|rollback|verify .*--traffic|selftest .*--(out|level [123]))\b`)
)

// Rehearsed returns the command for the simulated devices of the lab; a command that asks gets the answer yes.
func Rehearsed(command string) string {
	verb := onDevices.FindString(command)
	if verb == "" || strings.Contains(command, "--judge ") {
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

// Types runs a line of shell, and returns its exit status and streams.
func (s *Typist) Types(t *testing.T, command string) (status int, out, errs string) {
	t.Helper()
	home := filepath.Join(filepath.Dir(s.Top), "home")
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	sh := exec.CommandContext(ctx, "sh", "-c", command)
	sh.Dir = s.Dir
	where := os.Getenv("PATH")
	if s.Rocec != "" {
		where = filepath.Dir(s.Rocec) + string(filepath.ListSeparator) + where
	}
	sh.Env = append(os.Environ(), "PATH="+where, "HOME="+home, "XDG_STATE_HOME="+home+"/state", "XDG_CACHE_HOME="+home+"/cache", "COLUMNS=80", "NO_COLOR=1")
	var stdout, stderr bytes.Buffer
	sh.Stdout, sh.Stderr = &stdout, &stderr
	if s.Shown { // such pages show stderr within the output
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

// Run runs the commands of a fence.
func (s *Typist) Run(t *testing.T, f Fence) {
	t.Helper()
	ran := 0
	for part := range strings.SplitSeq("\n"+f.Text, "\n$ ") {
		command, output, _ := strings.Cut(part, "\n")
		if command == "" {
			require.Zero(t, ran, "line %d: output without a command", f.Line)
			continue
		}
		ran++
		s.Ran++
		if to, ok := strings.CutPrefix(command, "cd "); ok {
			s.Dir = filepath.Join(s.Dir, to)
			continue
		}
		onDevice := f.Options == "device"
		if onDevice {
			command = strings.Replace(command, " RUN", " last", 1)
		}
		if !s.Shown || onDevice {
			command = Rehearsed(command)
		}
		wanted, status := wantedOutput(t, output)
		exit, out, errs := s.Types(t, command)
		assert.Equal(t, status, exit, "$ %s\n%s%s", command, out, errs)
		if s.Shown && !onDevice || strings.TrimSpace(exitLine.ReplaceAllString(output, "")) != "" {
			assert.Regexp(t, wanted, strings.TrimRight(out, "\n")+"\n", "$ %s", command)
		}
	}
}

var exitLine = regexp.MustCompile(`(?m)^\[exit (\d+)\]$`)

// wantedOutput returns the output that a page shows for a command, as a regular expression, and the exit status.
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
