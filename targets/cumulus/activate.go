package cumulus

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/cumulus/grammar"
	"github.com/rocec/rocec/targets/target"
)

// unit is the daemon that programs the chip.
const unit = "switchd.service"

// reloadNode is the node by which switchd of 4.x on Spectrum reads traffic.conf again.
const reloadNode = "/cumulus/switchd/config/traffic/reload"

// reloads reports whether a switch of a release and a chip can take some changes without a restart of switchd. Releases up to 4.3 have a
// node for that.
func reloads(r grammar.Release, asic *platform.ASIC) bool {
	return grammar.CanReload(r) && !split(r) && asic.Vendor == platform.Mellanox
}

// activate returns the documented way to make switchd take any change of the file: a restart, which resets every port. On Spectrum with
// 4.3 and from 4.4 on, a reload takes every key instead.
func activate(r grammar.Release, asic *platform.ASIC) target.Step {
	if split(r) {
		return reloadUnit
	}
	if reloads(r, asic) && grammar.ReloadsAll(r) {
		return reload
	}
	return restart
}

// chooser gives the way for one change: on a switch that may reload the keys that change decide, and whether the node was seen.
func chooser(r grammar.Release, asic *platform.ASIC) func(before, after []byte, have []target.Sample) (target.Step, []string) {
	return func(before, after []byte, have []target.Sample) (step target.Step, says []string) {
		step = activate(r, asic)
		if reloads(r, asic) {
			why := ""
			if step, why = choose(r, before, after, have); why != "" {
				says = append(says, why)
			}
		}
		if saw(have, checkerFact, nothing) {
			says = append(says, "No "+checker+" was found, which releases from 4.1 on have: nothing but rocec checks the file before switchd "+
				"reads it.")
		}
		return step, says
	}
}

// choose picks the step for a switch that may reload, and returns the reason for a restart.
func choose(r grammar.Release, before, after []byte, have []target.Sample) (target.Step, string) {
	if saw(have, nodeFact, nothing) {
		return restart, "switchd restarts: the node that makes it read traffic.conf again is missing (" + reloadNode + ")."
	}
	keys := restarting(before, after, r)
	if len(keys) == 0 {
		return reload, ""
	}
	more := ""
	if n := len(keys) - 1; n > 0 {
		more = " and " + diag.Count(n, "more key")
	}
	return restart, fmt.Sprintf("switchd restarts: on %d.%d no reload takes a change of %s%s.", r[0], r[1], target.Escape(keys[0]), more)
}

// saw reports whether a device was read and states a fact.
func saw(have []target.Sample, name, fact string) bool {
	return slices.ContainsFunc(have, func(s target.Sample) bool { return s.Name == name && s.Fact == fact })
}

// restarting lists the keys, sorted, that differ between two contents and that no reload takes.
func restarting(before, after []byte, r grammar.Release) []string {
	values := func(content []byte) grammar.Values {
		lines, _ := grammar.Parse(content)
		return grammar.ValuesOf(lines)
	}
	was, is := values(before), values(after)
	changed := map[string]bool{}
	for _, side := range []grammar.Values{was, is} {
		for key := range side {
			old, had := was[key]
			now, has := is[key]
			if (had != has || !same(old, now)) && !grammar.Reloads(r, key) {
				changed[key] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(changed))
}

// The two ways. Large switches take more than two minutes until switchd is up (its watchdog has two; CM-27957), and the ports
// come up after that.
var (
	restart = target.Step{
		Name:     "cumulus restart",
		Cmd:      noteLog + "systemctl show -p ActiveEnterTimestampMonotonic " + unit + " >\"$ROCEC_STEP/since\"\nsystemctl restart " + unit,
		Disrupts: "every port resets (switchd restart)",
		Outage:   ir.Outage{Least: 30 * time.Second, Most: 2 * time.Minute},
		Loaded: &target.Query{Cmd: active + logged + `now=$(systemctl show -p ActiveEnterTimestampMonotonic ` + unit + `)
if [ "$now" = "$(cat "$ROCEC_STEP/since")" ]; then
	echo "` + unit + ` has not started again"
	exit 1
fi
how=` + target.Loaded + "\n" + clamped},
		Units:   unit,
		Timeout: 5 * time.Minute,
		Soak:    30 * time.Second,
		Away:    3 * time.Minute,
	}
	reload = target.Step{
		Name:     "cumulus reload",
		Cmd:      noteLog + tell,
		Disrupts: "a brief loss while buffers change (switchd reload)",
		Outage:   ir.Outage{Most: 2 * time.Second}, // "brief", the manual says
		Loaded:   &target.Query{Cmd: active + logged + "how='" + target.NotReadable + "'\n" + clamped},
		Units:    unit,
		Timeout:  3 * time.Minute, // where the undo has to start switchd
		Soak:     5 * time.Second,
		Away:     30 * time.Second,
	}
)

const (
	// tell has switchd read the file again. The node belongs to switchd and is missing while switchd does not run. Then a restart does the
	// same, as it does where a release lacks the node.
	tell = `if test -e ` + reloadNode + ` && systemctl is-active --quiet ` + unit + `; then
	echo 1 >` + reloadNode + `
else
	systemctl restart ` + unit + `
fi`

	active = `if ! systemctl is-active --quiet ` + unit + `; then
	echo "` + unit + ` is not active"
	exit 1
fi
`
)
