package validate

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/compilertest"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/compiler/routes"
	"github.com/rocec/rocec/validate/proof"
)

// The published pairs of netdev MTU and RDMA MTU, and their relation.
func TestRDMAMTU(t *testing.T) {
	for mtu, want := range map[int]int{
		1500: 1024, 2143: 1024, 2144: 2048, 4096: 2048, 4191: 2048, 4192: 4096, 4200: 4096, 9000: 4096, 100: 0,
	} {
		assert.Equal(t, want, ir.RDMAMTU(mtu), mtu)
	}
	for mtu, want := range map[int]int{
		1500: 0, 2047: 0, 2048: 2048, 2143: 2048, 2144: 0, 4095: 0, 4096: 4096, 4191: 4096, 4192: 0, 9000: 0,
	} {
		assert.Equal(t, want, justBelow(mtu), mtu)
	}
	rapid.Check(t, func(t *rapid.T) {
		mtu := rapid.IntRange(352, 16384).Draw(t, "mtu")
		size := ir.RDMAMTU(mtu)
		assert.LessOrEqual(t, size+96, mtu)
		assert.True(t, size == 4096 || 2*size+96 > mtu, "the next one would not fit")
	})
}

// Names of interfaces distinguish cards if and only if both contain a place of the same kind.
func TestTwoCards(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"enp3s0f0", "enp3s0f1", false},
		{"enp3s0f0", "enp4s0f0", true},
		{"enp3s0f0np0", "enp3s0f1np1", false},
		{"enp3s0f0np0", "enp4s0f0np0", true},
		{"enP1p3s0f0", "enP2p3s0f0", true},
		{"enp3s0", "enp4s0", true},
		{"ens2f0", "ens2f1", false},
		{"ens2f0", "ens3f1", true},
		{"ens2f0", "enp3s0f0", false},   // may be one place
		{"eno1", "eno2", false},         // on the board
		{"eth0", "eth1", false},         // says nothing
		{"enp3s0f0v0", "ens3f0", false}, // a virtual function
		{"rail0", "rail1", false},
	} {
		assert.Equal(t, tt.want, twoCards(tt.a, tt.b), "%s, %s", tt.a, tt.b)
		assert.Equal(t, tt.want, twoCards(tt.b, tt.a), "%s, %s", tt.b, tt.a)
	}
}

// TestMTUPathIsOnAPath enumerates the paths of small fabrics that rise and then fall. Each link that mtu-path reports is on a path between
// two hosts that both send larger frames. In leaf/spine fabrics mtu-path reports every such link.
func TestMTUPathIsOnAPath(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		leaves, spines := rapid.IntRange(1, 4).Draw(t, "leaves"), rapid.IntRange(1, 3).Draw(t, "spines")
		c := irtest.LeafSpine(ir.UpDown, leaves, spines)
		for i := range rapid.IntRange(0, 2).Draw(t, "more hosts") {
			c.Hosts(fmt.Sprint("L", i%leaves))
		}
		f := c.Fabric()
		size := rapid.SampledFrom([]int{1500, 4200, 9000})
		for _, l := range f.Links {
			l.MTU = ir.Num{N: 9216, From: []ir.Origin{{At: irtest.Place(100 + l.ID)}}}
			l.At = irtest.Place(200 + l.ID) // a separate block
			if l.A().Device().Switch != nil && l.B().Device().Switch != nil {
				l.MTU.N = size.Draw(t, "link")
			}
		}
		for _, m := range f.Intents[0].Members {
			m.NIC.MTU = size.Draw(t, "nic")
		}
		var want []string
		for _, l := range f.Links {
			if onAWay(f, l) {
				want = append(want, irtest.Place(100+l.ID).String())
			}
		}
		f.Routes = routes.New(f)
		var got []string
		for _, d := range Run(f, nil).Diagnostics {
			if d.Code == MTUPath.Code {
				got = append(got, d.At.String())
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		assert.Equal(t, want, got)
	})
}

