package main

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/lang/langtest/machinetest"
)

// The chapters of docs/fleet.md whose commands make a team from nothing, and a team with a NATS server that rocecd does not run.
const (
	chapter     = "## A hub, two sites and a CI in ten minutes"
	chapterNATS = "## A NATS server of your own"
)

// lesson runs the commands of docs/fleet.md as the persons do, each with the key and the credentials of that person.
type lesson struct {
	*team
	exports []string // of the page, for all persons
	run     string   // that RUN stands for
}

// blocks returns the lines of the code blocks of a chapter.
func blocks(t *testing.T, chapter string) (out [][]string) {
	t.Helper()
	page, err := os.ReadFile("../../docs/fleet.md")
	require.NoError(t, err)
	_, text, found := strings.Cut(string(page), chapter)
	require.True(t, found)
	text, _, found = strings.Cut(text, "\n## ")
	require.True(t, found)
	for _, m := range regexp.MustCompile("(?s)```\n(.*?)```").FindAllStringSubmatch(text, -1) {
		out = append(out, strings.Split(strings.TrimSpace(strings.ReplaceAll(m[1], "\\\n", "")), "\n"))
	}
	return out
}

// words returns the words of a command of the page, with the addresses and files of this test.
func (l *lesson) words(line string) []string {
	line, _, _ = strings.Cut(line, " #")
	line = strings.NewReplacer(
		"tls://hub.example.net:4222", "tls://"+l.free("hub"), "tls://nats.example.net:4222", "tls://"+l.free("nats"),
		"0.0.0.0:4222", l.free("hub"), "https://git.example.net/fabric", "file://"+l.repo,
		"RUN", l.run, "gpu017", "b1", "~/.ssh", l.dir, "~", l.dir,
	).Replace(line)
	out := strings.Fields(line)
	for i, word := range out {
		name, file, is := strings.Cut(word, "=")
		if !is {
			name, file = "", word
		} else {
			name += "="
		}
		if slices.Contains([]string{".creds", ".key", ".crt"}, filepath.Ext(file)) { // a copy from the hub
			out[i] = name + l.ring(file)
		}
	}
	return out
}

// does runs a command of a person, and returns its output as one line.
func (l *lesson) does(status int, who string, words ...string) string {
	l.t.Helper()
	cmd := l.command(who, words...)
	out, err := cmd.CombinedOutput()
	require.Equal(l.t, status, cmd.ProcessState.ExitCode(), "%s: %v\n%s", strings.Join(words, " "), err, out)
	return strings.Join(strings.Fields(string(out)), " ")
}

// command returns a command of rocec, of a person who uses the allowed signers of the team.
func (l *lesson) command(who string, words ...string) *exec.Cmd {
	l.t.Helper()
	require.Equal(l.t, "rocec", words[0])
	cmd := exec.Command(machinetest.Rocec(l.t), append(words[1:], "--policy", filepath.Join(l.dir, "policy.hcl"))...)
	cmd.Dir = l.repo
	cmd.Env = append(append(os.Environ(), l.exports...), "XDG_STATE_HOME="+l.state(who), "HOME="+l.state(who), "COLUMNS=1000",
		"ROCEC_CREDS="+l.ring(who+".creds"), "ROCEC_SIGN_KEY="+filepath.Join(l.dir, who))
	return cmd
}

// change commits the text of the fabric.
func (l *lesson) change(text string) {
	l.t.Helper()
	require.NoError(l.t, os.WriteFile(filepath.Join(l.repo, "fabric.hcl"), []byte(text), 0o600))
	l.git("commit", "--quiet", "-a", "-m", "change")
}

// types does the lines of the persons. As on the page, a CI makes the plan and other persons approve and submit it.
func (l *lesson) types(lines []string) {
	l.t.Helper()
	var apply *exec.Cmd
	for _, line := range lines {
		words := l.words(line)
		switch {
		case words[0] == "export":
			l.exports = append(l.exports, words[1:]...)
		case words[1] == "plan":
			plan := words[slices.Index(words, "--out")+1]
			require.Contains(l.t, l.does(exit.Good, "ci", words...), "change.plan")
			require.Contains(l.t, l.does(exit.Usage, "alice", "rocec", "apply", "--team", "--plan", plan, "-y"), "1 approval")
			l.does(exit.Good, "bob", "rocec", "approve", plan, "-y")
		case words[1] == "apply":
			apply = l.command("alice", append(words, "-y")...)
			apply.Stdout = &bytes.Buffer{}
			apply.Stderr = apply.Stdout
			require.NoError(l.t, apply.Start())
			l.run = l.newest(" held ")
		case words[1] == "approve":
			require.Contains(l.t, l.does(exit.Good, "bob", append(words, "-y")...), "has 1 of 1 approval")
			require.NoError(l.t, apply.Wait(), "%s", apply.Stdout)
			require.Contains(l.t, fmt.Sprint(apply.Stdout), "is over: complete")
		case slices.Contains(words, "--follow"):
			require.Contains(l.t, l.does(exit.Good, "alice", words...), "bob approves wave dc2/1")
		case slices.Contains(words, "--device"):
			require.Contains(l.t, l.does(exit.Good, "alice", words...), l.run)
		default:
			require.Fail(l.t, "the test does not know the line", line)
		}
	}
}

