package team

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/broker"
	"github.com/rocec/rocec/cmd/internal/broker/brokertest"
	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/globals"
	"github.com/rocec/rocec/cmd/internal/ledger"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/cmd/internal/report/reporttest"
	"github.com/rocec/rocec/cmd/internal/rights"
	"github.com/rocec/rocec/cmd/internal/savedplan"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/cmd/internal/sshsig"
	"github.com/rocec/rocec/cmd/internal/statement"
	"github.com/rocec/rocec/cmd/internal/teamplan"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device"
)

// TestMain lets tests wait side by side: they need no processor meanwhile.
func TestMain(m *testing.M) {
	machinetest.Parallel(16)
	os.Exit(m.Run())
}

// desk is the machine of a person. Its hub is in memory, and the test plays the sites.
type desk struct {
	*Client
	all *brokertest.People
	dir string // of the fabric

	out, errors *bytes.Buffer
}

// passing is a clock on which each wait passes at once.
type passing struct {
	mu  sync.Mutex
	now time.Time
}

func (p *passing) Now() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now
}

func (p *passing) Wait(d time.Duration) <-chan time.Time {
	out := make(chan time.Time)
	time.AfterFunc(2*time.Millisecond, func() {
		p.mu.Lock()
		p.now = p.now.Add(d)
		p.mu.Unlock()
		close(out)
	})
	return out
}

func newDesk(t *testing.T, who string) *desk {
	t.Helper()
	clock := &passing{now: time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)}
	d := &desk{all: brokertest.NewPeople(t, clock.Now), out: &bytes.Buffer{}, errors: &bytes.Buffer{}, dir: t.TempDir()}
	text, err := os.ReadFile("testdata/fabric.hcl")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(d.dir, "fabric.hcl"), text, 0o600))
	d.git(t, "init", "--quiet")
	d.git(t, "add", ".")
	d.git(t, "commit", "--quiet", "-m", "one")
	g := globals.New(&person.Person{
		Stdin: strings.NewReader(""), Stdout: d.out, Stderr: d.errors, Color: "never", Getenv: func(string) string { return "" },
	}, globals.Build{Version: "test", Tool: "test"})
	g.LogFormat = "text"
	require.NoError(t, g.Prepare())
	of := device.Clock{Now: clock.Now, Wait: clock.Wait}
	d.Client = &Client{
		Session: session.New(g, of), Hub: d.all.Hub, Clock: of, Signers: d.all.Signers, Sign: d.all.SignAs(who), Rights: &rights.Rights{},
		Format: "text",
	}
	return d
}

