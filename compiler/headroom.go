package compiler

import (
	"fmt"
	"math"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
)

// This file computes headroom.
//
// When a port decides to pause its peer, bytes keep arriving. The port first finishes the frame that it is sending. Then the pause frame
// crosses the cable, and the peer acts on it. By then the cable is full of bytes. The room for all these bytes is Need. Packets take whole
// cells of the chip's memory, so small packets waste room; all packets count as small unless the person sets a lower share. Need is the
// largest of:
//
// 1. The bound, which no sequence of packets exceeds (package validate/oracle tries many):
//
//	sum   = MTU + headers + pause frame + cable + interfaces + response + gearbox + chip
//	bound = sum x swell + last frame in cells + the cell in which the pause begins
//
// where swell is the exact maximum for the cells of the chip, weighted by the shares of small packets and of others.
//
// 2. On chips that SONiC's dynamic buffer model sizes, its formula (buffer_headroom_mellanox.lua), which omits headers and counts waste
// differently:
//
//	sum     = MTU + cable + interfaces + response + gearbox + chip
//	formula = sum x (1 - share + share x waste) + last frame
//
// 3. The published figure of the chip's vendor or of a maker of switches, for the speed and the length of the port's cable.
//
// 4. The smallest published row of the switch model itself, for this speed and the shortest length that is not below the cable's
// (switchBuffer).
//
// All are rounded up to cells.
//
// Floor is the result of the vendors' own static tables (SONiC's pg_profile_lookup.ini): the formula with the pause response of those
// tables, and without rounding up the waste. Below Floor loss is likely; between Floor and Need it is unlikely; from Need on nothing is
// lost.
//
// For a port with eight lanes SONiC adds a frame and a second pipeline latency to the size of the whole buffer. It does not add them to
// the column xoff of its tables, which is the room after the pause. Need is this room, so it is the same for such a port.

const (
	// interfaceBytes is the delay of MAC and PHY at both ends, in bytes. Source: SONiC, mac_phy_delay = 0.8 KiB.
	interfaceBytes = 819

	// lastFrame is the size in the formula of the frame that the peer had just begun. Source: SONiC, lossless_mtu. A RoCE frame may be as
	// large as 4 KiB. The formula counts the waste of small packets for every packet.
	// This leaves more room than the 3 KiB that may be missing here.
	lastFrame = 1024

	// frameHeaders counts the bytes of a frame beyond its MTU: Ethernet header, VLAN tag and frame check.
	frameHeaders = 14 + 4 + 4

	// bytesPerMetreAndMbps is the capacity of a cable in both directions: 2 x 1e6 / 8 bits / 198,000,000 m/s.
	bytesPerMetreAndMbps = 1.0 / 792
)

// allSmall is the default share of small packets, in percent.
const allSmall = 100

// wire contains the values other than the chip that headroom depends on.
type wire struct {
	speed  int // Mb/s
	metres float64
	mtu    int
	small  int // share of small packets, percent
	rdma   int // largest payload of the RDMA packets that arrive; 0: frames may be as large as the MTU allows
}

// headroom returns Need, Floor, the summands of Need, and the published figure, even if it is not the largest. If nothing is published, its
// bytes are 0.
func headroom(a *platform.ASIC, tables []*platform.Published, w wire) (need, floor int, terms []ir.Term, public ir.Term) {
	need, terms = bound(a, w)
	if a.Vendor != platform.Broadcom {
		if n, t := formula(a, w); n >= need {
			need, terms = n, t
		}
	}
	if public = published(a, tables, w); public.Bytes > need {
		terms = append(terms, ir.Term{
			Name: ir.ByTables, Bytes: public.Bytes - need,
			Why: fmt.Sprintf("%d B more than the sum: %d B, %s", public.Bytes-need, public.Bytes, public.Why),
		})
		need = public.Bytes
	}

	_, likely := a.CellWaste()
	response := platform.PauseQuanta(w.speed) * platform.QuantumBytes
	counted := response
	if a.Response > 0 {
		counted = min(response, a.Response)
	}
	floor = min(need, cells(a, swollen(total(arriving(a, w))-response+counted, likely, w.small)+lastFrame))
	return need, floor, terms, public
}

