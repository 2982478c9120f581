package compiler

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
)

// loaded loads a fabric that package lang accepts.
func loaded(t testing.TB, fsys fs.FS, dir string, vars ...string) *lang.Source {
	t.Helper()
	src, ds := lang.Load(fsys, dir, lang.Options{Vars: vars})
	require.Empty(t, texts(ds), "a mistake of the language")
	return src
}

func compiled(t require.TestingT, src *lang.Source) *ir.Fabric {
	f, ds := Compile(src, targets.Known)
	for _, d := range ds {
		require.Fail(t, "unexpected diagnostic", "%s: %s", d.Code, d.Detail)
	}
	require.NotNil(t, f)
	return f
}

func device(f *ir.Fabric, name string) *ir.Device {
	i := slices.IndexFunc(f.Devices, func(d *ir.Device) bool { return d.Name == name })
	return f.Devices[i]
}

func port(f *ir.Fabric, name string) *ir.Port {
	i := slices.IndexFunc(f.Ports, func(p *ir.Port) bool { return p.String() == name })
	if i < 0 {
		return nil
	}
	return f.Ports[i]
}

func TestCompileClos(t *testing.T) {
	f := compiled(t, clos(4, 2, 12))

	require.Len(t, f.Devices, 4+2+48)
	assert.Equal(t, "gpu1", f.Devices[0].Name)
	assert.Equal(t, "gpu2", f.Devices[1].Name, "natural order")
	assert.Equal(t, "spine2", f.Devices[len(f.Devices)-1].Name)
	for i, d := range f.Devices {
		require.Equal(t, i, d.ID)
		require.Same(t, f, d.Fabric)
		for j, p := range d.Ports {
			require.Equal(t, j, p.Index)
			require.Same(t, d, p.Device())
		}
	}
	for i, p := range f.Ports {
		require.Equal(t, i, p.ID)
		require.Same(t, p, p.Peer().Peer())
		require.NotSame(t, p, p.Peer())
	}
	for i, l := range f.Links {
		require.Equal(t, i, l.ID)
		require.Equal(t, l.A().Device().Switch != nil, l.Routed, "switches are routed under up-down, hosts bridged")
	}
	leaf := device(f, "leaf1")
	var names []string
	for _, p := range leaf.Ports {
		names = append(names, p.Name)
	}
	assert.Equal(t, []string{
		"swp1", "swp2", "swp3", "swp4", "swp5", "swp6", "swp7", "swp8", "swp9", "swp10", "swp11", "swp12", "swp13",
		"swp14",
	}, names)
	assert.Equal(t, 1, leaf.Switch.Tier)
	assert.Equal(t, "hosts are connected to it", leaf.Switch.TierFrom.Why)
	assert.Equal(t, 2, device(f, "spine1").Switch.Tier)
	assert.Equal(t, "spectrum3", leaf.Switch.Model.ASIC.Name)
	assert.Equal(t, "cumulus", leaf.SSH.User)

	require.Len(t, f.Intents, 1)
	require.Len(t, f.Intents[0].Members, 48)
	assert.Equal(t, "gpu10", f.Intents[0].Members[9].NIC.Device.Name)
	assert.Equal(t, f.Intents, f.Intents[0].Members[0].NIC.Intents)
	assert.Same(t, f.CosGroups[0], f.Intents[0].Group)

	// The up link: 30 m at 100G, MTU 9216, cells of 144 B.
	up := port(f, "leaf1:swp13")
	assert.Equal(t, 100_000, up.Speed())
	assert.Equal(t, 9216, up.MTU())
	require.Len(t, up.Buffers(), 1)
	b := up.Carries(f.CosGroups[0])
	require.NotNil(t, b)
	assert.Equal(t, 118_224, b.Need) // (9216 + 3788 + 819 + 25216) x 3 + 1024, in cells
	assert.Equal(t, 18_000, b.Xoff.N)
	assert.Equal(t, 2016, b.XonDelta.N)
	assert.Equal(t, b.Need, b.Headroom())
	from := b.Size.On(up.Link()).From
	assert.Equal(t, "cable of 30 m", from[0].Why)
	assert.NotEmpty(t, from[0].At.Filename)
	var why []string
	for _, o := range from[1:] {
		why = append(why, o.Why)
	}
	assert.Equal(t, []string{
		"slower end: NVIDIA SN4600C, 100G", "mtu = 9216", "pause response at 100G: 394 quanta x 64 B",
		"Spectrum-3: cells of 144 B", "xoff of 18000 B and headroom of 118224 B",
	}, why)
	assert.Same(t, b, port(f, "leaf3:swp14").Buffers()[0], "alike ports share")
	assert.NotSame(t, b, port(f, "leaf1:swp1").Buffers()[0])

	require.Len(t, up.Marks(), 1)
	assert.Equal(t, 17*9216, up.Marks()[0].Min.N, "150 KiB in steps of 64 cells, as the chip rounds")
	assert.Equal(t, 170*9216, up.Marks()[0].Max.N)
	assert.Equal(t, 100, up.Marks()[0].Probability.N)
	assert.Equal(t, 5*9216, port(f, "leaf1:swp1").Marks()[0].Min.N, "scaled with the speed: 25G")

	// The host's end carries the group, and its sizes are the driver's.
	nic := port(f, "gpu1:ens1f0")
	require.NotNil(t, nic.Carries(f.CosGroups[0]))
	assert.False(t, nic.Buffers()[0].Size.Set())
	assert.Equal(t, 46_104, nic.Buffers()[0].Need, "what mlx5 takes at least: 25G counted as 40G, 3 m, MTU 9000")
	assert.Empty(t, nic.Marks())
	assert.Equal(t, 9000, nic.MTU())
	assert.Same(t, nic, nic.NIC.Port)
	assert.Equal(t, -1, nic.NIC.TOS)

	require.NotNil(t, f.Routes)
	turns, err := f.Routes.Turns(f.CosGroups[0], ir.State{})
	require.NoError(t, err)
	assert.True(t, turns.Has(port(f, "spine1:swp1"), port(f, "spine1:swp2")))
	assert.False(t, turns.Has(up, port(f, "leaf1:swp14")), "no way up again")
}

