package site

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/broker"
	"github.com/rocec/rocec/cmd/internal/globals"
	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/cmd/internal/savedplan"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/cmd/internal/sshsig"
	"github.com/rocec/rocec/cmd/internal/sshsig/sshsigtest"
	"github.com/rocec/rocec/cmd/internal/statement"
	"github.com/rocec/rocec/cmd/internal/teamplan"
	"github.com/rocec/rocec/cmd/internal/teamqueue"
	"github.com/rocec/rocec/cmd/rocecd/internal/keys"
	"github.com/rocec/rocec/cmd/rocecd/internal/server"
	"github.com/rocec/rocec/compiler/change"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device"
	"github.com/rocec/rocec/targets/deploy/lab"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/deploy/sequence"
)

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
roce "one" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = [host.a]
}
roce "two" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = [host.b]
}
switch "one" {
  names   = "tor1"
  model   = "sn3700"
  version = "5.9.2"
  site    = "dc1"
}
switch "two" {
  names   = "tor2"
  model   = "sn3700"
  version = "5.9.2"
  site    = "dc2"
}
host "a" {
  names = "a[1-2]"
  site  = "dc1"
  nic "ens1f0" { model = "connectx-6dx" }
}
host "b" {
  names = "b[1-2]"
  site  = "dc2"
  nic "ens1f0" { model = "connectx-6dx" }
}
link "one" {
  a     = "a[1-2]:ens1f0"
  b     = "tor1:swp[1-2]"
  speed = "100G"
}
link "two" {
  a     = "b[1-2]:ens1f0"
  b     = "tor2:swp[1-2]"
  speed = "100G"
}
`

// siteOf has the devices of each site.
var siteOf = map[string][]string{"dc1": {"tor1", "a1", "a2"}, "dc2": {"tor2", "b1", "b2"}}

// team is a hub, two sites whose devices are simulated, and persons.
type team struct {
	t       *testing.T
	dir     string
	repo    string
	commit  string
	ring    *keys.Ring
	hub     *server.Hub
	port    int
	url     string // of a hub that is not the one of the test
	tokens  map[string]*sshsigtest.Token
	signers *sshsig.Signers
	persons *broker.Broker
	sites   map[string]*siteProcess
	every   time.Duration       // between looks of sites that start
	of      map[string][]string // devices of each site
}

// siteProcess is the worker of a site, which can be stopped and started again.
type siteProcess struct {
	*Worker
	name   string
	state  string
	cancel context.CancelFunc
	ended  chan error
	hears  func(journal.Notice) // of each line of its journals
	drain  []string             // of its changes
	port   int                  // by which it reaches the hub; 0: that of the hub
	ahead  time.Duration        // of its clock

	signers func() (*sshsig.Signers, error) // nil: those of people
}

func newTeam(t *testing.T) *team {
	t.Helper()
	w := &team{t: t, dir: t.TempDir(), sites: map[string]*siteProcess{}, port: -1, of: siteOf}
	w.tokens, w.signers = people()
	w.repo = filepath.Join(w.dir, "repo")
	require.NoError(t, os.Mkdir(w.repo, 0o700))
	w.git("init", "--quiet")
	w.write(fabric)
	var err error
	w.ring, err = keys.Make(filepath.Join(w.dir, "keys"), time.Now)
	require.NoError(t, err)
	require.NoError(t, w.ring.Server([]string{"127.0.0.1"}, time.Hour))
	w.up()
	t.Cleanup(func() { w.hub.Stop() })
	w.persons = w.as("persons", keys.Operator)
	for name := range siteOf {
		w.creds(name, keys.Site)
		w.sites[name] = &siteProcess{name: name, state: filepath.Join(w.dir, name)}
		w.start(name)
		t.Cleanup(func() { w.stop(name) })
	}
	return w
}

func (w *team) git(args ...string) string {
	w.t.Helper()
	args = append([]string{"-C", w.repo, "-c", "user.name=test", "-c", "user.email=test@example.net"}, args...)
	out, err := exec.Command("git", args...).CombinedOutput()
	require.NoError(w.t, err, "%s", out)
	return strings.TrimSpace(string(out))
}

// write commits the text of a fabric.
func (w *team) write(text string) {
	w.t.Helper()
	require.NoError(w.t, os.WriteFile(filepath.Join(w.repo, "fabric.hcl"), []byte(text), 0o600))
	w.git("add", ".")
	w.git("commit", "--quiet", "-m", "change")
	w.commit = w.git("rev-parse", "HEAD")
}

// up starts the hub, on the port that it had.
func (w *team) up() {
	w.t.Helper()
	s, err := server.Start(server.Options{
		Port: w.port, Store: filepath.Join(w.dir, "store"), Ring: w.ring, Log: slog.New(slog.DiscardHandler),
	})
	require.NoError(w.t, err)
	w.hub = s
	at, err := url.Parse(s.URL())
	require.NoError(w.t, err)
	_, err = fmt.Sscan(at.Port(), &w.port)
	require.NoError(w.t, err)
	b := w.as("hub", keys.Hub)
	require.NoError(w.t, b.Make(w.t.Context(), broker.Limits{Bytes: 1 << 30, Age: time.Hour}))
	require.NoError(w.t, b.MakeAlive(w.t.Context(), 1))
	b.Close()
}

// creds makes the credentials of a user.
func (w *team) creds(name string, role keys.Role) string {
	w.t.Helper()
	creds, err := w.ring.Add(name, role, time.Hour)
	require.NoError(w.t, err)
	require.NoError(w.t, w.hub.Reload())
	file := filepath.Join(w.dir, name+".creds")
	require.NoError(w.t, os.WriteFile(file, creds, 0o600))
	return file
}

func (w *team) as(name string, role keys.Role) *broker.Broker {
	w.t.Helper()
	b, err := broker.Open(broker.Where{
		URL: fmt.Sprintf("tls://127.0.0.1:%d", w.port), Creds: w.creds(name, role), CA: w.ring.CA(), Name: name,
	}, nil)
	require.NoError(w.t, err)
	w.t.Cleanup(b.Close)
	return b
}

// place is where the worker of a site works.
type place struct {
	Site, State, Repo, URL, Creds, CA string

	Lab   bool // the devices are simulated in the process
	Drain []string
	Every time.Duration // between looks
	Kill  int           // after this line of its journals the process kills itself; 0: never
	Ahead time.Duration // of the clock
}

func (w *team) place(name string) place {
	return place{
		Site: name, State: w.sites[name].state, Repo: w.repo, CA: w.ring.CA(), Ahead: w.sites[name].ahead,
		URL:   cmp.Or(w.url, fmt.Sprintf("tls://127.0.0.1:%d", cmp.Or(w.sites[name].port, w.port))),
		Creds: filepath.Join(w.dir, name+".creds"), Lab: true, Drain: w.sites[name].drain, Every: w.every,
	}
}

// options returns the options of a worker. out gets its log.
func (p place) options(out io.Writer, hears func(journal.Notice)) Options {
	o := session.ChangeOptions{
		Format: "json", Parallel: 8, SoakSet: true, OnFailure: string(rollout.UndoWave), Anomaly: string(rollout.AnomalyStop),
		HookTime: time.Minute, Drain: p.Drain,
	}
	if p.Lab {
		o.Lab = session.LabFlag(filepath.Join(p.State, "lab"))
	}
	tokens, signers := people()
	soak := time.Duration(0)
	clock := device.Clock{Now: func() time.Time { return time.Now().Add(p.Ahead) }, Wait: time.After}
	return Options{
		Site: p.Site, State: p.State, VerifyEvery: p.Every, Fabrics: map[string]Source{"prod": {Mirror: p.Repo}}, Change: o,
		Clock: clock,
		Log:   slog.New(slog.NewTextHandler(out, nil)),
		Rules: sequence.Rules{Rules: change.Rules{MinCapacity: 50, Parallel: 8, Canary: true}, Soak: &soak},
		Connect: func() (*broker.Broker, error) {
			return broker.Open(broker.Where{URL: p.URL, Creds: p.Creds, CA: p.CA, Name: p.Site}, nil)
		},
		Signers: func() (*sshsig.Signers, error) { return signers, nil },
		Sign: func(_ context.Context, namespace string, message []byte) ([]byte, error) {
			return tokens["site:"+p.Site].Sign(namespace, message, 1), nil
		},
		Session: func(listen func(journal.Notice)) *session.Session { return p.session(out, listen, hears) },
	}
}

// session returns a session of the machine of a site.
func (p place) session(out io.Writer, listen, hears func(journal.Notice)) *session.Session {
	env := map[string]string{"XDG_STATE_HOME": filepath.Join(p.State, "state"), "HOME": p.State}
	g := globals.New(&person.Person{
		Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: out, Getenv: func(name string) string { return env[name] },
		Color: "never", Quiet: true,
	}, globals.Build{Version: "test", Tool: "test"})
	g.LogFormat = "text"
	if err := g.Prepare(); err != nil {
		panic(err)
	}
	of := session.New(g, device.Clock{Now: func() time.Time { return time.Now().Add(p.Ahead) }, Wait: time.After})
	of.Listen = func(n journal.Notice) {
		if listen != nil {
			listen(n)
		}
		if hears != nil {
			hears(n)
		}
	}
	return of
}

// start starts the worker of a site.
func (w *team) start(name string) {
	w.t.Helper()
	s := w.sites[name]
	var err error
	o := w.place(name).options(testLog{w.t, name}, func(n journal.Notice) {
		if s.hears != nil {
			s.hears(n)
		}
	})
	if s.signers != nil {
		o.Signers = s.signers
	}
	s.Worker, err = New(o)
	require.NoError(w.t, err)
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel, s.ended = cancel, make(chan error, 1)
	go func(worker *Worker, ended chan error) { ended <- worker.Run(ctx) }(s.Worker, s.ended)
}

// session returns a session of the machine of a site.
func (w *team) session(name string) *session.Session {
	return w.place(name).session(testLog{w.t, name}, nil, nil)
}

// people returns the keys of all, and the allowed signers of both sites.
func people() (map[string]*sshsigtest.Token, *sshsig.Signers) {
	tokens := map[string]*sshsigtest.Token{}
	var lines strings.Builder
	for i, one := range [][2]string{
		{"alice", "rocec-plan,rocec-apply"},
		{"bob", "rocec-approve"},
		{"carol", "rocec-approve,rocec-apply"},
		{"site:dc1", "rocec-site"},
		{"site:dc2", "rocec-site"},
		{"mallory", ""},
	} {
		tokens[one[0]] = sshsigtest.NewToken(bytes.Repeat([]byte{byte(i + 1)}, 32))
		if one[1] != "" {
			fmt.Fprintf(&lines, "%s namespaces=\"%s\" %s\n", one[0], one[1], tokens[one[0]].Line())
		}
	}
	signers, err := sshsig.ParseSigners([]byte(lines.String()))
	if err != nil {
		panic(err)
	}
	return tokens, signers
}

// stop ends the worker of a site.
func (w *team) stop(name string) {
	w.t.Helper()
	s := w.sites[name]
	if s.cancel == nil {
		return
	}
	s.cancel()
	s.cancel = nil
	require.NoError(w.t, <-s.ended)
}

// says publishes a statement of a person, and returns its digest.
func (w *team) says(who string, to broker.Subject, st statement.Statement, body []byte) string {
	w.t.Helper()
	data := w.signed(who, &st, body)
	_, err := w.persons.Publish(w.t.Context(), to, st.Nonce, data)
	require.NoError(w.t, err)
	return st.Digest
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
	g := globals.New(p, globals.Build{Version: "test"})
	f, err := g.Load(w.repo)
	require.NoError(w.t, err)
	require.False(w.t, f.Diags.HasErrors(), "%v", f.Diags)
	return savedplan.Inputs(&savedplan.Given{Tool: "test"}, f)
}

// ask asks sites for their parts of a plan, and returns the answers.
func (w *team) ask(sites ...string) (parts []*teamplan.SitePart, refused []string) {
	w.t.Helper()
	q, err := json.Marshal(teamplan.Question{Commit: w.commit, Inputs: w.inputs(), Tool: "test"})
	require.NoError(w.t, err)
	for _, site := range sites {
		after, err := w.persons.Last(w.t.Context())
		require.NoError(w.t, err)
		st := statement.Statement{Verb: statement.Ask, Site: site}
		data := w.signed("alice", &st, q)
		_, err = w.persons.Publish(w.t.Context(), broker.Subject{Kind: broker.Ask, Fabric: "prod", Site: site}, st.Nonce, data)
		require.NoError(w.t, err)
		w.until(broker.Subject{Kind: broker.Share, Fabric: "prod", Site: site}, after+1, func(m *broker.Message) bool {
			var signed statement.Signed
			require.NoError(w.t, json.Unmarshal(m.Data, &signed))
			of, who, err := signed.Open(w.signers, m.At)
			require.NoError(w.t, err)
			require.Equal(w.t, "site:"+site, who)
			if of.Head != statement.Sum([]byte(st.Nonce)) {
				return false
			}
			if of.Outcome != statement.Complete {
				refused = append(refused, of.Why)
				return true
			}
			part, err := teamplan.ParsePart(signed.Body)
			require.NoError(w.t, err)
			parts = append(parts, part)
			return true
		})
	}
	return parts, refused
}

// until reads messages until one is the wanted one.
func (w *team) until(of broker.Subject, from uint64, good func(*broker.Message) bool) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 2*time.Minute)
	defer cancel()
	found := fmt.Errorf("found")
	err := w.persons.Follow(ctx, from, []broker.Subject{of}, func(m *broker.Message) error {
		if good(m) {
			return found
		}
		return nil
	}, nil)
	require.ErrorIs(w.t, err, found)
}

// plan makes a plan of the sites, in their order.
func (w *team) plan(holds []deploy.TermHold, sites ...string) *deploy.Saved {
	w.t.Helper()
	parts, refused := w.ask(sites...)
	require.Empty(w.t, refused)
	return w.merge(parts, siteOf, holds)
}

// merge makes a plan of parts.
func (w *team) merge(parts []*teamplan.SitePart, devices map[string][]string, holds []deploy.TermHold) *deploy.Saved {
	w.t.Helper()
	now := time.Now().UTC().Truncate(time.Second)
	saved, err := teamplan.Merge(parts, devices, deploy.Meta{Tool: "test", Fabric: "prod", Inputs: w.inputs(), Terms: &deploy.Terms{
		Name: "prod", Commit: w.commit, Message: "ticket 4711", Made: now, Expires: now.Add(time.Hour), Nonce: rand.Text(), Approvals: 1,
		Holds: holds,
	}})
	require.NoError(w.t, err)
	return saved
}

// envelope returns a plan with the approval of bob and the submission of alice.
func (w *team) envelope(saved *deploy.Saved, change func(*teamqueue.Envelope)) []byte {
	w.t.Helper()
	e := teamqueue.Envelope{Plan: saved.Bytes(), Agreement: &journal.Agreement{
		Nonce: saved.Terms.Nonce, Plan: sshsig.SumsOf(saved.Bytes()), Wanted: 1,
		Approvals: []journal.Signature{{Person: "bob", Signature: string(w.tokens["bob"].Sign(sshsig.RoleApprove, saved.Bytes(), 1))}},
	}}
	e.Agreement.Submitted = journal.Signature{
		Person: "alice", Signature: string(w.tokens["alice"].Sign(sshsig.RoleApply, e.Agreement.Submission(), 1)),
	}
	if change != nil {
		change(&e)
	}
	body, err := json.Marshal(e)
	require.NoError(w.t, err)
	return body
}

// submit submits a plan as a run, and returns the digest of its envelope.
func (w *team) submit(run string, body []byte) string {
	w.t.Helper()
	return w.says("alice", broker.Subject{Kind: broker.Submit, Fabric: "prod"}, statement.Statement{Verb: statement.Submit, Run: run}, body)
}

// queue folds all messages as a person does.
func (w *team) queue() *teamqueue.Queue {
	w.t.Helper()
	q := teamqueue.New(w.signers)
	var of []broker.Subject
	for _, kind := range teamqueue.Kinds {
		of = append(of, broker.Subject{Kind: kind, Fabric: "prod"})
	}
	for _, m := range w.read(of...) {
		_ = q.Take(m)
	}
	return q
}

// read returns the messages that the hub has. A cluster whose member was killed answers later.
func (w *team) read(of ...broker.Subject) (out []*broker.Message) {
	w.t.Helper()
	var err error
	require.Eventually(w.t, func() bool {
		out = nil
		err = w.persons.Read(w.t.Context(), 1, of, func(m *broker.Message) error {
			out = append(out, m)
			return nil
		})
		return err == nil || w.url == ""
	}, 2*time.Minute, 50*time.Millisecond)
	require.NoError(w.t, err)
	return out
}

// story waits until a run is over, and returns what sites said about its waves and shares, in their order.
func (w *team) story(run string) string {
	w.t.Helper()
	deadline := time.Now().Add(10 * time.Minute)
	for time.Now().Before(deadline) {
		if r := w.queue().Run(run); r != nil && r.Over(time.Now()) {
			return w.said(run)
		}
		time.Sleep(50 * time.Millisecond)
	}
	require.Fail(w.t, "the run is not over", "%s", w.said(run))
	return ""
}

// said returns what sites said about waves and shares.
func (w *team) said(run string) string {
	w.t.Helper()
	var out []string
	for _, m := range w.read(broker.Subject{Kind: broker.Wave, Fabric: "prod", Run: run}) {
		var signed statement.Signed
		require.NoError(w.t, json.Unmarshal(m.Data, &signed))
		st, _, err := signed.Open(w.signers, m.At)
		if err == nil && st.Verb != statement.Waits && st.Verb != statement.Taken { // neither forged, nor without interest
			out = append(out, strings.Join(strings.Fields(fmt.Sprint(st.Site, " ", st.Verb, " ", wave(st.Wave), " ", st.Outcome, " ", st.Why)), " "))
		}
	}
	return strings.Join(out, "\n")
}

func wave(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

// counts returns how many runs have written to each device of a site. The number is below 0 for a device that differs from the fabric: -1
// is a device that no run has changed.
func (w *team) counts(site string) map[string]int {
	w.t.Helper()
	s := w.session(site)
	_, fleet, err := s.Open(w.repo, w.of[site], session.LabFlag(filepath.Join(w.sites[site].state, "lab")))
	require.NoError(w.t, err)
	out := map[string]int{}
	for _, d := range fleet.Compare(w.t.Context()).Devices {
		require.Nil(w.t, d.Err)
		if d.Status == deploy.StatusSame {
			out[d.Device.Name] = d.Count
		} else {
			out[d.Device.Name] = -d.Count - 1
		}
	}
	fleet.Close(&err)
	require.NoError(w.t, err)
	return out
}

// inside opens the lab of a site that is stopped.
func (w *team) inside(site string, do func(l *lab.Lab)) {
	w.t.Helper()
	f, err := w.session(site).Load(w.repo)
	require.NoError(w.t, err)
	l, err := lab.Open(filepath.Join(w.sites[site].state, "lab"), f.Tree(), "a test")
	require.NoError(w.t, err)
	do(l)
	require.NoError(w.t, l.Close())
}

// testLog writes lines to the log of a test that has not ended.
type testLog struct {
	t    *testing.T
	name string
}

var logging sync.Mutex

func (l testLog) Write(p []byte) (int, error) {
	logging.Lock()
	defer logging.Unlock()
	if l.t.Context().Err() == nil && len(bytes.TrimSpace(p)) > 0 {
		l.t.Logf("%s: %s", l.name, bytes.TrimSpace(p))
	}
	return len(p), nil
}