func (d *desk) git(t *testing.T, args ...string) {
	t.Helper()
	args = append([]string{"-C", d.dir, "-c", "user.name=test", "-c", "user.email=test@example.net"}, args...)
	out, err := exec.Command("git", args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// printed returns what the person saw since the last call, as one line.
func (d *desk) printed() string {
	text := strings.Join(strings.Fields(d.out.String()+d.errors.String()), " ")
	d.out.Reset()
	d.errors.Reset()
	return text
}

// part returns the part of a site that changes devices, each in a wave of its own.
func part(site string, names ...string) *teamplan.SitePart {
	p := &teamplan.SitePart{Site: site, Waves: names, Disrupts: []string{}, Takes: 60, Steps: 1, Refused: []string{}}
	for _, name := range names {
		p.Devices = append(p.Devices, deploy.SavedDevice{
			Name: name, HostKey: "SHA256:k", Status: deploy.StatusChange,
			Files: []deploy.SavedFile{{Path: "/etc/a", Base: strings.Repeat("a", 64), Target: strings.Repeat("b", 64)}},
		})
		p.Changes = append(p.Changes, teamplan.DeviceChange{Device: name, Status: deploy.StatusChange, Files: 1, Effects: []string{"PFC begins"}})
	}
	return p
}

// answer is what a site says to a question.
type answer struct {
	by, site, outcome, why string
	body                   any
	nonce                  string // of another question
}

// play makes a site answer each question.
func (d *desk) play(t *testing.T, site string, answers ...answer) {
	t.Helper()
	go d.all.Hub.Follow(t.Context(), 1, []broker.Subject{{Kind: broker.Ask, Site: site}}, func(m *broker.Message) error { //nolint:errcheck
		var signed statement.Signed
		if err := json.Unmarshal(m.Data, &signed); err != nil {
			return err
		}
		st, _, err := signed.Open(d.all.Signers, d.Clock.Now())
		if err != nil {
			return err
		}
		for _, a := range answers {
			body, err := json.Marshal(a.body)
			if err != nil {
				return err
			}
			if text, ok := a.body.(string); ok {
				body = []byte(text)
			}
			out := statement.Statement{Verb: statement.Share, Site: site, Outcome: a.outcome, Why: a.why, Head: statement.Sum([]byte(st.Nonce))}
			if a.site != "" {
				out.Site = a.site
			}
			if a.nonce != "" {
				out.Head = statement.Sum([]byte(a.nonce))
			}
			by := "site:" + site
			if a.by != "" {
				by = a.by
			}
			d.all.Says(by, broker.Share, out, body)
		}
		return nil
	}, nil)
}

func good(p *teamplan.SitePart) answer { return answer{outcome: statement.Complete, body: p} }

// plans makes a plan of two sites, and returns its file.
func (d *desk) plans(t *testing.T, o PlanOptions) string {
	t.Helper()
	d.play(t, "dc1", good(part("dc1", "leaf1", "leaf2")))
	d.play(t, "dc2", good(part("dc2", "spine1")))
	o.Out, o.Valid = filepath.Join(t.TempDir(), "p.plan"), time.Hour
	require.NoError(t, d.Plan(t.Context(), d.dir, &o))
	return o.Out
}

// status returns the exit status of an error.
func status(t *testing.T, err error) int {
	t.Helper()
	var of *exit.Error
	require.ErrorAs(t, err, &of)
	return of.Status
}

// TestPlan makes one plan of the parts of two sites, in the order that the person names, with a wave that is held.
func TestPlan(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "alice")
	file := d.plans(t, PlanOptions{Message: "ticket", Sites: []string{"dc2", "dc1"}, Holds: []string{"dc1/2"}, Within: time.Hour})
	saved, err := savedplan.Read(file)
	require.NoError(t, err)
	assert.Equal(t, []string{"spine1", "leaf1", "leaf2"}, saved.Terms.Waves)
	assert.Equal(t, []deploy.TermHold{{Wave: 3, Approvals: 1, WithinSeconds: 3600}}, saved.Terms.Holds)
	assert.Equal(t, []deploy.TermShare{{Site: "dc2", Waves: 1}, {Site: "dc1", Waves: 2}}, saved.Terms.Shares)
	assert.Equal(t, 120, saved.Terms.Takes)
	assert.Contains(t, d.printed(), "site dc1 2 changes in 2 waves wave dc1/1: leaf1 wave dc1/2: leaf2 leaf1: 1 file PFC begins")
}

// asks returns the first n questions of all sites, in their order.
func (d *desk) asks(t *testing.T, n int) (out []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	_ = d.all.Hub.Follow(ctx, 1, []broker.Subject{{Kind: broker.Ask}}, func(m *broker.Message) error {
		var signed statement.Signed
		require.NoError(t, json.Unmarshal(m.Data, &signed))
		q, err := teamplan.ParseQuestion(signed.Body)
		require.NoError(t, err)
		if out = append(out, strings.TrimSpace(fmt.Sprint(m.Site, q.Targets, " ", q.Settled))); len(out) == n {
			cancel()
		}
		return nil
	}, nil)
	return out
}

// TestRounds: sites of linked devices are asked again with the devices that others settle before them.
func TestRounds(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "alice")
	d.plans(t, PlanOptions{})
	assert.Equal(t, []string{"dc1[]", "dc2[]", "dc1[]", "dc2[] leaf[1-2]"}, d.asks(t, 4))
}

