package main

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/broker"
	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/lang/langtest/machinetest"
)

// TestProcesses: a hub, two sites and a person as processes. A run goes over both sites; a revoked person is cut off and refused; each
// process ends well by SIGTERM, also during a wave; the journals of a site are whole for rocec without the hub.
func TestProcesses(t *testing.T) {
	t.Parallel()
	w := newTeam(t, fabric+second(), "dc1", "dc2")
	hub := w.hubAt("hub")
	one, two := w.siteAt("dc1", "hub", "--verify-every", "5s"), w.siteAt("dc2", "hub")
	for _, p := range []*process{one, two} {
		p.until(http.StatusOK, "ready")
		status, text := p.page("/healthz")
		require.Equal(t, http.StatusOK, status)
		require.Equal(t, "ok\n", text)
	}
	w.meet("hub")
	began := time.Now()
	saved := w.plan("dc1", "dc2")
	require.Equal(t, []string{"tor1", "a1", "a2", "tor2", "b1", "b2"}, saved.Terms.Waves)
	w.submit(run1, w.envelope(saved))
	require.True(t, soon(func() bool {
		r := w.run(run1)
		return r != nil && r.ShareOf("dc1").Waves[1] != nil
	}))
	require.Equal(t, exit.Good, one.end(), "%s", one.log) // in the middle of a wave, which ends first
	waves := w.run(run1).ShareOf("dc1").Waves
	require.NotContains(t, waves, 3, "no other wave begins")
	one = w.siteAt("dc1", "hub", "--verify-every", "5s")
	require.Equal(t, []string{"dc1 complete", "dc2 complete"}, w.over(run1))
	t.Logf("plan and run of 6 devices: %s", time.Since(began))
	require.True(t, soon(func() bool { // the site has verified its devices, and every process shows it
		_, text := two.page("/index.json")
		return strings.Contains(text, run1) && strings.Contains(text, `"good": 3`)
	}), "%s", func() string { _, text := two.page("/index.json"); return text }())
	status, text := one.page("/runs/" + run1)
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, text, "alice")
	_, text = one.page("/metrics")
	require.Contains(t, text, "rocec_team_")

	w.do("keys", "revoke", "alice", "--state", w.state("hub"))
	require.True(t, soon(func() bool { return !w.persons.Connected() }), "the open connection is cut")
	_, err := w.alice("hub")
	require.ErrorContains(t, err, "refuses the credentials (--creds), which are of another hub, revoked, or over: nats: Authorization")
	require.True(t, one.page2("/readyz") && two.page2("/readyz"), "the sites stay")
	w.do("keys", "person", "alice", "--state", w.state("hub"))
	w.meet("hub")
	w.do("keys", "renew", "dc1", "--state", w.state("hub")) // the running site takes the new file by itself
	one.until(http.StatusOK, "ready")
	w.submit(run2, w.envelope(saved))
	refused := "refused the plan was applied by the run " + run1
	require.Contains(t, strings.Join(w.over(run2), "\n"), strings.TrimPrefix(refused, "refused "))

	for _, p := range []*process{one, two, hub} {
		require.Equal(t, exit.Good, p.end(), "%s", p.log)
	}
	cmd := exec.Command(machinetest.Rocec(t), "runs", "--check")
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+w.state("dc1-journals"))
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), run1)
}

// page2 reports whether a page is good.
func (p *process) page2(path string) bool {
	status, _ := p.page(path)
	return status == http.StatusOK
}

