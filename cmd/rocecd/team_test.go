package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/broker"
	"github.com/rocec/rocec/cmd/internal/globals"
	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/cmd/internal/savedplan"
	"github.com/rocec/rocec/cmd/internal/sshsig"
	"github.com/rocec/rocec/cmd/internal/sshsig/sshsigtest"
	"github.com/rocec/rocec/cmd/internal/statement"
	"github.com/rocec/rocec/cmd/internal/teamplan"
	"github.com/rocec/rocec/cmd/internal/teamqueue"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/deploy"
)

func TestMain(m *testing.M) {
	machinetest.Hasten()
	machinetest.Parallel(2)
	os.Exit(m.Run())
}

// fabric has two racks without a cable between them, one at each site.
const fabric = `
fabric "prod" { cable_length = "3m" }
cos_group "rdma" {
  cos      = 3
  dscp     = [26]
  lossless = true
  ecn {}
}
cos_group "cnp" {
  cos    = 6
  dscp   = [48]
  strict = true
}
` + rack

// rack is one rack of the fabric; the other one has other letters.
const rack = `
roce "one" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = [host.a]
}
switch "one" {
  names   = "tor1"
  model   = "sn3700"
  version = "5.9.2"
  site    = "dc1"
}
host "a" {
  names = "a[1-2]"
  site  = "dc1"
  nic "ens1f0" { model = "connectx-6dx" }
}
link "one" {
  a     = "a[1-2]:ens1f0"
  b     = "tor1:swp[1-2]"
  speed = "100G"
}
`

// second returns the rack of the second site.
func second() string {
	return strings.NewReplacer(
		`"one"`, `"two"`, "host.a", "host.b", "tor1", "tor2", "dc1", "dc2", `"a"`, `"b"`, "a[1-2]", "b[1-2]",
	).Replace(rack)
}

// siteOf has the devices of each site.
var siteOf = map[string][]string{"dc1": {"tor1", "a1", "a2"}, "dc2": {"tor2", "b1", "b2"}}

// runs of the tests.
const (
	run1 = "20261130t080000z-aaaa"
	run2 = "20261130t080001z-bbbb"
)

// team is a hub and sites as processes. The test is the persons.
type team struct {
	t       *testing.T
	dir     string
	repo    string
	commit  string
	tokens  map[string]*sshsigtest.Token
	signers *sshsig.Signers
	tool    string
	persons *broker.Broker
	at      map[string]string // addresses of listeners, by name
	under   []string          // the command that starts a process
	env     []string          // of processes, beside that of the test
	real    bool              // the devices of sites are behind SSH
}

// process is a running rocecd.
type process struct {
	*exec.Cmd
	t     *testing.T
	pages string
	log   *bytes.Buffer
}

// newTeam makes a repository and the keys of a hub, of sites and of alice.
func newTeam(t *testing.T, text string, sites ...string) *team {
	t.Helper()
	w := &team{t: t, dir: t.TempDir(), tokens: map[string]*sshsigtest.Token{}, at: map[string]string{}}
	w.repo = filepath.Join(w.dir, "repo")
	require.NoError(t, os.Mkdir(w.repo, 0o700))
	w.git("init", "--quiet")
	require.NoError(t, os.WriteFile(filepath.Join(w.repo, "fabric.hcl"), []byte(text), 0o600))
	w.git("add", ".")
	w.git("commit", "--quiet", "-m", "fabric")
	w.commit = w.git("rev-parse", "HEAD")
	w.tool = strings.Fields(w.do("version"))[1]
	w.do("keys", "init", "--state", w.state("hub"))
	var lines strings.Builder
	for i, one := range [][2]string{{"alice", "rocec-plan,rocec-apply"}, {"bob", "rocec-approve"}} {
		w.tokens[one[0]] = sshsigtest.NewToken(bytes.Repeat([]byte{byte(i + 1)}, 32))
		fmt.Fprintf(&lines, "%s namespaces=\"%s\" %s\n", one[0], one[1], w.tokens[one[0]].Line())
	}
	for _, site := range sites {
		for line := range strings.Lines(w.do("keys", "site", site, "--state", w.state("hub"))) {
			if line := strings.TrimSpace(line); strings.HasPrefix(line, "site:") {
				fmt.Fprintln(&lines, line)
			}
		}
	}
	w.do("keys", "person", "alice", "--state", w.state("hub"))
	require.NoError(t, os.WriteFile(filepath.Join(w.dir, "allowed_signers"), []byte(lines.String()), 0o600))
	var err error
	w.signers, err = sshsig.ParseSigners([]byte(lines.String()))
	require.NoError(t, err)
	return w
}

