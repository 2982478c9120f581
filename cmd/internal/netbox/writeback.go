package netbox

import (
	"strconv"
	"strings"
)

// Writeback is the name of the sheet of lengths for the inventory.
const Writeback = "cables-writeback.csv"

// Writeback returns the lengths of cables that the inventory lacks, as CSV for the import of cables in NetBox, which updates cables by
// identifier. metres returns the length of the cable at a port; 0: unknown. Writeback leaves out paths through patch panels, whose length
// is not that of one cable. count is the number of rows; without rows no sheet is returned.
func (r *Records) Writeback(metres func(device, port string) int) (sheet Sheet, count int) {
	if r.nautobot { // its import cannot update cables
		return Sheet{}, 0
	}
	rows := [][]string{{"id", "length", "length_unit"}}
	for _, c := range r.rows {
		between := strings.HasSuffix(c.a.kind, "interface") && strings.HasSuffix(c.b.kind, "interface")
		if c.length != "" || !between || c.id == "" {
			continue
		}
		n := metres(c.a.device, c.a.port)
		if n == 0 {
			n = metres(c.b.device, c.b.port)
		}
		if n > 0 {
			rows = append(rows, []string{c.id, strconv.Itoa(n), "m"})
		}
	}
	if len(rows) == 1 {
		return Sheet{}, 0
	}
	return Sheet{Writeback, text(rows)}, len(rows) - 1
}
