package main

import (
	"context"
	"encoding/hex"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aymanbagabas/go-udiff"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/lab"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/deploy/ssh"
	"github.com/rocec/rocec/targets/deploy/txn"
	"github.com/rocec/rocec/targets/judge/judgetest"
	"github.com/rocec/rocec/targets/target"
)

// office is a fabric in a lab, and people at separate machines who change it.
type office struct {
	dir, lab, homes string
	person          string
}

func newOffice(t *testing.T, hcl string) *office {
	t.Helper()
	setenv(t, "COLUMNS", "1000") // the test searches for whole sentences
	o := &office{dir: t.TempDir(), lab: filepath.Join(t.TempDir(), "lab"), homes: t.TempDir()}
	o.write(t, hcl)
	o.sits(t, "alice")
	return o
}

func (o *office) write(t *testing.T, hcl string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(o.dir, "fabric.hcl"), []byte(hcl), 0o600))
}

// sits makes a person the user of the next commands, with the journal in the person's home.
func (o *office) sits(t *testing.T, person string) {
	t.Helper()
	o.person = person
	home := filepath.Join(o.homes, person)
	require.NoError(t, os.MkdirAll(home, 0o700))
	setenv(t, "HOME", home)
	setenv(t, "XDG_STATE_HOME", filepath.Join(home, "state"))
}

// forgets deletes the present user's journals.
func (o *office) forgets(t *testing.T) {
	t.Helper()
	require.NoError(t, os.RemoveAll(filepath.Join(o.homes, o.person, "state")))
}

// want runs a verb in the fabric's lab.
func (o *office) want(t *testing.T, code int, args ...string) string {
	t.Helper()
	args = append([]string{args[0], "-C", o.dir, "--lab=" + o.lab}, args[1:]...)
	got, stdout, stderr := rocec(t, args...)
	require.Equal(t, code, got, "%s\n%s\n%s", args, stdout, stderr)
	return stdout + stderr
}

// holds applies a change that waits for confirmation, and returns its run.
func (o *office) holds(t *testing.T) string {
	t.Helper()
	out := o.want(t, exit.Good, "apply", "--auto-approve", "--soak", "0s", "--confirm", "2h", "-m", "ticket 4711")
	return regexp.MustCompile(`rocec confirm (\S+)`).FindStringSubmatch(out)[1]
}

// inside opens the lab directly, without a rocec command.
func (o *office) inside(t *testing.T, do func(tree *target.Tree, l *lab.Lab)) {
	t.Helper()
	a := newApp(&person.Person{Getenv: func(string) string { return "" }})
	f, err := a.Load(o.dir)
	require.NoError(t, err)
	require.False(t, f.Diags.HasErrors(), "%v", f.Diags)
	l, err := lab.Open(o.lab, f.Tree(), "a test")
	require.NoError(t, err)
	do(f.Tree(), l)
	require.NoError(t, l.Close())
}

// dies starts a run whose process ends directly before a verb of a device, and returns the run.
func (o *office) dies(t *testing.T, device string, verb txn.Verb) string {
	t.Helper()
	run := deploy.NewRun(time.Now(), hex.EncodeToString(fmt.Appendf(nil, "%08x", rand.Uint32())), "alice@ws1, process 4711")
	run.Tool = buildOf(buildVersion()).Tool
	o.inside(t, func(tree *target.Tree, l *lab.Lab) {
		dialer, err := ssh.New(ssh.Config{Keys: [][]byte{l.Key()}, Net: l.Dial})
		require.NoError(t, err)
		defer dialer.Close()
		dial := func(ctx context.Context, d *target.Device) (target.Conn, error) {
			there := *d
			there.Login = l.Login(d.Name)
			return dialer.Dial(ctx, &there)
		}
		plan := deploy.Diff(tree, rollout.Observe(t.Context(), dial, tree, rollout.ObserveOptions{Probes: rollout.Every}))
		run.About = (&session.Job{Fabric: o.dir, Name: "rack", Plan: plan}).About()
		dead, never := make(chan struct{}), make(chan struct{})
		go rollout.Apply(context.Background(), dial, plan, rollout.ApplyOptions{ //nolint:errcheck // it never returns
			Run: run, Parallel: 1, Soak: new(time.Duration), Clock: rollout.Clock{Now: time.Now, Wait: time.After},
			Record: func(e rollout.Entry) (string, error) {
				if e.Device == device && e.Verb == verb && !e.Done {
					close(dead)
					<-never
				}
				return "", nil
			},
		})
		select {
		case <-dead:
		case <-time.After(5 * time.Minute):
			t.Fatal("the run does not come to " + string(verb))
		}
	})
	return run.Name
}

