package main

import (
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/cmd/rocecd/internal/pages"
	"github.com/rocec/rocec/lang/langtest/machinetest"
)

// verb runs a verb in this process, and returns its exit code and its output.
func verb(t *testing.T, args ...string) (status int, out string) {
	t.Helper()
	var both strings.Builder
	env := map[string]string{"HOME": t.TempDir(), "COLUMNS": "200"}
	p := &person.Person{
		Stdin: strings.NewReader(""), Stdout: &both, Stderr: &both, Getenv: func(name string) string { return env[name] }, Color: "never",
	}
	status = run(t.Context(), p, args)
	return status, both.String()
}

// TestKeys goes through the life of keys: each command prints what to copy where, and every file is for its owner alone.
func TestKeys(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	ring := filepath.Join(state, "keys")
	do := func(args ...string) string {
		t.Helper()
		status, out := verb(t, append(append([]string{"keys"}, args...), "--state", state)...)
		require.Equal(t, exit.Good, status, out)
		return out
	}
	out := do("init", "--host", "hub.example.net", "--host", "192.0.2.10")
	require.Contains(t, out, "Copy to each site and person: "+filepath.Join(ring, "ca.crt"))
	require.Contains(t, out, "The certificate of the server is for hub.example.net, localhost, 192.0.2.10 and 127.0.0.1, and valid until ")

	out = do("site", "dc1")
	for _, name := range []string{"dc1.creds", "site-dc1.key", "ca.crt"} {
		require.Contains(t, out, "site: "+filepath.Join(ring, name)+"\n")
	}
	line := regexp.MustCompile(`(?m)^  (site:dc1 namespaces="rocec-site,rocec-run" ssh-ed25519 \S+)$`).FindStringSubmatch(out)
	require.NotNil(t, line, out)
	public, err := exec.Command(machinetest.Need(t, "ssh-keygen"), "-y", "-f", filepath.Join(ring, "site-dc1.key")).Output()
	require.NoError(t, err)
	require.Contains(t, string(public), strings.Fields(line[1])[3], "ssh-keygen reads the key")

	out = do("person", "alice", "--valid", "48h")
	for _, name := range []string{"alice.creds", "page-alice.crt", "page-alice.key"} {
		require.Contains(t, out, filepath.Join(ring, name)+"\n")
	}
	do("person", "bob", "--role", "reader")
	first := string(read(t, filepath.Join(ring, "dc1.creds")))
	key := string(read(t, filepath.Join(ring, "site-dc1.key")))
	require.Contains(t, do("renew", "dc1"), "The earlier credentials are revoked.")
	require.NotEqual(t, first, string(read(t, filepath.Join(ring, "dc1.creds"))))
	require.Equal(t, key, string(read(t, filepath.Join(ring, "site-dc1.key"))), "the site signs with the same key")
	require.Contains(t, do("revoke", "bob"), "Remove the line of its SSH key")
	require.Contains(t, do("renew", "server", "--host", "other.example.net"), "is for other.example.net, localhost and 127.0.0.1")
	require.Contains(t, do("renew", "server"), "is for other.example.net, localhost and 127.0.0.1")

	var rows []string
	for row := range strings.Lines(do("list")) {
		rows = append(rows, strings.Join(strings.Fields(regexp.MustCompile(`\d{4}-\S+Z`).ReplaceAllString(row, "T")), " "))
	}
	require.Equal(t, []string{
		"NAME ROLE CREDENTIALS", "alice operator until T", "bob reader revoked T", "dc1 site until T", "dc1 site revoked T",
		"The certificate of the server is for other.example.net, localhost and 127.0.0.1, and valid until T.",
	}, rows)
	require.NoError(t, filepath.WalkDir(state, func(name string, d fs.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := d.Info()
		require.NoError(t, err)
		require.Zero(t, info.Mode().Perm()&0o077, "%s %s", name, info.Mode())
		return nil
	}))
	conf := do("nats")
	require.Regexp(t, `(?s)^operator: "\S+"\nsystem_account: A\w+\nresolver: MEMORY\nresolver_preload: \{\n(  A\w+: "\S+"\n){2}\}\n`, conf)
	require.Contains(t, conf, "max_payload: 25169920\n")
	require.NotRegexp(t, `\bS[AOU][A-Z2-7]{50}`, conf, "no seed")
	require.NoError(t, os.Chmod(ring, 0o750))
	status, out := verb(t, "keys", "list", "--state", state)
	require.Equal(t, exit.Machines, status)
	require.Contains(t, out, "lets other users read keys")
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	return text
}

