package platform

import (
	"fmt"
	"slices"
)

// Rows of a model.
//
// testdata/headroom/models.csv has the smallest and the largest published headroom of a switch model for each speed and length. It covers
// the tables of all hwskus of the model. A switch is not set to less than the smallest. Its maker runs no port with less, and a latency of
// the chip does not shrink with the speed of the port. A cable between two lengths takes the row of the longer one, as a switch with such
// a table does.

// LongestRow is the length in metres of the longest rows that bind. Tables with longer ones count on headroom that ports share, which
// is another quantity.
const LongestRow = 1000

// rowsCommit is the commit of sonic-net/sonic-buildimage that the rows are of.
const rowsCommit = "086b03bd"

// ModelRows returns the published rows of the model; nil: not known.
func (s *Switch) ModelRows() *ModelRows {
	for _, m := range modelRows {
		if m.Model == s.Name {
			return m
		}
	}
	return nil
}

// Row returns the row for a speed and a cable: the one with the smallest length that is not below that of the cable. It is nil where the
// model has no row of the speed, or only shorter ones.
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

// Source returns the file with the smallest headroom, and its repository and commit.
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

// LeastPublished returns the least headroom that is published for a switch at a speed and a cable as long or longer, and its source. It is
// the row of the model, or of its chip's tables where the model lacks the speed. 0: no table has it. Where ports can share headroom, the
// smallest row of a model can be from a table in which they do. There only tables count whose ports have all headroom for themselves.
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

// NightlySource is where the rows are.
const NightlySource = "sonic-mgmt tests/qos/files @b4ba9de3"

// Nightly returns the row for a speed and the smallest length that is not below that of the cable; nil: the tests have no such port.
func (a *ASIC) Nightly(speed int, metres float64) *NightlyRow {
	for i := range nightlyRows {
		if r := &nightlyRows[i]; r.Chip == a.Name && int(r.Speed) == speed && float64(r.Metres) >= metres {
			return r
		}
	}
	return nil
}
