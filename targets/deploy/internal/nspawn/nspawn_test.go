//go:build linux

package nspawn

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// login runs a script on a device over OpenSSH, whose host key is pinned.
func login(ctx context.Context, d *Device, user, script string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "ssh", "-F", "none", "-i", d.Key.Path, "-o", "IdentitiesOnly=yes", "-o", "BatchMode=yes",
		"-o", "UserKnownHostsFile="+d.Known, "-o", "StrictHostKeyChecking=yes", "-o", "ConnectTimeout=600", user+"@"+d.Addr, script)
	cmd.WaitDelay = time.Second
	return cmd
}

// execute runs a script on the device, without SSH, and returns its output.
func execute(t *testing.T, d *Device, script string) string {
	t.Helper()
	out, err := d.Exec(script)
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}

const traffic = "/etc/cumulus/datapath/traffic.conf"

// loaded reports whether switchd uses the current file.
func loaded(t *testing.T, d *Device) bool {
	t.Helper()
	file, err := d.ReadFile(traffic)
	require.NoError(t, err)
	sum, err := d.ReadFile("/run/switchd/loaded")
	require.NoError(t, err)
	return strings.TrimSpace(string(sum)) == fmt.Sprintf("%x", sha256.Sum256(file))
}

// hostOptions contains the options of a host with one NIC and rocec's unit for it, whose script enables PFC.
func hostOptions(t *testing.T) Options {
	unit, err := os.ReadFile("../../../nic/steps/tool@.service")
	require.NoError(t, err)
	return Options{Ports: []Port{{Name: "ens1f0", MTU: 9000}}, Files: map[string]string{
		"/etc/systemd/system/rocec-host@.service": strings.ReplaceAll(string(unit), "TOOL", "rocec-host"),
		"/usr/local/sbin/rocec-host":              "#!/bin/sh\ndcb pfc set dev \"$2\" prio-pfc 3:on\n",
	}}
}

// Every kind boots completely, lets its user log in, and boots again after a reboot.
func TestKinds(t *testing.T) {
	t.Parallel()
	Image(t)
	for _, k := range kinds {
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			o := Options{Name: "dev01"}
			if k == Host {
				o = hostOptions(t)
				o.Name = "dev01"
			}
			begin := time.Now()
			d := Start(t, k, o)
			t.Logf("booted in %s", time.Since(begin).Round(time.Millisecond))

			for _, user := range []string{d.User, "root"} {
				const script = `sudo -n id -u; hostname; systemctl is-system-running; . /etc/os-release; echo "$NAME $VERSION_ID"`
				out, err := login(t.Context(), d, user, script).CombinedOutput()
				require.NoError(t, err, "%s", out)
				assert.Equal(t, "0\ndev01\nrunning\n"+k.OS+"\n", string(out))
			}
			check := func() {
				switch k {
				case Host:
					assert.Equal(t, "../../../../../bus/pci/drivers/mlx5_core", execute(t, d, "readlink /sys/class/net/ens1f0/device/driver"))
					assert.Equal(t, "9000", execute(t, d, "cat /sys/class/net/ens1f0/mtu"))
					assert.Contains(t, execute(t, d, "ethtool -a ens1f0"), "RX:\t\ton")
				default:
					assert.True(t, loaded(t, d))
					assert.Equal(t, "mlx", execute(t, d, "ls /usr/lib/python2.7/dist-packages/cumulus/__chip_config"))
				}
			}
			check()
			if k == Host {
				assert.Contains(t, execute(t, d, "dcb pfc show dev ens1f0"), "3:off")
				execute(t, d, "systemctl enable --now rocec-host@ens1f0.service")
				assert.Contains(t, execute(t, d, "dcb pfc show dev ens1f0"), "3:on")
			}
			begin = time.Now()
			require.NoError(t, d.Reboot().Fired())
			t.Logf("rebooted in %s", time.Since(begin).Round(time.Millisecond))
			check()
			if k == Host { // the NIC has forgotten its settings, and the unit of its device has set them again
				require.NoError(t, patience(func() error {
					if out := execute(t, d, "dcb pfc show dev ens1f0; cat /run/nics/log"); !strings.Contains(out, "3:on") {
						return fmt.Errorf("%s", out)
					}
					return nil
				}))
				assert.Equal(t, "ens1f0 pfc 08, link bounced", execute(t, d, "cat /run/nics/log"))
			}
		})
	}
}

