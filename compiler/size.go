package compiler

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
)

// Headroom.
//
// When a port decides to pause its peer, bytes go on arriving: until the port has finished the frame it is sending
// itself, until the pause frame has crossed the cable, until the peer has acted on it, and what is on the cable by
// then. The room for them is Need. It follows the formula of SONiC's dynamic buffer model (buffer_headroom_mellanox.lua).
// Small packets take whole cells of the chip's memory, so a share of them wastes room; it is all of them unless the
// person says less:
//
//	sum  = MTU + cable + interfaces + response + gearbox + chip
//	Need = sum x (1 - share + share x waste) + last frame, rounded up to cells
//
// Where the chip's vendor or a maker of switches published more for that speed and length, Need is that.
//
// Floor is what the vendors' own static tables come to (SONiC's pg_profile_lookup.ini): the same sum with the pause
// response they counted and the waste not rounded up. Below Floor loss is likely; between Floor and Need it takes bad
// luck; from Need on nothing is lost.
//
// SONiC adds a frame and a second pipeline latency to the whole buffer of a port with eight lanes, not to its column xoff,
// the room after the pause. So Need is the same for such a port.

// What the derived sizes start from where the person gives none: the preset of Cumulus Linux 3.7's RoCE command
// (70000/18000/0), with the manual's xon_delta. Its 25000/10000/2000 template leaves 15,000 bytes of headroom, too
// little for jumbo frames at any speed, and is not used.
const (
	presetXoff     = 18_000
	presetXonDelta = 2_000
)

const (
	// interfaceBytes is the delay of MAC and PHY at both ends, in bytes. Source: SONiC, mac_phy_delay = 0.8 KiB.
	interfaceBytes = 819

	// lastFrame is the frame of the lossless group the peer had just begun. Source: SONiC, lossless_mtu. A RoCE frame
	// may be of 4 KiB; the waste, counted as if every packet were small, leaves more room than the difference.
	lastFrame = 1024

	// bytesPerMetreAndMbps is what a cable holds there and back: 2 x 1e6 / 8 bits / 198,000,000 m/s.
	bytesPerMetreAndMbps = 1.0 / 792
)

// allSmall is the share of small packets when nobody says another, in percent.
const allSmall = 100

// wire is what headroom depends on beside the chip.
type wire struct {
	speed  int // Mb/s
	metres float64
	mtu    int
	small  int // share of small packets, percent
}

// headroom returns Need, Floor, and Need summand by summand.
func headroom(a *platform.ASIC, w wire) (need, floor int, terms []ir.Term) {
	worst, likely := a.CellWaste()
	terms = arriving(a, w)
	raw := total(terms)
	waste := swollen(raw, worst, w.small) - raw
	sum := raw + waste + lastFrame
	need = cells(a, sum)
	share := fmt.Sprintf("the sum so far x (%s - 1)", worst)
	if w.small != allSmall {
		share = fmt.Sprintf("%d %% of the sum so far x (%s - 1)", w.small, worst)
	}
	terms = append(terms,
		ir.Term{Name: "room small packets waste", Bytes: waste, Why: fmt.Sprintf("%s, for cells of %d B", share, a.Cell)},
		ir.Term{Name: "frame the peer had begun", Bytes: lastFrame, Why: "of the lossless group"},
		ir.Term{Name: "rounding", Bytes: need - sum, Why: fmt.Sprintf("up to whole cells of %d B", a.Cell)},
	)
	if row, source := publishedHeadroom(a, w, worst); row > need {
		what := fmt.Sprintf("%s and %g m", platform.SpeedText(w.speed), w.metres)
		if w.mtu != platform.PublishedMTU {
			what = fmt.Sprintf("%s, %g m and MTU %d", platform.SpeedText(w.speed), w.metres, w.mtu)
		}
		terms = append(terms, ir.Term{
			Name: "published for the chip", Bytes: row - need,
			Why: fmt.Sprintf("%d B more than the sum: %d B for %s (%s)", row-need, row, what, source),
		})
		need = row
	}

	response := platform.PauseQuanta(w.speed) * platform.QuantumBytes
	counted := response
	if a.Response > 0 {
		counted = min(response, a.Response)
	}
	floor = min(need, cells(a, swollen(raw-response+counted, likely, w.small)+lastFrame))
	return need, floor, terms
}

