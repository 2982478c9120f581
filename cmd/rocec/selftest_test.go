package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/docs/evidence"
)

// TestSelftest compares the answers of the lab with texts, for each way to write a switch, and for hosts. -update writes the texts.
func TestSelftest(t *testing.T) {
	t.Parallel()
	example, err := os.ReadFile("../../examples/rack-by-files/fabric.hcl")
	require.NoError(t, err)
	nvue := t.TempDir()
	text := strings.NewReplacer(`"5.3.1"`, `"5.17.0"`, `"files"`, `"nvue"`).Replace(string(example))
	require.NoError(t, os.WriteFile(filepath.Join(nvue, "fabric.hcl"), []byte(text), 0o600))
	version := regexp.MustCompile(`(?m)^rocec: .*$`)
	for name, dir := range map[string]string{
		"traffic.conf": "../../examples/rack-v1-pfc", "files": "../../examples/rack-by-files", "nvue": nvue,
		"sonic": "../../examples/sonic-leaf-spine",
	} {
		code, stdout, stderr := rocec(t, "selftest", "--lab=new", "--timeout", "1m", dir)
		require.Equal(t, exit.Good, code, stderr)
		got := version.ReplaceAllString(stdout, "rocec:   (of a test)")
		file := "testdata/selftest/" + name + ".txt"
		if *update {
			require.NoError(t, os.MkdirAll("testdata/selftest", 0o755))
			require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
		}
		want, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, string(want), got, "run go test ./cmd/rocec -run TestSelftest -update, and read the diff")

		// The output can be read again, and states that it is a rehearsal, which does not count as a report.
		_, err = evidence.Read(fstest.MapFS{"a.txt": {Data: []byte(got)}})
		require.ErrorContains(t, err, "simulated")
		code, stdout, stderr = rocec(t, "selftest", "--judge", file)
		require.Equal(t, exit.Good, code, stdout+stderr)
		require.Contains(t, stdout, "Every written verdict is the one of its answers.")
		for _, left := range []string{"tor1", "leaf", "spine", "store", "192\\.0\\.2\\.", "52:54:00", "\\brack"} {
			require.NotRegexp(t, left, regexp.MustCompile(`(?m)^  \$.*$`).ReplaceAllString(got, ""))
		}
	}
}

// TestSelftestTakesNoEcho: rocec's own settings do not confirm a claim. An apply decides no open claim, on any system. After it, claims
// about files and settings of rocec are open.
func TestSelftestTakesNoEcho(t *testing.T) {
	t.Parallel()
	setenv(t, "XDG_STATE_HOME", t.TempDir())
	others := map[string]string{ // files that other programs write because of an apply
		"cumulus-switchd-log": "switchd makes it",
		"host-cma-tos":        "the kernel makes the files of a folder",
	}
	lab := "--lab=" + filepath.Join(t.TempDir(), "lab")
	const dir, wrote = "../../examples/mixed-releases", "not decided: rocec wrote it"
	answer := regexp.MustCompile(`(?m)^--- (\S+)\nsays: .*\nsource: .*\nverdict: (.*)$`)
	verdicts := func() (out [][]string) {
		code, stdout, stderr := rocec(t, "selftest", lab, "--timeout", "1m", dir)
		require.Equal(t, exit.Good, code, stderr)
		return answer.FindAllStringSubmatch(stdout, -1)
	}
	before := verdicts()
	code, _, stderr := rocec(t, "apply", lab, "--auto-approve", "--soak", "0s", dir)
	require.Equal(t, exit.Good, code, stderr)
	after := verdicts()
	require.Len(t, after, len(before))
	echoes := map[string]bool{}
	for i, b := range before {
		id, now := b[1], after[i][2]
		require.Equal(t, id, after[i][1])
		require.NotEqual(t, wrote, b[2], id)
		echoes[id] = echoes[id] || now == wrote
		if b[2] == "not decided" && others[id] == "" {
			require.Contains(t, now, "not decided", id)
		}
	}
	for _, id := range []string{"cumulus-marking-keys", "cumulus-map-spelling", "nvue-ecn-word", "nvue-roce-word", "sonic-applied-groups"} {
		require.True(t, echoes[id], id)
	}
}

