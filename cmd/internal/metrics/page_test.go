package metrics

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/docs/docstest"
	"github.com/rocec/rocec/lang/langtest/machinetest"
)

const page = "../../../docs/metrics.md"

// The page has the tables of the metrics. -update rewrites them.
func TestPage(t *testing.T) {
	const head = "| metric | type | labels beside `fabric` | meaning |\n| --- | --- | --- | --- |\n"
	data, err := os.ReadFile(page)
	require.NoError(t, err)
	rest, want := string(data), ""
	for _, table := range [][]*Metric{Table, ofTeam()} {
		before, after, ok := strings.Cut(rest, head)
		require.True(t, ok)
		want += before + head
		for _, m := range table {
			labels := ""
			if len(m.Labels) > 0 {
				labels = "`" + strings.Join(m.Labels, "`, `") + "`"
			}
			want += fmt.Sprintf("| `%s` | %s | %s | %s |\n", m.Name, m.Kind, labels, m.Help)
		}
		_, rest, ok = strings.Cut(after, "\n\n")
		require.True(t, ok)
		want += "\n"
	}
	want += rest
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(want), 0o644))
		return
	}
	require.Equal(t, want, string(data))
}

// saved writes a file of the page into a folder.
func saved(t *testing.T, dir, name string) (file, text string) {
	t.Helper()
	for _, f := range docstest.Fences(t, page) {
		if f.Options == name {
			file = filepath.Join(dir, name)
			require.NoError(t, os.WriteFile(file, []byte(f.Text), 0o600))
			return file, f.Text
		}
	}
	t.Fatalf("the page has no file %s", name)
	return "", ""
}

// The script of the page replaces the file if the output is whole, whatever the exit status of verify, and keeps it otherwise. It leaves no
// other file.
func TestScript(t *testing.T) {
	for name, tc := range map[string]struct {
		rocec string
		file  string
		fails bool
	}{
		"good":            {"printf 'a 1\\n# EOF\\n'", "a 1\n# EOF\n", false},
		"drift":           {"printf 'a 1\\n# EOF\\n'; exit 1", "a 1\n# EOF\n", false},
		"a silent device": {"printf 'a 1\\n# EOF\\n'; exit 3", "a 1\n# EOF\n", false},
		"a wrong fabric":  {"echo 'error' >&2; exit 1", "old\n", true},
		"cut off":         {"printf 'a 1\\n'; exit 130", "old\n", true},
		"wrong usage":     {"exit 64", "old\n", true},
	} {
		dir := t.TempDir()
		script, _ := saved(t, dir, "rocec-metrics.sh")
		out := filepath.Join(dir, "out", "rocec.prom")
		require.NoError(t, os.Mkdir(filepath.Dir(out), 0o700))
		require.NoError(t, os.WriteFile(out, []byte("old\n"), 0o600))
		call := `[ "$*" = "verify --format openmetrics /opt/my fabric" ] || exit 99`
		require.NoError(t, os.WriteFile(filepath.Join(dir, "rocec"), []byte("#!/bin/sh\n"+call+"\n"+tc.rocec+"\n"), 0o700))
		cmd := exec.CommandContext(t.Context(), "sh", script, "/opt/my fabric", out)
		cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
		text, err := cmd.CombinedOutput()
		require.Equal(t, tc.fails, err != nil, "%s: %s", name, text)
		got, err := os.ReadFile(out)
		require.NoError(t, err)
		require.Equal(t, tc.file, string(got), name)
		left, err := os.ReadDir(filepath.Dir(out))
		require.NoError(t, err)
		require.Len(t, left, 1, name)
	}
}

// Shellcheck has no complaint about the script of the page.
func TestScriptCheck(t *testing.T) {
	script, _ := saved(t, t.TempDir(), "rocec-metrics.sh")
	out, err := exec.CommandContext(t.Context(), machinetest.Need(t, "shellcheck"), script).CombinedOutput()
	require.NoError(t, err, string(out))
}

// Systemd accepts the units of the page, and the timer starts the service every five minutes.
func TestUnits(t *testing.T) {
	program := machinetest.Need(t, "systemd-analyze")
	dir := t.TempDir()
	script, _ := saved(t, dir, "rocec-metrics.sh")
	file, text := saved(t, dir, "rocec-metrics.service")
	require.Contains(t, text, "/usr/local/bin/rocec-metrics ")
	require.NoError(t, os.Chmod(script, 0o700))
	require.NoError(t, os.WriteFile(file, []byte(strings.ReplaceAll(text, "/usr/local/bin/rocec-metrics ", script+" ")), 0o600))
	timer, text := saved(t, dir, "rocec-metrics.timer")
	out, err := exec.CommandContext(t.Context(), program, "verify", timer, file).CombinedOutput()
	require.NoError(t, err, string(out))
	require.NotContains(t, string(out), "rocec-metrics", string(out))
	_, calendar, ok := strings.Cut(text, "OnCalendar=")
	require.True(t, ok)
	calendar, _, _ = strings.Cut(calendar, "\n")
	out, err = exec.CommandContext(t.Context(), program, "calendar", calendar).CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "*-*-* *:00/5:00")
}
