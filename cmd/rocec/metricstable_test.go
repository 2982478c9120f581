package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/metrics"
)

// TestMetricsOfSystems: the table of docs/metrics.md has each counter by priority, and says which system has it. verify prints the samples
// of a "yes" in the lab, and none of a "no". Any other word is a condition, which the lab may not meet.
func TestMetricsOfSystems(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/metrics.md")
	require.NoError(t, err)
	_, table, ok := strings.Cut(string(page), "\n| counter | ")
	require.True(t, ok)
	table, _, _ = strings.Cut(table, "\n\n")
	lines := strings.Split(table, "\n")
	cells := func(line string) []string { return strings.Split(strings.Trim(line, "| "), " | ") }
	columns := cells(lines[0])
	rows := map[string][]string{}
	for _, line := range lines[2:] {
		row := cells(line)
		require.Len(t, row, len(columns)+1, line)
		rows[strings.Trim(row[0], "`")] = row[1:]
	}
	for _, m := range metrics.Table {
		if m.OfPriority() {
			require.Contains(t, rows, m.Name)
		}
	}
	rackOf := func(system string) string {
		of := liarSystems[system]
		return strings.NewReplacer("SYSTEM", of.system, "PORTS", of.ports, "HOSTS", "2", "TOR", "", "STORE", "").Replace(liarRack)
	}
	byVLAN, err := os.ReadFile("../../examples/rack-v1-pfc/fabric.hcl")
	require.NoError(t, err)
	for i, system := range []struct{ column, fabric, device string }{
		{"Cumulus Linux by files", rackOf("cumulus"), "tor1"},
		{"Cumulus Linux by NVUE", rackOf("nvue"), "tor1"},
		{"SONiC", rackOf("sonic"), "tor1"},
		{"mlx5", rackOf("cumulus"), "store1"},
		{"mlx4", strings.NewReplacer("connectx-4-lx", "connectx-3-pro", "25G", "40G").Replace(string(byVLAN)), "store1"},
		{"bnxt", strings.Replace(rackOf("cumulus"), "connectx-6-dx", "bcm57508", 1), "store1"},
	} {
		t.Run(system.column, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, system.column, columns[i])
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "fabric.hcl"), []byte(system.fabric), 0o600))
			setenv(t, "XDG_STATE_HOME", t.TempDir())
			code, stdout, stderr := rocec(t, "verify", "--lab=new", "--format", "openmetrics", dir)
			require.Equal(t, exit.Errors, code, "the devices are factory-new: %s", stderr)
			require.Contains(t, stdout, "# EOF\n", stderr)
			for name, row := range rows {
				has := strings.Contains(stdout, "\n"+name+`{fabric="rack",device="`+system.device+`",`)
				switch row[i] {
				case "yes":
					assert.True(t, has, name)
				case "no":
					assert.False(t, has, name)
				default:
					assert.True(t, strings.HasPrefix(row[i], "if "), row[i])
				}
			}
		})
	}
}