// TestPlanIsRefused has what makes a plan impossible, with the sentence and the exit status.
func TestPlanIsRefused(t *testing.T) {
	t.Parallel()
	plain := []answer{good(part("dc1", "leaf1"))}
	for name, one := range map[string]struct {
		options PlanOptions
		dc1     []answer
		away    []string
		before  func(t *testing.T, d *desk)
		status  int
		want    string
	}{
		"the site makes no part": {
			dc1: []answer{{outcome: "refused", why: "the commit is not there", body: "x"}}, status: exit.Errors,
			want: "site dc1 0 changes in 0 waves refused: the commit is not there",
		},
		"the site would refuse": {
			dc1: []answer{good(&teamplan.SitePart{Site: "dc1", Steps: 1, Refused: []string{"leaf1: unreachable (login)"}})}, status: exit.Errors,
			want: "refused: leaf1: unreachable (login)",
		},
		"the site would refuse a device, which is in no wave": {
			dc1: []answer{good(&teamplan.SitePart{
				Site: "dc1", Steps: 1, Devices: part("dc1", "leaf1").Devices, Refused: []string{"unsafe-change: leaf1 is alone"},
			})}, status: exit.Errors, want: "refused: unsafe-change: leaf1 is alone",
		},
		"the site is away": {
			away: []string{"dc1"}, status: exit.Machines, want: "the site dc1 is away: the hub has not heard it for 30 s or longer",
		},
		"the site is silent": {status: exit.Machines, want: "the site dc1 did not answer within 15m0s"},
		"a device of another site": {
			dc1: []answer{good(part("dc1", "spine1"))}, status: exit.Machines, want: `the site dc1 answers for "spine1"`,
		},
		"the part of another site": {
			dc1: []answer{good(part("dc2", "leaf1"))}, status: exit.Machines,
			want: `(1 answer does not count: message 2: the site dc1 signed the part of the site "dc2")`,
		},
		"another site answers": {
			dc1: []answer{{by: "site:dc2", outcome: statement.Complete, body: part("dc1", "leaf1")}}, status: exit.Machines,
			want: `site:dc2 signed it, and it is a statement "share" of the site "dc1")`,
		},
		"an unknown key answers": {
			dc1: []answer{{by: "mallory", outcome: statement.Complete, body: part("dc1", "leaf1")}}, status: exit.Machines,
			want: "no line has the key",
		},
		"an answer to another question": {
			dc1: []answer{{nonce: "another", outcome: statement.Complete, body: part("dc1", "leaf1")}}, status: exit.Machines,
			want: "the site dc1 did not answer within 15m0s.",
		},
		"a part that is none": {
			dc1: []answer{{outcome: statement.Complete, body: strings.Repeat("[", 1_000_000)}}, status: exit.Machines,
			want: "it is no part of a plan",
		},
		"a part with an escape": {
			dc1: []answer{good(&teamplan.SitePart{Site: "dc1", Disrupts: []string{"\x1b[2J"}})}, status: exit.Machines,
			want: "or has characters that no text",
		},
		"a wave that is not there": {
			dc1: plain, options: PlanOptions{Holds: []string{"dc1/9"}, Within: time.Hour}, status: exit.Usage,
			want: "the site dc1 has 1 wave in this plan, and no wave 9",
		},
		"no wave": {
			dc1: plain, options: PlanOptions{Holds: []string{"dc1"}, Within: time.Hour}, status: exit.Usage, want: `"dc1" is no wave`,
		},
		"a wave of no site": {
			dc1: plain, options: PlanOptions{Holds: []string{"dc9/1"}, Within: time.Hour}, status: exit.Usage, want: "the site dc9 changes nothing",
		},
		"sites that are not those of the plan": {
			options: PlanOptions{Sites: []string{"dc1", "dc2"}}, status: exit.Usage,
			want: "--sites names each site of the plan once: dc1, not dc1 and dc2",
		},
		"a change that is not committed": {
			before: func(t *testing.T, d *desk) {
				t.Helper()
				require.NoError(t, os.WriteFile(filepath.Join(d.dir, "x.hcl"), nil, 0o600))
			}, status: exit.Usage, want: "has changes that are not committed (x.hcl)",
		},
		"a person without the role": {
			before: func(_ *testing.T, d *desk) { d.Sign = d.all.SignAs("bob") }, status: exit.Errors,
			want: `the sites would not answer: line 2 does not allow bob to sign for "rocec-plan". Nothing was sent`,
		},
		"a variable": {
			before: func(_ *testing.T, d *desk) { d.Vars = []string{"length=2m"} }, status: exit.Usage, want: "takes the files of the commit alone",
		},
		"a device without a site": {
			before: func(t *testing.T, d *desk) {
				t.Helper()
				file := filepath.Join(d.dir, "fabric.hcl")
				text, err := os.ReadFile(file)
				require.NoError(t, err)
				require.NoError(t, os.WriteFile(file, bytes.ReplaceAll(text, []byte(`site    = "dc1"`), nil), 0o600))
				d.git(t, "commit", "--quiet", "-am", "two")
			}, status: exit.Usage, want: "leaf[1-2]: no site has the keys of these devices",
		},
		"a full store": {
			before: func(_ *testing.T, d *desk) { d.all.Hub.Refuse(broker.ErrFull) }, status: exit.Machines, want: "the store of the hub is full",
		},
		"a reader": {
			before: func(_ *testing.T, d *desk) { d.all.Hub.Refuse(broker.ErrRole) }, status: exit.Machines, want: "a reader submits nothing",
		},
		"a hub that is away": {
			before: func(_ *testing.T, d *desk) { d.all.Hub.Down(true) }, status: exit.Machines,
			want: "the hub memory does not answer. This verb changed nothing. The sites go on with the runs that they have taken",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, "alice")
			d.all.Hub.SetAway(one.away...)
			d.play(t, "dc1", one.dc1...)
			if one.before != nil {
				one.before(t, d)
			}
			o := one.options
			o.Only, o.Out, o.Valid = []string{"leaf[1-2]"}, filepath.Join(t.TempDir(), "p.plan"), time.Hour
			err := d.Plan(t.Context(), d.dir, &o)
			assert.Equal(t, one.status, status(t, err))
			assert.Contains(t, d.printed()+" "+err.Error(), one.want)
			assert.NoFileExists(t, o.Out)
			assert.NotContains(t, d.out.String(), "\x1b")
		})
	}
}

