package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/deploy/lab"
)

// held returns every file and live state of a host that rocec can change, except DCBX, which only mlnx_qos returns to the firmware.
func held(t *testing.T, d *lab.Device) string {
	t.Helper()
	text, errs, status := d.Run(t.Context(), "root", `ls -d /etc/systemd/system/*.device.wants /var/lib/rocec/rocec-host 2>/dev/null
for f in /etc/rocec/host/* /usr/local/sbin/* /etc/systemd/system/* /etc/systemd/system/*.wants/* /etc/udev/rules.d/* /var/lib/rocec/rocec-host/*; do
[ ! -f "$f" ] || { echo "$f"; grep -v dcbx= "$f"; }; done
cat /sys/class/net/ens1f0/mtu /proc/net/vlan/config; ip address show
dcb -j pfc show dev ens1f0; dcb -j ets show dev ens1f0; dcb -j app show dev ens1f0; ethtool -a ens1f0`, "")
	require.Zero(t, status, errs)
	return text
}

// A NIC that leaves its intents, and a host that leaves the fabric, returns to its state before rocec, byte by byte. When it joins again,
// it gets the same settings as before.
func TestLeaving(t *testing.T) {
	t.Parallel()
	machinetest.Long(t)
	t.Run("the VLAN interface is the host's", func(t *testing.T) { testLeaving(t, "") })
	t.Run("the VLAN interface is rocec's", func(t *testing.T) {
		testLeaving(t, "    create_vlan = true\n    vlan_ip     = \"198.51.100.${self.index + 1}/24\"\n")
	})
}

func testLeaving(t *testing.T, nic string) {
	setenv(t, "COLUMNS", "1000")
	dir, devices := standing(t)
	file := filepath.Join(dir, "fabric.hcl")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	all := strings.Replace(string(text), "    mtu   = 9000\n", "    mtu   = 9000\n"+nic, 1)
	if nic != "" {
		require.NotEqual(t, string(text), all)
		require.NoError(t, os.WriteFile(file, []byte(all), 0o644))
		_, errs, status := devices.Device("store5").Run(t.Context(), "root", "ip link delete ens1f0.100", "")
		require.Zero(t, status, errs)
	}
	write := func(text string) { require.NoError(t, os.WriteFile(file, []byte(text), 0o644)) }
	want := func(code int, args ...string) (stdout string) {
		t.Helper()
		got, stdout, stderr := rocec(t, args...)
		require.Equal(t, code, got, "%s\n%s\n%s", args, stdout, stderr)
		return stdout + stderr
	}
	apply := []string{"apply", "--auto-approve", "--soak", "0s", dir}
	store5 := devices.Device("store5")
	before := held(t, store5)
	want(exit.Good, apply...)
	member := held(t, store5)
	require.NotEqual(t, before, member)

	write(strings.Replace(all, "members   = [host.store]", `members = ["store[1-4]"]`, 1))
	plan := want(exit.Good, "plan", dir)
	for _, line := range []string{
		"disrupts    ens1f0 gets back its settings from before rocec, and the link bounces when the PFC mask changes  1 device",
		"- /usr/local/sbin/rocec-host", "~ pfc        0,0,0,0,1,0,0,0 -> 0,0,0,0,0,0,0,0", "1       store5", "2       tor1",
	} {
		assert.Contains(t, plan, line, "PFC ends at the host first")
	}
	saved := filepath.Join(t.TempDir(), "p")
	want(exit.Good, "plan", "--out", saved, dir)
	want(exit.Good, "apply", "--plan", saved, "--auto-approve", "--soak", "0s", dir)
	assert.Equal(t, before, held(t, store5))
	assert.Contains(t, want(exit.Good, "plan", dir), "No changes")
	write(all)
	want(exit.Good, apply...)
	assert.Equal(t, member, held(t, store5))
}

