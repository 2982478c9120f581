package platform

import (
	"fmt"
	"slices"
)

// This file looks up the published rows of a model.
//
// testdata/headroom/models.csv contains the smallest and the largest published headroom of a switch model for each speed and length. It
// covers the tables of all hwskus of the model. The smallest is the minimum for a switch: its maker runs no port with less, and a latency
// of the chip does not shrink with the speed of the port. For a cable between two lengths, the row of the longer one counts, as on a switch
// with such a table.

// LongestRow is the length in metres of the longest rows that are used. Tables with longer rows assume headroom that ports share, which is
// a different quantity.
const LongestRow = 1000

// rowsCommit is the commit of sonic-net/sonic-buildimage with the rows.
const rowsCommit = "086b03bd"

// ModelRows returns the published rows of the model; nil: unknown.
func (s *Switch) ModelRows() *ModelRows {
	for _, m := range modelRows {
		if m.Model == s.Name {
			return m
		}
	}
	return nil
}

// Row returns the row for a speed and a cable: the row with the smallest length that is at least the length of the cable. It is nil if the
// model has no row of the speed, or only shorter rows.
func (m *ModelRows) Row(speed int, metres float64) *ModelRow {
	if m == nil {
		return nil
	}
	for i := range m.Rows {
		if r := &m.Rows[i]; int(r.Speed) == speed && float64(r.Metres) >= metres && r.Metres <= LongestRow {
			return r
		}
	}
	return nil
}

// Source returns the file with the smallest headroom, its repository and its commit.
func (r *ModelRow) Source() string {
	return fmt.Sprintf("SONiC %s @%s", modelFiles[r.file], rowsCommit)
}

// Text names the row: "400G at 5 m: 425958 B".
func (r *ModelRow) Text() string {
	return fmt.Sprintf("%s at %d m: %d B", SpeedText(int(r.Speed)), r.Metres, r.Least)
}

// Has reports whether the model has rows of the speed.
func (m *ModelRows) Has(speed int) bool {
	return m != nil && slices.ContainsFunc(m.Rows, func(r ModelRow) bool { return int(r.Speed) == speed })
}

// LeastPublished returns the least published headroom for a switch at a speed and a cable at least that long, and its source. It comes from
// the row of the model, or from its chip's tables if the model lacks the speed. 0: no table has it. If ports of the chip can share
// headroom, the smallest row of a model may be from a table with shared headroom. Then only tables without shared headroom count.
func (s *Switch) LeastPublished(speed int, metres float64) (least int, source string) {
	if m := s.ModelRows(); m.Has(speed) && !s.ASIC.SizeHasHeadroom() {
		if r := m.Row(speed, metres); r != nil {
			return int(r.Least), r.Source()
		}
		return 0, ""
	}
	tables, _ := s.Published()
	for _, t := range tables {
		for _, row := range t.Rows {
			if row.Speed != speed {
				continue
			}
			for _, f := range row.At {
				if float64(f.Metres) >= metres && (least == 0 || f.Bytes < least) {
					least, source = f.Bytes, t.Source()
				}
			}
		}
	}
	return least, source
}

// NightlySource is the source of the rows.
const NightlySource = "sonic-mgmt tests/qos/files @b4ba9de3"

// Nightly returns the row for a speed and the smallest length that is at least the length of the cable; nil: the tests have no such port.
func (a *ASIC) Nightly(speed int, metres float64) *NightlyRow {
	for i := range nightlyRows {
		if r := &nightlyRows[i]; r.Chip == a.Name && int(r.Speed) == speed && float64(r.Metres) >= metres {
			return r
		}
	}
	return nil
}
