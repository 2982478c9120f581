package pages

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/broker"
	"github.com/rocec/rocec/cmd/internal/ledger"
	"github.com/rocec/rocec/cmd/internal/metrics/metricstest"
	"github.com/rocec/rocec/cmd/internal/sshsig"
	"github.com/rocec/rocec/cmd/internal/sshsig/sshsigtest"
	"github.com/rocec/rocec/cmd/internal/statement"
	"github.com/rocec/rocec/cmd/internal/teamlook"
	"github.com/rocec/rocec/cmd/internal/teamqueue"
	"github.com/rocec/rocec/targets/deploy"
)

var update = flag.Bool("update", false, "rewrite testdata")

var start = time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)

// story is a source whose messages a test makes.
type story struct {
	t       testing.TB
	keys    map[string]*sshsigtest.Token
	signers *sshsig.Signers
	now     time.Time
	number  uint64
	queue   *teamqueue.Queue
	board   *teamlook.Board
	heard   map[string]time.Time
	whole   bool
	trouble string
}

func (s *story) Now() time.Time { return s.now }
func (s *story) Read(use func(q *teamqueue.Queue, l []teamlook.SiteLook)) {
	use(s.queue, s.board.Entries())
}
func (s *story) Alive() (map[string]time.Time, bool) { return s.heard, s.whole }
func (s *story) Trouble() string                     { return s.trouble }
func (s *story) later(d time.Duration)               { s.now = s.now.Add(d) }

func newStory(t testing.TB) *story {
	s := &story{t: t, keys: map[string]*sshsigtest.Token{}, now: start}
	var lines strings.Builder
	for i, one := range [][2]string{
		{"alice", "rocec-plan,rocec-apply"},
		{"bob", "rocec-approve"},
		{"carol", "rocec-approve,rocec-apply"},
		{"site:dc1", "rocec-site"},
		{"site:dc2", "rocec-site"},
	} {
		s.keys[one[0]] = sshsigtest.NewToken(bytes.Repeat([]byte{byte(i + 1)}, 32))
		fmt.Fprintf(&lines, "%s namespaces=\"%s\" %s\n", one[0], one[1], s.keys[one[0]].Line())
	}
	var err error
	s.signers, err = sshsig.ParseSigners([]byte(lines.String()))
	require.NoError(t, err)
	s.queue, s.board = teamqueue.New(s.signers), teamlook.NewBoard(s.signers)
	return s
}

// message signs a statement, and gives it the next number.
func (s *story) message(kind broker.Kind, who string, st statement.Statement, body []byte) (*broker.Message, string) {
	s.number++
	st.Fabric, st.At, st.Nonce = "prod", s.now, fmt.Sprintf("%020d", s.number)
	m, err := statement.Make(&st, body, func(namespace string, message []byte) ([]byte, error) {
		return s.keys[who].Sign(namespace, message, 1), nil
	})
	require.NoError(s.t, err)
	data, err := json.Marshal(m)
	require.NoError(s.t, err)
	of := broker.Subject{Kind: kind, Fabric: st.Fabric, Run: st.Run}
	if st.Verb.OfSite() {
		of.Site = st.Site
	}
	if kind == broker.Submit || kind == broker.Look {
		of.Run = ""
	}
	return &broker.Message{Subject: of, Number: s.number, At: s.now, Data: data}, st.Digest
}

// submit submits a plan with two waves of dc1 and one of dc2, which is held. It returns the digest of what was submitted.
func (s *story) submit(run, message string) string {
	m, digest := s.submission(run, message)
	require.NoError(s.t, s.queue.Take(m))
	return digest
}

func (s *story) submission(run, message string) (*broker.Message, string) {
	var plan bytes.Buffer
	require.NoError(s.t, deploy.SavePlan(&plan, &deploy.Plan{}, deploy.Meta{Tool: "dev", Fabric: "prod", Terms: &deploy.Terms{
		Name: "prod", Commit: strings.Repeat("a", 40), Made: s.now, Expires: s.now.Add(8 * time.Hour), Nonce: run, Message: message,
		Waves: []string{"leaf1", "leaf2", "leaf3"}, Disrupts: []string{"leaf[1-3]: links restart <once>"}, Takes: 90,
		Shares: []deploy.TermShare{{Site: "dc1", Waves: 2}, {Site: "dc2", Waves: 1}},
		Holds:  []deploy.TermHold{{Wave: 3, Approvals: 1, WithinSeconds: 3600}},
	}}))
	body, err := json.Marshal(teamqueue.Envelope{Plan: plan.Bytes()})
	require.NoError(s.t, err)
	return s.message(broker.Submit, "alice", statement.Statement{Verb: statement.Submit, Run: run}, body)
}