func (w *team) state(name string) string { return filepath.Join(w.dir, name) }

// ring returns the path of a file of the hub's ring.
func (w *team) ring(file string) string { return filepath.Join(w.state("hub"), "keys", file) }

func (w *team) git(args ...string) string {
	w.t.Helper()
	args = append([]string{"-C", w.repo, "-c", "user.name=test", "-c", "user.email=test@example.net"}, args...)
	out, err := exec.Command(machinetest.Need(w.t, "git"), args...).CombinedOutput()
	require.NoError(w.t, err, "%s", out)
	return strings.TrimSpace(string(out))
}

// do runs a command of rocecd that ends well, and returns its output.
func (w *team) do(args ...string) string {
	w.t.Helper()
	out, err := exec.Command(machinetest.Rocecd(w.t), args...).CombinedOutput()
	require.NoError(w.t, err, "%s", out)
	return string(out)
}

// fails runs a command of rocecd that fails with a status, and returns its message as one line.
func (w *team) fails(status int, args ...string) string {
	w.t.Helper()
	cmd := exec.Command(machinetest.Rocecd(w.t), args...)
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+w.dir)
	out, err := cmd.CombinedOutput()
	require.Error(w.t, err, "%s", out)
	require.Equal(w.t, status, cmd.ProcessState.ExitCode(), "%s", out)
	return strings.Join(strings.Fields(string(out)), " ")
}

// free returns an address of this machine on which nothing listens, the same one for the same name.
func (w *team) free(name string) string {
	w.t.Helper()
	if w.at[name] == "" {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(w.t, err)
		w.at[name] = l.Addr().String()
		require.NoError(w.t, l.Close())
	}
	return w.at[name]
}

// serve starts a rocecd that serves, with its own journals.
func (w *team) serve(name string, args ...string) *process {
	w.t.Helper()
	p := &process{t: w.t, pages: w.free("pages of " + name), log: &bytes.Buffer{}}
	args = slices.Concat(w.under, []string{machinetest.Rocecd(w.t), "serve", "--state", w.state(name), "--pages", p.pages}, args)
	p.Cmd = exec.Command(args[0], args[1:]...)
	p.Env = append(append(os.Environ(), w.env...), "XDG_STATE_HOME="+w.state(name+"-journals"), "HOME="+w.dir)
	p.Stderr = p.log
	require.NoError(w.t, p.Start())
	w.t.Cleanup(func() {
		p.end()
		if w.t.Failed() {
			w.t.Logf("%s: %s", name, p.log)
		}
	})
	return p
}

// hubAt starts a hub with the state of a name, and connects the persons.
func (w *team) hubAt(name string, args ...string) *process {
	w.t.Helper()
	p := w.serve(name, append([]string{"--listen", w.free(name)}, args...)...)
	p.until(http.StatusOK, "ready")
	if w.persons != nil {
		require.True(w.t, soon(w.persons.Connected))
	}
	return p
}

// siteAt starts a site of a hub, with simulated devices.
func (w *team) siteAt(site, hub string, args ...string) *process {
	w.t.Helper()
	if !w.real {
		args = append(args, "--lab")
	}
	return w.serve(site, append([]string{
		"--site", site, "--mirror", w.repo, "--hub", "tls://" + w.free(hub), "--creds", w.ring(site + ".creds"), "--ca", w.ring("ca.crt"),
		"--key", w.ring("site-" + site + ".key"), "--signers", filepath.Join(w.dir, "allowed_signers"),
	}, args...)...)
}

// alice connects to a hub with the credentials of alice.
func (w *team) alice(hub string) (*broker.Broker, error) {
	return broker.Open(broker.Where{URL: "tls://" + w.free(hub), Creds: w.ring("alice.creds"), CA: w.ring("ca.crt"), Name: "alice"}, nil)
}

