package boxtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
)

// Systemd gives the box a systemd-run whose timers the test fires ([Box.Fire]), and a systemctl that stops them.
func (b *Box) Systemd() {
	require.NoError(b.t, os.MkdirAll(b.Root+"/run/timers", 0o755))
	b.Stub("systemd-run", `unit= after=
while :; do
	case $1 in
	--unit=*) unit=${1#*=} ;;
	--on-active=*) after=${1#*=} ;;
	--quiet | --timer-property=AccuracySec=100ms) ;;
	*) break ;;
	esac
	shift
done
[ -n "$unit" ] && [ "$after" -gt 0 ] && [ "$1 $3 $4" = "sh undo timer" ] || exit 2
echo "$*" >`+b.Root+`/run/timers/"$unit".timer`)
	b.Stub("systemctl", `[ "$1" = stop ] && rm `+b.Root+`/run/timers/"$2"`)
}

// Timers returns the units whose timers are waiting to fire.
func (b *Box) Timers() []string {
	names, err := filepath.Glob(b.Root + "/run/timers/*.timer")
	require.NoError(b.t, err)
	for i, n := range names {
		names[i] = filepath.Base(n)
	}
	return names
}

// Fire fires every timer, one after the other, and waits for their commands.
func (b *Box) Fire() {
	for _, name := range b.Timers() {
		path := b.Root + "/run/timers/" + name
		cmd, err := os.ReadFile(path)
		require.NoError(b.t, err)
		require.NoError(b.t, os.Remove(path))
		_, _ = b.run(exec.CommandContext(b.t.Context(), "sh", "-c", string(cmd)), nil) // the device has the result of the command
	}
}

// PowerCut ends all processes and starts the device again: with a new boot ID, the boot units, and then the daemon with the content of
// its file. All writes stay, flushed or not.
func (b *Box) PowerCut() {
	b.Kill()
	require.NoError(b.t, os.RemoveAll(b.Root+"/run/timers"))
	require.NoError(b.t, os.MkdirAll(b.Root+"/run/timers", 0o755))
	b.Write("/run/boot_id", fmt.Sprintf("boot-%d\n", time.Now().UnixNano()))
	links, err := filepath.Glob(b.Root + "/etc/systemd/system/sysinit.target.wants/*")
	require.NoError(b.t, err)
	for _, l := range links {
		unit, err := os.ReadFile(l)
		require.NoError(b.t, err)
		_, cmd, ok := strings.Cut(string(unit), "\nExecStart=")
		require.True(b.t, ok, "%s", unit)
		cmd, _, _ = strings.Cut(cmd, "\n")
		_, _ = b.run(exec.CommandContext(b.t.Context(), "sh", "-c", cmd), nil)
	}
	b.Write("/run/loaded", b.Read("/etc/app/conf"))
}