// bound returns the largest number of bytes that can arrive, in whole cells.
//
// The arriving bytes are a frame in progress, whole frames, and a last one that begins just before the pause takes effect. Frames take up
// at most swell times their bytes on the wire. The frame in progress also occupies the cell it has begun. The last frame arrives after the
// time that the sum covers, so bound adds its cells to the sum.
func bound(a *platform.ASIC, w wire) (need int, terms []ir.Term) {
	worst, full := a.Swell()
	terms = append(arriving(a, w), ir.Term{
		Name: "headers and the pause frame", Bytes: frameHeaders + platform.Gap + platform.MinFrame + platform.Gap,
		Why: fmt.Sprintf("%d B around the MTU, a pause of %d B, a gap of %d B behind each", frameHeaders, platform.MinFrame, platform.Gap),
	})
	raw := total(terms)
	swell := platform.Ratio{Num: (100-w.small)*full.Num*worst.Den + w.small*worst.Num*full.Den, Den: 100 * full.Den * worst.Den}
	waste := scaled(raw, swell) - raw
	why := fmt.Sprintf("the sum so far x (%s - 1)", worst)
	if w.small != allSmall {
		why = fmt.Sprintf("%d %% of the sum so far x (%s - 1), the rest, packets of 1 KiB and more, x (%s - 1)", w.small, worst, full)
	}
	last, what := w.mtu, "as large as the MTU allows"
	if w.rdma > 0 && w.rdma+ir.RDMAHeaders < w.mtu {
		last, what = w.rdma+ir.RDMAHeaders, fmt.Sprintf("of an RDMA MTU of %d, with headers of %d B", w.rdma, ir.RDMAHeaders)
	}
	last += frameHeaders
	terms = append(terms,
		ir.Term{Name: "room small packets waste", Bytes: waste, Why: fmt.Sprintf("%s, for cells of %d B", why, a.Cell)},
		ir.Term{Name: "frame the peer had begun", Bytes: last, Why: fmt.Sprintf("%s and %d B", what, frameHeaders)},
		ir.Term{Name: "cell in which the pause begins", Bytes: a.Cell, Why: "already taken for a frame that still arrives"},
	)
	sum := raw + waste + cells(a, last) + a.Cell
	need = cells(a, sum)
	return need, append(terms, ir.Term{
		Name: "rounding", Bytes: need - total(terms), Why: fmt.Sprintf("up to whole cells of %d B, also of the last frame", a.Cell),
	})
}

// formula returns the result of SONiC's dynamic buffer model, with its waste rounded up.
func formula(a *platform.ASIC, w wire) (need int, terms []ir.Term) {
	worst, _ := a.CellWaste()
	terms = arriving(a, w)
	raw := total(terms)
	waste := swollen(raw, worst, w.small) - raw
	sum := raw + waste + lastFrame
	need = cells(a, sum)
	share := fmt.Sprintf("the sum so far x (%s - 1)", worst)
	if w.small != allSmall {
		share = fmt.Sprintf("%d %% of the sum so far x (%s - 1)", w.small, worst)
	}
	return need, append(terms,
		ir.Term{Name: "room small packets waste", Bytes: waste, Why: fmt.Sprintf("%s, for cells of %d B", share, a.Cell)},
		ir.Term{Name: "frame the peer had begun", Bytes: lastFrame, Why: "of the lossless group"},
		ir.Term{Name: "rounding", Bytes: need - sum, Why: fmt.Sprintf("up to whole cells of %d B", a.Cell)},
	)
}

// arriving lists the bytes that arrive after the pause, as if packets exactly filled their cells and had no headers.
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

