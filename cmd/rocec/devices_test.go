package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/deploy/lab"
)

// standing is a rack of lab devices that outlives single runs of rocec, reached as a person's devices are: addresses,
// ports and host key pins in the fabric's ssh blocks, the key in ~/.ssh.
func standing(t *testing.T) (dir string, devices *lab.Lab) {
	t.Helper()
	example, err := os.ReadFile("../../examples/rack-v1-pfc/fabric.hcl")
	require.NoError(t, err)
	a := &app{person: &person{getenv: func(string) string { return "" }}, maxObjects: 1000, budget: defaultBudget}
	f, err := a.load("../../examples/rack-v1-pfc")
	require.NoError(t, err)
	require.False(t, f.Diags.HasErrors())
	devices, err = lab.Start(f.Tree())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, devices.Close()) })

	block := func(names ...string) string {
		var ports, keys []string
		for _, n := range names {
			l := devices.Login(n)
			ports, keys = append(ports, fmt.Sprint(l.Port)), append(keys, fmt.Sprintf("%q", l.HostKey))
		}
		return fmt.Sprintf("ssh {\n    address = \"127.0.0.1\"\n    user = %q\n    port = [%s][self.index]\n    host_key = [%s][self.index]\n  }",
			devices.Login(names[0]).User, strings.Join(ports, ", "), strings.Join(keys, ", "))
	}
	hcl := strings.Replace(string(example), `ssh { address = "192.0.2.1" }`, block("tor1"), 1)
	hcl = strings.Replace(hcl, `ssh { address = "192.0.2.${self.index + 101}" }`, block("store1", "store2", "store3", "store4", "store5"), 1)
	dir, home := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "fabric.hcl"), []byte(hcl), 0o644))
	require.NoError(t, os.Mkdir(filepath.Join(home, ".ssh"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(home, ".ssh", "id_ed25519"), devices.Key(), 0o600))
	t.Setenv("HOME", home)
	return dir, devices
}

const trafficConf = "/etc/cumulus/datapath/traffic.conf"

// The life of a fabric, and the exit status of each command.
func TestDevices(t *testing.T) {
	dir, devices := standing(t)
	want := func(code int, args ...string) (stdout string) {
		t.Helper()
		got, stdout, stderr := rocec(t, args...)
		require.Equal(t, code, got, "%s\n%s\n%s", args, stdout, stderr)
		return stdout + stderr
	}
	saved := filepath.Join(t.TempDir(), "week12.plan")

	// a plan is shown, saved and changes nothing
	before, err := devices.Device("tor1").ReadFile(trafficConf)
	require.NoError(t, err)
	want(exitChanges, "plan", "--detailed-exitcode", "--out", saved, dir)
	after, err := devices.Device("tor1").ReadFile(trafficConf)
	require.NoError(t, err)
	require.Equal(t, string(before), string(after))
	info, err := os.Stat(saved)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	// it is applied, and then there is nothing left to do, not even for the plan itself
	require.Contains(t, want(exitGood, "apply", "--plan", saved), "6 applied")
	require.Contains(t, want(exitGood, "plan", "--detailed-exitcode", dir), "No changes")
	require.Contains(t, want(exitGood, "apply", "--plan", saved), "No changes")
	require.Contains(t, want(exitGood, "verify", dir), "Verify: good")
	require.Contains(t, want(exitGood, "apply", "--auto-approve", dir), "No changes")

	// somebody edits a switch: verify says what drifted, by key, and a plan brings it back without touching the rest
	conf, err := devices.Device("tor1").ReadFile(trafficConf)
	require.NoError(t, err)
	edited := strings.Replace(string(conf), "pfc.roce_pfc.rx_enable = true", "pfc.roce_pfc.rx_enable = false", 1) + "sflow.rate.swp1 = 4096\n"
	require.NotEqual(t, string(conf), edited)
	devices.Device("tor1").WriteFile(trafficConf, []byte(edited), 0o644)
	require.Contains(t, want(exitErrors, "verify", dir), "pfc.roce_pfc.rx_enable")
	want(exitChanges, "plan", "--detailed-exitcode", "--out", saved, dir)

	// a saved plan that no longer fits is refused before anything is written
	devices.Device("tor1").WriteFile(trafficConf, []byte(edited+"# later\n"), 0o644)
	require.Contains(t, want(exitMachines, "apply", "--plan", saved), "changed on the device")
	now, err := devices.Device("tor1").ReadFile(trafficConf)
	require.NoError(t, err)
	require.Equal(t, edited+"# later\n", string(now))
	require.Contains(t, want(exitGood, "apply", "--auto-approve", dir), "1 applied")
	now, err = devices.Device("tor1").ReadFile(trafficConf)
	require.NoError(t, err)
	require.Contains(t, string(now), "pfc.roce_pfc.rx_enable = true")
	require.Contains(t, string(now), "sflow.rate.swp1 = 4096")

	// a plan file with one byte changed is no plan
	data, err := os.ReadFile(saved)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(saved, []byte(strings.Replace(string(data), "tor1", "tor2", 1)), 0o600))
	want(exitUsage, "apply", "--plan", saved)

	// a disk that takes no writes: nothing is changed, and that is what the status says
	devices.Device("tor1").WriteFile(trafficConf, []byte(edited), 0o644)
	devices.Device("tor1").FailWrites()
	writes := devices.Device("tor1").Writes()
	want(exitChanges, "plan", "--detailed-exitcode", dir)
	require.Equal(t, writes, devices.Device("tor1").Writes(), "a plan tries to write nothing")
	require.Contains(t, want(exitMachines, "apply", "--auto-approve", dir), "refused")
}

