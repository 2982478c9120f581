package seen_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/compilertest"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/deploy/seen"
	"github.com/rocec/rocec/targets/target"
)

// world is a fabric with the readings of its devices.
type world struct {
	f  *ir.Fabric
	of map[string]*target.Seen
}

// example compiles a folder of examples. Its devices report exactly the state of the fabric.
func example(t testing.TB, name string) *world {
	return as(compilertest.Folder(t, os.DirFS("../../../examples/"+name), "."))
}

// as returns a world whose devices report exactly the state of the fabric.
func as(f *ir.Fabric) *world {
	w := &world{f, map[string]*target.Seen{}}
	for _, d := range w.f.Devices {
		if d.ByHand != nil {
			continue
		}
		s := &target.Seen{Name: d.Name + ".example.net", Ports: map[string]*target.SeenPort{}, Bonds: map[string]*target.SeenBond{}}
		for i, p := range d.Ports {
			peer := p.Peer()
			sp := &target.SeenPort{
				MTU: p.MTU(), Speed: p.Speed(), Up: true, MAC: fmt.Sprintf("52:54:00:00:%02x:%02x", d.ID, i), VLANs: map[int]bool{},
				Neighbours: []target.Neighbour{{Device: peer.Device().Name + ".example.net", Ports: []string{peer.Name}}},
			}
			if nic := peer.NIC; nic != nil {
				for _, in := range nic.Carries() {
					sp.VLANs[in.VLAN] = true
				}
				if nic.Bond != nil && nic.Bond.Mode != "active-backup" {
					sp.Bond = "to-" + nic.Device.Name
					if s.Bonds[sp.Bond] == nil {
						s.Bonds[sp.Bond] = &target.SeenBond{Mode: nic.Bond.Mode, Partner: true}
					}
					s.Bonds[sp.Bond].Ports = append(s.Bonds[sp.Bond].Ports, p.Name)
				}
			} else if d.Switch != nil {
				for _, in := range d.Switch.Intents {
					sp.VLANs[in.VLAN] = true
				}
				if p.Link().Bond != 0 {
					sp.Bond = "to-" + peer.Device().Name
					if s.Bonds[sp.Bond] == nil {
						s.Bonds[sp.Bond] = &target.SeenBond{Mode: "802.3ad", Partner: true}
					}
					s.Bonds[sp.Bond].Ports = append(s.Bonds[sp.Bond].Ports, p.Name)
				}
			}
			s.Ports[p.Name] = sp
		}
		s.MLAG = d.Switch != nil && d.Switch.MLAG != ""
		w.of[d.Name] = s
	}
	return w
}

// port returns the reading of a port: "leaf1:swp1".
func (w *world) port(at string) *target.SeenPort {
	device, port, _ := strings.Cut(at, ":")
	return w.of[device].Ports[port]
}

// cable sets a cable between two ports, as seen by both ends.
func (w *world) cable(a, b string) {
	for _, ends := range [][2]string{{a, b}, {b, a}} {
		device, port, _ := strings.Cut(ends[1], ":")
		w.port(ends[0]).Neighbours = []target.Neighbour{{Device: device + ".example.net", Ports: []string{port}}}
	}
}

func (w *world) judge() *seen.Result {
	of := map[*ir.Device]*target.Seen{}
	for _, d := range w.f.Devices {
		of[d] = w.of[d.Name]
	}
	return seen.Judge(w.f, of)
}

// said formats findings: "severity code refuses [devices] text", with the line of the fabric, and the unread parts.
func said(t testing.TB, name string, r *seen.Result) (out []string) {
	text, err := os.ReadFile("../../../examples/" + name + "/fabric.hcl")
	require.NoError(t, err)
	lines := strings.Split(string(text), "\n")
	for _, f := range r.Findings {
		require.NotEmpty(t, f.At.Filename)
		line := strings.Join(strings.Fields(lines[f.At.Start.Line-1]), " ")
		mark := ""
		if f.Refuses {
			mark = " refuses"
		}
		out = append(out, fmt.Sprintf("%s[%s]%s %v at %s | %s", f.Severity, f.Code, mark, f.Devices, line, f.Detail))
	}
	for _, u := range r.Unread {
		out = append(out, "unread "+u.String())
	}
	return out
}

