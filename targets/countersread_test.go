package targets_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/target/lint"
)

// The files of a device give its counters. Two files with one name are two readings, and neither counts.
func TestReadCounters(t *testing.T) {
	f := clos{leaves: 2, spines: 1, hosts: 1, model: "sn4700", version: "202511", v2: true}.compile(t)
	d := f.Devices[slices.IndexFunc(f.Devices, func(d *ir.Device) bool { return d.Switch != nil })]
	port, cos := d.Ports[0].Name, d.Ports[0].Buffers()[0].Group.Cos
	file := func(folder, text string) lint.File {
		return lint.File{Name: folder + "/" + d.Name + "/counters-db.txt", Data: []byte(text)}
	}
	row := fmt.Sprintf("queue:%s:%d {'PFC_WD_STATUS': 'stormed'}\n", port, cos)
	cuts := func(files ...lint.File) bool {
		return slices.ContainsFunc(targets.ReadCounters(d, files), func(c ir.PauseCounters) bool {
			return c.Port == port && c.Priority == cos && c.Cutting.Value == 1
		})
	}
	require.True(t, cuts(file("a", row), lint.File{Name: "a/" + d.Name + "/addr.json", Data: []byte("[]")}))
	require.False(t, cuts(file("a", row), file("b", row)))
	broken := file("a", row)
	broken.Why = "it could not be read"
	require.False(t, cuts(broken))
	require.False(t, cuts())
}