// onCable returns the bytes on a cable in both directions.
func onCable(speed int, metres float64) int {
	return int(math.Ceil(metres * float64(speed) * bytesPerMetreAndMbps))
}

// published returns the largest published figure in whole cells, and its source. For a cable longer than those of a table, published adds
// the bytes on the rest of the cable. Figures apply to an MTU of 9100. For another MTU, published adds the difference of the MTUs. Both
// additions include the waste in cells.
func published(a *platform.ASIC, tables []*platform.Published, w wire) ir.Term {
	worst, _ := a.CellWaste()
	var out ir.Term
	for _, t := range tables {
		n, row, beyond := t.Headroom(w.speed, w.metres)
		if row == nil {
			continue
		}
		n += scaled(onCable(w.speed, beyond), worst) + scaled(w.mtu-platform.PublishedMTU, worst)
		if n = cells(a, max(n, 0)); n > out.Bytes {
			why := ""
			if beyond > 0 {
				why += fmt.Sprintf(", %g m beyond", beyond)
			}
			if w.mtu != platform.PublishedMTU {
				why += fmt.Sprintf(", for MTU %d", w.mtu)
			}
			out = ir.Term{
				Name: "published", Bytes: n,
				Why: fmt.Sprintf("%s, %s, MTU %d%s (%s)", t.Of, row.Text(w.metres), platform.PublishedMTU, why, t.Source()),
			}
		}
	}
	return out
}

// ofModel returns the published row of the model for a speed and a length, in whole cells: the smallest and the largest of its tables. 0
// bytes: the model has no such row. Rows apply to an MTU of 9100, as in [published].
func ofModel(a *platform.ASIC, rows *platform.ModelRows, w wire) (least ir.Term, most int) {
	r := rows.Row(w.speed, w.metres)
	if r == nil {
		return ir.Term{}, 0
	}
	worst, _ := a.CellWaste()
	sized := func(n int32) int { return cells(a, max(int(n)+scaled(w.mtu-platform.PublishedMTU, worst), 0)) }
	text := fmt.Sprintf("%s, %s, MTU %d", rows.Model, r.Text(), platform.PublishedMTU)
	if w.mtu != platform.PublishedMTU {
		text += fmt.Sprintf(", for MTU %d", w.mtu)
	}
	if r.Most > r.Least {
		text += fmt.Sprintf("; the largest of its tables has %d B", r.Most)
	}
	return ir.Term{
		Name: "row of the model", Bytes: sized(r.Least),
		Why: fmt.Sprintf("%s (%s)", text, r.Source()),
	}, sized(r.Most)
}

// nightly returns the size that the nightly tests of switches with the chip expect; 0 bytes: the tests have no such port.
func nightly(a *platform.ASIC, w wire) ir.Term {
	r := a.Nightly(w.speed, w.metres)
	if r == nil {
		return ir.Term{}
	}
	bytes := diag.Number(int(r.Least))
	if r.Most > r.Least {
		bytes += " to " + diag.Number(int(r.Most))
	}
	return ir.Term{
		Name: "tests on hardware", Bytes: int(r.Least),
		Why: fmt.Sprintf("nightly tests of this chip expect %s B, %s at %d m (%s)", bytes, platform.SpeedText(int(r.Speed)), r.Metres,
			platform.NightlySource),
	}
}

func total(terms []ir.Term) int {
	sum := 0
	for _, t := range terms {
		sum += t.Bytes
	}
	return sum
}

// swollen returns the bytes that n bytes occupy in cells if a share of them, in percent, arrives in packets that waste cells by the given
// factor.
func swollen(n int, by platform.Ratio, small int) int {
	return scaled(n, platform.Ratio{Num: (100-small)*by.Den + small*by.Num, Den: 100 * by.Den})
}

func scaled(n int, by platform.Ratio) int { return (n*by.Num + by.Den - 1) / by.Den }

// cells rounds up to whole cells of the chip.
func cells(a *platform.ASIC, n int) int { return (n + a.Cell - 1) / a.Cell * a.Cell }