// Each test case makes one mistake in an otherwise good fabric of 2 leaves, 2 spines and 4 hosts.
func TestMistakes(t *testing.T) {
	a := &author{line: 5000}
	place := func(line int) diag.Range { return (&author{line: line - 1}).at() }
	newBlock := func() *lang.LinkBlock {
		return &lang.LinkBlock{Kind: "link", Name: "more", Decl: place(900), Length: val(a, 3.0)}
	}
	link := func(s *lang.Source, from, to string) *lang.Link {
		ad, ap, _ := strings.Cut(from, ":")
		bd, bp, _ := strings.Cut(to, ":")
		l := &lang.Link{
			Block: newBlock(), A: lang.Endpoint{Device: ad, Port: ap, At: new(place(901))},
			B: lang.Endpoint{Device: bd, Port: bp, At: new(place(902))},
		}
		s.Links = append(s.Links, l)
		return l
	}
	addNIC := func(s *lang.Source, host int, n *lang.NIC) {
		h := s.Hosts[host]
		h.NICs = append(slices.Clone(h.NICs), n)
	}

	seen := map[string]bool{}
	for _, c := range []struct {
		name string
		make func(s *lang.Source)
		code string
		line int      // of the finding; 0: not checked
		want []string // in the detail and the notes
	}{
		{
			"unknown switch model", func(s *lang.Source) { s.Switches[0].Model = lang.Value[string]{V: "sn27000", At: place(900)} },
			"unknown-model", 900,
			[]string{`no "sn27000"`, `Did you mean "sn2700"?`, "switch_model"},
		},
		{"unknown NIC model", func(s *lang.Source) {
			s.Hosts[0].NICs = []*lang.NIC{{Name: "ens1f0", Model: lang.Value[string]{V: "connectx-9000", At: place(900)}}}
		}, "unknown-model", 900, []string{`no "connectx-9000"`, "soft-roce", "nic_model"}},
		{
			"unknown chip", func(s *lang.Source) { s.SwitchModels[0].ASIC = lang.Value[string]{V: "spektrum", At: place(900)} },
			"unknown-model", 900,
			[]string{`Did you mean "spectrum"?`},
		},
		{"unknown family", func(s *lang.Source) {
			s.NICModels = []*lang.NICModel{{
				Name: "x", Decl: place(899), Family: lang.Value[string]{V: "mlx6", At: place(900)},
				Speed: val(a, 100_000),
			}}
		}, "unknown-model", 900, []string{`Did you mean "mlx4"?`}},
		{
			"model too fast", func(s *lang.Source) { s.SwitchModels[0].Speed = lang.Value[int]{V: 800_000, At: place(900)} },
			"model-invalid", 900,
			[]string{"Spectrum-3 has ports of 400G at most"},
		},
		{
			"model with a made-up speed", func(s *lang.Source) { s.SwitchModels[0].Speed = lang.Value[int]{V: 30_000, At: place(900)} },
			"model-invalid", 900,
			[]string{"30G"},
		},
		{
			"model without ports", func(s *lang.Source) { s.SwitchModels[0].Ports = lang.Value[int]{V: 0, At: place(900)} },
			"model-invalid", 900,
			[]string{"and big has 0"},
		},
		{
			"model the tables know", func(s *lang.Source) {
				s.SwitchModels = append(s.SwitchModels, &lang.SwitchModel{
					Name: "MSN2700", Decl: place(900), ASIC: val(a, "spectrum"), Ports: val(a, 8),
					Speed: val(a, 100_000),
				})
			},
			"model-invalid", 900,
			[]string{"Mellanox SN2700"},
		},
		{
			"no release", func(s *lang.Source) { s.Switches[0].Version = lang.Value[string]{V: "latest", At: place(900)} },
			"version-invalid", 900,
			[]string{`"latest"`, "3.4.3"},
		},
		{"tier 0", func(s *lang.Source) { s.Switches[0].Tier = lang.Value[int]{V: 0, At: place(900)} }, "tier-invalid", 900, nil},
		{
			"unknown device", func(s *lang.Source) { link(s, "gpu1:ens1f0", "leaf11:swp60") },
			"unknown-device", 902,
			[]string{`"leaf11"`, `Did you mean "leaf1"?`},
		},
		{
			"unknown root", func(s *lang.Source) { s.Fabric.Root = lang.Value[string]{V: "spine9", At: place(900)} },
			"unknown-device", 900,
			[]string{"root of the spanning tree", `"spine1"`},
		},
		{
			"host as root", func(s *lang.Source) { s.Fabric.Root = lang.Value[string]{V: "gpu1", At: place(900)} }, "unknown-device", 900,
			[]string{"is a host"},
		},
		{
			"unknown interface", func(s *lang.Source) { link(s, "gpu1:ens1f1", "leaf1:swp60") },
			"unknown-interface", 901,
			[]string{`no nic block "ens1f1"`, `"ens1f0"?`, "gpu1 has ens1f0."},
		},
		{"cable to a bond", func(s *lang.Source) {
			addNIC(s, 0, &lang.NIC{Name: "ens1f1", Decl: place(910), Model: val(a, "connectx-5")})
			s.Hosts[0].Bonds = []*lang.Bond{{
				Name: "bond0", Decl: place(911), Mode: val(a, "802.3ad"),
				NICs: []lang.Value[string]{val(a, "ens1f0"), val(a, "ens1f1")},
			}}
			link(s, "gpu1:bond0", "leaf1:swp60")
		}, "unknown-interface", 901, []string{"bond0 is a bond of gpu1"}},
		{
			"unknown port", func(s *lang.Source) { link(s, "leaf1:swp65", "spine1:swp60") },
			"unknown-port", 901,
			[]string{`no port "swp65".`, "It has swp1-64 (100G, splits into 4)."},
		},
		{
			"port split too far", func(s *lang.Source) { link(s, "leaf1:swp60s4", "spine1:swp60") },
			"unknown-port", 901,
			[]string{`no port "swp60s4": a port of 100G splits into 4 at most.`},
		},
		{
			"port of another spelling", func(s *lang.Source) { link(s, "leaf1:Ethernet4", "spine1:swp60") }, "unknown-port", 901,
			[]string{`"Ethernet4"`},
		},
		{
			"port used twice", func(s *lang.Source) { link(s, "leaf1:swp1", "spine1:swp60") },
			"port-used-twice", 901,
			[]string{"leaf1:swp1 is the end of two cables", "the other cable ends here too"},
		},
		{"NIC used twice", func(s *lang.Source) { link(s, "gpu1:ens1f0", "leaf1:swp60") }, "port-used-twice", 901, []string{"gpu1:ens1f0"}},
		{
			"whole and split", func(s *lang.Source) { link(s, "leaf1:swp2s1", "spine1:swp60") },
			"port-split-and-whole", 901,
			[]string{"swp2 and swp2s1", "used whole here"},
		},
		{"even port split in four", func(s *lang.Source) {
			s.Switches[0].Model = val(a, "sn2700")
			link(s, "leaf1:swp8s3", "spine1:swp60")
		}, "unknown-port", 901, []string{"only odd ports split into four; swp8 is even"}},
		{"port taken by its neighbour", func(s *lang.Source) {
			s.Switches[0].Model = val(a, "sn2700")
			link(s, "leaf1:swp7s3", "spine1:swp60")
			link(s, "leaf1:swp8", "spine1:swp61")
		}, "port-split-and-whole", 901, []string{"swp7 is split, so swp8 cannot be used"}},
		{"port split in eight", func(s *lang.Source) {
			s.Switches[0].Model = val(a, "sn4700")
			link(s, "leaf1:swp27s7", "spine1:swp60")
			link(s, "leaf1:swp28", "spine1:swp61")
		}, "port-split-and-whole", 901, []string{"split into eight disables the next one: swp27 is split, so swp28 cannot be used"}},
		{"even port split in four, of a pair", func(s *lang.Source) {
			s.Switches[0].Model = val(a, "sn4600c")
			link(s, "leaf1:swp59", "spine1:swp60")
			link(s, "leaf1:swp60s2", "spine1:swp61")
		}, "port-split-and-whole", 901, []string{"disables the one before: swp60 is split, so swp59 cannot be used"}},
		{"even port split in eight", func(s *lang.Source) {
			s.Switches[0].Model = val(a, "sn5400")
			link(s, "leaf1:swp60s7", "spine1:swp60")
		}, "unknown-port", 901, []string{"only odd ports split into eight; swp60 is even"}},
		{"loop on a device", func(s *lang.Source) { link(s, "leaf1:swp60", "leaf1:swp61") }, "link-to-itself", 902, []string{"leaf1"}},
		{"hosts back to back", func(s *lang.Source) {
			addNIC(s, 0, &lang.NIC{Name: "b", Decl: place(910), Model: val(a, "connectx-5")})
			addNIC(s, 1, &lang.NIC{Name: "b", Decl: place(911), Model: val(a, "connectx-5")})
			link(s, "gpu1:b", "gpu2:b")
		}, "link-between-hosts", 902, []string{"gpu1 and gpu2", "forwards = true"}},
		{"a bond that ends at a host", func(s *lang.Source) {
			s.Links[0].Block.Marks = &lang.LinkMarks{Bond: lang.Value[bool]{V: true, At: place(900)}}
		}, "link-bond", 900, []string{"gpu1 is a host", "a bond block in its host block"}},
		{"a bond of two speeds", func(s *lang.Source) {
			link(s, "leaf1:swp60", "spine1:swp60").Block.Marks = &lang.LinkMarks{Bond: lang.Value[bool]{V: true, At: place(900)}}
			one := s.Links[len(s.Links)-1].Block
			two := *one // in a cabling file that states other values for this cable
			one.Speed, two.Speed = lang.Value[int]{V: 25_000, At: place(903)}, lang.Value[int]{V: 10_000, At: place(904)}
			link(s, "leaf1:swp61", "spine1:swp61").Block = &two
		}, "link-bond", 900, []string{"between leaf1 and spine1", "25G", "10G"}},
		{"too fast for a port", func(s *lang.Source) {
			link(s, "leaf1:swp60", "spine1:swp60").Block.Speed = lang.Value[int]{V: 200_000, At: place(900)}
		}, "speed-mismatch", 900, []string{"cannot run at 200G", "100G at most"}},
		{"too fast for a NIC", func(s *lang.Source) {
			addNIC(s, 0, &lang.NIC{Name: "b", Decl: place(910), Model: val(a, "connectx-5")})
			link(s, "gpu1:b", "spine1:swp60").Block.Speed = lang.Value[int]{V: 200_000, At: place(900)}
		}, "speed-mismatch", 900, []string{"gpu1:b cannot run at 200G: this port of", "100G at most"}},
		{"too fast for part of a port", func(s *lang.Source) {
			link(s, "leaf1:swp60s3", "spine1:swp60").Block.Speed = lang.Value[int]{V: 50_000, At: place(900)}
		}, "speed-mismatch", 900, []string{"leaf1:swp60s3 cannot run at 50G", "part of a split port", "25G at most"}},
		{"40G over two lanes", func(s *lang.Source) {
			link(s, "leaf1:swp60s1", "spine1:swp60").Block.Speed = lang.Value[int]{V: 40_000, At: place(900)}
		}, "speed-mismatch", 900, []string{"40G takes four lanes, and it has 2"}},
		{"not an Ethernet speed", func(s *lang.Source) {
			link(s, "leaf1:swp60", "spine1:swp60").Block.Speed = lang.Value[int]{V: 56_000, At: place(900)}
		}, "speed-mismatch", 900, []string{"not an Ethernet speed"}},
		{"ends without a common speed", func(s *lang.Source) {
			s.Switches[3].Model = val(a, "s6000")
			addNIC(s, 0, &lang.NIC{Name: "b", Decl: place(910), Model: val(a, "bcm57414")})
			link(s, "gpu1:b", "spine2:swp30")
		}, "speed-mismatch", 900, []string{"do not agree on a speed", "run at 10G", "Give the link a speed"}},
		{
			"unknown member", func(s *lang.Source) { s.Roces[0].Members = []lang.Member{{Host: "gpu9", At: place(900)}} },
			"unknown-member", 900,
			[]string{`"gpu9"`},
		},
		{
			"switch as member", func(s *lang.Source) { s.Roces[0].Members = []lang.Member{{Host: "leaf1", At: place(900)}} },
			"unknown-member", 900,
			[]string{`"leaf1" is a switch`},
		},
		{
			"interface of a member", func(s *lang.Source) { s.Roces[0].Members = []lang.Member{{Host: "gpu1", NIC: "ens1f", At: place(900)}} },
			"unknown-member", 900,
			[]string{`no nic block "ens1f"`, `Did you mean "ens1f0"?`},
		},
		{"member switched off", func(s *lang.Source) {
			addNIC(s, 0, &lang.NIC{Name: "b", Decl: place(910), Model: val(a, "connectx-5"), RoCE: val(a, false)})
			s.Roces[0].Members = []lang.Member{{Host: "gpu1", NIC: "b", At: place(900)}}
		}, "member-without-roce", 900, []string{"roce = false"}},
		{"host switched off", func(s *lang.Source) {
			s.Hosts[0].NICs = []*lang.NIC{{Name: "ens1f0", Decl: place(910), Model: val(a, "connectx-5"), RoCE: val(a, false)}}
			s.Roces[0].Members = []lang.Member{{Host: "gpu1", At: place(900)}}
		}, "member-without-roce", 900, []string{"no NIC with RoCE on"}},
		{"bond of one", func(s *lang.Source) {
			s.Hosts[0].Bonds = []*lang.Bond{{Name: "bond0", Decl: place(900), Mode: val(a, "802.3ad"), NICs: []lang.Value[string]{val(a, "ens1f0")}}}
		}, "bond-invalid", 900, []string{"names 1"}},
		{"bond of strangers", func(s *lang.Source) {
			addNIC(s, 0, &lang.NIC{Name: "b", Decl: place(910), Model: val(a, "e810")})
			s.Hosts[0].Bonds = []*lang.Bond{{
				Name: "bond0", Decl: place(900), Mode: val(a, "802.3ad"),
				NICs: []lang.Value[string]{val(a, "ens1f0"), val(a, "b")},
			}}
		}, "bond-invalid", 900, []string{"one card", "E810"}},
		{"bond mode", func(s *lang.Source) {
			addNIC(s, 0, &lang.NIC{Name: "b", Decl: place(910), Model: val(a, "connectx-5")})
			s.Hosts[0].Bonds = []*lang.Bond{{
				Name: "bond0", Decl: place(901), Mode: lang.Value[string]{V: "balance-rr", At: place(900)},
				NICs: []lang.Value[string]{val(a, "ens1f0"), val(a, "b")},
			}}
		}, "bond-invalid", 900, []string{"balance-rr", "active-backup, balance-xor and 802.3ad"}},
		{"bond of nothing", func(s *lang.Source) {
			s.Hosts[0].Bonds = []*lang.Bond{{Name: "bond0", Decl: place(901), Mode: val(a, "802.3ad"), NICs: []lang.Value[string]{
				val(a, "ens1f0"), {V: "ens1f1", At: place(900)},
			}}}
		}, "unknown-interface", 900, []string{`"ens1f1"`, "bond0"}},
		{
			"no length", func(s *lang.Source) { s.Links[len(s.Links)-1].Block.Length = lang.Value[float64]{} },
			"cable-length-missing", 0,
			[]string{`mesh "uplinks"`, `"rdma"`, "the same holds for"},
		},
		{
			"no routing", func(s *lang.Source) { s.Fabric.Routing = lang.Value[string]{} },
			"routing-missing", 0,
			[]string{`"rdma" crosses a ring of 4 links`, "the ring: leaf1:swp3 to spine1:swp1"},
		},
		{
			"no AS number", func(s *lang.Source) { s.Fabric.Routing = lang.Value[string]{V: "ebgp", At: place(900)} },
			"asn-missing", 0,
			[]string{"leaf1", "the same holds for leaf2"},
		},
		{"written by others and set by hand", func(s *lang.Source) {
			s.Hosts[0].ByHand = &lang.ByHand{Decl: place(901)}
			s.Hosts[0].WrittenBy = lang.Value[string]{V: "others", At: place(900)}
		}, "written-by-hand", 900, []string{`written_by = "others"`, "the by_hand block"}},
		{"config unknown to the system", func(s *lang.Source) {
			s.Switches[0].Config = lang.Value[string]{V: "file", At: place(900)}
		}, "config-invalid", 900, []string{`cannot configure Cumulus Linux by "file"`, `"files"?`}},
		{"config that the release does not have", func(s *lang.Source) {
			s.Switches[0].Config, s.Switches[0].Version = lang.Value[string]{V: "NVUE", At: place(900)}, val(a, "5.1.0")
		}, "config-invalid", 900, []string{`config = "nvue"`, "there NVUE supports only the RoCE preset", `Write config = "files"`}},
		{"an unknown way of a system", func(s *lang.Source) {
			s.Switches[0].Config, s.Switches[0].OS = lang.Value[string]{V: "files", At: place(900)}, val(a, "junos")
		}, "config-invalid", 900, []string{`at most one way to configure "junos"`}},
		{"config and set by hand", func(s *lang.Source) {
			s.Switches[0].ByHand = &lang.ByHand{Decl: place(901)}
			s.Switches[0].Config = lang.Value[string]{V: "files", At: place(900)}
		}, "config-invalid", 900, []string{`config = "files"`, "its by_hand block"}},
		{"memory stated and set by hand", func(s *lang.Source) {
			s.Switches[0].ByHand = &lang.ByHand{Decl: place(901)}
			s.Switches[0].Memory = lang.Value[string]{V: "written", At: place(900)}
		}, "memory-by-hand", 900, []string{`memory = "written"`, "its by_hand block"}},
		{"a parameter that the driver lacks", func(s *lang.Source) {
			s.Hosts[0].NICs[0].Tuning = &lang.Tuning{DCQCN: []lang.Parameter{{Name: "rp_ai_rate", At: place(900), Value: val(a, "20")}}}
		}, "nic-parameter", 900, []string{`"rp_ai_rate"`, `Did you mean "rpg_ai_rate"?`}},
	} {
		seen[c.code] = true
		t.Run(c.name, func(t *testing.T) {
			s := clos(2, 2, 2)
			c.make(s)
			f, ds := Compile(s, targets.Known)
			require.Nil(t, f)
			i := slices.IndexFunc(ds, func(d *diag.Diagnostic) bool { return d.Code == c.code })
			require.GreaterOrEqual(t, i, 0, "%v", texts(ds))
			if c.line > 0 {
				assert.Equal(t, c.line, ds[i].At.Start.Line)
			}
			assert.NotEmpty(t, ds[i].At.Filename)
			for _, w := range c.want {
				assert.Contains(t, texts(ds[i : i+1])[0], w)
			}
			for _, d := range ds {
				assert.Equal(t, c.code, d.Code, "one mistake has one code: %s", d.Detail)
			}
		})
	}
	for _, c := range tableMistakes {
		seen[c.code] = true // with a separate test
	}
	seen[topicLockChanged.Code], seen[topicLockIncomplete.Code] = true, true // of pin_test.go
	for _, topic := range Topics {
		assert.True(t, seen[topic.Code], "no test makes the mistake %s", topic.Code)
	}
}