func TestSoundIsSilent(t *testing.T) {
	for _, name := range []string{"bonded-pair", "rack-v1-pfc", "clos-v2-ecn", "pods-ebgp", "prepared-rack", "soft-roce"} {
		w := example(t, name)
		r := w.judge()
		assert.Empty(t, r.Findings, name)
		assert.Empty(t, r.Unread, name)
		assert.True(t, r.Good())
		assert.Empty(t, r.UnreadText())
	}
}

// Each difference causes one finding, at its line, with its severity.
func TestDifferences(t *testing.T) {
	const pair, rack = "bonded-pair", "rack-v1-pfc"
	for _, c := range []struct {
		name, example string
		mutate        func(w *world)
		want          []string
	}{
		{"two cables changed places", pair, func(w *world) {
			w.cable("leaf1:swp49", "spine2:swp1")
			w.cable("leaf1:swp50", "spine1:swp1")
		}, []string{`error[cable-elsewhere] refuses [leaf1 spine1 spine2] at lower = "leaf[1-2]:swp[49-50]" | ` +
			`leaf1:swp49 is on spine2:swp1, the fabric says spine1:swp1; leaf1:swp50 is on spine1:swp1, the fabric says spine2:swp1. ` +
			`These 2 cables have changed places: swap them, or correct the fabric.`}},
		{"hosts changed places, and only the switches report neighbours", pair, func(w *world) {
			for _, n := range []string{"1", "2"} {
				other := map[string]string{"1": "2", "2": "1"}[n]
				w.of["store"+n].NotRead(target.PartNeighbours, "lldpctl is not installed")
				w.port("leaf1:swp" + n).Neighbours = []target.Neighbour{{Device: "STORE" + other, MAC: w.port("store" + other + ":ens2f0").MAC}}
			}
		}, []string{`error[cable-elsewhere] refuses [leaf1 store1 store2] at b = "leaf1:swp1,leaf2:swp1,leaf1:swp2,leaf2:swp2,leaf1:swp3,leaf2:swp3,` +
			`leaf1:swp4,leaf2:swp4" | leaf1:swp1 is on store2:ens2f0, the fabric says store1:ens2f0; leaf1:swp2 is on store1:ens2f0, the fabric says ` +
			`store2:ens2f0. These 2 cables have changed places: swap them, or correct the fabric.`}},
		{"the two ports of a bond, which share their address", pair, func(w *world) {
			for _, p := range []string{"0", "1"} {
				w.port("store1:ens2f" + p).MAC = "52:54:00:aa:aa:aa"
				w.port("store1:ens2f" + p).Neighbours = nil
				w.port("leaf" + map[string]string{"0": "2", "1": "1"}[p] + ":swp1").Neighbours = []target.Neighbour{
					{Device: "store1", MAC: "52:54:00:aa:aa:aa", Ports: []string{"ens2f" + p}},
				}
			}
		}, []string{`error[cable-elsewhere] refuses [leaf1 leaf2 store1] at b = "leaf1:swp1,leaf2:swp1,leaf1:swp2,leaf2:swp2,leaf1:swp3,leaf2:swp3,` +
			`leaf1:swp4,leaf2:swp4" | leaf1:swp1 is on store1:ens2f1, the fabric says store1:ens2f0; leaf2:swp1 is on store1:ens2f0, the fabric says ` +
			`store1:ens2f1. These 2 cables have changed places: swap them, or correct the fabric.`}},
		{"an address says enough, whatever the name", pair, func(w *world) {
			w.port("leaf1:swp1").Neighbours = []target.Neighbour{{Device: "localhost", MAC: w.port("store1:ens2f0").MAC}}
			w.port("store1:ens2f0").Neighbours = nil
		}, nil},
		{"names that differ in the domain alone", pair, func(w *world) {
			w.of["spine1"].Name, w.of["spine2"].Name = "spine.row1.net", "spine.row2.net"
			for _, leaf := range []string{"leaf1", "leaf2"} {
				w.port(leaf + ":swp49").Neighbours[0].Device = "spine.row1.net"
				w.port(leaf + ":swp50").Neighbours[0].Device = "spine.row2.net"
			}
		}, nil},
		{"one cable in a port that the fabric does not have", pair, func(w *world) {
			w.of["spine1"].Spare = map[string]bool{"swp9": true}
			w.port("leaf1:swp49").Neighbours[0].Ports = []string{"swp9"}
			w.port("spine1:swp1").Neighbours = nil
		}, []string{`error[cable-elsewhere] refuses [leaf1] at lower = "leaf[1-2]:swp[49-50]" | leaf1:swp49 is on spine1:swp9, the fabric says ` +
			`spine1:swp1. Move the cable, or correct the fabric.`}},
		{"a port that calls itself something else", pair, func(w *world) {
			w.port("leaf1:swp49").Neighbours[0].Ports = []string{"Ethernet1/1"}
			w.port("spine1:swp1").Neighbours = nil
		}, nil},
		{"an agent in the firmware of a NIC beside the host's", pair, func(w *world) {
			p := w.port("leaf1:swp1")
			p.Neighbours = append([]target.Neighbour{{MAC: "52:54:00:ff:ff:ff"}, {Device: "bmc-17", Ports: []string{"1"}}}, p.Neighbours...)
		}, nil},
		{"a device that the fabric does not have", pair, func(w *world) {
			w.port("leaf1:swp1").Neighbours = []target.Neighbour{{Device: "old\u202ehost\x1b", Ports: []string{"eth0"}}}
			w.port("store1:ens2f0").Neighbours = nil
		}, []string{`warning[cable-elsewhere] [leaf1] at b = "leaf1:swp1,leaf2:swp1,leaf1:swp2,leaf2:swp2,leaf1:swp3,leaf2:swp3,leaf1:swp4,leaf2:swp4" | ` +
			`leaf1:swp1 is on old\u202ehost\x1b:eth0, which the fabric does not have; the fabric has store1:ens2f0 there. Either the cable ` +
			`goes elsewhere, or another device is in that place.`}},
		{"a name of a device that did not tell its own", pair, func(w *world) {
			w.of["spine1"].Name = ""
			w.port("leaf1:swp49").Neighbours[0].Device = "s1-row7"
			w.port("spine1:swp1").Neighbours = nil
		}, []string{"unread cables of leaf1: neither end sees the other by LLDP"}},
		{"switches that all call themselves the same", pair, func(w *world) {
			for _, d := range []string{"leaf1", "leaf2", "spine1", "spine2"} {
				w.of[d].Name = "cumulus"
			}
			for _, d := range []string{"leaf1", "leaf2", "spine1", "spine2"} {
				for name, p := range w.of[d].Ports {
					if strings.HasPrefix(name, "swp49") || strings.HasPrefix(name, "swp5") || strings.HasPrefix(d, "spine") {
						p.Neighbours[0].Device = "cumulus"
					}
				}
			}
		}, []string{"unread cables of leaf[1-2]: neither end sees the other by LLDP"}},
		{"a host renamed by its address book", pair, func(w *world) { // the reported name counts, and not the name in the fabric
			w.of["store1"].Name = "rz7-0017.example.net"
			w.port("leaf1:swp1").Neighbours[0].Device = "rz7-0017"
			w.port("leaf2:swp1").Neighbours[0].Device = "RZ7-0017.example.net"
		}, nil},
		{"a port that is not split", pair, func(w *world) {
			delete(w.of["leaf1"].Ports, "swp1")
			w.of["leaf1"].Absent = map[string]string{"swp1": "swp1 is split into swp1s0, swp1s1"}
		}, []string{`error[port-missing] refuses [leaf1] at b = "leaf1:swp1,leaf2:swp1,leaf1:swp2,leaf2:swp2,leaf1:swp3,leaf2:swp3,leaf1:swp4,` +
			`leaf2:swp4" | leaf1:swp1 is not there: swp1 is split into swp1s0, swp1s1. Split the port as the fabric says, or correct the fabric.`}},
		{"a faster link", pair, func(w *world) { w.port("leaf1:swp1").Speed = 100000 }, []string{
			`error[port-speed] [leaf1] at speed = "25G" | leaf1:swp1 has a link of 100G; the fabric says 25G. Its headroom is sized for the slower one, and ` +
				`loses lossless packets on the faster.`,
		}},
		{"slower links", pair, func(w *world) { w.port("leaf1:swp1").Speed, w.port("leaf2:swp1").Speed = 10000, 10000 }, []string{
			`warning[port-speed] [leaf1 leaf2] at speed = "25G" | leaf[1-2]:swp1 has a link of 10G; the fabric says 25G.`,
		}},
		{"a link that is down", pair, func(w *world) {
			w.port("leaf1:swp1").Speed, w.port("leaf1:swp1").Up, w.port("leaf1:swp1").Neighbours = 0, false, nil
		}, nil},
		{"the MTU of the factory", pair, func(w *world) {
			for _, p := range w.f.Devices[slices.IndexFunc(w.f.Devices, func(d *ir.Device) bool { return d.Name == "leaf1" })].Ports {
				w.port(p.String()).MTU = 1500
			}
		}, []string{`error[port-mtu] [leaf1] at mtu = 9216 | leaf1:swp[1-4,11-12,49-50,55-56] has an MTU of 1500; the fabric says 9216, and hosts send ` +
			`frames of 9000. Those are dropped here: set the MTU in the configuration of the interface.`}},
		{"a smaller MTU that hosts do not reach", pair, func(w *world) { w.port("leaf1:swp49").MTU = 9100 }, []string{
			`warning[port-mtu] [leaf1] at mtu = 9216 | leaf1:swp49 has an MTU of 9100; the fabric says 9216. Frames between the two are dropped here.`,
		}},
		{"a larger MTU", pair, func(w *world) { w.port("leaf1:swp49").MTU = 9400 }, []string{
			`warning[port-mtu] [leaf1] at mtu = 9216 | leaf1:swp49 has an MTU of 9400; the fabric says 9216. Headroom counts a frame of the latter, so that a ` +
				`larger one may cost a lossless packet.`,
		}},
		{"an MTU that counts headers", pair, func(w *world) { w.port("leaf1:swp49").MTU = 9238 }, nil},
		{"no bond at the switch", pair, func(w *world) { w.port("leaf1:swp2").Bond = "" }, []string{
			`warning[port-bond] [leaf1] at mode = "802.3ad" | leaf1:swp2 is in no bond, and store2 sends by all ports of bond0 (mode 802.3ad): the switch ` +
				`sees one address at several ports. Make it a port of a bond.`,
		}},
		{"a bond without LACP", pair, func(w *world) { w.of["leaf1"].Bonds["to-store2"].Mode = "balance-xor" }, []string{
			`warning[port-bond] [leaf1] at mode = "802.3ad" | leaf1:swp2 is in bond to-store2 of mode balance-xor; bond0 on store2 is of mode 802.3ad. One ` +
				`side speaks LACP, and the other does not.`,
		}},
		{"a bond without a partner", pair, func(w *world) { w.of["leaf1"].Bonds["to-store2"].Partner = false }, []string{
			`warning[port-bond] [leaf1] at mode = "802.3ad" | leaf1:swp2 is in bond to-store2, which sees no LACP partner; bond0 on store2 is of ` +
				`mode 802.3ad.`,
		}},
		{"a peer link whose cables are not in one bond", pair, func(w *world) { w.port("leaf1:swp56").Bond = "" }, []string{
			`warning[port-bond] [leaf1] at bond = true | leaf1:swp56 is in no bond; by bond = true the cables to the same switch are one link. Make ` +
				`them ports of one bond, or remove bond = true.`,
		}},
		{"no MLAG", pair, func(w *world) { w.of["leaf2"].MLAG = false }, []string{
			`warning[mlag-unlike] [leaf2] at mlag = "rack1" | leaf2 belongs to the MLAG pair "rack1" in the fabric, but does not run MLAG.`,
		}},
		{"MLAG that the fabric does not know", pair, func(w *world) { w.of["spine2"].MLAG = true }, []string{
			`warning[mlag-unlike] [spine2] at names = "spine[1-2]" | spine2 is a switch of an MLAG pair, but the fabric does not have the ` +
				`pair, so rocec changes and judges it as a single switch. Write mlag.`,
		}},
		{"a VLAN without its tag", rack, func(w *world) { w.port("tor1:swp2").VLANs[100] = false }, []string{
			`error[port-vlan] [tor1] at roce "nvme" { | tor1:swp2 sends VLAN 100 without a tag, and roce "nvme" travels in it with one: its frames lose ` +
				`their PCP here, and hosts do not take them for that VLAN. Carry the VLAN with a tag.`,
		}},
		{"ports outside of the VLAN", rack, func(w *world) {
			w.port("tor1:swp2").VLANs, w.port("tor1:swp3").VLANs = nil, map[int]bool{1: false}
		}, []string{`error[port-vlan] [tor1] at roce "nvme" { | tor1:swp[2-3] does not carry VLAN 100, in which roce "nvme" travels: its frames are dropped ` +
			`here. rocec writes no VLANs of switches: add the port to the VLAN, with a tag.`}},
		{"a switch that answers half of the queries", rack, func(w *world) {
			s := w.of["tor1"]
			for _, p := range target.Parts {
				s.NotRead(p, "the answer breaks off")
			}
			s.Ports = nil
		}, []string{
			"unread MLAG state of tor1: the answer breaks off", "unread VLANs of tor1: the answer breaks off",
			"unread bonds of tor1: the answer breaks off",
			"unread ports of tor1: the answer breaks off",
		}},
		{"hosts without lldpd", rack, func(w *world) {
			for _, n := range []string{"1", "2", "3", "4", "5"} {
				w.of["store"+n].NotRead(target.PartNeighbours, "lldpctl is not installed")
			}
			w.port("tor1:swp1").Neighbours, w.port("tor1:swp2").Neighbours = nil, nil
		}, []string{"unread cables of store[1-2]: lldpctl is not installed"}},
		{"a switch that was not asked", rack, func(w *world) { delete(w.of, "tor1") }, nil},
		{"hosts that were not asked", rack, func(w *world) {
			for _, n := range []string{"1", "2", "3", "4", "5"} {
				delete(w.of, "store"+n)
			}
			w.port("tor1:swp1").Neighbours = nil
		}, []string{"unread cables of tor1: no neighbour is seen by LLDP, and the other end was not asked"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := example(t, c.example)
			c.mutate(w)
			if r := w.judge(); assert.Equal(t, c.want, said(t, c.example, r)) {
				assert.Equal(t, len(r.Findings) == 0, r.Good())
			}
		})
	}
}