// Saving requires a yes and a new file, and writes nothing else.
func TestSelftestSaves(t *testing.T) {
	t.Parallel()
	setenv(t, "COLUMNS", "1000")
	const dir = "../../examples/rack-v1-pfc"
	out := filepath.Join(t.TempDir(), "report.txt")
	code, stdout, stderr := rocec(t, "selftest", "--lab=new", "--target", "store1", "--out", out, dir)
	require.Equal(t, exit.Usage, code, "nobody can be asked")
	require.Empty(t, stdout, "nor is a device")
	require.Contains(t, stderr, "to save without asking use --auto-approve")
	require.NoFileExists(t, out)

	for says, args := range map[string][]string{
		"there is no level 4: use level 0, which changes nothing, or 1, 2 or 3": {"--level", "4"},
		"level 1 needs --target":              {"--level", "1"},
		"--traffic needs --level 2 or 3":      {"--traffic", "store1,store2"},
		"--not-after needs --level 1, 2 or 3": {"--not-after", "10m"},
		"--auto-approve needs --out FILE":     {"--auto-approve"},
		"--parallel must be at least 1":       {"--parallel", "0"},
	} {
		code, stdout, stderr = rocec(t, append([]string{"selftest", "--lab=new", dir}, args...)...)
		require.Equal(t, exit.Usage, code)
		require.Empty(t, stdout)
		require.Contains(t, stderr, says)
	}

	code, stdout, stderr = rocec(t, "selftest", "--lab=new", "--level", "0", "--target", "store1", "--out", out, "--auto-approve", dir)
	require.Equal(t, exit.Good, code, stderr)
	saved, err := os.ReadFile(out)
	require.NoError(t, err)
	require.Equal(t, stdout, string(saved), "what was shown")
	info, err := os.Stat(out)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	code, _, stderr = rocec(t, "selftest", "--lab=new", "--target", "store1", "--out", out, "--auto-approve", dir)
	require.Equal(t, exit.Usage, code)
	require.Contains(t, stderr, "already exists, and nothing is overwritten")
}