// says returns a function that makes a statement about a run, one second after the one before.
func (s *story) says(run, digest string) func(statement.Statement) string {
	return func(st statement.Statement) string {
		s.later(time.Second)
		st.Run, st.Digest = run, digest
		kind, who := broker.Say, "carol"
		if st.Verb.OfSite() {
			kind, who, st.Epoch = broker.Wave, "site:"+st.Site, s.queue.Run(run).EpochAt(st.Site)
		}
		if st.Verb == statement.Approve {
			who = "bob"
		}
		m, _ := s.message(kind, who, st, nil)
		require.NoError(s.t, s.queue.Take(m))
		return ""
	}
}

func (s *story) looks(site string, l *teamlook.Look, why string) {
	body, err := json.Marshal(l)
	require.NoError(s.t, err)
	st := statement.Statement{Verb: statement.Looked, Site: site, Outcome: statement.Complete}
	if why != "" {
		st.Outcome, st.Why = teamlook.Failed, why
	}
	m, _ := s.message(broker.Look, "site:"+site, st, body)
	require.NoError(s.t, s.board.Take(m))
}

// The runs of the story of a day.
const (
	done  = "20261130t080000z-aaaa"
	going = "20261130t080100z-bbbb"
	next  = "20261130t080200z-cccc"
)

// day is a source with a run that is complete, one under way, one that waits behind it, and looks of both sites.
func day(t testing.TB) *story {
	s := newStory(t)
	complete := func(say func(statement.Statement) string, site string, wave int) {
		say(statement.Statement{Verb: statement.Began, Site: site, Wave: wave})
		say(statement.Statement{Verb: statement.Ended, Site: site, Wave: wave, Outcome: statement.Complete})
	}
	taken := func(say func(statement.Statement) string) {
		say(statement.Statement{Verb: statement.Taken, Site: "dc1"})
		say(statement.Statement{Verb: statement.Taken, Site: "dc2"})
	}
	say := s.says(done, s.submit(done, "firmware of leaves"))
	taken(say)
	complete(say, "dc1", 1)
	complete(say, "dc1", 2)
	say(statement.Statement{Verb: statement.Over, Site: "dc1", Outcome: statement.Complete, Head: strings.Repeat("b", 64)})
	say(statement.Statement{Verb: statement.Waits, Site: "dc2", Why: "wave 3 is held for 1 approval and has 0"})
	say(statement.Statement{Verb: statement.Approve, Wave: 3})
	complete(say, "dc2", 3)
	say(statement.Statement{Verb: statement.Over, Site: "dc2", Outcome: statement.Complete, Head: strings.Repeat("c", 64)})
	s.later(time.Minute)
	say = s.says(going, s.submit(going, "<b>more & headroom</b>"))
	taken(say)
	complete(say, "dc1", 1)
	say(statement.Statement{Verb: statement.Began, Site: "dc1", Wave: 2})
	s.later(time.Minute)
	s.submit(next, "")
	s.looks("dc1", &teamlook.Look{
		Commit: strings.Repeat("a", 40), Every: 900, Began: s.now, Devices: map[string]int{"good": 1, "drift": 1},
		Unlike:   []teamlook.Set{{Status: "drift", Devices: "leaf2"}},
		Findings: []teamlook.Found{{Code: "port-mtu", Severity: "error", Count: 2, Devices: "leaf2"}},
	}, "")
	s.later(time.Minute)
	s.looks("dc1", &teamlook.Look{Every: 900}, "the run "+going+" is under way at this site")
	forged, _ := s.message(broker.Say, "alice", statement.Statement{
		Verb: statement.Approve, Run: next, Wave: 3, Digest: strings.Repeat("0", 64),
	}, nil)
	require.Error(t, s.queue.Take(forged))
	s.heard, s.whole = map[string]time.Time{"dc1": s.now.Add(-4 * time.Second)}, true
	return s
}

// get reads a page in a role.
func get(t testing.TB, src TeamSource, role Role, method, path string) *http.Response {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequest(method, path, nil)
	if role != "" {
		r = withRole(r, role)
	}
	Handler(src).ServeHTTP(w, r)
	return w.Result()
}

func text(t testing.TB, r *http.Response) string {
	t.Helper()
	var b bytes.Buffer
	_, err := b.ReadFrom(r.Body)
	require.NoError(t, err)
	return b.String()
}

