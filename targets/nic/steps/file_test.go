package steps

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var sample = &Kit{Driver: "x", Suffix: "-x", Script: Script("-x", Card)}

// TestFile: a family may write or remove its own files, and value files of any interface.
func TestFile(t *testing.T) {
	own := map[string][]byte{
		"/usr/local/sbin/rocec-host-x":              sample.Script(),
		"/etc/systemd/system/rocec-host-x@.service": sample.UnitText(),
		"/etc/udev/rules.d/99-rocec-x.rules":        sample.RulesText(),
	}
	for path, content := range own {
		require.NoError(t, sample.File(path, content))
		require.NoError(t, sample.File(path, nil))
		for _, other := range [][]byte{{}, content[1:], append(bytes.Clone(content), '\n'), []byte("#!/bin/sh\nreboot\n")} {
			require.ErrorIs(t, sample.File(path, other), errContent, path)
		}
		rapid.Check(t, func(rt *rapid.T) {
			changed := bytes.Clone(content)
			i := rapid.IntRange(0, len(changed)-1).Draw(rt, "place")
			changed[i] ^= byte(rapid.IntRange(1, 255).Draw(rt, "by"))
			require.ErrorIs(rt, sample.File(path, changed), errContent)
		})
	}
	for _, content := range []string{
		"", "# a comment: 'quoted', $(x)\nmtu=9000\n", "roce_mode=IB/RoCE v1\nvlan_map=0:4,2:4,4:4,6:4\n",
		"vlan_ip=2001:db8::1/64\nbond=b+o@n-d.0_1\n",
		"traffic_rules=src_ip=192.0.2.2,dst_ip=192.0.2.0/24,tclass=16 dst_ip6=2001:db8::1,tclass=8\n", strings.Repeat("tos=106\n", mostValues/8),
	} {
		require.NoError(t, sample.File("/etc/rocec/host/ens1f0.conf", []byte(content)))
	}
	require.NoError(t, sample.File("/etc/rocec/host/ens1f0.conf", nil))
}

// TestFileNothingElse: other paths are refused for any content, and so are value files with other lines.
func TestFileNothingElse(t *testing.T) {
	for _, path := range []string{
		"", "/", "/etc/passwd", "/etc/sudoers.d/x",
		"/usr/local/sbin/rocec-host", "/usr/local/sbin/rocec-host-x/", "//usr/local/sbin/rocec-host-x",
		"/usr/local/sbin/../sbin/rocec-host-x", "usr/local/sbin/rocec-host-x", "/etc/systemd/system/rocec-host-x@ens1f0.service",
		"/etc/rocec/host/", "/etc/rocec/host/.conf", "/etc/rocec/host/..conf", "/etc/rocec/host/...conf", "/etc/rocec/host/../x.conf",
		"/etc/rocec/host/a/b.conf", "/etc/rocec/host/./a.conf", "/etc/rocec/host//a.conf", "/etc/rocec/host/a.conf/", "/etc/rocec/host/a",
		"/etc/rocec/host/a.conf\n", "/etc/rocec/host/a b.conf", "/etc/rocec/host/a\x00.conf", "/etc/rocec/host/\xff.conf",
		"/etc/rocec/host/aaaaaaaaaaaaaaaa.conf", "/etc/rocec/host.conf", "etc/rocec/host/a.conf", "nic/ens1f0",
		"/var/lib/rocec/rocec-host-x/a.before",
	} {
		for _, content := range [][]byte{nil, {}, sample.Script(), []byte("mtu=1500\n")} {
			require.ErrorIs(t, sample.File(path, content), errNoFile, "%q", path)
		}
	}
	for _, line := range []string{
		"mtu=1500", "\n", "mtu\n", "=1\n", "mtu=\n", "MTU=1\n", "mtu =1\n", " mtu=1\n", "mtu=1\r\n", "mtu=$(reboot)\n", "mtu=`reboot`\n",
		"mtu=1;x\n", "mtu=1'\n", "mtu=\"1\"\n", "mtu=1\\\n", "mtu=1\tx\n", "mtu=*\n", "mtu=é\n", "mtu=\xff\n", "mtu=1\x00\n",
		"#\n", "#x\n", "# \x1b[2J\n", "# é\n", "$x=1\n",
		"mtu=~\n", "mtu=a|b\n", "mtu=a&b\n", "mtu=<a\n", "mtu=%41\n", "mtu={a}\n", "mtu=[a]\n", "mtu=!a\n", "mtu=a#b\n", "mtu=a?b\n",
	} {
		for _, content := range []string{line, "tos=106\n" + line} {
			require.ErrorIs(t, sample.File("/etc/rocec/host/ens1f0.conf", []byte(content)), errLine, "%q", content)
		}
	}
	long := []byte(strings.Repeat("tos=106\n", mostValues/8+1))
	require.ErrorIs(t, sample.File("/etc/rocec/host/ens1f0.conf", long), errLong)
}
