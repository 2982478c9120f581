package lang

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/langtest"
)

// loadText loads one file.
func loadText(t testing.TB, src string, o Options) (*Source, diag.List) {
	t.Helper()
	fsys := fstest.MapFS{"f/fabric.hcl": {Data: []byte(src)}}
	langtest.Dump(t, fsys, langtest.Vars(o.Vars)...)
	s, ds := Load(fsys, "f", o)
	require.NotNil(t, s)
	return s, ds
}

// mustLoad loads one file that has no mistakes.
func mustLoad(t testing.TB, src string, o Options) *Source {
	t.Helper()
	s, ds := loadText(t, src, o)
	require.Empty(t, show(s, ds))
	return s
}

func show(s *Source, ds diag.List) string {
	var b strings.Builder
	_ = (&diag.Printer{Files: s.Files}).Print(&b, ds)
	return b.String()
}

func TestSampleFabrics(t *testing.T) {
	for name, want := range map[string]string{
		"rack-v1-pfc":          "1 5 5 1 2",
		"clos-v2-ecn":          "6 64 72 1 3",
		"ring-pfc-loop":        "4 4 8 1 3",
		"bad-headroom":         "1 2 2 1 1",
		"bad-mixed-versions":   "1 2 2 1 2",
		"bad-routed-v1":        "3 2 4 1 1",
		"bad-unmapped-dscp":    "1 2 2 1 2",
		"storage-and-training": "4 16 36 2 4",
		"prepared-rack":        "5 12 24 1 3",
		"day-two":              "4 4 8 1 3",
	} {
		s, ds := Load(os.DirFS("../examples"), name, Options{})
		require.Empty(t, show(s, ds), name)
		require.Equal(t, want, fmt.Sprint(len(s.Switches), len(s.Hosts), len(s.Links), len(s.Roces), len(s.CosGroups)), name)
	}
}

// place returns the text a range covers.
func place(s *Source, r diag.Range) string { return string(r.SliceBytes(s.Files[r.Filename])) }

func TestValuesAndPlaces(t *testing.T) {
	s, ds := Load(os.DirFS("../examples"), "clos-v2-ecn", Options{Vars: []string{"spines=2"}})
	require.Empty(t, show(s, ds))
	require.Equal(t, "train", s.Fabric.Name)
	require.Equal(t, 9216, s.Fabric.MTU.V)
	require.Equal(t, `"up-down"`, place(s, s.Fabric.Routing.At))
	require.False(t, s.Fabric.CableLength.Set())

	g := s.CosGroups[0]
	require.Equal(t, "rdma", g.Name)
	require.Equal(t, `cos_group "rdma"`, place(s, g.Decl))
	require.Equal(t, 26, g.DSCP[0].V)
	require.Equal(t, `"af31"`, place(s, g.DSCP[0].At))
	require.NotNil(t, g.ECN)
	require.Nil(t, g.PFC)
	require.True(t, g.Lossless.V)

	leaf := s.Switches[2]
	require.Equal(t, "leaf03", leaf.Name)
	require.Equal(t, "leaf[01-04]", place(s, leaf.NameAt))
	require.Equal(t, 2, leaf.Index)
	require.Equal(t, "198.51.100.13", leaf.SSH.Address.V)
	require.Equal(t, "spine2", s.Switches[5].Name)
	require.Equal(t, `"spine[1-${var.spines}]"`, place(s, s.Switches[5].NameAt))

	h := s.Hosts[63]
	require.Equal(t, "gpu064", h.Name)
	require.Equal(t, "198.51.100.164", h.SSH.Address.V)
	require.Equal(t, "root", h.SSH.User.V)
	require.Same(t, h.NICs[0], s.Hosts[0].NICs[0], "nothing in the nic depends on self")
	require.Equal(t, "cumulus", s.SSH.User.V)

	first := s.Links[0]
	require.Equal(t, "gpu001:ens1f0 leaf01:swp1", fmt.Sprintf("%s:%s %s:%s", first.A.Device, first.A.Port, first.B.Device, first.B.Port))
	require.Equal(t, "gpu[001-064]:ens1f0", place(s, *first.A.At))
	require.Equal(t, 25_000, first.Block.Speed.V)
	require.Equal(t, 3.0, first.Block.Length.V)
	var up []string
	for _, l := range s.Links[64:] {
		up = append(up, fmt.Sprintf("%s:%s-%s:%s", l.A.Device, l.A.Port, l.B.Device, l.B.Port))
	}
	require.Equal(t, []string{
		"leaf01:swp31-spine1:swp1", "leaf01:swp32-spine2:swp1", "leaf02:swp31-spine1:swp2", "leaf02:swp32-spine2:swp2",
		"leaf03:swp31-spine1:swp3", "leaf03:swp32-spine2:swp3", "leaf04:swp31-spine1:swp4", "leaf04:swp32-spine2:swp4",
	}, up)
	require.Equal(t, []Member{{Group: "gpu", At: s.Roces[0].Members[0].At}}, s.Roces[0].Members)
	require.Equal(t, "host.gpu", place(s, s.Roces[0].Members[0].At))
}

