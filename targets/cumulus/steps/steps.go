// Package steps has the commands of switches that are configured by files: each step and each [Checker] by its name ([Recall]), and the
// paths of the files ([File]). It imports the standard library alone, so that the gate on a switch makes the same commands.
package steps

import (
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/targets/commands"
)

// Unit is the systemd unit of switchd, the daemon that programs the chip.
const Unit = "switchd.service"

// ReloadNode is the node that makes switchd of 4.x on Spectrum reload traffic.conf.
const ReloadNode = "/cumulus/switchd/config/traffic/reload"

// The steps. On large switches switchd needs more than two minutes to start (its watchdog allows two; CM-27957), and the ports come up
// after that.
var (
	restart = commands.Step{
		Name: "cumulus restart",
		Cmd:  noteLog + "systemctl show -p ActiveEnterTimestampMonotonic " + Unit + " >\"$ROCEC_STEP/since\"\nsystemctl restart " + Unit,
		Loaded: &commands.Query{Cmd: active + logged + `now=$(systemctl show -p ActiveEnterTimestampMonotonic ` + Unit + `)
if [ "$now" = "$(cat "$ROCEC_STEP/since")" ]; then
	echo "` + Unit + ` has not started again"
	exit 1
fi
how=` + commands.Loaded + "\n" + clamped},
		Units:   Unit,
		Timeout: 5 * time.Minute,
	}
	reload = commands.Step{
		Name:    "cumulus reload",
		Cmd:     noteLog + tell,
		Loaded:  &commands.Query{Cmd: active + logged + "how='" + commands.NotReadable + "'\n" + clamped},
		Units:   Unit,
		Timeout: 3 * time.Minute, // enough for an undo that has to start switchd
	}
	reloadUnit = func() commands.Step {
		s := reload
		s.Name = "cumulus reload-unit"
		s.Cmd = noteLog + `if systemctl is-active --quiet ` + Unit + `; then
	systemctl reload ` + Unit + `
else
	systemctl restart ` + Unit + `
fi`
		return s
	}()
)

// Restart returns the step that restarts switchd.
func Restart() *commands.Step { return &restart }

// Reload returns the step that makes switchd reload traffic.conf by [ReloadNode].
func Reload() *commands.Step { return &reload }

// ReloadUnit returns the step that makes switchd load the files of 4.4 and later without a restart. If switchd does not run, it cannot
// reload, and the step starts it. Source: the manuals of 4.4 and 5.x.
func ReloadUnit() *commands.Step { return &reloadUnit }

const (
	// tell makes switchd reload the file. The node belongs to switchd and is missing while switchd does not run. Where the node is missing, a
	// restart of switchd has the same effect.
	tell = `if test -e ` + ReloadNode + ` && systemctl is-active --quiet ` + Unit + `; then
	echo 1 >` + ReloadNode + `
else
	systemctl restart ` + Unit + `
fi`

	active = `if ! systemctl is-active --quiet ` + Unit + `; then
	echo "` + Unit + ` is not active"
	exit 1
fi
`
)

// Recall makes a step or a checker from the words of its name after "cumulus". The names have no arguments, and the steps no input. The
// error is a [*commands.Unknown].
func Recall(words []string, _ []byte) (*commands.Made, error) {
	name := "cumulus " + strings.Join(words, " ")
	for _, s := range []*commands.Step{&restart, &reload, &reloadUnit} {
		if s.Name == name {
			made := *s
			return &commands.Made{Step: &made}, nil
		}
	}
	checkers := []*Checker{&Traffic, &Features, &Infra}
	if i := slices.IndexFunc(checkers, func(c *Checker) bool { return c.Name == name }); i >= 0 {
		return &commands.Made{Check: checkers[i].Cmd}, nil
	}
	return nil, &commands.Unknown{Name: name}
}
