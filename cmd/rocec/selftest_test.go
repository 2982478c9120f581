package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/cmd/internal/bundle"
	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/docs/evidence"
	"github.com/rocec/rocec/targets/target"
)

// TestSelftest holds what the lab answers to texts, for each way to write a switch, and for hosts; -update writes them.
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

		// It reads back, and says that it is a rehearsal, which is not a report.
		_, err = evidence.Read(os.DirFS("testdata/selftest"))
		require.ErrorContains(t, err, "simulated")
		for _, left := range []string{"tor1", "leaf", "spine", "store", "192\\.0\\.2\\.", "52:54:00", "\\brack"} {
			require.NotRegexp(t, left, regexp.MustCompile(`(?m)^  \$.*$`).ReplaceAllString(got, ""))
		}
	}
}

// Saving wants a yes, a new file and no surprise; nothing else is written.
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
		"there is no level 1: rocec has level 0, which reads and changes nothing": {"--level", "1"},
		"--auto-approve is about --out FILE":                                      {"--auto-approve"},
		"--parallel is at least 1":                                                {"--parallel", "0"},
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
	require.Contains(t, stderr, "is there already, and nothing is overwritten")
}

// A device that cannot be read has a section that says why, without its address; the status says so, and the others are shown.
func TestSelftestUnread(t *testing.T) {
	t.Parallel()
	dir, devices := standing(t)
	code, stdout, stderr := rocec(t, "selftest", "--target", "tor1", dir)
	require.Equal(t, exit.Good, code, stderr)
	require.Contains(t, stdout, "  | /etc/cumulus/datapath/traffic.conf file", "the login of the factory stands in paths")
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
	require.Equal(t, map[evidence.Key][]string{{Target: "mlx5"}: {"r.txt"}}, keys, "the switch has not answered")

	// A release that is not the fabric's says nothing of the fabric's.
	require.NoError(t, os.WriteFile(name, text, 0o600))
	devices.Device("tor1").WriteFile("/etc/os-release", []byte("VERSION_ID=3.7.16\nPRETTY_NAME=\"Cumulus Linux\"\n"), 0o644)
	code, stdout, _ = rocec(t, "selftest", "--target", "tor1", dir)
	require.Equal(t, exit.Machines, code)
	require.Regexp(t, `(?m)^not read: device-1 runs Cumulus Linux 3\.7\.16 \(VERSION_ID\), but the fabric says 3\.4\.3\.$`, stdout)
}

// TestSelftestHides: whatever devices answer and are called, the text has none of their names, addresses and serial numbers.
func TestSelftestHides(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[a-z]{3,6}-?[0-9]{2,3}q`)
		secrets := map[string]bool{}
		secret := func(g *rapid.Generator[string], what string) string {
			s := g.Draw(t, what)
			secrets[s] = true
			return s
		}
		mask := &bundle.Mask{}
		b := &bundle.Bundle{Tool: "1.0"}
		var all []string
		for range rapid.IntRange(1, 3).Draw(t, "devices") {
			d := &ir.Device{Name: secret(name, "name"), Host: &ir.Host{}}
			d.SSH.Address = secret(name, "address") + "." + secret(name, "domain") + ".example"
			d.SSH.User = rapid.SampledFrom([]string{"cumulus", secret(name, "user")}).Draw(t, "who")
			d.SSH.Jump = secret(name, "jumper") + "@" + secret(name, "jump")
			word := knowDevice(mask, d)
			of := &target.Device{Name: d.Name, Source: d, Target: &target.Target{Name: "mlx5", User: "cumulus"}}
			host, login := secret(name, "host"), secret(name, "login")
			serial := secret(rapid.StringMatching(`[A-Z]{2}[0-9]{4}[A-Z][0-9]{5}`), "serial")
			facts := readFacts(fmt.Appendf(nil, "host %s\nhost %s.lan\nuser %s\nserial %s\nmac 0c:42:a1:00:00:01\nend\n", host, host, login, serial))
			facts.know(mask, word)
			all = append(all, d.SSH.Address, host, login, serial, d.Name, d.SSH.User, "0c:42:a1:00:00:01", "0c42a1000001", "root", "cumulus")
			asked := &askedDevice{of: of, facts: facts, claims: []target.Claim{{ID: "a-b", Says: "x", Query: target.Query{Cmd: "cat x"}}}}
			var text strings.Builder
			for range rapid.IntRange(0, 6).Draw(t, "words") {
				end := rapid.SampledFrom([]string{" ", "\n", ":", "=", "/", "_", "\"", "\x1b"})
				text.WriteString(rapid.SampledFrom(all).Draw(t, "word") + end.Draw(t, "end"))
			}
			asked.answers = [][]byte{[]byte(text.String())}
			s := &bundle.Section{Word: word, Targets: []string{"mlx5"}, System: facts.system}
			s.Answers = append(s.Answers, bundle.Answer{Claim: asked.claims[0], Text: asked.answers[0], Verdict: target.NotDecided})
			b.Devices = append(b.Devices, s)
		}
		got := strings.ToLower(b.Text(mask))
		for s := range secrets {
			require.NotContains(t, got, strings.ToLower(s))
		}
		require.Contains(t, mask.Text("/etc/cumulus/x"), "/etc/cumulus/x", "the login of the factory is nobody's name")
		require.NotContains(t, got, "0c42a1000001")
		require.NotContains(t, got, "0c:42:a1")
		require.NotContains(t, got, "\x1b")
	})
}

// What a device says of itself is read, or the device is left out.
func TestReadFacts(t *testing.T) {
	t.Parallel()
	f := readFacts([]byte("host leaf01\nhost leaf01.dc.example\ndomain dc.example\nuser ops\nserial MT1\nmac 00:11:22:33:44:55\n" +
		"system \"Cumulus Linux\"\nkernel 5.10\nend\n"))
	assert.Equal(t, deviceFacts{
		whole: true, hosts: []string{"leaf01", "leaf01.dc.example"}, domains: []string{"dc.example"}, users: []string{"ops"},
		serials: []string{"MT1"},
		macs:    []string{"00:11:22:33:44:55"}, system: "Cumulus Linux, kernel 5.10",
	}, f)
	for _, half := range []string{"", "host leaf01\n", "end\n", "host a\nend\nhost b", "sh: uname: not found\nend\n"} {
		assert.False(t, readFacts([]byte(half)).whole, half)
	}
}
