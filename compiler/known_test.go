package compiler

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets"
)

// foreignHCL is a fabric whose systems and hardware no target knows; the person describes them.
const foreignHCL = `
fabric "f" { cable_length = "3m" }
cos_group "rdma" {
  cos      = 3
  dscp     = [26]
  lossless = true
}
nic_model "lab-nic" {
  family = "labdrv"
  speed  = "100G"
}
roce "r" {
  version   = 2
  cos_group = cos_group.rdma
  members   = [host.gpu]
}
switch "leaf" {
  model   = "sn2700"
  os      = "plan9"
  version = "202505"
  by_hand {}
}
host "gpu" {
  names = "gpu[1-2]"
  nic "ether0" { model = "lab-nic" }
  nic "ether1" { model = "lab-nic" }
  bond "both" { nics = ["ether[0-1]"] }
  by_hand {}
}
link "l" {
  a     = "gpu[1-2]:ether0"
  b     = "leaf:Ethernet[0,4]"
  speed = "100G"
}
`

// A fabric of devices set by hand needs no target: any system, port names and NIC family are accepted.
func TestNothingKnown(t *testing.T) {
	f, ds := Compile(loaded(t, fstest.MapFS{"fabric.hcl": {Data: []byte(foreignHCL)}}, "."), ir.Known{})
	require.Empty(t, texts(ds))
	leaf := device(f, "leaf")
	assert.Equal(t, ir.ChipCan(), leaf.Switch.Can)
	assert.Equal(t, "plan9", leaf.Switch.OS)
	assert.Equal(t, "Ethernet4", leaf.Ports[1].Name)
	assert.False(t, leaf.Ports[1].Front.Known())
	assert.NotZero(t, leaf.Ports[1].Buffers()[0].Need, "the chip sizes its buffers")
	nic := device(f, "gpu1").Host.NICs[0]
	assert.Equal(t, "labdrv", nic.Model.Driver.Name)
	assert.Equal(t, ir.NICCan{}, nic.Can())
	assert.Zero(t, nic.Port.Buffers()[0].Need, "no formula is known")

	_, ds = Compile(loaded(t, fstest.MapFS{"fabric.hcl": {Data: []byte(foreignHCL)}}, "."), targets.Known)
	require.Len(t, ds, 1, "if families are known, an unknown family is a mistake")
	assert.Equal(t, "unknown-model", ds[0].Code)
	assert.Contains(t, ds[0].Detail, `No NIC family is called "labdrv"`)
}

// TestConfigIsResolved: the config of a switch is the one in its block, or the default of its release.
func TestConfigIsResolved(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "files"},
		{`version = "5.3.0"`, "files"},
		{`version = "5.4.0"`, "nvue"},
		{"version = \"5.4.0\"\n  config = \"FILES\"", "files"},
		{"version = \"5.4.0\"\n  by_hand {}", "nvue"},
		{"os = \"junos\"\n  version = \"22.1\"", ""},
	} {
		f, ds := Compile(loaded(t, fstest.MapFS{"fabric.hcl": {Data: []byte("fabric \"f\" {}\nswitch \"leaf\" {\n  model = \"sn2700\"\n  " +
			c.text +
			"\n}\n")}}, "."), targets.Known)
		require.Empty(t, texts(ds), c.text)
		sw := device(f, "leaf").Switch
		assert.Equal(t, c.want, sw.Config, c.text)
		assert.Equal(t, strings.Contains(c.text, "config"), sw.ConfigAt.Filename != "", c.text)
	}
	assert.Equal(t, []string{"files", "nvue"}, targets.Known.ConfigNames())
}

// The known facts of a system are resolved into its switches and their ports.
func TestSystemIsResolved(t *testing.T) {
	text := func(os string) string {
		return `
fabric "f" {}
switch "leaf" {
  names = "leaf[1-2]"
  model = "sn2700"
  ` + os + `
}
link "l" {
  a     = "leaf1:swp1s0"
  b     = "leaf2:swp7"
  speed = "25G"
}
`
	}
	known := targets.Known.DefaultOS()
	spectrum := known.Can(chip(t, "spectrum"), "")
	spectrum.Memory = known.Memory(chip(t, "spectrum"), "", false)
	require.NotEqual(t, ir.ChipMemory(), spectrum.Memory)
	for _, c := range []struct {
		os    string
		can   ir.SwitchCan
		front ir.Front
	}{
		{"", spectrum, ir.Front{Number: 1}},
		{"by_hand {}", spectrum, ir.Front{Number: 1}},
		{`os = "` + known.Name + `"`, spectrum, ir.Front{Number: 1}},
		{"os = \"junos\"\n  version = \"22.1\"", ir.ChipCan(), ir.Front{}},
		{"os = \"junos\"\n  by_hand {}", ir.ChipCan(), ir.Front{}},
	} {
		f, ds := Compile(loaded(t, fstest.MapFS{"fabric.hcl": {Data: []byte(text(c.os))}}, "."), targets.Known)
		require.Empty(t, texts(ds), c.os)
		leaf := device(f, "leaf1")
		assert.Equal(t, c.can, leaf.Switch.Can, c.os)
		assert.Equal(t, c.front, leaf.Ports[0].Front, c.os)
		assert.Equal(t, c.front.Known(), leaf.Ports[0].Front.Split(), c.os)
	}
	assert.NotEqual(t, ir.ChipCan(), spectrum, "the facts of the system differ from the chip's")
}