// TestDocuments holds each page of the day in both roles, and the schemas of the JSON.
func TestDocuments(t *testing.T) {
	s := day(t)
	for path, name := range map[string]string{
		"/": "team.html", "/index.json": "team.json", "/runs/" + going: "run.html", "/runs/" + going + ".json": "run.json",
		"/runs/" + done + ".json": "done.json", "/metrics": "metrics.txt",
	} {
		for _, role := range []Role{Operator, Reader} {
			r := get(t, s, role, "GET", path)
			require.Equal(t, http.StatusOK, r.StatusCode, path)
			got := text(t, r)
			file := filepath.Join("testdata", string(role)+"-"+name)
			if *update {
				require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, string(want), got, file)
			require.Equal(t, got, text(t, get(t, s, role, "GET", path)), "the same state gives the same bytes")
			if filepath.Ext(name) == ".json" {
				schema := map[string]string{"team.json": "team.json"}[name]
				if schema == "" {
					schema = "team-run.json"
				}
				valid(t, schema, got)
			}
		}
	}
}

// valid requires that a document has the form of a schema, and no member that the schema does not have.
func valid(t testing.TB, schema, doc string) {
	t.Helper()
	c, err := jsonschema.NewCompiler().Compile("../../../../docs/schema/" + schema)
	require.NoError(t, err)
	data, err := jsonschema.UnmarshalJSON(strings.NewReader(doc))
	require.NoError(t, err)
	require.NoError(t, c.Validate(data))
}

// TestReader: a reader, and a person without a role, get no name of a person and no reason, on any page.
func TestReader(t *testing.T) {
	s := day(t)
	s.trouble = "since noon: alice cut the cable"
	for _, path := range []string{"/", "/index.json", "/runs/" + done, "/runs/" + done + ".json", "/runs/" + going, "/runs/" + next} {
		whole := text(t, get(t, s, Operator, "GET", path))
		require.Contains(t, whole, "alice", path)
		for _, role := range []Role{Reader, "", "root"} {
			got := text(t, get(t, s, role, "GET", path))
			for _, secret := range []string{
				"alice", "bob", "carol", "firmware of leaves", "headroom", "is under way", "is before", "is held",
			} {
				assert.NotContains(t, got, secret, "%s %s", role, path)
			}
		}
	}
}

// TestReadOnly: any other method than GET and HEAD changes nothing, and is refused at each path.
func TestReadOnly(t *testing.T) {
	s := day(t)
	for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE", "get", "X"} {
		for _, path := range []string{"/", "/index.json", "/runs/" + done, "/metrics", "/none"} {
			r := get(t, s, Operator, method, path)
			assert.Equal(t, http.StatusMethodNotAllowed, r.StatusCode, "%s %s", method, path)
			assert.Equal(t, "GET, HEAD", r.Header.Get("Allow"))
		}
	}
	for _, path := range []string{"/none", "/runs/", "/runs/none", "/runs/none.json", "/runs/a/b", "/../etc/passwd"} {
		assert.NotEqual(t, http.StatusOK, get(t, s, Operator, "GET", path).StatusCode, path)
	}
	server := httptest.NewServer(Handler(s))
	defer server.Close()
	r, err := server.Client().Head(server.URL + "/runs/" + done)
	require.NoError(t, err)
	require.NoError(t, r.Body.Close())
	require.Equal(t, http.StatusOK, r.StatusCode)
}

// TestHeaders: a browser loads nothing for a page, runs no script, and uses the one style of the page.
func TestHeaders(t *testing.T) {
	s := day(t)
	for _, path := range []string{"/", "/runs/" + going, "/index.json", "/metrics", "/none"} {
		r := get(t, s, Reader, "GET", path)
		require.Regexp(t, `^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/=]{44}'; base-uri 'none'; form-action 'none'; `+
			`frame-ancestors 'none'$`, r.Header.Get("Content-Security-Policy"))
		require.Equal(t, []string{"nosniff", "no-store", "no-referrer"},
			[]string{r.Header.Get("X-Content-Type-Options"), r.Header.Get("Cache-Control"), r.Header.Get("Referrer-Policy")})
		require.NotRegexp(t, `(?i)<script|javascript:|\son\w+=|<img|<iframe|<form|http://|https://`, text(t, r))
	}
}