func TestMeshOfParallelLinks(t *testing.T) {
	s := mustLoad(t, `fabric "f" {}
mesh "m" {
  lower = "a[1-2]:swp[1-4]"
  upper = "b[1-2]:swp[1-4]"
}`, Options{})
	var got []string
	for _, l := range s.Links {
		got = append(got, l.A.Device+":"+l.A.Port+"-"+l.B.Device+":"+l.B.Port)
	}
	require.Equal(t, []string{
		"a1:swp1-b1:swp1", "a1:swp2-b1:swp2", "a1:swp3-b2:swp1", "a1:swp4-b2:swp2",
		"a2:swp1-b1:swp3", "a2:swp2-b1:swp4", "a2:swp3-b2:swp3", "a2:swp4-b2:swp4",
	}, got)
}

func TestHosts(t *testing.T) {
	s := mustLoad(t, `fabric "f" { root = switch.sw1 }
host "h" {
  names = ["h[1-2]", "x"]
  nic "ens[1-2]f0" {
    model   = "connectx-5"
    ip      = "192.0.2.${self.index + 1}/24"
    tos     = 4 * (self.index + 1)
    vf_roce = { 1 = true, 0 = false }
    dcqcn   = { rpg_ai_rate = 20, min_time_between_cnps = 4 + self.index }
    nvram   = { LINK_TYPE = "ETH", CNP_DSCP = 48, LLDP_NB_DCBX = false }
    stall_prevention = 100
    traffic_class {
      tos = 16
      dst = "192.0.2.0/24"
    }
    traffic_class { tos = self.index }
  }
  nic "eth0" { model = "soft-roce" }
  bond "bond0" {
    nics = ["ens1-2f0"]
    mode = "802.3ad"
  }
}
switch "sw1" {
  model   = "sn2700"
  version = self.name == "sw1" ? "4.3.0" : "3.4.3"
}
roce "r" {
  version   = 2
  cos_group = cos_group.rdma
  members   = concat([host.h], ["h1", "h[1-2]:ens1f0"])
}
cos_group "rdma" {
  cos  = 4
  dscp = ["cs0", "CS7", "ef", "be", "voice-admit", "AF43", 0]
  pcp  = []
  bounce = cos_group.rdma
  pfc { buffer = "1.5KiB" }
}
link "l" {
  a      = "h1:eth0"
  b      = "sw1:swp1"
  speed  = "400000M"
  length = "0.5km"
}`, Options{})
	require.Equal(t, "sw1", s.Fabric.Root.V)
	require.Len(t, s.Hosts, 3)
	h := s.Hosts[1]
	require.Len(t, h.NICs, 3)
	require.Equal(t, "ens2f0", h.NICs[1].Name)
	require.Equal(t, "192.0.2.2/24", h.NICs[1].IP.V.String())
	require.Equal(t, 8, h.NICs[1].TOS.V)
	require.Equal(t, 0, h.NICs[1].VFRoCE[0].VF)
	require.False(t, h.NICs[1].VFRoCE[0].On.V)
	require.Equal(t, "100", h.NICs[1].Tuning.Stall.V)
	for i, want := range []string{"4", "5"} { // each host has its own values
		var texts []string
		for _, p := range slices.Concat(s.Hosts[i].NICs[1].Tuning.DCQCN, s.Hosts[i].NICs[1].Tuning.NVRAM) {
			texts = append(texts, p.Name+"="+p.Value.V)
		}
		require.Equal(t, []string{"min_time_between_cnps=" + want, "rpg_ai_rate=20", "CNP_DSCP=48", "LINK_TYPE=ETH", "LLDP_NB_DCBX=false"}, texts)
	}
	require.Len(t, h.NICs[0].TrafficClasses, 2)
	require.Equal(t, 1, h.NICs[0].TrafficClasses[1].TOS.V)
	require.Equal(t, 0, s.Hosts[0].NICs[0].TrafficClasses[1].TOS.V)
	require.Equal(t, "ens2f0", h.Bonds[0].NICs[1].V)
	require.Equal(t, "4.3.0", s.Switches[0].Version.V)
	var dscps []int
	for _, v := range s.CosGroups[0].DSCP {
		dscps = append(dscps, v.V)
	}
	require.Equal(t, []int{0, 56, 46, 0, 44, 38, 0}, dscps)
	require.True(t, s.CosGroups[0].PCPSet)
	require.Equal(t, 1536, s.CosGroups[0].PFC.Buffer.V)
	require.Equal(t, 400_000, s.Links[0].Block.Speed.V)
	require.Equal(t, 500.0, s.Links[0].Block.Length.V)
	m := s.Roces[0].Members
	require.Len(t, m, 4)
	require.Equal(t, "h", m[0].Group)
	require.Equal(t, Member{Host: "h2", NIC: "ens1f0", At: m[3].At}, m[3])
}

