package compiler

import (
	"os"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets"
)

func example(t *testing.T, name string, vars ...string) *ir.Fabric {
	return compiled(t, loaded(t, os.DirFS("../examples"), name, vars...))
}

// Every example compiles. The mistakes in some examples are found by the checks, not by the compiler.
func TestExamples(t *testing.T) {
	f := example(t, "rack-v1-pfc")
	storage := f.CosGroups[1]
	b := port(f, "tor1:swp6").Carries(storage)
	require.NotNil(t, b)
	assert.Equal(t, 31_584, b.Need, "25G, 3 m, MTU 9216")
	assert.Equal(t, 18_048, b.Xoff.N)
	assert.Equal(t, 49_632, b.Size.N)
	assert.Empty(t, port(f, "tor1:swp6").Marks(), "RoCEv1 is not marked")
	assert.Empty(t, f.Routing)
	assert.False(t, f.Links[0].Routed)

	f = example(t, "clos-v2-ecn")
	assert.Len(t, f.Devices, 4+2+64)
	assert.Len(t, f.Links, 64+8)
	assert.Equal(t, 100_000, port(f, "leaf04:swp32").Speed())
	assert.Equal(t, "spine2:swp4", port(f, "leaf04:swp32").Peer().String())
	assert.True(t, port(f, "leaf04:swp32").Link().Routed)
	assert.Equal(t, 79_104, port(f, "leaf01:swp31").Buffers()[0].Need, "100G, 30 m")
	assert.Equal(t, 153_600, port(f, "leaf01:swp31").Marks()[0].Min.N)
	assert.Equal(t, 7*6144, port(f, "leaf01:swp1").Marks()[0].Min.N)

	f = example(t, "clos-v2-ecn", "spines=1")
	assert.Len(t, f.Devices, 4+1+64)

	f = example(t, "ring-pfc-loop")
	assert.Equal(t, 1, device(f, "sw3").Switch.Tier)
	assert.Equal(t, "sw1:swp16", port(f, "sw4:swp15").Peer().String())
	assert.Equal(t, 100_000, port(f, "sw4:swp15").Speed())

	f = example(t, "bad-headroom")
	b = port(f, "edge1:swp1").Buffers()[0]
	assert.Equal(t, 15_000, b.Headroom())
	assert.Equal(t, 147_360, b.Need)

	f = example(t, "bad-routed-v1")
	assert.Empty(t, port(f, "tor1:swp32").Buffers(), "RoCEv1 does not pass an IP hop")
	assert.Len(t, port(f, "tor1:swp1").Buffers(), 1)

	f = example(t, "bad-mixed-versions")
	assert.Equal(t, 40_000, port(f, "old1:eth2").Speed())

	example(t, "bad-unmapped-dscp")

	f = example(t, "storage-and-training")
	assert.Equal(t, "3.4.3", device(f, "tor1").Switch.Version)
	var groups []string
	for _, b := range port(f, "spine1:swp1").Buffers() {
		groups = append(groups, b.Group.Name)
	}
	assert.Equal(t, []string{"rdma"}, groups, "storage stays in its rack")
	m := port(f, "tor1:swp31").Marks()[0]
	assert.Equal(t, [2]int{150 << 10, 1500 << 10}, [2]int{m.Min.N, m.Max.N})
	assert.Equal(t, "rack1-n1", f.Devices[0].Name)
	assert.Equal(t, "4.3.0", device(example(t, "storage-and-training", "tor_version=4.3.0"), "tor1").Switch.Version)
}

// The whole path, from the file to a finding.
func TestMistakesInHCL(t *testing.T) {
	f, ds := Compile(loaded(t, fstest.MapFS{"f/fabric.hcl": {Data: []byte(`
fabric "f" { routing = "up-down" }
cos_group "rdma" {
  cos      = 3
  lossless = true
}
roce "r" {
  version   = 2
  cos_group = cos_group.rdma
  members   = ["gpu[1-2]", "gpu1:eth9"]
}
switch "leaf" { model = "sn2700" }
switch_model "odd" {
  asic  = "spectrum"
  ports = 4
  speed = "400G"
}
host "gpu" {
  names = "gpu[1-2]"
  nic "eth0" { model = "connectx-5" }
}
link "hosts" {
  a = "gpu[1-2]:eth0"
  b = "leaf:swp[32-33]"
}
`)}}, "f"), targets.Known)
	require.Nil(t, f)
	type line struct {
		line int
		code string
	}
	var got []line
	for _, d := range ds {
		got = append(got, line{d.At.Start.Line, d.Code})
	}
	assert.Equal(t, []line{{10, "unknown-member"}, {16, "model-invalid"}, {22, "cable-length-missing"}, {24, "unknown-port"}}, got)
}