// two returns a fabric of two switches on one bridge, connected by two cables. The arguments are further lines of its blocks.
func two(t testing.TB, link, roce, group string) *world {
	return as(compilertest.Compile(t, twoText(link, roce, group)))
}

func twoText(link, roce, group string) string {
	return `
fabric "two" {
  mtu          = 9216
  cable_length = "5m"
}

cos_group "rdma" {
  cos      = 4
  lossless = true
  weight   = 50
  ` + group + `
}

cos_group "default" {
  cos    = 0
  weight = 50
}

roce "all" {
  cos_group = cos_group.rdma
  members   = [host.node]
  ` + roce + `
}

switch "sw" {
  names   = "sw[1-2]"
  model   = "sn2100"
  os      = "cumulus-linux"
  version = "4.3.0"
}

host "node" {
  names = "node[1-2]"
  nic "eth2" {
    model = "connectx-6-dx"
    mtu   = 9000
  }
}

link "hosts" {
  a = "node[1-2]:eth2"
  b = "sw[1-2]:swp1"
}

link "between" {
  a      = "sw1:swp[15-16]"
  b      = "sw2:swp[15-16]"
  routed = false
  ` + link + `
}
`
}

// told formats findings: "severity code refuses [devices] text".
func told(r *seen.Result) (out []string) {
	for _, f := range r.Findings {
		mark := ""
		if f.Refuses {
			mark = " refuses"
		}
		out = append(out, fmt.Sprintf("%s[%s]%s %v | %s", f.Severity, f.Code, mark, f.Devices, f.Detail))
	}
	return out
}

