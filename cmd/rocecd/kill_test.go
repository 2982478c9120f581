package main

import (
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/globals"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/cmd/internal/statement"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device"
	"github.com/rocec/rocec/targets/deploy/lab"
	"github.com/rocec/rocec/targets/deploy/txn"
)

var whole = flag.Bool("whole", false, "kill the processes of a team in many runs, rather than in a few")

// home makes the folder of the test the home of a user who reaches the devices of a lab by SSH.
func (w *team) home(l *lab.Lab) {
	w.t.Helper()
	dir := filepath.Join(w.dir, ".ssh")
	require.NoError(w.t, os.MkdirAll(dir, 0o700))
	var config, known strings.Builder
	for _, names := range siteOf {
		for _, name := range names {
			login, err := l.Listen(name)
			require.NoError(w.t, err)
			fmt.Fprintf(&config, "Host %s\n  HostName 127.0.0.1\n  Port %d\n  User %s\n  IdentityFile %s\n", name, login.Port, login.User,
				filepath.Join(dir, "key"))
			out, err := exec.Command("ssh-keyscan", "-p", fmt.Sprint(login.Port), "127.0.0.1").Output()
			require.NoError(w.t, err)
			known.Write(out)
		}
	}
	for name, text := range map[string]string{"config": config.String(), "known_hosts": known.String(), "key": string(l.Key())} {
		require.NoError(w.t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
}

// session returns a session of the user of that home.
func (w *team) session() *session.Session {
	w.t.Helper()
	env := map[string]string{"XDG_STATE_HOME": w.state("judge"), "HOME": w.dir}
	g := globals.New(&person.Person{
		Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard, Getenv: func(name string) string { return env[name] },
		Color: "never", Quiet: true,
	}, globals.Build{Version: w.tool, Tool: w.tool})
	g.LogFormat = "text"
	require.NoError(w.t, g.Prepare())
	return session.New(g, device.Clock{Now: time.Now, Wait: time.After})
}

// kill kills a process by SIGKILL.
func (p *process) kill() {
	p.t.Helper()
	require.NoError(p.t, p.Process.Kill())
	_ = p.Wait() // it was killed
}

// TestKilled kills the hub and both sites by SIGKILL at random moments of a run, and starts them again. The devices are behind SSH. By the
// record of each device, one run has changed it, and it has the settings of the plan. The run is complete. If a site says that it stopped,
// the run is complete after a person has resumed it.
func TestKilled(t *testing.T) {
	machinetest.Long(t)
	t.Parallel()
	w := newTeam(t, fabric+second(), "dc1", "dc2")
	w.env = []string{"ROCEC_TEST_SOAK=0s"}
	processes := map[string]*process{}
	start := func(name string) {
		if name == "hub" {
			processes[name] = w.serve(name, "--listen", w.free(name))
		} else {
			processes[name] = w.siteAt(name, "hub")
		}
	}
	w.real = true
	start("hub")
	processes["hub"].until(http.StatusOK, "ready")
	w.meet("hub")
	seed, each := rand.Uint64(), 1
	if *whole {
		each = 20
	}
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	met, resumed, runs := map[string]int{}, 0, 0
	names := []string{"hub", "dc1", "dc2"}
	left := func() (out []string) { // that were not killed often enough
		for _, name := range names {
			if met[name] < each {
				out = append(out, name)
			}
		}
		return out
	}
	for ; len(left()) > 0; runs++ {
		require.Less(t, runs, 30*each, "each process is killed within this many runs")
		g, err := w.session().Load(w.repo)
		require.NoError(t, err)
		l, err := lab.Start(g.Tree())
		require.NoError(t, err)
		w.home(l)
		if runs == 0 {
			start("dc1")
			start("dc2")
		}
		run := fmt.Sprintf("20261130t12%02d%02dz-eeee", runs/60, runs%60)
		w.submit(run, w.envelope(w.plan("dc1", "dc2")))
		for range 1 + r.IntN(4) {
			time.Sleep(time.Duration(r.IntN(1500)) * time.Millisecond)
			if of := w.run(run); of == nil || of.Over(time.Now()) {
				break
			}
			from := left()
			if len(from) == 0 {
				from = names
			}
			name := from[r.IntN(len(from))]
			processes[name].kill()
			met[name]++
			time.Sleep(time.Duration(r.IntN(500)) * time.Millisecond)
			start(name)
			if name == "hub" {
				processes[name].until(http.StatusOK, "ready")
				require.True(t, soon(w.persons.Connected))
			}
		}
		for {
			outcome := w.over(run)
			if slices.Equal(outcome, []string{"dc1 complete", "dc2 complete"}) {
				break
			}
			t.Logf("run %d: %q", runs, outcome)
			resumed++
			require.Less(t, resumed, 3*each)
			w.says(run, statement.Resume)
			require.True(t, soon(func() bool { return !w.run(run).Over(time.Now()) }))
		}
		w.requireOnce(run)
		require.NoError(t, l.Close())
	}
	t.Logf("%d runs, killed %v; %d times a person resumed", runs, met, resumed)
	for _, name := range []string{"dc1", "dc2", "hub"} {
		processes[name].end()
	}
}

// requireOnce checks the devices: each has the settings of the plan, no lock, and in its record one run that it has kept.
func (w *team) requireOnce(run string) {
	w.t.Helper()
	_, fleet, err := w.session().Open(w.repo, slices.Concat(siteOf["dc1"], siteOf["dc2"]), "")
	require.NoError(w.t, err)
	for _, d := range fleet.Compare(w.t.Context()).Devices {
		require.Nil(w.t, d.Err, "%s of %s", d.Device.Name, run)
		require.Equal(w.t, deploy.StatusSame, d.Status, "%s of %s", d.Device.Name, run)
		require.Nil(w.t, d.Lock, "%s of %s", d.Device.Name, run)
		kept := slices.DeleteFunc(d.Over, func(r deploy.RunMark) bool { return r.Mark != txn.Confirmed })
		require.Len(w.t, kept, 1, "by the record of %s, of %s", d.Device.Name, run)
	}
	fleet.Close(&err)
	require.NoError(w.t, err)
}