// TestHostile: texts of persons and sites are texts on a page, whatever they contain.
func TestHostile(t *testing.T) {
	s := newStory(t)
	const evil = `"><script>alert(1)</script><a href=javascript:x>` + "\u202e{{.}}'"
	say := s.says(done, s.submit(done, evil))
	say(statement.Statement{Verb: statement.Taken, Site: "dc1"})
	say(statement.Statement{Verb: statement.Refused, Site: "dc2", Why: evil})
	say(statement.Statement{Verb: statement.Over, Site: "dc1", Outcome: "stopped", Why: evil})
	s.looks("dc2", &teamlook.Look{Unlike: []teamlook.Set{{Status: "drift", Devices: evil}}}, evil)
	s.looks("dc1", &teamlook.Look{Unlike: []teamlook.Set{{Status: "drift", Devices: evil}}}, "")
	s.trouble = evil
	for _, path := range []string{"/", "/runs/" + done} {
		got := text(t, get(t, s, Operator, "GET", path))
		require.Contains(t, got, "&lt;script&gt;")
		require.NotContains(t, got, "<script")
		require.NotContains(t, got, "<a href=javascript")
		require.NotContains(t, got, "\u202e")
	}
	for _, path := range []string{"/index.json", "/runs/" + done + ".json"} {
		got := text(t, get(t, s, Operator, "GET", path))
		require.NotContains(t, got, "<script")
		require.NotContains(t, got, "\u202e")
		require.True(t, json.Valid([]byte(got)))
	}
}

// TestBounds: a page lists a bounded number of runs, sites and waves, and states how many more there are.
func TestBounds(t *testing.T) {
	s := newStory(t)
	for i := range mostRuns + 7 {
		s.submit(fmt.Sprintf("r%03d", i), "")
	}
	got := text(t, get(t, s, Operator, "GET", "/"))
	require.Contains(t, got, "r099")
	require.NotContains(t, got, "r100")
	require.Contains(t, got, "and 7 more")
	s.later(9 * time.Hour) // the plans are not valid any more
	got = text(t, get(t, s, Operator, "GET", "/"))
	require.Contains(t, got, "Every run is over.")
	require.Contains(t, got, "r106")
	require.NotContains(t, got, "r006")
	require.Contains(t, got, "and 7 more")
	require.Equal(t, 100, strings.Count(got, `class="expired"`))
	s.heard = map[string]time.Time{}
	for i := range mostSites + 3 {
		s.heard[fmt.Sprintf("s%04d", i)] = s.now
	}
	var doc TeamPage
	require.NoError(t, json.Unmarshal([]byte(text(t, get(t, s, Operator, "GET", "/index.json"))), &doc))
	require.Len(t, doc.Sites, mostSites)
	require.Equal(t, 5, doc.MoreSites)
}

// TestKilledInWave: a wave whose site ended its share without a word about the wave is not under way.
func TestKilledInWave(t *testing.T) {
	s := newStory(t)
	say := s.says(done, s.submit(done, ""))
	say(statement.Statement{Verb: statement.Taken, Site: "dc1"})
	say(statement.Statement{Verb: statement.Taken, Site: "dc2"})
	say(statement.Statement{Verb: statement.Began, Site: "dc1", Wave: 1})
	page := func() string { return text(t, get(t, s, Operator, "GET", "/runs/"+done)) }
	require.Contains(t, page(), "under way</span>")
	say(statement.Statement{Verb: statement.Over, Site: "dc1", Outcome: "stopped", Why: "leaf1 is unknown"})
	require.Contains(t, page(), `<span class="stopped">stopped</span>: `+ledger.Unsaid)
	require.NotContains(t, page(), "under way</span>")
}

// TestTrouble: a page that may be old says so, and the metrics, too.
func TestTrouble(t *testing.T) {
	s := day(t)
	s.trouble, s.heard, s.whole = "since noon: the hub does not answer", nil, false
	got := text(t, get(t, s, Operator, "GET", "/"))
	require.Contains(t, got, "This page does not have what the hub has now: since noon: the hub does not answer.")
	require.Contains(t, got, `<span class="unknown">unknown</span>`)
	require.Contains(t, text(t, get(t, s, Reader, "GET", "/")), "This page does not have what the hub has now.")
	samples, err := metricstest.Parse(text(t, get(t, s, Reader, "GET", "/metrics")))
	require.NoError(t, err)
	for _, one := range samples {
		require.NotEqual(t, "rocec_team_site_alive", one.Name, "it is not known")
		if one.Name == "rocec_team_current" {
			require.Equal(t, "0", one.Text)
		}
	}
	s.later(time.Hour)
	require.Contains(t, text(t, get(t, s, Reader, "GET", "/")), "no look for twice the interval of the site")
}

// TestMetrics: a strict reader of OpenMetrics reads the page, which has no name of a person or device.
func TestMetrics(t *testing.T) {
	r := get(t, day(t), Operator, "GET", "/metrics")
	require.Equal(t, openMetrics, r.Header.Get("Content-Type"))
	got := text(t, r)
	samples, err := metricstest.Parse(got)
	require.NoError(t, err)
	require.Greater(t, len(samples), 15)
	require.NotRegexp(t, regexp.MustCompile(`alice|bob|carol|leaf`), got)
}
