package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/deploy/lab"
)

// standing is a rack of lab devices that outlives single runs of rocec. It is reached like real devices: the fabric's ssh blocks have
// addresses, ports and host key pins, and ~/.ssh has the key.
func standing(t *testing.T) (dir string, devices *lab.Lab) {
	t.Helper()
	return standingAs(t, "rack-v1-pfc", 5)
}

// standingAs is standing for another example of one rack, with a given number of hosts.
func standingAs(t *testing.T, name string, hosts int) (dir string, devices *lab.Lab) {
	t.Helper()
	example, err := os.ReadFile("../../examples/" + name + "/fabric.hcl")
	require.NoError(t, err)
	var stores []string
	for i := range hosts {
		stores = append(stores, fmt.Sprint("store", i+1))
	}
	return standingOf(t, string(example), map[string][]string{
		`ssh { address = "192.0.2.1" }`: {"tor1"}, `ssh { address = "192.0.2.${self.index + 101}" }`: stores,
	})
}

// standingOf is standing for a fabric. logins are its ssh blocks, each with its devices.
func standingOf(t *testing.T, hcl string, logins map[string][]string) (dir string, devices *lab.Lab) {
	t.Helper()
	dir, home := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "fabric.hcl"), []byte(hcl), 0o644))
	a := newApp(&person.Person{Getenv: func(string) string { return "" }})
	f, err := a.Load(dir)
	require.NoError(t, err)
	require.False(t, f.Diags.HasErrors(), "%v", f.Diags)
	devices, err = lab.Start(f.Tree())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, devices.Close()) })

	for block, names := range logins {
		var ports, keys []string
		for _, n := range names {
			l, err := devices.Listen(n)
			require.NoError(t, err)
			ports, keys = append(ports, fmt.Sprint(l.Port)), append(keys, fmt.Sprintf("%q", l.HostKey))
		}
		hcl = strings.Replace(hcl, block, fmt.Sprintf(
			"ssh {\n    address = \"127.0.0.1\"\n    user = %q\n    port = [%s][self.index]\n    host_key = [%s][self.index]\n  }",
			devices.Login(names[0]).User, strings.Join(ports, ", "), strings.Join(keys, ", ")), 1)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "fabric.hcl"), []byte(hcl), 0o644))
	require.NoError(t, os.Mkdir(filepath.Join(home, ".ssh"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(home, ".ssh", "id_ed25519"), devices.Key(), 0o600))
	setenv(t, "HOME", home)
	setenv(t, "XDG_STATE_HOME", filepath.Join(home, "state"))
	return dir, devices
}

const trafficConf = "/etc/cumulus/datapath/traffic.conf"