func TestForEach(t *testing.T) {
	s := mustLoad(t, `fabric "f" {}
locals { racks = { b = 2, a = 3 } }
switch "tor" {
  for_each = local.racks
  names    = "tor-${each.key}"
  model    = "sn2700"
  asn      = 65000 + each.value + self.index
}
link "up" {
  for_each = toset(["a", "b"])
  a        = "tor-${each.key}:swp1"
  b        = "spine1:swp${each.key == "a" ? 1 : 2}"
}`, Options{})
	require.Equal(t, "tor-a", s.Switches[0].Name)
	require.Equal(t, 65003, s.Switches[0].ASN.V)
	require.Equal(t, "tor-b", s.Switches[1].Name)
	require.Equal(t, 1, s.Switches[1].Index)
	require.Equal(t, 65003, s.Switches[1].ASN.V)
	require.Equal(t, "up[b]", s.Links[1].Block.Name)
	require.Equal(t, "swp2", s.Links[1].B.Port)
}

func TestVariables(t *testing.T) {
	const src = `fabric "f" { mtu = var.mtu }
variable "mtu" { default = 9000 }
variable "racks" {
  type    = list(string)
  default = []
}
host "h" {
  names = [for r in var.racks : "h${r}"]
}`
	load := func(o Options) string {
		s, ds := loadText(t, src, o)
		if ds.HasErrors() {
			return ds[0].Code + ": " + place(s, ds[0].At)
		}
		return fmt.Sprint(s.Fabric.MTU.V, len(s.Hosts))
	}
	file := VarFile{"x.hclvars", []byte("mtu = 3000\nracks = [\"1\", \"2\"]\n")}
	require.Equal(t, "9000 0", load(Options{}))
	require.Equal(t, "2000 0", load(Options{Env: []string{"ROCEC_VAR_mtu=2000", "ROCEC_VAR_other=1", "HOME=/"}}))
	require.Equal(t, "3000 2", load(Options{Env: []string{"ROCEC_VAR_mtu=2000"}, VarFiles: []VarFile{file}}))
	require.Equal(t, "5000 2", load(Options{VarFiles: []VarFile{file}, Vars: []string{"mtu=4000", "mtu=5000"}}))
	require.Equal(t, "9000 1", load(Options{Vars: []string{`racks=["7"]`}}))
	require.Equal(t, "undeclared-variable: mut=1", load(Options{Vars: []string{"mut=1"}}))
	require.Equal(t, "bad-variable: x", load(Options{Vars: []string{"x"}}))
	require.Equal(t, "bad-variable: many", load(Options{Vars: []string{"mtu=many"}}))
	require.Equal(t, "undeclared-variable: mut", load(Options{VarFiles: []VarFile{{"y", []byte("mut = 1")}}}))
	require.Equal(t, "unknown-block: b", load(Options{VarFiles: []VarFile{{"y", []byte("b {}")}}}))
	require.Contains(t, load(Options{Vars: []string{`racks=[`}}), "bad-variable")
	require.Contains(t, load(Options{Vars: []string{`racks=[host.h]`}}), "unknown-reference")
}

func TestSeveralPlaces(t *testing.T) {
	s, ds := loadText(t, "fabric \"f\" {}\nhost \"a\" { names = \"x[1-2]\" }\nhost \"b\" { names = \"y,x2\" }\n", Options{})
	require.Len(t, ds, 1)
	require.Equal(t, "x2", place(s, ds[0].At))
	require.Equal(t, "x[1-2]", place(s, ds[0].Notes[0].At))

	_, ds = loadText(t, "fabric \"f\" {\n  mtu = 1500\n  mtu = 1500\n}\n", Options{})
	require.Equal(t, 2, ds[0].Notes[0].At.Start.Line)
}

func TestDeterministic(t *testing.T) {
	src, err := os.ReadFile("testdata/bad/several-elements-wrong.hcl")
	require.NoError(t, err)
	s, ds := loadText(t, string(src), Options{})
	for range 5 {
		s2, ds2 := loadText(t, string(src), Options{})
		require.Equal(t, show(s, ds), show(s2, ds2))
	}
}

// A file with mistakes in all blocks has many messages, but their number is bounded.
func TestManySlips(t *testing.T) {
	src := "fabric \"f\" {}\n" + strings.Repeat("host \"h\" {\n  names 5\n}\n", 30)
	_, ds := loadText(t, src, Options{})
	require.Len(t, ds, 20)
	for i, d := range ds {
		require.Equal(t, "syntax", d.Code)
		require.Equal(t, 3*i+3, d.At.Start.Line)
	}
}

// A missing quote is reported once. After it, text and quoted strings would be exchanged.
func TestMissingQuote(t *testing.T) {
	fsys := fstest.MapFS{"f.hcl": {Data: []byte("fabric \"x\" {\n  routing = \"up-down\n  mtu = 9216\n}\ncos_group \"a\" {\n  cos = 4\n}\n")}}
	_, ds := Load(fsys, ".", Options{})
	require.Len(t, ds, 1)
	require.Equal(t, "syntax", ds[0].Code)
	require.Equal(t, 2, ds[0].At.Start.Line)
}