// For random names and numbers Compile returns a fabric or an error with a place, and never panics.
func TestAnySourceIsCompiledOrRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := clos(2, 2, 2)
		a := &author{line: 9000}
		names := rapid.SampledFrom([]string{
			"", "leaf1", "leaf2", "spine1", "gpu1", "gpu4", "nobody", "sn2700", "sn2201", "s6000", "as4610-54t", "big",
			"ens1f0", "swp1", "swp1s0", "swp1s3", "swp3", "swp64", "connectx-3", "soft-roce", "e810",
		})
		number := rapid.SampledFrom([]int{-1, 0, 1, 2, 100, 10_000, 25_000, 40_000, 56_000, 100_000, 400_000, 1 << 40})
		for range rapid.IntRange(1, 6).Draw(t, "changes") {
			l := s.Links[rapid.IntRange(0, len(s.Links)-1).Draw(t, "link")]
			sw := s.Switches[rapid.IntRange(0, len(s.Switches)-1).Draw(t, "switch")]
			switch rapid.IntRange(0, 11).Draw(t, "what") {
			case 0:
				l.A.Device = names.Draw(t, "device")
			case 1:
				l.B.Port = names.Draw(t, "port")
			case 2:
				l.B.Device = names.Draw(t, "device")
			case 3:
				l.Block.Speed = val(a, number.Draw(t, "speed"))
			case 4:
				l.Block.Length = val(a, float64(number.Draw(t, "metres")))
			case 5:
				sw.Model = val(a, names.Draw(t, "model"))
			case 6:
				sw.Tier = val(a, number.Draw(t, "tier"))
			case 7:
				s.Roces[0].Members = append(s.Roces[0].Members, lang.Member{Host: names.Draw(t, "host"), NIC: names.Draw(t, "nic"), At: a.at()})
			case 8:
				s.Fabric.Routing = val(a, rapid.SampledFrom([]string{"up-down", "ebgp", "shortest-path", "spanning-tree", "flooding", "any"}).Draw(t,
					"routing"))
			case 9:
				s.Fabric.Routing = lang.Value[string]{}
			case 10:
				s.Hosts[0].NICs[0].Model = val(a, names.Draw(t, "nic model"))
			case 11:
				s.Hosts[0].Forwards = val(a, true)
			}
		}
		f, ds := Compile(s, targets.Known)
		if f == nil {
			require.True(t, ds.HasErrors())
		} else {
			require.False(t, ds.HasErrors())
		}
		for _, d := range ds {
			require.NotEmpty(t, d.At.Filename, d.Detail)
		}
	})
}

