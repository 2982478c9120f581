package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/lang/langtest/machinetest"
)

// After an apply, a person can list it, confirm it, go back, and remove a lock.
func TestAfterwards(t *testing.T) {
	t.Parallel()
	machinetest.Long(t)
	setenv(t, "COLUMNS", "1000") // the test searches for whole sentences
	dir, devices := standing(t)
	want := func(code int, args ...string) string {
		t.Helper()
		got, stdout, stderr := rocec(t, args...)
		require.Equal(t, code, got, "%s\n%s\n%s", args, stdout, stderr)
		return stdout + stderr
	}
	tor, nic := devices.Device("tor1"), devices.Device("store1")
	factory, err := tor.ReadFile(trafficConf)
	require.NoError(t, err)
	live := func() map[string]string { // a setting of store1's NIC that differs from the fabric, with its value
		t.Helper()
		code, stdout, stderr := rocec(t, "verify", "--format", "json", "--target", "store1", dir)
		require.Equal(t, exit.Errors, code, stderr)
		var doc struct {
			Devices []struct {
				Changes []struct {
					Path string
					Keys []struct{ Key, Before string }
				}
			}
		}
		require.NoError(t, json.Unmarshal([]byte(stdout), &doc))
		values := map[string]string{}
		for _, c := range doc.Devices[0].Changes {
			for _, k := range c.Keys {
				if c.Path == "nic/ens1f0" {
					values[k.Key] = k.Before
				}
			}
		}
		delete(values, "dcbx")      // only mlnx_qos returns it to the firmware
		delete(values, "roce_mode") // not readable until the first apply makes the folder that shows it
		return values
	}
	before := live()
	require.Equal(t, "0,0,0,0,0,0,0,0", before["pfc"])
	require.Equal(t, "vendor,vendor,vendor,vendor,vendor,vendor,vendor,vendor", before["ets_tsa"])
	require.Contains(t, want(exit.Good, "runs"), "No run was started on this machine")

	// held until a person confirms
	out := want(exit.Good, "apply", "--auto-approve", "--soak", "0s", "--confirm", "10m", "-m", "ticket 4711", dir)
	require.Contains(t, out, "6 unconfirmed")
	run := regexp.MustCompile(`rocec confirm (\S+)`).FindStringSubmatch(out)[1]
	require.Contains(t, want(exit.Good, "runs"), "ticket 4711")
	require.Contains(t, want(exit.Good, "runs", "last"), "6 unconfirmed")
	other := t.TempDir()
	require.Contains(t, want(exit.Good, "runs", "-C", dir, "last"), "6 unconfirmed")
	require.Contains(t, want(exit.Usage, "runs", "-C", other, "last"), "no run \"last\" of the fabric in "+other)
	require.Contains(t, strings.Join(strings.Fields(want(exit.Usage, "rollback", "-C", other, run)), " "), "is a run of the fabric in")
	require.Contains(t, want(exit.Locked, "resume", "--abandon", "-C", dir), "rocec confirm "+run)
	require.Contains(t, want(exit.Usage, "resume", run), "rocec confirm "+run)
	require.Contains(t, want(exit.Good, "confirm", run), "6 applied")
	require.Contains(t, want(exit.Good, "plan", "--detailed-exitcode", dir), "No changes")
	require.Contains(t, want(exit.Good, "confirm", run), "is over (6 applied). Nothing to confirm.")
	require.Contains(t, want(exit.Good, "resume", run), "is over (6 applied). Nothing to resume.")
	require.Contains(t, want(exit.Good, "resume", "--abandon", "-C", dir), "No locks or leftovers of runs.")

	// a rollback, first of one device; rollback does not change a file that another person has changed since
	require.Contains(t, want(exit.Usage, "rollback", run, "--target", "tor1"), "--auto-approve", "it shows its plan and asks")
	require.Contains(t, want(exit.Good, "rollback", run, "--target", "tor1", "--auto-approve", "--soak", "0s"), "1 applied")
	now, err := tor.ReadFile(trafficConf)
	require.NoError(t, err)
	require.Equal(t, string(factory), string(now))
	script, err := nic.ReadFile("/usr/local/sbin/rocec-host")
	require.NoError(t, err)
	nic.WriteFile("/usr/local/sbin/rocec-host", append(script, "# mine\n"...), 0o755)
	require.Contains(t, strings.Join(strings.Fields(want(exit.Machines, "rollback", run, "--auto-approve", "--soak", "0s")), " "),
		"neither what the run wrote nor what it found")
	nic.WriteFile("/usr/local/sbin/rocec-host", script, 0o755)
	require.Contains(t, want(exit.Good, "rollback", run, "--auto-approve", "--soak", "0s"), "5 applied")
	require.Equal(t, before, live(), "the NIC is as it was before rocec came")
	_, err = nic.ReadFile("/usr/local/sbin/rocec-host")
	require.Error(t, err, "and no file of rocec is left there")
	require.Contains(t, want(exit.Good, "runs"), "rollback of "+run)
	require.Contains(t, want(exit.Good, "rollback", run, "--auto-approve"), "There is nothing to roll back.")
	require.Contains(t, want(exit.Incomplete, "confirm", run), "is over (6 applied, rolled back by run ")

	// a rollback of a held run
	out = want(exit.Good, "apply", "--auto-approve", "--soak", "0s", "--confirm", "10m", dir)
	run = regexp.MustCompile(`rocec confirm (\S+)`).FindStringSubmatch(out)[1]
	require.Contains(t, want(exit.Good, "rollback", run, "--auto-approve", "--soak", "0s"), "Rolled back. 6 devices restored.")
	require.Equal(t, before, live())
	require.Contains(t, want(exit.Incomplete, "confirm", run), "is over (6 restored). Nothing to confirm.")
	require.Contains(t, want(exit.Good, "runs", run), "6 restored")

	// a lock of a run that is over, and a lock of a run from another machine
	tor.WriteFile("/var/lib/rocec/lock/owner", []byte("txn 20260101t000000z-abcd\nowner alice@ws7, process 1\nsince 2026-01-01T00:00:00Z\n"),
		0o644)
	require.Contains(t, want(exit.Locked, "resume", "--abandon", "-C", dir, "tor1"), "rocec resume --abandon --run 20260101t000000z-abcd tor1")
	require.Contains(t, want(exit.Usage, "resume", "--abandon", "-C", dir, "--run", "20260101t000000z-abcd", "tor1"), "--auto-approve")
	require.Contains(t, want(exit.Good, "resume", "--abandon", "-C", dir, "--run", "20260101t000000z-abcd", "--auto-approve", "tor1"),
		"tor1  unlocked")
	require.Contains(t, want(exit.Good, "resume", "--abandon", "-C", dir), "No locks or leftovers of runs.")

	// a journal that was cut off, and a file that is not a journal
	runs := filepath.Join(getenv(t, "XDG_STATE_HOME"), "rocec", "runs")
	text, err := os.ReadFile(filepath.Join(runs, run+".jsonl"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(runs, run+".jsonl"), text[:len(text)-10], 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(runs, "20260101t000000z-ffff.jsonl"), []byte("no journal\n"), 0o600))
	out = want(exit.Good, "runs")
	require.Contains(t, out, "died")
	require.Contains(t, out, "20260101t000000z-ffff.jsonl")
	require.Contains(t, want(exit.Good, "runs", run), "1 line of the journal could not be read")
	require.Contains(t, want(exit.Usage, "resume", "nothing"), "no run \"nothing\"")
	var doc struct{ Runs []struct{ Run string } }
	code, stdout, _ := rocec(t, "runs", "--format", "json")
	require.Equal(t, exit.Good, code)
	require.NoError(t, json.NewDecoder(strings.NewReader(stdout)).Decode(&doc))
	require.Len(t, doc.Runs, 4)
}