// The test runs the commands on a fabric from the first plan on, and checks each exit status.
func TestDevices(t *testing.T) {
	t.Parallel()
	machinetest.Long(t)
	setenv(t, "COLUMNS", "1000") // the test searches for whole sentences
	dir, devices := standing(t)
	want := func(code int, args ...string) (stdout string) {
		t.Helper()
		got, stdout, stderr := rocec(t, args...)
		require.Equal(t, code, got, "%s\n%s\n%s", args, stdout, stderr)
		return stdout + stderr
	}
	saved := filepath.Join(t.TempDir(), "week12.plan")

	// plan shows and saves a plan, and changes nothing
	before, err := devices.Device("tor1").ReadFile(trafficConf)
	require.NoError(t, err)
	want(exit.Changes, "plan", "--detailed-exitcode", "--out", saved, dir)
	after, err := devices.Device("tor1").ReadFile(trafficConf)
	require.NoError(t, err)
	require.Equal(t, string(before), string(after))
	info, err := os.Stat(saved)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	// apply runs the plan; then nothing is left to do, and the plan cannot run again
	require.Contains(t, want(exit.Usage, "apply", "--plan", saved, "../../examples/rack-v1-pfc"), "rocec apply --plan "+saved+" "+dir)
	require.Contains(t, want(exit.Usage, "apply", "--plan", saved, dir), "--auto-approve", "a saved plan asks like any other apply")
	require.Contains(t, want(exit.Good, "apply", "--plan", saved, "--auto-approve", "--soak", "0s", dir), "6 applied")
	require.Contains(t, want(exit.Good, "plan", "--detailed-exitcode", dir), "No changes")
	require.Contains(t, want(exit.Good, "apply", "--plan", saved, "--auto-approve", "-C", dir), "No changes")
	require.Contains(t, want(exit.Good, "verify", dir), "Verify: good")
	require.Contains(t, want(exit.Good, "apply", "--auto-approve", "--soak", "0s", dir), "No changes")

	// another person edits a switch: verify reports the drift by key, and a plan restores it without touching the rest
	conf, err := devices.Device("tor1").ReadFile(trafficConf)
	require.NoError(t, err)
	edited := strings.Replace(string(conf), "pfc.roce_pfc.rx_enable = true", "pfc.roce_pfc.rx_enable = false", 1) + "sflow.rate.swp1 = 4096\n"
	require.NotEqual(t, string(conf), edited)
	devices.Device("tor1").WriteFile(trafficConf, []byte(edited), 0o644)
	require.Contains(t, want(exit.Errors, "verify", dir), "pfc.roce_pfc.rx_enable")
	want(exit.Changes, "plan", "--detailed-exitcode", "--out", saved, dir)

	// a saved plan that no longer fits is refused before any write
	devices.Device("tor1").WriteFile(trafficConf, []byte(edited+"# later\n"), 0o644)
	require.Contains(t, want(exit.Machines, "apply", "--plan", saved, "--auto-approve", dir), "changed on the device")
	now, err := devices.Device("tor1").ReadFile(trafficConf)
	require.NoError(t, err)
	require.Equal(t, edited+"# later\n", string(now))
	require.Contains(t, want(exit.Good, "apply", "--auto-approve", "--soak", "0s", dir), "1 applied")
	now, err = devices.Device("tor1").ReadFile(trafficConf)
	require.NoError(t, err)
	require.Contains(t, string(now), "pfc.roce_pfc.rx_enable = true")
	require.Contains(t, string(now), "sflow.rate.swp1 = 4096")

	// a plan file with one byte changed is not a plan
	data, err := os.ReadFile(saved)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(saved, []byte(strings.Replace(string(data), "tor1", "tor2", 1)), 0o600))
	want(exit.Usage, "apply", "--plan", saved, "--auto-approve", dir)

	// on a full disk apply changes nothing, and the status shows that
	devices.Device("tor1").WriteFile(trafficConf, []byte(edited), 0o644)
	devices.Device("tor1").FailWrites()
	writes := devices.Device("tor1").Writes()
	want(exit.Changes, "plan", "--detailed-exitcode", dir)
	require.Equal(t, writes, devices.Device("tor1").Writes(), "a plan does not try to write")
	require.Contains(t, want(exit.Machines, "apply", "--auto-approve", "--soak", "0s", dir), "no space left")
}

// apply does not change a device that another run has locked.
func TestDeviceLocked(t *testing.T) {
	t.Parallel()
	dir, devices := standing(t)
	devices.Device("tor1").WriteFile("/var/lib/rocec/lock/owner",
		[]byte("txn 20260101t000000z-abcd\nowner alice@ws7, process 1\nsince 2026-01-01T00:00:00Z\n"), 0o644)
	code, stdout, stderr := rocec(t, "apply", "--auto-approve", "--target", "tor1", dir)
	require.Equal(t, exit.Locked, code, "%s\n%s", stdout, stderr)
	require.Contains(t, stdout+stderr, "alice@ws7")
}

// The result names an unreachable device at the line that declares it. The other devices continue.
func TestDeviceUnreachable(t *testing.T) {
	t.Parallel()
	machinetest.Long(t)
	dir, devices := standing(t)
	hcl, err := os.ReadFile(filepath.Join(dir, "fabric.hcl"))
	require.NoError(t, err)
	dead := regexp.MustCompile(`port = \[\d+\]\[self.index\]`).ReplaceAllString(string(hcl), "port = 1") // the only element of its list
	require.NotEqual(t, string(hcl), dead)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "fabric.hcl"), []byte(dead), 0o644))
	code, stdout, _ := rocec(t, "plan", dir)
	require.Equal(t, exit.Machines, code)
	require.Contains(t, stdout, "tor1  UNREACHABLE")
	require.Contains(t, stdout, "declared at "+filepath.Join(dir, "fabric.hcl")+":")
	require.Contains(t, stdout, "Plan: 5 devices to change, 0 up to date, 1 unreachable")

	// apply would leave PFC at one end of its links, so it requires --max-failures
	code, _, stderr := rocec(t, "apply", "--auto-approve", "--soak", "0s", dir)
	require.Equal(t, exit.Machines, code)
	require.Contains(t, stderr, "--max-failures 1")
	require.Empty(t, devices.Device("store1").Writes())
	code, stdout, _ = rocec(t, "apply", "--auto-approve", "--soak", "0s", "--max-failures", "1", dir)
	require.Equal(t, exit.Incomplete, code)
	require.Contains(t, stdout, "5 applied, 1 refused")
}