// TestPlanBeside: the plan in the folder of the fabric, and its signature, are no changes of the fabric.
func TestPlanBeside(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "alice")
	for _, name := range []string{"change.plan", "change.plan.plan-707f7649cabe.sig"} {
		require.NoError(t, os.WriteFile(filepath.Join(d.dir, name), nil, 0o600))
	}
	_, err := committed(d.dir)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(d.dir, "new.hcl"), nil, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(d.dir, "x.hcl"), nil, 0o600))
	_, err = committed(d.dir)
	require.ErrorContains(t, err, "(new.hcl and 1 other file)")
}

// TestNothingToDo: a plan of devices that are as the fabric says is not saved.
func TestNothingToDo(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "alice")
	d.play(t, "dc1", good(&teamplan.SitePart{Site: "dc1", Devices: []deploy.SavedDevice{{Name: "leaf1", Status: deploy.StatusSame}}}))
	out := filepath.Join(t.TempDir(), "p.plan")
	require.NoError(t, d.Plan(t.Context(), d.dir, &PlanOptions{Only: []string{"leaf[1-2]"}, Out: out, Changes: true, Valid: time.Hour}))
	assert.Contains(t, d.printed(), "All devices of these sites are as the fabric says.")
	assert.NoFileExists(t, out)
}

// judged checks lines of JSON against a schema that allows no more members.
func judged(t *testing.T, schema, text string) {
	t.Helper()
	data, err := os.ReadFile("../../../docs/schema/" + schema + ".json")
	require.NoError(t, err)
	compiled := reporttest.Closed(t, data, "")
	in := json.NewDecoder(strings.NewReader(text))
	count := 0
	for ; in.More(); count++ {
		var one json.RawMessage
		require.NoError(t, in.Decode(&one))
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(one))
		require.NoError(t, err)
		require.NoError(t, compiled.Validate(doc), "%s", one)
	}
	require.Positive(t, count)
}

