package targets_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/target"
)

// TestUnitExposure runs systemd's security check on the unit of every family. It rates how much of the system a program of the unit could
// change.
func TestUnitExposure(t *testing.T) {
	const most = 4.0
	tool := machinetest.Need(t, "systemd-analyze")
	level := regexp.MustCompile(`Overall exposure level for .*: ([0-9.]+) `)
	judged := map[string]bool{}
	everyFile(t, func(t *testing.T, d *target.Device, file target.File) {
		text := string(wholeOf(t, d, file))
		if !strings.HasSuffix(file.Path, "@.service") || judged[text] {
			return
		}
		judged[text] = true
		exposure := func(text string) float64 {
			unit := filepath.Join(t.TempDir(), strings.Replace(filepath.Base(file.Path), "@", "@ens1f0", 1))
			require.NoError(t, os.WriteFile(unit, []byte(text), 0o644))
			out, err := exec.Command(tool, "security", "--offline=yes", "--no-pager", unit).CombinedOutput()
			require.NoError(t, err, "%s", out)
			found := level.FindSubmatch(out)
			require.NotNil(t, found, "%s", out)
			n, err := strconv.ParseFloat(string(found[1]), 64)
			require.NoError(t, err)
			return n
		}
		require.Less(t, exposure(text), most, file.Path)
		before, sandbox, _ := strings.Cut(text, "CapabilityBoundingSet=")
		_, install, _ := strings.Cut(sandbox, "[Install]")
		require.Greater(t, exposure(before+"[Install]"+install), 9.0, "the unit without its sandbox")
	})
	written := 0
	for _, row := range targets.All {
		if row.Driver != nil && row.Render != nil {
			written++
		}
	}
	require.Len(t, judged, written, "a unit for each family of NICs")
}

// If systemd knows no name in a list of allowed system calls, it kills every program of the unit. With a list of denied calls it does not.
func TestUnitOfOlderSystemd(t *testing.T) {
	everyFile(t, func(t *testing.T, d *target.Device, file target.File) {
		if !strings.HasSuffix(file.Path, "@.service") {
			return
		}
		calls := 0
		for line := range strings.Lines(string(wholeOf(t, d, file))) {
			key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
			switch key {
			case "SystemCallFilter":
				calls++
				require.True(t, strings.HasPrefix(value, "~"), line)
			case "StateDirectory": // the unit would run files of strangers as root
				require.Fail(t, line)
			case "ReadWritePaths": // a missing folder would stop the unit
				require.Equal(t, "/var/lib", value)
			}
			require.LessOrEqual(t, len(line), 2048, "LINE_MAX of older releases")
		}
		require.Equal(t, 1, calls)
	})
}