// meet makes the persons speak to a hub.
func (w *team) meet(hub string) {
	w.t.Helper()
	b, err := w.alice(hub)
	require.NoError(w.t, err)
	w.t.Cleanup(b.Close)
	w.persons = b
}

// end ends a process by SIGTERM, and returns its exit code.
func (p *process) end() int {
	p.t.Helper()
	if p.ProcessState == nil {
		_ = p.Process.Signal(syscall.SIGTERM) // it may have ended
		_ = p.Wait()
	}
	return p.ProcessState.ExitCode()
}

// page returns the status and the text of a page.
func (p *process) page(path string) (status int, text string) {
	answer, err := http.Get("http://" + p.pages + path)
	if err != nil {
		return 0, err.Error()
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	require.NoError(p.t, err)
	return answer.StatusCode, string(body)
}

// until waits until /readyz has a status and a text.
func (p *process) until(status int, text string) {
	p.t.Helper()
	last := ""
	if !soon(func() bool {
		is, said := p.page("/readyz")
		last = fmt.Sprint(is, " ", said)
		return is == status && strings.Contains(said, text)
	}) {
		require.Fail(p.t, "not as wanted", "%d %s, and the page says %s\n%s", status, text, last, p.log)
	}
}

// soon reports whether something becomes true.
func soon(good func() bool) bool {
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if good() {
			return true
		}
	}
	return false
}

func (w *team) signed(who string, st *statement.Statement, body []byte) []byte {
	w.t.Helper()
	st.Fabric, st.At, st.Nonce = "prod", time.Now().UTC().Truncate(time.Second), rand.Text()
	m, err := statement.Make(st, body, func(namespace string, message []byte) ([]byte, error) {
		return w.tokens[who].Sign(namespace, message, 1), nil
	})
	require.NoError(w.t, err)
	data, err := json.Marshal(m)
	require.NoError(w.t, err)
	return data
}

// inputs returns the hash of the files of the fabric.
func (w *team) inputs() string {
	w.t.Helper()
	p := &person.Person{Getenv: func(string) string { return "" }, Stderr: io.Discard, Color: "never"}
	g := globals.New(p, globals.Build{Version: w.tool})
	f, err := g.Load(w.repo)
	require.NoError(w.t, err)
	require.False(w.t, f.Diags.HasErrors(), "%v", f.Diags)
	return savedplan.Inputs(&savedplan.Given{Tool: w.tool}, f)
}

// plan asks sites for their parts, and makes one plan of them.
func (w *team) plan(sites ...string) *deploy.Saved {
	w.t.Helper()
	q, err := json.Marshal(teamplan.Question{Commit: w.commit, Inputs: w.inputs(), Tool: w.tool})
	require.NoError(w.t, err)
	var parts []*teamplan.SitePart
	for _, site := range sites {
		st := statement.Statement{Verb: statement.Ask, Site: site}
		to := broker.Subject{Kind: broker.Ask, Fabric: "prod", Site: site}
		_, err := w.persons.Publish(w.t.Context(), to, rand.Text(), w.signed("alice", &st, q))
		require.NoError(w.t, err)
		require.True(w.t, soon(func() bool {
			part := w.answer(site, st.Nonce)
			if part != nil {
				parts = append(parts, part)
			}
			return part != nil
		}), "%s does not answer", site)
	}
	now := time.Now().UTC().Truncate(time.Second)
	saved, err := teamplan.Merge(parts, siteOf, deploy.Meta{Tool: w.tool, Fabric: "prod", Inputs: w.inputs(), Terms: &deploy.Terms{
		Name: "prod", Commit: w.commit, Message: "ticket 4711", Made: now, Expires: now.Add(time.Hour), Nonce: rand.Text(), Approvals: 1,
	}})
	require.NoError(w.t, err)
	return saved
}

