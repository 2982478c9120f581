package site

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/teamqueue"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/lab"
	"github.com/rocec/rocec/targets/deploy/txn"
)

// childVariable names the file with the place of a worker, for a process of its own.
const childVariable = "ROCECD_TEST_PLACE"

// child is the process of a worker, which may kill itself.
func child(file string) int {
	text, err := os.ReadFile(file)
	if err != nil {
		panic(err)
	}
	var p place
	if err := json.Unmarshal(text, &p); err != nil {
		panic(err)
	}
	lines := 0
	w, err := New(p.options(os.Stderr, func(journal.Notice) {
		if lines++; lines == p.Kill {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}))
	if err != nil {
		panic(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	if err := w.Run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// spawn starts the worker of dc1 as a process.
func (w *team) spawn(kill int) *exec.Cmd {
	w.t.Helper()
	p := w.place("dc1")
	p.Lab, p.Kill = false, kill
	text, err := json.Marshal(p)
	require.NoError(w.t, err)
	file := filepath.Join(w.dir, "place.json")
	require.NoError(w.t, os.WriteFile(file, text, 0o600))
	self, err := os.Executable()
	require.NoError(w.t, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), childVariable+"="+file)
	cmd.Stderr = testLog{w.t, "dc1"}
	require.NoError(w.t, cmd.Start())
	return cmd
}

// sshHome makes the folder of a site the home of a user who reaches the devices of a lab by SSH.
func (w *team) sshHome(l *lab.Lab) {
	w.t.Helper()
	dir := filepath.Join(w.sites["dc1"].state, ".ssh")
	require.NoError(w.t, os.MkdirAll(dir, 0o700))
	var config, known strings.Builder
	for _, name := range siteOf["dc1"] {
		login, err := l.Listen(name)
		require.NoError(w.t, err)
		fmt.Fprintf(&config, "Host %s\n  HostName 127.0.0.1\n  Port %d\n  User %s\n  IdentityFile %s\n", name, login.Port, login.User,
			filepath.Join(dir, "key"))
		out, err := exec.Command("ssh-keyscan", "-p", fmt.Sprint(login.Port), "127.0.0.1").Output()
		require.NoError(w.t, err)
		known.Write(out)
	}
	for name, text := range map[string]string{"config": config.String(), "known_hosts": known.String(), "key": string(l.Key())} {
		require.NoError(w.t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
}

// TestKilled kills the process of a site at lines of its journal, with SIGKILL, and starts it again. The devices are apart from it, behind
// SSH. By the record of each device, one run has changed it, and in the end it has the settings of the plan.
func TestKilled(t *testing.T) {
	machinetest.Long(t)
	t.Parallel()
	moments := []int{3 + rand.IntN(8), 14 + rand.IntN(10)}
	if *whole {
		moments = nil
		for n := 1; n < 35; n++ {
			moments = append(moments, n)
		}
	}
	for _, moment := range moments {
		t.Run(fmt.Sprint("line ", moment), func(t *testing.T) {
			t.Parallel()
			w := newTeam(t)
			w.stop("dc1")
			f, err := w.session("dc1").Load(w.repo)
			require.NoError(t, err)
			l, err := lab.Start(f.Tree())
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, l.Close()) })
			w.sshHome(l)
			first := w.spawn(moment)
			w.submit(run1, w.envelope(w.plan(nil, "dc1", "dc2"), func(e *teamqueue.Envelope) { e.Accept = true }))
			require.ErrorContains(t, first.Wait(), "signal: killed")
			began := time.Now()
			second := w.spawn(0)
			story := w.story(run1)
			t.Logf("%s from the start to the end", time.Since(began))
			require.Equal(t, 2, strings.Count(story, "over complete"), story)
			w.wholeEvents("dc1", run1)
			require.NoError(t, second.Process.Signal(syscall.SIGTERM))
			require.NoError(t, second.Wait())

			s := w.session("dc1")
			_, fleet, err := s.Open(w.repo, siteOf["dc1"], "")
			require.NoError(t, err)
			for _, d := range fleet.Compare(t.Context()).Devices {
				require.Nil(t, d.Err)
				require.Equal(t, deploy.StatusSame, d.Status, d.Device.Name)
				require.Nil(t, d.Lock)
				kept := slices.DeleteFunc(d.Over, func(r deploy.RunMark) bool { return r.Mark != txn.Confirmed })
				require.Len(t, kept, 1, "by the record of %s", d.Device.Name)
			}
			fleet.Close(&err)
			require.NoError(t, err)
		})
	}
}