// The bonds of switches are checked at both ends. The proof of PFC loops relies on them for bridged lossless traffic.
func TestBondsOfSwitches(t *testing.T) {
	const apart = "by bond = true the cables to the same switch are one link. The verdict on PFC loops relies on that: separate bridged " +
		"cables form a " +
		"circle. Make them ports of one bond, or remove bond = true."
	none := func(w *world, ports ...string) {
		for _, p := range ports {
			w.port(p).Bond = ""
		}
	}
	for _, c := range []struct {
		name   string
		mutate func(w *world)
		want   []string
	}{
		{"as the fabric says", func(*world) {}, nil},
		{
			"a cable in no bond", func(w *world) { none(w, "sw1:swp16") },
			[]string{"error[port-bond] refuses [sw1] | sw1:swp16 is in no bond; " + apart},
		},
		{"no bond at all", func(w *world) { none(w, "sw1:swp15", "sw1:swp16", "sw2:swp15", "sw2:swp16") }, []string{
			"error[port-bond] refuses [sw1 sw2] | sw[1-2]:swp[15-16] is in no bond; " + apart,
		}},
		{"two bonds", func(w *world) {
			w.of["sw2"].Bonds["b%d"] = &target.SeenBond{Mode: "802.3ad", Ports: []string{"swp16"}, Partner: true}
			w.port("sw2:swp16").Bond = "b%d"
		}, []string{"error[port-bond] refuses [sw2] | sw2:swp15 is in bond to-sw1, and the other cables in b%d; " + apart}},
		{"a bond that no device reported", func(w *world) { delete(w.of["sw2"].Bonds, "to-sw1") }, []string{
			"error[port-bond] refuses [sw2] | sw2:swp[15-16] is in no bond; " + apart,
		}},
		{"with the port of a host", func(w *world) {
			w.of["sw1"].Bonds["to-sw2"].Ports = []string{"swp1", "swp15", "swp16"}
		}, []string{"error[port-bond] refuses [sw1] | sw1:swp15 is in bond to-sw2 with swp1, which the fabric has elsewhere. The verdict on " +
			"PFC loops " +
			"follows the bonds of the fabric. Take the ports out of the bond, or correct the fabric."}},
		{"with ports the fabric does not have", func(w *world) {
			w.of["sw1"].Bonds["to-sw2"].Ports = []string{"swp15", "swp16", "swp14", "swp13"}
		}, []string{"warning[port-bond] [sw1] | sw1:swp15 is in bond to-sw2 with swp[13-14], which the fabric does not have in this bond. " +
			"Take the " +
			"ports out of that bond, or correct the fabric."}},
		{"LACP on one side", func(w *world) { w.of["sw1"].Bonds["to-sw2"].Mode = "balance-xor" }, []string{
			"warning[port-bond] [sw1] | sw1:swp15 is in a bond of mode balance-xor; sw2 on the other side of the cable has one of mode 802.3ad. " +
				"One side " +
				"speaks LACP, and the other does not.",
		}},
		{"LACP without an answer", func(w *world) {
			w.of["sw1"].Bonds["to-sw2"].Partner = false
			w.port("sw1:swp16").Up = false
		}, []string{"warning[port-bond] [sw1] | sw1:swp15 is in bond to-sw2, which sees no LACP partner on the other side: at most one " +
			"of " +
			"its ports passes traffic."}},
		{"bonds that could not be read", func(w *world) {
			none(w, "sw1:swp15", "sw1:swp16")
			w.of["sw1"].NotRead(target.PartBonds, "the answer breaks off")
		}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := two(t, "bond = true", "version = 2", "dscp = [26]")
			c.mutate(w)
			assert.Equal(t, c.want, told(w.judge()))
		})
	}
	w := two(t, "bond = true\nplanned = true", "version = 2", "dscp = [26]")
	none(w, "sw1:swp15", "sw1:swp16")
	assert.Empty(t, w.judge().Findings, "cables that are not laid")
}