// arriving lists what arrives after the pause, as if packets fitted their cells.
func arriving(a *platform.ASIC, w wire) []ir.Term {
	quanta := platform.PauseQuanta(w.speed)
	gbps := float64(w.speed) / 1000
	terms := []ir.Term{
		{Name: "frame this port is sending", Bytes: w.mtu, Why: fmt.Sprintf("MTU %d; a pause frame cannot cut in", w.mtu)},
		{
			Name: "on the cable, there and back", Bytes: onCable(w.speed, w.metres),
			Why: fmt.Sprintf("2 x %g m at 198 m/us and %g Gb/s", w.metres, gbps),
		},
		{Name: "interfaces at both ends", Bytes: interfaceBytes, Why: "MAC and PHY, 0.8 KiB"},
		{Name: "peer's response to the pause", Bytes: quanta * platform.QuantumBytes, Why: fmt.Sprintf("%d quanta of %d B at %g Gb/s",
			quanta, platform.QuantumBytes, gbps)},
	}
	if gearbox := 2 * a.Gearbox * w.speed / 8000; gearbox > 0 {
		terms = append(terms, ir.Term{
			Name: "gearbox, both ways", Bytes: gearbox,
			Why: fmt.Sprintf("2 x %d ns at %g Gb/s", a.Gearbox, gbps),
		})
	}
	if chip := a.Extra * w.speed / 1000; chip > 0 {
		terms = append(terms, ir.Term{Name: "inside the chip", Bytes: chip, Why: fmt.Sprintf("%s: %d B per Gb/s", a.Title, a.Extra)})
	}
	return terms
}

// onCable is what a cable holds there and back.
func onCable(speed int, metres float64) int {
	return int(math.Ceil(metres * float64(speed) * bytesPerMetreAndMbps))
}

// publishedHeadroom is the chip's published figure in whole cells, and where it stands; 0 without one. Beyond the longest
// cable of the table it grows as the sum does. It holds for an MTU of 9100; a port with another one needs that much more or less.
func publishedHeadroom(a *platform.ASIC, w wire, worst platform.Ratio) (bytes int, source string) {
	table := a.Published()
	if table == nil {
		return 0, ""
	}
	row, beyond := table.Headroom(w.speed, w.metres)
	row += scaled(onCable(w.speed, beyond), worst) + scaled(w.mtu-platform.PublishedMTU, worst)
	return cells(a, max(row, 0)), table.Source
}

func total(terms []ir.Term) int {
	sum := 0
	for _, t := range terms {
		sum += t.Bytes
	}
	return sum
}

// swollen is what n bytes take in cells when a share of them, in percent, comes in packets that swell so.
func swollen(n int, by platform.Ratio, small int) int {
	return scaled(n, platform.Ratio{Num: (100-small)*by.Den + small*by.Num, Den: 100 * by.Den})
}

func scaled(n int, by platform.Ratio) int { return (n*by.Num + by.Den - 1) / by.Den }

// cells rounds up to whole cells of the chip.
func cells(a *platform.ASIC, n int) int { return (n + a.Cell - 1) / a.Cell * a.Cell }

// bufferKey is what the buffer of a port depends on.
type bufferKey struct {
	group  *ir.CosGroup
	asic   *platform.ASIC // nil: a NIC's port
	driver *ir.Driver     // of a NIC; nil where it has no formula
	metres float64
	mbps   int
	mtu    int
}

// size gives every port that carries a lossless group its buffer. Alike ports share one.
func (c *compiler) size() {
	var lossless []*ir.CosGroup
	for _, g := range c.f.CosGroups {
		if g.Lossless {
			lossless = append(lossless, g)
		}
	}
	known := map[bufferKey]*ir.Buffer{}
	rows := rows[*ir.Buffer]{}
	var row []*ir.Buffer
	for _, l := range c.f.Links {
		for _, p := range []*ir.Port{l.A, l.B} {
			row = row[:0]
			for _, g := range lossless {
				if !c.carried[g].has(l) {
					continue
				}
				key := bufferKey{group: g}
				if d := p.Device; d.Switch != nil {
					key = bufferKey{g, d.Switch.Model.ASIC, nil, l.Length.Metres, l.Speed.N, l.MTU.N}
				} else if by := p.NIC.Model.Driver; by != nil && by.Buffer != nil {
					key.driver, key.metres, key.mbps, key.mtu = by, l.Length.Metres, l.Speed.N, cmp.Or(p.NIC.MTU, l.MTU.N)
				}
				b := known[key]
				if b == nil {
					if key.asic == nil {
						b = nicBuffer(key)
					} else {
						b = switchBuffer(key)
						c.pinBuffer(b, key, l)
					}
					known[key] = b
				}
				row = append(row, b)
			}
			p.Buffers = rows.share(row)
		}
	}
}