func TestAnEmptySource(t *testing.T) {
	f := compiled(t, &lang.Source{})
	assert.Empty(t, f.Devices)
	assert.NotNil(t, f.Routes)
}

func texts(ds diag.List) []string {
	var out []string
	for _, d := range ds {
		lines := []string{d.Code + ": " + d.Detail}
		for _, n := range d.Notes {
			lines = append(lines, n.Message)
		}
		out = append(out, strings.Join(lines, "\n"))
	}
	return out
}

func TestMistakesAreToldTogether(t *testing.T) {
	s := clos(2, 2, 2)
	s.Fabric.Routing = lang.Value[string]{}
	s.Switches[0].Version.V = "new"
	s.Roces[0].Members = append(s.Roces[0].Members, lang.Member{Host: "nobody", At: s.Roces[0].Decl})
	s.Links[0].A.Device = "gpux"
	_, ds := Compile(s, targets.Known)
	var codes []string
	for _, d := range ds {
		codes = append(codes, d.Code)
	}
	slices.Sort(codes)
	assert.Equal(t, []string{"routing-missing", "unknown-device", "unknown-member", "version-invalid"}, codes)
	assert.True(t, slices.IsSortedFunc(ds, func(a, b *diag.Diagnostic) int { return diag.ComparePlace(a.At, b.At) }))
}