// onAWay reports whether an up-down path between two hosts crosses a link whose MTU is smaller than that of both hosts.
func onAWay(f *ir.Fabric, l *ir.Link) bool {
	members := f.Intents[0].Members
	for _, a := range members {
		for _, b := range members {
			if a.NIC.Device != b.NIC.Device && min(a.NIC.MTU, b.NIC.MTU) > l.MTU.N &&
				ways(a.NIC.Port.Peer().Device(), b.NIC.Port.Peer().Device(), l, false, false) {
				return true
			}
		}
	}
	return false
}

func ways(at, to *ir.Device, l *ir.Link, fell, crossed bool) bool {
	if at == to {
		return crossed
	}
	for _, p := range at.Ports {
		next := p.Peer().Device()
		if next.Switch == nil || fell && next.Height() > at.Height() {
			continue
		}
		if ways(next, to, l, next.Height() < at.Height(), crossed || p.Link() == l) {
			return true
		}
	}
	return false
}

// large returns a non-blocking fabric without mistakes: pairs of leaves, two rails, jobs of sixteen.
func large(racks int) []byte {
	return fmt.Appendf(nil, `
fabric "large" {
  routing      = "up-down"
  cable_length = "10m"
}
cos_group "rdma" {
  cos      = 4
  dscp     = [26]
  lossless = true
  weight   = 60
  ecn {}
}
cos_group "cnp" {
  cos    = 6
  dscp   = [48]
  strict = true
}
cos_group "default" {
  cos    = 0
  weight = 40
}
roce "job" {
  for_each = toset([for i in range(%[1]d) : tostring(i)])

  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = ["gpu[${each.key * 16 + 1}-${each.key * 16 + 16}]:ens1f0np0"]
}
roce "store" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = ["gpu[1-4]:bond0"]
}
switch_model "big" {
  asic  = "spectrum4"
  ports = 1024
  speed = "100G"
}
switch "leaf" {
  names   = "leaf[1-%[2]d]"
  model   = "sn2700"
  version = "4.3.0"
  mlag    = "rack${floor(self.index / 2)}"
  ssh { address = cidrhost("10.0.0.0/16", self.index + 1) }
}
switch "spine" {
  names   = "spine[1-16]"
  model   = "big"
  version = "4.3.0"
  by_hand { trust = "dscp" }
}
host "gpu" {
  names = "gpu[1-%[3]d]"
  nic "ens1f0np0" {
    model = "connectx-5"
    mtu   = 9000
    ip    = "${cidrhost("10.8.0.0/13", self.index + 1)}/13"
  }
  nic "ens2f[0-1]np0" {
    model = "connectx-5"
    mtu   = 4200
    ip    = "${cidrhost("10.16.0.0/13", self.index + 1)}/13"
  }
  bond "bond0" {
    nics = ["ens2f0np0", "ens2f1np0"]
    mode = "802.3ad"
  }
  ssh { address = cidrhost("10.1.0.0/16", self.index + 1) }
}
link "rails" {
  a     = "gpu[1-%[3]d]:ens1f0np0"
  b     = "leaf[1-%[2]d]:swp[1-8]"
  speed = "50G"
}
link "bonds" {
  a      = "gpu[1-4]:ens2f[0-1]np0"
  b      = "leaf1:swp9,leaf2:swp9,leaf1:swp10,leaf2:swp10,leaf1:swp11,leaf2:swp11,leaf1:swp12,leaf2:swp12"
  speed  = "25G"
}
mesh "uplinks" {
  lower = "leaf[1-%[2]d]:swp[17-32]"
  upper = "spine[1-16]:swp[1-%[2]d]"
}
`, racks, 2*racks, 16*racks)
}

// TestLargeIsSilent: a large fabric without mistakes has no findings, not even a note.
func TestLargeIsSilent(t *testing.T) {
	for _, d := range Run(compilertest.Compile(t, large(30)), nil).Diagnostics {
		t.Errorf("%s %s: %s", d.Severity, d.Code, d.Detail)
	}
}

// BenchmarkChecks runs each check alone, on 1,000 leaves and 8,000 hosts with three NICs and 500 intents.
func BenchmarkChecks(b *testing.B) {
	f := compilertest.Compile(b, large(500))
	for _, c := range Checks {
		b.Run(c.Code, func(b *testing.B) {
			for b.Loop() {
				c.Run(&Pass{Fabric: f, check: c, loops: func() []*proof.Proof { return nil }})
			}
		})
	}
}
