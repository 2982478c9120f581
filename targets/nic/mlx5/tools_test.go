package mlx5

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// devlink makes the script run the unmodified devlink of iproute2, with the given enable_roce of each PCI function.
func (m *machine) devlink(enabled map[string]bool) {
	for pci, on := range enabled {
		m.Write("fake/devlink-"+pci, fmt.Sprint(bit(on)))
		if at := m.Path("sys/devices/" + pci + "/infiniband"); !on {
			require.NoError(m.T, os.Rename(at, at+".off"))
		}
	}
	m.Real("devlink", "DEVLINKSHIM_DIR=$FAKE_DIR ")
}

// TestDevlink switches RoCE with the real devlink where the driver has no file for RoCE. The switch succeeds, or the script reports the
// kernel's refusal.
func TestDevlink(t *testing.T) {
	t.Parallel()
	const gone = "no RDMA device appeared in 0 s; is RoCE enabled in the NIC's firmware, and mlx5_ib loaded?"
	none := []string{
		"roce cannot be set here: unsupported: nothing here switches RoCE; install iproute2 (devlink), or use a kernel of 5.6 or later", gone,
	}
	for _, c := range []struct {
		fault string
		on    []string // messages where the fabric switches RoCE on; nil: it succeeds
		off   []string // messages where the fabric switches RoCE off
	}{
		{"", nil, nil},
		{"nofamily", none, []string{"roce is on, not off: Failed to connect to devlink Netlink"}},
		{"noparam", none, []string{"roce is on, not off: kernel answers: Invalid argument"}},
		{
			"noset",
			[]string{"roce is off, not on: kernel answers: Operation not supported", gone},
			[]string{"roce is on, not off: kernel answers: Operation not supported"},
		},
		{
			"noperm",
			[]string{"roce is off, not on: kernel answers: Operation not permitted", gone},
			[]string{"roce is on, not off: kernel answers: Operation not permitted"},
		},
		// The parameter is set. The missing RDMA device shows that the driver did not apply it.
		{"noreload", []string{gone}, []string{"roce is off after a reload, not off: kernel answers: Operation not supported"}},
	} {
		for _, wish := range []string{"on", "off"} {
			t.Run(c.fault+"/"+wish, func(t *testing.T) {
				t.Parallel()
				host, netdev, pci, want := "v2", "ens1f0", "0000:03:00.0", c.on
				if wish == "off" {
					host, netdev, pci, want = "options", "enp3s0f1np1", "0000:04:00.0", c.off
				}
				m := newMachine(t, fixtures(t)[host]).inbox()
				m.devlink(map[string]bool{pci: wish == "off"})
				m.Env = append(m.Env, "DEVLINKSHIM_FAULT="+c.fault, "ROCEC_WAIT=0")
				var said []string
				apply := m.Exec("dash", []string{"apply", netdev})
				for line := range strings.Lines(apply.Err) {
					said = append(said, strings.TrimPrefix(strings.TrimSuffix(line, "\n"), "rocec-host: "+netdev+": "))
				}
				check := m.Exec("dash", []string{"check", netdev})
				assert.Equal(t, want, said)
				if want != nil {
					assert.Equal(t, 1, apply.Code)
					assert.Equal(t, 1, check.Code, check.Out)
					return
				}
				require.Zero(t, apply.Code)
				require.Zero(t, check.Code, check.Out)
				assert.Contains(t, m.Exec("dash", []string{"show", netdev}).Out, "roce="+wish+"\n")
				assert.Equal(t, wish == "on", m.Has("sys/devices/"+pci+"/infiniband"))
				log := strings.Join(m.Log(), "\n")
				assert.Contains(t, log, fmt.Sprintf("%s devlink enable_roce %d\n%[1]s devlink reload %[2]d", pci, bit(wish == "on")))
				require.Zero(t, m.Exec("dash", []string{"apply", netdev}).Code)
				assert.Equal(t, 1, strings.Count(strings.Join(m.Log(), "\n"), "devlink reload"), "the second apply leaves the driver alone")
			})
		}
	}
}

