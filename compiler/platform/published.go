package platform

import (
	"fmt"
	"math"
	"slices"
)

// This file looks up published headroom.
//
// The SONiC project ships a table of static sizes for each switch it runs on (pg_profile_lookup.ini); the column xoff is the room after the
// pause. publishedtable.go is generated from testdata/headroom, which contains every figure with its file, and marks the figures that rocec
// uses for sizes. It states the reason for leaving out the others: copies of another chip's table, and tables with one figure for every
// speed and length. Such a figure fits the chip's memory, and is not the need of a port.

// PublishedMTU is the MTU the published figures are for, SONiC's default.
const PublishedMTU = 9100

// Source is the file with the table.
func (p *Published) Source() string { return "SONiC " + p.Path }

// Published returns the tables for ports of the switch: those of the model, first, and those of its chip that they do not replace. own
// names the model if it has its own tables, which replace or supplement those of its chip; otherwise it is empty.
func (s *Switch) Published() (tables []*Published, own string) {
	alone := false
	for _, t := range publishedTables {
		if (t.Own || t.Beside) && t.of(s) {
			tables, own, alone = append(tables, t), s.Name, alone || t.Own
		}
	}
	if !alone {
		tables = append(tables, s.ASIC.Published()...)
		slices.SortStableFunc(tables, func(a, b *Published) int {
			switch {
			case a.of(s) == b.of(s):
				return 0
			case a.of(s):
				return -1
			}
			return 1
		})
	}
	return tables, own
}

func (p *Published) of(s *Switch) bool {
	return p.Chip == s.ASIC.Name && slices.Contains(p.Models, s.Name)
}

// Published returns the tables for every switch with the chip whose model has no tables.
func (a *ASIC) Published() []*Published {
	var out []*Published
	for _, t := range publishedTables {
		if t.Chip == a.Name && !t.Own && !t.Beside {
			out = append(out, t)
		}
	}
	return out
}

// Has reports whether the table has figures of the speed.
func (p *Published) Has(speed int) bool {
	return slices.ContainsFunc(p.Rows, func(r PublishedRow) bool { return r.Speed == speed })
}

// Headroom returns the largest figure of the table for a speed and a length, and the row of the figure. beyond is the number of metres by
// which the cable is longer than the row's last length. Between two lengths the figure is interpolated; below the shortest length it is the
// first figure. For a speed without a row, the largest of the slower rows counts; without a slower row, the row is nil.
func (p *Published) Headroom(speed int, metres float64) (bytes int, row *PublishedRow, beyond float64) {
	for i := range p.Rows {
		if r := &p.Rows[i]; r.Speed <= speed {
			if n, over := r.headroom(metres); row == nil || n >= bytes {
				bytes, row, beyond = n, r, over
			}
		}
	}
	return bytes, row, beyond
}

func (r *PublishedRow) headroom(metres float64) (bytes int, beyond float64) {
	i := r.above(metres)
	switch {
	case i == 0:
		return r.At[0].Bytes, 0
	case i == len(r.At):
		last := r.At[i-1]
		return last.Bytes, metres - float64(last.Metres)
	}
	from, to := r.At[i-1], r.At[i]
	rise := float64(to.Bytes-from.Bytes) * (metres - float64(from.Metres)) / float64(to.Metres-from.Metres)
	return from.Bytes + int(math.Ceil(rise)), 0
}

// above returns the index of the first length that is at least metres.
func (r *PublishedRow) above(metres float64) int {
	i, _ := slices.BinarySearchFunc(r.At, metres, func(f Figure, m float64) int {
		if float64(f.Metres) < m {
			return -1
		}
		return 1
	})
	return i
}

// Text names the figures of the row for a length: "100G at 5 m: 30720 B".
func (r *PublishedRow) Text(metres float64) string {
	i, speed := r.above(metres), SpeedText(r.Speed)
	switch {
	case i == len(r.At):
		i--
	case i > 0 && float64(r.At[i].Metres) != metres:
		from, to := r.At[i-1], r.At[i]
		return fmt.Sprintf("%s at %d and %d m: %d and %d B", speed, from.Metres, to.Metres, from.Bytes, to.Bytes)
	}
	return fmt.Sprintf("%s at %d m: %d B", speed, r.At[i].Metres, r.At[i].Bytes)
}

// Reserves returns the memory that the chip reserves for traffic that is not lossless: per cabled port, and once. Source for Spectrum:
// SONiC's buffer_pool_mellanox.lua, with 19 KiB of pipeline latency for the lossy priority group and 10 KiB for mirroring per port, and 256
// KiB for management. Nothing is published for Broadcom's chips.
func (a *ASIC) Reserves() (port, chip int) {
	if a.Vendor == Mellanox {
		return (19 + 10) << 10, 256 << 10
	}
	return 0, 0
}
