package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
)

// TestMarks: level 2 proves marking on every system that can change thresholds during traffic. Afterwards the switch has its earlier
// content.
func TestMarks(t *testing.T) {
	t.Parallel()
	setenv(t, "XDG_STATE_HOME", t.TempDir())
	setenv(t, "COLUMNS", "1000")
	for _, dir := range []string{"../../examples/rack-by-files", "../../examples/gpu-pod"} {
		lab := "--lab=" + filepath.Join(t.TempDir(), "lab")
		code, _, stderr := rocec(t, "selftest", "--level", "2", lab, "--auto-approve", dir)
		require.Equal(t, exit.Errors, code)
		require.Contains(t, stderr, "differs from the fabric before the proof")
		code, _, stderr = rocec(t, "apply", lab, "--auto-approve", "--soak", "0s", dir)
		require.Equal(t, exit.Good, code, stderr)
		code, _, stderr = rocec(t, "selftest", "--level", "2", lab, dir)
		require.Equal(t, exit.Usage, code, "stdin is no terminal")
		require.Contains(t, stderr, "stdin is not a terminal")
		code, stdout, stderr := rocec(t, "selftest", "--level", "2", lab, "--auto-approve", dir)
		require.Equal(t, exit.Good, code, stderr)
		require.Contains(t, stdout, "It sends three times ")
		require.Contains(t, stdout, "Marked packets 1000, notifications sent 1000, obeyed 1000.")
		require.Regexp(t, `Exposed: \d+ hosts, \d+ host-seconds`, stdout)
		require.Contains(t, stdout, "has its former settings again")
		code, stdout, _ = rocec(t, "plan", lab, "--detailed-exitcode", dir)
		require.Equal(t, exit.Good, code, stdout)
	}
}

// rocec refuses systems that would drop packets or restart for a threshold, before it changes anything.
func TestMarksRefused(t *testing.T) {
	t.Parallel()
	setenv(t, "XDG_STATE_HOME", t.TempDir())
	setenv(t, "COLUMNS", "1000")
	for says, dir := range map[string]string{
		"drops packets beyond a threshold": "../../examples/sonic-leaf-spine",
		"RoCEv1 carries no ECN bits":       "../../examples/rack-v1-pfc",
	} {
		code, _, stderr := rocec(t, "selftest", "--level", "2", "--lab=new", "--auto-approve", dir)
		require.Equal(t, exit.Errors, code)
		require.Contains(t, stderr, says)
		require.Contains(t, stderr, "Nothing was changed")
	}
	dir, text := t.TempDir(), ""
	example, err := os.ReadFile("../../examples/rack-by-files/fabric.hcl")
	require.NoError(t, err)
	for line := range strings.Lines(strings.NewReplacer("5.3.1", "3.7.16", "sn3700", "sn2700").Replace(string(example))) {
		if !strings.Contains(line, `"files"`) {
			text += line
		}
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "fabric.hcl"), []byte(text), 0o600))
	lab := "--lab=" + filepath.Join(t.TempDir(), "lab")
	code, _, stderr := rocec(t, "apply", lab, "--auto-approve", "--soak", "0s", dir)
	require.Equal(t, exit.Good, code, stderr)
	code, _, stderr = rocec(t, "selftest", "--level", "2", lab, "--auto-approve", dir)
	require.Equal(t, exit.Errors, code)
	require.Contains(t, stderr, "would interrupt traffic: every port resets (switchd restart). Nothing was changed.")
}