// newest waits until the newest run of the team has a state, and returns its name.
func (l *lesson) newest(state string) (run string) {
	l.t.Helper()
	text := ""
	require.True(l.t, soon(func() bool {
		text = l.does(exit.Good, "bob", "rocec", "runs", "--team")
		run = regexp.MustCompile(`\d{8}t\d{6}z-\w+`).FindString(text)
		return strings.Contains(text, state)
	}), "%s: %s", state, text)
	return run
}

// TestTenMinutes runs the commands of docs/fleet.md: a hub, two sites on simulated devices, and persons with their keys. A CI makes a plan,
// one person approves it, another one submits it, and a held wave waits for its approval. A second run waits to be confirmed, and a person
// keeps it. A third one is taken back on both sites.
func TestTenMinutes(t *testing.T) {
	t.Parallel()
	approved := strings.Replace(fabric+second(), `{ cable_length = "3m" }`, "{\n  approvals    = 1\n  cable_length = \"3m\"\n}", 1)
	l := &lesson{team: newTeam(t, approved)}
	page := blocks(t, chapter)
	require.Len(t, page, 4, "hub, signers, sites, persons")
	require.NoError(t, os.RemoveAll(l.state("hub"))) // the page makes it
	hub, lines := l.hub(page[0])
	l.people(page[1], lines)
	require.Len(t, page[2], 1)
	processes := []*process{hub}
	for _, site := range []string{"dc1", "dc2"} {
		words := l.words(strings.ReplaceAll(page[2][0], "dc1", site))
		words = append(words, "--signers", filepath.Join(l.dir, "allowed_signers"))
		processes = append(processes, l.serve(site, words[2:]...))
	}
	for _, p := range processes {
		p.until(http.StatusOK, "ready")
	}
	l.types(page[3])

	verb := func(who string, words ...string) string {
		return l.does(exit.Good, who, append([]string{"rocec"}, words...)...)
	}
	for i, text := range []string{"5m", "7m"} {
		plan := filepath.Join(l.dir, fmt.Sprint(i, ".plan"))
		l.change(strings.Replace(approved, `"3m"`, strconv.Quote(text), 1))
		verb("alice", "plan", "--team", "--out", plan, "-m", "ticket 4712")
		verb("bob", "approve", plan, "-y")
		require.Contains(t, verb("alice", "apply", "--team", "--plan", plan, "-y", "--detach", "--confirm", "30m"), "Follow it: ")
		l.run = l.newest(" unconfirmed ")
		require.Contains(t, verb("bob", "runs", "--team", "--follow", l.run), "it waits to be confirmed")
		if i == 0 {
			require.Contains(t, verb("alice", "confirm", "--team", l.run), "is over: complete")
		} else {
			require.Contains(t, verb("alice", "rollback", "--team", l.run, "-y"), "is over: rolled-back")
		}
	}
	l.change(strings.Replace(approved, `"3m"`, `"5m"`, 1))
	same := "All devices of these sites are as the fabric says."
	require.Contains(t, verb("ci", "plan", "--team"), same, "the second run is kept, and the third one is undone")
	for _, p := range slices.Backward(processes) {
		require.Equal(t, exit.Good, p.end(), "%s", p.log)
	}
}