func TestMistakesOfManyAreFolded(t *testing.T) {
	s := clos(40, 2, 2)
	for _, w := range s.Switches[:40] {
		w.Model = lang.Value[string]{V: "sn2010", At: w.Decl} // has swp1-22
	}
	for _, l := range s.Links {
		if l.Block.Name == "hosts" {
			l.B.Port = strings.Replace(l.B.Port, "swp", "swp10", 1)
		}
	}
	_, ds := Compile(s, targets.Known)
	require.Len(t, ds, 1, "%v", texts(ds))
	assert.Contains(t, texts(ds)[0], "the same holds for leaf1:swp102 and leaf[2-40]:swp[101-102]")
}

// shuffled returns the same source, declared in another order.
func shuffled(src *lang.Source, seed uint64) *lang.Source {
	r := rand.New(rand.NewPCG(seed, 1))
	s := *src
	s.Switches, s.Hosts, s.Links, s.CosGroups = slices.Clone(s.Switches), slices.Clone(s.Hosts), slices.Clone(s.Links),
		slices.Clone(s.CosGroups)
	r.Shuffle(len(s.Switches), func(i, j int) { s.Switches[i], s.Switches[j] = s.Switches[j], s.Switches[i] })
	r.Shuffle(len(s.Hosts), func(i, j int) { s.Hosts[i], s.Hosts[j] = s.Hosts[j], s.Hosts[i] })
	r.Shuffle(len(s.Links), func(i, j int) { s.Links[i], s.Links[j] = s.Links[j], s.Links[i] })
	r.Shuffle(len(s.CosGroups), func(i, j int) { s.CosGroups[i], s.CosGroups[j] = s.CosGroups[j], s.CosGroups[i] })
	return &s
}