// TestJudgeBundle: --judge compares written verdicts with those of the answers, needs no fabric, and prints hostile texts safely.
func TestJudgeBundle(t *testing.T) {
	t.Parallel()
	setenv(t, "COLUMNS", "1000")
	good, err := os.ReadFile("testdata/selftest/files.txt")
	require.NoError(t, err)
	dir := t.TempDir()
	judge := func(text string, args ...string) (int, string) {
		name := filepath.Join(dir, "b.txt")
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		code, stdout, stderr := rocec(t, append([]string{"selftest", "--judge", name}, args...)...)
		return code, stdout + stderr
	}
	const claim = "--- cumulus-files-place\n"
	for says, c := range map[string]struct {
		change func(text string) string
		code   int
	}{
		"Every written verdict is the one of its answers.": {func(text string) string { return text }, exit.Good},
		`cumulus-files-place: holds, and the bundle says "does not hold".`: {func(text string) string {
			at := strings.Index(text, claim)
			return text[:at] + strings.Replace(text[at:], "verdict: holds", "verdict: does not hold", 1)
		}, exit.Errors},
		"cumulus-files-place: does not hold, and the bundle says \"holds\".": {func(text string) string {
			return strings.Replace(text, "qos_features.conf file", "qos_features.conf link", 1)
		}, exit.Errors},
		"the end of ": {func(text string) string { return text[:len(text)/2] }, exit.Errors},
		"This rocec has no such claim about such a device.": {func(text string) string {
			return strings.Replace(text, claim, "--- x\x1b[2J\u202e::add-mask::y\n", 1)
		}, exit.Errors},
		"no claim of ":           {func(string) string { return evidence.Title + "\n" + evidence.End + "\n" }, exit.Errors},
		"does not begin with":    {func(string) string { return "\x00" }, exit.Errors},
		"of another rocec":       {func(text string) string { return strings.Replace(text, "bundle 2", "bundle 1", 1) }, exit.Errors},
		"it has more than 20000": {func(text string) string { return text + strings.Repeat("=== d\n", 30_000) }, exit.Errors},
		"... and 251 more lines": {func(text string) string {
			return strings.Replace(text, claim, "--- x\nverdict: holds\n"+strings.Repeat("--- y\n", 450)+claim, 1)
		}, exit.Errors},
	} {
		text := c.change(string(good))
		if strings.HasPrefix(says, "it has more") {
			text = strings.Replace(text, "\n"+evidence.End, "", 1)
		}
		code, out := judge(text)
		require.Equal(t, c.code, code, "%s\n%s", says, out)
		require.Contains(t, out, says)
		require.NotContains(t, out, "\x1b")
		require.NotContains(t, out, "\u202e")
		require.NotContains(t, out, " ::add")
	}
	code, out := judge(string(good), "--lab=new")
	require.Equal(t, exit.Usage, code)
	require.Contains(t, out, "--judge reads a saved text, so --lab has no effect")
	code, out = judge(string(good), "some/dir")
	require.Equal(t, exit.Usage, code)
	require.Contains(t, out, "some/dir has no effect")
	pipe := filepath.Join(dir, "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	code, _, stderr := rocec(t, "selftest", "--judge", pipe)
	require.Equal(t, exit.Usage, code)
	require.Contains(t, stderr, "pipe is not a regular file")
	code, _, _ = rocec(t, "selftest", "--judge", filepath.Join(dir, "none"))
	require.Equal(t, exit.Usage, code)
}

// An unreadable device has a section with the reason, without its address. The status reports it, and the other devices are shown.
func TestSelftestUnread(t *testing.T) {
	t.Parallel()
	dir, devices := standing(t)
	code, stdout, stderr := rocec(t, "selftest", "--target", "tor1", dir)
	require.Equal(t, exit.Good, code, stderr)
	require.Contains(t, stdout, "  | /etc/cumulus/datapath/traffic.conf file", "the factory login is in paths")
	name := filepath.Join(dir, "fabric.hcl")
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	port := l.Addr().(*net.TCPAddr).Port
	require.NoError(t, l.Close())                                                                                  // nobody listens
	other := regexp.MustCompile(`port = \[\d+\]`).ReplaceAllString(string(text), fmt.Sprintf("port = [%d]", port)) // of the only switch
	require.NoError(t, os.WriteFile(name, []byte(other), 0o600))
	code, stdout, stderr = rocec(t, "selftest", dir)
	require.Equal(t, exit.Machines, code, stderr)
	require.Contains(t, stdout, "devices: real")
	require.Regexp(t, `(?m)^not read: device-unreachable: cannot reach device-\d+:\d+`, stdout)
	require.NotContains(t, stdout, "127.0.0.1")
	require.Contains(t, stdout, "--- mlx5-port-counters")
	keys, err := evidence.Read(os.DirFS(t.TempDir()))
	require.NoError(t, err)
	require.Empty(t, keys)
	reports := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(reports, "r.txt"), []byte(stdout), 0o600))
	keys, err = evidence.Read(os.DirFS(reports))
	require.NoError(t, err)
	require.Equal(t, evidence.Index{{Target: "mlx5", Chip: "connectx-4-lx"}: {{File: "r.txt", Level: "0"}}}, keys,
		"the switch has not answered")

	// An answer from a release other than the fabric's does not count for the fabric's release.
	require.NoError(t, os.WriteFile(name, text, 0o600))
	devices.Device("tor1").WriteFile("/etc/os-release", []byte("VERSION_ID=3.7.16\nPRETTY_NAME=\"Cumulus Linux\"\n"), 0o644)
	code, stdout, _ = rocec(t, "selftest", "--target", "tor1", dir)
	require.Equal(t, exit.Machines, code)
	require.Regexp(t, `(?m)^not read: device-1 runs Cumulus Linux 3\.7\.16 \(VERSION_ID\), but the fabric says 3\.4\.3\.$`, stdout)
}