// TestHelp: each verb has a text, an example that begins with its name, and flags that the text of the example uses.
func TestHelp(t *testing.T) {
	status, out := verb(t)
	require.Equal(t, exit.Good, status)
	for _, name := range []string{"keys", "rebuild", "serve", "unit", "version"} {
		require.Regexp(t, `(?m)^  `+name+` +\S`, out)
	}
	for _, name := range []string{
		"serve", "rebuild", "unit", "version", "keys init", "keys site", "keys person", "keys list", "keys nats",
		"keys renew", "keys revoke",
	} {
		status, out := verb(t, append(strings.Fields(name), "--help")...)
		require.Equal(t, exit.Good, status)
		require.Contains(t, out, "Usage:\n  rocecd "+name)
		require.Contains(t, out, "Examples:\n  rocecd "+name)
		for _, flag := range regexp.MustCompile(`(?m)^  rocecd .*`).FindAllString(out, -1) {
			for _, one := range regexp.MustCompile(`--[a-z-]+`).FindAllString(flag, -1) {
				require.Regexp(t, `(?m)^  `+one+`\b`, out, name)
			}
		}
	}
	status, out = verb(t, "version")
	require.Equal(t, exit.Good, status)
	require.Regexp(t, `^rocecd \S+ \(go\S+, \w+/\w+\)\n$`, out)
}

// TestUnit: systemd accepts the unit, and rates it as its documentation does.
func TestUnit(t *testing.T) {
	analyze := machinetest.Need(t, "systemd-analyze")
	status, text := verb(t, "unit")
	require.Equal(t, exit.Good, status)
	file := filepath.Join(t.TempDir(), "rocecd.service")
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(text, "/usr/bin/rocecd", machinetest.Rocecd(t), 1)), 0o600))
	out, err := exec.Command(analyze, "verify", "--man=no", file).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Empty(t, string(out))
	out, err = exec.Command(analyze, "security", "--offline=yes", "--no-pager", "--threshold=13", file).CombinedOutput() // 1.3 of 10
	require.NoError(t, err, "%s", out)
	require.Error(t, exec.Command(analyze, "security", "--offline=yes", "--no-pager", "--threshold=11", file).Run(), "the bound is close")
}

// TestNotify: systemd hears each state once; without systemd nothing is told.
func TestNotify(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "notify")
	l, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	require.NoError(t, err)
	defer l.Close()
	require.NoError(t, notify(socket, "READY=1"))
	heard := make([]byte, 100)
	n, err := l.Read(heard)
	require.NoError(t, err)
	require.Equal(t, "READY=1", string(heard[:n]))
	require.NoError(t, notify("", "READY=1"))
	require.Error(t, notify(socket+"x", "READY=1"))
}

// TestPages: a page of the process is read, and answers no other method.
func TestPages(t *testing.T) {
	d := &daemon{o: &serveOptions{}}
	feed := pages.NewFeed(pages.FeedOptions{})
	for method, want := range map[string]int{
		http.MethodGet: http.StatusOK, http.MethodHead: http.StatusOK, http.MethodPost: http.StatusMethodNotAllowed,
	} {
		for _, path := range []string{"/healthz", "/readyz"} {
			w := httptest.NewRecorder()
			d.handler(feed).ServeHTTP(w, httptest.NewRequest(method, path, nil))
			assert.Equal(t, want, w.Code, "%s %s", method, path)
		}
	}
	for address, want := range map[string]bool{
		"127.0.0.1:1": true, "[::1]:1": true, "localhost:1": true, "0.0.0.0:1": false, ":1": false, "192.0.2.1:1": false, "x": false,
	} {
		assert.Equal(t, want, onLoopback(address), address)
	}
}