// TestDocuments: every field of the JSON is in its schema.
func TestDocuments(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "alice")
	d.Format, d.Quiet = "json", true
	file := d.plans(t, PlanOptions{Message: "ticket", Holds: []string{"dc1/2"}, Within: time.Hour})
	judged(t, "plan-team", d.out.String())
	d.out.Reset()
	require.NoError(t, d.Submit(t.Context(), &SubmitOptions{Plan: file, Approve: true, Detach: true, Hold: time.Minute}))
	judged(t, "runs-follow", d.out.String())
	d.out.Reset()
	d.all.Hub.SetAway("dc2")
	l, r, err := d.read(t.Context())
	require.NoError(t, err)
	of := r.Queue.Runs("")[0]
	for site, first := range map[string]int{"dc1": 1, "dc2": 3} {
		for _, st := range []statement.Statement{
			{Verb: statement.Taken},
			{Verb: statement.Waits, Why: "its disk is full"},
			{Verb: statement.Began, Wave: first},
			{Verb: statement.Ended, Wave: first, Outcome: statement.Complete, Devices: "leaf1"},
		} {
			st.Run, st.Digest, st.Site, st.Epoch = of.Name, of.Digest, site, 1000
			d.all.Says("site:"+site, broker.Wave, st, nil)
		}
	}
	d.all.Says("bob", broker.Say, statement.Statement{Verb: statement.Approve, Run: of.Name, Digest: of.Digest, Wave: 2}, nil)
	d.all.Says("mallory", broker.Say, statement.Statement{Verb: statement.Withdraw, Run: of.Name, Digest: of.Digest}, nil)
	require.NoError(t, d.Show(t.Context(), &ShowOptions{Run: ""}))
	judged(t, "runs-team", d.out.String())
	d.out.Reset()
	require.NoError(t, Device(t.Context(), d.Session, l, "leaf1", "json"))
	assert.Contains(t, d.out.String(), `"outcome": "unconfirmed"`)
	judged(t, "runs-team", d.out.String())
	d.out.Reset()
	err = d.SayAbout(t.Context(), &SayOptions{Verb: statement.Withdraw, Run: "last", Yes: true, Detach: true})
	require.NoError(t, err)
	judged(t, "runs-follow", d.out.String())
	d.printed()
	d.Format, d.Quiet = "text", false
	require.NoError(t, d.Show(t.Context(), &ShowOptions{}))
	require.Contains(t, d.printed(), "1 message of the hub changes nothing: no allowed signer signed 1. The newest is")
}

// TestStatements: the queue judges a statement before it leaves, and nothing is sent that the sites would not obey.
func TestStatements(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "alice")
	file := d.plans(t, PlanOptions{Holds: []string{"dc2/1"}, Within: time.Hour})
	for _, one := range []struct {
		o    SubmitOptions
		want string
	}{
		{SubmitOptions{Plan: file, Message: "another"}, `has the message "", not "another"`},
		{SubmitOptions{Plan: file, Hold: time.Millisecond}, "--confirm is at least 1s"},
		{SubmitOptions{Plan: file}, "stdin is not a terminal"},
	} {
		require.ErrorContains(t, d.Submit(t.Context(), &one.o), one.want)
	}
	before, err := d.all.Hub.Last(t.Context())
	require.NoError(t, err)
	d.Sign = d.all.SignAs("bob")
	err = d.Submit(t.Context(), &SubmitOptions{Plan: file, Approve: true, Detach: true})
	require.ErrorContains(t, err, `the sites would not obey: line 2 does not allow bob to sign for "rocec-apply"`)
	assert.Equal(t, exit.Errors, status(t, err))
	d.Sign = d.all.SignAs("carol")
	require.NoError(t, d.Submit(t.Context(), &SubmitOptions{Plan: file, Approve: true, Detach: true}))
	require.ErrorContains(t, d.ApproveWave(t.Context(), "last", "dc2/1", true), "carol submitted the run, and so approves none of its waves")
	require.ErrorContains(t, d.ApproveWave(t.Context(), "last", "dc1/1", true), "is not held: it needs no approval")
	require.ErrorContains(t, d.ApproveWave(t.Context(), "none", "dc1/1", true),
		`"none": there is no such run. List the runs: rocec runs --team`)
	say := func(verb statement.Verb) error {
		return d.SayAbout(t.Context(), &SayOptions{Verb: verb, Run: "last", Yes: true, Detach: true})
	}
	require.ErrorContains(t, say(statement.Confirm), "was submitted without --confirm")
	d.Sign = d.all.SignAs("bob")
	require.NoError(t, d.ApproveWave(t.Context(), "last", "dc2/1", true))
	require.ErrorContains(t, d.ApproveWave(t.Context(), "last", "dc2/1", true), "bob has approved it already")
	require.ErrorContains(t, say(statement.Withdraw), "does not allow bob")
	d.Sign = d.all.SignAs("alice")
	require.NoError(t, say(statement.Withdraw))
	require.ErrorContains(t, say(statement.Withdraw), "is over (withdrawn), so there is nothing to withdraw")
	after, err := d.all.Hub.Last(t.Context())
	require.NoError(t, err)
	require.Equal(t, before+3, after, "a submission, an approval and a withdrawal")
	assert.Contains(t, d.printed(), "Approved: the wave dc2/1 of the run")
}