// switchBuffer derives the buffer of a group at a switch's port.
func switchBuffer(k bufferKey) *ir.Buffer {
	b, a := &ir.Buffer{Group: k.group}, k.asic
	var given ir.PFCSizes
	if k.group.PFC != nil {
		given = *k.group.PFC
	}
	w := wire{k.mbps, k.metres, k.mtu, allSmall}
	if given.SmallPackets.Set() {
		w.small = given.SmallPackets.N
	}
	b.Need, b.Floor, b.Terms = headroom(a, w)
	cell := ir.Origin{Why: fmt.Sprintf("%s: cells of %d B", a.Title, a.Cell)}

	xoff := given.Xoff
	if !xoff.Set() {
		xoff = ir.Num{N: cells(a, presetXoff), From: []ir.Origin{{Why: fmt.Sprintf("preset: %d B before the pause", presetXoff)}, cell}}
		if size := given.Buffer; size.Set() && xoff.N >= size.N {
			xoff = ir.Num{N: size.N / 2, From: append([]ir.Origin{{At: size.From[0].At, Why: "half of pfc.buffer"}}, xoff.From...)}
		}
	}
	xonDelta := given.XonDelta
	if !xonDelta.Set() {
		xonDelta = ir.Num{N: cells(a, presetXonDelta), From: []ir.Origin{
			{Why: fmt.Sprintf("preset: resume %d B below xoff", presetXonDelta)}, cell,
		}}
		if xonDelta.N >= xoff.N {
			xonDelta = ir.Num{N: xoff.N / 2, From: []ir.Origin{{At: xoff.From[0].At, Why: "half of xoff"}}}
		}
	}
	b.Size, b.Xoff, b.XonDelta = ir.Told(given.Buffer), ir.Told(xoff), ir.Told(xonDelta)
	if !b.Size.Set() {
		from := []ir.Reason{{Link: ir.LinkLength}, {Link: ir.LinkSpeed}, {Link: ir.LinkMTU}}
		if given.Xoff.Set() {
			from = append(from, because(given.Xoff.From[0]))
		}
		if given.SmallPackets.Set() {
			from = append(from, because(given.SmallPackets.From[0]))
		}
		from = append(from,
			because(ir.Origin{Why: fmt.Sprintf("pause response at %s: %d quanta x %d B", platform.SpeedText(k.mbps),
				platform.PauseQuanta(k.mbps), platform.QuantumBytes)}),
			because(cell), because(ir.Origin{Why: fmt.Sprintf("xoff of %d B and headroom of %d B", b.Xoff.N, b.Need)}))
		b.Size = ir.Derived{N: cells(a, b.Xoff.N+b.Need), From: from}
	}
	return b
}

// nicBuffer derives the buffer of a group at a NIC's port. Of drivers without a known formula only the group is told.
func nicBuffer(k bufferKey) *ir.Buffer {
	b := &ir.Buffer{Group: k.group}
	if k.driver != nil {
		b.Need, b.Terms = k.driver.Buffer(k.mbps, k.metres, k.mtu)
		b.Floor = b.Need
	}
	return b
}

// because is a reason that does not lie in a link.
func because(o ir.Origin) ir.Reason { return ir.Reason{Origin: o} }

// rows gives equal rows one slice; by their first element.
type rows[T comparable] map[T][][]T

// share returns the one slice of a row, nil for an empty one. The row may be used again.
func (r rows[T]) share(row []T) []T {
	if len(row) == 0 {
		return nil
	}
	for _, known := range r[row[0]] {
		if slices.Equal(known, row) {
			return known
		}
	}
	kept := slices.Clip(slices.Clone(row))
	r[row[0]] = append(r[row[0]], kept)
	return kept
}