// TestRebuildProcesses: a hub and site in one process goes on after its store was lost, replaced by an older one, or damaged.
func TestRebuildProcesses(t *testing.T) {
	t.Parallel()
	w := newTeam(t, fabric, "dc1")
	store := filepath.Join(w.state("hub"), "store")
	flags := []string{
		"--mirror", w.repo, "--lab", "--signers", filepath.Join(w.dir, "allowed_signers"), // its site and its key are the only ones
	}
	hub := w.hubAt("hub", flags...)
	w.meet("hub")
	saved := w.plan("dc1")
	require.Equal(t, exit.Good, hub.end())
	yesterday := filepath.Join(w.dir, "yesterday")
	require.NoError(t, os.CopyFS(yesterday, os.DirFS(store)))
	hub = w.hubAt("hub", flags...)
	w.submit(run1, w.envelope(saved))
	require.Equal(t, []string{"dc1 complete"}, w.over(run1))
	for name, break_ := range map[string]func(){
		"lost":  func() {},
		"older": func() { require.NoError(t, os.CopyFS(store, os.DirFS(yesterday))) },
		"damaged": func() {
			require.NoError(t, os.CopyFS(store, os.DirFS(yesterday)))
			require.NoError(t, filepath.Walk(store, func(file string, info os.FileInfo, err error) error {
				if err != nil || !strings.HasSuffix(file, ".blk") {
					return err
				}
				return os.WriteFile(file, []byte(strings.Repeat("\xff", int(info.Size()))), 0o600)
			}))
		},
	} {
		require.Equal(t, exit.Good, hub.end(), name)
		require.NoError(t, os.RemoveAll(store))
		break_()
		hub = w.serve("hub", append([]string{"--listen", w.free("hub")}, flags...)...)
		hub.until(http.StatusServiceUnavailable, "rocecd rebuild --after ")
		out := w.do("rebuild", "--state", w.state("hub"), "--listen", w.free("hub"), "--site", "dc1", "--signers",
			filepath.Join(w.dir, "allowed_signers"))
		require.Contains(t, out, "The numbers of the hub go on above ", name)
		require.Contains(t, out, "The hub got 1 message of persons, ", name)
		hub.until(http.StatusOK, "ready")
		require.True(t, soon(w.persons.Connected))
		require.Equal(t, []string{"dc1 complete"}, w.over(run1), name)
	}
	refused := w.fails(exit.Machines, "rebuild", "--state", w.state("hub"), "--listen", w.free("hub"), "--site", "dc1", "--after", "1")
	require.Contains(t, refused, "cannot go on above 1")
	n := time.Now()
	require.NotNil(t, w.plan("dc1"), "the site answers again")
	t.Logf("a plan after it: %s", time.Since(n))
}

// TestFullDisk: a site whose journals are on a full disk is not ready, and begins no wave. The person reads why.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	machinetest.Root(t, "a file system for one process")
	w := newTeam(t, fabric, "dc1")
	hub := w.hubAt("hub")
	journals := w.state("dc1-journals")
	require.NoError(t, os.Mkdir(journals, 0o700))
	mount := `mount -t tmpfs -o size=1m,mode=700 none "$XDG_STATE_HOME" && exec "$@"`
	w.under = []string{machinetest.Need(t, "unshare"), "--mount", "sh", "-c", mount, "sh"}
	site := w.siteAt("dc1", "hub")
	site.until(http.StatusOK, "ready")
	w.meet("hub")
	saved := w.plan("dc1")
	inside := filepath.Join("/proc", fmt.Sprint(site.Process.Pid), "root", journals)
	for n := range 2 { // the rest of a page, too
		_ = os.WriteFile(filepath.Join(inside, fmt.Sprint("full", n)), make([]byte, 1<<20), 0o600) // it fails
	}
	site.until(http.StatusServiceUnavailable, "no space left on device")
	w.submit(run1, w.envelope(saved))
	require.Contains(t, w.over(run1)[0], "no space left on device")
	require.Empty(t, w.run(run1).ShareOf("dc1").Waves)
	for n := range 2 {
		require.NoError(t, os.Remove(filepath.Join(inside, fmt.Sprint("full", n))))
	}
	site.until(http.StatusOK, "ready")
	require.Equal(t, exit.Good, site.end())
	require.Equal(t, exit.Good, hub.end())
}

