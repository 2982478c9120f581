//go:build linux

package nspawn

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/nic/hosttest"
)

// rendered returns the files that rocec writes to a host of the example day-two, without the CNP marking, which needs a debugfs.
func rendered(t *testing.T) map[string]string {
	root := "../../../../golden/day-two/h[1-4]"
	files := map[string]string{}
	for _, file := range []string{
		"/usr/local/sbin/rocec-host", "/etc/systemd/system/rocec-host@.service", "/etc/udev/rules.d/99-rocec.rules",
		"/etc/rocec/host/ens1f0.conf",
	} {
		text, err := os.ReadFile(filepath.Join(root, file))
		require.NoError(t, err)
		files[file] = regexp.MustCompile(`(?m)^cnp_.*\n`).ReplaceAllString(string(text), "")
	}
	return files
}

// TestHostFiles boots a host with the rendered files. The unit applies the settings at boot, and again at a restart or reload. udev
// matches the events that create RDMA devices and VLAN interfaces, and the command of its rule applies the settings again.
func TestHostFiles(t *testing.T) {
	t.Parallel()
	Image(t)
	files := rendered(t)
	rules := files["/etc/udev/rules.d/99-rocec.rules"]
	// The kernel of a test has neither InfiniBand nor 802.1Q. So udevd runs test rules that match interfaces by name, and udevadm test
	// checks the real rules of hosts.
	stand := strings.NewReplacer(`SUBSYSTEM=="infiniband"`, `KERNEL=="rocep3s0*"`,
		`ENV{DEVTYPE}=="vlan"`, `KERNEL=="ens1f0.100"`).Replace(rules)
	require.Equal(t, 2, strings.Count(stand, "KERNEL"))
	files["/etc/udev/rules.d/98-stand-in.rules"] = stand
	so := filepath.Join(t.TempDir(), "subsystem.so")
	require.NoError(t, hosttest.Build(so, subsystem))
	lib, err := os.ReadFile(so)
	require.NoError(t, err)
	files["/usr/local/lib/subsystem.so"] = string(lib)
	d := Start(t, Host, Options{Name: "gpu1", Ports: []Port{{Name: "ens1f0", MTU: 9000}}, Files: files})
	good := func() error {
		out, err := d.Exec("rocec-host check ens1f0; systemctl is-active rocec-host@ens1f0.service")
		if text := string(out); err != nil || text != "active\n" {
			return fmt.Errorf("%s %w\n%s", text, err, execute(t, d, "systemctl status --no-pager rocec-host@ens1f0.service || :"))
		}
		return nil
	}
	spoil := func() {
		execute(t, d, "dcb pfc set dev ens1f0 prio-pfc all:off; dcb app flush dev ens1f0 dscp-prio")
		out := execute(t, d, "! rocec-host check ens1f0")
		require.Contains(t, out, "pfc is 0,0,0,0,0,0,0,0, not 0,0,0,1,0,0,0,0")
		require.Contains(t, out, "trust is pcp, not dscp")
	}

	execute(t, d, "systemctl enable --now rocec-host@ens1f0.service")
	require.NoError(t, good())
	require.NoError(t, d.Reboot().Fired())
	require.NoError(t, patience(good), "at boot, of a NIC that has forgotten")
	assert.Equal(t, 1, strings.Count(execute(t, d, "cat /run/nics/log"), "link bounced"), "and once")

	for _, verb := range []string{"restart", "reload"} {
		spoil()
		execute(t, d, "systemctl "+verb+" rocec-host@ens1f0.service")
		require.NoError(t, good(), verb)
	}

	for _, event := range []string{
		"ip link add ens1f0.100 type veth",    // like a new VLAN interface
		"ip link add rocep3s0 type veth",      // like an RDMA device
		"ip link set rocep3s0 name rocep3s0r", // like a renamed device
	} {
		spoil()
		execute(t, d, event)
		require.NoError(t, patience(good), "udevd has run the rule: %s", event)
	}

	execute(t, d, "rm /etc/udev/rules.d/98-stand-in.rules; udevadm control --reload")
	uevent := "/sys/devices/virtual/net/ens1f0.100/uevent"
	execute(t, d, "cp "+uevent+" /run/plain; cp /run/plain /run/uevent; mount --bind /run/uevent "+uevent)
	for _, c := range []struct {
		subsystem, action, devtype string
		runs                       bool
	}{
		{"infiniband", "add", "", true},
		{"infiniband", "move", "", true},
		{"infiniband", "remove", "", false},
		{"net", "add", "vlan", true},
		{"net", "remove", "vlan", false},
		{"net", "add", "bridge", false},
		{"net", "add", "", false},
	} {
		out := execute(t, d, "{ cat /run/plain; echo DEVTYPE="+c.devtype+"; } >/run/uevent; SUBSYSTEM="+c.subsystem+
			" LD_PRELOAD=/usr/local/lib/subsystem.so udevadm test --action="+c.action+" "+path.Dir(uevent)+" 2>&1")
		assert.Contains(t, out, "SUBSYSTEM="+c.subsystem+"\n")
		run := strings.Contains(out,
			"run: '/bin/sh -fc 'PATH=/usr/bin:/bin; exec systemctl --no-block reload-or-restart rocec-host@*.service'")
		assert.Equal(t, c.runs, run, "%v: %s", c, out)
	}
}

// subsystem is a library for LD_PRELOAD. It makes udevadm see another subsystem for its device.
const subsystem = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

ssize_t readlinkat(int dir, const char *path, char *buf, size_t size)
{
	ssize_t (*next)(int, const char *, char *, size_t) = dlsym(RTLD_NEXT, "readlinkat");
	const char *name = getenv("SUBSYSTEM"), *end = strrchr(path, '/');
	if (strcmp(end ? end + 1 : path, "subsystem"))
		return next(dir, path, buf, size);
	char link[64] = "../../../../class/";
	strncat(link, name ? name : "net", 32);
	size_t n = strlen(link) < size ? strlen(link) : size;
	memcpy(buf, link, n);
	return n;
}
`
