package steps

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/langtest/machinetest"
)

// TestRulesRun runs the commands of the udev rules on systems with /bin, with /usr/bin, and with both. udev sets no PATH, and the shell
// must not expand the pattern of units to file names.
func TestRulesRun(t *testing.T) {
	dash := machinetest.Need(t, "dash")
	for _, layout := range [][]string{{"bin"}, {"usr/bin"}, {"bin", "usr/bin"}} { // Debian 10; SUSE; merged /usr
		root := t.TempDir()
		for _, dir := range layout {
			require.NoError(t, os.MkdirAll(filepath.Join(root, dir), 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(root, dir, "systemctl"), []byte("#!"+dash+"\nprintf '%s\\n' \"$*\"\n"), 0o755))
		}
		require.NoError(t, os.WriteFile(filepath.Join(root, "rocec-host@ens1f0.service"), nil, 0o644))
		for line := range strings.Lines(strings.ReplaceAll(rulesText, "TOOL", "rocec-host")) {
			_, run, is := strings.Cut(strings.TrimSuffix(line, "\"\n"), `RUN+="/bin/sh -fc '`)
			if !is {
				require.True(t, strings.HasPrefix(line, "#"), line)
				continue
			}
			run = strings.ReplaceAll(strings.TrimSuffix(run, "'"), "PATH=/usr/bin:/bin;", "PATH="+root+"/usr/bin:"+root+"/bin;")
			require.NotContains(t, run, "'")
			cmd := exec.Command(dash, "-fc", run)
			cmd.Dir, cmd.Env = root, []string{"ACTION=add"}
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%v: %s", layout, out)
			assert.Equal(t, "--no-block reload-or-restart rocec-host@*.service\n", string(out))
		}
	}
}