// answer returns the answer of a site to the question with a nonce; nil: there is none.
func (w *team) answer(site, nonce string) (part *teamplan.SitePart) {
	w.t.Helper()
	of := []broker.Subject{{Kind: broker.Share, Fabric: "prod", Site: site}}
	require.NoError(w.t, w.persons.Read(w.t.Context(), 1, of, func(m *broker.Message) error {
		var signed statement.Signed
		require.NoError(w.t, json.Unmarshal(m.Data, &signed))
		st, who, err := signed.Open(w.signers, m.At)
		require.NoError(w.t, err)
		require.Equal(w.t, "site:"+site, who)
		if st.Head != statement.Sum([]byte(nonce)) {
			return nil
		}
		require.Equal(w.t, statement.Complete, st.Outcome, st.Why)
		part, err = teamplan.ParsePart(signed.Body)
		return err
	}))
	return part
}

// envelope returns a plan with the approval of bob and the submission of alice.
func (w *team) envelope(saved *deploy.Saved) []byte {
	w.t.Helper()
	e := teamqueue.Envelope{Plan: saved.Bytes(), Accept: w.real, Agreement: &journal.Agreement{
		Nonce: saved.Terms.Nonce, Plan: sshsig.SumsOf(saved.Bytes()), Wanted: 1,
		Approvals: []journal.Signature{{Person: "bob", Signature: string(w.tokens["bob"].Sign(sshsig.RoleApprove, saved.Bytes(), 1))}},
	}}
	e.Agreement.Submitted = journal.Signature{
		Person: "alice", Signature: string(w.tokens["alice"].Sign(sshsig.RoleApply, e.Agreement.Submission(), 1)),
	}
	body, err := json.Marshal(e)
	require.NoError(w.t, err)
	return body
}

// submit submits a plan as a run.
func (w *team) submit(run string, body []byte) {
	w.t.Helper()
	st := statement.Statement{Verb: statement.Submit, Run: run}
	data := w.signed("alice", &st, body)
	_, err := w.persons.Publish(w.t.Context(), broker.Subject{Kind: broker.Submit, Fabric: "prod"}, st.Nonce, data)
	require.NoError(w.t, err)
}

// says publishes a statement of alice about a run.
func (w *team) says(run string, verb statement.Verb) {
	w.t.Helper()
	st := statement.Statement{Verb: verb, Run: run, Digest: w.run(run).Digest}
	data := w.signed("alice", &st, nil)
	_, err := w.persons.Publish(w.t.Context(), broker.Subject{Kind: broker.Say, Fabric: "prod", Run: run}, st.Nonce, data)
	require.NoError(w.t, err)
}

// run returns a run, as a person who begins to read now knows it; nil: there is none.
func (w *team) run(name string) *teamqueue.TeamRun {
	w.t.Helper()
	q := teamqueue.New(w.signers)
	var of []broker.Subject
	for _, kind := range teamqueue.Kinds {
		of = append(of, broker.Subject{Kind: kind, Fabric: "prod"})
	}
	require.NoError(w.t, w.persons.Read(w.t.Context(), 1, of, func(m *broker.Message) error {
		_ = q.Take(m)
		return nil
	}))
	return q.Run(name)
}

// over waits until a run is over at all sites, and returns how each share ended.
func (w *team) over(run string) (out []string) {
	w.t.Helper()
	require.True(w.t, soon(func() bool {
		r := w.run(run)
		return r != nil && r.Over(time.Now())
	}) || assert.Fail(w.t, "the run is not over", w.told(run)))
	for _, s := range w.run(run).Shares {
		out = append(out, strings.TrimSpace(s.Site+" "+s.Outcome+" "+s.Refused+s.Why))
	}
	return out
}

// told returns what sites say about a run.
func (w *team) told(run string) string {
	r := w.run(run)
	if r == nil {
		return "no run"
	}
	var out []string
	for _, s := range r.Shares {
		out = append(out, fmt.Sprintf("%s: taken %s, waits %q, refused %q, outcome %q %q", s.Site, s.Taken, s.Waits, s.Refused, s.Outcome, s.Why))
	}
	return strings.Join(out, "; ")
}

// waits waits until a site waits for something.
func (w *team) waits(run, site, text string) {
	w.t.Helper()
	last := ""
	require.True(w.t, soon(func() bool {
		if r := w.run(run); r != nil {
			last = r.ShareOf(site).Waits
		}
		return strings.Contains(last, text)
	}), "%s: %s, not %s", site, last, text)
}