// TestNATSServer runs the commands of docs/fleet.md about a NATS server that rocecd does not run, and then a plan and a run. Credentials of
// a person do not serve such a hub.
func TestNATSServer(t *testing.T) {
	t.Parallel()
	l := &lesson{team: newTeam(t, fabric, "dc1")}
	page := blocks(t, chapterNATS)
	require.Len(t, page, 2, "the keys, and the configuration of a server")
	signers := []string{"--signers", filepath.Join(l.dir, "allowed_signers")}
	var (
		carrier *process
		users   string
		server  *exec.Cmd
	)
	for _, line := range page[0] {
		words := l.words(line)
		require.Equal(t, "rocecd", words[0])
		switch {
		case words[2] == "init": // newTeam has done it
		case words[2] == "nats":
			words, file := words[1:3], strings.TrimPrefix(words[3], ">")
			text := l.do(append(words, "--state", l.state("hub"))...)
			require.NoError(t, os.WriteFile(filepath.Join(l.dir, file), []byte(text), 0o600))
			users, server = file, l.natsServer(page[1], file)
		case words[1] == "serve":
			words = slices.DeleteFunc(words, func(w string) bool { return w == "--replicas" || w == "3" }) // one server
			refused := l.fails(exit.Machines, "serve", "--nats", "tls://"+l.free("nats"), "--creds", l.ring("alice.creds"), "--ca", l.ring("ca.crt"))
			require.Contains(t, refused, "rocecd serve --nats needs the role hub")
			carrier = l.serve("carrier", append(words[2:], signers...)...)
			carrier.until(http.StatusOK, "ready")
		default:
			l.do(append(words[1:], "--state", l.state("hub"))...)
		}
	}
	site := l.siteAt("dc1", "nats")
	site.until(http.StatusOK, "ready")
	l.meet("nats")
	l.submit(run1, l.envelope(l.plan("dc1")))
	require.Equal(t, []string{"dc1 complete"}, l.over(run1))
	killed(server)
	carrier.until(http.StatusServiceUnavailable, "the hub does not answer")
	to := []string{"--nats", "tls://" + l.free("nats"), "--creds", l.ring("carrier.creds"), "--ca", l.ring("ca.crt")}
	waits := l.serve("waits", append(to, signers...)...)
	l.natsServer(page[1], users) // has lost what it had in memory
	for _, p := range []*process{carrier, waits} {
		p.until(http.StatusOK, "ready")
		require.True(t, soon(func() bool {
			_, text := p.page("/metrics")
			return regexp.MustCompile(`(?s)rocec_team_current\{[^}]*\} 1\n.*rocec_team_site_alive\{[^}]*\} 1\n`).MatchString(text)
		}), "%s", func() string { _, text := p.page("/metrics"); return text }())
	}
	out := l.do(append([]string{"rebuild", "--after", "1000", "--state", l.state("x")}, to...)...)
	require.Contains(t, out, "The numbers of the hub go on above 1,000.")
	for _, p := range []*process{site, carrier, waits} {
		require.Equal(t, exit.Good, p.end(), "%s", p.log)
	}
}

// natsServer starts a NATS server that is not part of rocecd, with the configuration of the page and a file for its users.
func (l *lesson) natsServer(config []string, users string) *exec.Cmd {
	l.t.Helper()
	text := strings.NewReplacer(
		"rocec.conf", users, "0.0.0.0:4222", l.free("nats"), "/etc/nats/server.crt", l.ring("server.crt"), "/etc/nats/server.key",
		l.ring("server.key"), "/var/lib/nats", l.state("nats"),
	).Replace(strings.Join(config, "\n"))
	file := filepath.Join(l.dir, "nats.conf")
	require.NoError(l.t, os.WriteFile(file, []byte(text), 0o600))
	cmd := exec.Command(machinetest.NATSServer(l.t), "--config", file)
	log := &bytes.Buffer{}
	cmd.Stderr = log
	require.NoError(l.t, cmd.Start())
	require.True(l.t, soon(func() bool {
		conn, err := net.Dial("tcp", l.free("nats"))
		return err == nil && conn.Close() == nil
	}))
	l.t.Cleanup(func() {
		killed(cmd)
		if l.t.Failed() {
			l.t.Logf("nats-server: %s", log)
		}
	})
	return cmd
}

// killed kills a process, and waits until it has ended.
func killed(cmd *exec.Cmd) {
	_ = cmd.Process.Kill() // it may have ended
	_ = cmd.Wait()
}

// hub does the lines of the hub, and returns the lines of the sites for the allowed signers.
func (l *lesson) hub(lines []string) (hub *process, signers string) {
	l.t.Helper()
	for _, line := range lines {
		words := l.words(line)
		require.Equal(l.t, "rocecd", words[0])
		if words[1] == "serve" {
			hub = l.serve("hub", words[2:]...)
			hub.until(http.StatusOK, "ready")
			continue
		}
		for line := range strings.Lines(l.do(append(words[1:], "--state", l.state("hub"))...)) {
			if line := strings.TrimSpace(line); strings.HasPrefix(line, "site:") {
				signers += line + "\n"
			}
		}
	}
	return hub, signers
}

// people makes the keys of the persons, and the allowed signers with the roles of the page.
func (l *lesson) people(lines []string, signers string) {
	l.t.Helper()
	keygen := machinetest.Need(l.t, "ssh-keygen")
	for _, line := range lines {
		words := strings.Fields(line)
		if strings.HasPrefix(words[0], "site:") {
			require.Contains(l.t, signers, words[0]+" "+words[1], "as keys site prints it")
			continue
		}
		key := filepath.Join(l.dir, words[0])
		require.NoError(l.t, exec.Command(keygen, "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", key).Run())
		public, err := os.ReadFile(key + ".pub")
		require.NoError(l.t, err)
		signers += fmt.Sprintf("%s %s %s", words[0], words[1], public)
	}
	file := filepath.Join(l.dir, "allowed_signers")
	require.NoError(l.t, os.WriteFile(file, []byte(signers), 0o600))
	require.NoError(l.t, os.WriteFile(filepath.Join(l.dir, "policy.hcl"), fmt.Appendf(nil, "allowed_signers = %q\n", file), 0o600))
}