// A bond to both switches of an MLAG pair is one bond on the switch. The fabric has one bond for each of the two.
func TestBondToPair(t *testing.T) {
	w := as(compilertest.Compile(t, strings.NewReplacer(`names   = "sw[1-2]"`, `names   = "sw[1-3]"
  mlag    = self.index > 0 ? "pair" : null`, `a      = "sw1:swp[15-16]"`, `a      = "sw1:swp[13-16]"`, `b      = "sw2:swp[15-16]"`,
		`b      = "sw[2-3]:swp[15-16]"`).Replace(twoText("bond = true", "version = 2", "dscp = [26]"))))
	require.Len(t, w.of["sw1"].Bonds, 2)
	w.of["sw1"].Bonds["up"] = &target.SeenBond{Mode: "802.3ad", Partner: true, Ports: []string{"swp13", "swp14", "swp15", "swp16"}}
	for _, p := range []string{"swp13", "swp14", "swp15", "swp16"} {
		w.port("sw1:" + p).Bond = "up"
	}
	assert.Empty(t, w.judge().Findings)
}

// TestTagsBetweenSwitches: traffic that PCP identifies needs its tag at every bridged hop.
func TestTagsBetweenSwitches(t *testing.T) {
	const v1, v2, dscp, bond, peer = "version = 1\nvlan = 100", "version = 2\nvlan = 100", "dscp = [26]", "bond = true",
		"bond = true\npeer = true"
	lost := func(severity, text string) []string {
		return []string{severity + "[port-vlan] [sw1] | sw1:swp16 " + text}
	}
	untagged := lost("error", `sends VLAN 100 without a tag, and PCP identifies roce "all": its frames lose their PCP here, and the next `+
		`switch does not treat them as lossless. Carry the VLAN with a tag.`)
	absent := lost("error", `does not carry VLAN 100, in which roce "all" travels: its frames are dropped here. rocec writes no VLANs of switches: `+
		`add the port to the VLAN, with a tag.`)
	for _, c := range []struct {
		name, link, roce, group string
		untagged, absent        []string
	}{
		{"RoCEv1", bond, v1, "", untagged, absent},
		{"RoCEv1 over a peer link", peer, v1, "", untagged, absent},
		{"RoCEv2 by PCP", bond, v2, "", untagged, absent},
		{"RoCEv2 by PCP over a peer link", peer, v2, "", untagged, absent},
		{"RoCEv2 by DSCP", bond, v2, dscp, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := two(t, c.link, c.roce, c.group)
			assert.Empty(t, told(w.judge()))
			w.port("sw1:swp16").VLANs[100] = false
			assert.Equal(t, c.untagged, told(w.judge()))
			delete(w.port("sw1:swp16").VLANs, 100)
			assert.Equal(t, c.absent, told(w.judge()))
		})
	}
	w := as(compilertest.Compile(t, strings.Replace(twoText(peer, v1, ""), `version = "4.3.0"`, "version = \"4.3.0\"\n  mlag = \"pair\"", 1)))
	delete(w.port("sw1:swp16").VLANs, 100)
	assert.Equal(t, lost("warning", `does not carry VLAN 100, in which roce "all" travels: where its frames pass from one switch of the pair to the `+
		`other, as after a failure, they are dropped here. rocec writes no VLANs of switches: add the port to the VLAN, with a tag.`),
		told(w.judge()))
}

