package nic

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/targets/target"
)

var leaver = &Family{
	tool: "rocec-host", scriptPath: "/usr/local/sbin/rocec-host", unitPath: "/etc/systemd/system/rocec-host@.service",
	rulesPath: "/etc/udev/rules.d/99-rocec.rules",
}

// What a host holds, which NICs stay, and what is to go.
func TestLeave(t *testing.T) {
	const all = "file /usr/local/sbin/rocec-host\nfile /etc/systemd/system/rocec-host@.service\nfile /etc/udev/rules.d/99-rocec.rules\n"
	const two = "nic ens1f0\nnic ens1f1\nnic ens1f0\n\tpfc=0,0,0,0,0,0,0,0\nnic ens1f1\n\tvlan=100\n\tpfc=0,0,0,0,0,0,0,0\n"
	const rest = " /etc/udev/rules.d/99-rocec.rules /etc/systemd/system/rocec-host@.service /usr/local/sbin/rocec-host"
	for _, c := range []struct{ name, answer, stays, want string }{
		{"nothing", "", "", ""},
		{"all stay", two + all, "ens1f0 ens1f1", ""},
		{"one leaves", two + all, "ens1f0", "/etc/rocec/host/ens1f1.conf nic/ens1f1"},
		{"one has another name now", two + all, "ens1f0 eth7", "/etc/rocec/host/ens1f1.conf nic/ens1f1"},
		{"the last ones leave", two + all, "", "/etc/rocec/host/ens1f0.conf /etc/rocec/host/ens1f1.conf" + rest + " nic/ens1f0 nic/ens1f1"},
		{"what it held is not known", "nic ens1f0\n" + all, "", "/etc/rocec/host/ens1f0.conf" + rest},
		{"the script alone", all, "", strings.TrimSpace(rest)},
		{"a name that is none", "nic ../../etc\n\tpfc=1\nnic a b\nnic \nnic x/y\nnic aaaaaaaaaaaaaaaa\n" + all, "ens1f0", ""},
		{"a file that is not ours", "file /etc/passwd\n", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			stays := map[string]bool{}
			for name := range strings.FieldsSeq(c.stays) {
				stays[name] = true
			}
			var paths []string
			for _, f := range leaver.leave(stays, parseHeld([]byte(c.answer))) {
				paths = append(paths, f.Path)
			}
			assert.Equal(t, c.want, strings.Join(paths, " "))
		})
	}
}

// A NIC goes back to what was read before, and to nothing that cannot be set.
func TestStateBefore(t *testing.T) {
	f := leaver.stateBefore("ens1f0", "vlan=100\ndcbx=firmware\npfc=0,0,0,0,0,0,0,0\ntos=0\nmtu=1500\nbond=bond0\n", target.Step{})
	got, ds := f.Edit([]byte("bond=none\ndcbx=host\nmtu=9000\npfc=0,0,0,0,1,0,0,0\ntos=unsupported: no such file\nttl=64\n"))
	assert.Empty(t, ds)
	assert.Equal(t, "bond=none\ndcbx=host\nmtu=9000\npfc=0,0,0,0,0,0,0,0\ntos=unsupported: no such file\nttl=64\n", string(got))
	assert.Contains(t, f.Live.Cmd, "show ens1f0 'vlan=100' 'bond=bond0'")
	got, _ = f.Edit(nil)
	assert.Nil(t, got, "the interface is not there")
}

// Whatever a host answers, only paths of ours come of it, and every name stays one word of the shell.
func TestLeaveOfAnything(t *testing.T) {
	line := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"nic a;b", "nic $(x)", "\tpfc=1", "\tvlan='; x", "file /x", "nic ens1f0"}))
	rapid.Check(t, func(r *rapid.T) {
		answer := strings.Join(rapid.SliceOfN(line, 0, 12).Draw(r, "lines"), "\n")
		for _, f := range leaver.leave(nil, parseHeld([]byte(answer))) {
			name, conf := strings.CutPrefix(f.Path, confDir)
			switch {
			case conf:
				assert.NotContains(r, strings.TrimSuffix(name, ".conf"), "/")
			case f.Live != nil:
				assert.NotContains(r, strings.TrimPrefix(f.Path, "nic/"), "/")
			default:
				assert.Contains(r, []string{leaver.scriptPath, leaver.unitPath, leaver.rulesPath}, f.Path)
			}
		}
	})
}