// TestMarksConsent: without bench = true a person types the name of the switch, and no flag takes its place.
func TestMarksConsent(t *testing.T) {
	t.Parallel()
	setenv(t, "COLUMNS", "1000")
	dir, devices := standingAs(t, "rack-by-files", 6)
	code, _, stderr := rocec(t, "apply", "--auto-approve", "--soak", "0s", "--accept-unverified", dir)
	require.Equal(t, exit.Good, code, stderr)
	writes := len(devices.Device("tor1").Writes())
	code, _, stderr = rocec(t, "selftest", "--level", "2", "--auto-approve", dir)
	require.Equal(t, exit.Errors, code)
	require.Contains(t, stderr, "documented-only")
	name := filepath.Join(dir, "fabric.hcl")
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	accepted := strings.Replace(string(text), "  names   = \"tor1\"", "  accept_documented = true\n  names   = \"tor1\"", 1)
	require.NoError(t, os.WriteFile(name, []byte(accepted), 0o600))
	code, _, stderr = rocec(t, "selftest", "--level", "2", "--auto-approve", dir)
	require.Equal(t, exit.Usage, code)
	require.Contains(t, stderr, "--auto-approve is for a fabric with bench = true")
	require.Len(t, devices.Device("tor1").Writes(), writes)

	// rocec detects other traffic in the queue before it changes anything.
	require.NoError(t, os.WriteFile(name, []byte(strings.Replace(accepted, "{\n", "{\n  bench = true\n", 1)), 0o600))
	store := devices.Device("store6")
	stop, stopped := make(chan bool), make(chan bool)
	go func() {
		defer close(stopped)
		for n := uint64(1); ; n++ {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
				store.SetCounter("ens1f0", "rx_prio3_packets", n)
			}
		}
	}()
	code, _, stderr = rocec(t, "selftest", "--level", "2", "--auto-approve", dir)
	close(stop)
	<-stopped
	require.Equal(t, exit.Errors, code)
	require.Contains(t, stderr, "of others passed the queue in 3 seconds. Nothing was changed.")
	require.Len(t, devices.Device("tor1").Writes(), writes)
}

// TestSelftestBench: level 3 makes the trials of every switch, and says what it cannot decide. It needs a bench.
func TestSelftestBench(t *testing.T) {
	t.Parallel()
	setenv(t, "XDG_STATE_HOME", t.TempDir())
	setenv(t, "COLUMNS", "1000")
	const dir = "../../examples/rack-by-files"
	lab := "--lab=" + filepath.Join(t.TempDir(), "lab")
	code, _, stderr := rocec(t, "apply", lab, "--auto-approve", "--soak", "0s", dir)
	require.Equal(t, exit.Good, code, stderr)
	saved := filepath.Join(t.TempDir(), "report.txt")
	code, stdout, stderr := rocec(t, "selftest", "--level", "3", lab, "--auto-approve", "--out", saved, dir)
	require.Equal(t, exit.Good, code, stderr)
	require.Contains(t, stdout, "tor1: write-control-stored: holds")
	require.Contains(t, stdout, "tor1: traffic-pauses: not decided. The switch shows no counter of dropped packets of the lossless priority.")
	require.Contains(t, stdout, "tor1:swp6 marks, store6 notifies, and store1 slows down.")
	require.Contains(t, stdout, "--- traffic-marks\nsays:    The switch marks while the threshold of a queue is low")
	require.Contains(t, stdout, "  @ lossless class, before\n  | cable swp1 = device-2 ens1f0\n  | device-2 ens1f0 priority 0 paused = 0\n")
	code, stdout, stderr = rocec(t, "selftest", "--judge", saved)
	require.Equal(t, exit.Good, code, stdout+stderr)

	real, _ := standingAs(t, "rack-by-files", 6)
	code, _, stderr = rocec(t, "selftest", "--level", "3", "--auto-approve", real)
	require.Equal(t, exit.Usage, code)
	require.Contains(t, stderr, "level 3 is for a fabric with bench = true. Nothing was changed.")
}

// TestWriteConsent: level 1 changes nothing before the same yes as level 2, and refuses what apply would refuse.
func TestWriteConsent(t *testing.T) {
	t.Parallel()
	setenv(t, "COLUMNS", "1000")
	dir, devices := standingAs(t, "rack-by-files", 6)
	writes := len(devices.Device("tor1").Writes())
	code, _, stderr := rocec(t, "selftest", "--level", "1", "--target", "tor1", "--auto-approve", dir)
	require.Equal(t, exit.Errors, code)
	require.Contains(t, stderr, "documented-only")
	name := filepath.Join(dir, "fabric.hcl")
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	accepted := strings.Replace(string(text), "  names   = \"tor1\"", "  accept_documented = true\n  names   = \"tor1\"", 1)
	require.NoError(t, os.WriteFile(name, []byte(accepted), 0o600))
	code, _, stderr = rocec(t, "selftest", "--level", "1", "--target", "tor1", "--auto-approve", dir)
	require.Equal(t, exit.Usage, code)
	require.Contains(t, stderr, "--auto-approve is for a fabric with bench = true: in others a person must type the name of the switch")
	code, _, stderr = rocec(t, "selftest", "--level", "1", "--target", "tor1", dir)
	require.Equal(t, exit.Usage, code)
	require.Contains(t, stderr, "stdin is not a terminal")
	code, _, stderr = rocec(t, "selftest", "--level", "1", "--target", "store1", "--auto-approve", dir)
	require.Equal(t, exit.Errors, code, "its switch has other settings")
	require.Contains(t, stderr, "error[lossy-mixture]")
	require.Len(t, devices.Device("tor1").Writes(), writes)
}