// TestNotKnown: no sentence says more than the answer of the hub. A hub with another time makes sites disobey, and the person hears so.
func TestNotKnown(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "alice")
	file := d.plans(t, PlanOptions{})
	submit := func() error { return d.Submit(t.Context(), &SubmitOptions{Plan: file, Approve: true, Detach: true}) }
	d.all.Hub.Refuse(errors.New("the hub does not answer"))
	require.ErrorContains(t, submit(), "the hub does not answer, so it is not known whether it has your statement about the run 2026")
	d.all.Hub.Refuse(broker.ErrFull)
	require.ErrorContains(t, submit(), "This verb changed nothing")
	d.all.Hub.Refuse(nil)
	d.all.Hub.Now = func() time.Time { return d.Clock.Now().Add(-time.Hour) }
	err := submit()
	require.ErrorContains(t, err, "the sites do not obey it: the statement is of 2026-11-30T08:00")
	assert.Equal(t, exit.Errors, status(t, err))
	d.all.Hub.Now = d.Clock.Now
	d.all.Hub.SetAway("dc2")
	d.printed()
	require.NoError(t, submit())
	assert.Contains(t, d.printed(), "waits: the site dc1 has not taken the run Follow it: rocec runs --team --follow 2026")
	err = Follow(t.Context(), d.Session, broken{}, &FollowOptions{Run: "last", Format: "text", Team: true})
	require.ErrorContains(t, err, "you follow the run r1 no longer: the store is older. Its sites go on")
}

// broken is a ledger that ends in the middle of a run.
type broken struct{ ledger.Ledger }

func (broken) Follow(_ context.Context, _ string, use func(*ledger.RunSummary, *ledger.Event) error) error {
	if err := use(&ledger.RunSummary{Run: "r1", State: ledger.Running}, nil); err != nil {
		return err
	}
	return errors.New("the store is older")
}