// dump writes all derived values by name, one line per object.
func dump(f *ir.Fabric) []string {
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	num := func(n ir.Num) string { return fmt.Sprint(n.N, n.From) }
	for _, d := range f.Devices {
		if d.Switch != nil {
			say("%s %s tier %d %v", d.Name, d.Switch.Model.Name, d.Switch.Tier, d.Switch.TierFrom)
		}
		for _, p := range d.Ports {
			say("%s -> %s %d %d %s %v routed=%v", p, p.Peer(), p.Speed(), p.MTU(), num(p.Link().Speed), p.Link().Length, p.Link().Routed)
			for _, b := range p.Buffers() {
				say("%s %s %s %s %s %d %d %v", p, b.Group.Name, num(b.Size.On(p.Link())), num(b.Xoff.On(p.Link())), num(b.XonDelta.On(p.Link())),
					b.Need, b.Floor, b.Terms)
			}
			for _, m := range p.Marks() {
				say("%s %s %s %s %s", p, m.Group.Name, num(m.Min.On(p.Link())), num(m.Max.On(p.Link())), num(m.Probability.On(p.Link())))
			}
		}
	}
	for _, i := range f.Intents {
		for _, m := range i.Members {
			say("%s %s:%s", i.Name, m.NIC.Device.Name, m.NIC.Name)
		}
	}
	return out
}

func TestOrderOfDeclarationDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := clos(rapid.IntRange(1, 4).Draw(t, "leaves"), rapid.IntRange(1, 3).Draw(t, "spines"), rapid.IntRange(1, 4).Draw(t, "hosts"))
		want := dump(compiled(t, src))
		got := dump(compiled(t, shuffled(src, rapid.Uint64().Draw(t, "seed"))))
		require.Equal(t, want, got)
	})
}

func TestAnUnrelatedDeviceChangesNothingElse(t *testing.T) {
	src := clos(3, 2, 3)
	before := dump(compiled(t, src))
	a := &author{line: 9000}
	decl := a.at()
	src.Switches = append(src.Switches, &lang.Switch{
		Name: "lab1", NameAt: decl, Group: "lab", Decl: decl, Model: val(a, "sn2700"),
		Version: val(a, "3.4.3"),
	})
	src.Hosts = append(src.Hosts, &lang.Host{
		Name: "a-host", NameAt: decl, Group: "lab", Decl: decl,
		NICs: []*lang.NIC{{Name: "eth0", Decl: decl, Model: val(a, "connectx-5")}},
	})
	src.Links = append(src.Links, &lang.Link{
		Block: &lang.LinkBlock{Kind: "link", Name: "lab", Decl: decl},
		A:     lang.Endpoint{Device: "a-host", Port: "eth0", At: &decl}, B: lang.Endpoint{Device: "lab1", Port: "swp1", At: &decl},
	})
	f := compiled(t, src)
	after := slices.DeleteFunc(dump(f), func(s string) bool { return strings.HasPrefix(s, "lab1") || strings.HasPrefix(s, "a-host") })
	assert.Equal(t, before, after)
	assert.Empty(t, port(f, "lab1:swp1").Buffers(), "no member there, so no PFC and no length needed")
}