// TestTwoHubs: two hubs have the same keys, and each thinks that it is the hub. Sites at different hubs begin nothing. A site that comes to
// the other hub sees that the store is another one. After a rebuild both sites know both runs, and the earlier run goes first. The plan is
// good for one of them.
func TestTwoHubs(t *testing.T) {
	t.Parallel()
	w := newTeam(t, fabric+second(), "dc1", "dc2")
	require.NoError(t, os.CopyFS(w.state("other"), os.DirFS(w.state("hub"))))
	require.NoError(t, os.Chmod(filepath.Join(w.state("other"), "keys"), 0o700))
	hub, other := w.hubAt("hub"), w.hubAt("other")
	one, two := w.siteAt("dc1", "hub"), w.siteAt("dc2", "hub")
	one.until(http.StatusOK, "ready")
	two.until(http.StatusOK, "ready")
	w.meet("hub")
	taken := w.fails(exit.Machines, "serve", "--state", w.state("hub"), "--listen", w.free("third"))
	require.Contains(t, taken, "another rocecd serves the hub")
	taken = w.fails(exit.Machines, "serve", "--state", w.state("third"), "--listen", w.free("hub"))
	require.Contains(t, taken, "address already in use. --listen names another address")
	taken = w.fails(exit.Machines, "serve", "--state", w.state("third"), "--listen", w.free("third"), "--pages", hub.pages)
	require.Contains(t, taken, "address already in use. --pages names another address")
	body := w.envelope(w.plan("dc1", "dc2"))
	require.Equal(t, exit.Good, one.end())
	w.submit(run1, body)
	w.waits(run1, "dc2", "the site dc1 has not taken the run")

	w.meet("other")
	for range 12 { // this hub has other messages with these numbers
		w.submit("nothing", []byte("{}"))
	}
	w.submit(run2, body)
	one = w.siteAt("dc1", "other") // it has kept no message, and so knows no other store
	w.waits(run2, "dc1", "the site dc2 has not taken the run")
	require.Equal(t, exit.Good, two.end())
	two = w.siteAt("dc2", "other")
	two.until(http.StatusServiceUnavailable, "is not the one that this site has seen")
	require.True(t, w.run(run2).ShareOf("dc2").Taken.IsZero(), "it uses no message of the other hub")
	for _, p := range []*process{one, two, other} {
		require.Equal(t, exit.Good, p.end())
	}

	one, two = w.siteAt("dc1", "hub"), w.siteAt("dc2", "hub")
	one.until(http.StatusServiceUnavailable, "rocecd rebuild --after ")
	_, text := one.page("/readyz")
	_, number, _ := strings.Cut(text, "--after ")
	number, _, _ = strings.Cut(number, " ")
	require.Contains(t, w.do("rebuild", "--state", w.state("hub"), "--listen", w.free("hub"), "--after", number), "go on above "+number)
	for i, site := range []string{"dc1", "dc2"} { // dc2 has that of dc1, too
		require.Contains(t, w.do("rebuild", "--state", w.state(site), "--site", site, "--hub", "tls://"+w.free("hub"), "--creds",
			w.ring(site+".creds"), "--ca", w.ring("ca.crt"), "--key", w.ring("site-"+site+".key"), "--signers",
			filepath.Join(w.dir, "allowed_signers")), "The hub got "+[]string{"1 message", "2 messages"}[i]+" of persons")
	}
	w.meet("hub")
	require.Equal(t, []string{"dc1 complete", "dc2 complete"}, w.over(run1))
	require.Contains(t, strings.Join(w.over(run2), "\n"), "the plan was applied by the run "+run1+" already")
	for _, p := range []*process{one, two, hub} {
		require.Equal(t, exit.Good, p.end())
	}
}