// TestSwitchd: a switch loads a file at a restart, or after a write to the reload node.
func TestSwitchd(t *testing.T) {
	t.Parallel()
	for k, load := range map[*Kind]string{
		Switch37: "systemctl restart switchd.service",
		Switch43: "echo 1 >/cumulus/switchd/config/traffic/reload",
	} {
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			d := Start(t, k, Options{Files: map[string]string{traffic: "a = 1\n"}})
			isLoaded := func() error {
				if !loaded(t, d) {
					return errors.New("not loaded")
				}
				return nil
			}
			require.NoError(t, isLoaded())
			require.NoError(t, d.WriteFile(traffic, []byte("a = 2\n")))
			require.False(t, loaded(t, d))
			execute(t, d, load)
			require.NoError(t, patience(isLoaded))

			delay := d.Slowed(2 * time.Second)
			require.NoError(t, d.Turn("load-delay", fmt.Sprint(delay.Seconds())))
			require.NoError(t, d.WriteFile(traffic, []byte("a = 3\n")))
			begin := time.Now()
			execute(t, d, load)
			if k == Switch37 { // a restart waits until the file is loaded, a reload does not
				assert.True(t, loaded(t, d))
				assert.GreaterOrEqual(t, time.Since(begin), delay)
			} else {
				assert.False(t, loaded(t, d))
				require.NoError(t, patience(isLoaded))
				execute(t, d, "systemctl stop switchd.service")
				_, err := d.Exec(load)
				require.Error(t, err, "without the daemon there is no node")
				assert.Contains(t, execute(t, d, "cl-consistency-check --datapath-syntax-check -t "+traffic), "No errors detected")
			}
		})
	}
}

// The programs of Debian 8 lack features of current programs.
func TestJessie(t *testing.T) {
	t.Parallel()
	const script = "sync /etc/hostname; echo $?; systemd-run --quiet --on-active=1h --unit=rocec-undo-1 true; echo $?; sync; echo $?"
	for k, want := range map[*Kind]string{
		Switch37: "sync: ignoring all arguments\n0\nsystemd-run: unrecognized option '--on-active'\n1\n0\n",
		Switch43: "0\n0\n0\n",
	} {
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			out, err := login(t.Context(), Start(t, k, Options{}), "root", "exec 2>&1; "+script).Output()
			require.NoError(t, err)
			assert.Equal(t, want, string(out))
		})
	}
}

// Several devices run at the same time, each with its own name, address, keys and disk.
func TestFleet(t *testing.T) {
	t.Parallel()
	Image(t)
	begin := time.Now()
	fleet := Fleet(t, Switch43, make([]Options, 4))
	t.Logf("4 devices booted in %s", time.Since(begin).Round(time.Millisecond))
	seen := make(map[string]bool)
	for i, d := range fleet {
		require.NoError(t, d.WriteFile("/etc/number", fmt.Appendln(nil, i)))
		seen[d.Name], seen[d.Addr], seen[d.HostKey.Fingerprint] = true, true, true
	}
	require.Len(t, seen, 3*len(fleet))
	for i, d := range fleet {
		out, err := login(t.Context(), d, d.User, "cat /etc/number").Output()
		require.NoError(t, err)
		assert.Equal(t, fmt.Sprintln(i), string(out))
	}
}

// TestMissing: where devices cannot be booted, tests name the missing part. They fail in CI, and are skipped elsewhere.
func TestMissing(t *testing.T) {
	t.Parallel()
	Image(t)
	for ci, ends := range map[string]string{"true": "--- FAIL: TestFleet", "": "--- SKIP: TestFleet"} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestFleet$", "-test.v")
		cmd.Env = append(os.Environ(), "CI="+ci, "ROCEC_TEST=", "PATH=/nowhere")
		out, err := cmd.CombinedOutput()
		require.Equal(t, ci != "", err != nil, "%s", out)
		assert.Contains(t, string(out), ends)
		assert.Contains(t, string(out), "devices cannot be booted here: systemd-nspawn is missing: apt-get install systemd-container")
	}
}

// A killed test leaves no process, no cable and no disk in use. The next test removes the folders of its slot.
func TestKilled(t *testing.T) {
	const child = "NSPAWN_TEST_CHILD"
	if os.Getenv(child) != "" {
		d := Start(t, Switch37, Options{})
		fmt.Printf("slot %d\n", d.slot.n)
		select {}
	}
	t.Parallel()
	Image(t)
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
	cmd.Env = append(os.Environ(), child+"=1")
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	s := &slot{}
	lines := bufio.NewScanner(stdout)
	for s.n == 0 && lines.Scan() {
		_, _ = fmt.Sscanf(lines.Text(), "slot %d", &s.n) // other lines belong to the test itself
	}
	require.NotZero(t, s.n)
	d := &Device{slot: s}
	require.NotEmpty(t, d.loop())
	require.NoError(t, cmd.Process.Kill())
	require.Error(t, cmd.Wait())
	require.NoError(t, patience(func() error {
		if d.loop() != "" {
			return fmt.Errorf("the disk is in use")
		}
		if _, err := os.Stat("/sys/class/net/" + s.link()); err == nil {
			return fmt.Errorf("the cable is there")
		}
		for _, dir := range cgroups() {
			out, err := exec.Command("find", filepath.Join(dir, s.cgroup()), "-name", "cgroup.procs", "-exec", "cat", "{}", "+").Output()
			if len(bytes.TrimSpace(out)) > 0 {
				return fmt.Errorf("processes are left: %s %v", out, err)
			}
		}
		return nil
	}))
	if err := s.take(); errors.Is(err, syscall.EWOULDBLOCK) {
		return // another test has the slot, and has removed the leftovers
	}
	for _, dir := range cgroups() {
		assert.NoDirExists(t, filepath.Join(dir, s.cgroup()))
	}
	assert.NoFileExists(t, s.disk())
	require.NoError(t, s.release())
	assert.NoDirExists(t, s.path(""))
}