// A host key that differs from the pinned one ends the run. No flag permits it.
func TestDeviceHostKey(t *testing.T) {
	t.Parallel()
	dir, devices := standing(t)
	hcl, err := os.ReadFile(filepath.Join(dir, "fabric.hcl"))
	require.NoError(t, err)
	swapped := strings.Replace(string(hcl), devices.Login("tor1").HostKey, devices.Login("store1").HostKey, 1)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "fabric.hcl"), []byte(swapped), 0o644))
	code, stdout, _ := rocec(t, "apply", "--auto-approve", "--target", "tor1", dir)
	require.Equal(t, exit.Machines, code)
	require.Contains(t, stdout, "host key")
}

// A reinstalled device is refused with an alarm until a person confirms its new key. Then it is configured like any other.
func TestDeviceReplaced(t *testing.T) {
	t.Parallel()
	setenv(t, "COLUMNS", "1000") // the test searches for whole sentences
	dir, devices := standing(t)
	fabric := filepath.Join(dir, "fabric.hcl")
	hcl, err := os.ReadFile(fabric)
	require.NoError(t, err)
	unpinned := strings.Replace(string(hcl), fmt.Sprintf("host_key = [%q][self.index]", devices.Login("tor1").HostKey), "", 1)
	require.NotEqual(t, string(hcl), unpinned)
	require.NoError(t, os.WriteFile(fabric, []byte(unpinned), 0o644))
	known := filepath.Join(getenv(t, "HOME"), ".ssh", "known_hosts")
	port := regexp.MustCompile(`port = \[(\d+)\]\[self.index\]`).FindStringSubmatch(unpinned)[1]
	const other = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f"
	old := "elsewhere " + other + "\n[127.0.0.1]:" + port + " " + other + "\n# a comment\n"
	require.NoError(t, os.WriteFile(known, []byte(old), 0o600))

	code, stdout, _ := rocec(t, "plan", "--target", "tor1", dir)
	require.Equal(t, exit.Machines, code, stdout)
	require.Contains(t, stdout, "tor1  REFUSED")
	require.Contains(t, stdout, "has changed")

	code, stdout, stderr := rocec(t, "apply", "-C", dir, "--auto-approve", "--replace", "tor1")
	require.Equal(t, exit.Usage, code, stdout)
	require.Contains(t, stdout, "on file is ssh-ed25519")
	require.Contains(t, stderr, "--auto-approve does not trust a new host key")
	code, _, _ = rocec(t, "apply", "--replace", "tor1", "-C", dir, "--auto-approve", "--host-key", "SHA256:no")
	require.Equal(t, exit.Machines, code)
	now, err := os.ReadFile(known)
	require.NoError(t, err)
	require.Equal(t, old, string(now))

	code, stdout, stderr = rocec(t, "apply", "--replace", "tor1", "-C", dir, "--auto-approve", "--soak", "0s",
		"--host-key", devices.Login("tor1").HostKey)
	require.Equal(t, exit.Good, code, "%s\n%s", stdout, stderr)
	require.Contains(t, stdout, "1 applied")
	now, err = os.ReadFile(known)
	require.NoError(t, err)
	require.Regexp(t, `^elsewhere \S+ \S+\n# a comment\n\[127\.0\.0\.1\]:\d+ ssh-ed25519 \S+\n$`, string(now))
	kept, err := os.ReadFile(known + ".old")
	require.NoError(t, err)
	require.Equal(t, old, string(kept))
	code, stdout, _ = rocec(t, "plan", "--target", "tor1", dir)
	require.Equal(t, exit.Good, code)
	require.Contains(t, stdout, "No changes")

	// a pin belongs to the fabric
	pinned := strings.Replace(string(hcl), devices.Login("tor1").HostKey, devices.Login("store1").HostKey, 1)
	require.NoError(t, os.WriteFile(fabric, []byte(pinned), 0o644))
	code, _, stderr = rocec(t, "apply", "-C", dir, "--auto-approve", "--replace", "tor1")
	require.Equal(t, exit.Errors, code)
	require.Contains(t, stderr, "host_key = \""+devices.Login("tor1").HostKey)
}