// TestExistingServer: with --nats a site and a process for pages use a server that neither runs. They see when it is away, and when it is
// back.
func TestExistingServer(t *testing.T) {
	t.Parallel()
	w := newTeam(t, fabric, "dc1")
	nats := w.hubAt("hub")
	w.do("keys", "person", "view", "--role", "hub", "--state", w.state("hub"))
	to := func(creds string) []string {
		return []string{"--nats", "tls://" + w.free("hub"), "--creds", w.ring(creds), "--ca", w.ring("ca.crt")}
	}
	view := w.serve("view", to("view.creds")...)
	site := w.serve("dc1", append([]string{
		"--site", "dc1", "--mirror", "file://" + w.repo, "--key", w.ring("site-dc1.key"), "--signers",
		filepath.Join(w.dir, "allowed_signers"), "--lab",
	}, to("dc1.creds")...)...)
	view.until(http.StatusOK, "ready")
	site.until(http.StatusOK, "ready")
	w.meet("hub")
	require.Equal(t, []string{"tor1", "a1", "a2"}, w.plan("dc1").Terms.Waves, "from its clone")
	require.NoDirExists(t, filepath.Join(w.state("view"), "store"))
	require.Equal(t, exit.Good, nats.end())
	view.until(http.StatusServiceUnavailable, "the hub does not answer")
	site.until(http.StatusServiceUnavailable, "the site is not connected to the hub")
	nats = w.hubAt("hub")
	view.until(http.StatusOK, "ready")
	site.until(http.StatusOK, "ready")
	w.deleteStream("hub")
	view.until(http.StatusServiceUnavailable, "has no stream ROCEC")
	site.until(http.StatusServiceUnavailable, "has no stream ROCEC")
	require.Equal(t, exit.Good, view.end())
	view = w.serve("view", to("view.creds")...)
	view.until(http.StatusOK, "ready")
	for _, p := range []*process{view, site, nats} {
		require.Equal(t, exit.Good, p.end())
	}
	require.Contains(t, w.fails(exit.Machines, append([]string{"serve", "--state", w.state("x")}, to("alice.creds")...)...), "the hub tls://")
}

// TestMirrorAtStart: a process that starts brings its mirror up to date, and works with the present one if the origin is away.
func TestMirrorAtStart(t *testing.T) {
	t.Parallel()
	w := newTeam(t, regexp.MustCompile(`site += .*`).ReplaceAllString(fabric, ""), "dc1")
	flags := []string{"--mirror", "file://" + w.repo, "--lab", "--signers", filepath.Join(w.dir, "allowed_signers")}
	at := []string{"serve", "--state", w.state("hub"), "--pages", w.free("pages of hub"), "--listen", w.free("hub")}
	require.Contains(t, w.fails(exit.Errors, append(at, flags...)...), "no device of the fabric prod has a site")
	require.NoError(t, os.WriteFile(filepath.Join(w.repo, "fabric.hcl"), []byte(fabric), 0o600))
	w.git("commit", "--quiet", "-a", "-m", "sites")
	for _, away := range []bool{false, true} {
		if away {
			require.NoError(t, os.Rename(w.repo, w.repo+" away"))
		}
		hub := w.hubAt("hub", flags...)
		require.Equal(t, exit.Good, hub.end())
		require.Equal(t, away, strings.Contains(hub.log.String(), "the mirror of the fabric is not brought up to date"), "%s", hub.log)
	}
}

// deleteStream deletes the stream of a hub as an administrator of NATS can. No user of the ring has the right.
func (w *team) deleteStream(hub string) {
	w.t.Helper()
	seed, err := os.ReadFile(w.ring("account.nk"))
	require.NoError(w.t, err)
	account, err := nkeys.FromSeed(bytes.TrimSpace(seed))
	require.NoError(w.t, err)
	user, err := nkeys.CreateUser()
	require.NoError(w.t, err)
	public, err := user.PublicKey()
	require.NoError(w.t, err)
	token, err := jwt.NewUserClaims(public).Encode(account)
	require.NoError(w.t, err)
	login := nats.UserJWT(func() (string, error) { return token, nil }, user.Sign)
	conn, err := nats.Connect("tls://"+w.free(hub), login, nats.RootCAs(w.ring("ca.crt")))
	require.NoError(w.t, err)
	defer conn.Close()
	m, err := conn.Request("$JS.API.STREAM.DELETE."+broker.Stream, nil, time.Minute)
	require.NoError(w.t, err)
	require.Contains(w.t, string(m.Data), `"success":true`)
}