// content returns everything that a run may change on the devices.
func (o *office) content(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	o.inside(t, func(tree *target.Tree, l *lab.Lab) {
		for _, d := range tree.Devices {
			for i := range d.Files {
				f := &d.Files[i]
				if f.Live == nil {
					text, err := l.Device(d.Name).ReadFile(f.Path)
					out[d.Name+" "+f.Path] = fmt.Sprint(err != nil, string(text))
					continue
				}
				text, said, status := l.Device(d.Name).Run(t.Context(), "root", f.Live.Cmd, string(f.Live.Stdin))
				require.Zero(t, status, said)
				out[d.Name+" "+f.Path] = liveOf(string(text))
			}
		}
	})
	return out
}

// same compares the devices with an earlier content.
func (o *office) same(t *testing.T, want map[string]string, what string) {
	t.Helper()
	for name, text := range o.content(t) {
		if text != want[name] {
			edits := udiff.Unified("before", "now", want[name], text)
			require.Fail(t, name+" is not as it was", "%s\n%.3000s", what, edits)
		}
	}
}

// liveOf returns a live state without the parts that a rollback does not restore: DCBX, and a folder that the kernel makes once.
func liveOf(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "dcbx") && !strings.HasPrefix(line, "roce_mode") {
			b.WriteString(line)
		}
	}
	return b.String()
}

var whole = flag.Bool("whole", false, "run every round, with 108 cases of colleagues, not only the first")

// systems are fabrics for each way to configure a device.
var systems = map[string]string{
	"traffic.conf, restart": strings.Replace(judgetest.Rack(`version = "3.7.16"`), "sn3700", "sn2700", 1),
	"traffic.conf, reload":  judgetest.Rack(`version = "4.3.0"`),
	"qos files":             judgetest.Rack(`version = "5.3.1"`),
	"NVUE 5.8":              judgetest.Rack(`version = "5.8.0"`),
	"NVUE 5.15":             judgetest.Rack(`version = "5.15.0"`),
	"SONiC":                 judgetest.SONiCRack("202505"),
}

// TestColleague: a person whose journal does not know a run can complete it, from every state and on every system. Afterwards the devices
// have the wanted content, and the first person's journal has the result.
func TestColleague(t *testing.T) {
	t.Parallel()
	machinetest.Long(t)
	// A round is 6 systems and 6 cases: confirm, rollback of a kept and of a held run, unlock, resume, and rollback of a part. Without
	// -whole, every second system has the cases of a run that is kept or continued, and the others have the rest.
	rounds := 1
	if *whole {
		rounds = 3
	}
	for i, name := range slices.Sorted(maps.Keys(systems)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			hcl := strings.NewReplacer("store[1-3]", "store[1-2]", "swp[1-3]", "swp[1-2]", "Ethernet[0,4,8]", "Ethernet[0,4]").Replace(systems[name])
			o := newOffice(t, hcl)
			o.want(t, exit.Good, "plan") // this makes the lab
			factory := o.content(t)
			for round := range rounds {
				if *whole || i%2 == 0 {
					o.goesOn(t, factory, round)
				}
				if *whole || i%2 == 1 {
					o.takesBack(t, factory, round)
				}
			}
		})
	}
}

