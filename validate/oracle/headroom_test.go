package oracle_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/compilertest"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/validate/oracle"
)

// twoSwitches compiles two switches of a chip with a cable between them, and returns the buffer at one end.
func twoSwitches(t *testing.T, asic string, mbps, metres, mtu int) *ir.Buffer {
	src := fmt.Appendf(nil, `
fabric "pair" {
  mtu          = %[4]d
  cable_length = "%[3]dm"
}
cos_group "rdma" {
  cos      = 3
  dscp     = [26]
  lossless = true
}
switch_model "m" {
  asic  = "%[1]s"
  ports = 4
  speed = "%[2]s"
}
switch "s" {
  names   = "s[1-2]"
  model   = "m"
  os      = "cumulus-linux"
  version = "4.3.0"
}
host "h" {
  names = "h[1-2]"
  nic "eth0" { model = "connectx-5" }
}
roce "all" {
  version   = 2
  cos_group = cos_group.rdma
  members   = [host.h]
}
link "hosts" {
  a = "h[1-2]:eth0"
  b = "s[1-2]:swp1"
}
link "between" {
  a = "s1:swp2"
  b = "s2:swp2"
}
`, asic, platform.SpeedText(mbps), metres, mtu)
	f := compilertest.Compile(t, src)
	for _, l := range f.Links {
		if l.Block == `link "between"` {
			return l.A.Carries(f.CosGroups[0])
		}
	}
	require.Fail(t, "no link between the switches")
	return nil
}

// worst returns the most headroom that any alignment and any size of frames takes.
func worst(p oracle.PortPair, largest int) int {
	most := 0
	for _, size := range []int{64, 65, p.Cell, p.Cell + 1, 2*p.Cell + 1, 512, 1024 + 78, 1500, 4096 + 78, largest} {
		if size < 64 || size > largest {
			continue
		}
		p.Frame = size
		xoff := p.Xoff
		for offset := range 12 {
			p.Xoff = xoff + offset*p.Cell
			most = max(most, p.Headroom())
		}
		p.Xoff = xoff
	}
	return most
}

// With the headroom the compiler derives no frame is lost, whatever sizes frames have and however they fall; with two
// frames less, some are. Where a chip's factor for small packets is more than they can waste (Spectrum), or more is
// published for the chip than the sum, less that too.
func TestHeadroomToTheByte(t *testing.T) {
	for _, name := range []string{"trident2plus", "tomahawk", "tomahawk2", "trident3", "spectrum", "spectrum2", "spectrum2gearbox", "spectrum3"} {
		i := slices.IndexFunc(platform.ASICs, func(a *platform.ASIC) bool { return a.Name == name })
		require.GreaterOrEqual(t, i, 0, name)
		asic := platform.ASICs[i]
		for _, mbps := range []int{10_000, 25_000, 40_000, 100_000, 200_000, 400_000} {
			if mbps > asic.MaxSpeed {
				continue
			}
			for _, metres := range []int{5, 40, 300} {
				for _, mtu := range []int{1500, 9216} {
					at := fmt.Sprintf("%s, %s, %d m, MTU %d", name, platform.SpeedText(mbps), metres, mtu)
					b := twoSwitches(t, name, mbps, metres, mtu)
					pair := oracle.PortPair{
						Speed: mbps, Metres: float64(metres), Interfaces: 819 + 2*asic.Gearbox*mbps/8000 + asic.Extra*mbps/1000,
						Response: platform.PauseQuanta(mbps) * platform.QuantumBytes, OwnFrame: mtu + 18, Cell: asic.Cell, Xoff: b.Xoff.N,
					}
					// RDMA takes frames of 4 KiB and headers at most
					needs := worst(pair, min(mtu+18, 4096+78))
					assert.LessOrEqual(t, needs, b.Need, "%s: nothing is lost", at)
					assert.Equal(t, b.Need, b.Headroom(), at)

					less := b.Need - 2*(mtu+18)
					for _, term := range b.Terms {
						if term.Name == "published for the chip" || term.Name == "room small packets waste" && asic.Vendor != platform.Broadcom {
							less -= term.Bytes
						}
					}
					assert.Greater(t, needs, less, "%s: with two frames less some run loses", at)

					pair.Sent = mtu + 18 + 20 // the port was sending nothing: it takes less
					assert.Less(t, worst(pair, min(mtu+18, 4096+78)), needs, at)
				}
			}
		}
	}
}

func TestHeadroomOfOneFrameSize(t *testing.T) {
	// 10 Gb/s and no cable: the own frame of 1000 + 20 and the pause of 84 let 1104 byte times go by from the first cell
	// beyond Xoff, the first of frame 10: with it 9 frames of 128 begin.
	p := oracle.PortPair{Speed: 10_000, OwnFrame: 1000, Frame: 108, Cell: 108, Xoff: 1080}
	assert.Equal(t, 9*108, p.Headroom())
	p.Response = 128
	assert.Equal(t, 10*108, p.Headroom())
	p.Metres = 100 // 100 m at 5.05 ns/m and 10 Gb/s: 632 bytes each way, so 9.9 frames more
	assert.Equal(t, 20*108, p.Headroom())
}