// Of leaves out findings that concern none of the given devices.
func TestOf(t *testing.T) {
	w := example(t, "bonded-pair")
	w.port("leaf1:swp1").Speed = 10000
	w.of["spine1"].NotRead(target.PartVLANs, "bridge is not installed")
	w.of["spine2"].NotRead(target.PartVLANs, "bridge is not installed")
	r := w.judge()
	assert.Equal(t, "Not read, and therefore not checked: VLANs of spine[1-2]: bridge is not installed.", r.UnreadText())
	mine := r.Of(map[string]bool{"spine2": true})
	assert.Empty(t, mine.Findings)
	assert.Equal(t, "Not read, and therefore not checked: VLANs of spine2: bridge is not installed.", mine.UnreadText())
	assert.Len(t, r.Of(map[string]bool{"leaf1": true}).Findings, 1)
}

// There are no findings if no device was asked, or only devices of another fabric.
func TestNothing(t *testing.T) {
	w, other := example(t, "rack-v1-pfc"), example(t, "bonded-pair")
	assert.Equal(t, &seen.Result{}, seen.Judge(w.f, nil))
	assert.Equal(t, &seen.Result{}, seen.Judge(w.f, map[*ir.Device]*target.Seen{other.f.Devices[0]: {}}))
}

// TestPermutedCables: for any permutation of cables between switches, exactly the moved ends are reported. Cables that are swapped among
// each other are one finding.
func TestPermutedCables(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := example(t, "clos-v2-ecn")
		var links []*ir.Link
		for _, l := range w.f.Links {
			if l.A().Device().Switch != nil && l.B().Device().Switch != nil {
				links = append(links, l)
			}
		}
		perm := rapid.Permutation(links).Draw(rt, "order")
		moved := map[string]bool{}
		next := map[*ir.Link]*ir.Link{}
		for i, l := range links { // the upper end of l moves to the place of the upper end of perm[i]
			if next[l] = perm[i]; l == perm[i] {
				continue
			}
			a, b := lower(l), upper(perm[i])
			w.cable(a.String(), b.String())
			moved[a.String()], moved[b.String()] = true, true
		}
		cycles := 0
		for _, l := range links {
			if next[l] == nil || next[l] == l {
				continue
			}
			cycles++
			for l := l; next[l] != nil; {
				l, next[l] = next[l], nil
			}
		}
		r := w.judge()
		if len(r.Findings) != cycles || len(r.Unread) > 0 {
			rt.Fatalf("%d cycles, and %v", cycles, said(t, "clos-v2-ecn", r))
		}
		devices := map[string]bool{}
		for end := range moved {
			device, _, _ := strings.Cut(end, ":")
			devices[device] = true
		}
		for _, f := range r.Findings {
			for _, d := range f.Devices {
				if !devices[d] {
					rt.Fatalf("%s has not moved: %s", d, f.Detail)
				}
			}
		}
	})
}

func lower(l *ir.Link) *ir.Port {
	if l.A().Device().Height() < l.B().Device().Height() {
		return l.A()
	}
	return l.B()
}

func upper(l *ir.Link) *ir.Port { return lower(l).Peer() }