// TestEthtool sets link pause with the real ethtool.
func TestEthtool(t *testing.T) {
	t.Parallel()
	d := fixtures(t)["v2"]
	for fault, want := range map[string]string{
		"":       "",
		"noget":  "pause cannot be set here: unsupported: ethtool does not tell it; install ethtool\n",
		"noset":  "pause is on, not off: Cannot set device pause parameters: Invalid argument\n",
		"noperm": "pause is on, not off: Cannot set device pause parameters: Operation not permitted\n",
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t, d).inbox()
			alike := m.Sh("FAKE_DIR=" + m.Fake + " " + m.Path("usr/sbin/ethtool") + " -a ens1f0")
			m.Real("ethtool", "")
			assert.Equal(t, m.Sh("FAKE_DIR="+m.Fake+" "+m.Path("usr/sbin/ethtool")+" -a ens1f0"), alike, "the stand-in prints the same")
			m.Env = append(m.Env, "ETHTOOLSHIM_FAULT="+fault)
			r := m.Exec("dash", []string{"apply", "ens1f0"})
			check := m.Exec("dash", []string{"check", "ens1f0"})
			if fault != "" {
				assert.Equal(t, "rocec-host: ens1f0: "+want, r.Err)
				assert.Equal(t, 1, r.Code)
				assert.Equal(t, 1, check.Code)
				return
			}
			require.Zero(t, r.Code, r.Err)
			require.Zero(t, check.Code, check.Out)
			assert.Equal(t, "off off", m.Read("fake/pause-ens1f0"))
		})
	}
}

// TestStallPrevention sets stall prevention with the real ethtool, and compares the stand-in with it.
func TestStallPrevention(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		wish, fault, said, kept string
	}{
		{"auto", "", "", "100"},
		{"off", "", "", "0"},
		{"100", "", "", "100"},
		{"8000", "", "", ""}, // the value of the driver: nothing is written
		{
			"auto", "noget",
			"stall_prevention cannot be set here: unsupported: ethtool does not tell it; install a newer ethtool, or newer firmware", "",
		},
		{"off", "noset", "stall_prevention is 8000, not off: pfc-prevention-tout: Invalid argument", ""},
		{"auto", "noperm", "stall_prevention is 8000, not auto: pfc-prevention-tout: Operation not permitted", ""},
	} {
		t.Run(c.wish+"/"+c.fault, func(t *testing.T) {
			t.Parallel()
			f := newFabric()
			f.groups(f.rest)
			n := f.nic(t, "ens1f0")
			n.Parameters = parametersOf(t, nil, nil, c.wish)
			m := newMachine(t, f.host("gpu1", n)).inbox()
			ask := "FAKE_DIR=" + m.Fake + " " + m.Path("usr/sbin/ethtool") + " --get-tunable ens1f0 pfc-prevention-tout"
			alike := m.Sh(ask)
			m.Real("ethtool", "")
			assert.Equal(t, m.Sh(ask), alike, "the stand-in prints the same")
			m.Env = append(m.Env, "ETHTOOLSHIM_FAULT="+c.fault, "ROCEC_WAIT=0")
			r := m.Exec("dash", []string{"apply", "ens1f0"})
			check := m.Exec("dash", []string{"check", "ens1f0"})
			if c.said != "" {
				assert.Equal(t, "rocec-host: ens1f0: "+c.said+"\n", r.Err)
				assert.Equal(t, 1, r.Code)
				assert.Equal(t, 1, check.Code)
				return
			}
			require.Zero(t, r.Code, r.Err)
			require.Zero(t, check.Code, check.Out)
			assert.Equal(t, c.kept != "", m.Has("fake/tunable-ens1f0"))
			if c.kept == "" {
				return
			}
			assert.Equal(t, c.kept, m.Read("fake/tunable-ens1f0"))
			require.Zero(t, m.Exec("dash", []string{"leave", "ens1f0"}).Code)
			assert.Equal(t, "8000", m.Read("fake/tunable-ens1f0"), "leaving is the identity")
		})
	}
}

// bit returns the kernel's number for a switch.
func bit(on bool) int { return map[bool]int{true: 1}[on] }
