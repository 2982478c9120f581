package nic

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic/steps"
	"github.com/rocec/rocec/targets/target"
)

var leaves = &Family{
	Kit:        &steps.Kit{Driver: "mlx5", Script: func() []byte { return nil }},
	Rows:       func() []Row { return nil },
	Driver:     &ir.Driver{Name: "mlx5"},
	scriptPath: "/usr/local/sbin/rocec-host", unitPath: "/etc/systemd/system/rocec-host@.service",
	rulesPath: "/etc/udev/rules.d/99-rocec.rules",
}

// TestLeave checks the files to remove, for the files found on a host and the NICs that stay.
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
		{"what it held is not known", "nic ens1f0\n" + all, "", "/etc/rocec/host/ens1f0.conf" + rest + " nic/ens1f0"},
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
			for _, f := range leaves.leave(stays, nil, parseHeld([]byte(c.answer))) {
				paths = append(paths, f.Path)
			}
			assert.Equal(t, c.want, strings.Join(paths, " "))
		})
	}
}

// A NIC gets back the values that were read before rocec, except for settings that cannot be written.
func TestStateBefore(t *testing.T) {
	f := leaves.stateBefore(&leaver{
		NIC:    steps.NIC{Name: "ens1f0", At: where("vlan=100\nbond=bond0\n")},
		before: "vlan=100\ndcbx=firmware\npfc=0,0,0,0,0,0,0,0\ntos=0\nmtu=1500\nbond=bond0\n",
	}, target.Step{})
	got, ds := f.Edit([]byte("bond=none\ndcbx=host\nmtu=9000\npfc=0,0,0,0,1,0,0,0\ntos=unsupported: no such file\nttl=64\n"))
	assert.Empty(t, ds)
	assert.Equal(t, "bond=none\ndcbx=host\nmtu=9000\npfc=0,0,0,0,0,0,0,0\ntos=unsupported: no such file\nttl=64\n", string(got))
	assert.Contains(t, f.Live.Cmd, "show ens1f0 'vlan=100' 'bond=bond0'")
	got, _ = f.Edit(nil)
	assert.Nil(t, got, "the interface is not there")
}

// For any answer of a host, the files have only paths that rocec writes, and every name is one word of the shell.
func TestLeaveOfAnything(t *testing.T) {
	line := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"nic a;b", "nic $(x)", "\tpfc=1", "\tvlan='; x", "file /x", "nic ens1f0"}))
	rapid.Check(t, func(r *rapid.T) {
		answer := strings.Join(rapid.SliceOfN(line, 0, 12).Draw(r, "lines"), "\n")
		for _, f := range leaves.leave(nil, nil, parseHeld([]byte(answer))) {
			name, conf := strings.CutPrefix(f.Path, steps.ConfDir)
			switch {
			case conf:
				assert.NotContains(r, strings.TrimSuffix(name, ".conf"), "/")
			case f.Live != nil:
				assert.NotContains(r, strings.TrimPrefix(f.Path, "nic/"), "/")
			default:
				assert.Contains(r, []string{leaves.scriptPath, leaves.unitPath, leaves.rulesPath}, f.Path)
			}
		}
	})
}

// If a card of another family takes over the name, its family also takes over the value file. Only the other files of the old family are
// removed.
func TestLeaveToAnotherFamily(t *testing.T) {
	h := parseHeld([]byte("nic ens1f0\n\tpfc=0,0,0,0,0,0,0,0\nfile /usr/local/sbin/rocec-host\n"))
	files := leaves.leave(nil, map[string]bool{"ens1f0": true}, h)
	assert.Len(t, files, 1)
	assert.Equal(t, "/usr/local/sbin/rocec-host", files[0].Path)
	cmd := files[0].Activate.Cmd
	assert.Contains(t, cmd, "rm -f /var/lib/rocec/rocec-host/ens1f0.before")
	assert.Contains(t, cmd, " leave ens1f0 2>/dev/null\n")
	assert.Empty(t, files[0].Activate.Disrupts)
}

// A NIC whose earlier settings are unknown gets the defaults, on the VLAN interface and bond of its value file.
func TestLeaveUnknown(t *testing.T) {
	f := &Family{Driver: leaves.Driver, Kit: &steps.Kit{Driver: "mlx5", Script: leaves.Script}}
	f.Plain = "pfc=0,0,0,0,0,0,0,0\nvlan_map=0:0,2:0,4:0,6:0\n"
	l := f.leaver("ens1f0", false, parseHeld([]byte("nic ens1f0\nat vlan=100\nat bond=bond0\n")))
	assert.Equal(t, f.Plain, l.before)
	assert.Contains(t, f.Leave([]steps.NIC{l.NIC}).Cmd,
		" leave ens1f0 'pfc=0,0,0,0,0,0,0,0' 'vlan_map=0:0,2:0,4:0,6:0' 'vlan=100' 'bond=bond0' || failed=1\n")
	l = f.leaver("ens1f0", false, parseHeld([]byte("nic ens1f0\n")))
	assert.Equal(t, "pfc=0,0,0,0,0,0,0,0\n", l.before, "the map of no VLAN")
	l = f.leaver("ens1f0", false, parseHeld([]byte("nic ens1f0\nat vlan=200\nnic ens1f0\n\tvlan=100\n\tpfc=1\n\tvlan_map=0:0\n")))
	assert.Equal(t, "vlan=100\npfc=1\n", l.before, "it is in another VLAN now")
	assert.Equal(t, []string{"vlan=200"}, l.At)
	assert.Contains(t, f.Leave([]steps.NIC{l.NIC}).Cmd, " leave ens1f0 || failed=1\n")
}