// apply --remove resets hosts that have left the fabric. Rollback, debt and refusal work as with any change.
func TestRemove(t *testing.T) {
	t.Parallel()
	machinetest.Long(t)
	setenv(t, "COLUMNS", "1000")
	dir, devices := standing(t)
	file := filepath.Join(dir, "fabric.hcl")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	want := func(code int, args ...string) (stdout string) {
		t.Helper()
		got, stdout, stderr := rocec(t, args...)
		require.Equal(t, code, got, "%s\n%s\n%s", args, stdout, stderr)
		return stdout + stderr
	}
	remove := []string{"apply", "-C", dir, "--auto-approve", "--soak", "0s", "--remove", "store5"}
	store5 := devices.Device("store5")
	before := held(t, store5)
	want(exit.Good, "apply", "--auto-approve", "--soak", "0s", dir)
	member := held(t, store5)
	assert.Contains(t, oneLine(want(exit.Usage, remove...)), "store5 is in the fabric (")
	assert.Contains(t, want(exit.Usage, "apply", "-C", dir, "--remove", "tor1"), "tor1 is a switch of the fabric")

	less := strings.NewReplacer(`"store[1-5]"`, `"store[1-4]"`, `"store[1-5]:ens1f0"`, `"store[1-4]:ens1f0"`, "tor1:swp1-4,swp6",
		"tor1:swp1-4").Replace(string(text))
	require.NotEqual(t, string(text), less)
	require.NoError(t, os.WriteFile(file, []byte(less), 0o644))
	want(exit.Good, "apply", "--auto-approve", "--soak", "0s", dir)
	assert.Equal(t, member, held(t, store5), "the fabric does not know it")

	// Only the fabric identified the device by its host key. The host key in the journal does not count.
	port := regexp.MustCompile(`the host key of 127\.0\.0\.1:(\d+) is not known`).FindStringSubmatch(want(exit.Machines, remove...))
	require.NotEmpty(t, port)
	known := fmt.Sprintf("[127.0.0.1]:%s %s\n", port[1], publicKey(t, "127.0.0.1:"+port[1]))
	require.NoError(t, os.WriteFile(filepath.Join(getenv(t, "HOME"), ".ssh", "known_hosts"), []byte(known), 0o600))
	const owed = "pending: store5 (not in the fabric any more, and may still have settings of rocec); set back: rocec apply --remove store5"
	assert.Contains(t, want(exit.Good, "plan", dir), owed)

	// The host is away: rocec keeps the debt, and every plan shows it.
	store5.Break("sh", 127, "sh: not found")
	out := want(exit.Machines, remove...)
	assert.Contains(t, out, "pending: store5 (cannot be asked whether it still holds settings of rocec")
	assert.Contains(t, want(exit.Good, "plan", dir), owed)
	store5.Repair()

	out = want(exit.Machines, "apply", "-C", dir, "--auto-approve", "--remove", "stroe5")
	assert.Contains(t, oneLine(out), "stroe5 cannot be reached, and no run of this fabric has changed it. Check the name.")
	assert.NotContains(t, want(exit.Good, "plan", dir), "stroe5")

	out = want(exit.Good, remove...)
	assert.Contains(t, out, "ens1f0 gets back its settings from before rocec")
	assert.Equal(t, before, held(t, store5))
	assert.NotContains(t, want(exit.Good, "plan", dir), "store5")
	assert.Contains(t, want(exit.Good, remove...), "No changes")

	run := regexp.MustCompile(`rocec rollback (\S+)`).FindStringSubmatch(out)[1]
	out = want(exit.Good, "rollback", "--auto-approve", "--soak", "0s", run)
	assert.Equal(t, member, held(t, store5))
	run = regexp.MustCompile(`rocec rollback (\S+)`).FindStringSubmatch(out)[1]
	want(exit.Good, "rollback", "--auto-approve", "--soak", "0s", run)
	assert.Equal(t, before, held(t, store5), "rollback of a rollback")
	assert.Contains(t, want(exit.Good, remove...), "No changes")
	want(exit.Good, "rollback", "--auto-approve", "--soak", "0s", regexp.MustCompile(`rocec rollback (\S+)`).FindStringSubmatch(out)[1])
	want(exit.Good, remove...)
	assert.Equal(t, before, held(t, store5))
}

