package senders

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/sender"
)

// senderAnswer has four virtual functions: two alike, one given to a virtual machine, and one whose two ports differ.
const senderAnswer = `netns Y
vf 0
dev 0 0 104
vf 10
dev 10 104 104
dev 10 104 off
vf 2
vf 1
dev 1 0 104
ip 0 link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff, vlan 100, qos 3, spoof checking off, link-state auto, trust on
ip 1 MAC 02:00:00:00:00:02, vlan 100, qos 3, spoof checking off, link-state auto
ip 2 link/ether 02:00:00:00:00:03 brd ff:ff:ff:ff:ff:ff, spoof checking off
dev 70000 1 1
dev 3
vf x
`

func TestReadSenders(t *testing.T) {
	var facts []string
	for _, s := range readSenders([]byte(senderAnswer)).samples("ens1f0") {
		require.Equal(t, "ens1f0", s.On)
		facts = append(facts, s.Name+": "+s.Fact)
	}
	assert.Equal(t, []string{
		"RDMA devices in network namespaces: shared",
		"virtual functions 0-1: default_roce_tos=0 traffic_class=104 vlan=100 vlan_priority=3",
		"virtual functions 2: rdma_device=none",
		"virtual functions 10: default_roce_tos=104",
	}, facts)
	assert.Equal(t, "not known", readSenders(nil).samples("x")[0].Fact, "an old kernel has no modes")
	assert.Nil(t, seenOf(nil), "the probe did not run")
}

// TestSenderSamples is a law: no answer of a host panics, its facts are plain, and reading the facts gives the answer back.
func TestSenderSamples(t *testing.T) {
	words := rapid.SampledFrom([]string{
		"vf", "dev", "ip", "netns", "0", "1", "7", "104", "255", "256", "-", "off", "Y", "N", "vlan", "qos", "100,", "3,", "\x1b[2J", "-1",
		"99999999999999999999", "=",
	})
	line := rapid.Map(rapid.SliceOfN(words, 0, 6), func(w []string) string { return strings.Join(w, " ") })
	rapid.Check(t, func(r *rapid.T) {
		seen := readSenders([]byte(strings.Join(rapid.SliceOfN(line, 0, 12).Draw(r, "lines"), "\n")))
		samples := seen.samples("ens1f0")
		names := map[string]bool{}
		for _, s := range samples {
			require.Equal(r, target.Escape(s.Name+s.Fact), s.Name+s.Fact)
			require.False(r, names[s.Name], "a name is unique on a NIC: %s", s.Name)
			names[s.Name] = true
		}
		var facts [][2]string
		for _, s := range samples {
			facts = append(facts, [2]string{s.Name, s.Fact})
		}
		again := seenOf(facts)
		require.Equal(r, seen.netns, again.netns)
		require.Equal(r, samples, again.samples("ens1f0"))
	})
}

// TestSenderProbe runs the query in a POSIX shell on a tree of files: a virtual function whose device the host shows, one without device,
// and neither a folder of configfs nor a file is made.
func TestSenderProbe(t *testing.T) {
	root := t.TempDir()
	file := func(path, text string) {
		path = filepath.Join(root, path)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	file("sys/module/ib_core/parameters/netns_mode", "N\n")
	file("sys/class/net/ens1f0/device/virtfn0/infiniband/rocep3s0f0v0/node_type", "1: CA\n")
	file("sys/class/net/ens1f0/device/virtfn1/vendor", "0x15b3\n")
	file("sys/class/net/ens1f0/device/virtfn2/infiniband/rocep3s0f0v2/node_type", "1: CA\n")
	for _, dev := range []string{"rocep3s0f0v0", "rocep3s0f0v2"} {
		file("sys/class/infiniband/"+dev+"/ports/1/state", "4: ACTIVE\n")
	}
	file("sys/class/infiniband/rocep3s0f0v0/tc/1/traffic_class", "Global tclass=104\nsrc_ip=10.0.0.1,tclass=32\n")
	file("sys/class/infiniband/rocep3s0f0v2/tc/1/traffic_class", "")
	file("sys/kernel/config/rdma_cm/rocep3s0f0v0/ports/1/default_roce_tos", "104\n")
	file("bin/ip", "#!/bin/sh\n[ \"$*\" = 'link show dev ens1f0' ] && printf '5: ens1f0: <UP>\\n    vf 0     link/ether 02:00:00:00:00:01, "+
		"vlan 5, qos 3, trust off\\n'\n")
	require.NoError(t, os.Chmod(filepath.Join(root, "bin/ip"), 0o755))

	run := func(markings ...sender.Marking) string {
		q := Probe(&nic.Settings{NIC: &ir.NIC{Name: "ens1f0"}}, markings).Query
		cmd := exec.Command(machinetest.Need(t, "dash"), "-uc", strings.ReplaceAll(q.Cmd, "/sys/", root+"/sys/"))
		cmd.Env = []string{"PATH=" + filepath.Join(root, "bin") + ":/usr/bin:/bin"}
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		return string(out)
	}
	assert.Equal(t, `netns N
vf 0
dev 0 104 104
vf 1
vf 2
dev 2 - off
ip 0     link/ether 02:00:00:00:00:01, vlan 5, qos 3, trust off
`, run(CMMarking, VFMarking("x", "", "")))
	assert.Equal(t, "netns N\n", run(CMMarking), "a family without virtual functions")
	assert.NoDirExists(t, filepath.Join(root, "sys/kernel/config/rdma_cm/rocep3s0f0v2"))
}
