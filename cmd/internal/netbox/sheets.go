package netbox

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"slices"
	"strings"

	"github.com/rocec/rocec/lang/nodeset"
)

// sheets writes the sheets sorted by name, so that a small change in the inventory is a small change in a sheet.
func (b *builder) sheets() []Sheet {
	slices.SortStableFunc(b.rows, func(x, y cableRow) int {
		return cmp.Or(byEnd(x.a, y.a), byEnd(x.b, y.b), nodeset.Compare(x.id, y.id))
	})
	rows := [][]string{{
		"id", "side_a_device", "side_a_type", "side_a_name", "side_b_device", "side_b_type", "side_b_name", "type", "status",
		"length", "length_unit",
	}}
	for _, r := range b.rows {
		rows = append(rows, []string{
			r.id, r.a.device, r.a.kind, r.a.port, r.b.device, r.b.kind, r.b.port, r.kind, r.status, r.length, r.unit,
		})
	}
	out := []Sheet{{Cables, text(rows)}}
	for _, s := range []struct {
		name   string
		header []string
		rows   [][]string
	}{
		{frontPorts, []string{"device", "name", "rear_port", "rear_port_position"}, b.fronts},
		{interfaces, []string{"device", "name", "mgmt_only"}, b.mgmt},
		{devices, []string{"name", "role", "device_type", "platform", "status"}, b.described()},
	} {
		if len(s.rows) > 0 {
			slices.SortStableFunc(s.rows, func(x, y []string) int {
				return cmp.Or(nodeset.Compare(x[0], y[0]), nodeset.Compare(x[1], y[1]))
			})
			out = append(out, Sheet{s.name, text(append([][]string{s.header}, s.rows...))})
		}
	}
	return out
}

func byEnd(x, y end) int {
	return cmp.Or(nodeset.Compare(x.device, y.device), nodeset.Compare(x.port, y.port), strings.Compare(x.kind, y.kind))
}

// described returns the rows of devices whose interfaces have cables.
func (b *builder) described() (rows [][]string) {
	at := map[string]bool{} // devices with cables in interfaces
	for _, r := range b.rows {
		for _, e := range []end{r.a, r.b} {
			at[e.device] = at[e.device] || strings.HasSuffix(e.kind, "interface")
		}
	}
	for _, d := range b.byID {
		if d.Name != "" && at[d.Name] {
			rows = append(rows, []string{d.Name, cmp.Or(d.Role.word, d.DeviceRole.word), d.DeviceType.word, d.Platform.word, d.Status.word})
		}
	}
	return rows
}

// text returns rows as CSV.
func text(rows [][]string) []byte {
	var b bytes.Buffer
	csv.NewWriter(&b).WriteAll(rows) //nolint:errcheck // a buffer takes everything
	return b.Bytes()
}