// colleague is another person at another home, or at the same one without its journal.
func (o *office) colleague(t *testing.T, round int) {
	t.Helper()
	if round%2 == 0 {
		o.sits(t, fmt.Sprint("bob", round))
	}
	o.forgets(t)
}

// goesOn tests that a colleague keeps the changes of another person's run.
func (o *office) goesOn(t *testing.T, factory map[string]string, round int) {
	t.Helper()
	// One colleague confirms a change that waits, and another one rolls it back.
	o.sits(t, "alice")
	run := o.holds(t)
	o.colleague(t, round)
	require.Contains(t, o.want(t, exit.Good, "confirm", run), "3 applied")
	require.Contains(t, o.want(t, exit.Good, "plan", "--detailed-exitcode"), "No changes")
	changed := o.content(t)
	require.NotEqual(t, factory, changed)
	if round%2 == 0 {
		o.sits(t, "alice")
		require.Contains(t, o.want(t, exit.Good, "confirm", run), "3 applied")
	}
	o.forgets(t)
	require.Contains(t, o.want(t, exit.Good, "rollback", "--auto-approve", "--soak", "0s", run), "3 applied")
	o.same(t, factory, "a run that was kept")
	if round%2 == 0 { // and the first person's journal gets this result
		o.forgets(t)
		require.Contains(t, o.want(t, exit.Good, "rollback", "--auto-approve", run), "Run "+run+" was rolled back by run ")
		_, stdout, _ := rocec(t, "runs", run)
		require.Contains(t, stdout, "Rolled back by run ")
	}

	// A colleague continues a run that died half-way: settings in use are kept.
	device := []string{"tor", "store1"}[round%2]
	run = o.dies(t, device, txn.Confirm)
	o.colleague(t, round)
	out := o.want(t, exit.Good, "resume", run)
	require.Regexp(t, `Applied\. \d devices?: \d applied`, out)
	require.NotContains(t, out, "restored")
	now := o.content(t)
	for name, text := range changed {
		if strings.HasPrefix(name, device) {
			require.Equal(t, text, now[name], name)
		}
	}
	o.sits(t, "carol")
	o.want(t, exit.Good, "rollback", "--auto-approve", "--soak", "0s", run)
	o.same(t, factory, "after a run that died")
}

// takesBack tests that a colleague undoes or unlocks another person's run.
func (o *office) takesBack(t *testing.T, factory map[string]string, round int) {
	t.Helper()
	by := fmt.Sprintf("by %s@%s, process %d, at ", session.LoginName(os.Getenv), session.HostName(), os.Getpid())
	// A colleague undoes a run that waits.
	o.sits(t, "alice")
	run := o.holds(t)
	o.colleague(t, round)
	require.Contains(t, o.want(t, exit.Good, "rollback", "--auto-approve", run), "3 devices restored")
	o.same(t, factory, "a run that was held")

	// A run that died before it changed anything is unlocked.
	run = o.dies(t, "tor", txn.Commit)
	o.colleague(t, round)
	said := o.want(t, exit.Locked, "apply", "--auto-approve")
	require.Contains(t, said, "rocec resume "+run, "a run that can be continued")
	require.NotContains(t, said, "rocec resume --abandon")
	o.want(t, exit.Usage, "rollback", run) // unlock adopts the run, which does not end it
	require.Contains(t, o.want(t, exit.Locked, "resume", "--abandon", "--auto-approve"), "rocec resume --abandon --run "+run+" tor")
	require.Contains(t, o.want(t, exit.Good, "resume", "--abandon", "--auto-approve", "--run", run), "tor  unlocked")
	o.inside(t, func(_ *target.Tree, l *lab.Lab) {
		text, err := l.Device("tor").ReadFile("/var/lib/rocec/backup/" + run + "/who.unlock")
		require.NoError(t, err)
		require.Contains(t, string(text), strings.TrimSuffix(strings.TrimPrefix(by, "by "), " at ")[:10])
	})
	o.want(t, exit.Good, "rollback", "--auto-approve", "--soak", "0s", run) // on systems where hosts change before their switch
	o.same(t, factory, "a run that was unlocked")
}