// TestAgreement: a plan that wants an approval is submitted with the signatures of the persons, which a site verifies.
func TestAgreement(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "alice")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	var lines strings.Builder
	for _, who := range []string{"erin", "frank"} {
		key := filepath.Join(dir, who)
		out, err := exec.Command(machinetest.Need(t, "ssh-keygen"), "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", key).CombinedOutput()
		require.NoError(t, err, "%s", out)
		public, err := os.ReadFile(key + ".pub")
		require.NoError(t, err)
		fmt.Fprintf(&lines, "%s namespaces=\"rocec-plan,rocec-apply,rocec-approve\" %s", who, public)
	}
	for _, site := range []string{"site:dc1", "site:dc2"} {
		fmt.Fprintf(&lines, "%s namespaces=\"rocec-site\" %s\n", site, d.all.Keys[site].Line())
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "allowed_signers"), []byte(lines.String()), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "policy.hcl"), []byte("approvals = 1\n"), 0o600))
	as := func(who string) {
		d.Rights, err = rights.Read(d.Person, rights.Named{Folder: dir, Key: filepath.Join(dir, who)})
		require.NoError(t, err)
		d.Sign = d.Rights.Sign
	}
	as("erin")
	d.Signers, _, err = d.Rights.Signers()
	require.NoError(t, err)
	d.all.Signers = d.Signers
	file := d.plans(t, PlanOptions{})
	assert.Contains(t, d.printed(), "saved; it wants 1 approval: rocec approve "+file)
	saved, err := savedplan.Read(file)
	require.NoError(t, err)
	submit := func() error { return d.Submit(t.Context(), &SubmitOptions{Plan: file, Approve: true, Detach: true}) }
	require.ErrorContains(t, submit(), "wants 1 approval and has 0")
	_, err = savedplan.Sign(t.Context(), d.Rights, file, saved, sshsig.RoleApprove)
	require.NoError(t, err)
	require.ErrorContains(t, submit(), "erin applies the plan, so the approval of erin does not count")
	as("frank")
	_, err = savedplan.Sign(t.Context(), d.Rights, file, saved, sshsig.RoleApprove)
	require.NoError(t, err)
	as("erin")
	require.NoError(t, submit())
	_, r, err := d.read(t.Context())
	require.NoError(t, err)
	of := r.Queue.Runs("")[0]
	agreement, err := savedplan.Verify(of.Envelope.Agreement, of.Plan, of.By, 1, d.Signers, d.Clock.Now())
	require.NoError(t, err)
	require.Equal(t, "frank", agreement.Approvals[0].Person)
}

// TestFollowing: the exit status of a follower states how the run has ended, and hostile names are escaped.
func TestFollowing(t *testing.T) {
	t.Parallel()
	for want, site := range map[int][]statement.Statement{
		exit.Errors: {{Verb: statement.Refused, Why: "no \u202emirror"}},
		exit.Incomplete: {
			{Verb: statement.Taken},
			{Verb: statement.Began, Wave: 1},
			{Verb: statement.Ended, Wave: 1, Outcome: "stopped", Why: "leaf1 is restored"},
			{Verb: statement.Over, Outcome: "stopped", Why: "leaf1 is restored"},
		},
	} {
		d := newDesk(t, "alice")
		require.NoError(t, d.Submit(t.Context(), &SubmitOptions{Plan: d.plans(t, PlanOptions{}), Approve: true, Detach: true}))
		_, r, err := d.read(t.Context())
		require.NoError(t, err)
		of := r.Queue.Runs("")[0]
		for _, st := range site {
			st.Run, st.Digest, st.Site, st.Epoch = of.Name, of.Digest, "dc1", 1000
			d.all.Says("site:dc1", broker.Wave, st, nil)
		}
		assert.Equal(t, want, status(t, d.Follow(t.Context(), of.Name, "")))
		assert.NotContains(t, d.out.String(), "\u202e")
		assert.Equal(t, want == exit.Incomplete, strings.Contains(d.out.String(), "  rocec resume --team "+of.Name+"\n"), "the ways on")
		d.out.Reset()
		require.NoError(t, d.Show(t.Context(), &ShowOptions{Run: "last"}))
		assert.NotContains(t, d.out.String(), "\u202e")
	}
}

// TestEnds: a run that a rule or a person ended before its first wave is no failure of a machine.
func TestEnds(t *testing.T) {
	none, some := []ledger.Share{{}}, []ledger.Share{{Waves: []ledger.RunWave{{State: ledger.Complete}}}}
	for _, c := range []struct {
		state ledger.State
		sites []ledger.Share
		want  int
	}{
		{ledger.Complete, some, exit.Good},
		{ledger.Unconfirmed, some, exit.Good},
		{ledger.Refused, none, exit.Errors},
		{ledger.Expired, none, exit.Errors},
		{ledger.Withdrawn, none, exit.Errors},
		{ledger.Stopped, none, exit.Machines},
		{ledger.Expired, some, exit.Incomplete},
		{ledger.Stopped, some, exit.Incomplete},
	} {
		err := (&printer{format: "json"}).end(&ledger.RunSummary{State: c.state, Sites: c.sites}, "")
		if c.want == exit.Good {
			assert.NoError(t, err, c.state)
		} else {
			assert.Equal(t, c.want, status(t, err), c.state)
		}
	}
}
