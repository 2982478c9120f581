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

// If the unit was stopped with its interface, as by a devlink reload, the step starts it once more. Any other failure of the unit is a
// failure of the step.
func TestStepAfterReload(t *testing.T) {
	dash := machinetest.Need(t, "dash")
	for _, c := range []struct {
		name, result string
		fails        string // number of restarts that fail
		want         string
		code         int
	}{
		{"it starts", "success", "0", "restart\n", 0},
		{"stopped with its interface", "signal", "1", "restart\nrestart\n", 0},
		{"stopped again", "signal", "2", "restart\nrestart\ncheck\n", 1},
		{"it fails", "exit-code", "1", "restart\ncheck\n", 1},
		{"it hangs", "timeout", "1", "restart\ncheck\n", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			write := func(name, text string) {
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("#!"+dash+"\n"+text), 0o755))
			}
			write("systemctl", `case $1 in
show) echo "Result=$RESULT" ;;
restart)
	echo restart >>"$0.log"
	read -r n <"$0.fails" && echo $((n - 1)) >"$0.fails"
	[ "$n" -le 0 ]
	;;
esac
`)
			require.NoError(t, os.Symlink(dash, filepath.Join(dir, "sh")))
			write("script", `echo "$1" >>"${0%/*}/systemctl.log"`+"\n")
			require.NoError(t, os.WriteFile(filepath.Join(dir, "systemctl.fails"), []byte(c.fails+"\n"), 0o644))
			k := &Kit{Script: func() []byte { return nil }}
			step := strings.ReplaceAll(k.Apply([]NIC{{Name: "ens1f0"}}).Cmd, k.ScriptPath(), filepath.Join(dir, "script"))
			cmd := exec.Command(dash, "-c", step)
			cmd.Env = []string{"PATH=" + dir, "RESULT=" + c.result}
			err := cmd.Run()
			assert.Equal(t, c.code, cmd.ProcessState.ExitCode(), err)
			log, err := os.ReadFile(filepath.Join(dir, "systemctl.log"))
			require.NoError(t, err)
			assert.Equal(t, c.want, string(log))
		})
	}
}