// A device that somebody else holds is left alone.
func TestDeviceLocked(t *testing.T) {
	dir, devices := standing(t)
	devices.Device("tor1").WriteFile("/var/lib/rocec/lock/owner", []byte("txn 20260101t000000z-abcd\nowner alice@ws7, process 1\nsince 2026-01-01T00:00:00Z\n"), 0o644)
	code, stdout, stderr := rocec(t, "apply", "--auto-approve", "--target", "tor1", dir)
	require.Equal(t, exitLocked, code, "%s\n%s", stdout, stderr)
	require.Contains(t, stdout+stderr, "alice@ws7")
}

// A device that cannot be reached is in the result, at the line that declares it; the others go on.
func TestDeviceUnreachable(t *testing.T) {
	dir, devices := standing(t)
	hcl, err := os.ReadFile(filepath.Join(dir, "fabric.hcl"))
	require.NoError(t, err)
	dead := strings.Replace(string(hcl), fmt.Sprintf("port = [%d][self.index]", devices.Login("tor1").Port), "port = 1", 1)
	require.NotEqual(t, string(hcl), dead)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "fabric.hcl"), []byte(dead), 0o644))
	code, stdout, _ := rocec(t, "plan", dir)
	require.Equal(t, exitMachines, code)
	require.Contains(t, stdout, "tor1  UNREACHABLE")
	require.Contains(t, stdout, "declared at "+filepath.Join(dir, "fabric.hcl")+":")
	require.Contains(t, stdout, "Plan: 5 devices to change, 0 as wished, 1 unreachable")

	// an apply would leave PFC at one end of its links, so it wants to be told
	code, _, stderr := rocec(t, "apply", "--auto-approve", dir)
	require.Equal(t, exitMachines, code)
	require.Contains(t, stderr, "--max-failures 1")
	require.Empty(t, devices.Device("store1").Writes())
	code, stdout, _ = rocec(t, "apply", "--auto-approve", "--max-failures", "1", dir)
	require.Equal(t, exitIncomplete, code)
	require.Contains(t, stdout, "5 applied, 1 refused")
}

// A host key that is not the pinned one ends it: there is no flag against that.
func TestDeviceHostKey(t *testing.T) {
	dir, devices := standing(t)
	hcl, err := os.ReadFile(filepath.Join(dir, "fabric.hcl"))
	require.NoError(t, err)
	swapped := strings.Replace(string(hcl), devices.Login("tor1").HostKey, devices.Login("store1").HostKey, 1)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "fabric.hcl"), []byte(swapped), 0o644))
	code, stdout, _ := rocec(t, "apply", "--auto-approve", "--target", "tor1", dir)
	require.Equal(t, exitMachines, code)
	require.Contains(t, stdout, "host key")
}