// A NIC with unknown earlier settings is reset to the defaults.
func TestLeavingWithoutMemory(t *testing.T) {
	t.Parallel()
	dir, devices := standing(t)
	file := filepath.Join(dir, "fabric.hcl")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	apply := []string{"apply", "--auto-approve", "--soak", "0s", dir}
	code, stdout, stderr := rocec(t, apply...)
	require.Equal(t, exit.Good, code, "%s%s", stdout, stderr)
	store5 := devices.Device("store5")
	root := func(cmd string) string {
		out, errs, status := store5.Run(t.Context(), "root", cmd, "")
		require.Zero(t, status, errs)
		return out
	}
	root("rm -r /var/lib/rocec/rocec-host")
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(text), "members   = [host.store]", `members = ["store[1-4]"]`, 1)),
		0o644))
	code, stdout, stderr = rocec(t, apply...)
	require.Equal(t, exit.Good, code, "%s%s", stdout, stderr)
	assert.Contains(t, stdout, "~ pfc")
	assert.NotContains(t, root("dcb pfc show dev ens1f0"), ":on")
	assert.NotContains(t, root("ip -d link show dev ens1f0.100"), "0:4")
}

// A rollback of the first apply deletes the interfaces that it made. A change of VLAN or address deletes the earlier interface or
// address.
func TestVLANsMadeAndLeft(t *testing.T) {
	t.Parallel()
	machinetest.Long(t)
	dir, devices := standing(t)
	file := filepath.Join(dir, "fabric.hcl")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	store5 := devices.Device("store5")
	root := func(cmd string) string {
		out, errs, status := store5.Run(t.Context(), "root", cmd, "")
		require.Zero(t, status, errs)
		return out
	}
	apply := func(vlan, net string) string {
		nic := "    mtu   = 9000\n    create_vlan = true\n    vlan_ip     = \"" + net + ".${self.index + 1}/24\"\n"
		edited := strings.Replace(strings.Replace(string(text), "    mtu   = 9000\n", nic, 1), "vlan      = 100", "vlan = "+vlan, 1)
		require.NoError(t, os.WriteFile(file, []byte(edited), 0o644))
		code, stdout, stderr := rocec(t, "apply", "--auto-approve", "--soak", "0s", dir)
		require.Equal(t, exit.Good, code, "%s%s", stdout, stderr)
		return regexp.MustCompile(`rocec rollback (\S+)`).FindStringSubmatch(stdout)[1]
	}
	for _, name := range []string{"store1", "store2", "store3", "store4", "store5"} {
		_, errs, status := devices.Device(name).Run(t.Context(), "root", "ip link delete ens1f0.100", "")
		require.Zero(t, status, errs)
	}
	before := held(t, store5)
	back := func(run string) {
		code, stdout, stderr := rocec(t, "rollback", "--auto-approve", "--soak", "0s", run)
		require.Equal(t, exit.Good, code, "%s%s", stdout, stderr)
	}
	back(apply("100", "198.51.100"))
	assert.Equal(t, before, held(t, store5))
	apply("100", "198.51.100")
	require.Contains(t, root("ip address show dev ens1f0.100"), "198.51.100.5/24")
	apply("100", "192.0.2")
	assert.NotContains(t, root("ip address show dev ens1f0.100"), "198.51.100.5", "the earlier address")
	other := apply("200", "192.0.2")
	assert.Contains(t, root("ip address show dev ens1f0.200"), "192.0.2.5/24")
	assert.NotContains(t, root("cat /proc/net/vlan/config"), "ens1f0.100", "the interface of the other VLAN")
	back(other)
	assert.NotContains(t, root("cat /proc/net/vlan/config"), "ens1f0.200")
	assert.Contains(t, root("ip address show dev ens1f0.100"), "192.0.2.5/24")
}
