package oracle_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/compilertest"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/validate/oracle"
)

// twoSwitches compiles two switches of a chip with a cable between them, and returns the buffer at one end. The MTU of the hosts and the
// group's share of small packets are parameters.
func twoSwitches(t testing.TB, asic string, mbps, metres, mtu, hostMTU, small int) *ir.Buffer {
	src := fmt.Appendf(nil, `
fabric "pair" {
  mtu          = %[4]d
  cable_length = "%[3]dm"
}
cos_group "rdma" {
  cos      = 3
  dscp     = [26]
  lossless = true
  pfc { small_packets = %[6]d }
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
  nic "eth0" {
    model = "connectx-5"
    mtu   = %[5]d
  }
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
`, asic, platform.SpeedText(mbps), metres, mtu, hostMTU, small)
	f := compilertest.Compile(t, src)
	for _, l := range f.Links {
		if l.Block == `link "between"` {
			return l.A().Carries(f.CosGroups[0])
		}
	}
	require.Fail(t, "no link between the switches")
	return nil
}

// pairOf models the port of twoSwitches, exact to the byte. It has headers around each frame of the MTU, RDMA packets as large as the
// hosts' MTU allows, and frames of less than 1 KiB of payload that count as small.
func pairOf(a *platform.ASIC, mbps, metres, mtu, hostMTU, small int) oracle.PortPair {
	const ethernet, rdma = 14 + 4 + 4, 96
	payload := 4096
	for payload+rdma > hostMTU {
		payload /= 2
	}
	return oracle.PortPair{
		Speed: mbps, Metres: float64(metres), Interfaces: 819 + 2*a.Gearbox*mbps/8000 + a.Extra*mbps/1000,
		Response: platform.PauseQuanta(mbps) * platform.QuantumBytes, OwnFrame: mtu + ethernet, Cell: a.Cell,
		Frame: min(mtu, payload+rdma) + ethernet, Full: 1024 + 62, Small: small,
	}
}

// With the derived headroom no frame is lost, for any chip, speed, cable and MTU, and for frames of any size and timing. If all packets
// may be small and no larger figure is published, Broadcom's chips get at most four cells too much.
func TestHeadroomHoldsEveryArrival(t *testing.T) {
	outer := t
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SampledFrom(platform.ASICs).Draw(t, "asic")
		mbps := rapid.SampledFrom(platform.Speeds).Filter(func(s int) bool { return s <= a.MaxSpeed }).Draw(t, "speed")
		metres := rapid.IntRange(1, 400_000_000/mbps).Draw(t, "metres")
		mtu := rapid.OneOf(rapid.SampledFrom([]int{1500, 4200, 9000, 9216}), rapid.IntRange(1280, 9216)).Draw(t, "mtu")
		hostMTU := rapid.IntRange(1280, mtu).Draw(t, "MTU of hosts")
		small := rapid.OneOf(rapid.SampledFrom([]int{1, 50, 100}), rapid.IntRange(1, 100)).Draw(t, "small packets")

		b := twoSwitches(outer, a.Name, mbps, min(metres, 2000), mtu, hostMTU, small)
		worst := pairOf(a, mbps, min(metres, 2000), mtu, hostMTU, small).Worst()
		require.LessOrEqual(t, worst, b.Need, "nothing is lost")
		require.Equal(t, b.Need, b.Headroom())
		if a.Vendor == platform.Broadcom && small == 100 && b.Published.Bytes < b.Need {
			require.Less(t, b.Need-worst, 4*a.Cell, "the headroom is not much larger")
		}
	})
}

// With two frames less headroom, some frames are lost. Where the headroom includes more than small packets can waste (Spectrum), or a
// larger published figure, the test subtracts these terms, too.
func TestHeadroomToTheByte(t *testing.T) {
	for _, name := range []string{
		"trident2plus", "tomahawk", "tomahawk2", "trident3", "spectrum", "spectrum2", "spectrum2gearbox",
		"spectrum3",
	} {
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
					b := twoSwitches(t, name, mbps, metres, mtu, mtu, 100)
					pair := pairOf(asic, mbps, metres, mtu, mtu, 100)
					needs := pair.Worst()
					assert.LessOrEqual(t, needs, b.Need, "%s: nothing is lost", at)

					less := b.Need - 2*(mtu+18)
					for _, term := range b.Terms {
						if term.Name == "published for the chip" || term.Name == "room small packets waste" && asic.Vendor != platform.Broadcom {
							less -= term.Bytes
						}
					}
					assert.Greater(t, needs, less, "%s: with two frames less some run loses frames", at)

					pair.Sent = mtu + 18 + 20 // the port was idle: it needs less
					assert.Less(t, pair.Worst(), needs, at)
				}
			}
		}
	}
}

// Worst, which tries every sequence, is never less than Headroom, which has frames of one size.
func TestWorstIsAboveOneSize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := oracle.PortPair{
			Speed: rapid.SampledFrom([]int{10_000, 25_000}).Draw(t, "speed"), Metres: rapid.Float64Range(0, 100).Draw(t, "metres"),
			Interfaces: rapid.IntRange(0, 900).Draw(t, "interfaces"), Response: rapid.IntRange(0, 5000).Draw(t, "response"),
			OwnFrame: rapid.IntRange(64, 2000).Draw(t, "own"), Frame: rapid.IntRange(64, 4214).Draw(t, "frame"),
			Cell: rapid.SampledFrom([]int{96, 144, 192, 208, 254, 256}).Draw(t, "cell"), Small: 100, Full: 1086,
		}
		p.Xoff = p.Cell * rapid.IntRange(40, 90).Draw(t, "cells before the pause")
		one := p.Headroom()
		p.Frame = rapid.IntRange(p.Frame, 4214).Draw(t, "largest")
		require.GreaterOrEqual(t, p.Worst(), one)
	})
}

// Calculated by hand: until is 1,104 byte times, as below. The frame in progress has one byte left, 21 with its gap. Then 8 frames of 109
// B follow in 1,032 byte times, with two cells each. Of the 1,103 byte times, 50 remain before the last frame begins, which needs ten
// cells.
func TestWorstByHand(t *testing.T) {
	p := oracle.PortPair{Speed: 10_000, OwnFrame: 1000, Frame: 1080, Cell: 108, Small: 100}
	assert.Equal(t, (1+16+10)*108, p.Worst())
	// Five percent of 1,104 are 55 byte times. That is no small frame, one frame of 1,000 B in ten cells, and the last frame.
	p.Small, p.Full = 5, 1000
	assert.Equal(t, (1+10+10)*108, p.Worst())
}

func TestHeadroomOfOneFrameSize(t *testing.T) {
	// At 10 Gb/s and without cable, the port's own frame (1000 + 20) and the pause (84) need 1104 byte times. They begin at the first cell
	// beyond Xoff, which is the first cell of frame 10. Including that frame, 9 frames of 128 byte times begin.
	p := oracle.PortPair{Speed: 10_000, OwnFrame: 1000, Frame: 108, Cell: 108, Xoff: 1080}
	assert.Equal(t, 9*108, p.Headroom())
	p.Response = 128
	assert.Equal(t, 10*108, p.Headroom())
	p.Metres = 100 // 100 m at 5.05 ns/m and 10 Gb/s: 632 bytes each way, so 9.9 frames more
	assert.Equal(t, 20*108, p.Headroom())
}