// TestWrong lists flags and names that rocecd refuses, by the sentence.
func TestWrong(t *testing.T) {
	t.Parallel()
	w := newTeam(t, fabric+second(), "dc1", "dc2")
	hub := []string{"--hub", "tls://127.0.0.1:1", "--creds", w.ring("dc1.creds"), "--ca", w.ring("ca.crt")}
	site := func(args ...string) []string {
		return append(append([]string{"serve", "--state", w.state("x")}, hub...), args...)
	}
	for _, c := range []struct {
		status int
		says   string
		args   []string
	}{
		{exit.Usage, `"dc*" is no name of a user`, []string{"keys", "site", "dc*", "--state", w.state("hub")}},
		{exit.Usage, `"a.>" is no name of a user`, []string{"keys", "person", "a.>", "--state", w.state("hub")}},
		{exit.Usage, `"../x" is no name of a user`, []string{"keys", "renew", "../x", "--state", w.state("hub")}},
		{exit.Usage, "takes NAME, not 2 arguments", []string{"keys", "revoke", "a", "b"}},
		{exit.Usage, "is one of the hub itself", []string{"keys", "person", "server", "--state", w.state("hub")}},
		{exit.Usage, "--role is operator, reader or hub", []string{"keys", "person", "x", "--role", "root", "--state", w.state("hub")}},
		{exit.Errors, "the ring has the site dc1 already", []string{"keys", "site", "dc1", "--state", w.state("hub")}},
		{exit.Errors, `the ring has no user "carol"`, []string{"keys", "revoke", "carol", "--state", w.state("hub")}},
		{exit.Machines, "is not empty. A new ring", []string{"keys", "init", "--state", w.state("hub")}},
		{exit.Machines, "there is no ring of keys: rocecd keys init", []string{"keys", "list", "--state", w.state("none")}},
		{exit.Usage, "--hub needs --site", site("--mirror", w.repo)},
		{exit.Usage, "--hub needs --mirror", site("--site", "dc1")},
		{exit.Usage, "the fabric prod has no site dc*: it has dc1 and dc2", site("--site", "dc*", "--mirror", w.repo)},
		{exit.Usage, "is neither a folder nor the address", site("--site", "dc1", "--mirror", w.state("none"))},
		{exit.Machines, "git clone", site("--site", "dc1", "--mirror", "file://"+w.state("none"))},
		{exit.Usage, "--hub and --nats exclude each other", site("--nats", "nats://127.0.0.1:1")},
		{exit.Usage, "need --creds", []string{"serve", "--nats", "nats://127.0.0.1:1"}},
		{exit.Usage, "are for --hub and --nats", []string{"serve", "--creds", "x"}},
		{exit.Usage, "--site needs --mirror", []string{"serve", "--site", "dc1", "--state", w.state("x")}},
		{exit.Usage, "has the sites dc1 and dc2: --site names", []string{
			"serve", "--state", w.state("y"), "--mirror", w.repo, "--listen", w.free("y"), "--pages", w.free("z"),
		}},
		{exit.Usage, "has no keys of a hub for other machines", []string{"serve", "--state", w.state("x"), "--listen", "0.0.0.0:1"}},
		{exit.Usage, "is not a loopback address: pages there need mutual TLS", []string{
			"serve", "--state", w.state("z"), "--listen", w.free("y"), "--pages", "0.0.0.0:0",
		}},
		{exit.Usage, "--store-bytes is at least", []string{"serve", "--state", w.state("x"), "--store-bytes", "1"}},
		{exit.Usage, "--after is for the hub", append([]string{"rebuild", "--state", w.state("x"), "--site", "dc1", "--after", "3"}, hub...)},
		{exit.Machines, "has no records of a site", append([]string{"rebuild", "--state", w.state("x"), "--site", "dc1"}, hub...)},
		{exit.Usage, "on a hub alone, --after states", []string{"rebuild", "--state", w.state("hub")}},
		{exit.Usage, "has no keys of a hub: name the hub", []string{"rebuild", "--state", w.state("none")}},
		{exit.Machines, "fabric.hcl: line ", site(
			"--site", "dc1", "--mirror", w.repo, "--signers", filepath.Join(w.repo, "fabric.hcl"),
		)},
		{exit.Usage, "unknown command", []string{"server"}},
		{exit.Usage, "unknown flag: --site", []string{"keys", "list", "--site", "x"}},
	} {
		assert.Contains(t, w.fails(c.status, c.args...), c.says, fmt.Sprint(c.args))
	}
}