// TestMarksKilled: whenever rocec dies, the switch restores its earlier bytes without it.
func TestMarksKilled(t *testing.T) {
	t.Parallel()
	tool, err := exec.LookPath("rocec")
	require.NoError(t, err)
	dir, devices := standingAs(t, "rack-by-files", 6)
	name := filepath.Join(dir, "fabric.hcl")
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	bench := strings.Replace(string(text), "{\n", "{\n  bench = true\n", 1)
	bench = strings.Replace(bench, "  version = \"5.3.1\"", "  accept_documented = true\n  version = \"5.3.1\"", 1)
	require.NoError(t, os.WriteFile(name, []byte(bench), 0o600))
	code, _, stderr := rocec(t, "apply", "--auto-approve", "--soak", "0s", "--accept-unverified", dir)
	require.Equal(t, exit.Good, code, stderr)
	tor := devices.Device("tor1")
	const features = "/etc/cumulus/datapath/qos/qos_features.conf"
	before, err := tor.ReadFile(features)
	require.NoError(t, err)
	changed := 0
	for step := 1; ; step++ {
		from := len(tor.Commands())
		ctx, cancel := context.WithCancel(t.Context())
		cmd := exec.CommandContext(ctx, tool, "selftest", "--level", "2", "--auto-approve", dir)
		cmd.Env = []string{"HOME=" + getenv(t, "HOME"), "XDG_STATE_HOME=" + getenv(t, "XDG_STATE_HOME")}
		out := &strings.Builder{}
		cmd.Stdout, cmd.Stderr = out, out
		require.NoError(t, cmd.Start())
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		ended := false
		for !ended && len(tor.Commands()) < from+step {
			select {
			case err = <-done:
				ended = true
			case <-time.After(time.Millisecond):
			}
		}
		cancel()
		if !ended {
			<-done
			for ran := -1; ran != len(tor.Programs()); time.Sleep(200 * time.Millisecond) { // a running command ends first
				ran = len(tor.Programs())
			}
		}
		if now, err := tor.ReadFile(features); err == nil && string(now) != string(before) {
			changed++
		}
		require.Eventually(t, func() bool {
			tor.Elapse()
			now, err := tor.ReadFile(features)
			return err == nil && string(now) == string(before)
		}, time.Minute, 10*time.Millisecond, "killed at command %d: %s", step, out)
		if ended {
			require.NoError(t, err, out.String())
			break
		}
		const nameless = "[ -d /var/lib/rocec/lock ] && ! [ -s /var/lib/rocec/lock/owner ]"
		if _, _, status := tor.Run(t.Context(), "root", nameless, ""); status == 0 { // it died before it wrote its name into its lock
			code, stdout, stderr := rocec(t, "resume", "--abandon", "-C", dir, "--auto-approve", "tor1")
			require.Equal(t, exit.Good, code, stdout+stderr)
		}
		said := ""
		require.Eventually(t, func() bool { // the switch undoes a started change without rocec, and resume releases its lock
			tor.Elapse()
			code, stdout, stderr := rocec(t, "resume", "last")
			require.Contains(t, []int{exit.Good, exit.Incomplete, exit.Usage}, code, stdout+stderr)
			code, stdout, stderr = rocec(t, "plan", "--detailed-exitcode", dir)
			said = stdout + stderr
			return code == exit.Good && !strings.Contains(said, " locked by ")
		}, time.Minute, 100*time.Millisecond, "killed at command %d: %s", step, &said)
	}
	require.Positive(t, changed, "no kill came while the threshold was low")
}
